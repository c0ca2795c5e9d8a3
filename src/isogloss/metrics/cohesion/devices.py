"""LC and RC (Wong & Kit 2012): what share of the content words are lexical cohesion devices.

A device is a content word that occurs again in the document (RC), or that is related in meaning
to another one (LC). No reference is looked at. The statistics are counts of devices and of
content words, so a system's score is the share in all its documents together.

Which words of a text are related in meaning, by WordNet: what lexical cohesion is made of.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation
from isogloss.formula import Bounds
from isogloss.language import Concept, ContentWord, WordNet, primary
from isogloss.metrics.cohesion.chains import (
    ChainMention,
    LexicalMetric,
    Words,
    index_mentions,
    read_segments,
)
from isogloss.scores import Measurement
from isogloss.signature import Signature
from isogloss.spans import Evidence, output_side

Relation = Literal["synonym", "near synonym", "superordinate"]


@dataclass(frozen=True, slots=True)
class WordLink:
    """A word that another is related to, and whether it comes before it in the text."""

    key: str
    relation: Relation
    earlier: bool


def related_words(words: Iterable[ContentWord], wordnet: WordNet) -> dict[str, list[WordLink]]:
    """For each of these different words, in the order of the text, those it is related to.

    Synonyms share a synset; near synonyms are adjectives that WordNet calls similar and verbs of
    one group; a superordinate is one step above, in either direction.
    """
    links: dict[str, list[WordLink]] = {}
    meant: dict[Concept, list[str]] = {}
    under: dict[Concept, list[str]] = {}
    for word in words:
        own, above = wordnet.concepts(word.text), wordnet.related(word.text, "superordinate")
        near = wordnet.related(word.text, "near synonym")
        found: dict[str, Relation] = {}
        _note(found, "synonym", own, meant)
        _note(found, "near synonym", sorted(near), meant)
        _note(found, "superordinate", sorted(above), meant)
        _note(found, "superordinate", own, under)
        for other, relation in found.items():
            links.setdefault(word.key, []).append(WordLink(other, relation, earlier=True))
            links.setdefault(other, []).append(WordLink(word.key, relation, earlier=False))
        for concepts, table in ((own, meant), (above, under)):
            for concept in concepts:
                table.setdefault(concept, []).append(word.key)
    return links


def _note(
    found: dict[str, Relation],
    relation: Relation,
    concepts: Sequence[Concept],
    table: dict[Concept, list[str]],
) -> None:
    """Enter the words that the table has for these concepts, unless they are found already."""
    for concept in concepts:
        for other in table.get(concept, ()):
            found.setdefault(other, relation)


REPETITION = "repetition"

Links = dict[str, list[WordLink]]


@dataclass(frozen=True, slots=True)
class Device:
    """The mentions of one word, those of them that bind the text, and why."""

    mentions: Sequence[ChainMention]
    repeated: Sequence[ChainMention]
    related: Sequence[ChainMention]
    partner: ChainMention | None
    reason: str


@dataclass(frozen=True)
class RepetitionCohesion(LexicalMetric):
    """RC: repetitions per content word.

    `first_mention` says whether a word's first mention is ``counted`` among its repetitions, or
    ``not``.
    """

    title: ClassVar[str] = "rc"
    bounds: ClassVar[Bounds] = (0.0, 1.0)
    needs_references: ClassVar[bool] = False

    first_mention: Literal["counted", "not"] = "counted"

    def signature(self, testset: TestSet) -> Signature:
        """The metric's name and the tools that read the texts."""
        fields = self.reader(testset.target_language).signature_fields
        return Signature(self.name, (*fields, *self.relation_fields(testset), ("version", "1")))

    def relation_fields(self, testset: TestSet) -> tuple[tuple[str, str], ...]:  # noqa: ARG002
        """What the signature says about relations between words."""
        return ()

    def links(self, firsts: Sequence[ChainMention], language: str | None) -> Links:  # noqa: ARG002
        """Which words are related in meaning, given the first mention of each: here none."""
        return {}

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Counts in every document and its segments."""
        for translation in translations:
            reader = self.reader(translation.target_language)
            segments = read_segments(reader, translation.output)
            words = index_mentions(segments)
            links = self.links([m[0] for m in words.values()], translation.target_language)
            devices = [
                self._device(key, words, links)
                for key, mentions in words.items()
                if len(mentions) > 1 or key in links
            ]
            yield _measurement(translation, segments, devices)

    def _device(self, key: str, words: dict[str, list[ChainMention]], links: Links) -> Device:
        """Which mentions of a word are devices."""
        mentions = words[key]
        if self.first_mention == "counted":
            repeated = mentions if len(mentions) > 1 else []
            link = next(iter(links.get(key, ())), None)
            related = [] if repeated or link is None else mentions
        else:
            repeated = mentions[1:]
            link = next((link for link in links.get(key, ()) if link.earlier), None)
            related = [] if link is None else mentions[:1]
        partner = words[link.key][0] if link and related else None
        return Device(mentions, repeated, related, partner, link.relation if link else REPETITION)

    def score_rows(self, statistics: Floats) -> Floats:
        """Devices per content word."""
        devices, words = statistics[:, 0], statistics[:, 1]
        return np.divide(devices, words, out=np.full_like(devices, np.nan), where=words > 0)


@dataclass(frozen=True)
class LexicalCohesion(RepetitionCohesion):
    """LC: lexical cohesion devices per content word, repetitions and related words.

    With ``relations=none`` repetitions are all there is, and LC is RC; with ``wordnet`` synonyms,
    near synonyms and superordinates count too.
    """

    title: ClassVar[str] = "lc"

    relations: Literal["none", "wordnet"] = "none"

    def caution(self, testset: TestSet) -> str | None:
        """That without relations it is not a second opinion."""
        if self.relations != "none":
            return None
        remedy = "; one of the two is enough"
        if primary(testset.target_language) == "en":
            remedy = "; lc(relations=wordnet) counts related words too"
        return f"equal to rc by construction, since relations=none leaves repetitions alone{remedy}"

    def relation_fields(self, testset: TestSet) -> tuple[tuple[str, str], ...]:
        """The release of WordNet, where it is asked."""
        if self.relations == "none":
            return ()
        return (("relations", self.thesaurus(testset.target_language).name),)

    def links(self, firsts: Sequence[ChainMention], language: str | None) -> Links:
        """Which words are related in meaning, given the first mention of each."""
        if self.relations == "none":
            return {}
        return related_words((first.word for first in firsts), self.thesaurus(language))


def _measurement(
    translation: Translation, segments: Sequence[Words], devices: Sequence[Device]
) -> Measurement:
    found = Counter(m.segment for d in devices for m in (*d.repeated, *d.related))
    rows = np.array(
        [
            (np.nan, np.nan) if words is None else (found[segment], len(words))
            for segment, words in enumerate(segments)
        ]
    )
    scores = [d / n if n > 0 else math.nan for d, n in rows.tolist()]
    return Measurement.of_segments(rows, scores, _evidence(translation, devices))


def _evidence(translation: Translation, devices: Sequence[Device]) -> Iterator[Evidence]:
    """One piece for every repeated word, and one for every word that is related to another."""
    document, side = translation.document.id, output_side(translation.system)
    for device in devices:
        if device.repeated:
            spans = tuple(mention.span(document, side) for mention in device.mentions)
            yield Evidence(REPETITION, spans, float(len(device.repeated)))
        if device.partner:
            ties = (*device.related, device.partner)
            spans = tuple(mention.span(document, side) for mention in ties)
            yield Evidence(device.reason, spans, float(len(device.related)))
