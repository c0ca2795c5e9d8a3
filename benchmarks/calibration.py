"""Do verdicts hold? False positives, power and coverage, where the truth is known.

    python benchmarks/calibration.py                       simulated documents alone
    python benchmarks/calibration.py path/to/wmt           and real ones
    python benchmarks/calibration.py path/to/wmt --part tests,intervals,metaeval,tune

Simulated documents have a known mean. Real ones make known truths in two ways:

* two systems' translations of each document are swapped at random: no system is better, and a
  test at 5 % should call a difference real in 5 % of the trials;
* documents are drawn with replacement from a whole test set: that set is the truth, and a 95 %
  interval should hold its score in 95 % of the trials.

Every figure has its standard error; 2,000 trials make one of half a point.
"""

import argparse
import lzma
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import isogloss
from isogloss.comparison import ComparisonSettings
from isogloss.comparison.ranking import Sample
from isogloss.formula import Formula, MeanFormula
from isogloss.metaeval import (
    Differences,
    Interval,
    Matched,
    Moments,
    Observations,
    Preference,
    Resampling,
    best_weights,
    correlation_interval,
    held_out,
)
from isogloss.metaeval import Statistic as TaskStatistic
from isogloss.metaeval.average import Part, averages_of
from isogloss.metaeval.intervals import (
    acc_eq_interval,
    pairwise_accuracy_interval,
    soft_pairwise_accuracy_interval,
    system_correlation_interval,
)
from isogloss.metaeval.matrix import Value
from isogloss.metaeval.pairwise_difference import pairwise_difference_interval
from isogloss.metaeval.permutation import Draws
from isogloss.metaeval.ranking import Flips
from isogloss.metaeval.significance import (
    pair_permutation,
    paired_bootstrap,
    pdp_permutation,
    perm_both,
    williams,
)
from isogloss.metrics import metric_of_signature
from isogloss.tuning import Gain
from isogloss.tuning import TuneSettings as TuningSettings

Floats = NDArray[np.float64]
Drawer = Callable[[np.random.Generator, int], Floats]
PairDrawer = Callable[[np.random.Generator, int], tuple[Floats, Floats]]

SIZES = (3, 4, 5, 6, 7, 8, 10, 20, 50, 200)
TESTS = ("randomisation", "bootstrap", "sacrebleu")
LEVEL = 0.05
DRAWS = 999
"""Random ways to swap, and resamples, of each trial; a user has ten times as many."""


@dataclass(frozen=True)
class Share:
    """How often something happened."""

    hits: int
    trials: int

    def __str__(self) -> str:
        if not self.trials:
            return "–"
        share = self.hits / self.trials
        return f"{share:.3f}±{np.sqrt(share * (1 - share) / self.trials):.3f}"


def trials_of(drawn: Iterable[bool | None]) -> Share:
    """Of those trials that came to a verdict at all."""
    outcomes = [outcome for outcome in drawn if outcome is not None]
    return Share(sum(outcomes), len(outcomes))


def table(title: str, rows: Sequence[tuple[str, Sequence[object]]], sizes: Sequence[int]) -> None:
    """Print a table as Markdown."""
    print(f"\n{title}\n")
    print(f"| | {' | '.join(map(str, sizes))} |\n|---|{'---|' * len(sizes)}")
    for name, cells in rows:
        print(f"| {name} | {' | '.join(map(str, cells))} |", flush=True)


# --- documents whose truth is known --------------------------------------------------------------


