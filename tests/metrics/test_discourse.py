"""Words that carry discourse: what is found, what agrees, what is shown."""

import tomllib
from collections import Counter
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.language import languages, primary
from isogloss.metrics import load_metric
from isogloss.metrics.discourse.classes import class_reader, common, without
from isogloss.metrics.discourse.verbs import verb_reader
from isogloss.scores import SystemScore

EVERY = ("pronouns", "markers", "address")


def found(language: str, text: str) -> list[tuple[str, str]]:
    reader = class_reader(language, EVERY)
    assert reader is not None
    return [(text[m.start : m.end], m.name) for m in reader.read(text) if m.phenomenon != "address"]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "However, HE left it.", [("However", "contrast"), ("HE", "he"), ("it", "it")]),
        (
            "en",
            "In spite of that, e.g. I.",
            [("In spite of", "contrast"), ("e.g.", "example"), ("I", "I")],
        ),
        # A sentence begins with Sie: she, they or you. Inside of one a capital says you.
        ("de", "Sie weiß, dass Sie kommen.", [("Sie", "she or they"), ("Sie", "you, polite")]),
        (
            "de",
            "„Sie“, sagte er zu Ihnen.",
            [("Sie", "she or they"), ("er", "he"), ("Ihnen", "you, polite")],
        ),
        ("de", "Das ist z.B. ihr Haus", [("z.B.", "example"), ("ihr", "she or they")]),
        ("fr", "J'ai dit qu'il m'aime.", [("J'", "I"), ("il", "he"), ("m'", "I")]),
        (
            "fr",
            "Dites-le-moi, bien que vous",
            [("-moi", "I"), ("bien que", "contrast"), ("vous", "you, polite or many")],
        ),
        ("es", "Sin embargo, él no.", [("Sin embargo", "contrast"), ("él", "he")]),
    ],
)
def test_words_and_their_classes(language: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(language, text) == expected


def test_the_lists_are_of_known_languages_and_say_nothing_twice() -> None:
    text = files("isogloss.metrics.discourse").joinpath("words.toml").read_text(encoding="utf-8")
    known = {language.code for language in languages()}
    for language, phenomena in tomllib.loads(text).items():
        assert primary(language) in known
        assert set(phenomena) <= set(EVERY)
        for classes in phenomena.values():
            counts = Counter(word for words in classes.values() for word in words)
            assert [word for word, count in counts.items() if count > 1] == []


REFERENCE = ("She saw him, but he left.", "It rains.", "Nothing here.", "They came because of us.")
OUTPUT = ("She saw her, but he left.", "However, it rains.", "Nothing here.", None)


def scored(
    references: dict[str, tuple[str | None, ...]], metric: str = "discourse", language: str = "en"
) -> SystemScore:
    testset = TestSet("t", "cs", language, (Document("d", ("x",) * 4, references),))
    return evaluate(Collection(testset, (SystemOutput("s", {"d": OUTPUT}),)), [metric]).rows[0]


def test_a_document_by_hand() -> None:
    """she him but he / she her but he: 3 of 4 and 4; it / however it: 1 of 1 and 2."""
    row = scored({"r": REFERENCE})
    (document,) = row.documents
    measurement = document.measurement
    assert measurement.segment_scores == (0.75, pytest.approx(2 / 3), None, None)
    assert measurement.statistics.tolist() == [4, 6, 5]
    assert row.score == pytest.approx(8 / 11)
    assert (measurement.scored, measurement.total) == (2, 4)
    assert scored({"r": REFERENCE}, "discourse(phenomenon=markers)").score == pytest.approx(2 / 3)
    shown = [
        (evidence.reason, evidence.spans[0].side, evidence.spans[0].text(side))
        for evidence in measurement.evidence
        for side in [OUTPUT if evidence.spans[0].side == "output:s" else REFERENCE]
    ]
    assert shown == [
        ("pronoun (she) that the reference has not", "output:s", "her"),
        ("pronoun (he) that the output has not", "reference:r", "he"),
        ("connective (contrast) that the reference has not", "output:s", "However"),
    ]


def test_the_reference_that_agrees_best_counts_segment_by_segment() -> None:
    other = ("He left.", "However, it rains.", None, None)
    measurement = scored({"r": REFERENCE, "other": other}).documents[0].measurement
    assert measurement.segment_scores == (0.75, 1.0, None, None)


def test_what_cannot_be_said() -> None:
    with pytest.raises(NotApplicableError, match=r"no words of 'fi'; it has lists for en, de"):
        scored({"r": REFERENCE}, language="fi")
    with pytest.raises(NotApplicableError, match="address"):
        scored({"r": REFERENCE}, "discourse(phenomenon=address)")
    assert str(load_metric("discourse(phenomenon=address)")) == "discourse(phenomenon=address)"


@settings(deadline=None)  # the first example reads the lists
@given(st.lists(st.sampled_from(["he", "she", "but", "tree", "also"]), max_size=8), st.randoms())
def test_what_is_missing_is_what_does_not_agree(words: list[str], random: object) -> None:
    reader = class_reader("en", ("pronouns", "markers"))
    assert reader is not None
    other = [word for word in words if random.random() < 0.5] + ["it"]  # type: ignore[attr-defined]
    ours, theirs = reader.read(" ".join(words)), reader.read(" ".join(other))
    assert len(ours) == sum(word != "tree" for word in words)
    assert len(without(ours, theirs)) == len(ours) - common(ours, theirs)
    assert len(without(theirs, ours)) == len(theirs) - common(ours, theirs)


def verbs(phenomenon: str, text: str) -> list[tuple[str, str]]:
    reader = verb_reader("en", phenomenon)
    assert reader is not None
    return [(text[m.start : m.end], m.name) for m in reader.read(text)]


def test_tenses_of_english_verbs() -> None:
    """Of finite verbs alone, and a perfect is told by the participle, whatever stands between."""
    assert verbs("tense", "She had gone before he came, and they will leave tomorrow.") == [
        ("had", "past perfect"), ("came", "past"), ("will", "future"),
    ]  # fmt: skip
    assert verbs("tense", "Have you never seen it? It isn’t there, I’ve looked.") == [
        ("Have", "present perfect"), ("is", "present"), ("’ve", "present perfect"),
    ]  # fmt: skip
    assert verbs("tense", "He has a dog and could go; he had to wait to see it.") == [
        ("has", "present"), ("could", "modal"), ("had", "past"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes, I do.", [("do", "do")]),
        ("They left, and she did, too.", [("did", "do")]),
        ("Can you come? I can’t!", [("ca", "modal")]),
        ("He left, didn't he?", [("did", "do")]),
        ("He can sing better than they can.", [("can", "modal")]),
        ("I have seen it. They never have.", [("have", "have")]),
        # A verb whose object was moved to the front, or is a relative's, is whole.
        ("That's what he did.", []),
        ("These are the things they do.", []),
        ("He will do all they have.", []),
        ("Do you like it? He did it.", []),
        ("So here it is.", []),
        ("How are you?", []),
    ],
)
def test_auxiliaries_of_verbs_that_are_left_out(text: str, expected: list[tuple[str, str]]) -> None:
    assert verbs("ellipsis", text) == expected


def test_tense_as_a_metric() -> None:
    """The output says *saw, left, rains* where the reference says *saw, left, rained*."""
    rained = (REFERENCE[0], "It rained.", *REFERENCE[2:])
    row = scored({"r": rained}, "discourse(phenomenon=tense)")
    measurement = row.documents[0].measurement
    assert measurement.statistics.tolist() == [2, 3, 3]
    assert [evidence.reason for evidence in measurement.evidence] == [
        "verb (present) that the reference has not", "verb (past) that the output has not",
    ]  # fmt: skip
    testset = TestSet("t", "cs", "en", (Document("d", ("x",), {"r": ("a",)}),))
    signature = str(load_metric("discourse(phenomenon=tense)").signature(testset))
    assert "|tags:hanta-en-" in signature
    with pytest.raises(NotApplicableError, match="only the English one tells the forms of verbs"):
        scored({"r": REFERENCE}, "discourse(phenomenon=ellipsis)", language="de")
