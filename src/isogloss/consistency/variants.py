"""The localiser's list: every repeated word with all its renderings, the costliest first."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from isogloss.consistency.breakdown import WithReferences
from isogloss.consistency.renderings import RenderedWord
from isogloss.consistency.rules import Rule

UNTRANSLATED = "∅"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way a word is rendered, as the translation writes it first, and in which segments."""

    text: str
    segments: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.segments)


@dataclass(frozen=True, slots=True)
class Variation:
    """A repeated word of a document with its renderings, most frequent first.

    `impact` is how many pairs the score loses through it, of `pairs` that count.
    """

    document: str
    word: str
    variants: tuple[Variant, ...]
    impact: int
    pairs: int

    def __str__(self) -> str:
        return f"{self.word}: {self.listing}"

    @property
    def rank(self) -> tuple[int, int]:
        """Sorts the costliest first, and of equals those with more pairs."""
        return -self.impact, -self.pairs

    @property
    def listing(self) -> str:
        """The renderings with their counts."""
        return ", ".join(f"{variant.text} ×{variant.count}" for variant in self.variants)


def variations(document: str, words: Iterable[WithReferences], rule: Rule) -> tuple[Variation, ...]:
    """The words of one document that the rule counts, consistent ones included."""
    found = []
    for word, references in words:
        ratio = rule.ratio(word, references)
        if ratio.denominator:
            impact = ratio.denominator - ratio.numerator
            listed = Variation(document, word.word.word, _variants(word), impact, ratio.denominator)
            found.append(listed)
    return tuple(found)


def _variants(word: RenderedWord) -> tuple[Variant, ...]:
    texts: dict[str | None, str] = {None: UNTRANSLATED}
    segments: dict[str | None, list[int]] = {}
    for mention, rendering in zip(word.word.mentions, word.renderings, strict=True):
        if rendering is not None:
            texts.setdefault(rendering.key, rendering.text)
            segments.setdefault(rendering.key, []).append(mention.segment)
    order = Counter({key: len(places) for key, places in segments.items()}).most_common()
    return tuple(Variant(texts[key], tuple(segments[key])) for key, _ in order)
