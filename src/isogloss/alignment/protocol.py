"""The one interface of all aligners.

Links between the words of a segment and the words of its translation.

Words that belong together: what the links of a segment pair connect, directly or indirectly.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from isogloss.errors import MismatchError

Links = tuple[tuple[int, int], ...]
"""(source word, target word), counted from 0 and sorted."""

TokenPair = tuple[Sequence[str], Sequence[str]]
"""The words of a segment and the words of its translation."""


@dataclass(frozen=True, slots=True)
class SegmentAlignment:
    """The links of one segment pair; `scores`, where the aligner has any, go link by link.

    A score is between 0 and 1. What it measures is the aligner's own affair: only scores of one
    aligner can be compared.
    """

    links: Links
    scores: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.scores is not None and len(self.scores) != len(self.links):
            raise MismatchError(f"{len(self.links)} links have {len(self.scores)} scores")
        if not self.links:  # nothing has no scores, so that equal alignments are equal
            object.__setattr__(self, "scores", None)

    def targets(self) -> dict[int, tuple[int, ...]]:
        """The target words of each source word that has any, in the order of the text."""
        found: dict[int, list[int]] = {}
        for source, target in self.links:
            found.setdefault(source, []).append(target)
        return {source: tuple(targets) for source, targets in found.items()}

    def score_of(self) -> dict[tuple[int, int], float]:
        """The score of each link; without scores a link counts 1."""
        return dict(zip(self.links, self.scores or (1.0,) * len(self.links), strict=True))


class Aligner(Protocol):
    """Links the words of segments to the words of their translations."""

    @property
    def name(self) -> str:
        """Everything that decides the links besides the texts: it goes into signatures."""
        ...

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The links of each pair, in order; a whole collection at once.

        A statistical aligner learns from the pairs that it aligns: the same pair may get other
        links in other company.
        """
        ...


@runtime_checkable
class Remarking(Protocol):
    """What has something to say about how it aligns."""

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """What to know about the links of these pairs, and how many segments each concerns.

        A remark goes on with "in 3 segments of 'system'".
        """
        ...


def remarks_of(aligner: object, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
    """The remarks of an aligner; one that somebody else made need not have any."""
    return aligner.remarks(pairs) if isinstance(aligner, Remarking) else {}


@dataclass(frozen=True, slots=True)
class WordGroup:
    """Source words and the target words that stand for them, in the order of the text."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]


def groups(links: Links) -> list[WordGroup]:
    """The groups in the order of their first source word."""
    of_source: dict[int, set[tuple[int, int]]] = {}
    of_target: dict[int, set[tuple[int, int]]] = {}
    for source, target in sorted(links):
        together = of_source.get(source, set()) | of_target.get(target, set()) | {(source, target)}
        for one, other in together:
            of_source[one] = of_target[other] = together
    distinct = {id(group): group for _, group in sorted(of_source.items())}
    return [
        WordGroup(
            tuple(sorted({source for source, _ in group})),
            tuple(sorted({target for _, target in group})),
        )
        for group in distinct.values()
    ]


_DIGEST_SIZE = 16


def pairs_digest(pairs: Iterable[TokenPair], *also: str) -> str:
    """A digest of all words of all pairs, and of the texts given besides."""
    state = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    _add(state, also)
    for source, target in pairs:
        _add(state, source)
        _add(state, target)
    return state.hexdigest()


def text_digest(texts: Sequence[str]) -> str:
    """A digest of some texts."""
    return pairs_digest((), *texts)


def _add(state: hashlib.blake2b, texts: Sequence[str]) -> None:
    """Counts and lengths in front keep ("ab", "c"), ("a", "bc") and ("abc") apart."""
    state.update(b"%d;" % len(texts))
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        state.update(b"%d:%s" % (len(data), data))
