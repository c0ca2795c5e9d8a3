"""Rules that change one thing in a sentence: its meaning, or only its wording.

Every rule gives all the places where it applies; nothing is parsed, so rules are narrow on purpose:
closed lists, exact forms, and exceptions where an edit would not do what it should.
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from typing import NamedTuple

CATEGORIES = ("negation", "numbers", "names", "antonyms", "roles")


class Edit(NamedTuple):
    """An edited sentence, and the rule that made it."""

    text: str
    rule: str


Rule = Callable[[str, Random], Iterator[Edit]]


def cased(model: str, word: str) -> str:
    """The word with a capital where the model has one."""
    return word[0].upper() + word[1:] if model[:1].isupper() else word


def both_ways(text: str) -> dict[str, str]:
    """``big/large began/started`` as a table in both directions."""
    pairs = [pair.replace("_", " ").split("/") for pair in text.split()]
    return dict(pairs) | {b: a for a, b in pairs}


def one_way(text: str) -> dict[str, str]:
    """``such_as/like`` as a table."""
    return dict(pair.replace("_", " ").split("/") for pair in text.split())


def swaps(
    table: dict[str, str], rule: str, *, keep_case: bool = False, unless_before: str = "(?!)"
) -> Rule:
    """The rule that puts one word of a table in the place of the other, at every place it stands.

    Names and headings stay, and so do words after an article (a, an) that would not fit any more.
    """
    words = "|".join(sorted(map(re.escape, table), key=len, reverse=True))
    flags = re.NOFLAG if keep_case else re.IGNORECASE
    pattern = re.compile(rf"(?<![\w’'-])(?:{words})(?![\w’'-])(?! (?:{unless_before})\b)", flags)

    def edits(text: str, _: Random) -> Iterator[Edit]:
        for match in pattern.finditer(text):
            found, before = match[0], text[: match.start()]
            inside = before[-2:].strip() not in ("", ".", "“", '"', ":")
            if not keep_case and found[0].isupper() and (inside or found[1:].isupper()):
                continue
            other = table[found] if keep_case else cased(found, table[found.lower()])
            if re.search(r"\b[Aa]n? $", before) and _vowel(found) != _vowel(other):
                continue
            yield Edit(before + other + text[match.end() :], rule)

    return edits


def _vowel(word: str) -> bool:
    return word[0] in "aeiouAEIOU"


def replaced(pattern: str, replacement: str, rule: str, *, unless_after: str = "") -> Rule:
    """The rule that rewrites what a pattern finds, but not after any of some words."""
    compiled = re.compile(pattern)
    barred = unless_after.split()

    def edits(text: str, _: Random) -> Iterator[Edit]:
        for match in compiled.finditer(text):
            before = text[: match.start()]
            if not barred or (before.split() or [""])[-1].lower() not in barred:
                new = cased(match[0], match.expand(replacement)) if not before else None
                yield Edit(before + (new or match.expand(replacement)) + text[match.end() :], rule)

    return edits


# --- numbers -------------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?<![\w.,#$€£:/+-])\d[\d.,]*(?![\w:/-])|(?<=[$€£])\d[\d.,]*(?![\w:/-])")


def other_number(text: str, random: Random) -> Iterator[Edit]:
    """Another number of the same size and form: one of its first two digits is another one."""
    for match in _NUMBER.finditer(text):
        number = match[0].rstrip(".,")
        digits = [place for place, sign in enumerate(number) if sign.isdigit()]
        if len(digits) == 4 and number[0] in "12" and number.isdigit():  # a year: another one near
            place = 2
        else:
            place = digits[random.randrange(min(2, len(digits)))]
        others = [d for d in "123456789" if d != number[place]]
        changed = number[:place] + random.choice(others) + number[place + 1 :]
        end = match.start() + len(number)
        yield Edit(text[: match.start()] + changed + text[end:], "another number")


def number_words(words: str) -> Rule:
    """Another number, where it is written as a word."""
    names = words.split()
    pattern = re.compile(rf"(?<![\w-])({'|'.join(names)})(?![\w-])")

    def edits(text: str, random: Random) -> Iterator[Edit]:
        for match in pattern.finditer(text):
            other = random.choice([name for name in names if name != match[0]])
            yield Edit(text[: match.start()] + other + text[match.end() :], "another number word")

    return edits


def words_as_digits(words: str) -> Rule:
    """``three`` as ``3`` and back, from two to twelve."""
    names = dict(enumerate(words.split(), start=2))
    table = {name: str(number) for number, name in names.items()}
    word = re.compile(rf"(?<![\w-])({'|'.join(table)})(?![\w-])")
    digit = re.compile(r"(?<![\w.,#$€£:/+%-])([2-9]|1[0-2]) (?=[a-zäöüA-ZÄÖÜ]{4,})")

    def edits(text: str, _: Random) -> Iterator[Edit]:
        for match in word.finditer(text):
            yield Edit(text[: match.start()] + table[match[0]] + text[match.end() :], "as digits")
        for match in digit.finditer(text):
            name = names[int(match[1])] + " "
            yield Edit(text[: match.start()] + name + text[match.end() :], "in words")

    return edits


# --- names and roles -----------------------------------------------------------------------------

_TOGETHER = re.compile(r"\b(and|or|as well as|und|oder|sowie)\b|[;.!?]")
_MUTUAL = re.compile(r"(?i)\b(between|both|respectively|zwischen|sowohl|beide\w*)\b")


class Names:
    """Names by kind, each kind a list whose members can stand for each other."""

    def __init__(self, kinds: dict[str, str], titled: str) -> None:
        self.kinds = {
            kind: [name.replace("_", " ") for name in text.split()] for kind, text in kinds.items()
        }
        self.titled = re.compile(rf"\b(?:{titled}) ([A-Z][a-zäöü]{{3,}})(?![\w-])")
        listed = sorted((n for names in self.kinds.values() for n in names), key=len, reverse=True)
        self.listed = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, listed))})(?![\w-])")

    def found(self, text: str) -> list[tuple[int, int, str]]:
        """Where names stand, and of which kind; people are those with a title before them."""
        places = [(m.start(), m.end(), self._kind(m[0])) for m in self.listed.finditer(text)]
        places += [(m.start(1), m.end(1), "people") for m in self.titled.finditer(text)]
        return sorted(places)

    def _kind(self, name: str) -> str:
        return next(kind for kind, names in self.kinds.items() if name in names)

    def other_name(self, people: list[str]) -> Rule:
        """Another name of the same kind, `people` being the ones in the test set."""
        lists = {**self.kinds, "people": people}

        def edits(text: str, random: Random) -> Iterator[Edit]:
            for start, end, kind in self.found(text):
                others = [name for name in lists[kind] if name not in text]
                if others:
                    changed = text[:start] + random.choice(others) + text[end:]
                    yield Edit(changed, f"another name ({kind})")

        return edits

    def swapped(self, text: str, _: Random) -> Iterator[Edit]:
        """Two names of a kind in each other's place."""
        places = self.found(text)
        for one, other in pairwise(places):
            if one[2] == other[2]:
                yield from _in_each_others_place(text, one[:2], other[:2])


