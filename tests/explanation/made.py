"""Made test sets: two systems alike but for errors that were put into one of them."""

import random
from collections.abc import Callable

from isogloss.documents import Collection, Document, SystemOutput, TestSet

NOUNS = [
    "house",
    "river",
    "bridge",
    "window",
    "garden",
    "market",
    "station",
    "school",
    "winter",
    "doctor",
    "letter",
    "village",
]
VERBS = ["opened", "closed", "painted", "visited", "repaired", "described", "crossed", "sold"]
Change = Callable[[str, str, random.Random], str]
"""A text of a document's domain, with or without errors."""


def collection(first: Change, second: Change, *, documents: int = 30, seed: int = 5) -> Collection:
    """German-looking sources, English references, and outputs that the changes make of those."""
    rng = random.Random(seed)
    texts = []
    for number in range(documents):
        domain = ("news", "speech")[number % 2]
        lines = [sentence(rng) for _ in range(rng.randint(2, 5))]
        source = tuple(f"Der Satz mit {_digits(line)} ist nicht lang ." for line in lines)
        texts.append(Document(f"d{number}", source, {"ref": tuple(lines)}, domain))
    outputs = tuple(
        SystemOutput(
            name,
            {
                d.id: tuple(change(line or "", d.domain or "", rng) for line in d.references["ref"])
                for d in texts
            },
        )
        for name, change in (("one", first), ("two", second))
    )
    return Collection(TestSet("made", "de", "en", tuple(texts)), outputs)


def sentence(rng: random.Random) -> str:
    """A sentence with a number, a name and a negation."""
    one, two = rng.sample(NOUNS, 2)
    return (
        f"The old {one} with {rng.randint(10, 99)} rooms was not {rng.choice(VERBS)} by "
        f"{rng.choice(['Anna', 'Peter', 'Maria'])} near the {two} ."
    )


def _digits(line: str) -> str:
    return next(word for word in line.split() if word.isdigit())


def noisy(line: str, domain: str, rng: random.Random) -> str:
    """One noun in twenty is another one, in every domain alike."""
    return " ".join(
        rng.choice(NOUNS) if word in NOUNS and rng.random() < 0.05 else word
        for word in line.split()
    )


def wrong_numbers_in_news(line: str, domain: str, rng: random.Random) -> str:
    """The same noise, and in news no number is right."""
    changed = noisy(line, domain, rng)
    if domain != "news":
        return changed
    return " ".join(str(int(word) + 100) if word.isdigit() else word for word in changed.split())
