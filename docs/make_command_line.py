"""Write docs/command-line.md from the program itself: ``make docs``.

A test fails when the page and the program differ.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from isogloss.cli.main import app

PAGE = Path(__file__).with_name("command-line.md")

INTRODUCTION = """\
# Command line

Results go to standard output, progress and notes to standard error. A mistake in the input ends in
one line and exit code 2; `isogloss --debug COMMAND …` shows where it was raised. Exit code 3 means
that there is a result, but not all that was asked for
([when a metric cannot score](metrics.md#when-a-metric-cannot-score)), exit code 1 of
`isogloss check` that its [gate](gate.md) stays closed. `isogloss
--install-completion` sets up completion for your shell.

<!-- made by docs/make_command_line.py from the program: `make docs` -->
"""


def page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(_commands("isogloss", typer.main.get_command(app)))


def _commands(path: str, command: Any) -> Iterator[str]:
    context = typer.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        full = f"{path} {name}"
        if hasattr(inner, "list_commands"):
            yield from _commands(full, inner)
        else:
            yield f"\n## {full}\n\n{_description(inner)}\n{_parameters(inner)}"


def _description(command: Any) -> str:
    """The help text: indented lines are examples, bold lines introduce them."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
    shown = []
    for block in blocks:
        if block.startswith("  "):
            shown.append("```console\n" + inspect.cleandoc(block) + "\n```")
        else:
            shown.append(re.sub(r"\[/?bold\]", "**", " ".join(block.split())))
    return "\n\n".join(shown) + "\n"


def _parameters(command: Any) -> str:
    rows = [_row(parameter) for parameter in command.params if parameter.name != "help"]
    return "| | |\n|---|---|\n" + "".join(rows)


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name.upper()}`"
    else:
        names = ", ".join(f"`{name}`" for name in parameter.opts)
    default = parameter.default
    shown = (
        "" if default in (None, False) or callable(default) else f" Default: `{_plain(default)}`."
    )
    text = " ".join((parameter.help or "").split()).replace("|", r"\|").replace("<", "&lt;")
    return f"| {names} | {text}{shown} |\n"


def _plain(default: object) -> str:
    return str(getattr(default, "value", default))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
