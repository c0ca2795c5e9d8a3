"""Which differences between systems are real: intervals, paired tests and rank clusters.

A score table comes in; for each metric a `Comparison` goes out: where each system stands, the test
of every pair, and what could not be decided.
"""

from isogloss.comparison.ranking import compare
from isogloss.comparison.result import Blocks, Comparison, PairTest, Settings, Standing, Test
from isogloss.comparison.sample import Formula, MeanFormula

__all__ = [
    "Blocks",
    "Comparison",
    "Formula",
    "MeanFormula",
    "PairTest",
    "Settings",
    "Standing",
    "Test",
    "compare",
]
