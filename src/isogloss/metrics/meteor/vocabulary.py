"""The words met so far, as numbers, with all that can make two of them match.

METEOR compares words and stems by Java's 32-bit hash codes. In some languages different words
share one (Czech "já" and "ne", Russian "доля" and "дома"), and METEOR takes them for the same
word; the numbers here are those hash codes, because a score that is to be compared with METEOR's
must not be better than METEOR's.

Which words have a meaning in common: METEOR's own extract of WordNet, or WordNet itself.

METEOR takes the synsets of all parts of speech together, by their bare number; so do we. A word
has the synsets of its own form and those of its base form.
"""

from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from isogloss.errors import NotApplicableError
from isogloss.language import WordNet, open_wordnet
from isogloss.metrics.meteor.paraphrases import UNKNOWN, ParaphraseTable
from isogloss.metrics.meteor.profile import NAMES, Member, Resources

_ENDINGS = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
    ("men", "man"), ("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"),
    ("ed", ""), ("ing", "e"), ("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e"),
)  # fmt: skip
_PARTS = ("noun", "verb", "adj", "adv")


@dataclass(frozen=True)
class Synonyms:
    """The synsets of words, under the name of where they come from."""

    name: str
    numbers: Mapping[str, str] = field(repr=False)
    bases: Mapping[str, list[str]] = field(repr=False)

    def of(self, word: str) -> frozenset[int]:
        """The synsets of the word and of what it is a form of."""
        forms = [word, *(self.bases.get(word) or [self._base(word)])]
        return frozenset(int(n) for form in forms for n in self.numbers.get(form, "").split())

    def _base(self, word: str) -> str:
        """The word without its ending, if that makes a known one (and "ful" goes back on)."""
        if word.endswith("ss") or len(word) <= 2:
            return word
        put_back = "ful" if word.endswith("ful") else ""
        for ending, replacement in _ENDINGS:
            if word.endswith(ending):
                base = word.removesuffix(ending) + replacement
                if base in self.numbers:
                    return base + put_back
        return ""


@lru_cache(maxsize=4)
def synonyms(language: str, resources: Resources) -> Synonyms | None:
    """The synonyms of the language, from METEOR's data or (in English) from WordNet."""
    name = NAMES.get(language)
    numbers = resources.member(f"synonym/{name}.synsets")
    exceptions = resources.member(f"synonym/{name}.exceptions")
    if numbers and exceptions:
        return _from_meteor(numbers, exceptions)
    return _from_wordnet() if language == "en" and resources.wordnet else None


def _from_meteor(numbers: Member, exceptions: Member) -> Synonyms:
    pairs = zip(exceptions.lines[::2], exceptions.lines[1::2], strict=True)
    by_word = dict(zip(numbers.lines[::2], numbers.lines[1::2], strict=True))
    forms = ((form, base) for base, listed in pairs for form in listed.split())
    return Synonyms(f"meteor-{numbers.digest}", by_word, _grouped(forms))


def _from_wordnet() -> Synonyms | None:
    try:
        source = open_wordnet()
    except NotApplicableError:
        return None
    numbers: dict[str, str] = {}
    for part in _PARTS:
        for line in _lines(source, f"index.{part}"):
            word, _, count, *rest = line.split()
            numbers[word] = " ".join([numbers.get(word, ""), *rest[-int(count) :]])
    listed = (line.split() for part in _PARTS for line in _lines(source, f"{part}.exc"))
    forms = ((form, base) for form, *bases in listed for base in bases)
    return Synonyms(source.name, numbers, _grouped(forms))


def _lines(source: WordNet, file: str) -> Iterable[str]:
    text = (source.folder / file).read_text(encoding="utf-8")
    return (line for line in text.splitlines() if not line.startswith(" "))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for form, base in pairs:
        found.setdefault(form, []).append(base)
    return found


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
    def _spare(self) -> "list[MeteorVocabulary]":
        """Those that nobody uses at the moment."""
        return []

    @contextmanager
    def vocabulary(self) -> "Iterator[MeteorVocabulary]":
        """The words met in other texts, too; nobody else has the same until it is given back."""
        try:
            vocabulary = self._spare.pop()
        except IndexError:
            vocabulary = MeteorVocabulary(self)
        yield vocabulary
        if not vocabulary.is_full:
            self._spare.append(vocabulary)


@dataclass
class MeteorVocabulary:
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
