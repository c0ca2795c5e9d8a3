"""The texts of systems segment by segment, read into words once for all that looks at them."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np

from isogloss.arrays import Mask
from isogloss.documents import Collection, Document, SystemOutput
from isogloss.language import Token, content_words, normaliser, tokeniser

_NOUNS_ARE_CAPITALISED = ("de", "lb")
_ENDS = frozenset(".!?:…。！？")
_OPENS = frozenset("\"'„“”‚‘’«»‹›([{¿¡-–—*•#")


def digits(text: str) -> str:
    """The digits alone: separators differ between languages."""
    if text.isalpha():
        return ""
    return "".join(character for character in text if character.isdigit())


class LanguageWords:
    """How the words of one language are found, and told alike."""

    def __init__(self, language: str | None) -> None:
        self.language = language
        self.tokeniser, self.content = tokeniser(language), content_words(language)
        self._stem = normaliser(language, "stem").normalise
        self.key = lru_cache(maxsize=1 << 16)(self._key)
        self.is_content = lru_cache(maxsize=1 << 16)(self.content.includes)

    def _key(self, text: str) -> str:
        """The form under which two words are the same: digits, or the stem."""
        return digits(text) or self._stem(text)

    def read(self, text: str | None) -> tuple[Token, ...]:
        """The tokens of a text; none where there is no text."""
        return tuple(self.tokeniser.tokenise(text)) if text else ()


@dataclass(frozen=True)
class GivenTexts:
    """One segment's source and references in words. The first that has it is *the* reference."""

    document: Document
    segment: int
    source: tuple[Token, ...] = ()
    references: tuple[tuple[Token, ...], ...] = ()

    @property
    def reference(self) -> tuple[Token, ...]:
        return self.references[0] if self.references else ()

    @cached_property
    def source_words(self) -> frozenset[str]:
        """The words of the source as they stand there."""
        return frozenset(token.text for token in self.source)

    @cached_property
    def reference_words(self) -> frozenset[str]:
        """Those of all references."""
        return frozenset(token.text for words in self.references for token in words)


Tokens = tuple[Token, ...]
Found = TypeVar("Found")


class TextReadings:
    """The texts of a test set, each read once for all pairs of systems that are looked at."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.of_source = LanguageWords(collection.testset.source_language)
        self.of_target = LanguageWords(collection.testset.target_language)
        self._remembered: dict[tuple[object, ...], Any] = {}

    def remembered(self, key: tuple[object, ...], make: Callable[[], Found]) -> Found:
        """What was made under this key, or is made now: what one system is alone, most of all."""
        if key not in self._remembered:
            self._remembered[key] = make()
        found: Found = self._remembered[key]
        return found

    @cached_property
    def digest(self) -> str:
        """Of the test set."""
        return self.collection.testset.digest()

    @property
    def has_source(self) -> bool:
        return self.collection.testset.has_source

    @property
    def has_references(self) -> bool:
        return bool(self.collection.testset.reference_names)

    @cached_property
    def segments(self) -> tuple[GivenTexts, ...]:
        """All segments of the test set, in its order."""
        return tuple(self._read())

    def _read(self) -> Iterator[GivenTexts]:
        target = self.of_target.read
        for document in self.collection.testset.documents:
            for segment, source in enumerate(document.source):
                lines = (lines[segment] for lines in document.references.values())
                references = tuple(target(line) for line in lines if line is not None)
                yield GivenTexts(document, segment, self.of_source.read(source), references)

    def output(self, system: str) -> tuple[Tokens | None, ...]:
        """A system's output, segment by segment; `None` where it has none."""
        return self.remembered(("output", system), lambda: tuple(self._output(system)))

    def _output(self, system: str) -> Iterator[Tokens | None]:
        (output,) = self.collection.with_systems([system]).outputs
        for document in self.collection.testset.documents:
            for text in output.documents[document.id]:
                yield None if text is None else self.of_target.read(text)

    @cached_property
    def reference_vocabulary(self) -> frozenset[str]:
        """Every word of every reference, in small letters."""
        return frozenset(
            word.lower() for segment in self.segments for word in segment.reference_words
        )

    def repeated(self, document: str) -> frozenset[str]:
        """The content words that the reference of a document has more than once."""
        return self._repeated.get(document, frozenset())

    @cached_property
    def _repeated(self) -> dict[str, frozenset[str]]:
        counts: dict[str, Counter[str]] = {}
        target = self.of_target
        for segment in self.segments:
            own = counts.setdefault(segment.document.id, Counter())
            own.update(
                target.key(token.text)
                for token in segment.reference
                if target.is_content(token.text)
            )
        return {
            document: frozenset(key for key, count in own.items() if count > 1)
            for document, own in counts.items()
        }

    def names(self, segment: GivenTexts) -> frozenset[str]:
        """The names in a reference: capitalised words that source and reference share.

        In languages that do not capitalise every noun, so are capitalised words within a sentence.
        """
        target, source = self.of_target, self.of_source
        capitalised = [
            (number, token.text)
            for number, token in enumerate(segment.reference)
            if token.text[:1].isupper() and len(token.text) > 1 and target.is_content(token.text)
        ]
        shared = {
            text
            for _, text in capitalised
            if text in segment.source_words and source.is_content(text)
        }
        if (target.language or "").split("-")[0] in _NOUNS_ARE_CAPITALISED:
            return frozenset(shared)
        content = sum(target.is_content(token.text) for token in segment.reference)
        if len(capitalised) > 2 and 4 * len(capitalised) > 3 * content:  # a heading: all capitals
            return frozenset(shared)
        within = {text for number, text in capitalised if not _begins(segment.reference, number)}
        return frozenset(shared | within)


@dataclass(frozen=True)
class SegmentTexts:
    """One segment on all sides, in words."""

    given: GivenTexts
    first: Tokens = ()
    second: Tokens = ()


@dataclass(frozen=True)
class PairTexts:
    """Two systems' outputs beside source and references."""

    readings: TextReadings
    first: str
    second: str

    @cached_property
    def present(self) -> Mask:
        """The segments that both have: of what one lacks, nothing is said."""
        both = zip(self.readings.output(self.first), self.readings.output(self.second), strict=True)
        return np.array([None not in outputs for outputs in both], dtype=np.bool_)

    @cached_property
    def segments(self) -> tuple[SegmentTexts, ...]:
        """All segments of the test set, in its order; no words on any side of what one lacks."""
        outputs = (self.readings.output(name) for name in (self.first, self.second))
        return tuple(
            SegmentTexts(given, first, second)
            if first is not None and second is not None
            else SegmentTexts(GivenTexts(given.document, given.segment))
            for given, first, second in zip(self.readings.segments, *outputs, strict=True)
        )

    def raw(self, document: Document, segment: int) -> tuple[str, str | None, str, str]:
        """Source, reference and both outputs as they stand."""
        lines = (lines[segment] for lines in document.references.values())
        reference = next((line for line in lines if line is not None), None)
        first, second = (output.documents[document.id][segment] or "" for output in self._outputs)
        return document.source[segment], reference, first, second

    @cached_property
    def _outputs(self) -> tuple[SystemOutput, ...]:
        return self.readings.collection.with_systems([self.first, self.second]).outputs


def _begins(tokens: tuple[Token, ...], number: int) -> bool:
    """Whether a token begins a sentence, opening marks before it aside."""
    while number and tokens[number - 1].text in _OPENS:
        number -= 1
    return number == 0 or tokens[number - 1].text in _ENDS
