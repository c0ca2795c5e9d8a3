"""From judgements to arrays: what people said, as systems x items, with and without annotators.

`ratings_of` turns judgements into the long form: one entry per score, with the numbers of its
system, item and annotator. `score_matrix` takes the mean over annotators. Items stand in the order
of the test set, all of them, judged or not; a block is a document, the unit of resampling. Human
references that were judged as if they were systems are left out unless asked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Integers
from isogloss.documents import Collection, TestSet, counted
from isogloss.errors import InputError, MismatchError
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval.matrix import rounded

Level = Literal["segment", "document", "domain"]
JudgedLevel = Literal["segment", "document"]
Item = tuple[str, int | None]
"""(document, segment); (document, None) and (domain, None) where items are those."""

UNNAMED = -1
"""The number of an annotator whom the judgement does not name."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMatrix:
    """Scores of systems (rows) on items (columns); NaN where there is none.

    `counts` says how many ratings (or, of a mean over segments, how many segments) are behind
    each score; `blocks` and `domains` tell the document (by number) and domain of each item.
    """

    systems: tuple[str, ...]
    items: tuple[Item, ...]
    scores: Floats
    counts: Integers
    blocks: Integers
    domains: tuple[str | None, ...]
    level: Level = "segment"

    def __post_init__(self) -> None:
        shape = (len(self.systems), len(self.items))
        for name, type, expected in (
            ("scores", np.float64, shape),
            ("counts", np.int64, shape),
            ("blocks", np.int64, shape[1:]),
        ):
            array = np.array(getattr(self, name), dtype=type)
            if array.shape != expected:
                raise MismatchError(f"{name} of shape {array.shape}, not {expected}")
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if len(self.domains) != len(self.items):
            raise MismatchError(f"{len(self.domains)} domains for {len(self.items)} items")

    def judged(self) -> "ScoreMatrix":
        """The items that have a score for any system, blocks numbered anew without gaps.

        Resampling documents must not draw those that nobody judged.
        """
        columns = np.flatnonzero(~np.isnan(self.scores).all(axis=0))
        return replace(
            self,
            items=tuple(self.items[column] for column in columns),
            scores=self.scores[:, columns],
            counts=self.counts[:, columns],
            blocks=np.unique(self.blocks[columns], return_inverse=True)[1],
            domains=tuple(self.domains[column] for column in columns),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Every score that people gave, in long form: entry i of the four arrays is one score.

    `annotator` is `UNNAMED` where a judgement does not say whose it is. An annotator who judged
    the same translation twice has two entries.
    """

    systems: tuple[str, ...]
    items: tuple[Item, ...]
    annotators: tuple[str, ...]
    blocks: Integers
    domains: tuple[str | None, ...]
    level: JudgedLevel
    system: Integers
    item: Integers
    annotator: Integers
    score: Floats

    def __post_init__(self) -> None:
        for name in ("blocks", "system", "item", "annotator", "score"):
            array = np.array(getattr(self, name))
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def cell(self) -> Integers:
        """The number of the judged translation: system times items plus item."""
        return self.system * len(self.items) + self.item

    def where(self, chosen: NDArray[np.bool_]) -> "Ratings":
        """Some of the scores, on the same systems and items."""
        return replace(
            self,
            system=self.system[chosen],
            item=self.item[chosen],
            annotator=self.annotator[chosen],
            score=self.score[chosen],
        )

    def of_systems(self, names: Sequence[str]) -> "Ratings":
        """The scores of some of the systems, which are numbered anew."""
        numbers = np.full(len(self.systems), -1)
        for number, name in enumerate(names):
            numbers[self.systems.index(name)] = number
        kept = self.where(numbers[self.system] >= 0)
        return replace(kept, systems=tuple(names), system=numbers[kept.system])

    def of_judged_items(self) -> "Ratings":
        """The same without items that nobody judged; the others are numbered anew."""
        columns, item = np.unique(self.item, return_inverse=True)
        return replace(
            self,
            items=tuple(self.items[column] for column in columns),
            blocks=self.blocks[columns],
            domains=tuple(self.domains[column] for column in columns),
            item=item,
        )

    def named(self) -> "Ratings":
        """The scores whose annotator is named."""
        return self.where(self.annotator != UNNAMED)

    def means(self) -> ScoreMatrix:
        """The mean over all scores of each translation, rounded."""
        shape = (len(self.systems), len(self.items))
        means, counts = _means_by(self.cell, self.score, shape[0] * shape[1])
        return ScoreMatrix(
            self.systems,
            self.items,
            rounded(means).reshape(shape),
            counts.reshape(shape),
            self.blocks,
            self.domains,
            self.level,
        )

    def matrices(self) -> Floats:
        """Annotators x systems x items: the mean of what each named annotator said, or NaN."""
        shape = (len(self.annotators), len(self.systems), len(self.items))
        of = self.named()
        keys = of.annotator * (shape[1] * shape[2]) + of.cell
        means, _ = _means_by(keys, of.score, shape[0] * shape[1] * shape[2])
        return rounded(means).reshape(shape)

    def units(self) -> Floats:
        """Annotators x judged translations, as agreement between annotators takes it."""
        flat = self.matrices().reshape(len(self.annotators), len(self.systems) * len(self.items))
        return flat[:, ~np.isnan(flat).all(axis=0)]


def _means_by(keys: Integers, scores: Floats, size: int) -> tuple[Floats, Integers]:
    """The mean of the scores with each key, NaN where there is none, and how many there are."""
    counts = np.bincount(keys, minlength=size)
    sums = np.bincount(keys, weights=scores, minlength=size)
    means = np.full(size, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means, counts


def score_matrix(
    judgements: Judgements,
    known: TestSet | Collection,
    systems: Sequence[str] | None = None,
    *,
    humans: bool = False,
    level: JudgedLevel = "segment",
) -> ScoreMatrix:
    """The mean human score of every system on every segment (or document, judged as a whole)."""
    return ratings_of(judgements, known, systems, humans=humans, level=level).means()


def ratings_of(
    judgements: Judgements,
    known: TestSet | Collection,
    systems: Sequence[str] | None = None,
    *,
    humans: bool = False,
    level: JudgedLevel = "segment",
) -> Ratings:
    """The scores of one level, annotator by annotator.

    Without `systems` all that were judged, in the order in which they first appear; human
    references among them only with `humans`.
    """
    testset = known.testset if isinstance(known, Collection) else known
    columns = _Columns.of(testset, level)
    names = chosen_systems(judgements, systems, humans=humans)
    rows = {name: row for row, name in enumerate(names)}
    annotators = {name: number for number, name in enumerate(judgements.annotators)}
    entries = list(_entries(judgements.items, rows, columns, annotators))
    numbers = np.array([entry[:3] for entry in entries], dtype=np.int64).reshape(-1, 3)
    return Ratings(
        names,
        columns.items,
        tuple(annotators),
        columns.blocks,
        columns.domains,
        level,
        system=numbers[:, 0],
        item=numbers[:, 1],
        annotator=numbers[:, 2],
        score=np.array([entry[3] for entry in entries], dtype=np.float64),
    )


def system_scores(
    judgements: Judgements, systems: Sequence[str] | None = None, *, humans: bool = False
) -> dict[str, float | None]:
    """The mean of the judgements of whole systems; `None` where a system has none."""
    names = chosen_systems(judgements, systems, humans=humans)
    scores: dict[str, list[float]] = {name: [] for name in names}
    for item in judgements.items:
        if item.document is None and item.score is not None and item.system in scores:
            scores[item.system].append(item.score)
    return {
        name: float(rounded(np.mean(values, keepdims=True))[0]) if values else None
        for name, values in scores.items()
    }


def chosen_systems(
    judgements: Judgements, systems: Sequence[str] | None, *, humans: bool
) -> tuple[str, ...]:
    """The judged systems that were asked for, in the order in which they were."""
    people = {item.system for item in judgements.items if item.human}
    judged = judgements.systems
    if systems is None:
        return tuple(name for name in judged if humans or name not in people)
    if len(set(systems)) != len(systems):
        raise InputError("a system is listed twice")
    for name in systems:
        if name not in judged:
            there = ", ".join(judged) or "none"
            raise InputError(f"nobody judged system {name!r} ({judgements.kind}); judged: {there}")
        if name in people and not humans:
            raise InputError(f"{name!r} is a human reference; ask for humans to have it")
    return tuple(systems)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where the segments (or documents) of a test set stand among the items."""

    items: tuple[Item, ...]
    blocks: Integers
    domains: tuple[str | None, ...]
    first: Mapping[str, int]
    lengths: Mapping[str, int]
    level: JudgedLevel

    @classmethod
    def of(cls, testset: TestSet, level: JudgedLevel) -> "_Columns":
        items: list[Item] = []
        domains: list[str | None] = []
        first, sizes = {}, []
        for document in testset.documents:
            first[document.id] = len(items)
            if level == "segment":
                items += [(document.id, segment) for segment in range(len(document))]
            else:
                items.append((document.id, None))
            sizes.append(len(items) - first[document.id])
            domains += [document.domain] * sizes[-1]
        blocks = np.repeat(np.arange(len(sizes)), sizes)
        lengths = {document.id: len(document) for document in testset.documents}
        return cls(tuple(items), blocks, tuple(domains), first, lengths, level)

    def column(self, judgement: Judgement) -> int | None:
        """The item that is judged; `None` if the judgement is of another level."""
        if judgement.document is None or (judgement.segment is None) != (self.level == "document"):
            return None
        length = self.lengths.get(judgement.document)
        if length is None:
            raise MismatchError(
                f"a judgement of {judgement.system!r} is on document {judgement.document!r}, "
                "which is not in the test set"
            )
        segment = judgement.segment or 0
        if segment >= length:
            raise MismatchError(
                f"a judgement of {judgement.system!r} is on segment {segment} (from 0) of "
                f"document {judgement.document!r}, which has {counted(length, 'segment')}"
            )
        return self.first[judgement.document] + segment


def _entries(
    items: Sequence[Judgement],
    rows: Mapping[str, int],
    columns: _Columns,
    annotators: Mapping[str, int],
) -> Iterator[tuple[int, int, int, float]]:
    """System, item, annotator and score of every score of the level."""
    for item in items:
        row = rows.get(item.system)
        column = columns.column(item)
        if row is None or column is None or item.score is None:
            continue
        number = UNNAMED if item.annotator is None else annotators[item.annotator]
        yield row, column, number, item.score
