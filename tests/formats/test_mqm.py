"""MQM ratings in Google's and in Marot's columns, with texts of our own."""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats import ReadOptions, mqm, recognise, wmt_tables
from isogloss.judgements import GOOGLE_MQM, ErrorMark, Judgement, Judgements, scored_by_errors
from isogloss.spans import Span

COMMON = ["rater", "source", "target", "category", "severity"]
GOOGLE = ["system", "doc", "doc_id", "seg_id", *COMMON]
MAROT = ["system", "doc", "docSegId", "globalSegId", *COMMON, "metadata"]

TESTSET = TestSet(
    "tiny",
    "en",
    "de",
    (
        Document(
            "bbc.1",
            ("One house.", 'He said: "No".'),
            {"A": ("Ein Haus.", "Er sagte nein.")},
            "news",
        ),
        Document("blog", ("Two\nlines 😀!",), {"A": ("Zwei\nZeilen 😀!",)}),
    ),
)
COLLECTION = Collection(
    TESTSET,
    (
        SystemOutput(
            "good", {"bbc.1": ("Ein Haus.", 'Er sagte: "Nein".'), "blog": ("Zwei\nZeilen 😀!",)}
        ),
        SystemOutput("bad", {"bbc.1": ("Eine Haus .", None), "blog": ("<v>",)}),
    ),
)


def put(path: Path, header: list[str], *rows: Iterable[str]) -> Path:
    path.write_text("".join("\t".join(row) + "\n" for row in (header, *rows)), encoding="utf-8")
    return path


def rating(
    target: str, category: str = "Fluency/Grammar", severity: str = "Minor", **cells: str
) -> list[str]:
    """A row of Google's columns about the first segment."""
    row = dict(
        zip(GOOGLE, ["good", "bbc.1", "1", "1", "rater1", "One house.", target], strict=False)
    )
    row |= {"category": category, "severity": severity} | cells
    return [row[name] for name in GOOGLE]


def only(path: Path, known: TestSet | Collection = COLLECTION) -> Judgement:
    (item,) = mqm.read(path, known).items
    return item


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ratings.tsv"


def test_ratings_are_recognised_by_their_header(path, tmp_path):
    assert recognise(put(path, GOOGLE, rating("Ein Haus."))).name == "mqm"
    assert recognise(put(path, MAROT)).name == "mqm"
    assert mqm.recognises(
        path, "system\tdoc\tdoc_seg_id\tglobal_seg_id\trater\tsource\ttarget\tcategory\tseverity"
    )
    assert not mqm.recognises(path, "system\tdoc\tsegment\tsource\ttarget\n")
    assert not mqm.recognises(tmp_path, "")


def test_errors_of_one_rater_on_one_segment_come_together(path):
    put(
        path,
        [*GOOGLE, "comment"],
        [*rating("<v>Ein</v> Haus.", "Accuracy/Mistranslation", "Major"), "should be 'das'"],
        [*rating("Ein Haus.", "No-error", "No-error", system="ref-A"), ""],
        [*rating("Ein <v>Haus.</v>", "Fluency/Punctuation"), ""],
        [*rating("Ein Haus.", "no-error", "no-error", rater="rater2"), ""],
    )
    reading = mqm.read_ratings(path, COLLECTION)
    assert reading.judgements == Judgements(
        "mqm",
        (
            Judgement(
                "good",
                "bbc.1",
                0,
                "rater1",
                -5.1,
                (
                    ErrorMark(
                        "Accuracy/Mistranslation", "Major", span("good", 0, 3), "should be 'das'"
                    ),
                    ErrorMark("Fluency/Punctuation", "Minor", span("good", 4, 9)),
                ),
            ),
            Judgement("A", "bbc.1", 0, "rater1", 0.0, human=True),
            Judgement("good", "bbc.1", 0, "rater2", 0.0),
        ),
    )
    assert (reading.marked, reading.unplaced, reading.left_out) == (2, 0, 0)


def span(system: str, start: int, end: int, segment: int = 0, document: str = "bbc.1") -> Span:
    return Span(document, f"output:{system}", segment, start, end)


@pytest.mark.parametrize(
    ("category", "severity", "score"),
    [
        ("Accuracy/Omission", "Major", -5.0),
        ("accuracy/omission", "minor", -1.0),
        ("Fluency/Punctuation", "minor", -0.1),
        ("Fluency/Punctuation", "Major", -5.0),
        ("Non-translation!", "Major", -25.0),
        ("Source error/-", "Major", 0.0),
        ("Source issue", "minor", 0.0),
        ("Style/Awkward", "Neutral", 0.0),
        ("Style/Awkward", "critical", -5.0),
    ],
)
def test_errors_cost_what_google_says(path, category, severity, score):
    item = only(put(path, GOOGLE, rating("<v>Ein</v> Haus.", category, severity)))
    assert item.score == score
    assert len(item.errors) == 1


