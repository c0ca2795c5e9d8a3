"""XLIFF 1.2 and 2: what localisers send, as a test set or as one side of one."""

from pathlib import Path

import pytest

from isogloss.documents import Document, Unsplit
from isogloss.errors import FormatError, MismatchError
from isogloss.formats import ReadOptions, assemble, read_collection, recognise
from isogloss.wholes import WholeText

OLD = """<?xml version="1.0"?>
<!-- made by a tool -->
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="a.html" source-language="en-US" target-language="de-DE" datatype="html">
  <header/>
  <body>
   <trans-unit id="1">
     <source>Press <g id="1">the <x id="2"/>red</g> <ph id="3">&lt;</ph>button &amp; go</source>
     <target>Roten <bpt id="1">[b]</bpt>Knopf<ept id="1">[/b]</ept>
        drücken.</target>
     <alt-trans><source>old</source><target>alt</target></alt-trans>
   </trans-unit>
   <group><trans-unit id="2"><source>Stop</source></trans-unit></group>
  </body>
 </file>
 <file original="b.html" source-language="en-US" target-language="de-DE" datatype="html">
  <body><trans-unit id="1"><source/><target> </target></trans-unit></body>
 </file>
</xliff>
"""
NEW = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0"
  srcLang="en" trgLang="fr">
 <file id="f1"><unit id="u1">
   <originalData><data id="d">[b]</data></originalData>
   <segment>
     <source>One <pc id="1">two</pc>.</source><target>Un <pc id="1">deux</pc>.</target>
   </segment>
   <ignorable><source> </source></ignorable>
   <segment><source>Three<ph id="2"/>.</source><target>Trois.</target></segment>
 </unit></file>
