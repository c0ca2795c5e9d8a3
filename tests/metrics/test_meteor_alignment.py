"""METEOR's alignments are those of the Java program and of a search one path at a time."""

import gzip
import random
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import FormatError, InputError
from isogloss.metrics.meteor import itinerary, paraphrases
from isogloss.metrics.meteor.candidates import Candidates, Lot, candidates, make_lot
from isogloss.metrics.meteor.paraphrases import ParaphraseTable, paraphrase_table
from isogloss.metrics.meteor.profile import usual_resources
from isogloss.metrics.meteor.statistics import align, statistics
from isogloss.metrics.meteor.stems import stemmer
from isogloss.metrics.meteor.vocabulary import (
    MeteorVocabulary,
    Synonyms,
    WordTools,
    hash_code,
    synonyms,
)
from metrics import slow_meteor
from metrics.java_meteor import Pairs, java_meteor

# Few words, many forms and synonyms: almost every word of a sentence has several partners.
WORDS = {
    "en": "the a of , . in dog dogs run runs running car automobile auto buy bought purchase big "
    "large house home houses jump jumped leap said says",
    "de": "der die das ein und , . Hund Hunde Hunden lief laufen läuft Haus Häuser groß große "
    "großen schön schöner sagte sagen",
    "fr": "le la les un de , . chien chiens courir court maison maisons grand grande beau belle "
    "dit dire disait l' d'",
    "es": "el la los un de , . perro perros correr corre casa casas grande grandes dijo decir",
    "ru": "и в на , . собака собаки собаке дом дома домов большой большая сказал сказать доля",
    "cs": "a v na , . pes psi psa dům domy velký velká řekl já ne je se",
}
TABLE = [
    ("dog", "hound"), ("the dog", "a dog"), ("big house", "large home"), ("a dog", "the dog"),
    ("said", "says ,"), ("in the", "of a"), ("of the", "in"), ("run", "running ,"), ("car", "auto"),
    ("the big", "a large"), (". the", ", the big"), ("home", "house"), ("house", "home"),
    ("bought a car", "the auto said"), ("buy", "purchase the"), (",", "."), ("a", "the"),
    ("said the dog in", "the dog said in a"), ("jump", "leap"), ("leap", "jump"),
]  # fmt: skip


def sentences(language: str, seed: int, count: int, longest: int) -> Pairs:
    chance = random.Random(seed)
    words = WORDS[language].split()

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(0, longest))) or "."

    pairs = [(sentence(), sentence()) for _ in range(count)]
    return [*pairs, *((text, text) for text, _ in pairs[:20])]


def write_table(path: Path, entries: Sequence[tuple[str, str]] = TABLE) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"0.5\n{phrase}\n{other}\n" for phrase, other in entries)
    return path


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    return write_table(tmp_path / "paraphrase-en.gz")


def lot_of(pairs: Pairs, tools: WordTools) -> Lot:
    texts = [text.lower().split() for pair in pairs for text in pair]
    numbers = [(2 * n, 2 * n + 1) for n in range(len(pairs))]
    return make_lot(MeteorVocabulary(tools), texts, numbers)


def our_statistics(pairs: Pairs, tools: WordTools, *, characters: bool = False) -> np.ndarray:
    lot = lot_of(pairs, tools)
    return statistics(lot, align(lot), characters=characters)


def test_english_statistics_are_the_java_programs(table: Path) -> None:
    java = java_meteor()
    tools = WordTools(
        frozenset(java.member("function/english.words")),
        stemmer("en"),
        synonyms("en", usual_resources()),
        paraphrase_table(table),
    )
    pairs = [
        *sentences("en", 1, 300, 14),
        *sentences("en", 2, 60, 40),
        *sentences("en", 3, 3, 150),  # more words that compete than a number has bits
    ]
    theirs = java.statistics(pairs, "-l", "en", "-lower", "-a", str(table))
    np.testing.assert_array_equal(our_statistics(pairs, tools), theirs)


@pytest.mark.parametrize("language", ["de", "fr", "es", "ru"])
def test_statistics_in_other_languages_are_the_java_programs(language: str) -> None:
    java = java_meteor()
    # Without -s the program takes the English function words, whatever the language.
    tools = WordTools(frozenset(java.member("function/english.words")), stemmer(language))
    pairs = sentences(language, 4, 300, 16)
    theirs = java.statistics(pairs, "-l", language, "-lower", "-m", "exact stem")
    np.testing.assert_array_equal(our_statistics(pairs, tools), theirs)


def test_czech_and_characters_are_the_java_programs() -> None:
    java = java_meteor()
    tools = WordTools(frozenset(java.member("function/english.words")))
    pairs = [*sentences("cs", 5, 300, 16), ("já 😀 je", "ne 😀 se")]
    theirs = java.statistics(pairs, "-l", "cz", "-lower", "-m", "exact", "-ch")
    np.testing.assert_array_equal(our_statistics(pairs, tools, characters=True), theirs)


def test_words_with_the_same_hash_code_are_the_same_to_meteor() -> None:
    assert hash_code("já") == hash_code("ne")
    assert hash_code("доля") == hash_code("дома")
    assert hash_code("hello") == 99162322
    assert hash_code("😀") == 0xD83D * 31 + 0xDE00  # two characters to Java
    (row,) = our_statistics([("já", "ne")], WordTools(frozenset()))
    assert row[4] == 1


