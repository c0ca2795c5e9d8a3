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

from isogloss.cli import output
from isogloss.cli.lazy import Entry, LazyCommands
from isogloss.cli.output import complain
from isogloss.errors import IsoglossError

# A test holds that the lines are those of the commands themselves.
_COMMANDS = {
    "evaluate": Entry(
        "evaluate:command", "Score systems on a test set: segments, documents and systems."
    ),
    "compare": Entry("compare:command", "Compare every pair of systems from saved scores."),
    "check": Entry(
        "check:command",
        "Check that new scores are no worse than a baseline's: a gate for continuous integration.",
    ),
    "explain": Entry(
        "explain:command", "Explain why system A scores higher than system B, or lower."
    ),
    "report": Entry(
        "report:command",
        "Show saved scores: a page with systems, documents, texts and evidence, or tables.",
    ),
    "score-corpus": Entry(
        "score_corpus:command",
        "Score rows of any number: filter training text, watch translation traffic.",
    ),
    "segment": Entry(
        "segment:command",
        "Cut outputs that were handed in whole into the segments of the source.",
    ),
    "consistency": Entry(
        "consistency:command",
        "Measure whether repeated source words are translated alike, and list where they are not.",
    ),
    "align": Entry(
        "align:command", "Link the words of translations to the words of their sources."
    ),
    "stability": Entry(
        "stability:command", "Show how a score settles as more documents are scored."
    ),
    "metaeval": Entry(
        "metaeval:command",
        "Measure how well metrics agree with human judgements, as the WMT metrics task does.",
    ),
    "preferences": Entry(
        "preferences:command",
        "Measure how often metrics prefer the translation that people prefer.",
    ),
    "difference": Entry(
        "difference:command",
        "Estimate how often a difference of this size in a metric means that people see it too.",
    ),
    "spans": Entry(
        "spans:command",
        "Measure how far marked error spans agree with people's, as the WMT span task does.",
    ),
    "worth": Entry(
        "worth:command",
        "Learn what a difference is worth: how likely people prefer the system that is ahead.",
    ),
    "tune": Entry(
        "tune:command",
        "Train the weights of a hybrid metric to agree with people as well as it can.",
    ),
    "plan": Entry(
        "plan:command",
        "Plan human judgements: how many documents tell two systems apart.",
    ),
    "convert": Entry("convert:command", "Write a test set with its systems in another format."),
    "demo": Entry(
        "evaluate:demo",
        "Score the bundled sample documents with every metric that needs no download.",
    ),
    "chains": Entry(
        "chains:app",
        "Lexical chains: extract, annotate, compare and count words to be translated alike.",
    ),
    "markables": Entry(
        "markables:app",
        "Markables: analyse the study, propose markables, check their translations.",
    ),
    "annotate": Entry(
        "annotate:app", "Annotation campaigns: people judge translations in the browser."
    ),
    "adapters": Entry(
        "adapters:app", "Name the Python environments in which other people's metrics run."
    ),
    "suite": Entry(
        "suite:app", "Discourse suites: examples that only context decides (ContraPro, ctxpro ...)."
    ),
    "list": Entry("listing:app", "List metrics, languages or formats."),
    "model": Entry("model:app", "Convert, look at, test, use and probe translation models."),
    "docs": Entry("docs:command", "Open the website of isogloss, which comes along."),
    "doctor": Entry(
        "doctor:command", "Check this installation: versions, machine, model, cache, extras."
    ),
}


# How the list of commands is grouped, by what people want; others stand below by themselves.
_PANELS = {
    "Score": "demo evaluate segment score-corpus convert",
    "Compare and explain": "compare explain report check stability",
    "Look into the texts": "consistency align chains markables suite",
    "Ask people": "plan annotate metaeval spans preferences difference worth tune",
    "What there is": "list model adapters docs doctor",
}
_PANEL_OF = {name: panel for panel, names in _PANELS.items() for name in names.split()}
_IN_ORDER = {name: _COMMANDS[name] for name in _PANEL_OF}


class Commands(LazyCommands):
    """The program's commands, each loaded when it is called: a list of them needs none."""

    entries = _IN_ORDER
    panels = _PANEL_OF


app = typer.Typer(
    name="isogloss",
    cls=Commands,
    help="Evaluate machine translation of whole documents.",
    epilog="Begin with [bold]isogloss demo[/bold], then [bold]isogloss evaluate --help[/bold].",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
    output.prepare()
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
        message = _usage(error)
        # Whoever names no command has been shown the help, and nothing went wrong.
        return _complain(message, error.exit_code) if message else 0
    except (BrokenPipeError, SystemExit) as error:
        return _left_alone(error)
    except (IsoglossError, OSError, MemoryError) as error:
        if os.environ.get("ISOGLOSS_DEBUG"):
            raise
        return _complain(_in_words(error), 2)
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted", _INTERRUPTED)


def _usage(error: typer.TyperException) -> str:
    """What is wrong with how a command was called, and where it says how."""
    # Typer lets pydantic look at values, which says what kind of exception it had.
    message = error.format_message().replace("Value error, ", "")
    context = getattr(error, "ctx", None)
    helps_itself = message.endswith("?") or getattr(error, "possibilities", None)
    if not message or context is None or helps_itself:
        return message
    return f"{message.rstrip('.')}; see '{context.command_path} --help'"


def _left_alone(error: BrokenPipeError | SystemExit) -> int:
    """The reader of our output has gone, as `head` does: not worth a word."""
    # Rich makes such an error the end of the program, and a failure.
    if not isinstance(error.__context__ or error, BrokenPipeError):
        raise error
    output.discard_output()
    return 0


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError):
        output.discard_output()
        return output.trouble(error)
    if isinstance(error, IsoglossError):
        return output.with_flags(str(error), error.lacking)
    return str(error) or "there is not enough memory for this"


def _complain(message: str, code: int) -> int:
    complain(message)
    return code