</xliff>
"""


def put(folder: Path, content: str, name: str = "job.xlf") -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def test_what_is_not_to_be_translated_is_left_out(tmp_path: Path) -> None:
    name = '<trans-unit id="3" translate="no"><source>XR-500</source></trans-unit>'
    old = put(tmp_path, OLD.replace("</group>", f"</group>{name}"))
    assert read_collection(old) == read_collection(put(tmp_path, OLD))
    new = put(tmp_path, NEW.replace('<unit id="u1">', '<unit id="u1" translate="no">'))
    with pytest.raises(FormatError, match="there is no text to translate"):
        read_collection(new)


def test_version_one(tmp_path: Path) -> None:
    path = put(tmp_path, OLD)
    assert recognise(path).name == "xliff"
    collection = read_collection(path)
    testset = collection.testset
    assert testset.documents == (
        Document("a.html", ("Press the red button & go", "Stop")),
        Document("b.html", ("",)),
    )
    assert (testset.source_language, testset.target_language) == ("en-US", "de-DE")
    assert collection.system_names == ("job",)
    assert collection.outputs[0].documents == {
        "a.html": ("Roten Knopf drücken.", None), "b.html": ("",)
    }  # fmt: skip


def test_version_two(tmp_path: Path) -> None:
    collection = read_collection(put(tmp_path, NEW))
    assert collection.testset.documents == (Document("f1", ("One two.", "Three.")),)
    assert collection.outputs[0].documents == {"f1": ("Un deux.", "Trois.")}
    assert collection.testset.target_language == "fr"


def test_sides_are_sources_and_targets(tmp_path: Path) -> None:
    best, other = (
        put(tmp_path, NEW, "best.xlf"),
        put(tmp_path, NEW.replace("deux", "2"), "other.xlf"),
    )
    collection = assemble(best, {"ref": best}, [other])
    assert collection.testset.documents[0].references == {"ref": ("Un deux.", "Trois.")}
    assert collection.outputs[0].documents == {"f1": ("Un 2.", "Trois.")}
    assert collection.testset.target_language == "fr"


def test_a_side_with_other_segments_waits(tmp_path: Path) -> None:
    one = NEW[: NEW.index("   <ignorable>")] + " </unit></file>\n</xliff>\n"
    collection = assemble(put(tmp_path, NEW), [], [put(tmp_path, one, "short.xlf")])
    assert collection.unsplit == (Unsplit("short", {"f1": WholeText.of_lines(["Un deux."])}),)


UNITS = """<xliff version="1.2"><file original="f" source-language="en" target-language="fr"><body>
{}</body></file></xliff>"""


def units(**targets: str) -> str:
    """A file whose units have these ids and targets, and their ids for sources."""
    return UNITS.format(
        "".join(
            f'<trans-unit id="{id}"><source>{id}</source><target>{target}</target></trans-unit>'
            for id, target in targets.items()
        )
    )


def test_units_are_paired_by_id(tmp_path: Path) -> None:
    source = put(tmp_path, units(a="A", b="B", c="C"))
    shuffled = put(tmp_path, units(c="3", a="1", b="2"), "shuffled.xlf")
    collection = assemble(source, [shuffled], [shuffled])
    assert collection.testset.documents[0].references == {"shuffled": ("1", "2", "3")}
    assert collection.outputs[0].documents == {"f": ("1", "2", "3")}
    # Ids that do not tell units apart, or are not there, leave the order.
    for ids in ('id="a"', ""):
        text = units(c="3", a="1", b="2").replace('id="b"', ids)
        collection = assemble(source, [], [put(tmp_path, text, "some.xlf")])
        assert collection.outputs[0].documents == {"f": ("3", "1", "2")}


def test_units_that_have_no_partner(tmp_path: Path) -> None:
    source = put(tmp_path, units(a="A", b="B", c="C", d="D", e="E"))
    short = put(tmp_path, units(c="3", a="1"), "short.xlf")
    with pytest.raises(
        MismatchError, match=r"short.xlf: document 'f' lacks 3 units \('b', 'd', 'e'\), which .*job"
    ) as caught:
        assemble(source, [], [short])
    assert caught.value.lacking == ("allow_missing",)
    collection = assemble(source, [], [short], options=ReadOptions(allow_missing=True))
    assert collection.outputs[0].documents == {"f": ("1", None, "3", None, None)}
    other = put(tmp_path, units(a="1", z="26"), "other.xlf")
    with pytest.raises(MismatchError, match="document 'f' has unit 'z', which"):
        assemble(source, [], [other])


def test_a_unit_that_is_split_otherwise_waits_in_its_place(tmp_path: Path) -> None:
    last = '<unit id="u2"><segment><source>Four.</source><target>Quatre.</target></segment></unit>'
    source = put(tmp_path, NEW.replace("</unit>", f"</unit>{last}"))
    one = NEW[: NEW.index("   <ignorable>")] + " </unit></file>\n</xliff>\n"
    merged = put(tmp_path, one.replace('<unit id="u1">', f'{last}<unit id="u1">'), "merged.xlf")
    (waiting,) = assemble(source, [], [merged]).unsplit
    assert waiting.texts == {"f1": WholeText.of_lines(["Un deux.", "Quatre."])}


def test_files_in_several_directions(tmp_path: Path) -> None:
    first, last = OLD.rsplit("de-DE", 1)
    path = put(tmp_path, f"{first}cs{last}")
    with pytest.raises(FormatError, match="several language pairs: en-US-de-DE, en-US-cs"):
        read_collection(path)
    collection = read_collection(path, options=ReadOptions(pair="en-US-cs"))
    assert [document.id for document in collection.testset.documents] == ["b.html"]


def test_no_targets(tmp_path: Path) -> None:
    path = put(tmp_path, NEW.replace("target>", "note>"))
    assert read_collection(path).outputs == ()
    with pytest.raises(FormatError, match="there is no <target>; is this the source"):
        assemble(path, [], [path])


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (OLD.replace("b.html", "a.html"), "2 files are called 'a.html'"),
        (OLD.replace(' original="b.html"', ""), "job.xlf:16: a <file> has neither"),
        (OLD.replace("<source/>", ""), "0 <source> and 1 <target>"),
        (NEW.replace("Trois.</target>", "Trois.</target><target/>"), "1 <source> and 2 <target>"),
        ('<xliff version="1.2"/>', "there is no text to translate"),
        ("<xliff ", "not XML at column"),
        (f'<!DOCTYPE x [<!ENTITY a "b">]>{NEW}', "an entity declaration"),
        (NEW.replace("Three", "&three;"), "not XML"),
        (NEW.replace("<xliff", "<x><xliff") + "</x>", "the first element is <x>, not <xliff>"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, content: str, complaint: str) -> None:
    path = put(tmp_path, content)
    with pytest.raises(FormatError, match=complaint) as caught:
        read_collection(path, "xliff")
    assert str(caught.value).startswith(str(path))


def test_an_entity_of_a_type_that_is_not_loaded(tmp_path: Path) -> None:
    path = put(tmp_path, '<!DOCTYPE xliff SYSTEM "x.dtd">' + NEW.replace("Three", "&three; left"))
    with pytest.raises(FormatError, match="&three;"):
        read_collection(path, "xliff")


def test_tags_nested_deeper_than_the_stack(tmp_path: Path) -> None:
    deep = "<g>" * 1500 + "deep" + "</g>" * 1500
    collection = read_collection(put(tmp_path, OLD.replace("Stop", deep)))
    assert collection.testset.documents[0].source[1] == "deep"
