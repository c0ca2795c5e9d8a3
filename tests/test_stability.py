"""Scores by sample size: against draws made by hand, and what must hold for every curve."""

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.metrics.surface import Chrf
from isogloss.report import stability_plot
from isogloss.sample import load_sample
from isogloss.scores import ScoreTable
from isogloss.stability import Curve, Point, StabilitySettings, stability


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return evaluate(load_sample("cs-en"), ["chrf", "ter"])


def test_the_whole_test_set_is_its_own_only_sample(table: ScoreTable) -> None:
    for curve in stability(table):
        assert [point.size for point in curve.points] == [1, 2, 3, 4, 5, 6, 7, 8]
        last = curve.points[-1]
        assert curve.score is not None
        assert (last.mean, last.low, last.high) == pytest.approx((curve.score,) * 3)
        for point in curve.points[:-1]:
            assert point.low is not None
            assert point.mean is not None
            assert point.low < point.mean < (point.high or 0)


def test_samples_of_one_document_are_the_documents(table: ScoreTable) -> None:
    (curve,) = stability(table, StabilitySettings((1,), 4000), metrics=["chrf"], systems=["steady"])
    scores = [d.score for d in table["chrf", "steady"].documents if d.score is not None]
    assert curve.points[0].mean == pytest.approx(np.mean(scores), abs=0.2)
    assert curve.points[0].low == pytest.approx(min(scores))
    assert curve.points[0].high == pytest.approx(max(scores))


def test_every_sample_holds_each_document_once_at_most(table: ScoreTable) -> None:
    """Of 8 documents, samples of 7 have 8 possible scores: those that leave one out."""
    rows = np.vstack([d.measurement.statistics for d in table["chrf", "steady"].documents])
    possible = Chrf().score_rows(rows.sum(axis=0) - rows)
    settings = StabilitySettings((7,), draws=2000, confidence=0.999999)
    (curve,) = stability(table, settings, metrics=["chrf"], systems=["steady"])
    assert curve.points[0].low == pytest.approx(possible.min(), abs=1e-3)
    assert curve.points[0].high == pytest.approx(possible.max(), abs=1e-3)
    assert curve.points[0].mean == pytest.approx(possible.mean(), abs=0.05)


def test_with_replacement_the_band_stays_open(table: ScoreTable) -> None:
    (curve,) = stability(
        table, StabilitySettings((8, 80), replacement=True), metrics=["chrf"], systems=["steady"]
    )
    few, many = curve.points
    assert few.low is not None
    assert few.high is not None
    assert many.low is not None
    assert many.high is not None
    assert few.high - few.low > 2 * (many.high - many.low) > 0


def test_one_size_does_not_depend_on_the_others(table: ScoreTable) -> None:
    alone = stability(table, StabilitySettings((4,)))
    among = stability(table, StabilitySettings((2, 4, 6)))
    assert [curve.points[0] for curve in alone] == [curve.points[1] for curve in among]
    assert alone == stability(table, StabilitySettings((4,)))
    assert alone != stability(table, StabilitySettings((4,), seed=1))


def test_enough_documents() -> None:
    points = (Point(1, 5, 0, 10), Point(2, 5, 4, 6), Point(3, 5, 3, 7), Point(4, 5, 5, 5))
    curve = Curve("m", "s", 5, 4, points)
    assert curve.enough(0.5) == 4
    assert curve.enough(4) == 2
    assert Curve("m", "s", None, 0, ()).enough(1) is None


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"sizes": (0,)}, "sample sizes"),
        ({"sizes": ()}, "sample sizes"),
        ({"draws": 0}, "at least one draw"),
        ({"confidence": 1.0}, "between 0 and 1"),
    ],
)
def test_impossible_settings(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        StabilitySettings(**settings)  # type: ignore[arg-type]


def test_more_documents_than_there_are(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="there are 8 scored documents, fewer than 9"):
        stability(table, StabilitySettings((9,)))


def test_a_plot_for_each_metric(table: ScoreTable) -> None:
    figure = stability_plot(stability(table))
    assert [axes.get_ylabel() for axes in figure.axes] == ["chrf", "ter"]
    assert {text.get_text() for text in figure.axes[0].get_legend().get_texts()} == set(
        table.systems
    )  # type: ignore[union-attr]
