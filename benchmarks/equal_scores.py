"""Every metric's scores, kept and compared: proof that a change of the code changed no score.

    python benchmarks/equal_scores.py keep scores.json [path/to/wmt20/zh-en]
    python benchmarks/equal_scores.py compare scores.json [path/to/wmt20/zh-en]

The bundled samples are scored, and the first 200 segments of two systems of the test set, at every
level with all digits. `compare` prints a line for each metric and fails where a score of a metric
without a model differs at all, or one of a metric with a model by more than 1e-6.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import isogloss

SEGMENTS, SYSTEMS = 200, 2
EXACT = ("bleu", "chrf", "chrf++", "ter", "meteor", "cohesion", "lc", "rc", "ltcr(aligner=eflomal)")
MODELLED = (
    "prism",
    "prism(context=2)",
    "prism-src",
    "lm",
    "embedding",
    "ltcr",
    "markables",
    "hybrid(a=bleu,b=prism,alpha=0.5)",
)

Scores = dict[str, float | None]


def beginning(collection: isogloss.Collection) -> isogloss.Collection:
    """The first documents, of some systems: enough to see a difference, few enough to wait for."""
    documents, counted = [], 0
    for document in collection.testset.documents:
        if counted >= SEGMENTS:
            break
        documents.append(document)
        counted += len(document.source)
    wanted = {document.id for document in documents}
    machines = [output for output in collection.outputs if not output.human][:SYSTEMS]
    outputs = tuple(
        replace(output, documents={k: v for k, v in output.documents.items() if k in wanted})
        for output in machines
    )
    return isogloss.Collection(replace(collection.testset, documents=tuple(documents)), outputs)


def collections(path: Path | None) -> Iterator[tuple[str, isogloss.Collection]]:
    """What is scored, by name."""
    for name in ("cs-en", "zh-en"):
        yield name, isogloss.load_sample(name)
    if path is not None:
        yield path.parent.name, beginning(isogloss.read(path))


def scores_of(collection: isogloss.Collection, metric: str) -> Scores:
    """Every score of one metric: systems, documents, segments."""
    found: Scores = {}
    for row in isogloss.evaluate(collection, [metric]).rows:
        found[row.system] = row.score
        for document in row.documents:
            place = f"{row.system}/{document.document}"
            found[place] = document.score
            for number, score in enumerate(document.measurement.segment_scores or ()):
                found[f"{place}/{number}"] = score
    return found


def measured(path: Path | None) -> Iterator[tuple[str, Scores]]:
    """The scores of every metric on every collection."""
    for name, collection in collections(path):
        for metric in (*EXACT, *MODELLED):
            yield f"{name} {metric}", scores_of(collection, metric)


def largest_difference(before: Scores, after: Scores) -> float:
    """How far any two scores lie apart; infinitely where one of them is missing."""
    if before.keys() != after.keys():
        return float("inf")
    apart = 0.0
    for place, score in before.items():
        other = after[place]
        if (score is None) != (other is None):
            return float("inf")
        if score is not None and other is not None:
            apart = max(apart, abs(score - other))
    return apart


def compare(kept: dict[str, Scores], path: Path | None) -> bool:
    """Print how far each metric's scores lie apart; whether all are equal."""
    equal = True
    for key, scores in measured(path):
        apart = largest_difference(kept[key], scores)
        allowed = 0.0 if key.partition(" ")[2] in EXACT else 1e-6
        equal &= apart <= allowed
        verdict = (
            "equal" if apart == 0 else f"{apart:.1e}" + ("" if apart <= allowed else "  WRONG")
        )
        print(f"{key:<40} {len(scores):>5} scores  {verdict}", flush=True)
    return equal


def main() -> None:
    """Keep scores, or compare with those kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("keep", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("testset", type=Path, nargs="?")
    given = parser.parse_args()
    if given.action == "keep":
        given.file.write_text(json.dumps(dict(measured(given.testset))), encoding="utf-8")
    elif not compare(json.loads(given.file.read_text(encoding="utf-8")), given.testset):
        sys.exit("scores differ")


if __name__ == "__main__":
    main()
