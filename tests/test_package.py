"""The public face of the package: what it offers, and how lightly it loads."""

import pkgutil
import subprocess
import sys

import pytest

import isogloss
from isogloss.sample import sample_path


def test_every_public_name_can_be_had() -> None:
    for name in isogloss.__all__:
        assert getattr(isogloss, name) is not None
    assert dir(isogloss) == sorted(isogloss.__all__)
    with pytest.raises(AttributeError, match="attribute nothing"):
        _ = isogloss.nothing


def test_no_public_name_is_also_a_module() -> None:
    """Importing such a module would put it in the place of the function."""
    modules = {module.name for module in pkgutil.iter_modules(isogloss.__path__)}
    assert not modules & set(isogloss.__all__)


def loaded_by(program: str) -> set[str]:
    """The packages that a program loads."""
    around = f"import sys; before = set(sys.modules)\n{program}\nprint(*set(sys.modules) - before)"
    shown = subprocess.run(
        [sys.executable, "-c", around], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in shown.stdout.splitlines()[-1].split()}


def test_importing_it_loads_nothing_else() -> None:
    loaded = loaded_by("import isogloss")
    assert loaded <= {"isogloss", "lazy_loader"} | set(sys.stdlib_module_names)
    assert "asyncio" not in loaded


COMMAND = """
from isogloss.cli.main import main
sys.argv = ["isogloss", *{arguments}]
try:
    main()
except SystemExit as end:
    assert not end.code
"""


@pytest.mark.parametrize(
    ("program", "unneeded"),
    [
        ("import isogloss.segmentation", {"numpy", "ctranslate2", "sentencex"}),
        (COMMAND.format(arguments=["--version"]), {"numpy", "ctranslate2", "sentencex"}),
        (
            COMMAND.format(arguments=["evaluate", str(sample_path("cs-en")), "-m", "chrf"]),
            {"ctranslate2", "sentencex"},
        ),
    ],
    ids=["segmentation", "version", "evaluate"],
)
def test_only_what_is_needed_is_loaded(program: str, unneeded: set[str]) -> None:
    assert not loaded_by(program) & unneeded
