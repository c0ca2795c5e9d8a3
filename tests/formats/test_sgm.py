"""SGM as it is found: not XML, and read to the letter all the same."""

import re
from html import unescape
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats import assemble, read_collection, recognise, sgm
from isogloss.formats.protocol import Block, Side
from strategies import collections, texts

anything = texts(exclude="\0")

WHOLE = """\
<?xml version="1.0"?>
<!DOCTYPE mteval SYSTEM "ftp://jaguar.ncsl.nist.gov/mt/resources/mteval-xml-v1.3.dtd">
<!-- <srcset> <doc> a comment -->
<TSTSET SetID="news" srclang="any" trglang=en>
<DOC sysid='good' DOCID=ihned.cz/1 genre="news" origlang="cz">
<hl>
<seg id="1"> A &amp; B & C &lt;b&gt; &nbsp; &#65;&#x42; &amp;lt; </seg>
</hl>
<p>
<SEG ID=2>one
   two  three

four</Seg><seg id="3"></seg>
<seg id="4"/>
</p>
</DOC>
<doc docid="2" sysid="good"><title>not a segment</title><seg>x < y <b>bold</b> <!-- z</seg>
<seg>--> end</seg></doc>
</tstset>
"""


def side_of(folder: Path, text: str) -> Side:
    path = folder / "a.sgm"
    path.write_text(text, encoding="utf-8")
    return sgm.read(path)


def test_a_file_with_everything_in_it(tmp_path: Path) -> None:
    side = side_of(tmp_path, WHOLE)
    assert side.segments == (
        "A & B & C <b> &nbsp; AB &lt;",
        "one two  three four",
        "",
        "",
        "x < y <b>bold</b> <!-- z",
        "--> end",
    )
    assert side.documents == (Block("ihned.cz/1", 4, "news"), Block("2", 2, None))
    assert (side.name, side.language, side.testset) == ("good", "en", "news")


@pytest.mark.parametrize(
    ("opening", "language"),
    [
        ('<srcset setid="a" srclang="cs" trglang="en">', "cs"),
        ('<refset setid="a" srclang="cs" trglang="en">', "en"),
        ('<refset setid="a" srclang="cs" trglang="ANY">', None),
        ('<refset setid="a" trglang="pt_BR">', "pt-BR"),
        ('<refset setid="a" trglang="english">', None),
        ('<refset setid="a">', None),
    ],
)
def test_languages(tmp_path: Path, opening: str, language: str | None) -> None:
    closing = f"</{opening[1:7]}>"
    text = f'{opening}<doc docid="1"><seg>a</seg></doc>{closing}'
    assert side_of(tmp_path, text).language == language


@pytest.mark.parametrize(
    ("opening", "name"),
    [
        ('<refset refid="A"><doc docid="1" sysid="ref">', "A"),
        ('<refset><doc docid="1" sysid="ref">', "ref"),
        ('<refset><doc docid="1" refid="ref">', "ref"),
        ('<refset><doc docid="1">', None),
    ],
)
def test_names(tmp_path: Path, opening: str, name: str | None) -> None:
    assert side_of(tmp_path, f"{opening}<seg>a</seg></doc></refset>").name == name


@pytest.mark.parametrize("reference", ["&#0;", "&#xD800;", "&#x110000;", "&#9999999;", "&amp", "&"])
def test_what_is_no_reference_is_text(tmp_path: Path, reference: str) -> None:
    text = f'<srcset><doc docid="1"><seg>{reference}</seg></doc></srcset>'
    assert side_of(tmp_path, text).segments == (reference,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<dataset>\n<doc id='1'></doc></dataset>",
            ":1: begins with <dataset>; an SGM file begins",
        ),
        ("one\ntwo\n", ":1: there are no tags in it; an SGM file begins with <srcset>"),
        ("", ":1: there are no tags in it"),
        ("<srcset>\n</srcset>", ":1: there is no <doc> in this <srcset>"),
        ("<srcset>\n<doc>\n<seg>a</seg></doc></srcset>", ":2: <doc> has no docid; give"),
        ("<srcset>\n<doc docid=''><seg>a</seg></doc></srcset>", ":2: <doc> has no docid"),
        ("<srcset>\n<doc docid='a'>\n</doc></srcset>", ":2: document 'a' has no <seg>"),
        ("<srcset>\n<seg>a</seg>\n</srcset>", ":2: <seg> outside of any document"),
        (
            "<srcset><doc docid='a'>\n<seg>a\n<seg>b</seg></doc></srcset>",
            ":2: this segment has no closing </seg>",
        ),
        ("<srcset><doc docid='a'>\n<seg>a\n</doc></srcset>", ":2: this segment has no closing"),
        ("<srcset><doc docid='a'>\n\n<seg>a", ":3: this segment has no closing </seg>"),
        ("<srcset><doc docid='a'>\na</seg></doc></srcset>", ":2: </seg> without a <seg>"),
        ("<srcset>\n<doc docid='a'><seg>a</seg>", ":2: this document has no closing </doc>; is"),
        (
            "<srcset>\n<doc docid='a'><seg>a</seg><doc docid='b'>",
            ":2: this document has no closing </doc>",
        ),
        ("\n<srcset><doc docid='a'><seg>a</seg></doc>", ":2: <srcset> is never closed; is the"),
        ("<srcset>\n<doc docid='a\n<seg>a</seg></doc></srcset>", ":2: the tag <doc has no closing"),
        (
            "<srcset><doc docid='a'><seg>a</seg></doc>\n<doc docid='a'><seg>a</seg></doc></srcset>",
            ":2: document 'a' was already at line 1; give every document",
        ),
        (
            "<tstset><doc docid='a' sysid='x'><seg>a</seg></doc>\n"
            "<doc docid='a' sysid='y'><seg>a</seg></doc></tstset>",
            ":2: a document of 'y' after those of 'x'; split the file",
        ),
        (
            "<srcset><doc docid='a'><seg>a</seg></doc></srcset>\n<refset></refset>",
            ":2: <refset> after the end of the set; split the file: one set in each",
        ),
        (
            "<srcset><doc docid='a'><seg id=2>a</seg>\n<seg id=1>a</seg></doc></srcset>",
            ":2: segment 1 comes after segment 2; put the segments in order",
        ),
        (
            "<srcset><doc docid='a'><seg id=b>a</seg>\n<seg id=b>a</seg></doc></srcset>",
            ":2: segment b comes after segment b",
        ),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        side_of(tmp_path, text)
    assert f"a.sgm{message}" in str(caught.value)


