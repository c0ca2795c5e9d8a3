"""A lexicon of the text's own links: it helps where words recur, and nowhere else."""

import numpy as np
import pytest

from isogloss.alignment.informed import LinkLexicon, NumberedPair, SparseStrengths, informed
from isogloss.alignment.symmetrisation import Matrix


def numbered(*pairs: tuple[list[int], list[int]]) -> list[NumberedPair]:
    return [(np.array(one, np.int64), np.array(other, np.int64)) for one, other in pairs]


def sparse(*matrices: list[list[float]]) -> list[SparseStrengths]:
    return [SparseStrengths.of(np.array(matrix, np.float32)) for matrix in matrices]


def looked_again(strengths: list[SparseStrengths], pairs: list[NumberedPair]) -> list[Matrix]:
    return list(informed(strengths, pairs, len(pairs)))


def test_weak_strengths_are_forgotten() -> None:
    (kept,) = sparse([[0.5, 0.01], [0.0, 0.3]])
    assert kept.dense() == pytest.approx(np.array([[0.5, 0], [0, 0.3]], np.float32))


def test_a_word_that_occurs_once_is_left_alone() -> None:
    strengths = sparse([[0.9, 0.1], [0.1, 0.4]])
    (found,) = looked_again(strengths, numbered(([0, 1], [0, 1])))
    assert found == pytest.approx(strengths[0].dense())


def test_other_places_decide_where_the_model_is_unsure() -> None:
    # Word 0 is linked to word 0 twice; in the third segment the model leans the wrong way.
    sure = [[0.9, 0.0], [0.0, 0.9]]
    unsure = [[0.3, 0.35], [0.0, 0.0]]
    pairs = numbered(([0, 1], [0, 1]), ([0, 2], [0, 2]), ([0, 3], [0, 3]))
    *_, found = looked_again(sparse(sure, sure, unsure), pairs)
    assert found[0].argmax() == 0
    assert unsure[0][0] < unsure[0][1]


def test_a_segment_is_no_evidence_for_itself() -> None:
    strengths = sparse([[0.8]], [[0.2]])
    lexicon = LinkLexicon(numbered(([0], [0]), ([0], [0])), strengths)
    often, share = lexicon.elsewhere(lexicon.pairs[0], strengths[0].dense())
    assert often.tolist() == [[1.0]]
    assert share == pytest.approx(np.array([[0.2]]))
    often, share = lexicon.elsewhere(lexicon.pairs[1], strengths[1].dense())
    assert share == pytest.approx(np.array([[0.8]]))


def test_strengths_stay_between_0_and_1_and_wanted_pairs_come_back() -> None:
    random = np.random.default_rng(0)
    pairs = [(random.integers(0, 5, 7), random.integers(0, 5, 6)) for _ in range(20)]
    strengths = [SparseStrengths.of(random.random((7, 6), np.float32)) for _ in pairs]
    found = list(informed(strengths, pairs, 12))
    assert len(found) == 12
    assert all(0 <= matrix.min() <= matrix.max() <= 1 for matrix in found)


def test_texts_without_links_or_words_pass() -> None:
    empty = SparseStrengths.of(np.zeros((0, 2), np.float32))
    nothing = SparseStrengths.of(np.zeros((1, 2), np.float32))
    pairs = numbered(([], [0, 1]), ([0], [0, 1]))
    assert [m.shape for m in informed([empty, nothing], pairs, 2)] == [(0, 2), (1, 2)]
    linked = sparse([[0.9]])
    with_links = [*pairs, *numbered(([0], [1]))]
    found = looked_again([empty, nothing, *linked], with_links)
    assert [m.shape for m in found] == [(0, 2), (1, 2), (1, 1)]
