"""Simplified lexical chains: the paper's own example, as exact fractions."""

from collections.abc import Mapping
from fractions import Fraction

import pytest

from isogloss.metrics.cohesion import document_score, match_chains
from isogloss.metrics.cohesion.chains import chain_score


def chains(listed: str) -> dict[str, set[int]]:
    """``Manila:0-2,6`` and so on, as Table 2 writes them."""
    found = {}
    for entry in listed.split():
        word, _, places = entry.partition(":")
        found[word] = {
            place
            for part in places.split(",")
            for place in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)
        }
    return found


COMMON = "Government:4,5 Ople:2,4 Ambassador:2,4 Australian:2,6,7 Attack:1,8 Terrorist:1,6,8 "
TABLE_2 = {
    "E01": COMMON + "Threat:1,5,6,8 Manila:0-2,6 Embassy:0-3,5-7 Reopen:0,1,3 Australium:0,1,3 "
    "Philippine:1,2,4 Week:1,3 Shut:1,8",
    "E02": COMMON + "Threat:1,5,6,8 Manila:0-2,6 Embassy:0-3,5-7 Reopen:0,1,3 Australium:0,1,3 "
    "Philippine:1,2,4,5 Week:1,3 Close:1,8 European:3,7 Union:3,7 Express:4,8",
    "E03": COMMON + "Threat:1,5,6,8 Manila:0-2,6 Embassy:0-3,5-7 Reopen:0,1,3 Australium:0,1,3 "
    "Philippine:1,2,4,5 Week:1,3 Shut:1,3,5,8 European:3,7 Union:3,7 So-call:1,5 Officer:6,7 "
    "Due:1,8",
    "E04": COMMON + "Threat:1,5,6 Manila:0,1,6 Embassy:0-3,5-7 Reopen:0,1,3 Australium:0,1,3,6 "
    "Philippine:2,4,5 Week:1,3 Close:1,3,5,8 Eu:3,7 So-call:1,5 Mission:7,8",
    "MT": "Ambassador:1,2 Attack:1,8 Terrorist:1,6,8 Threat:1,6,8 Embassy:0,1 Reopen:0,1 "
    "Australium:0-3,6-7 Philippine:1,4 Week:1,3 Close:1,3,5,8 Open:0,1,5,6 Canada:3,6 China:1,4 "
    "Chinese:2,5 Collaboration:1,3,5",
}  # fmt: skip


def score(output: str, reference: str, **options: str) -> Fraction | None:
    per = options.pop("per", "output")
    matches = match_chains(chains(TABLE_2[output]), chains(TABLE_2[reference]), **options)
    return document_score(matches, per)


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("MT", "E01", Fraction(577, 1260)),
        ("MT", "E02", Fraction(647, 1260)),
        ("MT", "E03", Fraction(563, 1260)),
        ("MT", "E04", Fraction(313, 630)),
        ("E01", "E02", Fraction(51, 56)),
        ("E01", "E03", Fraction(53, 56)),
        ("E02", "E01", Fraction(13, 17)),
    ],
)
def test_table_2(output: str, reference: str, expected: Fraction) -> None:
    assert score(output, reference) == expected


def test_the_papers_best_reference_and_its_single_chain() -> None:
    assert len(chains(TABLE_2["MT"])) == 15
    assert max(("E01", "E02", "E03", "E04"), key=lambda e: score("MT", e)) == "E02"
    assert chain_score({1, 2}, {2, 4}) == Fraction(1, 2)


def test_precision_is_the_recall_of_the_other_direction() -> None:
    """Chain by chain, and so for the average over the other side's chains."""
    for one, other in (("MT", "E01"), ("E02", "MT"), ("E03", "E04")):
        there = score(one, other, form="precision", per="output")
        back = score(other, one, form="recall", per="reference")
        assert there == back
        assert score(one, other, form="f", per="either") == score(
            other, one, form="f", per="either"
        )


@pytest.mark.parametrize(
    ("form", "expected"),
    [("recall", Fraction(1)), ("precision", Fraction(2, 5)), ("f", Fraction(4, 7))],
)
def test_only_precision_and_f_see_over_repetition(form: str, expected: Fraction) -> None:
    assert chain_score({0, 1, 2, 3, 4}, {0, 4}, form) == expected


def test_what_is_averaged_over() -> None:
    output, reference = chains("a:0,1 b:0,1"), chains("a:0,1 c:1,2 d:2,3")
    matches = match_chains(output, reference)
    scores = {per: document_score(matches, per) for per in ("output", "reference", "either")}
    assert scores == {
        "output": Fraction(1, 2),
        "reference": Fraction(1, 3),
        "either": Fraction(1, 4),
    }


@pytest.mark.parametrize("per", ["output", "reference", "either"])
def test_a_text_without_chains(per: str) -> None:
    some: Mapping[str, set[int]] = {"a": {0, 1}}
    assert document_score(match_chains({}, {}), per) is None
    assert document_score(match_chains({}, some), per) == 0
    assert document_score(match_chains(some, {}), per) == 0
