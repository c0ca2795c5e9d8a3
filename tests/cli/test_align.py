"""``isogloss align``: links for programs and pictures for people."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from isogloss.alignment.pharaoh import read_pharaoh
from isogloss.cli.main import app
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_lines
from isogloss.sample import load_sample, sample_path

CS = sample_path("cs-en")
FAST = ("--aligner", "fast-align", "--no-cache", "-q")


def run(*arguments: object, **environment: str) -> str:
    done = CliRunner().invoke(app, ["align", *map(str, arguments)], env=environment)
    if done.exception is not None:
        raise done.exception
    return done.stdout


def test_a_line_for_each_segment(tmp_path: Path) -> None:
    count = load_sample("cs-en").testset.segment_count
    printed = run(CS, "--of", "steady", *FAST)
    written = tmp_path / "links.txt.zst"
    assert run(CS, "--of", "steady", "--write", written, *FAST) == ""
    lines = printed.splitlines()
    assert len(lines) == count
    assert read_lines(written) == lines
    assert all(re.fullmatch(r"(\d+-\d+( |$))*", line) for line in lines)
    with_scores = run(CS, "--of", "steady", "--scores", *FAST).splitlines()
    assert [re.sub(r":\S+", "", line) for line in with_scores] == lines


def test_two_files_are_a_test_set_without_documents() -> None:
    languages = ("--from", "cs", "--to", "en")
    from_files = run(CS / "source.txt", CS / "steady.txt", *languages, *FAST)
    assert from_files == run(CS, "--of", "steady", *FAST)


def test_json_lines_say_where_the_words_are() -> None:
    records = [
        json.loads(line) for line in run(CS, "--of", "ref", "-o", "jsonl", *FAST).splitlines()
    ]
    collection = load_sample("cs-en")
    first = collection.testset.documents[0]
    assert (records[0]["document"], records[0]["segment"]) == (first.id, 0)
    assert records[0]["source"] == first.source[0]
    assert records[0]["target"] == first.references["ref"][0]
    for record in records:
        source = [record["source"][start:end] for start, end in record["source_words"]]
        target = [record["target"][start:end] for start, end in record["target_words"]]
        assert len(record["links"]) == len(record["scores"])
        for one, other in record["links"]:
            assert source[one].strip()
            assert target[other].strip()


def test_a_segment_in_colours() -> None:
    shown = run(CS, "--of", "steady", "--show", 2, *FAST)
    source, target, *words = shown.splitlines()
    assert source == load_sample("cs-en").testset.documents[0].source[1]
    assert target.startswith("The tenant")
    assert all(" – " in line for line in words)
    with pytest.raises(InputError, match="there is no segment 99; there are 53"):
        run(CS, "--of", "steady", "--show", 99, *FAST)


def test_a_page_holds_the_texts_and_nothing_that_acts(tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("ein <b> & </p>\nzwei\n", encoding="utf-8")
    (tmp_path / "target.txt").write_text("a <script>alert(1)</script>\ntwo\n", encoding="utf-8")
    (tmp_path / "links.txt").write_text("0-0 1-1\n0-0\n", encoding="utf-8")
    page = tmp_path / "page.html"
    words = ("--source-words", "space", "--target-words", "space")
    files = (tmp_path / "source.txt", tmp_path / "target.txt")
    run(
        *files, *words, "--aligner", "file", "--links", tmp_path / "links.txt", "--html", page, "-q"
    )
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "http" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</mark>" in text
    plain = re.sub(r"<[^>]+>", "", text.partition("</style>")[2])
    assert "ein &lt;b&gt; &amp; &lt;/p&gt;" in plain
    marks = re.findall(r'<mark style="--hue:(\d+)"', text)
    assert len(marks) == 6
    assert marks[0] == marks[2] != marks[1] == marks[3]


def test_extra_bitext_and_saved_models(tmp_path: Path) -> None:
    (tmp_path / "extra.tsv").write_text("nájemce\ttenant\nbyt ||| flat\n", encoding="utf-8")
    plain = run(CS, "--of", "steady", *FAST)
    helped = run(CS, "--of", "steady", "--extra", tmp_path / "extra.tsv", *FAST)
    assert len(helped.splitlines()) == len(plain.splitlines())
    run(CS, "--of", "ref", "--save-model", tmp_path / "model", *FAST)
    trained = run(CS, "--of", "steady", "--trained", tmp_path / "model", *FAST)
    assert len(trained.splitlines()) == 53
    (tmp_path / "extra.tsv").write_text("nájemce\ttenant\nbyt\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"extra\.tsv:2: neither a tab nor ' \|\|\| '"):
        run(CS, "--of", "steady", "--extra", tmp_path / "extra.tsv", *FAST)


def test_what_was_aligned_once_comes_from_the_cache(tmp_path: Path) -> None:
    arguments = (CS, "--of", "steady", "--aligner", "fast-align", "--cache", tmp_path, "-q")
    first = run(*arguments)
    (file,) = (tmp_path / "alignments").iterdir()
    before = file.stat().st_mtime_ns
    assert run(*arguments) == first
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CS,), "which translation\\? choose one of: steady, shifting, tangled, ref"),
        ((CS, "--of", "nobody"), "there is no translation 'nobody'; choose one of: steady"),
        ((CS / "source.txt", CS / "ref.txt", CS / "ref.txt"), "give one TESTSET"),
        ((CS / "source.txt", CS / "ref.txt", "--of", "x"), "give one TESTSET"),
        ((CS, "--of", "ref", "--aligner", "giza"), "unknown aligner 'giza'"),
        ((CS, "--of", "ref", "--symmetrise", "och"), "unknown symmetrisation 'och'"),
        ((CS, "--of", "ref", "--aligner", "file"), "needs the file that holds the links"),
    ],
)
def test_mistakes_are_told(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(*arguments, "--no-cache", "-q")


def test_files_of_different_length_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a\nb\n", encoding="utf-8")
    (tmp_path / "other.txt").write_text("a\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"other\.txt has 1 line, .*one\.txt has 2"):
        run(tmp_path / "one.txt", tmp_path / "other.txt", *FAST)


def test_a_page_can_be_asked_for_beside_the_links(tmp_path: Path) -> None:
    both = tmp_path / "links.txt", tmp_path / "page.html"
    run(CS, "--of", "steady", "--write", both[0], "--html", both[1], *FAST)
    collection = load_sample("cs-en")
    assert len(read_pharaoh(both[0])) == collection.testset.segment_count
    assert both[1].read_text(encoding="utf-8").count("<section>") == 53


def test_agreement_with_gold_links(tmp_path: Path) -> None:
    (tmp_path / "texts").write_text("das alte Haus ||| the old house\nja ||| yes\n")
    (tmp_path / "links").write_text("0-0 0-2 1-1\n0-0\n")
    (tmp_path / "gold").write_text("1-1 3-3 2p2\n1-1\n")
    given = (tmp_path / "texts", "--gold", tmp_path / "gold", "--links", tmp_path / "links")
    shown = run(*given, "--aligner", "file", "-q")
    assert re.search(r"2 +4 +75\.0 +66\.7 +28\.6 +\[", shown)
    assert "3 sure links, 1 more possible; words counted from 1" in shown
    record = json.loads(run(*given, "--aligner", "file", "-o", "jsonl", "-q"))
    assert record["aer"] == pytest.approx(1 - 5 / 7)
    assert record["possible"] == 1
    with pytest.raises(FormatError, match="gold:1: a link to source word 3"):
        run(*given, "--aligner", "file", "--gold-from", "0", "-q")


def test_a_bitext_of_bars_is_aligned_line_by_line(tmp_path: Path) -> None:
    source, target = (read_lines(CS / name) for name in ("source.txt", "steady.txt"))
    lines = (f"{one} ||| {other}\n" for one, other in zip(source, target, strict=True))
    (tmp_path / "both").write_text("".join(lines))
    languages = ("--from", "cs", "--to", "en")
    assert run(tmp_path / "both", *languages, *FAST) == run(CS, "--of", "steady", *FAST)
