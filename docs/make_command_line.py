"""Write docs/command-line.md and docs/isogloss.1 from the program itself: ``make docs``.

A test fails when a page and the program differ.
"""

import inspect
import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import typer

from isogloss.cli.main import app

PAGE = Path(__file__).with_name("command-line.md")
MANUAL = Path(__file__).with_name("isogloss.1")

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
    for full, inner in _leaves(path, command):
        yield f"\n## {full}\n\n{_description(inner)}\n{_parameters(inner)}"


def _leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """The commands that do something, with their whole names."""
    context = typer.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        full = f"{path} {name}"
        if hasattr(inner, "list_commands"):
            yield from _leaves(full, inner)
        else:
            yield full, inner


def _blocks(command: Any) -> list[str]:
    """The paragraphs of a help text."""
    return re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))


def _description(command: Any) -> str:
    """The help text: indented lines are examples, bold lines introduce them."""
    shown = []
    for block in _blocks(command):
        if block.startswith("  "):
            shown.append("```console\n" + inspect.cleandoc(block) + "\n```")
        else:
            shown.append(re.sub(r"\[/?bold\]", "**", " ".join(block.split())))
    return "\n\n".join(shown) + "\n"


def _parameters(command: Any) -> str:
    rows = []
    for names, text, default in _shown_parameters(command):
        cells = ", ".join(f"`{name}`" for name in names)
        text = text.replace("|", r"\|").replace("<", "&lt;")
        rows.append(f"| {cells} | {text}{default and f' Default: `{default}`.'} |\n")
    return "| | |\n|---|---|\n" + "".join(rows)


def _shown_parameters(command: Any) -> Iterator[tuple[list[str], str, str]]:
    """The names of each parameter, what it is, and its default."""
    for parameter in command.params:
        if parameter.name == "help":
            continue
        argument = parameter.param_type_name == "argument"
        names = [parameter.metavar or parameter.name.upper()] if argument else parameter.opts
        default = parameter.default
        told = default not in (None, False) and not callable(default)
        yield names, " ".join((parameter.help or "").split()), _plain(default) if told else ""


def _plain(default: object) -> str:
    return str(getattr(default, "value", default))


MANUAL_HEAD = r""".\" made by docs/make_command_line.py from the program: `make docs`
.TH ISOGLOSS 1 "" "isogloss {version}" "User Commands"
.SH NAME
isogloss \- evaluate machine translation of whole documents
.SH SYNOPSIS
.B isogloss
.RB [ \-\-version ]
.RB [ \-\-debug ]
.I command
.RI [ arguments ]
.SH DESCRIPTION
Scores translations at segment, document and system level, tells which differences between systems
are real, and keeps everything that is needed to check a number later.
.PP
Begin with
.BR "isogloss demo" ,
then
.BR "isogloss evaluate \-\-help" .
Results go to standard output, progress and notes to standard error.
"""

MANUAL_END = r""".SH EXIT STATUS
.TP
.B 0
All went well.
.TP
.B 1
What was checked does not hold: a self-test, an installation, a campaign.
.TP
.B 2
There is a mistake in the input; one line says where, and \fBisogloss \-\-debug\fR shows more.
.TP
.B 3
There is a result, but not all that was asked for.
.SH ENVIRONMENT
.TP
.B ISOGLOSS_CACHE
The folder that keeps what models computed.
.TP
.B ISOGLOSS_MODELS
The folder of models.
.TP
.B ISOGLOSS_CORES
How many cores models may use.
"""


def manual() -> str:
    """The page for man."""
    leaves = list(_leaves("isogloss", typer.main.get_command(app)))
    commands = "".join(_section(full, command) for full, command in leaves)
    head = MANUAL_HEAD.replace("{version}", version("isogloss"))
    return f"{head}.SH COMMANDS\n{commands}{MANUAL_END}"


def _section(full: str, command: Any) -> str:
    lines = [f".SS {_roff(full)}"]
    for block in _blocks(command):
        if block.startswith("  "):
            example = inspect.cleandoc(block).splitlines()
            lines += [".PP", ".nf", ".RS", *map(_roff, example), ".RE", ".fi"]
        else:
            lines += [".PP", _with_bold(_roff(" ".join(block.split())))]
    for names, text, default in _shown_parameters(command):
        lines += [".TP", ", ".join(rf"\fB{_roff(name)}\fR" for name in names)]
        lines.append(_with_bold(_roff(f"{text} Default: {default}." if default else text)))
    return "\n".join(line for line in lines if line) + "\n"


def _roff(text: str) -> str:
    """Text that stays text; a line that begins with a full stop would be a request."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + escaped if escaped.startswith((".", "'")) else escaped


def _with_bold(text: str) -> str:
    return text.replace("[bold]", r"\fB").replace("[/bold]", r"\fR")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    MANUAL.write_text(manual(), encoding="utf-8")
