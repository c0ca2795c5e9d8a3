"""What is known of two systems whatever the metric: their words, their mistakes, what is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.comparison import Appraiser, Comparison, ComparisonSettings
from isogloss.documents import Collection
from isogloss.errors import NotApplicableError
from isogloss.explanation.disagreement import MetricOpinion
from isogloss.explanation.marks import (
    MetricMarks,
    chains_found,
    marks_found,
    metric_marks,
    people_marks,
    segment_counts,
    terms_found,
)
from isogloss.explanation.mistakes import Mistakes, error_differences
from isogloss.explanation.ngrams import telling_ngrams
from isogloss.explanation.result import (
    ChainFound,
    MarkFound,
    MeasuredNumber,
    NGram,
    TermFound,
    WordClass,
)
from isogloss.explanation.texts import PairTexts, TextReadings
from isogloss.explanation.words import WordCounts, word_classes
from isogloss.judgements import Judgements
from isogloss.scores import MetricInfo, ScoreTable


@dataclass(frozen=True, eq=False)
class PeopleSaid:
    """What people said, and the same as a table of scores."""

    judgements: Judgements
    table: ScoreTable


@dataclass(frozen=True, eq=False)
class ScoredMetric:
    """A metric that scored both systems, with the comparison of the two."""

    table: ScoreTable
    comparison: Comparison

    @property
    def info(self) -> MetricInfo:
        return self.comparison.metric


@dataclass(frozen=True, eq=False)
class PairMaterial:
    """All that explanations of two systems have in common, read when it is first asked for."""

    tables: Sequence[ScoreTable]
    systems: tuple[str, str]
    readings: TextReadings | None
    people: PeopleSaid | None
    settings: ComparisonSettings
    scored: Sequence[ScoredMetric]
    appraiser: Appraiser

    @property
    def collection(self) -> Collection:
        """The texts, where there are such."""
        if self.readings is None:
            raise NotApplicableError("there are no texts")
        return self.readings.collection

    @cached_property
    def texts(self) -> PairTexts:
        if self.readings is None:
            raise NotApplicableError("there are no texts")
        return PairTexts(self.readings, *self.systems)

    @property
    def text_digest(self) -> str:
        """Of the test set."""
        return self.texts.readings.digest

    @cached_property
    def words(self) -> WordCounts:
        return WordCounts.of(self.texts)

    @cached_property
    def mistakes(self) -> Mistakes:
        return Mistakes.of(self.texts, segment_counts(self.marks, self.collection))

    @cached_property
    def kinds(self) -> list[str]:
        """By segment, what the two differ in."""
        return self.mistakes.kinds(self.texts, self.words)

    @cached_property
    def document_of_segment(self) -> NDArray[np.intp]:
        lengths = [len(document) for document in self.collection.testset.documents]
        return np.repeat(np.arange(len(lengths)), lengths)

    @cached_property
    def error_differences(self) -> list[MeasuredNumber]:
        return error_differences(self.mistakes, self.document_of_segment, self.settings)

    @cached_property
    def opinions(self) -> tuple[MetricOpinion, ...]:
        """Of every metric that scored both, each once, people first."""
        human = None if self.people is None else self.people.table
        found: dict[str, MetricOpinion] = {}
        for each in sorted(self.scored, key=lambda each: each.table is not human):
            if each.info.name not in found:
                people = each.table is human
                opinion = MetricOpinion.of(each.table, each.comparison, self.systems, people=people)
                found[each.info.name] = opinion
        return tuple(found.values())

    @cached_property
    def marks(self) -> list[MetricMarks]:
        """What metrics and people marked."""
        found = metric_marks(self.tables, *self.systems)
        if self.people is not None:
            found += people_marks(self.people.judgements, self.collection, self.systems)
        return found

    @cached_property
    def marks_found(self) -> tuple[MarkFound, ...]:
        return marks_found(self.marks, self.settings)

    @cached_property
    def word_classes(self) -> tuple[WordClass, ...]:
        if not self.texts.readings.has_references:
            return ()
        return word_classes(self.words, self.document_of_segment, self.settings)

    @cached_property
    def ngrams(self) -> tuple[tuple[NGram, ...], tuple[NGram, ...]]:
        return telling_ngrams(self.texts) if self.texts.readings.has_references else ((), ())

    @cached_property
    def terms(self) -> tuple[TermFound, ...]:
        return terms_found(self.marks, self.collection)

    @cached_property
    def chains(self) -> tuple[ChainFound, ...]:
        return chains_found(self.marks, self.collection)
