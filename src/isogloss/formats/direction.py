"""Translation directions as far as files state them, and which one of them is to be read."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from isogloss.documents import Document, TestSet
from isogloss.errors import FormatError
from isogloss.formats.catalogue import ReadOptions


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
        f"there are several language pairs: {known}", path=path, remedy="choose the pair to read"
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
