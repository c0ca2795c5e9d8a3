"""Cleaned text on disk: one folder per bitext, one compressed file per column, rows in place.

Columns compress far better than rows (a quarter less on multi-parallel text) and let the next
step work on all of them at once. ``set.json`` is written last: a folder that has it is finished,
and a restarted run passes over it.

Filters for parallel text: what would teach a model to copy, to babble or to mistranslate.

After the Prism paper: copies and partial copies, sentences in another language, pairs of very
different length, and duplicates; and, beyond it, numbers that disagree. A filter judges one pair
of sentences. In a multi-parallel row every cell is judged against the row's pivot (its first
filled cell) and a cell that fails is emptied, so that rows keep their place and documents their
order.
"""

import bz2
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError
from isogloss.training.bitext import Bitext, Row

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


SET_FILE = "set.json"


@dataclass(frozen=True)
class CleanSet:
    """What ``set.json`` says: the columns, the number of rows, and how documents lie in them."""

    name: str
    languages: tuple[str, ...]
    rows: int
    block: int | None

    def column_name(self, column: int) -> str:
        """The stem of a column's files: its number and its language."""
        return f"{column:02d}.{self.languages[column]}"


def clean_bitext(
    bitext: Bitext,
    folder: Path,
    filters: dict[str, Verdict],
    progress: Callable[[int], None] | None = None,
) -> FilterReport:
    """Filter one bitext into `folder`/NAME; returns what was dropped and why."""
    report = FilterReport()
    target = folder / bitext.name
    if (target / SET_FILE).is_file():
        return read_report(target)
    target.mkdir(parents=True, exist_ok=True)
    made = CleanSet(bitext.name, bitext.languages, 0, bitext.block)
    with ExitStack() as stack:
        files = [
            stack.enter_context(bz2.open(target / f"{made.column_name(column)}.txt.bz2", "wb"))
            for column in range(len(bitext.languages))
        ]
        rows = 0
        for rows, row in enumerate(bitext.rows(), start=1):
            cells = clean_row(row, bitext.languages, filters, report)
            for file, cell in zip(files, cells, strict=True):
                file.write(cell.encode() + b"\n")
            if progress is not None and rows % 1000 == 0:
                progress(rows)
    _write_set(target, CleanSet(bitext.name, bitext.languages, rows, bitext.block), report)
    return report


def _write_set(target: Path, clean: CleanSet, report: FilterReport) -> None:
    described = asdict(clean) | {"report": asdict(report)}
    unfinished = target / (SET_FILE + ".part")
    unfinished.write_text(json.dumps(described, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(target / SET_FILE)


def read_set(folder: Path) -> CleanSet:
    """What a cleaned (or packed) set's folder says about itself."""
    described = _described(folder)
    return CleanSet(
        described["name"], tuple(described["languages"]), described["rows"], described["block"]
    )


def read_report(folder: Path) -> FilterReport:
    """The counts and samples that were kept when the set was cleaned."""
    kept = _described(folder)["report"]
    report = FilterReport(kept["seen"], kept["kept"])
    report.dropped.update(kept["dropped"])
    report.samples = {name: [(a, b) for a, b in pairs] for name, pairs in kept["samples"].items()}
    return report


def _described(folder: Path) -> dict[str, Any]:
    path = folder / SET_FILE
    if not path.is_file():
        raise FormatError("no such file", path=path, remedy="clean the bitext first")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def read_column(folder: Path, clean: CleanSet, column: int) -> Iterator[str]:
    """The sentences of one column, empty where the row has none."""
    path = folder / f"{clean.column_name(column)}.txt.bz2"
    with bz2.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.removesuffix("\n")


def finished_sets(folder: Path) -> list[Path]:
    """The folders of all finished sets under `folder`, sorted by name."""
    return sorted(path.parent for path in folder.glob(f"*/{SET_FILE}"))
