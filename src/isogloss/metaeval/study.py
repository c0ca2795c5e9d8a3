"""What metrics said beside what people said: the same systems, the same items, level by level.

People decide which systems and items count: those that were judged. A metric's scores are brought
into that frame and turned so that higher is better; what a metric does not have is missing, and
said, never 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Literal

import numpy as np

from isogloss.arrays import Floats, Integers, Mask
from isogloss.documents import Collection, TestSet
from isogloss.errors import InputError
from isogloss.judgements import Judgements
from isogloss.metaeval.means import document_scores, domain_scores, item_lengths, system_means
from isogloss.metaeval.people import (
    Item,
    JudgedLevel,
    Ratings,
    ScoreMatrix,
    chosen_systems,
    ratings_of,
    system_scores,
)
from isogloss.metaeval.ranking import outlier_systems
from isogloss.scores import DocumentScore, ScoreTable, SystemScore

Level = Literal["segment", "document", "domain", "system"]
Aggregation = Literal["mean", "weighted", "own"]
LEVELS: tuple[Level, ...] = ("segment", "document", "domain", "system")


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Human and metric scores at one level, systems x items; higher is better in all of them.

    At system level there is one item. `blocks` numbers the document of each item.
    """

    level: Level
    systems: tuple[str, ...]
    human: Floats
    metrics: Mapping[str, Floats]
    blocks: Integers

    def of_systems(self, names: Sequence[str]) -> "Matched":
        """The same of some of the systems."""
        rows = [self.systems.index(name) for name in names]
        metrics = {name: scores[rows] for name, scores in self.metrics.items()}
        return replace(self, systems=tuple(names), human=self.human[rows], metrics=metrics)

    def without_outliers(self) -> "Matched":
        """The same without the systems that people scored far off; at system level."""
        outlying = outlier_systems(self.human)
        kept = [name for name, out in zip(self.systems, outlying, strict=True) if not out]
        return self.of_systems(kept)

    def best(self, count: int) -> "Matched":
        """The same of the systems that people scored best, best first; at system level."""
        people = self.human[:, 0]
        order = np.argsort(-people, kind="stable")[: np.count_nonzero(~np.isnan(people))]
        return self.of_systems([self.systems[row] for row in order[:count]])


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Metrics and people on one test set, from which every level can be had.

    `documents` says how a metric scores a document (and domain): by the ``mean`` of its judged
    segments, by their mean ``weighted`` by source length, or by the metric's ``own`` document
    score, which is all that a metric of documents has. Where people scored documents as wholes, all
    segments of a document count, and there is no level of segments. `own_systems` takes a metric's
    own score of a system instead of the mean of what was judged.
    """

    testset: TestSet
    kind: str
    ratings: Ratings
    human: ScoreMatrix
    official: Mapping[str, float | None]
    rows: Mapping[str, Mapping[str, SystemScore]]
    higher_is_better: Mapping[str, bool]
    documents: Aggregation = "mean"
    own_systems: bool = True
    unplaced: int = 0
    _levels: dict[Level, Matched] = field(default_factory=dict, init=False, repr=False)
    _segment_scores: dict[str, Floats] = field(default_factory=dict, init=False, repr=False)

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(self.rows)

    @property
    def judged_level(self) -> Level:
        """The smallest things that people judged: segments, or documents as wholes."""
        return self.human.level

    def at(self, level: Level) -> Matched:
        """Both sides at one level; put together once."""
        if level not in self._levels:
            self._levels[level] = self._put_together(level)
        return self._levels[level]

    def _put_together(self, level: Level) -> Matched:
        if level == "segment" and self.human.level == "document":
            raise InputError(
                f"{self.kind} are scores of whole documents; compare documents or systems"
            )
        human = self._human_at(level)
        metrics = {name: self._turned(name, self._metric_at(name, level)) for name in self.rows}
        blocks = np.zeros(1, dtype=np.int64)
        if level != "system":
            blocks = self._matrix_at(self.human, level).blocks
        return Matched(level, self.human.systems, human, metrics, blocks)

    def of_items(self, chosen: Mask) -> "Study":
        """The same on some of the judged items alone, at every level."""
        scores = np.where(chosen, self.human.scores, np.nan)
        kept = {item for item, one in zip(self.human.items, chosen, strict=True) if one}
        there = np.array([item in kept for item in self.ratings.items])
        return replace(
            self,
            human=replace(self.human, scores=scores).judged(),
            ratings=self.ratings.where(there[self.ratings.item]),
        )

    def notices(self) -> Iterator[str]:
        """What is missing: judgements of something else, and scores of what was judged."""
        if self.unplaced:
            yield f"{self.unplaced} judgements ({self.kind}) have no place in this test set"
        for name, rows in self.rows.items():
            absent = [system for system in self.human.systems if system not in rows]
            if absent:
                yield f"{name} has no scores of {', '.join(absent)}, which people judged"
            if not self.scores_segments(name):
                yield f"{name} scores documents, not segments; a document's score is its own"
                continue
            scores = self._segments(name)
            lacking = int((np.isnan(scores) & ~np.isnan(self.human.scores)).sum())
            present = [s in rows for s in self.human.systems]
            lacking -= int((~np.isnan(self.human.scores[~np.array(present)])).sum())
            if lacking:
                yield f"{name} lacks {lacking} of the judged {self.human.level}s"

    def _turned(self, metric: str, scores: Floats) -> Floats:
        return scores if self.higher_is_better[metric] else -scores

    def _weights(self) -> Floats | None:
        return item_lengths(self.human, self.testset) if self.documents == "weighted" else None

    def _matrix_at(self, matrix: ScoreMatrix, level: Level) -> ScoreMatrix:
        if level == "document":
            return document_scores(matrix, self._weights())
        if level == "domain":
            return domain_scores(matrix, self._weights())
        return matrix

    def _human_at(self, level: Level) -> Floats:
        if level != "system":
            return self._matrix_at(self.human, level).scores
        means = system_means(self.human)
        official = [self.official.get(system) for system in self.human.systems]
        scores = [m if o is None else o for m, o in zip(means, official, strict=True)]
        return np.array(scores, dtype=np.float64)[:, None]

    def _metric_at(self, name: str, level: Level) -> Floats:
        if level == "system":
            return self._systems(name)
        if level == "document" and (self.documents == "own" or not self.scores_segments(name)):
            return self._own_documents(name)
        # Only what people judged counts: a mean over other segments is another quantity.
        scores = np.where(np.isnan(self.human.scores), np.nan, self._segments(name))
        return self._matrix_at(self._like_human(scores), level).scores

    def _like_human(self, scores: Floats) -> ScoreMatrix:
        human = self.human
        counts = (~np.isnan(scores)).astype(np.int64)
        return ScoreMatrix(
            human.systems, human.items, scores, counts, human.blocks, human.domains, human.level
        )

    def scores_segments(self, name: str) -> bool:
        """Whether the metric scores segments at all; one that sees documents only does not."""
        return any(
            document.measurement.segment_scores is not None
            for row in self.rows[name].values()
            for document in row.documents
        )

    def _segments(self, name: str) -> Floats:
        """The metric's scores of the judged systems and segments; brought into place once."""
        if name not in self._segment_scores:
            self._segment_scores[name] = self._placed_segments(name)
        return self._segment_scores[name]

    def _placed_segments(self, name: str) -> Floats:
        columns = {item: column for column, item in enumerate(self.human.items)}
        scores = np.full(self.human.scores.shape, np.nan)
        for row, system in enumerate(self.human.systems):
            found = self.rows[name].get(system)
            for document in found.documents if found else ():
                for item, score in self._items(document):
                    if item in columns and score is not None:
                        scores[row, columns[item]] = score
        return scores

    def _items(self, document: DocumentScore) -> Iterator[tuple[Item, float | None]]:
        """The scores of a document's segments; their mean where people scored the document."""
        scores = document.measurement.segment_scores or ()
        if self.human.level == "segment":
            yield from (((document.document, n), score) for n, score in enumerate(scores))
        elif known := [score for score in scores if score is not None]:
            yield (document.document, None), fmean(known)

    def _own_documents(self, name: str) -> Floats:
        items = [item[0] for item in document_scores(self.human).items]
        columns = {document: column for column, document in enumerate(items)}
        scores = np.full((len(self.human.systems), len(items)), np.nan)
        for row, system in enumerate(self.human.systems):
            found = self.rows[name].get(system)
            for document in found.documents if found else ():
                if document.document in columns and document.score is not None:
                    scores[row, columns[document.document]] = document.score
        return scores

    def _systems(self, name: str) -> Floats:
        judged = np.where(np.isnan(self.human.scores), np.nan, self._segments(name))
        means = system_means(self._like_human(judged))
        rows = self.rows[name]
        own = [rows[s].score if s in rows else None for s in self.human.systems]
        use_own = self.own_systems or bool(np.isnan(means).all())
        scores = [o if use_own and o is not None else m for o, m in zip(own, means, strict=True)]
        return np.array(scores, dtype=np.float64)[:, None]


