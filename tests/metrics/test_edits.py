"""The edits of TER against sacrebleu's own search."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from isogloss.formats import read_collection
from isogloss.metrics.edits import edits

WORDS = st.lists(st.sampled_from("abcdef"), max_size=24)


@settings(max_examples=150, deadline=None)
@given(WORDS, WORDS)
def test_few_words_in_any_order(output: list[str], reference: list[str]) -> None:
    assert edits(output, reference) == translation_edit_rate(output, reference)[0]


def shuffled(lot: random.Random, length: int, vocabulary: int, changes: int) -> tuple[list, list]:
    """A text, and what shifts, deletions, insertions and replacements make of it."""
    text = [f"w{lot.randrange(vocabulary)}" for _ in range(length)]
    other = list(text)
    for _ in range(changes):
        place, run = lot.randrange(len(other) + 1), lot.randrange(1, 8)
        match lot.randrange(4):
            case 0:
                moved = other[place : place + run]
                del other[place : place + run]
                target = lot.randrange(len(other) + 1)
                other[target:target] = moved
            case 1:
                del other[place : place + 1]
            case 2:
                other.insert(place, f"w{lot.randrange(vocabulary)}")
            case _:
                other[place : place + 1] = [f"w{lot.randrange(vocabulary)}"]
    return text, other


def cases() -> Iterator[tuple[list[str], list[str]]]:
    lot = random.Random(4)
    for length, vocabulary, changes in (
        (40, 30, 8), (40, 8, 8), (90, 60, 20), (90, 15, 6), (70, 400, 30), (140, 90, 12),
        (60, 12, 55), (65, 40, 60),  # about as far apart as the band is wide
    ):  # fmt: skip
        for _ in range(3):
            yield shuffled(lot, length, vocabulary, changes)
    for length, other in ((10, 90), (90, 10), (3, 200), (200, 3), (60, 130), (130, 60)):
        text, _ = shuffled(lot, length, 12, 0)
        reference, _ = shuffled(lot, other, 12, 0)
        yield text, reference  # far from the diagonal, so that the band limits what is found


@pytest.mark.parametrize(("output", "reference"), list(cases()))
def test_shifts_and_bands(output: list[str], reference: list[str]) -> None:
    assert edits(output, reference) == translation_edit_rate(output, reference)[0]


def test_nothing_against_something() -> None:
    assert (edits([], []), edits(["a"], []), edits([], ["a", "b"])) == (0, 1, 2)


@pytest.mark.parametrize("name", ["wmt20/zh-en", "wmt22/en-de", "wmt23/en-de"])
def test_real_outputs(name: str, shared_data: Path) -> None:
    collection = read_collection(shared_data / "wmt" / name)
    (document, *_), output = collection.testset.documents, collection.outputs[-1]
    for reference in document.references.values():
        for ours, theirs in zip(output.documents[document.id], reference, strict=True):
            words, others = (ours or "").lower().split(), (theirs or "").lower().split()
            assert edits(words, others) == translation_edit_rate(words, others)[0]
