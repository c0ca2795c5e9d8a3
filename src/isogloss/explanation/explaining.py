"""From scores, texts and judgements to an explanation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats
from isogloss.comparison import ComparisonSettings, Units, judged_table, scored_texts
from isogloss.documents import Collection
from isogloss.errors import InputError, NotApplicableError
from isogloss.explanation import partitions
from isogloss.explanation.attribution import Attribution
from isogloss.explanation.disagreement import Opinion, disputes, opinions_found
from isogloss.explanation.marks import (
    MetricMarks,
    chains_found,
    marks_found,
    metric_marks,
    people_marks,
    segment_counts,
    terms_found,
)
from isogloss.explanation.mistakes import CONTENT, ORDER, SAME, WORDING, Mistakes, error_classes
from isogloss.explanation.ngrams import telling_ngrams
from isogloss.explanation.paragraph import clauses
from isogloss.explanation.passages import Candidate, chosen, marks
from isogloss.explanation.result import (
    Explanation,
    Findings,
    Passage,
    Unit,
    View,
    ViewName,
    Weighed,
    claim_level,
)
from isogloss.explanation.texts import PairTexts
from isogloss.explanation.words import WordCounts, word_classes
from isogloss.judgements import Judgements
from isogloss.metrics import formula_of
from isogloss.scores import MetricInfo, ScoreTable


def explain(
    tables: ScoreTable | Sequence[ScoreTable],
    first: str,
    second: str,
    metric: str | None = None,
    *,
    collection: Collection | None = None,
    judgements: Judgements | None = None,
    settings: ComparisonSettings | None = None,
) -> Explanation:
    """Take the difference of two systems apart.

    Args:
        tables: scores of both systems, of one or more metrics on one test set.
        first: a system; differences are its score minus the other's.
        second: the other system.
        metric: whose difference is taken apart; the first one that scored by default. All
            others are asked whether they agree. The kind of the judgements takes apart what
            people said.
        collection: the texts that were scored. Without them nothing is said of lengths, words and
            passages.
        judgements: what people said of the systems.
        settings: intervals, tests, and the level of what is claimed.

    Returns:
        The parts of the difference, and a summary of what can be claimed.

    Raises:
        InputError: a system or the metric is not in the scores.
        MismatchError: the texts are not those that were scored.

    Example:
        >>> import isogloss
        >>> collection = isogloss.load_sample("cs-en")
        >>> table = isogloss.evaluate(collection, "chrf")
        >>> found = isogloss.explain(table, "steady", "tangled", collection=collection)
        >>> found.clauses[0].text
        'steady beats tangled by 27.93 chrf (78.89 against 50.95; 95% [21.28, 34.58], p = 0.008).'
        >>> parts = sum(part.carries for part in found.found.documents.parts)
        >>> abs(parts - found.difference) < 1e-6
        True
    """
    given = [tables] if isinstance(tables, ScoreTable) else list(tables)
    settings = settings or ComparisonSettings()
    _refuse_strangers(given, first, second)
    if collection is not None:
        collection = scored_texts(collection, given[0], [first, second])
    human = None if judgements is None else _People.of(judgements, collection, given)
    everything = [*given, human.table] if human else given
    explained = _chosen(everything, metric, (first, second))
    material = _Material(given, explained, (first, second), collection, human, settings)
    return material.explanation()


@dataclass(frozen=True)
class _People:
    """What people said, and the same as a table of scores."""

    judgements: Judgements
    table: ScoreTable

    @classmethod
    def of(
        cls, judgements: Judgements, collection: Collection | None, tables: Sequence[ScoreTable]
    ) -> "_People":
        if collection is None:
            raise InputError("judgements are about texts; give the collection, too")
        names = {info.name for table in tables for info in table.metrics}
        if judgements.kind in names:  # a metric may well be called as what it predicts
            judgements = replace(judgements, kind=f"human-{judgements.kind}")
        return cls(judgements, judged_table(judgements, collection.testset, tables[0]))


def _refuse_strangers(tables: Sequence[ScoreTable], first: str, second: str) -> None:
    if first == second:
        raise InputError(f"{first!r} is compared with itself; name two systems")
    known = tables[0].systems
    for system in (first, second):
        if system not in known:
            raise InputError(f"there are no scores of {system!r}; there are: {', '.join(known)}")


def _chosen(
    tables: Sequence[ScoreTable], metric: str | None, systems: tuple[str, str]
) -> tuple[ScoreTable, MetricInfo]:
    """The metric that is explained, with its table."""
    for table in tables:
        for info in table.metrics:
            if info.name == metric or (metric is None and _has_scores(table, info, systems)):
                if not _has_scores(table, info, systems):
                    raise NotApplicableError(f"{metric} did not score both systems")
                return table, info
    names = [info.name for table in tables for info in table.metrics]
    if metric is None:
        raise NotApplicableError(f"no metric scored both systems; there are: {', '.join(names)}")
    raise InputError(f"there are no scores of metric {metric!r}; there are: {', '.join(names)}")


def _has_scores(table: ScoreTable, info: MetricInfo, systems: tuple[str, str]) -> bool:
    """Whether there is something in which both systems can be compared."""
    rows = [row for row in table.of_metric(info.name) if row.system in systems]
    return len(rows) == len(systems) and all(row.scored for row in rows)


@dataclass(frozen=True)
class _Material:
    """All that an explanation is made of."""

    tables: Sequence[ScoreTable]
    explained: tuple[ScoreTable, MetricInfo]
    systems: tuple[str, str]
    collection: Collection | None
    people: _People | None
    settings: ComparisonSettings

    def explanation(self) -> Explanation:
        """Everything found, what may be claimed of it, and that in words."""
        found = self._findings()
        level, tests = claim_level(found, self.settings.alpha)
        opinion = self._opinion
        unit: Unit = "document" if self._layout.segment is None else "segment"
        explanation = Explanation(
            self.explained[1],
            *self.systems,
            *opinion.scores,
            opinion.test,
            self._attribution.remainder,
            unit,
            self._weighed,
            found,
            self.settings,
            level,
            tests,
        )
        return replace(explanation, clauses=clauses(explanation))

    @property
    def _weighed(self) -> Weighed:
        if not self._attribution.weighs_all_alike:
            return "text"
        return "documents" if self._layout.segment is None else "segments"

    def _findings(self) -> Findings:
        info = self.explained[1]
        opinions = list(self._other_opinions())
        found = Findings(
            documents=partitions.by_document(
                self._attribution, self._layout.documents, info.higher_is_better
            ),
            views=tuple(self._views()),
            marks=marks_found(self._marks, self.settings),
            metrics=opinions_found(self._opinion, opinions),
            disputes=disputes(self._opinion, opinions, self._places),
            notes=tuple(self._notes()),
        )
        return self._with_texts(found) if self.collection is not None else found

    def _with_texts(self, found: Findings) -> Findings:
        collection, texts = self._known_collection, self._texts
        reads_references = texts.has_references
        document = self._document_of_segment
        return replace(
            found,
            words=word_classes(self._words, document, self.settings) if reads_references else (),
            errors=error_classes(self._mistakes, document, self._carried, self.settings),
            terms=terms_found(self._marks, collection),
            chains=chains_found(self._marks, collection),
            ngrams=telling_ngrams(texts) if reads_references else ((), ()),
            passages=tuple(self._passages()),
        )

    # --- the difference and its parts -------------------------------------------------------------

    @cached_property
    def _attribution(self) -> Attribution:
        table, info = self.explained
        rows = [table[info.name, system] for system in self.systems]
        first, second = (Units.of(row, "documents") for row in rows)
        return Attribution.of(formula_of(table, info), first, second)

    @cached_property
    def _layout(self) -> partitions.Layout:
        table, info = self.explained
        return partitions.Layout.of(self._attribution, table[info.name, self.systems[0]].documents)

    def _views(self) -> Iterator[View]:
        def made(name: ViewName, labels: Sequence[str], order: Sequence[str]) -> View:
            return partitions.view(name, labels, order, self._attribution, self.settings)

        layout = self._layout
        if domains := layout.domains():
            yield made("domain", domains, list(dict.fromkeys(domains)))
        if self.collection is not None:
            labels, order = self._lengths
            if len(order) > 1:
                yield made("length", labels, order)
        positions = layout.positions()
        if positions and len(set(positions)) > 1:
            yield made("position", positions, partitions.POSITIONS)
        if self.collection is not None and layout.segment is not None:
            kinds = [self._kinds[unit] for unit in self._attribution.unit]
            yield made("kind", kinds, (*ORDER, CONTENT, WORDING, SAME))

    # --- texts ------------------------------------------------------------------------------------

    @property
    def _known_collection(self) -> Collection:
        if self.collection is None:
            raise NotApplicableError("there are no texts")
        return self.collection

    @cached_property
    def _texts(self) -> PairTexts:
        return PairTexts(self._known_collection, *self.systems)

    @cached_property
    def _words(self) -> WordCounts:
        return WordCounts.of(self._texts)

    @cached_property
    def _mistakes(self) -> Mistakes:
        return Mistakes.of(self._texts, segment_counts(self._marks, self._known_collection))

    @cached_property
    def _kinds(self) -> list[str]:
        return self._mistakes.kinds(self._texts, self._words)

    @cached_property
    def _document_of_segment(self) -> NDArray[np.intp]:
        lengths = [len(document) for document in self._known_collection.testset.documents]
        return np.repeat(np.arange(len(lengths)), lengths)

    @cached_property
    def _lengths(self) -> tuple[list[str], list[str]]:
        """The bin of each unit's source (or reference, where there is no source) in words."""
        texts = self._texts
        sizes = np.array(
            [len(s.source if texts.has_source else s.reference) for s in texts.segments],
            dtype=np.float64,
        )
        if self._layout.segment is None:
            sizes = np.bincount(self._document_of_segment, weights=sizes).astype(np.float64)
        return partitions.length_bins([int(sizes[unit]) for unit in self._attribution.unit])

    @property
    def _carried(self) -> Floats | None:
        """What every segment of the test set carries; `None` where that is not known."""
        if self._layout.segment is None:
            return None
        carried = np.zeros(len(self._texts.segments))
        carried[self._attribution.unit] = self._attribution.carried
        return carried

    def _passages(self) -> Iterator[Passage]:
        layout, carried = self._layout, self._attribution.carried
        if layout.segment is None:
            return
        sign = 1.0 if self.explained[1].higher_is_better else -1.0
        bins, _ = self._lengths
        documents = self._known_collection.testset.documents
        candidates = [
            Candidate(
                at, float(sign * carried[at]), own.id, own.domain, self._kinds[unit], bins[at]
            )
            for at, unit in enumerate(self._attribution.unit)
            for own in [documents[layout.document[at]]]
        ]
        scores = self._segment_scores
        for each in chosen(candidates):
            segment, unit = int(layout.segment[each.unit]), self._attribution.unit[each.unit]
            own = documents[layout.document[each.unit]]
            yield Passage(
                own.id,
                segment,
                own.domain,
                each.kind,
                *self._texts.raw(own, segment),
                scores[0][unit],
                scores[1][unit],
                float(carried[each.unit]),
                *marks(self._texts.segments[unit], self._texts.of_target),
            )

    @cached_property
    def _segment_scores(self) -> list[list[float | None]]:
        table, info = self.explained
        rows = [table[info.name, system].documents for system in self.systems]
        return [[score for own in row for score in own.segment_scores] for row in rows]

    # --- metrics and people -----------------------------------------------------------------------

    @cached_property
    def _opinion(self) -> Opinion:
        table, info = self.explained
        people = self.people is not None and table is self.people.table
        return Opinion.of(table, info, self.systems, self.settings, people=people)

    def _other_opinions(self) -> Iterator[Opinion]:
        """People first, then every other metric that scored both systems, each once."""
        seen = {self.explained[1].name}
        human = None if self.people is None else self.people.table
        for table in [*([] if human is None else [human]), *self.tables]:
            for info in table.metrics:
                if info.name not in seen and _has_scores(table, info, self.systems):
                    seen.add(info.name)
                    yield Opinion.of(
                        table, info, self.systems, self.settings, people=table is human
                    )

    @cached_property
    def _marks(self) -> list[MetricMarks]:
        found = metric_marks(self.tables, *self.systems)
        if self.people is not None:
            found += people_marks(self.people.judgements, self._known_collection, self.systems)
        return found

    @property
    def _places(self) -> list[tuple[str, int]]:
        """The document and the number of each segment of the table."""
        return [
            (own.document, segment)
            for own in self._layout.documents
            for segment in range(own.measurement.total)
        ]

    def _notes(self) -> Iterator[str]:
        info = self.explained[1]
        yield from self._opinion.limits
        if info.caution is not None:
            yield f"{info.name}: {info.caution}"
        if self.collection is None:
            yield "without the texts nothing is said of lengths, words and passages"
        elif self.collection.testset.digest() != self.explained[0].provenance.testset_digest:
            yield "the texts are not the ones that were scored: something was changed since"
        if self._layout.segment is None:
            yield f"{info.name} scores whole documents: its parts are documents, not segments"
        if self.people is not None:
            table = self.people.table
            if not _has_scores(table, table.metrics[0], self.systems):
                yield f"people ({self.people.judgements.kind}) did not judge both systems"
