"""What comes out of a campaign, in the forms that other tools read.

What annotators said of repeated words, as the answers that 'isogloss chains' reads.

There is a file for each annotator, to compare them with 'chains agree', and one of what counts in
the end: the organiser's decision, or what all say who judged the chain. Somebody who is not sure
has not judged it.

Backups of a campaign that goes on.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isogloss.annotate.answers import SAME
from isogloss.annotate.campaign import MARKING, ORGANISER
from isogloss.annotate.results.adjudication import (
    JudgedUnit,
    StandingAnswer,
    decisions_on,
    shown_text,
    standing_answers,
)
from isogloss.annotate.results.study import study_records
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import OPENED
from isogloss.annotate.storage.store import Store
from isogloss.annotate.storage.verification import faults
from isogloss.annotate.tutoring import is_tutorial
from isogloss.destination import file_to_be, write_file
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.formats import TIE, csv_lines
from isogloss.metrics.consistency import Flexible, answer_line

CONSISTENCY = "consistency"


def annotator_lines(store: Store, annotator: str) -> Iterator[str]:
    """The answers of one annotator."""
    for answer in standing_answers(store, CONSISTENCY):
        if answer.annotator == annotator:
            yield from _line(answer, answer.value, annotator, answer.at)


def decided_lines(store: Store) -> Iterator[str]:
    """What counts in the end; chains on which people disagree are left out until it is decided."""
    said: dict[JudgedUnit, list[StandingAnswer]] = {}
    for answer in standing_answers(store, CONSISTENCY):
        said.setdefault(answer.unit, []).append(answer)
    decisions = _decisions(store, [answer for answers in said.values() for answer in answers])
    for unit, answers in said.items():
        if decision := decisions.get(unit):
            yield from _line(decision, decision.value, ORGANISER, decision.at)
            continue
        judged = [answer for answer in answers if _flexible(answer, answer.value) is not None]
        if len({_flexible(answer, answer.value) for answer in judged}) == 1:
            people = ", ".join(answer.annotator for answer in judged)
            last = max(answer.at for answer in judged)
            yield from _line(judged[0], judged[0].value, people, last)


def _line(
    answer: StandingAnswer, value: Mapping[str, Any], annotator: str, at: int
) -> Iterator[str]:
    flexible = _flexible(answer, value)
    if flexible is not None:
        said = {"chain": _chain(answer)["id"], "flexible": sorted(flexible)}
        yield answer_line(said, annotator, datetime.fromtimestamp(at / 1000, UTC))


def _flexible(answer: StandingAnswer, value: Mapping[str, Any]) -> Flexible | None:
    """The places that may be translated differently; `None` where nobody dares to say."""
    if value["same"] is None:
        return None
    if value["same"]:
        return frozenset()
    return frozenset(value["flexible"] or range(len(_chain(answer)["places"])))


def _chain(answer: StandingAnswer) -> Mapping[str, Any]:
    chain: Mapping[str, Any] = answer.task.content["chains"][answer.number]
    return chain


Lines = Iterator[str]


def events_jsonl(store: Store) -> Lines:
    """Everything that ever happened, one event a line: the truth, and a backup of it."""
    for event in store.events():
        if not is_tutorial(event.task):
            yield json.dumps(asdict(event), ensure_ascii=False)


def answers_jsonl(store: Store) -> Lines:
    """The answers that stand, systems by their names, checks and decisions marked as such."""
    answers = list(standing_answers(store))
    decisions = _decisions(store, answers)
    texts = _texts(store)
    for answer in answers:
        decision = decisions.get(answer.unit) if answer.check is None else None
        record = {
            "annotator": answer.annotator,
            **_place(answer),
            "at": answer.at,
            "check": answer.check["kind"] if answer.check else None,
            "value": dict(answer.value),
            "decision": dict(decision.value) if decision else None,
            **_words(answer, texts),
        }
        yield json.dumps(record, ensure_ascii=False)


def _decisions(store: Store, answers: list[StandingAnswer]) -> dict[JudgedUnit, StandingAnswer]:
    return {decision.unit: decision for decision in decisions_on(store, answers)}


def decisions_jsonl(store: Store) -> Lines:
    """The organiser's decisions, one place a line, beside what the annotators said there."""
    answers = [answer for answer in standing_answers(store) if answer.check is None]
    opinions: dict[JudgedUnit, list[StandingAnswer]] = {}
    for answer in answers:
        opinions.setdefault(answer.unit, []).append(answer)
    texts = _texts(store)
    for decision in decisions_on(store, answers):
        said = {answer.annotator: dict(answer.value) for answer in opinions[decision.unit]}
        record = {
            **_place(decision),
            "at": decision.at,
            "value": dict(decision.value),
            "opinions": said,
            **_words(decision, texts),
        }
        yield json.dumps(record, ensure_ascii=False)


