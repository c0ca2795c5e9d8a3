"""The paraphraser: one loaded model, and everything that isogloss asks of it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.model.cache import Remembered, ScoreCache
from isogloss.model.decoding import CrossAttention, Hypothesis, attend, translate
from isogloss.model.embedding import SentenceEncoder, embed, overlong, read_states
from isogloss.model.engine import EngineId, SearchOptions
from isogloss.model.folder import Expectation, ModelCard
from isogloss.model.model import Model
from isogloss.model.model_file import Reading, costs_of
from isogloss.model.pairs import LongPolicy, Pair, TokenCosts, TokenScores, check_policy
from isogloss.model.requests import Request
from isogloss.model.scoring import (
    WINDOW,
    DistantScorer,
    ProgressCallback,
    Scoring,
    score_requests,
)
from isogloss.model.threads import Threads
from isogloss.model.tokens import PiecedText
from isogloss.runtime import Device


@dataclass(frozen=True, slots=True)
class SelfTestVerdict:
    """One example of a self-test: the score it ought to get, and the score it got."""

    expected: Expectation
    score: float | None

    @property
    def difference(self) -> float:
        """How far the score is off; infinite where there is none."""
        return float("inf") if self.score is None else abs(self.score - self.expected.score)


class Paraphraser:
    """A multilingual translation model that scores, aligns, translates and embeds."""

    distant: DistantScorer | None = None
    """What scores in this model's place, if it is scored on other machines."""

    def __init__(self, model: Model, cache: ScoreCache | None = None) -> None:
        self._model = model
        self._remembered = Remembered(model.card, cache)

    @classmethod
    def load(
        cls,
        folder: Path,
        device: Device = "cpu",
        precision: str | None = None,
        threads: Threads | None = None,
        cache: ScoreCache | None = None,
        temperature: float = 1.0,
        reading: Reading | None = None,
    ) -> "Paraphraser":
        """Load a model folder.

        `precision` is what is computed with (float32, int8, float16, ...); `None` takes the
        precision of the stored weights. `threads` are chosen for the machine unless given.
        Without a `cache` nothing is kept beyond this object. The model's logits are divided by
        the `temperature`, in scores and in translations. With a `reading` it can do nothing but
        tell `costs`.
        """
        return cls(Model(Path(folder), device, precision, threads, temperature, reading), cache)

    @property
    def card(self) -> ModelCard:
        """What the model folder says about the model."""
        return self._model.card

    @property
    def engine_id(self) -> EngineId:
        """What computes: everything about it that can change a score."""
        return self._model.engine.id if self.distant is None else self.distant.engine_id

    @property
    def token_budget(self) -> int:
        """Padded tokens of a batch."""
        return self._model.engine.token_budget

    @property
    def trained_on_context(self) -> bool:
        """Whether the model knows a separator between sentences; otherwise a space is used."""
        return self.card.separator is not None

    def score(
        self,
        pairs: Iterable[Pair],
        *,
        long: LongPolicy = "truncate-context",
        progress: ProgressCallback | None = None,
        total: int | None = None,
        window: int = WINDOW,
        token_budget: int | None = None,
    ) -> Iterator[TokenScores | None]:
        """The scores of a stream of pairs, in its order, in constant memory.

        `None` stands where the condition or the target is empty: there is nothing to score, and
        it must not look like a perfect score. Equal pairs are computed once. `total` only serves
        the `progress` callback.
        """
        check_policy(long)
        if self.engine_id.reading is not None:
            raise InputError("this model was loaded for costs, and gives no probabilities")
        scoring = Scoring(
            self._model,
            self._remembered,
            long,
            window=window,
            token_budget=token_budget,
            progress=progress,
            total=total,
            distant=self.distant,
        )
        return scoring.run(pairs)

    def score_requests(self, requests: Sequence[Request]) -> list[list[float]]:
        """The log-probabilities of what another machine has prepared: one window, all at once."""
        return score_requests(self._model.engine, requests)

    def costs(
        self,
        pairs: Iterable[Pair],
        *,
        long: LongPolicy = "truncate-context",
        progress: ProgressCallback | None = None,
        total: int | None = None,
    ) -> Iterator[TokenCosts | None]:
        """What each piece of the targets takes off, as a model `reading` costs has learnt it.

        As `score` otherwise: in the order of the pairs, `None` where there is nothing to score.
        """
        check_policy(long)
        if self.engine_id.reading is None:
            raise InputError("this model was loaded for probabilities; say which costs to read")
        pieces = len(self._model.engine.vocabulary("target"))
        scoring = Scoring(
            self._model,
            self._remembered,
            long,
            progress=progress,
            total=total,
            distant=self.distant,
        )
        for scores in scoring.run(pairs):
            yield None if scores is None else costs_of(scores, pieces)

    def attend(
        self, pairs: Iterable[Pair], *, long: LongPolicy = "truncate-context"
    ) -> Iterator[CrossAttention | None]:
        """The cross-attention between target and condition of each pair, for aligning words.

        Which layer and heads are read was decided when the model was converted.
        """
        check_policy(long)
        return attend(self._model, pairs, long)

    def translate(
        self,
        sentences: Iterable[str],
        language: str,
        *,
        source_language: str | None = None,
        options: SearchOptions | None = None,
    ) -> Iterator[tuple[Hypothesis, ...]]:
        """The best translations of each sentence into a language, the best first.

        Into their own language the model paraphrases. An empty sentence has no translation.
        """
        return translate(
            self._model, sentences, language, source_language, options or SearchOptions()
        )

    def embed(
        self, sentences: Iterable[str], language: str
    ) -> Iterator[NDArray[np.float32] | None]:
        """A vector for each sentence: the mean of the encoder's states over its pieces.

        `None` stands for an empty sentence. One that is longer than the model reads is read in
        windows that overlap, and has the mean over its pieces all the same.
        """
        return embed(self._model, self._encoder, sentences, language)

    def states(
        self, sentences: Iterable[str], language: str
    ) -> Iterator[tuple[PiecedText, NDArray[np.float32]]]:
        """The pieces of each sentence, and what the encoder makes of each: a row a piece."""
        return read_states(self._model, self._encoder, sentences, language)

    def overlong(self, sentences: Iterable[str], language: str) -> frozenset[str]:
        """Those of the sentences that `embed` reads in windows."""
        return overlong(self._model, sentences, language)

    @cached_property
    def _encoder(self) -> SentenceEncoder:
        engine = self._model.engine
        # A core for each batch: cores that share one wait for each other.
        threads = Threads(engine.threads.workers * engine.threads.per_worker, 1)
        return SentenceEncoder(engine.folder, engine.device, engine.id.precision, threads)

    @property
    def tolerance(self) -> float:
        """How far a score of the self-test may be off: those of int8 depend on the processor."""
        return 0.1 if self.engine_id.precision.startswith("int8") else 0.02

    def selftest(self) -> tuple[SelfTestVerdict, ...]:
        """Score the examples that the model carries, beside the scores they ought to get."""
        if self.engine_id.temperature != 1:
            raise InputError("a model is tested at temperature 1, where its examples come from")
        expectations = self.card.selftest
        pairs = [
            Pair(item.condition, item.target, item.language, item.condition_language)
            for item in expectations
        ]
        scores = Scoring(self._model, Remembered(self.card, None), "error").run(pairs)
        return tuple(
            SelfTestVerdict(item, None if score is None else score.mean)
            for item, score in zip(expectations, scores, strict=True)
        )
