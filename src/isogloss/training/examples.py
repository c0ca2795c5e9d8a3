"""Examples: single sentences, documents and paragraphs, drawn from a mixture of packed sets.

A document is two or three consecutive sentences joined by ``<sep>``: what `prism(context=N)`
shows the model. A paragraph is several sentences joined as people write them: by a space, or by
nothing in Chinese and Japanese. Sets in order give consecutive sentences; in the others sentences
are drawn at random (Kondo et al. 2021 found that this helps with long texts too).

The mixture: how often each set and language pair is drawn.

A target language is drawn with probability proportional to ``(its sentences) ** (1/temperature)``
(times a boost where one is given), then a source language, then a set, likewise. Sets have
weights: machine-translated text counts for less. Every row gives its pairs in both directions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Integers, Mask
from isogloss.errors import InputError
from isogloss.training.packing import PackedSet
from isogloss.training.vocabulary import NONE, SPACELESS, Spelling

HELD_OUT_BLOCK, HELD_OUT_EVERY = 64, 256


@dataclass(frozen=True)
class MixtureSettings:
    """Temperatures, set weights (by name pattern, first match wins) and target boosts."""

    target_temperature: float = 2.0
    source_temperature: float = 1.5
    set_temperature: float = 1.25
    set_weights: dict[str, float] = field(default_factory=lambda: {"llm_*": 0.3, "gen_*": 0.5})
    target_boosts: dict[str, float] = field(default_factory=dict)

    def set_weight(self, name: str) -> float:
        """The weight of a set."""
        found = (weight for pattern, weight in self.set_weights.items() if fnmatch(name, pattern))
        return next(found, 1.0)


@dataclass(frozen=True)
class Group:
    """One direction of one set: the rows that have both a source and a target sentence."""

    packed: PackedSet
    source: int
    target: int

    @property
    def target_language(self) -> str:
        return self.packed.languages[self.target]

    @property
    def direction(self) -> str:
        return f"{self.packed.languages[self.source]}-{self.target_language}"


def is_held_out(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether rows are kept for validation: one block of 64 in 256, where there are so many."""
    return np.asarray(rows // HELD_OUT_BLOCK % HELD_OUT_EVERY == HELD_OUT_EVERY - 1)


class Mixture:
    """All groups of some packed sets with their probabilities."""

    def __init__(self, sets: list[PackedSet], settings: MixtureSettings) -> None:
        self.groups: list[Group] = []
        amounts: list[float] = []
        for packed in sets:
            weight = settings.set_weight(packed.name)
            for source, target, rows in _directions(packed):
                if weight > 0:
                    self.groups.append(Group(packed, source, target))
                    amounts.append(weight * rows)
        if not self.groups:
            raise InputError("the packed data holds no row with two sentences")
        self.probabilities = self._probabilities(np.array(amounts), sets, settings)

    def _probabilities(
        self, amounts: NDArray[np.float64], sets: list[PackedSet], settings: MixtureSettings
    ) -> NDArray[np.float64]:
        targets = _target_shares(sets, settings)
        by_set = amounts ** (1 / settings.set_temperature)
        pairs: dict[str, float] = {}
        set_totals: dict[str, float] = {}
        for group, amount, raised in zip(self.groups, amounts, by_set, strict=True):
            pairs[group.direction] = pairs.get(group.direction, 0.0) + amount
            set_totals[group.direction] = set_totals.get(group.direction, 0.0) + raised
        raised_pairs = {pair: a ** (1 / settings.source_temperature) for pair, a in pairs.items()}
        sources: dict[str, float] = {}
        for pair, amount in raised_pairs.items():
            target = pair.rpartition("-")[2]
            sources[target] = sources.get(target, 0.0) + amount
        shares = [
            targets[group.target_language]
            * raised_pairs[group.direction]
            / sources[group.target_language]
            * raised
            / set_totals[group.direction]
            for group, raised in zip(self.groups, by_set, strict=True)
        ]
        probabilities: NDArray[np.float64] = np.array(shares) / sum(shares)
        return probabilities

    def target_shares(self) -> dict[str, float]:
        """The share of examples in each target language."""
        shares: dict[str, float] = {}
        for group, share in zip(self.groups, self.probabilities, strict=True):
            shares[group.target_language] = shares.get(group.target_language, 0.0) + float(share)
        return shares


def _directions(packed: PackedSet) -> list[tuple[int, int, int]]:
    filled = (packed.lengths > 0).astype(np.float32)
    together = filled @ filled.T
    columns = range(len(packed.languages))
    return [
        (source, target, int(together[source, target]))
        for source in columns
        for target in columns
        if source != target and together[source, target] > 0
    ]


def _target_shares(sets: list[PackedSet], settings: MixtureSettings) -> dict[str, float]:
    sentences: dict[str, float] = {}
    for packed in sets:
        weight = settings.set_weight(packed.name)
        for language, lengths in zip(packed.languages, packed.lengths, strict=True):
            filled = float(np.count_nonzero(lengths)) * weight
            sentences[language] = sentences.get(language, 0.0) + filled
    return {
        language: amount ** (1 / settings.target_temperature)
        * settings.target_boosts.get(language, 1.0)
        for language, amount in sentences.items()
    }


SPECIALS = 2  # </s> and the tag before a target's pieces
_DOCUMENT = 3  # sentences of a document, at most


@dataclass(frozen=True)
class ExampleSettings:
    """How long examples may be, and which share of them has several sentences."""

    longest: int = 256
    document_share: float = 0.1
    paragraph_share: float = 0.1
    paragraph_sentences: int = 8  # at most


@dataclass(frozen=True, eq=False)
class Drawn:
    """Examples of one group: example i is made of ``rows[i][kept[i]]``, in that order."""

    group: Group
    rows: Integers
    kept: Mask
    separated: bool = False

    @classmethod
    def single(cls, group: Group, rows: Integers) -> "Drawn":
        """Examples of one sentence each."""
        return cls(group, rows[:, None], np.ones((len(rows), 1), dtype=bool))

    def __len__(self) -> int:
        return len(self.rows)


class Examples:
    """Draws examples from a mixture."""

    def __init__(self, mixture: Mixture, settings: ExampleSettings, held_out: bool = False) -> None:
        self.mixture, self.settings, self.held_out = mixture, settings, held_out
        self._starts: dict[int, Integers] = {}
        groups = zip(mixture.groups, mixture.probabilities, strict=True)
        ordered = sum(share for group, share in groups if group.packed.block is not None)
        # Only sets in order can give documents, so there they are drawn more often.
        self.document_chance = min(1.0, settings.document_share / ordered) if ordered else 0.0

    @property
    def has_any(self) -> bool:
        """Whether there is anything to draw."""
        return any(len(self._usable(number)) for number in range(len(self.mixture.groups)))

    def draw(self, count: int, draw: np.random.Generator) -> list[Drawn]:
        """About `count` examples."""
        drawn = draw.multinomial(count, self.mixture.probabilities)
        chosen: list[Drawn] = []
        for number in map(int, np.flatnonzero(drawn)):
            rows = self._usable(number)
            if len(rows):
                chosen += self._of_group(self.mixture.groups[number], rows, drawn[number], draw)
        return [some for some in chosen if len(some)]

    def _of_group(
        self, group: Group, usable: Integers, wanted: int, draw: np.random.Generator
    ) -> list[Drawn]:
        settings = self.settings
        in_order = group.packed.block is not None
        documents = int(draw.binomial(wanted, self.document_chance)) if in_order else 0
        paragraphs = int(draw.binomial(wanted - documents, settings.paragraph_share))
        single = usable[draw.integers(0, len(usable), wanted - documents - paragraphs)]
        found = [Drawn.single(group, single)]
        for some, most, separated in (
            (documents, _DOCUMENT, True),
            (paragraphs, settings.paragraph_sentences, False),
        ):
            if some:
                found.append(self._several(group, usable, some, most, separated, draw))
        return found

    def _several(
        self,
        group: Group,
        usable: Integers,
        wanted: int,
        most: int,
        separated: bool,
        draw: np.random.Generator,
    ) -> Drawn:
        """Examples of two to `most` sentences, as many of them as go together and fit."""
        places = np.arange(most)
        if group.packed.block is None:
            rows = usable[draw.integers(0, len(usable), (wanted, most))]
        else:
            rows = usable[draw.integers(0, len(usable), wanted)][:, None] + places
        asked = places < draw.integers(2, most + 1, wanted)[:, None]
        kept = np.logical_and.accumulate(asked & self._go_together(group, rows), axis=1)
        several = kept[:, 1]
        return Drawn(group, rows[several], kept[several], separated)

    def _go_together(self, group: Group, rows: Integers) -> Mask:
        """Which rows continue those before them: usable, in the same document, and not too long."""
        packed = group.packed
        inside = rows < packed.rows
        rows = np.minimum(rows, packed.rows - 1)
        sides = packed.lengths[[group.source, group.target]][:, rows].astype(np.int64)
        joined = np.cumsum(sides + 1, axis=2) - 1  # a separator between any two, at most
        together: Mask = inside & (sides > 0).all(axis=0) & (joined <= self._room).all(axis=0)
        together &= is_held_out(rows) == self.held_out
        if packed.block:
            together &= rows // packed.block == rows[:, :1] // packed.block
        return together

    @property
    def _room(self) -> int:
        return self.settings.longest - SPECIALS

    def _usable(self, number: int) -> Integers:
        """The rows of a group that can be examples (kept once worked out)."""
        if number not in self._starts:
            group = self.mixture.groups[number]
            sides = group.packed.lengths[[group.source, group.target]]
            usable = ((sides > 0) & (sides <= self._room)).all(axis=0)
            usable &= is_held_out(np.arange(group.packed.rows)) == self.held_out
            self._starts[number] = np.flatnonzero(usable).astype(np.int32)
        return self._starts[number]


@dataclass(frozen=True)
class FlatPieces:
    """Flat pieces of one side of many examples, and whose each piece is."""

    ids: Integers
    owners: Integers


def gather(
    chosen: Sequence[Drawn], column: Callable[[Group], int], order: Integers, spelling: Spelling
) -> FlatPieces:
    """The pieces of one side of the drawn examples, example `order[i]` as the i-th."""
    parts = _parts(chosen, column, spelling)
    owner = order[parts.owner]
    arrange = np.lexsort((parts.place, owner))
    owner, begin, length, of_set = (
        values[arrange] for values in (owner, parts.begin, parts.length, parts.of_set)
    )
    room = length + parts.separated[arrange]
    ends = np.cumsum(room)
    ids = np.full(int(ends[-1]) if len(ends) else 0, spelling.separator, dtype=np.int64)
    destination = np.repeat(ends - length - exclusive(length), length)
    destination += np.arange(len(destination))
    origin = np.repeat(begin - exclusive(length), length) + np.arange(len(destination))
    set_of_piece = np.repeat(of_set, length)
    for number, packed in enumerate(parts.sets):
        here = np.flatnonzero(set_of_piece == number)
        ids[destination[here]] = packed.ids[origin[here]]
    firsts = (ends - length)[parts.spaceless[arrange] & (length > 0)]
    ids[firsts] = spelling.unspaced[ids[firsts]]
    return FlatPieces(ids, np.repeat(owner, room))


@dataclass(frozen=True)
class _Parts:
    """Every sentence of one side: its set, where it begins there, and whose part it is.

    `separated` ones have the separator before them, `spaceless` ones lose the space before them.
    """

    sets: list[PackedSet]
    of_set: Integers
    begin: Integers
    length: Integers
    owner: Integers
    place: Integers
    separated: Mask
    spaceless: Mask


def _parts(chosen: Sequence[Drawn], column: Callable[[Group], int], spelling: Spelling) -> _Parts:
    numbers: dict[int, int] = {}
    sets: list[PackedSet] = []
    found: list[tuple[Integers | Mask, ...]] = []
    first = 0
    for drawn in chosen:
        packed, where = drawn.group.packed, column(drawn.group)
        if id(packed) not in numbers:
            numbers[id(packed)] = len(sets)
            sets.append(packed)
        example, place = np.nonzero(drawn.kept)
        rows = drawn.rows[example, place]
        begin, length = packed.starts[where, rows], packed.lengths[where, rows].astype(np.int64)
        later = place > 0
        spaceless = later & (not drawn.separated and packed.languages[where] in SPACELESS)
        # A piece that is the space and nothing else goes; from others it is taken below.
        bare = np.zeros(len(rows), dtype=bool)
        bare[spaceless] = spelling.unspaced[packed.ids[begin[spaceless]]] == NONE
        found.append((
            np.full(len(rows), numbers[id(packed)]), begin + bare, length - bare,
            example + first, place, later & drawn.separated, spaceless & ~bare,
        ))  # fmt: skip
        first += len(drawn)
    return _Parts(sets, *(np.concatenate(parts) for parts in zip(*found, strict=True)))


def exclusive(lengths: Integers) -> Integers:
    """Where each of some things of these lengths begins."""
    return np.asarray(np.cumsum(lengths) - lengths)
