"""Do metrics agree with what people say of whole documents, and do people's own segment scores?

    python benchmarks/whole_document_judgements.py path/to/wmt22-documents [--metrics bleu,prism]
    python benchmarks/whole_document_judgements.py path/to/wmt22-documents --coverage

The folder has a folder for each language pair, with segments, outputs and Appraise's export, in
which many annotators scored the segments of a passage and then the passage as a whole. A passage
is a document here, and one passage by one system is one observation; translations by people are
left out. Printed is Pearson's r with what people said of the whole (the mean over annotators), with
95 % intervals by leaving out passages, and how many observations there are: for each language pair,
and over all of them, where scores are taken relative to the mean and deviation of their pair. A
metric scores a document by the mean of its segments, or by its own score of the document. Below,
the same for single annotators: what each said of the whole beside the mean, and the lowest, of what
the same person said of its segments.

With ``--coverage``, how often such an interval over all pairs holds the true r: people and metrics
are made up, for the systems and passages that there are, with a known r. What they say of one
passage by several systems has much in common, or nothing.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import Collection
from isogloss.evaluation import evaluate
from isogloss.formats import appraise, read_collection
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import Interval, Resampling, correlation_interval, study_of
from isogloss.signature import split_names

Place = tuple[str, ...]
"""System and passage, and perhaps who judged it."""
Row = dict[Place, float]
SEED = 7
PEOPLE_MEAN, PEOPLE_LOWEST = "people: mean of segments", "people: lowest segment"


@dataclass
class Pair:
    """One language pair: what people said of passages, and what others say of the same ones."""

    name: str
    whole: Row
    others: dict[str, Row]
    alone: Row = field(default_factory=dict)
    alone_segments: dict[str, Row] = field(default_factory=dict)
    left_out: int = 0


def means(items: Sequence[Judgement], place: Callable[[Judgement], Place]) -> Row:
    """The mean score of each place."""
    found: dict[Place, list[float]] = {}
    for item in items:
        if item.score is not None:
            found.setdefault(place(item), []).append(item.score)
    return {key: float(np.mean(scores)) for key, scores in found.items()}


def whole(item: Judgement) -> Place:
    """The passage as a system translated it."""
    return item.system, str(item.document)


def alone(item: Judgement) -> Place:
    """The same as one annotator saw it."""
    return item.system, str(item.document), str(item.annotator)


def over_segments(
    items: Sequence[Judgement],
    place: Callable[[Judgement], Place],
    fold: Callable[[list[float]], float],
) -> Row:
    """The mean, or the lowest, of the segments of each place."""
    by_segment = means(items, lambda item: (*place(item), str(item.segment)))
    found: dict[Place, list[float]] = {}
    for key, score in by_segment.items():
        found.setdefault(key[:-1], []).append(score)
    return {key: float(fold(scores)) for key, scores in found.items()}


def read_pair(folder: Path, metrics: Sequence[str]) -> Pair:
    """All that is known of one language pair."""
    collection, told, everything = read_whole(folder)
    said = machines_only(everything)
    path = folder / "appraise.csv"
    segments = machines_only(appraise.read(path, appraise.SEGMENTS, collection)).items
    others = {
        PEOPLE_MEAN: over_segments(segments, whole, np.mean),
        PEOPLE_LOWEST: over_segments(segments, whole, min),
        **scored(collection, said, metrics),
    }
    own = {
        PEOPLE_MEAN: over_segments(segments, alone, np.mean),
        PEOPLE_LOWEST: over_segments(segments, alone, min),
    }
    return Pair(folder.name, told, others, means(said.items, alone), own, everything.unplaced)


def read_whole(folder: Path) -> tuple[Collection, Row, Judgements]:
    """The passages of a language pair, and what people said of them."""
    path = folder / "appraise.csv"
    collection = appraise.of_passages(path, read_collection(folder))
    everything = appraise.read(path, appraise.DOCUMENTS, collection)
    return collection, means(machines_only(everything).items, whole), everything


def machines_only(judgements: Judgements) -> Judgements:
    """What people said of systems, not of other people."""
    return Judgements(judgements.kind, tuple(i for i in judgements.items if not i.human))


def scored(collection: Collection, said: Judgements, metrics: Sequence[str]) -> dict[str, Row]:
    """Each metric's scores of the judged passages, and of no others: models are slow."""
    tables = []
    for system in said.systems:
        judged = dict.fromkeys(str(i.document) for i in said.items if i.system == system)
        tables.append(evaluate(collection.with_systems([system]).with_documents(judged), metrics))
    # A metric may choose options by language: bleu is bleu(tokenize=zh) for Chinese.
    called = {info.name: name for info, name in zip(tables[0].metrics, metrics, strict=True)}
    found: dict[str, Row] = {}
    for label, study in (
        ("mean of segments", study_of(tables, said, collection, documents="mean")),
        ("document", study_of(tables, said, collection, documents="own")),
    ):
        matched = study.at("document")
        for metric, scores in matched.metrics.items():
            found[f"{called[metric]}: {label}"] = {
                (system, study.human.items[column][0]): scores[row, column]
                for row, system in enumerate(matched.systems)
                for column in range(scores.shape[1])
                if not np.isnan(scores[row, column])
            }
    return found


