"""From scores, texts and judgements to an explanation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from isogloss.comparison import (
    Appraiser,
    Comparison,
    ComparisonSettings,
    compare,
    judged_table,
    scored_texts,
)
from isogloss.documents import Collection
from isogloss.errors import InputError, NotApplicableError
from isogloss.explanation.decomposition import Decomposition
from isogloss.explanation.pair import PairMaterial, PeopleSaid, ScoredMetric
from isogloss.explanation.result import Explanation
from isogloss.explanation.texts import TextReadings
from isogloss.judgements import Judgements
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
    appraiser: Appraiser | None = None,
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
        appraiser: tells how likely people prefer a system; by default by the curves that come
            with isogloss.

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
    given = (tables,) if isinstance(tables, ScoreTable) else tuple(tables)
    explainer = Explainer(
        given, (first, second), collection, judgements, settings, appraiser=appraiser
    )
    return explainer.pair(first, second).explain(metric)


@dataclass(frozen=True, eq=False)
class Explainer:
    """Explains pairs of some systems; what two pairs have in common is looked at once.

    Comparisons that were made already, with the same settings, are not made again.
    """

    tables: Sequence[ScoreTable]
    systems: Sequence[str]
    collection: Collection | None = None
    judgements: Judgements | None = None
    settings: ComparisonSettings | None = None
    comparisons: Sequence[Comparison] = ()
    appraiser: Appraiser | None = None

    def pair(self, first: str, second: str) -> "PairExplainer":
        """All that can be explained of two systems."""
        _refuse_strangers(self.tables, first, second)
        scored = tuple(
            ScoredMetric(table, self._compared(table, info, first, second))
            for table in self._all_tables
            for info in table.metrics
            if _has_scores(table, info, (first, second))
        )
        names = tuple(info.name for table in self._all_tables for info in table.metrics)
        material = PairMaterial(
            self.tables,
            (first, second),
            self._readings,
            self._people,
            self._settings,
            scored,
            self.appraiser or Appraiser.of(self.tables[0]),
        )
        return PairExplainer(material, names)

    @property
    def _settings(self) -> ComparisonSettings:
        return replace(self.settings or ComparisonSettings(), blocks="documents")

    @cached_property
    def _texts(self) -> Collection | None:
        if self.collection is None:
            return None
        return scored_texts(self.collection, self.tables[0], self.systems)

    @cached_property
    def _readings(self) -> TextReadings | None:
        return None if self._texts is None else TextReadings(self._texts)

    @cached_property
    def _people(self) -> PeopleSaid | None:
        if self.judgements is None:
            return None
        if self._texts is None:
            raise InputError("judgements are about texts; give the collection, too")
        names = {info.name for table in self.tables for info in table.metrics}
        judgements = self.judgements
        if judgements.kind in names:  # a metric may well be called as what it predicts
            judgements = replace(judgements, kind=f"human-{judgements.kind}")
        table = judged_table(judgements, self._texts.testset, self.tables[0])
        return PeopleSaid(judgements, table)

    @cached_property
    def _all_tables(self) -> tuple[ScoreTable, ...]:
        return (*self.tables, *([] if self._people is None else [self._people.table]))

    def _compared(self, table: ScoreTable, info: MetricInfo, first: str, second: str) -> Comparison:
        for known in self.comparisons:
            alike = replace(known.settings, correction=self._settings.correction)
            if known.metric == info and alike == self._settings:
                return known.of_pair(first, second)
        rows = tuple(table[info.name, system] for system in (first, second))
        (made,) = compare(replace(table, metrics=(info,), rows=rows), settings=self._settings)
        return made


@dataclass(frozen=True, eq=False)
class PairExplainer:
    """Two systems, ready to be explained under any metric that scored both."""

    _material: PairMaterial
    _known: Sequence[str]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics whose difference can be taken apart, people last."""
        return tuple(each.info.name for each in self._material.scored)

    def explain(self, metric: str | None = None) -> Explanation:
        """Under one metric, the first by default."""
        return Decomposition(self._material, self._chosen(metric)).explanation()

    def _chosen(self, metric: str | None) -> ScoredMetric:
        for each in self._material.scored:
            if metric in (None, each.info.name):
                return each
        names = ", ".join(self._known)
        if metric is None:
            raise NotApplicableError(f"no metric scored both systems; there are: {names}")
        if metric in self._known:
            raise NotApplicableError(f"{metric} did not score both systems")
        raise InputError(f"there are no scores of metric {metric!r}; there are: {names}")


def _refuse_strangers(tables: Sequence[ScoreTable], first: str, second: str) -> None:
    if first == second:
        raise InputError(f"{first!r} is compared with itself; name two systems")
    known = tables[0].systems
    for system in (first, second):
        if system not in known:
            raise InputError(f"there are no scores of {system!r}; there are: {', '.join(known)}")


def _has_scores(table: ScoreTable, info: MetricInfo, systems: tuple[str, str]) -> bool:
    """Whether there is something in which both systems can be compared."""
    rows = [row for row in table.of_metric(info.name) if row.system in systems]
    return len(rows) == len(systems) and all(row.scored for row in rows)
