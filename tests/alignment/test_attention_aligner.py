"""Links read off a model's attention, alone and together with a statistical model."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.alignment import SegmentAlignment, TokenPair, aligner
from isogloss.alignment.attention import (
    AttentionAligner,
    HeadChoice,
    remember_choice,
    word_attention,
)
from isogloss.alignment.informed import CombinedAligner, InformedAligner, weight
from isogloss.alignment.reader import PieceAttention, likeness, word_likeness
from isogloss.alignment.symmetrisation import Directions, strongest
from isogloss.errors import InputError, NotApplicableError
from isogloss.model import PiecedText
from isogloss.runtime import Runtime
from model.tiny_models import TinyModel, tiny_model

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


def test_attention_learns_nothing_that_could_be_kept(tmp_path: Path) -> None:
    languages = {"source_language": "en", "target_language": "de"}
    with pytest.raises(InputError, match="attention learns nothing that could be kept"):
        aligner("attention", save_to=tmp_path, **languages)
    with pytest.raises(InputError, match="attention-alone learns nothing"):
        aligner("attention-alone", extra=PAIRS, **languages)


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
    reading_again = InformedAligner(looking)
    combined = CombinedAligner(Certain(), reading_again)
    strengths, *_ = reading_again.matrices(PAIRS)
    votes = np.zeros_like(strengths)
    votes[0, 0], votes[1, 1], votes[0, 1] = 1, 0.5, 0.5
    (found, *rest) = combined.directions(PAIRS)
    share = np.float32(weight(sum(len(source) for source, _ in PAIRS)))
    assert found == strongest(share * votes + (1 - share) * strengths, 0.2)
    assert not rest[0].source_to_target.links
    assert combined.name == f"combined(certain,{reading_again.name}):weight2:least0.2"


def test_a_statistical_model_weighs_more_the_more_it_has_learnt_from() -> None:
    weights = [weight(words) for words in (0, 600, 15_000, 10_000_000)]
    assert weights[0] == 0
    assert weights == sorted(weights)
    assert weights[1] < 0.02
    assert weights[2] == pytest.approx(0.15)
    assert weights[3] == pytest.approx(0.3, abs=0.001)


def test_states_of_words_that_mean_the_same_are_alike(tiny: TinyModel) -> None:
    states = np.eye(3, dtype=np.float32) * 4
    alike = likeness(states, states[[2, 0, 1]], 1.0)
    assert alike.argmax(axis=1).tolist() == [1, 2, 0]
    assert alike.max() <= 1
    assert likeness(states, states, 0.0) == pytest.approx(np.full((3, 3), 1 / 3))


def test_words_are_as_alike_as_their_most_alike_pieces() -> None:
    pieces = np.array([[0.1, 0.2, 0.3], [0.5, 0.0, 0.4]], np.float32)
    found = word_likeness(
        pieces, ([(0, 4), (5, 6)], [(0, 2), (2, 4)]), ([(0, 1), (2, 5)], [(0, 1), (2, 4), (4, 5)])
    )
    assert found == pytest.approx(np.array([[0.5, 0.4], [0.0, 0.0]]))


def test_a_model_whose_card_says_so_is_asked_for_its_states(tmp_path: Path) -> None:
    plain = tiny_model(tmp_path / "plain")
    choice = HeadChoice(((1, 2),))
    remember_choice(plain.folder, choice)
    (seen,) = reading(plain).matrices(PAIRS[:1])
    (alike,) = reading(plain).every_likeness(PAIRS[:1], 0.5)
    remember_choice(plain.folder, choice, states=0.5)
    asked = reading(plain)
    assert ":heads1.2+states0.5:" in asked.name
    (mixed,) = asked.matrices(PAIRS[:1])
    assert mixed == pytest.approx((seen + alike) / 2, abs=1e-6)


def test_what_is_longer_than_a_model_reads_is_read_in_parts(tiny: TinyModel) -> None:
    looking = reading(tiny, heads=HeadChoice(((1, 2),)))
    long: TokenPair = (["the", "cat"] * 60, ["die", "Katze"] * 70)
    matrices = list(looking.matrices([PAIRS[0], long, PAIRS[0]]))
    assert [matrix.shape for matrix in matrices] == [(6, 5), (120, 140), (6, 5)]
    (short,) = looking.matrices(PAIRS[:1])
    assert matrices[0] == pytest.approx(short, abs=1e-5)
    assert matrices[2] == pytest.approx(short, abs=1e-5)
    # The first words of the one side and the last of the other lie in no part together.
    assert matrices[1][0, -1] == 0
    assert (matrices[1].max(axis=1) > 0).all()
    assert looking.remarks([PAIRS[0], long]) == {
        "aligned in overlapping parts of what tiny reads; shorter segments are read whole": 1
    }
    assert looking.remarks(PAIRS) == {}


def test_a_single_word_that_is_too_long_has_no_links(tiny: TinyModel) -> None:
    endless: TokenPair = (["house" * 400], ["Haus", "und"])
    looking = reading(tiny)
    (matrix,) = looking.matrices([endless])
    assert matrix.tolist() == [[0.0, 0.0]]
    assert list(looking.remarks([endless]).values()) == [1]


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
