"""Does a metric prefer what people prefer? Choices between two translations of a passage.

People chose between two systems' translations of a document, or of some of its segments, or found
neither better. A metric prefers the one with the higher score (of a passage: the mean of its
segments), by some difference d.

* accuracy: of the choices for one of the two, how many are those of the metric; where it scores
  both alike, half a choice.
* with ties: of all choices, how many does the metric foresee if differences up to a threshold are
  ties. The threshold is the best one on the other documents.
* Brier: how far off are probabilities, (p - outcome)² on average; a coin has 0.25, ties count as
  half a win. p = 1 / (1 + exp(-b d)), with the slope b fitted to the other documents.

So every number that was fitted is judged on documents that it has not seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.judgements import Choice, Choices
from isogloss.metaeval.intervals import Interval, interval_of
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.matrix import Value
from isogloss.metaeval.significance import bootstrap_significance
from isogloss.scores import DocumentScore, ScoreTable

COIN = 0.25
"""The Brier score of who always says 1/2."""

_FOLDS = 20
_STEPS = 50
_PRIOR = 0.01  # of the squared slope, for differences of size 1: choices may all be foreseen
_BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True)
class PreferenceSettings:
    """How intervals and ranks are made; `own` takes a metric's own scores of whole documents."""

    own: bool = False
    resamples: int = 10_000
    seed: int = 12345
    confidence: float = 0.95
    alpha: float = 0.05

    @property
    def resampling(self) -> Resampling:
        return Resampling(self.resamples, self.seed)


@dataclass(frozen=True, slots=True)
class Reliability:
    """Choices foreseen with probabilities between `low` and `high` (of the likelier side).

    `said` is their mean probability, `found` the share that people chose, ties halved.
    """

    low: float
    high: float
    choices: int
    said: float
    found: float


@dataclass(frozen=True, slots=True)
class PreferenceFinding:
    """A metric's preferences beside those of people.

    `lacking` choices are between translations that the metric has not scored. `ties_alone` is what
    a metric gets with ties that prefers nothing.
    """

    name: str
    accuracy: Interval
    with_ties: Interval
    ties_alone: float | None
    brier: Interval
    reliability: tuple[Reliability, ...]
    lacking: int = 0
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class PreferenceAgreement:
    """All metrics, best first; `people` is how often annotators choose alike, ties halved."""

    findings: tuple[PreferenceFinding, ...]
    people: Interval | None


@dataclass(frozen=True, slots=True, eq=False)
class _Foreseen:
    """Choices as numbers: 1 for the first, 0 for the second, 1/2 for neither; d of a metric."""

    outcome: Floats
    difference: Floats
    document: Integers

    @property
    def folds(self) -> Integers:
        """Which documents are left out together: each alone, or as many lots as can be."""
        return self.document % min(_FOLDS, int(self.document.max(initial=0)) + 1)


def preference_agreement(
    choices: Choices, tables: Sequence[ScoreTable], settings: PreferenceSettings | None = None
) -> PreferenceAgreement:
    """Set each metric's preferences beside people's, and people's beside each other's."""
    chosen = settings or PreferenceSettings()
    documents = {name: n for n, name in enumerate(dict.fromkeys(c.document for c in choices.items))}
    findings = []
    for table in tables:
        for metric in table.metrics:
            scored = _scores_of(table, metric.name)
            if scored:
                turn = 1.0 if metric.higher_is_better else -1.0
                pairs = _pairs(choices, scored, documents, turn, own=chosen.own)
                findings.append(_finding(metric.name, choices, pairs, len(documents), chosen))
    return PreferenceAgreement(_ranked(findings, chosen), _among(choices, documents, chosen))


def _ranked(
    findings: Sequence[PreferenceFinding], settings: PreferenceSettings
) -> tuple[PreferenceFinding, ...]:
    """Best first by accuracy; ranks of those that have scored all choices."""
    whole = {f.name: f.accuracy for f in findings if not f.lacking}
    tested = bootstrap_significance(whole, settings.resampling)
    ranks = tested.ranks(settings.alpha) if tested else {}
    ordered = sorted(findings, key=lambda f: -(f.accuracy.value.value or 0.0))
    return tuple(replace(f, rank=ranks.get(f.name)) for f in ordered)


