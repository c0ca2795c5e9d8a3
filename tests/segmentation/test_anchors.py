"""Long documents fall into blocks at places where source and output surely meet."""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.documents import Document
from isogloss.segmentation.anchors import Passage, blocks
from isogloss.segmentation.outputs import OutputPieces, output_pieces
from isogloss.segmentation.readers import SpellingReader
from isogloss.segmentation.sources import SourceText, read_source
from isogloss.wholes import WholeText

MANY = 400
_LETTERS = random.Random(5)


def made_sentence() -> str:
    """Words that no other sentence has."""
    words = ("".join(_LETTERS.choices("abdefgiklmnoprstuwz", k=7)) for _ in range(8))
    return f"{' '.join(words)}.".capitalize()


SENTENCES = tuple(made_sentence() for _ in range(MANY))
STRANGERS = tuple(made_sentence() for _ in range(MANY))


def rendered(sentence: str) -> str:
    """A translation of a kind: most words stay, one is new, and the order is another."""
    first, second, third, *others = sentence[:-1].split()
    return f"{' '.join((second, first, 'indeed', *others, third))}.".capitalize()


def read(
    source: Sequence[str], output: Sequence[str]
) -> tuple[SourceText, OutputPieces, tuple[Passage, ...]]:
    reader = SpellingReader()
    ours = read_source(Document("long", tuple(source)), reader, "en", "en")
    theirs = output_pieces(WholeText.of_lines([" ".join(output)]), reader, "en")
    return ours, theirs, blocks(ours, theirs)


def assert_covering(found: Sequence[Passage], source: SourceText, output: OutputPieces) -> None:
    """Each sentence and each piece is in one block, in order."""
    assert found[0].sentences[0] == found[0].pieces[0] == 0
    assert (found[-1].sentences[1], found[-1].pieces[1]) == (len(source.sentences), len(output))
    for one, other in pairwise(found):
        assert one.sentences[1] == other.sentences[0]
        assert one.pieces[1] == other.pieces[0]
    assert all(block.sentence_count > 0 and block.piece_count >= 0 for block in found)


def corners(found: Sequence[Passage], output: OutputPieces) -> list[tuple[int, int]]:
    """Where blocks begin but for the first: a sentence of the source, and one of the output."""
    gaps = output.starts.nonzero()[0].tolist()
    return [(block.sentences[0], gaps.index(block.pieces[0])) for block in found[1:]]


def test_a_short_document_is_one_block() -> None:
    source, output, found = read(SENTENCES[:20], [*map(rendered, SENTENCES[:20])])
    assert found == (Passage((0, 20), (0, len(output))),)
    assert_covering(found, source, output)


def test_a_long_document_falls_into_blocks_at_true_places() -> None:
    source, output, found = read(SENTENCES, [*map(rendered, SENTENCES)])
    assert len(source.sentences) == output.starts.sum() - 1 == MANY
    assert_covering(found, source, output)
    assert len(found) > 4
    for ours, theirs in corners(found, output):
        assert ours == theirs


@pytest.mark.parametrize("first", [0, 40, 150, 250])
def test_a_great_omission_does_not_derail_them(first: int) -> None:
    kept = [number for number in range(MANY) if not first <= number < first + 150]
    source, output, found = read(SENTENCES, [rendered(SENTENCES[number]) for number in kept])
    assert_covering(found, source, output)
    assert any(block.sentences[0] >= first + 150 for block in found[:-1]) or first == 250
    for ours, theirs in corners(found, output):
        assert kept[theirs] == ours


@pytest.mark.parametrize("place", [0, 40, 200, 400])
def test_a_great_addition_does_not_derail_them(place: int) -> None:
    lines = [*map(rendered, SENTENCES)]
    source, output, found = read(SENTENCES, [*lines[:place], *STRANGERS[:300], *lines[place:]])
    assert_covering(found, source, output)
    for ours, theirs in corners(found, output):
        assert theirs == (ours if ours < place else ours + 300)
    assert len(found) > 4


def test_what_has_nothing_in_common_is_not_torn_apart() -> None:
    source, output, found = read(SENTENCES[:100], STRANGERS[:100])
    assert len(found) == 1
    assert_covering(found, source, output)


def test_a_loop_has_no_sure_places() -> None:
    source, output, found = read(SENTENCES[:100], [SENTENCES[7]] * 100)
    assert len(found) == 1
    assert_covering(found, source, output)


@pytest.mark.parametrize("lines", [[], [""], ["..."], [SENTENCES[50]]])
def test_a_text_with_next_to_nothing_is_one_block(lines: list[str]) -> None:
    _, output, found = read(SENTENCES[:100], lines)
    assert found == (Passage((0, 100), (0, len(output))),)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, MANY), st.integers(0, 120)), max_size=6))
def test_whatever_the_output_blocks_cover_both_sides(stretches: list[tuple[int, int]]) -> None:
    """Stretches of the document in any order, some of them several times."""
    lines = [rendered(line) for start, count in stretches for line in SENTENCES[start:][:count]]
    source, output, found = read(SENTENCES[:200], lines)
    assert_covering(found, source, output)


def test_a_block_without_a_sure_place_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.segmentation.anchors._LARGEST", 20_000)
    source, output, found = read(SENTENCES[:200], STRANGERS[:200])
    assert_covering(found, source, output)
    assert len(found) > 10
    assert max(block.sentence_count for block in found) < 30


def test_what_was_added_may_be_longer_than_the_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.segmentation.anchors._REACH", 64)
    monkeypatch.setattr("isogloss.segmentation.anchors._ROWS", 32)
    added = [*map(rendered, SENTENCES[:60]), *STRANGERS, *map(rendered, SENTENCES[60:])]
    source, output, found = read(SENTENCES, added)
    assert_covering(found, source, output)
    true = {(number, number + MANY) for number in range(60, MANY)}
    later = [corner for corner in corners(found, output) if corner[0] > 250]
    assert later
    assert set(later) <= true
