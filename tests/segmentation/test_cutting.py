"""Whole translations cut to the segments of their source, with the bundled model."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.documents import Document
from isogloss.formats.paragraphs import in_paragraphs
from isogloss.sample import SAMPLES, load_sample
from isogloss.segmentation import Segmenter, segmenter
from isogloss.segmentation.readers import ModelReader, SpellingReader
from isogloss.wholes import Cut, Disparity, Kind, WholeText
from strategies import texts

SOURCE = (
    "Der Sturm erreichte am Montag die Küste.",
    "Mehrere Straßen wurden überflutet.",
    "Die Feuerwehr rettete zwölf Menschen aus ihren Häusern.",
    "Am Abend ließ der Wind nach.",
    "Der Bürgermeister dankte allen Helfern.",
    "Morgen soll die Sonne scheinen.",
)
TRANSLATION = (
    "The storm reached the coast on Monday.",
    "Several roads were flooded.",
    "The fire brigade rescued twelve people from their homes.",
    "In the evening the wind dropped.",
    "The mayor thanked all the helpers.",
    "Tomorrow the sun is expected to shine.",
)
REFERENCE = (
    "On Monday the storm hit the coast.",
    "A number of streets were under water.",
    "Firefighters saved twelve people from their houses.",
    "The wind died down in the evening.",
    "The mayor expressed his thanks to all helpers.",
    "Sunshine is forecast for tomorrow.",
)
STRANGER = "Please subscribe to our newsletter for more recipes."

BARE = Document("storm", SOURCE)
# What holds without a reference holds with one.
both = pytest.mark.parametrize(
    "document", [BARE, replace(BARE, references={"ref": REFERENCE})], ids=["bare", "reference"]
)


def assert_whole(cut: Cut, document: Document) -> None:
    """Nothing of the text is lost, and findings lie where they say."""
    text = cut.whole.text
    assert len(cut.places) == len(document)
    assert "".join(text[start:end] for start, end in sorted(cut.places)) == text
    for found in cut.disparities:
        if found.source is not None:
            assert found.kind in (Kind.OMITTED, Kind.MOVED)
            shown = document.source[found.segment][slice(*found.source)]
            assert shown.strip() == shown != ""
        if found.output is not None:
            assert found.kind is not Kind.OMITTED
            assert text[slice(*found.output)].strip()
        if found.output is not None and found.source is None:
            start, end = cut.places[found.segment]
            assert start <= found.output[0] < end


def cut_of(cutter: Segmenter, document: Document, text: str | WholeText) -> Cut:
    whole = WholeText.of_lines([text]) if isinstance(text, str) else text
    cut = cutter.cut(document, whole)
    assert_whole(cut, document)
    return cut


def findings(cut: Cut, source: Sequence[str]) -> list[tuple[Kind, str]]:
    """What lacks its partner, in words: those of the output, or those that were left out."""
    return [(found.kind, _words(found, cut, source)) for found in cut.disparities]


def _words(found: Disparity, cut: Cut, source: Sequence[str]) -> str:
    if found.output is not None:
        return cut.whole.text[slice(*found.output)]
    assert found.source is not None
    return source[found.segment][slice(*found.source)]


def without(lines: tuple[str, ...], *numbers: int) -> tuple[str, ...]:
    return tuple(line for number, line in enumerate(lines) if number not in numbers)


def emptied(lines: tuple[str, ...], *numbers: int) -> tuple[str, ...]:
    return tuple("" if number in numbers else line for number, line in enumerate(lines))


@both
def test_a_joined_translation_is_taken_apart(german_english: Segmenter, document: Document) -> None:
    for between in (" ", "\n", "  ", "\u00a0"):
        cut = cut_of(german_english, document, between.join(TRANSLATION))
        assert cut.segments == TRANSLATION
        assert cut.disparities == ()


@both
def test_sentences_without_full_stops_are_taken_apart(
    german_english: Segmenter, document: Document
) -> None:
    lines = tuple(line[:-1].lower() for line in TRANSLATION)
    cut = cut_of(german_english, document, " ".join(lines))
    assert cut.segments == lines
    assert cut.disparities == ()


@both
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The storm reached the coast on Monday,", "several roads were flooded."),
        ("On Monday the storm reached the coast and", "several roads were flooded."),
    ],
)
def test_two_sentences_that_were_made_one_are_cut_between_words(
    german_english: Segmenter, document: Document, first: str, second: str
) -> None:
    lines = (first, second, *TRANSLATION[2:])
    cut = cut_of(german_english, document, " ".join(lines))
    assert cut.segments == lines
    assert cut.disparities == ()


@both
def test_a_sentence_that_was_made_two_stays_one_segment(
    german_english: Segmenter, document: Document
) -> None:
    lines = ("The storm came on Monday. It reached the coast.", *TRANSLATION[1:])
    cut = cut_of(german_english, document, " ".join(lines))
    assert cut.segments == lines
    assert cut.disparities == ()


@both
@pytest.mark.parametrize("missing", [(0,), (2,), (5,), (1, 2, 3), (0, 1), (1, 4)])
def test_what_was_left_out_is_found(
    german_english: Segmenter, document: Document, missing: tuple[int, ...]
) -> None:
    cut = cut_of(german_english, document, " ".join(without(TRANSLATION, *missing)))
    assert cut.segments == emptied(TRANSLATION, *missing)
    assert findings(cut, SOURCE) == [(Kind.OMITTED, SOURCE[number]) for number in missing]


@both
@pytest.mark.parametrize(("place", "segment"), [(0, 0), (3, 2), (6, 5)])
def test_what_was_added_is_found_and_belongs_to_a_segment(
    german_english: Segmenter, document: Document, place: int, segment: int
) -> None:
    lines = (*TRANSLATION[:place], STRANGER, *TRANSLATION[place:])
    cut = cut_of(german_english, document, " ".join(lines))
    assert findings(cut, SOURCE) == [(Kind.ADDED, STRANGER)]
    assert cut.disparities[0].segment == segment
    with_stranger = {0: f"{STRANGER} {TRANSLATION[0]}"}.get(
        place, f"{TRANSLATION[segment]} {STRANGER}"
    )
    expected = list(TRANSLATION)
    expected[segment] = with_stranger
    assert list(cut.segments) == expected


@both
def test_a_loop_takes_nothing_from_its_neighbours(
    german_english: Segmenter, document: Document
) -> None:
    loop = (TRANSLATION[2],) * 30
    cut = cut_of(german_english, document, " ".join((*TRANSLATION[:2], *loop, *TRANSLATION[3:])))
    assert cut.segments == (*TRANSLATION[:2], " ".join(loop), *TRANSLATION[3:])
    assert findings(cut, SOURCE) == [(Kind.REPEATED, TRANSLATION[2])] * 29
    assert {found.segment for found in cut.disparities} == {2}


@both
def test_a_loop_that_swallows_the_rest(german_english: Segmenter, document: Document) -> None:
    loop = (TRANSLATION[4],) * 30
    cut = cut_of(german_english, document, " ".join((*TRANSLATION[:4], *loop)))
    assert cut.segments == (*TRANSLATION[:4], " ".join(loop), "")
    repeated = [(Kind.REPEATED, TRANSLATION[4])] * 29
    assert findings(cut, SOURCE) == [(Kind.OMITTED, SOURCE[5]), *repeated]


def test_what_the_source_says_twice_may_be_said_twice(german_english: Segmenter) -> None:
    order = (0, 4, 1, 4, 4, 2)
    document = Document("thanks", tuple(SOURCE[number] for number in order))
    lines = tuple(TRANSLATION[number] for number in order)
    cut = cut_of(german_english, document, " ".join(lines))
    assert cut.segments == lines
    assert cut.disparities == ()
    cut = cut_of(german_english, document, " ".join(without(lines, 3)))
    assert findings(cut, document.source) == [(Kind.OMITTED, SOURCE[4])]


@both
def test_paragraphs_that_changed_places_are_found_where_they_are(
    german_english: Segmenter, document: Document
) -> None:
    text = " ".join((*TRANSLATION[3:], *TRANSLATION[:3]))
    cut = cut_of(german_english, document, text)
    assert cut.segments == TRANSLATION
    moved = findings(cut, SOURCE)
    half = TRANSLATION[:3] if moved[0][1] == TRANSLATION[0] else TRANSLATION[3:]
    assert moved == [(Kind.MOVED, line) for line in half]


@both
@pytest.mark.parametrize("text", ["", " ", "\n\n", "... !!! — ?", "\u200b"])
def test_of_a_text_that_says_nothing_everything_was_left_out(
    german_english: Segmenter, document: Document, text: str
) -> None:
    cut = cut_of(german_english, document, text)
    omitted = [found for found in findings(cut, SOURCE) if found[0] is Kind.OMITTED]
    assert omitted == [(Kind.OMITTED, line) for line in SOURCE]
    assert not any(map(str.isalnum, "".join(cut.segments)))


def test_a_document_of_one_segment_has_all_of_the_text(german_english: Segmenter) -> None:
    document = Document("one", (" ".join(SOURCE),))
    cut = cut_of(german_english, document, " ".join(TRANSLATION))
    assert cut.segments == (" ".join(TRANSLATION),)
    assert cut.disparities == ()


def test_empty_segments_of_the_source_get_nothing(german_english: Segmenter) -> None:
    document = Document("gaps", ("", SOURCE[0], "", SOURCE[1], " \n", SOURCE[2], ""))
    cut = cut_of(german_english, document, " ".join(TRANSLATION[:3]))
    assert cut.segments == ("", TRANSLATION[0], "", TRANSLATION[1], "", TRANSLATION[2], "")
    assert cut.disparities == ()


def test_where_the_source_says_nothing_everything_was_added(german_english: Segmenter) -> None:
    cut = cut_of(german_english, Document("blank", ("", " ")), " ".join(TRANSLATION[:2]))
    assert findings(cut, ("", " ")) == [(Kind.ADDED, line) for line in TRANSLATION[:2]]


@pytest.mark.parametrize("missing", range(6))
def test_a_sentence_can_be_missing_from_a_segment(german_english: Segmenter, missing: int) -> None:
    document = Document("halves", (" ".join(SOURCE[:3]), " ".join(SOURCE[3:])))
    kept = emptied(TRANSLATION, missing)
    halves = tuple(" ".join(filter(None, half)) for half in (kept[:3], kept[3:]))
    cut = cut_of(german_english, document, " ".join(halves))
    assert cut.segments == halves
    assert findings(cut, document.source) == [(Kind.OMITTED, SOURCE[missing])]


@both
@pytest.mark.parametrize(
    ("opening", "closing"), [("<p>", "</p>\n"), ("", "<br/>"), ("", "\n\n"), ("<P>", "</P>")]
)
def test_marks_of_paragraphs_are_in_no_segment(
    german_english: Segmenter, document: Document, opening: str, closing: str
) -> None:
    paragraphs = " ".join(TRANSLATION[:2]), " ".join(TRANSLATION[2:5]), TRANSLATION[5]
    whole = in_paragraphs("".join(f"{opening}{text}{closing}" for text in paragraphs))
    cut = cut_of(german_english, document, whole)
    assert cut.segments == TRANSLATION
    assert cut.disparities == ()
    for number, line in enumerate(TRANSLATION):
        assert whole.text[slice(*cut.handed_in(number, 0, len(line)))] == line


def test_a_paragraph_may_begin_within_a_segment(german_english: Segmenter) -> None:
    """Paragraphs are hints: a line that ends in the middle of a sentence cuts nothing."""
    broken = " ".join(TRANSLATION).replace("coast on", "coast\non").replace("the wind", "the\nwind")
    assert broken.count("\n") == 2
    assert cut_of(german_english, BARE, in_paragraphs(broken)).segments == TRANSLATION


def test_segments_that_were_given_are_examined_as_they_are(german_english: Segmenter) -> None:
    cut = german_english.examined(BARE, TRANSLATION)
    assert cut.segments == TRANSLATION
    assert cut.disparities == ()
    slipped = (
        "The storm reached",
        "the coast on Monday. Several roads were flooded.",
        *TRANSLATION[2:],
    )
    assert german_english.examined(BARE, slipped).segments == slipped


def test_what_given_segments_lack_or_add_is_found(german_english: Segmenter) -> None:
    lines = (*TRANSLATION[:2], "", f"{TRANSLATION[3]} {STRANGER}", *TRANSLATION[4:])
    cut = german_english.examined(BARE, lines)
    assert_whole(cut, BARE)
    assert cut.segments == lines
    assert findings(cut, SOURCE) == [(Kind.OMITTED, SOURCE[2]), (Kind.ADDED, STRANGER)]
    assert [found.segment for found in cut.disparities] == [2, 3]


def test_a_sentence_can_be_missing_from_a_given_segment(german_english: Segmenter) -> None:
    document = Document("halves", (" ".join(SOURCE[:3]), " ".join(SOURCE[3:])))
    lines = " ".join(TRANSLATION[:2]), " ".join(TRANSLATION[3:])
    cut = german_english.examined(document, lines)
    assert findings(cut, document.source) == [(Kind.OMITTED, SOURCE[2])]


def test_absent_segments_are_examined_as_empty_ones(german_english: Segmenter) -> None:
    cut = german_english.examined(BARE, (None, *TRANSLATION[1:]))
    assert cut.segments == ("", *TRANSLATION[1:])


def test_the_model_reads_where_it_knows_both_languages(model_reader: ModelReader) -> None:
    assert segmenter("de", "en").reader == model_reader
    for pair in (("yo", "en"), ("de", "yo"), (None, "en"), ("de", None)):
        assert segmenter(*pair).reader == SpellingReader()


def test_all_that_decides_is_named(german_english: Segmenter) -> None:
    reader, splitter, version = german_english.name.split("+")
    assert reader == german_english.reader.name
    assert splitter.startswith("sentencex-")
    assert version
    assert segmenter("yo", "en").name == f"spelling+{splitter}+{version}"


YORUBA = ("Bola wá sí Lagos ní 1984.", "Adé lọ sí Ibadan ní 2003.", "Tunde wà ní Abuja.")
FROM_YORUBA = ("In 1984 Bola came to Lagos.", "Ade went to Ibadan in 2003.", "Tunde is in Abuja.")


def test_names_and_numbers_tell_where_the_model_knows_no_language() -> None:
    cutter, document = segmenter("yo", "en"), Document("names", YORUBA)
    cut = cut_of(cutter, document, " ".join(FROM_YORUBA))
    assert cut.segments == FROM_YORUBA
    assert cut.disparities == ()


def test_a_reference_tells_where_names_do_not() -> None:
    reference = tuple(line.replace("dropped", "fell") for line in TRANSLATION)
    document = Document("code", tuple(f"{letter * 5} {letter * 4}." for letter in "xyzqvw"))
    document = replace(document, references={"ref": reference})
    assert cut_of(segmenter("tlh", "en"), document, " ".join(TRANSLATION)).segments == TRANSLATION


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("with_reference", [True, False])
def test_the_samples_documents_are_recovered(sample: str, with_reference: bool) -> None:
    collection = load_sample(sample)
    testset = collection.testset
    cutter = segmenter(testset.source_language, testset.target_language)
    for output in collection.outputs:
        recovered = found = 0
        for document in testset.documents:
            lines = [line or "" for line in output.documents[document.id]]
            frame = document if with_reference else replace(document, references={})
            cut = cut_of(cutter, frame, " ".join(lines))
            recovered += sum(map(str.__eq__, cut.segments, lines))
            found += len(cut.disparities)
        assert recovered >= 0.95 * testset.segment_count, output.name
        assert found <= 0.02 * testset.segment_count, output.name


# What decides about sentences, words and cuts, so that random texts meet it often enough.
TELLING = (*'.!?。！？।…"“”„()（）「」\n-–*1aA中', "2）", "The cat sat. ", "Katze 12. ", "x1 y2 ")
segments = st.lists(st.sampled_from(TELLING) | texts(), max_size=6).map("".join)
languages = st.sampled_from(["en", "de", "zh", "ja", "th", "hi", "xx", None])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    source = draw(st.lists(segments, min_size=1, max_size=5))
    names = draw(st.lists(st.sampled_from("ab"), unique=True))
    absent = segments | st.none()
    references = {name: draw(st.tuples(*[absent] * len(source))) for name in names}
    return Document("any", tuple(source), references)


@settings(deadline=None)  # the first text of a language waits for its dictionary
@given(documents(), st.lists(segments, max_size=6), languages, languages)
def test_any_text_is_cut_to_any_document(
    document: Document, lines: list[str], ours: str | None, theirs: str | None
) -> None:
    cut_of(Segmenter(ours, theirs, SpellingReader()), document, WholeText.of_lines(lines))


@settings(deadline=None)
@given(st.data(), documents(), languages, languages)
def test_any_segments_are_examined(
    data: st.DataObject, document: Document, ours: str | None, theirs: str | None
) -> None:
    lines = data.draw(st.tuples(*[segments | st.none()] * len(document)))
    cut = Segmenter(ours, theirs, SpellingReader()).examined(document, lines)
    assert_whole(cut, document)
    assert [shown.split() for shown in cut.segments] == [(line or "").split() for line in lines]


def test_a_stranger_in_the_place_of_a_sentence_does_not_render_it() -> None:
    document = Document(
        "d",
        (
            "Das Schiff verließ den Hafen.",
            "Die Katze schlief auf dem Sofa.",
            "Am Abend regnete es stark.",
        ),
    )
    stranger = "Please subscribe to our channel."
    text = f"The ship left the harbour. {stranger} In the evening it rained heavily."
    cut = segmenter("de", "en").cut(document, WholeText(text, ((0, len(text)),)))
    assert cut.segments[1] == stranger, "it counts for the segment that it stands for"
    assert [(each.kind, each.segment) for each in cut.disparities] == [
        (Kind.OMITTED, 1),
        (Kind.ADDED, 1),
    ]
    start, end = cut.disparities[1].output or (0, 0)
    assert text[start:end] == stranger
