"""Agreement between annotators: published examples, plain loops, invariances, real annotations."""

import json
from itertools import combinations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.arrays import Floats
from isogloss.errors import InputError, MismatchError
from isogloss.metaeval import (
    MarkCounts,
    Value,
    cohen_kappa,
    f1_agreement,
    fleiss_kappa,
    fleiss_kappa_of_counts,
    krippendorff_alpha,
    mark_counts,
    mark_counts_of_sets,
    over_pairs,
    raw_agreement,
)
from isogloss.metaeval.agreement import Distance, PairwiseAgreement, Weights, coded

DISTANCES: tuple[Distance, ...] = ("nominal", "ordinal", "interval")
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")
MODEST = settings(deadline=None, max_examples=60)


def table(text: str) -> Floats:
    """Annotators x units, as printed in papers: a dot is missing."""
    rows = [line.split() for line in text.strip().splitlines()]
    return np.array([[np.nan if cell == "." else float(cell) for cell in row] for row in rows])


def rows_of_counts(counts: list[list[int]]) -> tuple[Floats, Floats]:
    """Two annotators' ratings from their table of categories x categories."""
    pairs = [
        (float(a), float(b))
        for a, row in enumerate(counts)
        for b, number in enumerate(row)
        for _ in range(number)
    ]
    first, second = zip(*pairs, strict=True)
    return np.array(first), np.array(second)


def number(value: Value) -> float:
    assert value.value is not None, value.reason
    return value.value


# --- published examples --------------------------------------------------------------------------

KRIPPENDORFF_2011 = table("""
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 .
""")
THREE_CODERS = table("""
    . . . . . 3 4 1 2 1 1 3 3 . 3
    1 . 2 1 3 3 4 3 . . . . . . .
    . . 2 1 3 4 4 . 2 1 1 3 3 . 4
""")


@pytest.mark.parametrize(
    ("distance", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_krippendorffs_paper(distance: Distance, expected: float) -> None:
    value = krippendorff_alpha(KRIPPENDORFF_2011, distance)
    assert number(value) == pytest.approx(expected, abs=0.0005)
    assert (value.count, value.groups) == (40, 11)  # the last unit has one rating only


@pytest.mark.parametrize(
    ("distance", "expected"), [("nominal", 0.691), ("ordinal", 0.807), ("interval", 0.811)]
)
def test_alpha_of_the_three_coders_everyone_quotes(distance: Distance, expected: float) -> None:
    value = krippendorff_alpha(THREE_CODERS, distance)
    assert number(value) == pytest.approx(expected, abs=0.0005)
    assert (value.count, value.groups) == (26, 12)


FLEISS = np.array(
    [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
)


def test_fleiss_kappa_of_fourteen_raters() -> None:
    value = fleiss_kappa_of_counts(FLEISS)
    assert number(value) == pytest.approx(0.210, abs=0.0005)
    assert (value.count, value.groups) == (140, 10)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([[20, 5], [10, 15]], 0.4),
        ([[45, 15], [25, 15]], 0.1304),
        ([[25, 35], [5, 35]], 0.2593),
        ([[75, 1, 4], [5, 4, 1], [0, 0, 10]], 0.6765),  # Fleiss, Levin & Paik, chapter 18
    ],
)
def test_cohens_kappa_of_textbooks(counts: list[list[int]], expected: float) -> None:
    first, second = rows_of_counts(counts)
    assert number(cohen_kappa(first, second)) == pytest.approx(expected, abs=0.00005)


def test_f1_of_the_consistency_paper() -> None:
    counts = MarkCounts(true_positives=6, false_positives=2, false_negatives=4)
    assert counts.precision == Value(6 / 8, 8)
    assert counts.recall == Value(6 / 10, 10)
    precision, recall = 6 / 8, 6 / 10
    assert number(counts.f1) == pytest.approx(2 * precision * recall / (precision + recall))


# --- against plain loops -------------------------------------------------------------------------


def slow_alpha(ratings: Floats, distance: Distance) -> float | None:
    """Krippendorff (2011) to the letter: the matrix of coincidences, cell by cell."""
    units = [[v for v in column if not np.isnan(v)] for column in ratings.T]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted({v for unit in units for v in unit})
    place = {v: i for i, v in enumerate(values)}
    size = len(values)
    coincidences = [[0.0] * size for _ in range(size)]
    for unit in units:
        for i, j in product(range(len(unit)), repeat=2):
            if i != j:
                coincidences[place[unit[i]]][place[unit[j]]] += 1 / (len(unit) - 1)
    margins = [sum(row) for row in coincidences]

    def delta(c: int, k: int) -> float:
        if distance == "nominal":
            return float(c != k)
        if distance == "interval":
            return float((values[c] - values[k]) ** 2)
        low, high = sorted((c, k))
        return (sum(margins[low : high + 1]) - (margins[c] + margins[k]) / 2) ** 2

    cells = list(product(range(size), repeat=2))
    observed = sum(coincidences[c][k] * delta(c, k) for c, k in cells)
    expected = sum(margins[c] * margins[k] * delta(c, k) for c, k in cells)
    return 1 - (sum(margins) - 1) * observed / expected if size > 1 else None


def slow_cohen(first: Floats, second: Floats, weights: Weights) -> float | None:
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if not (np.isnan(a) or np.isnan(b))]
    if len({rating for pair in pairs for rating in pair}) < 2:
        return None

    def weight(a: float, b: float) -> float:
        plain = {"none": float(a != b), "linear": abs(a - b), "quadratic": (a - b) ** 2}
        return float(plain[weights])

    observed = sum(weight(a, b) for a, b in pairs) / len(pairs)
    expected = sum(weight(a, d) for a, _ in pairs for _, d in pairs) / len(pairs) ** 2
    return 1 - observed / expected


