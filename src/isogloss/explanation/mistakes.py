"""What plainly goes wrong in a segment, by rules that source and reference decide together.

Rules miss much, and that is no harm where two systems are read by the same ones; what counts is
where they differ. Counts of several classes overlap; `kinds` puts every segment down to one thing.
"""

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
from isogloss.explanation.result import ErrorClass, MeasuredNumber
from isogloss.explanation.texts import GivenTexts, LanguageWords, PairTexts, TextReadings, digits
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
Places = int
Count = Callable[[Output], int]
Ruling = tuple[Places, Count]
Rule = Callable[[TextReadings, GivenTexts], Ruling]
"""Of a segment that has a reference: the places for errors, and how many an output has."""


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
        ruled = _ruled(texts.readings)
        names = tuple(name for name in ORDER if name in ruled or name in given)
        shape = len(texts.segments), len(names)
        expected, first, second = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for column, name in enumerate(names):
            if name in given:
                first[:, column], second[:, column] = given[name]
                continue
            places = np.array([places for places, _ in ruled[name]], dtype=np.float64)
            expected[:, column] = places * texts.present
            for counts, system in ((first, texts.first), (second, texts.second)):
                counts[:, column] = _errors(texts.readings, name, system) * texts.present
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


def error_differences(
    mistakes: Mistakes, document: NDArray[np.intp], settings: ComparisonSettings
) -> list[MeasuredNumber]:
    """By class, how many more errors the first system has, over documents."""
    size = int(document.max()) + 1
    columns, documents = [], []
    for column in range(len(mistakes.names)):
        own = np.zeros(size)
        np.add.at(own, document, mistakes.first[:, column] - mistakes.second[:, column])
        columns.append(size * own)  # the jackknife values of a sum
        documents.append(int(np.count_nonzero(own)))
    sums = [float(column.mean()) for column in columns]
    return measured(columns, sums, documents, settings)


def error_classes(
    mistakes: Mistakes, differences: Sequence[MeasuredNumber], carried: Floats | None
) -> tuple[ErrorClass, ...]:
    """Each class with the errors of both systems, and their difference over documents.

    `carried` is what each segment carries of the difference that is explained, if that is known.
    """
    differ = mistakes.first != mistakes.second
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
        for column, (name, difference) in enumerate(zip(mistakes.names, differences, strict=True))
    )


def _ruled(readings: TextReadings) -> dict[str, list[Ruling]]:
    """By class, what its rule says of each segment; nothing of one without a reference."""

    def made() -> dict[str, list[Ruling]]:
        return {
            name: [
                rule(readings, given) if given.references else (0, lambda output: 0)  # noqa: ARG005
                for given in readings.segments
            ]
            for name, rule in _rules(readings)
        }

    return readings.remembered(("rulings",), made)


def _errors(readings: TextReadings, name: str, system: str) -> Floats:
    """The errors of one class that a system makes in each segment."""

    def made() -> Floats:
        rows = zip(_ruled(readings)[name], readings.output(system), strict=True)
        return np.array([count(output or ()) for (_, count), output in rows], dtype=np.float64)

    return readings.remembered(("errors", name, system), made)


def _rules(texts: TextReadings) -> Iterator[tuple[str, Rule]]:
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


def _omitted(texts: TextReadings, segment: GivenTexts) -> Ruling:  # noqa: ARG001
    fewest = min(map(len, segment.references))

    def count(output: Output) -> int:
        lacks_much = fewest - len(output) >= _FEWEST_WORDS or not output
        return int(len(output) < _SHORT * fewest and lacks_much)

    return 0, count


def _added(texts: TextReadings, segment: GivenTexts) -> Ruling:  # noqa: ARG001
    most = max(map(len, segment.references))

    def count(output: Output) -> int:
        return int(len(output) > _LONG * most and len(output) - most >= _FEWEST_WORDS)

    return 0, count


