"""The difference of two systems under one metric, taken apart."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from isogloss.arrays import Floats
from isogloss.comparison import Units
from isogloss.explanation import partitions
from isogloss.explanation.attribution import Attribution
from isogloss.explanation.disagreement import MetricOpinion, disputes, opinions_found
from isogloss.explanation.mistakes import CONTENT, ORDER, SAME, WORDING, error_classes
from isogloss.explanation.pair import PairMaterial, ScoredMetric
from isogloss.explanation.paragraph import clauses
from isogloss.explanation.passages import PassageCandidate, chosen, marks
from isogloss.explanation.result import (
    Explanation,
    Findings,
    TellingPassage,
    Unit,
    View,
    Weighed,
    claim_level,
)
from isogloss.metaeval import Worth
from isogloss.metrics import formula_of


@dataclass(frozen=True, eq=False)
class Decomposition:
    """One metric on two systems: the parts of the difference, and what may be claimed of them."""

    pair: PairMaterial
    metric: ScoredMetric

    def explanation(self) -> Explanation:
        """Everything found, what may be claimed of it, and that in words."""
        found = self._findings()
        level, tests = claim_level(found, self.pair.settings.alpha)
        opinion = self._opinion
        unit: Unit = "document" if self._layout.segment is None else "segment"
        explanation = Explanation(
            self.metric.info,
            *self.pair.systems,
            *opinion.scores,
            opinion.test,
            self._attribution.remainder,
            unit,
            self._weighed,
            found,
            self.pair.settings,
            level,
            tests,
            self._worth,
            self._silence,
        )
        return replace(explanation, clauses=clauses(explanation))

    @property
    def _worth(self) -> Worth | None:
        """How likely people prefer the first; where they did judge, nobody has to guess."""
        pair = self.pair
        if pair.people is not None:
            return None
        comparisons = [each.comparison for each in pair.scored]
        return pair.appraiser.under(self.metric.comparison, comparisons, *pair.systems)

    @property
    def _silence(self) -> str | None:
        """Why that is not said, where nobody judged and curves are no good for the languages."""
        pair = self.pair
        if pair.people is not None:
            return None
        return pair.appraiser.silence([self.metric.comparison])

    @property
    def _weighed(self) -> Weighed:
        if not self._attribution.weighs_all_alike:
            return "text"
        return "documents" if self._layout.segment is None else "segments"

    def _findings(self) -> Findings:
        info = self.metric.info
        others = [each for each in self.pair.opinions if each.info.name != info.name]
        found = Findings(
            documents=partitions.by_document(
                self._attribution, self._layout.documents, info.higher_is_better
            ),
            views=self._views(),
            marks=self.pair.marks_found,
            metrics=opinions_found(self._opinion, others),
            disputes=disputes(self._opinion, others, self._places),
            notes=tuple(self._notes()),
        )
        return found if self.pair.readings is None else self._with_texts(found)

    def _with_texts(self, found: Findings) -> Findings:
        pair = self.pair
        return replace(
            found,
            words=pair.word_classes,
            errors=error_classes(pair.mistakes, pair.error_differences, self._carried),
            terms=pair.terms,
            chains=pair.chains,
            ngrams=pair.ngrams,
            passages=tuple(self._passages()),
        )

    @cached_property
    def _opinion(self) -> MetricOpinion:
        name = self.metric.info.name
        return next(each for each in self.pair.opinions if each.info.name == name)

    # --- the difference and its parts -------------------------------------------------------------

    @cached_property
    def _attribution(self) -> Attribution:
        table, info = self.metric.table, self.metric.info
        rows = [table[info.name, system] for system in self.pair.systems]
        first, second = (Units.of(row, "documents") for row in rows)
        return Attribution.of(formula_of(table, info), first, second)

    @cached_property
    def _layout(self) -> partitions.Layout:
        row = self.metric.table[self.metric.info.name, self.pair.systems[0]]
        return partitions.Layout.of(self._attribution, row.documents)

    def _views(self) -> tuple[View, ...]:
        divisions = list(self._divisions())
        return partitions.views(divisions, self._attribution, self.pair.settings)

    def _divisions(self) -> Iterator[partitions.Partition]:
        layout, has_texts = self._layout, self.pair.readings is not None
        if domains := layout.domains():
            yield partitions.Partition("domain", domains, list(dict.fromkeys(domains)))
        if has_texts:
            labels, order = self._lengths
            if len(order) > 1:
                yield partitions.Partition("length", labels, order)
        positions = layout.positions()
        if positions and len(set(positions)) > 1:
            yield partitions.Partition("position", positions, partitions.POSITIONS)
        if has_texts and layout.segment is not None:
            kinds = [self.pair.kinds[unit] for unit in self._attribution.unit]
            yield partitions.Partition("kind", kinds, (*ORDER, CONTENT, WORDING, SAME))

    # --- texts ------------------------------------------------------------------------------------

    @cached_property
    def _lengths(self) -> tuple[list[str], list[str]]:
        """The bin of each unit's source (or reference, where there is no source) in words."""
        texts = self.pair.texts
        has_source = texts.readings.has_source
        sizes = np.array(
            [len(s.given.source if has_source else s.given.reference) for s in texts.segments],
            dtype=np.float64,
        )
        if self._layout.segment is None:
            summed = np.bincount(self.pair.document_of_segment, weights=sizes)
            sizes = summed.astype(np.float64)
        return partitions.length_bins([int(sizes[unit]) for unit in self._attribution.unit])

    @property
    def _carried(self) -> Floats | None:
        """What every segment of the test set carries; `None` where that is not known."""
        if self._layout.segment is None:
            return None
        carried = np.zeros(len(self.pair.texts.segments))
        carried[self._attribution.unit] = self._attribution.carried
        return carried

    def _passages(self) -> Iterator[TellingPassage]:
        layout, carried = self._layout, self._attribution.carried
        if layout.segment is None:
            return
        texts, scores = self.pair.texts, self._segment_scores
        documents = self.pair.collection.testset.documents
        for each in chosen(self._candidates()):
            segment, unit = int(layout.segment[each.unit]), self._attribution.unit[each.unit]
            own = documents[layout.document[each.unit]]
            yield TellingPassage(
                own.id,
                segment,
                own.domain,
                each.kind,
                *texts.raw(own, segment),
                scores[0][unit],
                scores[1][unit],
                float(carried[each.unit]),
                *marks(texts.segments[unit], texts.readings.of_target),
            )

    def _candidates(self) -> list[PassageCandidate]:
        attribution = self._attribution
        sign = 1.0 if self.metric.info.higher_is_better else -1.0
        bins, _ = self._lengths
        documents = self.pair.collection.testset.documents
        found = []
        for at, unit in enumerate(attribution.unit):
            own = documents[self._layout.document[at]]
            carries = float(sign * attribution.carried[at])
            found.append(
                PassageCandidate(at, carries, own.id, own.domain, self.pair.kinds[unit], bins[at])
            )
        return found

    @cached_property
    def _segment_scores(self) -> list[list[float | None]]:
        table, info = self.metric.table, self.metric.info
        rows = [table[info.name, system].documents for system in self.pair.systems]
        return [[score for own in row for score in own.segment_scores] for row in rows]

    @property
    def _places(self) -> list[tuple[str, int]]:
        """The document and the number of each segment of the table."""
        return [
            (own.document, segment)
            for own in self._layout.documents
            for segment in range(own.measurement.total)
        ]

    # --- what to know -----------------------------------------------------------------------------

    def _notes(self) -> Iterator[str]:
        info, people = self.metric.info, self.pair.people
        yield from self._opinion.limits
        if info.caution is not None:
            yield f"{info.name}: {info.caution}"
        yield from self._notes_on_texts()
        if self._layout.segment is None:
            yield f"{info.name} scores whole documents: its parts are documents, not segments"
        if people is not None and not any(opinion.people for opinion in self.pair.opinions):
            yield f"people ({people.judgements.kind}) did not judge both systems"

    def _notes_on_texts(self) -> Iterator[str]:
        if self.pair.readings is None:
            yield "without the texts nothing is said of lengths, words and passages"
        elif self.pair.text_digest != self.metric.table.provenance.testset_digest:
            yield "the texts are not the ones that were scored: something was changed since"
