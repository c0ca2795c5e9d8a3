"""What a campaign comes to: who is better than whom, how sure that is, and what goes wrong where.

People's scores go the way of every metric's: means over annotators, intervals over documents,
paired tests, rank clusters. Before that annotators' mildness is taken out; documents that were
chosen with unequal probabilities count as many as they stand for; where a metric scored documents
that nobody judged, it may help.

Where people chose between two translations, a system's score is the share of its comparisons that
it won; from there on it goes the same way.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from isogloss.annotate.results.correction import AnnotatorCorrection, corrected_annotators
from isogloss.comparison import (
    Comparison,
    ComparisonSettings,
    choices_table,
    compare,
    people_table,
)
from isogloss.documents import Collection
from isogloss.judgements import Choices, Judgements
from isogloss.metrics import formula_of
from isogloss.planning import Assisted, Drawing, Halves
from isogloss.scores import DocumentScore, MetricInfo, ScoreTable, SystemScore

_LEAST_DOCUMENTS = 2
_WORTH_A_WORD = 1.05
_SEVERITIES = ("minor", "major", "critical")  # phenomena are rated by numbers, or not at all


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """How often annotators marked something in a system's output, in a hundred segments.

    Of choices: how often they gave a reason for it, in a hundred comparisons that it won.
    """

    system: str
    what: str
    severity: str
    count: int
    rate: float


@dataclass(frozen=True, slots=True)
class Help:
    """What a metric that also scored other documents makes of people's scores."""

    metric: str
    judged: int
    documents: int
    systems: Mapping[str, Assisted]
    pairs: Mapping[tuple[str, str], Assisted]

    @property
    def as_if(self) -> float:
        """Of the differences of systems, in the middle."""
        return float(np.median([each.as_if for each in self.pairs.values()] or [1.0]))

    @property
    def helps(self) -> bool:
        """Whether it is worth a word: of differences, or of scores in the middle."""
        of_systems = float(np.median([each.as_if for each in self.systems.values()]))
        return max(self.as_if, of_systems) >= _WORTH_A_WORD


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one kind of judgements, or of choices between translations (`chosen`).

    `table` has people's scores; `people` is how systems stand under them, `metrics` under metrics
    on the same documents (`beside` are their scores), `domains` the same as `people` for each
    domain. `help` is of metrics that scored documents which nobody judged.
    """

    table: ScoreTable
    people: Comparison
    metrics: tuple[Comparison, ...]
    beside: tuple[ScoreTable, ...]
    domains: Mapping[str, Comparison]
    errors: tuple[ErrorRate, ...]
    help: tuple[Help, ...]
    annotators: int
    correction: AnnotatorCorrection
    weighted: bool
    chosen: bool = False


def campaign_results(
    judgements: Judgements | Choices,
    collection: Collection,
    scores: Sequence[ScoreTable] = (),
    settings: ComparisonSettings | None = None,
    correction: AnnotatorCorrection = "mixed",
    weights: Mapping[str, float] | None = None,
) -> Results:
    """What judgements of a collection come to.

    Args:
        judgements: what people said, of one kind, or chose.
        collection: the texts that they saw.
        scores: metrics on the same documents and perhaps on others of the same test set.
        settings: how systems are compared.
        correction: how annotators' mildness is taken out: `mixed`, `z` or `none`. Not of
            choices.
        weights: how many documents each stands for, where they were chosen so.

    Raises:
        InputError: nobody scored anything.
    """
    settings = settings or ComparisonSettings()
    chosen = isinstance(judgements, Choices)
    correction = "none" if chosen or len(judgements.annotators) < 2 else correction
    table = _people(judgements, collection, correction, weights)
    judged = [d.document for d in table.rows[0].documents if _is_judged(table, d.document)]
    (people,) = compare(table, settings=settings)
    same = [on_documents(each, judged, table.systems) for each in scores]
    return Results(
        table,
        people,
        tuple(found for each in same if each.rows for found in compare(each, settings=settings)),
        tuple(each for each in same if each.rows),
        _by_domain(table, settings),
        tuple(_error_rates(judgements)),
        tuple(_helps(table, scores, settings, weights or {})),
        len(judgements.annotators),
        correction,
        bool(weights),
        chosen,
    )


def corrected_in_turn(
    judgements: Judgements | Choices,
    collection: Collection,
    settings: ComparisonSettings,
    weights: Mapping[str, float] | None = None,
) -> dict[AnnotatorCorrection, Comparison]:
    """The ranking under each way of taking annotators' mildness out, and under none."""
    if isinstance(judgements, Choices) or len(judgements.annotators) < 2:
        return {}
    found: dict[AnnotatorCorrection, Comparison] = {}
    for each in get_args(AnnotatorCorrection):
        (found[each],) = compare(_people(judgements, collection, each, weights), settings=settings)
    return found


def _people(
    judgements: Judgements | Choices,
    collection: Collection,
    correction: AnnotatorCorrection,
    weights: Mapping[str, float] | None,
) -> ScoreTable:
    if isinstance(judgements, Choices):
        return choices_table(judgements, collection, weights)
    corrected = corrected_annotators(judgements, correction)
    return people_table(corrected, collection.testset, weights)


def _is_judged(table: ScoreTable, document: str) -> bool:
    return any(
        each.document == document and each.measurement.scored
        for row in table.rows
        for each in row.documents
    )


