"""What plainly goes wrong in a segment, by rules that source and reference decide together.

Rules miss much, and that is no harm where two systems are read by the same ones; what counts is
where they differ. Counts of several classes overlap; `kinds` puts every segment down to one thing.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats
from isogloss.comparison import ComparisonSettings
from isogloss.explanation.attribution import measured
from isogloss.explanation.negation import is_negated, negations
from isogloss.explanation.result import ErrorClass
from isogloss.explanation.texts import PairTexts, SegmentTexts, Words, digits
from isogloss.explanation.words import WordCounts
from isogloss.language import Token, primary

OMITTED, ADDED, REPEATED, UNTRANSLATED = "omitted", "added", "repeated", "untranslated"
NEGATION, NUMBER, NAME, TERM = "negation", "number", "name", "inconsistent term"
SPACING = "spacing"
CONTENT, WORDING, SAME = "other content words", "grammar, order, style", "same output"
ORDER = (OMITTED, ADDED, REPEATED, UNTRANSLATED, NEGATION, NUMBER, NAME, TERM, SPACING)

_SHORT, _LONG = 2 / 3, 3 / 2  # of the reference's length, beyond which text was left out or added
_FEWEST_WORDS = 5  # by which it must be shorter or longer
_SHORTEST_WORD = 4  # letters; shorter ones are often the same in two languages

Output = Sequence[Token]
Expected = int
Rule = Callable[[PairTexts, SegmentTexts, Output], tuple[int, Expected]]
"""How many errors an output has, and how many places there are for them."""


@dataclass(frozen=True, eq=False)
class Mistakes:
    """By segment and class: the errors of each system, and the places for them."""

    names: tuple[str, ...]
    expected: Floats  # segments x classes
    first: Floats
    second: Floats

    @classmethod
    def of(cls, texts: PairTexts, given: Mapping[str, tuple[Floats, Floats]]) -> "Mistakes":
        """By rules, but for the classes that a metric's evidence tells more about (`given`)."""
        rules = dict(_rules(texts))
        names = tuple(name for name in ORDER if name in rules or name in given)
        shape = len(texts.segments), len(names)
        expected, first, second = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for column, name in enumerate(names):
            if name in given:
                first[:, column], second[:, column] = given[name]
                continue
            for row, segment in enumerate(texts.segments):
                first[row, column], places = rules[name](texts, segment, segment.first)
                second[row, column], _ = rules[name](texts, segment, segment.second)
                expected[row, column] = places
        return cls(names, expected, first, second)

    def kinds(self, texts: PairTexts, counts: WordCounts) -> list[str]:
        """The first class in which the systems differ in a segment, or how else they do."""
        found = []
        differ = self.first != self.second
        for row, segment in enumerate(texts.segments):
            columns = np.flatnonzero(differ[row])
            if len(columns):
                found.append(self.names[columns[0]])
            elif [t.text for t in segment.first] == [t.text for t in segment.second]:
                found.append(SAME)
            else:
                found.append(CONTENT if counts.content_difference[row] else WORDING)
        return found


def error_classes(
    mistakes: Mistakes,
    document: NDArray[np.intp],
    carried: Floats | None,
    settings: ComparisonSettings,
) -> tuple[ErrorClass, ...]:
    """Each class with the errors of both systems, and their difference over documents.

    `carried` is what each segment carries of the difference that is explained, if that is known.
    """
    differ = mistakes.first != mistakes.second
    size = int(document.max()) + 1
    columns, documents = [], []
    for column in range(len(mistakes.names)):
        own = np.zeros(size)
        np.add.at(own, document, mistakes.first[:, column] - mistakes.second[:, column])
        columns.append(size * own)  # the jackknife values of a sum
        documents.append(int(np.count_nonzero(own)))
    sums = [float(column.mean()) for column in columns]
    tested = measured(columns, sums, documents, settings)
    return tuple(
        ErrorClass(
            name,
            int(mistakes.expected[:, column].sum()) or None,
            int(mistakes.first[:, column].sum()),
            int(mistakes.second[:, column].sum()),
            int(np.count_nonzero(differ[:, column])),
            None if carried is None else float(carried[differ[:, column]].sum()),
            difference,
        )
        for column, (name, difference) in enumerate(zip(mistakes.names, tested, strict=True))
    )