def _place(answer: StandingAnswer) -> dict[str, Any]:
    unit = asdict(answer.unit)
    if unit["against"] is None:
        del unit["against"]
    return {**unit, "segment": answer.segment, "place": _occurrence(answer)}


def _occurrence(answer: StandingAnswer) -> list[int] | None:
    """Where in the source segment the occurrence of a markable stands."""
    if answer.markable is None:
        return None
    place = answer.task.content["markable"]["occurrences"][answer.number]
    return [place["start"], place["end"]]


Texts = Mapping[str, Mapping[str, Any]]


def _texts(store: Store) -> Texts:
    return {id: store.text(id) for id in store.documents()}


def _words(answer: StandingAnswer, texts: Texts) -> dict[str, str | None]:
    """What was judged, so that no reader takes it for another text.

    It is the last of a record: the beginning of a file tells what the file is.
    """
    text, segment = texts[answer.document], answer.segment
    output = shown_text(text["outputs"][answer.system], segment) if answer.system else None
    words = {"source": shown_text(text["source"], segment), "target": output}
    if answer.unit.against:
        words["other"] = shown_text(text["outputs"][answer.unit.against], None)
    return words


def study_jsonl(store: Store) -> Lines:
    """Texts, markables, and phases 1 and 2 as events, for 'isogloss markables analyse'."""
    for record in study_records(store):
        yield json.dumps(record, ensure_ascii=False)


def scores_tsv(store: Store) -> Lines:
    """The scores of segments: annotator, system, document, segment, kind and score.

    Decisions of the organiser are rows of theirs, after what annotators said.
    """
    yield "annotator\tsystem\tdoc\tsegment\tkind\tscore"
    for answer in _judged(store):
        segment = "" if answer.segment is None else answer.number
        place = f"{answer.annotator}\t{answer.system}\t{answer.document}\t{segment}"
        for kind, field in _SCORES.get(answer.kind, {}).items():
            if (score := answer.value[field]) is not None:
                yield f"{place}\t{kind}\t{str(score).removesuffix('.0')}"


_SCORES: Mapping[str, Mapping[str, str]] = {
    "phase1": {"adequacy": "adequacy", "fluency": "fluency"},
    "da": {"da": "score"},
    "spans": {"spans": "score"},
    "contrastive": {"contrastive": "score"},
    "document": {"document": "score"},
}
"""By phase, the kinds of scores in an answer, and where in it they are."""


def esa_jsonl(store: Store) -> Lines:
    """Error spans and scores, one judged segment a line; decisions after what annotators said."""
    texts = _texts(store)
    for answer in (each for phase in MARKING for each in _judged(store, phase)):
        record = {
            **({} if answer.kind == "spans" else {"phase": answer.kind}),
            "annotator": answer.annotator,
            "system": answer.system,
            "doc": answer.document,
            "segment": answer.number,
            "score": answer.value["score"],
            "errors": answer.value["errors"],
            **_proposed(answer),
            **_words(answer, texts),
        }
        yield json.dumps(record, ensure_ascii=False)


def _proposed(answer: StandingAnswer) -> dict[str, Any]:
    """What was prefilled there, to be set beside what became of it."""
    proposed = answer.task.content.get("prefilled", {})
    return {"proposed": proposed.get(str(answer.item), [])} if proposed else {}


def preferences_tsv(store: Store) -> Lines:
    """Which of two translations of a document is better, and why; decisions after opinions.

    'isogloss preferences' reads it.
    """
    yield "annotator\tdoc\tfirst\tsecond\tpreferred\treasons\tnote"
    for answer in _judged(store, "preference"):
        value, unit = answer.value, answer.unit
        if value["better"] is not None:
            note = " ".join(value["note"].split())
            place = f"{answer.annotator}\t{unit.document}\t{unit.system}\t{unit.against}"
            preferred = TIE if value["better"] == SAME else value["better"]
            yield f"{place}\t{preferred}\t{','.join(value['reasons'])}\t{note}"


