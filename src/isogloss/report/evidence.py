"""Evidence as layers of highlights: what metrics found, and the errors that people marked."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from isogloss.judgements import NO_ERROR, Judgements
from isogloss.report.model import Layer, LayerPart
from isogloss.report.packing import packed, packed_scores, packed_signed
from isogloss.scores import ScoreTable
from isogloss.spans import SOURCE, Evidence, Span, output_side, reference_side

Found = Mapping[tuple[str, str], Sequence[Evidence]]
"""(system, document) to the evidence there."""

_DENSE = 20  # pieces of evidence in a translated document; more than that and digits cost space


@dataclass(frozen=True, slots=True)
class LayerSource:
    """A layer with the evidence that it shows."""

    layer: Layer
    found: Found


def metric_layers(table: ScoreTable) -> Iterator[LayerSource]:
    """A layer for each metric that gave evidence."""
    for metric in table.metrics:
        found = {
            (row.system, document.document): document.measurement.evidence
            for row in table.of_metric(metric.name)
            for document in row.documents
            if document.measurement.evidence
        }
        if found:
            yield LayerSource(_layer(metric.name, found, people=False), found)


def error_layer(judgements: Judgements) -> Iterator[LayerSource]:
    """The errors that people marked, if they did: severity and category are the reason."""
    found: dict[tuple[str, str], list[Evidence]] = {}
    for item in judgements.items:
        for error in item.errors:
            if error.span and item.document and error.severity.lower() not in NO_ERROR:
                reason = f"{error.severity}: {error.category}"
                evidence = Evidence(reason, (error.span,))
                found.setdefault((item.system, item.document), []).append(evidence)
    if found:
        yield LayerSource(_layer(judgements.kind, found, people=True), found)


def _layer(name: str, found: Found, *, people: bool) -> Layer:
    everything = [evidence for group in found.values() for evidence in group]
    reasons = tuple(dict.fromkeys(evidence.reason for evidence in everything))
    heat = len(reasons) == 1 and all(
        len(evidence.spans) == 1 and evidence.value is not None for evidence in everything
    )
    dense = len(everything) > _DENSE * len(found)
    return Layer(name, "heat" if heat else "marks", people, reasons, 1 if dense else 3)


class Sides:
    """The sides of a document by position: source, references, systems."""

    def __init__(self, references: Iterable[str], systems: Iterable[str]) -> None:
        self.systems = list(systems)
        names = [SOURCE, *map(reference_side, references), *map(output_side, self.systems)]
        self._position = {name: position for position, name in enumerate(names)}

    def __contains__(self, side: str) -> bool:
        return side in self._position

    def __getitem__(self, side: str) -> int:
        return self._position[side]


def layer_part(number: int, source: LayerSource, document: str, sides: Sides) -> LayerPart | None:
    """The layer's evidence in one document; `None` if there is none."""
    reason_number = {reason: i for i, reason in enumerate(source.layer.reasons)}
    rows = [
        (system, evidence, spans)
        for system, name in enumerate(sides.systems)
        for evidence in source.found.get((name, document), ())
        if (spans := [span for span in evidence.spans if span.side in sides])
    ]
    if not rows:
        return None
    spans = [span for _, _, group in rows for span in group]
    return LayerPart(
        layer=number,
        system=packed(_steps(system for system, _, _ in rows)),
        reason=packed(reason_number[evidence.reason] for _, evidence, _ in rows),
        value=packed_scores((evidence.value for _, evidence, _ in rows), source.layer.digits),
        spans=packed(len(group) for _, _, group in rows),
        side=packed_signed(_steps(sides[span.side] for span in spans)),
        segment=packed_signed(_steps(span.segment for span in spans)),
        start=packed_signed(_starts(spans)),
        length=packed(span.end - span.start for span in spans),
    )


def _steps(numbers: Iterable[int]) -> Iterator[int]:
    before = 0
    for number in numbers:
        yield number - before
        before = number


def _starts(spans: Iterable[Span]) -> Iterator[int]:
    """Each start as the distance from the end of the span before, within one text."""
    place, end = ("", -1), 0
    for span in spans:
        yield span.start - (end if (span.side, span.segment) == place else 0)
        place, end = (span.side, span.segment), span.end
