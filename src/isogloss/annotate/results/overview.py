"""The organiser's view: progress, agreement, checks, and results so far."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, cast

import numpy as np

from isogloss.annotate.answers import is_finished
from isogloss.annotate.campaign import Phase
from isogloss.annotate.results.adjudication import (
    JudgedUnit,
    StandingAnswer,
    disagreeing,
    standing_answers,
)
from isogloss.annotate.results.conduct import (
    annotators_conduct,
    check_outcomes,
    pace,
    preferred,
)
from isogloss.annotate.results.exchange import download_names
from isogloss.annotate.results.export import export_names
from isogloss.annotate.storage.schema import OPENED, Actor
from isogloss.annotate.storage.store import Store
from isogloss.annotate.wire_organiser import (
    AgreementFigure,
    AnnotatorProgress,
    Overview,
    PhenomenonFigure,
    SystemFigure,
)
from isogloss.metaeval import krippendorff_alpha
from isogloss.metrics.markables import Phenomenon

Reading = Callable[[StandingAnswer], float | None]
"""The number in an answer; `None` where it has none."""


def campaign_overview(store: Store, *, nameless: bool = False) -> Overview:
    """How the campaign goes; `nameless` has numbers for annotators, in tables and in words."""
    people = _annotators(store)
    answers = list(standing_answers(store))
    if nameless:
        numbers = {actor.name: f"annotator {n}" for n, actor in enumerate(people, 1)}
        people = [replace(actor, name=numbers[actor.name]) for actor in people]
        answers = [replace(each, annotator=numbers[each.annotator]) for each in answers]
    judged = [answer for answer in answers if answer.check is None]
    return Overview(
        campaign=store.fact(OPENED)["name"],
        annotators=[_progress(store, actor, answers) for actor in people],
        conduct=annotators_conduct(answers),
        agreement=agreement_figures(judged),
        systems=_systems(store, judged),
        phenomena=list(_phenomena(judged)),
        disagreements=len(disagreeing(judged)),
        exports=[*export_names(store), *download_names(store)],
    )


def _annotators(store: Store) -> list[Actor]:
    return [actor for actor in store.actors() if actor.role == "annotator"]


# --- the numbers in answers ----------------------------------------------------------------------


def _field(name: str) -> Reading:
    return lambda answer: answer.value.get(name)


def _marked(phenomenon: Phenomenon) -> Reading:
    return lambda answer: float(phenomenon.value in answer.value["phenomena"])


READINGS: tuple[tuple[str, str, Reading, Any], ...] = (
    ("phase1", "adequacy", _field("adequacy"), "interval"),
    ("phase1", "fluency", _field("fluency"), "interval"),
    ("phase1", "conflicting", _field("conflicting"), "nominal"),
    *(("phase2", each.value, _marked(each), "nominal") for each in Phenomenon),
    ("da", "score", _field("score"), "interval"),
    ("spans", "score", _field("score"), "interval"),
    ("contrastive", "score", _field("score"), "interval"),
    ("consistency", "same", _field("same"), "nominal"),
    ("document", "score", _field("score"), "interval"),
    ("preference", "better", preferred, "interval"),
)
_SCORES = {
    "phase1": _field("adequacy"),
    "da": _field("score"),
    "spans": _field("score"),
    "contrastive": _field("score"),
    "document": _field("score"),
}


def agreement_figures(answers: Sequence[StandingAnswer]) -> list[AgreementFigure]:
    """How far annotators agree on each question that somebody has answered."""
    return [_agreement(answers, *each) for each in READINGS if _asked(answers, each[0])]


def _asked(answers: Sequence[StandingAnswer], kind: str) -> bool:
    return any(answer.kind == kind for answer in answers)


def _agreement(
    answers: Iterable[StandingAnswer], kind: str, what: str, reading: Reading, distance: Any
) -> AgreementFigure:
    found = [answer for answer in answers if answer.kind == kind and reading(answer) is not None]
    people = {name: n for n, name in enumerate(dict.fromkeys(a.annotator for a in found))}
    units = {place: n for n, place in enumerate(dict.fromkeys(each.unit for each in found))}
    ratings = np.full((max(len(people), 1), max(len(units), 1)), np.nan)
    for answer in found:
        ratings[people[answer.annotator], units[answer.unit]] = reading(answer)
    alpha = krippendorff_alpha(ratings, distance)
    return AgreementFigure(
        what=f"{kind} {what}",
        statistic="Krippendorff's alpha",
        value=alpha.value,
        reason=alpha.reason,
        units=int(((~np.isnan(ratings)).sum(axis=0) > 1).sum()),
    )


# --- people --------------------------------------------------------------------------------------


def _progress(store: Store, actor: Actor, answers: Sequence[StandingAnswer]) -> AnnotatorProgress:
    own = [answer for answer in answers if answer.annotator == actor.name]
    repeats, degraded = check_outcomes(own)
    done = sum(is_finished(cast(Phase, answer.kind), answer.value) for answer in own)
    total = sum(len(task.content["items"]) for task in store.tasks_of(actor.id))
    seconds = pace(answer.at for answer in own)
    return AnnotatorProgress(
        name=actor.name,
        done=done,
        total=total,
        seconds_per_item=seconds,
        hours_left=None if seconds is None else max(0, total - done) * seconds / 3600,
        repeat_difference=fmean(repeats) if repeats else None,
        degraded_seen=fmean(degraded) if degraded else None,
        bias=_bias(actor.name, [answer for answer in answers if answer.check is None]),
    )


def _bias(name: str, answers: Sequence[StandingAnswer]) -> float | None:
    """By how much somebody scores higher than the others do on the same translations."""
    opinions: dict[JudgedUnit, dict[str, float]] = {}
    for answer in answers:
        reading = _SCORES.get(answer.kind)
        score = reading(answer) if reading else None
        if score is not None:
            opinions.setdefault(answer.unit, {})[answer.annotator] = float(score)
    above = [
        said[name] - fmean(score for other, score in said.items() if other != name)
        for said in opinions.values()
        if name in said and len(said) > 1
    ]
    return fmean(above) if above else None


# --- systems -------------------------------------------------------------------------------------


def _systems(store: Store, answers: Iterable[StandingAnswer]) -> list[SystemFigure]:
    humans = {name for id in store.documents() for name in store.text(id)["humans"]}
    scores: dict[tuple[str, str], list[float]] = {}
    for answer in answers:
        reading = _SCORES.get(answer.kind)
        score = reading(answer) if reading else None
        if score is not None and answer.system is not None:
            scores.setdefault((answer.kind, answer.system), []).append(float(score))
        if answer.kind == "preference" and (won := preferred(answer)) is not None:
            for system, share in ((answer.system, won), (answer.unit.against, 1 - won)):
                scores.setdefault((answer.kind, str(system)), []).append(100 * share)
    figures = [
        SystemFigure(
            system=system, human=system in humans, kind=kind, mean=fmean(values), judged=len(values)
        )
        for (kind, system), values in scores.items()
    ]
    return sorted(figures, key=lambda figure: (figure.kind, -figure.mean))


def _phenomena(answers: Iterable[StandingAnswer]) -> Iterable[PhenomenonFigure]:
    marks: dict[str, list[dict[str, float | None]]] = {}
    for answer in answers:
        if answer.kind == "phase2" and answer.system is not None:
            marks.setdefault(answer.system, []).append(answer.value["phenomena"])
    for system, said in marks.items():
        for phenomenon in Phenomenon:
            there = [each[phenomenon.value] for each in said if phenomenon.value in each]
            rated = [severity for severity in there if severity is not None]
            yield PhenomenonFigure(
                system=system,
                phenomenon=phenomenon.value,
                judged=len(said),
                occurrence=len(there) / len(said),
                severity=fmean(rated) if rated else None,
            )
