import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.formats.places import Places, reference_called, same_words

TESTSET = TestSet(
    "tiny",
    "en",
    "de",
    (
        Document(
            "bbc.1",
            ("It cost 100,000 euros.", "Yes.", "No.", "Yes."),
            {"A": ("Es kostete 100.000 Euro.", "Ja.", "Nein.", "Ja.")},
            "news",
        ),
        Document("chat", ("😀", "Hello!"), {"A": ("😀", None)}),
    ),
)
OUTPUT = SystemOutput(
    "Online-A", {"bbc.1": ("Kosten.", "Ja.", "Nein.", "Ja."), "chat": ("😀", "Hi")}
)
PLACES = Places(Collection(TESTSET, (OUTPUT,)))


@pytest.mark.parametrize(
    ("name", "references", "expected"),
    [
        ("A", ["A", "B"], "A"),
        ("ref:B", ["A", "B"], "B"),
        ("ref-A", ["A", "B"], "A"),
        ("ref.A", ["refA", "refB"], "refA"),
        ("refA", ["A"], "A"),
        ("refb", ["refA", "refB"], "refB"),
        ("Human-P.0", ["A", "B", "P"], "P"),
        ("ref:r1", ["A", "r1"], "r1"),
        ("ref", ["only"], "only"),
        ("ref", ["A", "B"], "A"),
        ("ref", ["refA", "refB"], "refA"),
        ("synthetic_ref", ["refA", "synthetic_ref"], "synthetic_ref"),
        ("ref-C", ["A", "B"], None),
        ("refined-mt", ["A"], None),
        ("Online-A", ["A"], None),
        ("referee", ["A"], None),
    ],
)
def test_a_judged_reference_is_known_by_its_many_names(name, references, expected):
    assert reference_called(name, references) == expected


def test_a_system_is_found_with_its_text():
    judged = PLACES.judged("Online-A")
    assert (judged.name, judged.human, judged.side) == ("Online-A", False, "output:Online-A")
    assert judged.text("bbc.1", 2) == "Nein."


@pytest.mark.parametrize("name", ["hyp.Online-A", "Online-A.de"])
def test_what_wmt_puts_around_a_name_is_taken_off(name):
    assert PLACES.judged(name).name == "Online-A"


def test_a_reference_judged_as_a_system_is_human_and_goes_by_its_own_name():
    judged = PLACES.judged("Human-A.0")
    assert (judged.name, judged.human, judged.side) == ("A", True, "reference:A")
    assert judged.text("chat", 0) == "😀"
    assert judged.text("chat", 1) is None


def test_a_human_whose_text_is_unknown_is_still_human():
    assert PLACES.judged("ref-C").human
    assert PLACES.judged("ref-C").text("bbc.1", 0) is None


def test_an_unknown_system_has_no_text_and_is_no_human():
    judged = PLACES.judged("M2M100")
    assert (judged.name, judged.human, judged.text("bbc.1", 0)) == ("M2M100", False, None)


def test_a_reference_among_the_outputs_is_judged_there():
    output = SystemOutput("A", OUTPUT.documents, human=True)
    judged = Places(Collection(TESTSET, (output,))).judged("ref-A")
    assert (judged.name, judged.human, judged.side) == ("A", True, "output:A")


@pytest.mark.parametrize("name", ["bbc.1", "news_bbc.1", "bbc.1:English-German"])
def test_a_document_is_found_with_domain_and_direction_around_its_name(name):
    document = PLACES.document(name)
    assert document is not None
    assert document.id == "bbc.1"


def test_an_unknown_document_is_not_found():
    assert PLACES.document("cnn.1") is None


@pytest.mark.parametrize(
    ("source", "within", "overall", "expected"),
    [
        ("It cost 100000 euros", 0, None, 0),  # the tool normalised it
        ("No.", 0, None, 2),  # counted otherwise, but there is only one
        ("Yes.", 3, None, 3),
        ("Yes.", 1, None, 1),
        ("Yes.", None, 3, 3),
        ("Yes.", 0, None, None),  # which of the two?
        ("Yes.", 99, 99, None),
        ("Maybe.", 1, 1, None),
        ("Yes.", -1, None, None),
    ],
)
def test_a_segment_is_where_its_source_text_is(source, within, overall, expected):
    document = PLACES.document("bbc.1")
    assert document is not None
    assert PLACES.segment(document, source, within, overall) == expected


def test_overall_numbers_count_the_documents_before():
    document = PLACES.document("chat")
    assert document is not None
    assert PLACES.begin(document) == 4
    assert PLACES.segment(document, "Hello!", None, 5) == 1


def test_a_text_that_occurs_once_is_found_anywhere():
    found = PLACES.anywhere("hello")
    assert found is not None
    assert (found[0].id, found[1]) == ("chat", 1)
    assert PLACES.anywhere("Yes.") is None
    assert PLACES.anywhere("Perhaps.") is None


def test_texts_without_letters_are_compared_sign_by_sign():
    assert same_words("😀 !", "😀!")
    assert not same_words("😀", "😢")
