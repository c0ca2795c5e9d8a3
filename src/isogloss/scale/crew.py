"""Workers that share work in shards, whatever they are: processes here, or actors of a cluster.

A crew gives every worker one shard at a time and takes little more from the input than its workers
are busy with, so a stream of any length stays a stream. Whoever waits for a worker waits for any
of them: several streams of shards may be under way on one crew.

A shard whose worker dies is given to another one. If that dies too, something in the shard may be
poisonous: its items are tried in halves until those that kill are known. They are handed to the
caller's `mend`, which raises, or puts something harmless in their place; nothing is tried for ever.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from isogloss.errors import WorkerError

Item = TypeVar("Item")
Result = TypeVar("Result")
ItemOf = TypeVar("ItemOf", contravariant=True)
ResultOf = TypeVar("ResultOf", covariant=True)


class Task(Protocol[ItemOf, ResultOf]):
    """What is done to the items of a shard: a value that can be sent to a worker."""

    def __call__(self, items: Sequence[ItemOf], /) -> ResultOf:
        """The result of one shard."""


class Worker(Protocol):
    """Something that runs tasks, one at a time, and may die of one."""

    def begin(self) -> "Future[Any]":
        """Start, or start again after a death; done when it can take work."""

    def submit(self, task: Task[Any, Any], items: Sequence[Any]) -> "Future[Any]":
        """Run a task on the items of a shard."""

    def died(self, error: BaseException) -> bool:
        """Whether this is the error of a worker that is no more, not of the task."""

    def dismiss(self) -> None:
        """Stop it."""


@dataclass(frozen=True, slots=True)
class Shard(Generic[Item]):
    """Some of the work, by its place in the stream of shards."""

    number: int
    items: Sequence[Item]
    deaths: int = 0


@dataclass(frozen=True, slots=True)
class Finished(Generic[Item, Result]):
    """A shard with what came of it."""

    number: int
    items: Sequence[Item]
    result: Result


Mend = Callable[[Sequence[Item], Sequence[int]], Sequence[Item]]
"""The items without those at these places, which kill workers."""


@dataclass(slots=True)
class _Post:
    """A worker's place: what it is doing, or starting to do."""

    worker: Worker
    doing: "Future[Any]"
    renewing: bool = True


_TRIES = 2  # deaths that are no chance: the items of such a shard are tried one by one
_MOST_DEATHS = 10  # of one shard, whatever they were of
_PATIENCE = 600.0  # seconds to wait for a worker where all of them are gone


class Crew(AbstractContextManager["Crew"]):
    """Workers, and the shards that they are busy with."""

    def __init__(self, workers: Sequence[Worker], patience: float = _PATIENCE) -> None:
        self._posts = [_Post(worker, worker.begin()) for worker in workers]
        self._patience = patience
        self.deaths = 0  # of shards whose worker died, so far

    def __len__(self) -> int:
        return len(self._posts)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for post in self._posts:
            with suppress(Exception):  # what is left of a worker that died need not be stopped
                post.worker.dismiss()

    def run(
        self,
        task: Task[Item, Result],
        shards: Iterable[Sequence[Item]],
        *,
        ordered: bool = True,
        mend: Mend[Item] | None = None,
    ) -> Iterator[Finished[Item, Result]]:
        """The results of all shards, in their order or as they come.

        A shard that waits for an earlier one counts as under way, so a slow shard holds the input
        up rather than fill the memory.
        """
        numbered = (Shard(number, items) for number, items in enumerate(shards))
        return _Run(self, task, mend or refuse).results(numbered, ordered)

    def start(self, task: Task[Item, Result], items: Sequence[Item]) -> "_Under[Result]":
        """Give a shard to the first worker that is free."""
        post = self._free()
        post.doing = post.worker.submit(task, items)
        return _Under(post.worker, post.doing)

    def _free(self) -> _Post:
        give_up = time.monotonic() + self._patience
        while True:
            for post in self._posts:
                if post.doing.done() and self._ready(post):
                    return post
            wait([post.doing for post in self._posts], self._patience / 60, FIRST_COMPLETED)
            if time.monotonic() > give_up and all(post.renewing for post in self._posts):
                raise WorkerError(
                    f"no worker could be started for {self._patience:.0f} seconds; are there "
                    "machines left in the cluster?"
                )

    def _ready(self, post: _Post) -> bool:
        """Whether a worker that has nothing to do can take work; a dead one is started again."""
        error = post.doing.exception()
        if error is None or not post.worker.died(error):
            if post.renewing and error is not None:
                raise error
            post.renewing = False
            return True
        post.renewing = True
        post.doing = post.worker.begin()
        return False


