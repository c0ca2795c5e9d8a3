"""The rules of benchmarks/minimal_pairs.py: what they change, and what they leave alone."""

import re
import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
try:
    from minimal_edit_rules import ENGLISH, GERMAN, Rules
    from minimal_edits import CATEGORIES, shared_names_swapped
    from minimal_pairs import Twice, all_pairs, changed_words, harmless, pairs_of, share
finally:
    del sys.path[0]  # other benchmarks have the names of folders of tests


def broken(rules: Rules, category: str, text: str) -> set[str]:
    return {edit.text for rule in rules.broken[category] for edit in rule(text, Random(1))}


def reworded(rules: Rules, text: str) -> set[str]:
    return {edit.text for rule in rules.reworded for edit in rule(text, Random(1))}


@pytest.mark.parametrize(
    ("category", "before", "after"),
    [
        ("negation", "He did not go home.", "He did go home."),
        ("negation", "He doesn’t like it.", "He does like it."),
        ("negation", "You cannot leave.", "You can leave."),
        ("negation", "The house is old.", "The house is not old."),
        ("antonyms", "Prices rose in May.", "Prices fell in May."),
        ("antonyms", "Before the war he was rich.", "After the war he was rich."),
        ("roles", "Germany was beaten by France.", "France was beaten by Germany."),
        ("roles", "It rose from 5 to 10 euros.", "It rose from 10 to 5 euros."),
        ("roles", "He called her again.", "She called him again."),
        ("roles", "The dog chased the cat.", "The cat chased the dog."),
    ],
)
def test_english_meanings_are_broken(category: str, before: str, after: str) -> None:
    assert after in broken(ENGLISH, category, before)


@pytest.mark.parametrize(
    ("category", "before", "after"),
    [
        ("negation", "Er kommt nicht, sagt sie.", "Er kommt, sagt sie."),
        ("negation", "Sie hat kein Geld.", "Sie hat ein Geld."),
        ("negation", "Das ist ein Fehler.", "Das ist kein Fehler."),
        ("negation", "Lorenzo ist in Berlin.", "Lorenzo ist nicht in Berlin."),
        ("antonyms", "Er hat ein großes Haus.", "Er hat ein kleines Haus."),
        ("roles", "Er stieg von 5 auf 10.", "Er stieg von 10 auf 5."),
        ("roles", "Dann sah ich ihn.", "Dann sah er mich."),
    ],
)
def test_german_meanings_are_broken(category: str, before: str, after: str) -> None:
    assert after in broken(GERMAN, category, before)


@pytest.mark.parametrize(
    ("rules", "category", "text"),
    [
        (ENGLISH, "negation", "It was not only good."),
        (ENGLISH, "negation", "It was not until May."),
        (ENGLISH, "antonyms", "It happened last year."),
        (ENGLISH, "antonyms", "This is an increase."),  # "an decrease" would give it away
        (ENGLISH, "antonyms", "The Large Hadron Collider"),
        (ENGLISH, "roles", "Germany and France agreed."),
        (ENGLISH, "roles", "Talks between Germany and even France went well."),
        (ENGLISH, "roles", "Iran, Germany, Great Britain, China met."),
        (ENGLISH, "numbers", "COVID-19 and the A380"),
        (GERMAN, "negation", "Das war nicht nur gut."),
        (GERMAN, "negation", "Er ging mit einem Freund."),
        (GERMAN, "negation", "Schalten Sie den Computer ein und warten Sie."),
        (GERMAN, "negation", "Sie ging, sobald er gelandet war und aß."),
    ],
)
def test_what_would_not_do_what_it_should_is_left_alone(
    rules: Rules, category: str, text: str
) -> None:
    assert broken(rules, category, text) == set()


