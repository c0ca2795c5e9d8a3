"""What is a difference worth? The scores that the curves which come along were fitted on.

    python benchmarks/difference_curves.py path/to/wmt scores/ [--sets wmt20/en-de,wmt23/en-de]
                                           [--kinds plain,model,links,learnt] [--device cuda]

Scores the systems that people judged (MQM at WMT20 to WMT23) on all judged documents: with metrics
that take no model (plain), with probabilities of the model inside (model), by word links (links),
and with what the model learnt of judgements (learnt). Without a GPU the latter three take hours;
--segments has them score documents of about so many segments, evenly spread over the set. A file
that is there is not made again. Then

    isogloss worth path/to/wmt/wmt20/en-de ... --scores scores/wmt20.en-de.plain.jsonl ...

fits the curves; --command prints that command in full. Curves of plain and model come along, and of
no more unless --kinds says so (of the command, too): `mqm` has learnt the judgements of WMT20 to
WMT22 themselves, so that a curve fitted there promises what it keeps nowhere else; that of `ltcr`
promises too much above .8.

--silence FILE asks curves that are fitted already, those that come along for one, where they are
worse than a coin: each test set is predicted by the fit without it that stands in the file, for the
metrics of --kinds, and the language pairs of which nothing is to be quoted are written into it.

--simulate 300 says how often the intervals of such curves hold the truth, on made test sets whose
truth is known: in each, what a difference is worth is another, and the truth is the mean over all
there could be.
"""

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.special import expit

from development_sets import SETS, some_documents, told
from isogloss import Collection, evaluate
from isogloss.cli.people import judged_documents
from isogloss.comparison import contests_of
from isogloss.formats import read_collection, read_judgements, read_scores, write_scores
from isogloss.metaeval import (
    Contests,
    FittedCurve,
    Predicted,
    WorthCurve,
    curve_of,
    curves_text,
    predicted,
    quality,
    read_curves,
    silent_pairs,
)
from isogloss.notation import toml_table
from isogloss.runtime import Runtime, default_cache_folder

KINDS = {
    "plain": ("bleu", "chrf", "ter", "cohesion"),
    "model": ("prism",),
    "links": ("ltcr",),
    "learnt": ("mqm",),
}
SHIPPED = ("plain", "model")
TALKS = ("en-de", "en-ru", "zh-en")
BIO = ("de-en", "en-de", "en-es", "en-fr", "en-ru", "en-zh", "es-en", "fr-en", "ru-en", "zh-en")
LEARNT = {
    **{name: reference for name, reference in SETS.items() if not name.startswith("wmt23")},
    **{f"wmt21.tedtalks/{pair}": "A" for pair in TALKS},
    **{f"wmt21.bio/{pair}": "A" for pair in BIO},
}
HELD_OUT = {"wmt23/en-de": "refA"}


def judged_part(folder: Path, reference: str, segments: int | None) -> Collection:
    """The documents and systems that people judged, beside one reference."""
    whole = read_collection(folder)
    judgements = read_judgements(folder, whole, "mqm")
    judged = judged_documents(whole, judgements).with_references([reference])
    names = [name for name in judgements.systems if name in {each.name for each in whole.outputs}]
    judged = judged.with_systems(names)
    return some_documents(judged, segments) if segments else judged


def score(folder: Path, name: str, options: argparse.Namespace) -> None:
    """Every kind of metrics on one set; what is there is left."""
    reference = {**LEARNT, **HELD_OUT}[name]
    runtime = Runtime(options.device, default_cache_folder(), progress=told)
    for kind in options.kinds.split(","):
        path = scores_path(options.scores, name, kind)
        if not path.exists():
            most = None if kind == "plain" else options.segments
            part = judged_part(folder / name, reference, most)
            write_scores(evaluate(part, KINDS[kind], runtime=runtime), path)
            print(f"{name} {kind}: {part.testset.segment_count} segments", file=sys.stderr)


def scores_path(to: Path, name: str, kind: str) -> Path:
    """Where the scores of a kind of metrics on a set are."""
    return to / f"{name.replace('/', '.')}.{kind}.jsonl.zst"


def command_of(folder: Path, to: Path, kinds: Sequence[str], save: str) -> str:
    """The command that fits the curves on these scores."""
    sets = [*LEARNT, *HELD_OUT]
    there = [path for name in sets for k in kinds if (path := scores_path(to, name, k)).exists()]
    words = ["isogloss", "worth", *(str(folder / name) for name in LEARNT)]
    words += [word for name in HELD_OUT for word in ("--test", str(folder / name))]
    words += [word for path in there for word in ("--scores", str(path))]
    return shlex.join([*words, "--save", save])


# --- where are they worse than a coin? ------------------------------------------------------------


def silence(folder: Path, scores: Path, path: Path, kinds: Sequence[str]) -> None:
    """Where the curves of a file do worse than a coin on unseen sets: printed, and kept there."""
    curves = read_curves(path)
    sets = judged_contests(folder, scores, kinds)
    tried = [
        unseen_by(curve, sets[curve.metric]) for curve in curves.curves if curve.metric in sets
    ]
    print_losses(tried)
    about = toml_table(path.read_text(encoding="utf-8"), path)
    about = {key: told for key, told in about.items() if key not in ("version", "silent", "curves")}
    found = replace(curves, silent=silent_pairs(tried))
    path.write_text(curves_text(found, about), encoding="utf-8")