SOUP = (
    "<srcset>", "</srcset>", "<tstset sysid=x>", "<doc docid='a'>", "<doc docid=b>", "<doc",
    "</doc>", "<seg>", "<seg id=1/>", "</seg>", "<!--", "-->", "&#", "&amp;",
    "'", '"', ">", "\n", "text",
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(SOUP), max_size=15))
def test_any_soup_of_tags_is_read_or_refused(soup: list[str]) -> None:
    outcome: Side | FormatError
    with TemporaryDirectory() as folder:
        try:
            outcome = side_of(Path(folder), "".join(soup))
        except FormatError as error:
            outcome = error
    if isinstance(outcome, FormatError):
        assert 1 <= (outcome.line or 0) <= soup.count("\n") + 1
    else:
        assert 1 <= len(outcome.segments) <= soup.count("<seg>") + soup.count("<seg id=1/>")


def test_a_number_too_long_to_be_one(tmp_path: Path) -> None:
    ids = ("9" * 5000, "1")
    segments = "".join(f"<seg id={id}>a</seg>" for id in ids)
    side = side_of(tmp_path, f"<srcset><doc docid='a'>{segments}</doc></srcset>")
    assert side.segments == ("a", "a")


def test_it_is_recognised_by_its_name_or_its_first_tag(tmp_path: Path) -> None:
    (tmp_path / "a.sgm").write_text("no tags")
    (tmp_path / "b").write_text('<mteval>\n<refset setid="a">')
    (tmp_path / "c").write_text("Files begin with <srcset> or the like.")
    (tmp_path / "d").write_text("<document> <srcset>")
    names = [recognise(tmp_path / name).name for name in ("a.sgm", "b", "c", "d")]
    assert names == ["sgm", "sgm", "text", "text"]


def collection_of(segment: str | None, id: str = "doc") -> Collection:
    document = Document(id, ("a",), {"ref": ("b",)}, "news")
    return Collection(
        TestSet("set", "cs", "en", (document,)), (SystemOutput("good", {id: (segment,)}),)
    )


@settings(deadline=None, max_examples=60)
@given(collections(text=anything, name=anything, absent=False))
@example(collection_of(" \u3000a\n\r\nb\x1c"))
@example(collection_of("&lt; </seg> &#10; & <!--"))
@example(collection_of('"', id='a">b'))
def test_a_collection_comes_back_as_it_was(collection: Collection) -> None:
    with TemporaryDirectory() as folder:
        sgm.write(collection, Path(folder))
        assert read_collection(folder) == collection


def test_the_files_stand_on_their_own(tmp_path: Path) -> None:
    collection = collection_of(" a < b & c\n")
    sgm.write(collection, tmp_path)
    files = [tmp_path / name for name in ("src.sgm", "ref.ref.sgm", "good.sgm")]
    assert assemble(files[0], files[1:2], files[2:]) == collection
    assert files[2].read_text() == (
        '<tstset setid="set" srclang="cs" trglang="en">\n'
        '<doc sysid="good" docid="doc" genre="news">\n'
        '<seg id="1">&#32;a &lt; b &amp; c&#10;</seg>\n'
        "</doc>\n</tstset>\n"
    )


def test_systems_do_not_take_the_place_of_the_source(tmp_path: Path) -> None:
    testset = TestSet("set", None, None, (Document("doc", ("a",), {"A": ("b",)}),))
    outputs = tuple(SystemOutput(name, {"doc": (name,)}) for name in ("src", "ref.A", "SRC"))
    sgm.write(Collection(testset, outputs), tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.sgm")) == [
        "SRC-3.sgm",
        "ref.A-2.sgm",
        "ref.A.sgm",
        "src-2.sgm",
        "src.sgm",
    ]
    assert read_collection(tmp_path) == Collection(testset, outputs)


def test_an_absent_segment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"good\.sgm: document 'doc', segment 1 is absent, .*jsonl"
    ):
        sgm.write(collection_of(None), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["ref", "test"])
def test_a_real_file_reads_as_a_plain_search_would(shared_data: Path, name: str) -> None:
    path = shared_data / "meteor-example" / f"{name}.sgm"
    found = re.findall(r"<seg id=\"\d+\">(.*)</seg>", path.read_text(encoding="utf-8"))
    side = sgm.read(path)
    assert side.segments == tuple(unescape(text.strip()) for text in found)
    assert side.documents is not None
    assert (len(side.segments), len(side.documents)) == (2525, 111)
    assert (side.language, side.testset) == ("en", "newstest2009")
    assert side.name == {"ref": "ref", "test": "cmu-combo"}[name]
