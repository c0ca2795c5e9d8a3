"""Prism (Thompson & Post 2020): the probability of a translation as its score.

`prism` conditions on the reference, ``½ H(output | reference) + ½ H(reference | output)``;
`prism-src` on the source, ``H(output | source)``, or the source on the output, or both (section 4
of the paper tries all three and takes the first); `lm` on nothing. H is the mean natural
log-probability of the pieces and the end mark.

With ``context=N`` every segment is conditioned on the N segments before it in its document, on
both sides; only the current segment counts. ``context_from`` says whose words stand for the
context on a side in the target language: that side's ``own``, the ``reference``'s on both sides
(as Doc-Prism, Vernikos et al. 2022), or, for `prism-src`, nobody's (``source``: there is context
on the source side alone). A side in the source language always continues the source.
"""

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, tee
from typing import ClassVar, Literal, Self

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import Document, Segments, TestSet, Translation
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.metrics.model_metric import ModelMetric
from isogloss.metrics.protocol import Division
from isogloss.model import DEFAULT_MODEL, ModelCard, Pair, Paraphraser, TokenScores
from isogloss.scores import Measurement
from isogloss.spans import Evidence, Span, output_side

_MOST_SURPRISING = 5  # pieces of a document that are kept as evidence


@dataclass(frozen=True, slots=True)
class Ask:
    """What a metric asks about one segment, against one reference (or none).

    `directions` are averaged into the score; `own`, where the score is taken relative to the
    reference's own, is subtracted. The first direction's target is the output, unless no direction
    has it as its target.
    """

    segment: int
    directions: tuple[Pair, ...]
    own: tuple[Pair, ...] = ()
    reads_output: bool = True

    @property
    def pairs(self) -> tuple[Pair, ...]:
        return self.directions + self.own


