"""Meta-evaluation against the usual method: loops over items, pairs and draws.

    python benchmarks/metaeval.py FOLDER [--rounds 5] [--most 1000000]

FOLDER is a WMT folder with stored metrics, such as wmt23/en-de. The usual method is written as it
is done elsewhere: plain Python over pairs for the calibration of acc_eq, scipy.stats item by item
and draw by draw for the tests. Both sides run in turn in the same process, the figures are medians
(but for what takes isogloss seconds, which runs once), and the results are checked to be equal. The
usual side of the tests is timed on a few draws of a few pairs of metrics and extrapolated to all of
them. For the pair permutation isogloss draws nothing, its p-value is a binomial tail; the line
below it draws. Last comes the cost of the fast side alone for more and more segments, made up.
"""

import argparse
import resource
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from scipy import stats

from isogloss.formats import read_collection, wmt_tables
from isogloss.metaeval import Resampling, acc_eq, kendall, pearson
from isogloss.metaeval.intervals import acc_eq_interval
from isogloss.metaeval.permutation import Draws
from isogloss.metaeval.ranking import soft_pairwise_accuracy
from isogloss.metaeval.significance import pair_permutation, perm_both
from isogloss.report import new_figure, save_plot

DRAWS = 1000
Matrix = Any


def seconds(work: Callable[..., Any], *given: Any, **options: Any) -> tuple[float, Any]:
    """How long it takes, and what comes out."""
    start = perf_counter()
    result = work(*given, **options)
    return perf_counter() - start, result


def read(folder: Path) -> tuple[Matrix, dict[str, Matrix]]:
    """Judged segments only: human scores and those of every metric, systems x segments."""
    collection = read_collection(folder)
    systems = [output.name for output in collection.outputs]
    means = wmt_tables.read_judgements(folder, "mqm", collection).segment_means()
    table = wmt_tables.read_metric_scores(folder, collection)
    places = [(d.id, i) for d in collection.testset.documents for i in range(len(d))]
    human = np.array([[means.get((s, *place), np.nan) for place in places] for s in systems])
    judged = ~np.isnan(human).any(axis=0)
    metrics = {}
    for metric in table.metrics:
        rows = [
            [x for d in table[metric.name, s].documents for x in d.measurement.segment_scores or ()]
            for s in systems
        ]
        metrics[metric.name] = np.array(rows, dtype=float)[:, judged]
    return np.round(human[:, judged], 9), metrics


# --- the usual method ----------------------------------------------------------------------------


def sign(x: float) -> int:
    """-1, 0 or 1."""
    return (x > 0) - (x < 0)


class Counts:
    """Concordant, discordant, tied by people, by the metric, by both."""

    def __init__(self, **kinds: int) -> None:
        self.same = kinds.get("same", 0)
        self.opposite = kinds.get("opposite", 0)
        self.people = kinds.get("people", 0)
        self.metric = kinds.get("metric", 0)
        self.both = kinds.get("both", 0)

    def add(self, other: "Counts", times: int = 1) -> None:
        """Count other pairs too, or no longer."""
        self.same += times * other.same
        self.opposite += times * other.opposite
        self.people += times * other.people
        self.metric += times * other.metric
        self.both += times * other.both

    def accuracy(self) -> float:
        """acc_eq of these pairs."""
        pairs = self.same + self.opposite + self.people + self.metric + self.both
        return (self.same + self.both) / pairs


def kind(people: int, scores: int) -> Counts:
    """What a pair counts as."""
    if not people:
        return Counts(people=1) if scores else Counts(both=1)
    if not scores:
        return Counts(metric=1)
    return Counts(same=1) if people == scores else Counts(opposite=1)


def usual_acc_eq(human: Matrix, metric: Matrix) -> float:
    """All pairs as a list, sorted by difference; each turned into a tie in its turn."""
    pairs, items = [], []
    for people, scores in zip(human.T.tolist(), metric.T.tolist(), strict=True):
        known = [(h, m) for h, m in zip(people, scores, strict=True) if h is not None]
        item = Counts()
        items.append(item)
        for (h1, m1), (h2, m2) in combinations(known, 2):
            counts = kind(sign(h1 - h2), sign(m1 - m2))
            item.add(counts)
            pairs.append((abs(m1 - m2), counts, kind(sign(h1 - h2), 0), item))
    total = sum(item.accuracy() for item in items)
    thresholds, values = [0.0], [total / len(items)]
    pairs.sort(key=lambda pair: pair[0])
    for difference, counts, as_tie, item in pairs:
        total -= item.accuracy()
        item.add(counts, -1)
        item.add(as_tie)
        total += item.accuracy()
        if thresholds[-1] == difference:
            values[-1] = total / len(items)
        else:
            thresholds.append(difference)
            values.append(total / len(items))
    return max(values)


