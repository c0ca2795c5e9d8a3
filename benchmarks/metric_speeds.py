"""How fast metrics are: what `isogloss evaluate` tells of long work before it begins.

    python benchmarks/metric_speeds.py path/to/wmt23/en-de --reference refA

Seconds of one core for a thousand characters of one system's output, without the cache: the time of
14 documents less that of two, so that what is loaded once does not count.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from time import process_time

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


def main() -> None:
    """Print a line for each metric."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testset", type=Path)
    parser.add_argument("--reference", default="refA")
    parser.add_argument("--metrics", default=METRICS)
    options = parser.parse_args()
    collection = read(options.testset).with_references([options.reference])
    few, more = (first_documents(collection, count) for count in (FEW, MORE))
    for metric in options.metrics.split(","):
        timed(first_documents(collection, 1), metric)  # loads what there is to load
        (start, before), (end, characters) = timed(few, metric), timed(more, metric)
        rate = 1000 * (end - start) / (characters - before)
        print(f"{metric:10}  {rate:7.3f} s for 1,000 characters", flush=True)


if __name__ == "__main__":
    main()
