"""The gate's errors: how often `isogloss check` lets a loss through, and how often it opens.

    python benchmarks/gate.py                  simulated documents alone
    python benchmarks/gate.py path/to/wmt      and real ones

The null of a gate is a true loss as large as is allowed. Made documents lose that much on average;
of real ones two systems are drawn, and what is allowed is the loss that the whole test set shows.
A gate at 5 % should open in 5 % of such trials. It should always open where nothing was lost.

`sign flips` is what ships; `bootstrap` (studentised, symmetric) and `t` are what it was chosen
over, on made documents and the rows marked as development.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from calibration import Population, Share, as_means, real_populations, table, trials_of
from isogloss.comparison import GateSettings, non_inferiority
from isogloss.formula import Formula, MeanFormula
from isogloss.verdicts import Studentised, jackknife_values

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats, float]
"""New and old statistics of some documents, and the loss that is allowed."""
Draw = Callable[[np.random.Generator, int], Pair | None]

SIZES = (5, 6, 8, 10, 15, 20, 30)
LEVEL = 0.05
DRAWS = 999
DEVELOPMENT = ("wmt22/en-de", "wmt21.bio/zh-en")


@dataclass(frozen=True)
class Case:
    """Documents whose truth is known."""

    name: str
    formula: Formula
    draw: Draw


# --- the tests -----------------------------------------------------------------------------------


def sign_flips(gains: Floats, max_drop: float, seed: int) -> float:
    """What `isogloss check` does."""
    return non_inferiority(gains, max_drop, GateSettings(LEVEL, DRAWS, seed))[0]


def bootstrap(gains: Floats, max_drop: float, seed: int) -> float:
    """The studentised bootstrap of `isogloss compare --test bootstrap`, one-sided."""
    drawn = Studentised.of(gains[:, None], DRAWS, seed)
    p = drawn.one_sided_p(0, float(gains.mean()) + max_drop)
    return 1.0 if p is None else p


def student(gains: Floats, max_drop: float, seed: int) -> float:  # noqa: ARG001
    """Student's t of the documents' values."""
    spread = gains.std(ddof=1)
    if not spread:
        return 0.0 if gains.mean() > -max_drop else 1.0
    distance = (gains.mean() + max_drop) / (spread / np.sqrt(len(gains)))
    return float(stats.t.sf(distance, len(gains) - 1))


TESTS = {"sign flips": sign_flips, "bootstrap": bootstrap, "t": student}


# --- what is lost --------------------------------------------------------------------------------


def made(noise: Callable[[np.random.Generator, int], Floats], loss: float, allowed: float) -> Draw:
    """Differences with noise of mean 0 and deviation 1 around a loss."""

    def draw(rng: np.random.Generator, count: int) -> Pair:
        old = rng.normal(0, 3, count)
        return as_means(old - loss + noise(rng, count)), as_means(old), allowed

    return draw


def even(rng: np.random.Generator, count: int) -> Floats:
    """As many documents gain as lose."""
    return rng.normal(0, 1, count)


def few_lose_much(rng: np.random.Generator, count: int) -> Floats:
    """Most documents gain a little, a few lose much."""
    return 1 - rng.exponential(1, count)


def few_gain_much(rng: np.random.Generator, count: int) -> Floats:
    """The other way round."""
    return rng.exponential(1, count) - 1


def few_change(rng: np.random.Generator, count: int) -> Floats:
    """Three documents of ten change at all."""
    return rng.normal(0, np.sqrt(1 / 0.3), count) * (rng.random(count) < 0.3)


def direction(formula: Formula) -> float:
    """-1 for an error rate."""
    return 1.0 if getattr(formula, "higher_is_better", True) else -1.0


def at_the_limit(whole: Population, rng: np.random.Generator, count: int) -> Pair | None:
    """Two systems, and what the worse one truly loses."""
    first, second = rng.choice(len(whole.systems), size=2, replace=False)
    loss = whole.truth(second) - whole.truth(first)
    if direction(whole.formula) * loss < 0:
        first, second = second, first
    chosen = rng.integers(len(whole.systems[0]), size=count)
    return whole.systems[first][chosen], whole.systems[second][chosen], abs(loss)


def nothing_lost(
    allowed: float, whole: Population, rng: np.random.Generator, count: int
) -> Pair | None:
    """Two systems that swapped documents at random: neither lost anything."""
    return *whole.swapped(rng, count), allowed


def a_fifth_changed(
    allowed: float, whole: Population, rng: np.random.Generator, count: int
) -> Pair | None:
    """Two states of one system: every fifth document or so is another one, no better or worse."""
    old, other = whole.swapped(rng, count)
    changed = rng.random((count, 1)) < 0.2
    return np.where(changed, other, old), old, allowed


NOISES = {
    "even": even,
    "few lose much": few_lose_much,
    "few gain much": few_gain_much,
    "few change": few_change,
}


def gains_of(pair: Pair, formula: Formula, sign: float) -> Floats:
    """The values of documents, as the gate makes them."""
    new, old, _ = pair
    values = jackknife_values(new, formula.score_rows) - jackknife_values(old, formula.score_rows)
    scores = [float(formula.score_rows(rows.sum(axis=0)[None])[0]) for rows in (new, old)]
    return sign * (values - values.mean() + scores[0] - scores[1])


def opened(case: Case, test: str, count: int, trials: int, seed: int) -> Share:
    """How often the gate opens."""
    rng = np.random.default_rng([seed, count])
    sign = direction(case.formula)

    def outcomes() -> Iterator[bool | None]:
        for _ in range(trials):
            pair = case.draw(rng, count)
            if pair is None:
                continue
            p = TESTS[test](gains_of(pair, case.formula, sign), pair[2], int(rng.integers(1 << 30)))
            yield p <= LEVEL

    return trials_of(outcomes())


def tables(
    title: str, cases: Sequence[Case], tests: Sequence[str], options: argparse.Namespace
) -> None:
    """A table for each test."""
    for test in tests:
        rows = [
            (c.name, [opened(c, test, n, options.trials, options.seed) for n in SIZES])
            for c in cases
        ]
        table(f"{title}, {test}, by documents", rows, SIZES)


def main() -> None:
    """Simulate, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wmt", nargs="?", type=Path, help="folder of WMT test sets")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default=",".join(TESTS))
    parser.add_argument("--cases", default="", help="only those whose names hold this")
    options = parser.parse_args()
    tests, started = options.tests.split(","), time.time()
    whole = list(real_populations(options.wmt)) if options.wmt else []
    kinds = {p.name: "development" if p.name.endswith(DEVELOPMENT) else "held out" for p in whole}
    mean = MeanFormula()
    limit = [Case(f"made, {n}", mean, made(noise, 1, 1)) for n, noise in NOISES.items()]
    limit += [
        Case(f"{p.name} ({kinds[p.name]})", p.formula, partial(at_the_limit, p)) for p in whole
    ]
    safe = [
        Case(f"made, {name}, allowed {allowed} deviations", mean, made(noise, 0, allowed))
        for name, noise in NOISES.items()
        for allowed in (0.5, 1)
    ]
    safe += [
        Case(f"{p.name}, {what}, allowed {points:g}", p.formula, partial(draw, points, p))
        for what, draw in (("another system", nothing_lost), ("a fifth changed", a_fifth_changed))
        for p in whole
        if p.name.startswith(("bleu", "chrf"))
        for points in (1, 2)
    ]
    limit, safe = ([c for c in cases if options.cases in c.name] for cases in (limit, safe))
    tables("A loss as large as allowed is let through", limit, tests, options)
    tables("Where nothing was lost the gate opens", safe, tests, options)
    print(f"\n{options.trials:,} trials; {time.time() - started:,.0f} s")


if __name__ == "__main__":
    main()