def slow_fleiss(ratings: Floats, per_unit: int) -> float | None:
    units = [[v for v in column if not np.isnan(v)] for column in ratings.T]
    units = [unit for unit in units if len(unit) == per_unit]
    everything = [v for unit in units for v in unit]
    if len(set(everything)) < 2:
        return None
    agreeing = [
        sum(a == b for a, b in combinations(unit, 2)) / (per_unit * (per_unit - 1) / 2)
        for unit in units
    ]
    observed = sum(agreeing) / len(agreeing)
    expected = sum((everything.count(v) / len(everything)) ** 2 for v in set(everything))
    return (observed - expected) / (1 - expected)


def same(value: Value, expected: float | None) -> bool:
    if expected is None or value.value is None:
        return value.value is expected
    return value.value == pytest.approx(expected, abs=1e-9)


@st.composite
def ratings(draw: st.DrawFn, annotators: int | None = None, missing: bool = True) -> Floats:
    """Ratings with few categories, unevenly spaced, and gaps."""
    rows = draw(st.integers(2, 5)) if annotators is None else annotators
    columns = draw(st.integers(1, 12))
    scale = [-1.5, 0.0, 0.1, 2.0, 7.0][: draw(st.integers(1, 5))]
    cells = st.sampled_from([*scale, np.nan] if missing else scale)
    flat = draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    return np.array(flat).reshape(rows, columns)


@given(ratings(), st.sampled_from(DISTANCES))
@MODEST
def test_alpha_equals_a_plain_loop(ratings: Floats, distance: Distance) -> None:
    assert same(krippendorff_alpha(ratings, distance), slow_alpha(ratings, distance))


@given(ratings(annotators=2), st.sampled_from(WEIGHTS))
@MODEST
def test_cohens_kappa_equals_a_plain_loop(ratings: Floats, weights: Weights) -> None:
    assert same(cohen_kappa(*ratings, weights), slow_cohen(*ratings, weights))


@given(ratings(), st.integers(2, 4))
@MODEST
def test_fleiss_kappa_equals_a_plain_loop(ratings: Floats, per_unit: int) -> None:
    assert same(fleiss_kappa(ratings, per_unit), slow_fleiss(ratings, per_unit))


def test_continuous_scores_of_a_whole_campaign() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=80)
    ratings = truth + rng.normal(size=(3, 80))
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    for distance in DISTANCES:
        assert same(krippendorff_alpha(ratings, distance), slow_alpha(ratings, distance))
    for weights in WEIGHTS:
        assert same(cohen_kappa(*ratings[:2], weights), slow_cohen(*ratings[:2], weights))


