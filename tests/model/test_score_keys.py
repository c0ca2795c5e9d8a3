"""Keys: everything that changes a score changes the key, nothing else does."""

from dataclasses import replace

import pytest

from isogloss.model import ModelCard, Pair
from isogloss.model.cache import KeyMaker
from isogloss.model.engine import EngineId

CARD = ModelCard(
    name="some",
    languages=("de", "en"),
    scheme="prism",
    precision="float32",
    max_source_length=64,
    max_target_length=64,
    licence="CC0-1.0",
    digest="sha256:1",
)
ENGINE = EngineId("ctranslate2", "4.8.4", "int8_float32", "AVX512")
PAIR = Pair("ab", "c", "de", "en", ("x", "y"), ("z",))
KEY = KeyMaker(CARD, ENGINE, "error").key(PAIR)


@pytest.mark.parametrize(
    "pair",
    [
        replace(PAIR, condition="a", target="bc"),
        replace(PAIR, condition="a b"),
        replace(PAIR, target_language="en"),
        replace(PAIR, condition_language=None),
        replace(PAIR, condition_language="de", target_language="en"),
        replace(PAIR, context_condition=("x",), context_target=("y", "z")),
        replace(PAIR, context_condition=("xy",)),
        replace(PAIR, context_condition=("y", "x")),
        replace(PAIR, context_condition=()),
    ],
)
def test_every_part_of_a_pair_counts(pair: Pair) -> None:
    assert KeyMaker(CARD, ENGINE, "error").key(pair) != KEY


def test_an_unconditional_pair_is_not_one_with_an_empty_condition() -> None:
    make = KeyMaker(CARD, ENGINE, "error").key
    assert make(Pair.alone("c", "de")) != make(Pair("", "c", "de", "de"))


@pytest.mark.parametrize(
    ("card", "engine"),
    [
        (replace(CARD, digest="sha256:2"), ENGINE),
        (replace(CARD, scheme="m2m100"), ENGINE),
        (replace(CARD, separator="<sep>"), ENGINE),
        (replace(CARD, max_target_length=32), ENGINE),
        (replace(CARD, language_codes={"de": "deu"}), ENGINE),
        (CARD, replace(ENGINE, version="4.9")),
        (CARD, replace(ENGINE, precision="float32")),
        (CARD, replace(ENGINE, instructions="AVX2")),
        (CARD, replace(ENGINE, temperature=2.0)),
    ],
)
def test_every_part_of_model_and_engine_counts(card: ModelCard, engine: EngineId) -> None:
    assert KeyMaker(card, engine, "error").key(PAIR) != KEY


def test_the_policy_counts_and_the_name_does_not() -> None:
    assert KeyMaker(CARD, ENGINE, "split").key(PAIR) != KEY
    renamed = replace(CARD, name="other", licence="MIT")
    assert KeyMaker(renamed, ENGINE, "error").key(PAIR) == KEY
    assert len(KEY) == 16
