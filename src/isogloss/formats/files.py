"""Text files as they come: compressed or not, with or without BOM, CRLF or LF.

Lines end at ``\\n`` (or ``\\r\\n``) and nowhere else: U+2028, U+0085, form feeds and lone carriage
returns stay inside their segment, because a reader that splits there shifts every line after it.
"""

import gzip
import lzma
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from isogloss.errors import FormatError, InputError

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
COMPRESSED = (".gz", ".xz", ".zst")


def read_text(path: Path) -> str:
    """The whole file as text, decompressed and decoded from UTF-8, without its BOM."""
    return _decoded(read_bytes(path), path)


def read_lines(path: Path) -> list[str]:
    """The file's lines without their ends; a final newline does not begin another line."""
    text = read_text(path)
    if not text:
        raise FormatError("the file is empty", path=path, remedy="expected one segment per line")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_bytes(path: Path) -> bytes:
    """The file's bytes, decompressed; the content decides, not the name."""
    with _decompressing(path) as stream:
        return stream.read()


def read_head(path: Path, characters: int = 8192) -> str:
    """The first characters of a file, as far as they are text: for recognising its format."""
    with _decompressing(path) as stream:
        return stream.read(characters).decode("utf-8-sig", errors="replace")


@contextmanager
def _decompressing(path: Path) -> Iterator[IO[bytes]]:
    """The decompressed stream of a file, with every failure to read it told as a FormatError."""
    try:
        with path.open("rb") as raw, _decompressed(raw) as stream:
            yield stream
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise _unreadable(path, error) from error
    except (OSError, EOFError, lzma.LZMAError, zstandard.ZstdError) as error:
        raise FormatError(
            f"cannot be decompressed ({error})", path=path, remedy="is the file complete?"
        ) from error


@contextmanager
def _decompressed(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    magic = raw.read(6)
    raw.seek(0)
    kind = next((kind for mark, kind in _MAGIC.items() if magic.startswith(mark)), None)
    if kind == "gz":
        with gzip.open(raw) as stream:
            yield cast(IO[bytes], stream)
    elif kind == "xz":
        with lzma.open(raw) as stream:
            yield cast(IO[bytes], stream)
    elif kind == "zst":
        yield zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
    else:
        yield raw


def _unreadable(path: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return FormatError("no such file", path=path)
    if isinstance(error, IsADirectoryError):
        return FormatError("is a folder, a file is needed here", path=path)
    return FormatError("may not be read", path=path, remedy="check its permissions")


def _decoded(data: bytes, path: Path) -> str:
    remedy = "expected UTF-8 text (plain, or compressed as gz, xz or zst)"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {data[error.start]:#04x} is not UTF-8",
            path=path,
            line=data.count(b"\n", 0, error.start) + 1,
            remedy=remedy,
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError("a NUL byte: this is a binary file", path=path, line=line, remedy=remedy)
    return text


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines with ``\\n`` ends, compressed as the name says (.gz, .xz, .zst)."""
    write_text(path, "".join(line + "\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    """Write text as UTF-8, compressed as the name says, all of it or nothing."""
    data = text.encode("utf-8")
    match path.suffix:
        case ".gz":
            data = gzip.compress(data, mtime=0)  # no timestamp: equal texts give equal files
        case ".xz":
            data = lzma.compress(data)
        case ".zst":
            data = zstandard.ZstdCompressor().compress(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_bytes(data)
    unfinished.replace(path)


def plain_suffix(path: Path) -> str:
    """The suffix that tells the format: of ``a.tsv.xz`` it is ``.tsv``."""
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.suffix.lower()


def plain_stem(path: Path) -> str:
    """The name without folder, compression and format suffix: of ``x/a.tsv.xz`` it is ``a``."""
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.stem
