"""Do the verdicts on annotators hold? How often somebody stands out who should not.

    python benchmarks/annotators.py [--trials 1000]

Annotators score 0 to 100 in steps of one: the translation, their own mildness and use of the
scale, what a document is to them, and chance. In "null" they are all alike. In "truth" they differ
in mildness, one uses two thirds of the scale, and one becomes 15 points stricter. Each figure has
its share of campaigns in which the interval of anybody misses what is true; 5 % is promised. The
last column says how often the drift of 15 points was seen.
"""

import argparse
from collections import Counter
from dataclasses import dataclass

import numpy as np

from isogloss.annotate.results.manner import Bounded, Readings
from isogloss.arrays import Floats, Integers

SIZES = ((3, 5), (3, 10), (3, 20), (5, 10), (5, 50), (10, 5), (10, 20), (10, 50))
SYSTEMS, CONFIDENCE = 4, 0.95
OF_TRANSLATIONS, OF_DOCUMENTS, OF_ANNOTATOR, OF_CHANCE = 10.0, 5.0, 4.0, 8.0
"""Deviations: translations, documents, annotators' own view of a document, chance."""
DRIFT, SCALE = -15.0, 2 / 3
FIGURES = ("mildness", "spread", "agreement", "drift")


@dataclass(frozen=True)
class Pool:
    """Annotators as they are."""

    mildness: Floats
    scale: Floats
    drift: Floats

    @classmethod
    def of(cls, people: int, *, differ: bool) -> "Pool":
        mildness, scale, drift = np.zeros(people), np.ones(people), np.zeros(people)
        if differ:
            mildness = np.linspace(-6, 6, people)
            scale[0], drift[1] = SCALE, DRIFT
        return cls(mildness, scale, drift)

    def truth(self, person: int) -> dict[str, float]:
        """What the figures of somebody estimate."""
        others = [n for n in range(len(self.scale)) if n != person]
        signal = OF_TRANSLATIONS**2 + OF_DOCUMENTS**2
        noise = OF_ANNOTATOR**2 + OF_CHANCE**2
        deviation = np.sqrt(self.scale**2 * signal + noise + self.drift**2 / 12)
        scale = self.scale[others].mean()
        disturbed = noise + self.drift**2 / 12
        beside = scale**2 * signal + disturbed[others].sum() / len(others) ** 2
        return {
            "mildness": float(self.mildness[person] - self.mildness[others].mean()),
            "spread": float(np.exp(np.mean(np.log(deviation[person] / deviation[others])))),
            "agreement": float(self.scale[person] * scale * signal / deviation[person])
            / float(np.sqrt(beside)),
            "drift": float(self.drift[person]),  # others work in orders of their own
        }


def campaign(pool: Pool, documents: int, rng: np.random.Generator) -> Readings:
    """Everybody scores all translations of the documents."""
    segments = rng.integers(3, 15, documents)
    document: Integers = np.repeat(np.arange(documents), segments * SYSTEMS)
    people, units = len(pool.scale), len(document)
    good = rng.normal(0, OF_TRANSLATIONS, units) + rng.normal(0, OF_DOCUMENTS, documents)[document]
    own = rng.normal(0, OF_ANNOTATOR, (people, documents))[:, document]
    order = np.array([rng.permutation(documents) for _ in range(people)])
    at = order / (documents - 1) - 0.5
    change = pool.drift[:, None] * at[:, document]
    chance = rng.normal(0, OF_CHANCE, (people, units))
    scores = 55 + pool.mildness[:, None] + pool.scale[:, None] * good + own + change + chance
    return Readings(np.clip(np.rint(scores), 0, 100), order[:, document].astype(float), document)


def missed(pool: Pool, readings: Readings) -> tuple[set[str], bool]:
    """The figures of which anybody's interval misses the truth; whether the drift was seen."""
    found, seen = set(), False
    for person in range(len(pool.scale)):
        manner = readings.manner(person, CONFIDENCE)
        for name, value in pool.truth(person).items():
            figure: Bounded | None = getattr(manner, name)
            if figure is not None and figure.excludes(value):
                found.add(name)
        if person == 1 and manner.drift is not None:
            seen = manner.drift.excludes(0) and manner.drift.value < 0
    return found, seen


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    print("| | annotators | documents | " + " | ".join(FIGURES) + " | drift seen |")
    print("|---|---|---|" + "---|" * (len(FIGURES) + 1))
    for differ in (False, True):
        for people, documents in SIZES:
            rng = np.random.default_rng([people, documents, differ])
            pool, count, seen = Pool.of(people, differ=differ), Counter[str](), 0
            for _ in range(trials):
                wrong, drift = missed(pool, campaign(pool, documents, rng))
                count.update(wrong)
                seen += drift
            shares = " | ".join(f"{count[name] / trials:.3f}" for name in FIGURES)
            last = f"{seen / trials:.2f}" if differ else ""
            name = "truth" if differ else "null"
            print(f"| {name} | {people} | {documents} | {shares} | {last} |", flush=True)


if __name__ == "__main__":
    main()
