"""Files that are small on the disk and large in memory, or long where others are short.

What happens to each is said in docs/reliability.md. No test asserts a time: where an algorithm
were quadratic, the sizes here would keep it busy for minutes, and pytest's runner would say so.
"""

import gzip
import lzma
import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import zstandard

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.evaluation import evaluate
from isogloss.formats import ReadOptions, read_collection, read_text, sgm, wmt_xml, write_collection
from isogloss.formats.files import DEFAULT_LIMIT, LIMIT, read_head

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(level=1).compress,
}


def bomb(kind: str, size: int) -> bytes:
    """A megabyte packed, so often that it unpacks to the size."""
    return PACKERS[kind](b"a" * 1_000_000) * (size // 1_000_000)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_bomb_is_refused_by_the_limit(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT, "20")
    path = tmp_path / "a.txt"
    path.write_bytes(bomb(kind, 21_000_000))
    with pytest.raises(FormatError, match=rf"holds more than 20 MB; .* {LIMIT}"):
        read_text(path)
    assert read_head(path) == "a" * 8192
    path.write_bytes(bomb(kind, 20_000_000))
    assert len(read_text(path)) == 20_000_000


@pytest.mark.parametrize("kind", PACKERS)
def test_a_bomb_at_the_default_limit_stays_below_a_gigabyte(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(bomb(kind, DEFAULT_LIMIT + 1_000_000))
    assert path.stat().st_size < 1_000_000
    # What getrusage tells would count what this process had when it was forked.
    program = f"""
import re, sys
sys.argv = ["isogloss", "evaluate", "-s", {str(path)!r}, "-t", {str(path)!r}, "-m", "bleu"]
from isogloss.cli.main import main
try:
    main()
finally:
    print(1024 * int(re.search("VmHWM:[^0-9]+([0-9]+) kB", open("/proc/self/status").read())[1]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "holds more than 500 MB" in done.stderr
    assert int(done.stdout) < 1 << 30


def test_one_frame_that_unpacks_to_gigabytes_is_not_unpacked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LIMIT, "50")
    path = tmp_path / "a.txt"
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    with path.open("wb") as file:
        for _ in range(3000):
            file.write(packer.compress(b"\0" * 1_000_000))
        file.write(packer.flush())
    assert path.stat().st_size < 300_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FormatError, match="holds more than 50 MB"):
        read_text(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kilobytes


def test_a_limit_that_is_none_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("x")
    for value in ("1 GB", "-1", "9" * 12):
        monkeypatch.setenv(LIMIT, value)
        with pytest.raises(InputError, match=f"{LIMIT} is a number of megabytes"):
            read_text(tmp_path / "a.txt")


LONG = 200_000


@pytest.mark.parametrize(
    "inside",
    [
        " " * LONG,
        "x" * LONG + " " * LONG,
        "a" + " \t" * LONG + "\nb",
        "<!--" * LONG,
        "<" * LONG,
        "&" * LONG,
        "&#" + "1" * LONG,
        "</seg" * LONG,
    ],
)
@pytest.mark.parametrize("place", ["segment", "attribute", "between"])
def test_sgm_is_read_in_linear_time(inside: str, place: str, tmp_path: Path) -> None:
    at = {place: inside, **dict.fromkeys({"segment", "attribute", "between"} - {place}, "")}
    text = (
        '<srcset setid="s"><doc docid="d" {attribute}>{between}<seg>{segment}</seg></doc></srcset>'
    )
    path = tmp_path / "a.sgm"
    path.write_text(text.format(**at), encoding="utf-8")
    with suppress(FormatError):  # some of these are no SGM
        assert len(sgm.read(path).segments) == 1


def test_blanks_within_a_segment_are_written_in_linear_time(tmp_path: Path) -> None:
    text = "a" + " " * LONG + "b"
    collection = Collection(TestSet("s", "en", "de", (Document("d", (text,)),)))
    write_collection(collection, tmp_path / "set", "sgm")
    assert read_collection(tmp_path / "set").testset.documents[0].source == (text,)


XML = '<dataset id="s"><doc id="d"><src><p><seg id="1">{}</seg></p></src></doc></dataset>'


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE dataset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        '<!DOCTYPE dataset [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE dataset [<!ENTITY % a SYSTEM "file:///etc/hostname"> %a;]>',
    ],
)
def test_declared_entities_are_refused(doctype: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(doctype + "\n" + XML.format("&a;"), encoding="utf-8")
    with pytest.raises(FormatError, match=":1: an entity declaration; write out"):
        wmt_xml.read(path, ReadOptions())


def test_a_document_type_elsewhere_is_never_fetched(tmp_path: Path) -> None:
    """Neither from the network nor from the disk: the entity that it declares stays unknown."""
    (tmp_path / "a.dtd").write_text('<!ENTITY secret "told">')
    path = tmp_path / "a.xml"
    doctype = f'<!DOCTYPE dataset SYSTEM "{(tmp_path / "a.dtd").as_uri()}">\n'
    path.write_text(doctype + XML.format("plain"), encoding="utf-8")
    assert wmt_xml.read(path, ReadOptions()).testset.documents[0].source == ("plain",)
    path.write_text(doctype + XML.format("&secret;"), encoding="utf-8")
    with pytest.raises(FormatError) as told:
        wmt_xml.read(path, ReadOptions())
    assert "told" not in str(told.value)


def test_elements_within_elements_without_end_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(XML.format("<x>" * 100_000), encoding="utf-8")
    with pytest.raises(FormatError):
        wmt_xml.read(path, ReadOptions())


def test_a_line_of_fifty_megabytes_is_a_segment_like_any_other(tmp_path: Path) -> None:
    line = "ein Wort " * 5_555_556
    (tmp_path / "a.txt").write_text(line + "\n", encoding="utf-8")
    assert len(line) > 50_000_000
    from isogloss.formats import text

    (segment,) = text.read(tmp_path / "a.txt").segments
    assert segment == line


def test_a_segment_of_100_000_words_is_scored(tmp_path: Path) -> None:
    words = [f"w{n % 5000}" for n in range(100_000)]
    text = " ".join(words)
    testset = TestSet("s", "en", "de", (Document("d", ("source",), {"ref": (text,)}),))
    output = SystemOutput("same", {"d": (text,)})
    table = evaluate(Collection(testset, (output,)), ["bleu", "chrf"])
    assert [row.score for row in table.rows] == [pytest.approx(100.0)] * 2
