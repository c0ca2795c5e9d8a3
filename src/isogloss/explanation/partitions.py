"""Ways to divide a text into parts: by domain, by length, by place in the document, by kind."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Mask
from isogloss.comparison import ComparisonSettings
from isogloss.explanation.attribution import Attribution
from isogloss.explanation.result import (
    DifferencePart,
    DocumentDifference,
    DocumentsFound,
    MeasuredNumber,
    View,
    ViewName,
)
from isogloss.scores import DocumentScore

_BINS = 4


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the units of an attribution stand: which document, and which segment of it.

    `segment` is `None` where units are whole documents.
    """

    documents: Sequence[DocumentScore]
    document: NDArray[np.intp]
    segment: NDArray[np.intp] | None

    @classmethod
    def of(cls, attribution: Attribution, documents: Sequence[DocumentScore]) -> "Layout":
        """Of the units that both systems were scored on."""
        lengths = [document.measurement.total for document in documents]
        if all(d.measurement.segment_statistics is not None for d in documents):
            starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
            segment = attribution.unit - starts[attribution.document]
            return cls(documents, attribution.document, segment)
        return cls(documents, attribution.document, None)

    def domains(self) -> list[str] | None:
        """The domain of each unit, if there are several."""
        names = [document.domain or "none" for document in self.documents]
        return [names[each] for each in self.document] if len(set(names)) > 1 else None

    def positions(self) -> list[str] | None:
        """Whether each segment begins its document, ends it, or stands between."""
        if self.segment is None:
            return None
        return [
            _position(int(segment), self.documents[document].measurement.total)
            for document, segment in zip(self.document, self.segment, strict=True)
        ]


def _position(segment: int, total: int) -> str:
    if total == 1:
        return "only one"
    return "first" if segment == 0 else "last" if segment == total - 1 else "middle"


POSITIONS = ("first", "middle", "last", "only one")


def length_bins(lengths: Sequence[int]) -> tuple[list[str], list[str]]:
    """The bin of each length, and the names of the bins: quarters, but for equal lengths."""
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, _BINS + 1)[1:-1], method="lower"))
    bins = np.searchsorted(edges, lengths, side="left")
    names = []
    for number in range(len(edges) + 1):
        own = [length for length, at in zip(lengths, bins, strict=True) if at == number]
        low, high = min(own, default=0), max(own, default=0)
        names.append(f"{low} words" if low == high else f"{low}–{high} words")
    return [names[at] for at in bins], list(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class Partition:
    """A way to divide the units: the label of each, and the labels in their order."""

    name: ViewName
    labels: Sequence[str]
    order: Sequence[str]


def views(
    divisions: Sequence[Partition], attribution: Attribution, settings: ComparisonSettings
) -> tuple[View, ...]:
    """The parts of the text in each division, those that are there; all are measured together."""
    named = [
        (division, name, members)
        for division in divisions
        for labels in [np.array(division.labels)]
        for name in division.order
        for members in [labels == name]
        if members.any()
    ]
    measured = zip(*attribution.measured([members for *_, members in named], settings), strict=True)
    parts: dict[ViewName, list[DifferencePart]] = {division.name: [] for division in divisions}
    for (division, name, members), (carries, beyond) in zip(named, measured, strict=True):
        parts[division.name].append(_part(name, members, attribution, carries, beyond))
    return tuple(View(name, tuple(own)) for name, own in parts.items())


def _part(
    name: str,
    members: Mask,
    attribution: Attribution,
    carries: MeasuredNumber,
    beyond: MeasuredNumber,
) -> DifferencePart:
    first, second = attribution.scores_within(members)
    return DifferencePart(
        name,
        int(members.sum()),
        len(np.unique(attribution.document[members])),
        float(attribution.weights[members].sum()),
        first,
        second,
        carries,
        beyond,
    )


def by_document(
    attribution: Attribution, documents: Sequence[DocumentScore], higher_is_better: bool
) -> DocumentsFound:
    """What every document carries, and how many it takes to turn the difference."""
    sign = 1.0 if higher_is_better else -1.0
    parts = []
    for number, carries, first, second in attribution.by_document():
        own = documents[number]
        part = DocumentDifference(
            own.document, own.domain, own.measurement.total, first, second, carries
        )
        parts.append((sign * carries, number, part))
    parts.sort(key=lambda part: -part[0])
    return DocumentsFound(
        tuple(part for _, _, part in parts),
        sum(value > 0 for value, _, _ in parts),
        sum(value < 0 for value, _, _ in parts),
        _turning(attribution, [number for _, number, _ in parts], sign),
    )


def _turning(attribution: Attribution, ranked: Sequence[int], sign: float) -> int | None:
    """How many of the leader's best documents it takes to be left out until it leads no more.

    `None` where it leads in whatever is left, or nowhere.
    """
    ahead = sign * attribution.difference
    if not ahead:
        return None
    best = list(ranked) if ahead > 0 else list(reversed(ranked))

    def leads_without(count: int) -> bool:
        return bool(sign * attribution.without(best[:count]) * np.sign(ahead) > 0)

    low, high = 1, len(best) - 1
    if high < 1 or leads_without(high):
        return None
    while low < high:  # the lead shrinks with each that goes
        middle = (low + high) // 2
        low, high = (middle + 1, high) if leads_without(middle) else (low, middle)
    return low
