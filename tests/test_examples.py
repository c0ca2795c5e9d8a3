"""The examples in docstrings are run, and the names on the postcard have one each."""

import doctest
import inspect
from importlib import import_module

import pytest

import isogloss

MODULES = (
    "isogloss",
    "isogloss.comparison.ranking",
    "isogloss.texts",
    "isogloss.evaluation",
    "isogloss.explanation.explaining",
    "isogloss.formats.registry",
    "isogloss.scores",
    "isogloss.workflow",
)
POSTCARD = (
    "align",
    "compare",
    "consistency",
    "evaluate",
    "explain",
    "from_texts",
    "metaevaluate",
    "read",
    "read_judgements",
    "tune",
    "write_report",
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_do_what_they_say(module: str) -> None:
    found = doctest.testmod(import_module(module))
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("name", POSTCARD)
def test_the_main_functions_explain_themselves(name: str) -> None:
    function = getattr(isogloss, name)
    told = inspect.getdoc(function)
    assert told is not None
    for part in ("Args:", "Raises:", "Example:"):
        assert part in told, f"{name} has no {part}"
    parameters = inspect.signature(function).parameters
    assert all(f"{parameter}: " in told for parameter in parameters)
    if inspect.signature(function).return_annotation is not None:
        assert "Returns:" in told
    assert import_module(function.__module__).__name__ in MODULES, "its example is not run"
