"""The best way through a text, against all ways that there are."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.arrays import Floats
from isogloss.segmentation import path
from isogloss.segmentation.path import Terrain, Way, best_way

Runs = tuple[tuple[int, int], ...]
IMPOSSIBLE = 1e6


def all_ways(sentences: int, starts: Sequence[bool], gap: int = 0) -> Iterator[Way]:
    """Every way from a gap to the end: before each sentence and at the end, text may be added."""
    last = len(starts) - 1
    beyond = [later for later in range(gap + 1, last + 1) if starts[gap] and starts[later]]
    for here in (gap, *beyond):
        passed: Runs = ((gap, here),) if here > gap else ()
        if not sentences and here == last:
            yield Way((), passed)
        for end in range(here, last + 1) if sentences else ():
            for rest in all_ways(sentences - 1, starts, end):
                yield Way(((here, end), *rest.runs), (*passed, *rest.added))


def score_of(way: Way, terrain: Terrain) -> float:
    rendered = sum(score_of_run(number, run, terrain) for number, run in enumerate(way.runs))
    passed = sum(terrain.opening + float(terrain.added[slice(*run)].sum()) for run in way.added)
    return rendered - passed


def score_of_run(sentence: int, run: tuple[int, int], terrain: Terrain) -> float:
    start, end = run
    if start == end:
        return -float(terrain.left_out[sentence])
    expected = float(terrain.expected[sentence])
    off = (end - start - expected) ** 2 / (path._SPREAD * expected + 4)
    evidence = sum(terrain.evidence[sentence, piece] for piece in range(start, end))
    cut = terrain.cuts[sentence, end]
    return float(evidence - path._LENGTH * min(off, path._FLAT) - cut)


@st.composite
def terrains(draw: st.DrawFn) -> Terrain:
    """Small terrains in which omissions, additions and dear cuts all happen."""
    sentences, pieces = draw(st.integers(0, 3)), draw(st.integers(0, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    starts = random.random(pieces + 1) < 0.6
    starts[[0, -1]] = True
    return Terrain(
        evidence=random.normal(scale=1.5, size=(sentences, pieces)),
        expected=random.uniform(0.5, 5, size=sentences),
        cuts=random.choice([0.0, -1.0, 0.8, 6.0, IMPOSSIBLE], size=(sentences, pieces + 1)),
        starts=starts,
        added=random.normal(scale=1.0, size=pieces),
        left_out=random.uniform(0, 4, size=sentences),
        opening=float(random.uniform(0, 3)),
    )


@given(terrains())
def test_no_way_is_better(terrain: Terrain) -> None:
    sentences = len(terrain.evidence)
    found = best_way(terrain)
    ways = list(all_ways(sentences, terrain.starts.tolist()))
    assert found in ways
    best = max(score_of(way, terrain) for way in ways)
    assert score_of(found, terrain) == pytest.approx(best, abs=1e-9)


def diagonal(*lengths: int, against: float = -1.0) -> Floats:
    """Evidence where each sentence has so many pieces of its own; 0 stands for none at all."""
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return np.where(owner == np.arange(len(lengths))[:, None], 1.0, against)


def plain(evidence: Floats, expected: Sequence[float]) -> Terrain:
    """A terrain in which only the evidence speaks: any gap may be cut."""
    sentences, pieces = evidence.shape
    return Terrain(
        evidence=evidence,
        expected=np.array(expected, dtype=np.float64),
        cuts=np.zeros((sentences, pieces + 1)),
        starts=np.ones(pieces + 1, dtype=bool),
        added=np.ones(pieces),
        left_out=np.full(sentences, 4.0),
        opening=3.0,
    )


def test_each_sentence_gets_the_pieces_that_speak_for_it() -> None:
    way = best_way(plain(diagonal(3, 2, 4), [3, 2, 4]))
    assert way == Way(((0, 3), (3, 5), (5, 9)), ())


def test_a_sentence_that_no_piece_speaks_for_was_left_out() -> None:
    for missing, runs in enumerate(
        (((0, 0), (0, 4), (4, 8)), ((0, 4), (4, 4), (4, 8)), ((0, 4), (4, 8), (8, 8)))
    ):
        lengths = [4, 4, 4]
        lengths[missing] = 0
        assert best_way(plain(diagonal(*lengths, against=-5.0), [4, 4, 4])) == Way(runs, ())


@pytest.mark.parametrize("place", [0, 1, 2])
def test_pieces_that_speak_for_nobody_were_added(place: int) -> None:
    """At the beginning, in the middle, and at the end."""
    pieces = np.insert(diagonal(4, 4), [4 * place] * 6, -2.0, axis=1)
    terrain = replace(plain(pieces, [4, 4]), added=np.where(pieces.max(axis=0) < 0, -1.0, 1.0))
    runs = [(0, 4), (4, 8)]
    moved = tuple((a + 6, b + 6) if a >= 4 * place else (a, b) for a, b in runs)
    assert best_way(terrain) == Way(moved, ((4 * place, 4 * place + 6),))


def test_only_whole_sentences_can_be_added() -> None:
    evidence = np.insert(diagonal(4, 4), [4] * 6, -2.0, axis=1)
    terrain = replace(plain(evidence, [4, 4]), added=np.full(14, -1.0))
    assert best_way(terrain).added == ((4, 10),)
    starts = terrain.starts.copy()
    starts[4] = False
    added = best_way(replace(terrain, starts=starts)).added
    assert all(starts[gap] for run in added for gap in run)


def test_runs_end_where_cuts_are_cheap() -> None:
    evidence = np.array([[1.0, 1, 0, 0, -1, -1], [-1.0, -1, 0, 0, 1, 1]])
    for cheap in (2, 3, 4):
        terrain = plain(evidence, [3, 3])
        cuts = np.full((2, 7), 6.0)
        cuts[:, [cheap, 6]] = 0.0
        assert best_way(replace(terrain, cuts=cuts)).runs == ((0, cheap), (cheap, 6))


def test_without_evidence_the_lengths_decide() -> None:
    way = best_way(plain(np.zeros((3, 12)), [2, 6, 4]))
    assert way == Way(((0, 2), (2, 8), (8, 12)), ())


def test_a_text_without_pieces_renders_nothing() -> None:
    assert best_way(plain(np.zeros((3, 0)), [2, 6, 4])) == Way(((0, 0),) * 3, ())


def test_without_sentences_everything_was_added() -> None:
    assert best_way(plain(np.zeros((0, 5)), [])) == Way((), ((0, 5),))
    assert best_way(plain(np.zeros((0, 0)), [])) == Way((), ())
