"""What goes into the report: everything that was scored, and nothing that does not fit."""

import re
from dataclasses import replace

import numpy as np
import pytest

from isogloss import Collection, Judgements, evaluate, load_sample
from isogloss.alignment import aligner
from isogloss.comparison import compare
from isogloss.errors import InputError, MismatchError
from isogloss.judgements import Judgement
from isogloss.report import report_data
from isogloss.report.html import page
from isogloss.spans import Evidence, Span, output_side
from report.made_reports import (
    compared,
    cut_report,
    data_of,
    judged,
    parts_of,
    small_collection,
    small_report,
    table_of,
    unpacked,
)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return small_collection()


def test_the_overview_holds_what_was_scored() -> None:
    overview = small_report().overview
    assert [system.name for system in overview.systems] == ["good", "bad", "other"]
    assert overview.documents.domains == ("news", "talk")
    assert overview.documents.domain == (0, 0, 0, 1, 1, 1)
    assert overview.documents.segments == (3,) * 6
    made, chains = overview.metrics
    assert [place.system for place in made.places] == [0, 1, 2], "best first"
    assert len(made.pairs) == 3
    assert len(unpacked(made.documents)) == 3 * 6
    assert made.segment_digits == 1
    limit = overview.verdict.clauses[0]
    assert limit.startswith("6 documents and 3 pairs of systems: once corrected")
    assert limit not in overview.warnings, "said once"
    assert overview.warnings[0].startswith("the source has")
    assert [layer.name for layer in overview.layers] == [chains.name]
    assert [a.level for a in overview.agreement] == ["system", "document", "segment"]
    assert overview.agreement[1].values[0][0] == pytest.approx(1)


def test_evidence_keeps_its_places() -> None:
    part = small_report().documents[0]
    (layer,) = part.layers
    assert unpacked(layer.spans) == [5, 1, 5, 1, 5, 1], "two for each system"
    assert len(unpacked(layer.start)) == 18
    assert unpacked(layer.system) == [0, 0, 1, 0, 1, 0], "as steps"
    assert small_report().documents[1].layers == ()
    assert part.texts[1] == (
        "Trajekt stojí 😀 tady.",
        "Trajekt stojí 😀 tady.",
        "The ferry 😀 stops here.",
        "The boat 😀 stops here.",
        "The boat 😀 stops here.",
    )


def test_the_page_carries_all_of_it() -> None:
    html = page(small_report())
    parts = parts_of(html)
    assert list(parts) == [
        "overview",
        "segments-0",
        "segments-1",
        *(f"document-{i}" for i in range(6)),
        *(f"explanation-{i}" for i in range(3)),
    ]
    assert "http://" not in (
        rest := re.sub(r"<script.*?</script>|<style>.*?</style>", "", html, flags=re.S)
    )
    assert "https://" not in rest
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]


def test_scores_of_other_texts_are_refused_or_told(collection: Collection) -> None:
    table = table_of(collection)
    with pytest.raises(MismatchError, match="documents or their lengths differ"):
        report_data(load_sample("cs-en"), table, compared(table))
    with pytest.raises(InputError, match="no system 'other'"):
        report_data(collection.with_systems(["good", "bad"]), table, compared(table))
    changed = replace(collection, testset=replace(collection.testset, source_language="sk"))
    data = report_data(changed, table, compared(table))
    assert any("not exactly those that were scored" in w for w in data.overview.warnings)


def test_unscored_segments_are_told_once_for_a_metric() -> None:
    sample = load_sample("cs-en").with_systems(["steady", "tangled"])
    lacking = [
        replace(
            output, documents={id: (None, *rest) for id, (_, *rest) in output.documents.items()}
        )
        for output in sample.outputs
    ]
    for outputs, others in (
        (lacking[:1], ""),
        (lacking, ", and at most as many of 1 other system"),
    ):
        collection = replace(sample, outputs=tuple(outputs))
        table = evaluate(collection, ["chrf"])
        data = report_data(collection, table, compare(table))
        told = f"chrf: 8 segments of 53 of 'steady' not scored{others}"
        assert data.overview.warnings[0] == told


