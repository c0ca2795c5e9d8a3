"""What stands behind scores: evidence, word links and marked errors as layers; what people said."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass

from isogloss.alignment import Aligner, SegmentAlignment
from isogloss.comparison import Comparison, ComparisonSettings, compare
from isogloss.documents import Collection
from isogloss.judgements import NO_ERROR, Judgements
from isogloss.language import Token, tokeniser
from isogloss.metaeval import (
    Column,
    Differences,
    JudgingSettings,
    Level,
    Study,
    judge,
    study_of,
    task_for,
)
from isogloss.report.data import (
    AgreementFinding,
    AgreementTest,
    EvidenceLayer,
    LayerPart,
    MetricPreferences,
    Packed,
    People,
    PreferenceBin,
    StatisticColumn,
    packed,
    packed_scores,
    packed_signed,
)
from isogloss.scores import ScoreTable
from isogloss.spans import SOURCE, Evidence, Span, output_side, reference_side
from isogloss.wholes import Cut

Found = Mapping[tuple[str, str], Sequence[Evidence]]
"""(system, document) to the evidence there."""

_DENSE = 20  # pieces of evidence in a translated document; more than that and digits cost space


@dataclass(frozen=True, slots=True)
class LayerSource:
    """A layer with the evidence that it shows."""

    layer: EvidenceLayer
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


def _layer(name: str, found: Found, *, people: bool) -> EvidenceLayer:
    everything = [evidence for group in found.values() for evidence in group]
    reasons = tuple(dict.fromkeys(evidence.reason for evidence in everything))
    # Heat shows log-probabilities, of which none is above 0.
    heat = len(reasons) == 1 and all(
        len(evidence.spans) == 1 and evidence.value is not None and evidence.value <= 0
        for evidence in everything
    )
    dense = len(everything) > _DENSE * len(found)
    return EvidenceLayer(name, "heat" if heat else "marks", people, reasons, 1 if dense else 3)


class SideNumbers:
    """The sides of a document by position: source, references, systems."""

    def __init__(self, references: Iterable[str], systems: Iterable[str]) -> None:
        self.systems = list(systems)
        names = [SOURCE, *map(reference_side, references), *map(output_side, self.systems)]
        self._position = {name: position for position, name in enumerate(names)}

    def __contains__(self, side: str) -> bool:
        return side in self._position

    def __getitem__(self, side: str) -> int:
        return self._position[side]


def layer_part(
    number: int, source: LayerSource, document: str, sides: SideNumbers
) -> LayerPart | None:
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


def segment_begins(cut: Cut | None) -> Packed | None:
    """Where the segments of a document begin in the text that was handed in."""
    return None if cut is None else packed_signed(_steps(start for start, _ in cut.shown))


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


_REASON = "aligned"


def alignment_layer(collection: Collection, aligner: Aligner) -> Iterator[LayerSource]:
    """The links between the source and every output; nothing where no word is linked."""
    testset = collection.testset
    of_source = tokeniser(testset.source_language)
    of_output = tokeniser(testset.target_language)
    words = {
        document.id: [of_source.tokenise(text) for text in document.source]
        for document in testset.documents
    }
    # All systems at once: a statistical aligner learns from everything that it aligns.
    places = [
        (output.name, id, segment, of_output.tokenise(text))
        for output in collection.outputs
        for id, segments in output.documents.items()
        for segment, text in enumerate(segments)
        if text is not None
    ]
    pairs = [
        ([token.text for token in words[id][segment]], [token.text for token in tokens])
        for _, id, segment, tokens in places
    ]
    found: dict[tuple[str, str], list[Evidence]] = {}
    for (system, id, segment, tokens), links in zip(places, aligner.align(pairs), strict=True):
        evidence = _evidence(id, system, segment, words[id][segment], tokens, links)
        found.setdefault((system, id), []).extend(evidence)
    if any(found.values()):
        yield LayerSource(EvidenceLayer("alignment", "links", False, (_REASON,), 0), found)


def _evidence(
    document: str,
    system: str,
    segment: int,
    source: Sequence[Token],
    output: Sequence[Token],
    alignment: SegmentAlignment,
) -> Iterator[Evidence]:
    """Every linked source word with the words that translate it."""
    for word, targets in alignment.targets().items():
        spans = [Span(document, SOURCE, segment, source[word].start, source[word].end)]
        spans += [
            Span(document, output_side(system), segment, output[t].start, output[t].end)
            for t in targets
        ]
        yield Evidence(_REASON, tuple(spans))


_PREFERENCE_LEVELS: tuple[Level, ...] = ("segment", "document")


def people_compared(table: ScoreTable, settings: ComparisonSettings) -> Comparison:
    """The systems by what people said of them."""
    (comparison,) = compare(table, settings=settings)
    return comparison


def people_of(judgements: Judgements, table: ScoreTable, collection: Collection) -> People:
    """The metrics' agreement with people: every statistic of the overview, and preferences."""
    study = study_of([table], judgements, collection)
    judged = judge([study], task_for([judgements]), JudgingSettings())
    settings = judged.settings
    return People(
        kind=judgements.kind,
        annotators=len(judgements.annotators),
        task=judged.task.description,
        settings=f"{settings.confidence:.0%} intervals, studentised bootstrap of "
        f"documents; {settings.draws:,} permutations of documents, p ≤ {settings.alpha:g}",
        averages=tuple(
            AgreementFinding(name, *astuple(judged.standing[name])) for name in judged.metrics
        ),
        columns=tuple(map(_column, judged.columns)),
        preferences=tuple(_preferences(study)),
    )


def _column(column: Column) -> StatisticColumn:
    baselines = (finding.baseline for finding in column.findings if finding.baseline is not None)
    tests = column.significance.tests.values() if column.significance else ()
    return StatisticColumn(
        statistic=str(column.statistic),
        level=column.statistic.level,
        baseline=next(baselines, None),
        findings=tuple(
            AgreementFinding(f.metric, f.value, f.interval.low, f.interval.high, f.rank)
            for f in column.findings
        ),
        tests=tuple(AgreementTest(test.first, test.second, test.p) for test in tests),
    )


def _preferences(study: Study) -> Iterator[MetricPreferences]:
    of_documents = study.judged_level == "document"
    for level in _PREFERENCE_LEVELS[of_documents:]:
        matched = study.at(level)
        for metric in matched.metrics:
            bins = Differences.of(matched, metric).bins()
            shown = tuple(
                PreferenceBin(b.low, b.high, b.pairs, b.same, b.tied, b.opposite) for b in bins
            )
            if shown:
                yield MetricPreferences(metric, level, shown)
