"""What the differences of a comparison are worth to people, where a fitted curve can tell."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.comparison.result import Comparison
from isogloss.language import primary
from isogloss.metaeval import SilentPair, Worth, WorthCurve, WorthCurves, bundled_curves
from isogloss.scores import ScoreTable


@dataclass(frozen=True, slots=True)
class Appraiser:
    """Asks curves about pairs of systems; they answer only for scores like those they know."""

    curves: WorthCurves
    languages: tuple[str | None, str | None]

    @classmethod
    def of(cls, table: ScoreTable, curves: WorthCurves | None = None) -> "Appraiser":
        """For the scores of a table; by the curves that come with isogloss by default."""
        provenance = table.provenance
        languages = provenance.source_language, provenance.target_language
        return cls(bundled_curves() if curves is None else curves, languages)

    def best(self, comparisons: Sequence[Comparison], first: str, second: str) -> Worth | None:
        """By the metric whose curve fared best on unseen test sets, of those that can tell."""
        known = [(curve, each) for each in comparisons if (curve := self._curve(each))]
        for _, comparison in sorted(known, key=lambda each: each[0].loss):
            if worth := self.under(comparison, comparisons, first, second):
                return worth
        return None

    def under(
        self, comparison: Comparison, comparisons: Sequence[Comparison], first: str, second: str
    ) -> Worth | None:
        """By one metric, with what the others say; `None` outside of the data of its curve."""
        curve, lead = self._curve(comparison), _lead(comparison, first, second)
        if curve is None or lead is None or self._silent is not None:
            return None
        documents = comparison.pair(first, second).blocks
        return curve.worth(
            lead, documents, self._agreement(comparison, comparisons, first, second), self.languages
        )

    def silence(self, comparisons: Sequence[Comparison]) -> str | None:
        """Why nothing is said of scores that curves know, where the languages are the reason."""
        silent = self._silent
        known = any(self._curve(each) is not None for each in comparisons)
        return silent.reason if silent and known else None

    @property
    def _silent(self) -> SilentPair | None:
        """The pair of these languages, however they are written, if curves are no good there."""
        ours = tuple(map(primary, self.languages))
        pairs = (p for p in self.curves.silent if (primary(p.source), primary(p.target)) == ours)
        return next(pairs, None)

    def _curve(self, comparison: Comparison) -> WorthCurve | None:
        """None for segments: how many documents they make is not known."""
        if comparison.settings.blocks != "documents":
            return None
        return self.curves.of(comparison.metric.signature)

    def _agreement(
        self, comparison: Comparison, comparisons: Sequence[Comparison], first: str, second: str
    ) -> tuple[float, int]:
        """The mean side of the other metrics that curves know, and how many they are."""
        others = [each for each in comparisons if each is not comparison and self._curve(each)]
        leads = [_lead(each, first, second) for each in others]
        sides = [float(np.sign(lead)) for lead in leads if lead is not None]
        return (float(np.mean(sides)) if sides else 0.0, len(sides))


def _lead(comparison: Comparison, first: str, second: str) -> float | None:
    """By how much the first is ahead, turned so that higher is better."""
    if comparison.metric.not_scored is not None:
        return None
    test = comparison.pair(first, second)
    if test.difference is None:
        return None
    ahead = test.difference if test.first == first else -test.difference
    return ahead if comparison.metric.higher_is_better else -ahead