def on_documents(table: ScoreTable, documents: Sequence[str], systems: Sequence[str]) -> ScoreTable:
    """The scores of some systems on some documents; systems that have none are left out."""
    wanted = set(documents)
    rows = []
    for row in table.rows:
        kept = tuple(each for each in row.documents if each.document in wanted)
        if row.system in systems and kept:
            formula = formula_of(table, table.metric(row.metric))
            summed = np.sum([each.measurement.statistics for each in kept], axis=0)
            rows.append(replace(row, score=formula.score(summed), documents=kept))
    used = {row.metric for row in rows}
    infos = tuple(_with_formula(table, each) for each in table.metrics if each.name in used)
    return ScoreTable(table.provenance, infos, tuple(rows))


def _with_formula(table: ScoreTable, info: MetricInfo) -> MetricInfo:
    return replace(info, formula=formula_of(table, info))


def _by_domain(table: ScoreTable, settings: ComparisonSettings) -> dict[str, Comparison]:
    """Each domain by itself, where there are several, each with documents to compare on."""
    domains: dict[str, list[str]] = {}
    for document in table.rows[0].documents:
        if document.domain and _is_judged(table, document.document):
            domains.setdefault(document.domain, []).append(document.document)
    if len(domains) < _LEAST_DOCUMENTS:
        return {}
    return {
        domain: compare(on_documents(table, documents, table.systems), settings=settings)[0]
        for domain, documents in domains.items()
    }


def _error_rates(judgements: Judgements | Choices) -> list[ErrorRate]:
    """What was marked in each system's output, by category and severity; of choices, reasons."""
    if isinstance(judgements, Choices):
        return _reason_rates(judgements)
    ratings: dict[str, int] = {}
    marks: dict[tuple[str, str, str], int] = {}
    for item in judgements.items:
        ratings[item.system] = ratings.get(item.system, 0) + 1
        for error in item.errors:
            severity = error.severity if error.severity in _SEVERITIES else ""
            key = item.system, error.category or "error", severity
            marks[key] = marks.get(key, 0) + 1
    return [
        ErrorRate(*key, count, 100 * count / ratings[key[0]])
        for key, count in sorted(marks.items(), key=lambda mark: -mark[1])
    ]


def _reason_rates(choices: Choices) -> list[ErrorRate]:
    """Why each system was preferred."""
    won = Counter(choice.preferred for choice in choices.items if choice.preferred)
    given = Counter(
        (choice.preferred, reason)
        for choice in choices.items
        if choice.preferred
        for reason in choice.reasons
    )
    return [
        ErrorRate(system, reason, "", count, 100 * count / won[system])
        for (system, reason), count in given.most_common()
    ]


# --- help by metrics -----------------------------------------------------------------------------


def _helps(
    table: ScoreTable,
    scores: Sequence[ScoreTable],
    settings: ComparisonSettings,
    weights: Mapping[str, float],
) -> list[Help]:
    """What each metric makes of it that scored more documents than were judged."""
    drawing = Drawing(settings.resamples, settings.seed, settings.confidence)
    found = []
    for each in scores:
        for info in each.metrics:
            halves = _halves(table, each, info.name, weights)
            if halves is not None:
                found.append(
                    Help(
                        info.name,
                        int(halves.chosen.sum()),
                        len(halves.chosen),
                        halves.systems_helped(drawing),
                        halves.pairs_helped(drawing),
                    )
                )
    return found


def _halves(
    people: ScoreTable, scores: ScoreTable, metric: str, weights: Mapping[str, float]
) -> Halves | None:
    """People's and the metric's parts; `None` where the metric knows no other documents."""
    known = {row.system: row for row in scores.of_metric(metric)}
    rows = [row for row in people.rows if row.system in known]
    if len(rows) < _LEAST_DOCUMENTS:
        return None
    documents = [each.document for each in known[rows[0].system].documents]
    measured = [_metric_sums(known[row.system]) for row in rows]
    said = [_people_sums(row, weights) for row in rows]
    every = [id for id in documents if all(id in each for each in measured)]
    chosen = np.array([all(id in each for each in said) for id in every], dtype=bool)
    judged = [id for id, is_judged in zip(every, chosen, strict=True) if is_judged]
    if len(judged) < _LEAST_DOCUMENTS or len(judged) == len(every):
        return None
    of_people = np.array([[each[id] for id in judged] for each in said])
    of_metric = np.array([[each[id] for id in every] for each in measured])
    given = np.array([weights.get(id, 1.0) for id in judged])
    return Halves(
        tuple(row.system for row in rows),
        chosen,
        of_people[..., 0],
        of_people[..., 1],
        of_metric[..., 0],
        of_metric[..., 1],
        given,
    )


def _people_sums(row: SystemScore, weights: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Sum and number of people's scores in each judged document, weights taken out again."""
    found = {}
    for each in row.documents:
        if each.measurement.scored:
            total, count = each.measurement.statistics / weights.get(each.document, 1.0)
            found[each.document] = (float(total), float(count))
    return found


def _metric_sums(row: SystemScore) -> dict[str, tuple[float, float]]:
    """A document's score as often as it has segments: what segments' scores come to, too."""
    return {
        each.document: (_mean(each) * each.measurement.total, float(each.measurement.total))
        for each in row.documents
        if each.score is not None or any(s is not None for s in each.segment_scores)
    }


def _mean(document: DocumentScore) -> float:
    there = [score for score in document.segment_scores if score is not None]
    return float(np.mean(there)) if there else float(document.score or 0.0)
