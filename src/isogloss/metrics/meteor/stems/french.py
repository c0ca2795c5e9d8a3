"""The French stemmer of Snowball, as it was in 2006.

A rule answers with the shortened word, or with `None` where it does not apply and the next rule
is to be tried. Regions are where they were in the whole word, however short it becomes.
"""

import re
from typing import NamedTuple

from isogloss.metrics.meteor.stems.regions import Suffixes, after_vowel_and_consonant, with_capitals

_VOWELS = "aeiouyâàëéêèïîôûù"
_SOUNDS = tuple(_VOWELS)  # a tuple, because "" is in every string
_LOWER = str.maketrans("IUY", "iuy")
_ACCENTED = re.compile(f"[éè]([^{_VOWELS}]+)$")

_AGENTS = ("atrice", "ateur", "ation", "atrices", "ateurs", "ations")
_ADVERBS, _QUALITIES = ("ement", "ements"), ("ité", "ités")
_ACTIVE = ("if", "ive", "ifs", "ives")
_REPLACED = {
    **dict.fromkeys(("logie", "logies"), "log"),
    **dict.fromkeys(("usion", "ution", "usions", "utions"), "u"),
    **dict.fromkeys(("ence", "ences"), "ent"),
}
_STANDARD = Suffixes(
    "ance iqUe isme able iste eux ances iqUes ismes ables istes eaux aux euse euses",
    "issement issements amment emment ment ments",
    *(*_AGENTS, *_ADVERBS, *_QUALITIES, *_ACTIVE, *_REPLACED),
)
_I_VERBS = Suffixes(
    "îmes ît îtes i ie ies ir ira irai iraIent irais irait iras irent irez iriez irions irons",
    "iront is issaIent issais issait issant issante issantes issants isse issent isses issez",
    "issiez issions issons it",
)
_E_VERBS = Suffixes(
    "é ée ées és èrent er era erai eraIent erais erait eras erez eriez erions erons eront ez iez"
)
_A_VERBS = Suffixes(
    "âmes ât âtes a ai aIent ais ait ant ante antes ants as asse assent asses assiez assions"
)
_VERBS = Suffixes("ions", *_E_VERBS, *_A_VERBS)
_BEFORE_ADVERBS = Suffixes("ièr Ièr eus abl iqU iv")
_RESIDUES = Suffixes("ière Ière ion ier Ier e ë")


class _Regions(NamedTuple):
    verb: int
    first: int
    second: int


def stem(word: str) -> str:
    """The stem of a lower-cased word."""
    word = with_capitals(word, _consonant)
    start = after_vowel_and_consonant(word, _VOWELS)
    regions = _Regions(_verb_region(word), start, after_vowel_and_consonant(word, _VOWELS, start))
    word = _undoubled(_without_suffix(word, regions))
    return _ACCENTED.sub(r"e\1", word).translate(_LOWER)


def _consonant(word: str, at: int) -> int | None:
    """Where a u, i or y is a consonant: between vowels, after q, or (y) beside a vowel."""
    letter, after, second = (*word[at : at + 3], "", "", "")[:3]
    if letter in _VOWELS and (after == "y" or (after in ("u", "i") and second in _SOUNDS)):
        return at + 1
    if letter == "y" and after in _SOUNDS:
        return at
    return at + 1 if letter == "q" and after == "u" else None


def _verb_region(word: str) -> int:
    if len(word) >= 3 and word[0] in _VOWELS and word[1] in _VOWELS:
        return 3
    if word.startswith(("par", "col", "tap")):
        return 3
    later = (at for at, letter in enumerate(word) if at and letter in _VOWELS)
    return next(later, len(word) - 1) + 1


def _without_suffix(word: str, regions: _Regions) -> str:
    done, word = _standard(word, regions)
    shortened = word if done else _without_verb_ending(word, regions)
    if shortened is None:
        return _without_residue(word, regions)
    if shortened.endswith("Y"):
        return f"{shortened[:-1]}i"
    return f"{shortened[:-1]}c" if shortened.endswith("ç") else shortened


