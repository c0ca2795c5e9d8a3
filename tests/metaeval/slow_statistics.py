"""The same statistics again, slowly: plain loops and scipy, one group and one pair at a time."""

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
Vector = list[float]


def groups(human: Floats, metric: Floats, grouping: str) -> Iterator[tuple[Vector, Vector]]:
    """The scores of each group that people and metric both have."""
    systems, items = human.shape
    cells = {
        "none": [[(s, i) for s in range(systems) for i in range(items)]],
        "item": [[(s, i) for s in range(systems)] for i in range(items)],
        "system": [[(s, i) for i in range(items)] for s in range(systems)],
    }
    for group in cells[grouping]:
        there = [c for c in group if not math.isnan(human[c]) and not math.isnan(metric[c])]
        people = [round(float(human[cell]), 9) for cell in there]
        yield people, [float(metric[cell]) for cell in there]


def correlation(statistic: str, human: Floats, metric: Floats, grouping: str) -> float | None:
    """The mean over the groups that have a value."""
    values = [ONE_GROUP[statistic](h, m) for h, m in groups(human, metric, grouping)]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _by_scipy(function: Callable[..., object], **options: str) -> Callable[..., float | None]:
    def value(human: Vector, metric: Vector) -> float | None:
        if len(human) < 2 or len(set(human)) < 2 or len(set(metric)) < 2:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", stats.NearConstantInputWarning)
            return float(function(human, metric, **options).statistic)  # type: ignore[attr-defined]

    return value


def sign(x: float) -> int:
    return int(x > 0) - int(x < 0)


def _tau_23(human: Vector, metric: Vector) -> float | None:
    share = acc_eq_of_group(human, metric, 0.0)
    return None if share is None else 2 * share - 1


ONE_GROUP: dict[str, Callable[[Vector, Vector], float | None]] = {
    "pearson": _by_scipy(stats.pearsonr),
    "spearman": _by_scipy(stats.spearmanr),
    "tau-b": _by_scipy(stats.kendalltau, variant="b"),
    "tau-c": _by_scipy(stats.kendalltau, variant="c"),
    "tau-23": _tau_23,
}


def acc_eq_of_group(human: Vector, metric: Vector, epsilon: float) -> float | None:
    """The share of pairs on which people and metric say the same."""
    pairs = list(combinations(range(len(human)), 2))
    right = 0
    for i, j in pairs:
        difference = metric[i] - metric[j]
        said = 0 if abs(difference) <= epsilon else sign(difference)
        right += said == sign(human[i] - human[j])
    return right / len(pairs) if pairs else None


def acc_eq(human: Floats, metric: Floats, grouping: str, epsilon: float) -> float | None:
    values = [acc_eq_of_group(h, m, epsilon) for h, m in groups(human, metric, grouping)]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def calibrated_acc_eq(human: Floats, metric: Floats, grouping: str) -> tuple[float, float] | None:
    """The best threshold of all, by running through the pairs in order of their difference."""
    pairs, right, size = [], [], []
    for people, scores in groups(human, metric, grouping):
        if len(people) < 2:
            continue
        right.append(0)
        size.append(len(people) * (len(people) - 1) // 2)
        for i, j in combinations(range(len(people)), 2):
            h, m = sign(people[i] - people[j]), sign(scores[i] - scores[j])
            right[-1] += h == m
            pairs.append((abs(scores[i] - scores[j]), (h == 0) - (h == m), len(right) - 1))
    if not right:
        return None
    best = value = math.fsum(r / n for r, n in zip(right, size, strict=True)) / len(right)
    epsilon = 0.0
    pairs.sort()
    for position, (difference, change, group) in enumerate(pairs):
        value += change / size[group] / len(right)
        last = position + 1 == len(pairs) or pairs[position + 1][0] != difference
        if last and value > best + 1e-12:
            best, epsilon = value, difference
    return best, epsilon


def darr_tau(raw: Floats, metric: Floats) -> float | None:
    concordant = discordant = 0
    for item in range(raw.shape[1]):
        for i, j in combinations(range(len(raw)), 2):
            people = raw[i, item] - raw[j, item]
            scores = metric[i, item] - metric[j, item]
            if math.isnan(people) or math.isnan(scores) or round(abs(people), 9) < 25:
                continue
            if sign(people) == sign(scores):
                concordant += 1
            else:
                discordant += 1
    pairs = concordant + discordant
    return (concordant - discordant) / pairs if pairs else None


def swap_p_value(first: Vector, second: Vector, signs: list[Vector]) -> float:
    """How often flipping differences gives a sum as large as the one observed."""
    differences = [a - b for a, b in zip(first, second, strict=True)]
    observed = sum(differences)
    slack = 1e-9 * (1 + sum(map(abs, differences)))
    sums = [sum(s * d for s, d in zip(row, differences, strict=True)) for row in signs]
    return sum(total >= observed - slack for total in sums) / len(signs)


def soft_pairwise_accuracy(human: Floats, metric: Floats, signs: list[Vector]) -> float | None:
    """`signs` has a column for each item that anyone judged."""
    apart = []
    there = ~np.isnan(human) & ~np.isnan(metric)
    judged = np.flatnonzero(there.any(axis=0))
    for i, j in combinations(range(len(human)), 2):
        columns = [(k, item) for k, item in enumerate(judged) if there[i, item] and there[j, item]]
        if not columns:
            continue
        flips = [[row[k] for k, _ in columns] for row in signs]
        people, scores = (
            swap_p_value(
                [m[i, item] for _, item in columns], [m[j, item] for _, item in columns], flips
            )
            for m in (human, metric)
        )
        apart.append(abs(people - scores))
    return 1 - sum(apart) / len(apart) if apart else None


def resampled(matrix: Floats, weights: Floats, blocks: NDArray[np.intp]) -> Floats:
    """The matrix with each item as often as its block was drawn."""
    times = weights[blocks].astype(int)
    return np.repeat(matrix, times, axis=1)
