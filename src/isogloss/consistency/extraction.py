"""From bilingual documents to lexical chains that people can judge (Lei et al. 2024, section 2.2).

A chain holds the mentions of a content word that the reference renders in the same words, letter
case apart. Only one-to-one and one-to-many links count: a target word that also stands for another
source word is no translation of this one alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from isogloss.consistency.analysis import Analyser, Translated
from isogloss.consistency.chains import Chain, ChainItem
from isogloss.consistency.mentions import RepeatedWord, repeated_words, with_part
from isogloss.consistency.renderings import RenderedWord, TranslatedSegment
from isogloss.documents import Document, TestSet
from isogloss.language.interface import Tagger


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
