"""How well metrics agree with people on the development sets: one table for each statistic.

    python benchmarks/development_sets.py path/to/wmt [--metrics bleu,chrf,cohesion,ltcr,prism]
                                          [--sets wmt20/en-de,wmt23/en-de] [--segments 600]
                                          [--device cuda] [--scores scores/]

Every metric scores the documents in which people marked errors (MQM), against one reference, and is
judged over them: Pearson's r and acc_eq (by item) of segments, acc_eq of documents, soft pairwise
accuracy of systems by documents, and the share of the pairs of systems in the right order. Metrics
that predict points (mqm) are asked for their mean as well, beside people's. With --segments,
documents of about so many segments are taken, evenly spread over the set. Prints Markdown. What a
model or an aligner found is cached, so that a second run is quick; --scores takes the files that
benchmarks/difference_curves.py made instead.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from isogloss import Collection, evaluate
from isogloss.cli.people import judged_documents
from isogloss.formats import read_collection, read_judgements, read_scores
from isogloss.metaeval import (
    Judged,
    JudgingSettings,
    Statistic,
    StatisticFinding,
    Study,
    Task,
    judge,
    study_of,
)
from isogloss.runtime import Runtime, Step, default_cache_folder
from isogloss.scores import ScoreTable
from isogloss.signature import split_names

SETS = {  # with the reference that was not judged as a system, or the one that all systems have
    "wmt20/en-de": "A",
    "wmt20/zh-en": "A",
    "wmt21.news/en-de": "C",
    "wmt21.news/zh-en": "A",
    "wmt21.news/en-ru": "A",
    "wmt22/en-de": "A",
    "wmt22/en-zh": "A",
    "wmt23/en-de": "refA",
}
TASK = Task(
    "development",
    "",
    (
        Statistic("segment", "pearson"),
        Statistic("segment", "acc-eq", "item"),
        Statistic("document", "acc-eq", "item"),
        Statistic("document", "soft-pairwise-accuracy"),
        Statistic("system", "pairwise-accuracy"),
    ),
)


def some_documents(collection: Collection, segments: int) -> Collection:
    """Documents evenly spread over the collection, of about so many segments together."""
    share = min(1.0, segments / collection.testset.segment_count)
    ids = [document.id for document in collection.testset.documents]
    return collection.with_documents(
        id for place, id in enumerate(ids) if int((place + 1) * share) > int(place * share)
    )


def told(step: Step) -> None:
    """Progress on one line of the terminal."""
    if sys.stderr.isatty():
        print(f"\r{step.metric}: {step.done:,} of {step.total:,}   ", end="", file=sys.stderr)


def judged_on(
    name: str, metrics: Sequence[str], options: argparse.Namespace
) -> tuple[Judged, dict[str, float]]:
    """All metrics on one test set, with intervals over documents; and mean points."""
    whole = read_collection(options.folder / name)
    judgements = read_judgements(options.folder / name, whole, "mqm")
    if options.scores:
        tables = stored(options.scores, name, metrics)
    else:
        collection = judged_documents(whole, judgements).with_references([SETS[name]])
        if options.segments:
            collection = some_documents(collection, options.segments)
        runtime = Runtime(options.device, default_cache_folder(), progress=told)
        tables = [evaluate(collection, metrics, runtime=runtime)]
    study = study_of(tables, judgements, whole)
    return judge([study], TASK, JudgingSettings(draws=0)), mean_points(study)


def stored(scores: Path, name: str, metrics: Sequence[str]) -> list[ScoreTable]:
    """The scores of the metrics in files, a table for each, in the order asked for."""
    tables = [read_scores(path) for path in scores.glob(f"{name.replace('/', '.')}.*")]
    return [
        replace(
            table,
            metrics=(metric,),
            rows=tuple(row for row in table.rows if row.metric == metric.name),
        )
        for asked in metrics
        for table in tables
        for metric in table.metrics
        if asked == family(metric.name)
    ]


def mean_points(study: Study) -> dict[str, float]:
    """What people took off a segment in the mean, and what metrics of points say they would."""
    matched = study.at("segment")
    points = {name: scores for name, scores in matched.metrics.items() if name.startswith("mqm")}
    judged = ~np.isnan(matched.human)
    means = {name: -float(np.nanmean(scores[judged])) for name, scores in points.items()}
    return {"people": -float(matched.human[judged].mean()), **means}


def cell(found: StatisticFinding) -> str:
    """A value with half the width of its interval."""
    interval = found.interval
    if found.value is None:
        return "–"
    if interval.low is None or interval.high is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} ± {(interval.high - interval.low) / 2:.3f}"


def together(findings: Sequence[StatisticFinding]) -> str:
    """How many pairs of systems are in the right order, all test sets together."""
    values = [f.interval.value for f in findings]
    right = sum(round((value.value or 0.0) * value.count) for value in values)
    return f"{right} of {sum(value.count for value in values)}"


def family(metric: str) -> str:
    """A metric without what it chose by language: bleu is bleu(tokenize=zh) for Chinese."""
    return metric.partition("(")[0]


def print_points(points: dict[str, dict[str, float]]) -> None:
    """Mean points of a segment, a row for each test set; nothing where no metric predicts them."""
    names = list(next(iter(points.values())))
    if len(names) == 1:
        return
    print("\n**mean points of a segment**\n")
    print("| test set | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for where, means in points.items():
        print(f"| {where} | " + " | ".join(f"{means[name]:.2f}" for name in names) + " |")


def print_tables(results: dict[str, Judged], names: Sequence[str]) -> None:
    """One table for each statistic, a row for each test set."""
    for number, statistic in enumerate(TASK.statistics):
        print(f"\n**{statistic}**\n")
        print("| test set | " + " | ".join(f"`{name}`" for name in names) + " |")
        print("|---|" + "---|" * len(names))
        for where, judged in results.items():
            found = {finding.metric: finding for finding in judged.columns[number].findings}
            print(f"| {where} | " + " | ".join(cell(f) for f in found.values()) + " |")
        if statistic.name == "pairwise-accuracy":
            findings = [f for judged in results.values() for f in judged.columns[number].findings]
            cells = [together([f for f in findings if family(f.metric) == name]) for name in names]
            print("| all | " + " | ".join(cells) + " |")


def main() -> None:
    """Judge the metrics on every set and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--metrics", default="bleu,chrf,cohesion,ltcr,prism")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--segments", type=int, help="how many of each set; all without it")
    parser.add_argument("--device", default="cpu", help="where models run: cpu, cuda or auto")
    parser.add_argument("--scores", type=Path, help="folder of score files to take instead")
    arguments = parser.parse_args()
    names = split_names(arguments.metrics)
    results, points = {}, {}
    for name in arguments.sets.split(","):
        results[name], points[name] = judged_on(name, names, arguments)
        print(f"{name} done", file=sys.stderr, flush=True)
    print_tables(results, names)
    print_points(points)


if __name__ == "__main__":
    main()
