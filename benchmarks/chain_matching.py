"""Lexical chains matched by word and by meaning, judged by how far they agree with people.

    python benchmarks/chain_matching.py path/to/wmt [--sets wmt20/en-de,...] [--segments 600]
                                        [--nearness 0.5,0.6,0.7,0.8] [--forms paper,strict]

Scores are those of `cohesion` and of `cohesion(match=embedding, nearness=...)`, in the paper's form
and in the strictest (form=f, per=either). Prints acc_eq of documents and soft pairwise accuracy of
systems over the documents in which people marked errors (MQM), and what share of the output's
chains has a match. Each text is read once, however many thresholds there are.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from development_sets import SETS, cell, some_documents
from isogloss import Collection, ScoreTable, evaluate
from isogloss.cli.people import judged_documents
from isogloss.formats import read_collection, read_judgements
from isogloss.metaeval import JudgingSettings, Statistic, Task, judge, study_of
from isogloss.metrics.cohesion import Cohesion
from isogloss.model import Paraphraser, PiecedText

STRICT = Cohesion(form="f", per="either")
FORMS = {"paper": Cohesion(), "strict": STRICT}
TASK = Task(
    "chains",
    "",
    (
        Statistic("document", "acc-eq", "item"),
        Statistic("document", "soft-pairwise-accuracy"),
    ),
)
NOT_MATCHED = "chain not in the"


class RememberingReader:
    """The model, which reads each text once."""

    def __init__(self, model: Paraphraser) -> None:
        self.model = model
        self.card, self.engine_id = model.card, model.engine_id
        self.read: dict[str, tuple[PiecedText, np.ndarray]] = {}

    def states(
        self, texts: Iterable[str], language: str
    ) -> Iterator[tuple[PiecedText, np.ndarray]]:
        texts = list(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self.read]
        self.read.update(zip(new, self.model.states(new, language), strict=True))
        return (self.read[text] for text in texts)


READER = RememberingReader(Cohesion(match="embedding").paraphraser())


@dataclass(frozen=True)
class RememberingCohesion(Cohesion):
    """The metric, which asks the model that remembers."""

    def paraphraser(self) -> Paraphraser:
        return READER if self.match == "embedding" else super().paraphraser()  # type: ignore[return-value]


def metrics(forms: Iterable[str], thresholds: Iterable[float]) -> list[Cohesion]:
    """Each form by word, and by meaning at each threshold."""
    found: list[Cohesion] = []
    for form in forms:
        found.append(FORMS[form])
        options = {"form": FORMS[form].form, "per": FORMS[form].per, "match": "embedding"}
        found += [RememberingCohesion(**options, nearness=each) for each in thresholds]
    return found


def matched(table: ScoreTable, metric: str) -> float:
    """What share of the output's chains has a match that scores."""
    reasons = [
        e.reason
        for row in table.of_metric(metric)
        for document in row.documents
        for e in document.measurement.evidence
        if e.reason != "chain not in the output"
    ]
    return sum(not reason.startswith(NOT_MATCHED) for reason in reasons) / len(reasons)


def report(folder: Path, name: str, segments: int, chosen: list[Cohesion]) -> None:
    """Print one test set's lines."""
    whole = read_collection(folder / name)
    judgements = read_judgements(folder / name, whole, "mqm")
    collection: Collection = judged_documents(whole, judgements).with_references([SETS[name]])
    collection = some_documents(collection, segments)
    READER.read.clear()
    table = evaluate(collection, chosen)
    judged = judge([study_of([table], judgements, whole)], TASK, JudgingSettings(draws=0))
    documents = {f.metric: f for f in judged.columns[0].findings}
    systems = {f.metric: f for f in judged.columns[1].findings}
    for metric in documents:
        cells = [name, f"`{metric}`", cell(documents[metric]), cell(systems[metric])]
        print("| " + " | ".join([*cells, f"{matched(table, metric):.3f}"]) + " |", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--segments", type=int, default=600)
    parser.add_argument("--nearness", default="0.5,0.6,0.7,0.8")
    parser.add_argument("--forms", default="paper,strict")
    arguments = parser.parse_args()
    thresholds = [float(each) for each in arguments.nearness.split(",")]
    print("| test set | metric | acc_eq of documents | soft pairwise accuracy | matched |")
    print("|---|---|---|---|---|")
    for name in arguments.sets.split(","):
        report(
            arguments.folder,
            name,
            arguments.segments,
            metrics(arguments.forms.split(","), thresholds),
        )
        print(f"{name} done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