def differences(scores: Matrix, epsilon: float) -> Matrix:
    """Signs of the differences of one item's scores, all with all."""
    apart = scores[:, None] - scores[None, :]
    return np.where(np.abs(apart) <= epsilon, 0.0, np.sign(apart))


def usual_pair_draws(human: Matrix, one: Matrix, other: Matrix, epsilons: Any, draws: int) -> float:
    """Item by item a random matrix says whose decisions each mixture takes."""
    rng = np.random.default_rng(0)
    people = [differences(h, 0.0) for h in human.T]
    sides = [
        [differences(m, e) for m in side.T] for side, e in zip((one, other), epsilons, strict=True)
    ]
    size = len(human) * (len(human) - 1)

    def accuracy(said: list[Matrix]) -> float:
        shares = [((h == m).sum() - len(h)) / size for h, m in zip(people, said, strict=True)]
        return float(np.mean(shares))

    null = []
    for _ in range(draws):
        first, second = [], []
        for a, b in zip(*sides, strict=True):
            take = np.triu(rng.binomial(1, 0.5, a.shape))
            take = take + take.T
            first.append(take * a + (1 - take) * b)
            second.append((1 - take) * a + take * b)
        null.append(accuracy(first) - accuracy(second))
    observed = accuracy(sides[0]) - accuracy(sides[1])
    assert len([d for d in null if d >= observed]) <= draws
    return observed


def usual_perm_both(human: Matrix, one: Matrix, other: Matrix, by_item: bool, draws: int) -> float:
    """Mix the standardised scores, and correlate item by item with scipy."""
    rng = np.random.default_rng(0)
    one, other = stats.zscore(one, axis=None), stats.zscore(other, axis=None)

    def value(scores: Matrix) -> float:
        if not by_item:
            return float(stats.pearsonr(human.ravel(), scores.ravel()).statistic)
        taus = [stats.kendalltau(h, m).statistic for h, m in zip(human.T, scores.T, strict=True)]
        return float(np.nanmean(taus))

    null = []
    for _ in range(draws):
        take = rng.binomial(1, 0.5, human.shape)
        null.append(value(take * one + (1 - take) * other) - value(take * other + (1 - take) * one))
    observed = value(one) - value(other)
    assert len([d for d in null if d >= observed]) <= draws
    return observed


# --- side by side --------------------------------------------------------------------------------


def report(what: str, usual: float, ours: float, target: float) -> None:
    """One line of the table."""
    print(
        f"{what:<58}{usual:>11.2f} s{ours:>10.4f} s{usual / ours:>9.0f} x   (goal {target:.0f} x)"
    )


def compare_calibration(human: Matrix, metrics: dict[str, Matrix], rounds: int) -> None:
    """acc_eq by item with full calibration, of one metric after the other."""
    chosen = list(metrics)[: max(rounds, 3)]
    times: list[tuple[float, float]] = []
    for name in chosen:
        usual, value = seconds(usual_acc_eq, human, metrics[name])
        ours, found = seconds(acc_eq, human, metrics[name])
        assert abs(found.value.value - value) < 1e-9, (name, found, value)
        times.append((usual, ours))
    report(
        "acc_eq by item, full calibration (one metric)", *map(median, zip(*times, strict=True)), 30
    )