def judged_contests(
    folder: Path, scores: Path, kinds: Sequence[str]
) -> dict[str, dict[str, Contests]]:
    """Of each metric that there are scores of: the contests of each test set, by its name."""
    found: dict[str, dict[str, Contests]] = {}
    for name in LEARNT:
        whole = read_collection(folder / name)
        judgements = read_judgements(folder / name, whole, "mqm")
        files = [path for kind in kinds if (path := scores_path(scores, name, kind)).exists()]
        tables = [read_scores(path) for path in files]
        for metric, contests in contests_of(tables, judgements, whole.testset).items():
            there = f"{contests.testset} {'-'.join(contests.languages)}"
            found.setdefault(metric, {})[there] = contests
    return found


def unseen_by(curve: WorthCurve, sets: Mapping[str, Contests]) -> FittedCurve:
    """What the fit without each of the test sets says of it."""
    fits = zip(curve.range.testsets, curve.without, strict=True)
    return FittedCurve(curve, tuple(predicted(fit, sets[name]) for name, fit in fits))


def print_losses(tried: Sequence[FittedCurve]) -> None:
    """The log loss of every metric over all test sets and in every language pair; their mean."""
    metrics = [each.curve.metric for each in tried]
    print(f"{'pair':<6}{'sets':>5}" + "".join(f"{metric:>10}" for metric in [*metrics, "mean"]))
    print_row("all", [each.unseen for each in tried])
    for pair in dict.fromkeys(each.languages for each in tried[0].unseen):
        of_pair = [[each for each in t.unseen if each.languages == pair] for t in tried]
        print_row("-".join(pair), of_pair)


def print_row(name: str, unseen: Sequence[Sequence[Predicted]]) -> None:
    """The log loss of each metric on these sets."""
    losses = [quality(chosen).log_loss for chosen in unseen]
    told = "".join(f"{loss:>10.3f}" for loss in [*losses, float(np.mean(losses))])
    print(f"{name:<6}{len(unseen[0]):>5}{told}")


# --- do the intervals hold? -----------------------------------------------------------------------

STEEPNESS, SPREAD, SETTLING = 1.8, 0.6, 5.0  # about those of chrF
POINTS = ((0.3, 5), (0.3, 50), (1.0, 5), (1.0, 50), (2.5, 50))  # differences, documents
SIZES = (3, 8, 20, 50)


def made_set(rng: np.random.Generator, number: int, systems: int = 10) -> Contests:
    """A test set of systems of known quality, and what people prefer in it."""
    quality = rng.normal(size=systems) * 0.8
    first, second = np.triu_indices(systems, 1)
    steepness = rng.normal(STEEPNESS, SPREAD * STEEPNESS)
    gaps, sizes, liked = [], [], []
    for size in SIZES:
        gap = quality[first] - quality[second] + rng.normal(size=len(first)) / np.sqrt(size)
        likely = expit(steepness * worth_of(gap, size))
        gaps.append(gap)
        sizes.append(np.full(len(first), float(size)))
        liked.append((rng.random(len(first)) < likely).astype(float))
    columns = [np.concatenate(each) for each in (gaps, sizes, liked)]
    nothing = np.full(len(columns[0]), np.nan)
    return Contests(
        f"made {number}", ("en", "de"), "made", columns[0], columns[1], nothing, nothing, columns[2]
    )


def worth_of(gap: np.ndarray | float, size: int) -> np.ndarray:
    """What a difference on so many documents is made to be worth, before it is made steep."""
    return np.asarray(np.sign(gap) * np.sqrt(np.abs(gap)) / np.sqrt(1 + SETTLING / size))


def simulate(trials: int) -> None:
    """How often intervals hold the truth: of the mean over test sets, and of one that is new."""
    rng = np.random.default_rng(12345)
    steep = rng.normal(STEEPNESS, SPREAD * STEEPNESS, size=100_000)
    print("| test sets | " + " | ".join(f"{gap}, {size} documents" for gap, size in POINTS) + " |")
    print("|---|" + "---|" * len(POINTS))
    for sets in (5, 8, 20):
        held = np.zeros((2, len(POINTS)))
        for _ in range(trials):
            curve = curve_of([made_set(rng, n) for n in range(sets)], "made", "system", "made")
            for place, (gap, size) in enumerate(POINTS):
                each = expit(steep * worth_of(gap, size))
                for kind, target in enumerate(("de", "xx")):
                    found = curve.worth(gap, size, None, ("en", target))
                    truth = each.mean() if kind == 0 else rng.choice(each)
                    held[kind, place] += found is not None and found.low <= truth <= found.high
        for name, row in zip(("mean", "one new set"), held / trials, strict=True):
            print(f"| {sets}, {name} | " + " | ".join(f"{share:.3f}" for share in row) + " |")


def main() -> None:
    """Score what is not scored yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="of WMT tables")
    parser.add_argument("scores", type=Path, help="folder for score files")
    parser.add_argument("--sets", default=",".join([*LEARNT, *HELD_OUT]))
    parser.add_argument("--kinds", default=",".join(SHIPPED), help="which metrics")
    parser.add_argument("--segments", type=int, help="of each set, for models; all unless given")
    parser.add_argument("--device", default="cpu", help="where models run: cpu, cuda or auto")
    parser.add_argument("--command", action="store_true", help="print the command that fits")
    parser.add_argument("--silence", type=Path, metavar="FILE", help="of curves: where they fail")
    parser.add_argument("--simulate", type=int, metavar="TRIALS", help="coverage of the intervals")
    arguments = parser.parse_args()
    if arguments.simulate:
        simulate(arguments.simulate)
        return
    kinds = arguments.kinds.split(",")
    if arguments.silence:
        silence(arguments.folder, arguments.scores, arguments.silence, kinds)
        return
    if arguments.command:
        print(command_of(arguments.folder, arguments.scores, kinds, "curves.toml"))
        return
    arguments.scores.mkdir(parents=True, exist_ok=True)
    for name in arguments.sets.split(","):
        score(arguments.folder, name, arguments)


if __name__ == "__main__":
    main()
