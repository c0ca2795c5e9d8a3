"""Segments as rows for a metric that is computed elsewhere, and its answers as measurements."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.documents import Translation
from isogloss.scores import Measurement
from isogloss.spans import SOURCE, Evidence, Span, output_side, reference_side

Choice = Literal["best", "mean"]


@dataclass(frozen=True, slots=True)
class AskedRow:
    """One segment of one system, against one reference (or none)."""

    translation: Translation
    segment: int
    output: str
    source: str
    reference: str | None = None  # its name

    @property
    def reference_text(self) -> str | None:
        if self.reference is None:
            return None
        return self.translation.document.references[self.reference][self.segment]

    def texts(self) -> dict[str, str]:
        """What an adapter is sent; what there is not is left out."""
        known = {"source": self.source, "output": self.output, "reference": self.reference_text}
        return {side: text for side, text in known.items() if text is not None}


@dataclass(frozen=True, slots=True)
class AnsweredMark:
    """A place that an answer points at: characters of one side, a reason, what it weighs."""

    start: int
    end: int
    reason: str
    value: float | None = None
    side: str = "output"


@dataclass(frozen=True, slots=True)
class RowAnswer:
    """What came back for a row; without a score, the remark says why."""

    score: float | None
    marks: tuple[AnsweredMark, ...] = ()
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A row with its answer."""

    row: AskedRow
    answer: RowAnswer


def rows_of(translation: Translation, *, by_reference: bool) -> Iterator[AskedRow]:
    """The rows of a document: one a segment, or one for every reference of it.

    A segment that the system lacks has none, nor one without the reference that is asked for.
    """
    document = translation.document
    for segment, output in enumerate(translation.output):
        if output is None:
            continue
        bare = AskedRow(translation, segment, output, document.source[segment])
        if not by_reference:
            yield bare
            continue
        for name, lines in document.references.items():
            if lines[segment] is not None:
                yield AskedRow(translation, segment, output, document.source[segment], name)


def measurement(
    translation: Translation,
    answered: Sequence[Answered],
    choice: Choice = "best",
    *,
    higher_is_better: bool = True,
) -> Measurement:
    """The mean of the segments' scores; of several references the best counts, or their mean."""
    values = np.full((len(translation.document), 2), np.nan)
    evidence: list[Evidence] = []
    remarks: Counter[str] = Counter()
    for segment, group in _by_segment(answered).items():
        told = {each.answer.remark for each in group if each.answer.remark}
        remarks.update(told)
        scored = [each for each in group if each.answer.score is not None]
        if scored:
            value, counted = _chosen(scored, choice, higher_is_better)
            values[segment] = value, 1
            evidence += [e for each in counted for e in _evidence(each)]
    return Measurement.of_segments(values, values[:, 0], evidence, remarks)


def _by_segment(answered: Iterable[Answered]) -> Mapping[int, list[Answered]]:
    groups: dict[int, list[Answered]] = {}
    for each in answered:
        groups.setdefault(each.row.segment, []).append(each)
    return groups


def _chosen(
    scored: Sequence[Answered], choice: Choice, higher_is_better: bool
) -> tuple[float, Sequence[Answered]]:
    scores = [each.answer.score for each in scored if each.answer.score is not None]
    if choice == "mean":
        return float(np.mean(scores)), scored
    best = int(np.argmax(scores) if higher_is_better else np.argmin(scores))
    return scores[best], [scored[best]]


def _evidence(answered: Answered) -> Iterator[Evidence]:
    row = answered.row
    sides = {"output": output_side(row.translation.system), "source": SOURCE}
    lengths = {"output": len(row.output), "source": len(row.source)}
    if row.reference is not None and row.reference_text is not None:
        sides["reference"] = reference_side(row.reference)
        lengths["reference"] = len(row.reference_text)
    for mark in answered.answer.marks:
        if mark.side in sides and 0 <= mark.start < mark.end <= lengths[mark.side]:
            document = row.translation.document.id
            place = Span(document, sides[mark.side], row.segment, mark.start, mark.end)
            yield Evidence(mark.reason, (place,), mark.value)
