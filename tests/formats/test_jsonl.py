import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from isogloss.documents import Collection, Document, SystemOutput, TestSet, Unsplit
from isogloss.errors import FormatError, InputError
from isogloss.formats import ReadOptions, jsonl
from isogloss.formats.files import read_head
from isogloss.wholes import WholeText
from strategies import collections


def read(folder: Path, content: str | bytes, **options: object) -> Collection:
    path = folder / "set.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return jsonl.read(path, ReadOptions(**options))  # type: ignore[arg-type]


@settings(deadline=None, max_examples=100)
@given(collections())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, collection: Collection) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    jsonl.write(collection, path)
    again = jsonl.read(path, ReadOptions(name=collection.testset.name))
    assert again == collection
    assert again.testset.reference_names == collection.testset.reference_names
    assert jsonl.recognises(path.with_suffix(".any"), read_head(path))


def one(text: str | None) -> Collection:
    testset = TestSet("set", None, None, (Document("d", ("s",)),))
    return Collection(testset, (SystemOutput("x", {"d": (text,)}),))


def test_what_is_written(tmp_path: Path) -> None:
    documents = (Document("d", ("a\u2028b\nc",), {"A": (None,)}, "news"), Document("e", ("é",)))
    collection = Collection(
        TestSet("set", "en", None, documents), (SystemOutput("x", {"d": ("",), "e": ("ü",)}),)
    )
    jsonl.write(collection, tmp_path / "set.jsonl")
    assert (tmp_path / "set.jsonl").read_text() == (
        '{"doc": "d", "segment": 1, "domain": "news", "source_language": "en", '
        '"source": "a\u2028b\\nc", "references": {"A": null}, "systems": {"x": ""}}\n'
        '{"doc": "e", "segment": 1, "domain": null, "source_language": "en", '
        '"source": "é", "references": {"A": null}, "systems": {"x": "ü"}}\n'
    )


def test_flat_and_nested_keys(tmp_path: Path) -> None:
    flat = '{"src": "a", "ref": "b", "mt": "c", "score": [1]}\n'
    nested = '{"src": "a", "references": {"ref": "b"}, "outputs": {"set": "c"}}\n'
    assert read(tmp_path, flat) == read(tmp_path, nested)


def test_long_rows(tmp_path: Path) -> None:
    rows = [
        {"doc": 1, "segment": segment, "src": str(segment), "system": system, "mt": system}
        for system in "xy"
        for segment in (2, 1)
    ]
    collection = read(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    assert collection.testset.documents == (Document("1", ("1", "2")),)
    assert collection.outputs[1] == SystemOutput("y", {"1": ("y", "y")})


def test_a_reference_may_be_left_out(tmp_path: Path) -> None:
    rows = '{"src": "a", "references": {"A": "x"}}\n{"src": "b", "references": null}\n'
    documents = read(tmp_path, rows).testset.documents
    assert [document.references["A"] for document in documents] == [("x",), (None,)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ": the file is empty"),
        ('{"src": "a"}\n\n', ":2: a blank line; remove it"),
        ('{"src": "a"}\n{"src": \n', ":2: not JSON at column 9: Expecting value"),
        ('{"src": "a"} {"src": "b"}\n', ":1: not JSON at column 14: Extra data"),
        ('{"src": "a"}\n"b"\n', ":2: not a JSON object"),
        ('{"src": "a", "src": "b"}\n', ":1: key 'src' appears 2 times"),
        ('{"src": "a", "systems": {"x": "1", "x": "2"}}\n', ":1: key 'x' appears 2 times"),
        ('{"src": "a", "systems": {"x": "1"}, "outputs": {"x": ""}}\n', ":1: 'system:x' is given"),
        ('{"src": "a"}\n{"source": "a"}\n', ":2: columns 'src' and 'source' both give 'source'"),
        ('{"src": "a\\ud800"}\n', ":1: half a character (a lone surrogate such as \\ud800)"),
        ('{"src": "a", "\\udfff": 1}\n', ":1: half a character"),
        ('{"src": 1}\n', ":1: 'src' is not a text: 1"),
        ('{"src": "a"}\n{"ref": "a"}\n', ":2: document 'line-2', segment 2 has no source"),
        ('{"src": "a", "references": ["b"]}\n', ":1: 'references' must be an object"),
        ('{"src": ' + "[" * 100_000 + "\n", ":1: brackets are nested too deeply"),
        ('{"src": ' + "1" * 5_000 + "}\n", ":1: a number has too many digits"),
        ('[{"src": "a"}]\n', ":1: this is a JSON array; write one object per line"),
        (b'{"src": "a\0"}\n', ":1: a NUL byte"),
        (b'{"src": "\xff"}\n', ":1: byte 0xff is not UTF-8"),
    ],
)
def test_hostile_files(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'set.jsonl'}{message}")


