"""How far a long run has come: bars, finished metrics and estimates on standard error."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from isogloss.cli.output import note, say
from isogloss.documents import counted
from isogloss.runtime import Step
from isogloss.tables import decimals

if TYPE_CHECKING:
    from isogloss.scale import CorpusSummary


class _RateColumn(ProgressColumn):
    """Segments per second, of late."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if speed is None:
            return Text("–/s", style="progress.data.speed")
        return Text(f"{speed:,.{0 if speed >= 10 else 1}f}/s", style="progress.data.speed")


Remedies = Callable[[str], str]
"""What would make a metric, by its name, faster; empty where nothing would."""


@contextmanager
def progress_bar(
    quiet: bool, metrics: int = 1, faster: Remedies = lambda _: ""
) -> Iterator[Callable[[Step], None] | None]:
    """A bar per metric on standard error, with speed and time left; lines where nobody looks.

    Of a run that takes long, lines tell how long it will take and what finished metrics found.
    """
    if quiet:
        yield None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Herald(say, metrics, faster)
        return
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("segments"),
        _RateColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        tasks: dict[str, TaskID] = {}
        herald = Herald(lambda line: bar.console.print(note(line)), metrics, faster)

        def report(step: Step) -> None:
            if step.metric not in tasks:
                tasks[step.metric] = bar.add_task(step.metric, total=step.total)
            bar.update(tasks[step.metric], completed=step.done)
            herald(step)

        yield report


@contextmanager
def rows_bar(quiet: bool) -> Iterator[Callable[["CorpusSummary"], None] | None]:
    """How many rows of a corpus are done, and how fast; a line a minute where nobody looks."""
    if quiet:
        yield None
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        yield RowsHerald(say)
        return
    with Progress(
        TextColumn("{task.completed:,} rows"),
        _RateColumn(),
        TextColumn("{task.fields[kept]:,} kept"),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task("rows", total=None, kept=0)

        def report(summary: "CorpusSummary") -> None:
            total = summary.rows / summary.share if summary.share else None
            bar.update(task, completed=summary.rows, total=total, kept=summary.kept)

        yield report


@dataclass
class RowsHerald:
    """Tells now and again how many rows of a corpus are done."""

    say: Callable[[str], None]
    clock: Callable[[], float] = monotonic
    _told: tuple[float, int] | None = None  # when, and how many rows

    def __call__(self, summary: "CorpusSummary") -> None:
        """Hear of what is known so far."""
        now = self.clock()
        if self._told is None:  # rows of an earlier run tell nothing of the speed
            self._told = now, summary.rows
            return
        since, before = self._told
        if now - since >= LONG:
            speed = (summary.rows - before) / (now - since)
            left = summary.rows / summary.share - summary.rows if summary.share else 0.0
            more = f", about {duration(left / speed)} more" if left and speed else ""
            self.say(f"{summary.rows:,} rows, {summary.kept:,} kept, {speed:,.0f} a second{more}")
            self._told = now, summary.rows


_PATIENCE = 10.0  # seconds; whoever waits longer wants to know more
LONG = 60.0  # seconds that are worth a warning
_WATCHED = 10.0  # seconds after which a rate can be told
_MOST_SYSTEMS = 5


@dataclass
class Herald:
    """Tells of a long run what its metrics found as they end, and how long they will take."""

    say: Callable[[str], None]
    metrics: int = 1
    faster: Remedies = lambda _: ""
    clock: Callable[[], float] = monotonic
    _seen: dict[str, tuple[float, int]] = field(default_factory=dict)  # when, and how much
    _estimated: set[str] = field(default_factory=set)
    _finished: int = 0

    def __post_init__(self) -> None:
        self._begun = self.clock()

    def __call__(self, step: Step) -> None:
        """Hear of a step."""
        if step.scores is not None:
            self._tell_scores(step.metric, step.scores)
        elif step.metric not in self._estimated:
            self._tell_estimate(step)

    def _tell_scores(self, metric: str, scores: Mapping[str, float | None]) -> None:
        self._finished += 1
        if self._finished < self.metrics and self.clock() - self._begun >= _PATIENCE:
            self.say(f"{metric} is done: {_shown(scores)}")

    def _tell_estimate(self, step: Step) -> None:
        # From the first step on: what came before it, such as loading a model, is over.
        when, before = self._seen.setdefault(step.metric, (self.clock(), step.done))
        taken, done = self.clock() - when, step.done - before
        if taken < _WATCHED or not done:
            return
        self._estimated.add(step.metric)
        left = taken * (step.total - step.done) / done
        if left >= LONG:
            remedy = self.faster(step.metric)
            self.say(
                f"{step.metric} will take about {duration(left)} more "
                f"({counted(step.total - step.done, 'segment')} at {done / taken:,.1f} a second)"
                f"{f'; faster: {remedy}' if remedy else ''}"
            )


def _shown(scores: Mapping[str, float | None]) -> str:
    known = {system: score for system, score in scores.items() if score is not None}
    digits = decimals(known.values())
    told = [f"{system} {score:.{digits}f}" for system, score in known.items()][:_MOST_SYSTEMS]
    more = len(known) - len(told)
    return ", ".join(told) + (f" and {more} more" if more else "")


def duration(seconds: float) -> str:
    """'2 minutes', '3 hours': as exact as a guess can be."""
    unit, size = ("hour", 3600) if seconds >= 2 * 3600 else ("minute", 60)
    return counted(max(1, round(seconds / size)), unit)