@dataclass(frozen=True)
class Population:
    """Documents to draw from: their statistics (documents x k, system by system), and a formula."""

    name: str
    formula: Formula
    systems: tuple[Floats, ...]

    def truth(self, system: int = 0) -> float:
        return float(self.formula.score_rows(self.systems[system].sum(axis=0)[None])[0])

    def drawn(self, rng: np.random.Generator, count: int) -> Floats:
        """Documents of the first system, drawn with replacement."""
        rows = self.systems[0]
        return rows[rng.integers(len(rows), size=count)]

    def swapped(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        """Two systems that have swapped documents at random: neither is better."""
        one, other = self.two(rng, count)
        swap = rng.integers(2, size=(count, 1)) > 0
        return np.where(swap, other, one), np.where(swap, one, other)

    def two(self, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
        """Two systems as they are, on documents drawn with replacement."""
        first, second = rng.choice(len(self.systems), size=2, replace=False)
        chosen = rng.integers(len(self.systems[0]), size=count)
        return self.systems[first][chosen], self.systems[second][chosen]


def as_means(values: Floats) -> Floats:
    """Statistics of a metric that is a mean over documents."""
    return np.stack([values, np.ones(len(values))], axis=1)


def normal(shift: float = 0.0) -> PairDrawer:
    """Two systems of normal scores, the first ahead by some deviations."""
    return lambda rng, n: (as_means(rng.normal(shift, 1, n)), as_means(rng.normal(0, 1, n)))


def skewed_differences(rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """No difference on average, but a few documents that one system gets much better."""
    common = rng.normal(0, 1, count)
    return as_means(common + rng.exponential(1, count) - 1), as_means(common)


def real_populations(wmt: Path) -> Iterator[Population]:
    """BLEU, chrF, TER, cohesion, ltcr and means of stored scores, of a few systems each."""
    for lp, metrics in REAL:
        collection = isogloss.read(wmt / lp)
        machines = [output for output in collection.outputs if not output.human][:SYSTEMS]
        chosen = replace(collection, outputs=tuple(machines))
        for metric in metrics:
            scores = isogloss.evaluate(chosen, [metric])
            measured = [[d.measurement for d in row.documents] for row in scores.rows]
            # A document that one system is not scored on is no document of a pair.
            scored = [all(each.scored for each in column) for column in zip(*measured, strict=True)]
            systems = [np.vstack([m.statistics for m in row])[scored] for row in measured]
            formula = metric_of_signature(scores.metrics[0].signature)
            yield Population(f"{metric}, {lp}", formula, tuple(systems))


REAL = (
    ("wmt20/zh-en", ("chrf", "ltcr(aligner=fast-align)")),
    ("wmt21.bio/zh-en", ("ter",)),
    ("wmt22/en-de", ("bleu", "cohesion")),
    ("wmt23/en-de", ("bleu", "chrf")),
)
SYSTEMS = 4


def stored_population(folder: Path, metric: str) -> Population:
    """Documents' sums of a metric's stored segment scores: a metric that is a mean."""
    study = Stored.read(folder, metric)
    documents = np.unique(study.document, return_inverse=True)[1]
    systems = []
    for row in study.metric:
        columns = np.stack([row, np.ones(len(row))], axis=1)
        sums = np.zeros((documents.max() + 1, 2))
        np.add.at(sums, documents, columns)
        systems.append(sums)
    return Population(f"{metric}, {folder.parent.name}", MeanFormula(), tuple(systems))


# --- tests and intervals of systems --------------------------------------------------------------


def p_value(test: str, formula: Formula, pair: tuple[Floats, Floats], seed: int) -> float | None:
    """What `isogloss compare` says of two systems."""
    settings = ComparisonSettings(test=test, resamples=DRAWS, seed=seed)  # type: ignore[arg-type]
    (found,) = Sample(formula, settings, {"a": pair[0], "b": pair[1]}).tests([("a", "b")])
    return found.p


def rejections(
    test: str, formula: Formula, draw: PairDrawer, count: int, trials: int, seed: int
) -> Share:
    """How often a test calls a difference real."""
    rng = np.random.default_rng([seed, count])

    def outcomes() -> Iterator[bool | None]:
        for _ in range(trials):
            p = p_value(test, formula, draw(rng, count), int(rng.integers(1 << 30)))
            yield None if p is None else p <= LEVEL

    return trials_of(outcomes())


def coverage(
    formula: Formula, draw: Drawer, truth: float, count: int, trials: int, seed: int
) -> Share:
    """How often the interval of a score holds the truth."""
    rng = np.random.default_rng([seed, count])

    def outcomes() -> Iterator[bool | None]:
        for _ in range(trials):
            settings = ComparisonSettings(resamples=DRAWS, seed=int(rng.integers(1 << 30)))
            found = Sample(formula, settings, {"a": draw(rng, count)}).intervals()["a"]
            yield None if found is None else found[0] <= truth <= found[1]

    return trials_of(outcomes())


def report_tests(populations: Sequence[Population], options: argparse.Namespace) -> None:
    """False positives of every test, and how often real differences are found."""
    nulls: list[tuple[str, Formula, PairDrawer]] = [
        ("normal", MeanFormula(), normal()),
        ("skewed differences", MeanFormula(), skewed_differences),
        *((f"{p.name}, swapped", p.formula, p.swapped) for p in populations),
    ]
    for test in TESTS:
        rows = [
            (name, [rejections(test, f, d, n, options.trials, options.seed) for n in options.sizes])
            for name, f, d in nulls
        ]
        table(f"False positives at 5 %, {test}, by documents", rows, options.sizes)
    effects: list[tuple[str, Formula, PairDrawer]] = [
        ("normal, half a deviation", MeanFormula(), normal(0.5)),
        *((f"{p.name}, as they are", p.formula, p.two) for p in populations),
    ]
    fewer = max(200, options.trials // 4)
    for test in TESTS[:2]:
        rows = [
            (name, [rejections(test, f, d, n, fewer, options.seed) for n in options.sizes])
            for name, f, d in effects
        ]
        table(f"Differences found (power), {test}, by documents", rows, options.sizes)


def report_intervals(populations: Sequence[Population], options: argparse.Namespace) -> None:
    """Coverage of the intervals of scores."""
    cases: list[tuple[str, Formula, Drawer, float]] = [
        ("normal", MeanFormula(), lambda rng, n: as_means(rng.normal(0, 1, n)), 0.0),
        ("exponential", MeanFormula(), lambda rng, n: as_means(rng.exponential(1, n)), 1.0),
        (
            "log-normal",
            MeanFormula(),
            lambda rng, n: as_means(rng.lognormal(0, 1, n)),
            float(np.exp(0.5)),
        ),
        *((p.name, p.formula, p.drawn, p.truth()) for p in populations),
    ]
    rows = [
        (name, [coverage(f, d, truth, n, options.trials, options.seed) for n in options.sizes])
        for name, f, d, truth in cases
    ]
    table("Coverage of the 95 % interval of a score, by documents", rows, options.sizes)


# --- meta-evaluation -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Stored:
    """Human and metric scores of a test set (systems x segments), and the segments' documents."""

    human: Floats
    metric: Floats
    document: NDArray[np.intp]

    @classmethod
    def read(cls, folder: Path, metric: str) -> "Stored":
        people, human = _columns(folder / "human.mqm.tsv.xz")
        systems, scores = _columns(folder / f"metric.{metric}.tsv.xz")
        both = [name for name in people if name in systems and "ref" not in name]
        rows = human[[people.index(name) for name in both]]
        judged = ~np.isnan(rows).any(axis=0)
        with lzma.open(folder / "segs.tsv.xz", "rt") as lines:
            documents = [line.split("\t")[1] for line in lines][1:]
        return cls(
            rows[:, judged],
            scores[[systems.index(name) for name in both]][:, judged],
            np.unique(np.array(documents)[judged], return_inverse=True)[1],
        )

    def drawn(self, rng: np.random.Generator, count: int) -> "Stored":
        """Documents drawn with replacement, each draw a document of its own."""
        members = [np.flatnonzero(self.document == d) for d in range(self.document.max() + 1)]
        chosen = [members[d] for d in rng.integers(len(members), size=count)]
        columns = np.concatenate(chosen)
        numbers = np.repeat(np.arange(count), [len(each) for each in chosen])
        return Stored(self.human[:, columns], self.metric[:, columns], numbers)


def _columns(file: Path) -> tuple[list[str], Floats]:
    with lzma.open(file, "rt") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    numbers = [[float(cell) if cell not in ("", "\\N") else np.nan for cell in r] for r in rows[1:]]
    return rows[0], np.array(numbers).T


Statistic = Callable[[Stored, Resampling], Interval]


def _system_flips(stored: Stored, resampling: Resampling) -> Interval:
    return soft_pairwise_accuracy_interval(
        stored.human, stored.metric, flips=Flips(200), resampling=resampling
    )


STATISTICS: dict[str, Statistic] = {
    "segments, Pearson": lambda s, r: correlation_interval(
        "pearson", s.human, s.metric, resampling=r
    ),
    "segments, acc_eq by item": lambda s, r: acc_eq_interval(s.human, s.metric, resampling=r)[1],
    "segments, tau-b by item": lambda s, r: correlation_interval(
        "tau-b", s.human, s.metric, "item", resampling=r
    ),
    "segments, PDP": lambda s, r: pairwise_difference_interval(s.human, s.metric, resampling=r),
    "systems, Pearson": lambda s, r: system_correlation_interval(
        "pearson", s.human, s.metric, resampling=r
    ),
    "systems, pairwise accuracy": lambda s, r: pairwise_accuracy_interval(
        [(s.human, s.metric)], resamplings=[r]
    ),
    "systems, soft pairwise accuracy": _system_flips,
}


def _average(stored: Stored, resampling: Resampling) -> Interval:
    """The average of WMT23's task, from the statistics above."""
    named = {
        "systems, pairwise accuracy": TaskStatistic("system", "pairwise-accuracy", weight=3),
        "systems, Pearson": TaskStatistic("system", "pearson"),
        "segments, Pearson": TaskStatistic("segment", "pearson"),
        "segments, acc_eq by item": TaskStatistic("segment", "acc-eq", "item"),
    }
    parts = [Part("a", each, STATISTICS[name](stored, resampling)) for name, each in named.items()]
    found = averages_of({"": parts}, resampling, 0.95, None, None)[""]
    reason = None if found.value is not None else "undefined"
    return Interval(Value(found.value, 0, reason=reason), found.low, found.high)


STATISTICS["average of wmt23"] = _average


def report_metaeval(wmt: Path, options: argparse.Namespace) -> None:
    """Coverage and false positives in judging metrics."""
    folder = wmt / "wmt23" / "en-de"
    sizes = [size for size in options.sizes if 5 <= size <= 100]
    rows = []
    for metric in ("COMET-refA", "chrF-refA"):
        whole = Stored.read(folder, metric)
        for name in STATISTICS:
            fewer = min(options.trials, 500) if "soft" in name else options.trials
            cells = [_covered(whole, name, size, fewer, options.seed) for size in sizes]
            rows.append((f"{metric.split('-')[0]}, {name}", cells))
    table("Coverage of the 95 % interval of agreement with people, by documents", rows, sizes)
    both = Stored.read(folder, "COMET-refA"), Stored.read(folder, "BLEURT-20-refA")
    rows = [
        (name, [_falsely_ahead(*both, test, n, options.trials // 2, options.seed) for n in sizes])
        for name, test in METRIC_TESTS.items()
    ]
    table("One metric falsely better than another at 5 %, one-sided, by documents", rows, sizes)


def _covered(whole: Stored, name: str, size: int, trials: int, seed: int) -> Share:
    """How often an interval holds the value on the whole set.

    The p-values of soft pairwise accuracy sharpen with every document, so that it is another
    quantity on few documents than on many: there the truth is its mean over sets of the same size.
    """
    rng, statistic = np.random.default_rng([seed, size]), STATISTICS[name]
    found = []
    for _ in range(trials):
        sample = whole.drawn(rng, size)
        found.append(statistic(sample, Resampling(DRAWS, blocks=sample.document)))
    truth = statistic(whole, Resampling(99, blocks=whole.document)).value.value
    if "soft" in name:
        truth = float(np.mean([each.value.value for each in found]))
    return trials_of(
        None
        if each.low is None or each.high is None or truth is None
        else each.low - 1e-9 <= truth <= each.high + 1e-9
        for each in found
    )


MetricTest = Callable[[Floats, dict[str, Floats], NDArray[np.intp], int], float | None]

METRIC_TESTS: dict[str, MetricTest] = {
    "PERM-BOTH, Pearson": lambda h, m, b, s: (
        perm_both(h, m, blocks=b, draws=Draws(199, s)).tests["a", "b"].p
    ),
    "PERM-BOTH, tau-b by item": lambda h, m, b, s: (
        perm_both(h, m, "tau-b", "item", blocks=b, draws=Draws(199, s)).tests["a", "b"].p
    ),
    "swapped decisions, acc_eq by item": lambda h, m, b, s: (
        pair_permutation(h, m, blocks=b, draws=Draws(199, s)).tests["a", "b"].p
    ),
    "PERM-BOTH, PDP": lambda h, m, b, s: (
        pdp_permutation(h, m, blocks=b, draws=Draws(199, s)).tests["a", "b"].p
    ),
    "swapped decisions, tau-b by item (by segment)": lambda h, m, _, s: (
        pair_permutation(h, m, statistic="tau-b", draws=Draws(199, s)).tests["a", "b"].p
    ),
    "Williams, Pearson (no documents)": lambda h, m, _b, _s: williams(h, m).tests["a", "b"].p,
    "Williams, Pearson by item (no documents)": lambda h, m, _b, _s: (
        williams(h, m, "item").tests["a", "b"].p
    ),
    "studentised bootstrap, Pearson": lambda h, m, b, s: (
        paired_bootstrap(h, m, resampling=Resampling(199, s, b)).tests["a", "b"].p
    ),
}


def _falsely_ahead(
    one: Stored, other: Stored, test: MetricTest, size: int, trials: int, seed: int
) -> Share:
    """Two metrics, standardised, that have swapped their scores of documents at random."""
    rng = np.random.default_rng([seed, size])
    sides = [(side.metric - side.metric.mean()) / side.metric.std() for side in (one, other)]

    def outcomes() -> Iterator[bool | None]:
        for _ in range(trials):
            sample = replace(one, metric=np.arange(one.metric.size).reshape(one.metric.shape))
            drawn = sample.drawn(rng, size)
            places = drawn.metric.astype(np.intp)
            swap = rng.integers(2, size=size)[drawn.document] > 0
            first, second = (side.ravel()[places] for side in sides)
            mixed = {"a": np.where(swap, second, first), "b": np.where(swap, first, second)}
            p = test(drawn.human, mixed, drawn.document, int(rng.integers(1 << 30)))
            yield None if p is None else p <= LEVEL

    return trials_of(outcomes())


# --- what hybrids gain, and what people see ------------------------------------------------------


def report_tuning(wmt: Path | None, options: argparse.Namespace) -> None:
    """Hybrids with a part that knows nothing, and shares of pairs on which people agree."""
    sizes = [size for size in options.sizes if 10 <= size <= 100]
    trials = max(200, options.trials // 4)
    cells = [_useless_part_gains(size, trials, options.seed) for size in sizes]
    table(
        "A part that is noise is said to help at 5 % (tune)", [("held out, Pearson", cells)], sizes
    )
    if wmt:
        whole = Stored.read(wmt / "wmt23" / "en-de", "COMET-refA")
        cells = [_agreed_share_covered(whole, size, trials, options.seed) for size in sizes]
        rows = [("COMET, all pairs of segments", cells)]
        table("Coverage of the interval of how often people agree (difference)", rows, sizes)


def _useless_part_gains(size: int, trials: int, seed: int) -> Share:
    """Six systems; one part sees their quality, the other is chance."""
    rng = np.random.default_rng([seed, size])
    blocks = np.arange(size)

    def outcomes() -> Iterator[bool | None]:
        for _ in range(trials):
            quality = rng.normal(size=(6, size)) + rng.normal(size=(6, 1))
            human, useful = (quality + rng.normal(size=quality.shape) for _ in range(2))
            observed = Observations.of(human, [useful, rng.normal(size=quality.shape)])
            unseen = held_out(observed, blocks, lambda o: best_weights(Moments.of(o)), folds=5)
            settings = TuningSettings(resamples=DRAWS)
            resampling = Resampling(DRAWS, settings.seed, blocks)
            hybrid, part = (
                correlation_interval("pearson", human, scores, resampling=resampling)
                for scores in (unseen.scores, useful)
            )
            p = Gain.between("useful", "pearson", hybrid, part, settings).p
            yield None if p is None else p <= LEVEL

    return trials_of(outcomes())


def _agreed_share_covered(whole: Stored, size: int, trials: int, seed: int) -> Share:
    rng = np.random.default_rng([seed, size])

    def agreed(stored: Stored, with_intervals: bool) -> Preference:
        matched = Matched(
            "segment", tuple(map(str, range(len(stored.human)))), stored.human,
            {"metric": stored.metric}, stored.document,
        )  # fmt: skip
        return Differences.of(matched, "metric").bins(1, with_intervals=with_intervals)[0]

    truth = agreed(whole, with_intervals=False).same

    def outcomes() -> Iterator[bool | None]:
        for _ in range(trials):
            found = agreed(whole.drawn(rng, size), with_intervals=True).interval
            yield None if found is None else found[0] <= truth <= found[1]

    return trials_of(outcomes())


# --- the command ---------------------------------------------------------------------------------


def main() -> None:
    """Simulate, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wmt", nargs="?", type=Path, help="folder of WMT test sets")
    parser.add_argument("--part", default="tests,intervals,metaeval,tune")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    options = parser.parse_args()
    options.sizes = [int(size) for size in options.sizes.split(",")]
    parts, started = options.part.split(","), time.time()
    populations: list[Population] = []
    if options.wmt and {"tests", "intervals"} & set(parts):
        populations += real_populations(options.wmt)
        populations.append(stored_population(options.wmt / "wmt23" / "en-de", "prismRef-refA"))
    if "tests" in parts:
        report_tests(populations, options)
    if "intervals" in parts:
        report_intervals(populations, options)
    if options.wmt and "metaeval" in parts:
        report_metaeval(options.wmt, options)
    if "tune" in parts:
        report_tuning(options.wmt, options)
    print(f"\n{options.trials:,} trials, {DRAWS} draws each; {time.time() - started:,.0f} s")


if __name__ == "__main__":
    main()