def test_marks_in_the_source_lie_in_the_source(path):
    item = only(put(path, GOOGLE, rating("Ein Haus.", source="<v>One</v> house.")))
    assert item.errors[0].span == Span("bbc.1", "source", 0, 0, 3)


def test_an_error_without_a_mark_has_no_place_and_is_not_counted(path):
    reading = mqm.read_ratings(put(path, GOOGLE, rating("Ein Haus.")), COLLECTION)
    assert reading.judgements.items[0].errors[0].span is None
    assert (reading.marked, reading.unplaced) == (0, 0)


@pytest.mark.parametrize(
    "target",
    [
        "<v>Das</v> Haus.",  # a rater's edit leaked
        "<v>Ein</v>  Haus.",
        "<v>Ein</v> <v>Haus</v>.",  # which of them?
        "<v>Ein Haus.",
        "Ein</v> Haus.",
        "</v>Ein<v> Haus.",
    ],
)
def test_an_error_in_another_text_is_kept_without_its_place(path, target):
    reading = mqm.read_ratings(put(path, GOOGLE, rating(target)), COLLECTION)
    (item,) = reading.judgements.items
    assert (item.score, item.errors) == (-1.0, (ErrorMark("Fluency/Grammar", "Minor"),))
    assert (reading.marked, reading.unplaced) == (1, 1)


def test_white_space_around_the_whole_text_does_not_matter(path):
    assert only(put(path, GOOGLE, rating("  Ein <v>Haus</v>. "))).errors[0].span == span(
        "good", 4, 8
    )


def test_without_the_outputs_only_sources_and_references_have_places(path):
    put(
        path,
        GOOGLE,
        rating("<v>Ein</v> Haus."),
        rating("<v>Ein</v> Haus.", system="refA"),
        rating("Ein Haus.", source="One <v>house</v>.", rater="r2"),
    )
    reading = mqm.read_ratings(path, TESTSET)
    spans = [item.errors[0].span for item in reading.judgements.items]
    assert spans == [None, Span("bbc.1", "reference:A", 0, 0, 3), Span("bbc.1", "source", 0, 4, 9)]
    assert (reading.marked, reading.unplaced) == (3, 1)


def test_cells_may_be_quoted_as_in_csv(path):
    # WMT20 does so wherever a text has quotation marks.
    row = rating(
        '"Er sagte: <v>""Nein""</v>."', source='"He said: ""No""."', doc_id="2", seg_id="2"
    )
    item = only(put(path, GOOGLE, row))
    assert (item.segment, item.errors[0].span) == (1, span("good", 10, 16, 1))


def test_line_breaks_may_be_written_as_backslash_n(path):
    row = rating(r"Zwei\n<v>Zeilen</v> 😀!", source=r"Two\nlines 😀!", doc="blog", doc_id="1")
    assert only(put(path, GOOGLE, row)).errors[0].span == span("good", 5, 11, document="blog")


