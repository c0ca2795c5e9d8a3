"""Consistency by part of speech and by sentence distance (Tables 4 and 5 of Lei et al. 2024)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.consistency.mentions import PARTS
from isogloss.consistency.ratios import DISTANCES, Ratio, micro
from isogloss.consistency.renderings import RenderedWord
from isogloss.consistency.rules import Rule
from isogloss.verdicts import score_interval

WithReferences = tuple[RenderedWord, Sequence[RenderedWord]]
"""A word with what the references make of it (none where nobody asks them)."""


def by_part(words: Iterable[WithReferences], rule: Rule) -> Mapping[str, Ratio]:
    """The ratio of each part of speech; a word without one counts among the others."""
    found: dict[str, list[Ratio]] = {part: [] for part in PARTS}
    for word, references in words:
        found[word.word.part or PARTS[-1]].append(rule.ratio(word, references))
    return {part: micro(ratios) for part, ratios in found.items()}


def by_distance(words: Iterable[WithReferences], rule: Rule) -> Mapping[str, Ratio]:
    """The ratio of the pairs at each distance."""
    rows = [rule.ratios_by_distance(word, references) for word, references in words]
    return {name: micro(row[place] for row in rows) for place, name in enumerate(DISTANCES)}


# --- with intervals ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Share:
    """A ratio in per cent with its interval over documents; `None` where there is nothing."""

    ratio: Ratio
    score: float | None
    interval: tuple[float, float] | None


def shares(
    documents: Sequence[Mapping[str, Ratio]], resamples: int, seed: int, confidence: float
) -> dict[str, Share]:
    """The ratio of every class over all documents, with intervals over those that have any."""
    found = {}
    for name in documents[0]:
        counts = np.array([document[name] for document in documents], float)
        ratio = Ratio(*(int(total) for total in counts.sum(axis=0)))
        value = None if ratio.value is None else 100 * float(ratio.value)
        there = counts[counts[:, 1] > 0]
        interval = score_interval(
            there, _per_cent, resamples, seed, confidence, bounds=(0.0, 100.0)
        )
        found[name] = Share(ratio, value, interval)
    return found


def _per_cent(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    undefined = np.full(len(sums), np.nan)
    return np.asarray(100 * np.divide(sums[:, 0], sums[:, 1], out=undefined, where=sums[:, 1] > 0))
