"""The texts of two systems segment by segment, read into words once for all that looks at them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

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


class Words:
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
class SegmentTexts:
    """One segment on all sides, in words. The first reference that has it is *the* reference."""

    document: Document
    segment: int
    source: tuple[Token, ...]
    references: tuple[tuple[Token, ...], ...]
    first: tuple[Token, ...]
    second: tuple[Token, ...]

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


@dataclass(frozen=True)
class PairTexts:
    """Two systems' outputs beside source and references."""

    collection: Collection
    first: str
    second: str

    @cached_property
    def of_source(self) -> Words:
        return Words(self.collection.testset.source_language)

    @cached_property
    def of_target(self) -> Words:
        return Words(self.collection.testset.target_language)

    @property
    def has_source(self) -> bool:
        return self.collection.testset.has_source

    @property
    def has_references(self) -> bool:
        return bool(self.collection.testset.reference_names)

    def raw(self, document: Document, segment: int) -> tuple[str, str | None, str, str]:
        """Source, reference and both outputs as they stand."""
        lines = (lines[segment] for lines in document.references.values())
        reference = next((line for line in lines if line is not None), None)
        first, second = (output.documents[document.id][segment] or "" for output in self.outputs)
        return document.source[segment], reference, first, second

    @cached_property
    def segments(self) -> tuple[SegmentTexts, ...]:
        """All segments of the test set, in its order."""
        return tuple(self._read())

    @cached_property
    def outputs(self) -> tuple[SystemOutput, ...]:
        """The two systems' outputs, in the order asked for."""
        return self.collection.with_systems([self.first, self.second]).outputs

    def _read(self) -> Iterator[SegmentTexts]:
        """What one of the two does not have has no words on any side: nothing is said of it."""
        for document in self.collection.testset.documents:
            first, second = (output.documents[document.id] for output in self.outputs)
            for segment, texts in enumerate(zip(document.source, first, second, strict=True)):
                if None in texts:
                    yield SegmentTexts(document, segment, (), (), (), ())
                else:
                    yield self._segment(document, segment, *texts)

    def _segment(
        self, document: Document, segment: int, source: str, first: str | None, second: str | None
    ) -> SegmentTexts:
        target = self.of_target.read
        lines = (lines[segment] for lines in document.references.values())
        references = tuple(target(line) for line in lines if line is not None)
        own = self.of_source.read(source)
        return SegmentTexts(document, segment, own, references, target(first), target(second))

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

    def names(self, segment: SegmentTexts) -> frozenset[str]:
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


def _begins(tokens: tuple[Token, ...], number: int) -> bool:
    """Whether a token begins a sentence, opening marks before it aside."""
    while number and tokens[number - 1].text in _OPENS:
        number -= 1
    return number == 0 or tokens[number - 1].text in _ENDS