def _repeated(texts: TextReadings, segment: GivenTexts) -> Ruling:
    """Whether words are said twice in a row, or runs of four again, and not in the reference.

    A system that is caught in a loop repeats itself a hundred times: the segment counts once.
    """
    usual = [_again(texts.of_target, words) for words in segment.references]
    # A source that repeats itself may be rendered so.
    allowed = _again(texts.of_source, segment.source).total()

    def count(output: Output) -> int:
        own = _again(texts.of_target, output)
        for known in usual:
            own -= known
        return int(own.total() > allowed)

    return 0, count


_RUN = 4  # words; of shorter runs half are chance, as "in the" and the like


def _again(words: LanguageWords, tokens: Output) -> Counter[tuple[str, ...]]:
    """What is said again, each time but the first."""
    said = [token.text.lower() for token in tokens if any(map(str.isalnum, token.text))]
    twice = Counter(
        (word,) for word, next_ in pairwise(said) if word == next_ and words.is_content(word)
    )
    runs = Counter(zip(*(said[start:] for start in range(_RUN)), strict=False))
    return twice + Counter({run: count - 1 for run, count in runs.items() if count > 1})


def _spacing(texts: TextReadings, segment: GivenTexts) -> Ruling:  # noqa: ARG001
    """Spaces before a comma and the like, more than source and references have."""
    usual = max(map(_gaps, (segment.source, *segment.references)))
    return 0, lambda output: max(0, _gaps(output) - usual)


_CLOSING, _OPENING = frozenset(",.;:!?)]}"), frozenset("([{")


def _gaps(tokens: Output) -> int:
    """Spaces where none belongs: around a mark that closes, or after one that opens."""
    gap = [before.end < after.start for before, after in pairwise(tokens)]
    closing = sum(
        token.text in _CLOSING and before and after
        for token, before, after in zip(tokens[1:], gap, [*gap[1:], True], strict=False)
    )
    opening = sum(
        token.text in _OPENING and after for token, after in zip(tokens, gap, strict=False)
    )
    return closing + opening


def _untranslated(texts: TextReadings, segment: GivenTexts) -> Ruling:
    """Small words of the source that stand in the output, and in no reference at all."""
    foreign = {
        word
        for word in segment.source_words
        if len(word) >= _SHORTEST_WORD
        and word.isalpha()
        and word.islower()
        and word not in texts.reference_vocabulary
        and texts.of_source.is_content(word)
    }
    return 0, lambda output: sum(token.text in foreign for token in output)


def _negation(texts: TextReadings, segment: GivenTexts) -> Ruling:
    """A negation lost or put in, where source and references agree on whether there is one."""
    of_source = negations(texts.of_source.language) or frozenset()
    of_target = negations(texts.of_target.language) or frozenset()
    wanted = {is_negated((token.text for token in segment.source), of_source)} | {
        is_negated((token.text for token in words), of_target) for words in segment.references
    }
    if len(wanted) > 1:
        return 0, lambda output: 0  # noqa: ARG005

    def count(output: Output) -> int:
        return int(is_negated((token.text for token in output), of_target) not in wanted)

    return 1, count


def _numbers(texts: TextReadings, segment: GivenTexts) -> Ruling:  # noqa: ARG001
    """Numbers that source and reference share and the output has not, or others put in.

    One that became another is one error.
    """
    source = _digits(segment.source)
    shared = source & _digits(segment.reference)
    known = set(source).union(*map(_digits, segment.references))

    def count(output: Output) -> int:
        own = _digits(output)
        invented = sum(number not in known for number in own.elements())
        return max((shared - own).total(), invented)

    return shared.total(), count


def _digits(tokens: Output) -> Counter[str]:
    return Counter(found for token in tokens if (found := digits(token.text)))


def _names(texts: TextReadings, segment: GivenTexts) -> Ruling:
    """Names that the output has in no form, endings aside."""
    names = texts.names(segment)

    def count(output: Output) -> int:
        own = {token.text for token in output}
        lost = (name for name in names if name not in own)
        return sum(not any(_alike(name, word) for word in own) for name in lost)

    return len(names), count


_ENDING = 2  # letters by which a name may be longer or shorter


def _alike(name: str, word: str) -> bool:
    short, long = sorted((name, word), key=len)
    return len(short) > _ENDING and long.startswith(short) and len(long) - len(short) <= _ENDING
