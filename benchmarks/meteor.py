"""METEOR's speed: isogloss against the Java program, on the same pairs in one run.

    python benchmarks/meteor.py TESTSET [--reference NAME] [--systems 16] [--rounds 3]

TESTSET has English outputs, such as wmt20/zh-en. The Java program (METEOR 1.5, from the PyPI
package pycocoevalcap) runs in its ``-stdio`` mode, so that its start-up is not in the times, nor
is a first lot of pairs that warms both sides up, Java several times over. Then both score the same
lots of documents in turn, with the same matchers and resources. The script checks that all
statistics are equal, and prints segments per second by the clock and by processor time (of all
threads), and their ratio: medians over the rounds, because machines are noisy.
"""

import argparse
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from statistics import median
from threading import Thread
from time import perf_counter, process_time

import numpy as np

from isogloss import Collection, Translation
from isogloss.formats import read_collection
from isogloss.metrics.meteor.metric import Meteor

WARM_UP = 5_000  # pairs, before Java's compiler has found out what matters
CHUNKS = 20  # the place of the chunks among METEOR's statistics
Pairs = list[tuple[str, str]]


@dataclass
class Times:
    """Seconds by the clock and of the processors."""

    wall: float
    processor: float


class Java:
    """The original, waiting for pairs."""

    def __init__(self) -> None:
        package = find_spec("pycocoevalcap")
        assert package, "pip install pycocoevalcap"
        jar = Path((package.submodule_search_locations or [""])[0]) / "meteor" / "meteor-1.5.jar"
        command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(jar)]
        command += ["-", "-", "-stdio", "-l", "en", "-norm"]
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def statistics(self, pairs: Pairs) -> np.ndarray:
        """The statistics of each pair, as they are printed."""
        asking = Thread(target=self._ask, args=(pairs,))
        asking.start()
        assert self.process.stdout
        lines = [self.process.stdout.readline() for _ in pairs]
        asking.join()
        return np.array([[float(number) for number in line.split()] for line in lines])

    def _ask(self, pairs: Pairs) -> None:
        """All at once: nobody waits for the answer to one before asking for the next."""
        assert self.process.stdin
        for output, reference in pairs:
            self.process.stdin.write(f"SCORE ||| {reference} ||| {output}\n")
        self.process.stdin.flush()

    def processor_seconds(self) -> float:
        """What the process has used up to now, all of its threads together."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def plain(text: str) -> str:
    """The text on one line, and without what separates texts in the Java program's input."""
    return " ".join(text.replace("|||", " ").split())


def with_plain_texts(collection: Collection) -> Iterator[Translation]:
    """All systems' translations side by side, as an evaluation takes them."""
    for parts in zip(*map(collection.translations, collection.outputs), strict=True):
        document = parts[0].document
        lines = {n: tuple(map(plain, map(str, t))) for n, t in document.references.items()}
        same = type(document)(document.id, document.source, lines, document.domain)
        for part in parts:
            output = tuple(map(plain, map(str, part.output)))
            yield Translation(same, part.system, output, part.source_language, "en")


def lots(translations: Sequence[Translation], rounds: int) -> list[list[Translation]]:
    """Lots of as many segments each, no document divided."""
    total = sum(len(translation.document) for translation in translations)
    divided: list[list[Translation]] = [[] for _ in range(rounds + 1)]
    done = 0
    for translation in translations:
        divided[done * (rounds + 1) // total].append(translation)
        done += len(translation.document)
    return divided


def pairs_of(lot: Sequence[Translation]) -> Pairs:
    """The pairs of a lot in its order."""
    sides = ((t.output, next(iter(t.document.references.values()))) for t in lot)
    return [(str(o), str(r)) for output, lines in sides for o, r in zip(output, lines, strict=True)]


def timed_java(java: Java, pairs: Pairs) -> tuple[Times, np.ndarray]:
    """The original's statistics, with its times."""
    wall, processor = perf_counter(), java.processor_seconds()
    rows = java.statistics(pairs)
    return Times(perf_counter() - wall, java.processor_seconds() - processor), rows


def timed_isogloss(metric: Meteor, lot: Sequence[Translation]) -> tuple[Times, np.ndarray]:
    """Our statistics, with their times."""
    wall, processor = perf_counter(), process_time()
    measured = list(metric.measure(lot))
    times = Times(perf_counter() - wall, process_time() - processor)
    rows = chain.from_iterable(
        m.segment_statistics for m in measured if m.segment_statistics is not None
    )
    return times, np.array(list(rows))


def check(theirs: np.ndarray, ours: np.ndarray) -> None:
    """All statistics are the same; a segment matched as a whole has no chunk with us."""
    differing = (theirs != ours).any(axis=1) & ~((ours[:, CHUNKS] == 0) & (theirs[:, CHUNKS] == 1))
    assert not differing.any(), f"{differing.sum()} of {len(ours)} pairs differ"


def report(name: str, numbers: Sequence[int], times: Sequence[Times]) -> tuple[float, float]:
    """Print and return the median speed by the clock and by processor time."""
    wall = median(n / t.wall for n, t in zip(numbers, times, strict=True))
    processor = median(n / t.processor for n, t in zip(numbers, times, strict=True))
    print(f"{name:<10} {wall:>10,.0f} segments/s {processor:>10,.0f} per processor second")
    return wall, processor


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser()
    parser.add_argument("testset")
    parser.add_argument("--reference")
    parser.add_argument("--systems", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    collection = read_collection(arguments.testset)
    reference = arguments.reference or collection.testset.reference_names[0]
    collection = collection.with_references([reference])
    collection = collection.with_systems(collection.system_names[: arguments.systems])
    warm_up, *rounds = lots(list(with_plain_texts(collection)), arguments.rounds)
    java, metric = Java(), Meteor(evidence="none")  # the Java program gives none either
    for _ in range(-(-WARM_UP // len(pairs_of(warm_up)))):
        java.statistics(pairs_of(warm_up))
    check(timed_java(java, pairs_of(warm_up))[1], timed_isogloss(metric, warm_up)[1])
    numbers, theirs, ours = [], [], []
    for lot in rounds:
        pairs = pairs_of(lot)
        java_times, java_rows = timed_java(java, pairs)
        own_times, own_rows = timed_isogloss(metric, lot)
        check(java_rows, own_rows)
        numbers.append(len(pairs))
        theirs.append(java_times)
        ours.append(own_times)
    java.process.kill()
    java.process.wait()
    print(f"{sum(numbers):,} pairs in {len(rounds)} rounds: all statistics are equal")
    slow, fast = report("Java", numbers, theirs), report("isogloss", numbers, ours)
    print(f"{'ratio':<10} {fast[0] / slow[0]:>10.1f} by the clock {fast[1] / slow[1]:>11.1f}")


if __name__ == "__main__":
    main()
