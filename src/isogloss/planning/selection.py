"""Which documents to judge: fewer that say as much, each with a known chance.

* `level` (chosen on WMT20 and 21, see docs/planning.md): every document has the same chance, and
  they are drawn evenly from the easy to the hard ones, as metrics see them (systematic sampling
  along their mean score), in each domain;
* `diversity`, `spread`: documents on which outputs are far from each other, or on which metrics put
  systems further apart than elsewhere, have a higher chance;
* `chance`: nothing is known, every document has the same chance.

Each drawn document stands for 1 / its chance documents. Means weighted so are of the whole test set
(Horvitz & Thompson 1952; Hájek 1971), whatever was guessed: a bad guess costs precision and never
the truth. Taking the most telling documents alone would make differences look larger than they are.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Mask
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.frozen import FrozenMapping
from isogloss.scores import ScoreTable

Guess = Literal["level", "diversity", "spread", "chance"]

_GRAM = 4  # characters: shorter ones are in every text
_EVEN = 0.5  # of a chance is shared evenly: nothing is left out for certain, no weight is huge
_SEGMENTS_ALONE = 7.0
"""How much more systems differ from segment to segment than from document to document."""


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
    guess: Guess = "level",
    scores: ScoreTable | None = None,
) -> Selection:
    """Draw so many documents of a collection.

    Args:
        collection: a test set with the outputs that are to be judged.
        number: how many documents.
        seed: of the draw.
        guess: by what they are drawn: `level`, `diversity`, `spread` or `chance`.
        scores: of metrics, which `level` and `spread` need.

    Raises:
        InputError: there are fewer documents, or nothing to guess from.
    """
    documents = collection.testset.documents
    if not 1 <= number <= len(documents):
        raise InputError(f"{number} of {len(documents):,} documents cannot be chosen")
    rng = np.random.default_rng(seed)
    lengths = np.array([len(document) for document in documents], dtype=float)
    along = _along(collection, guess, scores, rng)
    unequal = guess in ("diversity", "spread")
    chances = chances_of(telling_sizes(along, lengths) if unequal else lengths * 0 + 1, number)
    domains = [document.domain or "" for document in documents]
    order = sorted(range(len(documents)), key=lambda i: (domains[i], along[i]))
    drawn = systematic(chances, np.array(order), rng)
    return Selection(
        tuple(d.id for d, is_drawn in zip(documents, drawn, strict=True) if is_drawn),
        {d.id: float(chance) for d, chance in zip(documents, chances, strict=True)},
        guess,
    )


def _along(
    collection: Collection, guess: Guess, scores: ScoreTable | None, rng: np.random.Generator
) -> Floats:
    """What documents are sorted by before they are drawn at even steps."""
    ids = [document.id for document in collection.testset.documents]
    if guess == "chance":
        return rng.random(len(ids))
    if guess == "diversity":
        if len(collection.outputs) < 2:
            raise InputError("one system's outputs differ from no other's; choose by chance")
        return output_diversity(collection)
    if scores is None:
        raise InputError(f"to choose by {guess} needs scores of a metric")
    return score_level(scores, ids) if guess == "level" else score_spread(scores, ids)


def telling_sizes(apart: Floats, lengths: Floats) -> Floats:
    """What chances are in proportion to: a long document tells more, and costs as much more."""
    if not apart.sum() > 0:
        apart = np.ones(len(apart))
    telling = _EVEN + (1 - _EVEN) * apart / apart.mean()
    return np.asarray(telling * np.sqrt(lengths + _SEGMENTS_ALONE))


def chances_of(sizes: Floats, number: int) -> Floats:
    """Chances in proportion to sizes that add up to the number; none above 1."""
    certain = np.zeros(len(sizes), dtype=bool)
    while True:
        left = number - certain.sum()
        chances = np.where(certain, 1.0, left * sizes / max(sizes[~certain].sum(), 1e-300))
        if not (more := (chances > 1) & ~certain).any():
            return np.asarray(chances)
        certain |= more


def systematic(chances: Floats, order: NDArray[np.intp], rng: np.random.Generator) -> Mask:
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


def score_level(table: ScoreTable, documents: Sequence[str]) -> Floats:
    """By document how high metrics score it, whichever system: how easy it is."""
    levels = []
    for scores in _scores_by_metric(table, documents):
        with catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # of documents that nobody scored
            level = np.nanmean(scores, axis=0)
        levels.append((level - np.nanmean(level)) / (np.nanstd(level) or 1.0))
    return np.asarray(np.nan_to_num(np.mean(levels, axis=0)))


def score_spread(table: ScoreTable, documents: Sequence[str]) -> Floats:
    """By document how far metrics put systems apart, each metric in deviations of its own.

    A document that a metric did not score is as telling as the others are in the middle.
    """
    spreads = []
    for scores in _scores_by_metric(table, documents):
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


def _scores_by_metric(table: ScoreTable, documents: Sequence[str]) -> Iterator[Floats]:
    """Systems x documents for each metric, higher always better; NaN where not scored."""
    for metric in table.metrics:
        rows = [row for row in table.of_metric(metric.name) if not row.human]
        known = [{d.document: d.score for d in row.documents} for row in rows]
        scores = [[_number(scored.get(id)) for id in documents] for scored in known]
        turn = 1.0 if metric.higher_is_better else -1.0
        yield turn * np.array(scores).reshape(len(rows), len(documents))


def _number(score: float | None) -> float:
    return np.nan if score is None else score
