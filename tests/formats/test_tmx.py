"""TMX: translation memories in two languages or more."""

from pathlib import Path

import pytest

from isogloss.errors import FormatError
from isogloss.formats import ReadOptions, assemble, read_collection, recognise


def memory(*units: dict[str, str], srclang: str = "en") -> str:
    body = "".join(
        "<tu>"
        + "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in unit.items())
        + "</tu>\n"
        for unit in units
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
        f'<tmx version="1.4"><header srclang="{srclang}"/><body>\n{body}</body></tmx>\n'
    )


def put(folder: Path, content: str, name: str = "memory.tmx") -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def test_two_languages(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        memory(
            {"EN": "Press <bpt i='1'>[b]</bpt><hi>here</hi><ept i='1'>[/b]</ept>.", "de": "Hier."},
            {"EN": "Stop", "prop": ""} | {"de": "Halt"},
            {"EN": "Go"},
            srclang="en",
        ).replace('<tuv xml:lang="prop"><seg></seg></tuv>', "<prop type='x'>y</prop>"),
    )
    assert recognise(path).name == "tmx"
    collection = read_collection(path)
    testset = collection.testset
    assert [document.source for document in testset.documents] == [
        ("Press here.",), ("Stop",), ("Go",)
    ]  # fmt: skip
    assert list(collection.outputs[0].documents.values()) == [("Hier.",), ("Halt",), (None,)]
    assert (testset.source_language, testset.target_language) == ("en", "de")
    assert collection.system_names == ("memory",)


def test_as_one_side(tmp_path: Path) -> None:
    path = put(tmp_path, memory({"en": "one", "de": "eins"}, {"en": "two", "de": "zwei"}))
    (tmp_path / "system.txt").write_text("ein\nzwo\n")
    collection = assemble(path, {"ref": path}, [tmp_path / "system.txt"])
    assert [d.references["ref"] for d in collection.testset.documents] == [("eins",), ("zwei",)]
    assert collection.testset.target_language == "de"


class TestSeveralLanguages:
    CONTENT = memory(
        {"en-US": "one", "de": "eins", "zh-CN": "一", "zh-TW": "壹"},
        {"de": "zwei"},
        srclang="*all*",
    )

    @pytest.mark.parametrize(
        ("options", "texts"),
        [
            (ReadOptions(pair="en-de"), ("one", "eins")),
            (ReadOptions(pair="de-en"), ("eins", "one")),
            (ReadOptions(source_language="EN-us", target_language="zh-TW"), ("one", "壹")),
        ],
    )
    def test_are_chosen(self, tmp_path: Path, options: ReadOptions, texts: tuple[str, str]) -> None:
        collection = read_collection(put(tmp_path, self.CONTENT), options=options)
        document = collection.testset.documents[0]
        assert (*document.source, *collection.outputs[0].documents[document.id]) == texts

    @pytest.mark.parametrize(
        ("options", "complaint"),
        [
            (ReadOptions(), "which is the source language\\? there are: en-us, de, zh-cn, zh-tw"),
            (ReadOptions(source_language="fr"), "there is no source language 'fr'"),
            (ReadOptions(source_language="en"), "which is the target language\\? there are: de,"),
            (ReadOptions(pair="en-zh"), "which is the target language"),
            (ReadOptions(pair="en-en"), "there is no target language 'en'"),
        ],
    )
    def test_have_to_be_named(self, tmp_path: Path, options: ReadOptions, complaint: str) -> None:
        with pytest.raises(FormatError, match=complaint):
            read_collection(put(tmp_path, self.CONTENT), options=options)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (memory(), "there is no <tu>"),
        (memory({"": "x", "en": "y"}), "memory.tmx:4: a <tuv> in '' with 1 <seg>"),
        (memory({"en": "x", "EN": "y"}), "a <tuv> in 'en' with 1 <seg>"),
        (memory({"en": "x", "de": "</seg><seg>"}), "a <tuv> in 'de' with 2 <seg>"),
        (memory({"en": "x"}), "which is the target language\\? there are: none"),
        (memory({"en": "&x;", "de": "y"}), "an entity that nobody declared: &x;"),
        ("<tmx>", "not XML"),
        ("<tm/>", "the first element is <tm>, not <tmx>"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, content: str, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        read_collection(put(tmp_path, content), "tmx")
