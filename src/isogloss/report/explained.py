"""Why systems differ: which pairs the report takes apart, and what it holds of each.

To take all pairs of many systems apart takes long and makes a large file. Readers ask of
neighbours in the ranking and of the leader, so these come first, as far as a budget goes. The
budget counts work, not seconds: the same data make the same report on any machine.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from isogloss.comparison import Appraiser, Comparison
from isogloss.documents import Collection
from isogloss.errors import IsoglossError
from isogloss.explanation import (
    Explainer,
    Explanation,
    MeasuredNumber,
    Sheet,
    WordMark,
    passage_facts,
    sheets,
)
from isogloss.judgements import Judgements
from isogloss.report.data import (
    ExplainedClause,
    ExplainedMetric,
    ExplainedPair,
    ExplainedPassage,
    ExplainedRow,
    ExplainedTable,
    ExplanationPart,
    Packed,
    packed,
)
from isogloss.scores import ScoreTable

Choice = Literal["none", "some", "all"]

_BUDGET = 8.0  # about as many seconds of a slow core
_READING = 1.5e-6  # of a character of one system, once
_PER_METRIC = 0.03, 2e-4  # of a pair under a metric, and of each document in it


@dataclass(frozen=True, slots=True)
class ExplainedDifferences:
    """The pairs that were taken apart, their parts, and what is said of all others."""

    pairs: tuple[ExplainedPair, ...] = ()
    parts: tuple[ExplanationPart, ...] = ()
    missing: str | None = None


def explained_differences(
    collection: Collection,
    table: ScoreTable,
    comparisons: Sequence[Comparison],
    judgements: Judgements | None,
    order: Sequence[str],
    choice: Choice,
    appraiser: Appraiser | None = None,
) -> ExplainedDifferences:
    """Take pairs of the systems apart; `order` has them best first."""
    if choice == "none" or len(order) < 2:
        return ExplainedDifferences(missing=_NONE if choice == "none" else None)
    settings = replace(comparisons[0].settings, blocks="documents")
    given = (table,), table.systems, collection, judgements, settings, comparisons, appraiser
    chosen = chosen_pairs(order, collection, len(comparisons) + (judgements is not None), choice)
    try:
        return _taken_apart(Explainer(*given), chosen, collection, order, table)
    except IsoglossError as error:  # such as a language whose words cannot be told here
        return ExplainedDifferences(missing=f"Nothing was taken apart: {error}.")


_NONE = "Nothing was taken apart when this report was made (--explain none)."
_SOME = (
    "When this report was made, neighbours in the ranking and the best system against others "
    "were taken apart, not all pairs (--explain all)."
)


def chosen_pairs(
    order: Sequence[str], collection: Collection, metrics: int, choice: Choice
) -> list[tuple[str, str]]:
    """The pairs to take apart, the better system first: all, or as many as the budget allows."""
    wanted = list(combinations(order, 2)) if choice == "all" else list(_telling(order))
    documents = collection.testset.documents
    reading = _READING * sum(len(text) for document in documents for text in document.source)
    taking_apart = metrics * (_PER_METRIC[0] + _PER_METRIC[1] * len(documents))
    left, read, pairs = _BUDGET, set[str](), list[tuple[str, str]]()
    for pair in wanted:
        left -= taking_apart + reading * len(set(pair) - read)
        read |= set(pair)
        if left < 0 and pairs and choice == "some":
            break
        pairs.append(pair)
    return pairs


def _telling(order: Sequence[str]) -> Iterable[tuple[str, str]]:
    """From the top down: each against the one before it, and against the best."""
    asked = (
        pair
        for place in range(1, len(order))
        for pair in ((order[place - 1], order[place]), (order[0], order[place]))
    )
    return dict.fromkeys(asked)


def _taken_apart(
    explainer: Explainer,
    chosen: Sequence[tuple[str, str]],
    collection: Collection,
    order: Sequence[str],
    table: ScoreTable,
) -> ExplainedDifferences:
    number = {name: i for i, name in enumerate(table.systems)}
    documents = {document.id: i for i, document in enumerate(collection.testset.documents)}
    pairs, parts = [], []
    for first, second in chosen:
        pair = explainer.pair(first, second)
        if pair.metrics:
            found = [pair.explain(name) for name in pair.metrics]
            parts.append(ExplanationPart(tuple(_metric(each, documents) for each in found)))
            pairs.append((number[first], number[second], pair.metrics))
    names = _metric_positions(table, explainer.judgements)
    return ExplainedDifferences(
        tuple(
            ExplainedPair(first, second, tuple(names[metric] for metric in metrics))
            for first, second, metrics in pairs
        ),
        tuple(parts),
        _SOME if len(chosen) < len(order) * (len(order) - 1) // 2 else None,
    )


def _metric_positions(table: ScoreTable, judgements: Judgements | None) -> dict[str, int]:
    """Where metrics stand in the overview: people first."""
    people = [judgements.kind] if judgements else []
    names = [*people, *(metric.name for metric in table.metrics)]
    return {name: position for position, name in enumerate(names)}


def _metric(found: Explanation, documents: Mapping[str, int]) -> ExplainedMetric:
    tables = tuple(_table(found, sheet) for sheet in sheets(found))
    known = {table.name for table in tables} | ({"passages"} if found.found.passages else set())
    return ExplainedMetric(
        tuple(
            ExplainedClause(clause.text, tuple(name for name in clause.sections if name in known))
            for clause in found.clauses
        ),
        found.found.notes,
        tables,
        tuple(
            ExplainedPassage(
                documents[passage.document],
                passage.segment,
                tuple(passage_facts(found, passage)),
                _marks(passage.first_marks),
                _marks(passage.second_marks),
            )
            for passage in found.found.passages
        ),
    )


def _table(found: Explanation, sheet: Sheet) -> ExplainedTable:
    measured = tuple(None if each is None else _row(found, each) for each in sheet.measured)
    return ExplainedTable(
        sheet.name,
        sheet.title,
        sheet.headings,
        sheet.rows,
        sheet.notes,
        tuple(sorted(sheet.numeric)),
        measured,
    )


def _row(found: Explanation, measured: MeasuredNumber) -> ExplainedRow:
    low, high = measured.interval or (None, None)
    return ExplainedRow(
        _drawn(measured.value),
        None if low is None else _drawn(low),
        None if high is None else _drawn(high),
        found.holds(measured),
    )


def _drawn(value: float) -> float:
    """As exact as a drawing can be; the row has the number as it is read."""
    return float(f"{value:.3g}")


def _marks(marks: Sequence[WordMark]) -> Packed:
    return packed(_steps(marks))


def _steps(marks: Sequence[WordMark]) -> Iterator[int]:
    at = 0
    for mark in marks:
        yield from (mark.start - at, mark.end - mark.start, int(mark.right))
        at = mark.end