def _judged(store: Store, kind: str | None = None) -> list[StandingAnswer]:
    """What annotators said, without checks, and then what the organiser decided."""
    answers = [answer for answer in standing_answers(store, kind) if answer.check is None]
    return [*answers, *decisions_on(store, answers)]


EXPORTS: dict[str, Callable[[Store], Lines]] = {
    "events.jsonl": events_jsonl,
    "answers.jsonl": answers_jsonl,
    "decisions.jsonl": decisions_jsonl,
    "study.jsonl": study_jsonl,
    "scores.tsv": scores_tsv,
    "esa.jsonl": esa_jsonl,
    "preferences.tsv": preferences_tsv,
}


_OF_PHASES: Mapping[str, frozenset[str]] = {
    "study.jsonl": frozenset({"phase1", "phase2"}),
    "scores.tsv": frozenset({"phase1", "da", *MARKING, "document"}),
    "esa.jsonl": frozenset(MARKING),
    "preferences.tsv": frozenset({"preference"}),
}
"""Exports in which only these phases say anything."""


def export_names(store: Store) -> list[str]:
    """What this campaign's phases can fill: of repeated words also a file for each annotator."""
    phases = set(store.fact(OPENED)["phases"])
    files = [name for name in EXPORTS if phases & _OF_PHASES.get(name, phases)]
    people = {actor.id: actor.name for actor in store.actors()}
    asked = dict.fromkeys(people[t.actor] for t in store.tasks_of() if t.kind == CONSISTENCY)
    repeated = [_DECIDED, *map(_annotators_file, asked)] if asked else []
    sheets = [sheet for sheet, whole in _SHEETS.items() if whole in files]
    return [*files, *sheets, *repeated]


_SHEETS = {f"{name.rpartition('.')[0]}.csv": name for name in EXPORTS if name != "study.jsonl"}
"""What exports are called as CSV, for spreadsheets."""


def _for_spreadsheets(store: Store, whole: str) -> Lines:
    """An export as CSV."""
    lines = exported(store, whole)
    if whole.endswith(".jsonl"):
        return csv_lines(map(json.loads, lines))
    header = next(lines).split("\t")
    rows = (dict(zip(header, line.split("\t"), strict=True)) for line in lines)
    numbers = {"segment": int, "score": float}
    return csv_lines(
        {key: numbers.get(key, str)(cell) if cell else None for key, cell in row.items()}
        for row in rows
    )


_DECIDED = f"{CONSISTENCY}.jsonl"


def _annotators_file(name: str) -> str:
    return f"{CONSISTENCY}-{name}.jsonl"


def exported(store: Store, name: str) -> Lines:
    """The export of that name, line by line."""
    names = export_names(store)
    if name not in {*EXPORTS, *names}:
        raise InputError(f"there is no export {name!r}; there are: {', '.join(names)}")
    if name in _SHEETS:
        return _for_spreadsheets(store, _SHEETS[name])
    if name in EXPORTS:
        return EXPORTS[name](store)
    if name == _DECIDED:
        return decided_lines(store)
    return annotator_lines(store, name.removeprefix(f"{CONSISTENCY}-").removesuffix(".jsonl"))


def back_up(store: Store, to: Path) -> str:
    """Copy the campaign to a file; what was written, in words."""
    if to.exists():
        raise InputError(f"{to}: there is such a file already")
    url = store.database.engine.url
    if url.get_backend_name() == "sqlite":
        _copy(str(url.database), to)
        return "a copy of the whole campaign, verified; open it by naming it in campaign.toml"
    lines = list(events_jsonl(store))
    write_file(to, "".join(f"{line}\n" for line in lines).encode())
    return counted(len(lines), "event")


def _copy(database: str, to: Path) -> None:
    """A copy that is whole, or none at all."""
    try:
        with file_to_be(to) as beside:
            with (
                closing(sqlite3.connect(database)) as source,
                closing(sqlite3.connect(beside)) as copy,
            ):
                source.backup(copy)
            wrong = _faults_of(beside)
            if wrong:
                raise InputError(f"{to}: no backup was made ({wrong[0]})")
    except sqlite3.Error as error:
        raise InputError(f"{to}: no backup was made ({error})") from error


def _faults_of(path: Path) -> list[str]:
    copy = open_database(path, new=False)
    try:
        return faults(Store(copy))
    finally:
        copy.close()
