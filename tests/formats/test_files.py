"""Text files come back as they were written, and every way to spoil one is told in one line."""

import gzip
import hashlib
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isogloss.errors import FormatError, InputError
from isogloss.formats import (
    plain_stem,
    plain_suffix,
    read_lines,
    read_text,
    write_lines,
    write_text,
)
from isogloss.formats.files import read_bytes, read_head
from ordinary_user import as_ordinary_user

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
NOT_LINE_ENDS = "\u2028\u2029\u0085\x0b\x0c\x1c\x1d\x1e\r"
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
lines = st.text(
    st.sampled_from(NOT_LINE_ENDS) | st.characters(exclude_categories=["Cs"]), max_size=20
).filter(lambda line: "\n" not in line and "\0" not in line and not line.endswith("\r"))


def written(folder: Path, data: bytes, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def noise(length: int) -> bytes:
    """Text that hardly compresses, so that a compressed file has a middle to spoil."""
    return hashlib.shake_256(b"noise").hexdigest(length // 2).encode() + b"\n"


@settings(deadline=None, max_examples=60)
@given(st.lists(lines, min_size=1, max_size=8), st.sampled_from(["", ".gz", ".xz", ".zst"]))
@example(["\ufeffa byte order mark of its own"], "")
@example(["", ""], ".gz")
@example(list(NOT_LINE_ENDS.replace("\r", "")), "")
@example(["a\rb"], "")
def test_lines_come_back_as_they_were(wanted: list[str], suffix: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a.txt{suffix}"
        write_lines(path, wanted)
        assert read_lines(path) == wanted


@settings(deadline=None, max_examples=60)
@given(texts)
@example("\ufeff")
@example("\ufeff\ufeffa")
@example("a\r\nb")
def test_texts_come_back_as_they_were(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        write_text(path, text)
        assert read_text(path) == text


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\nb", ["a", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\nb\n", ["a", "b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"\n", [""]),
        (b"\n\na\n\n", ["", "", "a", ""]),
        (b"a\rb\r\n", ["a\rb"]),
        ("a\u2028b\u0085c\x0cd\n".encode(), ["a\u2028b\u0085c\x0cd"]),
        (b" a \t\n", [" a \t"]),
    ],
)
def test_only_newlines_end_a_line(tmp_path: Path, data: bytes, wanted: list[str]) -> None:
    assert read_lines(written(tmp_path, data)) == wanted


@pytest.mark.parametrize("kind", COMPRESSORS)
class TestCompression:
    def test_the_content_decides_and_not_the_name(self, tmp_path: Path, kind: str) -> None:
        path = written(tmp_path, COMPRESSORS[kind](b"a\nb\n"), "a.txt")
        assert read_lines(path) == ["a", "b"]

    def test_parts_one_after_another_are_one_text(self, tmp_path: Path, kind: str) -> None:
        compress = COMPRESSORS[kind]
        path = written(tmp_path, compress(b"a\n") + compress(b"b\n"))
        assert read_bytes(path) == b"a\nb\n"

    def test_more_than_one_piece(self, tmp_path: Path, kind: str) -> None:
        data = noise(2_500_000)
        path = written(tmp_path, COMPRESSORS[kind](data))
        assert read_bytes(path) == data
        assert read_head(path) == data[:8192].decode()

    @pytest.mark.parametrize("kept", [0.5, 0.999, 1 - 1e-5])
    def test_a_truncated_file_is_no_shorter_text(
        self, tmp_path: Path, kind: str, kept: float
    ) -> None:
        whole = COMPRESSORS[kind](noise(200_000))
        path = written(tmp_path, whole[: int(len(whole) * kept)])
        with pytest.raises(FormatError, match=r"a\.txt: cannot be decompressed .*complete\?"):
            read_bytes(path)

    def test_only_the_first_bytes(self, tmp_path: Path, kind: str) -> None:
        path = written(tmp_path, COMPRESSORS[kind](b"abc")[:6])
        with pytest.raises(FormatError, match="cannot be decompressed"):
            read_head(path)

    def test_a_damaged_file(self, tmp_path: Path, kind: str) -> None:
        data = bytearray(COMPRESSORS[kind](noise(50_000)))
        data[500:700] = b"\xff\x00" * 100
        with pytest.raises(FormatError, match="cannot be decompressed"):
            read_bytes(written(tmp_path, bytes(data)))

    def test_equal_texts_make_equal_files(self, tmp_path: Path, kind: str) -> None:
        write_text(tmp_path / f"a.{kind}", "text")
        write_text(tmp_path / f"b.{kind}", "text")
        data = (tmp_path / f"a.{kind}").read_bytes()
        assert data == (tmp_path / f"b.{kind}").read_bytes()
        assert data != b"text"


def test_zstd_skips_what_is_marked_to_be_skipped(tmp_path: Path) -> None:
    skippable = b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"skip"
    compress = COMPRESSORS["zst"]
    path = written(tmp_path, compress(b"a\n") + skippable + compress(b"b\n"))
    assert read_bytes(path) == b"a\nb\n"


@pytest.mark.parametrize(
    "data",
    # Without a timestamp: the data is part of the test's name, and workers must agree on it.
    [b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)],
)
def test_an_empty_file(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FormatError, match=r"a\.txt: the file is empty"):
        read_lines(written(tmp_path, data))


def test_latin_1_is_told_with_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, "one\ntwo\ncafé\n".encode("latin-1"))
    with pytest.raises(
        FormatError, match=r"a\.txt:3: byte 0xe9 is not UTF-8; expected UTF-8.*iconv"
    ):
        read_lines(path)


def test_a_line_is_counted_in_the_decompressed_text(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"one\n\xff\n"), "a.txt.gz")
    with pytest.raises(FormatError, match=r"a\.txt\.gz:2: byte 0xff"):
        read_lines(path)