_NAME = r"[A-ZÄÖÜ][\w’'-]{2,}"


def shared_names_swapped(text: str, source: str) -> Iterator[Edit]:
    """Two names that source and translation write alike, in each other's place."""
    in_source = set(re.findall(rf"(?<=[^.!?“\":] )({_NAME})", source))
    words = [(m.start(), m.end()) for m in re.finditer(_NAME, text) if m[0] in in_source]
    names: list[tuple[int, int]] = []
    for start, end in words:
        if names and text[names[-1][1] : start] == " ":  # a first name and a surname
            names[-1] = names[-1][0], end
        else:
            names.append((start, end))
    for one, other in pairwise(names):
        yield from _in_each_others_place(text, one, other)


def _in_each_others_place(
    text: str, one: tuple[int, int], other: tuple[int, int]
) -> Iterator[Edit]:
    """The swap, unless the two are merely listed together or have the same part in something."""
    (a, b), (c, d) = one, other
    between = text[b:c]
    told_apart = re.search(r"\b[a-zäöüß]{4,}\b", between) and not _TOGETHER.search(between)
    alike = text[a:b] in text[c:d] or text[c:d] in text[a:b]
    if not alike and b < c and told_apart and not _MUTUAL.search(text):
        yield Edit(text[:a] + text[c:d] + between + text[a:b] + text[d:], "names swapped")
