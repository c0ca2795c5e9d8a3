"""Filters for parallel text: what would teach a model to copy, to babble or to mistranslate.

After the Prism paper: copies and partial copies, sentences in another language, pairs of very
different length, and duplicates; and, beyond it, numbers that disagree. A filter judges one pair
of sentences. In a multi-parallel row every cell is judged against the row's pivot (its first
filled cell) and a cell that fails is emptied, so that rows keep their place and documents their
order.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from isogloss.training.bitext import Row

SAMPLES_KEPT = 5
# How many Latin letters one character of these writing systems stands for, roughly.
_DENSITY = {"zh": 3.0, "ja": 2.2, "ko": 1.9}


@dataclass(frozen=True)
class Pair:
    """Two sentences that should mean the same, with their languages; the pivot comes first."""

    pivot: str
    text: str
    pivot_language: str
    language: str


Verdict = Callable[[Pair], bool]


@dataclass
class FilterReport:
    """How many cells were seen and kept, and what each filter dropped, with samples to look at."""

    seen: int = 0
    kept: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def drop(self, name: str, pair: Pair) -> None:
        """Count one dropped cell and keep the first few to look at."""
        self.dropped[name] = self.dropped.get(name, 0) + 1
        samples = self.samples.setdefault(name, [])
        if len(samples) < SAMPLES_KEPT:
            samples.append((pair.pivot, pair.text))


def too_long(limit: int = 1000) -> Verdict:
    """Is the text longer than `limit` characters (or has it no letter at all)?"""

    def drops(pair: Pair) -> bool:
        return len(pair.text) > limit or not any(map(str.isalpha, pair.text))

    return drops


def length_ratio(limit: float = 2.8, slack: int = 12) -> Verdict:
    """Is one side more than `limit` times as long as the other?

    The slack keeps short sentences, whose ratio says little; denser scripts are weighed.
    """

    def drops(pair: Pair) -> bool:
        first = len(pair.pivot) * _DENSITY.get(pair.pivot_language, 1.0) + slack
        second = len(pair.text) * _DENSITY.get(pair.language, 1.0) + slack
        return max(first, second) > limit * min(first, second)

    return drops


def copies(limit: float = 0.6) -> Verdict:
    """Is the text a copy of the pivot, or does it share more than `limit` of its word trigrams?

    Paraphrases (both sides in one language) share most of their words by nature: only exact
    copies are dropped there.
    """

    def drops(pair: Pair) -> bool:
        if pair.pivot == pair.text:
            return True
        if pair.pivot_language == pair.language:
            return False
        first, second = pair.pivot.casefold().split(), pair.text.casefold().split()
        if min(len(first), len(second)) < 3:
            return len(first) > 1 and first == second
        shared = Counter(_trigrams(first)) & Counter(_trigrams(second))
        return shared.total() > limit * (min(len(first), len(second)) - 2)

    return drops


def _trigrams(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + 3]) for start in range(len(words) - 2)]


_NUMBER = re.compile(r"\d+")


def numbers_disagree(limit: float = 0.5) -> Verdict:
    """Is more than `limit` of the digit groups of the two sides without a partner?

    Groups of one digit are left out: languages disagree on writing them as words.
    """

    def drops(pair: Pair) -> bool:
        first, second = _numbers(pair.pivot), _numbers(pair.text)
        total = max(first.total(), second.total())
        return total > 1 and total - (first & second).total() > limit * total

    return drops


def _numbers(text: str) -> Counter[str]:
    groups = _NUMBER.findall(unicodedata.normalize("NFKC", text)) if _NUMBER.search(text) else []
    return Counter(group.lstrip("0") for group in groups if len(group) > 1)


_SCRIPTS = {
    "ar": "ARABIC", "fa": "ARABIC", "bg": "CYRILLIC", "ru": "CYRILLIC", "uk": "CYRILLIC",
    "mk": "CYRILLIC", "kk": "CYRILLIC", "el": "GREEK", "he": "HEBREW", "hi": "DEVANAGARI",
    "ja": "CJK HIRAGANA KATAKANA HALFWIDTH", "zh": "CJK", "ko": "HANGUL", "sr": "CYRILLIC LATIN",
    "bn": "BENGALI",
}  # fmt: skip


def wrong_script(share: float = 0.3) -> Verdict:
    """Is less than `share` of the letters in the script of the language the text should be in?

    The cheapest language identification: it needs no model, and tells what a wrong tag would
    teach worst. `other_language` takes a real identifier where one is at hand.
    """

    def drops(pair: Pair) -> bool:
        wanted = _SCRIPTS.get(pair.language, "LATIN").split()
        letters = [character for character in pair.text if character.isalpha()]
        if wanted == ["LATIN"] and pair.text.isascii():
            return False
        right = sum(map(_in_scripts(wanted), letters))
        return right < share * len(letters)

    return drops


def _in_scripts(wanted: Sequence[str]) -> Callable[[str], bool]:
    known: dict[str, bool] = {}

    def inside(character: str) -> bool:
        if character not in known:
            known[character] = unicodedata.name(character, "").split(" ")[0].split("-")[0] in wanted
        return known[character]

    return inside


def other_language(identify: Callable[[str], str]) -> Verdict:
    """Does a language identifier (text → code) say that the text is in another language?"""

    def drops(pair: Pair) -> bool:
        return identify(pair.text) != pair.language

    return drops


def dissimilar(similarity: Callable[[str, str], float], limit: float) -> Verdict:
    """Does an embedding's similarity of the two sides stay under `limit`?"""

    def drops(pair: Pair) -> bool:
        return similarity(pair.pivot, pair.text) < limit

    return drops


def duplicates() -> Verdict:
    """Was the same pair in the same languages seen before? Keeps 8 bytes for each pair."""
    seen: set[bytes] = set()

    def drops(pair: Pair) -> bool:
        key = "\0".join((pair.pivot_language, pair.pivot, pair.language, pair.text))
        digest = blake2b(key.encode(), digest_size=8).digest()
        if digest in seen:
            return True
        seen.add(digest)
        return False

    return drops


def standard_filters() -> dict[str, Verdict]:
    """The filters that need no model, in the order in which they are asked."""
    return {
        "too long or no letters": too_long(),
        "copy": copies(),
        "length ratio": length_ratio(),
        "numbers": numbers_disagree(),
        "script": wrong_script(),
        "duplicate": duplicates(),
    }


def clean_row(
    row: Row, languages: Sequence[str], filters: dict[str, Verdict], report: FilterReport
) -> Row:
    """The row with every cell emptied that fails a filter; without a partner the pivot goes too."""
    filled = [column for column, cell in enumerate(row) if cell]
    report.seen += len(filled)
    if len(filled) < 2:
        return ("",) * len(row)
    pivot, others = filled[0], filled[1:]
    cells = [""] * len(row)
    for column in others:
        pair = Pair(row[pivot], row[column], languages[pivot], languages[column])
        failed = next((name for name, drops in filters.items() if drops(pair)), None)
        if failed is None:
            cells[column] = row[column]
        else:
            report.drop(failed, pair)
    if any(cells):
        cells[pivot] = row[pivot]
    report.kept += sum(1 for cell in cells if cell)
    return tuple(cells)
