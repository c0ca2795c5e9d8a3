"""Standard output and error as they are found: closed, full, of another encoding, or left alone."""

import codecs
import errno
import io
import os
import sys
from contextlib import suppress

from isogloss.errors import shown_path

_SPELLED = "isogloss.spelled"
_SPELLINGS = {
    "→": "->",
    "←": "<-",
    "↑": "^",
    "↓": "v",
    "–": "-",
    "—": "-",
    "−": "-",
    "·": "-",
    "•": "*",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
    "×": "x",
    "∅": "0",
    "τ": "tau",
    "ρ": "rho",
    "α": "alpha",
    "Δ": "delta",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
}


def prepare() -> None:
    """Make both streams safe to write to; called once, before anything is printed."""
    _open_closed()
    codecs.register_error(_SPELLED, _spelled)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Signs that a terminal of another encoding lacks are spelled, not the end of a run.
            stream.reconfigure(errors=_SPELLED)


def print_text(text: str) -> None:
    """Print what programs read: always UTF-8, whatever the terminal's encoding is."""
    if codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8":
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def discard_output() -> None:
    """Point standard output elsewhere, so that Python does not complain while it shuts down."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_UNWRITABLE = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file is too large",
    errno.EBADF: "it is closed",
    errno.EIO: "the device fails",
}


def trouble(error: OSError) -> str:
    """An error of the system in words, for one line."""
    if error.filename is not None:
        return f"{shown_path(os.fsdecode(error.filename))}: {error.strerror}"
    if error.errno in _UNWRITABLE:
        return f"standard output cannot be written ({_UNWRITABLE[error.errno]})"
    return error.strerror or str(error)


def _open_closed() -> None:
    """Give closed streams their numbers back, lest the next file that is opened becomes one.

    Standard output is opened for reading, so that whoever prints a result learns that it is lost.
    """
    if sys.stdin is None:
        sys.stdin = open(os.open(os.devnull, os.O_RDONLY))  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")  # noqa: SIM115


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: a sign by its spelling, any other character by its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    return "".join(map(_spelling, characters)), error.end


def _spelling(character: str) -> str:
    return _SPELLINGS.get(character) or character.encode("ascii", "backslashreplace").decode()
