"""What counts as an error, rule by rule, and which class a word belongs to."""

import numpy as np
import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.explanation.mistakes import (
    ADDED,
    CONTENT,
    NAME,
    NEGATION,
    NUMBER,
    OMITTED,
    REPEATED,
    SAME,
    SPACING,
    TERM,
    UNTRANSLATED,
    WORDING,
    Mistakes,
)
from isogloss.explanation.texts import PairTexts, TextReadings
from isogloss.explanation.words import CLASSES, WordCounts

SOURCE = "On 3 May 2021 Anna did not sell the 1,250 wooden chairs to the hotel in Leipzig."
REFERENCE = "Am 3. Mai 2021 verkaufte Anna die 1.250 Holzstühle nicht an das Hotel in Leipzig."


def pair(first: str, second: str, source: str = SOURCE, reference: str = REFERENCE) -> PairTexts:
    document = Document("d", (source,), {"ref": (reference,)})
    outputs = tuple(
        SystemOutput(name, {"d": (text,)}) for name, text in (("one", first), ("two", second))
    )
    collection = Collection(TestSet("t", "en", "de", (document,)), outputs)
    return PairTexts(TextReadings(collection), "one", "two")


def errors(output: str, **texts: str) -> dict[str, int]:
    """The errors of an output, by class; those that it has."""
    found = Mistakes.of(pair(texts.get("reference", REFERENCE), output, **texts), {})
    return {
        name: int(count) for name, count in zip(found.names, found.second[0], strict=True) if count
    }


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (REFERENCE, {}),
        ("Am 3. Mai 2021 verkaufte Anna die 1,250 Stühle nicht ans Hotel in Leipzig.", {}),
        ("Am 3. Mai 2021 verkaufte Anna die 1.520 Holzstühle nicht in Leipzig.", {NUMBER: 1}),
        ("Im Mai verkaufte Anna die 1.250 Holzstühle nicht an das Hotel in Leipzig.", {NUMBER: 2}),
        ("Am 3. Mai 2021 verkaufte sie die 1.250 Holzstühle nicht in Leipzigs Hotel.", {NAME: 1}),
        ("Am 3. Mai 2021 verkaufte Anna die 1.250 Holzstühle an das Hotel Leipzig.", {NEGATION: 1}),
        (
            "Am 3. Mai 2021 verkaufte Anna die 1.250 wooden chairs nicht an das Hotel in Leipzig.",
            {UNTRANSLATED: 2},
        ),
        (
            "Am 3. Mai 2021 verkaufte Anna die 1.250 Stühle , die Stühle ( nicht ) in Leipzig.",
            {SPACING: 3},
        ),
        (
            "Am 3. Mai 2021 verkaufte Anna die 1.250 Stühle Stühle nicht an das Hotel Leipzig.",
            {REPEATED: 1},
        ),
    ],
)
def test_rules(output: str, expected: dict[str, int]) -> None:
    assert errors(output) == expected


def test_what_is_left_out_and_what_is_added() -> None:
    assert errors("Anna verkaufte nicht.")[OMITTED] == 1
    assert errors("")[OMITTED] == 1
    more = " Das war eine gute Nachricht für alle, die dort seit langer Zeit wohnen."
    assert errors(REFERENCE + more) == {ADDED: 1}


def test_four_words_again_are_a_repetition_unless_the_source_does_so() -> None:
    said = "Anna verkaufte die alten Stühle, Anna verkaufte die alten Stühle."
    reference = "Anna verkaufte zweimal alte und sehr schöne Stühle dort."
    assert REPEATED in errors(said, source="Anna sold old chairs twice.", reference=reference)
    twice = "Anna sold the old chairs, Anna sold the old chairs."
    assert REPEATED not in errors(said, source=twice, reference=reference)


def test_a_french_space_is_usual_where_the_reference_has_it() -> None:
    assert errors("Wirklich ? Ja !", source="Really? Yes!", reference="Ehrlich ? Ja !") == {}


def kind(first: str, second: str) -> str:
    texts = pair(first, second)
    (found,) = Mistakes.of(texts, {}).kinds(texts, WordCounts.of(texts))
    return found


def test_a_segment_is_put_down_to_the_first_thing_in_which_systems_differ() -> None:
    wrong = "Am 4. Mai 2021 verkaufte sie die 1.250 Holzstühle an das Hotel in Leipzig."
    assert kind(REFERENCE, wrong) == NEGATION
    assert kind(REFERENCE, REFERENCE.replace("3", "4").replace("Anna", "sie")) == NUMBER
    assert kind(REFERENCE, REFERENCE.replace("Holzstühle", "Tische")) == CONTENT
    assert kind(REFERENCE, REFERENCE.replace("an das", "an ein")) == WORDING
    assert kind(REFERENCE, REFERENCE) == SAME
    both = REFERENCE.replace("3", "4")
    assert kind(both, both.replace("Holzstühle", "Tische")) == CONTENT, "the same error is none"


def test_what_a_metric_found_takes_the_place_of_a_rule() -> None:
    given = {TERM: (np.array([0.0]), np.array([2.0])), OMITTED: (np.array([1.0]), np.array([0.0]))}
    found = Mistakes.of(pair(REFERENCE, ""), given)
    columns = dict(zip(found.names, zip(found.first[0], found.second[0], strict=True), strict=True))
    assert columns[TERM] == (0, 2)
    assert columns[OMITTED] == (1, 0)


def test_every_word_of_the_reference_has_its_class() -> None:
    counts = WordCounts.of(pair(REFERENCE, "Anna verkaufte 2021 keine Stühle in Leipzig."))
    found = dict(zip(CLASSES, counts.total[0].astype(int).tolist(), strict=True))
    assert found == {
        "numbers": 3,
        "names": 2,
        "negations": 1,
        "repeated words": 0,
        "other content words": 4,
        "function words": 5,
        "punctuation": 2,
    }
    assert (counts.first == counts.total).all()
    has = dict(zip(CLASSES, counts.second[0].astype(int).tolist(), strict=True))
    assert (has["numbers"], has["names"], has["negations"]) == (1, 2, 0)


def test_names_in_languages_that_capitalise_little() -> None:
    document = Document("d", ("Viděli ho v Praze.",), {"ref": ("They saw Pavel in Prague.",)})
    output = SystemOutput("one", {"d": ("They saw him.",)})
    outputs = (output, SystemOutput("two", {"d": ("They saw Pavel.",)}))
    collection = Collection(TestSet("t", "cs", "en", (document,)), outputs)
    texts = PairTexts(TextReadings(collection), "one", "two")
    assert texts.readings.names(texts.readings.segments[0]) == {"Pavel", "Prague"}


def test_without_references_nothing_is_called_wrong() -> None:
    document = Document("d", (SOURCE,))
    outputs = tuple(SystemOutput(name, {"d": ("Nichts.",)}) for name in ("one", "two"))
    collection = Collection(TestSet("t", "en", "de", (document,)), outputs)
    texts = PairTexts(TextReadings(collection), "one", "two")
    assert Mistakes.of(texts, {}).names == ()
