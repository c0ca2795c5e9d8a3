"""Predicted MQM: the points that people would take off for errors, from a model that learnt it.

MQM (Lommel et al. 2014; Freitag et al. 2021) marks errors and adds up their weights: 1 for a minor
one, 5 for a major one. `mqm` predicts that sum for each segment from the output and a reference,
`mqm-src` from the output and the source. A prediction is itself a sum, of a cost for every piece of
the output (wrong or added) and of the reference (missing), so that it says where it sees errors.
As with MQM a score is the mean penalty of a segment, and lower is better.

Learnt costs know how much goes wrong in a segment, a model's surprise (`prism`) which of its
outputs is better. So `mqm` adds up both, as the card of a model says: points for a unit of cost,
and points for a nat of surprise at the reference.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, tee
from typing import ClassVar, Literal, TypeVar

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation
from isogloss.errors import InputError
from isogloss.metrics.model_metric import ModelMetric
from isogloss.metrics.protocol import Division
from isogloss.model import (
    DEFAULT_MODEL,
    ModelCard,
    Pair,
    Paraphraser,
    Reading,
    TokenCosts,
    TokenScores,
    find_model,
    open_model,
    read_card,
)
from isogloss.scores import Measurement
from isogloss.signature import Signature
from isogloss.spans import Evidence, Span, output_side, reference_side

# A piece that costs less is not marked; marks that follow each other are one error.
_MARKED = 0.2
_MAJOR = 2.5  # points of an error, half way between a minor and a major one
_REASONS = {
    Reading.OUTPUT_GIVEN_REFERENCE: "wrong or added",
    Reading.REFERENCE_GIVEN_OUTPUT: "missing from the output",
    Reading.OUTPUT_GIVEN_SOURCE: "not what the source says",
}


_BY_REFERENCE = (Reading.OUTPUT_GIVEN_REFERENCE, Reading.REFERENCE_GIVEN_OUTPUT)


@dataclass(frozen=True, slots=True)
class Question:
    """What is read about one segment against one reference (or none)."""

    segment: int
    pairs: Mapping[Reading, Pair]
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The costs and probabilities that were read; `None` where a text was empty."""

    question: Question
    costs: Mapping[Reading, TokenCosts | None]
    probabilities: Mapping[Reading, TokenScores | None]

    @property
    def complete(self) -> bool:
        return all(costs is not None for costs in self.costs.values())

    def total(self, readings: Iterable[Reading]) -> float:
        """All that these readings take off."""
        return sum(costs.sum for r in readings if (costs := self.costs[r]) is not None)

    def surprise(self) -> float:
        """In nats, as ``prism(norm=reference)``: an output gains nothing by its own length."""
        scores = [self.probabilities.get(reading) for reading in _BY_REFERENCE]
        means = [each.mean for each in scores if each is not None]
        pieces = len(scores[1].log_probs) if scores[1] is not None else 0
        return -pieces * float(np.mean(means)) if means else 0.0


@dataclass(frozen=True, slots=True)
class PointWeights:
    """How costs and surprise become points; a model whose card says nothing has costs alone."""

    per_cost: float = 1.0
    per_nat: float = 0.0

    @classmethod
    def of(cls, card: ModelCard) -> "PointWeights":
        """What is noted in a model's card."""
        return cls(_noted(card, "points_per_cost", 1.0), _noted(card, "points_per_nat", 0.0))


def _noted(card: ModelCard, key: str, otherwise: float) -> float:
    noted = card.card.get(key, otherwise)
    if not isinstance(noted, int | float) or isinstance(noted, bool) or not noted >= 0:
        raise InputError(
            f"model {card.name!r}: the card's {key} must be a number, 0 or more, not {noted!r}"
        )
    return float(noted)


