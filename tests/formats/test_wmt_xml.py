from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats import ReadOptions, wmt_xml
from isogloss.formats.files import read_head
from strategies import collections, texts

NOT_XML = "".join({*map(chr, range(32)), "\ufffe", "\uffff"} - {*"\t\n\r"})
XML = texts(exclude=NOT_XML)

SET = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmttest2022">
  <collection id="general">
    <doc origlang="en" id="a" domain="news">
      <src lang="en">
        <p>
          <seg id="1">One &amp; only</seg>
        </p>
        <p>
          <seg id="3" type="title"> two </seg>
        </p>
      </src>
      <ref lang="de" translator="A">
        <p>
          <seg id="3"/>
          <seg id="1">Eins</seg>
        </p>
      </ref>
      <ref lang="de"><p><seg id="1">1</seg><seg id="3">2</seg></p></ref>
    <hyp system="MT 1" lang="de"><p><seg id="1">ein</seg><seg id="3">zwei</seg></p></hyp>
    </doc>
  </collection>
  <collection id="suites">
    <doc origlang="de" id="b" testsuite="pronouns">
      <src lang="en" translator="B"><p><seg id="1">It</seg></p></src>
      <supplemental type="context"><p><seg id="1">Before it</seg></p></supplemental>
      <hyp language="de" system="MT 1"><p><seg id="1">Es</seg></p></hyp>
    </doc>
  </collection>
