"""Annotators who are milder or stricter than others, and how much of that is taken out of scores.

* `none`: scores as they were given;
* `z`: each annotator's scores in deviations from their own mean (WMT's z-scores), brought back to
  the mean and the deviation of all scores; unfair to whoever got the better translations;
* `mixed`: a mixed model, score = translation + annotator + rest, in which an annotator's mildness
  is what they give more than others did on the same translations, drawn towards 0 where they share
  few of them (the best linear unbiased prediction). Who shares no translation stays as they are.

Where everybody judges all systems of a document, mildness is gone from every difference of systems
anyhow, and the three hardly differ.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import z_normalised

AnnotatorCorrection = Literal["none", "z", "mixed"]


def corrected_annotators(judgements: Judgements, correction: AnnotatorCorrection) -> Judgements:
    """The judgements without what annotators differ by, on the same scale and of the same kind."""
    if correction == "none" or len(judgements.annotators) < 2:
        return judgements
    if correction == "z":
        return _rescaled(z_normalised(judgements), judgements)
    if correction != "mixed":
        raise InputError(f"no correction {correction!r}; there are: none, z, mixed")
    mildness = annotator_mildness(judgements)
    return Judgements(judgements.kind, tuple(_without(judgements.items, mildness)))


def _rescaled(relative: Judgements, given: Judgements) -> Judgements:
    scores = np.array([item.score for item in given.items if item.score is not None])
    mean, deviation = float(scores.mean()), float(scores.std())
    items = (
        item if item.score is None else replace(item, score=mean + deviation * item.score)
        for item in relative.items
    )
    return Judgements(given.kind, tuple(items))


def _without(items: Iterable[Judgement], mildness: dict[str, float]) -> Iterable[Judgement]:
    for item in items:
        if item.score is None or item.annotator is None:
            yield item
        else:
            yield replace(item, score=item.score - mildness[item.annotator])


def annotator_mildness(judgements: Judgements) -> dict[str, float]:
    """By how much each annotator scores above the others, as the mixed model predicts it."""
    model = _Ratings.of(judgements)
    ratio = model.variance_ratio()
    return dict(zip(judgements.annotators, model.predicted(ratio).tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Ratings:
    """Scores with the numbers of their translation and annotator."""

    translation: Integers
    annotator: Integers
    scores: Floats
    people: int

    @classmethod
    def of(cls, judgements: Judgements) -> "_Ratings":
        numbers = {name: n for n, name in enumerate(judgements.annotators)}
        scored = [
            item
            for item in judgements.items
            if item.score is not None and item.annotator is not None
        ]
        places = dict.fromkeys((item.system, item.document, item.segment) for item in scored)
        at = {place: n for n, place in enumerate(places)}
        return cls(
            np.array([at[item.system, item.document, item.segment] for item in scored], dtype=int),
            np.array([numbers[str(item.annotator)] for item in scored], dtype=int),
            np.array([item.score for item in scored], dtype=float),
            len(numbers),
        )

    def _equations(self) -> tuple[Floats, Floats]:
        """The normal equations of annotators, translations taken out of them."""
        size = int(self.translation.max()) + 1 if len(self.scores) else 0
        table = np.zeros((size, self.people))
        np.add.at(table, (self.translation, self.annotator), 1.0)
        judged = table.sum(axis=1)
        means = np.bincount(self.translation, self.scores, minlength=size) / judged
        left = np.diag(table.sum(axis=0)) - (table / judged[:, None]).T @ table
        above = self.scores - means[self.translation]
        return left, np.bincount(self.annotator, above, self.people).astype(np.float64)

    def variance_ratio(self) -> float:
        """The variance of ratings over that of annotators' mildness; infinite where that is 0.

        By Henderson's third method: what annotators explain beyond translations, less what chance
        would explain of it.
        """
        left, right = self._equations()
        explained = right @ np.linalg.pinv(left) @ right
        rank = np.linalg.matrix_rank(left)
        size = int(self.translation.max()) + 1 if len(self.scores) else 0
        means = np.bincount(self.translation, self.scores) / np.bincount(self.translation)
        within = float(((self.scores - means[self.translation]) ** 2).sum())
        freedom = len(self.scores) - size - rank
        if freedom < 1 or not rank:
            return np.inf
        noise = (within - explained) / freedom
        between = (explained - rank * noise) / np.trace(left)
        return float(noise / between) if between > 0 else np.inf

    def predicted(self, ratio: float) -> Floats:
        """Everybody's mildness, drawn to 0 the more, the larger the ratio is."""
        if not np.isfinite(ratio):
            return np.zeros(self.people)
        left, right = self._equations()
        return np.asarray(np.linalg.solve(left + max(ratio, 1e-9) * np.eye(self.people), right))
