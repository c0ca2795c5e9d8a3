"""Where outputs go: a file appears whole or not at all, and nothing else is ever replaced.

Every output of isogloss is written here. What lies at a path decides how:

- A file, or nothing yet: the content goes to a file beside it, is brought to the disk, and takes
  its place in one step, with the permissions of what was there. Symbolic links stay, and the file
  at their end is written. Folders that are missing on the way are made.
- A device, a pipe or a socket: it is written to as it is, for it cannot be replaced.
- A folder: refused.

Whatever goes wrong is an `InputError` that names the path.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from isogloss.errors import InputError, shown_path


def write_file(path: Path, data: bytes) -> None:
    """Write the content of a file: all of it or nothing."""
    with told(path):
        if (stream := _stream_at(path)) is not None:
            _pour(stream, data)
            return
        with _unfinished(path) as beside:
            _write_new(beside, data)


@contextmanager
def file_to_be(path: Path) -> Iterator[Path]:
    """A path for who must write by itself: what is there at the end becomes the file."""
    with told(path):
        if path.exists() and not path.is_file():
            raise InputError(f"{shown_path(path)}: is no file, and is not replaced by one")
        with _unfinished(path) as beside:
            yield beside
            _sync(beside)


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write the files of a folder, by their names in it; a new folder appears whole or not at all.

    In a folder that is there already they are written one after another, each of them whole.
    """
    with told(folder):
        if os.path.lexists(folder):
            for name, data in contents.items():
                write_file(folder / name, data)
            return
        with folder_to_be(folder) as beside:
            for name, data in contents.items():
                file = beside / name
                file.parent.mkdir(parents=True, exist_ok=True)
                _write_new(file, data)


@contextmanager
def folder_to_be(folder: Path) -> Iterator[Path]:
    """An empty folder that takes its place when all went well; one that was there goes then."""
    target = Path(os.path.realpath(folder))
    if target.exists() and not target.is_dir():
        raise InputError(f"{shown_path(folder)}: is no folder, and is not replaced by one")
    beside, old = _beside(target), _beside(target)
    with told(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        beside.mkdir()
    try:
        yield beside
        with told(folder):
            if target.exists():
                target.rename(old)
            beside.rename(target)
    finally:
        if old.exists() and not target.exists():
            old.rename(target)
        for leftover in (beside, old):
            shutil.rmtree(leftover, ignore_errors=True)


def make_folder(path: Path) -> None:
    """Make a folder with those above it, unless it is there."""
    with told(path):
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turns what the system says into an error that names the path and the reason."""
    if "\0" in str(path):
        raise InputError(f"{shown_path(path)}: is not a possible file name (a NUL character)")
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
        raise InputError(f"{shown_path(path)}: cannot be written ({reason})") from error


_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "permission denied",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EEXIST: "a part of its path is a file, not a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "its symbolic links go round in a circle",
    errno.EPIPE: "nobody reads from the pipe any more",
}


def _stream_at(path: Path) -> int | None:
    """A descriptor of what can be written to but not replaced; `None` if a file may lie there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    for standard in (1, 2):  # /dev/stdout may be a file, of which some is written already
        with suppress(OSError):
            if os.path.samestat(found, os.fstat(standard)):
                return os.dup(standard)
    if stat.S_ISREG(found.st_mode):
        return None
    return os.open(path, os.O_WRONLY)


def _pour(stream: int, data: bytes) -> None:
    with os.fdopen(stream, "wb") as device:
        device.write(data)


_EFFECTIVE_IDS = os.access in os.supports_effective_ids


@contextmanager
def _unfinished(path: Path) -> Iterator[Path]:
    """A path beside the file's own; what lies there at the end takes the file's place."""
    target = Path(os.path.realpath(path))
    before = target.stat() if os.path.lexists(target) else None
    if before is not None and not os.access(target, os.W_OK, effective_ids=_EFFECTIVE_IDS):
        raise PermissionError(errno.EACCES, "the file is write-protected")
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(target)
    try:
        yield beside
        if before is not None:
            _keep_owner_and_permissions(beside, before)
        beside.replace(target)
        _sync(target.parent)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _beside(target: Path) -> Path:
    # A name of its own rather than one made of the target's, which may be as long as names can be.
    return target.with_name(f".isogloss-{token_hex(8)}.part")


def _keep_owner_and_permissions(path: Path, before: os.stat_result) -> None:
    with suppress(OSError):  # only the superuser may give files away
        os.chown(path, before.st_uid, before.st_gid)
    path.chmod(stat.S_IMODE(before.st_mode))


def _write_new(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    """Bring a file or the names in a folder to the disk, where the file system can."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
