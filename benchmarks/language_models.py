"""`lm` beside a language model of its own: does it matter that the model inside had a source?

    python benchmarks/language_models.py path/to/wmt path/to/parallel [--sets wmt20/zh-en,...]
                                         [--segments 300] [--sentences 400000]

The Prism paper contrasts its metric with a language model that was trained by itself; `lm` asks the
translation model without a source. Here a model of n-grams (interpolated Kneser-Ney, four pieces
long, pieces as the model inside has them) is trained in a minute or two on sentences of the target
language from the parallel texts. Both score the same translations, and are compared by how far they
agree with people (MQM): Pearson and acc_eq of segments, soft pairwise accuracy of systems. Prints
also how far both models agree with each other, segment by segment.
"""

import argparse
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from development_sets import SETS, cell, some_documents
from isogloss import ScoreTable, evaluate
from isogloss.arrays import Floats
from isogloss.cli.people import judged_documents
from isogloss.documents import TestSet, Translation
from isogloss.formats import read_collection, read_judgements
from isogloss.formula import MeanFormula
from isogloss.metaeval import JudgingSettings, Statistic, Task, judge, study_of
from isogloss.metrics import ConfiguredMetric
from isogloss.model import DEFAULT_MODEL, find_model, open_model
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.signature import Signature

PIECES = open_model(find_model(DEFAULT_MODEL), None, Runtime())._model.source_side
ORDER, BITS, DISCOUNT = 4, 15, 0.75
FILES = ("europarl", "web_debian_org", "edu_freecodecamp", "lit_russian_novels", "health_tico19")
TASK = Task(
    "language models",
    "",
    (
        Statistic("segment", "pearson"),
        Statistic("segment", "acc-eq", "item"),
        Statistic("document", "soft-pairwise-accuracy"),
    ),
)
Keys = NDArray[np.int64]


class Numbering:
    """Pieces as numbers below 2 ** 15; 0 is the edge of a sentence, 1 what is unknown."""

    def __init__(self) -> None:
        self.number_of: dict[str, int] = {}
        self.frozen = False

    def __call__(self, piece: str) -> int:
        if not self.frozen and len(self.number_of) < 2**BITS - 2:
            return self.number_of.setdefault(piece, len(self.number_of) + 2)
        return self.number_of.get(piece, 1)


class NGrams:
    """Interpolated Kneser-Ney over pieces."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self.number = Numbering()
        keys = np.concatenate([self._windows(s) for s in self._pieced(sentences)])
        self.number.frozen = True
        self.counts: list[tuple[Keys, Keys]] = []
        self.histories: list[tuple[Keys, Keys, Keys]] = []
        counted = np.unique(keys, return_counts=True)
        for order in range(ORDER, 0, -1):
            self.counts.insert(0, counted)
            grams, times = counted
            heads, starts, followers = np.unique(
                grams >> BITS, return_index=True, return_counts=True
            )
            self.histories.insert(0, (heads, np.add.reduceat(times, starts), followers))
            # A shorter n-gram counts as often as there are pieces that it was seen after.
            counted = np.unique(grams & (2 ** (BITS * (order - 1)) - 1), return_counts=True)

    def _pieced(self, sentences: Iterable[str]) -> Iterator[list[int]]:
        for text in PIECES.encode(sentences):
            yield [self.number(piece) for piece in text.pieces]

    def _windows(self, numbers: list[int]) -> Keys:
        """The n-gram that ends with each piece and with the end of the sentence."""
        padded = np.array([0] * (ORDER - 1) + numbers + [0], dtype=np.int64)
        length = len(numbers) + 1
        shifts = ((ORDER - 1 - n) * BITS for n in range(ORDER))
        return sum(padded[n : n + length] << s for n, s in enumerate(shifts))  # type: ignore[return-value]

    def mean_log_probability(self, sentence: str) -> float:
        """H, as `lm` has it: over the pieces and the end."""
        (numbers,) = self._pieced([sentence])
        keys = self._windows(numbers)
        probability = np.full(len(keys), 1 / 2**BITS)
        for order in range(1, ORDER + 1):
            probability = self._interpolated(order, keys, probability)
        return float(np.log(probability).mean())

    def _interpolated(self, order: int, keys: Keys, shorter: Floats) -> Floats:
        grams = keys & (2 ** (BITS * order) - 1)
        seen = _found(self.counts[order - 1][0], self.counts[order - 1][1], grams)
        heads, totals, followers = self.histories[order - 1]
        total, kinds = (_found(heads, each, grams >> BITS) for each in (totals, followers))
        known = np.maximum(total, 1)
        found = np.maximum(seen - DISCOUNT, 0) / known + DISCOUNT * kinds / known * shorter
        return np.asarray(np.where(total > 0, found, shorter))


def _found(keys: Keys, values: Keys, wanted: Keys) -> Floats:
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[places] == wanted, values[places], 0).astype(float)


@dataclass(frozen=True)
class NGramMetric(ConfiguredMetric):
    """The mean over segments of the n-gram model's H."""

    title: ClassVar[str] = "n-grams"
    needs_references: ClassVar[bool] = False

    model: NGrams | None = field(default=None, compare=False, repr=False)

    def signature(self, testset: TestSet) -> Signature:  # noqa: ARG002
        """Only the name: it lives as long as this script."""
        return Signature(self.name)

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """H of every segment."""
        assert self.model is not None
        for translation in translations:
            scores = [self.model.mean_log_probability(t) if t else None for t in translation.output]
            there = [score for score in scores if score is not None]
            rows = np.array([(np.nan, np.nan) if s is None else (s, 1.0) for s in scores])
            sums = np.array([sum(there), float(len(there))])
            yield Measurement(sums, len(there), len(scores), rows, tuple(scores))

    def score_rows(self, statistics: Floats) -> Floats:
        """The mean."""
        return MeanFormula().score_rows(statistics)


