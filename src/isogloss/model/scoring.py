"""Scoring a stream of pairs: look up what is known, compute what is new, keep the order.

Equal pairs are scored once: those of one window and of the windows in flight share one job, the
latest outcomes stay in memory, and the disk cache, where there is one, keeps all of them.

Keeping the engine busy with batches of even length, in bounded memory, in the input's order.

Work arrives in windows. Inside a window the requests are sorted by length and cut into batches
of about the same number of padded tokens, the longest first. A few batches are always in flight:
while the engine computes, the next window is prepared. A window is handed on when its last
request is done, so results come in the order of the input, and no more than a few windows are
ever held, however long the input is.

How far a long run has come: handed to a callback, because the library never prints.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from isogloss.errors import InputError
from isogloss.model.cache import Key, KeyMaker, Remembered
from isogloss.model.engine import Engine, EngineId, log_probs
from isogloss.model.model import Model, scorable
from isogloss.model.pairs import END, LongPolicy, Pair, PairOutcome, TokenScores
from isogloss.model.requests import Fitted, Request, TooLongError
from isogloss.model.tokens import PiecedText

Item = TypeVar("Item")
Plan = TypeVar("Plan")


class Job:
    """A pair that the engine has to score: its requests, and their results as they come in."""

    __slots__ = ("_missing", "_results", "fitted", "key")

    def __init__(self, key: Key, fitted: Fitted) -> None:
        self.key, self.fitted = key, fitted
        self._results: list[list[float]] = [[] for _ in fitted.requests]
        self._missing = len(fitted.requests)

    def deliver(self, number: int, values: list[float]) -> None:
        """Take the result of one request."""
        self._results[number] = values
        self._missing -= 1

    @property
    def done(self) -> bool:
        return not self._missing

    @property
    def results(self) -> list[list[float]]:
        """What came of each request."""
        return self._results

    def outcome(self) -> PairOutcome:
        """The log-probabilities of all parts in the order of the text, once the job is done."""
        return PairOutcome(
            tuple(value for part in self._results for value in part),
            self.fitted.unknown_condition,
            self.fitted.truncated_context,
            len(self._results),
        )


Unit = tuple[Job, int]
"""One request of a job, by its number."""


def request_of(unit: Unit) -> Request:
    """The request that a unit of work stands for."""
    job, number = unit
    return job.fitted.requests[number]


def windows(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of `size`, the last one shorter."""
    remaining = iter(items)
    while window := list(islice(remaining, size)):
        yield window


def weighed_windows(
    items: Iterable[Item], size: int, weight: int, weigh: Callable[[Item], int]
) -> Iterator[list[Item]]:
    """The items in lists that end when they have `size` items, or weigh as much as `weight`."""
    window: list[Item] = []
    total = 0
    for item in items:
        window.append(item)
        total += weigh(item)
        if len(window) >= size or total >= weight:
            yield window
            window, total = [], 0
    if window:
        yield window


def batches(units: Iterable[Unit], token_budget: int) -> Iterator[list[Unit]]:
    """Units of like length together, the longest first, as many as the budget allows.

    A batch costs as much as its longest source and target, times its units: what padding makes
    of it. A unit above the budget is a batch of its own.
    """
    ordered = sorted(units, key=_size, reverse=True)
    batch: list[Unit] = []
    source = target = 0
    for unit in ordered:
        request = request_of(unit)
        source, target = max(source, len(request.source)), max(target, len(request.target) + 1)
        if batch and (len(batch) + 1) * (source + target) > token_budget:
            yield batch
            batch, source, target = [], len(request.source), len(request.target) + 1
        batch.append(unit)
    if batch:
        yield batch


def _size(unit: Unit) -> tuple[int, int]:
    request = request_of(unit)
    return len(request.target), len(request.source)


class Window(Generic[Plan]):
    """Some of the input: what is needed to finish it, and the jobs that it waits for.

    A job may belong to an earlier window: a pair that is already in flight is not sent again.
    """

    def __init__(self, plan: Plan, waits_for: Sequence[Job], new: Sequence[Job]) -> None:
        self.plan = plan
        self.new = new
        self._waits_for = list(waits_for)

    @property
    def complete(self) -> bool:
        return all(job.done for job in self._waits_for)


