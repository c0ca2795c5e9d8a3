"""Coverage: what is left out, added, said again or moved, on cuts that are known."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss import Collection, Document, SystemOutput, TestSet
from isogloss.errors import NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.metrics import load_metric
from isogloss.scores import Measurement
from isogloss.spans import SOURCE, Evidence, output_side
from isogloss.wholes import Cut, Disparity, Kind, WholeText

SOURCE_LINES = ("Der Hund schläft.", "Die Katze wacht auf.", "Es regnet.")
OUTPUT = "The dog sleeps. Buy now! It rains. It rains."
ADDED, REPEATED = (16, 24), (35, 44)
CUT = Cut(
    WholeText.of_lines([OUTPUT]),
    ((0, 25), (25, 25), (25, 44)),
    (
        Disparity(Kind.ADDED, 0, output=ADDED),
        Disparity(Kind.OMITTED, 1, source=(0, 20)),
        Disparity(Kind.REPEATED, 2, output=REPEATED),
    ),
)


def collection_of(cut: Cut, source: tuple[str, ...] = SOURCE_LINES) -> Collection:
    testset = TestSet("made", "de", "en", (Document("d", source),))
    return Collection(
        testset, (SystemOutput("a", {"d": cut.segments}, cuts={"d": cut}, cut_by="hand"),)
    )


def measured(collection: Collection, metric: str = "coverage") -> Measurement:
    ((translation,),) = (list(collection.translations(o)) for o in collection.outputs)
    (measurement,) = load_metric(metric).measure([translation])
    return measurement


def texts(collection: Collection, evidence: Evidence) -> list[str]:
    """The words of the evidence, the empty ones of a gap too."""
    document, output = collection.testset.documents[0], collection.outputs[0]
    sides = {SOURCE: document.source, output_side(output.name): output.documents["d"]}
    return [span.text(sides[span.side]) for span in evidence.spans]


def test_words_without_a_partner_are_counted() -> None:
    found = measured(collection_of(CUT))
    # Words and marks of the source, those omitted, those of the output, those ungrounded.
    assert found.segment_statistics is not None
    assert found.segment_statistics.tolist() == [[4, 0, 7, 3], [5, 5, 0, 0], [3, 0, 6, 3]]
    rendered, grounded = 7 / 12, 7 / 13
    both = 2 * rendered * grounded / (rendered + grounded)
    for side, share in {"source": rendered, "output": grounded, "both": both}.items():
        metric = load_metric(f"coverage(side={side})")
        assert metric.score(found.statistics) == pytest.approx(100 * share)


def test_segments_have_scores_of_their_own() -> None:
    first, second, third = measured(collection_of(CUT)).segment_scores or ()
    assert first == pytest.approx(100 * 2 * (4 / 7) / (1 + 4 / 7))
    assert second == 0, "an output that is empty grounds nothing, and the source tells all"
    assert third == pytest.approx(100 * 2 / 3)


def test_evidence_shows_where() -> None:
    collection = collection_of(CUT)
    evidence = measured(collection).evidence
    assert [(e.reason, texts(collection, e), e.value) for e in evidence] == [
        ("added", ["Buy now!"], 3.0),
        ("omitted", ["Die Katze wacht auf.", ""], 5.0),
        ("repeated", ["It rains."], 3.0),
    ]


def test_what_was_moved_is_shown_and_costs_nothing() -> None:
    whole = WholeText.of_lines(["It rains. The dog sleeps."])
    moved = Disparity(Kind.MOVED, 1, source=(0, 10), output=(0, 9))
    cut = Cut(whole, ((0, 25), (25, 25)), (moved,))
    collection = collection_of(cut, ("Der Hund schläft.", "Es regnet."))
    found = measured(collection)
    assert load_metric("coverage").score(found.statistics) == 100
    (evidence,) = found.evidence
    assert evidence.reason == "moved"
    assert texts(collection, evidence) == ["Es regnet.", "It rains.", ""], "and where it is not"


def test_what_spans_two_segments_is_marked_in_both() -> None:
    cut = Cut(
        WholeText.of_lines(["The dog", "sleeps well."]),
        ((0, 8), (8, 20)),
        (Disparity(Kind.ADDED, 0, output=(4, 14)),),
    )
    collection = collection_of(cut, ("Der Hund", "schläft gut."))
    found = measured(collection)
    assert texts(collection, found.evidence[0]) == ["dog", "sleeps"]
    assert found.segment_statistics is not None
    assert found.segment_statistics[:, 3].tolist() == [1, 1]


def test_words_that_are_added_twice_count_once() -> None:
    twice = replace(CUT, disparities=(*CUT.disparities, replace(CUT.disparities[0])))
    statistics = measured(collection_of(CUT)).statistics
    assert measured(collection_of(twice)).statistics.tolist() == statistics.tolist()


def test_absent_segments_are_not_scored_and_empty_ones_are_omitted() -> None:
    testset = TestSet("made", "de", "en", (Document("d", SOURCE_LINES),))
    output = SystemOutput("a", {"d": ("The dog sleeps.", "", None)})
    found = measured(Collection(testset, (output,)))
    assert (found.scored, found.total) == (2, 3)
    assert found.segment_scores is not None
    assert found.segment_scores[1:] == (0, None)
    assert [(e.reason, e.spans[0].segment) for e in found.evidence] == [("omitted", 1)]


def test_a_document_that_is_absent_is_not_scored() -> None:
    testset = TestSet("made", "de", "en", (Document("d", SOURCE_LINES),))
    collection = Collection(testset, (SystemOutput("a", {"d": (None,) * 3}),))
    found = measured(collection)
    assert found.scored == 0
    assert np.isnan(found.segment_statistics).all()  # type: ignore[arg-type]
    assert evaluate(collection, "coverage").rows[0].score is None


def test_space_around_given_segments_moves_no_mark() -> None:
    whole = WholeText.of_lines(["  The dog sleeps. Buy now!"])
    cut = Cut(whole, ((0, 26),), (Disparity(Kind.ADDED, 0, output=(18, 26)),))
    testset = TestSet("made", "de", "en", (Document("d", SOURCE_LINES[:1]),))
    output = SystemOutput("a", {"d": (whole.text,)}, cuts={"d": cut})
    collection = Collection(testset, (output,))
    assert texts(collection, measured(collection).evidence[0]) == ["Buy now!"]


TWO = ("Der Hund schläft im Garten. Die Katze sitzt am Fenster.",)


@pytest.mark.parametrize(
    ("omitted", "line", "gap"),
    [
        ((28, 55), "The dog sleeps in the garden.", 29),
        ((0, 27), "The cat sits at the window.", 0),
        ((0, 27), "", 0),
    ],
)
def test_a_gap_shows_about_where_text_is_missing(
    omitted: tuple[int, int], line: str, gap: int
) -> None:
    whole = WholeText(line, ())
    cut = Cut(whole, ((0, len(line)),), (Disparity(Kind.OMITTED, 0, source=omitted),))
    testset = TestSet("made", "de", "en", (Document("d", TWO),))
    collection = Collection(testset, (SystemOutput("a", {"d": (line,)}, cuts={"d": cut}),))
    (evidence,) = measured(collection).evidence
    assert (evidence.spans[0].start, evidence.spans[0].end) == omitted
    assert (evidence.spans[1].start, evidence.spans[1].end) == (gap, gap)


def test_languages_have_to_be_known() -> None:
    collection = collection_of(CUT)
    testset = replace(collection.testset, target_language=None)
    with pytest.raises(NotApplicableError, match="coverage needs to know both languages"):
        load_metric("coverage").signature(testset)


@pytest.mark.parametrize("told", [True, False], ids=["places known", "places unknown"])
def test_segments_as_they_were_given_are_looked_through(told: bool) -> None:
    """Where segments are those of the source nobody has looked yet, even if places are told."""
    lines = ("The dog sleeps in the garden.", "It has been raining since yesterday.")
    whole = WholeText.of_lines(lines)
    cuts = {"d": Cut(whole, ((0, 30), (30, len(whole.text))))} if told else {}
    document = Document("d", (*TWO, "Es regnet seit gestern."))
    output = SystemOutput("a", {"d": lines}, cuts=cuts)
    collection = Collection(TestSet("made", "de", "en", (document,)), (output,))
    (evidence,) = measured(collection).evidence
    assert evidence.reason == "omitted"
    assert texts(collection, evidence) == ["Die Katze sitzt am Fenster.", ""]


def test_a_cut_in_which_nothing_was_found_is_not_looked_through_again() -> None:
    cut = Cut(CUT.whole, CUT.places, ())
    reasons = [evidence.reason for evidence in measured(collection_of(cut)).evidence]
    assert reasons == ["omitted"], "its empty segment alone"
