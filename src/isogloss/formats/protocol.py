"""What a format is, and the values that formats share: sides, directions, options of reading.

A format knows its files by what is in them (``recognises(path, head)``, where `head` is the
beginning of the text, empty for a folder) and reads what they hold: a whole test set, one side of
one, judgements, or scores. Each module of this room makes one; `registry` tells them apart.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol, TypeVar

from isogloss.documents import Collection, Document, Segments, TestSet
from isogloss.errors import FormatError
from isogloss.formats.parts import Role
from isogloss.frozen import FrozenMapping
from isogloss.judgements import Choices, Judgements
from isogloss.scores import ScoreTable
from isogloss.wholes import Cut, Place, WholeText

_T = TypeVar("_T")


class Holds(Enum):
    """What a file of a format holds."""

    TESTSET = "test set"
    SIDE = "one side"
    JUDGEMENTS = "judgements"
    SCORES = "scores"
    CHOICES = "preferences"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a person may say about a test set that its files leave open.

    `pair` chooses a language pair (``en-de``) where a folder holds several. `columns` maps our
    column names to the file's own, e.g. ``{"source": "English"}``. `allow_missing` turns a
    system's missing documents into absent segments instead of an error. With `blank_lines`, those
    of a plain text stand between its documents. With `realign`, plain texts that know no documents
    may have other lines than the source: all its lines are one document, and so are theirs.
    """

    name: str | None = None
    source_language: str | None = None
    target_language: str | None = None
    pair: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    allow_missing: bool = False
    blank_lines: bool = False
    realign: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", FrozenMapping(self.columns))


@dataclass(frozen=True, slots=True)
class Block:
    """A document as a side knows it: its id, its domain and how many segments it has."""

    id: str
    segments: int
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """The segments of one file, and its documents where the file itself tells them apart.

    `name` is what the file calls itself (a system or reference name); `language`, `testset` and
    `pair` are what it says about them, where it says so, the pair in its own codes. `texts` are the
    documents as they were handed in, where that is more than the lines of their segments: the
    segments are their parts. A source may bring `references` along, and `labels`: what its segments
    are called where they stand. `times` are when segments are shown, in milliseconds. `units` are
    the ids of what segments belong to: sides are paired by them where both have some.
    """

    path: Path
    segments: tuple[str | None, ...]
    documents: Sequence[Block] | None = None
    name: str | None = None
    language: str | None = None
    testset: str | None = None
    pair: "Direction | None" = None
    texts: Mapping[str, WholeText] | None = None
    references: tuple["Side", ...] = ()
    labels: tuple[str, ...] | None = None
    times: tuple[Place, ...] | None = None
    units: tuple[str, ...] | None = None

    @classmethod
    def of_texts(
        cls,
        path: Path,
        texts: Mapping[str, WholeText],
        domains: Mapping[str, str | None] | None = None,
    ) -> "Side":
        """The side whose documents are these texts."""
        segments = {
            id: Cut.at_parts(text).segments if text.parts else () for id, text in texts.items()
        }
        return cls(
            path,
            tuple(segment for each in segments.values() for segment in each),
            [Block(id, len(each), (domains or {}).get(id)) for id, each in segments.items()],
            texts=texts,
        )

    def by_document(self) -> dict[str, Segments]:
        """The segments of each document that the file tells apart."""
        return sliced(self.segments, self.documents or ())

    def in_step_with(self, times: Sequence[Place] | None) -> bool:
        """Whether each segment is shown while the one of the other side is, where both tell times.

        Times count from the first of a side: some films begin at hour ten.
        """
        if not (self.times and times):
            return True
        shift = self.times[0][0] - times[0][0]
        shifted = ((start + shift, end + shift) for start, end in times)
        return all(map(_meet, self.times, shifted))


def _meet(one: Place, other: Place) -> bool:
    """Whether two times have a moment in common, were they no more than one."""
    return one == other or max(one[0], other[0]) < min(one[1], other[1])


def sliced(segments: tuple[_T, ...], blocks: Sequence[Block]) -> dict[str, tuple[_T, ...]]:
    """The segments by document, where each follows the one before."""
    texts, start = {}, 0
    for block in blocks:
        texts[block.id] = segments[start : start + block.segments]
        start += block.segments
    return texts


