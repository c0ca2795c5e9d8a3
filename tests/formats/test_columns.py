from collections.abc import Mapping
from pathlib import Path

import pytest

from isogloss.errors import FormatError, InputError
from isogloss.formats.columns import ALIASES, Roles, Row, Table, role_of, roles_in

PATH = Path("data/good.tsv")


def table(*columns: str) -> Table:
    return Table(PATH, dict.fromkeys(columns, 1), [])


def bound(*columns: str, wanted: Mapping[str, str] | None = None) -> dict[str, str]:
    return dict(roles_in(table(*columns), wanted or {}).columns)


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("source", "source"),
        ("SRC", "source"),
        (" Src ", "source"),
        ("reference", "reference:ref"),
        ("Ref:Human A", "reference:Human A"),
        ("ref:a:b", "reference:a:b"),
        ("sys:good", "system:good"),
        ("MT:good", "system:good"),
        ("sid", "segment"),
        ("document:x", None),
        ("score", None),
    ],
)
def test_roles_by_name(column: str, role: str | None) -> None:
    assert role_of(column) == role


def test_no_alias_means_two_things() -> None:
    every = [name for role, others in ALIASES.items() for name in (role, *others)]
    assert len(every) == len(set(every))


def test_unknown_columns_are_let_alone() -> None:
    assert bound("src", "score") == {"source": "src"}


def test_what_a_person_said_wins_over_names() -> None:
    wanted = {"source": "English", "system:good": "target", "ref": "Deutsch"}
    assert bound("source", "English", "target", "Deutsch", "ref", wanted=wanted) == {
        "source": "English",
        "system:good": "target",
        "reference:ref": "Deutsch",
    }


def test_one_output_without_a_system_takes_the_name_of_the_file() -> None:
    assert bound("src", "mt") == {"source": "src", "system:good": "mt"}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("src", "source"), "columns 'src' and 'source' both give 'source'"),
        (("src", "ref", "reference:ref"), "'ref' and 'reference:ref' both give 'reference:ref'"),
        (("Quelle", "ref"), "there is no column 'source'; the columns are: Quelle, ref"),
        (("src", "system"), "'system' names systems, but no column 'output'"),
        (("src", "system", "mt", "system:A"), "are two ways to name systems"),
        (("src", "target", "system:A"), "no column 'system' says whose output 'target' is"),
        (("src", "ref:"), "column 'ref:' lacks a name"),
        (("src", "mt:"), "column 'mt:' lacks a name"),
    ],
)
def test_columns_that_cannot_be_understood(columns: tuple[str, ...], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        bound(*columns)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{PATH}:1: ")


def test_a_wanted_column_must_be_there() -> None:
    with pytest.raises(FormatError, match=r"no column 'English'; the columns are: src, ref"):
        bound("src", "ref", wanted={"source": "English"})


def test_a_wanted_role_must_be_known() -> None:
    with pytest.raises(InputError, match=r"'sauce' means nothing here; known columns: doc, seg"):
        bound("src", wanted={"sauce": "src"})


@pytest.mark.parametrize("wanted", [{"source": "a", "reference": "a"}, {"source": "a", "src": "b"}])
def test_a_wish_may_not_contradict_itself(wanted: dict[str, str]) -> None:
    with pytest.raises(InputError, match="only once"):
        bound("a", "b", wanted=wanted)


def roles(**cells: object) -> tuple[Roles, Row]:
    row = Row(7, {"source": "s", **cells})
    return roles_in(Table(PATH, dict.fromkeys(row.cells, 7), [row]), {}), row


def test_numbers_may_name_documents_and_segments_but_are_no_text() -> None:
    found, row = roles(doc=3, segment=0, domain=1.5)
    assert (found.text(row, "doc"), found.text(row, "segment")) == ("3", "0")
    with pytest.raises(FormatError, match=r":7: 'domain' is not a text: 1\.5"):
        found.text(row, "domain")


def test_true_is_no_number() -> None:
    found, row = roles(doc=True)
    with pytest.raises(FormatError, match="'doc' is not a text: True"):
        found.text(row, "doc")


@pytest.mark.parametrize("empty", ["", None])
def test_a_label_must_be_filled(empty: str | None) -> None:
    found, row = roles(doc=empty)
    with pytest.raises(FormatError, match=":7: 'doc' is empty"):
        found.label(row, "doc")


def test_languages_and_pair_complete_each_other() -> None:
    found, row = roles(src_lang="en", lp="en-de")
    assert found.direction(row) == ("en", "de")


@pytest.mark.parametrize("pair", ["fr-de", "ende", "-"])
def test_a_pair_must_be_one_and_agree(pair: str) -> None:
    found, row = roles(src_lang="en", lp=pair)
    with pytest.raises(FormatError, match=r":7: .* is no language pair .* or contradicts en-"):
        found.direction(row)
