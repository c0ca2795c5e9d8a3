"""Links read off a model's attention, alone and together with a statistical model."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.alignment.attention import AttentionAligner
from isogloss.alignment.catalogue import aligner
from isogloss.alignment.combined import CombinedAligner
from isogloss.alignment.directions import Directions
from isogloss.alignment.heads import HeadChoice
from isogloss.alignment.links import SegmentAlignment, TokenPair
from isogloss.alignment.pieced_words import word_attention
from isogloss.alignment.reading import PieceAttention
from isogloss.alignment.strengths import strongest
from isogloss.errors import InputError, NotApplicableError
from isogloss.paraphraser.pieces import PiecedText
from isogloss.paraphraser.store import Runtime
from paraphraser.tiny_models import TinyModel

PAIRS: list[TokenPair] = [
    (["the", "cat", "sat", "on", "a", "mat"], ["die", "Katze", "und", "das", "Haus"]),
    ([], ["das"]),
    (["the", "dog"], []),
    (["東京", "都", "は"], ["the", "red", "house"]),
]


def pieced(*offsets: tuple[int, int]) -> PiecedText:
    return PiecedText(tuple("x" * len(offsets)), offsets)


def test_pieces_are_merged_into_words() -> None:
    weights = np.array([[0.2, 0.5, 0.1], [0.4, 0.1, 0.3]], np.float32)
    # Target: one word of two pieces. Condition: "ab" "cd", the middle piece lies in both words.
    attention = PieceAttention(
        weights[None, None], pieced((0, 2), (2, 4)), pieced((0, 1), (1, 3), (3, 4))
    )
    merged = word_attention(weights, attention, [(0, 4)], [(0, 2), (2, 4)])
    assert merged == pytest.approx(np.array([[0.3 + 0.15, 0.15 + 0.2]]))
    several = word_attention(attention.weights, attention, [(0, 4)], [(0, 2), (2, 4)])
    assert several[0, 0] == pytest.approx(merged)


def test_a_word_without_pieces_has_no_attention() -> None:
    weights = np.ones((1, 1), np.float32)
    attention = PieceAttention(weights[None, None], pieced((0, 2)), pieced((0, 2)))
    merged = word_attention(weights, attention, [(0, 2), (2, 3)], [(0, 2)])
    assert merged.tolist() == [[1.0], [0.0]]


def test_the_strongest_links_from_either_side() -> None:
    strengths = np.array([[0.9, 0.0, 0.2], [0.1, 0.0, 0.8], [0.5, 0.0, 0.1]], np.float32)
    found = strongest(strengths, 0.3)
    assert found.source_to_target == SegmentAlignment(((0, 0), (1, 2), (2, 0)), (0.9, 0.8, 0.5))
    assert found.target_to_source == SegmentAlignment(((0, 0), (1, 2)), (0.9, 0.8))
    nothing = SegmentAlignment(())
    assert strongest(np.zeros((0, 3), np.float32), 0.3) == Directions(nothing, nothing)


def reading(tiny: TinyModel, **options: object) -> AttentionAligner:
    return AttentionAligner("en", "de", model=str(tiny.folder), **options)


def test_a_model_aligns_and_does_so_again(tiny: TinyModel) -> None:
    choice = HeadChoice(((0, 1), (1, 2)))
    first = reading(tiny, heads=choice).directions(PAIRS)
    assert first == reading(tiny, heads=choice).directions(PAIRS)
    assert [bool(one.source_to_target.links) for one in first] == [True, False, False, True]
    for one in first:
        sources = [source for source, _ in one.source_to_target.links]
        targets = [target for _, target in one.target_to_source.links]
        assert len(set(sources)) == len(sources)
        assert len(set(targets)) == len(targets)


def test_both_directions_of_the_model_count(tiny: TinyModel) -> None:
    choice = HeadChoice(((1, 2),))
    aligner = reading(tiny, heads=choice)
    (strengths,) = aligner.matrices(PAIRS[:1])
    ((forth, back),) = aligner.every_head(PAIRS[:1])
    assert forth.shape == back.shape == (2, 4, 6, 5)
    assert strengths == pytest.approx(np.sqrt(forth[1, 2] * back[1, 2]), abs=1e-6)
    turned = AttentionAligner("de", "en", model=str(tiny.folder), heads=choice)
    (other,) = turned.matrices([(PAIRS[0][1], PAIRS[0][0])])
    assert pytest.approx(strengths, abs=1e-6) == other.T


def test_the_name_tells_model_heads_and_languages(tiny: TinyModel) -> None:
    one = reading(tiny)
    assert one.name.startswith("attention-tiny@")
    assert one.name.endswith(":heads-lower:least0.15:en-de")
    assert reading(tiny, heads=HeadChoice(((1, 2),))).name.endswith(":heads1.2:least0.15:en-de")


def test_languages_have_to_be_known() -> None:
    with pytest.raises(NotApplicableError, match="needs to know both languages"):
        aligner("attention", source_language="en")
    with pytest.raises(NotApplicableError, match="needs to know both languages"):
        aligner("combined")


def test_attention_has_nothing_to_learn() -> None:
    with pytest.raises(InputError, match="attention learns nothing"):
        aligner("attention", source_language="en", target_language="de", extra=PAIRS)


class Certain:
    """A statistical aligner that has made up its mind."""

    name = "certain"

    def directions(self, pairs: list[TokenPair]) -> list[Directions]:
        forth = SegmentAlignment(((0, 0), (1, 1)))
        back = SegmentAlignment(((0, 0), (0, 1)))
        return [
            Directions(forth, back)
            if len(source) > 1 and len(target) > 1
            else Directions(SegmentAlignment(()), SegmentAlignment(()))
            for source, target in pairs
        ]


def test_together_they_average(tiny: TinyModel) -> None:
    looking = reading(tiny, heads=HeadChoice(((1, 2),)))
    combined = CombinedAligner(Certain(), looking)
    (strengths,) = looking.matrices(PAIRS[:1])
    votes = np.zeros_like(strengths)
    votes[0, 0], votes[1, 1], votes[0, 1] = 1, 0.5, 0.5
    (found, *rest) = combined.directions(PAIRS)
    assert found == strongest((votes + strengths) / np.float32(2), 0.3)
    assert (0, 0) in found.source_to_target.links
    assert not rest[0].source_to_target.links
    assert combined.name == f"combined(certain,{looking.name}):least0.3"


def test_the_bundled_model_aligns(tmp_path: Path) -> None:
    pairs: list[TokenPair] = [
        (
            ["该", "组织", "使用", "新", "的", "系统", "。"],
            ["The", "organization", "uses", "a", "new", "system", "."],
        ),
        (["Das", "Haus", "ist", "rot", "."], ["The", "house", "is", "red", "."]),
    ]
    runtime = Runtime(cache=tmp_path)
    zh = aligner(
        "attention", "intersection", source_language="zh", target_language="en", runtime=runtime
    )
    (found,) = zh.align(pairs[:1])
    assert {(1, 1), (5, 5)} <= set(found.links)
    de = aligner("attention", "intersection", source_language="de", target_language="en")
    (found,) = de.align(pairs[1:])
    assert {(1, 1), (3, 3)} <= set(found.links)
    # The same words in other languages are another text: the cache keeps them apart.
    ja = aligner(
        "attention", "intersection", source_language="ja", target_language="en", runtime=runtime
    )
    ja.align(pairs[:1])
    assert len(list((tmp_path / "alignments").iterdir())) == 2