def _standard(word: str, regions: _Regions) -> tuple[bool, str]:
    """Whether that was all, and the word without its standard suffix."""
    suffix = _STANDARD.of(word)
    base = word.removesuffix(suffix)
    if suffix in ("amment", "emment"):
        return False, f"{base}{suffix[0]}nt" if len(base) >= regions.verb else word
    if suffix in ("ment", "ments"):
        return False, base if base[regions.verb :][-1:] in _SOUNDS else word
    shortened = _replaced(base, suffix, regions) if suffix else None
    return shortened is not None, word if shortened is None else shortened


def _replaced(base: str, suffix: str, regions: _Regions) -> str | None:
    if suffix in _ADVERBS:
        return _before_adverb(base, regions) if len(base) >= regions.verb else None
    if suffix in ("euse", "euses"):
        return _without_eux(base, regions)
    if suffix.startswith("issement"):
        apart = base and base[-1] not in _VOWELS
        return base if apart and len(base) >= regions.first else None
    if suffix == "eaux":
        return f"{base}eau"
    if suffix == "aux":
        return f"{base}al" if len(base) >= regions.first else None
    return _in_second_region(base, suffix, regions.second) if len(base) >= regions.second else None


def _in_second_region(base: str, suffix: str, second: int) -> str:
    if suffix in _AGENTS:
        return _without_ic(base, second)
    if suffix in _QUALITIES:
        return _before_quality(base, second)
    if suffix in _ACTIVE:
        before = base.removesuffix("at")
        return _without_ic(before, second) if second <= len(before) < len(base) else base
    return base + _REPLACED.get(suffix, "")


def _without_ic(base: str, second: int) -> str:
    if not base.endswith("ic"):
        return base
    return base[:-2] if len(base) - 2 >= second else f"{base[:-2]}iqU"


def _without_eux(base: str, regions: _Regions) -> str | None:
    if len(base) >= regions.second:
        return base
    return f"{base}eux" if len(base) >= regions.first else None


def _before_adverb(base: str, regions: _Regions) -> str:
    inner = _BEFORE_ADVERBS.of(base)
    before = base.removesuffix(inner)
    if inner in ("ièr", "Ièr"):
        return f"{before}i" if len(before) >= regions.verb else base
    if inner == "eus":
        return _without_eux(before, regions) or base
    if not inner or len(before) < regions.second:
        return base
    shorter = before.removesuffix("at") if inner == "iv" else before
    return shorter if len(shorter) >= regions.second else before


def _before_quality(base: str, second: int) -> str:
    if base.endswith("abil"):
        return base[:-4] if len(base) - 4 >= second else f"{base[:-4]}abl"
    if base.endswith("iv"):
        return base[:-2] if len(base) - 2 >= second else base
    return _without_ic(base, second)


def _without_verb_ending(word: str, regions: _Regions) -> str | None:
    inside = word[regions.verb :]
    suffix = _I_VERBS.of(inside)
    before = inside.removesuffix(suffix)
    if suffix and before and before[-1] not in _VOWELS:
        return word.removesuffix(suffix)
    suffix = _VERBS.of(inside)
    base = word.removesuffix(suffix)
    if suffix in _A_VERBS:
        return base.removesuffix("e") if len(base) > regions.verb else base
    if suffix in _E_VERBS or (suffix == "ions" and len(base) >= regions.second):
        return base
    return None


def _without_residue(word: str, regions: _Regions) -> str:
    if word.endswith("s") and word[-2:-1] not in tuple("aiouès") and len(word) > 1:
        word = word[:-1]
    inside = word[regions.verb :]
    suffix = _RESIDUES.of(inside)
    base, before = word.removesuffix(suffix), inside.removesuffix(suffix)
    if suffix == "ion":
        return base if len(base) >= regions.second and before.endswith(("s", "t")) else word
    if suffix == "ë":
        return base if before.endswith("gu") else word
    return f"{base}i" if len(suffix) > 1 else base


def _undoubled(word: str) -> str:
    return word[:-1] if word.endswith(("enn", "onn", "ett", "ell", "eill")) else word
