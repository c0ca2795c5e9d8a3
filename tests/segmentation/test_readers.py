"""Texts as vectors: by the bundled model's encoder, and by spelling."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.segmentation.readers import ModelReader, PieceReader, ReadText, SpellingReader
from strategies import texts

AWKWARD = ["", " ", "\n", "\u200b", "\ufeff", "\x00", "\u0301", "😀", "２）", "ﬁn", "a\u00adb"]


def shown(sentence: str, pieces: ReadText) -> list[str]:
    return [sentence[start:end] for start, end in pieces.places]


def assert_read(sentence: str, pieces: ReadText) -> None:
    """Pieces lie in the sentence in order and show something: a vector each.

    Two may show the same character, such as a ligature that stands for several letters.
    """
    assert len(pieces.vectors) == len(pieces.places) == len(pieces)
    assert all(piece.strip() == piece != "" for piece in shown(sentence, pieces))
    for (start, end), (next_start, next_end) in pairwise(pieces.places):
        assert start <= next_start
        assert end <= next_end
    assert np.isfinite(pieces.vectors).all()


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@given(st.lists(texts() | st.sampled_from(AWKWARD), max_size=4))
def test_spelling_reads_whatever_there_is(sentences: list[str]) -> None:
    read = SpellingReader().read(sentences, None)
    for sentence, pieces in zip(sentences, read, strict=True):
        assert_read(sentence, pieces)
        visible = "".join(shown(sentence, pieces))
        assert visible.split() == ["".join(sentence.split())] * bool(visible)


def test_the_model_reads_whatever_there_is(model_reader: ModelReader) -> None:
    sentences = [*AWKWARD, "Ein Haus, 2 Hunde.", " Er  ging\u00a0heim. ", "我爱你。", "x" * 500]
    for sentence, pieces in zip(sentences, model_reader.read(sentences, "de"), strict=True):
        assert_read(sentence, pieces)


@pytest.mark.parametrize("sentence", ["Der Hund schläft im Garten.", "我爱你，你也爱我。"])
def test_the_models_pieces_show_all_of_a_sentence(model_reader: ModelReader, sentence: str) -> None:
    (pieces,) = model_reader.read([sentence], "de")
    assert "".join(shown(sentence, pieces)) == "".join(sentence.split())


def test_what_shows_nothing_has_no_pieces(model_reader: ModelReader) -> None:
    readers: list[PieceReader] = [model_reader, SpellingReader()]
    for reader in readers:
        assert [len(pieces) for pieces in reader.read(["", " \n ", "a"], "en")] == [0, 0, 1]
        assert reader.read([], "en") == []


def test_the_model_reads_sentences_of_any_length(model_reader: ModelReader) -> None:
    words = ["der", "Hund", "sah", "die", "Katze", "im", "Garten"] * 500
    sentence = " ".join(words)
    (pieces,) = model_reader.read([sentence], "de")
    assert_read(sentence, pieces)
    assert len(pieces) >= len(words)
    assert pieces.places[-1][1] == len(sentence)


def test_the_model_brings_together_what_means_the_same(model_reader: ModelReader) -> None:
    german = model_reader.read(["Der Hund schläft.", "Es regnet heute."], "de")
    english = model_reader.read(["The dog is asleep.", "It is raining today."], "en")
    means = [[read.vectors.mean(axis=0) for read in side] for side in (german, english)]
    middle = np.mean(means[0] + means[1], axis=0)
    for number, mean in enumerate(means[0]):
        own, other = means[1][number], means[1][1 - number]
        assert cosine(mean - middle, own - middle) > cosine(mean - middle, other - middle)


def test_spelling_brings_together_what_is_spelt_alike() -> None:
    (pieces,) = SpellingReader().read(["Müller MÜLLER Müllers 1984 Katze"], None)
    name, capitals, genitive, year, cat = pieces.vectors
    assert np.array_equal(name, capitals)
    assert cosine(name, genitive) > 0.5 > max(cosine(name, year), cosine(name, cat))


def test_spelling_tells_words_numbers_and_marks_apart() -> None:
    sentence = "Am 3.Mai kam_er (zu)!"
    (pieces,) = SpellingReader().read([sentence], None)
    words = ["Am", "3", ".", "Mai", "kam", "_", "er", "(", "zu", ")", "!"]
    assert shown(sentence, pieces) == words


@pytest.mark.parametrize(
    ("language", "known"),
    [("de", True), ("zh", True), ("zh-Hant", True), ("yo", False), ("", False), (None, False)],
)
def test_the_model_says_which_languages_it_knows(
    model_reader: ModelReader, language: str | None, known: bool
) -> None:
    assert model_reader.knows(language) is known
    assert SpellingReader().knows(language)


def test_readers_are_named_for_signatures(model_reader: ModelReader) -> None:
    assert model_reader.name == model_reader.model.card.name
    assert SpellingReader().name == "spelling"