# --- differences ---------------------------------------------------------------------------------

_Scores = Mapping[tuple[str, str], DocumentScore]


def _scores_of(table: ScoreTable, metric: str) -> _Scores:
    return {
        (row.system, document.document): document
        for row in table.rows
        if row.metric == metric
        for document in row.documents
    }


def _pairs(
    choices: Choices, scored: _Scores, documents: Mapping[str, int], turn: float, *, own: bool
) -> _Foreseen:
    """The choices between what the metric has scored."""
    rows = []
    for choice in choices.items:
        sides = [
            _score(scored.get((name, choice.document)), choice, own=own) for name in choice.systems
        ]
        if sides[0] is not None and sides[1] is not None:
            ahead = turn * (sides[0] - sides[1])
            rows.append((_outcome(choice), ahead, documents[choice.document]))
    outcome, difference, document = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return _Foreseen(outcome, difference, document.astype(np.int64))


def _outcome(choice: Choice) -> float:
    if choice.preferred is None:
        return 0.5
    return float(choice.preferred == choice.first)


def _score(document: DocumentScore | None, choice: Choice, *, own: bool) -> float | None:
    """The score of a passage: of a whole document perhaps the metric's own."""
    if document is None:
        return None
    scores = document.measurement.segment_scores
    if choice.segments is None and (own or scores is None):
        return document.score
    if scores is None:
        return None
    shown = slice(*choice.segments) if choice.segments else slice(None)
    known = [score for score in scores[shown] if score is not None]
    return float(np.mean(known)) if known else None


# --- statistics ----------------------------------------------------------------------------------


def _finding(
    name: str,
    choices: Choices,
    pairs: _Foreseen,
    documents: int,
    settings: PreferenceSettings,
) -> PreferenceFinding:
    if not len(pairs.outcome):
        raise InputError(f"{name} has no scores of the translations that people compared")
    decided = pairs.outcome != 0.5
    right = _right(pairs.difference, pairs.outcome)
    foreseen = _with_ties(pairs)
    likely = _probabilities(pairs)
    off = (likely - pairs.outcome) ** 2

    def interval(values: Floats, counted: Floats, reason: str) -> Interval:
        return _mean(values, counted, pairs.document, documents, settings, reason)

    unseen = "all choices are of one document; nothing was left out to fit on"
    return PreferenceFinding(
        name,
        interval(right, decided, "people prefer neither in every choice"),
        interval(foreseen, ~np.isnan(foreseen), unseen),
        float(1 - decided.mean()),
        interval(off, ~np.isnan(off), unseen),
        tuple(_reliability(likely, pairs.outcome)),
        len(choices.items) - len(pairs.outcome),
    )


def _right(difference: Floats, outcome: Floats) -> Floats:
    """1 where the metric prefers what people do, 1/2 where it prefers nothing."""
    return np.asarray((1 + np.sign(difference) * np.sign(outcome - 0.5)) / 2)


def _with_ties(pairs: _Foreseen) -> Floats:
    """1 where the metric foresees the choice, a tie among them; NaN where nothing was left out."""
    found = np.full(len(pairs.outcome), np.nan)
    for fold in np.unique(pairs.folds):
        here = pairs.folds == fold
        if not here.all():
            threshold = _threshold(pairs.difference[~here], pairs.outcome[~here])
            found[here] = _foreseen(pairs.difference[here], pairs.outcome[here], threshold)
    return found


def _foreseen(difference: Floats, outcome: Floats, threshold: float) -> Floats:
    said = np.where(np.abs(difference) <= threshold, 0.0, np.sign(difference))
    return np.asarray(said == np.sign(outcome - 0.5), dtype=np.float64)


