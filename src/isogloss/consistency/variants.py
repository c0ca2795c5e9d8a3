"""The localiser's list: every repeated word with all its renderings, the costliest first."""

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import combinations

from isogloss.consistency.breakdown import WithReferences
from isogloss.consistency.mentions import Mention
from isogloss.consistency.renderings import RenderedWord
from isogloss.consistency.rules import Rule
from isogloss.language.folding import folded

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

    `impact` is how many pairs the score loses through it, of `pairs` that count. `varies` says
    that it is translated in several ways beyond doubt: more than by a part of the same words, by
    nothing, or by function words alone, which is more often the aligner's doing.
    """

    document: str
    word: str
    mentions: tuple[Mention, ...]
    variants: tuple[Variant, ...]
    impact: int
    pairs: int
    varies: bool

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


def variations(
    document: str,
    words: Iterable[WithReferences],
    rule: Rule,
    function_words: Container[str] = (),
) -> tuple[Variation, ...]:
    """The words of one document that the rule counts, consistent ones included."""
    found = []
    for word, references in words:
        ratio = rule.ratio(word, references)
        if ratio.denominator:
            listed = Variation(
                document,
                word.word.word,
                tuple(word.word.mentions),
                _variants(word),
                impact=ratio.denominator - ratio.numerator,
                pairs=ratio.denominator,
                varies=_varies(word, function_words),
            )
            found.append(listed)
    return tuple(found)


def _varies(word: RenderedWord, function_words: Container[str]) -> bool:
    """Whether two renderings differ by more than words that the one has and the other has not."""
    kinds = {
        frozenset(said.key.split())
        for said in word.renderings
        if said is not None and said.key and not _only_function(said.text, function_words)
    }
    return any(not (one <= other or other <= one) for one, other in combinations(kinds, 2))


def _only_function(text: str, function_words: Container[str]) -> bool:
    return all(folded(word) in function_words for word in text.split())


def _variants(word: RenderedWord) -> tuple[Variant, ...]:
    texts: dict[str | None, str] = {None: UNTRANSLATED}
    segments: dict[str | None, list[int]] = {}
    for mention, rendering in zip(word.word.mentions, word.renderings, strict=True):
        if rendering is not None:
            texts.setdefault(rendering.key, rendering.text)
            segments.setdefault(rendering.key, []).append(mention.segment)
    order = Counter({key: len(places) for key, places in segments.items()}).most_common()
    return tuple(Variant(texts[key], tuple(segments[key])) for key, _ in order)
