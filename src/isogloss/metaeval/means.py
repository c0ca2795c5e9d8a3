"""From segments to documents, domains and systems: means, plain or weighted by length.

A mean leaves out what is missing and says how many segments it is made of; one made of fewer than
asked for is missing itself. Means are rounded as all human scores are (`group_means` does not
round). A length is a number of words, or of characters where the language writes no spaces between
words.

Scores relative to who gave them: z-normalisation by annotator, as in the WMT news task.

Some annotators are strict, some mild, some use a tenth of the scale. Each one's scores are taken
relative to the mean and the standard deviation (the sample's, n - 1, as WMT's rankings have it)
of all scores they gave, to systems and human references alike. Where an annotator gave one score
or always the same, the deviation says nothing: those scores become `None`, as they drop out of
WMT's means, rather than 0, which would call every one of these translations average.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.documents import Document, TestSet, counted
from isogloss.errors import InputError, MismatchError
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval.matrix import rounded
from isogloss.metaeval.people import Item, ScoreMatrix

Unit = Literal["words", "characters"]

_WITHOUT_SPACES = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "wuu", "yue", "zh"})


def group_means(
    scores: Floats, groups: Integers, weights: Floats | None = None, at_least: int = 1
) -> tuple[Floats, Integers]:
    """Row by row the (weighted) mean over each group of columns, and how many values it has.

    `groups` numbers the group of each column from 0. NaN where fewer than `at_least` values are
    there, or where they weigh nothing.
    """
    rows, size = len(scores), int(groups.max()) + 1 if len(groups) else 0
    there = ~np.isnan(scores)
    keys = (np.arange(rows)[:, None] * size + groups)[there]
    each = np.broadcast_to(1.0 if weights is None else weights, scores.shape)[there]
    shape = (rows, size)
    counts = np.bincount(keys, minlength=rows * size).reshape(shape)
    weight = np.bincount(keys, weights=each, minlength=rows * size).reshape(shape)
    sums = np.bincount(keys, weights=each * scores[there], minlength=rows * size).reshape(shape)
    enough = (counts >= max(1, at_least)) & (weight > 0)
    return np.divide(sums, weight, out=np.full(shape, np.nan), where=enough), counts


def document_scores(
    matrix: ScoreMatrix, weights: Floats | None = None, at_least: int = 1
) -> ScoreMatrix:
    """Each system's mean on each document, of at least so many scored segments."""
    blocks, first = np.unique(matrix.blocks, return_index=True)
    groups = np.searchsorted(blocks, matrix.blocks)
    scores, counts = group_means(matrix.scores, groups, _checked(weights, matrix), at_least)
    return ScoreMatrix(
        matrix.systems,
        tuple((matrix.items[column][0], None) for column in first),
        rounded(scores),
        counts,
        np.arange(len(blocks)),
        tuple(matrix.domains[column] for column in first),
        "document",
    )


def domain_scores(
    matrix: ScoreMatrix, weights: Floats | None = None, at_least: int = 1
) -> ScoreMatrix:
    """Each system's mean on each domain; items without a domain belong to none."""
    names = tuple(dict.fromkeys(name for name in matrix.domains if name is not None))
    if not names:
        raise InputError("no document has a domain")
    numbers = {name: number for number, name in enumerate(names)}
    weights = _checked(weights, matrix)
    within = np.array([name is not None for name in matrix.domains])
    groups = np.array([numbers[name] for name in matrix.domains if name is not None])
    chosen = None if weights is None else weights[within]
    scores, counts = group_means(matrix.scores[:, within], groups, chosen, at_least)
    return ScoreMatrix(
        matrix.systems,
        tuple((name, None) for name in names),
        rounded(scores),
        counts,
        np.arange(len(names)),
        names,
        "domain",
    )


def system_means(matrix: ScoreMatrix, weights: Floats | None = None, at_least: int = 1) -> Floats:
    """Each system's mean over all its items, NaN where there are too few."""
    everything = np.zeros(len(matrix.items), dtype=np.int64)
    scores, _ = group_means(matrix.scores, everything, _checked(weights, matrix), at_least)
    return rounded(scores[:, 0])


