"""METEOR's normaliser and stemmers give what the Java program gives."""

import random
from pathlib import Path

import pytest

from isogloss.errors import NotApplicableError
from isogloss.language import has_stems
from isogloss.metrics.meteor.stems import stemmer, stemmer_name
from isogloss.metrics.meteor.tokens import MeteorNormaliser, read_prefixes
from metrics.java_meteor import NAMES, java_meteor

MARKS = "' '' ` ‘ ’ “ ” , . .. ... .... - -- – — ( ) [ ] % « » & _ / \\ A z 0 é Я ö ÿ ﬁ 漢 😀 ,, €5"
WORDS = (
    "1,000 3.14 5' 's l' d'une U.S. Mr. No. etc. a.b. a. 1. p.m. Dr. z.B. нац. ул. İ ß СССР. "
    "1990-х don't rock'n'roll 'tis dogs' ’s a,b 1,b a,1 DOTMULTI the cats run ISLAND"
)
SPACES = (", ,", "' '", "\u00a0", "\x01", "\u3000", "\t", "\x0b", "\x1f", "\u2028", "\x85")
PIECES = (*MARKS.split(), *WORDS.split(), *SPACES)


def odd_lines(seed: int, count: int) -> list[str]:
    chance = random.Random(seed)
    lines = []
    for _ in range(count):
        pieces = chance.choices(PIECES, k=chance.randint(0, 10))
        lines.append("".join(piece + chance.choice(("", " ", " ", "  ")) for piece in pieces))
    return lines


@pytest.mark.parametrize("language", NAMES)
def test_words_are_those_of_the_java_program(language: str) -> None:
    java = java_meteor()
    prefixes = read_prefixes(java.member(f"nonbreaking/{NAMES[language]}.prefixes"))
    normaliser = MeteorNormaliser(language, prefixes)
    lines = odd_lines(7, 2_000)
    main = "edu.cmu.meteor.util.Normalizer"
    theirs = java.lines(main, language, "true", lines=lines)
    for line, expected in zip(lines, theirs, strict=True):
        assert normaliser.words(line) == expected.lower().split(" ") or not expected, line


def test_full_stops_stay_with_abbreviations_and_before_small_letters() -> None:
    normaliser = MeteorNormaliser(
        "en", read_prefixes(["# a comment", "Mr", "No #NUMERIC_ONLY#", ""])
    )
    assert normaliser.words("Mr. Smith") == ["mr.", "smith"]
    assert normaliser.words("No. 5") == ["no.", "5"]
    assert normaliser.words("No. Never.") == ["no", ".", "never", "."]
    assert normaliser.words("approx. half, in the U.S.") == [
        *("approx.", "half", ",", "in", "the", "us")
    ]


def test_words_are_placed_in_the_text_whatever_was_done_to_them() -> None:
    text = "He said: “It's the U.S.-led  plan” -- don’t, IT'S 5%."
    normaliser = MeteorNormaliser("en")
    words = normaliser.words(text)
    placed = [normaliser.span(text, n, n + 1) for n in range(len(words))]
    assert text[slice(*normaliser.span(text, 0, 2))] == "He said"
    assert text[slice(*placed[words.index("led")])] == "led"
    assert text[slice(*placed[words.index("us")])] == "U.S"
    assert [place[0] for place in placed] == sorted(place[0] for place in placed)
    assert all(start < end for start, end in placed)


@pytest.mark.parametrize("line", odd_lines(11, 300))
def test_spans_lie_in_the_text_or_are_not_given(line: str) -> None:
    normaliser = MeteorNormaliser("en")
    for number in range(len(normaliser.words(line))):
        span = normaliser.span(line, number, number + 1)
        assert span is None or 0 <= span[0] < span[1] <= len(line)


def made_up_words(seed: int, alphabet: str, endings: str, count: int) -> list[str]:
    """Random beginnings with real endings: more of the rules than a dictionary would meet."""
    chance = random.Random(seed)
    known = ["", *endings.split()]

    def word() -> str:
        stem = "".join(chance.choices(alphabet, k=chance.randint(0, 7)))
        return (stem + "".join(chance.choices(known, k=chance.randint(0, 2)))) or "a"

    return [word() for _ in range(count)]


LANGUAGES = {
    "en": (
        "aaeeiioouuybcdghklmnprstvwxz'",
        "s es ed ing ingly edly eed y ies ied ational tional enci izer ization alism aliti ousli "
        "biliti bli ogi fulli lessli li icate iciti ative ful ness ement ance able ism ate ion e l "
        "ll sses us ss 's ' gener commun arsen skies dying inning proceed",
    ),
    "de": (
        "aeiouyäöübdfghklmnrstuyß",
        "em ern er e en es s est st end ung ig ik isch lich heit keit erlich enheit igkeit auer",
    ),
    "fr": (
        "aeiouyâàëéêèïîôûùbcçdglmnpqrstuiy",
        "ance iqUe isme able iste eux atrice ateur ation logie usion ence ement ité if ive eaux "
        "aux euse issement amment emment ment îmes ie issaient ions ée èrent ez asse ais ait ion "
        "ier ière e ë enn onn ett ell eill aient ants qu uil aye",
    ),
    "es": ("aeiouáéíóúbcdglmnprst", "mente idad ando iendo aba ar er ir os as ción ismos ísimo"),
    "ru": (
        "абвгдежзиклмнопрстуфхцчшщыьэюяё",
        "ать ить ого ему ыми ами ях ость ейш ейше в вши вшись ая яя ся сь ишь ете нно ёт ём ёх",
    ),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_stems_are_those_of_the_java_program(language: str) -> None:
    words = made_up_words(3, *LANGUAGES[language], count=20_000)
    ours = list(map(stemmer(language), words))
    assert ours == java_meteor().lines("Stemmer", language, lines=words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_stems_of_real_words_are_those_of_the_java_program(
    shared_data: Path, language: str
) -> None:
    import gzip

    pair = "en-de" if language == "en" else f"en-{language}"
    with gzip.open(shared_data / "flores-dev" / f"{pair}.tsv.gz", "rt", encoding="utf-8") as file:
        texts = [line.split("\t")[language != "en"] for line in file]
    words = sorted({word for text in texts for word in text.lower().split() if word.isalpha()})
    assert len(words) > 4_000
    ours = list(map(stemmer(language), words))
    assert ours == java_meteor().lines("Stemmer", language, lines=words)


def test_a_stemmer_is_called_what_it_is() -> None:
    assert stemmer_name("en") == "meteor-english"
    assert stemmer_name("ru") == "meteor-russian"
    assert stemmer_name("nl").startswith("snowball-dutch_porter-")
    assert stemmer("it")("canzoni") == "canzon"
    assert not has_stems("zh")
    with pytest.raises(NotApplicableError, match="no stems in 'zh'"):
        stemmer("zh")
