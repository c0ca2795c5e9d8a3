"""Sentences of the source and runs of the output's pieces, matched block by block."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from isogloss.arrays import Floats, Floats32, Integers
from isogloss.segmentation.anchors import Passage
from isogloss.segmentation.likeness import Likeness, cosines_between, counterparts
from isogloss.segmentation.outputs import OutputPieces, run_end_costs
from isogloss.segmentation.path import Terrain, Way, best_way
from isogloss.segmentation.refining import refined
from isogloss.segmentation.sources import PieceStack, SourceText, widened

Run = tuple[int, int]
"""Gaps between pieces, from and to."""

_LEAST_RATIO, _MOST_RATIO = 0.4, 2.5  # pieces of the output for a piece of the source
_SURPRISE = 0.1  # how far, in logarithms, a ratio may be off before the way is sought anew
_LEFT_OUT, _ADDED = 4.0, 3.0  # nats, before anybody has looked at the words
_COVERED = 0.5  # what it is worth that a piece of the source finds its counterpart in the run
# The mean cosine below which a run renders nothing, the share of what is usual in the document, and
# how many pieces it takes to tell.
_UNLIKE, _FAR_LESS, _TELLING = 0.33, 0.6, 6
_LEAST_GROUNDS = 0.15  # nats for each piece of a run that was moved rather than added


@dataclass(frozen=True, slots=True)
class Pairing:
    """The run of each sentence, which may be empty, and the runs that belong to nobody.

    The `strangers` have runs that do not render them: a sentence that was left out and one that was
    put in at its place look like a pair by length. The sentences that are `moved` have their runs
    elsewhere than the order of the source has them.
    """

    runs: tuple[Run, ...]
    added: tuple[Run, ...]
    strangers: frozenset[int] = frozenset()
    moved: frozenset[int] = frozenset()

    def left_out(self) -> list[int]:
        """The sentences whose runs are empty."""
        return [number for number, (start, end) in enumerate(self.runs) if start == end]


def matched(source: SourceText, output: OutputPieces, blocks: Sequence[Passage]) -> Pairing:
    """Which runs of the output render the sentences of the source."""
    runs: list[Run] = []
    added: list[Run] = []
    for block in blocks:
        way = _way(source, output, block)
        offset = block.pieces[0]
        runs += [(offset + start, offset + end) for start, end in way.runs]
        added += [(offset + start, offset + end) for start, end in way.added]
    strangers = _strangers(runs, source, output)
    return _with_moves(Pairing(tuple(runs), tuple(added), strangers), source, output)


def _with_moves(match: Pairing, source: SourceText, output: OutputPieces) -> Pairing:
    """What seems left out here and added there is tried on each other, the longest runs first."""
    for added in sorted(match.added, key=lambda run: run[0] - run[1]):
        for first, last in _stretches_of(match.left_out()):
            if added in match.added and source.knows_meaning:
                match = _with_move(match, source, output, Passage((first, last), added))
    return match


def _with_move(match: Pairing, source: SourceText, output: OutputPieces, block: Passage) -> Pairing:
    """The match with the block's sentences rendered by its pieces, if they look like it."""
    (first, last), (start, end) = block.sentences, block.pieces
    part = output.part(start, end)
    likeness = Likeness.between(source.stack.part(first, last), part)
    if likeness.grounded().sum() <= _LEAST_GROUNDS * np.count_nonzero(~part.silent):
        return match
    way = _way(source, output, block)
    runs = list(match.runs)
    runs[first:last] = [(start + a, start + b) for a, b in way.runs]
    added = [run for run in match.added if run != (start, end)]
    added += [(start + a, start + b) for a, b in way.added]
    moved = {first + number for number, (a, b) in enumerate(way.runs) if a < b}
    moved |= match.moved
    return replace(match, runs=tuple(runs), added=tuple(sorted(added)), moved=frozenset(moved))


def _stretches_of(numbers: Sequence[int]) -> list[Run]:
    """Numbers that follow one another, from and to."""
    found: list[Run] = []
    for number in numbers:
        if found and found[-1][1] == number:
            found[-1] = found[-1][0], number + 1
        else:
            found.append((number, number + 1))
    return found


