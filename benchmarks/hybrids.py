"""Does cohesion add to BLEU and METEOR? The experiment of Gong & Zhou (2015), table 3, on WMT data.

    python benchmarks/hybrids.py FOLDER... [--all-references] [--scores FOLDER] [--plot FILE]

Each FOLDER is a test set with MQM judgements, such as wmt20/zh-en. People's score of a document is
the mean of its segments weighted by length; a metric's is its own. For each metric and each hybrid
with cohesion the tables show Pearson's r and Kendall's tau-b over all documents of all systems, and
within documents (the mean over documents of the correlation across systems), with intervals from
resampling documents. A hybrid's parts have equal weights, or weights trained on other documents of
the test set ("held out") or on the other test sets ("elsewhere"). Then comes the difference between
each hybrid and the metric that it builds on, with its interval and p, and in words what follows.

A metric that cannot score a test set is left out there, and the reason printed.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Collection, evaluate, load_metric, read_scores, write_scores
from isogloss.errors import IsoglossError
from isogloss.formats import read_collection, read_judgements
from isogloss.metaeval import Interval, Moments, Observations, Study, best_weights, study_of
from isogloss.report import save_plot
from isogloss.scores import ScoreTable
from isogloss.signature import split_names
from isogloss.tuning import (
    EQUAL,
    HELD_OUT,
    STATISTICS,
    Gain,
    Tuned,
    TuneSettings,
    agreement_interval,
    at_level,
    tune,
)

GROUPINGS = {"none": "all documents", "item": "within documents"}
ALL = "**mean of all sets**"
ELSEWHERE = "elsewhere"
TRAININGS = (EQUAL, HELD_OUT, ELSEWHERE)
KEYS = [(training, statistic) for training in TRAININGS for statistic in STATISTICS]


@dataclass(frozen=True)
class Subject:
    """One test set with all that was scored on it."""

    name: str
    study: Study
    metrics: dict[str, str]  # the name asked for to the name that the scores have


@dataclass(frozen=True)
class Outcome:
    """One hybrid on one test set; agreement and gain by training and statistic."""

    subject: Subject
    base: str
    tuned: Tuned
    alphas: dict[str, str]
    agreements: dict[tuple[str, str], Interval]
    gains: dict[tuple[str, str], Gain]
    jackknife: dict[tuple[str, str], Any]


# --- scores --------------------------------------------------------------------------------------


def subject_of(folder: Path, metrics: Sequence[str], options: argparse.Namespace) -> Subject:
    """Read a test set, and score its judged documents with every metric that can."""
    collection = read_collection(folder)
    judgements = read_judgements(folder, collection, options.human)
    judged = {item.document for item in judgements.items if item.score is not None}
    collection = collection.with_documents(
        d.id for d in collection.testset.documents if d.id in judged
    )
    judgements = replace(
        judgements, items=tuple(i for i in judgements.items if i.document in judged)
    )
    if not options.all_references:
        collection = collection.with_references(collection.testset.reference_names[:1])
    name = f"{folder.parent.name} {folder.name}"
    tables, names = [], {}
    for metric in metrics:
        try:
            table = scored(collection, metric, name, options)
        except IsoglossError as error:
            print(f"{name}: no {metric}: {error}")
            continue
        tables.append(table)
        names[metric] = table.metrics[0].name
        print(f"{name}: {table.metrics[0].signature}", flush=True)
    study = study_of(tables, judgements, collection, documents="own")
    return Subject(name, study, names)


def scored(
    collection: Collection, metric: str, name: str, options: argparse.Namespace
) -> ScoreTable:
    """The scores of one metric; kept in a file where a folder for that is given."""
    testset = collection.testset
    if options.scores is None:
        return evaluate(collection, [metric])
    references = "+".join(testset.reference_names)
    file = options.scores / f"{name}.{references}.{metric}.jsonl.zst".replace(" ", "-")
    loaded = load_metric(metric, testset.source_language, testset.target_language)
    if file.exists():
        table = read_scores(file)
        same_texts = table.provenance.testset_digest == testset.digest()
        if same_texts and table.metrics[0].signature == str(loaded.signature(testset)):
            return table
    options.scores.mkdir(parents=True, exist_ok=True)
    table = evaluate(collection, [loaded])
    write_scores(table, file)
    return table


# --- hybrids -------------------------------------------------------------------------------------


def normalised(subject: Subject, base: str, options: argparse.Namespace) -> Observations:
    """People, cohesion and the other metric, each with mean 0 and deviation 1."""
    matched = at_level(subject.study)
    names = subject.metrics[options.add], subject.metrics[base]
    observed = Observations.of(matched.human, [matched.metrics[name] for name in names])
    return observed.normalised(*observed.scales())


def joined(moments: Sequence[Moments]) -> Moments:
    """Several test sets as groups of one: the mean of their correlations is what counts."""
    return Moments(
        np.concatenate([m.parts for m in moments]),
        np.concatenate([m.cross for m in moments]),
        np.concatenate([m.human for m in moments]),
    )


def outcomes(
    subjects: Sequence[Subject], base: str, settings: TuneSettings, options: argparse.Namespace
) -> Iterator[Outcome]:
    """The hybrid of cohesion and one metric on every test set that has both."""
    having = [s for s in subjects if base in s.metrics and options.add in s.metrics]
    observed = [normalised(subject, base, options) for subject in having]
    moments = [Moments.of(each, settings.grouping) for each in observed]
    for number, subject in enumerate(having):
        others = [m for i, m in enumerate(moments) if i != number] or [moments[number]]
        weights = best_weights(joined(others))
        yield outcome(subject, base, observed[number], weights, settings, options)


def outcome(
    subject: Subject,
    base: str,
    observed: Observations,
    elsewhere: Any,
    settings: TuneSettings,
    options: argparse.Namespace,
) -> Outcome:
    """Trained on the test set itself, with weights from elsewhere, and not trained at all."""
    names = [subject.metrics[options.add], subject.metrics[base]]
    tuned = tune(subject.study, names, settings)
    blocks = at_level(subject.study).blocks
    folds = tuned.held_out.weights[..., 0]
    found = Outcome(
        subject,
        base,
        tuned,
        {
            EQUAL: "0.50",
            HELD_OUT: f"{tuned.parts[0].weight:.2f} ({folds.min():.2f}–{folds.max():.2f})",
            ELSEWHERE: f"{elsewhere[0]:.2f}",
        },
        {},
        {},
        {},
    )
    hybrids = {
        EQUAL: observed.combined(np.array([0.5, 0.5])),
        HELD_OUT: tuned.held_out.scores,
        ELSEWHERE: observed.combined(elsewhere),
    }
    for training, statistic in KEYS:
        hybrid, part = (
            agreement_interval(statistic, observed.human, scores, blocks, settings)
            for scores in (hybrids[training], observed.parts[1])
        )
        found.agreements[training, statistic] = hybrid
        found.gains[training, statistic] = Gain.between(base, statistic, hybrid, part, settings)
        if hybrid.jackknife is not None and part.jackknife is not None:
            found.jackknife[training, statistic] = hybrid.jackknife - part.jackknife
    return found


# --- tables --------------------------------------------------------------------------------------


def cell(interval: Interval) -> str:
    """A value with its interval."""
    if interval.value.value is None or interval.low is None:
        return "–"
    return f"{interval.value.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def hybrid_name(base: str) -> str:
    """HBLEU, HMETEOR."""
    return f"H{base.upper()}"


def agreement_table(subjects: Sequence[Subject], results: Sequence[Outcome], add: str) -> None:
    """Every metric and hybrid on every test set."""
    print("| test set | scores | alpha | Pearson | Kendall |\n|---|---|---|---|---|")
    for subject in subjects:
        own = [r for r in results if r.subject is subject]
        shown: dict[str, tuple[str, list[str]]] = {}
        for result in own:
            for metric in (result.base, add):
                found = result.tuned.agreement(subject.metrics[metric])
                shown[metric] = "", [cell(found.intervals[s]) for s in STATISTICS]
        for result in own:
            for training in TRAININGS:
                cells = [cell(result.agreements[training, s]) for s in STATISTICS]
                name = f"{hybrid_name(result.base)}, {training}"
                shown[name] = result.alphas[training], cells
        for name, (alpha, cells) in shown.items():
            print(f"| {subject.name} | {name} | {alpha} | {' | '.join(cells)} |")


def overall(results: Sequence[Outcome], key: tuple[str, str], settings: TuneSettings) -> Gain:
    """The mean difference over test sets; a document of any of them is left out at a time."""
    base, statistic = results[0].base, results[0].gains[key].statistic
    observed = [r.gains[key].difference for r in results]
    differences = [x for x in observed if x is not None]
    if len(differences) < len(results):
        return Gain(base, statistic, None)
    mean, count = float(np.mean(differences)), sum(len(r.jackknife[key]) for r in results)
    # What leaving a document out does to its set's difference, it does to the mean in part.
    apart = [
        (r.jackknife[key] - d) / (len(r.jackknife[key]) - 1) / len(results)
        for r, d in zip(results, differences, strict=True)
    ]
    return Gain.of(base, statistic, mean, mean + (count - 1) * np.concatenate(apart), settings)


def gain_cell(gain: Gain) -> str:
    """A difference, its interval and p."""
    if gain.difference is None:
        return "–"
    # Rounded first, so that no difference is "-0.000".
    shown = [
        f"{round(x, 3) + 0.0:+.3f}" for x in (gain.difference, gain.low, gain.high) if x is not None
    ]
    between = f"[{shown[1]}, {shown[2]}]" if len(shown) == 3 else "[too few documents differ]"
    return f"{shown[0]} {between} p {gain.p:.3f}"


def gain_table(
    results: Sequence[Outcome], settings: TuneSettings
) -> dict[tuple[str, str, str], Gain]:
    """What each hybrid adds; the mean over test sets is returned."""
    print("| difference | weights | test set | Pearson | Kendall |\n|---|---|---|---|---|")
    means = {}
    for base in dict.fromkeys(result.base for result in results):
        own = [r for r in results if r.base == base]
        total = {key: overall(own, key, settings) for key in KEYS}
        means.update({(base, *key): gain for key, gain in total.items()})
        for training in TRAININGS:
            rows = [(r.subject.name, r.gains) for r in own] + [(ALL, total)]
            for name, gains in rows:
                cells = " | ".join(gain_cell(gains[training, s]) for s in STATISTICS)
                print(f"| {hybrid_name(base)} − {base.upper()} | {training} | {name} | {cells} |")
    return means


def verdicts(results: Sequence[Outcome], means: dict[tuple[str, str, str], Gain], add: str) -> None:
    """In words what the mean differences say, and on how many test sets."""
    for (base, training, statistic), gain in means.items():
        own = [r.gains[training, statistic] for r in results if r.base == base]
        ahead = sum((g.difference or 0) > 0 for g in own)
        sure = sum((g.low or 0) > 0 for g in own)
        if gain.low is None or gain.high is None:
            continue
        unclear = "it takes away" if gain.high < 0 else "not shown"
        word = "yes" if gain.low > 0 else unclear
        print(
            f"- {add} adds to {base} ({training}, {statistic}): {word}, {gain_cell(gain)}; "
            f"ahead on {ahead} of {len(own)} test sets, significantly on {sure}"
        )


# --- the plot ------------------------------------------------------------------------------------


def draw(results: Sequence[Outcome], path: Path) -> None:
    """What every alpha would gain on each test set, and what the trained ones gained."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    bases = list(dict.fromkeys(result.base for result in results))
    axes = figure.subplots(1, len(bases) + 1)
    for axis, base in zip(axes, bases, strict=False):
        for result in (r for r in results if r.base == base):
            alphas, heights = result.tuned.curve.T
            axis.plot(alphas, heights - heights[0], label=result.subject.name)
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_title(hybrid_name(base))
        axis.set_xlabel("alpha")
        axis.set_ylabel(f"Pearson's r less that of {base}")
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=7)
    _forest(axes[-1], results)
    save_plot(figure, path)


