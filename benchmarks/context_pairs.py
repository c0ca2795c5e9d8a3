"""Does a model use the sentences before? Pairs of texts that only context tells apart.

    python benchmarks/context_pairs.py path/to/wmt [--model NAME] [--segments 150]

*Pronouns*, as in ContraPro (Müller et al. 2018), but by rule: an English sentence that begins with
"It", whose German reference begins with *Er*, *Sie* or *Es*. The reference is put beside the same
text with each of the other two; it is right if the model finds it most probable given the source.
*Words chosen before*: of a document with two human translations, each segment of both. Who reads
two segments of one translation should expect that translation to go on in its own words: it is
right if reading them helps the segment that belongs to them more than the one that does not.

Each is read without context, with the two segments before, and with two segments of another
document: what these gain as well is not owed to context. Shares with Wilson's 95 % intervals.
"""

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss import Collection, Document
from isogloss.formats import read_collection
from isogloss.model import Pair, Paraphraser, find_model, open_model
from isogloss.runtime import Runtime, default_cache_folder
from minimal_pairs import share

GERMAN = ("wmt20/en-de", "wmt21.news/en-de", "wmt22/en-de", "wmt23/en-de")
TWO_REFERENCES = ("wmt20/en-de", "wmt20/zh-en", "wmt21.news/en-de", "wmt22/en-de")
PRONOUNS = ("Er", "Sie", "Es")
BEFORE = 2
SEED = 11


@dataclass(frozen=True, slots=True)
class Place:
    """A segment of a document, read as one of its references has it."""

    document: Document
    segment: int
    reference: str

    @property
    def source(self) -> str:
        return self.document.source[self.segment]

    @property
    def text(self) -> str:
        return self.document.references[self.reference][self.segment] or ""

    def before(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The segments before, of the source and of the reference."""
        window = slice(max(0, self.segment - BEFORE), self.segment)
        lines = self.document.references[self.reference][window]
        return self.document.source[window], tuple(line or "" for line in lines)


def pronouns(collection: Collection) -> Iterator[Place]:
    """Segments that begin with a pronoun whose gender only the sentences before tell."""
    for place in places(collection):
        if re.match(r"It\b", place.source) and re.match(rf"({'|'.join(PRONOUNS)})\b", place.text):
            yield place


def places(collection: Collection) -> Iterator[Place]:
    """Every segment but the first of its document, in every reference that has it."""
    for document in collection.testset.documents:
        for reference, lines in document.references.items():
            for segment in range(1, len(document)):
                if lines[segment] and lines[segment - 1]:
                    yield Place(document, segment, reference)


def with_pronoun(text: str, pronoun: str) -> str:
    """The text with another first word."""
    return pronoun + text[text.index(" ") :]


def strangers(every: Sequence[Place]) -> dict[Place, Place]:
    """For each place one of another document, to take its context from."""
    lot = random.Random(SEED)
    return {
        place: lot.choice([other for other in every if other.document.id != place.document.id])
        for place in every
    }


def languages(collection: Collection) -> tuple[str, str]:
    """What is read and what is written."""
    testset = collection.testset
    return testset.source_language or "", testset.target_language or ""


def mean_log_probs(
    model: Paraphraser,
    asked: Sequence[tuple[str, str, Place | None]],
    spoken: tuple[str, str],
) -> list[float]:
    """H of each text given its source, behind the context of a place."""
    pairs = [
        Pair(source, text, spoken[1], spoken[0], *(context.before() if context else ((), ())))
        for source, text, context in asked
    ]
    return [scores.mean if scores else float("nan") for scores in model.score(pairs)]


def right_pronouns(
    model: Paraphraser, every: Sequence[Place], contexts: Sequence[Place | None]
) -> list[bool]:
    """Whether the pronoun that people wrote is the most probable of the three."""
    asked = [
        (place.source, with_pronoun(place.text, pronoun), context)
        for place, context in zip(every, contexts, strict=True)
        for pronoun in PRONOUNS
    ]
    scores = np.reshape(mean_log_probs(model, asked, ("en", "de")), (-1, len(PRONOUNS)))
    written = [PRONOUNS.index(place.text.split(" ")[0]) for place in every]
    return [bool(row.argmax() == one) for row, one in zip(scores, written, strict=True)]


def gains_by_own_context(
    model: Paraphraser, pairs: Sequence[tuple[Place, Place]], spoken: tuple[str, str]
) -> list[bool]:
    """Whether a translation's own context helps it more than the other's does."""
    asked = [
        (read.source, read.text, context)
        for one, other in pairs
        for context in (one, other)
        for read in (one, other)
    ]
    scores = np.reshape(mean_log_probs(model, asked, spoken), (-1, 2, 2))
    return [
        bool(own > 0)
        for own in scores[:, 0, 0] - scores[:, 0, 1] - scores[:, 1, 0] + scores[:, 1, 1]
    ]


def translated_twice(collection: Collection, count: int) -> list[tuple[Place, Place]]:
    """Segments in the words of two people, evenly spaced."""
    first, second = collection.testset.reference_names[:2]
    both = [
        (place, Place(place.document, place.segment, second))
        for place in places(collection.with_references([first, second]))
        if place.reference == first
        and None not in place.document.references[second][place.segment - 1 : place.segment + 1]
        and place.text != place.document.references[second][place.segment]
    ]
    return both[:: max(1, len(both) // count)][:count]


def print_pronouns(folder: Path, model: Paraphraser) -> None:
    """The share of right pronouns, by context and by pronoun."""
    every = [place for name in GERMAN for place in pronouns(read_collection(folder / name))]
    others = strangers(every)
    ways: dict[str, list[Place | None]] = {
        "no context": [None] * len(every),
        "two segments before": list(every),
        "two of another document": [others[place] for place in every],
    }
    print(f"| pronouns ({len(every)}) | all | *er* or *sie* | *es* |\n|---|---|---|---|")
    for way, contexts in ways.items():
        right = right_pronouns(model, every, contexts)
        neuter = [place.text.startswith("Es") for place in every]
        gendered = [yes for yes, es in zip(right, neuter, strict=True) if not es]
        plain = [yes for yes, es in zip(right, neuter, strict=True) if es]
        print(f"| {way} | {share(right)} | {share(gendered)} | {share(plain)} |", flush=True)


def print_choices(folder: Path, model: Paraphraser, count: int) -> None:
    """How often a translation's own context helps it more, by test set."""
    print("\n| words chosen before | segments | own context helps more |\n|---|---|---|")
    for name in TWO_REFERENCES:
        collection = read_collection(folder / name)
        if len(collection.testset.reference_names) > 1:
            pairs = translated_twice(collection, count)
            right = gains_by_own_context(model, pairs, languages(collection))
            print(f"| {name} | {len(pairs)} | {share(right)} |", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--segments", type=int, default=150, help="of each set with two references")
    arguments = parser.parse_args()
    runtime = Runtime(cache=default_cache_folder())
    model = open_model(find_model(arguments.model), None, runtime)
    print_pronouns(arguments.folder, model)
    print_choices(arguments.folder, model, arguments.segments)


if __name__ == "__main__":
    main()
