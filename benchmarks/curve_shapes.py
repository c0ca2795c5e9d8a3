"""Would curves of what a difference is worth do better if they could not promise so much?

    python benchmarks/curve_shapes.py path/to/wmt scores/ [--metrics chrf,bleu]

A curve's log odds z grow with the difference without end; here they level off, z / sqrt(1 + k z²),
at 1 / sqrt(k), as they do in the mean over test sets that differ in what a difference is worth.
For each k: how well curves with other metrics beside them predict each test set after a fit to the
others, and wmt23 en-de after a fit to all of them; and the highest bin of probabilities that any
had, beside what people said. The scores are those of benchmarks/difference_curves.py.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from difference_curves import HELD_OUT, LEARNT, SHIPPED, scores_path
from isogloss.comparison import contests_of
from isogloss.formats import read_collection, read_judgements, read_scores
from isogloss.metaeval import Contests, Predicted, curve_of, quality, reliability

Floats = NDArray[np.float64]
LEVELS = (0.0, 0.05, 0.1, 0.2, 0.4)
RIDGE = 1e-3


def contests(folder: Path, scores: Path, name: str) -> dict[str, Contests]:
    """Every metric's contests on a test set."""
    paths = [scores_path(scores, name, kind) for kind in SHIPPED]
    tables = [read_scores(path) for path in paths if path.exists()]
    collection = read_collection(folder / name)
    judgements = read_judgements(folder / name, collection, "mqm")
    return contests_of(tables, judgements, collection.testset)


def levelled(z: Floats, k: float) -> Floats:
    """Log odds that go no further than 1 / sqrt(k)."""
    return np.asarray(z / np.sqrt(1 + k * z**2))


class Learner:
    """Curves of one shape, with the agreement of other metrics."""

    def __init__(self, sets: Sequence[Contests], metric: str) -> None:
        self.shape = curve_of(sets, metric, "system", "mqm").fit.shape

    def features(self, asked: Contests) -> Floats:
        return self.shape.features(
            asked.difference, asked.documents, np.nan_to_num(asked.agreement)
        )

    def fitted(self, sets: Sequence[Contests], k: float) -> Floats:
        """Coefficients with the least loss, each set counting the same."""
        features = np.concatenate([self.features(each) for each in sets])
        liked = np.concatenate([each.preferred for each in sets])
        weights = np.concatenate([each.weights for each in sets]) / len(sets)

        def loss(coefficients: Floats) -> tuple[float, Floats]:
            z = features @ coefficients
            odds, steep = levelled(z, k), (1 + k * z**2) ** -1.5
            value = weights @ (np.logaddexp(0, odds) - liked * odds)
            slope = features.T @ (weights * (expit(odds) - liked) * steep)
            ridge = RIDGE * coefficients
            return float(value + ridge @ coefficients / 2), slope + ridge

        return np.asarray(minimize(loss, np.ones(features.shape[1]), jac=True, method="BFGS").x)

    def predicted(self, learnt: Sequence[Contests], asked: Contests, k: float) -> Predicted:
        odds = levelled(self.features(asked) @ self.fitted(learnt, k), k)
        return Predicted(
            asked.testset, asked.languages, expit(odds), asked.preferred, asked.weights
        )


def report(metric: str, sets: Sequence[Contests], new: Contests) -> None:
    """A line for each k."""
    learner = Learner(sets, metric)
    for k in LEVELS:
        unseen = [
            learner.predicted([*sets[:place], *sets[place + 1 :]], each, k)
            for place, each in enumerate(sets)
        ]
        known, fresh = quality(unseen), quality([learner.predicted(sets, new, k)])
        top = reliability(unseen)[-1]
        print(
            f"{metric:10} {k:4.2f}  {known.log_loss:.4f} {known.error:.3f}  "
            f"{fresh.log_loss:.4f} {fresh.error:.3f}  "
            f"{top.predicted:.3f} {top.observed:.3f} {top.contests:6,}",
            flush=True,
        )


def main() -> None:
    """Read all contests once, then try every k."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="of WMT tables")
    parser.add_argument("scores", type=Path, help="of benchmarks/difference_curves.py")
    parser.add_argument("--metrics", default="bleu,chrf,prism")
    options = parser.parse_args()
    sets = [contests(options.folder, options.scores, name) for name in LEARNT]
    (new,) = (contests(options.folder, options.scores, name) for name in HELD_OUT)
    print("metric        k  20 sets: log loss, error  wmt23: the same  top bin: p, people, pairs")
    for metric in options.metrics.split(","):
        report(metric, [each[metric] for each in sets if metric in each], new[metric])


if __name__ == "__main__":
    main()
