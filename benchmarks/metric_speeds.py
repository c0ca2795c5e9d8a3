"""How fast metrics are: what `isogloss evaluate` tells of long work before it begins.

    python benchmarks/metric_speeds.py path/to/wmt23/en-de --reference refA
    python benchmarks/metric_speeds.py path/to/wmt23/en-de --all-systems --metrics ltcr,markables

Seconds of one core for a thousand characters of one system's output, without the cache: the time of
14 documents less that of two, so that what is loaded once does not count. With --all-systems the
seconds, of the processor and of the clock, that each metric takes by itself for every system of the
set, or for each so manieth document (--every), in a process of its own; and what each segment of a
system takes.
"""

import argparse
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time

from isogloss import Collection, evaluate, read
from isogloss.runtime import Runtime

METRICS = "bleu,chrf,ter,cohesion,meteor,ltcr,prism,prism-src,embedding,coverage"
FEW, MORE = 2, 14


def first_documents(collection: Collection, count: int) -> Collection:
    """The first documents of the first system."""
    documents = collection.testset.documents[:count]
    ids = {document.id for document in documents}
    output = collection.outputs[0]
    own = {id: lines for id, lines in output.documents.items() if id in ids}
    testset = replace(collection.testset, documents=documents)
    return replace(collection, testset=testset, outputs=(replace(output, documents=own),))


def timed(collection: Collection, metric: str) -> tuple[float, int]:
    """Seconds of the processor, and the characters of the output."""
    start = process_time()
    evaluate(collection, metric, runtime=Runtime())
    texts = (text for lines in collection.outputs[0].documents.values() for text in lines)
    return process_time() - start, sum(len(text) for text in texts if text)


def thinned(collection: Collection, every: int) -> Collection:
    """Each so manieth document with all of its translations."""
    documents = collection.testset.documents[::every]
    ids = {document.id for document in documents}
    outputs = tuple(
        replace(
            output, documents={id: lines for id, lines in output.documents.items() if id in ids}
        )
        for output in collection.outputs
    )
    testset = replace(collection.testset, documents=documents)
    return replace(collection, testset=testset, outputs=outputs)


def time_all_systems(testset: Path, reference: str, every: int, metric: str) -> None:
    """Print what one metric takes for all systems, its models loaded before."""
    collection = read(testset).with_references([reference])
    evaluate(first_documents(collection, 1), metric, runtime=Runtime())
    chosen = thinned(collection, every)
    used, begun = process_time(), perf_counter()
    table = evaluate(chosen, metric, runtime=Runtime())
    used, taken = process_time() - used, perf_counter() - begun
    segments = sum(len(document) for document in chosen.testset.documents)
    each = 1000 * used / (segments * len(chosen.outputs))
    what = f"{len(chosen.outputs)} systems, {segments} segments"
    print(
        f"{metric:10}  {used:7.1f} s of the processor, {taken:7.1f} s, {each:5.1f} ms a segment "
        f"({what}; mean score {sum(row.score or 0 for row in table.rows) / len(table.rows):.4f})",
        flush=True,
    )


def main() -> None:
    """Print a line for each metric."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testset", type=Path)
    parser.add_argument("--reference", default="refA")
    parser.add_argument("--metrics", default=METRICS)
    parser.add_argument("--all-systems", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="with --all-systems: fewer documents")
    options = parser.parse_args()
    if options.all_systems:
        for metric in options.metrics.split(","):
            arguments = options.testset, options.reference, options.every, metric
            process = get_context("spawn").Process(target=time_all_systems, args=arguments)
            process.start()
            process.join()
        return
    collection = read(options.testset).with_references([options.reference])
    few, more = (first_documents(collection, count) for count in (FEW, MORE))
    for metric in options.metrics.split(","):
        timed(first_documents(collection, 1), metric)  # loads what there is to load
        (start, before), (end, characters) = timed(few, metric), timed(more, metric)
        rate = 1000 * (end - start) / (characters - before)
        print(f"{metric:10}  {rate:7.3f} s for 1,000 characters", flush=True)


if __name__ == "__main__":
    main()