@pytest.mark.parametrize(
    ("cells", "place"),
    [
        ({"doc": "news_bbc.1:English-German"}, ("bbc.1", 0)),  # WMT22
        ({"doc_id": "7", "seg_id": "1"}, ("bbc.1", 0)),  # numbered over all
        ({"doc_id": "2", "seg_id": "9"}, ("bbc.1", 0)),  # the text decides
        ({"source": 'He said "No"'}, ("bbc.1", 1)),
        ({"doc": "blog", "source": "two lines 😀", "doc_id": "?"}, ("blog", 0)),
    ],
)
def test_a_segment_is_found_by_number_and_text(path, cells, place):
    item = only(put(path, GOOGLE, rating("Ein Haus.", "No-error", "No-error", **cells)))
    assert (item.document, item.segment) == place


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"doc": "cnn"}, "ratings.tsv:3: document 'cnn' is not in test set 'tiny'"),
        ({"source": "A hut."}, "ratings.tsv:3: segment 1 of document 'bbc.1' has another source"),
        ({"severity": "Grave"}, "ratings.tsv:3: MQM severity 'Grave' has no weight"),
        ({"severity": ""}, "ratings.tsv:3: MQM severity '' has no weight"),
    ],
)
def test_what_cannot_be_placed_or_weighed_is_refused_with_its_line(path, cells, message):
    put(path, GOOGLE, rating("Ein Haus."), rating("Ein Haus.", **cells))
    with pytest.raises(FormatError, match=re.escape(message)):
        mqm.read(path, COLLECTION)


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        (GOOGLE[:-1], ["x"] * 8, "ratings.tsv:1: there should be one column 'severity'"),
        ([*GOOGLE, "rater"], ["x"] * 10, "ratings.tsv:1: there should be one column 'rater'"),
        (GOOGLE, ["x"] * 8, "ratings.tsv:2: 8 columns, the header has 9"),
        (MAROT, ["x"] * 11, "ratings.tsv:2: 11 columns, the header has 10"),
    ],
)
def test_broken_tables_are_refused(path, header, row, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        mqm.read(put(path, header, row), COLLECTION)


def test_rows_that_judge_no_translation_are_left_out_and_counted(path):
    put(
        path,
        MAROT,
        [*rating("Ein Haus.", "Found", "HOTW-test"), "{}"],
        [*rating("Ein Haus.", "", "", rater=""), '{"segment": {}}'],
        [*rating("CANARY", "No-error", "", doc="canary", source="CANARY"), "{}"],
        rating("Ein Haus.", "No-error", "No-error"),  # metadata may be wanting
    )
    reading = mqm.read_ratings(path, COLLECTION)
    assert (len(reading.judgements.items), reading.left_out) == (1, 3)


def test_the_note_of_marot_is_the_comment(path):
    rows = [
        [*rating("Ein Haus.", "Other"), json.dumps({"timestamp": 1, "note": "odd"})],
        [*rating("Ein Haus.", "Other"), json.dumps({"timestamp": 1})],
        [*rating("Ein Haus.", "Other"), "plain words"],
    ]
    item = only(put(path, MAROT, *rows))
    assert [error.comment for error in item.errors] == ["odd", None, "plain words"]


def test_systems_go_by_their_own_names(path):
    names = ["hyp.good", "good.de", "Human-A.0", "unheard-of"]
    put(path, GOOGLE, *(rating("Ein Haus.", rater=name, system=name) for name in names))
    items = mqm.read(path, COLLECTION).items
    assert [(item.system, item.human) for item in items] == [
        ("good", False),
        ("good", False),
        ("A", True),
        ("unheard-of", False),
    ]


# --- writing -------------------------------------------------------------------------------------


def scored(*items: Judgement) -> Judgements:
    return Judgements("mqm", scored_by_errors(items, GOOGLE_MQM))


def test_marot_columns_are_written(path):
    mark = ErrorMark("Style/Awkward", "Minor", span("good", 5, 11, document="blog"), "hm\t!")
    mqm.write(
        scored(
            Judgement("good", "blog", 0, "r1", errors=(mark,)),
            Judgement("A", "bbc.1", 1, "r1", human=True),
        ),
        COLLECTION,
        path,
    )
    assert [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()] == [
        MAROT,
        [
            *("good", "blog", "1", "3", "r1", r"Two\nlines 😀!", r"Zwei\n<v>Zeilen</v> 😀!"),
            *("Style/Awkward", "Minor", r'{"note": "hm\t!"}'),
        ],
        [
            *("A", "bbc.1", "2", "2", "r1", 'He said: "No".', "Er sagte nein."),
            *("No-error", "No-error", "{}"),
        ],
    ]


WORDS = st.text("abc é漢/-", min_size=1, max_size=6).map(str.strip).filter(bool)


@st.composite
def rated(draw: st.DrawFn) -> tuple[Collection, Judgements]:
    texts = st.text(
        st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n"\\'), max_size=12
    )
    sources = draw(st.lists(texts, min_size=1, max_size=3, unique=True))
    lines = st.lists(texts, min_size=len(sources), max_size=len(sources)).map(tuple)
    document = Document("d", tuple(sources), {"A": draw(lines)})
    output = SystemOutput("s", {"d": draw(lines)})
    collection = Collection(TestSet("t", "en", "de", (document,)), (output,))
    items = []
    places = st.tuples(st.sampled_from(["s", "A"]), st.integers(0, len(sources) - 1), WORDS)
    for system, segment, rater in draw(st.lists(places, max_size=4, unique=True)):
        side = "output:s" if system == "s" else "reference:A"
        texts_of = {
            side: (output.documents["d"] if system == "s" else document.references["A"])[segment]
        }
        texts_of["source"] = document.source[segment]
        errors = []
        for _ in range(draw(st.integers(0, 2))):
            where = draw(st.sampled_from(sorted(texts_of)))
            ends = st.integers(0, len(texts_of[where] or ""))
            start, end = sorted((draw(ends), draw(ends)))
            place = draw(st.none() | st.just(Span("d", where, segment, start, end)))
            severity = draw(st.sampled_from(["Major", "minor", "Neutral", "critical"]))
            errors.append(ErrorMark(draw(WORDS), severity, place, draw(st.none() | texts)))
        items.append(Judgement(system, "d", segment, rater, None, tuple(errors), system == "A"))
    return collection, scored(*items)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=rated())