def _way(source: SourceText, output: OutputPieces, block: Passage) -> Way:
    count, pieces = block.sentence_count, block.piece_count
    if not count or not pieces:
        return Way(((0, 0),) * count, ((0, pieces),) if pieces else ())
    part, theirs = output.part(*block.pieces), source.stack.part(*block.sentences)
    terrain = _terrain(source, block.sentences, theirs, part)
    lengths = theirs.lengths.astype(np.float64)
    ratio = float(np.clip(pieces / lengths.sum(), _LEAST_RATIO, _MOST_RATIO))
    way = best_way(terrain.expecting(ratio * lengths))
    seen = _ratio(way, lengths)
    if seen is not None and abs(np.log(seen / ratio)) > _SURPRISE:
        way = best_way(terrain.expecting(seen * lengths))
    witnesses = partial(_around_cut, source, block.sentences[0])
    return replace(way, runs=refined(way.runs, terrain.cuts, witnesses, part))


def _strangers(runs: Sequence[Run], source: SourceText, output: OutputPieces) -> frozenset[int]:
    """The sentences whose runs are whole sentences that are less like them than others by far."""
    if not source.knows_meaning:
        return frozenset()
    alike = {
        number: _alike(source, number, output.part(start, end))
        for number, (start, end) in enumerate(runs)
        if start < end and output.starts[start] and output.starts[end]
    }
    known = {number: likeness for number, likeness in alike.items() if likeness is not None}
    # What the model reads less well is less alike throughout, and no stranger for that.
    least = min(_UNLIKE, _FAR_LESS * float(np.median(list(known.values()) or [0.0])))
    return frozenset(number for number, likeness in known.items() if likeness < least)


def _alike(source: SourceText, number: int, output: OutputPieces) -> float | None:
    """How alike a sentence, or its segment in a reference, and a run are; `None` if too short."""
    spoken = widened(output.directions[~output.silent])
    segment = source.sentences[number].segment
    texts = [source.stack.spoken(number), *(r.spoken(segment) for r in source.references)]
    if min(len(spoken), len(texts[0])) < _TELLING:
        return None
    both = [text @ spoken.T for text in texts if len(text)]
    return max(float(c.max(axis=0).mean() + c.max(axis=1).mean()) / 2 for c in both)


def _around_cut(source: SourceText, first: int, left: int) -> tuple[Floats32, Floats32]:
    """The pieces of two sentences that follow one another, references' included where they can be.

    Inside a segment a reference does not tell which of its pieces stand for which sentence.
    """
    numbers = first + left, first + left + 1
    one, other = ([source.stack.spoken(number)] for number in numbers)
    here, there = (source.sentences[number].segment for number in numbers)
    if here != there:
        for reference in source.references:
            one.append(reference.spoken(here))
            other.append(reference.spoken(there))
    return np.concatenate(one), np.concatenate(other)


def _ratio(way: Way, lengths: Floats) -> float | None:
    """How many pieces the sentences that are rendered have for each of theirs."""
    taken = np.array([end - start for start, end in way.runs])
    if not taken.any():
        return None
    return float(np.clip(taken.sum() / lengths[taken > 0].sum(), _LEAST_RATIO, _MOST_RATIO))


def _terrain(
    source: SourceText, sentences: tuple[int, int], stack: PieceStack, output: OutputPieces
) -> Terrain:
    """What decides the way of these sentences, whose pieces are the stack's, through the output."""
    own = slice(*sentences)
    segments = source.segments[own]
    cosines = cosines_between(stack, output)
    likeness = Likeness.by(cosines, stack, output)
    evidence = likeness.evidence()
    if not source.knows_meaning:
        likeness = likeness.supposed()
    grounded = likeness.grounded()
    for reference in source.references:
        also = _from_reference(reference, output, segments)
        evidence += also[0] / len(source.references)
        grounded = np.maximum(grounded, also[1])
    return Terrain(
        evidence=evidence + _COVERED * counterparts(cosines, stack, output),
        expected=np.zeros(len(segments)),
        cuts=run_end_costs(output, [s.text for s in source.sentences[own]], segments),
        starts=output.starts,
        # What was said before has its grounds there, and may well be more than was asked for.
        added=np.where(output.again, np.minimum(grounded, 0), grounded),
        left_out=np.full(len(segments), _LEFT_OUT),
        opening=_ADDED,
    )


def _from_reference(
    reference: PieceStack, output: OutputPieces, segments: Integers
) -> tuple[Floats, Floats]:
    """What the reference adds: evidence for each sentence's segment, and grounds for each piece."""
    evidence = np.zeros((len(segments), len(output)))
    theirs = reference.part(segments[0], segments[-1] + 1)
    if not len(theirs.owner):
        return evidence, np.full(len(output), -np.inf)
    likeness = Likeness.between(theirs, output)
    row_of = {int(segment): row for row, segment in enumerate(theirs.numbers)}
    told = likeness.evidence()
    for sentence, segment in enumerate(segments):
        if int(segment) in row_of:
            evidence[sentence] = told[row_of[int(segment)]]
    return evidence, likeness.grounded()
