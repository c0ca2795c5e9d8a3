"""One alignment out of two directions (Och and Ney, 2003; Koehn, Och and Marcu, 2003).

Aligners that look from either side, and the one alignment that is made of both.

Most aligners let each word of one side choose a word of the other. Done from both sides, that
gives two alignments; a symmetrisation makes one of them.

From how strongly words are linked to the links themselves.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.alignment.protocol import Links, SegmentAlignment, TokenPair, remarks_of
from isogloss.errors import InputError

Link = tuple[int, int]
Method = Callable[[Links, Links], Links]

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetrise(source_to_target: Links, target_to_source: Links, method: str) -> Links:
    """The links that the method makes of both directions."""
    return _method(method)(source_to_target, target_to_source)


def short_name(method: str) -> str:
    """How the method is written in a signature; an unknown one is refused."""
    _method(method)
    return _SHORT.get(method, method)


def _method(name: str) -> Method:
    if name not in _METHODS:
        known = ", ".join(_METHODS)
        raise InputError(f"unknown symmetrisation {name!r}; known are: {known}")
    return _METHODS[name]


def _union(source_to_target: Links, target_to_source: Links) -> Links:
    return tuple(sorted({*source_to_target, *target_to_source}))


def _intersection(source_to_target: Links, target_to_source: Links) -> Links:
    return tuple(sorted(set(source_to_target) & set(target_to_source)))


def _grow_diag(source_to_target: Links, target_to_source: Links) -> Links:
    growing = _Growing(source_to_target, target_to_source)
    growing.grow()
    return growing.links()


def _grow_diag_final_and(source_to_target: Links, target_to_source: Links) -> Links:
    growing = _Growing(source_to_target, target_to_source)
    growing.grow()
    growing.link_the_unlinked(source_to_target)
    growing.link_the_unlinked(target_to_source)
    return growing.links()


def _phrases(source_to_target: Links, target_to_source: Links) -> Links:
    """Each source word's one link, grown over the neighbours of its target that point back to it.

    A target word that is the link of another source word is left to that one.
    """
    taken = {target for _, target in source_to_target}
    back = {target: source for source, target in target_to_source}
    links = list(source_to_target)
    for source, head in source_to_target:
        for step in (-1, 1):
            target = head + step
            while target not in taken and back.get(target) == source:
                links.append((source, target))
                target += step
    return tuple(sorted(links))


_METHODS: dict[str, Method] = {
    "grow-diag-final-and": _grow_diag_final_and,
    "grow-diag": _grow_diag,
    "intersection": _intersection,
    "union": _union,
    "phrases": _phrases,
    "source-to-target": lambda source_to_target, _: source_to_target,
    "target-to-source": lambda _, target_to_source: target_to_source,
}
SYMMETRISATIONS = tuple(_METHODS)
_SHORT = {"grow-diag-final-and": "gdfa", "source-to-target": "s2t", "target-to-source": "t2s"}


class _Growing:
    """An alignment that starts as the intersection and takes on links of the union.

    The textbook sweeps over all cells, target word by target word, until nothing changes. A word
    that is linked stays linked, so a link that was refused once is refused for ever: it is enough
    to look around each link once, as long as the order of the sweeps is kept.
    """

    def __init__(self, source_to_target: Links, target_to_source: Links) -> None:
        self._union = {*source_to_target, *target_to_source}
        self._chosen: set[Link] = set()
        self._sources: set[int] = set()
        self._targets: set[int] = set()
        for link in _intersection(source_to_target, target_to_source):
            self._take(link)

    def links(self) -> Links:
        return tuple(sorted(self._chosen))

    def _take(self, link: Link) -> None:
        self._chosen.add(link)
        self._sources.add(link[0])
        self._targets.add(link[1])

    def grow(self) -> None:
        """Take on neighbours of links that give a word its first link."""
        sweep = sorted((target, source) for source, target in self._chosen)
        while sweep:
            next_sweep: list[tuple[int, int]] = []
            while sweep:
                here = heappop(sweep)
                for there in self._taken_around(*here):
                    heappush(sweep if there > here else next_sweep, there)
            sweep = next_sweep

    def _taken_around(self, target: int, source: int) -> Iterable[tuple[int, int]]:
        for down, right in _NEIGHBOURS:
            link = (source + right, target + down)
            if link not in self._union or link in self._chosen:
                continue
            if link[0] not in self._sources or link[1] not in self._targets:
                self._take(link)
                yield link[1], link[0]

    def link_the_unlinked(self, links: Links) -> None:
        """Take on links of which neither word has one yet."""
        for target, source in sorted((target, source) for source, target in links):
            if source not in self._sources and target not in self._targets:
                self._take((source, target))


@dataclass(frozen=True, slots=True)
class Directions:
    """In `source_to_target` each source word has at most one link, in the other each target word.

    The links of both are (source, target).
    """

    source_to_target: SegmentAlignment
    target_to_source: SegmentAlignment


class DirectedAligner(Protocol):
    """Finds the links of both directions."""

    @property
    def name(self) -> str:
        """Everything that decides the links besides the texts."""
        ...

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """The links of each pair from either side, in order."""
        ...


@dataclass(frozen=True)
class SymmetrisedAligner:
    """One alignment out of an aligner's two directions."""

    directed: DirectedAligner
    method: str

    def __post_init__(self) -> None:
        short_name(self.method)  # which refuses a method that does not exist

    @cached_property
    def name(self) -> str:
        return f"{self.directed.name}:{short_name(self.method)}"

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The symmetrised links; a link's score is the mean of what both directions give it."""
        return [self._one(directions) for directions in self.directed.directions(pairs)]

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Those of the aligner whose directions are made one."""
        return remarks_of(self.directed, pairs)

    def _one(self, directions: Directions) -> SegmentAlignment:
        forth, back = directions.source_to_target, directions.target_to_source
        links = symmetrise(forth.links, back.links, self.method)
        if any(side.links and side.scores is None for side in (forth, back)):
            return SegmentAlignment(links)
        there, here = forth.score_of(), back.score_of()
        scores = tuple((there.get(link, 0.0) + here.get(link, 0.0)) / 2 for link in links)
        return SegmentAlignment(links, scores)


Matrix = NDArray[np.float32]
"""A row for each source word, a column for each target word; from 0 to 1."""


def strongest(strengths: Matrix, weakest: float) -> Directions:
    """The strongest link of each source word and of each target word, unless it is too weak."""
    if not strengths.size:
        return Directions(SegmentAlignment(()), SegmentAlignment(()))
    forth = enumerate(strengths.argmax(axis=1).tolist())
    back = ((source, target) for target, source in enumerate(strengths.argmax(axis=0).tolist()))
    return Directions(_strong(strengths, forth, weakest), _strong(strengths, back, weakest))


def _strong(
    strengths: Matrix, links: Iterable[tuple[int, int]], weakest: float
) -> SegmentAlignment:
    kept = [link for link in sorted(links) if strengths[link] >= weakest]
    return SegmentAlignment(tuple(kept), tuple(round(float(strengths[link]), 4) for link in kept))