def study_of(
    tables: Sequence[ScoreTable],
    judgements: Judgements,
    known: TestSet | Collection,
    *,
    systems: Sequence[str] | None = None,
    humans: bool = False,
    documents: Aggregation = "mean",
    own_systems: bool = True,
    official: Judgements | None = None,
) -> Study:
    """Bring tables of scores and human judgements together.

    The tables may stem from different references, or from anyone, as long as their documents are
    those of the test set. Human references that were judged as systems take part only with
    `humans`. `official` are judgements of whole systems that go before the means of segments.
    """
    testset = known.testset if isinstance(known, Collection) else known
    rows = _rows_by_metric(tables, testset)
    judged = chosen_systems(judgements, systems, humans=humans)
    scored = {system for by_system in rows.values() for system in by_system}
    there = [system for system in judged if system in scored]
    if not there:
        raise InputError(
            f"no system was both scored and judged; scored: {', '.join(sorted(scored))}; "
            f"judged: {', '.join(judged) or 'none'}"
        )
    level: JudgedLevel = "document" if judgements.of_documents else "segment"
    if level == "document" and documents == "weighted":
        raise InputError(f"{judgements.kind} are scores of whole documents: no segment weighs more")
    ratings = ratings_of(judgements, testset, there, humans=humans, level=level)
    human = ratings.means().judged()
    totals = system_scores(official, humans=True) if official else {}
    better = {metric.name: metric.higher_is_better for table in tables for metric in table.metrics}
    return Study(
        testset,
        judgements.kind,
        ratings,
        human,
        totals,
        rows,
        better,
        documents,
        own_systems,
        judgements.unplaced,
    )


def _rows_by_metric(
    tables: Sequence[ScoreTable], testset: TestSet
) -> dict[str, dict[str, SystemScore]]:
    lengths = {document.id: len(document) for document in testset.documents}
    rows: dict[str, dict[str, SystemScore]] = {}
    for table in tables:
        for row in table.rows:
            for document in row.documents:
                if lengths.get(document.document) != document.measurement.total:
                    raise InputError(
                        f"the scores of {row.metric} are not of test set {testset.name!r}: "
                        f"document {document.document!r} is not there, or has another length"
                    )
            if row.system in rows.setdefault(row.metric, {}):
                raise InputError(f"two scores of {row.system!r} under {row.metric!r}")
            rows[row.metric][row.system] = row
    return rows
