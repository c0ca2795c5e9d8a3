"""How often does `explain` name a cause where there is none?

    python benchmarks/explanation.py path/to/wmt23/en-de --reference refA

Two systems' documents are swapped at random, texts, scores and judgements together: neither
system is better, anywhere or in anything. Counted are the trials in which the difference is claimed
(5 % are to be expected) and those in which anything else is: a domain, a length, a place, a kind of
segment, a class of errors or words (at most 5 %, for all of them together). For every trial another
pair of the test set's systems is drawn.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import isogloss
from isogloss.explanation import Explanation
from isogloss.scores import ScoreTable, SystemScore

FIRST, SECOND = "first", "second"


def swapped(
    collection: isogloss.Collection,
    table: ScoreTable,
    judgements: isogloss.Judgements,
    pair: tuple[str, str],
    swap: np.ndarray,
) -> tuple[isogloss.Collection, ScoreTable, isogloss.Judgements]:
    """The pair under new names, with some of their documents exchanged."""
    ids = [document.id for document in collection.testset.documents]
    to_other = dict(zip(ids, swap, strict=True))
    outputs = {output.name: output for output in collection.with_systems(pair).outputs}
    mixed = []
    for name, own, other in ((FIRST, *pair), (SECOND, *reversed(pair))):
        texts = {id: (outputs[other] if to_other[id] else outputs[own]).documents[id] for id in ids}
        mixed.append(isogloss.SystemOutput(name, texts))
    rows = tuple(
        row for info in table.metrics for row in _swapped_rows(table, info.name, pair, swap)
    )
    names = dict(zip(pair, (FIRST, SECOND), strict=True))
    turned = dict(zip(pair, (SECOND, FIRST), strict=True))
    items = tuple(
        replace(item, system=(turned if to_other[item.document] else names)[item.system])
        for item in judgements.items
        if item.system in names and item.document in to_other
    )
    return (
        isogloss.Collection(collection.testset, tuple(mixed)),
        replace(table, rows=rows),
        replace(judgements, items=items),
    )


def _swapped_rows(
    table: ScoreTable, metric: str, pair: tuple[str, str], swap: np.ndarray
) -> Iterator[SystemScore]:
    formula = isogloss.load_metric(metric, *_languages(table))
    first, second = (table[metric, system].documents for system in pair)
    for name, own, other in ((FIRST, first, second), (SECOND, second, first)):
        documents = tuple(
            theirs if turn else ours for ours, theirs, turn in zip(own, other, swap, strict=True)
        )
        sums = np.sum([document.measurement.statistics for document in documents], axis=0)
        yield SystemScore(metric, name, formula.score(sums), documents)


def _languages(table: ScoreTable) -> tuple[str | None, str | None]:
    return table.provenance.source_language, table.provenance.target_language


def claims(found: Explanation) -> Iterator[str]:
    """What an explanation claims, but for what other metrics and people say."""
    if found.is_real:
        yield "the difference"
    for view in found.found.views:
        if any(found.holds(part.carries) or found.holds(part.beyond) for part in view.parts):
            yield view.name
    for name in ("errors", "words", "marks"):
        if any(found.holds(each.difference) for each in getattr(found.found, name)):
            yield name


def main() -> None:
    """Draw pairs, swap, explain, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("testset", type=Path)
    parser.add_argument("--reference")
    parser.add_argument("--metric", default="chrf")
    parser.add_argument("--human", default="mqm")
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--documents", type=int, help="So many, drawn anew for every trial.")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    collection = isogloss.read(options.testset)
    judgements = isogloss.read_judgements(options.testset, collection, options.human)
    if options.reference:
        collection = collection.with_references([options.reference])
    rng = np.random.default_rng(options.seed)
    judged = [name for name in collection.system_names if name in judgements.systems]
    ids = [document.id for document in collection.testset.documents]
    table = isogloss.evaluate(collection.with_systems(judged), options.metric)
    counts: dict[str, Counter[str]] = {options.metric: Counter(), options.human: Counter()}
    begun = time.perf_counter()
    for _ in range(options.trials):
        pair = tuple(rng.choice(judged, size=2, replace=False).tolist())
        texts, scores = collection, table
        if options.documents:
            drawn = set(rng.choice(ids, size=options.documents, replace=False).tolist())
            texts, scores = _only(collection, table, drawn)
        swap = rng.integers(2, size=len(texts.testset.documents)).astype(bool)
        made = swapped(texts, scores, judgements, pair, swap)
        for metric, own in counts.items():
            found = isogloss.explain(
                made[1], FIRST, SECOND, metric, collection=made[0], judgements=made[2]
            )
            claimed = list(claims(found))
            own.update(claimed)
            own["anything else"] += any(claim != "the difference" for claim in claimed)
    for metric, own in counts.items():
        told = ", ".join(f"{name} {count / options.trials:.3f}" for name, count in own.items())
        print(f"{metric}: {told} ({options.trials} trials)")
    print(f"{time.perf_counter() - begun:.0f} s")


def _only(
    collection: isogloss.Collection, table: ScoreTable, ids: set[str]
) -> tuple[isogloss.Collection, ScoreTable]:
    kept = [d.id for d in collection.testset.documents if d.id in ids]
    rows = tuple(
        replace(row, documents=tuple(d for d in row.documents if d.document in ids))
        for row in table.rows
    )
    return collection.with_documents(kept), replace(table, rows=rows)


if __name__ == "__main__":
    main()
