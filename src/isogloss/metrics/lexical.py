"""What the metrics of lexical cohesion have in common: how they read a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.documents import Segments
from isogloss.errors import NotApplicableError
from isogloss.language.codes import primary
from isogloss.language.reading import ContentReader, ContentWord, content_reader
from isogloss.language.wordnet import WordNet, wordnet
from isogloss.metrics.protocol import ConfiguredMetric

Words = Sequence[ContentWord] | None
"""The content words of a segment; `None` for a segment that is absent."""


@dataclass(frozen=True)
class LexicalMetric(ConfiguredMetric):
    """A metric of content words.

    `unit` is the form under which occurrences of a word are the same, `tokeniser` what finds the
    words (``auto``: what suits the target language; ``space``: the text is already tokenised).
    """

    unit: Literal["stem", "lemma", "surface"] = "stem"
    tokeniser: Literal[
        "auto", "unicode", "space", "moses", "rjieba", "sudachi", "kiwi", "newmm"
    ] = "auto"

    def reader(self, language: str | None) -> ContentReader:
        """What reads texts in the target language."""
        if language is None:
            raise NotApplicableError(
                f"{self.title} needs to know the target language; "
                "say it with --to or in the test set"
            )
        return content_reader(
            language, self.unit, None if self.tokeniser == "auto" else self.tokeniser
        )

    def thesaurus(self, language: str | None) -> WordNet:
        """WordNet, for a target language that it has words of."""
        if primary(language) != "en":
            raise NotApplicableError(
                f"{self.name} asks WordNet, which is English; the target language is {language}"
            )
        return wordnet()


def read_segments(reader: ContentReader, segments: Segments) -> list[Words]:
    """The content words of every segment of a side."""
    return [None if text is None else reader.read(text) for text in segments]