class Flow(Generic[Plan]):
    """Runs windows through an engine."""

    def __init__(
        self, engine: Engine, token_budget: int, finished: Callable[[list[Job]], None]
    ) -> None:
        self._engine = engine
        self._budget = token_budget
        self._most_in_flight = 2 * engine.workers + 1
        self._in_flight: deque[tuple[list[Unit], list[Any]]] = deque()
        self._finished = finished

    def run(self, prepared: Iterable[Window[Plan]]) -> Iterator[Plan]:
        """The plans of the windows, in order, each as soon as its jobs are done."""
        waiting: deque[Window[Plan]] = deque()
        for window in prepared:
            waiting.append(window)
            for batch in batches(_units(window.new), self._budget):
                self._submit(batch)
                yield from self._completed(waiting)
            # Windows of pairs that are known already bring no batches to make room for, and must
            # not pile up behind one that waits.
            yield from self._completed(waiting)
            while self._first_is_done() or len(waiting) > self._most_in_flight:
                self._collect()
                yield from self._completed(waiting)
        while waiting:
            # Everything is submitted; what is still waiting waits for a batch in flight.
            yield from self._completed(waiting)
            if waiting:
                self._collect()

    @staticmethod
    def _completed(waiting: deque[Window[Plan]]) -> Iterator[Plan]:
        while waiting and waiting[0].complete:
            yield waiting.popleft().plan

    def _first_is_done(self) -> bool:
        return bool(self._in_flight) and all(handle.done() for handle in self._in_flight[0][1])

    def _submit(self, batch: list[Unit]) -> None:
        while len(self._in_flight) >= self._most_in_flight:
            self._collect()
        handles = self._engine.score([request_of(unit) for unit in batch])
        self._in_flight.append((batch, handles))

    def _collect(self) -> None:
        """Wait for the batch that was sent first."""
        batch, handles = self._in_flight.popleft()
        finished = []
        for unit, handle in zip(batch, handles, strict=True):
            job, number = unit
            job.deliver(number, log_probs(handle, request_of(unit)))
            if job.done:
                finished.append(job)
        self._finished(finished)


class DistantScorer(Protocol):
    """Scores windows of requests on other machines, as the engine there would score them here."""

    @property
    def engine_id(self) -> EngineId:
        """What computes there."""

    @property
    def token_budget(self) -> int:
        """As the engine's there."""

    def scored(self, windows: Iterable[Sequence[Request]]) -> Iterator[list[list[float]]]:
        """For each window, in order, the log-probabilities of its requests."""


class DistantFlow(Generic[Plan]):
    """Runs windows through other machines: each is sent whole, so that its batches are the same."""

    def __init__(self, scorer: DistantScorer, finished: Callable[[list[Job]], None]) -> None:
        self._scorer, self._finished = scorer, finished

    def run(self, prepared: Iterable[Window[Plan]]) -> Iterator[Plan]:
        """The plans of the windows, in order."""
        sent: deque[Window[Plan]] = deque()

        def requests() -> Iterator[list[Request]]:
            for window in prepared:
                sent.append(window)
                yield [request_of(unit) for unit in _units(window.new)]

        for values in self._scorer.scored(requests()):
            window = sent.popleft()
            for (job, number), value in zip(_units(window.new), values, strict=True):
                job.deliver(number, value)
            self._finished(list(window.new))
            yield window.plan  # what else it waits for was in earlier windows


def score_requests(engine: Engine, requests: Sequence[Request]) -> list[list[float]]:
    """The log-probabilities of the requests of one window."""
    job = Job(b"", Fitted(tuple(requests)))
    flow: Flow[None] = Flow(engine, engine.token_budget, lambda _: None)
    for _ in flow.run([Window(None, [job], [job])] if requests else []):
        pass
    return job.results


def _units(jobs: Iterable[Job]) -> Iterator[Unit]:
    for job in jobs:
        for number in range(len(job.fitted.requests)):
            yield job, number


@dataclass(frozen=True, slots=True)
class Progress:
    """Pairs done so far, how many of them the model had to compute, and the seconds it took.

    `total` is `None` where nobody said how many pairs there will be.
    """

    done: int
    computed: int
    seconds: float
    total: int | None = None

    @property
    def per_second(self) -> float:
        """Pairs per second so far, those from the cache included."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest will take at this speed."""
        if self.total is None or not self.done:
            return None
        return max(0, self.total - self.done) / self.per_second


ProgressCallback = Callable[[Progress], None]


# Pairs are sorted window by window. In windows of eight batches those are nearly as even as in
# larger ones (1 % more time in all; with four batches it is 5 %), and results come soon.
WINDOW = 4096
_BATCHES = 8
_CHARACTERS_PER_PIECE = 4  # roughly; windows need not be exact
_NOTHING = PairOutcome(())


@dataclass(slots=True)
class _Plan:
    """One window of the input with everything that its results are made of."""

    pairs: Sequence[Pair]
    keys: Sequence[Key]
    targets: dict[str, PiecedText]
    outcomes: dict[Key, PairOutcome]
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
        distant: DistantScorer | None = None,
    ) -> None:
        self._model, self._remembered, self._long = model, remembered, long
        self._distant = distant
        engine_id = model.engine.id if distant is None else distant.engine_id
        computing = model.engine if distant is None else distant
        self._window, self._budget = window, token_budget or computing.token_budget
        self._key = KeyMaker(model.card, engine_id, long).key
        self._pending: dict[Key, Job] = {}
        self._reporter = _Reporter(progress, total)
        self._arrived = 0

    def run(self, pairs: Iterable[Pair]) -> Iterator[TokenScores | None]:
        """The scores of the pairs, in their order; `None` where a text is empty."""
        flow: Flow[_Plan] | DistantFlow[_Plan] = (
            Flow(self._model.engine, self._budget, self._take)
            if self._distant is None
            else DistantFlow(self._distant, self._take)
        )
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


def _token_scores(target: PiecedText, length: int, outcome: PairOutcome) -> TokenScores | None:
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

    def arrived(self, keys: Sequence[Key], outcomes: dict[Key, PairOutcome]) -> None:
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
