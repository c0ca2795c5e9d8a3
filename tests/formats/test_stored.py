import numpy as np
import pytest

from isogloss.documents import Document, TestSet
from isogloss.errors import InputError
from isogloss.formats.score_table import StoredScores, table_of_stored
from isogloss.signature import MetricName

TESTSET = TestSet(
    "tiny",
    "en",
    "de",
    (
        Document("d1", ("a", "b"), {"refA": ("x", "y"), "refB": ("x", "y")}, "news"),
        Document("d2", ("c",), {"refA": ("z",)}),
    ),
)


def test_segment_scores_become_sums_and_counts():
    table = table_of_stored(TESTSET, [StoredScores("M-refA", "s", [1.0, None, 3.0], score=0.7)])
    row = table["M-refA", "s"]
    first, second = row.documents
    assert row.score == 0.7
    assert (row.scored, row.total, row.human) == (2, 3, False)
    assert (first.document, first.score, first.domain) == ("d1", None, "news")
    assert first.measurement.statistics.tolist() == [1.0, 1.0]
    assert first.measurement.segment_scores == (1.0, None)
    rows = first.measurement.segment_statistics
    assert rows is not None
    assert np.array_equal(rows, [[1.0, 1.0], [np.nan, np.nan]], equal_nan=True)
    assert second.measurement.statistics.tolist() == [3.0, 1.0]


def test_a_metric_without_segment_scores_has_none_scored():
    table = table_of_stored(TESTSET, [StoredScores("M-all", "s", documents=[0.5, None])])
    row = table["M-all", "s"]
    assert [document.score for document in row.documents] == [0.5, None]
    assert (row.score, row.scored, row.total) == (None, 0, 3)
    assert row.documents[0].measurement.segment_scores is None


def test_a_reference_scored_as_a_system_is_human():
    table = table_of_stored(TESTSET, [StoredScores("M-refA", "refB", [1.0, 2.0, None])])
    assert table["M-refA", "refB"].human


@pytest.mark.parametrize(
    ("metric", "references"),
    [
        ("M-refA", ("refA",)),
        ("M-src", ()),
        ("M-all", ("refA", "refB")),
        ("M-refA.refB", ("refA", "refB")),
    ],
)
def test_the_name_tells_which_references_were_used(metric, references):
    table = table_of_stored(TESTSET, [StoredScores(metric, "s", [1.0, 1.0, 1.0])])
    assert table.provenance.references == references
    assert table.provenance.testset_digest == TESTSET.digest()


def test_names_fit_the_grammar_and_signatures_keep_what_was_stored():
    stored = ["BLEURT-20-refA", "cushLEPOR(LM)-refA", "3Score-src"]
    table = table_of_stored(TESTSET, [StoredScores(name, "s", score=1.0) for name in stored])
    assert [metric.signature for metric in table.metrics] == stored
    assert table.metrics[0].name == "BLEURT-20-refA"
    for metric in table.metrics:
        assert str(MetricName.parse(metric.name)) == metric.name


def test_two_metrics_may_not_get_one_name():
    scores = [StoredScores("a(b)-src", "s", score=1.0), StoredScores("a_b_-src", "s", score=2.0)]
    with pytest.raises(InputError, match=r"'a_b_-src': another one is called"):
        table_of_stored(TESTSET, scores)
