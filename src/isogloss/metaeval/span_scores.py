"""Do metrics mark the characters that people mark? Precision, recall and F1 of error spans.

As in WMT25's task on error spans (`get_char_f1` of its scorer): every mark counts for each of its
characters, so that a character marked twice counts twice. At a character the marks of both sides
are matched, those of equal severity first, for a full point each; then those of other severity, for
`credit` of a point (half of one). The points of all characters over all that people marked are the
recall, over all that the metric marked the precision. Where nobody marked anything, both are 1.
``any severity`` matches marks whatever their severity, for a full point.

Of a translation that several annotators read, each reading counts by itself.

What chance would do: the metric's marks are moved to random places of the same translations, as
many, as long and as severe as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.metaeval.error_spans import Mark, Marks, Texts, Unit
from isogloss.metaeval.intervals import Interval, interval_of
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.matrix import Value
from isogloss.metaeval.significance import bootstrap_significance

_ROW = {"major": 0, "minor": 1, None: 0}


@dataclass(frozen=True, slots=True)
class SpanSettings:
    """`credit` is for a mark of the wrong severity; `draws` move the marks to random places."""

    credit: float = 0.5
    draws: int = 200
    resamples: int = 10_000
    seed: int = 12345
    confidence: float = 0.95
    alpha: float = 0.05

    def __post_init__(self) -> None:
        if not 0 <= self.credit <= 1:
            raise InputError(f"the credit of a mark must lie between 0 and 1, not {self.credit}")
        if self.draws < 0 or self.resamples < 1:
            raise InputError("draws must be at least 0, resamples at least 1")
        for name in ("confidence", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")

    @property
    def resampling(self) -> Resampling:
        return Resampling(self.resamples, self.seed)


@dataclass(frozen=True, slots=True)
class SpanScore:
    """F1 with its interval over documents, precision and recall, and what chance would give.

    `p` is how often marks at random places reach this F1.
    """

    f1: Interval
    precision: float
    recall: float
    chance: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class SpanFinding:
    """One metric (or the annotators among themselves) against what people marked.

    `exact` is `None` for marks without severities. `lacking` readings of people are of translations
    that the metric has not read.
    """

    name: str
    exact: SpanScore | None
    any_severity: SpanScore
    readings: int
    lacking: int
    unplaced: int
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """All metrics, best first; the annotators among themselves, and pair by pair."""

    settings: SpanSettings
    findings: tuple[SpanFinding, ...]
    people: SpanFinding | None
    pairs: tuple[SpanFinding, ...]


def span_agreement(
    people: Marks, metrics: Sequence[Marks], texts: Texts, settings: SpanSettings | None = None
) -> SpanAgreement:
    """Set each metric's marks beside those of people, and people's beside each other's."""
    chosen = settings or SpanSettings()
    if not any(reading.marks for reading in people.readings):
        raise InputError(
            f"nobody marked a place in a translation ({people.name}); spans are compared with MQM "
            "or ESA annotations, not with scores alone"
        )
    documents = {
        name: n for n, name in enumerate(dict.fromkeys(r.unit[1] for r in people.readings))
    }
    compare = _Comparison(texts, documents, chosen)
    findings = [compare.metric(people, metric) for metric in metrics]
    among = list(compare.among(people))
    together = compare.together(people.name, among) if among else None
    pairs = tuple(compare.finding(f"{a} – {b}", [couple]) for (a, b), couple in among)
    ranked = _ranked(findings, len(documents), chosen)
    return SpanAgreement(chosen, ranked, together, pairs)


def _ranked(
    findings: Sequence[SpanFinding], documents: int, settings: SpanSettings
) -> tuple[SpanFinding, ...]:
    """Best first; ranks of those that state severities and have read all documents."""
    intervals = {f.name: f.exact.f1 for f in findings if f.exact and f.exact.f1.blocks == documents}
    tested = bootstrap_significance(intervals, settings.resampling)
    ranks = tested.ranks(settings.alpha) if tested else {}

    def key(finding: SpanFinding) -> tuple[bool, float]:
        score = finding.exact or finding.any_severity
        return finding.exact is None, -(score.f1.value.value or 0.0)

    return tuple(replace(f, rank=ranks.get(f.name)) for f in sorted(findings, key=key))


# --- characters ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Painted:
    """Marks as arrays: the reading each is of, from where to where, and its row of severity."""

    reading: Integers
    start: Integers
    size: Integers
    row: Integers

    @classmethod
    def of(cls, readings: Sequence[Sequence[Mark]]) -> "_Painted":
        cells = [
            (number, mark.start, mark.end - mark.start, _ROW[mark.severity])
            for number, marks in enumerate(readings)
            for mark in marks
        ]
        return cls(*np.array(cells, dtype=np.int64).reshape(-1, 4).T)


