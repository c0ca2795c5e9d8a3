"""Pairs of systems on some documents: what a metric and its neighbours say, what people say.

Documents are drawn from those that people judged, a few, some, all of them; both sides are taken on
the same ones. A metric is asked on the documents that it scored; others are asked along if they
scored these too, some at random, so that a curve learns what it means when one, or all, agree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.arrays import Floats, Integers, Mask
from isogloss.comparison.beside import judged_table
from isogloss.documents import TestSet
from isogloss.formula import Formula
from isogloss.judgements import Judgements
from isogloss.metaeval import Contests
from isogloss.metrics import formula_of
from isogloss.scores import MetricInfo, ScoreTable, SystemScore

DEFAULT_SIZES = (3, 5, 8, 12, 20, 30, 50, 80, 120, 200)
_HALF = 0.5  # of its segments must be judged before a document counts


@dataclass(frozen=True, slots=True)
class ContestSettings:
    """How many documents are drawn, each number so often; all of them are one number more.

    With `whole` off they are not, as where single documents are compared.
    """

    sizes: tuple[int, ...] = DEFAULT_SIZES
    draws: int = 5
    seed: int = 12345
    whole: bool = True

    def plan(self, documents: int) -> list[tuple[int, int]]:
        """How many of so many documents are drawn how often; all of them once."""
        sizes = [(size, self.draws) for size in self.sizes if size < documents]
        return [*sizes, (documents, 1)] if documents and self.whole else sizes


def contests_of(
    tables: Sequence[ScoreTable],
    judgements: Judgements,
    testset: TestSet,
    settings: ContestSettings | None = None,
) -> dict[str, Contests]:
    """The contests of every metric of some tables on one test set, by the metric's name.

    Tables may be of some of the documents only. Metrics whose names differ in options alone, as the
    tokeniser of a language, go by the name without them.
    """
    ground = _Ground.of(tables, judgements, testset)
    settings = settings or ContestSettings()
    return {
        scored.info.name.partition("(")[0]: ground.contests(scored, settings)
        for scored in ground.metrics
    }


@dataclass(frozen=True, eq=False)
class _Scored:
    """A metric's statistics, systems x documents x k; NaN where it did not score."""

    info: MetricInfo
    formula: Formula
    statistics: Floats

    @property
    def there(self) -> Mask:
        """The documents that it scored of every system."""
        return np.asarray(~np.isnan(self.statistics).any(axis=(0, 2)))

    @cached_property
    def by_document(self) -> Floats:
        """Of every system and document; 0 where it has none, like those that are equal."""
        flat = self.statistics.reshape(-1, self.statistics.shape[-1])
        scores = self._turned(self.formula.score_rows(np.nan_to_num(flat)))
        return np.nan_to_num(scores.reshape(self.statistics.shape[:2]))

    def scores(self, chosen: Integers) -> Floats:
        """Of every system on some documents, turned so that higher is better."""
        return self._turned(self.formula.score_rows(self.statistics[:, chosen].sum(axis=1)))

    def _turned(self, scores: Floats) -> Floats:
        return scores if self.info.higher_is_better else -scores


@dataclass(frozen=True, slots=True, eq=False)
class _Ground:
    """All that is the same from draw to draw: people's statistics (sum, count), and metrics'."""

    testset: TestSet
    people: Floats
    judged: Mask
    metrics: tuple[_Scored, ...]

    @classmethod
    def of(
        cls, tables: Sequence[ScoreTable], judgements: Judgements, testset: TestSet
    ) -> "_Ground":
        human = judged_table(judgements, testset, tables[0])
        shared = set.intersection(*(set(table.systems) for table in tables))
        systems = [row.system for row in human.rows if not row.human and row.system in shared]
        people = _statistics(human.rows, systems, testset)
        lengths = np.array([len(document) for document in testset.documents])
        judged = (people[..., 1] >= _HALF * lengths).all(axis=0) & (lengths > 0)
        metrics = tuple(
            _Scored(
                info,
                formula_of(table, info),
                _statistics(table.of_metric(info.name), systems, testset),
            )
            for table in tables
            for info in table.metrics
            if info.not_scored is None
        )
        return cls(testset, people, np.asarray(judged), metrics)

    def contests(self, scored: _Scored, settings: ContestSettings) -> Contests:
        """Of one metric: all pairs of systems on documents that are drawn again and again."""
        rng = np.random.default_rng(settings.seed)
        known = np.flatnonzero(self.judged & scored.there)
        columns = [
            self._pairs(scored, rng.choice(known, size, replace=False), rng)
            for size, draws in settings.plan(len(known))
            for _ in range(draws)
        ]
        rows = np.concatenate(columns, axis=1) if columns else np.empty((5, 0))
        rows = rows[:, ~np.isnan(rows[[0, 3, 4]]).any(axis=0)]
        languages = (self.testset.source_language or "?", self.testset.target_language or "?")
        return Contests(self.testset.name, languages, scored.info.signature, *rows)

    def _pairs(self, scored: _Scored, chosen: Integers, rng: np.random.Generator) -> Floats:
        """Difference, documents, agreement and preference of all pairs on these documents."""
        first, second = np.triu_indices(len(self.people), 1)
        sums, counts = np.moveaxis(self.people[:, chosen].sum(axis=1), 1, 0)
        means = sums / counts
        liked = (1 + np.sign(np.round(means[first] - means[second], 9))) / 2
        scores = scored.scores(chosen)
        others = [each for each in self.metrics if each is not scored and each.there[chosen].all()]
        asked = rng.permutation(len(others))[: rng.integers(0, len(others) + 1)]
        sides = [
            np.sign(theirs[first] - theirs[second])
            for theirs in (others[number].scores(chosen) for number in asked)
        ]
        agreement = np.mean(sides, axis=0) if sides else np.full(len(first), np.nan)
        size = np.full(len(first), float(len(chosen)))
        single = scored.by_document[:, chosen]
        ahead = (1 + np.sign(single[first] - single[second]).mean(axis=1)) / 2
        return np.stack([scores[first] - scores[second], size, agreement, ahead, liked])


def _statistics(rows: Sequence[SystemScore], systems: Sequence[str], testset: TestSet) -> Floats:
    """Systems x documents of the test set x k; NaN for documents that are not in the rows."""
    by_system: Mapping[str, SystemScore] = {row.system: row for row in rows}
    places = {document.id: place for place, document in enumerate(testset.documents)}
    width = len(rows[0].documents[0].measurement.statistics)
    found = np.full((len(systems), len(places), width), np.nan)
    for number, system in enumerate(systems):
        for document in by_system[system].documents:
            if document.measurement.scored:
                found[number, places[document.document]] = document.measurement.statistics
    return found
