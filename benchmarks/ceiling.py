"""Do intervals of the noise ceiling, and of a metric's share of it, hold the truth?

    python benchmarks/ceiling.py [--trials 400] [--sizes 5,10,20,50] [--annotators 2,3,5]

Made campaigns: eight systems whose quality varies by document and segment, judged by a few
annotators who are strict or mild and careful or careless, each in their own way; a metric that sees
the quality with errors of its own. What other documents would give is known from many of them,
judged by the same annotators, or by others who were drawn in the same way.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calibration import Share, table, trials_of
from isogloss.metaeval import Interval, Resampling, Statistic, noise_ceiling
from isogloss.metaeval.ceiling import CeilingSettings, NoiseCeiling
from isogloss.metaeval.means import document_scores
from isogloss.metaeval.measured import interval_between, value_of
from isogloss.metaeval.people import Ratings

Floats = NDArray[np.float64]
SYSTEMS, SEGMENTS, POOLS = 8, 5, 8
MANY, RESAMPLES, SPLITS = 300, 999, 20
STATISTICS = {
    "segments, Pearson": Statistic("segment", "pearson"),
    "segments, acc_eq by item": Statistic("segment", "acc-eq", "item"),
    "documents, Pearson": Statistic("document", "pearson"),
}


@dataclass(frozen=True)
class Pool:
    """Some annotators, and the systems that they judge."""

    quality: Floats
    strictness: Floats
    carelessness: Floats

    @classmethod
    def drawn(cls, rng: np.random.Generator, annotators: int) -> "Pool":
        return cls(
            np.linspace(-0.5, 0.5, SYSTEMS),
            rng.normal(scale=0.5, size=annotators),
            np.exp(rng.normal(scale=0.3, size=annotators)),
        )

    def campaign(self, rng: np.random.Generator, documents: int) -> tuple[Ratings, Floats]:
        """What they say of so many documents, and the metric's scores (systems x segments)."""
        shape = (SYSTEMS, documents, SEGMENTS)
        true = self.quality[:, None, None] + 0.6 * rng.normal(size=(1, documents, 1))
        true = true + 0.6 * rng.normal(size=shape[:2])[..., None] + 0.8 * rng.normal(size=shape)
        blind = 0.8 * rng.normal(size=shape[:2])[..., None] + rng.normal(size=shape)
        said = np.stack(
            [
                np.round(2 * (true + strict + careless * rng.normal(size=shape))) / 2
                for strict, careless in zip(self.strictness, self.carelessness, strict=True)
            ]
        )
        metric = (true + blind).reshape(SYSTEMS, -1)
        return _ratings(said.reshape(len(said), SYSTEMS, -1), documents), metric


def _ratings(said: Floats, documents: int) -> Ratings:
    """Annotators x systems x segments in long form."""
    annotator, system, item = (axis.ravel() for axis in np.indices(said.shape))
    columns = range(documents * SEGMENTS)
    return Ratings(
        tuple(f"s{n}" for n in range(SYSTEMS)),
        tuple((f"d{n // SEGMENTS}", n % SEGMENTS) for n in columns),
        tuple(f"a{n}" for n in range(len(said))),
        np.array([n // SEGMENTS for n in columns]),
        (None,) * len(columns),
        "segment",
        system,
        item,
        annotator,
        said.ravel(),
    )


def measured(
    statistic: Statistic, ratings: Ratings, metric: Floats
) -> tuple[NoiseCeiling, Interval | None]:
    """The ceiling, and the metric's share of it."""
    people = ratings.means()
    human, scores, blocks = people.scores, metric, people.blocks
    if statistic.level == "document":
        human, blocks = document_scores(people).scores, np.unique(blocks)
        scores = metric.reshape(SYSTEMS, -1, SEGMENTS).mean(axis=2)
    level = "item" if statistic.level == "segment" else "document"
    settings = CeilingSettings(level, draws=SPLITS, resamples=RESAMPLES, bounds=statistic.bounds)
    of_value, between = partial(value_of, statistic), partial(interval_between, statistic)
    ceiling = noise_ceiling(ratings, of_value, settings, between)
    own = between(human, scores, Resampling(RESAMPLES, blocks=blocks))
    chance = _ties_alone(human) if statistic.name == "acc-eq" else 0.0
    return ceiling, ceiling.share(own, chance, Resampling(RESAMPLES))


def _ties_alone(human: Floats) -> float:
    left, right = np.triu_indices(SYSTEMS, 1)
    return float((human[left] == human[right]).mean())


@dataclass
class Held:
    """How often intervals held: the ceiling with these annotators, with others, and the share."""

    same: list[bool | None]
    others: list[bool | None]
    share: list[bool | None]


def tried(statistic: Statistic, annotators: int, size: int, trials: int, seed: int) -> Held:
    """Some pools of annotators, each with some campaigns on so many documents."""
    rng = np.random.default_rng([seed, annotators, size])
    pools = [Pool.drawn(rng, annotators) for _ in range(POOLS)]
    truths = [measured(statistic, *pool.campaign(rng, MANY)) for pool in pools]
    held = Held([], [], [])
    for number in range(trials):
        here, there = number % POOLS, (number + 1) % POOLS
        ceiling, share = measured(statistic, *pools[here].campaign(rng, size))
        held.same.append(_holds(ceiling.interval, truths[here][0].value.value))
        held.others.append(_holds(ceiling.interval, truths[there][0].value.value))
        whole = truths[here][1]
        held.share.append(_holds(share, whole.value.value if whole else None))
    return held


def _holds(interval: Interval | None, truth: float | None) -> bool | None:
    if interval is None or interval.low is None or interval.high is None or truth is None:
        return None
    return interval.low <= truth <= interval.high


def rows_of(options: argparse.Namespace) -> Iterator[tuple[str, list[Share]]]:
    """For each statistic and number of annotators: three rows of the table."""
    for name, statistic in STATISTICS.items():
        for annotators in options.annotators:
            held = [
                tried(statistic, annotators, size, options.trials, options.seed)
                for size in options.sizes
            ]
            where = f"{name}, {annotators} annotators"
            yield f"{where}: ceiling", [trials_of(each.same) for each in held]
            yield f"{where}: with others", [trials_of(each.others) for each in held]
            yield f"{where}: share", [trials_of(each.share) for each in held]


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


def main() -> None:
    """Print one table, the columns being numbers of documents."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--sizes", type=_numbers, default=[5, 10, 20, 50])
    parser.add_argument("--annotators", type=_numbers, default=[2, 3, 5])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table("Coverage of 95 % intervals, by documents", list(rows_of(options)), options.sizes)


if __name__ == "__main__":
    main()
