"""The source side: words that a document repeats, and every place where they stand.

The tokens of a segment, in columns.

A test set has millions of tokens, and an analysis keeps them. As single objects they would cost
more time in Python's garbage collector than all the work done with them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from isogloss.language import ContentWords, Token, folded


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of one segment, and where each begins and ends."""

    texts: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> "Tokens":
        """The columns of a tokeniser's rows."""
        return cls(*zip(*tokens, strict=True)) if tokens else cls((), (), ())

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self) -> list[Token]:
        """The tokens one by one, as language tools take them."""
        return list(map(Token, self.texts, self.starts, self.ends))


class WordPlace(NamedTuple):
    """Code points `start` to `end` of one segment."""

    segment: int
    start: int
    end: int


class Mention(NamedTuple):
    """One occurrence of a word: its tokens, and where they stand in the segment's text."""

    segment: int
    tokens: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RepeatedWord:
    """A source word with its mentions in one document, in the order of the text.

    `part` is its part of speech in the four classes of the paper, where somebody told.
    """

    word: str
    mentions: tuple[Mention, ...]
    part: str | None = None


class WordKeys(dict[str, str | None]):
    """What each token is counted as: its lower-cased form, or `None` if it is no content word.

    The same tokens come again and again; each is looked at once.
    """

    def __init__(self, content: ContentWords) -> None:
        super().__init__()
        self._content = content

    def __missing__(self, text: str) -> str | None:
        self[text] = key = folded(text) if self._content.includes(text) else None
        return key


def repeated_words(segments: Sequence[Tokens], keys: WordKeys) -> tuple[RepeatedWord, ...]:
    """Every content word that stands at least twice in the document; upper case does not matter."""
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, tokens in enumerate(segments):
        for index, text in enumerate(tokens.texts):
            key = keys[text]
            if key is not None:
                found[key].append((number, index))
    return tuple(
        RepeatedWord(word, tuple(_mention(segments, *place) for place in places))
        for word, places in found.items()
        if len(places) > 1
    )


def _mention(segments: Sequence[Tokens], segment: int, index: int) -> Mention:
    tokens = segments[segment]
    return Mention(segment, (index,), tokens.starts[index], tokens.ends[index])


def words_at(word: str, places: Iterable[WordPlace], segments: Sequence[Tokens]) -> RepeatedWord:
    """The word at given places, with the tokens that lie there, even in part."""
    mentions = []
    for place in places:
        tokens = segments[place.segment]
        covered = tuple(
            index
            for index, (start, end) in enumerate(zip(tokens.starts, tokens.ends, strict=True))
            if start < place.end and place.start < end
        )
        if covered:
            mentions.append(Mention(place.segment, covered, place.start, place.end))
    return RepeatedWord(word, tuple(mentions))


def mentions_of_term(
    term: str, texts: Sequence[str], segments: Sequence[Tokens]
) -> RepeatedWord | None:
    """Where a term of one or more words stands; `None` if nowhere.

    It must begin where a token begins and end where one ends: a term inside of a longer word has
    no translation of its own.
    """
    pattern = re.compile(re.escape(term), re.IGNORECASE)
    places = []
    for number, (text, tokens) in enumerate(zip(texts, segments, strict=True)):
        places += [
            WordPlace(number, *found.span())
            for found in pattern.finditer(text)
            if found.start() in tokens.starts and found.end() in tokens.ends
        ]
    return words_at(term, places, segments) if places else None


# --- parts of speech -----------------------------------------------------------------------------

PARTS = ("NOUN", "VERB", "ADJ/ADV", "OTHERS")
_PART_OF_TAG = {
    "NOUN": "NOUN",
    "PROPN": "NOUN",
    "VERB": "VERB",
    "AUX": "VERB",
    "ADJ": "ADJ/ADV",
    "ADV": "ADJ/ADV",
}


def part_of_tag(tag: str) -> str:
    """The paper's class of a Universal POS tag."""
    return _PART_OF_TAG.get(tag, "OTHERS")


def with_part(word: RepeatedWord, tags: Sequence[Sequence[str]]) -> RepeatedWord:
    """The word with the part of speech that most of its mentions have (the first one of equals)."""
    parts = Counter(
        # The last token of several is the head in the languages where that matters most here.
        part_of_tag(tags[mention.segment][mention.tokens[-1]])
        for mention in word.mentions
    )
    return replace(word, part=parts.most_common(1)[0][0]) if parts else word
