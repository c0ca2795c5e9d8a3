"""Words in a row that one system has right more often than the other (as compare-mt lists them).

Nothing is tested here: of so many, some differ by chance. They are for reading.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from isogloss.explanation.result import NGram
from isogloss.explanation.texts import PairTexts, Words
from isogloss.language import Token

_LONGEST = 4
_LISTED = 8
_FEWEST = 2  # times that one system must have it more often than the other

Gram = tuple[str, ...]


def telling_ngrams(texts: PairTexts) -> tuple[tuple[NGram, ...], tuple[NGram, ...]]:
    """Those that the first system has alone or nearly, and those that the second has."""
    first: Counter[Gram] = Counter()
    second: Counter[Gram] = Counter()
    documents: dict[Gram, set[str]] = {}
    for segment in texts.segments:
        wanted = Counter(_ngrams(segment.reference, texts.of_target))
        for counts, output in ((first, segment.first), (second, segment.second)):
            has = Counter(each for each in _ngrams(output, texts.of_target) if each in wanted)
            counts.update(wanted & has)
        for each in wanted:
            documents.setdefault(each, set()).add(segment.document.id)

    def listed(own: Counter[Gram], other: Counter[Gram]) -> list[Gram]:
        ahead = [each for each in own if own[each] - other[each] >= _FEWEST]
        ranked = sorted(ahead, key=lambda e: (-_odds(own[e], other[e]), -len(e), e))
        spread = [each for each in ranked if len(documents[each]) > 1]
        return _distinct(spread, own, other)

    def found(ngrams: Iterable[Gram]) -> tuple[NGram, ...]:
        return tuple(
            NGram(" ".join(each), first[each], second[each], len(documents[each]))
            for each in ngrams
        )

    return found(listed(first, second)), found(listed(second, first))


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


def _ngrams(tokens: Sequence[Token], words: Words) -> Iterator[Gram]:
    """All that say something: a content word or a number is in them, and no mark at the ends."""
    texts = [token.text for token in tokens]
    ends = [any(map(str.isalnum, text)) for text in texts]
    tells = [words.is_content(text) or any(map(str.isdigit, text)) for text in texts]
    for size in range(1, _LONGEST + 1):
        for start in range(len(texts) - size + 1):
            last = start + size - 1
            if ends[start] and ends[last] and any(tells[start : last + 1]):
                yield tuple(texts[start : start + size])
