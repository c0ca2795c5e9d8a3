"""Consistency of the renderings of one repeated word, as exact fractions (LTCR and its kin).

A rendering is known by its key: two occurrences are translated alike if their keys are equal. A
key that is `None` stands for an occurrence without a translation, which is like nothing, not even
another one. All counts come from how often each key occurs, so a word that stands ten thousand
times in a document costs ten thousand steps, not fifty million.

==============  ============================================================================
pairs           LTCR (Lyu et al. 2021): of all pairs of occurrences, those rendered alike
first           LTCR-1: of the occurrences after the first, those rendered like the first
pseudo-first    of all occurrences, those rendered like the first
pseudo-frequent of all occurrences, those rendered in the most frequent way
terms           of all occurrences, those rendered as a term list demands
==============  ============================================================================

How renderings become a ratio: which family, what an untranslated mention is, who may vary.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

from isogloss.frozen import FrozenMapping
from isogloss.metrics.consistency.renderings import RenderedWord

Key = Hashable | None
Null = Literal["mismatch", "skip"]
Family = Literal["pairs", "first", "pseudo-first", "pseudo-frequent", "terms"]

DISTANCES = ("0", "1", "2", "3", "4", ">=5")
_FAR = len(DISTANCES) - 1


class Ratio(NamedTuple):
    """So many of so many."""

    numerator: int
    denominator: int

    @property
    def value(self) -> Fraction | None:
        """The fraction; `None` where there is nothing to count."""
        return Fraction(self.numerator, self.denominator) if self.denominator else None


def micro(ratios: Iterable[Ratio]) -> Ratio:
    """All of them as one: every pair counts the same, so frequent words weigh most."""
    listed = list(ratios)
    return Ratio(sum(r.numerator for r in listed), sum(r.denominator for r in listed))


def macro(ratios: Iterable[Ratio]) -> Fraction | None:
    """The plain mean over those that count anything: every word weighs the same."""
    values = [ratio.value for ratio in ratios]
    defined = [value for value in values if value is not None]
    return sum(defined, Fraction()) / len(defined) if defined else None


# --- pairs ---------------------------------------------------------------------------------------


def pairs(keys: Sequence[Key], required: Sequence[Key] | None = None) -> Ratio:
    """LTCR: the pairs of occurrences rendered alike, of all pairs.

    With `required`, only pairs whose labels there are equal count: a reference that renders two
    occurrences differently shows that nobody need render them alike.
    """
    if required is None:
        return Ratio(equal_pairs(keys), _choose_two(len(keys)))
    return Ratio(equal_pairs(_both(required, keys)), equal_pairs(required))


def pairs_by_distance(
    keys: Sequence[Key], segments: Sequence[int], required: Sequence[Key] | None = None
) -> tuple[Ratio, ...]:
    """The same, split by how many segments lie between the two occurrences (`DISTANCES`)."""
    wanted: Sequence[Key] = [True] * len(keys) if required is None else required
    alike = equal_pairs_by_distance(_both(wanted, keys), segments)
    counted = equal_pairs_by_distance(wanted, segments)
    return tuple(map(Ratio, alike, counted))


def _both(first: Sequence[Key], second: Sequence[Key]) -> list[Key]:
    """Labels that are equal where both are; `None` where one of them is."""
    return [
        None if one is None or other is None else (one, other)
        for one, other in zip(first, second, strict=True)
    ]


def _choose_two(count: int) -> int:
    return count * (count - 1) // 2


def equal_pairs(labels: Iterable[Key]) -> int:
    """How many pairs have equal labels; `None` equals nothing."""
    counts = Counter(label for label in labels if label is not None)
    return sum(map(_choose_two, counts.values()))


def equal_pairs_by_distance(labels: Sequence[Key], segments: Sequence[int]) -> tuple[int, ...]:
    """The pairs with equal labels, by the distance of their segments (`DISTANCES`)."""
    places: defaultdict[Key, Counter[int]] = defaultdict(Counter)
    for label, segment in zip(labels, segments, strict=True):
        if label is not None:
            places[label][segment] += 1
    totals = [0] * len(DISTANCES)
    for counts in places.values():
        near = _near_pairs(counts)
        everything = _choose_two(counts.total())
        for distance, number in enumerate((*near, everything - sum(near))):
            totals[distance] += number
    return tuple(totals)


def _near_pairs(counts: Counter[int]) -> list[int]:
    """The pairs at distance 0, 1, 2, 3 and 4, from how often each segment occurs."""
    same = sum(map(_choose_two, counts.values()))
    return [same] + [
        sum(n * counts.get(segment + distance, 0) for segment, n in counts.items())
        for distance in range(1, _FAR)
    ]


# --- the other families --------------------------------------------------------------------------


def first(keys: Sequence[Key], required: Sequence[Key] | None = None) -> Ratio:
    """LTCR-1: the later occurrences rendered like the first, of all later ones."""
    if required is None:
        return Ratio(_like(keys[0], keys[1:]), max(len(keys) - 1, 0)) if keys else Ratio(0, 0)
    counted = [
        key
        for key, label in zip(keys[1:], required[1:], strict=True)
        if label is not None and label == required[0]
    ]
    return Ratio(_like(keys[0], counted), len(counted)) if keys else Ratio(0, 0)


def pseudo_first(keys: Sequence[Key]) -> Ratio:
    """The occurrences rendered like the first, the first one included."""
    return Ratio(_like(keys[0], keys), len(keys)) if keys else Ratio(0, 0)


def pseudo_frequent(keys: Sequence[Key]) -> Ratio:
    """The occurrences rendered in the most frequent way."""
    counts = Counter(key for key in keys if key is not None)
    return Ratio(max(counts.values(), default=0), len(keys))


def as_demanded(keys: Sequence[Key], accepted: Container[Key]) -> Ratio:
    """The occurrences rendered as a term list demands."""
    return Ratio(sum(key is not None and key in accepted for key in keys), len(keys))


def _like(model: Key, keys: Iterable[Key]) -> int:
    return 0 if model is None else sum(key == model for key in keys)


@dataclass(frozen=True, slots=True)
class Counted:
    """The mentions of a word that count: keys, segments, and what the references require."""

    keys: tuple[Key, ...]
    segments: tuple[int, ...]
    required: tuple[Key, ...] | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to measure how consistently words are rendered.

    An untranslated mention is a ``mismatch``, or ``skip`` leaves it out. `accepted` holds the
    normalised translations of each term where the family is ``terms``.
    """

    family: Family = "pairs"
    null: Null = "mismatch"
    accepted: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "accepted", FrozenMapping(self.accepted))

    def counted(self, word: RenderedWord, references: Sequence[RenderedWord] = ()) -> Counted:
        """What counts of a word: absent outputs never do, untranslated mentions as told."""
        kept = [
            (index, rendering.key)
            for index, rendering in enumerate(word.renderings)
            if rendering is not None and (rendering.key is not None or self.null == "mismatch")
        ]
        mentions = word.word.mentions
        return Counted(
            tuple(key for _, key in kept),
            tuple(mentions[index].segment for index, _ in kept),
            tuple(_required(references, index) for index, _ in kept) if references else None,
        )

    def ratio(self, word: RenderedWord, references: Sequence[RenderedWord] = ()) -> Ratio:
        """How consistently the word is rendered.

        With `references`, mentions need only be rendered alike where every one of them does so.
        """
        counted = self.counted(word, references)
        if self.family == "terms":
            return as_demanded(counted.keys, self.accepted.get(word.word.word, frozenset()))
        if len(counted.keys) < 2:
            return Ratio(0, 0)  # what stands alone is like nothing and unlike nothing
        match self.family:
            case "pairs":
                return pairs(counted.keys, counted.required)
            case "first":
                return first(counted.keys, counted.required)
            case "pseudo-first":
                return pseudo_first(counted.keys)
            case "pseudo-frequent":
                return pseudo_frequent(counted.keys)

    def ratios_by_distance(
        self, word: RenderedWord, references: Sequence[RenderedWord] = ()
    ) -> tuple[Ratio, ...]:
        """The pairs of the word by the distance of their segments."""
        counted = self.counted(word, references)
        return pairs_by_distance(counted.keys, counted.segments, counted.required)


def _required(references: Sequence[RenderedWord], index: int) -> Key:
    """A label that is equal for mentions which all references render alike.

    `None` where a reference has no translation: nobody can say what it requires.
    """
    keys = []
    for reference in references:
        rendering = reference.renderings[index]
        if rendering is None or rendering.key is None:
            return None
        keys.append(rendering.key)
    return tuple(keys)
