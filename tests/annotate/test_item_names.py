"""Names of items: one spelling for each, and nothing else is one."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.annotate.items import ItemName, slot_names
from isogloss.errors import InputError

NUMBERS = st.integers(0, 10**18 - 1)
SLOTS = st.sampled_from(slot_names(1000))
NAMES = st.one_of(
    st.builds(ItemName, st.sampled_from(["line", "occ"]), NUMBERS, SLOTS),
    st.builds(ItemName, st.just("seg"), NUMBERS, SLOTS, st.none() | NUMBERS),
    st.builds(ItemName, st.just("chain"), NUMBERS),
)
# Texts that are near to names, and are some of them.
NEAR = st.from_regex(r"\A(line|seg|occ|chain|Seg|)[:;]?-?\d*(/[A-Za-zÀ]*)?(~\d*)?\s?\Z")


@given(NAMES)
def test_a_name_is_read_back_as_it_was_written(name: ItemName) -> None:
    assert ItemName.parse(str(name)) == name


@given(st.text() | NEAR)
def test_every_other_text_is_refused(text: str) -> None:
    with suppress(InputError):
        assert str(ItemName.parse(text)) == text, "two spellings would be two items"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "seg",
        "seg:",
        "seg:1",
        "seg:01/A",
        "seg:+1/A",
        "seg:-1/A",
        "seg:1/a",
        "seg:1/",
        "seg:1/A~",
        "seg:1/A~01",
        "seg:١/A",  # a digit, but not one of ours
        "seg:1/A\n",
        " seg:1/A",
        "SEG:1/A",
        "page:1/A",
        "line:1/A~0",
        "occ:1/A~0",
        "chain:1/A",
        "chain:1~0",
        f"seg:{10**18}/A",
        f"seg:{'9' * 5000}/A",
    ],
)
def test_what_is_nearly_a_name_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no name of an item") as told:
        ItemName.parse(text)
    assert len(str(told.value)) < 200


@pytest.mark.parametrize(
    ("kind", "number", "slot", "check"),
    [
        ("page", 0, "A", None),
        ("seg", -1, "A", None),
        ("seg", 0, None, None),
        ("seg", 0, "", None),
        ("seg", 0, "a", None),
        ("seg", 0, "A", -1),
        ("line", 0, "A", 0),
        ("chain", 0, "A", None),
        ("seg", 10**18, "A", None),
    ],
)
def test_no_name_is_made_that_could_not_be_read(
    kind: str, number: int, slot: str | None, check: int | None
) -> None:
    with pytest.raises(InputError, match="is no name of an item"):
        ItemName(kind, number, slot, check)  # type: ignore[arg-type]


def test_a_name_tells_what_it_is_about() -> None:
    assert ItemName.parse("seg:12/AB~3") == ItemName("seg", 12, "AB", 3)
    assert ItemName.parse("chain:0") == ItemName("chain", 0)
