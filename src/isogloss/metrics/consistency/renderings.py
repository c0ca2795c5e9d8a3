"""The target side: how each mention of a word was rendered, read off a word alignment.

Term lists: the translations that somebody has laid down for source terms.

A TSV with the term in the first column and a translation in the second; a term with several
translations has several lines. Lines that begin with ``#`` are remarks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from isogloss.digest import short_digest
from isogloss.errors import FormatError
from isogloss.formats import read_lines
from isogloss.language import FunctionWords, Normaliser, Tokeniser, folded
from isogloss.metrics.consistency.mentions import Mention, RepeatedWord, Tokens

TargetsOfToken = Mapping[int, tuple[int, ...]]
"""The target tokens that each source token of a segment is linked to."""


class Rendering(NamedTuple):
    """The words that stand for one mention.

    `key` is what is compared: the normalised words; `None` where no word stands for the mention.
    `text` is what the translation says there, and `places` where.
    """

    key: str | None
    text: str
    places: tuple[tuple[int, int], ...]


UNTRANSLATED = Rendering(None, "", ())


@dataclass(frozen=True, slots=True)
class TranslatedSegment:
    """A segment of a translation: its text, its tokens, and who stands for whom."""

    text: str
    tokens: Tokens
    targets: TargetsOfToken


@dataclass(frozen=True, slots=True)
class RenderedWord:
    """A repeated word with the rendering of every mention; `None` where the output is absent."""

    word: RepeatedWord
    renderings: tuple[Rendering | None, ...]


@dataclass(frozen=True)
class RenderingReader:
    """Reads renderings off an alignment.

    Articles, prepositions and marks that an aligner puts to a word ("the house", "house ,") are no
    part of its rendering, unless nothing else stands for it.
    """

    normaliser: Normaliser
    function_words: FunctionWords

    def rendered(
        self, words: Iterable[RepeatedWord], segments: Sequence[TranslatedSegment | None]
    ) -> tuple[RenderedWord, ...]:
        """The renderings of all words in one translation of their document."""
        return tuple(
            RenderedWord(
                word, tuple(self._rendering(m, segments[m.segment]) for m in word.mentions)
            )
            for word in words
        )

    def _rendering(self, mention: Mention, segment: TranslatedSegment | None) -> Rendering | None:
        if segment is None:
            return None
        linked = [segment.targets[token] for token in mention.tokens if token in segment.targets]
        if not linked:
            return UNTRANSLATED
        all_linked = linked[0]
        if len(linked) > 1:
            all_linked = tuple(sorted({index for part in linked for index in part}))
        indices = self._telling(all_linked, segment.tokens)
        places = _runs(indices, segment.tokens)
        text = " … ".join(segment.text[start:end] for start, end in places)
        return Rendering(self._key(segment.tokens, indices), text, places)

    def key_of(self, tokens: Tokens) -> str:
        """What a rendering in these words would be known by."""
        return self._key(tokens, self._telling(range(len(tokens)), tokens))

    def _key(self, tokens: Tokens, indices: Iterable[int]) -> str:
        return " ".join(self.normaliser.normalise(tokens.texts[index]) for index in indices)

    def _telling(self, indices: Sequence[int], tokens: Tokens) -> Sequence[int]:
        if len(indices) < 2:
            return indices
        return [index for index in indices if self._counts(tokens.texts[index])] or indices

    def _counts(self, word: str) -> bool:
        return folded(word) not in self.function_words and any(map(str.isalnum, word))


def _runs(indices: Sequence[int], tokens: Tokens) -> tuple[tuple[int, int], ...]:
    """Neighbouring tokens as one place each."""
    runs: list[tuple[int, int]] = []
    previous = None
    for index in indices:
        start, end = tokens.starts[index], tokens.ends[index]
        if previous is not None and index == previous + 1:
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
        previous = index
    return tuple(runs)


Terms = Mapping[str, tuple[str, ...]]
"""The translations of each term."""


def read_terms(path: Path) -> dict[str, tuple[str, ...]]:
    """The terms of a file with their translations."""
    terms: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("#") or not line.strip():
            continue
        term, tab, rest = line.partition("\t")
        translation = rest.partition("\t")[0].strip()
        if not (term.strip() and tab and translation):
            raise FormatError(
                f"no term and translation in {line!r}",
                path=path,
                line=number,
                remedy="expected term<TAB>translation",
            )
        terms[term.strip()] = (*terms.get(term.strip(), ()), translation)
    if not terms:
        raise FormatError("there are no terms in it", path=path)
    return terms


def terms_digest(terms: Terms) -> str:
    """A short digest of a term list."""
    told = repr(sorted((term, sorted(known)) for term, known in terms.items()))
    return short_digest(told, 12)


def accepted_keys(
    terms: Terms, tokeniser: Tokeniser, reader: RenderingReader
) -> dict[str, frozenset[str]]:
    """What renderings of each term are known by, if they follow the list."""
    return {
        term: frozenset(reader.key_of(Tokens.of(tokeniser.tokenise(text))) for text in translations)
        for term, translations in terms.items()
    }
