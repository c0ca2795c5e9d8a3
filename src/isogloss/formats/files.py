"""Text files as they come: compressed or not, with or without BOM, CRLF or LF.

Lines end at ``\\n`` (or ``\\r\\n``) and nowhere else: U+2028, U+0085, form feeds and lone carriage
returns stay inside their segment, because a reader that splits there shifts every line after it.
"""

import codecs
import gzip
import lzma
import os
import re
import sys
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import zstandard

from isogloss.destination import write_file, write_folder
from isogloss.errors import FormatError, InputError

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
COMPRESSED = (".gz", ".xz", ".zst")
LIMIT = "ISOGLOSS_MAX_FILE_MB"
DEFAULT_LIMIT = 500_000_000
"""In bytes, of a file as it is read: after it was decompressed."""
_PIECE = 1 << 20
_LONGEST_LINE = 64_000_000  # of a file that is read line by line
_ZSTD_PIECE = 1 << 12  # it is unpacked at once, and four bytes can be 128 kB
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")  # NUL and half surrogate pairs


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
    return b"".join(_pieces(path))


def stream_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file of any size with their ends, as bytes, decompressed, one by one."""
    rest = b""
    with closing(_pieces(path, sys.maxsize)) as pieces:
        for piece in pieces:
            *lines, rest = (rest + piece).split(b"\n")
            yield from (line + b"\n" for line in lines)
            if len(rest) > _LONGEST_LINE:
                raise FormatError(
                    f"a line is longer than {_LONGEST_LINE // 1_000_000} MB",
                    path=path,
                    remedy="expected one row per line",
                )
    if rest:
        yield rest


def read_head(path: Path, characters: int = 8192) -> str:
    """The first characters of a file, as far as they are text: for recognising its format."""
    head = b""
    with closing(_pieces(path)) as pieces:
        for piece in pieces:
            head += piece
            if len(head) >= characters:
                break
    return head[:characters].decode("utf-8-sig", errors="replace")


def _pieces(path: Path, most: int | None = None) -> Generator[bytes, None, None]:
    """The decompressed content, with every failure to read it told as a FormatError."""
    most, size = most or _most_bytes(), 0
    with _opened(path) as raw:
        try:
            for piece in _decompressed(raw):
                size += len(piece)
                if size > most:
                    raise _too_large(path, most)
                yield piece
        except (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
            why = "its data are damaged" if isinstance(error, zlib.error) else str(error)
            raise FormatError(
                f"cannot be decompressed ({why})", path=path, remedy="is the file complete?"
            ) from error


def _most_bytes() -> int:
    """How much of a file is read at most: a few kilobytes can unpack to any number of gigabytes."""
    given = os.environ.get(LIMIT, "")
    if not given:
        return DEFAULT_LIMIT
    if not given.isascii() or not given.isdecimal() or len(given) > 9:
        raise InputError(f"{LIMIT} is a number of megabytes, not {given!r:.60}")
    return int(given) * 1_000_000


def _too_large(path: Path, most: int) -> FormatError:
    return FormatError(
        f"holds more than {most // 1_000_000:,} MB",
        path=path,
        remedy=f"if that is as it should be, raise the limit: {LIMIT} is a number of megabytes",
    )


def _opened(path: Path) -> BinaryIO:
    try:
        raw = path.open("rb")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if raw.seekable():
        return raw
    raw.close()
    # A pipe can be read once only: who looked at its head to tell the format would lose it.
    raise FormatError("is a pipe, a file is needed here", path=path, remedy="save it to a file")


def _decompressed(raw: BinaryIO) -> Iterator[bytes]:
    magic = raw.read(6)
    raw.seek(0)
    kind = next((kind for mark, kind in _MAGIC.items() if magic.startswith(mark)), None)
    if kind == "gz":
        with gzip.open(raw) as stream:
            yield from iter(lambda: stream.read(_PIECE), b"")
    elif kind == "xz":
        with lzma.open(raw) as stream:
            yield from iter(lambda: stream.read(_PIECE), b"")
    elif kind == "zst":
        yield from _zstd_pieces(raw)
    else:
        yield from iter(lambda: raw.read(_PIECE), b"")


def _zstd_pieces(raw: BinaryIO) -> Iterator[bytes]:
    """Frame by frame, because zstandard's own stream reader takes a cut-off frame for the end."""
    frame = None
    rest = raw.read(_ZSTD_PIECE)
    while rest:
        frame = frame or zstandard.ZstdDecompressor().decompressobj()
        yield frame.decompress(rest)
        rest = frame.unused_data
        if frame.eof:
            frame = None
        rest = rest or raw.read(_ZSTD_PIECE)
    if frame is not None:
        raise EOFError("the last frame is cut off")


def _unreadable(path: Path, error: OSError | ValueError) -> FormatError:
    match error:
        case FileNotFoundError():
            return FormatError("no such file", path=path)
        case IsADirectoryError():
            return FormatError("is a folder, a file is needed here", path=path)
        case PermissionError():
            return FormatError("may not be read", path=path, remedy="check its permissions")
        case OSError():
            return FormatError(f"cannot be opened ({error.strerror})", path=path)
        case _:
            return FormatError(f"is not a possible file name ({error})", path=path)


_WESTERN = "'iconv -f WINDOWS-1252 -t UTF-8' makes it of text from Western Europe"


def _decoded(data: bytes, path: Path) -> str:
    remedy = "expected UTF-8 text (plain, or compressed as gz, xz or zst)"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError("this is UTF-16", path=path, remedy=remedy)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {data[error.start]:#04x} is not UTF-8",
            path=path,
            line=data.count(b"\n", 0, error.start) + 1,
            remedy=remedy if b"\0" in data else f"{remedy}; {_WESTERN}",
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
    write_file(path, _compressed(_encoded(text, path), path.suffix))


def write_folder_of_lines(folder: Path, contents: Mapping[str, Iterable[str]]) -> None:
    """Write the files of a folder, lines by name; a new folder appears whole or not at all."""
    write_folder(
        folder,
        {
            name: _encoded("".join(line + "\n" for line in lines), folder / name)
            for name, lines in contents.items()
        },
    )


def _encoded(text: str, path: Path) -> bytes:
    if unreadable := _NOT_TEXT.search(text):
        raise FormatError(
            f"cannot be written: {unreadable[0]!a} is not text",
            path=path,
            line=text.count("\n", 0, unreadable.start()) + 1,
            remedy="mend what it comes from",
        )
    # Reading takes one U+FEFF at the start for a byte order mark; a text that begins with one of
    # its own needs another before it to come back whole.
    return text.encode("utf-8-sig" if text.startswith("\ufeff") else "utf-8")


def _compressed(data: bytes, suffix: str) -> bytes:
    match suffix:
        case ".gz":
            return gzip.compress(data, mtime=0)  # no timestamp: equal texts give equal files
        case ".xz":
            return lzma.compress(data)
        case ".zst":
            return zstandard.ZstdCompressor(write_checksum=True).compress(data)
        case _:
            return data


def plain_suffix(path: Path) -> str:
    """The suffix that tells the format: of ``a.tsv.xz`` it is ``.tsv``."""
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.suffix.lower()


def plain_stem(path: Path) -> str:
    """The name without folder, compression and format suffix: of ``x/a.tsv.xz`` it is ``a``."""
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.stem
