"""Scoring a stream of pairs: look up what is known, compute what is new, keep the order.

Equal pairs are scored once: those of one window and of the windows in flight share one job, the
latest outcomes stay in memory, and the disk cache, where there is one, keeps all of them.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from isogloss.errors import InputError
from isogloss.paraphraser.fitting import TooLongError
from isogloss.paraphraser.keys import Key, KeyMaker
from isogloss.paraphraser.model import Model, scorable
from isogloss.paraphraser.outcomes import Outcome
from isogloss.paraphraser.pairs import END, LongPolicy, Pair, TokenScores
from isogloss.paraphraser.pieces import PiecedText
from isogloss.paraphraser.progress import Progress, ProgressCallback
from isogloss.paraphraser.remembering import Remembered
from isogloss.paraphraser.scheduling import Flow, Job, Window, weighed_windows

# Pairs are sorted window by window. In windows of eight batches those are nearly as even as in
# larger ones (1 % more time in all; with four batches it is 5 %), and results come soon.
WINDOW = 4096
_BATCHES = 8
_CHARACTERS_PER_PIECE = 4  # roughly; windows need not be exact
_NOTHING = Outcome(())


@dataclass(slots=True)
class _Plan:
    """One window of the input with everything that its results are made of."""

    pairs: Sequence[Pair]
    keys: Sequence[Key]
    targets: dict[str, PiecedText]
    outcomes: dict[Key, Outcome]
    jobs: dict[Key, Job]


class Scoring:
    """One run over a stream of pairs."""

    def __init__(
        self,
        model: Model,
        remembered: Remembered,
        long: LongPolicy,
        *,
        window: int = WINDOW,
        token_budget: int | None = None,
        progress: ProgressCallback | None = None,
        total: int | None = None,
    ) -> None:
        self._model, self._remembered, self._long = model, remembered, long
        self._window, self._budget = window, token_budget or model.engine.token_budget
        self._key = KeyMaker(model.card, model.engine.id, long).key
        self._pending: dict[Key, Job] = {}
        self._reporter = _Reporter(progress, total)
        self._arrived = 0

    def run(self, pairs: Iterable[Pair]) -> Iterator[TokenScores | None]:
        """The scores of the pairs, in their order; `None` where a text is empty."""
        flow: Flow[_Plan] = Flow(self._model.engine, self._budget, self._take)
        characters = _BATCHES * self._budget * _CHARACTERS_PER_PIECE
        windows = weighed_windows(pairs, self._window, characters, lambda pair: pair.characters)
        try:
            for plan in flow.run(map(self._prepared, windows)):
                yield from _results(plan)
        finally:
            # An interrupted run keeps what it has computed.
            self._remembered.write()

    def _prepared(self, pairs: list[Pair]) -> Window[_Plan]:
        for pair in pairs:
            self._model.frame(pair.condition_language, pair.target_language)
        keys = [self._key(pair) for pair in pairs]
        shared = {key: self._pending[key] for key in keys if key in self._pending}
        distinct = {k: p for k, p in zip(keys, pairs, strict=True) if k not in shared}
        outcomes = self._remembered.find(distinct.keys())
        targets = self._model.target_side.encoded(pair.target for pair in pairs)
        new = {key: pair for key, pair in distinct.items() if key not in outcomes}
        jobs = self._jobs(new, targets, pairs)
        outcomes |= {key: _NOTHING for key in new if key not in jobs}
        self._pending |= jobs
        self._arrived += len(pairs)
        self._reporter.arrived(keys, outcomes)
        plan = _Plan(pairs, keys, targets, outcomes, shared | jobs)
        return Window(plan, list(plan.jobs.values()), list(jobs.values()))

    def _jobs(
        self, new: dict[Key, Pair], targets: dict[str, PiecedText], window: list[Pair]
    ) -> dict[Key, Job]:
        """Jobs for those of the new pairs in which there is something to score."""
        jobs = {}
        pieced = self._model.pieced(new.values(), targets)
        for (key, pair), pieces in zip(new.items(), pieced, strict=True):
            if scorable(pair, pieces):
                try:
                    jobs[key] = Job(key, self._model.fit(pair, pieces, self._long))
                except TooLongError as error:
                    number = self._arrived + window.index(pair) + 1
                    raise TooLongError(f"pair {number} ({pair.target[:40]!r}): {error}") from None
        return jobs

    def _take(self, finished: list[Job]) -> None:
        self._remembered.add({job.key: job.outcome() for job in finished})
        for job in finished:
            del self._pending[job.key]
        self._reporter.computed(finished)


def _results(plan: _Plan) -> Iterator[TokenScores | None]:
    outcomes = plan.outcomes | {key: job.outcome() for key, job in plan.jobs.items()}
    for pair, key in zip(plan.pairs, plan.keys, strict=True):
        yield _token_scores(plan.targets[pair.target], len(pair.target), outcomes[key])


def _token_scores(target: PiecedText, length: int, outcome: Outcome) -> TokenScores | None:
    if not outcome.log_probs:
        return None
    if len(outcome.log_probs) != len(target) + 1:
        raise InputError(
            f"{len(outcome.log_probs)} scores for {len(target) + 1} pieces; the cache of scores is "
            "damaged: clear it"
        )
    return TokenScores(
        pieces=(*target.pieces, END),
        log_probs=outcome.log_probs,
        offsets=(*target.offsets, (length, length)),
        unknown=len(target.unknown),
        unknown_condition=outcome.unknown_condition,
        truncated_context=outcome.truncated_context,
        parts=outcome.parts,
    )


class _Reporter:
    """Counts pairs as they are done and tells the callback."""

    def __init__(self, callback: ProgressCallback | None, total: int | None) -> None:
        self._callback, self._total = callback, total
        self._waiting: Counter[Key] = Counter()
        self._done = self._computed = 0
        self._begun = time.monotonic()

    def arrived(self, keys: Sequence[Key], outcomes: dict[Key, Outcome]) -> None:
        waiting = [key for key in keys if key not in outcomes]
        self._waiting.update(waiting)
        self._done += len(keys) - len(waiting)
        self._tell()

    def computed(self, jobs: Sequence[Job]) -> None:
        self._computed += len(jobs)
        self._done += sum(self._waiting.pop(job.key) for job in jobs)
        self._tell()

    def _tell(self) -> None:
        if self._callback is not None:
            seconds = time.monotonic() - self._begun
            self._callback(Progress(self._done, self._computed, seconds, self._total))
