"""Sentences of the source and runs of the output's pieces, matched block by block."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.segmentation.anchors import Block
from isogloss.segmentation.likeness import Likeness
from isogloss.segmentation.outputs import OutputPieces, run_end_costs
from isogloss.segmentation.path import Terrain, Way, best_way
from isogloss.segmentation.sources import SourceText, Stack

Run = tuple[int, int]
"""Gaps between pieces, from and to."""

_LEAST_RATIO, _MOST_RATIO = 0.4, 2.5  # pieces of the output for a piece of the source
_SURPRISE = 0.1  # how far, in logarithms, a ratio may be off before the way is sought anew
_LEFT_OUT, _ADDED = 4.0, 4.0  # nats, before anybody has looked at the words
_AT_LEAST = 1.0


@dataclass(frozen=True, slots=True)
class Match:
    """The run of each sentence, which may be empty, and the runs that belong to nobody."""

    runs: tuple[Run, ...]
    added: tuple[Run, ...]

    def left_out(self) -> list[int]:
        """The sentences whose runs are empty."""
        return [number for number, (start, end) in enumerate(self.runs) if start == end]


def matched(source: SourceText, output: OutputPieces, blocks: Sequence[Block]) -> Match:
    """Which runs of the output render the sentences of the source."""
    runs: list[Run] = []
    added: list[Run] = []
    for block in blocks:
        way = _way(source, output, block)
        offset = block.pieces[0]
        runs += [(offset + start, offset + end) for start, end in way.runs]
        added += [(offset + start, offset + end) for start, end in way.added]
    return Match(tuple(runs), tuple(added))


def _way(source: SourceText, output: OutputPieces, block: Block) -> Way:
    count, pieces = block.sentence_count, block.piece_count
    if not count or not pieces:
        return Way(((0, 0),) * count, ((0, pieces),) if pieces else ())
    terrain = _terrain(source, output, block)
    lengths = source.stack.part(*block.sentences).lengths.astype(np.float64)
    ratio = float(np.clip(pieces / lengths.sum(), _LEAST_RATIO, _MOST_RATIO))
    way = best_way(terrain.expecting(ratio * lengths))
    seen = _ratio(way, lengths)
    if seen is not None and abs(np.log(seen / ratio)) > _SURPRISE:
        way = best_way(terrain.expecting(seen * lengths))
    return way


def _ratio(way: Way, lengths: Floats) -> float | None:
    """How many pieces the sentences that are rendered have for each of theirs."""
    taken = np.array([end - start for start, end in way.runs])
    if not taken.any():
        return None
    return float(np.clip(taken.sum() / lengths[taken > 0].sum(), _LEAST_RATIO, _MOST_RATIO))


def _terrain(source: SourceText, output: OutputPieces, block: Block) -> Terrain:
    first, last = block.sentences
    part, theirs = output.part(*block.pieces), source.stack.part(first, last)
    segments = source.segments[first:last]
    likeness = Likeness.between(theirs, part.directions, part.silent)
    evidence, grounded = likeness.evidence(), likeness.grounded()
    for reference in source.references:
        also = _from_reference(reference, part, segments)
        evidence += also[0] / len(source.references)
        grounded = np.maximum(grounded, also[1])
    left_out = _LEFT_OUT + np.add.reduceat(likeness.found(), theirs.firsts)
    return Terrain(
        evidence=evidence,
        expected=np.zeros(last - first),
        cuts=run_end_costs(part, [s.text for s in source.sentences[first:last]], segments),
        starts=part.starts,
        added=grounded,
        left_out=np.maximum(_AT_LEAST, left_out),
        opening=_ADDED,
    )


def _from_reference(
    reference: Stack, output: OutputPieces, segments: Integers
) -> tuple[Floats, Floats]:
    """What the reference adds: evidence for each sentence's segment, and grounds for each piece."""
    evidence = np.zeros((len(segments), len(output)))
    theirs = reference.part(segments[0], segments[-1] + 1)
    if not len(theirs.owner):
        return evidence, np.full(len(output), -np.inf)
    likeness = Likeness.between(theirs, output.directions, output.silent)
    row_of = {int(segment): row for row, segment in enumerate(theirs.numbers)}
    told = likeness.evidence()
    for sentence, segment in enumerate(segments):
        if int(segment) in row_of:
            evidence[sentence] = told[row_of[int(segment)]]
    return evidence, likeness.grounded()