def related(*groups: str) -> Synonyms:
    """Synonyms of which each group is a synset."""
    numbers: dict[str, str] = {}
    for number, group in enumerate(groups, 1):
        for word in group.split():
            numbers[word] = f"{numbers.get(word, '')} {number}"
    return Synonyms("made up", numbers, {})


LETTERS = "abcdefgh"
made_up_pairs = st.lists(
    st.tuples(*(st.lists(st.sampled_from(LETTERS), max_size=18).map(" ".join) for _ in range(2))),
    min_size=1,
    max_size=12,
)
made_up_entries = st.lists(
    st.tuples(
        *(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=3).map(" ".join),) * 2
    ).filter(lambda entry: entry[0] != entry[1]),
    min_size=1,
    max_size=12,
    unique=True,
)


def listed(found: Candidates) -> list[tuple[int, ...]]:
    columns = (getattr(found, field.name).tolist() for field in fields(found))
    return list(zip(*columns, strict=True))


def slow_matches(lot: Lot) -> list[tuple[int, ...]]:
    """Every pair's alignment, found one path at a time, from the same candidates."""
    rows = listed(candidates(lot))
    aligned: list[tuple[int, ...]] = []
    for pair in range(lot.pairs):
        own = [row[1:] for row in rows if row[0] == pair]
        lengths = lot.lengths[lot.references[pair]], lot.lengths[lot.outputs[pair]]
        aligned += [(pair, *match) for match in slow_meteor.align(own, *map(int, lengths))]
    return aligned


@settings(max_examples=40, deadline=None)
@given(pairs=made_up_pairs, entries=made_up_entries, machine=st.booleans())
def test_many_pairs_at_once_are_aligned_as_one_path_at_a_time(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: Pairs,
    entries: list[tuple[str, str]],
    machine: bool,
) -> None:
    file = write_table(tmp_path_factory.mktemp("table") / "paraphrase-en.gz", entries)
    words, index = paraphrases.build(file)
    tools = WordTools(
        frozenset("ab"),
        lambda word: {"c": "b", "e": "d"}.get(word, word),
        related("a g", "f h a"),
        ParaphraseTable("made up", {word: number for number, word in enumerate(words)}, index),
    )
    with pytest.MonkeyPatch.context() as patch:
        if not machine:  # keys that no machine number would hold
            patch.setattr(itinerary, "_MOST_BITS", 8)
        lot = lot_of(pairs, tools)
        assert listed(align(lot)) == slow_matches(lot)


def test_a_vocabulary_is_kept_for_the_next_and_never_shared() -> None:
    tools = WordTools(frozenset())
    with tools.vocabulary() as one, tools.vocabulary() as other:
        assert one is not other
        assert one.number(["a", "b", "a"]) == [0, 1, 0]
    with tools.vocabulary() as again:
        assert again is one
        assert again.number(["b"]) == [1]


@pytest.mark.parametrize("columns", [1, 6, 7, 12, 24, 49])
def test_the_smallest_keys_are_found_however_many_columns_there_are(columns: int) -> None:
    keys = np.random.default_rng(columns).permutation(columns * 40 * 5).reshape(columns, 40, 5)
    expected = np.sort(keys.reshape(-1, 5), axis=0)[:40].T
    np.testing.assert_array_equal(itinerary.smallest(keys, 40), expected)


def test_texts_beyond_all_measure_are_refused() -> None:
    with pytest.raises(InputError, match="begins with 'a a a a a' has 70,000 words"):
        lot_of([("a " * 70_000, "a")], WordTools(frozenset()))


def test_no_pairs_and_empty_texts_are_no_trouble() -> None:
    tools = WordTools(frozenset())
    assert our_statistics([("", "a"), ("a", ""), ("", "")], tools)[:, :2].tolist() == [
        [0, 1],
        [1, 0],
        [0, 0],
    ]
    empty = make_lot(MeteorVocabulary(tools), [], [])
    assert statistics(empty, align(empty)).shape == (0, 23)


def test_a_table_is_kept_in_the_cache_and_used_from_there(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = paraphrases.load(table)
    folders = list((tmp_path / "cache" / "meteor").iterdir())
    assert [folder.name for folder in folders] == [f"paraphrases-{first.digest}-1"]
    monkeypatch.setattr(paraphrases, "build", None)  # it must not be asked for again
    again = paraphrases.load(table)
    assert again.words == first.words
    np.testing.assert_array_equal(again.index.becomes, first.index.becomes)


def test_without_a_place_for_a_cache_the_table_works_all_the_same(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    monkeypatch.setenv("ISOGLOSS_CACHE", str(blocked))
    stored = paraphrases.load(table)
    assert len(stored.index.becomes) == len(TABLE)


@pytest.mark.parametrize("content", [b"0.5\na\n", b"not gzip at all"])
def test_a_broken_table_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "paraphrase-en.gz"
    file.write_bytes(content if b"not" in content else gzip.compress(content))
    with pytest.raises(FormatError, match="no whole paraphrase table"):
        paraphrases.build(file)


def test_tables_beyond_all_measure_are_refused(tmp_path: Path) -> None:
    file = write_table(tmp_path / "paraphrase-en.gz", [("a", "b " * 20)])
    with pytest.raises(FormatError, match="20 words"):
        paraphrases.build(file)
