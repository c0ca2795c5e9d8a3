"""Pharaoh files: written, read back, and refused with the place of the mistake."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.alignment import SegmentAlignment, aligner, pharaoh_line
from isogloss.alignment.pharaoh import parse_line, read_pharaoh, write_pharaoh
from isogloss.errors import FormatError, InputError

PAIRS = [(["das", "Haus"], ["the", "house"]), (["ja"], ["yes", "indeed"])]
numbers = st.integers(0, 200)
alignments = st.dictionaries(st.tuples(numbers, numbers), st.floats(0, 1)).map(
    lambda found: SegmentAlignment(
        tuple(sorted(found)), tuple(found[link] for link in sorted(found))
    )
)


@given(alignments)
def test_a_line_reads_back(alignment: SegmentAlignment) -> None:
    place = {"path": Path("a.txt"), "line": 1}
    assert parse_line(pharaoh_line(alignment, scores=True), **place) == alignment
    without = parse_line(pharaoh_line(alignment), **place)
    assert without == SegmentAlignment(alignment.links)


def test_a_file_reads_back(tmp_path: Path) -> None:
    found = [SegmentAlignment(((0, 0), (1, 1))), SegmentAlignment(())]
    for name in ("links.txt", "links.txt.zst"):
        write_pharaoh(tmp_path / name, found)
        assert read_pharaoh(tmp_path / name, PAIRS) == found
    assert (tmp_path / "links.txt").read_text() == "0-0 1-1\n\n"


def test_links_come_sorted_and_once(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("1-1 0-0\t0-0 1-0\r\n0-1\n")
    first, second = read_pharaoh(tmp_path / "links.txt", PAIRS)
    assert first.links == ((0, 0), (1, 0), (1, 1))
    assert second.links == ((0, 1),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n", r"links\.txt: has 1 line, there are 2 segment pairs; it needs one line for each"),
        ("0-0\n0-2\n", r"links\.txt:2: a link to target word 2, but the target has 2 words"),
        ("2-0\n0-0\n", r"links\.txt:1: a link to source word 2, but the source has 2 words"),
        ("0-0 1\n\n", r"links\.txt:1: '1' is no link; a line looks like '0-0 1-2'"),
        ("0-0\n0p0\n", r"links\.txt:2: '0p0' is no link"),
        ("0-0\n-1-0\n", r"links\.txt:2: '-1-0' is no link"),
        ("0-0:0.5 1-1\n\n", r"links\.txt:1: some links have a probability, others have none"),
        ("0-0:1.5\n\n", r"links\.txt:1: '0-0:1\.5' has no probability between 0 and 1"),
        ("0-0:1e-e\n\n", r"links\.txt:1: '0-0:1e-e' has no probability between 0 and 1"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_pharaoh(tmp_path / "links.txt", PAIRS)


def test_the_aligner_that_reads_a_file(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("0-0 1-1\n0-0\n")
    (tmp_path / "copy.txt").write_text("0-0 1-1\n0-0\n")
    (tmp_path / "other.txt").write_text("0-0 1-1\n0-1\n")
    made = {
        name: aligner("file", file=tmp_path / f"{name}.txt") for name in ("links", "copy", "other")
    }
    assert made["links"].align(PAIRS) == [
        SegmentAlignment(((0, 0), (1, 1))),
        SegmentAlignment(((0, 0),)),
    ]
    # The name tells what is in the file, not where it lies.
    assert made["links"].name == made["copy"].name != made["other"].name
    with pytest.raises(InputError, match="needs the file"):
        aligner("file")
