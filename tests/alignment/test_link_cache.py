"""The cache of links: right, shared, and never half-written."""

import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from isogloss.alignment import SegmentAlignment, TokenPair
from isogloss.alignment.cache import FOLDER_NAME, CachedAligner
from isogloss.alignment.symmetrisation import Directions
from isogloss.errors import InputError

PAIRS: list[TokenPair] = [(["a", "b"], ["c"]), (["a"], []), (["d"], ["e", "f"])]


class Counting:
    """Links the first words, and counts how often it was asked."""

    def __init__(self, name: str = "counting") -> None:
        self.name, self.asked = name, 0

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        self.asked += 1
        return [
            Directions(SegmentAlignment(((0, 0),), (1 / 3,)), SegmentAlignment(((0, 0),), (0.1,)))
            if source and target
            else Directions(SegmentAlignment(()), SegmentAlignment(()))
            for source, target in pairs
        ]


def test_what_is_known_is_not_found_again(tmp_path: Path) -> None:
    slow = Counting()
    first = CachedAligner(slow, tmp_path).directions(PAIRS)
    again = CachedAligner(slow, tmp_path).directions([(tuple(s), tuple(t)) for s, t in PAIRS])
    assert first == again == Counting().directions(PAIRS)
    assert slow.asked == 1


@pytest.mark.parametrize(
    "others",
    [
        PAIRS[:2],
        PAIRS[::-1],
        [(["a", "b"], ["C"]), *PAIRS[1:]],
        [(["ab"], ["c"]), *PAIRS[1:]],
        [(["a"], ["b", "c"]), *PAIRS[1:]],
    ],
)
def test_other_texts_are_other_texts(others: list[TokenPair], tmp_path: Path) -> None:
    slow = Counting()
    CachedAligner(slow, tmp_path).directions(PAIRS)
    CachedAligner(slow, tmp_path).directions(others)
    assert slow.asked == 2


def test_another_aligner_is_another_aligner(tmp_path: Path) -> None:
    CachedAligner(Counting(), tmp_path).directions(PAIRS)
    other = Counting("other")
    CachedAligner(other, tmp_path).directions(PAIRS)
    assert other.asked == 1


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"0-0\n0-0\n"])
def test_a_damaged_file_is_made_anew(damage: bytes, tmp_path: Path) -> None:
    slow = Counting()
    CachedAligner(slow, tmp_path).directions(PAIRS)
    (file,) = (tmp_path / FOLDER_NAME).iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage)
    assert CachedAligner(slow, tmp_path).directions(PAIRS) == slow.directions(PAIRS)
    assert file.read_bytes() == whole
    assert list((tmp_path / FOLDER_NAME).iterdir()) == [file]


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / FOLDER_NAME).write_text("a file, not a folder")
    with pytest.raises(InputError, match="links cannot be kept there"):
        CachedAligner(Counting(), tmp_path).directions(PAIRS)


def test_processes_share_the_cache_while_others_are_killed(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from alignment.test_link_cache import PAIRS, CachedAligner, Counting

        while True:
            for number in range(50):
                CachedAligner(Counting(str(number)), Path(sys.argv[1])).directions(PAIRS)
        """
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path)],
            env={"PYTHONPATH": str(Path(__file__).parents[1])},
        )
        for _ in range(2)
    ]
    try:
        expected = Counting().directions(PAIRS)
        while not (tmp_path / FOLDER_NAME).is_dir():
            pass
        for number in range(50):
            aligner = CachedAligner(Counting(str(number)), tmp_path)
            assert aligner.directions(PAIRS) == expected
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    for number in range(50):
        untouched = Counting(str(number))
        assert CachedAligner(untouched, tmp_path).directions(PAIRS) == expected
        assert untouched.asked == 0