class Direction(NamedTuple):
    """A translation direction as far as a file states it."""

    source: str | None
    target: str | None

    def __str__(self) -> str:
        return f"{self.source or '?'}-{self.target or '?'}"

    def within(self, pair: str) -> "Direction | None":
        """This direction with what it leaves open taken from the pair; `None` if it is another."""
        if self.source is not None and self.target is not None:
            return self if str(self) == pair else None
        source, _, target = pair.partition("-")
        fits = self.source in (None, source) and self.target in (None, target)
        return Direction(source, target) if fits and source and target else None


def chosen_direction(found: Iterable[Direction], pair: str | None, path: Path) -> Direction:
    """The one direction of a file that is to be read."""
    found = list(dict.fromkeys(found))
    fitting = [each for each in found if pair is None or each.within(pair)]
    if len(fitting) == 1:
        return fitting[0]
    known = ", ".join(map(str, found))
    if not fitting:
        raise FormatError(f"there is no language pair {pair!r}; there are: {known}", path=path)
    raise FormatError(
        f"there are several language pairs: {known}",
        path=path,
        remedy="choose the pair to read",
        lacking=["pair"],
    )


def named_testset(
    documents: Sequence[Document], name: str, direction: Direction, options: ReadOptions
) -> TestSet:
    """The test set, where what a person said about it goes before what its file says."""
    stated = direction.within(options.pair) if options.pair else direction
    source, target = stated or direction
    return TestSet(
        name if options.name is None else options.name,
        options.source_language or source,
        options.target_language or target,
        tuple(documents),
    )


Recognises = Callable[[Path, str], bool]
ReadsSide = Callable[[Path, Role, ReadOptions], Side]
WritesCollection = Callable[[Collection, Path], None]


class Format(Protocol):
    """A file format: what it is called, what it holds, and how it is known."""

    @property
    def name(self) -> str:
        """As people write it."""

    @property
    def holds(self) -> Holds:
        """What a file of it holds."""

    @property
    def description(self) -> str:
        """What it is, in a line."""

    @property
    def writes(self) -> bool:
        """Whether it can be written, too."""

    @property
    def recognises(self) -> Recognises:
        """Whether a file or folder is of this format, by its path and its beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    holds: ClassVar[Holds]

    name: str
    description: str
    recognises: Recognises
    write: Callable[..., None] | None = None

    @property
    def writes(self) -> bool:
        return self.write is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredJudgements:
    """Judgements of one or several kinds, in one file or in the folder of a test set."""

    kinds: Callable[[Path], Sequence[str]]
    read: Callable[[Path, str, TestSet | Collection], Judgements]

    @classmethod
    def of_one_kind(
        cls, kind: str, read: Callable[[Path, TestSet | Collection], Judgements]
    ) -> "StoredJudgements":
        """Those of a format that knows no other kind."""
        return cls(kinds=lambda _: (kind,), read=lambda path, _, known: read(path, known))


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetFormat(_Named):
    """A format of whole test sets, with systems, and maybe judgements and scores beside them.

    `read_side` takes one side out of such a file, where one can be meant: the source for a source,
    the translation for a reference or a system.
    """

    holds: ClassVar[Holds] = Holds.TESTSET

    read: Callable[[Path, ReadOptions], Collection]
    read_side: ReadsSide | None = None
    write: WritesCollection | None = None
    judgements: StoredJudgements | None = None
    read_metric_scores: Callable[[Path, TestSet | Collection], ScoreTable] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFormat(_Named):
    """A format of one side: a source, a reference or an output; a test set is a folder of them."""

    holds: ClassVar[Holds] = Holds.SIDE

    read: ReadsSide
    write: WritesCollection | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementsFormat(_Named):
    """A format of what people said."""

    holds: ClassVar[Holds] = Holds.JUDGEMENTS

    judgements: StoredJudgements
    write: Callable[[Judgements, Collection, Path], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoicesFormat(_Named):
    """A format of which of two translations people found better."""

    holds: ClassVar[Holds] = Holds.CHOICES

    read: Callable[[Path, TestSet | Collection], Choices]
    write: None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresFormat(_Named):
    """A format of what metrics found, read with the test set that it is about."""

    holds: ClassVar[Holds] = Holds.SCORES

    read: Callable[[Path, TestSet | Collection], ScoreTable]
    write: Callable[[ScoreTable, Path], None] | None = None
