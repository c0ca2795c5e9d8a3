"""From scores and texts to what the report holds."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isogloss.alignment import Aligner
from isogloss.arrays import Floats
from isogloss.comparison import (
    Appraiser,
    Comparison,
    Conclusion,
    PairTest,
    Standing,
    conclude,
    judged_table,
    ranked_by_all,
    scored_texts,
)
from isogloss.documents import Collection, TestSet, counted
from isogloss.judgements import Judgements
from isogloss.metaeval import pearson
from isogloss.notices import at_most_as_many
from isogloss.report.data import (
    VERSION,
    AgreementLevel,
    CampaignPart,
    DocumentPart,
    Documents,
    ExplanationPart,
    Facts,
    MetricAgreement,
    MetricView,
    ReportOverview,
    ReportVerdict,
    SegmentScores,
    System,
    SystemPair,
    SystemPlace,
    packed_scores,
)
from isogloss.report.evidence import (
    LayerSource,
    SideNumbers,
    alignment_layer,
    error_layer,
    layer_part,
    metric_layers,
    people_compared,
    people_of,
    segment_begins,
)
from isogloss.report.explained import Choice, explained_differences
from isogloss.scores import DocumentScore, ScoreTable, SystemScore
from isogloss.tables import decimals


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that goes into the file: what is read at once, and what later."""

    overview: ReportOverview
    segments: tuple[SegmentScores, ...]
    documents: tuple[DocumentPart, ...]
    explanations: tuple[ExplanationPart, ...] = ()

    def without_texts(self) -> "ReportData":
        """The same for somebody who may see how it went, but not what was translated."""
        campaign = self.overview.campaign
        told = replace(
            self.overview,
            layers=(),
            campaign=campaign and replace(campaign, disputes=()),
            explained=(),
        )
        documents = tuple(
            replace(part, texts=_hidden(part.texts), layers=(), labels=None)
            for part in self.documents
        )
        return ReportData(told, self.segments, documents)


_HIDDEN = "(text not shown)"


def _hidden(texts: Sequence[Sequence[str | None]]) -> tuple[tuple[str | None, ...], ...]:
    return tuple(tuple(text and _HIDDEN for text in sides) for sides in texts)


def report_data(
    collection: Collection,
    table: ScoreTable,
    comparisons: Sequence[Comparison],
    judgements: Judgements | None = None,
    aligner: Aligner | None = None,
    explain: Choice = "some",
    appraiser: Appraiser | None = None,
    campaign: CampaignPart | None = None,
) -> ReportData:
    """The report's data: scores, how systems compare, the texts, and what people said.

    The `appraiser` says how likely people prefer a system, where they did not judge; by default by
    the curves that come along. With an `aligner`, source and outputs are aligned so that the page
    can link their words. The differences of "some" pairs of systems are taken apart, of "all", or
    of "none". `campaign` is what stands behind judgements that come from one.
    """
    collection = scored_texts(collection, table, table.systems)
    scored = [_Scored(table, comparison) for comparison in comparisons]
    compared = None
    if judgements:
        human = judged_table(judgements, collection.testset, table)
        compared = people_compared(human, comparisons[0].settings)
        scored.insert(0, _Scored(human, compared, people=True))
    layers = [
        *metric_layers(table),
        *(error_layer(judgements) if judgements else ()),
        *(alignment_layer(collection, aligner) if aligner else ()),
    ]
    appraiser = appraiser or Appraiser.of(table)
    said = conclude(comparisons, compared, appraiser)
    verdict = _verdict(said, comparisons, table.systems)
    limits = (limit for limit in _limits(comparisons) if limit not in verdict.clauses)
    compared_all = comparisons if compared is None else (compared, *comparisons)
    order = [table.systems[system] for system in verdict.order]
    why = explained_differences(
        collection, table, compared_all, judgements, order, explain, appraiser
    )
    overview = ReportOverview(
        version=VERSION,
        facts=_facts(table, comparisons[0]),
        verdict=verdict,
        warnings=(*limits, *_warnings(collection, table)),
        systems=_systems(table, collection),
        documents=_documents(collection.testset),
        metrics=tuple(each.view(table.systems) for each in scored),
        layers=tuple(source.layer for source in layers),
        agreement=tuple(_agreement(scored, table.systems)),
        people=people_of(judgements, table, collection) if judgements else None,
        campaign=campaign,
        explained=why.pairs,
        unexplained=why.missing,
    )
    return ReportData(
        overview,
        tuple(_segment_scores(scored, table.systems)),
        tuple(_document_parts(collection, table, layers)),
        why.parts,
    )


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """What people said as scores, how systems compare by it, and what stands behind it."""

    table: ScoreTable
    comparison: Comparison
    campaign: CampaignPart
    judgements: Judgements | None = None


