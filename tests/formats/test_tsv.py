import lzma
from pathlib import Path

import pytest
from hypothesis import given, settings

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats import ReadOptions, tsv
from isogloss.formats.files import read_head
from strategies import collections, texts

CELL = texts(exclude="\t\n\0").filter(lambda text: text != r"\N")


def read(folder: Path, content: str | bytes, **options: object) -> Collection:
    path = folder / "set.tsv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tsv.read(path, ReadOptions(**options))  # type: ignore[arg-type]


def error(folder: Path, content: str | bytes) -> str:
    with pytest.raises(FormatError) as caught:
        read(folder, content)
    return str(caught.value).removeprefix(str(folder / "set.tsv"))


@settings(deadline=None, max_examples=100)
@given(collections(text=CELL, name=CELL))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, collection: Collection) -> None:
    path = tmp_path_factory.mktemp("tsv") / "a.tsv"
    tsv.write(collection, path)
    again = tsv.read(path, ReadOptions(name=collection.testset.name))
    assert again == collection
    assert again.testset.reference_names == collection.testset.reference_names
    assert tsv.recognises(path, read_head(path))


def one(text: str | None, source: str = "s") -> Collection:
    testset = TestSet("set", None, None, (Document("d", (source,)),))
    return Collection(testset, (SystemOutput("x", {"d": (text,)}),))


def test_what_is_written(tmp_path: Path) -> None:
    document = Document("d", ('a "b"', ""), {"A": ("r", None)}, "news")
    collection = Collection(TestSet("set", "en", None, (document,)))
    tsv.write(collection, tmp_path / "set.tsv")
    assert (tmp_path / "set.tsv").read_text() == (
        "doc\tsegment\tdomain\tsource_language\tsource\treference:A\n"
        'd\t1\tnews\ten\ta "b"\tr\n'
        "d\t2\tnews\ten\t\t\\N\n"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\tb", "holds a tab; jsonl can hold any text"),
        ("a\nb", "holds a line break"),
        ("a\0b", "holds a NUL"),
        ("\\N", r"is '\\N', which means absent in TSV"),
        ("\ud800", "holds half a character"),
    ],
)
def test_what_cannot_be_written_is_named(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        tsv.write(one(text), tmp_path / "a.tsv")
    place = "system 'x': document 'd', segment 1 "
    assert str(caught.value).startswith(f"{tmp_path / 'a.tsv'}: {place}{reason}")
    assert not (tmp_path / "a.tsv").exists()


def test_windows_line_ends_bom_and_quotes(tmp_path: Path) -> None:
    collection = read(tmp_path, b'\xef\xbb\xbfdoc\tsource\r\na\t"x" "y\r\n')
    assert collection.testset.documents == (Document("a", ('"x" "y',)),)


def test_compressed(tmp_path: Path) -> None:
    path = tmp_path / "set.tsv.xz"
    path.write_bytes(lzma.compress(b"source\tmt\na\tb\n"))
    assert tsv.recognises(path, read_head(path))
    collection = tsv.read(path, ReadOptions())
    assert collection.testset.name == "set"
    assert collection.system_names == ("set",)


def test_columns_by_option(tmp_path: Path) -> None:
    content = "English\tGerman\tMT1\na\tb\tc\n"
    columns = {"source": "English", "reference:A": "German", "system:good": "MT1"}
    collection = read(tmp_path, content, columns=columns)
    assert collection.testset.reference_names == ("A",)
    assert collection.system_names == ("good",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": the file is empty"),
        ("doc\tsource\n", ":1: there are no rows below the header"),
        ("doc\tsource\na\n", ":2: has 1 cell, the header has 2; a text can hold neither"),
        ("doc\tsource\na\tb\na\tb\tc\n", ":3: has 3 cells, the header has 2"),
        ("doc\tsource\na\tb\n\n", ":3: has 1 cell, the header has 2"),
        ('doc\tsource\na\t"b\tc"\n', ":2: has 3 cells, the header has 2; is it quoted?"),
        ("doc\tsource\na,b\n", ":2: has 1 cell, the header has 2; is it separated by commas?"),
        ("doc,source\na,b\n", ":1: the header has no tabs; are these commas? TSV needs tabs"),
        ("src\tx\tx\na\tb\tc\n", ":1: column 'x' appears 2 times"),
        ("a\tb\nc\td\n", ":1: there is no column 'source'; the columns are: a, b"),
        ("doc\tsource\na\t\\N\n", ":2: document 'a', segment 1 has no source"),
        (b"src\tref\na\0\tb\n", ":2: a NUL byte: this is a binary file"),
        (b"src\tref\n\xff\tb\n", ":2: byte 0xff is not UTF-8"),
    ],
)
def test_hostile_files(tmp_path: Path, content: str | bytes, message: str) -> None:
    assert error(tmp_path, content).startswith(message)


def test_a_megabyte_in_one_cell(tmp_path: Path) -> None:
    text = "ä" * 2**20
    tsv.write(one(text), tmp_path / "a.tsv")
    assert tsv.read(tmp_path / "a.tsv", ReadOptions(name="set")) == one(text)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("doc\tSource\tref:A\nx", True),
        ("src\tmt\r\n", True),
        ("A sentence\twith a tab\n", False),
        ("source\n", False),
        ("", False),
        ("system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n", False),
    ],
)
def test_recognised_by_its_header(tmp_path: Path, head: str, expected: bool) -> None:
    assert tsv.recognises(tmp_path / "any", head) is expected


def test_real_long_table(shared_data: Path) -> None:
    path = shared_data / "wmt/wmt17/cs-en/flat.tsv.xz"
    assert tsv.recognises(path, read_head(path))
    with pytest.raises(FormatError, match=r"system '.*' lacks document 'line-001', segment 3; if"):
        tsv.read(path, ReadOptions())
    collection = tsv.read(path, ReadOptions(allow_missing=True))
    testset = collection.testset
    assert (testset.source_language, testset.target_language) == ("cs", "en")
    given = [text for out in collection.outputs for (text,) in out.documents.values() if text]
    assert len(given) == 560


def test_real_wide_table(shared_data: Path, tmp_path: Path) -> None:
    collection = tsv.read(shared_data / "wmt/wmt23/en-de/segs.tsv.xz", ReadOptions())
    assert collection.testset.segment_count == 557
    tsv.write(collection, tmp_path / "segs.tsv")
    assert tsv.read(tmp_path / "segs.tsv", ReadOptions()) == collection
