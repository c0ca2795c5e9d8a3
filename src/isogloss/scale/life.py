"""Signs of life of a worker: the processor time of its thread and of the programs it started.

A worker that is stopped, deadlocked or asleep uses none; one that computes, however slowly, does.
They are read from outside (``/proc``), so that work that never lets another thread run counts.
"""

from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")


def sign_of(process: int, thread: int | None = None) -> int | None:
    """A number that changes while a process, or one thread of it, gets on with its work.

    Programs that it started count as well. `None` where the system does not tell.
    """
    own = _fields(_PROC / str(process) / "task" / str(thread or process) / "stat")
    if own is None:
        return None
    return _ticks(own) + sum(map(_ticks, _offspring(process)))


def _offspring(process: int) -> Iterator[list[str]]:
    """What is said of all processes below one."""
    said = {p.name: _fields(p / "stat") for p in _PROC.iterdir() if p.name.isdecimal()}
    children: dict[str, list[str]] = {}
    for name, fields in said.items():
        if fields is not None:
            children.setdefault(fields[1], []).append(name)
    waiting = list(children.get(str(process), ()))
    while waiting:
        name = waiting.pop()
        yield said[name] or []
        waiting += children.get(name, ())


def _fields(path: Path) -> list[str] | None:
    """The fields behind the name, which may hold blanks: state, parent, and so on."""
    try:
        return path.read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None


def _ticks(fields: list[str]) -> int:
    """Processor time of a process and of those children of it that have ended."""
    return sum(map(int, fields[11:15]))