def compare_pair_test(human: Matrix, metrics: dict[str, Matrix], rounds: int) -> None:
    """All pairs of metrics; the usual side on 3 draws of some pairs."""
    pairs = list(combinations(metrics, 2))
    some = pairs[:: max(1, len(pairs) // rounds)][:rounds]
    drawn, ours = [], []
    for first, second in some:
        one, other = metrics[first], metrics[second]
        epsilons = [acc_eq(human, m).epsilon for m in (one, other)]
        usual, difference = seconds(usual_pair_draws, human, one, other, epsilons, 3)
        drawn.append(usual / 4)  # three draws and the observed difference
        fast, found = seconds(pair_permutation, human, metrics, draws=Draws(DRAWS))
        assert abs(found.tests[first, second].difference - difference) < 1e-9
        ours.append(fast)
    usual = median(drawn) * DRAWS * len(pairs)
    report(f"acc_eq pair permutation, {len(pairs)} pairs, exact p (*)", usual, median(ours), 150)
    items = np.arange(human.shape[1])
    by_item = [seconds(pair_permutation, human, metrics, blocks=items)[0] for _ in some]
    report("  the same, swapping whole segments, really drawn (*)", usual, median(by_item), 150)


def compare_perm_both(human: Matrix, metrics: dict[str, Matrix], rounds: int) -> None:
    """PERM-BOTH of Pearson over all cells and of tau-b by item, all pairs of metrics."""
    pairs = list(combinations(metrics, 2))
    some = pairs[:: max(1, len(pairs) // rounds)][:rounds]
    for statistic, grouping in (("pearson", "none"), ("tau-b", "item")):
        by_item, draws = grouping == "item", 2 if grouping == "item" else 50
        drawn, ours = [], []
        for number, (first, second) in enumerate(some):
            one, other = metrics[first], metrics[second]
            usual, difference = seconds(usual_perm_both, human, one, other, by_item, draws)
            drawn.append(usual / (draws + 1))
            if number == 0 or not by_item:  # the slower one takes seconds: once will do
                fast, found = seconds(perm_both, human, metrics, statistic, grouping)
                ours.append(fast)
            assert abs(found.tests[first, second].difference - difference) < 1e-9
        usual = median(drawn) * DRAWS * len(pairs)
        what = f"PERM-BOTH, {statistic} ({grouping}), {len(pairs)} pairs of metrics (*)"
        report(what, usual, median(ours), 30)


def whole_matrix(human: Matrix, metrics: dict[str, Matrix]) -> None:
    """Everything that a table of 20 metrics needs."""
    start = perf_counter()
    for ranks in (
        pair_permutation(human, metrics).ranks(),
        perm_both(human, metrics).ranks(),
        perm_both(human, metrics, "tau-b", "item").ranks(),
    ):
        assert len(ranks) == len(metrics)
    taken = perf_counter() - start
    print(
        f"significance matrices of {len(metrics)} metrics (acc_eq, Pearson and tau-b by item), "
        f"{DRAWS} draws: {taken:.1f} s   (goal 60 s)"
    )


# --- more and more segments ----------------------------------------------------------------------


def made_up(segments: int, systems: int = 12) -> tuple[Matrix, Matrix, Matrix]:
    """Human scores on the levels of MQM, and two metrics."""
    rng = np.random.default_rng(segments)
    quality = rng.gamma(1.0, 3.0, (systems, segments))
    human = -np.round(np.maximum(quality - 1, 0.0), 0)
    one, other = (-quality + rng.normal(size=quality.shape) * noise for noise in (4.0, 5.0))
    return human, one, other


def growth(most: int) -> tuple[list[int], dict[str, list[float]]]:
    """Seconds for each statistic, by the number of segments."""
    columns = "Pearson", "by item", "tau-b item", "acc_eq item", "its interval", "pair test", "SPA"
    print("\nseconds, 12 systems; SPA has 1,000 draws")
    print(f"{'segments':>10}" + "".join(f"{name:>14}" for name in columns) + f"{'peak GB':>10}")
    sizes = [size for size in (1_000, 10_000, 100_000, 1_000_000) if size <= most]
    curves: dict[str, list[float]] = {name: [] for name in columns}
    for segments in sizes:
        human, one, other = made_up(segments)
        times = [
            seconds(pearson, human, one),
            seconds(pearson, human, one, "item"),
            seconds(kendall, human, one, "item"),
            seconds(acc_eq, human, one),
            seconds(acc_eq_interval, human, one, resampling=Resampling()),
            seconds(pair_permutation, human, {"one": one, "other": other}),
            seconds(soft_pairwise_accuracy, human, one),
        ]
        cells = "".join(f"{taken:>14.3f}" for taken, _ in times)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{segments:>10,}{cells}{peak:>10.1f}", flush=True)
        for name, (taken, _) in zip(columns, times, strict=True):
            curves[name].append(taken)
    return sizes, curves


def draw_growth(sizes: list[int], curves: dict[str, list[float]], path: Path) -> None:
    """Seconds against segments, both axes logarithmic: a straight line of slope 1 is linear."""
    figure, axes = new_figure(6.4, 4.2)
    for name, taken in curves.items():
        axes.loglog(sizes, taken, marker="o", label=name)
    axes.set(xlabel="segments (12 systems)", ylabel="seconds")
    axes.legend(fontsize="small")
    save_plot(figure, path)


def main() -> None:
    """Run both sides and print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--plot", type=Path, help="where to draw cost against segments")
    arguments = parser.parse_args()
    human, metrics = read(arguments.folder)
    systems, segments = human.shape
    print(f"{systems} systems x {segments} segments, {len(metrics)} metrics, {DRAWS} draws")
    print(f"{'':<58}{'usual':>13}{'isogloss':>12}{'ratio':>11}")
    compare_calibration(human, metrics, arguments.rounds)
    compare_pair_test(human, metrics, arguments.rounds)
    compare_perm_both(human, metrics, arguments.rounds)
    print("(*) usual: timed on a few draws of a few pairs, extrapolated to all draws and pairs")
    whole_matrix(human, metrics)
    sizes, curves = growth(arguments.most)
    if arguments.plot:
        draw_growth(sizes, curves, arguments.plot)


if __name__ == "__main__":
    main()
