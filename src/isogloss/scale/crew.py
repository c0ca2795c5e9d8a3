"""Workers that share work in shards, whatever they are: processes here, or actors of a cluster.

A crew gives every worker one shard at a time and takes little more from the input than its workers
are busy with, so a stream of any length stays a stream. Whoever waits for a worker waits for any
of them: several streams of shards may be under way on one crew.

A shard whose worker dies is given to another one. If that dies too, something in the shard may be
poisonous: its items are tried in halves until those that kill are known. They are handed to the
caller's `mend`, which raises, or puts something harmless in their place; nothing is tried for ever.

A worker that hangs is ended, which is a death like any other. It hangs if it gives no sign of life
for long (`isogloss.scale.life`): slow work that goes on is never taken for it, unless a shard's
time is limited. Whoever is waited for longer than the others is told of.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from isogloss.documents import counted
from isogloss.errors import WorkerError
from isogloss.scale.intake import Ask, at_once
from isogloss.scale.watch import Patience, Tell, WorkerWatch

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

    def sign(self) -> object:
        """Something that changes while it gets on with its work; `None` if that is not known.

        Asked now and then; does not wait.
        """

    def end(self) -> None:
        """Kill it, so that what it is doing ends as by a death."""

    def dismiss(self) -> None:
        """Stop it."""


class WorkerPlaces(Protocol):
    """Where workers come from."""

    def count(self) -> int:
        """How many workers there is room for now: machines come and go."""

    def worker(self) -> Worker:
        """One more."""


@dataclass(frozen=True, slots=True)
class Shard(Generic[Item, Result]):
    """Some of the work, by its place in the stream of shards."""

    number: int
    task: Task[Item, Result]
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


Intake = Callable[[Iterator[Shard[Item, Result]]], Ask[Shard[Item, Result]]]
"""How a stream of shards is read (`isogloss.scale.intake`)."""


@dataclass(slots=True)
class _Post:
    """A worker's place: what it is doing, or starting to do."""

    worker: Worker
    doing: "Future[Any]"
    renewing: bool = True
    watch: WorkerWatch | None = None

    @property
    def gone(self) -> bool:
        """Whether its worker has not come, or come back, yet."""
        return self.renewing and not self.doing.done()


_TRIES = 2  # deaths that are no chance: the items of such a shard are tried one by one
_MOST_DEATHS = 10  # of one shard, whatever they were of
_LOOK = 5.0  # seconds between two looks at workers that are busy
_MUSTER = 15.0  # seconds between two questions how many workers there is room for


