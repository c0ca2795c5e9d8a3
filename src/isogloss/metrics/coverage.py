"""``coverage``: how much of the source is rendered, and how much of the output comes from it.

Words of the source that the output leaves out are not rendered; words that were added, or said
again, are not grounded. What stands elsewhere than in the source is both: it is shown, and costs
nothing. The statistics are counts of words, so that they add up, and long omissions weigh more.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation
from isogloss.errors import NotApplicableError
from isogloss.formula import Bounds
from isogloss.language import Token, Tokeniser, tokeniser
from isogloss.metrics.protocol import ConfiguredMetric
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.segmentation import Segmenter, segmenter, sentence_places
from isogloss.signature import Signature
from isogloss.spans import SOURCE, Evidence, Span, output_side
from isogloss.wholes import Cut, Disparity, Kind, Place

_UNGROUNDED = (Kind.ADDED, Kind.REPEATED)
_NOT_SCORED = (np.nan,) * 4


@dataclass(frozen=True)
class Coverage(ConfiguredMetric):
    """The shares of the source that is rendered and of the output that is grounded, 0 to 100.

    `side` is the share that counts: the ``source``'s, the ``output``'s, or ``both``, of which the
    score is the harmonic mean.
    """

    title: ClassVar[str] = "coverage"
    bounds: ClassVar[Bounds] = (0.0, 100.0)
    needs_references: ClassVar[bool] = False
    needs_source: ClassVar[bool] = True
    uses_all_cores: ClassVar[bool] = True

    side: Literal["both", "source", "output"] = "both"
    runtime: Runtime = field(default=Runtime(), compare=False, repr=False)

    def with_runtime(self, runtime: Runtime) -> "Coverage":
        """The same metric, its model run so."""
        return replace(self, runtime=runtime)

    def signature(self, testset: TestSet) -> Signature:
        """The metric's name, what finds the disparities, and what the words are."""
        languages = testset.source_language, testset.target_language
        return Signature(
            self.name,
            (
                ("langs", "-".join(language or "?" for language in languages)),
                ("found", self._finder(*languages).name),
                ("words", "+".join(tokeniser(language).name for language in languages)),
                ("version", "1"),
            ),
        )

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Count the words of each document, and those that lack a partner."""
        for translation in translations:
            if all(line is None for line in translation.output):
                yield _measurement(self, [_NOT_SCORED] * len(translation.output))
            else:
                yield self._measured(translation, self._cut(translation))

    def _measured(self, translation: Translation, cut: Cut) -> Measurement:
        source = _Words(translation.document.source, tokeniser(translation.source_language))
        output = _Words(translation.output, tokeniser(translation.target_language))
        evidence = tuple(
            _evidence(kind, spans, source, output) for kind, spans in _findings(translation, cut)
        )
        rows = [
            _NOT_SCORED if line is None else (*source.counts(segment), *output.counts(segment))
            for segment, line in enumerate(translation.output)
        ]
        return _measurement(self, rows, evidence)

    def _cut(self, translation: Translation) -> Cut:
        """The cut, if disparities were looked for in it; else that of the segments given."""
        if translation.cut is not None and translation.cut.disparities is not None:
            return translation.cut
        finder = self._finder(translation.source_language, translation.target_language)
        # Reading takes most of the time, and references would be read for nothing.
        return finder.examined(replace(translation.document, references={}), translation.output)

    def _finder(self, source_language: str | None, target_language: str | None) -> Segmenter:
        if source_language is None or target_language is None:
            # Words of unknown languages can only be compared by their letters, which tell nothing.
            both = ("source_language", "target_language")
            raise NotApplicableError("coverage needs to know both languages", lacking=both)
        return segmenter(source_language, target_language, runtime=self.runtime)

    def score_rows(self, statistics: Floats) -> Floats:
        """The share of a side, or the harmonic mean of both.

        Where a side has no words, as an output that is empty, the other one tells all.
        """
        words, missing = statistics[:, 0::2], statistics[:, 1::2]
        undefined = np.full_like(words, np.nan)
        shares = 1 - np.divide(missing, words, out=undefined, where=words > 0)
        if self.side != "both":
            return 100 * shares[:, 0 if self.side == "source" else 1]
        source, output = shares[:, 0], shares[:, 1]
        one: Floats = np.fmax(source, output)
        other: Floats = np.fmin(source, output)
        total = one + other
        return 100 * np.divide(2 * one * other, total, out=total.copy(), where=total > 0)


def _measurement(
    metric: Coverage, rows: Sequence[Sequence[float]], evidence: tuple[Evidence, ...] = ()
) -> Measurement:
    statistics = np.array(rows, dtype=np.float64)
    return Measurement.of_segments(statistics, metric.score_rows(statistics), evidence)


class _Words:
    """The words of one side of a document by segment, and those of them that lack a partner."""

    def __init__(self, texts: Sequence[str | None], words: Tokeniser) -> None:
        self.all = [words.tokenise(text or "") for text in texts]
        self.lacking: list[set[Token]] = [set() for _ in texts]

    def within(self, span: Span) -> set[Token]:
        """The words of which the span has something."""
        words = self.all[span.segment]
        return {word for word in words if word.start < span.end and span.start < word.end}

    def counts(self, segment: int) -> tuple[int, int]:
        """How many words there are, and how many lack a partner."""
        return len(self.all[segment]), len(self.lacking[segment])


def _evidence(kind: Kind, spans: tuple[Span, ...], source: _Words, output: _Words) -> Evidence:
    """A finding as evidence that weighs as many words as it has; those without a partner count."""
    side = source if kind is Kind.OMITTED else output
    own = [span for span in spans if (span.side == SOURCE) is (side is source)]
    weight = 0
    for span in own:
        words = side.within(span)
        weight += len(words)
        if kind is not Kind.MOVED:
            side.lacking[span.segment] |= words
    return Evidence(kind.value, spans, float(weight))


def _findings(translation: Translation, cut: Cut) -> Iterator[tuple[Kind, tuple[Span, ...]]]:
    """Each disparity with its places, in the order of the source; none about absent segments."""
    found = cut.disparities or ()
    for disparity in sorted((*found, *_unsaid(translation, found)), key=lambda each: each.segment):
        spans = tuple(_places(translation, cut, disparity))
        if translation.output[disparity.segment] is not None and spans:
            yield disparity.kind, spans


def _unsaid(translation: Translation, found: Iterable[Disparity]) -> Iterator[Disparity]:
    """Segments with an empty output of which nothing tells where they went."""
    told = {each.segment for each in found if each.kind in (Kind.OMITTED, Kind.MOVED)}
    pairs = zip(translation.document.source, translation.output, strict=True)
    for segment, (source, output) in enumerate(pairs):
        if segment not in told and source.strip() and output is not None and not output.strip():
            yield Disparity(Kind.OMITTED, segment, source=(0, len(source)))


def _places(translation: Translation, cut: Cut, disparity: Disparity) -> Iterator[Span]:
    """Where text stands; then, as an empty span of the output, where it does not."""
    document, side = translation.document.id, output_side(translation.system)
    if disparity.kind not in _UNGROUNDED:
        yield Span(document, SOURCE, disparity.segment, *_source_place(translation, disparity))
    for segment, start, end in cut.within(disparity.output) if disparity.output else ():
        # A cut shows segments without the space around them, which those that were given may have.
        line = translation.output[segment] or ""
        lead = len(line) - len(line.lstrip())
        yield Span(document, side, segment, start + lead, end + lead)
    own = (translation.output[disparity.segment] or "").rstrip()
    if disparity.kind is Kind.OMITTED or (disparity.kind is Kind.MOVED and not own):
        gap = _gap(own, translation, disparity)
        yield Span(document, side, disparity.segment, gap, gap)


def _source_place(translation: Translation, disparity: Disparity) -> Place:
    return disparity.source or (0, len(translation.document.source[disparity.segment]))


def _gap(line: str, translation: Translation, disparity: Disparity) -> int:
    """About where in its segment the text is missing: between the sentences that share its place.

    Nobody can say for sure, but a reader wants to see that something is missing, and whereabouts.
    """
    start, end = _source_place(translation, disparity)
    rest = len(translation.document.source[disparity.segment]) - (end - start)
    likely = len(line) * start / rest if rest else 0
    ends = (end for _, end in sentence_places(line, translation.target_language))
    return min((0, *ends), key=lambda edge: abs(edge - likely))