@dataclass(frozen=True)
class PredictedMqm(ModelMetric):
    """Sums of costs, averaged over segments.

    ``long`` is the policy for texts longer than the model allows; whatever it does is remarked.
    """

    higher_is_better: ClassVar[bool] = False
    division: ClassVar[Division] = Division.PAIRS

    long: Literal["split", "error"] = "split"
    evidence: Literal["none", "errors"] = field(default="errors", compare=False, repr=False)

    @property
    @abstractmethod
    def readings(self) -> tuple[Reading, ...]:
        """The readings of every question."""

    @property
    def surprised(self) -> tuple[Reading, ...]:
        """Those of whose texts probabilities are asked for as well."""
        return ()

    @abstractmethod
    def questions(self, translation: Translation) -> Iterator[Question]:
        """The questions about one translated document; none about what is absent."""

    @abstractmethod
    def penalty(self, reply: Reply) -> float:
        """The points of a segment."""

    def paraphraser(self) -> Paraphraser:
        """The model, loaded for the first of the readings."""
        return self._reader(self.readings[0])

    def _reader(self, reading: Reading) -> Paraphraser:
        folder = self.folder or find_model(self.model)
        return open_model(folder, self.precision, self.runtime, reading=reading)

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Read all translations in one stream for each reading, of costs or of probabilities."""
        planned = ((translation, list(self.questions(translation))) for translation in translations)
        surprised = self.surprised
        behind, *ahead = tee(planned, 1 + len(self.readings) + len(surprised))
        costs = {reading: self._costs(reading, ahead.pop()) for reading in self.readings}
        scores = {reading: self._probabilities(reading, ahead.pop()) for reading in surprised}
        for translation, questions in behind:
            replies = [Reply(question, _next(costs), _next(scores)) for question in questions]
            yield self._measurement(translation, [reply for reply in replies if reply.complete])

    def _costs(self, reading: Reading, plan: "_Plan") -> Iterator[TokenCosts | None]:
        return self._reader(reading).costs(_pairs(reading, plan), long=self.long)

    def _probabilities(self, reading: Reading, plan: "_Plan") -> Iterator[TokenScores | None]:
        return self.paraphraser_at(1.0).score(_pairs(reading, plan), long=self.long)

    def _measurement(self, translation: Translation, replies: Sequence[Reply]) -> Measurement:
        rows = np.full((len(translation.document), 2), np.nan)
        counted: list[Reply] = []
        for segment, group in groupby(replies, key=lambda reply: reply.question.segment):
            value, chosen = self._of_segment(list(group))
            rows[segment] = value, 1
            counted += chosen
        evidence = self._evidence(translation, counted)
        return Measurement.of_segments(rows, rows[:, 0], evidence, _remarks(counted))

    def _of_segment(self, replies: Sequence[Reply]) -> tuple[float, Sequence[Reply]]:
        """The penalty of a segment, and the replies that it came from."""
        (only,) = replies
        return self.penalty(only), [only]

    def score_rows(self, statistics: Floats) -> Floats:
        """The mean penalty of a segment."""
        values, counts = statistics[:, 0], statistics[:, 1]
        return np.divide(values, counts, out=np.full_like(values, np.nan), where=counts > 0)

    def _evidence(self, translation: Translation, replies: Sequence[Reply]) -> Iterator[Evidence]:
        if self.evidence == "none":
            return
        for reply in replies:
            for reading, costs in reply.costs.items():
                side = output_side(translation.system)
                if reading is Reading.REFERENCE_GIVEN_OUTPUT and reply.question.reference:
                    side = reference_side(reply.question.reference)
                text = reply.question.pairs[reading].target
                for start, end, cost in errors_in(costs) if costs else ():
                    severity = "major" if cost >= _MAJOR else "minor"
                    first = end - len(text[start:end].lstrip())  # a piece may begin with a space
                    place = Span(translation.document.id, side, reply.question.segment, first, end)
                    yield Evidence(f"{_REASONS[reading]}, {severity}", (place,), cost)


_Plan = Iterator[tuple[Translation, list[Question]]]
Told = TypeVar("Told")


def _pairs(reading: Reading, plan: _Plan) -> Iterator[Pair]:
    return (question.pairs[reading] for _, questions in plan for question in questions)


def _next(streams: Mapping[Reading, Iterator[Told]]) -> dict[Reading, Told]:
    return {reading: next(stream) for reading, stream in streams.items()}


def errors_in(costs: TokenCosts) -> Iterator[tuple[int, int, float]]:
    """Runs of pieces that cost something worth a mark: start, end and points of each."""
    marked = [
        (start, end, cost)
        for (start, end), cost in zip(costs.offsets, costs.costs, strict=True)
        if start < end and cost >= _MARKED
    ]
    while marked:
        start, end, total = marked.pop(0)
        while marked and marked[0][0] <= end + 1:  # side by side, or a space between
            _, end, cost = marked.pop(0)
            total += cost
        yield start, end, total


def _remarks(replies: Sequence[Reply]) -> dict[str, int]:
    """In how many segments something happened that the score alone does not show."""
    segments: dict[str, set[int]] = {}
    for reply in replies:
        for costs in reply.costs.values():
            for what, happened in (
                ("a long text was scored in parts", costs and costs.parts > 1),
                ("pieces unknown to the model", costs and costs.unknown),
            ):
                if happened:
                    segments.setdefault(what, set()).add(reply.question.segment)
    return {what: len(found) for what, found in segments.items()}


@dataclass(frozen=True)
class Mqm(PredictedMqm):
    """Points from the output and a reference; with ``given=both`` the mean of these and of those
    from the output and the source.

    ``surprise`` counts the model's surprise as its card says, or not at all, in half the time. Of
    several references the one that costs least counts (``best``), or their ``mean``.
    """

    title: ClassVar[str] = "mqm"

    given: Literal["reference", "both"] = "reference"
    surprise: Literal["counted", "ignored"] = "counted"

    @property
    def needs_source(self) -> bool:  # type: ignore[override]
        return self.given == "both"

    references: Literal["best", "mean"] = "best"

    @property
    def readings(self) -> tuple[Reading, ...]:
        if self.given == "reference":
            return _BY_REFERENCE
        return (*_BY_REFERENCE, Reading.OUTPUT_GIVEN_SOURCE)

    @property
    def surprised(self) -> tuple[Reading, ...]:
        return _BY_REFERENCE if self._weights.per_nat else ()

    @cached_property
    def _weights(self) -> PointWeights:
        if self.surprise == "ignored":
            return PointWeights()
        return PointWeights.of(read_card(self.folder or find_model(self.model)))

    def signature(self, testset: TestSet) -> Signature:
        """With the weights of costs and surprise, which the digest of the model does not cover."""
        signature, weights = super().signature(testset), self._weights
        if weights == PointWeights():
            return signature
        points = f"{weights.per_cost:g}/cost+{weights.per_nat:g}/nat"
        return replace(signature, fields=(*signature.fields, ("points", points)))

    def questions(self, translation: Translation) -> Iterator[Question]:
        """For every segment and every reference it has."""
        language = self.needed(translation.target_language, "target")
        for segment, output in enumerate(translation.output):
            for name, reference in translation.document.references.items():
                text = reference[segment]
                if output is not None and text is not None:
                    pairs = {
                        Reading.OUTPUT_GIVEN_REFERENCE: Pair(text, output, language, language),
                        Reading.REFERENCE_GIVEN_OUTPUT: Pair(output, text, language, language),
                    }
                    if self.given == "both":
                        pairs[Reading.OUTPUT_GIVEN_SOURCE] = _of_source(self, translation, segment)
                    yield Question(segment, pairs, name)

    def penalty(self, reply: Reply) -> float:
        """The sum of both directions; with the source, the mean of it and the source's."""
        weights = self._weights
        total = weights.per_cost * reply.total(_BY_REFERENCE) + weights.per_nat * reply.surprise()
        if self.given == "reference":
            return total
        return (total + reply.total([Reading.OUTPUT_GIVEN_SOURCE])) / 2

    def _of_segment(self, replies: Sequence[Reply]) -> tuple[float, Sequence[Reply]]:
        penalties = [self.penalty(reply) for reply in replies]
        if self.references == "mean":
            return float(np.mean(penalties)), replies
        best = int(np.argmin(penalties))
        return penalties[best], [replies[best]]


