"""Document, domain and system means: plain loops, lengths, too few segments, real documents."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.documents import Document, TestSet
from isogloss.errors import InputError, MismatchError
from isogloss.formats import ReadOptions, wmt_tables
from isogloss.metaeval.means import (
    document_scores,
    domain_scores,
    group_means,
    item_lengths,
    system_means,
)
from isogloss.metaeval.people import ScoreMatrix, score_matrix

nan = np.nan
TESTSET = TestSet(
    "toy",
    "en",
    "zh",
    (
        Document("one", ("a b c", "d"), {"A": ("甲 乙", "丙丁")}, "news"),
        Document("two", ("e f",), {"A": (None,)}),
        Document("three", ("", "g h"), {"A": ("", "戊")}, "speech"),
        Document("four", ("i",), {"A": ("己",)}, "news"),
    ),
)
ITEMS = (("one", 0), ("one", 1), ("two", 0), ("three", 0), ("three", 1), ("four", 0))
SCORES = np.array(
    [
        [0.1, 0.2, 5.0, 1.0, 3.0, 9.0],
        [4.0, nan, nan, nan, 3.0, nan],
    ]
)
MATRIX = ScoreMatrix(
    ("alpha", "beta"),
    ITEMS,
    SCORES,
    (~np.isnan(SCORES)).astype(np.int64),
    np.array([0, 0, 1, 2, 2, 3]),
    ("news", "news", None, "speech", "speech", "news"),
)


def same(array: object, expected: object) -> bool:
    return np.allclose(np.array(array), np.array(expected, dtype=float), 0, 1e-9, equal_nan=True)


def test_document_means_say_how_many_segments_they_have() -> None:
    documents = document_scores(MATRIX)
    assert documents.items == (("one", None), ("two", None), ("three", None), ("four", None))
    assert documents.level == "document"
    assert same(documents.scores, [[0.15, 5.0, 2.0, 9.0], [4.0, nan, 3.0, nan]])
    assert float(documents.scores[0, 0]) == 0.15  # rounded: not 0.15000000000000002
    assert same(documents.counts, [[2, 1, 2, 1], [1, 0, 1, 0]])
    assert documents.blocks.tolist() == [0, 1, 2, 3]
    assert documents.domains == ("news", None, "speech", "news")


def test_documents_with_too_few_segments_have_no_score() -> None:
    documents = document_scores(MATRIX, at_least=2)
    assert same(documents.scores, [[0.15, nan, 2.0, nan], [nan] * 4])
    assert same(documents.counts, [[2, 1, 2, 1], [1, 0, 1, 0]])


def test_length_weighted_means() -> None:
    lengths = item_lengths(MATRIX, TESTSET)
    assert lengths.tolist() == [3, 1, 2, 0, 2, 1]
    documents = document_scores(MATRIX, lengths)
    # the empty segment of document three weighs nothing
    assert same(documents.scores, [[(0.3 + 0.2) / 4, 5.0, 3.0, 9.0], [4.0, nan, 3.0, nan]])
    nothing = document_scores(MATRIX, np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0]))
    assert np.isnan(nothing.scores[0, 1])  # of segments that weigh nothing there is no mean


def test_domain_means_leave_out_what_has_no_domain() -> None:
    domains = domain_scores(MATRIX)
    assert domains.items == (("news", None), ("speech", None))
    assert domains.level == "domain"
    assert same(domains.scores, [[(0.1 + 0.2 + 9.0) / 3, 2.0], [4.0, 3.0]])
    assert same(domains.counts, [[3, 2], [1, 1]])
    by_document = domain_scores(document_scores(MATRIX))
    assert same(by_document.scores, [[(0.15 + 9.0) / 2, 2.0], [4.0, 3.0]])
    weighted = domain_scores(MATRIX, item_lengths(MATRIX, TESTSET))
    assert same(weighted.scores[0], [(0.3 + 0.2 + 9.0) / 5, 3.0])
    with pytest.raises(InputError, match="no document has a domain"):
        domain_scores(replace(MATRIX, domains=(None,) * 6))


def test_system_means() -> None:
    assert same(system_means(MATRIX), [18.3 / 6, 3.5])
    assert same(system_means(MATRIX, at_least=3), [18.3 / 6, nan])
    assert same(system_means(document_scores(MATRIX)), [16.15 / 4, 3.5])
    empty = replace(MATRIX, scores=np.full((2, 6), nan))
    assert same(system_means(empty), [nan, nan])


def test_lengths_follow_the_language_the_side_and_the_level() -> None:
    judged = replace(MATRIX, scores=np.where(np.arange(6) == 2, nan, SCORES)).judged()
    assert item_lengths(judged, TESTSET, "A").tolist() == [2, 2, 0, 1, 1]  # characters
    assert item_lengths(judged, TESTSET, "A", "words").tolist() == [2, 1, 0, 1, 1]
    assert item_lengths(MATRIX, TESTSET, unit="characters").tolist() == [3, 1, 2, 0, 2, 1]
    assert item_lengths(document_scores(MATRIX), TESTSET).tolist() == [4, 2, 2, 1]


def test_lengths_that_nobody_knows_are_asked_for() -> None:
    with pytest.raises(InputError, match="choose words or characters"):
        item_lengths(MATRIX, replace(TESTSET, source_language=None))
    with pytest.raises(MismatchError, match="document 'two': reference 'A' lacks a segment"):
        item_lengths(MATRIX, TESTSET, "A")
    with pytest.raises(InputError, match="no reference 'B'"):
        item_lengths(MATRIX, TESTSET, "B")
    other = replace(TESTSET, documents=TESTSET.documents[1:])
    with pytest.raises(MismatchError, match="no document 'one'"):
        item_lengths(MATRIX, other)
    shorter = replace(TESTSET, documents=(Document("one", ("a",)), *TESTSET.documents[1:]))
    with pytest.raises(MismatchError, match="document 'one' has no segment 1"):
        item_lengths(MATRIX, shorter)


def test_weights_must_fit() -> None:
    with pytest.raises(MismatchError, match=r"weights of shape \(2,\) for 6 items"):
        document_scores(MATRIX, np.ones(2))
    with pytest.raises(InputError, match="negative or missing"):
        system_means(MATRIX, np.array([1, 1, nan, 1, 1, 1]))


@given(st.data())
@settings(deadline=None, max_examples=50)
def test_group_means_equal_a_plain_loop(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 8))
    cells = st.sampled_from([nan, -1.0, 0.0, 0.3, 2.5])
    scores = np.array(data.draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns)))
    scores = scores.reshape(rows, columns)
    groups = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=columns, max_size=columns)), dtype=np.int64
    )
    weights = np.array(
        data.draw(st.lists(st.integers(0, 4), min_size=columns, max_size=columns)), dtype=float
    )
    at_least = data.draw(st.integers(0, 3))
    means, counts = group_means(scores, groups, weights, at_least)
    for row in range(rows):
        for group in range(means.shape[1]):
            there = [
                c for c in range(columns) if groups[c] == group and scores[row, c] == scores[row, c]
            ]
            weight = sum(weights[c] for c in there)
            assert counts[row, group] == len(there)
            if len(there) < max(1, at_least) or not weight:
                assert np.isnan(means[row, group])
            else:
                total = sum(weights[c] * scores[row, c] for c in there)
                assert means[row, group] == pytest.approx(total / weight, abs=1e-9)


def test_real_documents_and_domains(shared_data: Path) -> None:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = wmt_tables.read(folder, ReadOptions())
    matrix = score_matrix(wmt_tables.read_judgements(folder, "mqm", collection), collection)
    documents = document_scores(matrix).judged()
    means: dict[tuple[str, str], list[float]] = {}
    for row, system in enumerate(matrix.systems):
        for column, (document, _) in enumerate(matrix.items):
            if not np.isnan(matrix.scores[row, column]):
                scores = means.setdefault((system, document), [])
                scores.append(float(matrix.scores[row, column]))
    assert np.count_nonzero(~np.isnan(documents.scores)) == len(means)
    for (system, document), scores in means.items():
        row = documents.systems.index(system)
        column = documents.items.index((document, None))
        assert documents.scores[row, column] == pytest.approx(np.mean(scores), abs=1e-9)
    assert len(domain_scores(matrix).items) == 4
    lengths = item_lengths(matrix, collection.testset)
    weighted = document_scores(matrix, lengths).judged()
    assert weighted.items == documents.items
    assert not np.allclose(weighted.scores, documents.scores)
    judged = matrix.judged()
    words = item_lengths(judged, collection.testset)
    by_document = np.bincount(judged.blocks, weights=words)
    assert same(  # all systems have the same segments: documents by their length add up
        system_means(document_scores(judged, words), by_document), system_means(matrix, lengths)
    )
