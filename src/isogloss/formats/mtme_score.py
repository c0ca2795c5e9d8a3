"""A single score file of mt-metrics-eval: ``METRIC-REF.seg.score``, a system and a score a line."""

from pathlib import Path

from isogloss.documents import Collection, TestSet
from isogloss.formats.files import plain_stem, plain_suffix
from isogloss.formats.mtme import LEVELS, scores_in
from isogloss.formats.protocol import ScoresFormat
from isogloss.formats.score_table import StoredScores, table_of_stored
from isogloss.scores import ScoreTable


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format is asked the same way)
    """A name that ends as mt-metrics-eval's score files do."""
    return plain_suffix(path) == ".score" and _level(path) in LEVELS


def read(path: Path, known: TestSet | Collection) -> ScoreTable:
    """One metric's scores of one level, on a test set that the file does not name."""
    testset = known.testset if isinstance(known, Collection) else known
    level = _level(path)
    metric = plain_stem(path).removesuffix(f".{level}")
    found = scores_in(path, testset, level).items()
    if level == "seg":
        stored = [StoredScores(metric, system, segments=values) for system, values in found]
    elif level == "doc":
        stored = [StoredScores(metric, system, documents=values) for system, values in found]
    else:
        stored = [StoredScores(metric, system, score=values[0]) for system, values in found]
    return table_of_stored(testset, stored)


def _level(path: Path) -> str:
    return plain_stem(path).rpartition(".")[2]


FORMAT = ScoresFormat(
    name="mtme-score",
    description="METRIC.seg.score (.doc, .sys) of mt-metrics-eval",
    recognises=recognises,
    read=read,
)
