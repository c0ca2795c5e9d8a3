"""How often `discourse(phenomenon=tense)` and `(phenomenon=ellipsis)` are right about English.

    python benchmarks/discourse_verbs.py path/to/wmt path/to/parallel [--show]

Draws verbs at random that were found in references of WMT22, in dialogues and in novels, and says
how many of them are what they are said to be. One reader checked each in its sentence; the wrong
ones are known here by a digest of what is around them, and no rule was changed after that. --show
prints all, to be checked again. What was missed is not counted.
"""

import argparse
import random
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from isogloss.digest import short_digest
from isogloss.formats import read_collection
from isogloss.metrics.discourse.verbs import verb_reader

WRONG = frozenset(
    {
        *("92f5a543", "4866a5b6", "5b2b03b0"),  # tense: need, called, burst
        *("2f677a0f", "d677a96f", "e5919ae1", "5e118b6e"),  # one can; had, has, done: whole verbs
        *("7db40854", "27a946cc"),  # a text that is cut off; had no more than she had
    }
)
SETS = ("wmt22.da/de-en", "wmt22.da/ru-en", "wmt22.da/zh-en", "wmt22.da/uk-en")
DRAWN = 100
SEGMENTS = 6000
Found = tuple[str, str]
"""What a verb is said to be, and what stands around it."""


def references(folder: Path) -> Iterator[str]:
    """Every segment of the first reference of each set."""
    for name in SETS:
        for document in read_collection(folder / name).testset.documents:
            yield from filter(None, document.references[min(document.references)])


def english(file: Path) -> list[str]:
    """Some of the different English texts of a file."""
    command = ["zstd", "-dc", str(file)]
    done = subprocess.run(command, capture_output=True, check=True)  # noqa: S603
    heading, *rows = (line.split("\t") for line in done.stdout.decode().split("\n"))
    column = heading.index("en")
    texts = dict.fromkeys(row[column] for row in rows if len(row) > column and row[column])
    return random.Random(8).sample(list(texts), SEGMENTS)


def found(texts: Iterable[str], phenomenon: str) -> list[Found]:
    """What is found, with its surroundings."""
    reader = verb_reader("en", phenomenon)
    assert reader is not None
    return [
        (m.name, f"{text[max(0, m.start - 90) : m.start]}[{text[m.start : m.end]}]"
                 f"{text[m.end : m.end + 50]}")
        for text in texts
        for m in reader.read(text)
    ]  # fmt: skip


def report(what: str, texts: list[str], phenomenon: str, show: bool) -> None:
    """Print one line: how many were drawn, and how many are right."""
    every = found(texts, phenomenon)
    drawn = random.Random(5).sample(every, min(DRAWN, len(every)))
    wrong = [each for each in drawn if short_digest("\t".join(each), 8) in WRONG]
    per_thousand = 1000 * len(every) / len(texts)
    print(
        f"{what}: {len(every):,} in {len(texts):,} segments ({per_thousand:.1f} in 1,000); "
        f"{len(drawn) - len(wrong)} of {len(drawn)} right"
    )
    for each in drawn if show else ():
        print(short_digest("\t".join(each), 8), *each, sep=" | ")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wmt", type=Path)
    parser.add_argument("parallel", type=Path)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    news = list(references(arguments.wmt))
    report("tense, WMT22", news, "tense", arguments.show)
    report("ellipsis, WMT22", news, "ellipsis", arguments.show)
    for file in ("conv_xdailydialog", "lit_russian_novels"):
        texts = english(arguments.parallel / f"{file}.tsv.zst")
        report(f"ellipsis, {file}", texts, "ellipsis", arguments.show)


if __name__ == "__main__":
    main()
