"""Documents and translations taken apart: tokens, and which words stand for which.

Which words of a document count: all that it repeats, annotated chains, or a list of terms.

From bilingual documents to lexical chains that people can judge (Lei et al. 2024, section 2.2).

A chain holds the mentions of a content word that the reference renders in the same words, letter
case apart. Only one-to-one and one-to-many links count: a target word that also stands for another
source word is no translation of this one alone.
"""

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from isogloss.alignment import Aligner, SegmentAlignment, TokenPair, pairs_digest, remarks_of
from isogloss.documents import Document, Segments, TestSet
from isogloss.errors import MismatchError, NotApplicableError
from isogloss.language import ContentWords, Tagger, Tokeniser, tagger
from isogloss.metrics.consistency.chains import Chain, ChainItem
from isogloss.metrics.consistency.mentions import (
    RepeatedWord,
    Tokens,
    WordKeys,
    mentions_of_term,
    repeated_words,
    with_part,
    words_at,
)
from isogloss.metrics.consistency.renderings import (
    RenderedWord,
    RenderingReader,
    Terms,
    TranslatedSegment,
)

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
    reader: RenderingReader
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


Words = tuple[RepeatedWord, ...]
ChooseWords = Callable[[Document, Analyser], Words]


def all_repeated(document: Document, analyser: Analyser) -> Words:
    """Every content word that stands at least twice in the source (L-All)."""
    return repeated_words(analyser.source(document), analyser.word_keys)


@dataclass(frozen=True)
class Annotated:
    """The words and places of annotated chains (L-Anno)."""

    by_document: dict[str, list[Chain]] = field(repr=False)

    @classmethod
    def of(cls, chains: Iterable[Chain], documents: Iterable[str]) -> "Annotated":
        """The chains in these documents, of which some must have one."""
        by_document: defaultdict[str, list[Chain]] = defaultdict(list)
        for chain in chains:
            by_document[chain.document].append(chain)
        if not any(id in by_document for id in documents):
            raise NotApplicableError(
                "none of the chains lies in a document of this test set; document ids must agree"
            )
        return cls(dict(by_document))

    def __call__(self, document: Document, analyser: Analyser) -> Words:
        tokens = analyser.source(document)
        words = []
        for chain in self.by_document.get(document.id, ()):
            _check_places(chain, document)
            words.append(words_at(chain.word, (item.place for item in chain.items), tokens))
        return tuple(words)


def _check_places(chain: Chain, document: Document) -> None:
    """The word stands where the chain says, or chains and test set do not belong together."""
    for segment, start, end in (item.place for item in chain.items):
        text = document.source[segment][start:end] if segment < len(document) else ""
        if "".join(text.split()).lower() != "".join(chain.word.split()).lower():
            raise MismatchError(
                f"chain {chain.id!r}: {chain.word!r} does not stand in document {document.id!r}, "
                f"segment {segment + 1}, characters {start} to {end}; the chains were made for "
                "other texts"
            )


@dataclass(frozen=True)
class Listed:
    """The terms of a list, wherever they stand."""

    terms: Terms = field(repr=False)

    def __call__(self, document: Document, analyser: Analyser) -> Words:
        tokens = analyser.source(document)
        found = (mentions_of_term(term, document.source, tokens) for term in self.terms)
        return tuple(word for word in found if word is not None)


@dataclass(frozen=True)
class Tagged:
    """The words that another choice gives, each with its part of speech."""

    choose: ChooseWords
    tagger: Tagger

    @classmethod
    def in_language(cls, choose: ChooseWords, language: str | None) -> "Tagged":
        """With the tagger of the language, which must have one."""
        found = tagger(language) if language else None
        if found is None:
            raise NotApplicableError(
                f"there is no tagger for {language or 'an unknown language'}, so parts of speech "
                "are not known; see 'isogloss list languages'"
            )
        return cls(choose, found)

    def __call__(self, document: Document, analyser: Analyser) -> Words:
        tags = [self.tagger.tag(tokens.rows()) for tokens in analyser.source(document)]
        return tuple(with_part(word, tags) for word in self.choose(document, analyser))


def extract_chains(
    testset: TestSet, reference: str, analyser: Analyser, tagger: Tagger | None = None
) -> tuple[Chain, ...]:
    """The chains of all documents, each with its sentences."""
    documents = testset.documents
    targets = [document.references[reference] for document in documents]
    chains: list[Chain] = []
    aligned = analyser.aligned(documents, targets).documents
    for document, segments in zip(documents, aligned, strict=True):
        words = _words(document, analyser, tagger)
        private = [None if segment is None else _own_links_only(segment) for segment in segments]
        found = (
            chain
            for word in analyser.reader.rendered(words, private)
            for chain in _chains(word, document, segments)
        )
        chains += _numbered(found, document.id)
    return tuple(chains)


def _words(
    document: Document, analyser: Analyser, tagger: Tagger | None
) -> tuple[RepeatedWord, ...]:
    tokens = analyser.source(document)
    words = repeated_words(tokens, analyser.word_keys)
    if tagger is None:
        return words
    tags = [tagger.tag(segment.rows()) for segment in tokens]
    return tuple(with_part(word, tags) for word in words)


def _own_links_only(segment: TranslatedSegment) -> TranslatedSegment:
    """Only the source words all of whose target words are theirs alone."""
    taken = Counter(target for targets in segment.targets.values() for target in targets)
    private = {
        source: targets
        for source, targets in segment.targets.items()
        if all(taken[target] == 1 for target in targets)
    }
    return TranslatedSegment(segment.text, segment.tokens, private)


def _chains(word: RenderedWord, document: Document, segments: Translated) -> Iterator[Chain]:
    groups: defaultdict[str, list[ChainItem]] = defaultdict(list)
    for mention, rendering in zip(word.word.mentions, word.renderings, strict=True):
        segment = segments[mention.segment]
        if segment is None or rendering is None or rendering.key is None:
            continue
        item = ChainItem(
            mention.segment,
            mention.tokens[0],
            mention.start,
            mention.end,
            rendering.places,
            document.source[mention.segment],
            segment.text,
        )
        groups[rendering.key].append(item)
    for translation, items in groups.items():
        if len(items) > 1:
            yield Chain("", document.id, word.word.word, translation, tuple(items), word.word.part)


def _numbered(chains: Iterable[Chain], document: str) -> Sequence[Chain]:
    ordered = sorted(chains, key=lambda chain: chain.items[0].place)
    return [replace(chain, id=f"{document}:{n}") for n, chain in enumerate(ordered, 1)]
