"""TER beside sacrebleu's own: are all edits equal, and how much faster are they counted?

    python benchmarks/ter.py path/to/wmt [--sets wmt23/en-de wmt20/zh-en] [--every 5]

Every so many documents of every system, against every reference, words split at spaces and
lowercased, as TER does by default. Prints for each set the outputs compared, how many differ, the
seconds of the processor of both sides and their ratio.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from sacrebleu.metrics.lib_ter import translation_edit_rate

from isogloss.formats import read_collection
from isogloss.metrics.edits import edits

SETS = (
    "wmt20/en-de",
    "wmt20/zh-en",
    "wmt21.news/en-de",
    "wmt21.news/en-ru",
    "wmt21.news/zh-en",
    "wmt22/en-de",
    "wmt23/en-de",
)


def texts(folder: Path, every: int) -> Iterator[tuple[list[str], list[str]]]:
    """Words of outputs and of references."""
    collection = read_collection(folder)
    for document in collection.testset.documents[::every]:
        for output in collection.outputs:
            for reference in document.references.values():
                for ours, theirs in zip(output.documents[document.id], reference, strict=True):
                    if ours and theirs:
                        yield ours.lower().split(), theirs.lower().split()


def main() -> None:
    """Compare both on every set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--every", type=int, default=20, help="documents; 1 for all of them")
    arguments = parser.parse_args()
    print("set               outputs  words  differ  sacrebleu s  isogloss s  ratio")
    for name in arguments.sets:
        count = words = differ = 0
        theirs = ours = 0.0
        for output, reference in texts(arguments.folder / name, arguments.every):
            begun = process_time()
            expected, _ = translation_edit_rate(output, reference)
            middle = process_time()
            found = edits(output, reference)
            ours, theirs = ours + process_time() - middle, theirs + middle - begun
            count, words, differ = count + 1, words + len(reference), differ + (found != expected)
        print(
            f"{name:16} {count:8,} {words / count:6.0f} {differ:7} {theirs:12.1f} {ours:11.2f} "
            f"{theirs / ours:6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
