"""Keeping the engine busy with batches of even length, in bounded memory, in the input's order.

Work arrives in windows. Inside a window the requests are sorted by length and cut into batches
of about the same number of padded tokens, the longest first. A few batches are always in flight:
while the engine computes, the next window is prepared. A window is handed on when its last
request is done, so results come in the order of the input, and no more than a few windows are
ever held, however long the input is.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar

from isogloss.paraphraser.engine import Engine, log_probs
from isogloss.paraphraser.fitting import Fitted, Request
from isogloss.paraphraser.keys import Key
from isogloss.paraphraser.outcomes import Outcome

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

    def outcome(self) -> Outcome:
        """The log-probabilities of all parts in the order of the text, once the job is done."""
        return Outcome(
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


def _units(jobs: Iterable[Job]) -> Iterator[Unit]:
    for job in jobs:
        for number in range(len(job.fitted.requests)):
            yield job, number
