"""WordNet (Miller 1995; Fellbaum 1998) read from its own database files, with its morphology.

Debian installs them under ``/usr/share/wordnet``; ``ISOGLOSS_WORDNET`` names another folder. A
*concept* is a synset: its part of speech and its place in the data file, as one number.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from isogloss.errors import FormatError, NotApplicableError
from isogloss.language.protocol import folded

Concept = int
Relation = Literal["superordinate", "near synonym"]

ENVIRONMENT = "ISOGLOSS_WORDNET"
_USUAL = Path("/usr/share/wordnet")
_PARTS = ("noun", "verb", "adj", "adv")
_SYMBOLS: Mapping[str, Relation] = {
    "@": "superordinate",
    "@i": "superordinate",  # of an instance
    "&": "near synonym",  # similar adjectives
    "$": "near synonym",  # verbs of one group
}
# Endings that morphy takes away, and what it puts in their place.
_ENDINGS = {
    "noun": (("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"),
             ("shes", "sh"), ("men", "man"), ("ies", "y")),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""),
             ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip


@dataclass(frozen=True)
class WordNet:
    """The concepts of English words and the relations between them."""

    folder: Path

    @cached_property
    def name(self) -> str:
        """The release that the files say they are, and a digest of what they are."""
        sha = hashlib.sha256()
        for file in sorted(self.folder.glob("*.exc")) + sorted(self.folder.glob("index.*")):
            sha.update(file.read_bytes())
        release = re.search(rb"WordNet (\d[\d.]*\d)", self._data["noun"][:4096])
        return f"wordnet-{release[1].decode() if release else '?'}-{sha.hexdigest()[:8]}"

    @cached_property
    def _index(self) -> Mapping[str, Mapping[str, str]]:
        """By part of speech, the line of every lemma."""
        return {part: dict(_entries(self._read(f"index.{part}").decode())) for part in _PARTS}

    @cached_property
    def _exceptions(self) -> Mapping[str, Mapping[str, str]]:
        return {part: dict(_entries(self._read(f"{part}.exc").decode())) for part in _PARTS}

    @cached_property
    def _data(self) -> Mapping[str, bytes]:
        return {part: self._read(f"data.{part}") for part in _PARTS}

    def _read(self, file: str) -> bytes:
        try:
            return (self.folder / file).read_bytes()
        except OSError as error:
            raise FormatError(
                "WordNet's database has this file, but it cannot be read", path=self.folder / file
            ) from error

    def concepts(self, word: str) -> tuple[Concept, ...]:
        """The synsets of a word in any form: of nouns, verbs, adjectives and adverbs in turn."""
        return _concepts(self, folded(word))

    def related(self, word: str, relation: Relation) -> frozenset[Concept]:
        """The synsets one step away from those of the word."""
        return _related(self, folded(word), relation)

    def lemmas(self, word: str, part: str) -> Iterator[str]:
        """The dictionary forms that the word may be a form of, itself first: WordNet's morphy."""
        found = self._index[part]
        exceptions = self._exceptions[part].get(word, "").split()
        detached = (
            word.removesuffix(ending) + put
            for ending, put in _ENDINGS[part]
            if word.endswith(ending)
        )
        candidates = (word, *(exceptions or detached))
        yield from dict.fromkeys(lemma for lemma in candidates if lemma in found)


def _entries(text: str) -> Iterator[tuple[str, str]]:
    """The first word of each line and the rest of it, without the licence, which is indented."""
    for line in text.splitlines():
        if not line.startswith(" "):
            first, _, rest = line.partition(" ")
            yield first, rest


@lru_cache(maxsize=1 << 17)
def _concepts(wordnet: WordNet, word: str) -> tuple[Concept, ...]:
    lemma_of_index = word.replace(" ", "_")
    return tuple(
        dict.fromkeys(
            int(offset) * len(_PARTS) + number
            for number, part in enumerate(_PARTS)
            for lemma in wordnet.lemmas(lemma_of_index, part)
            for offset in _offsets(wordnet._index[part][lemma])
        )
    )


def _offsets(entry: str) -> list[str]:
    """``pos synset_cnt p_cnt [symbol...] sense_cnt tagsense_cnt offset [offset...]``"""
    fields = entry.split()
    return fields[-int(fields[1]) :]


@lru_cache(maxsize=1 << 17)
def _related(wordnet: WordNet, word: str, relation: Relation) -> frozenset[Concept]:
    return frozenset(
        other
        for concept in _concepts(wordnet, word)
        for symbol, other in _pointers(wordnet, concept)
        if _SYMBOLS.get(symbol) == relation
    )


def _pointers(wordnet: WordNet, concept: Concept) -> Iterator[tuple[str, Concept]]:
    """``offset file pos w_cnt [word id]... p_cnt [symbol offset pos source/target]... | gloss``"""
    offset, number = divmod(concept, len(_PARTS))
    data = wordnet._data[_PARTS[number]]
    fields = data[offset : data.index(b"\n", offset)].decode().partition(" | ")[0].split()
    at = 4 + 2 * int(fields[3], 16)
    for n in range(int(fields[at])):
        symbol, place, part, _ = fields[at + 1 + 4 * n : at + 5 + 4 * n]
        yield symbol, int(place) * len(_PARTS) + "nvar".index(part.replace("s", "a"))


@lru_cache(maxsize=4)
def _opened(folder: Path) -> WordNet:
    return WordNet(folder)


def open_wordnet() -> WordNet:
    """The installed WordNet."""
    folder = Path(os.environ.get(ENVIRONMENT) or _USUAL)
    if not (folder / "index.noun").is_file():
        raise NotApplicableError(
            f"there is no WordNet at {folder}; install it (Debian: apt install wordnet-base), "
            f"or name the folder of its database in {ENVIRONMENT}"
        )
    return _opened(folder)
