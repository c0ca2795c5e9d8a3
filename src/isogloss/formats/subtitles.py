r"""Subtitles as SRT or WebVTT: every cue is a segment, the file one document, times are labels.

The lines of a cue are joined by a space. Markup (``<i>``, ``<v Anna>``, ``{\an8}``) is no part of
the text. Files with other cues than the source are cut anew: subtitlers merge and split. So are
those with as many cues, if one of them is not shown while the source's is.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from isogloss.errors import FormatError
from isogloss.formats.files import plain_suffix, read_lines
from isogloss.formats.protocol import Block, Side, SideFormat
from isogloss.wholes import Place

DOCUMENT = "subtitles"
"""The id of the one document, the same in all files, so that they fit each other."""

_TIME = r"(?:\d{1,4}:)?\d{1,2}:\d{2}[,.]\d{1,3}"
_ARROW = rf"[ \t]*+({_TIME})[ \t]*+-->[ \t]*+({_TIME})"
_TIMES = re.compile(rf"{_ARROW}(?:\s.*)?")
_SRT = re.compile(rf"\s*+\d+[ \t]*+\r?\n{_ARROW}")
_MARKUP = re.compile(r"</?[A-Za-z0-9][^<>]*+>|\{\\[^{}]*+\}")
_ENTITY = re.compile(r"&(?:amp|lt|gt|nbsp|lrm|rlm|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
_VTT = "WEBVTT"
_NO_CUE = (_VTT, "NOTE", "STYLE", "REGION")


def recognises(path: Path, head: str) -> bool:
    """By the first line of WebVTT, by the first cue of SRT, or by the name."""
    if path.is_dir():
        return False
    named = plain_suffix(path) in (".srt", ".vtt")
    return named or head.startswith(_VTT) or _SRT.match(head) is not None


@dataclass(frozen=True, slots=True)
class _Cue:
    """A text and when it is shown."""

    start: str
    end: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.start} --> {self.end}"

    @property
    def times(self) -> Place:
        return _milliseconds(self.start), _milliseconds(self.end)


def read(path: Path) -> Side:
    """The cues of a file, with their times as labels."""
    cues = list(_cues(path, read_lines(path)))
    if not cues:
        raise FormatError("there is no cue", path=path, remedy="a cue has a line with -->")
    return Side(
        path,
        tuple(cue.text for cue in cues),
        (Block(DOCUMENT, len(cues)),),
        labels=tuple(cue.label for cue in cues),
        times=tuple(cue.times for cue in cues),
    )


def _cues(path: Path, lines: list[str]) -> Iterator[_Cue]:
    is_vtt = lines[0].startswith(_VTT)
    for first, block in _blocks(lines):
        # A cue may have a number or a name above its times.
        at = next((at for at, line in enumerate(block[:2]) if "-->" in line), None)
        if at is not None:
            start, end = _times(path, first + at, block[at])
            text = _MARKUP.sub("", " ".join(line.strip() for line in block[at + 1 :])).strip()
            yield _Cue(start, end, _ENTITY.sub(_character, text) if is_vtt else text)
        elif not (is_vtt and block[0].startswith(_NO_CUE)):
            what = "text that belongs to no cue"
            raise FormatError(what, path=path, line=first, remedy="a cue has a line with -->")


def _blocks(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """What stands between blank lines, each with the number of its first line."""
    number = 1
    for shown, run in groupby(lines, lambda line: bool(line.strip())):
        block = list(run)
        if shown:
            yield number, block
        number += len(block)


def _times(path: Path, number: int, line: str) -> tuple[str, str]:
    found = _TIMES.fullmatch(line)
    if found is None:
        remedy = "times read 00:01:02,000 --> 00:01:04,500"
        raise FormatError(f"no times: {line.strip()!r:.60}", path=path, line=number, remedy=remedy)
    return found[1], found[2]


def _milliseconds(time: str) -> int:
    clock, _, fraction = time.replace(",", ".").partition(".")
    seconds = 0
    for number in clock.split(":"):
        seconds = 60 * seconds + int(number)
    return 1000 * seconds + int(fraction.ljust(3, "0"))


def _character(entity: re.Match[str]) -> str:
    return html.unescape(entity[0])


FORMAT = SideFormat(
    name="subtitles",
    description="SRT or WebVTT, one segment per cue",
    recognises=recognises,
    read=lambda path, _role, _options: read(path),
)
