"""The mixture: how often each set and language pair is drawn.

A target language is drawn with probability proportional to ``(its sentences) ** (1/temperature)``
(times a boost where one is given), then a source language, then a set, likewise. Sets have
weights: machine-translated text counts for less. Every row gives its pairs in both directions.
"""

from dataclasses import dataclass, field
from fnmatch import fnmatch

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.training.packing import PackedSet

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
