"""Which words have a meaning in common: METEOR's own extract of WordNet, or WordNet itself.

METEOR takes the synsets of all parts of speech together, by their bare number; so do we. A word
has the synsets of its own form and those of its base form.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from isogloss.errors import NotApplicableError
from isogloss.language.wordnet import WordNet, wordnet
from isogloss.metrics.meteor.resources import NAMES, Member, Resources

_ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"),
    ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
_PARTS = ("noun", "verb", "adj", "adv")


@dataclass(frozen=True)
class Synonyms:
    """The synsets of words, under the name of where they come from."""

    name: str
    numbers: Mapping[str, str] = field(repr=False)
    bases: Mapping[str, list[str]] = field(repr=False)

    def of(self, word: str) -> frozenset[int]:
        """The synsets of the word and of what it is a form of."""
        forms = [word, *(self.bases.get(word) or [self._base(word)])]
        return frozenset(int(n) for form in forms for n in self.numbers.get(form, "").split())

    def _base(self, word: str) -> str:
        """The word without its ending, if that makes a known one (and "ful" goes back on)."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        put_back = "ful" if word.endswith("ful") else ""
        for ending, replacement in _ENDINGS:
            if word.endswith(ending):
                base = word.removesuffix(ending) + replacement
                if base in self.numbers:
                    return base + put_back
        return ""


@lru_cache(maxsize=4)
def synonyms(language: str, resources: Resources) -> Synonyms | None:
    """The synonyms of the language, from METEOR's data or (in English) from WordNet."""
    name = NAMES.get(language)
    numbers = resources.member(f"synonym/{name}.synsets")
    exceptions = resources.member(f"synonym/{name}.exceptions")
    if numbers and exceptions:
        return _from_meteor(numbers, exceptions)
    return _from_wordnet() if language == "en" and resources.wordnet else None


def _from_meteor(numbers: Member, exceptions: Member) -> Synonyms:
    pairs = zip(exceptions.lines[::2], exceptions.lines[1::2], strict=True)
    by_word = dict(zip(numbers.lines[::2], numbers.lines[1::2], strict=True))
    forms = ((form, base) for base, listed in pairs for form in listed.split())
    return Synonyms(f"meteor-{numbers.digest}", by_word, _grouped(forms))


def _from_wordnet() -> Synonyms | None:
    try:
        source = wordnet()
    except NotApplicableError:
        return None
    numbers: dict[str, str] = {}
    for part in _PARTS:
        for line in _lines(source, f"index.{part}"):
            word, _, count, *rest = line.split()
            numbers[word] = " ".join([numbers.get(word, ""), *rest[-int(count) :]])
    listed = (line.split() for part in _PARTS for line in _lines(source, f"{part}.exc"))
    forms = ((form, base) for form, *bases in listed for base in bases)
    return Synonyms(source.name, numbers, _grouped(forms))


def _lines(source: WordNet, file: str) -> Iterable[str]:
    text = (source.folder / file).read_text(encoding="utf-8")
    return (line for line in text.splitlines() if not line.startswith(" "))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for form, base in pairs:
        found.setdefault(form, []).append(base)
    return found
