"""Scores relative to who gave them: z-normalisation by annotator, as in the WMT news task.

Some annotators are strict, some mild, some use a tenth of the scale. Each one's scores are taken
relative to the mean and the standard deviation (the sample's, n - 1, as WMT's rankings have it)
of all scores they gave, to systems and human references alike. Where an annotator gave one score
or always the same, the deviation says nothing: those scores become `None`, as they drop out of
WMT's means, rather than 0, which would call every one of these translations average.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.judgements import Judgement, Judgements


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
