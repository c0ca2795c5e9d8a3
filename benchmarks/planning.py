"""Is planning right? Promised and reached power, levels of interim looks, choosing, and help.

    python benchmarks/planning.py defaults path/to/data        the figures that come with isogloss
    python benchmarks/planning.py power path/to/data           promised and reached power
    python benchmarks/planning.py looks path/to/data           the level with interim looks

Real judgements stand for people who answer: documents are drawn with replacement from a test set,
two of its systems are compared on them, and one of them is moved so that the true difference is
known. The folder holds `wmt` and `wmt22-documents`.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

import isogloss
from isogloss.arrays import Floats
from isogloss.documents import Collection
from isogloss.formats import appraise, read_collection
from isogloss.judgements import Judgements
from isogloss.metaeval import Ratings, ratings_of
from isogloss.planning import (
    Components,
    Design,
    Plan,
    components_of,
    table_of_components,
)
from isogloss.resampling import all_swaps, swap_weights

DEVELOPMENT = ("wmt20/en-de", "wmt20/zh-en", "wmt21.news/en-de", "wmt21.news/zh-en")
LEFT_OUT = ("wmt22/en-de", "wmt22/en-zh", "wmt23/en-de")
SEED = 20


# --- real judgements -----------------------------------------------------------------------------


@cache
def collection_at(folder: Path) -> Collection:
    """A test set, read once."""
    return read_collection(folder)


def averaged(data: Path, name: str, kind: str = "mqm") -> Ratings:
    """Judgements of a WMT folder, which are means over annotators."""
    collection = collection_at(data / "wmt" / name)
    return ratings_of(isogloss.read_judgements(data / "wmt" / name, collection, kind), collection)


def esa_twice(data: Path) -> Ratings:
    """Two ESA campaigns on the same translations of WMT23, as two annotators."""
    folder = data / "wmt" / "wmt23" / "en-de"
    collection = collection_at(folder)
    said = [
        replace(item, annotator=f"campaign {number}")
        for number in (1, 2)
        for item in isogloss.read_judgements(folder, collection, f"esa-campaign.ESA-{number}").items
    ]
    return ratings_of(Judgements("esa", tuple(said)), collection)


def passages(data: Path, pair: str) -> Ratings:
    """Direct assessments of the passages of WMT22, annotator by annotator."""
    folder = data / "wmt22-documents" / pair
    collection = collection_at(folder)
    return ratings_of(appraise.read(folder / "appraise.csv", "da", collection), collection)


def every_set(data: Path) -> Iterator[Components]:
    """The components of every set of judgements that there is."""
    for name in (*DEVELOPMENT, "wmt21.news/en-ru", *LEFT_OUT):
        yield components_of(averaged(data, name), "mqm", name)
    yield components_of(esa_twice(data), "esa", "wmt23/en-de")
    yield components_of(averaged(data, "wmt23/en-de", "da-sqm"), "da", "wmt23/en-de")


def print_defaults(data: Path, trials: int) -> None:  # noqa: ARG001
    """The table that comes with isogloss."""
    print(table_of_components(list(every_set(data))), end="")


# --- promised and reached power ------------------------------------------------------------------


@dataclass(frozen=True)
class Pool:
    """Systems x documents: the summed scores and how many segments; every system on all of them."""

    name: str
    sums: Floats
    counts: Floats

    @classmethod
    def of(cls, name: str, ratings: Ratings, most: int | None = None) -> "Pool":
        """The documents in which all systems were judged; of each the first `most` segments."""
        matrix = ratings.means()
        there = ~np.isnan(matrix.scores).any(axis=0)
        sums, counts = [], []
        for block in np.unique(matrix.blocks[there]):
            columns = np.flatnonzero(there & (matrix.blocks == block))[:most]
            sums.append(matrix.scores[:, columns].sum(axis=1))
            counts.append(len(columns))
        return cls(name, np.array(sums).T, np.array(counts, dtype=float))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.sums)), 2))


def p_values(differences: Floats, signs: Floats, exact: bool) -> Floats:
    """Of the randomisation test, for many draws at once (draws x documents)."""
    drawn = np.abs(differences @ signs.T)
    observed = np.abs(differences.sum(axis=1))[:, None]
    hits = (drawn >= observed * (1 - 1e-9)).sum(axis=1)
    return np.asarray(hits / len(signs) if exact else (hits + 1) / (len(signs) + 1))


def signs_for(documents: int) -> tuple[Floats, bool]:
    """The ways to swap documents, as signs of their differences."""
    if documents <= 12:  # all ways up to here; the test itself looks at all up to EXACT_BLOCKS
        return 1 - 2 * all_swaps(documents, first_stays=True), True
    return 1 - 2 * next(swap_weights(documents, 999, SEED)), False


def reached(
    pool: Pool, documents: int, difference: float, trials: int, level: float, seed: int = SEED
) -> float:
    """How often two systems that differ by so much are told apart on so many documents."""
    rng = np.random.default_rng(seed)
    signs, exact = signs_for(documents)
    found = []
    for first, second in pool.pairs:
        number = -(-trials // len(pool.pairs))
        drawn = rng.integers(len(pool.counts), size=(number, documents))
        apart = pool.sums[first] - pool.sums[second]
        true = apart.sum() / pool.counts.sum()
        moved = apart + (difference - true) * pool.counts
        found.append(p_values(moved[drawn], signs, exact) <= level)
    return float(np.concatenate(found).mean())


def print_power(data: Path, trials: int) -> None:
    """Promised and reached power on every set, planned from itself and from another."""
    earlier = {each.source: each for each in every_set(data) if each.kind == "mqm"}
    print("planned from | judged | documents | " + " | ".join(f"{p:.0%}" for p in PROMISES))
    for planned, judged in (*((n, n) for n in (*DEVELOPMENT, *LEFT_OUT)), *EARLIER):
        pool = Pool.of(judged, averaged(data, judged))
        segments = pool.counts.mean()
        plan = Plan(earlier[planned], Design(segments))
        for documents in (8, 15, 30, 60):
            cells = []
            for promise in PROMISES:
                difference = plan.smallest_difference(documents, promise)
                if difference is None:
                    cells.append("–")
                    continue
                share = reached(pool, documents, difference, trials, 0.05)
                cells.append(f"{share:.0%}")
            print(f"{planned} | {judged} | {documents} | " + " | ".join(cells), flush=True)


PROMISES = (0.5, 0.8, 0.9)
EARLIER = (
    ("wmt20/en-de", "wmt22/en-de"),
    ("wmt21.news/en-de", "wmt22/en-de"),
    ("wmt20/zh-en", "wmt22/en-zh"),
)


def main() -> None:
    """Print the part that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("data", type=Path)
    parser.add_argument("--trials", type=int, default=2000)
    given = parser.parse_args()
    PARTS[given.part](given.data, given.trials)


PARTS: Mapping[str, Callable[[Path, int], None]] = {
    "defaults": print_defaults,
    "power": print_power,
}


if __name__ == "__main__":
    main()
