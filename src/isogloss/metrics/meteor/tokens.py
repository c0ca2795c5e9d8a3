"""METEOR's own tokeniser and normaliser (``-norm``), to the letter.

The original rewrites the whole line with a series of regular expressions, then decides about the
full stop of each word by looking at the next one. Nothing but that, and marks on both sides of one
space, looks beyond the space: so the chunks between spaces are rewritten one by one and
remembered, which makes this fast. Lines where more could matter are rewritten as a whole.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import getitem, itemgetter
from typing import cast

from isogloss.language import scattered

_LETTERS = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e\u0400-\u0527"
    "\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_DIGITS_TOO = f"0-9{_LETTERS}"
_SPACE = " \t\n\r\f"
_CHUNK = re.compile("[^ ]+")
_SPACES = re.compile(f"[{_SPACE}]+")
_BLANKS = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\u00a0]+")
_LETTER, _LETTER_OR_DIGIT = re.compile(f"[{_LETTERS}]"), re.compile(f"[{_DIGITS_TOO}]")
_CONTROLS = "".join(map(chr, range(0x21)))

_SEPARATED = re.compile(rf"([^{_DIGITS_TOO}{_SPACE}\x0b.'`,\-‘’])")
_DOTS, _TWO_DOTS = re.compile(r"\.(\.+)"), re.compile(r"DOTMULTI\.([^.])")
_COMMAS = tuple(
    re.compile(pattern) for pattern in ("([^0-9]),([^0-9])", "([0-9]),([^0-9])", "([^0-9]),([0-9])")
)
_QUOTE, _DOUBLE_QUOTE = re.compile("[`‘’]"), re.compile("[“”]|''")
_HYPHEN = re.compile(f"([{_DIGITS_TOO}.])-([{_DIGITS_TOO}])")
_AT_AN_END = (
    (re.compile(f"([^{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(f"([^{_LETTERS}])'([{_LETTERS}])"), r"\1 ' \2"),
    (re.compile(f"([{_LETTERS}])'([^{_LETTERS}])"), r"\1 ' \2"),
)
_INSIDE = re.compile(f"([{_LETTERS}])'([{_LETTERS}])")
_APOSTROPHES: Mapping[str, Sequence[tuple[re.Pattern[str], str]]] = {
    "en": (
        _AT_AN_END[0],
        (re.compile(f"([^{_DIGITS_TOO}])'([{_LETTERS}])"), r"\1 ' \2"),
        _AT_AN_END[2],
        (_INSIDE, r"\1 '\2"),
        (re.compile("([0-9])'(s)"), r"\1 '\2"),
    ),
    "fr": (*_AT_AN_END, (_INSIDE, r"\1' \2")),
}
_OTHER_APOSTROPHES = ((re.compile("'"), " ' "),)

# Two marks on both sides of one space want the same space, and the original gives it to one.
# Its placeholder for dots, and characters that only some functions take for spaces, are rare too.
_MARKS = (",", "'", "`", "‘", "’")
_UNUSUAL = re.compile(
    "DOTMULTI|[\x00-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
)
_AS_REWRITTEN = str.maketrans("`‘’“”–", "'''\"\"-")
_SIMPLE = re.compile(r"([A-Za-z0-9]+\.?)([,;:!?)%\"]?)")  # what is rewritten in no other way
_MOST_CHUNKS = 1 << 18

PREFIX, NUMERIC_PREFIX = 1, 2
Prefixes = Mapping[str, int]
"""Abbreviations that keep their full stop: always, or in front of a number only."""

_OTHER, _LOWER, _DIGIT, _MARK = range(4)  # what a word begins with


def read_prefixes(lines: Iterable[str]) -> Prefixes:
    """A list of non-breaking prefixes, as METEOR and Moses write them."""
    found: dict[str, int] = {}
    for line in lines:
        words = line.split()
        if words and not words[0].startswith("#"):
            numeric = words[1:2] == ["#NUMERIC_ONLY#"]
            found[words[0]] = NUMERIC_PREFIX if numeric else PREFIX
    return found


_Chunk = tuple[int, Sequence[Sequence[str] | None]]
"""What a chunk begins with, and its words for each kind of word that may follow.

