"""Collections with everything cut to the segments of their source."""

from dataclasses import replace

import pytest

from isogloss.documents import Collection, Document, Segments, SystemOutput, TestSet, Unsplit
from isogloss.errors import NotApplicableError
from isogloss.formats.paragraphs import in_paragraphs
from isogloss.runtime import Runtime, Step
from isogloss.segmentation import segmenter, split
from isogloss.segmentation.sentences import splitter_name
from isogloss.wholes import Kind, WholeText

STORM = (
    "Der Sturm erreichte am Montag die Küste.",
    "Mehrere Straßen wurden überflutet.",
    "Am Abend ließ der Wind nach.",
)
STORM_IN_ENGLISH = (
    "The storm reached the coast on Monday.",
    "Several roads were flooded.",
    "In the evening the wind dropped.",
)
CAKE = ("Zuerst das Mehl sieben.", "Dann die Eier dazugeben.")
CAKE_IN_ENGLISH = ("First sift the flour.", "Then add the eggs.")
ENGLISH = {"storm": STORM_IN_ENGLISH, "cake": CAKE_IN_ENGLISH}

TESTSET = TestSet("news", "de", "en", (Document("storm", STORM), Document("cake", CAKE)))
CUTTER = segmenter("de", "en").name


def joined(lines: tuple[str, ...]) -> WholeText:
    return WholeText.of_lines([" ".join(lines)])


def whole(name: str = "whole", *, reference: bool = False, human: bool = False) -> Unsplit:
    """Each document in one line."""
    texts = {id: joined(lines) for id, lines in ENGLISH.items()}
    return Unsplit(name, texts, reference=reference, human=human)


def references(collection: Collection, name: str) -> dict[str, Segments]:
    return {document.id: document.references[name] for document in collection.testset.documents}


def test_outputs_are_cut_to_the_source() -> None:
    done = split(Collection(TESTSET, unsplit=(whole(human=True),)))
    assert done.unsplit == ()
    (output,) = done.outputs
    assert dict(output.documents) == ENGLISH
    assert (output.name, output.human, output.cut_by) == ("whole", True, CUTTER)
    assert list(output.cuts) == ["storm", "cake"]
    assert done.testset == TESTSET


def test_where_nothing_is_unsplit_nothing_changes() -> None:
    collection = Collection(TESTSET, (SystemOutput("given", ENGLISH),))
    assert split(collection) is collection


def test_outputs_with_the_sources_segments_stay_first_and_as_they_are() -> None:
    given = SystemOutput("given", ENGLISH)
    done = split(Collection(TESTSET, (given,), (whole("b"), whole("a"))))
    assert done.system_names == ("given", "b", "a")
    assert done.outputs[0] == given
    assert [output.cut_by for output in done.outputs] == [None, CUTTER, CUTTER]


def test_places_are_those_of_the_text_that_was_handed_in() -> None:
    text = f"<p>{STORM_IN_ENGLISH[0]} {STORM_IN_ENGLISH[1]}</p>\n<p>{STORM_IN_ENGLISH[2]}</p>"
    texts = {"storm": in_paragraphs(text), "cake": joined(CAKE_IN_ENGLISH)}
    (output,) = split(Collection(TESTSET, unsplit=(Unsplit("a", texts),))).outputs
    assert output.documents["storm"] == STORM_IN_ENGLISH
    cut = output.cuts["storm"]
    assert cut.whole.text == text
    for number, line in enumerate(STORM_IN_ENGLISH):
        assert text[slice(*cut.handed_in(number, 0, len(line)))] == line


def test_references_are_cut_and_the_test_set_says_by_whom() -> None:
    done = split(
        Collection(TESTSET, (SystemOutput("given", ENGLISH),), (whole("ref", reference=True),))
    )
    assert references(done, "ref") == ENGLISH
    assert done.testset.cut_by == CUTTER
    assert done.system_names == ("given",)


def test_references_come_first_and_help_to_cut_the_rest() -> None:
    """The source's words tell nothing here: no language is named."""
    source = ("qqq www.", "eee rrr.", "ttt zzz.")
    testset = TestSet("code", None, None, (Document("storm", source),))
    texts = {"storm": WholeText.of_lines(STORM_IN_ENGLISH)}
    output = "The storm reached the coast. On Monday. Several roads were flooded. The wind dropped."
    unsplit = (
        Unsplit("a", {"storm": WholeText.of_lines([output])}),
        Unsplit("ref", texts, reference=True),
    )
    done = split(Collection(testset, unsplit=unsplit))
    assert references(done, "ref") == {"storm": STORM_IN_ENGLISH}
    assert done.outputs[0].documents["storm"] == (
        "The storm reached the coast. On Monday.",
        "Several roads were flooded.",
        "The wind dropped.",
    )


def test_a_new_reference_joins_those_that_there_are() -> None:
    documents = tuple(replace(d, references={"old": ENGLISH[d.id]}) for d in TESTSET.documents)
    testset = replace(TESTSET, documents=documents)
    done = split(Collection(testset, unsplit=(whole("new", reference=True), whole("a"))))
    assert done.testset.reference_names == ("old", "new")
    assert references(done, "new") == references(done, "old") == ENGLISH


@pytest.mark.parametrize("reference", [True, False])
def test_a_document_that_is_absent_stays_absent(reference: bool) -> None:
    texts = {"storm": joined(STORM_IN_ENGLISH), "cake": None}
    done = split(Collection(TESTSET, unsplit=(Unsplit("a", texts, reference=reference),)))
    found = references(done, "a") if reference else dict(done.outputs[0].documents)
    assert found == {"storm": STORM_IN_ENGLISH, "cake": (None, None)}
    if not reference:
        assert list(done.outputs[0].cuts) == ["storm"]


