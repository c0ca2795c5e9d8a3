"""How far a long run has come: bars on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from isogloss.runtime import Step


class _RateColumn(ProgressColumn):
    """Segments per second, of late."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if speed is None:
            return Text("–/s", style="progress.data.speed")
        return Text(f"{speed:,.{0 if speed >= 10 else 1}f}/s", style="progress.data.speed")


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[Step], None] | None]:
    """A bar per metric on standard error, with speed and time left; nothing where nobody looks."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
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

        def report(step: Step) -> None:
            if step.metric not in tasks:
                tasks[step.metric] = bar.add_task(step.metric, total=step.total)
            bar.update(tasks[step.metric], completed=step.done)

        yield report
