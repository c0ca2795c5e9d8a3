"""Loose files become a collection only if every one of them fits the source."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest

from isogloss.documents import Document, Unsplit
from isogloss.errors import FormatError, InputError, MismatchError
from isogloss.formats import (
    ReadOptions,
    assemble,
    read_collection,
    write_collection,
    write_lines,
)
from isogloss.formats.loose_files import with_sides
from isogloss.formats.parts import Role, parts_of
from isogloss.formats.registry import read_side
from isogloss.wholes import WholeText


def text(folder: Path, name: str, *lines: str) -> Path:
    write_lines(folder / name, lines)
    return folder / name


def sgm(
    folder: Path,
    name: str,
    kind: str,
    documents: dict[str, Sequence[str]],
    sysid: str = "",
    set_attributes: str = "",
) -> Path:
    lines = [f"<{kind} {set_attributes}>"]
    for id, segments in documents.items():
        lines += [f'<doc docid="{id}" sysid="{sysid}" genre="news">']
        lines += [*(f"<seg>{segment}</seg>" for segment in segments), "</doc>"]
    return text(folder, name, *lines, f"</{kind}>")


class TestPlainText:
    def test_with_a_documents_file(self, tmp_path: Path) -> None:
        collection = assemble(
            text(tmp_path, "newstest.txt", "s1", "s2", "s3"),
            [text(tmp_path, "refA.txt", "r1", "r2", "r3")],
            {"best": text(tmp_path, "good.txt", "g1", "", "g3")},
            text(tmp_path, "docs.tsv", "news\ta", "news\ta", "ted\tb"),
            ReadOptions(source_language="cs"),
        )
        assert collection.testset.documents == (
            Document("a", ("s1", "s2"), {"refA": ("r1", "r2")}, "news"),
            Document("b", ("s3",), {"refA": ("r3",)}, "ted"),
        )
        assert collection.outputs[0].documents == {"a": ("g1", ""), "b": ("g3",)}
        assert collection.system_names == ("best",)
        testset = collection.testset
        assert (testset.name, testset.source_language) == ("newstest", "cs")
        assert testset.target_language is None

    def test_without_boundaries_every_line_is_a_document(self, tmp_path: Path) -> None:
        lines = [f"line {number}" for number in range(10)]
        collection = assemble(text(tmp_path, "a.txt", *lines))
        ids = [document.id for document in collection.testset.documents]
        assert (ids[0], ids[-1]) == ("line-01", "line-10")
        assert {len(document) for document in collection.testset.documents} == {1}

    def test_a_missing_line(self, tmp_path: Path) -> None:
        source = text(tmp_path, "source.txt", *"abc")
        short = text(tmp_path, "b.txt", *"ab")
        message = (
            f"{short} has 2 lines, {source} has 3; every file needs one line per source segment, "
            "or documents that can be told apart (by ids, or by blank lines in all files); "
            "or realign them, all lines as one document"
        )
        for references, systems in (([short], []), ([], [short])):
            with pytest.raises(MismatchError) as caught:
                assemble(source, references, systems)
            assert str(caught.value) == message

    def test_allowing_missing_documents_does_not_allow_missing_lines(self, tmp_path: Path) -> None:
        source = text(tmp_path, "source.txt", *"abc")
        with pytest.raises(MismatchError, match="has 1 line, "):
            assemble(
                source, [], [text(tmp_path, "b.txt", "a")], None, ReadOptions(allow_missing=True)
            )

    def test_a_missing_line_in_the_documents_file(self, tmp_path: Path) -> None:
        source = text(tmp_path, "source.txt", *"abc")
        documents = text(tmp_path, "docs.tsv", "d", "d")
        with pytest.raises(FormatError) as caught:
            assemble(source, documents=documents)
        assert str(caught.value).startswith(f"{documents}: has 2 lines, {source} has 3; ")

    def test_compressed_files(self, tmp_path: Path) -> None:
        source = text(tmp_path, "a.txt.gz", "s")
        collection = assemble(source, [text(tmp_path, "r.txt.xz", "r")])
        assert collection.testset.name == "a"
        assert collection.testset.documents[0].references == {"r": ("r",)}

    @pytest.mark.parametrize("line", ["{}", '{"source": "a"}', "source\ttarget", "null", "["])
    def test_a_text_that_looks_like_something_else(self, tmp_path: Path, line: str) -> None:
        collection = assemble(text(tmp_path, "a.txt", line), [], [text(tmp_path, "b.txt", line)])
        assert collection.testset.documents[0].source == (line,)


class TestNames:
    def test_the_person_then_the_file_then_the_file_name(self, tmp_path: Path) -> None:
        source = text(tmp_path, "a.txt", "a")
        documents = text(tmp_path, "docs.tsv", "d")
        own = sgm(tmp_path, "b.sgm", "tstset", {"d": "b"}, "own")
        bare = text(tmp_path, "OPPO.1.txt", "c")
        collection = assemble(source, [], [own, ("given", own), bare], documents)
        assert collection.system_names == ("own", "given", "OPPO.1")

    def test_two_of_one_name(self, tmp_path: Path) -> None:
        source = text(tmp_path, "a.txt", "a")
        first, second = text(tmp_path, "x/b.txt", "b"), text(tmp_path, "y/b.txt", "b")
        with pytest.raises(InputError) as caught:
            assemble(source, [], [first, second])
        assert str(caught.value) == (
            f"{second} would be a second system 'b', after {first}; give it another name: NAME=PATH"
        )

    def test_a_reference_may_be_a_system_too(self, tmp_path: Path) -> None:
        source, human = text(tmp_path, "a.txt", "a"), text(tmp_path, "ref.txt", "b")
        collection = assemble(source, [human], [human])
        assert collection.testset.reference_names == collection.system_names == ("ref",)

    @pytest.mark.parametrize(
        ("path", "name"),
        [
            ("newstest/source.txt", "newstest"),
            ("newstest/src.cs.txt.gz", "newstest"),
            ("x/source.txt", "source"),
            ("folder/newstest-src.cs.txt", "newstest-src.cs"),
            ("folder/source-of-life.txt", "source-of-life"),
        ],
    )
    def test_of_the_test_set(self, tmp_path: Path, path: str, name: str) -> None:
        assert assemble(text(tmp_path, path, "a")).testset.name == name

    def test_of_the_test_set_where_it_has_one(self, tmp_path: Path) -> None:
        source = sgm(tmp_path, "a.sgm", "srcset", {"d": "a"}, "", 'setid="newstest"')
        assert assemble(source).testset.name == "newstest"
        assert assemble(source, options=ReadOptions(name="mine")).testset.name == "mine"


class TestSgm:
    def test_documents_are_matched_by_id(self, tmp_path: Path) -> None:
        collection = assemble(
            sgm(tmp_path, "s.sgm", "srcset", {"a": ["s1", "s2"], "b": ["s3"]}),
            [sgm(tmp_path, "r.sgm", "refset", {"b": ["r3"], "a": ["r1", "r2"]}, "ref")],
            [text(tmp_path, "flat.txt", "f1", "f2", "f3")],
        )
        assert collection.testset.documents == (
            Document("a", ("s1", "s2"), {"ref": ("r1", "r2")}, "news"),
            Document("b", ("s3",), {"ref": ("r3",)}, "news"),
        )
        assert collection.outputs[0].documents == {"a": ("f1", "f2"), "b": ("f3",)}

    def test_a_documents_file_for_a_plain_source(self, tmp_path: Path) -> None:
        collection = assemble(
            text(tmp_path, "s.txt", "s1", "s2"),
            [sgm(tmp_path, "r.sgm", "refset", {"b": ["r2"], "a": ["r1"]}, "ref")],
            documents=text(tmp_path, "docs.tsv", "a", "b"),
        )
        assert [d.references["ref"] for d in collection.testset.documents] == [("r1",), ("r2",)]

    def test_a_plain_source_without_a_documents_file(self, tmp_path: Path) -> None:
        source = text(tmp_path, "s.txt", "s1")
        reference = sgm(tmp_path, "r.sgm", "refset", {"a": ["r1"]})
        with pytest.raises(MismatchError, match=r"r\.sgm has documents, but .*s\.txt does not"):
            assemble(source, [reference])

    def test_a_documents_file_beside_a_source_that_knows(self, tmp_path: Path) -> None:
        source = sgm(tmp_path, "s.sgm", "srcset", {"a": ["s1", "s2"]})
        same, other = text(tmp_path, "same.tsv", "a", "a"), text(tmp_path, "other.tsv", "a", "b")
        assert assemble(source, documents=same).testset.documents[0].domain == "news"
        with pytest.raises(MismatchError, match=r"other\.tsv and .*s\.sgm do not have the same"):
            assemble(source, documents=other)

    def test_a_document_that_the_source_does_not_have(self, tmp_path: Path) -> None:
        source = sgm(tmp_path, "s.sgm", "srcset", {"a": "a"})
        other = sgm(tmp_path, "b.sgm", "tstset", {"a": "a", "b": "b"})
        for options in (ReadOptions(), ReadOptions(allow_missing=True)):
            with pytest.raises(MismatchError, match=r"b\.sgm: document 'b' is not in .*s\.sgm"):
                assemble(source, [], [other], options=options)

    def test_a_missing_document(self, tmp_path: Path) -> None:
        source = sgm(tmp_path, "s.sgm", "srcset", {"a": "a", "b": "bc"})
        partial = sgm(tmp_path, "p.sgm", "tstset", {"a": "x"})
        with pytest.raises(MismatchError, match=r"p\.sgm: document 'b' is missing, .*allow"):
            assemble(source, [partial], [])
        allowed = ReadOptions(allow_missing=True)
        collection = assemble(source, {"ref": partial}, {"sys": partial}, options=allowed)
        assert collection.outputs[0].documents == {"a": ("x",), "b": (None, None)}
        references = [document.references["ref"] for document in collection.testset.documents]
        assert references == [("x",), (None, None)]


class TestOtherSegments:
    """Sides that are not split like the source wait, where their documents are known."""

    def test_documents_known_by_id(self, tmp_path: Path) -> None:
        source = sgm(tmp_path, "s.sgm", "srcset", {"a": "xyz", "b": "w"})
        other = sgm(tmp_path, "o.sgm", "tstset", {"b": ["W"], "a": ["X Y", "Z"]}, "o")
        collection = assemble(source, {"r": other}, [other, ("same", source)])
        texts = {"a": WholeText.of_lines(["X Y", "Z"]), "b": WholeText.of_lines(["W"])}
        assert collection.unsplit == (Unsplit("r", texts, reference=True), Unsplit("o", texts))
        assert collection.system_names == ("same",)
        assert collection.testset.reference_names == ()

    def test_a_test_set_of_one_document(self, tmp_path: Path) -> None:
        source = text(tmp_path, "s.txt", *"abc")
        documents = text(tmp_path, "docs.tsv", *"ddd")
        short = text(tmp_path, "short.txt", "A B", "C")
        collection = assemble(source, [], [short], documents)
        assert collection.unsplit == (Unsplit("short", {"d": WholeText.of_lines(["A B", "C"])}),)

    def test_several_documents_that_the_side_does_not_know(self, tmp_path: Path) -> None:
        source = text(tmp_path, "s.txt", *"abc")
        documents = text(tmp_path, "docs.tsv", *"dde")
        short = text(tmp_path, "short.txt", "A B", "C")
        for options in (ReadOptions(), ReadOptions(realign=True)):
            with pytest.raises(MismatchError) as caught:
                assemble(source, [], [short], documents, options)
            assert str(caught.value).endswith("(by ids, or by blank lines in all files)")

    def test_lines_without_documents_are_one_when_they_are_realigned(self, tmp_path: Path) -> None:
        source = text(tmp_path, "talk.txt", *"abc")
        same, short = text(tmp_path, "same.txt", *"ABC"), text(tmp_path, "short.txt", "A B C")
        collection = assemble(source, [same], [short], options=ReadOptions(realign=True))
        assert collection.testset.documents == (
            Document("talk", ("a", "b", "c"), {"same": ("A", "B", "C")}),
        )
        assert collection.unsplit[0].texts == {"talk": WholeText.of_lines(["A B C"])}

    def test_a_missing_document_is_absent_where_that_is_allowed(self, tmp_path: Path) -> None:
        source = sgm(tmp_path, "s.sgm", "srcset", {"a": "xyz", "b": "w"})
        partial = sgm(tmp_path, "p.sgm", "tstset", {"a": ["X Y Z"]}, "p")
        with pytest.raises(MismatchError, match="document 'b' is missing"):
            assemble(source, [], [partial])
        collection = assemble(source, [], [partial], options=ReadOptions(allow_missing=True))
        assert collection.unsplit[0].texts == {"a": WholeText.of_lines(["X Y Z"]), "b": None}

    def test_cannot_be_written_before_they_are_cut(self, tmp_path: Path) -> None:
        source = sgm(tmp_path, "s.sgm", "srcset", {"a": "xyz"})
        collection = assemble(source, [], [sgm(tmp_path, "o.sgm", "tstset", {"a": ["X"]}, "o")])
        with pytest.raises(InputError, match="system 'o' is not split like the source; segment"):
            write_collection(collection, tmp_path / "out.jsonl", "jsonl")

    def test_may_be_human(self, tmp_path: Path) -> None:
        sgm(tmp_path, "s.sgm", "srcset", {"a": "xyz"})
        sgm(tmp_path, "o.sgm", "tstset", {"a": ["X"]})
        lines = 'source = "s.sgm"', 'human = ["o"]', "[systems]", 'o = "o.sgm"'
        collection = read_collection(text(tmp_path, "testset.toml", *lines))
        assert [unsplit.human for unsplit in collection.unsplit] == [True]


class TestBlankLines:
    OPTIONS = ReadOptions(blank_lines=True)

    def test_stand_between_documents(self, tmp_path: Path) -> None:
        source = text(tmp_path, "s.txt", "", "a", "b", " ", "", "c", "")
        same = text(tmp_path, "same.txt", "A", "B", "", "C")
        whole = text(tmp_path, "whole.txt", "A B", "", "C")
        collection = assemble(source, [same], [whole], options=self.OPTIONS)
        assert collection.testset.documents == (
            Document("text-1", ("a", "b"), {"same": ("A", "B")}),
            Document("text-2", ("c",), {"same": ("C",)}),
        )
        assert collection.unsplit[0].texts == {
            "text-1": WholeText.of_lines(["A B"]),
            "text-2": WholeText.of_lines(["C"]),
        }

    def test_are_segments_unless_somebody_says_otherwise(self, tmp_path: Path) -> None:
        source = text(tmp_path, "s.txt", "a", "", "b")
        assert assemble(source).testset.segment_count == 3

    def test_another_number_of_documents(self, tmp_path: Path) -> None:
        source = text(tmp_path, "s.txt", "a", "", "b")
        other = text(tmp_path, "o.txt", "A", "", "B", "", "C")
        with pytest.raises(MismatchError, match=r"o\.txt: document 'text-3' is not in .*s\.txt"):
            assemble(source, [], [other], options=self.OPTIONS)

    def test_nothing_else(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"s\.txt: there are blank lines only"):
            assemble(text(tmp_path, "s.txt", "", " "), options=self.OPTIONS)


class TestLanguages:
    def read(self, folder: Path, *languages: str, options: ReadOptions | None = None) -> object:
        source = sgm(folder, "s.sgm", "srcset", {"a": "a"}, "", 'srclang="cs"')
        systems = [
            sgm(folder, f"{n}.sgm", "tstset", {"a": "a"}, f"sys{n}", f'trglang="{language}"')
            for n, language in enumerate(languages)
        ]
        testset = assemble(source, [], systems, options=options).testset
        return testset.source_language, testset.target_language

    def test_as_the_files_say(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, "any", "en", "EN") == ("cs", "en")
        assert self.read(tmp_path, "any") == ("cs", None)

    def test_as_the_person_says(self, tmp_path: Path) -> None:
        options = ReadOptions(source_language="sk", target_language="fr")
        assert self.read(tmp_path, "en", "de", options=options) == ("sk", "fr")

    def test_files_that_disagree(self, tmp_path: Path) -> None:
        with pytest.raises(
            MismatchError, match=r"0\.sgm says that it is in 'en', .*1\.sgm in 'de'"
        ):
            self.read(tmp_path, "en", "de")


class TestWhatCannotBeRead:
    def test_every_mistake_names_the_file(self, tmp_path: Path) -> None:
        source = text(tmp_path, "s.txt", "a", "b")
        spoilt = {
            "empty": (b"", "the file is empty"),
            "latin": ("a\ncafé\n".encode("latin-1"), "spoilt.txt:2: byte 0xe9 is not UTF-8"),
            "binary": (b"a\n\0b", "spoilt.txt:2: a NUL byte: this is a binary file"),
            "truncated": (gzip.compress(b"a\nb\n")[:-4], "cannot be decompressed"),
        }
        for data, message in spoilt.values():
            path = tmp_path / "spoilt.txt"
            path.write_bytes(data)
            with pytest.raises(FormatError) as caught:
                assemble(source, [path])
            assert message in str(caught.value)
            assert str(caught.value).startswith(str(path))
            assert "\n" not in str(caught.value)

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match=r"none\.txt: no such file"):
            assemble(tmp_path / "none.txt")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(FormatError, match="no known format fits this folder"):
            assemble(tmp_path)

    def test_a_whole_test_set(self, tmp_path: Path) -> None:
        path = text(tmp_path, "testset.toml", 'source = "a.txt"')
        with pytest.raises(
            FormatError, match=r"toml: this is a whole test set \(manifest\), but .*one side"
        ):
            assemble(path)


class TestMoreSides:
    def test_are_added_to_a_collection(self, tmp_path: Path) -> None:
        source, a, b = (text(tmp_path, f"{name}.txt", name) for name in "sab")
        collection = with_sides(read_side, assemble(source, [a], [a]), [b], {"c": b})
        assert collection.testset.reference_names == ("a", "b")
        assert collection.system_names == ("a", "c")

    def test_do_not_replace_what_is_there(self, tmp_path: Path) -> None:
        source, a = (text(tmp_path, f"{name}.txt", name) for name in "sa")
        collection = assemble(source, [a], [a])
        for references, systems, noun in (([a], [], "reference"), ([], [a], "system")):
            with pytest.raises(InputError, match=f"a second {noun} 'a', after one that the test"):
                with_sides(read_side, collection, references, systems)

    def test_must_fit(self, tmp_path: Path) -> None:
        collection = assemble(text(tmp_path, "s.txt", "s", "t"))
        with pytest.raises(MismatchError, match=r"b\.txt has 1 line, the test set has 2;"):
            with_sides(read_side, collection, [], [text(tmp_path, "b.txt", "a")])

    def test_may_lack_documents_where_that_is_allowed(self, tmp_path: Path) -> None:
        collection = assemble(sgm(tmp_path, "s.sgm", "srcset", {"a": "a", "b": "b"}))
        partial = sgm(tmp_path, "p.sgm", "tstset", {"a": "x"}, "p")
        with pytest.raises(MismatchError, match="document 'b' is missing"):
            with_sides(read_side, collection, [], [partial])
        added = with_sides(read_side, collection, [], [partial], ReadOptions(allow_missing=True))
        assert added.outputs[0].documents == {"a": ("x",), "b": (None,)}


def test_the_parts_of_a_collection(tmp_path: Path) -> None:
    source, a = text(tmp_path, "s.txt", "s"), text(tmp_path, "a.txt", "a")
    parts = parts_of(assemble(source, [a], {"sys": a}))
    assert [(part.role, part.name, dict(part.documents)) for part in parts] == [
        (Role.SOURCE, None, {"line-1": ("s",)}),
        (Role.REFERENCE, "a", {"line-1": ("a",)}),
        (Role.SYSTEM, "sys", {"line-1": ("a",)}),
    ]


def test_the_markable_study(shared_data: Path) -> None:
    folder = shared_data / "elitr-wmt20" / "processing" / "doc_data" / "autoc"
    systems = sorted(set(folder.glob("*.txt")) - {folder / "src.txt", folder / "ref.txt"})
    collection = assemble(folder / "src.txt", [folder / "ref.txt"], systems)
    assert len(collection.outputs) == 12
    assert collection.testset.name == "autoc"
    assert collection.testset.reference_names == ("ref",)
    assert "newstest2020-online-a.sgm" in collection.system_names
    last = collection.testset.documents[-1]
    lines = (folder / "OPPO.txt").read_text(encoding="utf-8").splitlines()
    oppo = next(output for output in collection.outputs if output.name == "OPPO")
    assert oppo.documents[last.id] == (lines[-1],)


def test_meteors_example(shared_data: Path) -> None:
    folder = shared_data / "meteor-example"
    # There is no source beside it; the reference stands in, being a set of the same documents.
    collection = assemble(folder / "ref.sgm", [folder / "ref.sgm"], [folder / "test.sgm"])
    assert len(collection.testset.documents) == 111
    assert collection.system_names == ("cmu-combo",)
    assert collection.testset.target_language == "en"