@dataclass(frozen=True, eq=False)
class Couple:
    """What two sides marked in the same translations, laid out as one row of characters."""

    lengths: Integers
    document: Integers
    gold: _Painted
    other: _Painted

    @classmethod
    def of(
        cls,
        readings: Sequence[tuple[Unit, Sequence[Mark], Sequence[Mark]]],
        texts: Texts,
        documents: Mapping[str, int],
    ) -> "Couple":
        """From units with the marks of both sides."""
        return cls(
            np.array([len(texts.of(unit) or "") for unit, _, _ in readings], dtype=np.int64),
            np.array([documents[unit[1]] for unit, _, _ in readings], dtype=np.int64),
            _Painted.of([gold for _, gold, _ in readings]),
            _Painted.of([other for _, _, other in readings]),
        )

    @cached_property
    def begins(self) -> Integers:
        """Where each text begins in the row, and where the last one ends."""
        return np.concatenate([[0], np.cumsum(self.lengths)])

    @cached_property
    def people(self) -> Integers:
        """How often each character was marked as major, and as minor (2 x characters)."""
        return self._counts(self.gold, self.gold.start)

    def _counts(self, marks: _Painted, start: Integers) -> Integers:
        first = self.begins[marks.reading] + start
        steps = np.zeros((2, self.begins[-1] + 1), dtype=np.int64)
        np.add.at(steps, (marks.row, first), 1)
        np.add.at(steps, (marks.row, first + marks.size), -1)
        return np.cumsum(steps, axis=1)[:, :-1]

    def points(self, credit: float, start: Integers | None = None) -> Floats:
        """The points of each character; the other side's marks may begin somewhere else."""
        gold = self.people
        other = self._counts(self.other, self.other.start if start is None else start)
        matched = np.minimum(gold, other).sum(axis=0)
        either = np.minimum(gold.sum(axis=0), other.sum(axis=0))
        return np.asarray(matched + credit * (either - matched))

    def sums(self, credit: float, documents: int) -> Floats:
        """documents x (points, what people marked, what the other side marked)."""
        running = np.concatenate([[0.0], np.cumsum(self.points(credit))])
        points = running[self.begins[1:]] - running[self.begins[:-1]]
        columns = [
            np.bincount(self.document, points, documents),
            *(
                np.bincount(self.document[side.reading], side.size, documents)
                for side in (self.gold, self.other)
            ),
        ]
        return np.stack(columns, axis=1)

    def random_points(self, credit: float, rng: np.random.Generator) -> float:
        """All points, with the other side's marks at random places of their texts."""
        room = self.lengths[self.other.reading] - self.other.size + 1
        start = (rng.random(len(room)) * room).astype(np.int64)
        return float(self.points(credit, start).sum())


def f1_rows(sums: Floats) -> Floats:
    """F1 from rows of points, what people marked and what the other side marked."""
    precision, recall = _shares(sums)
    total = precision + recall
    return np.divide(2 * precision * recall, total, out=np.zeros(len(total)), where=total > 0)


def _shares(sums: Floats) -> tuple[Floats, Floats]:
    """Precision and recall, 1 where nothing was marked."""
    points, gold, other = sums.T
    precision, recall = (
        np.divide(points, marked, out=np.ones(len(points)), where=marked > 0)
        for marked in (other, gold)
    )
    return precision, recall


# --- comparisons ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Couples to findings, over the same documents in all of them."""

    texts: Texts
    documents: Mapping[str, int]
    settings: SpanSettings

    def metric(self, people: Marks, metric: Marks) -> SpanFinding:
        marked = metric.by_unit
        common = [(r.unit, r.marks, marked[r.unit]) for r in people.readings if r.unit in marked]
        if not common:
            raise InputError(f"{metric.name} marked no translation that people read")
        found = self.finding(
            metric.name,
            [Couple.of(common, self.texts, self.documents)],
            severe=metric.has_severities,
        )
        lacking = len(people.readings) - len(common)
        return replace(found, lacking=lacking, unplaced=metric.unplaced)

    def among(self, people: Marks) -> list[tuple[tuple[str, str], Couple]]:
        """Every two annotators who read the same translation."""
        found = []
        by_reader = {name: marks.by_unit for name, marks in people.by_reader().items()}
        for (first, one), (second, other) in combinations(by_reader.items(), 2):
            common = [(unit, marks, other[unit]) for unit, marks in one.items() if unit in other]
            if common:
                couple = Couple.of(common, self.texts, self.documents)
                found.append(((first, second), couple))
        return found

    def together(self, name: str, among: Sequence[tuple[tuple[str, str], Couple]]) -> SpanFinding:
        return self.finding(name, [couple for _, couple in among])

    def finding(self, name: str, couples: Sequence[Couple], *, severe: bool = True) -> SpanFinding:
        exact = self._score(couples, self.settings.credit) if severe else None
        readings = sum(len(couple.lengths) for couple in couples)
        return SpanFinding(name, exact, self._score(couples, 1.0), readings, 0, 0)

    def _score(self, couples: Sequence[Couple], credit: float) -> SpanScore:
        settings, count = self.settings, len(self.documents)
        read = np.unique(np.concatenate([couple.document for couple in couples]))
        sums = np.sum([couple.sums(credit, count) for couple in couples], axis=0)[read]
        total = sums.sum(axis=0)
        value = float(f1_rows(total[None])[0])
        interval = interval_of(
            Value(value, int(total[1])),
            f1_rows(total - sums) if len(read) > 1 else np.zeros(0),
            settings.resampling,
            settings.confidence,
            (0.0, 1.0),
        )
        precision, recall = (float(share[0]) for share in _shares(total[None]))
        drawn = self._by_chance(couples, credit, total)
        hits = int(np.count_nonzero(drawn >= value))
        chance = float(drawn.mean()) if len(drawn) else None
        p = (hits + 1) / (len(drawn) + 1) if len(drawn) else None
        return SpanScore(interval, precision, recall, chance, p)

    def _by_chance(self, couples: Sequence[Couple], credit: float, total: Floats) -> Floats:
        """F1 in each draw."""
        rng = np.random.default_rng(self.settings.seed)
        points = [
            sum(couple.random_points(credit, rng) for couple in couples)
            for _ in range(self.settings.draws)
        ]
        marked = np.broadcast_to(total[1:], (len(points), 2))
        return f1_rows(np.column_stack([points, marked]).reshape(-1, 3))
