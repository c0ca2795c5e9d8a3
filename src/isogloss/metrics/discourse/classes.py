"""The closed classes of words that carry discourse, and where they stand in a text."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from isogloss.digest import short_digest
from isogloss.language import Token, Tokeniser, primary, tokeniser

_FILE = "words.toml"
_ATTACHED = "'’-"  # what a tokeniser leaves at a clitic: J', -moi
_ENDS = frozenset(".!?…:")
_OPENING = frozenset("\"'„“”‚‘«»(-–—")
TOGETHER = ("pronouns", "markers")  # forms of address are pronouns, and would count twice


class Marked(NamedTuple):
    """A word of a class, with its place in a segment."""

    phenomenon: str
    name: str
    start: int
    end: int

    @property
    def kind(self) -> tuple[str, str]:
        return self.phenomenon, self.name


@lru_cache(maxsize=1)
def _lists() -> tuple[Mapping[str, Mapping[str, Mapping[str, list[str]]]], str]:
    text = files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    return tomllib.loads(text), short_digest(text, 8)


def described_languages() -> tuple[str, ...]:
    """The languages that have lists."""
    return tuple(_lists()[0])


@dataclass(frozen=True)
class ClassReader:
    """Finds the words of the chosen phenomena in texts of one language."""

    tokens: Tokeniser
    words: Mapping[tuple[str, ...], tuple[tuple[str, str], ...]]
    longest: int
    digest: str

    @property
    def signature_fields(self) -> tuple[tuple[str, str], ...]:
        """The tokeniser and the lists."""
        return (("words", self.tokens.name), ("lists", self.digest))

    def read(self, text: str) -> list[Marked]:
        """All of them in the order of the text; of words that overlap the longest."""
        found: list[Marked] = []
        tokens = self.tokens.tokenise(text)
        forms = list(_forms(tokens))
        here = 0
        while here < len(tokens):
            length, kinds = self._at(forms, here)
            for phenomenon, name in kinds:
                end = tokens[here + length - 1].end
                found.append(Marked(phenomenon, name, tokens[here].start, end))
            here += length
        return found

    def _at(self, forms: Sequence[str], here: int) -> tuple[int, tuple[tuple[str, str], ...]]:
        for length in range(min(self.longest, len(forms) - here), 0, -1):
            words = tuple(forms[here : here + length])
            kinds = self.words.get(words) or self.words.get(tuple(w.lower() for w in words))
            if kinds:
                return length, kinds
        return 1, ()


def _forms(tokens: Sequence[Token]) -> Iterator[str]:
    """Each token as the lists have it: with a capital only where no sentence begins."""
    begins = True
    for token in tokens:
        bare = token.text.strip(_ATTACHED) or token.text
        yield bare.lower() if begins or bare.isupper() else bare
        if token.text[-1] in _ENDS:
            begins = True
        elif token.text not in _OPENING:
            begins = False


@lru_cache(maxsize=32)
def class_reader(language: str, phenomena: tuple[str, ...]) -> ClassReader | None:
    """What finds the phenomena in a language; `None` where it has no list of any of them."""
    every, digest = _lists()
    lists = every.get(primary(language) or "", {})
    tokens = tokeniser(language)
    words: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for phenomenon in phenomena:
        for name, members in lists.get(phenomenon, {}).items():
            for member in members:
                split = tuple(token.text.strip(_ATTACHED) for token in tokens.tokenise(member))
                words.setdefault(split, []).append((phenomenon, name))
    if not words:
        return None
    frozen = {split: tuple(kinds) for split, kinds in words.items()}
    return ClassReader(tokens, frozen, max(map(len, frozen)), digest)


def common(one: Sequence[Marked], other: Sequence[Marked]) -> int:
    """How many words of the same classes both have."""
    return (Counter(m.kind for m in one) & Counter(m.kind for m in other)).total()


def without(one: Sequence[Marked], other: Sequence[Marked]) -> list[Marked]:
    """The words whose class the other has less often, the last mentions first to go."""
    left = Counter(marked.kind for marked in other)
    missing = []
    for marked in one:
        if left[marked.kind]:
            left[marked.kind] -= 1
        else:
            missing.append(marked)
    return missing
