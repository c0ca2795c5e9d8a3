"""A language model as a judge, on any endpoint that speaks OpenAI's protocol.

::

    llm(model=gpt-4o)                                     errors with points, lower is better
    llm(model=qwen3,endpoint="http://localhost:8000/v1",prompt=esa,draws=3)

Texts leave this machine, and so nothing is sent before the network is allowed (`Runtime.network`,
``--allow-network``); without it the error says how much would be sent. Every answer is kept.

With several draws a segment's score is the mean of them. They are drawn anew for every document,
so that their spread is a part of how documents differ, and enters every interval and test.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation, counted
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.formula import Bounds, MeanFormula
from isogloss.metrics.division import lots
from isogloss.metrics.outside.chat import Completion, Endpoint, request_body
from isogloss.metrics.outside.kept_answers import KeptAnswers, answer_key
from isogloss.metrics.outside.prompts import WORST, JudgeQuestion, Style, prompt_digest
from isogloss.metrics.outside.rows import Answered, AskedRow, RowAnswer, measurement, rows_of
from isogloss.metrics.protocol import ConfiguredMetric, Division
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.signature import OptionValue, Signature

_ENDPOINT = "https://api.openai.com/v1"
_BEFORE = 5  # segments that are shown of what comes before
_CHARACTERS = 6_000  # of a question, unless a single segment is longer
_LOT = 400  # segments that are asked about before the first of them is measured
_BYTES_PER_TOKEN = 4
_TOKENS_PER_ANSWER: Mapping[Style, int] = {"mqm": 60, "da": 15, "esa": 75}
_APART = {"mqm": 5.0, "da": 20.0, "esa": 20.0}  # draws this far apart are worth a remark


@dataclass(frozen=True, slots=True)
class Estimate:
    """What would be sent: requests that are not answered yet, and roughly their tokens."""

    requests: int = 0
    kept: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __str__(self) -> str:
        sent = (
            f"{counted(self.requests, 'request')}, about {self.input_tokens:,} tokens and "
            f"{self.output_tokens:,} in answers"
        )
        return sent + (f"; {self.kept:,} more are answered already" if self.kept else "")

    def cost(self, per_million: tuple[float, float]) -> float:
        """What that costs, at prices for a million tokens sent and answered."""
        price_in, price_out = per_million
        return (self.input_tokens * price_in + self.output_tokens * price_out) / 1_000_000


@dataclass(frozen=True)
class LanguageModelJudge(ConfiguredMetric):
    """The mean over segments of what a language model says of them.

    `segments` are judged in one question, as parts of their document. `against` decides whether
    the reference is shown. ``endpoint=`` and ``concurrency=`` say how to ask, and are no part of
    the metric's name.
    """

    title: ClassVar[str] = "llm"
    needs_source: ClassVar[bool] = True
    uses_all_cores: ClassVar[bool] = True
    division: ClassVar[Division] = Division.WHOLE

    model: str = ""
    prompt: Style = "mqm"
    against: Literal["source", "reference"] = "source"
    segments: int = 10
    draws: int = 1
    temperature: float = 0.0
    endpoint: str = field(default="", compare=False, repr=False)
    concurrency: int = field(default=4, compare=False, repr=False)
    runtime: Runtime = field(default=Runtime(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for option in ("segments", "draws", "concurrency"):
            if getattr(self, option) < 1:
                raise MetricOptionError(f"llm: {option} must be 1 or more")
        if not 0 <= self.temperature <= 2:
            raise MetricOptionError("llm: temperature lies between 0 and 2")
        if self.draws > 1 and self.temperature == 0:
            raise MetricOptionError(
                "llm: several draws need a temperature above 0, or all of them are the same"
            )

    @classmethod
    def configured(
        cls,
        options: Mapping[str, OptionValue],
        source_language: str | None,
        target_language: str | None,
    ) -> Self:
        """The metric with these options, and how to ask."""
        given = dict(options)
        endpoint, concurrency = given.pop("endpoint", ""), given.pop("concurrency", 4)
        if not isinstance(endpoint, str) or type(concurrency) is not int:
            raise MetricOptionError("llm: endpoint takes an address, concurrency a number")
        metric = super().configured(given, source_language, target_language)
        return replace(metric, endpoint=endpoint, concurrency=concurrency)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        return self.prompt != "mqm"

    @property
    def bounds(self) -> Bounds:  # type: ignore[override]
        return (0.0, WORST if self.prompt == "mqm" else 100.0)

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.against == "reference"

    def with_runtime(self, runtime: Runtime) -> Self:
        """The same metric, run so."""
        return replace(self, runtime=runtime)

    def signature(self, testset: TestSet) -> Signature:
        """The model's name, the languages, and a digest of every word that is asked."""
        if not self.model:
            raise NotApplicableError("llm needs the name of a model: llm(model=NAME)")
        languages = f"{testset.source_language or '?'}-{testset.target_language or '?'}"
        digest = prompt_digest(self.prompt)
        return Signature(
            self.name, (("langs", languages), ("model", self.model), ("prompt", digest))
        )

    def caution(self, testset: TestSet) -> str | None:  # noqa: ARG002
        """What no digest can hold."""
        return (
            f"what {self.model} answers may change although its name stays; language models are "
            "said to favour outputs of their own kind"
        )

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Ask about some documents at a time, several questions at once."""
        translations = list(translations)
        if not self.runtime.network:
            self._refuse(translations)
        for lot in lots(translations, _LOT):
            questions = [list(self._questions(translation)) for translation in lot]
            asked = [question for own in questions for question in own]
            answers = iter(self._ask(asked))
            for translation, own in zip(lot, questions, strict=True):
                answered = [each for question in own for each in self._joined(question, answers)]
                yield measurement(
                    translation, answered, "mean", higher_is_better=self.higher_is_better
                )

    def score_rows(self, statistics: Floats) -> Floats:
        """The mean over segments."""
        return MeanFormula().score_rows(statistics)

    def estimate(self, translations: Iterable[Translation]) -> Estimate:
        """What measuring these would send."""
        total = Estimate()
        questions = (question for each in translations for question in self._questions(each))
        with closing(self._kept()) as kept:
            for question in questions:
                sent = sum(len(m["content"].encode()) for m in question.messages(self.prompt))
                answer = _TOKENS_PER_ANSWER[self.prompt] * len(question.rows)
                for draw in range(self.draws):
                    known = bool(kept.get([self._key(question, draw)]))
                    total = Estimate(
                        total.requests + (not known),
                        total.kept + known,
                        total.input_tokens + (0 if known else sent // _BYTES_PER_TOKEN),
                        total.output_tokens + (0 if known else answer),
                    )
        return total

    @property
    def host(self) -> str:
        """Who would be asked."""
        return Endpoint(self._address).host

    @property
    def _address(self) -> str:
        return self.endpoint or os.environ.get("ISOGLOSS_LLM_ENDPOINT") or _ENDPOINT

    def _refuse(self, translations: Sequence[Translation]) -> None:
        """Say what would be sent, unless everything is known already."""
        estimate = self.estimate(translations)
        if estimate.requests:
            raise NotApplicableError(
                f"llm would send your texts to {self.host} ({estimate}); allow it, or "
                "set ISOGLOSS_ALLOW_NETWORK=1",
                lacking=["network"],
            )

    def _questions(self, translation: Translation) -> Iterator[JudgeQuestion]:
        """Windows over the document: so many segments, and no more characters than are read well.

        Of several references each is asked about by itself.
        """
        rows = list(rows_of(translation, by_reference=self.needs_references))
        for name in dict.fromkeys(row.reference for row in rows):
            own = [row for row in rows if row.reference == name]
            begin = 0
            while begin < len(own):
                end = begin + self._fitting(own[begin:])
                yield JudgeQuestion(
                    tuple(own[begin:end]), tuple(own[max(begin - _BEFORE, 0) : begin])
                )
                begin = end

    def _fitting(self, rows: Sequence[AskedRow]) -> int:
        """How many of these rows one question takes: one at least."""
        characters, count = 0, 0
        for row in rows[: self.segments]:
            characters += sum(map(len, row.texts().values()))
            if count and (characters > _CHARACTERS or row.segment != rows[0].segment + count):
                break
            count += 1
        return count

    def _ask(self, questions: Sequence[JudgeQuestion]) -> list[Completion]:
        """An answer for every draw of every question; those that are known are not asked for."""
        endpoint, kept = Endpoint(self._address), self._kept()

        def ask(asked: tuple[JudgeQuestion, int]) -> Completion:
            question, draw = asked
            key = self._key(question, draw)
            if known := kept.get([key]):
                return Completion(known[key])
            answer = endpoint.complete(self._body(question))
            if answer.complete:
                kept.put({key: answer.text})
            return answer

        every = [(question, draw) for question in questions for draw in range(self.draws)]
        with closing(kept), ThreadPoolExecutor(self.concurrency) as pool:
            try:
                return list(pool.map(ask, every))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _body(self, question: JudgeQuestion) -> dict[str, object]:
        return request_body(self.model, question.messages(self.prompt), self.temperature)

    def _kept(self) -> KeptAnswers:
        digest = f"{self.title}:{prompt_digest(self.prompt)}:{self.model}"
        return KeptAnswers(self.runtime.cache, f"{self.title} {self.model}", digest)

    def _key(self, question: JudgeQuestion, draw: int) -> bytes:
        return answer_key(prompt_digest(self.prompt), self._address, draw, self._body(question))

    def _joined(self, question: JudgeQuestion, answers: Iterator[Completion]) -> list[Answered]:
        """For each row what all draws say of it together."""
        drawn = [self._read(question, next(answers)) for _ in range(self.draws)]
        by_row = zip(*drawn, strict=True)
        pairs = zip(question.rows, by_row, strict=True)
        return [Answered(row, self._mean(list(own))) for row, own in pairs]

    def _read(self, question: JudgeQuestion, completion: Completion) -> list[RowAnswer]:
        if not completion.complete:
            return [RowAnswer(None, remark="malformed answer (cut off)")] * len(question.rows)
        return question.answers(completion.text, self.prompt)

    def _mean(self, draws: Sequence[RowAnswer]) -> RowAnswer:
        scores = [each.score for each in draws if each.score is not None]
        remark = next((each.remark for each in draws if each.remark), None)
        if not scores:
            return RowAnswer(None, remark=remark)
        if max(scores) - min(scores) >= _APART[self.prompt]:
            remark = remark or f"draws are {_APART[self.prompt]:g} points apart or more"
        marks = dict.fromkeys(mark for each in draws for mark in each.marks)
        return RowAnswer(float(np.mean(scores)), tuple(marks), remark)
