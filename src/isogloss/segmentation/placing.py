"""From matched runs of pieces to a cut text, with what was left out, added, repeated or moved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from isogloss.language import is_unspaced
from isogloss.segmentation.matching import Pairing, Run
from isogloss.segmentation.outputs import OutputPieces
from isogloss.segmentation.sources import SourceText
from isogloss.wholes import Cut, Disparity, Kind, Place, WholeText

# Of a sentence that counts as said again: "Yes." may well be said twice.
_LEAST_LETTERS, _LEAST_IDEOGRAPHS = 12, 6


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A run of pieces and the segment that it belongs to."""

    run: Run
    segment: int


def cut_by(
    match: Pairing, source: SourceText, output: OutputPieces, whole: WholeText, count: int
) -> Cut:
    """The text cut where the runs of segments meet."""
    places = _places(list(_stretches(match, source)), output, whole, count)
    return Cut(whole, places, tuple(_disparities(match, source, output, whole, places)))


def cut_at_lines(match: Pairing, source: SourceText, output: OutputPieces, whole: WholeText) -> Cut:
    """The text as it is, a stretch a line."""
    cut = Cut.at_parts(whole)
    return replace(cut, disparities=tuple(_disparities(match, source, output, whole, cut.places)))


def _stretches(match: Pairing, source: SourceText) -> Iterator[_Stretch]:
    """The runs in the order of the output, what nobody rendered given to the segment before it."""
    owned = [
        (run, sentence.segment)
        for run, sentence in zip(match.runs, source.sentences, strict=True)
        if run[0] < run[1]
    ]
    following = sorted([*owned, *((run, None) for run in match.added)], key=lambda each: each[0])
    current = next((segment for _, segment in following if segment is not None), 0)
    closed: set[int] = set()
    for run, segment in following:
        if segment is not None and segment != current and segment not in closed:
            closed.add(current)
            current = segment
        yield _Stretch(run, current)


def _places(
    stretches: Sequence[_Stretch], output: OutputPieces, whole: WholeText, count: int
) -> tuple[Place, ...]:
    """The characters of each segment; one without a run has none, before the next one's."""
    starts: dict[int, int] = {}
    order: list[int] = []
    for stretch in stretches:
        if stretch.segment not in starts:
            starts[stretch.segment] = output.places[stretch.run[0]][0] if order else 0
            order.append(stretch.segment)
    if not order:  # nothing to read in the text, but its characters belong to somebody
        starts, order = {0: 0}, [0]
    ends = [*(starts[segment] for segment in order[1:]), len(whole.text)]
    places = {segment: (starts[segment], end) for segment, end in zip(order, ends, strict=True)}
    found: list[Place] = []
    here = len(whole.text)
    for segment in range(count - 1, -1, -1):
        place = places.get(segment, (here, here))
        here = place[0]
        found.append(place)
    return tuple(reversed(found))


def _disparities(
    match: Pairing,
    source: SourceText,
    output: OutputPieces,
    whole: WholeText,
    places: Sequence[Place],
) -> Iterator[Disparity]:
    for number, sentence in enumerate(source.sentences):
        start, end = match.runs[number]
        if number in match.strangers or _says_less(output, (start, end), sentence.text):
            yield Disparity(Kind.OMITTED, sentence.segment, source=sentence.place)
        elif number in match.moved:
            there = _place(output, (start, end))
            yield Disparity(Kind.MOVED, sentence.segment, source=sentence.place, output=there)
    extra, visible = _extra_sentences(match, output), whole.visible
    letters = {run: _letters(visible, _place(output, run)) for run in _sentences(output)}
    # Of a sentence that stands twice, either may be the one that is needed.
    said = "\n".join(words for run, words in letters.items() if run not in extra)
    before: set[str] = set()
    for run, added in extra.items():
        words = letters[run]
        again = _is_telling(words) and (words in before or words in said)
        before.add(words)
        if again or added:
            place = _place(output, run)
            kind = Kind.REPEATED if again else Kind.ADDED
            yield Disparity(kind, _segment_at(places, place[0]), output=place)


def _place(output: OutputPieces, run: Run) -> Place:
    return output.places[run[0]][0], output.places[run[1] - 1][1]


def _says_less(output: OutputPieces, run: Run, sentence: str) -> bool:
    """Whether a run is empty, or has marks alone for a sentence that has words."""
    return run[0] == run[1] or (
        bool(output.silent[slice(*run)].all()) and any(map(str.isalnum, sentence))
    )


def _is_telling(letters: str) -> bool:
    return len(letters) >= (_LEAST_IDEOGRAPHS if is_unspaced(letters) else _LEAST_LETTERS)


def _letters(text: str, place: Place) -> str:
    return "".join(filter(str.isalnum, text[slice(*place)].casefold()))


def _sentences(output: OutputPieces) -> Iterator[Run]:
    return pairwise(output.sentence_edges(0, len(output)))


def _extra_sentences(match: Pairing, output: OutputPieces) -> dict[Run, bool]:
    """The output's sentences that are not the first of a run, and whether nobody has them."""
    strange = {match.runs[number] for number in match.strangers}
    firsts = {start for start, end in match.runs if start < end and (start, end) not in strange}
    extra = np.zeros(len(output), dtype=bool)
    for run in (*match.added, *strange):  # these are whole sentences, all of them
        extra[slice(*run)] = True
    return {
        (start, end): bool(extra[start])
        for start, end in _sentences(output)
        if extra[start] or start not in firsts
    }


def _segment_at(places: Sequence[Place], character: int) -> int:
    return next(segment for segment, (start, end) in enumerate(places) if start <= character < end)