`None` says that the line has to be looked at as a whole.
"""


@dataclass(frozen=True)
class MeteorNormaliser:
    """METEOR's normaliser for one language."""

    language: str
    prefixes: Prefixes = field(default_factory=dict)
    _chunks: dict[str, _Chunk] = field(default_factory=dict, repr=False, compare=False)

    def words(self, text: str) -> list[str]:
        """The lower-cased words of a text."""
        words = self._by_chunk(list(filter(None, text.split(" "))))
        if not all(words) and None in words:  # the first is the faster question
            return self._finished(self._rewritten(text), _OTHER)
        return list(chain.from_iterable(cast("list[Sequence[str]]", words)))

    def _by_chunk(self, chunks: Sequence[str]) -> list[Sequence[str] | None]:
        """The words of each chunk; `None` where the line has to be looked at as a whole."""
        # Most texts have only chunks that are known: for these nothing runs that Python runs.
        found = list(map(self._chunks.get, chunks))
        if not all(found):
            found = [f or self._chunk(chunk) for f, chunk in zip(found, chunks, strict=True)]
        known = cast("list[_Chunk]", found)
        following = chain(map(itemgetter(0), known[1:]), (_OTHER,))
        return list(map(getitem, map(itemgetter(1), known), following))

    def span(self, text: str, first: int, end: int) -> tuple[int, int] | None:
        """The characters from one word up to another; `None` where they are too changed."""
        chunks = list(_CHUNK.finditer(text))
        words = self._by_chunk([match[0] for match in chunks])
        try:
            if None in words:
                places = list(_placed(self.words(text), _plain(text)))
                return places[first][0], places[end - 1][1]
            return _place(first, chunks, words)[0], _place(end - 1, chunks, words)[1]
        except ValueError:
            return None

    def _chunk(self, text: str) -> _Chunk:
        if len(self._chunks) >= _MOST_CHUNKS:
            self._chunks.clear()
        self._chunks[text] = chunk = self._new_chunk(text)
        return chunk

    def _new_chunk(self, text: str) -> _Chunk:
        if _UNUSUAL.search(text):
            return _OTHER, (None,) * 4
        if text.isascii() and text.isalnum():
            return _beginning(text), ((text.lower(),),) * 4
        simple = _SIMPLE.fullmatch(text)
        raw = [part for part in simple.groups() if part] if simple else self._rewritten(text)
        if simple and "." not in text:
            words = tuple(map(str.lower, raw))
            return _beginning(text), (words,) * 3 + (None if text.endswith(_MARKS) else words,)
        other = lower = digit = self._finished(raw, _OTHER)
        if raw[-1].endswith("."):
            lower, digit = self._finished(raw, _LOWER), self._finished(raw, _DIGIT)
        beginning = _MARK if text.startswith(_MARKS) else _beginning(raw[0])
        return beginning, (other, lower, digit, None if text.endswith(_MARKS) else other)

    def _rewritten(self, text: str) -> list[str]:
        """The words as the regular expressions leave them, dots replaced by placeholders."""
        line = _SEPARATED.sub(r" \1 ", f" {text} ")
        line = _DOTS.sub(r" DOTMULTI\1", line)
        while "DOTMULTI." in line:
            line = _TWO_DOTS.sub(r"DOTDOTMULTI \1", line).replace("DOTMULTI.", "DOTDOTMULTI")
        for comma in _COMMAS:
            line = comma.sub(r"\1 , \2", line)
        line = _DOUBLE_QUOTE.sub(' " ', _QUOTE.sub("'", line))
        line = _HYPHEN.sub(r"\1 \2", line.replace("–", "-").replace("--", "-"))
        for apostrophe, spaced in _APOSTROPHES.get(self.language, _OTHER_APOSTROPHES):
            line = apostrophe.sub(spaced, line)
        return [word for word in _SPACES.split(line) if word]

    def _finished(self, raw: Sequence[str], following: int) -> list[str]:
        """The words with their full stops decided and all dots back in place."""
        kinds = [*map(_beginning, raw[1:]), following]
        line = " ".join(map(self._with_full_stop, raw, kinds))
        while "DOTDOTMULTI" in line:
            line = line.replace("DOTDOTMULTI", "DOTMULTI.")
        line = _BLANKS.sub(" ", line.replace("DOTMULTI", ".")).strip(_CONTROLS)
        return [word for word in _SPACES.split(line.lower()) if word]

    def _with_full_stop(self, word: str, following: int) -> str:
        if len(word) == 1 or not word.endswith("."):
            return word
        bare = word[:-1]
        prefix = self.prefixes.get(bare)
        if "." in bare and _LETTER.search(bare):
            return word.replace(".", "")
        if prefix == PREFIX or following == _LOWER:
            return word
        if prefix == NUMERIC_PREFIX and following == _DIGIT:
            return word
        return f"{bare} ."


def _beginning(word: str) -> int:
    first = word[0]
    return _LOWER if "a" <= first <= "z" else _DIGIT if "0" <= first <= "9" else _OTHER


def _plain(text: str) -> str:
    """The text with letters and marks as words have them, and every one in its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(letter.lower()[0] for letter in text)
    return lower.translate(_AS_REWRITTEN).replace("''", "\"'")


def _placed(words: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """The places of the words in a plain text, from which marks may have been taken."""
    at = 0
    for word in words:
        start = text.find(word, at)
        between = text[at:start]
        if start < 0 or (between.strip() and _LETTER_OR_DIGIT.search(between)):
            places = list(scattered([word], text[at:]))  # marks were taken from the word, too
            start, end = (at + place for place in places[0])
        else:
            end = start + len(word)
        yield start, end
        at = end


def _place(
    number: int, chunks: Sequence[re.Match[str]], words: Sequence[Sequence[str] | None]
) -> tuple[int, int]:
    """Where in the text the word of that number stands, given the words of every chunk."""
    for chunk, own in zip(chunks, words, strict=True):
        count = len(own or ())
        if number < count:
            start, end = list(_placed(own or (), _plain(chunk[0])))[number]
            return chunk.start() + start, chunk.start() + end
        number -= count
    raise ValueError(number)