def _threshold(difference: Floats, outcome: Floats) -> float:
    """The smallest one, 0 or the size of a difference, that foresees the most choices."""
    sizes = np.abs(difference)
    order = np.argsort(sizes, kind="stable")
    tied = (outcome == 0.5)[order].astype(np.float64)
    lost = (np.sign(difference) == np.sign(outcome - 0.5))[order] & (tied == 0)
    gain = np.cumsum(tied - lost)
    last = np.append(np.diff(sizes[order]) > 0, True)  # equal sizes move together
    best = int(np.argmax(np.where(last, gain, -np.inf)))
    zero = float(tied[sizes[order] == 0].sum())
    return float(sizes[order][best]) if gain[best] > zero else 0.0


def _probabilities(pairs: _Foreseen) -> Floats:
    """How likely the first is preferred, by a slope fitted to other documents; NaN without any."""
    found = np.full(len(pairs.outcome), np.nan)
    for fold in np.unique(pairs.folds):
        here = pairs.folds == fold
        if not here.all():
            slope = _slope(pairs.difference[~here], pairs.outcome[~here])
            found[here] = 1 / (1 + np.exp(-np.clip(slope * pairs.difference[here], -500, 500)))
    return found


def _slope(difference: Floats, outcome: Floats) -> float:
    """The slope of greatest likelihood, held back a little where it would have no end."""
    size = float(np.sqrt(np.mean(difference**2)))
    if size == 0:
        return 0.0
    d, slope = difference / size, 0.0
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(slope * d, -500, 500)))
        steepness = float(np.sum(p * (1 - p) * d**2)) + _PRIOR
        step = (float(np.sum((outcome - p) * d)) - _PRIOR * slope) / steepness
        slope += float(np.clip(step, -1.0, 1.0))
        if abs(step) < 1e-10:
            break
    return slope / size


def _reliability(likely: Floats, outcome: Floats) -> list[Reliability]:
    """What is said of the likelier side, in steps of a tenth, beside what people chose."""
    known = ~np.isnan(likely)
    turned = likely[known] < 0.5
    said = np.where(turned, 1 - likely[known], likely[known])
    found = np.where(turned, 1 - outcome[known], outcome[known])
    step = np.minimum((said - 0.5) * 10 + 1e-9, len(_BINS) - 2).astype(np.int64)
    return [
        Reliability(
            _BINS[n],
            _BINS[n + 1],
            int(np.count_nonzero(here)),
            float(said[here].mean()),
            float(found[here].mean()),
        )
        for n in range(len(_BINS) - 1)
        if (here := step == n).any()
    ]


def _mean(
    values: Floats,
    counted: Floats,
    document: Integers,
    documents: int,
    settings: PreferenceSettings,
    reason: str,
) -> Interval:
    """The mean of the values that count, with its interval over documents."""
    kept = counted > 0
    sums = np.bincount(document[kept], values[kept], documents)
    counts = np.bincount(document[kept], minlength=documents).astype(np.float64)
    total, number = float(sums.sum()), float(counts.sum())
    if not number:
        return Interval(Value(None, 0, reason=reason), None, None, 0, settings.confidence)
    left_out = np.zeros(0)
    judged = counts > 0
    if np.count_nonzero(judged) > 1:
        left_out = (total - sums[judged]) / (number - counts[judged])
    return interval_of(
        Value(total / number, int(number)),
        left_out,
        settings.resampling,
        settings.confidence,
        (0.0, 1.0),
    )


def _among(
    choices: Choices, documents: Mapping[str, int], settings: PreferenceSettings
) -> Interval | None:
    """How often two annotators of the same pair choose alike, where the first chose one."""
    rows = []
    ordered = sorted(choices.items, key=_passage)
    for _, group in groupby(ordered, key=_passage):
        same = list(group)
        for one in same:
            for other in same:
                if one is not other and one.preferred is not None:
                    alike = 0.5 if other.preferred is None else other.preferred == one.preferred
                    rows.append((float(alike), documents[one.document]))
    if not rows:
        return None
    alike, document = np.array(rows).T
    whole = np.ones(len(alike))
    return _mean(alike, whole, document.astype(np.int64), len(documents), settings, "")


def _passage(choice: Choice) -> tuple[str, tuple[int, int], tuple[str, ...]]:
    """What was compared, whichever of the two was shown first."""
    return choice.document, choice.segments or (-1, -1), tuple(sorted(choice.systems))