def texts(folder: Path, language: str, most: int) -> Iterator[str]:
    """Sentences of a language from the parallel files, evenly from each."""
    for name in FILES:
        command = ["zstd", "-dc", str(folder / f"{name}.tsv.zst")]
        done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603
        heading, *rows = (line.split("\t") for line in done.stdout.decode().split("\n"))
        if language in heading:
            column = heading.index(language)
            found = [row[column] for row in rows if len(row) > column and row[column]]
            yield from found[: most // len(FILES)]


def segment_scores(table: ScoreTable, metric: str) -> Floats:
    """All systems' segments in a row."""
    return np.array(
        [
            np.nan if score is None else score
            for row in table.of_metric(metric)
            for document in row.documents
            for score in document.segment_scores or ()
        ]
    )


def report(folder: Path, name: str, segments: int, model: NGrams) -> None:
    """Print one test set's lines."""
    whole = read_collection(folder / name)
    judgements = read_judgements(folder / name, whole, "mqm")
    collection = judged_documents(whole, judgements).with_references([SETS[name]])
    collection = some_documents(collection, segments)
    table = evaluate(collection, ["lm", NGramMetric(model=model), "chrf"])
    judged = judge([study_of([table], judgements, whole)], TASK, JudgingSettings(draws=0))
    for row in range(3):
        metric = judged.columns[0].findings[row].metric
        cells = [cell(next(f for f in c.findings if f.metric == metric)) for c in judged.columns]
        print(f"| {name} | `{metric}` | " + " | ".join(cells) + " |", flush=True)
    ours, theirs = segment_scores(table, "lm"), segment_scores(table, "n-grams")
    there = ~(np.isnan(ours) | np.isnan(theirs))
    print(f"| {name} | r of both | {np.corrcoef(ours[there], theirs[there])[0, 1]:.3f} | | |")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wmt", type=Path)
    parser.add_argument("parallel", type=Path)
    parser.add_argument("--sets", default="wmt20/zh-en,wmt20/en-de,wmt23/en-de")
    parser.add_argument("--segments", type=int, default=300)
    parser.add_argument("--sentences", type=int, default=400_000)
    arguments = parser.parse_args()
    models: dict[str, NGrams] = {}
    print("| test set | metric | r of segments | acc_eq of segments | soft pairwise accuracy |")
    print("|---|---|---|---|---|")
    for name in arguments.sets.split(","):
        language = name.rpartition("-")[2]
        if language not in models:
            models[language] = NGrams(texts(arguments.parallel, language, arguments.sentences))
        report(arguments.wmt, name, arguments.segments, models[language])


if __name__ == "__main__":
    main()
