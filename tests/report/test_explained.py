"""Which pairs of systems the report takes apart, and what it holds of them."""

import pytest

from isogloss import load_sample
from isogloss.comparison import ComparisonSettings, compare
from isogloss.evaluation import evaluate
from isogloss.explanation import explain
from isogloss.report import report_data
from isogloss.report.explained import chosen_pairs
from report.made_reports import compared, judged, small_collection, table_of, unpacked

SETTINGS = ComparisonSettings(resamples=500)


def test_neighbours_and_the_best_come_first() -> None:
    order = ["a", "b", "c", "d"]
    pairs = chosen_pairs(order, small_collection(), 2, "some")
    assert pairs == [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d")]
    assert len(chosen_pairs(order, small_collection(), 2, "all")) == 6


def test_a_budget_bounds_the_work_and_not_what_was_asked_for() -> None:
    order = [f"system-{n}" for n in range(40)]
    some = chosen_pairs(order, small_collection(), 20, "some")
    assert 1 <= len(some) < 77
    assert some[0] == ("system-0", "system-1")
    assert len(chosen_pairs(order, small_collection(), 20, "all")) == 780
    assert len(chosen_pairs(order, small_collection(), 10**6, "some")) == 1


def test_the_page_says_what_the_terminal_says() -> None:
    collection = load_sample("cs-en")
    table = evaluate(collection, ["chrf", "bleu"])
    data = report_data(collection, table, compare(table, settings=SETTINGS), explain="all")
    overview, names = data.overview, list(table.systems)
    assert len(overview.explained) == len(data.explanations) == 3
    assert overview.unexplained is None
    for pair, part in zip(overview.explained, data.explanations, strict=True):
        assert [overview.metrics[i].name for i in pair.metrics] == ["chrf", "bleu"]
        first, second = names[pair.first], names[pair.second]
        for metric, shown in zip(("chrf", "bleu"), part.metrics, strict=True):
            found = explain(table, first, second, metric, collection=collection, settings=SETTINGS)
            assert " ".join(clause.text for clause in shown.clauses) == found.summary
            tables = {each.name: each for each in shown.tables}
            linked = {name for clause in shown.clauses for name in clause.tables}
            assert linked <= {*tables, "passages"}
            position = found.view("position")
            assert position is not None
            drawn = [each.value for each in tables["position"].measured if each]
            expected = [part.carries.value for part in position.parts]
            assert drawn == pytest.approx(expected, rel=5e-3)
            assert len(shown.passages) == len(found.found.passages)


def test_passages_are_places_in_the_documents_of_the_page() -> None:
    collection = small_collection()
    table = table_of(collection, ("made",))
    data = report_data(collection, table, compared(table))
    pair, shown = data.overview.explained[0], data.explanations[0].metrics[0]
    assert (pair.first, pair.second) == (0, 1)
    passage = next(each for each in shown.passages if each.segment == 1)
    texts = data.documents[passage.document].texts[passage.segment]
    output = texts[2 + pair.first]
    start, length, right = unpacked(passage.first)
    assert output is not None
    assert output[start : start + length] == "ferry"
    assert not right  # the reference of this test set is its source


def test_what_is_not_there_is_said() -> None:
    collection = small_collection()
    table = table_of(collection, ("made",))
    none = report_data(collection, table, compared(table), explain="none").overview
    assert none.explained == ()
    assert none.unexplained is not None
    alone = collection.with_systems(["good"])
    table = table_of(alone, ("made",))
    assert report_data(alone, table, compared(table)).overview.unexplained is None


def test_people_are_explained_as_metrics_are() -> None:
    collection = small_collection()
    table = table_of(collection, ("made", "chains"))
    data = report_data(collection, table, compared(table), judged(collection))
    shown = {data.overview.metrics[i].name for i in data.overview.explained[0].metrics}
    assert shown == {"made", "chains", "mqm"}
    people = [
        metric
        for metric, number in zip(
            data.explanations[0].metrics, data.overview.explained[0].metrics, strict=True
        )
        if data.overview.metrics[number].people
    ]
    assert people[0].clauses[0].text.startswith("good is ahead of bad by 1.00 mqm")