def _checked(weights: Floats | None, matrix: ScoreMatrix) -> Floats | None:
    if weights is None:
        return None
    if weights.shape != (len(matrix.items),):
        raise MismatchError(f"weights of shape {weights.shape} for {len(matrix.items)} items")
    if not (weights >= 0).all():  # NaN is not
        raise InputError("a weight is negative or missing")
    return weights


def item_lengths(
    matrix: ScoreMatrix, testset: TestSet, reference: str | None = None, unit: Unit | None = None
) -> Floats:
    """The length of every item's source (or of a reference), to weight its score with.

    Words are what white space separates, characters what is not white space. Without a `unit` the
    language decides.
    """
    side = testset if reference is None else testset.with_references([reference])
    language = testset.source_language if reference is None else testset.target_language
    unit = unit or _unit_of(language, testset)
    documents = {document.id: document for document in side.documents}
    return np.array(
        [
            sum(_length(text, unit) for text in _texts(documents, item, reference))
            for item in matrix.items
        ],
        dtype=np.float64,
    )


def _unit_of(language: str | None, testset: TestSet) -> Unit:
    if language is None:
        raise InputError(
            f"test set {testset.name!r} does not say its language; choose words or characters"
        )
    bare = language.lower().partition("-")[0]
    return "characters" if bare in _WITHOUT_SPACES else "words"


def _texts(documents: dict[str, Document], item: Item, reference: str | None) -> list[str]:
    name, segment = item
    if name not in documents:
        raise MismatchError(f"the test set has no document {name!r}")
    document = documents[name]
    if segment is not None and segment >= len(document):
        raise MismatchError(f"document {name!r} has no segment {segment} (from 0)")
    lines = document.source if reference is None else document.references[reference]
    chosen = lines if segment is None else lines[segment : segment + 1]
    there = [line for line in chosen if line is not None]
    if len(there) != len(chosen):
        raise MismatchError(
            f"document {name!r}: reference {reference!r} lacks a segment whose length is needed; "
            "weight by the source"
        )
    return there


def _length(text: str, unit: Unit) -> int:
    words = text.split()
    return len(words) if unit == "words" else sum(map(len, words))


@dataclass(frozen=True, slots=True)
class AnnotatorScale:
    """How one annotator uses the scale; `deviation` is `None` where it says nothing.

    `level` is what they judged: an annotator who judged segments and whole documents has two.
    """

    annotator: str
    level: str
    count: int
    mean: float
    deviation: float | None

    def z(self, score: float) -> float | None:
        """The score in deviations from the annotator's mean."""
        return None if self.deviation is None else (score - self.mean) / self.deviation


def annotator_scales(judgements: Judgements) -> tuple[AnnotatorScale, ...]:
    """The scale of every annotator, in the order in which they first scored something."""
    scores: dict[tuple[str, str], list[float]] = {}
    for item in _scored(judgements.items):
        scores.setdefault(_owner(item), []).append(float(item.score or 0.0))
    return tuple(_scale(*owner, values) for owner, values in scores.items())


def z_normalised(judgements: Judgements) -> Judgements:
    """The same judgements with z-scores by annotator, of kind ``<kind>-z``."""
    scales = {(scale.annotator, scale.level): scale for scale in annotator_scales(judgements)}
    items = (
        item if item.score is None else replace(item, score=scales[_owner(item)].z(item.score))
        for item in judgements.items
    )
    return Judgements(f"{judgements.kind}-z", tuple(items))


def _scored(items: Iterable[Judgement]) -> list[Judgement]:
    """The judgements with a score, once all of them are known to name their annotator."""
    scored = [item for item in items if item.score is not None]
    unnamed = sum(item.annotator is None for item in scored)
    if unnamed:
        raise InputError(
            f"{counted(unnamed, 'score')} of {len(scored):,} without an annotator: z-scores are "
            "relative to an annotator's own; give ratings by annotator"
        )
    return scored


def _owner(item: Judgement) -> tuple[str, str]:
    level = "segment" if item.segment is not None else "document"
    return item.annotator or "", level if item.document is not None else "system"


def _scale(annotator: str, level: str, scores: list[float]) -> AnnotatorScale:
    values = np.array(scores)
    # Compared, not computed: the deviation of equal floats need not come out as exactly 0.
    varied = values.min() < values.max()
    deviation = float(values.std(ddof=1)) if varied else None
    return AnnotatorScale(annotator, level, len(scores), float(values.mean()), deviation)