@pytest.mark.parametrize(
    ("rules", "before", "after"),
    [
        (ENGLISH, "He did not go.", "He didn't go."),
        (ENGLISH, "It’s not over; he can’t go.", "It’s not over; he cannot go."),
        (ENGLISH, "About 8% of them", "About 8 percent of them"),
        (ENGLISH, "The two houses", "The 2 houses"),
        (ENGLISH, "The colour of it", "The color of it"),
        (GERMAN, "Das sind 8 Prozent.", "Das sind 8 %."),
        (GERMAN, "Er kam sofort.", "Er kam umgehend."),
        (GERMAN, "Wegen vier Tagen, sagt er.", "Wegen 4 Tagen, sagt er."),
    ],
)
def test_wordings_change(rules: Rules, before: str, after: str) -> None:
    assert after in reworded(rules, before)


@pytest.mark.parametrize(
    ("rules", "text"),
    [(ENGLISH, "Part of it is new."), (ENGLISH, "I like a big one"), (GERMAN, "Er ist immer da.")],
)
def test_no_wording_that_would_be_wrong(rules: Rules, text: str) -> None:
    assert not [new for new in reworded(rules, text) if "it's" in new or "such as" in new]
    assert "Er ist stets da." not in reworded(rules, text)


def test_another_number_has_the_same_form() -> None:
    edits = broken(ENGLISH, "numbers", "In 1987 it cost $1,250.75, or 12 % of 7 shares.")
    assert len(edits) == 4
    for text in edits:
        assert changed_words("In 1987 it cost $1,250.75, or 12 % of 7 shares.", text) == 1
    (other,) = broken(ENGLISH, "numbers", "It took three days.")
    assert re.fullmatch(
        r"It took (two|four|five|six|seven|eight|nine|ten|eleven|twelve) days\.", other
    )


def test_names_that_source_and_translation_share() -> None:
    source = "Gestern traf Angela Merkel in Paris ihren Freund Macron."
    text = "Yesterday Angela Merkel travelled to Paris with her friend Macron."
    assert {edit.text for edit in shared_names_swapped(text, source)} == {
        "Yesterday Paris travelled to Angela Merkel with her friend Macron.",
        "Yesterday Angela Merkel travelled to Macron with her friend Paris.",
    }


def test_a_harmless_edit_is_as_large_as_the_harmful_one() -> None:
    text = "The two kids often saw 8% of the film, for example."
    for size in (1, 2, 3):
        other = " ".join(["x"] * size + text.split()[size:])
        for seed in range(20):
            edit = harmless(text, other, ENGLISH, Random(seed))
            if edit:
                assert abs(changed_words(text, edit.text) - size) <= 1
                assert edit.text != text


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [("a b c", "a b c", 0), ("a b c", "a x c", 1), ("a b", "a b c", 1), ("a b", "", 2)],
)
def test_changed_words(one: str, other: str, count: int) -> None:
    assert changed_words(one, other) == changed_words(other, one) == count


def test_shares_have_wilsons_interval() -> None:
    assert share([True] * 8 + [False] * 2) == "80 [49, 94]"
    assert share([]) == "–"


def test_pairs_from_the_real_references(shared_data: Path) -> None:
    """At least 300, in both languages, the same every time, each broken and none the paraphrase."""
    folder = shared_data / "wmt"
    if not (folder / "wmt22.da" / "de-en").is_dir():
        pytest.skip(f"no test sets at {folder}")
    made = all_pairs(folder, wanted=40)
    for language, pairs in made.items():
        assert {pair.category for pair in pairs} == set(CATEGORIES), language
        for pair in pairs:
            assert pair.broken.text not in (pair.reference, pair.paraphrase)
            assert pair.reworded is None or pair.reworded.text != pair.reference
    assert sum(map(len, made.values())) >= 300
    assert sum(pair.reworded is not None for pairs in made.values() for pair in pairs) >= 300
    assert all_pairs(folder, wanted=40) == made


def test_one_pair_a_segment() -> None:
    texts = [
        Twice("Quelle", f"In {1900 + n} he did not see it.", "He saw nothing.") for n in range(9)
    ]
    pairs = pairs_of("negation", texts, ENGLISH, wanted=5)
    assert len(pairs) == 5
    assert len({pair.reference for pair in pairs}) == 5