def relative(scores: Floats) -> Floats:
    """Scores of one language pair relative to their mean and deviation."""
    return np.asarray((scores - scores.mean()) / scores.std())


def agreement(pairs: Sequence[tuple[Row, Row]]) -> Interval:
    """r over the places that both have; over several pairs, each relative to its own."""
    sides: tuple[list[Floats], list[Floats]] = ([], [])
    blocks: list[str] = []
    for number, (people, others) in enumerate(pairs):
        common = [key for key in people if key in others]
        for side, row in zip(sides, (people, others), strict=True):
            scores = np.array([row[key] for key in common])
            side.append(relative(scores) if len(pairs) > 1 else scores)
        blocks += [f"{number} {key[1]}" for key in common]
    human, metric = (np.concatenate(side)[None] for side in sides)
    numbers = np.unique(blocks, return_inverse=True)[1]
    return correlation_interval("pearson", human, metric, resampling=Resampling(blocks=numbers))


def shown(interval: Interval) -> str:
    """The value with its interval and how many observations it rests on."""
    value = interval.value
    if value.value is None:
        return "–"
    if interval.low is None or interval.high is None:
        return f"{value.value:.2f} ({value.count})"
    return f"{value.value:.2f} [{interval.low:.2f}, {interval.high:.2f}] ({value.count})"


def table(title: str, pairs: Sequence[Pair], rows: Mapping[str, Sequence[tuple[Row, Row]]]) -> None:
    """Print a row for each of whom people's scores are compared with."""
    print(f"\n{title}\n")
    print("| | " + " | ".join([*(pair.name for pair in pairs), "all"]) + " |")
    print("|---" * (len(pairs) + 2) + "|")
    for name, sides in rows.items():
        cells = [*(agreement([side]) for side in sides), agreement(sides)]
        print(f"| {name} | " + " | ".join(map(shown, cells)) + " |")


def print_coverage(folders: Sequence[Path]) -> None:
    """How often intervals on made scores hold the r that these were made with."""
    places = [list(read_whole(folder)[1]) for folder in folders]
    print("true r  common to a passage  mean r  coverage  too low  too high  (of each 1,000)")
    for true in (0.0, 0.5, 0.7, 0.97):
        for common in (0.0, 0.5):
            random = np.random.default_rng(SEED)
            drawn = [
                agreement([made(pair, true, common, random) for pair in places])
                for _ in range(1000)
            ]
            r = np.array([interval.value.value for interval in drawn], dtype=float)
            low, high = np.array([(i.low, i.high) for i in drawn], dtype=float).T
            below, above = (high < true).sum(), (low > true).sum()
            print(
                f"{true:6.2f} {common:20.1f} {r.mean():7.3f} {1 - (below + above) / 1000:9.3f} "
                f"{below:8} {above:9}",
                flush=True,
            )


def made(
    places: Sequence[Place], true: float, common: float, random: np.random.Generator
) -> tuple[Row, Row]:
    """Scores of two sides that correlate so, a share of whose variance passages have in common."""
    passages = sorted({passage for _, passage in places})
    between = np.linalg.cholesky([[1, true], [true, 1]])
    shared = dict(zip(passages, random.normal(size=(len(passages), 2)) @ between.T, strict=True))
    rows: tuple[Row, Row] = {}, {}
    for place in places:
        own = between @ random.normal(size=2)
        both = np.sqrt(common) * shared[place[1]] + np.sqrt(1 - common) * own
        for row, score in zip(rows, both, strict=True):
            row[place] = float(score)
    return rows


def main() -> None:
    """Print both tables, or how good their intervals are."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--metrics", default="bleu,chrf,prism")
    parser.add_argument("--coverage", action="store_true", help="of the intervals, by simulation")
    given = parser.parse_args()
    folders = sorted(path.parent for path in given.folder.glob("*/appraise.csv"))
    if given.coverage:
        print_coverage(folders)
        return
    pairs = [read_pair(folder, split_names(given.metrics)) for folder in folders]
    out = ", ".join(f"{pair.name} {pair.left_out}" for pair in pairs if pair.left_out)
    print(f"scores of passages that the test set does not hold, left out: {out or 'none'}")
    table(
        "r with people's mean score of the whole document",
        pairs,
        {name: [(p.whole, p.others[name]) for p in pairs] for name in pairs[0].others},
    )
    table(
        "r of one annotator's score of the whole with the same annotator's segments",
        pairs,
        {n: [(p.alone, p.alone_segments[n]) for p in pairs] for n in pairs[0].alone_segments},
    )


if __name__ == "__main__":
    main()
