"""Sentence pairs as statistical models learn from them: words in some form, and numbered.

In numbers, because thot gives some words a meaning of their own, such as "NULL".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from isogloss.alignment.links import TokenPair

LONGEST = 1024
"""Words of a sentence that are aligned; thot would leave out what is longer, without a word."""


class Form(Protocol):
    """What is made of a word before it is learnt from."""

    def normalise(self, word: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentence pairs in numbered words."""

    sources: Sequence[Sequence[str]]
    targets: Sequence[Sequence[str]]

    def turned(self) -> "Corpus":
        """The same pairs, seen from the other side."""
        return Corpus(self.targets, self.sources)

    @property
    def words(self) -> float:
        """How many words there are, as the mean of both sides."""
        return sum(map(len, (*self.sources, *self.targets))) / 2

    def usable(self) -> list[int]:
        """The positions of the pairs that have words on both sides."""
        both = zip(self.sources, self.targets, strict=True)
        return [position for position, (source, target) in enumerate(both) if source and target]


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of the words of both sides; a word that is new gets the next one."""

    source: dict[str, str] = field(default_factory=dict)
    target: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_words(cls, source: Iterable[str], target: Iterable[str]) -> "Numbering":
        """A numbering as it was when these were its words."""
        return cls(*({word: str(n) for n, word in enumerate(side)} for side in (source, target)))

    def corpus(self, pairs: Iterable[TokenPair], forms: tuple[Form, Form]) -> Corpus:
        """The pairs with their words brought into a form and numbered."""
        sources, targets = [], []
        for source, target in pairs:
            sources.append(_numbered(source[:LONGEST], forms[0], self.source))
            targets.append(_numbered(target[:LONGEST], forms[1], self.target))
        return Corpus(sources, targets)


def _numbered(words: Iterable[str], form: Form, numbers: dict[str, str]) -> list[str]:
    return [numbers.setdefault(form.normalise(word), str(len(numbers))) for word in words]
