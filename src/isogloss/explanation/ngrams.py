"""Words in a row that one system has right more often than the other (as compare-mt lists them).

Nothing is tested here: of so many, some differ by chance. They are for reading.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from isogloss.explanation.result import NGram
from isogloss.explanation.texts import LanguageWords, PairTexts, TextReadings
from isogloss.language import Token

_LONGEST = 4
_LISTED = 8
_FEWEST = 2  # times that one system must have it more often than the other

Gram = tuple[str, ...]


def telling_ngrams(texts: PairTexts) -> tuple[tuple[NGram, ...], tuple[NGram, ...]]:
    """Those that the first system has alone or nearly, and those that the second has."""
    readings = texts.readings
    absent = frozenset(np.flatnonzero(~texts.present).tolist())
    first, second = (_right(readings, name, absent) for name in (texts.first, texts.second))
    documents = readings.remembered(
        ("n-gram documents", absent), lambda: _documents(readings, absent)
    )

    def listed(own: Counter[Gram], other: Counter[Gram]) -> list[Gram]:
        ahead = [each for each in own if own[each] - other[each] >= _FEWEST]
        ranked = sorted(ahead, key=lambda e: (-_odds(own[e], other[e]), -len(e), e))
        spread = [each for each in ranked if documents[each] > 1]
        return _distinct(spread, own, other)

    def found(ngrams: Iterable[Gram]) -> tuple[NGram, ...]:
        return tuple(
            NGram(" ".join(each), first[each], second[each], documents[each]) for each in ngrams
        )

    return found(listed(first, second)), found(listed(second, first))


def _wanted(readings: TextReadings) -> list[Counter[Gram]]:
    """What each segment's reference has."""
    return readings.remembered(
        ("reference n-grams",),
        lambda: [
            Counter(_ngrams(given.reference, readings.of_target)) for given in readings.segments
        ],
    )


def _right(readings: TextReadings, system: str, absent: frozenset[int]) -> Counter[Gram]:
    """How often a system has what the reference has, some segments left out."""

    def made() -> Counter[Gram]:
        found: Counter[Gram] = Counter()
        rows = zip(_wanted(readings), readings.output(system), strict=True)
        for row, (wanted, output) in enumerate(rows):
            if row not in absent and output:
                has = Counter(_among(wanted, [token.text for token in output]))
                found.update({each: min(count, wanted[each]) for each, count in has.items()})
        return found

    return readings.remembered(("right n-grams", system, absent), made)


def _among(wanted: Counter[Gram], texts: Sequence[str]) -> Iterator[Gram]:
    """The n-grams of an output that are wanted; most are not, and are never made."""
    words = {word for each in wanted for word in each}
    for start in range(len(texts)):
        for end in range(start + 1, min(start + _LONGEST, len(texts)) + 1):
            if texts[end - 1] not in words:
                break
            each = tuple(texts[start:end])
            if each in wanted:
                yield each


def _documents(readings: TextReadings, absent: frozenset[int]) -> Counter[Gram]:
    """In how many documents a reference has each."""
    found: dict[Gram, set[str]] = {}
    for row, (wanted, given) in enumerate(zip(_wanted(readings), readings.segments, strict=True)):
        if row not in absent:
            for each in wanted:
                found.setdefault(each, set()).add(given.document.id)
    return Counter({each: len(documents) for each, documents in found.items()})


def _odds(own: int, other: int) -> float:
    """How far the one has it more often than the other; 1 is added to both, as compare-mt does."""
    return (own + 1) / (own + other + 2)


def _distinct(ranked: Sequence[Gram], own: Counter[Gram], other: Counter[Gram]) -> list[Gram]:
    """The first ones, none of which has two words in common with another of the same counts."""
    kept: list[Gram] = []
    for each in ranked:
        counts = own[each], other[each]
        if not any(
            (own[known], other[known]) == counts and _overlap(each, known) for known in kept
        ):
            kept.append(each)
        if len(kept) == _LISTED:
            break
    return kept


def _overlap(one: Gram, other: Gram) -> bool:
    return len(set(one) & set(other)) >= min(2, len(one), len(other))


def _ngrams(tokens: Sequence[Token], words: LanguageWords) -> Iterator[Gram]:
    """All that say something: a content word or a number is in them, and no mark at the ends."""
    texts = [token.text for token in tokens]
    ends = [any(map(str.isalnum, text)) for text in texts]
    tells = [words.is_content(text) or any(map(str.isdigit, text)) for text in texts]
    for size in range(1, _LONGEST + 1):
        for start in range(len(texts) - size + 1):
            last = start + size - 1
            if ends[start] and ends[last] and any(tells[start : last + 1]):
                yield tuple(texts[start : start + size])