@dataclass(frozen=True, slots=True)
class _Under(Generic[Result]):
    """A shard under way."""

    worker: Worker
    future: "Future[Result]"

    @property
    def died(self) -> bool:
        """Whether its worker died of it, or with it; waits until it is done."""
        error = self.future.exception()
        return error is not None and self.worker.died(error)


@dataclass
class _Run(Generic[Item, Result]):
    """One stream of shards through a crew."""

    crew: Crew
    task: Task[Item, Result]
    mend: Mend[Item]
    _under_way: dict[int, tuple[Shard[Item], _Under[Result]]] = field(default_factory=dict)
    _again: deque[Shard[Item]] = field(default_factory=deque)
    _done: dict[int, Finished[Item, Result]] = field(default_factory=dict)

    def results(
        self, shards: Iterator[Shard[Item]], ordered: bool
    ) -> Iterator[Finished[Item, Result]]:
        """Start what there is room for, hand on what is done, wait; until nothing is left."""
        turn, more = 0, True
        while more or self._under_way or self._again or self._done:
            more = self._filled(shards) and more
            number = turn if ordered else next(iter(self._done), turn)
            if number in self._done:
                yield self._done.pop(number)
                turn += 1
            elif self._under_way:
                self._gather(block=True)

    def _filled(self, shards: Iterator[Shard[Item]]) -> bool:
        """Keep all workers busy, as far as there is room; False when the input has ended."""
        while self._again:
            self._start(self._again.popleft())
        workers = len(self.crew)
        while len(self._under_way) < workers and len(self._done) < 2 * workers:
            shard = next(shards, None)
            if shard is None:
                return False
            self._start(shard)
            self._gather(block=False)
        return True

    def _start(self, shard: Shard[Item]) -> None:
        self._under_way[shard.number] = shard, self.crew.start(self.task, shard.items)

    def _gather(self, block: bool) -> None:
        """Take what is done; with `block`, wait until something is."""
        if block:
            wait([under.future for _, under in self._under_way.values()], None, FIRST_COMPLETED)
        ended = [n for n, (_, under) in self._under_way.items() if under.future.done()]
        for number in ended:
            shard, under = self._under_way.pop(number)
            if under.died:
                self.crew.deaths += 1
                self._again.append(self._reconsidered(shard))
            else:
                self._done[number] = Finished(number, shard.items, under.future.result())

    def _reconsidered(self, shard: Shard[Item]) -> Shard[Item]:
        """The shard whose worker died, without what kills workers if that was not chance."""
        deaths = shard.deaths + 1
        if deaths >= _MOST_DEATHS:
            raise WorkerError(
                f"{deaths} workers died of the same work, though of no single item of it; is "
                "there memory enough for it? Try smaller parts"
            )
        items = shard.items
        if deaths % _TRIES == 0:
            guilty = self._guilty(items, 0, known=len(items) > 1)
            items = self.mend(items, guilty) if guilty else items
        return Shard(shard.number, items, deaths)

    def _guilty(self, items: Sequence[Item], first: int, known: bool = False) -> list[int]:
        """The places of those items that kill workers, found by halving."""
        if not known and not self._kills(items):
            return []
        if len(items) == 1:
            return [first]
        middle = len(items) // 2
        left = self._guilty(items[:middle], first)
        return left + self._guilty(items[middle:], first + middle)

    def _kills(self, items: Sequence[Item]) -> bool:
        """Whether workers die of these items again and again, which is no chance."""
        return all(self.crew.start(self.task, items).died for _ in range(_TRIES))


def refuse(items: Sequence[Item], guilty: Sequence[int]) -> Sequence[Item]:
    """Raise an error that tells which items kill workers."""
    shown = ", ".join(f"{items[index]!r:.200}" for index in guilty[:3])
    raise WorkerError(f"workers die of this, and it cannot be scored: {shown}")
