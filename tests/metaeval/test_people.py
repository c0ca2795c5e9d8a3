"""From judgements to matrices: means, annotators, human references; WMT20 and WMT23 as they are."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, TestSet
from isogloss.errors import InputError, MismatchError
from isogloss.formats import ReadOptions, wmt_tables
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import krippendorff_alpha
from isogloss.metaeval.matrix import rounded
from isogloss.metaeval.means import system_means
from isogloss.metaeval.people import (
    UNNAMED,
    ScoreMatrix,
    chosen_systems,
    ratings_of,
    score_matrix,
    system_scores,
)

TESTSET = TestSet(
    "toy",
    "en",
    "de",
    (
        Document("one", ("a b", "c", "d"), domain="news"),
        Document("two", ("e",)),
        Document("three", ("f g h", "i"), domain="speech"),
    ),
)
ITEMS = (("one", 0), ("one", 1), ("one", 2), ("two", 0), ("three", 0), ("three", 1))


def judgement(
    system: str, document: str, segment: int | None, score: float | None, annotator: str | None
) -> Judgement:
    human = system == "ref"
    return Judgement(system, document, segment, annotator, score, human=human)


JUDGEMENTS = Judgements(
    "da",
    (
        judgement("beta", "three", 1, 10.0, "ann"),
        judgement("ref", "one", 0, 99.0, "ann"),
        judgement("alpha", "one", 0, 0.1, "ann"),
        judgement("alpha", "one", 0, 0.2, "ben"),
        judgement("alpha", "one", 0, 0.3, None),
        judgement("alpha", "one", 2, -0.0, "ben"),
        judgement("beta", "one", 2, 40.0, "ann"),
        judgement("beta", "one", 2, 60.0, "ann"),  # the same annotator again
        judgement("alpha", "two", 0, None, "ann"),  # looked at, not scored
        judgement("alpha", "two", None, 55.0, "ann"),  # a whole document
        Judgement("alpha", score=77.0),
        Judgement("alpha", score=78.0),
        Judgement("ref", score=90.0, human=True),
    ),
)


def same(array: object, expected: object) -> bool:
    return np.array_equal(np.array(array), np.array(expected, dtype=float), equal_nan=True)


nan = np.nan


def test_a_matrix_has_all_items_in_the_order_of_the_test_set() -> None:
    matrix = score_matrix(JUDGEMENTS, TESTSET)
    assert matrix.systems == ("beta", "alpha")
    assert matrix.items == ITEMS
    assert matrix.level == "segment"
    assert same(
        matrix.scores,
        [[nan, nan, 50.0, nan, nan, 10.0], [0.2, nan, 0.0, nan, nan, nan]],
    )
    assert same(matrix.counts, [[0, 0, 2, 0, 0, 1], [3, 0, 1, 0, 0, 0]])
    assert matrix.blocks.tolist() == [0, 0, 0, 1, 2, 2]
    assert matrix.domains == ("news", "news", "news", None, "speech", "speech")


def test_means_carry_no_noise_in_the_last_bits() -> None:
    scores = (-25.2, -25.200000000000003, 0.1 + 0.2, 0.3, -0.0)
    array = rounded(np.array(scores))
    assert array[0] == array[1]
    assert array[2] == array[3]
    assert not np.signbit(array[4])
    assert float(score_matrix(JUDGEMENTS, TESTSET).scores[1, 0]) == 0.2  # not 0.20000000000000004


def test_human_references_come_only_when_asked_for() -> None:
    assert score_matrix(JUDGEMENTS, TESTSET, humans=True).systems == ("beta", "ref", "alpha")
    chosen = score_matrix(JUDGEMENTS, TESTSET, ["ref", "alpha"], humans=True)
    assert chosen.systems == ("ref", "alpha")
    assert same(chosen.scores[:, 0], [99.0, 0.2])
    with pytest.raises(InputError, match="'ref' is a human reference; ask for humans"):
        score_matrix(JUDGEMENTS, TESTSET, ["ref", "alpha"])


def test_systems_that_nobody_judged_are_refused() -> None:
    with pytest.raises(InputError, match=r"nobody judged .*'gamma' .* judged: beta, ref"):
        score_matrix(JUDGEMENTS, TESTSET, ["gamma"])
    with pytest.raises(InputError, match="twice"):
        chosen_systems(JUDGEMENTS, ["alpha", "alpha"], humans=False)


def test_documents_judged_as_a_whole() -> None:
    matrix = score_matrix(JUDGEMENTS, Collection(TESTSET), level="document")
    assert matrix.items == (("one", None), ("two", None), ("three", None))
    assert matrix.level == "document"
    assert same(matrix.scores, [[nan] * 3, [nan, 55.0, nan]])
    assert matrix.blocks.tolist() == [0, 1, 2]


def test_systems_judged_as_a_whole() -> None:
    assert system_scores(JUDGEMENTS) == {"beta": None, "alpha": 77.5}
    assert system_scores(JUDGEMENTS, ["ref"], humans=True) == {"ref": 90.0}


@pytest.mark.parametrize(
    ("document", "segment", "message"),
    [
        ("four", 0, "document 'four', which is not in the test set"),
        ("two", 1, r"segment 1 \(from 0\) of document 'two', which has 1 segment$"),
    ],
)
def test_judgements_of_other_texts_are_refused(document: str, segment: int, message: str) -> None:
    stranger = Judgements("da", (judgement("alpha", document, segment, 1.0, None),))
    with pytest.raises(MismatchError, match=message):
        score_matrix(stranger, TESTSET)


def test_ratings_keep_annotators_apart() -> None:
    ratings = ratings_of(JUDGEMENTS, TESTSET)
    assert ratings.annotators == ("ann", "ben")
    assert len(ratings.score) == 7
    assert (ratings.annotator == UNNAMED).sum() == 1
    assert len(ratings.named().score) == 6
    cube = ratings.matrices()
    assert cube.shape == (2, 2, 6)
    assert same(cube[0], [[nan, nan, 50.0, nan, nan, 10.0], [0.1, nan, nan, nan, nan, nan]])
    assert same(cube[1], [[nan] * 6, [0.2, nan, 0.0, nan, nan, nan]])
    assert same(ratings.units(), [[50.0, 10.0, 0.1, nan], [nan, nan, 0.2, 0.0]])
    assert krippendorff_alpha(ratings.units(), "interval").count == 2


def test_nothing_judged_is_an_empty_matrix_not_an_error() -> None:
    unscored = Judgements("da", (judgement("alpha", "one", 0, None, "ann"),))
    matrix = score_matrix(unscored, TESTSET)
    assert same(matrix.scores, [[nan] * 6])
    assert matrix.judged().items == ()
    assert ratings_of(unscored, TESTSET).units().shape == (1, 0)
    empty = score_matrix(Judgements("da", ()), TESTSET)
    assert empty.scores.shape == (0, 6)


def test_only_judged_items_and_documents_remain() -> None:
    judged = score_matrix(JUDGEMENTS, TESTSET).judged()
    assert judged.items == (("one", 0), ("one", 2), ("three", 1))
    assert judged.blocks.tolist() == [0, 0, 1]  # no number for the document without judgements
    assert judged.domains == ("news", "news", "speech")
    assert same(judged.scores, [[nan, 50.0, 10.0], [0.2, 0.0, nan]])
    assert same(judged.counts, [[0, 2, 1], [3, 1, 0]])


def test_a_matrix_cannot_change_and_must_fit() -> None:
    matrix = score_matrix(JUDGEMENTS, TESTSET)
    for array in (matrix.scores, matrix.counts, matrix.blocks):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    zeros = np.zeros((1, 2))
    with pytest.raises(MismatchError, match=r"blocks of shape \(1,\), not \(2,\)"):
        ScoreMatrix(("a",), ITEMS[:2], zeros, zeros.astype(int), np.zeros(1, int), (None, None))
    with pytest.raises(MismatchError, match="1 domains for 2 items"):
        ScoreMatrix(("a",), ITEMS[:2], zeros, zeros.astype(int), np.zeros(2, int), (None,))


@given(
    st.lists(
        st.builds(
            judgement,
            st.sampled_from(["alpha", "beta", "gamma"]),
            st.just("one"),
            st.integers(0, 2),
            st.none() | st.floats(-100, 100),
            st.none() | st.sampled_from(["ann", "ben", "cat"]),
        ),
        max_size=30,
    )
)
@settings(deadline=None, max_examples=60)
def test_a_matrix_holds_the_means_of_the_judgements(items: list[Judgement]) -> None:
    judgements = Judgements("da", tuple(items))
    matrix = score_matrix(judgements, TESTSET)
    means = judgements.segment_means()
    assert int((~np.isnan(matrix.scores)).sum()) == len(means)
    for (system, document, segment), mean in means.items():
        row, column = matrix.systems.index(system), matrix.items.index((document, segment))
        assert matrix.scores[row, column] == pytest.approx(mean, abs=1e-9)
    assert matrix.counts.sum() == sum(item.score is not None for item in items)


# --- real judgements -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pair", "kind", "systems", "judged", "judgements"),
    [
        ("zh-en", "mqm", 10, 2000, 20000),
        ("zh-en", "da-raw", 9, 2000, 15391),
        ("zh-en", "psqm", 10, 895, 8950),
        ("en-de", "mqm", 10, 1418, 14180),
        ("en-de", "da-raw", 10, 1418, 6601),
        ("en-de", "psqm", 10, 681, 6810),
    ],
)
def test_wmt20_has_as_many_judgements_as_its_description_says(
    shared_data: Path, pair: str, kind: str, systems: int, judged: int, judgements: int
) -> None:
    folder = shared_data / "wmt" / "wmt20" / pair
    collection = wmt_tables.read(folder, ReadOptions())
    said = wmt_tables.read_judgements(folder, kind, collection)
    matrix = score_matrix(said, collection, humans=True)
    assert matrix.scores.shape == (systems, collection.testset.segment_count)
    assert len(matrix.judged().items) == judged
    assert np.count_nonzero(~np.isnan(matrix.scores)) == matrix.counts.sum() == judgements
    assert int(matrix.blocks.max()) + 1 == len(collection.testset.documents)
    machines = score_matrix(said, collection)
    assert set(machines.systems) == set(matrix.systems) - set(collection.testset.reference_names)


@pytest.mark.parametrize("kind", ["mqm", "da-sqm"])
def test_wmt23_system_means_are_the_official_scores(shared_data: Path, kind: str) -> None:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = wmt_tables.read(folder, ReadOptions())
    matrix = score_matrix(wmt_tables.read_judgements(folder, kind, collection), collection)
    official = system_scores(wmt_tables.read_system_judgements(folder, kind, collection))
    assert set(matrix.systems) == set(official)
    for system, mean in zip(matrix.systems, system_means(matrix), strict=True):
        assert mean == pytest.approx(official[system], rel=1e-7, abs=5e-7)
