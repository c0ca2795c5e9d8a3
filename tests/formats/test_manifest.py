"""A manifest names the files of a test set, and says on which line it is wrong."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats import ReadOptions, jsonl, read_collection, recognise, write_lines
from isogloss.formats.parts import write_text_folder
from strategies import collections, texts

BY_HAND = """\
# A test set by hand
name = "newstest"
source_language = "cs"
target_language = "en"
source = "source.cs.txt"
documents = "documents.tsv"

[references]
refA = "ref.A.txt"

[systems]
good = "systems/good.txt"
"GPT-4.1" = "systems/gpt.txt"
"""
FILES = {
    "source.cs.txt": ["s1", "s2", "s3"],
    "documents.tsv": ["news\ta", "news\ta", "ted\tb"],
    "ref.A.txt": ["r1", "r2", "r3"],
    "systems/good.txt": ["g1", "g2", "g3"],
    "systems/gpt.txt": ["t1", "t2", "t3"],
}
WANTED = Collection(
    TestSet(
        "newstest",
        "cs",
        "en",
        (
            Document("a", ("s1", "s2"), {"refA": ("r1", "r2")}, "news"),
            Document("b", ("s3",), {"refA": ("r3",)}, "ted"),
        ),
    ),
    (
        SystemOutput("good", {"a": ("g1", "g2"), "b": ("g3",)}),
        SystemOutput("GPT-4.1", {"a": ("t1", "t2"), "b": ("t3",)}),
    ),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that a manifest may name, but without one."""
    for name, lines in FILES.items():
        write_lines(tmp_path / name, lines)
    return tmp_path


def read(folder: Path, text: str, options: ReadOptions | None = None) -> Collection:
    (folder / "testset.toml").write_text(text, encoding="utf-8")
    return read_collection(folder, options=options)


class TestReading:
    def test_a_manifest_written_by_hand(self, folder: Path) -> None:
        assert read(folder, BY_HAND) == WANTED

    def test_by_its_own_name(self, folder: Path) -> None:
        path = folder / "mine.toml"
        path.write_bytes(b"\xef\xbb\xbf" + BY_HAND.replace("\n", "\r\n").encode())
        assert read_collection(path) == WANTED

    def test_what_it_leaves_out(self, folder: Path) -> None:
        testset = read(folder, 'source = "source.cs.txt"').testset
        assert (testset.name, testset.source_language) == (folder.name, None)
        assert [document.id for document in testset.documents] == ["line-1", "line-2", "line-3"]

    def test_the_person_has_the_last_word(self, folder: Path) -> None:
        testset = read(folder, BY_HAND, ReadOptions("mine", "sk", "fr")).testset
        assert (testset.name, testset.source_language) == ("mine", "sk")
        assert testset.target_language == "fr"

    def test_lists_of_files_are_named_by_them(self, folder: Path) -> None:
        text = 'source = "source.cs.txt"\nsystems = ["systems/gpt.txt", "systems/good.txt"]'
        assert read(folder, text).system_names == ("gpt", "good")

    def test_people_among_the_systems(self, folder: Path) -> None:
        collection = read(folder, 'human = ["good"]\n' + BY_HAND)
        assert [output.human for output in collection.outputs] == [True, False]

    def test_missing_documents(self, folder: Path) -> None:
        segments = "<doc docid='a'><seg>1</seg><seg>2</seg></doc>"
        write_lines(folder / "part.sgm", [f"<tstset>{segments}</tstset>"])
        text = BY_HAND + 'part = "part.sgm"\n'
        with pytest.raises(InputError, match=r"part\.sgm: document 'b' is missing"):
            read(folder, text)
        collection = read(folder, text, ReadOptions(allow_missing=True))
        assert collection.outputs[-1].documents == {"a": ("1", "2"), "b": (None,)}

    def test_a_toml_file_or_a_folder_with_a_manifest_is_recognised(self, folder: Path) -> None:
        assert recognise(folder).name == "folder"
        (folder / "testset.toml").write_text(BY_HAND)
        assert recognise(folder).name == recognise(folder / "testset.toml").name == "manifest"


