"""The gate: whether new scores are no more than so much worse than a baseline's.

A test of non-inferiority. Its null is that the true loss is as large as what is allowed, or larger;
a gate opens where that can be refused, not where nothing was found. Each document has one value,
by the jackknife, whose mean is the difference of the scores. Shifted by what is allowed, as many of
them should lie on either side of 0 if the null holds: every way of turning their signs round is
looked at (Fisher 1935), which is the same as the means of every subset of them (Hartigan 1969), and
those give the bound of the loss as well. docs/gate.md tells how often it errs.

Several metrics and systems need no correction: the gate opens only if all of them pass.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite

import numpy as np

from isogloss.arrays import Floats
from isogloss.comparison.ranking import Units
from isogloss.documents import counted
from isogloss.errors import InputError, MetricNameError
from isogloss.formula import Formula
from isogloss.metrics import formula_of
from isogloss.scores import MetricInfo, ScoreTable, SystemScore
from isogloss.signature import Signature
from isogloss.verdicts import Swaps, jackknife_values


class GateVerdict(StrEnum):
    """What a check found."""

    UNCHANGED = "unchanged"  # the same score on every document
    HELD = "held"  # a loss as large as allowed is refused
    UNSURE = "unsure"  # it is neither refused nor seen
    FALLEN = "fallen"  # the score lost more than is allowed
    INCOMPLETE = "incomplete"  # there is no score for what the baseline has one for


_PASSED = (GateVerdict.UNCHANGED, GateVerdict.HELD)


@dataclass(frozen=True, slots=True)
class GateSettings:
    """How the test is made; up to 16 documents it is exact, and draws nothing."""

    alpha: float = 0.05
    draws: int = 10_000
    seed: int = 12345

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if self.draws < 1:
            raise InputError(f"at least one draw is needed, not {self.draws}")

    @property
    def documents_needed(self) -> int:
        """With fewer no change, however good, can be shown to hold."""
        return next(n for n in range(1, 100) if 0.5**n <= self.alpha)


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One system under one metric, new against old.

    `gain` is how much better the new score is, whichever way the metric runs: below 0 is a loss.
    `bound` is what the gain is at least, with confidence 1 - alpha; `p` is that of the test.
    Both are `None` where nothing can be said.
    """

    metric: MetricInfo
    system: str
    baseline: str
    new: float | None
    old: float | None
    max_drop: float
    documents: int
    verdict: GateVerdict
    gain: float | None = None
    bound: float | None = None
    p: float | None = None
    reason: str = ""

    @property
    def passed(self) -> bool:
        return self.verdict in _PASSED


@dataclass(frozen=True, slots=True)
class Gate:
    """Every check of one gate; it opens if all of them pass."""

    checks: tuple[GateCheck, ...]
    settings: GateSettings
    unchecked: tuple[str, ...] = ()  # systems that the baseline does not have

    @property
    def passed(self) -> bool:
        return all(check.passed for check in self.checks)


def check(
    table: ScoreTable,
    baseline: ScoreTable,
    max_drop: Mapping[str, float],
    *,
    systems: Mapping[str, str] | None = None,
    settings: GateSettings | None = None,
) -> Gate:
    """Check that new scores are no more than so much worse than those of a baseline.

    Args:
        table: the new scores.
        baseline: those to hold, on the same test set under the same signatures.
        max_drop: the metrics that are checked, each with the loss that is allowed, in its points.
        systems: new systems and those of the baseline they are held against; by default those of
            the same name, or the only one against the only one.
        settings: the level, and how many draws are made with more than 16 documents.

    Returns:
        A check for every system under every metric; `Gate.passed` says whether all hold.

    Raises:
        InputError: test sets or signatures differ, or there is nothing to check.

    Example:
        >>> import isogloss
        >>> table = isogloss.evaluate(isogloss.load_sample("cs-en"), "chrf")
        >>> gate = isogloss.check(table, table, {"chrf": 1}, systems={"shifting": "steady"})
        >>> gate.passed, gate.checks[0].verdict.value
        (False, 'fallen')
    """
    settings = settings or GateSettings()
    _refuse_other_tests(table, baseline)
    _refuse_odd_drops(max_drop)
    pairs = _pairs(table, baseline, systems)
    checks = [
        _check(table[name, new], baseline[name, old], info, formula_of(table, info), drop, settings)
        for name, drop in max_drop.items()
        for info in [_same_metric(table, baseline, name)]
        for new, old in pairs.items()
    ]
    asked = set(systems or pairs)
    rest = () if systems else tuple(name for name in table.systems if name not in asked)
    return Gate(tuple(checks), settings, rest)


def _refuse_other_tests(table: ScoreTable, baseline: ScoreTable) -> None:
    new, old = table.provenance, baseline.provenance
    if new.testset_digest != old.testset_digest:
        raise InputError(
            f"the new scores are on {new.testset!r} and the baseline's on {old.testset!r}: texts, "
            "documents or references differ; score the baseline's outputs again on this test set"
        )


def _refuse_odd_drops(max_drop: Mapping[str, float]) -> None:
    if not max_drop:
        raise InputError("there is no metric to check; say how much each may lose, as in bleu=0.5")
    for name, drop in max_drop.items():
        if not (isfinite(drop) and drop >= 0):
            raise InputError(f"{name} may lose 0 points or more, not {drop}")


