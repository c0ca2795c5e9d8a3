"""Bitext in every format gives the same rows; what is broken is said with its place."""

import gzip
from pathlib import Path

import pytest

from isogloss.errors import FormatError
from isogloss.training.bitext import read_bitext, read_moses

_ROWS = [("one two", "eins zwei"), ("a <b> & c", "ein <b> & c"), ("three", "drei")]

_TMX = """<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4"><header/><body>
<tu><tuv xml:lang="en-GB"><seg>one
  two</seg></tuv><tuv xml:lang="de"><seg>eins zwei</seg></tuv></tu>
<tu><tuv lang="de"><seg>ein &lt;b&gt; &amp; c</seg></tuv>
<tuv lang="EN"><seg>a &lt;b&gt; <hi>&amp;</hi> c</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>three</seg></tuv><tuv xml:lang="de"><seg>drei</seg></tuv></tu>
</body></tmx>
"""


def test_tsv_also_compressed(tmp_path: Path) -> None:
    text = "\n".join(["en\tde", *("\t".join(row) for row in _ROWS)]) + "\n"
    (tmp_path / "a.tsv").write_text(text, encoding="utf-8")
    with gzip.open(tmp_path / "b.tsv.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    for name in ("a.tsv", "b.tsv.gz"):
        bitext = read_bitext(tmp_path / name, block=64)
        assert (bitext.name, bitext.languages, bitext.block) == (name[0], ("en", "de"), 64)
        assert list(bitext.rows()) == _ROWS
        assert list(bitext.rows()) == _ROWS  # again


def test_documents_are_kept_apart(tmp_path: Path) -> None:
    lines = ["doc\ten\tde", "n1\tone\teins", "n1\ttwo\tzwei", "n2\tthree\t", "n2\tfour\tvier"]
    (tmp_path / "news.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    bitext = read_bitext(tmp_path / "news.tsv")
    assert (bitext.languages, bitext.block) == (("en", "de"), 0)
    between = ("", "")
    assert list(bitext.rows()) == [
        ("one", "eins"), ("two", "zwei"), between, ("three", ""), ("four", "vier")
    ]  # fmt: skip
    (tmp_path / "news.tsv").write_text("doc\ten\tde\nn1\tone\n", encoding="utf-8")
    with pytest.raises(FormatError, match="2 cells, the header has 3"):
        list(bitext.rows())
    (tmp_path / "news.tsv").write_text("doc\ten\nn1\tone\n", encoding="utf-8")
    with pytest.raises(FormatError, match="two or more languages"):
        read_bitext(tmp_path / "news.tsv")


def test_moses(tmp_path: Path) -> None:
    for column, code in enumerate(("en", "de")):
        lines = "".join(f"{row[column]}\n" for row in _ROWS)
        (tmp_path / f"text.{code}").write_text(lines, encoding="utf-8")
    bitext = read_moses((tmp_path / "text.en", "en"), (tmp_path / "text.de", "de"))
    assert list(bitext.rows()) == _ROWS
    (tmp_path / "text.de").write_text("eins\n", encoding="utf-8")
    with pytest.raises(FormatError, match="not as many lines"):
        list(bitext.rows())


def test_tmx_with_regions_markup_and_either_order(tmp_path: Path) -> None:
    (tmp_path / "memory.tmx").write_text(_TMX, encoding="utf-8")
    bitext = read_bitext(tmp_path / "memory.tmx")
    assert bitext.languages == ("de", "en")
    assert [row[::-1] for row in bitext.rows()] == _ROWS


def test_tmx_that_is_cut_off_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "memory.tmx").write_text(_TMX[:300], encoding="utf-8")
    with pytest.raises(FormatError, match=r"memory\.tmx.*not well-formed"):
        read_bitext(tmp_path / "memory.tmx")


def test_parquet_with_gaps_and_line_breaks(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {"en": ["one two", "a\tb\nc", None], "de": ["eins zwei", None, "drei"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "text.parquet")
    bitext = read_bitext(tmp_path / "text.parquet")
    assert bitext.languages == ("en", "de")
    assert list(bitext.rows()) == [("one two", "eins zwei"), ("a b c", ""), ("", "drei")]


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.doc").write_text("x", encoding="utf-8")
    with pytest.raises(FormatError, match=r"\.tsv, \.tmx"):
        read_bitext(tmp_path / "text.doc")
