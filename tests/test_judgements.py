"""Judgements: means over annotators, and the cost of MQM errors."""

import pytest

from isogloss.errors import InputError
from isogloss.judgements import (
    GOOGLE_MQM,
    ErrorMark,
    Judgement,
    Judgements,
    scored_by_errors,
    side_by_side,
)


def test_means_are_over_those_who_scored() -> None:
    items = (
        Judgement("s", "d", 0, "anna", 80.0),
        Judgement("s", "d", 0, "ben", 60.0),
        Judgement("s", "d", 0, "cleo", None),
        Judgement("s", "d", 1, "cleo", None),
        Judgement("s", None, None, None, 5.0),
    )
    judgements = Judgements("da", items)
    assert judgements.segment_means() == {("s", "d", 0): 70.0}
    assert judgements.annotators == ("anna", "ben", "cleo")


def test_campaigns_side_by_side_are_annotators_of_their_own() -> None:
    nameless = Judgements("esa", (Judgement("s", "d", 0, None, 80.0),), unplaced=1)
    named = Judgements("esa", (Judgement("s", "d", 0, "anna", 60.0),), unplaced=2)
    joined = side_by_side({"first": nameless, "second": named})
    assert (joined.kind, joined.unplaced) == ("esa", 3)
    assert joined.annotators == ("first", "second: anna")
    assert joined.segment_means() == {("s", "d", 0): 70.0}


@pytest.mark.parametrize(
    ("category", "severity", "cost"),
    [
        ("Accuracy/Mistranslation", "Major", 5.0),
        ("Accuracy/Mistranslation", "minor", 1.0),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Fluency/Punctuation", "Major", 5.0),
        ("Non-translation!", "Major", 25.0),
        ("No-error", "no-error", 0.0),
        ("Style/Awkward", "Neutral", 0.0),
    ],
)
def test_google_weights(category: str, severity: str, cost: float) -> None:
    assert GOOGLE_MQM.penalty(ErrorMark(category, severity)) == cost


def test_errors_become_minus_their_cost() -> None:
    flawless = Judgement("s", "d", 0)
    flawed = Judgement(
        "s", "d", 1, errors=(ErrorMark("Style/Awkward", "minor"), ErrorMark("Accuracy", "major"))
    )
    scores = [item.score for item in scored_by_errors([flawless, flawed], GOOGLE_MQM)]
    assert scores == [0.0, -6.0]
    assert str(scores[0]) == "0.0"


def test_an_unknown_severity_is_refused() -> None:
    with pytest.raises(InputError, match="severity 'horrible' has no weight"):
        GOOGLE_MQM.penalty(ErrorMark("Style", "horrible"))


@pytest.mark.parametrize(
    "fields",
    [
        {"system": ""},
        {"system": "s", "segment": 1},
        {"system": "s", "document": "d", "segment": -1},
        {"system": "s", "score": float("nan")},
    ],
)
def test_impossible_judgements_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Judgement(**fields)  # type: ignore[arg-type]