def _pairs(
    table: ScoreTable, baseline: ScoreTable, systems: Mapping[str, str] | None
) -> dict[str, str]:
    """Which new system is held against which old one."""
    if systems:
        return dict(systems)
    same = {name: name for name in table.systems if name in baseline.systems}
    if not same and len(table.systems) == len(baseline.systems) == 1:
        return {table.systems[0]: baseline.systems[0]}
    if not same:
        raise InputError(
            f"the baseline has none of the new systems ({', '.join(table.systems)}); it has: "
            f"{', '.join(baseline.systems)}; say which is held against which"
        )
    return same


def _same_metric(table: ScoreTable, baseline: ScoreTable, name: str) -> MetricInfo:
    """The metric, once it is known to be the same in both."""
    new, old = table.metric(name), baseline.metric(name)
    unscored = new.not_scored is not None or old.not_scored is not None
    if new.signature == old.signature or unscored:
        return new
    how = _differences(new.signature, old.signature)
    raise InputError(
        f"{name}: the baseline was scored otherwise ({how}); "
        "score its outputs again with the same program, options and model"
    )


def _differences(new: str, old: str) -> str:
    """The fields of two signatures that differ."""
    try:
        ours, theirs = (dict(Signature.parse(text).fields) for text in (new, old))
    except MetricNameError:
        return f"{new}, before: {old}"
    changed = [key for key in ours | theirs if ours.get(key) != theirs.get(key)]
    told = (f"{key}:{ours.get(key, '-')}, before {theirs.get(key, '-')}" for key in changed)
    return "; ".join(told) or f"{new}, before: {old}"


def _check(
    new: SystemScore,
    old: SystemScore,
    info: MetricInfo,
    formula: Formula,
    drop: float,
    settings: GateSettings,
) -> GateCheck:
    units = [Units.of(row, "documents") for row in (new, old)] if _scored(new, old) else []
    lost = int(np.sum(~units[0].scored & units[1].scored)) if units else new.total
    told = GateCheck(
        info, new.system, old.system, new.score, old.score, drop, 0, GateVerdict.INCOMPLETE
    )
    if lost:
        return replace(told, reason=_lack(info, lost, new.total))
    shared = units[0].scored & units[1].scored
    statistics = [each.by_block(shared) for each in units]
    gains = _gains(statistics, formula, 1.0 if info.higher_is_better else -1.0)
    if gains is None:
        return replace(told, reason="a score is undefined without one of the documents")
    return _judged(replace(told, documents=len(gains)), gains, settings)


def _scored(new: SystemScore, old: SystemScore) -> bool:
    return new.score is not None and old.score is not None


def _lack(info: MetricInfo, lost: int, total: int) -> str:
    if info.not_scored is not None:
        return info.not_scored
    return f"{lost:,} of {counted(total, 'segment')} have no new score, but one in the baseline"


def _gains(statistics: list[Floats], formula: Formula, sign: float) -> Floats | None:
    """A value a document, whose mean is how much better the new score is."""
    if len(statistics[0]) < 2:
        whole = [formula.score(rows.sum(axis=0)) for rows in statistics]
        return None if None in whole else sign * np.array([whole[0] - whole[1]])  # type: ignore[operator]
    ours, theirs = (jackknife_values(rows, formula.score_rows) for rows in statistics)
    new, old = (formula.score_rows(rows.sum(axis=0)[None, :])[0] for rows in statistics)
    values = ours - theirs
    # The jackknife takes off an estimate of the bias; what is checked is the score as it is shown.
    gains = np.asarray(sign * (values - values.mean() + (new - old)))
    return gains if np.isfinite(gains).all() else None


def _judged(told: GateCheck, gains: Floats, settings: GateSettings) -> GateCheck:
    gain = float(gains.mean())
    if not gains.any():
        return replace(told, gain=0.0, bound=0.0, verdict=GateVerdict.UNCHANGED)
    p, bound = non_inferiority(gains, told.max_drop, settings)
    found = replace(told, gain=gain, bound=bound, p=p)
    if p <= settings.alpha:
        return replace(found, verdict=GateVerdict.HELD)
    if gain < -told.max_drop:
        return replace(found, verdict=GateVerdict.FALLEN)
    needed, documents = settings.documents_needed, told.documents
    few = f"{counted(documents, 'document')} can show nothing; score at least {needed}"
    many = "the documents differ too much to say; score more of them, or allow more"
    return replace(found, verdict=GateVerdict.UNSURE, reason=few if documents < needed else many)


def non_inferiority(
    gains: Floats, max_drop: float, settings: GateSettings
) -> tuple[float, float | None]:
    """The p-value of a loss as large as allowed, and what the gain is at least.

    With turned signs the sum is as large as observed just where those turned have a sum of 0 or
    less, so that p is the share of subsets whose mean is no larger than minus what is allowed.
    """
    swaps = Swaps(len(gains), settings.draws, settings.seed, two_sided=False)
    turned = np.vstack(list(swaps.weights()))
    shifted = gains + max_drop
    total = float(shifted.sum())
    p = swaps.p(total - 2 * (turned @ shifted), total)
    sizes = turned.sum(axis=1)
    means = np.sort((turned @ gains)[sizes > 0] / sizes[sizes > 0])
    ways = len(turned) if swaps.exact else len(turned) + 1
    refused = int(np.floor(settings.alpha * ways)) - 1  # so many subsets may lie below the bound
    return p, float(means[refused]) if refused >= 0 else None
