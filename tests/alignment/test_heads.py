"""Which attention heads are read, and where that is noted."""

from pathlib import Path

import pytest

from isogloss.alignment.attention import HeadChoice, remember_choice, states_factor
from isogloss.errors import InputError
from isogloss.model import read_card, verify_folder
from model.tiny_models import tiny_model


def test_without_a_choice_the_lower_half_is_read() -> None:
    assert HeadChoice.lower_half(3, 2).heads == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert HeadChoice.lower_half(1, 1).heads == ((0, 0),)
    assert str(HeadChoice(((0, 3), (2, 1)))) == "0.3+2.1"


@pytest.mark.parametrize("head", [(3, 0), (0, 4)])
def test_heads_that_are_not_there_are_refused(head: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=rf"there is no head {head[0]}\.{head[1]}"):
        HeadChoice((head,)).within(3, 4)


def test_the_choice_is_noted_in_the_card(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model", card={"summary": "tiny"}).folder
    before = read_card(folder)
    assert HeadChoice.of_card(before) is None
    remember_choice(folder, HeadChoice(((1, 2), (0, 0))))
    after = read_card(folder)
    assert HeadChoice.of_card(after) == HeadChoice(((1, 2), (0, 0)))
    assert after.digest == before.digest
    assert after.card["summary"] == "tiny"
    verify_folder(folder)


@pytest.mark.parametrize("noted", ["1.3", 1.3, [], ["1"], ["1.3", "x"]])
def test_nonsense_in_the_card_is_told(noted: object, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model", card={"alignment_heads": noted}).folder
    with pytest.raises(InputError, match="must be a list of heads such as"):
        HeadChoice.of_card(read_card(folder))


def test_what_states_are_multiplied_by_is_noted_too(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model").folder
    assert states_factor(read_card(folder)) is None
    remember_choice(folder, HeadChoice(((1, 2),)), states=0.5)
    assert states_factor(read_card(folder)) == 0.5


@pytest.mark.parametrize("noted", ["1", 0, -1.0, True])
def test_nonsense_about_states_is_told(noted: object, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model", card={"alignment_states": noted}).folder
    with pytest.raises(InputError, match="alignment_states must be a number above 0"):
        states_factor(read_card(folder))
