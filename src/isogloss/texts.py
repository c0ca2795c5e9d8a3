"""Collections from lists of segments, for whoever has no files."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from isogloss.documents import (
    Collection,
    Document,
    SystemOutput,
    TestSet,
    counted,
    lone_document_ids,
)
from isogloss.errors import InputError, MismatchError


def from_texts(
    source: Sequence[str] | None,
    references: Sequence[str | None] | Mapping[str, Sequence[str | None]],
    systems: Mapping[str, Sequence[str | None]],
    *,
    documents: Sequence[str] | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    name: str = "texts",
) -> Collection:
    """A collection from lists of segments.

    Args:
        source: the source, segment by segment; `None` where there is none.
        references: one reference, or several by name; empty where there are none.
        systems: what each system made of the segments, by name; `None` is a segment it lacks.
        documents: the document of each segment; without it every segment is a document.
        source_language: a BCP 47 code such as ``cs``, for metrics that need to know.
        target_language: likewise.
        name: what the test set is called in tables and reports.

    Returns:
        The collection, in which all parts fit together.

    Raises:
        MismatchError: lists of different lengths, or a document that is interrupted by another.
        InputError: there is nothing to score.

    Example:
        >>> import isogloss
        >>> collection = isogloss.from_texts(
        ...     ["Hund", "Katze"], ["dog", "cat"], {"a": ["dog", "cat"], "b": ["dog", "dog"]},
        ...     documents=["pets", "pets"], source_language="de", target_language="en",
        ... )
        >>> [row.score for row in isogloss.evaluate(collection, "chrf").rows]
        [100.0, 50.0]
    """
    named = references if isinstance(references, Mapping) else {"ref": references}
    named = {key: lines for key, lines in named.items() if len(lines)}
    sides: dict[str, Sequence[str | None]] = {}
    if source is not None:
        sides["the source"] = source
    sides |= {f"reference {key!r}": lines for key, lines in named.items()}
    sides |= {f"system {key!r}": lines for key, lines in systems.items()}
    if not sides:
        raise InputError("there are no texts")
    (first, lines), *others = sides.items()
    for side, theirs in others:
        if len(theirs) != len(lines):
            raise MismatchError(
                f"{side} has {counted(len(theirs), 'segment')}, {first} has {len(lines):,}"
            )
    ranges = _ranges(documents, len(lines))
    made = tuple(
        Document(
            id,
            ("",) * len(lines[part]) if source is None else tuple(source[part]),
            {key: tuple(theirs[part]) for key, theirs in named.items()},
        )
        for id, part in ranges.items()
    )
    outputs = (
        SystemOutput(key, {id: tuple(theirs[part]) for id, part in ranges.items()})
        for key, theirs in systems.items()
    )
    languages = source_language, target_language
    return Collection(TestSet(name, *languages, made, source is not None), tuple(outputs))


def _ranges(documents: Sequence[str] | None, count: int) -> dict[str, slice]:
    """The segments of each document."""
    ids = lone_document_ids(count) if documents is None else documents
    if len(ids) != count:
        raise MismatchError(f"there are {count:,} segments and the documents of {len(ids):,}")
    ranges: dict[str, slice] = {}
    for start, (id, run) in _runs(ids):
        if id in ranges:
            raise MismatchError(f"document {id!r} is interrupted by another one")
        ranges[id] = slice(start, start + run)
    return ranges


def _runs(ids: Sequence[str]) -> Iterator[tuple[int, tuple[str, int]]]:
    start = 0
    for id, run in groupby(ids):
        length = len(list(run))
        yield start, (id, length)
        start += length
