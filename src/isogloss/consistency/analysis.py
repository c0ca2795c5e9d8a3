"""Documents and translations taken apart: tokens, and which words stand for which."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from isogloss.alignment.digests import pairs_digest
from isogloss.alignment.interface import Aligner, remarks_of
from isogloss.alignment.links import SegmentAlignment, TokenPair
from isogloss.consistency.mentions import WordKeys
from isogloss.consistency.renderings import Reader, TranslatedSegment
from isogloss.consistency.tokens import Tokens
from isogloss.documents import Document, Segments
from isogloss.language.interface import Tokeniser
from isogloss.language.word_lists import ContentWords

Translated = list[TranslatedSegment | None]
"""One translation of a document, segment by segment; `None` where it is absent."""

_REMEMBERED = 100_000  # segment pairs: the systems of a test set, for several metrics


@dataclass(frozen=True, slots=True)
class TextLinks:
    """The links of a text, segment by segment, and what the aligner has to remark about them."""

    segments: Sequence[SegmentAlignment]
    remarks: Mapping[str, int]


_links: OrderedDict[tuple[str, str], TextLinks] = OrderedDict()


def remembered_links(aligner: Aligner, pairs: Sequence[TokenPair]) -> TextLinks:
    """The links of these pairs; what was aligned lately is not aligned again.

    Metrics that differ in what they make of the links ask for the same ones, and a model that
    learns from the pairs takes its time.
    """
    key = aligner.name, pairs_digest(pairs)
    if key not in _links:
        _links[key] = TextLinks(aligner.align(pairs), remarks_of(aligner, pairs))
    _links.move_to_end(key)
    while len(_links) > 1 and sum(len(text.segments) for text in _links.values()) > _REMEMBERED:
        _links.popitem(last=False)
    return _links[key]


@dataclass(frozen=True, slots=True)
class AlignedText:
    """One system's translations of some documents, and the aligner's remarks about all of them."""

    documents: list[Translated]
    remarks: Mapping[str, int]


@dataclass(frozen=True)
class Analyser:
    """The tools of one translation direction, at work; a source is taken apart once."""

    source_words: Tokeniser
    target_words: Tokeniser
    content: ContentWords
    reader: Reader
    aligner: Aligner
    _sources: dict[str, tuple[Tokens, ...]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def word_keys(self) -> WordKeys:
        """Which tokens of the source are content words, and the form they are counted in."""
        return WordKeys(self.content)

    def source(self, document: Document) -> tuple[Tokens, ...]:
        """The tokens of the document's source, segment by segment."""
        if document.id not in self._sources:
            split = (Tokens.of(self.source_words.tokenise(text)) for text in document.source)
            self._sources[document.id] = tuple(split)
        return self._sources[document.id]

    def aligned(self, documents: Sequence[Document], outputs: Sequence[Segments]) -> AlignedText:
        """One system's translations of the documents, aligned with their sources.

        An aligner that learns from what it aligns sees the documents of this system alone, and in
        an order of their own: neither other systems nor the order of the call change a link.
        """
        split = [[self._split(text) for text in output] for output in outputs]
        places = [
            (index, segment)
            for index in sorted(range(len(documents)), key=lambda index: documents[index].id)
            for segment, tokens in enumerate(split[index])
            if tokens is not None
        ]
        pairs = []
        for index, segment in places:
            source, target = self.source(documents[index])[segment], split[index][segment]
            pairs.append((source.texts, target.texts if target else ()))
        found = remembered_links(self.aligner, pairs)
        links = dict(zip(places, found.segments, strict=True))
        translated: list[Translated] = [
            [
                None
                if text is None or tokens is None
                else TranslatedSegment(text, tokens, links[index, segment].targets())
                for segment, (text, tokens) in enumerate(zip(output, split[index], strict=True))
            ]
            for index, output in enumerate(outputs)
        ]
        return AlignedText(translated, found.remarks)

    def _split(self, text: str | None) -> Tokens | None:
        return None if text is None else Tokens.of(self.target_words.tokenise(text))
