"""Which words of the reference each system has, by class; every word belongs to one class."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats
from isogloss.comparison import ComparisonSettings
from isogloss.explanation.attribution import measured
from isogloss.explanation.negation import is_negated, negations
from isogloss.explanation.result import WordClass
from isogloss.explanation.texts import GivenTexts, LanguageWords, PairTexts, TextReadings, digits
from isogloss.formula import MeanFormula
from isogloss.language import Token
from isogloss.verdicts import jackknife_values

CLASSES = (
    "numbers",
    "names",
    "negations",
    "repeated words",
    "other content words",
    "function words",
    "punctuation",
)


@dataclass(frozen=True, eq=False)
class WordCounts:
    """By segment and class: the reference's words, and how many of them each system has."""

    total: Floats  # segments x classes
    first: Floats
    second: Floats

    @classmethod
    def of(cls, texts: PairTexts) -> "WordCounts":
        """Of the segments that both systems have; those without a reference have no words."""
        readings, present = texts.readings, texts.present[:, None]
        total = _reference_counts(readings)
        first, second = (_output_counts(readings, name) for name in (texts.first, texts.second))
        return cls(total * present, first * present, second * present)

    @property
    def content_difference(self) -> Floats:
        """By segment, how many more content words the first system has than the second."""
        letters = CLASSES.index("function words")
        return np.asarray((self.first - self.second)[:, :letters].sum(axis=1))


@dataclass(frozen=True)
class _ClassedWords:
    """The words of a segment's reference: under which key each is looked for, and its class."""

    keys: list[str]
    classes: NDArray[np.intp]


def _classed(readings: TextReadings) -> list[_ClassedWords]:
    def made() -> list[_ClassedWords]:
        found = []
        for given in readings.segments:
            keys = [readings.of_target.key(token.text) for token in given.reference]
            found.append(_ClassedWords(keys, _classes(readings, given, keys)))
        return found

    return readings.remembered(("classed words",), made)


def _counted(rows: Sequence[tuple[_ClassedWords, Sequence[int]]]) -> Floats:
    counts = np.zeros((len(rows), len(CLASSES)))
    for row, (words, hits) in enumerate(rows):
        np.add.at(counts[row], words.classes, hits)
    return counts


def _reference_counts(readings: TextReadings) -> Floats:
    return readings.remembered(
        ("reference words",),
        lambda: _counted([(words, [1] * len(words.keys)) for words in _classed(readings)]),
    )


def _output_counts(readings: TextReadings, system: str) -> Floats:
    """How many of the reference's words a system has, by segment and class."""

    def made() -> Floats:
        rows = zip(_classed(readings), readings.output(system), strict=True)
        target = readings.of_target
        return _counted([(own, _matched(own.keys, output or (), target)) for own, output in rows])

    return readings.remembered(("output words", system), made)


def _classes(readings: TextReadings, given: GivenTexts, keys: Sequence[str]) -> NDArray[np.intp]:
    names, repeated = readings.names(given), readings.repeated(given.document.id)
    negating = negations(readings.of_target.language) or frozenset()
    found = []
    for token, key in zip(given.reference, keys, strict=True):
        text = token.text
        if digits(text):
            name = "numbers"
        elif text in names:
            name = "names"
        elif is_negated([text], negating):
            name = "negations"
        elif readings.of_target.is_content(text):
            name = "repeated words" if key in repeated else "other content words"
        else:
            name = "function words" if any(map(str.isalpha, text)) else "punctuation"
        found.append(CLASSES.index(name))
    return np.array(found, dtype=np.intp)


def _matched(keys: Sequence[str], output: Sequence[Token], words: LanguageWords) -> list[int]:
    """1 for each word of the reference that the output has, as often as it has it."""
    left = Counter(words.key(token.text) for token in output)
    found = []
    for key in keys:
        found.append(int(left[key] > 0))
        left[key] -= 1
    return found


def word_classes(
    counts: WordCounts, document: NDArray[np.intp], settings: ComparisonSettings
) -> tuple[WordClass, ...]:
    """Each class with how many of its words each system has, and the difference over documents."""
    size = int(document.max()) + 1
    mean = MeanFormula()
    found, columns, documents = [], [], []
    for column, name in enumerate(CLASSES):
        total, first, second = (
            rows[:, column] for rows in (counts.total, counts.first, counts.second)
        )
        if not total.sum():
            continue
        rows = np.zeros((size, 2))
        np.add.at(rows, document, np.stack([100 * (first - second), total], axis=1))
        columns.append(jackknife_values(rows, mean.score_rows))
        documents.append(int(np.count_nonzero(rows[:, 0])))
        found.append((name, int(total.sum()), int(first.sum()), int(second.sum())))
    differences = [100 * (first - second) / total for _, total, first, second in found]
    tested = measured(columns, differences, documents, settings)
    return tuple(WordClass(*own, each) for own, each in zip(found, tested, strict=True))
