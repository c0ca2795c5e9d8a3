"""``isogloss adapters``: the Python environments in which other people's metrics run."""

import shlex
import subprocess
from typing import Annotated

import typer

from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, say, show

app = typer.Typer(
    help="Name the Python environments in which other people's metrics run.",
    no_args_is_help=True,
)


@app.command("list")
def list_them(output: OutputOption = Output.TABLE) -> None:
    """The adapters, with the interpreter of each and what is installed there."""
    from isogloss.metrics import ADAPTER_PACKAGES, interpreters

    known = interpreters()
    records: list[Record] = [
        {
            "adapter": name,
            "needs": packages,
            "python": known.get(name),
            "installed": _installed(known[name], packages) if name in known else None,
        }
        for name, packages in ADAPTER_PACKAGES.items()
    ]
    headings = list(records[0])
    rows = [[str(record[heading] or "–") for heading in headings] for record in records]
    note = "name an interpreter: isogloss adapters set comet comet-env/bin/python"
    prose = frozenset(range(1, 4))
    show(Result([Grid("Adapters", headings, rows, [note], lead=4, prose=prose)], records), output)


@app.command("set")
def set_one(
    name: Annotated[str, typer.Argument(help="comet, metricx, bertscore or bleurt.")],
    python: Annotated[str, typer.Argument(help="The interpreter of its environment.")],
) -> None:
    """Name the interpreter of an adapter, for always.

    [bold]Example[/bold]

      python -m venv comet-env
      comet-env/bin/pip install unbabel-comet 'setuptools<81'
      isogloss adapters set comet comet-env/bin/python
      isogloss evaluate testset.toml -m 'comet(model=wmt22-comet-da/checkpoints/model.ckpt)'
    """
    from isogloss.metrics import ADAPTER_PACKAGES, adapters_file, set_interpreter

    set_interpreter(name, python)
    found = _installed(python, ADAPTER_PACKAGES[name])
    say(f"{name} runs with {python} ({found}); kept in {adapters_file()}")


_ASK = (
    "import sys\nfrom importlib.metadata import version, PackageNotFoundError\n"
    "for name in sys.argv[1:]:\n"
    "    try: print(name, version(name))\n"
    "    except PackageNotFoundError: print(name, 'is missing')\n"
)


def _installed(python: str, packages: str) -> str:
    """The versions of packages in another environment, or why they are not known."""
    names = [word for word in shlex.split(packages) if "<" not in word]
    try:
        done = subprocess.run(  # noqa: S603 - an interpreter that the user named
            [python, "-c", _ASK, *names], capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError):
        return "it cannot be run"
    return ", ".join(done.stdout.splitlines())
