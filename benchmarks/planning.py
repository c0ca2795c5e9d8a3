"""Is planning right? Promised and reached power, levels of interim looks, choosing, and help.

    python benchmarks/planning.py defaults path/to/data        the figures that come with isogloss
    python benchmarks/planning.py pace path/to/data            seconds for a score of a segment
    python benchmarks/planning.py power path/to/data           promised and reached power
    python benchmarks/planning.py looks path/to/data           the level with interim looks
    python benchmarks/planning.py annotators path/to/data      corrections of annotators
    python benchmarks/planning.py assisted path/to/data        judgements helped by a metric
    python benchmarks/planning.py bias path/to/data            is such help off in the mean?
    python benchmarks/planning.py selection path/to/data       choosing what to judge

Real judgements stand for people who answer: documents are drawn with replacement from a test set,
two of its systems are compared on them, and one of them is moved so that the true difference is
known. The folder holds `wmt` and `wmt22-documents`.
"""

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

import isogloss
from isogloss.annotate import AnnotatorCorrection, corrected_annotators
from isogloss.arrays import Floats, Integers, Mask
from isogloss.documents import Collection
from isogloss.formats import appraise, read_collection
from isogloss.judgements import Judgements, side_by_side
from isogloss.metaeval import Ratings, ratings_of
from isogloss.planning import (
    Components,
    Design,
    Drawing,
    Halves,
    Looks,
    Plan,
    Spending,
    chances_of,
    components_of,
    output_diversity,
    score_level,
    score_spread,
    systematic,
    table_of_components,
    telling_sizes,
)
from isogloss.resampling import all_swaps, swap_weights
from isogloss.scores import ScoreTable, SystemScore

DEVELOPMENT = ("wmt20/en-de", "wmt20/zh-en", "wmt21.news/en-de", "wmt21.news/zh-en")
LEFT_OUT = ("wmt22/en-de", "wmt22/en-zh", "wmt23/en-de")
SEED = 20
PAUSE = 600.0
"""Seconds from which nobody is at work."""


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
    kinds = ("esa-campaign.ESA-1", "esa-campaign.ESA-2")
    said = {kind: isogloss.read_judgements(folder, collection, kind) for kind in kinds}
    return ratings_of(side_by_side(said), collection)


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


def print_pace(data: Path, trials: int) -> None:  # noqa: ARG001
    """How long annotators of WMT22's passages were at a segment, by Appraise's clock."""
    every = np.array([*map(taken, scored_segments(data))])
    there = every[every < PAUSE]
    print(
        f"{len(there):,} of {len(every):,} segments, pauses of {PAUSE / 60:g} minutes and more "
        f"left out: mean {there.mean():.1f} s, median {np.median(there):.1f} s"
    )