def test_what_was_not_scored_and_what_misleads_stand_among_the_warnings() -> None:
    sample = load_sample("cs-en")
    thai = replace(sample, testset=replace(sample.testset, target_language="th"))
    table = evaluate(thai, ["prism", "chrf", "lc"])
    data = report_data(thai, table, compare(table))
    assert any(w.startswith("prism: not scored: the model") for w in data.overview.warnings)
    assert any(w.startswith("lc: equal to rc by") for w in data.overview.warnings)
    assert not any("segments of" in w and w.startswith("prism") for w in data.overview.warnings)
    assert [place.score for place in data.overview.metrics[0].places] == [None] * 3
    assert page(data)


def test_people_stand_beside_the_metrics(collection: Collection) -> None:
    table = table_of(collection, ("made", "noisy"))
    overview = report_data(collection, table, compared(table), judged(collection)).overview
    people = overview.metrics[0]
    assert people.people
    assert people.name == "mqm"
    assert [place.score for place in people.places] == [-1, -2, -3]
    assert overview.layers[0].reasons == ("minor: fluency/grammar",)
    assert overview.people is not None
    assert {average.metric for average in overview.people.averages} == {"made", "noisy"}
    assert overview.verdict.order == (0, 1, 2)
    assert overview.verdict.headline is not None
    assert any("people" in clause for clause in overview.verdict.clauses)
    assert overview.people.annotators == 1
    assert {each.level for each in overview.people.preferences} == {"segment", "document"}


def test_people_who_scored_whole_documents_stand_beside_the_metrics(
    collection: Collection,
) -> None:
    table = table_of(collection, ("made", "noisy"))
    scores = tuple(
        Judgement(system, document.id, annotator="ann", score=50.0 - 10 * rank - number)
        for rank, system in enumerate(collection.system_names)
        for number, document in enumerate(collection.testset.documents)
    )
    given = report_data(collection, table, compared(table), Judgements("document", scores))
    people = given.overview.people
    assert people is not None
    assert {column.level for column in people.columns} == {"document", "system"}
    assert {each.level for each in people.preferences} == {"document"}


def test_people_who_judged_others_are_no_help(collection: Collection) -> None:
    table = table_of(collection)
    strangers = Judgements("mqm", (Judgement("stranger", "news-1", 0, None, 1.0),))
    with pytest.raises(InputError, match="judged none of the scored systems"):
        report_data(collection, table, compared(table), strangers)
    with pytest.raises(InputError, match="a metric is called 'made'"):
        report_data(collection, table, compared(table), judged(collection, "made"))


def test_words_can_be_aligned(collection: Collection) -> None:
    table = table_of(collection)
    data = report_data(collection, table, compared(table), aligner=aligner("eflomal"))
    assert [layer.kind for layer in data.overview.layers] == ["links"]
    (part,) = data.documents[0].layers
    sides = np.cumsum([_signed(number) for number in unpacked(part.side)])
    assert set(sides.tolist()) <= {0, 2, 3, 4}, "the source and the systems, no reference"
    counts = unpacked(part.spans)
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    assert (sides[firsts] == 0).all(), "every link begins at a source word"
    assert min(counts) >= 2


def _signed(number: int) -> int:
    return -(number + 1) // 2 if number % 2 else number // 2


def test_cut_texts_tell_where_their_segments_begin() -> None:
    report = cut_report()
    (part,) = report.documents
    swapped, short = part.handed_in
    assert swapped is not None
    assert unpacked(swapped) == [2 * step for step in (0, 56, 28, 78, 65)], "signed steps"
    assert short is not None
    assert [part.handed_in for part in small_report().documents] == [(None, None, None)] * 6
    (layer,) = report.overview.layers
    assert layer.kind == "marks"


def test_evidence_of_one_kind_is_heat_only_where_it_may_be_a_log_probability() -> None:
    collection = small_collection()
    place = Span("news-1", output_side("good"), 0, 0, 3)
    kinds = {}
    for value in (-2.5, 3.0):
        table = table_of(collection, ("made",), lambda *_, v=value: [Evidence("x", (place,), v)])
        (layer,) = data_of(collection, table).overview.layers
        kinds[value] = layer.kind
    assert kinds == {-2.5: "heat", 3.0: "marks"}
