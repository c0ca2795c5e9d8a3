"""A translated document in words, aligned with its source: what proposal and checks look at."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from isogloss.alignment import Aligner, Links, TokenPair
from isogloss.documents import Document, Segments
from isogloss.language import (
    ContentWords,
    Normaliser,
    Token,
    Tokeniser,
    content_words,
    normaliser,
    tokeniser,
)
from isogloss.spans import Span


@dataclass(frozen=True, slots=True)
class Words:
    """One segment: its tokens, the stem of each, and which of them carry content."""

    text: str
    tokens: tuple[Token, ...]
    stems: tuple[str, ...]
    content: tuple[bool, ...]

    def within(self, start: int, end: int) -> tuple[int, ...]:
        """The tokens that lie in a range of characters, in part at least."""
        return tuple(
            number
            for number, token in enumerate(self.tokens)
            if token.start < end and token.end > start
        )


@dataclass(frozen=True)
class WordReader:
    """Splits the texts of one language into words."""

    language: str | None

    def read(self, text: str | None) -> Words:
        """The words of a segment; an absent one has none."""
        return _read(self, text or "")

    def split(self, text: str) -> Words:
        """The same, every time anew."""
        tokens = tuple(self._tokeniser.tokenise(text)) if text else ()
        stems = tuple(self._normaliser.normalise(token.text) for token in tokens)
        told = zip(self._content.select(tokens), tokens, strict=True)
        return Words(text, tokens, stems, tuple(c or is_code(t.text) for c, t in told))

    @property
    def names(self) -> tuple[str, ...]:
        """What the tools are called, for signatures."""
        return self._tokeniser.name, self._normaliser.name, self._content.name

    @property
    def _tokeniser(self) -> Tokeniser:
        return tokeniser(self.language)

    @property
    def _normaliser(self) -> Normaliser:
        return normaliser(self.language, "stem")

    @property
    def _content(self) -> ContentWords:
        return content_words(self.language)


@lru_cache(maxsize=10_000)
def _read(reader: WordReader, text: str) -> Words:
    # A document's source is read once more for each of its translations.
    return reader.split(text)


def is_code(word: str) -> bool:
    """Whether a word is a number or all in capitals: both stand for themselves."""
    return word[:1].isdigit() or (len(word) > 1 and word.isalpha() and word.isupper())


def frequent_forms(segments: Iterable[Words]) -> dict[str, str]:
    """The most frequent word of each stem: what people are shown."""
    counts: dict[str, Counter[str]] = {}
    for words in segments:
        for stem, token in zip(words.stems, words.tokens, strict=True):
            counts.setdefault(stem, Counter())[token.text] += 1
    return {stem: frequent_form(seen) for stem, seen in counts.items()}


def frequent_form(seen: Mapping[str, int]) -> str:
    """The most frequent of some forms, the first of equals.

    A capital counts for nothing where the form is written without one, too.
    """
    small = Counter[str]()
    for form, times in seen.items():
        small[form.lower() if form.lower() in seen else form] += times
    return small.most_common(1)[0][0]


@dataclass(frozen=True, slots=True)
class Aligned:
    """One translation of one document, segment by segment, with the links between the words."""

    document: Document
    system: str
    side: str
    sources: tuple[Words, ...]
    targets: tuple[Words, ...]
    links: tuple[Links, ...]

    def linked(self, segment: int, words: Iterable[int]) -> tuple[int, ...]:
        """The target tokens linked to any of these source tokens, in order."""
        wanted = set(words)
        return tuple(sorted({t for s, t in self.links[segment] if s in wanted}))

    def word_pairs(self) -> list[TokenPair]:
        """The words of both sides, segment by segment."""
        return list(map(_word_pair, self.sources, self.targets))

    def place(self, segment: int, token: int) -> Span:
        """Where a token of the translation lies."""
        found = self.targets[segment].tokens[token]
        return Span(self.document.id, self.side, segment, found.start, found.end)


@dataclass(frozen=True, slots=True)
class Version:
    """A translation to be aligned: whose it is, and its segments."""

    document: Document
    system: str
    side: str
    segments: Segments


def align_versions(
    versions: Sequence[Version],
    aligner: Aligner,
    source: Callable[[str | None], Words],
    target: Callable[[str | None], Words],
) -> list[Aligned]:
    """All versions aligned together: a statistical aligner learns from all of them."""
    read = [
        (tuple(map(source, v.document.source)), tuple(map(target, v.segments))) for v in versions
    ]
    pairs = [pair for sources, targets in read for pair in map(_word_pair, sources, targets)]
    links = iter([found.links for found in aligner.align(pairs)])
    return [
        Aligned(v.document, v.system, v.side, sources, targets, tuple(next(links) for _ in sources))
        for v, (sources, targets) in zip(versions, read, strict=True)
    ]


def _word_pair(source: Words, target: Words) -> TokenPair:
    return [token.text for token in source.tokens], [token.text for token in target.tokens]
