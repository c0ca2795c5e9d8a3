"""The noise ceiling: splits by hand, known reliability, what cannot be split, real campaigns."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from isogloss.arrays import Floats
from isogloss.documents import Document, TestSet
from isogloss.errors import InputError
from isogloss.formats import ReadOptions, wmt_tables
from isogloss.judgements import Judgement, Judgements, side_by_side
from isogloss.metaeval import (
    JudgingSettings,
    Statistic,
    Task,
    Value,
    judge,
    noise_ceiling,
    study_of,
)
from isogloss.metaeval.ceiling import CeilingSettings, NoiseCeiling, spearman_brown
from isogloss.metaeval.measured import interval_between, value_of
from isogloss.metaeval.people import Ratings, ratings_of


def pearson(first: Floats, second: Floats) -> Value:
    both = ~(np.isnan(first) | np.isnan(second))
    one, two = first[both], second[both]
    if len(one) < 2 or one.std() == 0 or two.std() == 0:
        return Value(None, len(one), reason="constant")
    return Value(float(np.corrcoef(one, two)[0, 1]), len(one))


def campaign(
    annotators: int, noise: float, systems: int = 4, documents: int = 10, seed: int = 0
) -> tuple[TestSet, Judgements, Floats]:
    """Everybody judges everything: a true quality of variance 1 with noise added."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(systems, documents, 5))
    testset = TestSet(
        "toy",
        "en",
        "de",
        tuple(
            Document(f"d{d}", ("a",) * 5, domain="news" if d % 2 else "speech")
            for d in range(documents)
        ),
    )
    items = [
        Judgement(f"s{s}", f"d{d}", i, f"a{a}", float(truth[s, d, i] + noise * rng.normal()))
        for a in range(annotators)
        for s in range(systems)
        for d in range(documents)
        for i in range(5)
    ]
    return testset, Judgements("da", tuple(items)), truth.reshape(systems, -1)


def ratings(annotators: int, noise: float, **rest: int) -> Ratings:
    testset, judgements, _ = campaign(annotators, noise, **rest)
    return ratings_of(judgements, testset)


def value(ceiling: NoiseCeiling) -> float:
    assert ceiling.value.value is not None, ceiling.value.reason
    return ceiling.value.value


@pytest.mark.parametrize("by", ["translation", "item", "document", "all"])
@pytest.mark.parametrize("level", ["item", "document", "domain", "system"])
def test_annotators_without_noise_agree_whatever_the_split(by: str, level: str) -> None:
    chosen = CeilingSettings(level=level, by=by, draws=5)  # type: ignore[arg-type]
    ceiling = noise_ceiling(ratings(3, 0.0), pearson, chosen)
    assert value(ceiling) == pytest.approx(1.0, abs=1e-9)
    assert ceiling.spread == pytest.approx((1.0, 1.0), abs=1e-9)
    assert (ceiling.value.count, ceiling.value.groups) == (4 * 50, 5)


def test_two_annotators_split_over_everything_are_compared_as_they_are() -> None:
    of = ratings(2, 1.0)
    first, second = of.matrices()
    ceiling = noise_ceiling(of, pearson, CeilingSettings(by="all", draws=20))
    assert value(ceiling) == pytest.approx(pearson(first, second).value, abs=1e-9)


def test_the_ceiling_is_the_reliability_of_half_the_annotators() -> None:
    of = ratings(4, 1.0, systems=10, documents=40)
    half = value(noise_ceiling(of, pearson, CeilingSettings(draws=20)))
    # Two annotators: variance 1 of the truth, 1/2 of the noise.
    assert half == pytest.approx(1 / 1.5, abs=0.03)
    whole = noise_ceiling(of, pearson, CeilingSettings(draws=20, spearman_brown=True))
    assert value(whole) == pytest.approx(1 / 1.25, abs=0.03)
    assert value(whole) == pytest.approx(spearman_brown(half))
    assert whole.spread is not None
    assert whole.spread[0] <= value(whole) <= whole.spread[1]


@pytest.mark.parametrize(
    ("level", "shape", "axis"),
    [("document", (4, 10, 5), 2), ("system", (4, 50), 1)],
)
def test_levels_compare_means_of_what_both_halves_judged(
    level: str, shape: tuple[int, ...], axis: int
) -> None:
    of = ratings(2, 1.0)
    gaps = of.where(np.arange(len(of.score)) % 7 > 0)
    first, second = gaps.matrices()
    alone = np.isnan(first) | np.isnan(second)
    first, second = (np.where(alone, np.nan, half).reshape(shape) for half in (first, second))
    expected = pearson(np.nanmean(first, axis=axis), np.nanmean(second, axis=axis))
    chosen = CeilingSettings(level=level, by="all", draws=3)  # type: ignore[arg-type]
    ceiling = noise_ceiling(gaps, pearson, chosen)
    assert value(ceiling) == pytest.approx(expected.value, abs=1e-9)
    assert ceiling.value.count == 200 - np.count_nonzero(alone)