COLOURS = {EQUAL: "#8a8f98", HELD_OUT: "#1f5f8b", ELSEWHERE: "#b5493b"}


def _forest(axis: Any, results: Sequence[Outcome]) -> None:
    rows = []
    for training, shade in COLOURS.items():
        for result in results:
            gain = result.gains[training, "pearson"]
            label = f"{hybrid_name(result.base)} {result.subject.name}"
            rows.append((label, gain, shade, training))
    labels = list(dict.fromkeys(row[0] for row in rows))
    seen = set()
    for label, gain, shade, training in rows:
        if gain.difference is None:
            continue
        place = -labels.index(label) + 0.2 * (1 - TRAININGS.index(training))
        axis.plot([gain.low, gain.high], [place, place], color=shade, linewidth=1)
        name = None if training in seen else training
        axis.plot(gain.difference, place, "o", color=shade, markersize=3, label=name)
        seen.add(training)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_yticks([-i for i in range(len(labels))], labels, fontsize=7)
    axis.set_xlabel("difference in Pearson's r, 95 %")
    axis.legend(fontsize=7, loc="lower left")


# --- the experiment ------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="test sets with judgements")
    parser.add_argument("--add", default="cohesion", help="the metric whose worth is asked")
    parser.add_argument("--to", default="bleu,meteor", help="the metrics that it may add to")
    parser.add_argument("--human", default="mqm", help="the kind of judgements")
    parser.add_argument("--all-references", action="store_true", help="not the first alone")
    parser.add_argument("--scores", type=Path, help="folder that keeps scores between runs")
    parser.add_argument("--plot", type=Path, help="file for the plot")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=1000)
    return parser.parse_args()


def main() -> None:
    """Score, train, print."""
    options = arguments()
    bases = split_names(options.to)
    subjects = [subject_of(folder, [*bases, options.add], options) for folder in options.folders]
    for subject in subjects:
        human = subject.study.human
        print(
            f"{subject.name}: {len(human.systems)} systems, {len(set(human.blocks.tolist()))} "
            f"documents, {len(human.items)} segments, "
            f"references {'+'.join(subject.study.testset.reference_names)}"
        )
    for grouping, title in GROUPINGS.items():
        settings = TuneSettings(grouping=grouping, folds=options.folds, resamples=options.resamples)
        results = [r for base in bases for r in outcomes(subjects, base, settings, options)]
        print(f"\n## Correlation over {title}\n" if grouping == "none" else f"\n## {title}\n")
        agreement_table(subjects, results, options.add)
        print()
        means = gain_table(results, settings)
        print()
        verdicts(results, means, options.add)
        if options.plot and grouping == "none":
            draw(results, options.plot)


if __name__ == "__main__":
    main()
