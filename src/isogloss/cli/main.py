"""The program ``isogloss``: its commands, and how it ends when something is wrong.

Results go to standard output, everything else to standard error. A mistake in the input ends in
one line and exit code 2; ``--debug`` shows where it was raised. Where there is a result, but not
all that was asked for, the exit code is 3.
"""

import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated

import typer

from isogloss.cli import (
    align,
    annotate,
    chains,
    compare,
    consistency,
    convert,
    demo,
    difference,
    evaluate,
    listing,
    markables,
    metaeval,
    model,
    probe,
    report,
    stability,
    streams,
    tune,
)
from isogloss.cli.output import complain
from isogloss.errors import IsoglossError

app = typer.Typer(
    name="isogloss",
    help="Evaluate machine translation of whole documents.",
    epilog="Begin with [bold]isogloss demo[/bold], then [bold]isogloss evaluate --help[/bold].",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("evaluate")(evaluate.command)
app.command("compare")(compare.command)
app.command("report")(report.command)
app.command("consistency")(consistency.command)
app.add_typer(chains.app, name="chains")
app.command("align")(align.command)
app.command("stability")(stability.command)
app.command("metaeval")(metaeval.command)
app.command("difference")(difference.command)
app.command("tune")(tune.command)
app.add_typer(markables.app, name="markables")
app.add_typer(annotate.app, name="annotate")
app.add_typer(listing.app, name="list")
app.command("convert")(convert.command)
app.command("demo")(demo.command)
model.app.command("probe")(probe.command)
app.add_typer(model.app, name="model")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"isogloss {version('isogloss')}")
        raise typer.Exit


@app.callback()
def _common(
    show_version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback when something goes wrong.")
    ] = False,
) -> None:
    if debug:
        os.environ["ISOGLOSS_DEBUG"] = "1"


_INTERRUPTED = 130  # what shells expect of a program that Ctrl-C ended


def main() -> None:
    """Run the program and end it with the exit code that fits."""
    streams.prepare()
    code = _exit_code(_run)
    sys.exit(_exit_code(sys.stdout.flush) or code)


def _run() -> int | None:
    code: int | None = app(prog_name="isogloss", standalone_mode=False)
    # Typer turns Ctrl-C into this exit code by itself, without a word.
    return _complain("interrupted", _INTERRUPTED) if code == _INTERRUPTED else code


def _exit_code(act: Callable[[], int | None]) -> int:
    """Do it; what goes wrong becomes a line and an exit code."""
    try:
        return act() or 0
    except typer.TyperException as error:
        return _complain(error.format_message(), error.exit_code)
    except (BrokenPipeError, SystemExit) as error:
        return _left_alone(error)
    except (IsoglossError, OSError, MemoryError) as error:
        if os.environ.get("ISOGLOSS_DEBUG"):
            raise
        return _complain(_in_words(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", _INTERRUPTED)


def _left_alone(error: BrokenPipeError | SystemExit) -> int:
    """The reader of our output has gone, as `head` does: not worth a word."""
    # Rich makes such an error the end of the program, and a failure.
    if not isinstance(error.__context__ or error, BrokenPipeError):
        raise error
    streams.discard_output()
    return 0


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError):
        streams.discard_output()
        return streams.trouble(error)
    return str(error) or "there is not enough memory for this"


def _complain(message: str, code: int) -> int:
    complain(message)
    return code
