"""Where judgements vary: variance components of systems, documents, segments and annotators.

A score is taken for a sum of effects: of the system, the document, the segment, the annotator, and
of what is between them (a system is better at some documents than at others, an annotator milder
with one of them), and a rest. Each has a variance; they are estimated by the method of Henderson
(1953), which needs no balance: for each way of grouping the scores, the sum of squared group sums
over group sizes has an expectation that is linear in the variances. Solved for them, none negative.

Only what is between systems and something else matters for telling two systems apart: what one
document or one annotator does to both of them alike is gone from their difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.frozen import FrozenMapping
from isogloss.metaeval import Ratings

RATING = "rating"
SYSTEM_DOCUMENT, SYSTEM_SEGMENT = "system × document", "system × segment"
SYSTEM_ANNOTATOR = "system × annotator"
SYSTEM_DOCUMENT_ANNOTATOR = "system × document × annotator"
EFFECTS = (
    "system",
    "document",
    "segment",
    "annotator",
    SYSTEM_DOCUMENT,
    SYSTEM_SEGMENT,
    SYSTEM_ANNOTATOR,
    "document × annotator",
    SYSTEM_DOCUMENT_ANNOTATOR,
    "segment × annotator",
    RATING,
)
"""From whole to part: of two that the data cannot tell apart, the first takes all."""

_ANNOTATOR = "annotator"


@dataclass(frozen=True, slots=True)
class Components:
    """The variances of effects, by name, and what they were estimated from.

    `ratings` is how many annotators judged a translation on average. `unevenness` is the mean of
    documents' squared lengths over their squared mean: 1 where all are as long. An effect that the
    data cannot tell from another is not among the variances: its part is in the other's.
    """

    kind: str
    variances: Mapping[str, float]
    systems: int
    documents: int
    segments: int
    annotators: int
    ratings: float
    unevenness: float = 1.0
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "variances", FrozenMapping(self.variances))

    def variance(self, effect: str) -> float:
        """Of an effect; 0 where it was not found."""
        return self.variances.get(effect, 0.0)

    @property
    def segments_a_document(self) -> float:
        """How many segments of a document were judged on average."""
        return self.segments / self.documents

    @property
    def more_ratings_help(self) -> bool:
        """Whether it is known what a second annotator of the same translation brings."""
        return RATING in self.variances

    def of_difference(self, segments: float, ratings: float = 1.0) -> float:
        """The variance, from document to document, of the difference of two systems.

        Of documents with so many judged segments, each judged by so many annotators, who judge
        both systems.
        """
        of_document = self.variance(SYSTEM_DOCUMENT)
        of_document += self.variance(SYSTEM_DOCUMENT_ANNOTATOR) / ratings
        of_document *= self.unevenness  # long documents weigh more, and few of them say less
        of_segment = self.variance(SYSTEM_SEGMENT) + self.variance(RATING) / ratings
        return 2 * (of_document + of_segment / segments)

    @property
    def of_annotators(self) -> float:
        """The variance, from annotator to annotator, of the difference of two systems."""
        return 2 * self.variance(SYSTEM_ANNOTATOR)


def components_of(ratings: Ratings, kind: str, source: str = "") -> Components:
    """Estimate the components from judgements of segments.

    Raises:
        InputError: fewer than two systems, or fewer than two documents were judged.
    """
    documents = ratings.blocks[ratings.item]
    _check(ratings, documents)
    keys = _groupings(ratings, documents)
    estimated = _solved(keys, ratings.score)
    translations = len(np.unique(ratings.cell))
    named = np.unique(ratings.annotator[ratings.annotator >= 0])
    lengths = np.bincount(ratings.blocks[np.unique(ratings.item)])
    lengths = lengths[lengths > 0]
    return Components(
        kind,
        estimated,
        len(np.unique(ratings.system)),
        len(np.unique(documents)),
        len(np.unique(ratings.item)),
        len(named),
        len(ratings.score) / translations,
        float((lengths**2).mean() / lengths.mean() ** 2),
        source,
    )


def _check(ratings: Ratings, documents: Integers) -> None:
    for what, numbers in (("system", ratings.system), ("document", documents)):
        if len(np.unique(numbers)) < 2:
            raise InputError(
                f"planning needs scores of segments, of two {what}s or more; "
                "use others, or the figures that come with isogloss (--kind)"
            )


def _groupings(ratings: Ratings, documents: Integers) -> dict[str, Integers]:
    """The group of every score under each effect; effects that are the same grouping only once."""
    system, segment, annotator = ratings.system, ratings.item, ratings.annotator
    parts: dict[str, Sequence[Integers]] = {
        "system": [system],
        "document": [documents],
        "segment": [segment],
        "annotator": [annotator],
        SYSTEM_DOCUMENT: [system, documents],
        SYSTEM_SEGMENT: [system, segment],
        SYSTEM_ANNOTATOR: [system, annotator],
        "document × annotator": [documents, annotator],
        SYSTEM_DOCUMENT_ANNOTATOR: [system, documents, annotator],
        "segment × annotator": [segment, annotator],
        RATING: [np.arange(len(ratings.score))],
    }
    if (annotator < 0).all():
        parts = {name: part for name, part in parts.items() if _ANNOTATOR not in name}
    found: dict[str, Integers] = {}
    for name in EFFECTS:
        if name in parts:
            numbered = _numbered(parts[name])
            if not any(_same_grouping(numbered, other) for other in found.values()):
                found[name] = numbered
    return found


def _numbered(parts: Sequence[Integers]) -> Integers:
    """One number a group: those of whom all parts are the same."""
    together = np.zeros(len(parts[0]), dtype=np.int64)
    for part in parts:
        together = together * (part.max() + 2) + part + 1
        together = np.unique(together, return_inverse=True)[1]
    return together


def _same_grouping(one: Integers, other: Integers) -> bool:
    count = one.max()
    return bool(count == other.max() == _numbered([one, other]).max())


def _solved(keys: Mapping[str, Integers], scores: Floats) -> dict[str, float]:
    """The variances whose expected sums of squares are the observed ones, none negative."""
    centred = scores - scores.mean()  # for the digits: the mean goes with the first equation
    groupings = [np.zeros(len(scores), dtype=np.int64), *keys.values()]
    observed = np.array([_between(key, centred) for key in groupings])
    expected = np.array([[_expected(key, part) for part in keys.values()] for key in groupings])
    # The mean's square is in every sum as often, and may come out as anything.
    observed, expected = observed[1:] - observed[0], expected[1:] - expected[0]
    # Each equation is divided by its own size: large groups would drown the small ones.
    scale = np.diag(expected)
    solution, _ = nnls(expected / scale[:, None], observed / scale)
    return dict(zip(keys, solution.tolist(), strict=True))


def _between(key: Integers, scores: Floats) -> float:
    """The sum over groups of the squared sum over the group's size."""
    sums, sizes = np.bincount(key, weights=scores), np.bincount(key)
    return float((sums**2 / sizes).sum())


def _expected(key: Integers, part: Integers) -> float:
    """How often the variance of the effect `part` is in that sum."""
    both = _numbered([key, part])
    sizes = np.bincount(both)
    group = np.empty(len(sizes), dtype=np.int64)
    group[both] = key
    return float((sizes**2 / np.bincount(key)[group]).sum())
