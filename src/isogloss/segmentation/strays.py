"""What found no partner on the way, looked at once more.

Where the words of a sentence are everywhere in the document, the best way may pass over it, or over
half of it. And what was moved can only be left out here and added there. So sentences of the output
that belong to nobody are tried on the run next to them, and then on the sentences of the source
that were left out; these, on a neighbour's run that is too long for one. A sentence that was left
out and one that was put in at its place look like a pair by length, but are strangers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from isogloss.arrays import Integers
from isogloss.segmentation.anchors import Passage
from isogloss.segmentation.closeness import Closeness
from isogloss.segmentation.matching import Pairing, Run, way_through
from isogloss.segmentation.outputs import OutputPieces
from isogloss.segmentation.sources import SourceText

# How close a pair must be to be no strangers, if it stands where it should, and if elsewhere.
_KNOWN, _HERE, _ELSEWHERE = 0.3, 0.35, 0.5
_WORSE = 0.08  # how much less close a run may be with a sentence more, if it is to go on with it
_TOO_LONG = 1.5  # times the usual length
_NEAREST = 12  # stretches of sentences that an added run is tried on


def settled(match: Pairing, source: SourceText, output: OutputPieces) -> Pairing:
    """The match with all that has a partner after all, and told who are strangers."""
    if not source.knows_meaning:
        return match
    strays = _Strays.of(match, source, output)
    match = strays.shared(strays.found(strays.gone_on_with(match)))
    return replace(match, strangers=strays.strangers(match))


@dataclass(frozen=True, slots=True)
class _Strays:
    """A document as it is matched so far."""

    source: SourceText
    output: OutputPieces
    closeness: Closeness
    lengths: Integers  # of the sentences
    ratio: float  # how many pieces mostly render one

    @classmethod
    def of(cls, match: Pairing, source: SourceText, output: OutputPieces) -> "_Strays":
        """What is known once these have met."""
        rendered = _rendered(match)
        lengths = source.stack.lengths
        ratios = [each.piece_count / lengths[each.sentences[0]] for each in rendered]
        ratio = float(np.median(ratios or [1.0]))
        return cls(source, output, Closeness(source, output, rendered), lengths, ratio)

    def gone_on_with(self, match: Pairing) -> Pairing:
        """The match in which runs go on with added sentences next to them that are close, too."""
        runs = list(match.runs)
        before = {end: number for number, (start, end) in enumerate(runs) if start < end}
        behind = {start: number for number, (start, end) in enumerate(runs) if start < end}
        added: list[Run] = []
        for start, end in match.added:
            gaps = self.output.sentence_edges(start, end)
            left, right = before.get(start), behind.get(end)
            while left is not None and len(gaps) > 1:
                longer = runs[left][0], gaps[1]
                if not self._may_go_on(left, runs[left], longer):
                    break
                runs[left] = longer
                gaps.pop(0)
            while right is not None and len(gaps) > 1:
                longer = gaps[-2], runs[right][1]
                if not self._may_go_on(right, runs[right], longer):
                    break
                runs[right] = longer
                gaps.pop()
            if len(gaps) > 1:
                added.append((gaps[0], gaps[-1]))
        return replace(match, runs=tuple(runs), added=tuple(added))

    def _may_go_on(self, number: int, run: Run, longer: Run) -> bool:
        # What is said again is as close the second time.
        return not self.output.again[slice(*longer)].any() and self._as_close(number, run, longer)

    def _as_close(self, number: int, run: Run, changed: Run) -> bool:
        """Whether a sentence and its run would be about as close, were it changed."""
        sentence = number, number + 1
        now, then = (self.closeness.of(Passage(sentence, each)) for each in (run, changed))
        return now is not None and then is not None and then > now - _WORSE

    def found(self, match: Pairing) -> Pairing:
        """The match with added runs given to sentences that were left out, the longest first."""
        for added in sorted(match.added, key=lambda run: run[0] - run[1]):
            stretches = _nearest(_stretches_of(match.left_out()), match, added)
            options = (self._with_run(match, Passage(stretch, added)) for stretch in stretches)
            possible = [option for option in options if option is not None]
            if possible:
                _, match = max(possible, key=lambda option: option[0])
        return match

    def _with_run(self, match: Pairing, block: Passage) -> tuple[float, Pairing] | None:
        """The match with the block's sentences rendered by its pieces, and how close they are.

        `None` where they are not.
        """
        way = way_through(self.source, self.output, block)
        first, start = block.sentences[0], block.pieces[0]
        new = {first + n: (start + a, start + b) for n, (a, b) in enumerate(way.runs) if a < b}
        if not new:
            return None
        passage = Passage(
            (min(new), max(new) + 1), (min(new.values())[0], max(end for _, end in new.values()))
        )
        close, here = self.closeness.of(passage), _in_place(match, passage)
        if close is None or close < (_HERE if here else _ELSEWHERE):
            return None
        runs = tuple(new.get(number, run) for number, run in enumerate(match.runs))
        rest = (run for run in match.added if run != block.pieces)
        left = ((start + a, start + b) for a, b in way.added)
        moved = match.moved if here else match.moved | new.keys()
        return close, replace(match, runs=runs, added=tuple(sorted((*rest, *left))), moved=moved)

    def shared(self, match: Pairing) -> Pairing:
        """The match in which sentences that were left out have their share of a neighbour's run.

        A headline has so much in common with the sentence below it that their renderings may look
        like one; but then it is too long for the one, and not for both.
        """
        for number in match.left_out():
            for other in (number + 1, number - 1):
                if match.runs[number] == match.runs[number][::-1]:  # empty, still
                    match = self._with_share(match, number, other)
        return match

    def _with_share(self, match: Pairing, number: int, other: int) -> Pairing:
        """The match with a share of the other's run, if that one is as close without."""
        first = min(number, other)
        if first < 0 or first + 1 == len(match.runs) or not self._holds_both(match, number, other):
            return match
        block = Passage((first, first + 2), match.runs[other])
        way = way_through(self.source, self.output, block, left_out=np.inf)
        start = block.pieces[0]
        runs = list(match.runs)
        runs[first : first + 2] = [(start + a, start + b) for a, b in way.runs]
        if way.added or not self._as_close(other, match.runs[other], runs[other]):
            return match
        return replace(match, runs=tuple(runs))

    def _holds_both(self, match: Pairing, number: int, other: int) -> bool:
        """Whether the other's run is too long for it, and not for both sentences."""
        start, end = match.runs[other]
        needed = self.ratio * self.lengths[[other, number]].cumsum()
        return bool(_TOO_LONG * needed[0] < end - start < _TOO_LONG * needed[1])

    def strangers(self, match: Pairing) -> frozenset[int]:
        """The sentences whose runs are whole sentences that are not close to them."""
        starts, known = self.output.starts, self.closeness.of_known()
        found: set[int] = set()
        for passage in _rendered(match):
            close = known[passage] if passage in known else self.closeness.of(passage)
            if close is not None and close < _KNOWN and all(starts[gap] for gap in passage.pieces):
                found.add(passage.sentences[0])
        return frozenset(found)