def judged_report(
    collection: Collection,
    judged: JudgedRanking,
    metrics: Sequence[tuple[ScoreTable, Comparison]] = (),
) -> ReportData:
    """The report of a campaign: people rank the systems, metrics stand beside them.

    The scores of people and metrics are of the same documents, which are those of the collection.
    """
    table, people = judged.table, judged.comparison
    collection = collection.with_systems(table.systems)
    scored = [_Scored(table, people, people=True), *(_Scored(*each) for each in metrics)]
    beside = [each for each, _ in metrics[:1]]  # of one file: several may lack each other's systems
    said = judged.judgements
    layers = [*(error_layer(said) if said else ())]
    verdict = _verdict(conclude([people]), [people], table.systems)
    limits = (limit for limit in _limits([people]) if limit not in verdict.clauses)
    overview = ReportOverview(
        version=VERSION,
        facts=_facts(table, people),
        verdict=verdict,
        warnings=(*limits, *judged.campaign.notes),
        systems=_systems(table, collection),
        documents=_documents(collection.testset),
        metrics=tuple(each.view(table.systems) for each in scored),
        layers=tuple(source.layer for source in layers),
        agreement=tuple(_agreement(scored, table.systems)),
        people=people_of(said, beside[0], collection) if said and beside else None,
        campaign=judged.campaign,
        explained=(),
        unexplained=None,
    )
    return ReportData(
        overview,
        tuple(_segment_scores(scored, table.systems)),
        tuple(_document_parts(collection, table, layers)),
    )


@dataclass(frozen=True, slots=True)
class _Scored:
    """One metric of a table, or people, with all that the report shows of it."""

    table: ScoreTable
    comparison: Comparison
    people: bool = False

    @property
    def name(self) -> str:
        return self.comparison.metric.name

    @property
    def digits(self) -> int:
        return decimals(standing.score for standing in self.comparison.standings)

    @property
    def has_segments(self) -> bool:
        return any(
            document.measurement.segment_scores is not None
            for row in self.table.of_metric(self.name)
            for document in row.documents
        )

    def view(self, systems: Sequence[str]) -> MetricView:
        info, number = self.comparison.metric, {name: i for i, name in enumerate(systems)}
        return MetricView(
            name=info.name,
            signature=info.signature,
            higher_is_better=info.higher_is_better,
            people=self.people,
            digits=self.digits,
            places=tuple(_place(number[s.system], s) for s in self.comparison.standings),
            pairs=tuple(_pair(number, test) for test in self.comparison.pairs),
            documents=packed_scores(self.documents(systems).ravel(), self.digits),
            # A digit less than a system's score: there are many, and none is that exact.
            segment_digits=self.digits - 1 if self.has_segments else None,
        )

    def documents(self, systems: Sequence[str]) -> Floats:
        """Scores of systems x documents, NaN where there is none."""
        return self._matrix(systems, lambda document: (document.score,))

    def segments(self, systems: Sequence[str]) -> Floats:
        """Scores of systems x segments, NaN where there is none."""
        return self._matrix(
            systems,
            lambda document: (
                document.measurement.segment_scores or (None,) * document.measurement.total
            ),
        )

    def _matrix(
        self, systems: Sequence[str], scores: Callable[[DocumentScore], Sequence[float | None]]
    ) -> Floats:
        by_name = {row.system: row for row in self.table.of_metric(self.name)}
        lines = [
            [score for document in by_name[system].documents for score in scores(document)]
            if system in by_name
            else []
            for system in systems
        ]
        matrix = np.full((len(lines), max(map(len, lines))), np.nan)
        for number, line in enumerate(lines):
            matrix[number, : len(line)] = np.array(line, dtype=np.float64)
        return matrix


def _place(system: int, standing: Standing) -> SystemPlace:
    low, high = standing.interval or (None, None)
    scored, total = standing.scored, standing.total
    return SystemPlace(system, standing.score, low, high, standing.cluster, scored, total)


def _pair(number: Mapping[str, int], test: PairTest) -> SystemPair:
    low, high = test.interval or (None, None)
    return SystemPair(
        number[test.first],
        number[test.second],
        test.difference,
        low,
        high,
        test.p,
        test.corrected_p,
        test.blocks,
    )


def _facts(table: ScoreTable, comparison: Comparison) -> Facts:
    provenance, settings = table.provenance, comparison.settings
    return Facts(
        testset=provenance.testset,
        source_language=provenance.source_language,
        target_language=provenance.target_language,
        references=provenance.references,
        digest=provenance.testset_digest,
        created=provenance.created,
        isogloss=provenance.isogloss,
        comparing=comparison.procedure,
        blocks=settings.blocks,
        confidence=settings.confidence,
        alpha=settings.alpha,
        corrected=settings.correction is not None,
    )