# --- invariances ---------------------------------------------------------------------------------


@given(ratings(), st.permutations([-1.5, 0.0, 0.1, 2.0, 7.0]))
@MODEST
def test_nominal_agreement_does_not_care_what_labels_are_called(
    ratings: Floats, names: list[float]
) -> None:
    renamed = ratings.copy()
    for old, new in zip([-1.5, 0.0, 0.1, 2.0, 7.0], names, strict=True):
        renamed[ratings == old] = new
    alpha = krippendorff_alpha(ratings)
    assert same(krippendorff_alpha(renamed), alpha.value)
    assert same(cohen_kappa(*renamed[:2]), cohen_kappa(*ratings[:2]).value)
    assert same(fleiss_kappa(renamed, 2), fleiss_kappa(ratings, 2).value)


@given(ratings(), st.randoms(use_true_random=False), st.sampled_from(DISTANCES))
@MODEST
def test_the_order_of_annotators_and_units_does_not_matter(
    ratings: Floats, random: Random, distance: Distance
) -> None:
    rows, columns = list(range(len(ratings))), list(range(ratings.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    shuffled = ratings[rows][:, columns]
    assert same(krippendorff_alpha(shuffled, distance), krippendorff_alpha(ratings, distance).value)
    assert same(fleiss_kappa(shuffled, 2), fleiss_kappa(ratings, 2).value)
    mean = over_pairs(ratings, cohen_kappa).mean
    again = over_pairs(shuffled, cohen_kappa).mean
    assert (again.count, again.groups) == (mean.count, mean.groups)
    assert same(again, mean.value)


@given(ratings(annotators=2), st.sampled_from(WEIGHTS))
@MODEST
def test_agreement_of_two_is_symmetric(ratings: Floats, weights: Weights) -> None:
    first, second = ratings
    assert same(cohen_kappa(second, first, weights), cohen_kappa(first, second, weights).value)
    assert raw_agreement(second, first) == raw_agreement(first, second)
    there, back = mark_counts(first, second, 2.0), mark_counts(second, first, 2.0)
    assert there.f1 == back.f1
    assert there.precision.value == back.recall.value
    assert (there.false_positives, there.false_negatives) == (
        back.false_negatives,
        back.false_positives,
    )


@given(ratings(), st.sampled_from(DISTANCES[1:]), st.floats(0.1, 50), st.floats(-50, 50))
@MODEST
def test_stretching_the_scale_changes_neither_interval_nor_ordinal_alpha(
    ratings: Floats, distance: Distance, stretch: float, shift: float
) -> None:
    alpha = krippendorff_alpha(ratings, distance)
    assert same(krippendorff_alpha(stretch * ratings + shift, distance), alpha.value)
    bent = np.exp(ratings)
    assert same(krippendorff_alpha(bent, "ordinal"), krippendorff_alpha(ratings, "ordinal").value)


@given(ratings(annotators=1, missing=False), st.sampled_from(DISTANCES))
@MODEST
def test_perfect_agreement_is_one_unless_chance_makes_it_certain(
    row: Floats, distance: Distance
) -> None:
    both = np.vstack([row, row])
    varied = len(np.unique(row)) > 1
    expected = 1.0 if varied else None
    weights: Weights
    for weights in WEIGHTS:
        assert same(cohen_kappa(*both, weights), expected)
    assert same(krippendorff_alpha(both, distance), expected)
    assert same(fleiss_kappa(both), expected)
    assert number(raw_agreement(*both)) == 1.0


def test_annotators_who_guess_agree_by_chance_only() -> None:
    guesses = np.random.default_rng(4).integers(0, 4, size=(3, 20_000)).astype(float)
    for weights in WEIGHTS:
        assert abs(number(cohen_kappa(*guesses[:2], weights))) < 0.03
    for distance in DISTANCES:
        assert abs(number(krippendorff_alpha(guesses, distance))) < 0.03
    assert abs(number(fleiss_kappa(guesses))) < 0.03
    assert number(raw_agreement(*guesses[:2])) == pytest.approx(0.25, abs=0.02)


# --- what is undefined, and what is refused ------------------------------------------------------

APART = table("1 . 2\n. 2 .")
ALIKE = table("3 3 3\n3 3 .")


def test_without_a_common_unit_nothing_is_defined() -> None:
    for value in (
        raw_agreement(*APART),
        cohen_kappa(*APART),
        krippendorff_alpha(APART),
        fleiss_kappa(APART),
        f1_agreement(*APART),
        over_pairs(APART, cohen_kappa).mean,
        krippendorff_alpha(np.full((2, 3), np.nan)),
        fleiss_kappa(np.full((2, 3), np.nan)),
        fleiss_kappa(ALIKE, per_unit=5),
    ):
        assert value.value is None
        assert value.reason


def test_a_single_category_is_not_perfect_agreement() -> None:
    for value in (
        cohen_kappa(*ALIKE),
        cohen_kappa(*ALIKE, "linear"),
        cohen_kappa(*ALIKE, "quadratic"),
        krippendorff_alpha(ALIKE),
        krippendorff_alpha(ALIKE, "interval"),
        krippendorff_alpha(ALIKE, "ordinal"),
        fleiss_kappa(ALIKE, per_unit=2),
    ):
        assert value.value is None
        assert value.reason == "all ratings are equal, so agreement by chance is certain"
    assert raw_agreement(*ALIKE) == Value(1.0, 2)


def test_equal_floats_are_one_category_however_their_sum_rounds() -> None:
    tenths = np.full((3, 7), 0.1)
    for distance in DISTANCES:
        assert krippendorff_alpha(tenths, distance).value is None
    for weights in WEIGHTS:
        assert cohen_kappa(*tenths[:2], weights).value is None


def test_marks_that_nobody_or_one_side_made() -> None:
    nothing = MarkCounts(0, 0, 0)
    assert nothing.f1 == Value(None, 0, reason="neither annotator marked anything")
    assert nothing.precision.value is None
    assert nothing.recall.value is None
    one_sided = MarkCounts(0, 0, 3)
    assert one_sided.f1 == Value(0.0, 3)
    assert one_sided.precision.value is None
    assert one_sided.recall == Value(0.0, 3)


def test_marks_as_ratings_and_as_sets_count_the_same() -> None:
    gold, other = table("1 1 0 0 1 .\n1 0 1 0 1 1")
    assert mark_counts(gold, other) == MarkCounts(2, 1, 1)
    assert mark_counts_of_sets({"a", "b", "e"}, ["a", "c", "e"]) == MarkCounts(2, 1, 1)
    assert mark_counts(gold, other, positive=0.0) == MarkCounts(1, 1, 1)
    assert f1_agreement(gold, other) == MarkCounts(2, 1, 1).f1
    assert MarkCounts(2, 1, 1) + MarkCounts(1, 0, 5) == MarkCounts(3, 1, 6)


def test_fleiss_refuses_units_with_different_numbers_of_ratings() -> None:
    with pytest.raises(InputError, match=r"units have 3 to 4 ratings.*Krippendorff"):
        fleiss_kappa(KRIPPENDORFF_2011[:, :10])
    chosen = fleiss_kappa(KRIPPENDORFF_2011, per_unit=4)
    assert (chosen.count, chosen.groups) == (32, 8)
    assert same(chosen, slow_fleiss(KRIPPENDORFF_2011, 4))
    with pytest.raises(InputError, match="at least 2 ratings per unit"):
        fleiss_kappa(KRIPPENDORFF_2011, per_unit=1)
    with pytest.raises(InputError, match="units x categories"):
        fleiss_kappa_of_counts(np.array([[1, -1]]))


def test_a_table_of_counts_and_the_ratings_behind_it_give_the_same() -> None:
    ratings = np.array(
        [[code for code, n in enumerate(row) for _ in range(n)] for row in FLEISS], dtype=float
    ).T
    assert fleiss_kappa(ratings) == fleiss_kappa_of_counts(FLEISS)


def test_shapes_and_values_that_cannot_be_ratings() -> None:
    with pytest.raises(MismatchError, match="same units"):
        cohen_kappa(np.zeros(3), np.zeros(4))
    with pytest.raises(MismatchError, match="annotators x units"):
        krippendorff_alpha(np.zeros(3))
    with pytest.raises(InputError, match="infinite"):
        cohen_kappa(np.array([np.inf]), np.zeros(1))
    with pytest.raises(InputError, match="infinite"):
        krippendorff_alpha(np.array([[np.inf], [0.0]]))
    with pytest.raises(MismatchError, match="1 names for 2 annotators"):
        over_pairs(APART, cohen_kappa, ["a"])


# --- labels and pairs ----------------------------------------------------------------------------


def test_labels_become_numbers_by_appearance_or_by_scale() -> None:
    rows = [["minor", None, "major"], ["major", "none", "major"]]
    assert np.array_equal(
        coded(rows), np.array([[0, np.nan, 1], [1, 2, 1]], dtype=float), equal_nan=True
    )
    assert np.array_equal(
        coded(rows, ["none", "minor", "major"]),
        np.array([[1, np.nan, 2], [2, 0, 2]], dtype=float),
        equal_nan=True,
    )
    assert coded([]).shape == (0, 0)
    with pytest.raises(InputError, match="'none' is not on the scale"):
        coded(rows, ["minor", "major"])
    with pytest.raises(MismatchError, match="annotator 2 has 1 units, the first has 3"):
        coded([rows[0], ["minor"]])


def test_the_mean_over_pairs_says_how_many_pairs_it_has() -> None:
    ratings = table("""
        1 2 1 2 . .
        1 2 2 2 . .
        . . 1 1 1 1
        . . . . 1 1
    """)
    agreement = over_pairs(ratings, cohen_kappa, ["ann", "ben", "cat", "dan"])
    pairs = {(pair.first, pair.second): pair.value for pair in agreement.pairs}
    assert list(pairs) == [("ann", "ben"), ("ann", "cat"), ("ben", "cat"), ("cat", "dan")]
    assert pairs["cat", "dan"].value is None  # one category: listed, not averaged
    expected = [number(pairs[key]) for key in list(pairs)[:3]]
    mean = agreement.mean
    assert number(mean) == pytest.approx(sum(expected) / 3)
    assert (mean.count, mean.groups) == (4 + 2 + 2, 3)


def test_a_mean_over_undefined_pairs_tells_why() -> None:
    mean = over_pairs(ALIKE, cohen_kappa).mean
    assert (mean.value, mean.count, mean.groups) == (None, 2, 0)
    assert "all ratings are equal" in str(mean.reason)
    assert PairwiseAgreement(()).mean.reason == "no two annotators rated the same unit"


# --- real annotations ----------------------------------------------------------------------------


def markable_marks(shared_data: Path, phenomenon: str) -> tuple[list[str], Floats]:
    """Who marked the phenomenon on which occurrence in which system, in the markable study."""
    marks = {}
    for path in sorted((shared_data / "elitr-wmt20/collected_data/p2").glob("*.json")):
        screens = json.loads(path.read_text(encoding="utf-8"))
        marks[path.stem] = {
            (head, index, system): float(phenomenon in marked)
            for head, occurrences in screens.items()
            for index, systems in occurrences.items()
            for system, marked in systems.items()
            if system not in ("time", "ref")
        }
    units = sorted({unit for marked in marks.values() for unit in marked})
    rows = [[marked.get(unit, np.nan) for unit in units] for marked in marks.values()]
    return list(marks), np.array(rows)


@pytest.mark.parametrize(
    ("phenomenon", "expected"),
    [("inconsistency", 0.37), ("nontranslated", 0.23), ("conflict", 0.03), ("disappearance", 0.21)],
)
def test_f1_between_the_annotators_of_the_markable_study(
    shared_data: Path, phenomenon: str, expected: float
) -> None:
    annotators, ratings = markable_marks(shared_data, phenomenon)
    assert len(annotators) == 16
    pairs = over_pairs(ratings, f1_agreement, annotators).pairs
    assert len(pairs) == 15  # annotators of the same document
    pooled = MarkCounts(0, 0, 0)
    for pair in pairs:
        first, second = annotators.index(pair.first), annotators.index(pair.second)
        pooled += mark_counts(ratings[first], ratings[second])
    assert number(pooled.f1) == pytest.approx(expected, abs=0.005)
    assert same(krippendorff_alpha(ratings), slow_alpha(ratings, "nominal"))
