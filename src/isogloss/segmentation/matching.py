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
from isogloss.segmentation.sources import PieceStack, SourceText

Run = tuple[int, int]
"""Gaps between pieces, from and to."""

_LEAST_RATIO, _MOST_RATIO = 0.4, 2.5  # pieces of the output for a piece of the source
_SURPRISE = 0.1  # how far, in logarithms, a ratio may be off before the way is sought anew
_LEFT_OUT, _ADDED = 4.0, 3.0  # nats, before anybody has looked at the words
_COVERED = 0.5  # what it is worth that a piece of the source finds its counterpart in the run


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
        way = way_through(source, output, block)
        offset = block.pieces[0]
        runs += [(offset + start, offset + end) for start, end in way.runs]
        added += [(offset + start, offset + end) for start, end in way.added]
    return Pairing(tuple(runs), tuple(added))


def way_through(
    source: SourceText, output: OutputPieces, block: Passage, left_out: float = _LEFT_OUT
) -> Way:
    """The best way of a block's sentences through its pieces.

    `left_out` is what it costs to leave one out.
    """
    count, pieces = block.sentence_count, block.piece_count
    if not count or not pieces:
        return Way(((0, 0),) * count, ((0, pieces),) if pieces else ())
    part, theirs = output.part(*block.pieces), source.stack.part(*block.sentences)
    terrain = replace(
        _terrain(source, block.sentences, theirs, part), left_out=np.full(count, left_out)
    )
    lengths = theirs.lengths.astype(np.float64)
    ratio = float(np.clip(pieces / lengths.sum(), _LEAST_RATIO, _MOST_RATIO))
    way = best_way(terrain.expecting(ratio * lengths))
    seen = _ratio(way, lengths)
    if seen is not None and abs(np.log(seen / ratio)) > _SURPRISE:
        way = best_way(terrain.expecting(seen * lengths))
    witnesses = partial(_around_cut, source, block.sentences[0])
    return replace(way, runs=refined(way.runs, terrain.cuts, witnesses, part))


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
        left_out=np.zeros(len(segments)),
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
