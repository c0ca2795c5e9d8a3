"""Which words of a text are related in meaning, by WordNet: what lexical cohesion is made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.language.reading import ContentWord
from isogloss.language.wordnet import Concept, WordNet

Relation = Literal["synonym", "near synonym", "superordinate"]


@dataclass(frozen=True, slots=True)
class Link:
    """A word that another is related to, and whether it comes before it in the text."""

    key: str
    relation: Relation
    earlier: bool


def related_words(words: Iterable[ContentWord], wordnet: WordNet) -> dict[str, list[Link]]:
    """For each of these different words, in the order of the text, those it is related to.

    Synonyms share a synset; near synonyms are adjectives that WordNet calls similar and verbs of
    one group; a superordinate is one step above, in either direction.
    """
    links: dict[str, list[Link]] = {}
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
            links.setdefault(word.key, []).append(Link(other, relation, earlier=True))
            links.setdefault(other, []).append(Link(word.key, relation, earlier=False))
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
