"""The German stemmer of Snowball, as it was in 2006."""

from isogloss.metrics.meteor.stems.regions import Suffixes, after_vowel_and_consonant, with_capitals

_VOWELS = "aeiouyäöü"
_PLAIN = str.maketrans("YUäöü", "yuaou")
_INFLECTIONS = Suffixes("ern em er en es e s")
_COMPARISONS = Suffixes("est en er st")
_DERIVATIONS = Suffixes("isch lich heit keit end ung ig ik")
_BEFORE_KEIT, _BEFORE_LICH = Suffixes("lich ig"), Suffixes("er en")
_SHORTEST = 3  # letters in front of the first region


def stem(word: str) -> str:
    """The stem of a lower-cased word."""
    word = with_capitals(word.replace("ß", "ss"), _between_vowels)
    if len(word) < _SHORTEST:
        return word.translate(_PLAIN)
    start = after_vowel_and_consonant(word, _VOWELS)
    first, second = max(start, _SHORTEST), after_vowel_and_consonant(word, _VOWELS, start)
    word = _without_comparison(_without_inflection(word, first), first)
    return _without_derivation(word, first, second).translate(_PLAIN)


def _between_vowels(word: str, at: int) -> int | None:
    before, letter, after = (*word[at : at + 3], "", "", "")[:3]
    between = before in _VOWELS and letter in ("u", "y") and after and after in _VOWELS
    return at + 1 if between else None


def _without_inflection(word: str, first: int) -> str:
    suffix = _INFLECTIONS.of(word)
    base = word.removesuffix(suffix)
    if len(base) < first or (suffix == "s" and not base.endswith(tuple("bdfghklmnrt"))):
        return word
    return base


def _without_comparison(word: str, first: int) -> str:
    suffix = _COMPARISONS.of(word)
    base = word.removesuffix(suffix)
    if len(base) < first:
        return word
    if suffix == "st" and not (len(base) > _SHORTEST and base.endswith(tuple("bdfghklmnt"))):
        return word
    return base


def _without_derivation(word: str, first: int, second: int) -> str:
    suffix = _DERIVATIONS.of(word)
    base = word.removesuffix(suffix)
    if not suffix or len(base) < second:
        return word
    if suffix in ("ig", "ik", "isch"):
        return word if base.endswith("e") else base
    if suffix in ("end", "ung"):
        before = base.removesuffix("ig")
        return before if second <= len(before) < len(base) and before[-1:] != "e" else base
    inner = (_BEFORE_KEIT if suffix == "keit" else _BEFORE_LICH).of(base)
    before = base.removesuffix(inner)
    return before if len(before) >= (second if suffix == "keit" else first) else base