def _rules(texts: PairTexts) -> Iterator[tuple[str, Rule]]:
    """The rules that can be asked, by what there is to read."""
    testset = texts.collection.testset
    if not texts.has_references:
        return
    yield OMITTED, _omitted
    yield ADDED, _added
    yield REPEATED, _repeated
    yield SPACING, _spacing
    if not texts.has_source:
        return
    languages = testset.source_language, testset.target_language
    if primary(languages[0]) != primary(languages[1]):
        yield UNTRANSLATED, _untranslated
    if all(negations(language) for language in languages):
        yield NEGATION, _negation
    yield NUMBER, _numbers
    yield NAME, _names


def _omitted(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:  # noqa: ARG001
    lengths = [len(words) for words in segment.references]
    short = bool(lengths) and len(output) < _SHORT * min(lengths)
    lacking = min(lengths, default=0) - len(output)
    return int(short and (lacking >= _FEWEST_WORDS or not output)), 0


def _added(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:  # noqa: ARG001
    lengths = [len(words) for words in segment.references]
    long = bool(lengths) and len(output) > _LONG * max(lengths)
    return int(long and len(output) - max(lengths) >= _FEWEST_WORDS), 0


def _repeated(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:
    """Whether words are said twice in a row, or runs of four again, and not in the reference.

    A system that is caught in a loop repeats itself a hundred times: the segment counts once.
    """
    if not segment.references:
        return 0, 0
    own = _again(texts.of_target, output)
    for words in segment.references:
        own -= _again(texts.of_target, words)
    # A source that repeats itself may be rendered so.
    return int(own.total() > _again(texts.of_source, segment.source).total()), 0


_RUN = 4  # words; of shorter runs half are chance, as "in the" and the like


def _again(words: Words, tokens: Output) -> Counter[tuple[str, ...]]:
    """What is said again, each time but the first."""
    said = [token.text.lower() for token in tokens if any(map(str.isalnum, token.text))]
    twice = Counter(
        (word,) for word, next_ in pairwise(said) if word == next_ and words.is_content(word)
    )
    runs = Counter(zip(*(said[start:] for start in range(_RUN)), strict=False))
    return twice + Counter({run: count - 1 for run, count in runs.items() if count > 1})


_SPACING = re.compile(r"(?<=\S)\s+[,.;:!?)\]}](?!\S)|[(\[{]\s")


def _spacing(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:
    """Spaces before a comma and the like, more than source and references have."""
    first, second = texts.raw(segment.document, segment.segment)[2:]
    own = first if output is segment.first else second
    sides = [segment.document.source, *segment.document.references.values()]
    usual = max(len(_SPACING.findall(side[segment.segment] or "")) for side in sides)
    return max(0, len(_SPACING.findall(own)) - usual), 0


def _untranslated(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:
    """Small words of the source that stand in the output, and in no reference at all."""
    known = texts.reference_vocabulary
    left = [
        token.text
        for token in output
        if len(token.text) >= _SHORTEST_WORD
        and token.text.isalpha()
        and token.text.islower()
        and token.text in segment.source_words
        and token.text not in known
        and texts.of_source.is_content(token.text)
    ]
    return len(left), 0


def _negation(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:
    """A negation lost or put in, where source and references agree on whether there is one."""
    of_source = negations(texts.of_source.language) or frozenset()
    of_target = negations(texts.of_target.language) or frozenset()
    wanted = {is_negated((token.text for token in segment.source), of_source)} | {
        is_negated((token.text for token in words), of_target) for words in segment.references
    }
    if not segment.references or len(wanted) > 1:
        return 0, 0
    is_so = is_negated((token.text for token in output), of_target)
    return int(is_so not in wanted), 1


def _numbers(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:  # noqa: ARG001
    """Numbers that source and reference share and the output has not, or others put in.

    One that became another is one error.
    """
    source, own = _digits(segment.source), _digits(output)
    shared = source & _digits(segment.reference)
    known = set(source).union(*map(_digits, segment.references))
    lost = (shared - own).total()
    invented = sum(count for number, count in own.items() if number not in known)
    return (max(lost, invented) if segment.references else 0), shared.total()


def _digits(tokens: Output) -> Counter[str]:
    return Counter(found for token in tokens if (found := digits(token.text)))


def _names(texts: PairTexts, segment: SegmentTexts, output: Output) -> tuple[int, Expected]:
    """Names that the output has in no form, endings aside."""
    names = texts.names(segment)
    own = {token.text for token in output}
    missing = [name for name in names if not any(_alike(name, word) for word in own)]
    return len(missing), len(names)


_ENDING = 2  # letters by which a name may be longer or shorter


def _alike(name: str, word: str) -> bool:
    if name == word:
        return True
    short, long = sorted((name, word), key=len)
    return len(short) > _ENDING and long.startswith(short) and len(long) - len(short) <= _ENDING