def test_parts_that_are_as_many_as_the_segments_are_the_segments() -> None:
    slipped = ("The storm reached the coast", "on Monday. Several roads were flooded.", "The end.")
    texts = {"storm": WholeText.of_lines(slipped), "cake": joined(CAKE_IN_ENGLISH)}
    (output,) = split(Collection(TESTSET, unsplit=(Unsplit("a", texts),))).outputs
    assert dict(output.documents) == {"storm": slipped, "cake": CAKE_IN_ENGLISH}


def test_realigning_joins_and_cuts_what_has_the_sources_segments() -> None:
    slipped = (
        "The storm reached the coast",
        "on Monday. Several roads",
        "were flooded. In the evening the wind dropped.",
    )
    given = SystemOutput("slipped", {"storm": slipped, "cake": CAKE_IN_ENGLISH}, human=True)
    collection = Collection(TESTSET, (given,), (whole(),))
    assert split(collection).outputs[0] == given
    done = split(collection, realign=True)
    assert done.system_names == ("slipped", "whole")
    for output in done.outputs:
        assert dict(output.documents) == ENGLISH
        assert output.cut_by == CUTTER
        assert output.human is (output.name == "slipped")
    assert done.outputs[0].cuts["storm"].whole.lines == slipped


def test_realigning_leaves_absent_segments_out() -> None:
    lines = {"storm": (STORM_IN_ENGLISH[0], None, STORM_IN_ENGLISH[2]), "cake": (None, None)}
    (output,) = split(Collection(TESTSET, (SystemOutput("a", lines),)), realign=True).outputs
    assert output.documents["storm"] == (STORM_IN_ENGLISH[0], "", STORM_IN_ENGLISH[2])
    assert output.documents["cake"] == (None, None)
    assert [found.kind for found in output.cuts["storm"].disparities] == [Kind.OMITTED]


def test_realigning_what_was_cut_starts_from_the_text_that_was_handed_in() -> None:
    once = split(Collection(TESTSET, unsplit=(whole(),)))
    again = split(once, realign=True)
    assert again.outputs == once.outputs


PARAGRAPHS = (" ".join(STORM_IN_ENGLISH[:2]), STORM_IN_ENGLISH[2])
IN_PARAGRAPHS = TestSet(
    "paragraphs",
    "de",
    "en",
    (
        Document("storm", (" ".join(STORM[:2]), STORM[2]), {"ref": PARAGRAPHS}, "news"),
        Document("cake", (" ".join(CAKE),), {"ref": (None,)}),
    ),
)


def test_sentences_become_the_segments_of_everything() -> None:
    lines = {"storm": PARAGRAPHS, "cake": (" ".join(CAKE_IN_ENGLISH),)}
    given = SystemOutput("given", lines)
    done = split(Collection(IN_PARAGRAPHS, (given,), (whole(),)), sentences=True)
    storm, cake = done.testset.documents
    assert (storm.source, cake.source) == (STORM, CAKE)
    assert storm.domain == "news"
    assert references(done, "ref") == {"storm": STORM_IN_ENGLISH, "cake": (None, None)}
    assert done.system_names == ("given", "whole")
    assert all(dict(output.documents) == ENGLISH for output in done.outputs)
    assert all(output.cut_by == CUTTER for output in done.outputs)


def test_the_test_set_says_who_told_sentences_apart() -> None:
    documents = tuple(replace(d, references={}) for d in IN_PARAGRAPHS.documents)
    done = split(Collection(replace(IN_PARAGRAPHS, documents=documents)), sentences=True)
    assert [document.source for document in done.testset.documents] == [STORM, CAKE]
    assert done.testset.cut_by == splitter_name()
    assert done.outputs == ()


def test_an_empty_segment_stays_one_among_sentences() -> None:
    testset = TestSet("gaps", "de", "en", (Document("d", ("", " ".join(CAKE))),))
    done = split(Collection(testset), sentences=True)
    assert done.testset.documents[0].source == ("", *CAKE)


def without_source(*names: str) -> TestSet:
    documents = (
        Document(id, ("",) * len(lines), dict.fromkeys(names, lines))
        for id, lines in ENGLISH.items()
    )
    return TestSet("bare", None, "en", tuple(documents), has_source=False)


def test_without_a_source_the_reference_tells() -> None:
    otherwise = {
        "storm": (
            "On Monday the storm hit the coast.",
            "Many streets were under water.",
            "The wind died down in the evening.",
        ),
        "cake": ("Sift the flour first.", "The eggs come next."),
    }
    texts = {id: joined(lines) for id, lines in otherwise.items()}
    done = split(Collection(without_source("ref"), unsplit=(Unsplit("a", texts),)))
    assert dict(done.outputs[0].documents) == otherwise
    assert not done.testset.has_source
    assert all(line == "" for document in done.testset.documents for line in document.source)


def test_with_neither_source_nor_reference_nothing_can_be_cut() -> None:
    with pytest.raises(NotApplicableError, match="there is neither"):
        split(Collection(without_source(), unsplit=(whole(),)))


def test_without_a_source_there_are_no_sentences_to_cut_to() -> None:
    with pytest.raises(NotApplicableError, match="no source to split into sentences"):
        split(Collection(without_source("ref"), unsplit=(whole(),)), sentences=True)


def test_progress_is_told_document_by_document() -> None:
    steps: list[Step] = []
    split(
        Collection(TESTSET, unsplit=(whole("ref", reference=True), whole("a"), whole("b"))),
        runtime=Runtime(progress=steps.append),
    )
    assert [(step.done, step.total) for step in steps] == [(3, 5), (5, 5)] * 2
    assert {step.metric for step in steps} == {"cutting whole documents"}
