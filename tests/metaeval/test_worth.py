"""What a difference is worth: fitted where the truth is known, silent outside of its data."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from isogloss.errors import FormatError, InputError
from isogloss.metaeval import (
    Contests,
    SilentPair,
    WorthCurve,
    WorthCurves,
    bundled_curves,
    by_share_of_documents,
    curve_of,
    curves_text,
    fit_curves,
    predict,
    quality,
    read_curves,
    reliability,
    silent_pairs,
)
from isogloss.metaeval.worth import portable
from isogloss.metaeval.worth_fit import _logistic, predicted
from isogloss.metrics import metric_of_signature

POWER, SETTLING, SLOPE, TRUST = 0.5, 5.0, 1.5, 0.7


def made_set(seed: int, *, pairs: int = 400, swapped: bool = False) -> Contests:
    """Contests whose outcome follows the model exactly, with a slope that is the same in all."""
    rng = np.random.default_rng(seed)
    difference = rng.normal(size=pairs)
    documents = rng.choice([3.0, 10.0, 50.0], size=pairs)
    agreement = rng.choice([-1.0, 0.0, 1.0], size=pairs)
    size = np.sign(difference) * np.abs(difference) ** POWER
    odds = (SLOPE * size + TRUST * agreement) / np.sqrt(1 + SETTLING / documents)
    liked = (rng.random(pairs) < 1 / (1 + np.exp(-odds))).astype(float)
    ahead = np.full(pairs, 0.5)
    if swapped:
        difference, agreement, liked = -difference, -agreement, 1 - liked
    languages = ("en", ("de", "zh")[seed % 2])
    return Contests(
        f"set {seed}", languages, "chrf|nrefs:1", difference, documents, agreement, ahead, liked
    )


@pytest.fixture(scope="module")
def curve() -> WorthCurve:
    return curve_of([made_set(seed) for seed in range(12)], "chrf", "system", "mqm")


def test_the_curve_is_the_one_that_made_the_data(curve: WorthCurve) -> None:
    shape = curve.fit.shape
    assert (shape.power, shape.settling) == (POWER, SETTLING)
    slope, trust = curve.fit.together
    assert slope / shape.scale**POWER == pytest.approx(SLOPE, abs=0.2)
    assert trust == pytest.approx(TRUST, abs=0.1)


def test_regression_finds_what_an_optimiser_finds() -> None:
    contests = made_set(1)
    features = np.stack([contests.difference, contests.agreement], axis=1)
    found, loss = _logistic(features, contests.preferred, contests.weights)

    def slow(coefficients: np.ndarray) -> float:
        odds = features @ coefficients
        p = 1 / (1 + np.exp(-odds))
        liked = contests.preferred
        losses = -(liked * np.log(p) + (1 - liked) * np.log(1 - p))
        return float(np.sum(contests.weights * losses) + 0.5e-3 * np.sum(coefficients**2))

    best = minimize(slow, np.zeros(2), tol=1e-12)
    assert found == pytest.approx(best.x, abs=1e-4)
    assert loss == pytest.approx(best.fun - 0.5e-3 * np.sum(found**2), abs=1e-5)


def test_each_number_of_documents_weighs_the_same() -> None:
    contests = made_set(3)
    sums = [contests.weights[contests.documents == size].sum() for size in (3, 10, 50)]
    assert sums == pytest.approx([1 / 3] * 3)


def test_swapped_systems_have_the_opposite_probability(curve: WorthCurve) -> None:
    ahead = curve.worth(0.8, 10, (0.5, 2), ("en", "de"))
    behind = curve.worth(-0.8, 10, (-0.5, 2), ("en", "de"))
    assert ahead is not None
    assert behind is not None
    assert behind.turned().probability == pytest.approx(ahead.probability)
    assert behind.turned().low == pytest.approx(ahead.low)
    turned = curve_of([made_set(seed, swapped=True) for seed in range(12)], "m", "system", "mqm")
    assert turned.fit.together == pytest.approx(curve.fit.together)


def test_more_documents_and_agreement_make_it_surer(curve: WorthCurve) -> None:
    few, many = curve.worth(0.5, 3), curve.worth(0.5, 50)
    with_others, against = curve.worth(0.5, 50, (1.0, 3)), curve.worth(0.5, 50, (-1.0, 3))
    assert few
    assert many
    assert with_others
    assert against
    assert 0.5 < few.probability < many.probability < with_others.probability
    assert against.probability < many.probability
    assert curve.worth(0.5, 500) == many  # more than were seen count as the most that were


def test_it_says_nothing_outside_of_its_data(curve: WorthCurve) -> None:
    assert curve.worth(curve.range.largest * 1.01, 10) is None
    assert curve.worth(0.5, 2) is None
    assert curve.worth(0.5, 10, None, ("cs", "uk")) is None
    assert curve.worth(0.5, 10, None, (None, None)) is None
    known = curve.worth(0.5, 10, None, ("en", "de"))
    new = curve.worth(0.5, 10, None, ("en", "cs"))
    assert known
    assert new
    assert new.widened
    assert not known.widened
    assert new.high - new.low > known.high - known.low
    assert not curve.fits("chrf|nrefs:2")
    assert curve.fits("chrf|nrefs:1|langs:en-is|isa:other")


def test_a_signature_without_languages_and_machine() -> None:
    told = "prism|langs:en-de|model:isogloss-3|digest:sha256:04|engine:ctranslate2-4.8.5|isa:x"
    assert portable(told) == "prism|model:isogloss-3|digest:sha256:04"


def test_too_few_test_sets_have_no_curve() -> None:
    fitted, missing = fit_curves({"chrf": [made_set(1), made_set(2)]}, "system", "mqm")
    assert not fitted
    assert "chrf: 2 test sets" in missing[0]


def test_no_curve_promises_more_than_nine_in_ten(curve: WorthCurve) -> None:
    largest = curve.range.largest
    sure, against = curve.worth(largest, 50, (1.0, 3)), curve.worth(-largest, 50, (-1.0, 3))
    assert sure
    assert against
    assert (sure.probability, against.probability) == (0.9, pytest.approx(0.1))
    assert sure.low <= 0.9 <= sure.high < 1
    asked = made_set(30)
    odds = curve.fit.log_odds(asked.difference, asked.documents, asked.agreement)
    beyond = 1 / (1 + np.exp(-odds)) > 0.9
    likely = predicted(curve.fit, asked).probability
    assert beyond.any()
    assert (likely[beyond] == 0.9).all()
    assert likely[~beyond].max() <= 0.9


def test_needed_is_the_inverse(curve: WorthCurve) -> None:
    needed = curve.needed(0.7, 10)
    assert needed is not None
    found = curve.worth(needed, 10)
    assert found is not None
    assert found.probability == pytest.approx(0.7)
    assert curve.needed(0.9999, 10) is None


def test_unseen_sets_are_predicted_without_themselves() -> None:
    sets = [made_set(seed) for seed in range(6)]
    fitted, _ = fit_curves({"chrf": sets}, "system", "mqm")
    for place, found in enumerate(fitted[0].unseen):
        others = [*sets[:place], *sets[place + 1 :]]
        assert np.array_equal(found.probability, predict(others, sets[place]).probability)
    measured = fitted[0].curve.held_out
    assert measured is not None
    assert measured.log_loss < np.log(2) - 0.05
    assert measured.error < 0.05
    bins = reliability(fitted[0].unseen)
    assert sum(each.contests for each in bins) == sum(len(each.difference) for each in sets)


def test_quality_of_a_coin_and_of_the_share_of_documents() -> None:
    sets = [made_set(seed) for seed in range(5)]
    coin = quality([by_share_of_documents(each) for each in sets])  # each leads in half of them
    assert coin.log_loss == pytest.approx(np.log(2))
    assert coin.brier == pytest.approx(0.25)
    ahead = replace(sets[0], ahead=np.full(400, 1.0), documents=np.full(400, 8.0))
    assert set(by_share_of_documents(ahead).probability) == {0.9}


def against(contests: Contests) -> Contests:
    """The same contests, where people like what the metric does not."""
    return replace(contests, preferred=1 - contests.preferred)


def test_a_language_pair_in_which_people_go_against_the_metric_is_silent() -> None:
    sets = [made_set(seed) for seed in range(10)]  # into German and into Chinese, in turns
    agreed, _ = fit_curves({"chrf": sets}, "system", "mqm")
    assert silent_pairs(agreed) == ()
    contrary = [against(each) if n in (1, 7, 9) else each for n, each in enumerate(sets)]
    fitted, _ = fit_curves({"chrf": contrary, "bleu": contrary[:9]}, "system", "mqm")
    losses = [
        np.mean([quality([each]).log_loss for each in curve.unseen if each.languages[1] == "zh"])
        for curve in fitted
    ]
    (pair,) = silent_pairs(fitted)
    assert (pair.source, pair.target, pair.testsets) == ("en", "zh", 5)
    assert pair.loss == pytest.approx(np.mean(losses))


def test_pairs_that_are_silent_stand_in_the_file(curve: WorthCurve, tmp_path: Path) -> None:
    silent = (SilentPair("zh", "en", 4, 0.731), SilentPair("en", "pt-BR", 1, 0.7))
    path = tmp_path / "curves.toml"
    path.write_text(curves_text(WorthCurves((curve,), silent), {"human": "mqm"}))
    assert read_curves(path).silent == silent
    told = path.read_text()
    assert "silent" not in curves_text(WorthCurves((curve,)), {"human": "mqm"})
    path.write_text(told.replace("loss =", "los ="))
    with pytest.raises(FormatError, match="no key 'los'"):
        read_curves(path)


def test_a_file_gives_back_what_it_was_made_of(curve: WorthCurve, tmp_path) -> None:
    alone = replace(curve, fit=replace(curve.fit, together=()))
    path = tmp_path / "curves.toml"
    path.write_text(curves_text(WorthCurves((curve, alone)), {"human": "mqm"}))
    first, second = read_curves(path).curves
    read, made = first.worth(0.5, 10, (1.0, 2)), curve.worth(0.5, 10, (1.0, 2))
    assert read
    assert made
    assert (read.low, read.probability) == pytest.approx((made.low, made.probability), rel=1e-4)
    assert second.fit.together == ()
    assert first.range.testsets == curve.range.testsets


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version = 9", "version 1"),
        ("version = 1\n[[curves]]\nmetric = 'm'", "'fit' is missing"),
        ("version = 1\n[[curves]]\nfit = [1.0, 2.0]\nwithout = []", "4 or 6 numbers"),
        ("version = 1\n[[curves]]\nfit = [0.0, 1, 1, 1]\nwithout = []", "above 0"),
    ],
)
def test_a_file_that_is_none(text: str, told: str, tmp_path) -> None:
    path = tmp_path / "curves.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=told):
        read_curves(path)


def test_the_curves_that_come_along_are_calibrated_and_ordered() -> None:
    curves = bundled_curves().curves
    assert [each.metric for each in curves] == ["bleu", "chrf", "ter", "cohesion", "prism"]
    for each in curves:
        assert each.held_out is not None
        assert each.held_out.log_loss < np.log(2)
        assert each.held_out.error < 0.05
        small, large = each.needed(0.6, 20), each.needed(0.7, 20)
        assert small is not None
        assert large is not None
        assert small < large
    with pytest.raises(InputError, match="4"):
        curve_of([], "none", "system", "mqm")


def test_prism_has_a_curve_on_any_machine_but_for_its_own_model_alone() -> None:
    """Fitted on scores from a GPU; a processor's differ by .004 at most in a system's mean."""
    curves = bundled_curves()
    (known,) = next(each for each in curves.curves if each.metric == "prism").signatures
    assert metric_of_signature(known)
    assert curves.of(f"{known}|langs:en-cs|engine:ctranslate2-9|isa:AVX512") is not None
    assert curves.of(known.replace("precision:int8_float32", "precision:float32")) is None
    assert curves.of(known.replace("isogloss-3", "other")) is None
