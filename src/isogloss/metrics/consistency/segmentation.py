"""Strings that a word segmenter splits in different ways in one document, and their repair.

A chain of a repeated word breaks where the segmenter once found 美联储 and once 美 + 联储. The
check lists such strings with a proposal; a person edits the list, and the repaired tokeniser
follows it.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.digest import short_digest
from isogloss.errors import FormatError
from isogloss.formats import read_lines, write_text
from isogloss.frozen import FrozenMapping
from isogloss.language import Token, Tokeniser

Words = tuple[str, ...]
_LONGEST = 4  # tokens that one string may be split into


@dataclass(frozen=True, slots=True)
class Dispute:
    """A string that documents split in several ways: how often each, and in which documents."""

    text: str
    ways: tuple[tuple[Words, int], ...]  # most frequent first
    documents: tuple[str, ...]

    @property
    def proposal(self) -> Words:
        """The most frequent way; of equals the one with the fewest words."""
        return self.ways[0][0]


def disputes(documents: Mapping[str, Sequence[Sequence[Token]]]) -> tuple[Dispute, ...]:
    """Every string that is split differently within one document, most frequent first."""
    ways: defaultdict[str, Counter[Words]] = defaultdict(Counter)
    where: defaultdict[str, list[str]] = defaultdict(list)
    for id, segments in documents.items():
        for text, found in _disputed(segments):
            ways[text].update(found)
            where[text].append(id)
    listed = [
        Dispute(text, tuple(sorted(counts.items(), key=_rank)), tuple(where[text]))
        for text, counts in ways.items()
    ]
    return tuple(sorted(listed, key=lambda d: (-sum(n for _, n in d.ways), d.text)))


def _rank(way: tuple[Words, int]) -> tuple[int, int, Words]:
    words, times = way
    return -times, len(words), words


def _disputed(segments: Sequence[Sequence[Token]]) -> Iterator[tuple[str, Counter[Words]]]:
    found: defaultdict[str, Counter[Words]] = defaultdict(Counter)
    for tokens in segments:
        for run in _runs(tokens):
            found["".join(run)][run] += 1
    for text, counts in found.items():
        # Where all ways share a boundary, the dispute is about a part, which is listed itself.
        if len(counts) > 1 and not set.intersection(*map(_boundaries, counts)):
            yield text, counts


def _runs(tokens: Sequence[Token]) -> Iterator[Words]:
    """Up to four neighbouring words with no gap between them."""
    for start in range(len(tokens)):
        run: list[str] = []
        for token in tokens[start : start + _LONGEST]:
            gap = run and token.start != tokens[start + len(run) - 1].end
            if gap or not any(map(str.isalnum, token.text)):
                break
            run.append(token.text)
            yield tuple(run)


def _boundaries(words: Words) -> set[int]:
    ends = [sum(map(len, words[:count])) for count in range(1, len(words))]
    return set(ends)


# --- the list that a person edits ----------------------------------------------------------------

_HEADINGS = ("text", "words", "ways", "documents")


def write_disputes(path: Path, found: Iterable[Dispute]) -> None:
    """A TSV with the proposal for each string in the column ``words``, blanks between words."""
    out = io.StringIO()
    writer = csv.writer(out, "excel-tab", lineterminator="\n")
    writer.writerow(_HEADINGS)
    for dispute in found:
        ways = ", ".join(f"{' '.join(words)} ×{times}" for words, times in dispute.ways)
        documents = ", ".join(dispute.documents)
        writer.writerow((dispute.text, " ".join(dispute.proposal), ways, documents))
    write_text(path, out.getvalue())


def read_repairs(path: Path) -> dict[str, Words]:
    """The words of each string, from the edited list; the first two columns count."""
    repairs: dict[str, Words] = {}
    rows = csv.reader(read_lines(path), "excel-tab")
    for number, row in enumerate(rows, 1):
        if number == 1 and tuple(row[:2]) == _HEADINGS[:2]:
            continue
        words = tuple(row[1].split()) if len(row) > 1 else ()
        if not words or "".join(words) != row[0]:
            raise FormatError(
                f"{' '.join(words)!r} are not the words of {row[0] if row else ''!r}",
                path=path,
                line=number,
                remedy="the second column is the first with blanks between the words",
            )
        repairs[row[0]] = words
    return repairs


@dataclass(frozen=True)
class RepairedWords:
    """A tokeniser that splits some strings as it is told."""

    tokeniser: Tokeniser
    repairs: Mapping[str, Words] = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "repairs", FrozenMapping(self.repairs))

    @property
    def name(self) -> str:
        told = repr(sorted(self.repairs.items()))
        return f"{self.tokeniser.name}+repairs-{short_digest(told, 8)}"

    def tokenise(self, text: str) -> list[Token]:
        """The tokens, with every run that makes up a listed string split as listed."""
        tokens = self.tokeniser.tokenise(text)
        repaired: list[Token] = []
        at = 0
        while at < len(tokens):
            run = self._listed_run(tokens, at)
            if run is None:
                repaired.append(tokens[at])
                at += 1
            else:
                repaired += _split_at(tokens[at].start, self.repairs["".join(run)])
                at += len(run)
        return repaired

    def _listed_run(self, tokens: Sequence[Token], at: int) -> Words | None:
        """The longest listed run of words that begins here."""
        runs = list(_runs(tokens[at : at + _LONGEST]))
        here = [run for run in runs[:_LONGEST] if run[0] == tokens[at].text]
        return max((r for r in here if "".join(r) in self.repairs), key=len, default=None)


def _split_at(start: int, words: Words) -> Iterator[Token]:
    for word in words:
        yield Token(word, start, start + len(word))
        start += len(word)
