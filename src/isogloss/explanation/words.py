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
from isogloss.explanation.texts import PairTexts, SegmentTexts, Words, digits
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
        """Read all segments; those without a reference have no words."""
        shape = len(texts.segments), len(CLASSES)
        total, first, second = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for row, segment in enumerate(texts.segments):
            keys = [texts.of_target.key(token.text) for token in segment.reference]
            classes = _classes(texts, segment, keys)
            np.add.at(total[row], classes, 1)
            for counts, output in ((first, segment.first), (second, segment.second)):
                np.add.at(counts[row], classes, _matched(keys, output, texts.of_target))
        return cls(total, first, second)

    @property
    def content_difference(self) -> Floats:
        """By segment, how many more content words the first system has than the second."""
        letters = CLASSES.index("function words")
        return np.asarray((self.first - self.second)[:, :letters].sum(axis=1))


def _classes(texts: PairTexts, segment: SegmentTexts, keys: Sequence[str]) -> NDArray[np.intp]:
    names, repeated = texts.names(segment), texts.repeated(segment.document.id)
    negating = negations(texts.of_target.language) or frozenset()
    found = []
    for token, key in zip(segment.reference, keys, strict=True):
        text = token.text
        if digits(text):
            name = "numbers"
        elif text in names:
            name = "names"
        elif is_negated([text], negating):
            name = "negations"
        elif texts.of_target.is_content(text):
            name = "repeated words" if key in repeated else "other content words"
        else:
            name = "function words" if any(map(str.isalpha, text)) else "punctuation"
        found.append(CLASSES.index(name))
    return np.array(found, dtype=np.intp)


def _matched(keys: Sequence[str], output: Sequence[Token], words: Words) -> list[int]:
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
