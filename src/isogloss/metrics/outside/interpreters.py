"""Which Python runs an adapter: named once, in a small file of the user's.

::

    comet = "/home/me/comet/bin/python"

``isogloss adapters set comet PYTHON`` writes it. ``ISOGLOSS_COMET_PYTHON`` goes before the file.
"""

import os
import sys
from pathlib import Path

from isogloss.destination import write_file
from isogloss.errors import InputError, NotApplicableError
from isogloss.notation import toml_table, toml_text

ADAPTER_PACKAGES = {
    "comet": "unbabel-comet 'setuptools<81'",  # torchmetrics 0.10 asks for pkg_resources
    "metricx": "transformers torch sentencepiece",
    "bertscore": "bert-score",
    "bleurt": "bleurt-pytorch",
}
"""What has to be installed for each adapter, beside its interpreter."""


def adapters_file() -> Path:
    """Where interpreters are written down: ``$ISOGLOSS_ADAPTERS``, or the user's own folder."""
    chosen = os.environ.get("ISOGLOSS_ADAPTERS")
    if chosen:
        return Path(chosen)
    variable = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    base = os.environ.get(variable)
    return (Path(base) if base else Path.home() / ".config") / "isogloss" / "adapters.toml"


def interpreters() -> dict[str, str]:
    """The interpreter of each adapter that has one."""
    path = adapters_file()
    written = toml_table(path.read_text("utf-8"), path) if path.is_file() else {}
    found = {name: str(python) for name, python in written.items() if name in ADAPTER_PACKAGES}
    named = {name: os.environ.get(_variable(name)) for name in ADAPTER_PACKAGES}
    return found | {name: python for name, python in named.items() if python}


def set_interpreter(name: str, python: str) -> None:
    """Write down the interpreter of an adapter."""
    if name not in ADAPTER_PACKAGES:
        raise InputError(f"there is no adapter {name!r}; there are: {', '.join(ADAPTER_PACKAGES)}")
    path = adapters_file()
    written = toml_table(path.read_text("utf-8"), path) if path.is_file() else {}
    # Not resolved: the interpreter of a virtual environment is a link, and must stay one.
    written[name] = os.path.abspath(os.path.expanduser(python))
    write_file(path, toml_text(written).encode())


def interpreter(name: str) -> str:
    """The interpreter of an adapter, or what to do about it."""
    found = interpreters().get(name)
    if found is None:
        wanted = ADAPTER_PACKAGES[name]
        raise NotApplicableError(
            f"{name} runs in a Python environment of its own, and none is named; make one: "
            f"python -m venv {name}-env && {name}-env/bin/pip install {wanted} && "
            f"isogloss adapters set {name} {name}-env/bin/python"
        )
    return found


def _variable(name: str) -> str:
    return f"ISOGLOSS_{name.upper()}_PYTHON"
