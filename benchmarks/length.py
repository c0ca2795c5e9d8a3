"""How much of a metric's agreement with people is length? Stored scores, as they are and times it.

    python benchmarks/length.py path/to/wmt/wmt23/en-de [--reference refA] [--human mqm]

MQM counts errors, so people's scores fall with the length of a segment, whoever translated it.
Every stored score of a segment is multiplied by the length of the reference in characters (after
the best score, which stands for "no error", was taken off), which leaves the order of the outputs
of a segment as it was. What changes is what is compared across segments: Pearson's r over all, and
acc_eq, whose one threshold for ties holds for all segments. Also told: the share of pairs of
outputs of one segment in the order of people, where these differ; it knows nothing of length.
Prints Markdown.
"""

import argparse
from pathlib import Path

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet
from isogloss.formats import read_collection, read_judgements, read_metric_scores
from isogloss.metaeval import Study, acc_eq, pearson, study_of, untied_order


def reference_lengths(study: Study, testset: TestSet, reference: str) -> Floats:
    """The characters of the reference of every judged segment."""
    texts = {document.id: document.references[reference] for document in testset.documents}
    return np.array([len(texts[name][segment or 0] or "") for name, segment in study.human.items])


def by_documents(scores: Floats, blocks: np.ndarray) -> Floats:
    """Means over the judged segments of every document."""
    counted = ~np.isnan(scores)
    columns = [
        (np.nansum(scores[:, here], axis=1), counted[:, here].sum(axis=1))
        for here in (blocks == block for block in dict.fromkeys(blocks.tolist()))
    ]
    return np.stack([np.where(n > 0, s / np.maximum(n, 1), np.nan) for s, n in columns], axis=1)


def agreement(human: Floats, scores: Floats, blocks: np.ndarray) -> str:
    """r and acc_eq of segments, acc_eq of documents."""
    scores = np.where(np.isnan(human), np.nan, scores)
    human = np.where(np.isnan(scores), np.nan, human)
    documents = acc_eq(by_documents(human, blocks), by_documents(scores, blocks)).value.value
    segments = acc_eq(human, scores).value.value
    return f"{pearson(human, scores).value:.3f} / {segments:.3f} / {documents:.3f}"


def main() -> None:
    """Print a row for length alone and for each metric that people's segments have scores of."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reference", default="refA")
    parser.add_argument("--human", default="mqm")
    given = parser.parse_args()
    collection = read_collection(given.folder)
    judgements = read_judgements(given.folder, collection, given.human)
    study = study_of([read_metric_scores(given.folder, collection)], judgements, collection)
    matched = study.at("segment")
    lengths = reference_lengths(study, collection.testset, given.reference)
    print("| metric | order of untied pairs | as it is: r / acc_eq / of documents | times length |")
    print("|---|---|---|---|")
    alone = np.broadcast_to(-lengths, matched.human.shape).astype(float)
    print(f"| length alone | | {agreement(matched.human, alone, matched.blocks)} | |", flush=True)
    for name, scores in matched.metrics.items():
        if np.isnan(scores).all():
            continue
        longer = (scores - np.nanmax(scores)) * lengths
        cells = [agreement(matched.human, values, matched.blocks) for values in (scores, longer)]
        print(
            f"| {name} | {untied_order(matched.human, scores) or 0:.3f} | "
            + " | ".join(cells)
            + " |"
        )


if __name__ == "__main__":
    main()
