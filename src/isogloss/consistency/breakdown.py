"""Consistency by part of speech and by sentence distance (Tables 4 and 5 of Lei et al. 2024)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.consistency.mentions import PARTS
from isogloss.consistency.ratios import DISTANCES, Ratio, micro
from isogloss.consistency.renderings import RenderedWord
from isogloss.consistency.rules import Rule
from isogloss.resampling import bootstrap_weights, percentile_interval, weighted_sums

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
    """The ratio of every class over all documents, with intervals from resampled documents."""
    classes = list(documents[0])
    counts = [np.array([document[name] for document in documents], float) for name in classes]
    weights = bootstrap_weights(len(documents), resamples, seed)
    found = {}
    for name, own, drawn in zip(classes, counts, weighted_sums(weights, counts), strict=True):
        ratio = Ratio(*(int(total) for total in own.sum(axis=0)))
        value = None if ratio.value is None else 100 * float(ratio.value)
        interval = percentile_interval(_per_cent(drawn), confidence)
        found[name] = Share(ratio, value, interval)
    return found


def _per_cent(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    undefined = np.full(len(sums), np.nan)
    return np.asarray(100 * np.divide(sums[:, 0], sums[:, 1], out=undefined, where=sums[:, 1] > 0))
