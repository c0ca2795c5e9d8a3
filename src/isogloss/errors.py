"""Every error that isogloss raises on purpose, as one tree.

    IsoglossError
    ├── InputError          what was given cannot be used
    │   ├── FormatError     a file does not hold what its format promises
    │   └── MismatchError   parts that must fit together do not
    ├── MetricError         a metric cannot do what was asked
    │   ├── MetricNameError     no such metric, or its name does not parse
    │   ├── MetricOptionError   the metric has no such option, or not that value
    │   └── NotApplicableError  the metric needs what this test set does not have
    ├── MissingExtraError   an optional dependency is not installed
    └── WorkerError         other processes or machines cannot do the work

A message says what is wrong, where, and what to do about it. The library raises; only the
command line prints.
"""

from collections.abc import Sequence
from pathlib import Path

__all__ = [
    "FormatError",
    "InputError",
    "IsoglossError",
    "MetricError",
    "MetricNameError",
    "MetricOptionError",
    "MismatchError",
    "MissingExtraError",
    "NotApplicableError",
    "WorkerError",
]


_LONGEST_NAME = 255  # of a file, on the file systems that people have


def shown_path(path: str | Path) -> str:
    """The path as a message shows it: whole, but for names that no file can have."""
    parts = str(path).split("/")
    return "/".join(p if len(p) <= _LONGEST_NAME else f"{p[:40]}…{p[-20:]}" for p in parts)


class IsoglossError(Exception):
    """The root of the tree: catch this to catch all of them.

    `lacking` names the arguments that would have helped (``target_language``); how they are given
    is for the program to say.
    """

    def __init__(self, message: str = "", *, lacking: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.lacking = tuple(lacking)


class InputError(IsoglossError):
    """What was given cannot be used."""


class FormatError(InputError):
    """A file does not hold what its format promises.

    Prints as ``path:line: what is wrong; what to do``, the form editors can jump to.
    """

    def __init__(
        self,
        what: str,
        *,
        path: str | Path,
        line: int | None = None,
        remedy: str = "",
        lacking: Sequence[str] = (),
    ) -> None:
        self.what, self.path, self.line, self.remedy = what, str(path), line, remedy
        where = shown_path(path) if line is None else f"{shown_path(path)}:{line}"
        told = f"{where}: {what}" + (f"; {remedy}" if remedy else "")
        super().__init__(told, lacking=lacking)

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only arguments do not survive pickling by themselves, and worker processes
        # must be able to hand this error back.
        told = (self.what, self.path, self.line, self.remedy, self.lacking)
        return _rebuild_format_error, told


def _rebuild_format_error(
    what: str, path: str, line: int | None, remedy: str, lacking: tuple[str, ...]
) -> FormatError:
    return FormatError(what, path=path, line=line, remedy=remedy, lacking=lacking)


class MismatchError(InputError):
    """Parts that must fit together (documents, segments, systems) do not."""


class MetricError(IsoglossError):
    """A metric cannot do what was asked."""


class MetricNameError(MetricError):
    """No such metric, or its name does not parse."""


class MetricOptionError(MetricError):
    """The metric has no such option, or the option does not take that value."""


class NotApplicableError(MetricError):
    """The metric needs something that this test set does not have."""


class MissingExtraError(IsoglossError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(f"{what}; pip install 'isogloss[{extra}]'")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.extra)


class WorkerError(IsoglossError):
    """Other processes or machines cannot do the work: they die of it, or there are none."""
