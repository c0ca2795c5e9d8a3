"""How long metrics take over paragraphs, and over one segment that grows.

    python benchmarks/long_segments.py wmt23/en-de [--segments 30] [--words 1000 3000]

First the seconds that each metric needs for the first segments of one system, a model's start
included; those of the processor, too, because machines are shared. Then one segment of ever more
words: paragraphs of the test set joined.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

from isogloss import Collection, evaluate
from isogloss.documents import Document, SystemOutput
from isogloss.errors import IsoglossError
from isogloss.formats import read_collection

METRICS = ("bleu", "chrf", "ter", "meteor", "cohesion", "prism", "embedding", "ltcr", "markables")
GROWN = ("bleu", "chrf", "meteor", "ter", "prism", "embedding", "ltcr", "markables")
LENGTHS = (250, 500, 1_000, 2_000, 3_000)


def of_document(collection: Collection, document: Document, output: SystemOutput) -> Collection:
    """The same test set with one document alone."""
    testset = replace(collection.testset, documents=(document,))
    return replace(collection, testset=testset, outputs=(output,))


def first_segments(collection: Collection, count: int) -> Collection:
    """The first segments of one system and one reference, as one document."""
    (output,) = collection.outputs
    (name,) = collection.testset.reference_names
    rows = [
        row
        for d in collection.testset.documents
        for row in zip(d.source, d.references[name], output.documents[d.id], strict=True)
    ]
    source, reference, said = zip(*rows[:count], strict=True)
    document = Document("first", source, {name: reference})
    return of_document(collection, document, SystemOutput(output.name, {"first": said}))


def joined(collection: Collection, words: int) -> Collection:
    """One segment of about so many words of the reference."""
    (document,), (output,) = collection.testset.documents, collection.outputs
    (name,) = collection.testset.reference_names
    texts, lengths = document.references[name], 0
    count = 0
    while lengths < words and count < len(document):
        lengths += len((texts[count] or "").split())
        count += 1

    def one(lines: tuple[str | None, ...]) -> tuple[str]:
        return (" ".join(line or "" for line in lines[:count]),)

    (source,) = one(document.source)
    whole = Document("whole", (source,), {name: one(texts)})
    said = one(output.documents[document.id])
    return of_document(collection, whole, SystemOutput(output.name, {"whole": said}))


def seconds(collection: Collection, metric: str) -> str:
    """How long one metric takes, or why it does not score."""
    began, worked = perf_counter(), process_time()
    try:
        evaluate(collection, [metric])
    except IsoglossError as error:
        return str(error)
    return f"{perf_counter() - began:6.1f} s, {process_time() - worked:6.1f} s of CPU"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--system", help="the first one if not given")
    parser.add_argument("--segments", type=int, default=30)
    parser.add_argument("--words", type=int, nargs="*", default=LENGTHS)
    arguments = parser.parse_args()
    collection = read_collection(arguments.folder)
    collection = collection.with_references(collection.testset.reference_names[:1])
    machines = [output.name for output in collection.outputs if not output.human]
    collection = collection.with_systems([arguments.system or machines[0]])
    few = first_segments(collection, arguments.segments)
    print(f"{few.outputs[0].name}, {len(few.testset.documents[0])} segments")
    for metric in METRICS:
        print(f"  {metric:10} {seconds(few, metric)}", flush=True)
    everything = first_segments(collection, collection.testset.segment_count)
    for words in arguments.words:
        print(f"one segment of {words:,} words", flush=True)
        for metric in GROWN:
            print(f"  {metric:10} {seconds(joined(everything, words), metric)}", flush=True)


if __name__ == "__main__":
    main()
