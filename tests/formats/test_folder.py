"""A folder with a file for each document."""

from pathlib import Path

import pytest

from isogloss.documents import Document, Unsplit
from isogloss.errors import FormatError, MismatchError
from isogloss.formats import assemble, recognise, write_lines
from isogloss.wholes import WholeText


def put(folder: Path, documents: dict[str, list[str]]) -> Path:
    for name, lines in documents.items():
        write_lines(folder / name, lines)
    return folder


def test_documents_are_matched_by_the_names_of_their_files(tmp_path: Path) -> None:
    source = put(tmp_path / "sources", {"b.txt.gz": ["three"], "a.txt": ["one", "", "two"]})
    (source / ".DS_Store").write_bytes(b"\0")
    same = put(tmp_path / "refs", {"a.txt": ["1", "", "2"], "b.txt": ["3"]})
    other = put(tmp_path / "out", {"a.txt": ["eins zwei"], "b.txt": ["drei"]})
    assert recognise(source).name == "folder"
    collection = assemble(source, [same], {"sys": other})
    assert collection.testset.documents == (
        Document("a", ("one", "", "two"), {"refs": ("1", "", "2")}),
        Document("b", ("three",), {"refs": ("3",)}),
    )
    texts = {"a": WholeText.of_lines(["eins zwei"]), "b": WholeText.of_lines(["drei"])}
    assert collection.unsplit == (Unsplit("sys", texts),)
    assert collection.testset.name == "sources"


def test_a_missing_file(tmp_path: Path) -> None:
    source = put(tmp_path / "s", {"a.txt": ["one"], "b.txt": ["two"]})
    output = put(tmp_path / "o", {"a.txt": ["1"]})
    with pytest.raises(MismatchError, match="document 'b' is missing"):
        assemble(source, [], [output])


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("a.md", r"a\.md: is no \.txt; keep only documents in this folder"),
        ("a.txt.gz", r"a\.txt\.gz: is a second document 'a'"),
        ("empty/a.txt", "empty: is no .txt"),
    ],
)
def test_what_is_no_document(tmp_path: Path, name: str, complaint: str) -> None:
    folder = put(tmp_path / "s", {"a.txt": ["one"], name: ["two"]})
    with pytest.raises(FormatError, match=complaint):
        assemble(folder)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = put(tmp_path / "s", {"a.txt": ["one"]})
    (folder / "b.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(FormatError, match=r"b\.txt:1: byte 0xe9 is not UTF-8"):
        assemble(folder)
