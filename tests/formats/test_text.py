"""Plain text: lines are segments, a file beside them tells the documents, and nothing shifts."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError
from isogloss.formats import read_collection, recognise, text, write_lines
from isogloss.formats.parts import document_lines_of, write_text_folder
from isogloss.formats.protocol import Block
from strategies import collections, texts

ids = texts(exclude="\0\t\n\r").filter(str.strip)
segments = texts(exclude="\0\n").filter(lambda line: not line.endswith("\r"))


def documents_file(folder: Path, lines: Sequence[str]) -> Path:
    write_lines(folder / "documents.tsv", lines)
    return folder / "documents.tsv"


def one_segment(segment: str | None) -> Collection:
    document = Document("doc", ("first", "second"))
    testset = TestSet("set", "cs", "en", (document,))
    return Collection(testset, (SystemOutput("good", {"doc": ("first", segment)}),))


class TestReading:
    def test_a_line_is_a_segment(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes("a\u2028b\r\n\r\nc".encode())
        side = text.read(tmp_path / "a.txt")
        assert side.segments == ("a\u2028b", "", "c")
        assert side.documents is None
        assert side.name is None

    def test_it_is_the_last_resort(self, tmp_path: Path) -> None:
        path = tmp_path / "a"
        path.write_text("any line\n")
        assert recognise(path).name == "text"

    def test_an_empty_file_is_recognised_and_then_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        path.touch()
        assert recognise(path).name == "text"
        with pytest.raises(FormatError, match=r"a\.txt: the file is empty"):
            text.read(path)

    def test_a_binary_file_or_a_folder_is_not(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes(b"\x7fELF\0\0")
        with pytest.raises(FormatError, match=r"a\.txt:1: a NUL byte: this is a binary file"):
            recognise(tmp_path / "a.txt")
        assert recognise(tmp_path).name == "folder"


class TestDocuments:
    def test_ids(self, tmp_path: Path) -> None:
        path = documents_file(tmp_path, ["a", "a", "b"])
        assert text.read_documents(path, 3) == (Block("a", 2), Block("b", 1))

    def test_domains_and_ids(self, tmp_path: Path) -> None:
        path = documents_file(tmp_path, ["news\ta", "ted\tb", "\tc"])
        assert text.read_documents(path, 3) == (
            Block("a", 1, "news"),
            Block("b", 1, "ted"),
            Block("c", 1, None),
        )

    @pytest.mark.parametrize(
        ("lines", "message"),
        [
            (["a", "b", "c", "a"], r"tsv:4: document 'a' began at line 1 and reappears .*; put"),
            (["x\ta", "x\tb", "x\ta"], r"tsv:3: document 'a' began at line 1 and reappears"),
            (["x\ta", "x\tb", "y\tb"], r"tsv:3: document 'b' changes its domain"),
            (["a", "", "b"], r"tsv:2: the document id is blank"),
            (["x\ta", "x\t "], r"tsv:2: the document id is blank"),
            (["a", "news\tb"], r"tsv:2: 2 columns, but line 1 has 1; every line needs"),
            (["news\ta", "b"], r"tsv:2: 1 column, but line 1 has 2; every line needs"),
            (["a\tb\tc"], r"tsv:1: 3 columns"),
        ],
    )
    def test_mistakes_are_told_with_their_line(
        self, tmp_path: Path, lines: list[str], message: str
    ) -> None:
        with pytest.raises(FormatError, match=message):
            text.read_documents(documents_file(tmp_path, lines), len(lines))

    def test_another_number_of_lines(self, tmp_path: Path) -> None:
        path = documents_file(tmp_path, ["a", "a"])
        with pytest.raises(FormatError, match=r"documents\.tsv: has 2 lines, src\.txt has 1,000;"):
            text.read_documents(path, 1000, Path("src.txt"))


class TestWriting:
    @settings(deadline=None, max_examples=60)
    @given(collections(text=segments, name=ids, absent=False))
    def test_a_collection_comes_back_as_it_was(self, collection: Collection) -> None:
        with TemporaryDirectory() as folder:
            write_text_folder(collection, Path(folder))
            assert read_collection(folder) == collection

    @settings(deadline=None, max_examples=60)
    @given(st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
    @example("\u2028\u0085\x0b\x0c")
    @example("a\rb")
    @example("\ufeffa")
    @example("a\r")
    def test_a_segment_comes_back_or_is_refused(self, segment: str) -> None:
        collection = one_segment(segment)
        with TemporaryDirectory() as folder:
            if "\n" in segment or "\0" in segment or segment.endswith("\r"):
                with pytest.raises(FormatError):
                    write_text_folder(collection, Path(folder))
            else:
                write_text_folder(collection, Path(folder))
                assert read_collection(folder) == collection

    @pytest.mark.parametrize(
        ("segment", "message"),
        [
            ("a\nb", "document 'doc', segment 2 holds a line break"),
            ("a\r", "document 'doc', segment 2 ends in a carriage return"),
            (None, "document 'doc', segment 2 is absent"),
        ],
    )
    def test_what_a_line_cannot_hold_is_refused(
        self, tmp_path: Path, segment: str | None, message: str
    ) -> None:
        with pytest.raises(FormatError, match=rf"good\.txt: {message}, .*; write jsonl instead"):
            write_text_folder(one_segment(segment), tmp_path)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("id", "domain", "message"),
        [
            ("a\tb", None, "holds a tab"),
            ("a", "x\ty", "holds a tab"),
            (" ", None, "is blank"),
            ("a\n", None, "holds a line break"),
            ("a\r", "news", "ends in a carriage return"),
        ],
    )
    def test_ids_that_a_line_cannot_hold_are_refused(
        self, tmp_path: Path, id: str, domain: str | None, message: str
    ) -> None:
        testset = TestSet("set", None, None, (Document(id, ("a",), domain=domain),))
        with pytest.raises(FormatError, match=rf"documents\.tsv: the id or domain .* {message}"):
            write_text_folder(Collection(testset), tmp_path)

    def test_documents_have_domains_where_any_has(self, tmp_path: Path) -> None:
        path = tmp_path / "documents.tsv"
        plain, news = Document("a", ("1", "2")), Document("b", ("3",), domain="news")
        assert document_lines_of(path, [plain]) == ["a", "a"]
        assert document_lines_of(path, [plain, news]) == ["\ta", "\ta", "news\tb"]