class Crew(AbstractContextManager["Crew"]):
    """Workers, and the shards that they are busy with."""

    def __init__(
        self, places: WorkerPlaces, patience: Patience | None = None, tell: Tell | None = None
    ) -> None:
        self._places, self._patience, self._tell = places, patience or Patience(), tell
        self._posts = [self._hired() for _ in range(places.count())]
        self._looked = self._mustered = time.monotonic()
        self._taken: deque[float] = deque(maxlen=99)  # seconds of the latest shards
        self.deaths = 0  # of shards whose worker died, so far
        self.busy = 0.0  # seconds that workers had shards which were done, all together

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
        name: Callable[[Sequence[Item]], str] | None = None,
        intake: Intake[Item, Result] = at_once,
    ) -> Iterator[Finished[Item, Result]]:
        """The results of all shards, in their order or as they come; `name` is what to call one.

        A shard that waits for an earlier one counts as under way, so a slow shard holds the input
        up rather than fill the memory.
        """
        jobs = ((task, items) for items in shards)
        return self.run_all(jobs, ordered=ordered, mend=mend, name=name, intake=intake)

    def run_all(
        self,
        jobs: Iterable[tuple[Task[Item, Result], Sequence[Item]]],
        *,
        ordered: bool = True,
        mend: Mend[Item] | None = None,
        name: Callable[[Sequence[Item]], str] | None = None,
        intake: Intake[Item, Result] = at_once,
    ) -> Iterator[Finished[Item, Result]]:
        """The same of shards that each have a task of their own.

        In order, an error of a shard is raised when its turn comes.
        """
        numbered = (Shard(number, task, items) for number, (task, items) in enumerate(jobs))
        return _Run(self, mend or refuse, name or _counted, intake(numbered)).results(ordered)

    def start(
        self, task: Task[Item, Result], items: Sequence[Item], name: str = ""
    ) -> "_Under[Result]":
        """Give a shard to the first worker that is free."""
        post = self._free()
        post.doing = post.worker.submit(task, items)
        post.watch = WorkerWatch(name, time.monotonic())
        return _Under(post.worker, post.doing, post.watch)

    def wait(self, futures: Collection["Future[Any]"], seconds: float | None = None) -> bool:
        """Wait until one of them is done, with an eye on the workers; False after `seconds`."""
        until = None if seconds is None else time.monotonic() + seconds
        pause = min(_LOOK, self._patience.silence / 4)
        while not any(future.done() for future in futures):
            if until is not None and time.monotonic() >= until:
                return False
            wait(futures, pause, FIRST_COMPLETED)
            self.look()
        return True

    def look(self) -> None:
        """End workers that hang, tell of slow ones, and see whether machines have come or gone."""
        now = time.monotonic()
        if now - self._mustered >= _MUSTER:
            self._mustered = now
            self._muster(self._places.count())
        if now - self._looked < min(_LOOK, self._patience.silence / 4):
            return
        self._looked = now
        for post in self._posts:
            if post.watch is not None and not post.renewing and not post.doing.done():
                self._look_at(post.worker, post.watch, now)

    def finished(self, under: "_Under[Any]") -> None:
        """Remember how long a shard took."""
        taken = time.monotonic() - under.watch.begun
        self._taken.append(taken)
        self.busy += taken

    def _look_at(self, worker: Worker, watch: WorkerWatch, now: float) -> None:
        watch.see(worker.sign(), now)
        why = watch.hangs(self._patience, now)
        if why and not watch.ended:
            watch.ended = True
            self._say(f"{watch.name}: {why}; its worker is started again")
            worker.end()
        elif watch.is_news(self._taken, now):
            self._say(f"{watch.name}: {watch.told(self._taken, now)}")

    def _say(self, text: str) -> None:
        if self._tell is not None:
            self._tell(text)

    def _muster(self, room: int) -> None:
        """Hire where there is room; let those go that have no machine to come back on."""
        for post in [post for post in self._posts if post.gone]:
            if len(self._posts) > max(room, 1):
                self._posts.remove(post)
                with suppress(Exception):
                    post.worker.dismiss()
        self._posts += [self._hired() for _ in range(room - len(self._posts))]

    def _hired(self) -> _Post:
        worker = self._places.worker()
        return _Post(worker, worker.begin())

    def _free(self) -> _Post:
        begun = time.monotonic()
        while True:
            for post in self._posts:
                if post.doing.done() and self._ready(post):
                    return post
            self.wait([post.doing for post in self._posts], self._patience.start / 60)
            waited = time.monotonic() - begun
            if waited > self._patience.start and all(post.renewing for post in self._posts):
                raise WorkerError(
                    f"no worker could be started for {self._patience.start:.0f} seconds; are there "
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
        post.renewing, post.watch = True, None
        post.doing = post.worker.begin()
        return False

    def died(self, under: "_Under[Any]") -> bool:
        """Whether its worker died of a shard, or with it; waits until it is done."""
        self.wait([under.future])
        error = under.future.exception()
        return error is not None and under.worker.died(error)


@dataclass(frozen=True, slots=True)
class _Under(Generic[Result]):
    """A shard under way."""

    worker: Worker
    future: "Future[Result]"
    watch: WorkerWatch


@dataclass
class _Run(Generic[Item, Result]):
    """One stream of shards through a crew."""

    crew: Crew
    mend: Mend[Item]
    name: Callable[[Sequence[Item]], str]
    ask: Ask[Shard[Item, Result]]
    _asked: "Future[Shard[Item, Result] | None] | None" = None
    _ended: bool = False  # the input
    _under_way: dict[int, tuple[Shard[Item, Result], _Under[Result]]] = field(default_factory=dict)
    _again: deque[Shard[Item, Result]] = field(default_factory=deque)
    _done: dict[int, tuple[Sequence[Item], "Future[Result]"]] = field(default_factory=dict)

    def results(self, ordered: bool) -> Iterator[Finished[Item, Result]]:
        """Start what there is room for, hand on what is done, wait; until nothing is left."""
        turn = 0
        while not self._ended or self._under_way or self._again or self._done:
            self._fill()
            number = turn if ordered else next(iter(self._done), turn)
            if number in self._done:
                items, future = self._done.pop(number)
                yield Finished(number, items, future.result())
                turn += 1
            elif self._under_way or self._asked:
                self._gather(block=True)

    def _fill(self) -> None:
        """Keep all workers busy, as far as there is room and the input has something."""
        while self._again:
            self._start(self._again.popleft())
        workers = len(self.crew)
        while len(self._under_way) < workers and len(self._done) < 2 * workers and not self._ended:
            asked = self._asked = self._asked or self.ask()
            if not asked.done():
                return
            self._asked, shard = None, asked.result()
            if shard is None:
                self._ended = True
            else:
                self._start(shard)
                self._gather(block=False)

    def _start(self, shard: Shard[Item, Result]) -> None:
        under = self.crew.start(shard.task, shard.items, self.name(shard.items))
        self._under_way[shard.number] = shard, under

    def _gather(self, block: bool) -> None:
        """Take what is done; with `block`, wait until something is."""
        self.crew.look()
        if block:
            waits_for: list[Future[Any]] = [u.future for _, u in self._under_way.values()]
            self.crew.wait(waits_for if self._asked is None else [*waits_for, self._asked])
        ended = [n for n, (_, under) in self._under_way.items() if under.future.done()]
        for number in ended:
            shard, under = self._under_way.pop(number)
            if self.crew.died(under):
                self.crew.deaths += 1
                self._again.append(self._reconsidered(shard))
            else:
                self.crew.finished(under)
                self._done[number] = shard.items, under.future

    def _reconsidered(self, shard: Shard[Item, Result]) -> Shard[Item, Result]:
        """The shard whose worker died, without what kills workers if that was not chance."""
        deaths = shard.deaths + 1
        if deaths >= _MOST_DEATHS:
            raise WorkerError(
                f"{deaths} workers died of the same work, though of no single item of it; is "
                "there memory enough for it? Try smaller parts"
            )
        items = shard.items
        if deaths % _TRIES == 0:
            guilty = self._guilty(shard.task, items, 0, known=len(items) > 1)
            items = self.mend(items, guilty) if guilty else items
        return replace(shard, items=items, deaths=deaths)

    def _guilty(
        self, task: Task[Item, Result], items: Sequence[Item], first: int, known: bool = False
    ) -> list[int]:
        """The places of those items that kill workers, found by halving."""
        if not known and not self._kills(task, items):
            return []
        if len(items) == 1:
            return [first]
        middle = len(items) // 2
        left = self._guilty(task, items[:middle], first)
        return left + self._guilty(task, items[middle:], first + middle)

    def _kills(self, task: Task[Item, Result], items: Sequence[Item]) -> bool:
        """Whether workers die of these items again and again, which is no chance."""
        name = self.name(items)
        return all(self.crew.died(self.crew.start(task, items, name)) for _ in range(_TRIES))


def _counted(items: Sequence[Any]) -> str:
    return f"a shard of {counted(len(items), 'item')}"


def refuse(items: Sequence[Item], guilty: Sequence[int]) -> Sequence[Item]:
    """Raise an error that tells which items kill workers."""
    shown = ", ".join(f"{items[index]!r:.200}" for index in guilty[:3])
    raise WorkerError(f"workers die of this, or hang, and it cannot be scored: {shown}")