@dataclass(frozen=True)
class ProbabilityMetric(ModelMetric):
    """Probabilities of segments, averaged over segments, tokens or documents.

    ``temperature`` divides the model's logits before they become probabilities; above 1 they
    are more even. ``norm`` is the mean log-probability of a piece (H) or their sum (G). ``scale``
    shows the number as it is (``log``), as a probability per piece (``exp``), or relative to what
    the reference would get in the output's place (``self``: 1 is as good as the reference).
    ``average`` weighs segments equally (as Prism does), by their tokens (``tokens``), or
    documents equally. ``long`` is the policy for texts longer than the model allows; whatever it
    does is remarked.
    """

    division: ClassVar[Division] = Division.PAIRS

    temperature: float = 1.0
    norm: Literal["mean", "sum"] = "mean"
    scale: Literal["log", "exp", "self"] = "log"
    average: Literal["segments", "tokens", "documents"] = "segments"
    context: int = 0
    long: Literal["split", "truncate-context", "error"] = "split"
    evidence: Literal["none", "surprising", "all"] = field(
        default="surprising", compare=False, repr=False
    )

    def with_all_evidence(self) -> Self:
        """The same metric, which shows everything it finds."""
        return replace(self, evidence="all")

    @property
    def directions(self) -> int:
        """How many pairs of an ask are averaged into the score."""
        return 1

    def __post_init__(self) -> None:
        if not 0 < self.temperature < math.inf:
            raise MetricOptionError(
                f"{self.title}(temperature=...) takes a number above 0, not {self.temperature}"
            )
        if self.context < 0:
            raise MetricOptionError(
                f"{self.title}(context=...) takes 0 or more, not {self.context}"
            )
        if self.norm != "mean" and self.average == "tokens":
            raise MetricOptionError(
                f"{self.title}: norm={self.norm} is not divided by tokens; use average=segments"
            )

    def paraphraser(self) -> Paraphraser:
        """The model at the metric's temperature."""
        return self.paraphraser_at(self.temperature)

    @abstractmethod
    def asks(self, translation: Translation) -> Iterator[Ask]:
        """The questions about one translated document; none about what is absent."""

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Ask the model about all translations in one stream, and sum up document by document."""
        planned = ((translation, list(self.asks(translation))) for translation in translations)
        ahead, behind = tee(planned)  # keeps only what lies between asking and answering
        pairs = (pair for _, asks in ahead for ask in asks for pair in ask.pairs)
        answers = self.paraphraser().score(pairs, long=self.long)
        for translation, asks in behind:
            answered = [Answer(ask, tuple(islice(answers, len(ask.pairs)))) for ask in asks]
            yield self._measurement(translation, answered)

    def _measurement(self, translation: Translation, answers: Sequence["Answer"]) -> Measurement:
        total = len(translation.document)
        rows = np.full((total, 2 * (self.directions + (self.scale == "self"))), np.nan)
        told = [answer for answer in answers if answer.complete]
        for segment, group in groupby(told, key=lambda answer: answer.ask.segment):
            rows[segment] = self._row([self._values(answer) for answer in group])
        scored = ~np.isnan(rows[:, 0])
        values = self.score_rows(rows)
        by_segment = self.average != "documents"
        return Measurement(
            statistics=rows[scored].sum(axis=0) if by_segment else _mean_row(rows[scored]),
            scored=int(scored.sum()),
            total=total,
            segment_statistics=rows if by_segment else None,
            segment_scores=tuple(
                float(v) if there else None for v, there in zip(values, scored, strict=True)
            ),
            evidence=tuple(self._evidence(translation, told)),
            remarks=_remarks(told),
        )

    def _values(self, answer: "Answer") -> Floats:
        """A value and a weight for each pair: what is averaged is value over weight."""
        cells = []
        for scores in answer.scores:
            if scores is not None:
                by_token = self.average == "tokens"
                value = scores.sum if by_token or self.norm == "sum" else scores.mean
                cells += [value, len(scores.log_probs) if by_token else 1]
        return np.array(cells, dtype=np.float64) * self._factor(answer)

    def _factor(self, answer: "Answer") -> Floats | float:  # noqa: ARG002 - see Prism
        """What values and weights are multiplied by."""
        return 1.0

    def _row(self, candidates: Sequence[Floats]) -> Floats:
        """The statistics of a segment from those against each of its references."""
        (only,) = candidates
        return only

    def score_rows(self, statistics: Floats) -> Floats:
        """Value over weight in each direction, averaged, and shown in the scale asked for."""
        values, weights = statistics[:, 0::2], statistics[:, 1::2]
        ratios = np.divide(values, weights, out=np.full_like(values, np.nan), where=~(weights == 0))
        mean = ratios[:, : self.directions].mean(axis=1)
        if self.scale == "log":
            return np.asarray(mean)
        return np.asarray(np.exp(mean - ratios[:, -1] if self.scale == "self" else mean))

    def _evidence(
        self, translation: Translation, answers: Sequence["Answer"]
    ) -> Iterator[Evidence]:
        """The pieces of the output with their log-probabilities: all, or the least probable."""
        if self.evidence == "none":
            return
        found = [
            Evidence(
                "log-probability of this piece",
                (Span(translation.document.id, side, answer.ask.segment, start, end),),
                log_prob,
            )
            for side in [output_side(translation.system)]
            for answer in answers
            for (start, end), log_prob in answer.pieces_of_output()
        ]
        if self.evidence == "all":
            yield from found
        else:
            yield from sorted(found, key=lambda evidence: evidence.value or 0.0)[:_MOST_SURPRISING]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said to an ask: scores for each of its pairs, `None` for an empty text."""

    ask: Ask
    scores: tuple[TokenScores | None, ...]

    @property
    def complete(self) -> bool:
        return all(scores is not None for scores in self.scores)

    def pieces_of_output(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Offsets and log-probabilities of the pieces of the first direction's target."""
        first = self.scores[0]
        if first is not None and self.ask.reads_output:
            for offsets, log_prob in zip(first.offsets, first.log_probs, strict=True):
                if offsets[0] < offsets[1]:
                    yield offsets, log_prob


def _mean_row(rows: Floats) -> Floats:
    """A document as one observation: its mean values, with weight 1."""
    if not len(rows):
        return np.zeros(rows.shape[1])
    mean = np.ones(rows.shape[1])
    mean[0::2] = rows[:, 0::2].sum(axis=0) / rows[:, 1::2].sum(axis=0)
    return mean


_DROPPED = "context was dropped; a smaller context= fits"
_IN_PARTS = "a long text was scored in parts; shorter segments are read whole"
_UNKNOWN = "pieces unknown to the model; look at their characters"


def _remarks(answers: Sequence[Answer]) -> dict[str, int]:
    """In how many segments something happened that the score alone does not show."""
    segments: dict[str, set[int]] = {}
    for answer in answers:
        for scores in answer.scores:
            for what, happened in (
                (_DROPPED, scores and scores.truncated_context),
                (_IN_PARTS, scores and scores.parts > 1),
                (_UNKNOWN, scores and scores.unknown),
            ):
                if happened:
                    segments.setdefault(what, set()).add(answer.ask.segment)
    return {what: len(found) for what, found in segments.items()}


@dataclass(frozen=True)
class Prism(ProbabilityMetric):
    """The output given the reference and the reference given the output.

    ``direction`` may be one of the two alone. Of several references the ``best`` counts, or
    their ``mean``. With ``norm=reference`` the mean log-probability is multiplied by the number of
    pieces of the reference: a long segment counts for more, as it does where errors are counted,
    and an output gains nothing by its own length.
    """

    title: ClassVar[str] = "prism"

    norm: Literal["mean", "sum", "reference"] = "mean"  # type: ignore[assignment]
    direction: Literal["both", "sys-given-ref", "ref-given-sys"] = "both"
    references: Literal["best", "mean"] = "best"
    context_from: Literal["own", "reference"] = "own"

    @property
    def directions(self) -> int:
        return 2 if self.direction == "both" else 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm == "reference" and self.direction == "sys-given-ref":
            raise MetricOptionError(
                "prism: norm=reference counts the pieces of the reference, which "
                "direction=sys-given-ref does not read; use norm=sum"
            )

    def _factor(self, answer: Answer) -> Floats | float:
        # The last direction reads the reference.
        scores = answer.scores[self.directions - 1]
        if self.norm != "reference" or scores is None:
            return 1.0
        return np.tile([len(scores.log_probs), 1.0], len(answer.scores))

    def asks(self, translation: Translation) -> Iterator[Ask]:
        """For every segment and every reference it has."""
        language = self.needed(translation.target_language, "target")
        output = translation.output
        for segment in range(len(translation.document)):
            for reference in translation.document.references.values():
                if output[segment] is not None and reference[segment] is not None:
                    yield self._ask(segment, output, reference, language)

    def _ask(self, segment: int, output: Segments, reference: Segments, language: str) -> Ask:
        of_output = reference if self.context_from == "reference" else output

        def pair(condition: Segments, before: Segments, target: Segments, after: Segments) -> Pair:
            return Pair(
                condition[segment] or "",
                target[segment] or "",
                language,
                language,
                _before(before, segment, self.context),
                _before(after, segment, self.context),
            )

        forwards = pair(reference, reference, output, of_output)
        backwards = pair(output, of_output, reference, reference)
        chosen = {
            "both": (forwards, backwards),
            "sys-given-ref": (forwards,),
            "ref-given-sys": (backwards,),
        }[self.direction]
        itself = pair(reference, reference, reference, reference)
        own = (itself,) if self.scale == "self" else ()
        return Ask(segment, chosen, own, self.direction != "ref-given-sys")

    def _row(self, candidates: Sequence[Floats]) -> Floats:
        if self.references == "mean":
            return np.asarray(np.mean(candidates, axis=0))
        scores = self.score_rows(np.vstack(candidates))
        return candidates[int(np.argmax(scores))]


@dataclass(frozen=True)
class PrismSource(ProbabilityMetric):
    """The output given the source: quality estimation, for which no reference is needed.

    ``direction`` may be the source given the output, or ``both``, averaged as for `prism`.
    """

    title: ClassVar[str] = "prism-src"
    needs_references: ClassVar[bool] = False
    needs_source: ClassVar[bool] = True

    direction: Literal["sys-given-src", "src-given-sys", "both"] = "sys-given-src"
    context_from: Literal["own", "reference", "source"] = "own"

    @property
    def directions(self) -> int:
        return 2 if self.direction == "both" else 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.direction == "both" and self.scale == "self":
            raise MetricOptionError("prism-src: scale=self is of one direction; choose which")

    def caution(self, testset: TestSet) -> str | None:  # noqa: ARG002 - true of all of them
        """How it orders systems (docs/model.md has the measurement)."""
        if self.direction != "sys-given-src":
            return f"do not rank systems by it unless you have measured how {self.name} does"
        other = "" if self.model == DEFAULT_MODEL else "; how this model does was not measured"
        return (
            "do not rank systems by it: with the model that comes along it puts 206 of 464 pairs "
            "of systems of WMT20 to WMT23 in the order of people (chrf: 349); a coin would put 232"
            + other
        )

    def languages(self, testset: TestSet, card: ModelCard) -> Iterator[tuple[str, tuple[str, ...]]]:
        """It reads the one language and writes the other, or both."""
        if self.direction != "src-given-sys":
            yield from super().languages(testset, card)
        source = self.needed(testset.source_language, "source")
        yield source, card.languages
        if self.direction != "sys-given-src":
            yield source, card.writes
            yield self.needed(testset.target_language, "target"), card.languages

    def asks(self, translation: Translation) -> Iterator[Ask]:
        """For every segment."""
        reference = self._one_reference(translation.document)
        before = self._context_of_output(translation, reference)
        for segment, text in enumerate(translation.output):
            if text is not None:
                asked = self._pairs(translation, segment, translation.output, before)
                own = self._own(translation, segment, reference)
                yield Ask(segment, asked, own, self.direction != "src-given-sys")

    def _own(
        self, translation: Translation, segment: int, reference: Segments | None
    ) -> tuple[Pair, ...]:
        if self.scale != "self" or reference is None:
            return ()
        return self._pairs(translation, segment, reference, reference)

    def _context_of_output(self, translation: Translation, reference: Segments | None) -> Segments:
        if self.context_from == "own":
            return translation.output
        return reference if self.context_from == "reference" and reference is not None else ()

    def _one_reference(self, document: Document) -> Segments | None:
        """The first reference, where an option asks for one."""
        if self.scale != "self" and self.context_from != "reference":
            return None
        if not document.references:
            asking = "scale=self" if self.scale == "self" else "context_from=reference"
            raise NotApplicableError(f"prism-src({asking}) needs a reference, and there is none")
        return next(iter(document.references.values()))

    def _pairs(
        self, translation: Translation, segment: int, target: Segments, before: Segments
    ) -> tuple[Pair, ...]:
        """The directions that are asked for."""
        source = translation.document.source
        forwards = Pair(
            source[segment],
            target[segment] or "",
            self.needed(translation.target_language, "target"),
            self.needed(translation.source_language, "source"),
            _before(source, segment, self.context),
            _before(before, segment, self.context),
        )
        return {
            "sys-given-src": (forwards,),
            "src-given-sys": (forwards.turned,),
            "both": (forwards, forwards.turned),
        }[self.direction]


@dataclass(frozen=True)
class LanguageModel(ProbabilityMetric):
    """The output given nothing but its language and its own context: fluency alone."""

    title: ClassVar[str] = "lm"
    needs_references: ClassVar[bool] = False

    scale: Literal["log", "exp"] = "log"

    def asks(self, translation: Translation) -> Iterator[Ask]:
        """For every segment."""
        language = self.needed(translation.target_language, "target")
        for segment, text in enumerate(translation.output):
            if text is not None:
                before = _before(translation.output, segment, self.context)
                yield Ask(segment, (Pair.alone(text, language, before),))


def _before(segments: Segments, segment: int, count: int) -> tuple[str, ...]:
    """The segments before this one, at most `count`, without those that are absent."""
    return tuple(text for text in segments[max(0, segment - count) : segment] if text)