def _rendered(match: Pairing) -> list[Passage]:
    """The sentences that have a run."""
    return [
        Passage((number, number + 1), run)
        for number, run in enumerate(match.runs)
        if run[0] < run[1]
    ]


def _in_place(match: Pairing, passage: Passage) -> bool:
    """Whether sentences would have their run between those of their neighbours."""
    (first, last), (start, end) = passage.sentences, passage.pieces
    before = next((run for run in reversed(match.runs[:first]) if run[0] < run[1]), (0, 0))
    behind = next((run for run in match.runs[last:] if run[0] < run[1]), (end, end))
    return before[1] <= start and end <= behind[0]


def _nearest(stretches: Sequence[Run], match: Pairing, added: Run) -> Iterator[Run]:
    """The stretches of sentences that would stand nearest to an added run."""
    # An empty run lies where the sentence would be rendered.
    by_distance = sorted(stretches, key=lambda stretch: abs(match.runs[stretch[0]][0] - added[0]))
    yield from by_distance[:_NEAREST]


def _stretches_of(numbers: Sequence[int]) -> list[Run]:
    """Numbers that follow one another, from and to."""
    found: list[Run] = []
    for number in numbers:
        if found and found[-1][1] == number:
            found[-1] = found[-1][0], number + 1
        else:
            found.append((number, number + 1))
    return found
