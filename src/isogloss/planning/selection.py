"""Which documents to judge: those that tell systems apart, each with a known chance.

A document tells the more, the more the translations of it differ. How much that is, is guessed
without people: from how far outputs are from each other (`diversity`), or how far metrics put the
systems apart (`scores`). Documents are drawn with chances in proportion to it, half of the chance
being shared evenly, so that none is left out for certain and few have a large weight; along a list
sorted by domain and size, at even steps (systematic sampling), so that each domain gets its share.

Each drawn document then stands for 1 / its chance documents. Means weighted so are of the whole
test set (Horvitz & Thompson 1952; Hájek 1971), whatever was guessed: a bad guess costs
precision and never the truth. Taking the most telling documents alone would make every
difference look larger than it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from isogloss.arrays import Floats, Mask
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.frozen import FrozenMapping
from isogloss.scores import ScoreTable, SystemScore

Guess = Literal["diversity", "scores", "none"]

_GRAM = 4  # characters: shorter ones are in every text
_EVEN = 0.5  # of the chance is shared evenly


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen documents, in the order of the test set, and every document's chance."""

    chosen: tuple[str, ...]
    chances: Mapping[str, float]
    guess: Guess

    def __post_init__(self) -> None:
        object.__setattr__(self, "chances", FrozenMapping(self.chances))

    @property
    def weights(self) -> dict[str, float]:
        """How many documents each chosen one stands for."""
        return {document: 1 / self.chances[document] for document in self.chosen}


def select_documents(
    collection: Collection,
    number: int,
    seed: int,
    guess: Guess = "diversity",
    scores: ScoreTable | None = None,
) -> Selection:
    """Draw so many documents of a collection.

    Args:
        collection: a test set with the outputs that are to be judged.
        number: how many documents.
        seed: of the draw.
        guess: how telling a document is: `diversity` of outputs, metrics' `scores`, or `none`.
        scores: of metrics, for the guess of that name.

    Raises:
        InputError: there are fewer documents, or nothing to guess from.
    """
    documents = collection.testset.documents
    if not 1 <= number <= len(documents):
        raise InputError(f"{number} of {len(documents):,} documents cannot be chosen")
    lengths = np.array([len(document) for document in documents], dtype=float)
    apart = _telling(collection, guess, scores)
    chances = chances_of(telling_sizes(apart, lengths), number)
    domains = [document.domain or "" for document in documents]
    order = sorted(range(len(documents)), key=lambda i: (domains[i], apart[i]))
    drawn = systematic(chances, np.array(order), np.random.default_rng(seed))
    return Selection(
        tuple(d.id for d, is_drawn in zip(documents, drawn, strict=True) if is_drawn),
        {d.id: float(chance) for d, chance in zip(documents, chances, strict=True)},
        guess,
    )


def _telling(collection: Collection, guess: Guess, scores: ScoreTable | None) -> Floats:
    if guess == "diversity":
        if len(collection.outputs) < 2:
            raise InputError("one system's outputs differ from no other's; choose without a guess")
        return output_diversity(collection)
    if guess == "none":
        return np.ones(len(collection.testset.documents))
    if scores is None:
        raise InputError("which documents metrics disagree about needs their scores")
    return score_spread(scores, [document.id for document in collection.testset.documents])


def telling_sizes(apart: Floats, lengths: Floats) -> Floats:
    """What chances are in proportion to: a long document tells more, and costs more."""
    if not apart.sum() > 0:
        apart = np.ones(len(apart))
    return np.asarray((_EVEN + (1 - _EVEN) * apart / apart.mean()) * np.sqrt(lengths))


def chances_of(sizes: Floats, number: int) -> Floats:
    """Chances in proportion to sizes that add up to the number; none above 1."""
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        left = number - certain.sum()
        chances = np.where(certain, 1.0, left * sizes / max(sizes[~certain].sum(), 1e-300))
        if not (more := (chances > 1) & ~certain).any():
            return np.asarray(chances)
        certain |= more


def systematic(
    chances: Floats, order: "np.typing.NDArray[np.intp]", rng: np.random.Generator
) -> Mask:
    """Draw along the order at even steps of summed chances: each document with its own chance."""
    ends = np.cumsum(chances[order])
    ends[-1] = round(ends[-1])  # the chances add up to a whole number but for rounding
    marks = rng.random() + np.arange(int(ends[-1]))
    drawn = np.zeros(len(chances), dtype=bool)
    drawn[order[np.searchsorted(ends, marks, side="right")]] = True
    return drawn


# --- guesses -------------------------------------------------------------------------------------


def output_diversity(collection: Collection) -> Floats:
    """By document how far the outputs lie apart: what two of them do not share of 4-grams."""
    return np.array(
        [
            _mean_distance([output.documents[document.id] for output in collection.outputs])
            for document in collection.testset.documents
        ]
    )


def _mean_distance(outputs: Sequence[Sequence[str | None]]) -> float:
    distances = []
    for segments in zip(*outputs, strict=True):
        grams = [_grams(text) for text in segments if text]
        distances += [_distance(one, other) for one, other in combinations(grams, 2)]
    return float(np.mean(distances)) if distances else 0.0


def _grams(text: str) -> Counter[str]:
    return Counter(text[i : i + _GRAM] for i in range(max(len(text) - _GRAM + 1, 1)))


def _distance(one: Counter[str], other: Counter[str]) -> float:
    shared = (one & other).total()
    return 1 - 2 * shared / (one.total() + other.total())


def score_spread(table: ScoreTable, documents: Sequence[str]) -> Floats:
    """By document how far metrics put systems apart, each metric in deviations of its own.

    A document that a metric did not score is as telling as the others are in the middle.
    """
    spreads = []
    for metric in table.metrics:
        rows = [row for row in table.of_metric(metric.name) if not row.human]
        scores = np.array([[_score(row, document) for document in documents] for row in rows])
        there = np.isfinite(scores).sum(axis=0) > 1
        if there.any() and np.nanstd(scores) > 0:
            # What a system is better by everywhere does not tell documents apart.
            own = scores - np.nanmean(scores[:, there], axis=1, keepdims=True)
            spread = np.full(len(documents), np.nan)
            spread[there] = np.nanstd(own[:, there], axis=0) / np.nanstd(scores)
            spreads.append(np.where(there, spread, np.nanmedian(spread)))
    if not spreads:
        raise InputError("no metric scored a document of two systems or more")
    return np.asarray(np.mean(spreads, axis=0))


def _score(row: SystemScore, document: str) -> float:
    found = next((d.score for d in row.documents if d.document == document), None)
    return np.nan if found is None else float(found)
