"""Language codes: what counts of a BCP 47 tag here is its language, not region or script.

A code is one of ISO 639 (``de``, ``deu``, ``deu_Latn``), or a private one for a language that has
none: ``x-`` and a name, or ``qaa`` to ``qtz``.

Scripts that write no spaces between words: who writes so, and whether a text is written so.
"""

import re
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files

from isogloss.errors import InputError

_SAME = {"in": "id", "iw": "he", "ji": "yi", "jw": "jv", "mo": "ro"}
# ISO 639-3 has a code for the standard form of each of these, and FLORES and WMT write it.
_STANDARD_FORMS = {
    "als": "sq", "arb": "ar", "azj": "az", "cmn": "zh", "ekk": "et", "gaz": "om", "khk": "mn",
    "kmr": "ku", "lvs": "lv", "npi": "ne", "ory": "or", "pbt": "ps", "pes": "fa", "plt": "mg",
    "swh": "sw", "uzn": "uz", "ydd": "yi", "zsm": "ms",
}  # fmt: skip
_PRIVATE = re.compile(r"x-[a-z0-9]+(-[a-z0-9]+)*|q[a-t][a-z]")
# Codes of countries that people write for a language, where they are no language's code.
_COUNTRIES = {
    "al": "sq", "at": "de", "by": "be", "cn": "zh", "cz": "cs", "dk": "da", "gb": "en",
    "ge": "ka", "gr": "el", "hk": "zh", "il": "he", "ir": "fa", "jp": "ja", "kh": "km",
    "kz": "kk", "mx": "es", "np": "ne", "ph": "tl", "pk": "ur", "rs": "sr", "ua": "uk",
    "us": "en", "vn": "vi",
}  # fmt: skip


@lru_cache(maxsize=1)
def _iso_639() -> dict[str, str]:
    """Every code of ISO 639 with the shortest code for the same language."""
    text = (files("isogloss.language") / "iso_639.txt").read_text(encoding="ascii")
    shortest: dict[str, str] = {}
    for line in text.splitlines():
        first, *others = line.split()
        if first == "-":
            shortest |= {code: code for code in others}
        elif first != "#":
            shortest |= dict.fromkeys((first, *others), first)
    return shortest


@lru_cache(maxsize=1024)
def primary(language: str | None) -> str | None:
    """``pt`` for ``pt-BR``, ``zh`` for ``zh_Hant`` and ``zho``; `None` stays `None`."""
    if language is None:
        return None
    whole = language.lower().replace("_", "-")
    if whole.startswith("x-"):
        return whole
    code = whole.partition("-")[0]
    return _SAME.get(code) or _STANDARD_FORMS.get(code) or _iso_639().get(code, code)


def is_known(language: str) -> bool:
    """Whether it is a code of ISO 639, with whatever behind it, or a private one."""
    code = primary(language) or ""
    return code in _iso_639() or _PRIVATE.fullmatch(code) is not None


def check_known(language: str, where: str) -> None:
    """Refuse a code that means nothing; `where` is the option or place that has it."""
    if is_known(language):
        return
    near = _nearest(language.lower())
    hint = f"did you mean {near!r}?" if near else "codes are those of ISO 639, e.g. de or deu"
    raise InputError(
        f"{where}: there is no language {language!r}; {hint} (For a language without a code write "
        "x- and a name, e.g. x-dothraki.)"
    )


def _nearest(word: str) -> str | None:
    """The code of a language that was called by its name or its country, if one was."""
    by_name = {name.lower(): code for code, name in ENGLISH_NAMES.items()}
    country = word.replace("_", "-").rpartition("-")[2]
    if country in _COUNTRIES:
        return _COUNTRIES[country]
    close = get_close_matches(word, by_name, n=1, cutoff=0.75)
    return by_name[close[0]] if close else None


# Languages without spaces between words are split by tools of their own; others by their spaces.
TOKENISER_OF = {"ja": "sudachi", "ko": "kiwi", "th": "newmm", "zh": "rjieba"}

ENGLISH_NAMES = {
    "ar": "Arabic", "ast": "Asturian", "bg": "Bulgarian", "bs": "Bosnian", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "enm": "Middle English", "eo": "Esperanto", "es": "Spanish",
    "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "gd": "Scottish Gaelic", "gl": "Galician", "grc": "Ancient Greek",
    "gv": "Manx", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian",
    "ja": "Japanese", "ka": "Georgian", "ko": "Korean", "la": "Latin", "lb": "Luxembourgish",
    "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "ms": "Malay",
    "nb": "Norwegian Bokmål", "ne": "Nepali", "nl": "Dutch", "nn": "Norwegian Nynorsk",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "se": "Northern Sami", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian",
    "sr": "Serbian", "st": "Sesotho", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil",
    "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
    "yi": "Yiddish", "zh": "Chinese",
}  # fmt: skip


def language_name(code: str) -> str:
    """What a language is called in English; of a variety or an unknown one, with its code."""
    known = ENGLISH_NAMES.get(primary(code) or "")
    if known is None:
        return f"the language {code!r}"
    return known if code == primary(code) else f"{known} ({code})"


CHARACTERS_FOR_WORDS = frozenset({"bo", "dz", "km", "lo", "mnw", "my", "nod", "shn", "th"})
"""Languages in such scripts for which sacrebleu has no tokeniser of its own."""

CHINESE = frozenset({"gan", "hsn", "lzh", "wuu", "yue", "zh"})
"""Languages written in Chinese characters, which sacrebleu's tokeniser for Chinese takes apart."""

# Thai, Lao, Tibetan, Burmese and its relatives, Khmer, Tai Le to Tai Tham, kana, ideographs.
_SOUTH_EAST = (
    r"\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaa7f"
)
_EAST = r"\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff65\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_SOUTH_EAST}{_EAST}]+")
_UNSPACED_SOUTH_EAST = re.compile(f"[{_SOUTH_EAST}]+")
_LONG_FOR_WORDS = 8  # characters: the mean of Thai words is 4 to 5, of Chinese ones below 2


def is_unspaced(text: str, *, ideographs: bool = True) -> bool:
    """Whether most of the text is in such a script, with no spaces put between its words.

    Without `ideographs`, Chinese and Japanese do not count.
    """
    if text.isascii():
        return False
    runs = (_UNSPACED if ideographs else _UNSPACED_SOUTH_EAST).findall(text)
    characters = sum(map(len, runs))
    visible = sum(map(len, text.split()))
    return 2 * characters > visible and characters > _LONG_FOR_WORDS * len(runs)