def test_what_is_written_is_read_back_or_refused(made, tmp_path_factory):
    collection, judgements = made
    path = tmp_path_factory.mktemp("mqm") / "ratings.tsv"
    try:
        mqm.write(judgements, collection, path)
    except InputError:
        event("refused")
        assert not path.exists()
    else:
        event("written")
        assert mqm.read(path, collection) == judgements


def test_ordinary_ratings_are_not_refused(path):
    marks = (
        ErrorMark("Accuracy/Omission", "Major", Span("blog", "source", 0, 4, 9)),
        ErrorMark("Fluency/Grammar", "minor", span("good", 12, 13, document="blog"), "why?"),
        ErrorMark("Style/Awkward", "Neutral"),
    )
    judgements = scored(
        Judgement("good", "blog", 0, "r1", errors=marks),
        Judgement(
            "good", "bbc.1", 1, "r1", errors=(ErrorMark("Other", "minor", span("good", 0, 0, 1)),)
        ),
        Judgement("good", "bbc.1", 1, "r2"),
        Judgement("A", "bbc.1", 1, "r1", human=True),
    )
    mqm.write(judgements, COLLECTION, path)
    assert mqm.read(path, COLLECTION) == judgements


GOOD = Judgement("good", "bbc.1", 0, "r1")


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (Judgement("good", "bbc.1", None, "r1"), "not about a segment"),
        (Judgement("good", "cnn", 0, "r1"), "not about a segment"),
        (Judgement("good", "bbc.1", 2, "r1"), "not about a segment"),
        (replace(GOOD, annotator=None), "needs a rater"),
        (replace(GOOD, system="unheard-of"), "and an output"),
        (Judgement("bad", "bbc.1", 1, "r1"), "and an output"),
        (replace(GOOD, annotator="a\tb"), "a tab or a line break"),
        (replace(GOOD, annotator=" r1"), "would not be read back"),
        (replace(GOOD, human=True), "would not be read back"),
        (replace(GOOD, score=-3.0), "not what its errors cost"),
        (replace(GOOD, errors=(ErrorMark("No-error", "Minor"),)), "would not be read back"),
        (
            replace(GOOD, errors=(ErrorMark("x", "Minor", span("bad", 0, 1)),)),
            "another text than was",
        ),
        (
            replace(GOOD, errors=(ErrorMark("x", "Minor", span("good", 0, 99)),)),
            "would not be read",
        ),
        (
            replace(GOOD, errors=(ErrorMark("x", "Minor", span("good", 0, 1, 1)),)),
            "would not be read",
        ),
        (
            Judgement(
                "bad",
                "blog",
                0,
                "r1",
                errors=(ErrorMark("x", "Minor", span("bad", 3, 3, 0, "blog")),),
            ),
            "would not be read back",
        ),
    ],
)
def test_what_the_columns_cannot_hold_is_refused(item, why, path):
    with pytest.raises(InputError, match=re.escape(why)):
        mqm.write(Judgements("mqm", (item,)), COLLECTION, path)
    assert not path.exists()


def test_two_judgements_of_one_rater_on_one_segment_are_refused(path):
    again = replace(GOOD, errors=(ErrorMark("x", "Minor"),))
    with pytest.raises(InputError, match="would not be read back"):
        mqm.write(scored(GOOD, again), COLLECTION, path)


def test_marks_in_real_outputs_survive_the_way_through(shared_data, path):
    folder = shared_data / "wmt" / "wmt20" / "zh-en"
    collection = wmt_tables.read(folder, ReadOptions())
    items = []
    for document in collection.testset.documents[:40]:
        for output in collection.outputs[:3]:
            for segment, text in enumerate(output.documents[document.id]):
                assert text is not None
                places = ((0, len(text)), (len(text) // 3, len(text) // 2))
                side = f"output:{output.name}"
                marks = [
                    ErrorMark("Style", "Minor", Span(document.id, side, segment, *p))
                    for p in places
                ]
                items.append(Judgement(output.name, document.id, segment, "r", errors=tuple(marks)))
    judgements = scored(*items)
    mqm.write(judgements, collection, path)
    reading = mqm.read_ratings(path, collection)
    assert reading.judgements == judgements
    assert (reading.marked, reading.unplaced) == (2 * len(items), 0)