@dataclass(frozen=True)
class MqmSource(PredictedMqm):
    """Points from the output and the source: quality estimation, without a reference."""

    title: ClassVar[str] = "mqm-src"
    needs_references: ClassVar[bool] = False
    needs_source: ClassVar[bool] = True

    def caution(self, testset: TestSet) -> str | None:  # noqa: ARG002 - true of all of them
        """How it orders outputs (docs/model.md has the measurement)."""
        if self.model != DEFAULT_MODEL:
            return None
        return (
            "do not rank by it: the model that comes along read no sources when it learnt costs, "
            "and puts fewer pairs of outputs in the order of people than a coin would (.43 to .45)"
        )

    @property
    def readings(self) -> tuple[Reading, ...]:
        return (Reading.OUTPUT_GIVEN_SOURCE,)

    def questions(self, translation: Translation) -> Iterator[Question]:
        """For every segment."""
        for segment, output in enumerate(translation.output):
            if output is not None:
                pair = _of_source(self, translation, segment)
                yield Question(segment, {Reading.OUTPUT_GIVEN_SOURCE: pair})

    def penalty(self, reply: Reply) -> float:
        """The sum of the costs."""
        return reply.total(self.readings)


def _of_source(metric: PredictedMqm, translation: Translation, segment: int) -> Pair:
    return Pair(
        translation.document.source[segment],
        translation.output[segment] or "",
        metric.needed(translation.target_language, "target"),
        metric.needed(translation.source_language, "source"),
    )