def test_documents_with_too_few_common_segments_are_left_out() -> None:
    of = ratings(2, 1.0)
    few = of.where((of.blocks[of.item] > 0) | (of.item == 0))  # one segment of the first document
    seen = []

    def spy(first: Floats, second: Floats) -> Value:
        seen.append(np.isnan(first).any(axis=0).tolist())
        return pearson(first, second)

    noise_ceiling(few, spy, CeilingSettings(level="document", at_least=2, draws=1))
    assert seen == [[True] + [False] * 9]


def test_halves_have_equal_numbers_of_annotators_and_nobody_twice() -> None:
    of = ratings(4, 0.0, systems=2, documents=3)
    sums: list[Floats] = []

    def spy(first: Floats, second: Floats) -> Value:
        sums.append(first + second)
        return Value(1.0, first.size)

    # Each annotator says a power of two: the two means of two tell who is in which half.
    coded = replace(of, score=2.0**of.annotator)
    noise_ceiling(coded, spy, CeilingSettings(draws=30))
    assert all(np.allclose(total, (1 + 2 + 4 + 8) / 2) for total in sums)


@pytest.mark.parametrize(
    ("by", "constant"), [("item", (0,)), ("document", (0, 2)), ("all", (0, 1, 2))]
)
def test_an_annotator_stays_on_one_side_within_the_group(by: str, constant: tuple[int]) -> None:
    of = ratings(2, 0.0, systems=3, documents=4)
    coded = replace(of, score=of.annotator.astype(float))
    seen: list[Floats] = []

    def spy(first: Floats, second: Floats) -> Value:
        assert np.array_equal(first, 1 - second)
        seen.append(first.reshape(3, 4, 5))  # systems x documents x segments
        return Value(1.0, first.size)

    noise_ceiling(coded, spy, CeilingSettings(by=by, draws=30))  # type: ignore[arg-type]
    for first in seen:
        assert all(np.ptp(first, axis=axis).max() == 0 for axis in constant)
    others = set(range(3)) - set(constant)
    assert all(any(np.ptp(first, axis=axis).max() == 1 for first in seen) for axis in others)
    assert any(not np.array_equal(seen[0], first) for first in seen)


def test_every_translation_judged_twice_counts_when_split_one_by_one() -> None:
    testset, judgements, _ = campaign(6, 1.0)
    # A crowd: every translation has two of the six annotators, and not always the same two.
    kept = []
    for number, item in enumerate(judgements.items):
        chosen = number % 200 % 6
        if item.annotator in (f"a{chosen}", f"a{(chosen + 1) % 6}"):
            kept.append(item)
    of = ratings_of(Judgements("da", tuple(kept)), testset)
    counts: list[int] = []

    def spy(first: Floats, second: Floats) -> Value:
        counts.append(int(np.count_nonzero(~np.isnan(first))))
        return pearson(first, second)

    ceiling = noise_ceiling(of, spy, CeilingSettings(by="translation", draws=5))
    assert counts == [200] * 5
    assert ceiling.value.count == 200


def test_the_same_seed_gives_the_same_splits() -> None:
    of = ratings(3, 1.0)
    once, again = (noise_ceiling(of, pearson, CeilingSettings(draws=7)) for _ in range(2))
    assert once == again
    assert noise_ceiling(of, pearson, CeilingSettings(draws=7, seed=1)) != once


def test_what_was_judged_once_has_no_ceiling() -> None:
    alone = noise_ceiling(ratings(1, 1.0), pearson)
    assert alone.value.reason == "no translation was judged by two annotators"
    assert alone.spread is None
    testset, judgements, _ = campaign(2, 1.0)
    unnamed = tuple(replace(item, annotator=None) for item in judgements.items)
    nobody = noise_ceiling(ratings_of(Judgements("da", unnamed), testset), pearson)
    assert nobody.value.reason == "no score names its annotator"
    twice_alone = Judgements("da", judgements.items[:200] * 2)
    same_person = noise_ceiling(ratings_of(twice_alone, testset), pearson)
    assert same_person.value.reason == "no translation was judged by two annotators"


def test_a_statistic_that_is_never_defined_says_why() -> None:
    of = ratings(2, 1.0)
    flat = replace(of, score=np.zeros_like(of.score))
    ceiling = noise_ceiling(flat, pearson, CeilingSettings(draws=3))
    assert ceiling.value == Value(None, 200, 0, "in every split: constant")


def test_halves_that_contradict_each_other_have_no_correction() -> None:
    of = ratings(2, 0.0)
    opposite = replace(of, score=np.where(of.annotator == 0, of.score, -of.score))
    chosen = CeilingSettings(by="all", draws=3, spearman_brown=True)

    def exact(first: Floats, second: Floats) -> Value:
        return Value(round(pearson(first, second).value or 0.0, 9), first.size)

    ceiling = noise_ceiling(opposite, exact, chosen)
    assert ceiling.value.value is None
    assert "Spearman-Brown" in str(ceiling.value.reason)
    with pytest.raises(InputError, match="0 draws"):
        CeilingSettings(draws=0)