</dataset>
"""


def read(folder: Path, content: str | bytes, **options: object) -> Collection:
    path = folder / "set.xml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return wmt_xml.read(path, ReadOptions(**options))  # type: ignore[arg-type]


def error(folder: Path, content: str | bytes, **options: object) -> str:
    with pytest.raises(FormatError) as caught:
        read(folder, content, **options)
    return str(caught.value).removeprefix(str(folder / "set.xml"))


def test_everything_in_one_file(tmp_path: Path) -> None:
    a = Document(
        "a", ("One & only", " two "), {"A": ("Eins", ""), "ref": ("1", "2")}, domain="news"
    )
    b = Document("b", ("It",), {"A": (None,), "ref": (None,)}, domain="pronouns")
    assert read(tmp_path, SET) == Collection(
        TestSet("wmttest2022", "en", "de", (a, b)),
        (SystemOutput("MT 1", {"a": ("ein", "zwei"), "b": ("Es",)}),),
    )


def test_what_a_person_says_goes_first(tmp_path: Path) -> None:
    testset = read(tmp_path, SET, name="mine", target_language="de-AT").testset
    assert (testset.name, testset.source_language, testset.target_language) == (
        "mine",
        "en",
        "de-AT",
    )


@settings(deadline=None, max_examples=100)
@given(collections(text=XML, name=XML, whole_documents=True))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, collection: Collection) -> None:
    if not collection.outputs and not collection.testset.reference_names:
        # Without a translation there is no element to state its language.
        collection = Collection(replace(collection.testset, target_language=None))
    path = tmp_path_factory.mktemp("xml") / "a.xml"
    wmt_xml.write(collection, path)
    again = wmt_xml.read(path, ReadOptions(allow_missing=True))
    assert again == collection
    assert again.testset.reference_names == collection.testset.reference_names
    assert wmt_xml.recognises(path, read_head(path))


def one(*output: str | None, human: bool = False) -> Collection:
    testset = TestSet("set", "en", "de", (Document("d", ("s",) * len(output)),))
    return Collection(testset, (SystemOutput("x", {"d": output}, human),))


def test_what_is_written(tmp_path: Path) -> None:
    wmt_xml.write(one("a<b", ""), tmp_path / "set.xml")
    assert (tmp_path / "set.xml").read_text() == (
        "<?xml version='1.0' encoding='utf-8'?>\n"
        '<dataset id="set">\n'
        '  <doc id="d" origlang="en">\n'
        '    <src lang="en">\n'
        "      <p>\n"
        '        <seg id="1">s</seg>\n'
        '        <seg id="2">s</seg>\n'
        "      </p>\n"
        "    </src>\n"
        '    <hyp system="x" lang="de">\n'
        "      <p>\n"
        '        <seg id="1">a&lt;b</seg>\n'
        '        <seg id="2"></seg>\n'
        "      </p>\n"
        "    </hyp>\n"
        "  </doc>\n"
        "</dataset>\n"
    )


def test_an_absent_document_is_written_without_segments(tmp_path: Path) -> None:
    wmt_xml.write(one(None, None), tmp_path / "set.xml")
    content = (tmp_path / "set.xml").read_text()
    assert error(tmp_path, content).startswith(":3: document 'd': system 'x' has no translation")
    assert read(tmp_path, content, allow_missing=True) == one(None, None)


@pytest.mark.parametrize(
    ("collection", "message"),
    [
        (one("a", None), "system 'x': document 'd', segment 2 is absent, while others are not"),
        (one("a\x0bb"), r"system 'x': document 'd', segment 1 holds '\x0b', which XML cannot; jso"),
        (one("\ud800"), r"system 'x': document 'd', segment 1 holds '\ud800', which XML cannot"),
        (one("a", human=True), "system 'x' is human"),
        (
            Collection(TestSet("a\0", None, None, (Document("d", ("s",)),))),
            r"the test set's name holds '\x00'",
        ),
    ],
)
def test_what_cannot_be_written_is_named(
    tmp_path: Path, collection: Collection, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        wmt_xml.write(collection, tmp_path / "a.xml")
    assert str(caught.value).startswith(f"{tmp_path / 'a.xml'}: {message}")
    assert not (tmp_path / "a.xml").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' id="a"', "", ":4: a document without an id"),
        (' id="b"', ' id="a"', ":24: document 'a': is already on line 4"),
        ("src>", "sauce>", ":12: not XML at column 15: Opening and ending tag mismatch"),
        ("<src", "<ref", None),
        (
            'seg id="3" type',
            "seg type",
            ":10: document 'a': the source has a segment without an id",
        ),
        ('seg id="3" type', 'seg id="1" type', ":10: document 'a': the source has segment '1' twi"),
        ('<seg id="3"/>', "", ":13: document 'a': reference 'A' lacks segment '3'"),
        ('<seg id="3"/>', '<seg id="4"/>', ":15: document 'a': reference 'A' has segment '4', the"),
        (
            '<seg id="1">ein',
            '<seg id="3">ein',
            ":20: document 'a': system 'MT 1' has segment '3' twice",
        ),
        (' translator="A"', "", ":19: document 'a': reference 'ref' appears twice"),
        ('system="MT 1" lang', "lang", ":20: document 'a': a <hyp> does not name its system"),
        ('<hyp system="MT 1"', '<hyp system="MT 2"', ":4: document 'a': system 'MT 1' has no tran"),
        ("Eins", "<b>Eins</b>", ":16: document 'a': reference 'A' has unexpected <b>"),
        ("<supplemental", "<note/><supplemental", ":26: document 'b': unexpected <note>"),
        ('<p><seg id="1">Es', '<p>x<seg id="1">Es', ":27: document 'b': system 'MT 1' has text"),
        ("Es</seg>", "Es</seg>x", ":27: document 'b': system 'MT 1' has text outside its segments"),
        ("One &amp;", "One &", ":7: not XML at column "),
        ("One &amp;", "One &nbsp;", ":7: not XML at column "),
        ("One &amp;", "One \x01", ":7: not XML at column "),
        ('<seg id="1">It</seg>', "", ":25: document 'b': the source has no segments"),
    ],
)
def test_faults_are_told_with_their_line(
    tmp_path: Path, old: str, new: str, message: str | None
) -> None:
    content = SET.replace(old, new, 1)
    assert content != SET
    if message is None:
        content = content.replace("</src>", "</ref>", 1)
        message = ":4: document 'a': 0 <src>, one is needed"
    assert error(tmp_path, content).startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: not XML at column 1: Document is empty"),
        ("plain", ":1: not XML at column 1: Start tag expected"),
        ("<html/>", ":1: the first element is <html>, not <dataset>"),
        ("<dataset/>", ":1: there is no document"),
        (b"<dataset>\0", ":1: a NUL byte"),
        (b"<dataset>\n\xff", ":2: byte 0xff is not UTF-8"),
    ],
)
def test_hostile_files(tmp_path: Path, content: str | bytes, message: str) -> None:
    assert error(tmp_path, content).startswith(message)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">\n' for n in range(1, 10))


@pytest.mark.parametrize(
    ("subset", "use"),
    [
        (f'<!ENTITY l0 "ha">\n{LAUGHS}', 'id="&l9;"'),
        ('<!ENTITY x SYSTEM "file:///etc/hostname">', 'id="d"'),
        ('<!ENTITY % x SYSTEM "http://localhost:1/x.dtd"> %x;', 'id="d"'),
    ],
)
def test_entities_are_not_even_parsed(tmp_path: Path, subset: str, use: str) -> None:
    content = f"<!DOCTYPE dataset [\n{subset}]>\n<dataset><doc {use}/></dataset>"
    assert error(tmp_path, content).startswith(":2: an entity declaration; write out")


def test_an_outside_document_type_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "x.dtd").write_text('<!ENTITY x "loaded">')
    doctype = f'<!DOCTYPE dataset SYSTEM "{tmp_path / "x.dtd"}">\n'
    dataset = SET.partition("\n")[2]
    assert read(tmp_path, doctype + dataset).testset.name == "wmttest2022"
    message = error(tmp_path, doctype + dataset.replace("only", "&x;"))
    assert message.startswith(":7: document 'a': the source has unexpected &x;")


def test_a_wrong_encoding_declaration_does_no_harm(tmp_path: Path) -> None:
    content = SET.replace("utf-8", "iso-8859-1").replace("only", "só")
    assert read(tmp_path, content).testset.documents[0].source[0] == "One & só"


def test_comments_do_not_cut_a_segment(tmp_path: Path) -> None:
    content = SET.replace("only", "on<!-- or off -->ly<?and?>")
    assert read(tmp_path, content).testset.documents[0].source[0] == "One & only"


def test_more_than_ten_megabytes_in_one_segment(tmp_path: Path) -> None:
    text = "<ä>" + "x" * 11_000_000  # the parser's own limit is ten million
    wmt_xml.write(one(text), tmp_path / "a.xml")
    assert wmt_xml.read(tmp_path / "a.xml", ReadOptions()) == one(text)


def test_lines_beyond_65535_are_told_exactly(tmp_path: Path) -> None:
    content = SET.replace("<collection", "\n" * 70_000 + "<collection", 1)
    for old, new, line in (
        ("Eins", "<b>Eins</b>", 16),
        ('seg id="3"/>', 'seg id="4"/>', 15),
        ('<seg id="3"/>', "", 13),
        ("<src", "<ref", 4),
    ):
        broken = content.replace(old, new, 1)
        if new == "<ref":
            broken = broken.replace("</src>", "</ref>", 1)
        assert error(tmp_path, broken).startswith(f":{70_000 + line}: ")


def two_directions() -> str:
    french = '<hyp lang="fr" system="MF"><p><seg id="1">Ça</seg></p></hyp>\n    </doc>'
    head, tail = SET.rsplit("</doc>", 1)
    return f"{head}{french}{tail}"


def test_one_direction_of_several_is_read(tmp_path: Path) -> None:
    assert error(tmp_path, two_directions()).startswith(
        ": there are several language pairs: en-de, en-fr; choose"
    )
    german = read(tmp_path, two_directions(), pair="en-de")
    assert german == read(tmp_path, SET)
    french = read(tmp_path, two_directions(), pair="en-fr")
    assert [document.id for document in french.testset.documents] == ["b"]
    assert french.outputs == (SystemOutput("MF", {"b": ("Ça",)}),)
    assert french.testset.target_language == "fr"


def test_an_unknown_direction_is_told_what_there_is(tmp_path: Path) -> None:
    assert "no language pair 'de-en'; there are: en-de" in error(tmp_path, SET, pair="de-en")


def test_documents_without_translations_belong_to_every_direction(tmp_path: Path) -> None:
    lone = '<doc id="c"><src lang="en"><p><seg id="1">Alone</seg></p></src></doc></dataset>'
    content = two_directions().replace("</dataset>", lone)
    french = read(tmp_path, content, pair="en-fr", allow_missing=True)
    assert [document.id for document in french.testset.documents] == ["b", "c"]
    assert french.outputs[0].documents["c"] == (None,)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (SET, True),
        ("<!-- a --><?b?>\n<!DOCTYPE dataset>\n<dataset>", True),
        ("<datasets>", False),
        ("<srcset>", False),
        ("<!-- <dataset> -->", False),
        ("", False),
        ("<!---->" * 1000, False),
    ],
)
def test_recognised_by_its_first_element(tmp_path: Path, head: str, expected: bool) -> None:
    assert wmt_xml.recognises(tmp_path / "any", head) is expected
