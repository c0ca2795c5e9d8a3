"""Links that people made, and how far others agree with them: precision, recall and AER.

People mark some links as sure and others as possible (Och and Ney, 2003). With the links A of an
aligner, the sure ones S and all possible ones P, the sure ones among them,

    precision = |A ∩ P| / |A|,  recall = |A ∩ S| / |S|,
    AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.alignment.protocol import Links, TokenPair
from isogloss.documents import counted
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_lines

Link = tuple[int, int]
_LINK = re.compile(r"(\d{1,9})([-p?])(\d{1,9})")
_REMEDY = "a line looks like '1-1 2-3 2p4': 2-3 is a sure link, 2p4 a possible one"


@dataclass(frozen=True, slots=True)
class GoldLinks:
    """The links of one segment pair, counted from 0; the sure ones are possible, too."""

    sure: frozenset[Link]
    possible: frozenset[Link]


@dataclass(frozen=True, slots=True)
class GoldFile:
    """The gold links of many pairs; `first` is the number that the file gives a first word."""

    links: tuple[GoldLinks, ...]
    first: int


def read_gold(path: Path, pairs: Sequence[TokenPair], first: int | None = None) -> GoldFile:
    """The gold links of a file: a line for each pair, ``3-4`` sure, ``3p4`` (or ``3?4``) possible.

    `first` says whether words are counted from 0 or 1. Without it, a file that mentions no word 0
    is taken to count from 1.
    """
    lines = read_lines(path)
    if len(lines) != len(pairs):
        raise FormatError(
            f"has {counted(len(lines), 'line')}, there are {counted(len(pairs), 'segment pair')}",
            path=path,
            remedy="gold links need one line for each, empty where nothing is linked",
        )
    marked = [_parsed(text, path, number) for number, text in enumerate(lines, 1)]
    if first is None:
        first = 0 if any(0 in link for links in marked for link in links) else 1
    both = enumerate(zip(marked, pairs, strict=True), 1)
    return GoldFile(tuple(_moved(*one, first, path, line) for line, one in both), first)


def _parsed(text: str, path: Path, line: int) -> dict[Link, bool]:
    """The links of a line as they are counted there, and whether each is sure."""
    found: dict[Link, bool] = {}
    for word in text.split():
        match = _LINK.fullmatch(word)
        if match is None:
            raise FormatError(f"{word!r} is no gold link", path=path, line=line, remedy=_REMEDY)
        link = int(match[1]), int(match[3])
        found[link] = found.get(link, False) or match[2] == "-"
    return found


def _moved(
    marked: dict[Link, bool], pair: TokenPair, first: int, path: Path, line: int
) -> GoldLinks:
    """The links counted from 0, each of them between words that exist."""
    for link in marked:
        for side, name in enumerate(("source", "target")):
            if not first <= link[side] < len(pair[side]) + first:
                raise FormatError(
                    f"a link to {name} word {link[side]}, but the {name} has "
                    f"{counted(len(pair[side]), 'word')}, counted from {first}",
                    path=path,
                    line=line,
                    remedy="are the texts split into words as they were for the annotators?",
                )
    moved = {(one - first, other - first): sure for (one, other), sure in marked.items()}
    return GoldLinks(frozenset(link for link, sure in moved.items() if sure), frozenset(moved))


@dataclass(frozen=True, slots=True)
class LinkAgreement:
    """How far links agree with gold links; what is a share of nothing is `None`."""

    links: int
    sure: int
    found_sure: int
    found_possible: int

    @property
    def precision(self) -> float | None:
        """The share of the links that are at least possible."""
        return self.found_possible / self.links if self.links else None

    @property
    def recall(self) -> float | None:
        """The share of the sure links that were found."""
        return self.found_sure / self.sure if self.sure else None

    @property
    def aer(self) -> float | None:
        """The alignment error rate."""
        all_counted = self.links + self.sure
        return 1 - (self.found_sure + self.found_possible) / all_counted if all_counted else None


def link_agreement(found: Sequence[Links], gold: Sequence[GoldLinks]) -> LinkAgreement:
    """How far the links of all pairs together agree with the gold links."""
    return LinkAgreement(*_counts(found, gold).sum(axis=0).tolist())


def aer_interval(
    found: Sequence[Links], gold: Sequence[GoldLinks], resamples: int = 1000, seed: int = 12345
) -> tuple[float, float]:
    """The 95 % interval of the AER, by resampling pairs."""
    counts = _counts(found, gold)
    if not counts[:, :2].any():
        raise InputError("there are neither links nor gold links: no agreement can be measured")
    drawn = np.random.default_rng(seed).integers(len(counts), size=(resamples, len(counts)))
    totals = counts[drawn].sum(axis=1)
    sizes = np.maximum(totals[:, 0] + totals[:, 1], 1)
    low, high = np.percentile(1 - (totals[:, 2] + totals[:, 3]) / sizes, (2.5, 97.5))
    return float(low), float(high)


def _counts(found: Sequence[Links], gold: Sequence[GoldLinks]) -> NDArray[np.int64]:
    """Pair by pair: links, sure links, those of them found, possible links found."""
    both = zip(map(set, found), gold, strict=True)
    rows = [
        (len(links), len(true.sure), len(links & true.sure), len(links & true.possible))
        for links, true in both
    ]
    return np.array(rows, np.int64).reshape(-1, 4)