def test_two_esa_campaigns_on_the_same_segments(shared_data: Path) -> None:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = wmt_tables.read(folder, ReadOptions())
    said = {
        name: wmt_tables.read_judgements(folder, f"esa-campaign.{name}", collection)
        for name in ("ESA-1", "ESA-2")
    }
    of = ratings_of(side_by_side(said), collection)
    first, second = of.matrices()
    straight = noise_ceiling(of, pearson, CeilingSettings(by="all", draws=2))
    assert straight.value.count == 12 * 207
    assert value(straight) == pytest.approx(pearson(first, second).value, abs=1e-9)
    by_level = {
        level: value(noise_ceiling(of, pearson, CeilingSettings(level=level, draws=20)))  # type: ignore[arg-type]
        for level in ("item", "document", "domain", "system")
    }
    assert by_level["item"] < by_level["document"] < by_level["system"]
    assert 0.2 < by_level["item"] < 0.6
    assert by_level["system"] > 0.9


def test_metrics_beside_two_esa_campaigns(shared_data: Path) -> None:
    """The table of docs/meta-evaluation.md."""
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = wmt_tables.read(folder, ReadOptions())
    kinds = ("esa-campaign.ESA-1", "esa-campaign.ESA-2")
    said = {kind: wmt_tables.read_judgements(folder, kind, collection) for kind in kinds}
    table = wmt_tables.read_metric_scores(folder, collection)
    study = study_of([table], side_by_side(said), collection)
    task = Task("made", "", (Statistic("segment", "pearson"), Statistic("system", "pearson")))
    judged = judge([study], task, JudgingSettings(draws=0, resamples=50, ceiling_splits=100))
    expected = {"segment": (0.467, 0.557, 1.19), "system": (0.986, 0.935, 0.95)}
    for column in judged.columns:
        people, comet, share = expected[column.statistic.level]
        (finding,) = (each for each in column.findings if each.metric == "COMET-refA")
        reached = judged.share_of_ceiling(column, finding)
        assert column.ceiling is not None
        assert reached is not None
        found = (column.ceiling.value.value, finding.value, reached.value.value)
        assert found == pytest.approx((people, comet, share), abs=0.006)


# --- its interval --------------------------------------------------------------------------------


def of_statistic(level: str, name: str, grouping: str = "none") -> Statistic:
    return Statistic("segment" if level == "item" else level, name, grouping)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("level", "name", "grouping"),
    [
        ("item", "pearson", "none"),
        ("item", "acc-eq", "item"),
        ("document", "pdp", "none"),
        ("document", "soft-pairwise-accuracy", "none"),
        ("system", "pearson", "none"),
        ("system", "pairwise-accuracy", "none"),
    ],
)
def test_each_document_is_left_out_once(level: str, name: str, grouping: str) -> None:
    """Two annotators who are split for everything at once: every split is the same two halves."""
    statistic = of_statistic(level, name, grouping)
    chosen = CeilingSettings(level=level, by="all", draws=3, bounds=statistic.bounds)  # type: ignore[arg-type]
    of = ratings(2, 0.7, documents=6)
    of_value, between = partial(value_of, statistic), partial(interval_between, statistic)
    ceiling = noise_ceiling(of, of_value, chosen, between)
    assert ceiling.left_out is not None
    for document, found in enumerate(ceiling.left_out):
        rest = of.where(of.blocks[of.item] != document)
        # acc_eq keeps its threshold, soft pairwise accuracy its random flips.
        near = 0.03 if name in ("acc-eq", "soft-pairwise-accuracy") else 1e-7
        assert found == pytest.approx(value(noise_ceiling(rest, of_value, chosen)), abs=near)
    assert ceiling.interval is not None
    assert (ceiling.interval.value, ceiling.interval.blocks) == (ceiling.value, 6)
    low, high = ceiling.interval.low, ceiling.interval.high
    assert low is not None
    assert high is not None
    assert low < value(ceiling) < high


def test_documents_that_one_annotator_judged_alone_say_nothing_of_the_ceiling() -> None:
    of = ratings(2, 0.7, documents=6)
    alone = of.where((of.blocks[of.item] < 4) | (of.annotator == 0))
    statistic = of_statistic("item", "pearson")
    of_value, between = partial(value_of, statistic), partial(interval_between, statistic)
    ceiling = noise_ceiling(alone, of_value, CeilingSettings(draws=5), between)
    assert ceiling.interval is not None
    assert ceiling.interval.blocks == 4
    assert ceiling.left_out is not None
    assert ceiling.left_out[4:] == pytest.approx([value(ceiling)] * 2)


def test_no_interval_from_one_document() -> None:
    statistic = of_statistic("item", "pearson")
    of = ratings(2, 0.7, documents=1)
    of_value, between = partial(value_of, statistic), partial(interval_between, statistic)
    ceiling = noise_ceiling(of, of_value, CeilingSettings(draws=5), between)
    assert ceiling.value.value is not None
    assert ceiling.interval is None