class TestWholeTestSet:
    def text(self, folder: Path, *lines: str) -> str:
        jsonl.write(WANTED, folder / "whole.jsonl")
        return "\n".join(['collection = "whole.jsonl"', *lines])

    def test_alone(self, folder: Path) -> None:
        assert read(folder, self.text(folder, 'name = "newstest"', *BY_HAND.split("\n")[2:4])) == (
            WANTED
        )

    def test_with_more_sides(self, folder: Path) -> None:
        more = self.text(folder, "[references]", 'B = "ref.A.txt"', "[systems]", 'x = "ref.A.txt"')
        collection = read(folder, more)
        assert collection.testset.reference_names == ("refA", "B")
        assert collection.system_names == ("good", "GPT-4.1", "x")

    def test_with_columns(self, folder: Path) -> None:
        write_lines(folder / "table.tsv", ["Czech\tdoc", "s1\ta"])
        columns = ["[columns]", 'source = "Czech"', 'document = "doc"']
        text = "\n".join(['collection = "table.tsv"', 'format = "tsv"', *columns])
        assert read(folder, text).testset.documents == (Document("a", ("s1",)),)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('source = "source.cs.txt"', "names both a source and a collection"),
            ('documents = "documents.tsv"', r"toml:2: 'documents' needs 'source' beside it"),
            ('format = "docx"', r"toml:2: there is no format 'docx'; use manifest, "),
        ],
    )
    def test_mistakes(self, folder: Path, line: str, message: str) -> None:
        with pytest.raises(FormatError, match=message):
            read(folder, self.text(folder, line))

    def test_a_manifest_does_not_name_itself(self, folder: Path) -> None:
        with pytest.raises(FormatError, match=r"toml:1: 'collection' may not be a manifest"):
            read(folder, 'collection = "testset.toml"')
        with pytest.raises(FormatError, match=r"toml:1: 'collection' may not be a manifest"):
            read(folder, 'collection = "."\nformat = "manifest"')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ': names no source; it needs either source = "FILE"'),
        ('sorce = "a"', ":1: there is no key 'sorce'; did you mean 'source'? the keys are: name, "),
        ('\nzzz = "a"', ":2: there is no key 'zzz'; the keys are: name, source_language, "),
        ('[sistems]\na = "b"', ":1: there is no key 'sistems'; did you mean 'systems'?"),
        ("\nname = 3", ":2: 'name' must be a text in quotes"),
        ('source = ""', ":1: 'source' must be a text in quotes"),
        ('\n\nsource = "none.txt"', ":3: source: no such file 'none.txt'; paths are relative"),
        ('source = "a.txt\n', ":1: this is not TOML: "),
        ("name = a\n", ":1: this is not TOML: Invalid value"),
        ('source = "a"\n\n[systems', ":3: this is not TOML: "),
        ('source = "a"\nsource = "b"', ":2: this is not TOML: Cannot overwrite a value"),
    ],
)
def test_mistakes_are_told_with_their_line(folder: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(folder, text)
    assert str(caught.value).startswith(f"{folder / 'testset.toml'}{message}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["[systems]", 'good = "no.txt"'], ":3: systems.good: no such file 'no.txt'; paths are"),
        (['systems.good = "no.txt"'], ":2: systems.good: no such file 'no.txt'"),
        (['systems = {good = "no.txt"}'], ":2: systems.good: no such file 'no.txt'"),
        (["systems = [", '"no.txt"]'], ":2: systems: no such file 'no.txt'"),
        (["[systems]", '"a b" = "no.txt"'], ":3: systems.a b: no such file 'no.txt'"),
        (["[systems]", "'a b' = 'no.txt'"], ":3: systems.a b: no such file 'no.txt'"),
        (["[systems]", 'a.b = "ref.A.txt"'], ":3: systems.a is a table, not a file; put a name"),
        (["[systems]", "a = 1"], ":3: systems.a must be a path in quotes"),
        (["[systems]", 'a = ""'], ":3: systems.a must be a path in quotes"),
        (["systems = 1"], ":2: 'systems' must be a table: [systems]"),
        (["systems = [1]"], ":2: systems must be a path in quotes"),
        (["[systems]", 'name = "mine"'], ":3: systems.name: no such file 'mine'; if 'name' is no"),
        (['human = "good"'], ":2: 'human' must be a list of systems"),
        (['human = ["good"]'], ":2: human: there is no system 'good'; there are: none"),
        (["human = [[]]"], ":2: human: there is no system []"),
        (['collection = "source.cs.txt"'], ": names both a source and a collection; it needs"),
        (["[columns]", 'source = "a"'], ":2: 'columns' needs 'collection' beside it"),
    ],
)
def test_mistakes_about_files(folder: Path, lines: Sequence[str], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(folder, "\n".join(['source = "source.cs.txt"', *lines]))
    assert str(caught.value).startswith(f"{folder / 'testset.toml'}{message}")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["columns = 1"], ":2: 'columns' must be a table"),
        (["[columns]", "a = 1"], ":3: a column must be a text in quotes"),
    ],
)
def test_mistakes_about_columns(folder: Path, lines: Sequence[str], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(folder, "\n".join(['collection = "source.cs.txt"', *lines]))
    assert str(caught.value).startswith(f"{folder / 'testset.toml'}{message}")


segments = texts(exclude="\0\n").filter(lambda line: not line.endswith("\r"))
ids = texts(exclude="\0\t\n\r").filter(str.strip)


def named(*systems: str) -> Collection:
    testset = TestSet("set", "cs", "en", (Document("doc", ("a",), {"A/B": ("b",)}),))
    return Collection(testset, tuple(SystemOutput(name, {"doc": (name,)}) for name in systems))


class TestWriting:
    @settings(deadline=None, max_examples=60)
    @given(collections(text=segments, name=ids, absent=False))
    @example(named("a\x7f\x01b", '"', "\\", "'", "a = b", "[x]", "#"))
    def test_a_collection_comes_back_as_it_was(self, collection: Collection) -> None:
        with TemporaryDirectory() as folder:
            write_text_folder(collection, Path(folder) / "new" / "set")
            assert read_collection(Path(folder) / "new" / "set") == collection

    def test_the_folder(self, tmp_path: Path) -> None:
        write_text_folder(WANTED, tmp_path)
        files = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.*")}
        assert files == {
            "testset.toml",
            "source.txt",
            "documents.tsv",
            "reference.refA.txt",
            "systems/good.txt",
            "systems/GPT-4.1.txt",
        }
        table = tomllib.loads((tmp_path / "testset.toml").read_text())
        assert table == {
            "name": "newstest",
            "source_language": "cs",
            "target_language": "en",
            "source": "source.txt",
            "documents": "documents.tsv",
            "references": {"refA": "reference.refA.txt"},
            "systems": {"good": "systems/good.txt", "GPT-4.1": "systems/GPT-4.1.txt"},
        }
        assert (tmp_path / "documents.tsv").read_text() == "news\ta\nnews\ta\nted\tb\n"

    def test_people_stay_people(self, tmp_path: Path) -> None:
        outputs = (SystemOutput("human", {"doc": ("a",)}, human=True),)
        collection = Collection(named().testset, outputs)
        write_text_folder(collection, tmp_path)
        assert read_collection(tmp_path) == collection

    def test_under_a_name_of_its_own(self, tmp_path: Path) -> None:
        write_text_folder(WANTED, tmp_path / "mine.toml")
        assert not (tmp_path / "testset.toml").exists()
        assert read_collection(tmp_path / "mine.toml") == WANTED

    def test_file_names_are_safe(self, tmp_path: Path) -> None:
        names = (
            "../../escape", "/etc/passwd", ".hidden", "..", "", "a\\b", "Ω", "Ω".lower(),
            "e\u0301", "\u00e9", "n" * 300, "ř" * 200, "-rf", "sys?*", "CON: x", "😀",
        )  # fmt: skip
        collection = named(*filter(None, names))
        write_text_folder(collection, tmp_path / "set")
        assert read_collection(tmp_path / "set") == collection
        assert [path.name for path in tmp_path.iterdir()] == ["set"]
        written = [path.name for path in (tmp_path / "set" / "systems").iterdir()]
        assert len(written) == len({name.casefold() for name in written}) == len(names) - 1
        assert not [name for name in written if name.startswith((".", "-"))]
        assert not [name for name in written if set(name) & set('/\\:*?<>|" ')]
        assert (tmp_path / "set" / "reference.A_B.txt").is_file()

    def test_where_a_file_is_in_the_way(self, tmp_path: Path) -> None:
        (tmp_path / "set").write_text("a file")
        with pytest.raises(InputError, match="cannot be written"):
            write_text_folder(WANTED, tmp_path / "set")