def test_a_binary_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a\.txt:2: a NUL byte: this is a binary file"):
        read_text(written(tmp_path, b"one\nt\0wo\n"))


def test_the_head_of_a_file_ends_where_it_ends(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffčč".encode())
    assert read_head(path) == "čč"
    assert read_head(path, 6) == "č\ufffd"
    assert read_head(written(tmp_path, b"")) == ""


class TestWhatCannotBeOpened:
    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"none\.txt: no such file"):
            read_bytes(tmp_path / "none.txt")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="is a folder, a file is needed here"):
            read_bytes(tmp_path)

    def test_a_file_taken_for_a_folder(self, tmp_path: Path) -> None:
        path = written(tmp_path, b"a\n")
        with pytest.raises(FormatError, match=r"cannot be opened \(Not a directory\)"):
            read_bytes(path / "b.txt")

    def test_a_name_that_cannot_be(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="not a possible file name"):
            read_bytes(tmp_path / "a\0b")

    def test_no_permission(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = written(tmp_path, b"a\n")
        path.chmod(0)
        monkeypatch.chdir(tmp_path)
        with as_ordinary_user(), pytest.raises(FormatError, match="may not be read; check its"):
            # Relative, since the folders above may be closed to that user too.
            read_bytes(Path(path.name))

    def test_a_pipe(self, tmp_path: Path) -> None:
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(b"",))
        writer.start()
        with pytest.raises(FormatError, match="is a pipe, a file is needed here"):
            read_head(path)
        writer.join()


class TestWriting:
    def test_folders_are_made(self, tmp_path: Path) -> None:
        write_lines(tmp_path / "new" / "a.txt", ["a", "b"])
        assert (tmp_path / "new" / "a.txt").read_bytes() == b"a\nb\n"

    @pytest.mark.parametrize("character", ["\0", "\ud800"])
    def test_what_is_not_text_is_refused(self, tmp_path: Path, character: str) -> None:
        with pytest.raises(FormatError, match=r"a\.txt:2: cannot be written: '\\[xu].* not text"):
            write_lines(tmp_path / "a.txt", ["one", f"tw{character}"])
        assert list(tmp_path.iterdir()) == []

    def test_a_failure_leaves_nothing_behind(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").mkdir()
        with pytest.raises(InputError, match=r"a\.txt: cannot be written \(it is a folder\)"):
            write_text(tmp_path / "a.txt", "text")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]

    def test_a_file_where_a_folder_must_be(self, tmp_path: Path) -> None:
        path = written(tmp_path, b"a\n")
        with pytest.raises(InputError, match="cannot be written"):
            write_text(path / "b.txt", "text")
        assert path.read_bytes() == b"a\n"


@pytest.mark.parametrize(
    ("name", "suffix", "stem"),
    [
        ("a.tsv", ".tsv", "a"),
        ("x/a.tsv.xz", ".tsv", "a"),
        ("a.b.TXT", ".txt", "a.b"),
        ("a.zst", "", "a"),
        ("README", "", "README"),
        (".hidden", "", ".hidden"),
    ],
)
def test_names_without_their_compression(name: str, suffix: str, stem: str) -> None:
    assert plain_suffix(Path(name)) == suffix
    assert plain_stem(Path(name)) == stem
