"""The folder that a scored corpus is written to: every row in it once, whatever is killed when.

::

    job.json                what is done: inputs, metrics with their signatures, what is kept
    part-000000.jsonl       rows, in parts that each hold the same rows however often one tries
    done/000000.json        written behind its part: the part is whole
    summary.json            written last: all parts are there

A part that has no note in ``done/`` is written again, over what may lie there; one that has is
never touched, and the note knows a digest of the rows it was made from.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isogloss.destination import make_folder, write_file
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_text
from isogloss.notation import json_value
from isogloss.scale.rows import RawRow
from isogloss.scale.scoring import Part, Problem, Tally

Job = Mapping[str, Any]
_JOB, _DONE, _SUMMARY = "job.json", "done", "summary.json"
_UNFINISHED = ".isogloss-*.part"  # as isogloss.destination calls what it writes


@dataclass(frozen=True, slots=True)
class Note:
    """What is known of a part that is on disk."""

    part: int
    digest: str
    rows: int
    kept: int
    tallies: Mapping[str, Tally]
    problems: tuple[Problem, ...] = ()

    @classmethod
    def read(cls, path: Path) -> "Note":
        """From its file."""
        try:
            found = _object(path)
            tallies = {
                name: Tally() if not tally["scored"] else _tally(tally)
                for name, tally in found.pop("tallies").items()
            }
            problems = tuple(Problem(**problem) for problem in found.pop("problems"))
            return cls(tallies=tallies, problems=problems, **found)
        except (TypeError, KeyError, AttributeError, ValueError):
            raise FormatError(
                "is no note of a part", path=path, remedy="delete it: the part is made again"
            ) from None

    def record(self) -> dict[str, Any]:
        """What is written down."""
        record = asdict(self)
        for tally in record["tallies"].values():
            if not tally["scored"]:  # infinity is no JSON
                tally["least"] = tally["most"] = None
        return record


def _tally(found: dict[str, Any]) -> Tally:
    counts = {float(value): count for value, count in found.pop("counts").items()}
    return Tally(**found, counts=counts)


class Parts:
    """The parts in a folder: those that are done, and those that come."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self.folder, self._suffix = folder, suffix
        self._digests: dict[int, str] = {}

    def begin(self, job: Job) -> None:
        """Start a job, or go on with one; another job in a folder that holds parts is refused.

        A job that ended before its first part, by a wrong option, say, leaves the folder to others.
        """
        make_folder(self._done_folder)
        described = self.folder / _JOB
        has_parts = any(self.folder.glob("part-*"))
        if described.is_file() and (has_parts or (self.folder / _SUMMARY).exists()):
            _refuse_another(described, _object(described), job)
        elif has_parts:
            raise InputError(
                f"{self.folder}: holds parts, but no {_JOB} that says of what; "
                "name another folder, or remove it"
            )
        else:
            write_file(described, _json(job))
        self._sweep()
        self._digests = {note.part: note.digest for note in self.notes()}

    def notes(self) -> Iterator[Note]:
        """What is known of the parts that are done, in their order."""
        return map(Note.read, sorted(self._done_folder.glob("*.json")))

    def _sweep(self) -> None:
        """Remove what a killed process left half-written."""
        for leftover in [
            *self.folder.glob(_UNFINISHED),
            *self._done_folder.glob(_UNFINISHED),
        ]:
            leftover.unlink(missing_ok=True)

    @property
    def _done_folder(self) -> Path:
        return self.folder / _DONE

    def path(self, number: int) -> Path:
        """Where a part lies."""
        return self.folder / f"part-{number:06}.{self._suffix}"

    def missing(
        self, blocks: Iterator[tuple[RawRow, ...]]
    ) -> Iterator[tuple[int, tuple[RawRow, ...]]]:
        """The blocks whose parts are not there yet, with their numbers."""
        for number, block in enumerate(blocks):
            made_from = self._digests.get(number)
            if made_from is None:
                yield number, block
            elif made_from != digest(block):
                first = block[0]
                raise InputError(
                    f"{self.path(number)} was made from other rows than those from "
                    f"{first.origin.shown}:{first.number} on; the input has changed: name "
                    "another folder"
                )

    def add(self, number: int, block: Sequence[RawRow], part: Part) -> Note:
        """Put a part on disk, and then the note that says so."""
        write_file(self.path(number), part.data)
        note = Note(number, digest(block), part.rows, part.kept, part.tallies, part.problems)
        write_file(self._done_folder / f"{number:06}.json", _json(note.record()))
        return note

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write that all parts are there."""
        write_file(self.folder / _SUMMARY, _json(summary))


def digest(block: Sequence[RawRow]) -> str:
    """What identifies the rows of a block."""
    state = hashlib.blake2b(digest_size=16)
    for row in block:
        content = row.content
        data = content if isinstance(content, bytes) else repr(content).encode()
        state.update(len(data).to_bytes(8, "little"))
        state.update(data)
    return state.hexdigest()


def _refuse_another(path: Path, found: Job, job: Job) -> None:
    """Go on only with the same job: else rows of two would lie side by side."""
    for key in dict.fromkeys((*found, *job)):
        before, now = found.get(key), json.loads(json.dumps(job.get(key)))
        if before != now:
            raise InputError(
                f"{path.parent} was begun with {key} {before!r}, not {now!r}; name another folder, "
                "or ask for the same"
            )


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _object(path: Path) -> dict[str, Any]:
    value = json_value(read_text(path), path)
    if not isinstance(value, dict):
        raise FormatError("is no JSON object", path=path)
    return value
