import pytest

from isogloss.documents import Document, TestSet
from isogloss.errors import FormatError
from isogloss.formats import read_scores, recognise

TESTSET = TestSet(
    "tiny", "en", "de", (Document("d1", ("a", "b"), {"refA": ("x", "y")}), Document("d2", ("c",)))
)


@pytest.fixture
def scores(tmp_path):
    def read(*lines, name="scores.tsv"):
        path = tmp_path / name
        path.write_text("".join(line.replace(" ", "\t") + "\n" for line in lines))
        return read_scores(path, TESTSET)

    return read


def segments(table, metric, system):
    documents = table[metric, system].documents
    return [score for document in documents for score in document.measurement.segment_scores]


@pytest.mark.parametrize("first", [0, 1])
def test_segments_are_counted_within_their_document(scores, first):
    table = scores(
        "system doc segment comet my-metric",
        f"good d2 {first} 0.3 3",
        f"good d1 {first + 1} 0.2 None",
        f"good d1 {first} 0.1 1",
    )
    assert segments(table, "comet", "good") == [0.1, 0.2, 0.3]
    assert segments(table, "my-metric", "good") == [1.0, None, 3.0]


def test_without_documents_segments_are_counted_over_the_test_set(scores):
    table = scores("sys seg_id comet", "good 1 0.1", "good 3 0.3", "bad 2 0.2")
    assert segments(table, "comet", "good") == [0.1, None, 0.3]
    assert segments(table, "comet", "bad") == [None, 0.2, None]


def test_rows_without_a_place_are_all_the_segments_in_order(scores):
    table = scores("system comet", "good 1", "good 2", "bad 4", "bad 5", "bad 6", "good 3")
    assert segments(table, "comet", "good") == [1, 2, 3]
    assert segments(table, "comet", "bad") == [4, 5, 6]


def test_documents_and_systems_have_scores_of_their_own(scores):
    documents = scores("system doc comet", "good d2 2", "good d1 1")["comet", "good"].documents
    assert [document.score for document in documents] == [1, 2]
    assert scores("system comet", "good 7")["comet", "good"].score == 7


@pytest.mark.parametrize("level", ["seg", "doc", "sys"])
def test_a_file_of_mt_metrics_eval_by_itself(scores, level):
    values = {"seg": [1.0, 2.0, 3.0], "doc": [1.0, 2.0], "sys": [1.0]}[level]
    table = scores(*(f"good {value}" for value in values), name=f"COMET-refA.{level}.score")
    row = table["COMET-refA", "good"]
    found = {
        "seg": lambda: segments(table, "COMET-refA", "good"),
        "doc": lambda: [document.score for document in row.documents],
        "sys": lambda: [row.score],
    }[level]()
    assert found == values


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("system doc segment m", "good d3 1 1"), "2: document 'd3' is not in test set 'tiny'"),
        (("system doc segment m", "good d1 3 1"), "2: segment 3, but there are 2"),
        (("system doc segment m", "good d1 x 1"), "2: 'x' is not the number of a segment"),
        (("system doc segment m", "a d1 1 1", "a d1 1 1"), "3: a second row on the same segment"),
        (("system doc m", "good d1 high"), "2: column 'm': 'high' is no score"),
        (("system m", "good 1", "good 2"), "3: 'good' has 2 rows, the test set has 3 segments"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(scores, lines, message):
    with pytest.raises(FormatError) as error:
        scores(*lines)
    assert message in str(error.value)


def test_a_table_of_scores_needs_a_test_set(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("system\tcomet\ngood\t1\n")
    assert recognise(path).name == "score-table"
    with pytest.raises(FormatError, match="of which test set"):
        read_scores(path)


def test_a_column_of_a_named_system_is_no_column_of_systems(scores):
    with pytest.raises(FormatError):
        scores("system: doc segment x", "a d1 1 0.5")
