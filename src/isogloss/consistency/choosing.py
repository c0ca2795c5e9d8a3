"""Which words of a document count: all that it repeats, annotated chains, or a list of terms."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from isogloss.consistency.analysis import Analyser
from isogloss.consistency.chains import Chain
from isogloss.consistency.mentions import (
    RepeatedWord,
    mentions_of_term,
    repeated_words,
    with_part,
    words_at,
)
from isogloss.consistency.terms import Terms
from isogloss.documents import Document
from isogloss.errors import MismatchError, NotApplicableError
from isogloss.language.catalogue import tagger
from isogloss.language.interface import Tagger

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
