"""The words met so far, as numbers, with all that can make two of them match.

METEOR compares words and stems by Java's 32-bit hash codes. In some languages different words
share one (Czech "já" and "ne", Russian "доля" and "дома"), and METEOR takes them for the same
word; the numbers here are those hash codes, because a score that is to be compared with METEOR's
must not be better than METEOR's.
"""

from array import array
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from isogloss.metrics.meteor.paraphrases import UNKNOWN, ParaphraseTable
from isogloss.metrics.meteor.synonyms import Synonyms

# Every match key is a number: which matcher it belongs to, then a hash code or a synset.
KEY_BITS = 32
_HASH_MASK = (1 << 32) - 1
_MOST_WORDS = 1 << 18


@dataclass(frozen=True, eq=False)
class WordTools:
    """What tells that two words match; `None` for a matcher that is not used."""

    function_words: Container[str]
    stem: Callable[[str], str] | None = None
    synonyms: Synonyms | None = None
    paraphrases: ParaphraseTable | None = None

    def match_keys(self, word: str) -> tuple[int, ...]:
        """What the word has in common with words that it matches; for exact matches comes first."""
        keys = [hash_code(word)]
        if self.stem is not None:
            keys.append(1 << KEY_BITS | hash_code(self.stem(word)))
        if self.synonyms is not None:
            keys += (2 << KEY_BITS | synset for synset in self.synonyms.of(word))
        return tuple(keys)

    @cached_property
    def _spare(self) -> "list[Vocabulary]":
        """Those that nobody uses at the moment."""
        return []

    @contextmanager
    def vocabulary(self) -> "Iterator[Vocabulary]":
        """The words met in other texts, too; nobody else has the same until it is given back."""
        try:
            vocabulary = self._spare.pop()
        except IndexError:
            vocabulary = Vocabulary(self)
        yield vocabulary
        if not vocabulary.is_full:
            self._spare.append(vocabulary)


@dataclass
class Vocabulary:
    """Numbers for words; for each its match keys, its number in the paraphrase table, its kind."""

    tools: WordTools
    numbers: dict[str, int] = field(default_factory=dict)
    keys: "array[int]" = field(default_factory=lambda: array("q"))
    key_starts: "array[int]" = field(default_factory=lambda: array("q", [0]))
    table_numbers: "array[int]" = field(default_factory=lambda: array("q"))
    function: bytearray = field(default_factory=bytearray)
    lengths: "array[int]" = field(default_factory=lambda: array("q"))

    def number(self, words: Sequence[str]) -> list[int]:
        """The numbers of the words, new ones for those that are new."""
        try:
            return list(map(self.numbers.__getitem__, words))
        except KeyError:
            known = self.numbers
            return [known[word] if word in known else self._add(word) for word in words]

    @property
    def is_full(self) -> bool:
        """Whether it is time to begin a new one."""
        return len(self.numbers) >= _MOST_WORDS

    def _add(self, word: str) -> int:
        tools = self.tools
        self.keys.extend(tools.match_keys(word))
        self.key_starts.append(len(self.keys))
        table = tools.paraphrases
        self.table_numbers.append(UNKNOWN if table is None else table.words.get(word, UNKNOWN))
        self.function.append(word in tools.function_words)
        self.lengths.append(_java_length(word))
        return self.numbers.setdefault(word, len(self.numbers))


def hash_code(text: str) -> int:
    """Java's ``String.hashCode``, as an unsigned number."""
    code = 0
    # Characters beyond the first 65,536 are two to Java.
    plain = text.isascii() or max(text) <= "\uffff"
    units = map(ord, text) if plain else memoryview(text.encode("utf-16-le")).cast("H")
    for unit in units:
        code = (31 * code + unit) & _HASH_MASK
    return code


def _java_length(text: str) -> int:
    return len(text) + sum(letter > "\uffff" for letter in text)
