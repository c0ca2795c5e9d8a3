"""Preferences: accuracy, thresholds and probabilities against plain loops, and calibration."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import optimize

from isogloss.errors import InputError
from isogloss.judgements import Choice, Choices
from isogloss.metaeval import PreferenceSettings, preference_agreement
from isogloss.metaeval.preferences import _slope, _threshold
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)

QUICK = PreferenceSettings(resamples=200)


def document(name: str, scores: Sequence[float | None] | None, own: float) -> DocumentScore:
    total = 2 if scores is None else len(scores)
    known = None if scores is None else tuple(scores)
    return DocumentScore(
        name, own, Measurement(np.array([own, 1.0]), total, total, segment_scores=known)
    )


def table(provenance: Provenance, **systems: Sequence[DocumentScore]) -> ScoreTable:
    rows = tuple(SystemScore("m", name, 0.0, tuple(found)) for name, found in systems.items())
    return ScoreTable(provenance, (MetricInfo("m", "m", True),), rows)


@pytest.fixture
def provenance() -> Provenance:
    return Provenance("made", "en", "de", (), "0" * 8, "", "")


def choose(doc: str, preferred: str | None, first: str = "a", second: str = "b", **more) -> Choice:
    return Choice(first, second, doc, preferred, **more)


def test_accuracy_halves_what_the_metric_ties(provenance: Provenance) -> None:
    scores = table(
        provenance,
        a=[document("x", (1.0, 3.0), 9.0), document("y", (2.0, 2.0), 1.0)],
        b=[document("x", (1.0, 1.0), 0.0), document("y", (2.0, 2.0), 5.0)],
    )
    choices = Choices(
        (
            choose("x", "a"),
            choose("x", "b"),
            choose("x", None),
            choose("x", "b", segments=(0, 1)),
            choose("y", "a"),
        )
    )
    (found,) = preference_agreement(choices, [scores], QUICK).findings
    assert found.accuracy.value.value == (1 + 0 + 0.5 + 0.5) / 4
    assert (found.accuracy.value.count, found.ties_alone) == (4, pytest.approx(1 / 5))
    own = preference_agreement(choices, [scores], PreferenceSettings(own=True)).findings[0]
    assert own.accuracy.value.value == (1 + 0 + 0.5 + 0) / 4


def test_passages_need_scores_of_segments(provenance: Provenance) -> None:
    scores = table(
        provenance,
        a=[document("x", None, 9.0), document("y", (None, None), 2.0)],
        b=[document("x", None, 1.0), document("y", (1.0, 2.0), 1.0)],
    )
    choices = Choices((choose("x", "a"), choose("x", "a", segments=(0, 1)), choose("y", "a")))
    (found,) = preference_agreement(choices, [scores], QUICK).findings
    assert (found.accuracy.value.value, found.lacking, found.rank) == (1.0, 2, None)
    with pytest.raises(InputError, match="m has no scores of the translations"):
        preference_agreement(Choices((choose("z", "a"),)), [scores], QUICK)


def test_the_threshold_foresees_most() -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        size = int(rng.integers(1, 12))
        difference = rng.integers(-4, 5, size).astype(float)
        outcome = rng.choice([0.0, 0.5, 1.0], size)

        def right(limit: float, d: np.ndarray = difference, o: np.ndarray = outcome) -> int:
            said = np.where(np.abs(d) <= limit, 0, np.sign(d))
            return int((said == np.sign(o - 0.5)).sum())

        candidates = [0.0, *sorted(set(np.abs(difference)))]
        best = max(candidates, key=lambda limit: (right(limit), -limit))
        assert _threshold(difference, outcome) == best


def test_the_slope_is_the_one_of_greatest_likelihood() -> None:
    rng = np.random.default_rng(1)
    difference = rng.normal(size=400) * 30
    outcome = (rng.random(400) < 1 / (1 + np.exp(-0.05 * difference))).astype(float)
    outcome[:20] = 0.5

    def loss(slope: float) -> float:
        z = slope * difference
        return float(np.sum(np.logaddexp(0, -z) * outcome + np.logaddexp(0, z) * (1 - outcome)))

    best = optimize.minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert _slope(difference, outcome) == pytest.approx(best.x, rel=1e-3)
    assert math.isfinite(_slope(np.array([1.0, 2.0]), np.array([1.0, 1.0])))
    assert _slope(np.zeros(3), np.ones(3)) == 0.0


def test_probabilities_hold_on_documents_that_were_not_seen(provenance: Provenance) -> None:
    rng = np.random.default_rng(5)
    names = [f"d{n}" for n in range(60)]
    scores = {s: [document(n, tuple(rng.normal(size=2)), 0.0) for n in names] for s in "ab"}
    sides = [[np.mean(d.measurement.segment_scores) for d in scores[s]] for s in "ab"]
    likely = 1 / (1 + np.exp(-2 * (np.array(sides[0]) - sides[1])))
    choices = Choices(
        tuple(
            choose(n, "a" if rng.random() < p else "b", annotator=str(k))
            for n, p in zip(names, likely, strict=True)
            for k in range(8)
        )
    )
    agreement = preference_agreement(choices, [table(provenance, **scores)], QUICK)
    (found,) = agreement.findings
    expected = float(np.mean(likely * (1 - likely)))
    assert found.brier.value.value == pytest.approx(expected, abs=0.03)
    assert sum(each.choices for each in found.reliability) == len(choices.items)
    for each in found.reliability:
        assert each.found == pytest.approx(each.said, abs=4 * 0.5 / math.sqrt(each.choices))
    assert found.accuracy.low is not None
    assert agreement.people is not None
    assert agreement.people.value.value == pytest.approx(
        float(np.mean(likely**2 + (1 - likely) ** 2)), abs=0.05
    )


def test_one_document_leaves_nothing_to_fit_on(provenance: Provenance) -> None:
    scores = table(provenance, a=[document("x", (1.0,), 1)], b=[document("x", (2.0,), 1)])
    agreement = preference_agreement(Choices((choose("x", "b"),)), [scores], QUICK)
    (found,) = agreement.findings
    assert (found.accuracy.value.value, found.accuracy.low) == (1.0, None)
    assert found.brier.value.reason is not None
    assert "all choices are of one document" in found.brier.value.reason
    assert agreement.people is None
