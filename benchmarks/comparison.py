"""All pairs of systems: isogloss's comparison against sacrebleu's paired bootstrap.

    python benchmarks/comparison.py TESTSET [--reference NAME]

Both sides start from statistics that are already there (sacrebleu is handed them for free, which
favours it), resample segments 1,000 times and test every pair of systems under BLEU and chrF by
sacrebleu's procedure. The script prints how far the p-values are apart, the times and their ratio;
then the time of the default: 10,000 random swaps of documents, and intervals of all differences.
"""

import argparse
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from isogloss import Collection, ComparisonSettings, ScoreTable, compare, evaluate
from isogloss.formats import read_collection

RESAMPLES = 1000
PValues = dict[tuple[str, str, str], float]


def with_free_statistics(metric: Any, table: ScoreTable, name: str, texts: dict[str, Any]) -> Any:
    """A sacrebleu metric that finds its statistics instead of extracting them."""
    found = {}
    for system, lines in texts.items():
        rows = [d.measurement.segment_statistics for d in table[name, system].documents]
        found[id(lines)] = np.vstack(rows).tolist()
    metric.num_refs = 1  # what extracting would have found out; only the signature needs it
    metric._extract_corpus_statistics = lambda lines, _references: found[id(lines)]
    return metric


def sacrebleu_side(collection: Collection, table: ScoreTable) -> tuple[float, PValues]:
    """Seconds and p-values of sacrebleu's test, each system in turn as the baseline."""
    texts = {o.name: [t for d in o.documents.values() for t in d] for o in collection.outputs}
    metrics = {
        "bleu": with_free_statistics(BLEU(), table, "bleu", texts),
        "chrf": with_free_statistics(CHRF(), table, "chrf", texts),
    }
    p_values: PValues = {}
    start = perf_counter()
    names = list(texts)
    for position, baseline in enumerate(names[:-1]):
        systems = [(name, texts[name]) for name in names[position:]]
        test = PairedTest(systems, metrics, None, test_type="bs", n_samples=RESAMPLES)
        _, columns = test()
        columns.pop("System")
        for metric, column in zip(metrics, columns.values(), strict=True):
            for (name, _), result in zip(systems[1:], column[1:], strict=True):
                p_values[metric, baseline, name] = result.p_value
    return perf_counter() - start, p_values


def isogloss_side(table: ScoreTable, settings: ComparisonSettings) -> tuple[float, PValues]:
    """Seconds and p-values of isogloss's comparison of all pairs."""
    start = perf_counter()
    comparisons = compare(table, settings=settings)
    seconds = perf_counter() - start
    names = list(table.systems)
    return seconds, {
        (c.metric.name, a, b): c.pair(a, b).p or 0.0
        for c in comparisons
        for a, b in combinations(names, 2)
    }


def main() -> None:
    """Run both sides and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("testset")
    parser.add_argument("--reference", action="append")
    arguments = parser.parse_args()
    collection = read_collection(arguments.testset)
    if arguments.reference:
        collection = collection.with_references(arguments.reference)
    table = evaluate(collection, ["bleu", "chrf"])
    theirs, their_p = sacrebleu_side(collection, table)
    same = ComparisonSettings(test="sacrebleu", resamples=RESAMPLES, blocks="segments")
    ours, our_p = isogloss_side(table, same)
    by_document, _ = isogloss_side(table, ComparisonSettings())
    apart = max(abs(their_p[key] - our_p[key]) for key in their_p)
    pairs = len(their_p) // 2
    segments = collection.testset.segment_count
    print(f"{pairs} pairs x 2 metrics, {RESAMPLES} resamples, {segments} segments")
    print(f"largest difference between p-values: {apart:.3f}")
    print(f"sacrebleu, segments     {theirs:8.2f} s")
    print(f"isogloss, segments      {ours:8.2f} s   {theirs / ours:6.0f} x")
    print(f"isogloss, default       {by_document:8.2f} s   {theirs / by_document:6.0f} x")


if __name__ == "__main__":
    main()