def _verdict(
    said: Conclusion | None, comparisons: Sequence[Comparison], systems: Sequence[str]
) -> ReportVerdict:
    number = {name: i for i, name in enumerate(systems)}
    scored = [each for each in comparisons if each.metric.not_scored is None] or comparisons
    order = tuple(number[name] for name in ranked_by_all(scored))
    if said is None:
        return ReportVerdict(None, (), order, ())
    first = said.first if len(said.first) < len(said.order) else ()
    return ReportVerdict(said.headline, said.clauses, order, tuple(number[name] for name in first))


def _limits(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """What no comparison here can decide."""
    return tuple(dict.fromkeys(limit for each in comparisons for limit in each.limits()))


def _warnings(collection: Collection, table: ScoreTable) -> Iterator[str]:
    """What a reader must know before trusting a number: the most serious first."""
    if collection.testset.digest() != table.provenance.testset_digest:
        yield (
            "the texts shown here are not exactly those that were scored: a text, a document id, "
            "a domain or a language of the test set has changed since; score it again"
        )
    for metric in table.metrics:
        if metric.not_scored is not None:
            yield f"{metric.name}: not scored: {metric.not_scored}"
        elif not _says_why(metric.name, table.provenance.notices):
            yield from _unscored(table.of_metric(metric.name))
        if metric.caution is not None:
            yield f"{metric.name}: {metric.caution}"
    yield from table.provenance.notices


def _says_why(metric: str, notices: Sequence[str]) -> bool:
    """Whether the metric itself remarked that it did not score all."""
    return any(notice.startswith(f"{metric}: not scored") for notice in notices)


def _unscored(rows: Sequence[SystemScore]) -> Iterator[str]:
    """One line for a metric that did not score all segments, however many systems there are."""
    lacking = [row for row in rows if row.scored < row.total]
    if not lacking:
        return
    worst = max(lacking, key=lambda row: row.total - row.scored)
    line = (
        f"{worst.metric}: {counted(worst.total - worst.scored, 'segment')} of {worst.total:,} "
        f"of {worst.system!r} not scored"
    )
    yield line + at_most_as_many(len(lacking) - 1)


def _systems(table: ScoreTable, collection: Collection) -> tuple[System, ...]:
    human = {row.system for row in table.rows if row.human}
    return tuple(System(o.name, o.name in human, o.cut_by) for o in collection.outputs)


def _documents(testset: TestSet) -> Documents:
    documents = testset.documents
    domains = list(dict.fromkeys(d.domain for d in documents if d.domain is not None))
    return Documents(
        ids=tuple(document.id for document in documents),
        domains=tuple(domains),
        domain=tuple(None if d.domain is None else domains.index(d.domain) for d in documents),
        segments=tuple(len(document) for document in documents),
        characters=tuple(sum(map(len, document.source)) for document in documents),
    )


def _agreement(scored: Sequence[_Scored], systems: Sequence[str]) -> Iterator[MetricAgreement]:
    """Pearson's r of every two metrics, at each level; turned so that higher is better."""
    turn = [1.0 if each.comparison.metric.higher_is_better else -1.0 for each in scored]
    levels: dict[AgreementLevel, list[Floats]] = {
        "system": [_system_scores(each, systems) for each in scored],
        "document": [each.documents(systems) for each in scored],
        "segment": [each.segments(systems) for each in scored],
    }
    for level, matrices in levels.items():
        turned = [sign * matrix for sign, matrix in zip(turn, matrices, strict=True)]
        square = [[_correlation(one, other) for other in turned] for one in turned]
        yield MetricAgreement(level, tuple(map(tuple, square)))


def _system_scores(scored: _Scored, systems: Sequence[str]) -> Floats:
    scores = {standing.system: standing.score for standing in scored.comparison.standings}
    return np.array([[scores.get(system)] for system in systems], dtype=np.float64)


def _correlation(one: Floats, other: Floats) -> float | None:
    both = ~(np.isnan(one) | np.isnan(other))
    return pearson(one[both][None, :], other[both][None, :]).value if both.any() else None


def _segment_scores(scored: Sequence[_Scored], systems: Sequence[str]) -> Iterator[SegmentScores]:
    for number, each in enumerate(scored):
        if each.has_segments:
            scores = packed_scores(each.segments(systems).ravel(), each.digits - 1)
            yield SegmentScores(number, scores)


def _document_parts(
    collection: Collection, table: ScoreTable, layers: Sequence[LayerSource]
) -> Iterator[DocumentPart]:
    sides = SideNumbers(collection.testset.reference_names, table.systems)
    for document in collection.testset.documents:
        outputs = [output.documents[document.id] for output in collection.outputs]
        columns = [document.source, *document.references.values(), *outputs]
        parts = [layer_part(i, source, document.id, sides) for i, source in enumerate(layers)]
        yield DocumentPart(
            tuple(zip(*columns, strict=True)),
            tuple(part for part in parts if part),
            tuple(segment_begins(output.cuts.get(document.id)) for output in collection.outputs),
            document.labels,
        )
