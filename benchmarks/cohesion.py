"""Speed of lexical chains and of LC/RC: seconds, and microseconds a segment, as texts grow.

    python benchmarks/cohesion.py [TESTSET] [--sizes 1000,10000,100000] [--rounds 3]

Documents of ten segments are made from the English side of the bundled sample: half of their
content words are exchanged for invented ones, drawn as unevenly as words are from a vocabulary of
60,000, and the output differs from the reference in a fifth of them. With TESTSET, its first
system's and first reference's segments are used instead, repeated up to the size. Everything runs
in one process on one core; each figure is the best of the rounds, wall time first and then the
processor's own, which other work on the machine disturbs less. `cohesion` reads output and
reference, `lc` and `rc` the output; all keep their evidence.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from time import perf_counter, process_time

from isogloss import Collection, Document, SystemOutput, TestSet, load_sample
from isogloss.formats import read_collection
from isogloss.metrics import load_metric

METRICS = ("cohesion", "lc", "rc")
SEGMENTS_PER_DOCUMENT = 10
VOCABULARY = 60_000
Pair = tuple[str, str]


def sample_sentences() -> list[str]:
    """The English segments of the bundled sample."""
    return [
        line
        for name in ("cs-en", "zh-en")
        for document in load_sample(name).testset.documents
        for lines in document.references.values()
        for line in lines
        if line
    ]


def invented_pairs(seed: int = 7) -> Iterator[Pair]:
    """Endless pairs of an output and a reference."""
    chance = random.Random(seed)
    rests = ("an", "el", "ing", "or", "ist", "ale", "ent")
    syllables = [onset + rest for onset in "bcdfghlmnprstv" for rest in rests]
    words = ["".join(chance.choices(syllables, k=chance.choice((1, 2, 2, 3)))) for _ in
             range(VOCABULARY)]  # fmt: skip
    weights = [1 / (rank + 10) for rank in range(VOCABULARY)]
    drawn = cycle(chance.choices(words, weights, k=2_000_000))

    def varied(sentence: str, share: float) -> str:
        return re.sub(
            r"[a-z]{5,}", lambda m: next(drawn) if chance.random() < share else m[0], sentence
        )

    for sentence in cycle(sample_sentences()):
        reference = varied(sentence, 0.5)
        yield varied(reference, 0.2), reference


def pairs_of(collection: Collection) -> Iterator[Pair]:
    """A test set's own segments, over and over."""
    output = collection.outputs[0]
    pairs = [
        (ours, theirs)
        for document in collection.testset.documents
        for ours, theirs in zip(
            output.documents[document.id], next(iter(document.references.values())), strict=True
        )
        if ours and theirs
    ]
    return cycle(pairs)


def as_collection(pairs: Sequence[Pair]) -> Collection:
    """Documents of ten segments each."""
    documents, outputs = [], {}
    for start in range(0, len(pairs), SEGMENTS_PER_DOCUMENT):
        part = pairs[start : start + SEGMENTS_PER_DOCUMENT]
        theirs = tuple(reference for _, reference in part)
        documents.append(Document(f"d{start}", theirs, {"ref": theirs}))
        outputs[f"d{start}"] = tuple(output for output, _ in part)
    testset = TestSet("benchmark", "de", "en", tuple(documents))
    return Collection(testset, (SystemOutput("system", outputs),))


def timed(metric: str, collection: Collection) -> tuple[float, float]:
    """How long it takes to measure all documents: by the clock, and by the processor."""
    loaded = load_metric(metric, "de", "en")
    translations = list(collection.translations(collection.outputs[0]))
    wall, processor = perf_counter(), process_time()
    for _ in loaded.measure(translations):
        pass
    return perf_counter() - wall, process_time() - processor


def report(size: int, collection: Collection, rounds: int) -> None:
    """Print one line: every metric, and all together."""
    total = [0.0, 0.0]
    cells = []
    for metric in METRICS:
        runs = [timed(metric, collection) for _ in range(rounds)]
        best = [min(run[clock] for run in runs) for clock in (0, 1)]
        total = [total[clock] + best[clock] for clock in (0, 1)]
        cells.append(shown(metric, best, size))
    print(f"{size:>7,} segments", *cells, shown("all", total, size), sep="  ")


def shown(name: str, seconds: Sequence[float], size: int) -> str:
    """Seconds by both clocks, and the processor's microseconds a segment."""
    wall, processor = seconds
    return f"{name} {wall:.2f} s ({processor:.2f} s, {processor / size * 1e6:.0f} us)"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("testset", nargs="?")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    given = arguments.testset
    source = pairs_of(read_collection(given)) if given else invented_pairs()
    pairs = list(islice(source, max(sizes)))
    words = sum(len(output.split()) for output, _ in pairs) / len(pairs)
    print(f"{words:.1f} words an output segment; best of {arguments.rounds} rounds;")
    print("seconds by the clock (by the processor, which is also what a segment takes)")
    for metric in METRICS:
        timed(metric, as_collection(pairs[:10]))  # loads the tools
    for size in sizes:
        report(size, as_collection(pairs[:size]), arguments.rounds)


if __name__ == "__main__":
    main()
