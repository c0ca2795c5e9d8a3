"""The public face of the package: what it offers, and how lightly it loads."""

import pkgutil
import subprocess
import sys

import pytest

import isogloss


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


def test_importing_it_loads_nothing_else() -> None:
    program = (
        "import sys; before = set(sys.modules); import isogloss; print(*set(sys.modules) - before)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in shown.stdout.split()}
    assert loaded <= {"isogloss", "lazy_loader"} | set(sys.stdlib_module_names)
    assert "asyncio" not in loaded
