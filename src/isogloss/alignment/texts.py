"""Segments with their translations, split into words: what aligners take, and where it lies."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.alignment.protocol import TokenPair
from isogloss.documents import Collection, Segments, counted
from isogloss.errors import FormatError, InputError, MismatchError
from isogloss.formats import read_lines
from isogloss.language import Token, Tokeniser

_BARS = " ||| "


@dataclass(frozen=True, slots=True)
class SegmentPair:
    """A segment and its translation with their words; a segment that is absent has none."""

    document: str | None
    segment: int
    source: str
    target: str | None
    source_words: tuple[Token, ...]
    target_words: tuple[Token, ...]

    @property
    def words(self) -> TokenPair:
        return [word.text for word in self.source_words], [word.text for word in self.target_words]


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits both sides of a text into words."""

    source: Tokeniser
    target: Tokeniser

    def pair(
        self, source: str, target: str | None, segment: int, document: str | None = None
    ) -> SegmentPair:
        """A segment and its translation, split."""
        theirs = () if target is None else tuple(self.target.tokenise(target))
        ours = tuple(self.source.tokenise(source))
        return SegmentPair(document, segment, source, target, ours, theirs)

    def files(self, source: Path, target: Path) -> list[SegmentPair]:
        """Two files, line by line."""
        ours, theirs = read_lines(source), read_lines(target)
        if len(ours) != len(theirs):
            raise MismatchError(
                f"{target} has {counted(len(theirs), 'line')}, {source} has {len(ours):,}"
            )
        lines = enumerate(zip(ours, theirs, strict=True))
        return [self.pair(*texts, segment=number) for number, texts in lines]

    def translation(self, collection: Collection, name: str | None) -> list[SegmentPair]:
        """What the system or the reference of that name made of a test set."""
        chosen = _translation(collection, name)
        return [
            self.pair(source, target, number, document.id)
            for document in collection.testset.documents
            for number, (source, target) in enumerate(
                zip(document.source, chosen[document.id], strict=True)
            )
        ]

    def lines(self, path: Path) -> list[SegmentPair]:
        """A file of bitext, line by line."""
        return [self.pair(*texts, segment=number) for number, texts in enumerate(read_bitext(path))]

    def bitext(self, path: Path) -> list[TokenPair]:
        """The words of a file of bitext."""
        return [pair.words for pair in self.lines(path)]


def _translation(collection: Collection, name: str | None) -> dict[str, Segments]:
    testset = collection.testset
    found = {output.name: dict(output.documents) for output in collection.outputs}
    for reference in testset.reference_names:
        found.setdefault(reference, {d.id: d.references[reference] for d in testset.documents})
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name not in found:
        asked = "which translation?" if name is None else f"there is no translation {name!r};"
        raise InputError(f"{asked} choose one of: {', '.join(found) or 'none is there'}")
    return found[name]


def is_bitext(path: Path) -> bool:
    """Whether a file has ``source ||| target`` in its first line."""
    if not path.is_file():
        return False
    try:
        return _BARS in read_lines(path)[0]
    except FormatError:  # no text: some other kind of file, which its own reader will judge
        return False


def read_bitext(path: Path) -> Iterator[tuple[str, str]]:
    """The lines of a file: source, tab, target; or, as fast_align has it, ``source ||| target``."""
    for number, line in enumerate(read_lines(path), 1):
        for separator in ("\t", _BARS):
            source, found, target = line.partition(separator)
            if found:
                yield source, target
                break
        else:
            raise FormatError(
                "neither a tab nor ' ||| '",
                path=path,
                line=number,
                remedy="expected a source and a target in each line",
            )


def words_of(pairs: Iterable[SegmentPair]) -> Sequence[TokenPair]:
    """The words of each pair."""
    return [pair.words for pair in pairs]