def scored_segments(data: Path) -> Iterator[Mapping[str, str]]:
    """The rows of every export of Appraise that are no scores of whole passages."""
    for path in sorted((data / "wmt22-documents").glob("*/appraise.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            yield from (row for row in csv.DictReader(file) if row["isDocScore"] != "True")


def taken(row: Mapping[str, str]) -> float:
    """Seconds from the beginning to the end."""
    return float(row["timeEnd"]) - float(row["timeStart"])


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


# --- interim looks -------------------------------------------------------------------------------


def print_looks(data: Path, trials: int) -> None:
    """How often chance is taken for a difference by who looks several times, and when one stops."""
    print("set | documents | looks | plain 5 % each time | pocock | obrien-fleming")
    for name in LEFT_OUT:
        pool = Pool.of(name, averaged(data, name))
        for documents, looks in ((15, 3), (30, 3), (60, 5)):
            found = looked(pool, documents, looks, trials)
            shares = [Looks.even(looks, spending).of_level(0.05) for spending in SPENDINGS]
            levels = [(0.05,) * looks, *shares]
            cells = (f"{(found <= np.array(each)).any(axis=1).mean():.1%}" for each in levels)
            print(f"{name} | {documents} | {looks} | " + " | ".join(cells), flush=True)


SPENDINGS: tuple[Spending, ...] = ("pocock", "obrien-fleming")


def looked(pool: Pool, documents: int, looks: int, trials: int) -> Floats:
    """p-values (trials x looks) where no system is better: documents are swapped at random."""
    rng = np.random.default_rng(SEED)
    pairs = np.array(pool.pairs)[rng.integers(len(pool.pairs), size=trials)]
    drawn = rng.integers(len(pool.counts), size=(trials, documents))
    apart = pool.sums[pairs[:, :1], drawn] - pool.sums[pairs[:, 1:], drawn]
    apart *= rng.choice([-1.0, 1.0], size=apart.shape)
    sizes = [round(documents * (n + 1) / looks) for n in range(looks)]
    return np.array([p_values(apart[:, :size], *signs_for(size)) for size in sizes]).T


# --- annotators ----------------------------------------------------------------------------------


def print_annotators(data: Path, trials: int) -> None:
    """How well few annotators' scores, corrected or not, predict what all others say."""
    folders = [path.parent for path in sorted((data / "wmt22-documents").glob("*/appraise.csv"))]
    print("pairs | ratings | correction | r | documents in order")
    for pairs in (folders[::2], folders[1::2]):
        said = [appraise.read(f / "appraise.csv", "da", collection_at(f)) for f in pairs]
        for ratings in (1, 2, 3):
            rng = np.random.default_rng(SEED)
            drawn = [predicted_by_few(each, ratings, rng) for each in said for _ in range(trials)]
            for name in CORRECTIONS:
                r, order = np.mean([each[name] for each in drawn], axis=0)
                names = ", ".join(folder.name for folder in pairs)
                print(f"{names} | {ratings} | {name} | {r:.3f} | {order:.3f}", flush=True)


CORRECTIONS: tuple[AnnotatorCorrection, ...] = ("none", "z", "mixed")


def predicted_by_few(
    said: Judgements, ratings: int, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Each document goes to a few annotators, and the others say what is right."""
    documents = list(dict.fromkeys(str(item.document) for item in said.items))
    given = {
        id: set(rng.choice(said.annotators, ratings, replace=False).tolist()) for id in documents
    }
    few, others = (
        Judgements(
            said.kind,
            tuple(i for i in said.items if (i.annotator in given[str(i.document)]) == wanted),
        )
        for wanted in (True, False)
    )
    truth = document_means(others)
    found = {}
    for name in CORRECTIONS:
        means = document_means(corrected_annotators(few, name))
        places = [place for place in truth if place in means]
        one, other = (np.array([side[place] for place in places]) for side in (truth, means))
        left, right = np.triu_indices(len(places), 1)
        same = np.sign(one[left] - one[right]) == np.sign(other[left] - other[right])
        found[name] = (float(np.corrcoef(one, other)[0, 1]), float(same.mean()))
    return found


def document_means(said: Judgements) -> dict[tuple[str, str], float]:
    """What a system's document is worth: the mean over its segments of means over annotators."""
    found: dict[tuple[str, str], list[float]] = {}
    for (system, document, _), score in said.segment_means().items():
        found.setdefault((system, document), []).append(score)
    return {place: float(np.mean(scores)) for place, scores in found.items()}


# --- help by a metric ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Both:
    """Systems x documents: people's and a metric's sums, over the same segments."""

    people: Floats
    metric: Floats
    counts: Floats

    def halves(self, documents: Integers, judged: int, *, alone: bool = False) -> Halves:
        """The first so many of some documents are judged, all are scored (or none: `alone`)."""
        first, systems = documents[:judged], len(self.people)
        metric = self.metric[:, documents]
        return Halves(
            tuple(map(str, range(systems))),
            np.arange(len(documents)) < judged,
            self.people[:, first],
            np.tile(self.counts[first], (systems, 1)),
            metric * 0.0 if alone else metric,
            np.tile(self.counts[documents], (systems, 1)),
        )


def both(data: Path, name: str, metric: str) -> Both:
    """People and a metric, stored or computed, on what all systems were judged on."""
    folder, judged = data / "wmt" / name, averaged(data, name)
    matrix = judged.means()
    scores = np.array(
        [
            [
                np.nan if score is None else score
                for d in row.documents
                for score in d.segment_scores
            ]
            for row in metric_rows(folder, metric, judged.systems)
        ]
    )
    there = ~np.isnan(matrix.scores).any(axis=0) & ~np.isnan(scores).any(axis=0)
    blocks = np.unique(matrix.blocks[there], return_inverse=True)[1]
    summed = [
        np.array([np.bincount(blocks, row[there]) for row in each])
        for each in (matrix.scores, scores)
    ]
    return Both(*summed, np.bincount(blocks).astype(float))


@cache
def scored(folder: Path, metric: str) -> ScoreTable:
    """The scores of a metric, stored beside the test set or computed."""
    collection = collection_at(folder)
    if "-" in metric:
        return isogloss.formats.read_metric_scores(folder, collection)
    reference = collection.testset.reference_names[0]
    return isogloss.evaluate(collection.with_references([reference]), metric)


def metric_rows(folder: Path, metric: str, systems: Sequence[str]) -> list[SystemScore]:
    """A metric's rows for these systems."""
    table = scored(folder, metric)
    return [table[metric, system] for system in systems]


def print_assisted(data: Path, trials: int) -> None:
    """Coverage and length of intervals, with and without a metric's help."""
    print(
        "set | metric | judged | plain covers | helped covers | length | as if, differences | "
        "as if, scores of systems"
    )
    for name, metric in HELPERS:
        pool = both(data, name, metric)
        for judged in (5, 10, 20, 30):
            print(f"{name} | {metric} | {judged} | " + helped_row(pool, judged, trials), flush=True)


HELPERS = (
    ("wmt20/en-de", "chrf"),
    ("wmt21.news/zh-en", "chrf"),
    ("wmt22/en-de", "chrf"),
    ("wmt23/en-de", "chrF-refA"),
    ("wmt23/en-de", "MetricX-23-refA"),
    ("wmt23/en-de", "GEMBA-MQM-src"),
)
_RESAMPLES = 499


def helped_row(pool: Both, judged: int, trials: int) -> str:
    """How differences of systems are estimated from so many judged documents."""
    rng = np.random.default_rng(SEED)
    means = pool.people.sum(axis=1) / pool.counts.sum()
    left, right = np.triu_indices(len(means), 1)
    true = means[left] - means[right]
    found, of_systems = [], []
    for trial in range(trials):
        documents = rng.integers(len(pool.counts), size=len(pool.counts))
        drawing = Drawing(_RESAMPLES, trial)
        both = [
            list(pool.halves(documents, judged, alone=alone).pairs_helped(drawing).values())
            for alone in (True, False)
        ]
        alone = pool.halves(documents, judged).systems_helped(drawing).values()
        of_systems += [
            ((each.plain - mean) ** 2, (each.estimate - mean) ** 2)
            for each, mean in zip(alone, means, strict=True)
        ]
        for truth, plain, got in zip(true, *both, strict=True):
            if got.interval and plain.interval:
                covered = [low <= truth <= high for low, high in (plain.interval, got.interval)]
                long = [high - low for low, high in (plain.interval, got.interval)]
                spread = (plain.estimate - truth, got.estimate - truth)
                found.append([*covered, *long, *spread])
    a, b, long, short, off, helped_off = np.array(found, dtype=float).T
    before, after = np.mean(of_systems, axis=0)
    return (
        f"{a.mean():.1%} | {b.mean():.1%} | "
        f"{np.median(short / long):.2f} | {(off**2).mean() / (helped_off**2).mean():.2f} | "
        f"{before / after:.2f}"
    )


def print_bias(data: Path, trials: int) -> None:
    """By how much a metric moves people's estimates in the mean over draws of documents."""
    print("set | metric | judged | scores of systems | differences of systems")
    for name, metric in HELPERS:
        pool = both(data, name, metric)
        for judged in (10, 20, 30):
            rng = np.random.default_rng((SEED, judged))
            moved = np.array([moved_by_metric(pool, judged, rng) for _ in range(trials)])
            cells = map(in_errors, (moved[:, : len(pool.people)], moved[:, len(pool.people) :]))
            print(f"{name} | {metric} | {judged} | " + " | ".join(cells), flush=True)


def moved_by_metric(pool: Both, judged: int, rng: np.random.Generator) -> Floats:
    """By how much a metric moves every system's score, and every difference, in one draw."""
    documents = rng.integers(len(pool.counts), size=len(pool.counts))
    halves, drawing = pool.halves(documents, judged), Drawing(resamples=1)
    helped = [*halves.systems_helped(drawing).values(), *halves.pairs_helped(drawing).values()]
    return np.array([each.estimate - each.plain for each in helped])


def in_errors(moved: Floats) -> str:
    """The mean over trials in its standard errors: of all columns together, and of the worst."""
    together = moved.mean(axis=1)
    root = np.sqrt(len(moved))
    worst = abs(moved.mean(axis=0) / moved.std(axis=0)).max() * root
    return f"{together.mean() / together.std() * root:+.1f}, the worst {worst:.1f}"


# --- choosing what to judge ----------------------------------------------------------------------


@dataclass(frozen=True)
class Choosing:
    """A way to choose documents: what they are sorted by, and whether some have higher chances."""

    name: str
    along: str
    unequal: bool = False
    best_alone: bool = False

    def drawn(
        self, along: Floats, lengths: Floats, number: int, rng: np.random.Generator
    ) -> tuple[Mask, Floats]:
        """The chosen documents and their weights, as many as cost what random ones would."""
        cost, ones = number * lengths.mean(), np.ones(len(lengths))
        if self.best_alone:
            order = np.argsort(-along)
            return np.isin(np.arange(len(along)), order[lengths[order].cumsum() <= cost]), ones
        sizes = telling_sizes(along, lengths) if self.unequal else ones
        chances = chances_of(sizes, number)
        for _ in range(5):
            number = max(2, round(number * cost / (chances @ lengths)))
            chances = chances_of(sizes, number)
        by = rng.random(len(along)) if self.along == "chance" else along
        return systematic(chances, np.argsort(by), rng), 1 / chances


WAYS = (
    Choosing("chance", "chance"),
    Choosing("level", "level"),
    Choosing("diversity", "diversity", unequal=True),
    Choosing("spread", "spread", unequal=True),
    Choosing("most diverse alone", "diversity", best_alone=True),
    Choosing("largest spread alone", "spread", best_alone=True),
)


def print_selection(data: Path, trials: int) -> None:
    """How well few documents rank systems, chosen by chance and otherwise, at equal cost."""
    print("sets | documents | way | pairs in order | significant | wrongly | squared error | bias")
    for label, names in (("2020, 2021", DEVELOPMENT), ("2022, 2023", LEFT_OUT)):
        sets = [chosen_from(data, name) for name in names]
        for number in (10, 20, 40):
            found = {
                way.name: [
                    figures(way, guesses, pool, number, trials)
                    for guesses, pool in sets
                    if number < len(pool.counts)
                ]
                for way in WAYS
            }
            for name, rows in found.items():
                cells = in_cells(rows, found["chance"])
                print(f"{label} | {number} | {name} | {cells}", flush=True)


@dataclass(frozen=True)
class Figures:
    """How well documents that were chosen in a way rank the systems of a set."""

    accuracy: float
    sure: float  # the standard error of the accuracy
    real: float
    wrong: float
    error: float
    bias: float


def in_cells(rows: Sequence[Figures], chance: Sequence[Figures]) -> str:
    """The means over sets; squared errors are relative to those of choosing by chance."""
    accuracy, real, wrong, bias = (
        np.mean([getattr(row, name) for row in rows])
        for name in ("accuracy", "real", "wrong", "bias")
    )
    sure = 1.96 * np.sqrt(np.sum([row.sure**2 for row in rows])) / len(rows)
    error = np.mean([row.error / other.error for row, other in zip(rows, chance, strict=True)])
    return f"{accuracy:.3f} ± {sure:.3f} | {real:.3f} | {wrong:.3f} | {error:.2f} | {bias:.2f}"


def figures(
    way: Choosing, guesses: Mapping[str, Floats], pool: Pool, number: int, trials: int
) -> Figures:
    """What many draws of so many documents come to."""
    rng = np.random.default_rng(SEED)
    along = guesses.get(way.along, np.ones(len(pool.counts)))
    rows = [
        ranked(pool, *way.drawn(along, pool.counts, number, rng))
        for _ in range(1 if way.best_alone else trials)
    ]
    estimated, true, p = (np.array(part) for part in zip(*rows, strict=True))
    right, real = np.sign(estimated) == np.sign(true), p <= 0.05
    accuracy = right.mean(axis=1)
    return Figures(
        accuracy.mean(),
        accuracy.std() / np.sqrt(len(rows)),
        real.mean(),
        (real & ~right).mean(),
        ((estimated - true) ** 2).mean(),
        np.abs(estimated.mean(axis=0)).mean() / np.abs(true).mean(),
    )


def chosen_from(data: Path, name: str) -> tuple[dict[str, Floats], Pool]:
    """The judged documents of a set, and how telling each is thought to be."""
    ratings, folder = averaged(data, name), data / "wmt" / name
    pool = Pool.of(name, ratings)
    matrix = ratings.means()
    there = ~np.isnan(matrix.scores).any(axis=0)
    ids = list(dict.fromkeys(matrix.items[i][0] for i in np.flatnonzero(there)))
    collection = collection_at(folder).with_systems(ratings.systems).with_documents(ids)
    ids = [document.id for document in collection.testset.documents]
    return {
        "diversity": output_diversity(collection),
        "spread": score_spread(scored(folder, "chrf"), ids),
        "level": score_level(scored(folder, "chrf"), ids),
    }, pool


def ranked(pool: Pool, drawn: Mask, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Estimated and true differences of all pairs, and p-values."""
    left, right = np.array(pool.pairs).T
    given = weights[drawn]
    size = given @ pool.counts[drawn]
    sums = pool.sums[:, drawn] * given
    means = pool.sums.sum(axis=1) / pool.counts.sum()
    apart = sums[left] - sums[right]
    signs, exact = signs_for(int(drawn.sum()))
    p = p_values(apart, signs, exact)
    return apart.sum(axis=1) / size, means[left] - means[right], p


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
    "pace": print_pace,
    "power": print_power,
    "looks": print_looks,
    "annotators": print_annotators,
    "assisted": print_assisted,
    "bias": print_bias,
    "selection": print_selection,
}


if __name__ == "__main__":
    main()