def test_escaped_pairs_are_whole_characters(tmp_path: Path) -> None:
    (document,) = read(tmp_path, '{"src": "\\ud83d\\ude00"}\n').testset.documents
    assert document.source == ("😀",)


def test_half_a_character_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="system 'x': document 'd', segment 1 holds half a char"):
        jsonl.write(one("\ud800"), tmp_path / "a.jsonl")


def test_a_megabyte_in_one_text(tmp_path: Path) -> None:
    text = '"\n\0\\' * 2**18
    jsonl.write(one(text), tmp_path / "a.jsonl")
    assert jsonl.read(tmp_path / "a.jsonl", ReadOptions(name="set")) == one(text)


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a.txt", '{"doc": "a", "SRC": "b"}\n', True),
        ("a.txt", '{"source": "' + "x" * 9000, True),
        ("a.txt", '{"text": "\\"source\\": "}\n', False),
        ("a.txt", '{"text": "source", "n": 1}\n', False),
        ("a.jsonl", '{"text": "source"}\n', True),
        ("a.txt", "[1] A note\n", False),
        ("a.json", "[{", True),
        ("a.jsonl", "source\n", False),
        ("folder", "", False),
    ],
)
def test_recognised_by_its_first_line(name: str, head: str, expected: bool) -> None:
    assert jsonl.recognises(Path(name), head) is expected


class TestDocumentsInRows:
    """One document a row: paragraphs are segments, and what has other paragraphs waits."""

    @staticmethod
    def rows(**more: object) -> str:
        first = {"doc": "a", "domain": "news", "src": "one\ntwo", "ref": "1\n2", "tgt_lang": "de"}
        second = {"doc": "b", "src": "three", "ref": None, "tgt_lang": "de"}
        systems = ({"x": "eins\n\nzwei", "y": "eins zwei"}, {"x": "drei", "y": None})
        rows = ({**first, "systems": systems[0], **more}, {**second, "systems": systems[1], **more})
        return "".join(json.dumps(row) + "\n" for row in rows)

    def test_are_cut_at_their_paragraphs(self, tmp_path: Path) -> None:
        collection = read(tmp_path, self.rows(), source_language="en")
        assert collection.testset == TestSet(
            "set", "en", "de",
            (
                Document("a", ("one", "two"), {"ref": ("1", "2")}, "news"),
                Document("b", ("three",), {"ref": (None,)}),
            ),
        )  # fmt: skip
        assert collection.outputs[0].documents == {"a": ("eins", "zwei"), "b": ("drei",)}
        whole = WholeText("eins zwei", ((0, 9),))
        assert collection.unsplit == (Unsplit("y", {"a": whole, "b": None}),)

    def test_are_segments_where_segments_have_numbers(self, tmp_path: Path) -> None:
        collection = read(tmp_path, self.rows(segment=1))
        assert collection.testset.documents[0].source == ("one\ntwo",)
        assert collection.unsplit == ()

    def test_a_system_for_each_row(self, tmp_path: Path) -> None:
        rows = [
            {"doc": doc, "src": "one\ntwo", "system": system, "mt": text}
            for doc in "ab"
            for system, text in (("x", "1\n2"), ("y", "12"))
        ]
        collection = read(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
        assert collection.system_names == ("x",)
        assert [unsplit.name for unsplit in collection.unsplit] == ["y"]

    def test_missing_ones_are_told(self, tmp_path: Path) -> None:
        rows = '{"doc": "a", "src": "b\\nc", "mt:x": "d"}\n{"doc": "e", "src": "f"}\n'
        with pytest.raises(FormatError, match="system 'x' lacks document 'e'"):
            read(tmp_path, rows)
        assert read(tmp_path, rows, allow_missing=True).unsplit[0].texts["e"] is None
