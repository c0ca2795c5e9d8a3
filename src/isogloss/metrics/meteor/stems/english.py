"""The English stemmer of Snowball ("Porter2"), as it was in 2006."""

from isogloss.metrics.meteor.stems.regions import Suffixes, after_vowel_and_consonant

_VOWELS = "aeiouy"
_WHOLE = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl",
    "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
    "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos",
    "bias": "bias", "andes": "andes",
}  # fmt: skip
_AFTER_PLURALS = (
    "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed",
)  # fmt: skip
_LONG_BEGINNINGS = ("gener", "commun", "arsen")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_GENITIVE = Suffixes("'s' 's '")
_PAST = Suffixes("eedly ingly edly eed ing ed")
_DERIVED = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent",
    "izer": "ize", "ization": "ize", "ational": "ate", "ation": "ate", "ator": "ate",
    "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful", "ousli": "ous",
    "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble",
    "ogi": "og", "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
_FURTHER = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic",
    "ical": "ic", "ful": "", "ness": "", "ative": "",
}  # fmt: skip
_DERIVED_FIRST, _FURTHER_FIRST = Suffixes(*_DERIVED), Suffixes(*_FURTHER)
_LAST = Suffixes("al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion")


def stem(word: str) -> str:
    """The stem of a lower-cased word."""
    if word in _WHOLE:
        return _WHOLE[word]
    if len(word) <= 2:
        return word
    word = _with_consonant_y(word.removeprefix("'"))
    first = _first_region(word)
    second = after_vowel_and_consonant(word, _VOWELS, first)
    word = _without_plural(word.removesuffix(_GENITIVE.of(word)))
    if word in _AFTER_PLURALS:
        return word
    word = _with_i(_without_past(word, first))
    word = _further(_derived(word, first), first, second)
    return _without_e(_without_last(word, second), first, second).replace("Y", "y")


def _with_consonant_y(word: str) -> str:
    """``Y`` for a y that is a consonant: at the beginning, or after a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for at, letter in enumerate(letters):
        if letter == "y" and (at == 0 or letters[at - 1] in _VOWELS):
            letters[at] = "Y"
    return "".join(letters)


def _first_region(word: str) -> int:
    beginning = next((long for long in _LONG_BEGINNINGS if word.startswith(long)), "")
    return len(beginning) or after_vowel_and_consonant(word, _VOWELS)


def _has_vowel(part: str) -> bool:
    return any(letter in _VOWELS for letter in part)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _without_past(word: str, first: int) -> str:
    suffix = _PAST.of(word)
    base = word.removesuffix(suffix)
    if suffix.startswith("eed"):
        return f"{base}ee" if len(base) >= first else word
    if not suffix or not _has_vowel(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if base.endswith(_DOUBLES):
        return base[:-1]
    return f"{base}e" if len(base) == first and _ends_short(base) else base


def _ends_short(part: str) -> bool:
    """Whether the last syllable is short: such a word gets its e back, or keeps it."""
    if len(part) < 3:
        return len(part) == 2 and part[0] in _VOWELS and part[1] not in _VOWELS
    before, vowel, after = tuple(part[-3:])
    return before not in _VOWELS and vowel in _VOWELS and after not in _VOWELS + "wxY"


def _with_i(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        return f"{word[:-1]}i"
    return word


def _derived(word: str, first: int) -> str:
    suffix = _DERIVED_FIRST.of(word)
    base = word.removesuffix(suffix)
    if not suffix or len(base) < first:
        return word
    if suffix == "ogi" and not base.endswith("l"):
        return word
    if suffix == "li" and base[-1:] not in "cdeghkmnrt":
        return word
    return base + _DERIVED[suffix]


def _further(word: str, first: int, second: int) -> str:
    suffix = _FURTHER_FIRST.of(word)
    base = word.removesuffix(suffix)
    if not suffix or len(base) < (second if suffix == "ative" else first):
        return word
    return base + _FURTHER[suffix]


def _without_last(word: str, second: int) -> str:
    suffix = _LAST.of(word)
    base = word.removesuffix(suffix)
    if len(base) < second or (suffix == "ion" and not base.endswith(("s", "t"))):
        return word
    return base


def _without_e(word: str, first: int, second: int) -> str:
    base = word[:-1]
    if word.endswith("e"):
        short = len(base) < first or _ends_short(base)
        return base if len(base) >= second or not short else word
    return base if word.endswith("ll") and len(base) >= second else word
