"""The program ``isogloss``: its commands, and how it ends when something is wrong.

Results go to standard output, everything else to standard error. A mistake in the input ends in
one line and exit code 2; ``--debug`` shows where it was raised. Where there is a result, but not
all that was asked for, the exit code is 3.
"""

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from isogloss.cli import output
from isogloss.cli.output import complain
from isogloss.errors import IsoglossError


@dataclass(frozen=True, slots=True)
class _Entry:
    """A command before its module is loaded: where it is, and what it does in a line."""

    location: str
    help: str

    def load(self, name: str) -> Any:
        module, _, attribute = self.location.partition(":")
        found = getattr(import_module(f"isogloss.cli.{module}"), attribute)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
            alone.command(name)(found)
            return typer.main.get_command(_with_flowing_help(alone))
        found.info.name = name
        return typer.main.get_group(_with_flowing_help(found))

    def stub(self, name: str) -> TyperCommand:
        """Enough of it for a list of commands."""
        return TyperCommand(
            name, help=self.help, rich_markup_mode="rich", rich_help_panel=_PANEL_OF.get(name)
        )


def _with_flowing_help(app: typer.Typer) -> typer.Typer:
    """The app with help whose paragraphs fill the screen, however wide it is.

    Lines of docstrings end where the source's lines do; examples are indented, and stay.
    """
    for command in app.registered_commands:
        paragraphs = inspect.cleandoc(command.help or command.callback.__doc__ or "").split("\n\n")
        command.help = "\n\n".join(
            paragraph if paragraph.startswith(" ") else paragraph.replace("\n", " ")
            for paragraph in paragraphs
        )
    return app


# A test holds that the lines are those of the commands themselves.
_COMMANDS = {
    "evaluate": _Entry(
        "evaluate:command", "Score systems on a test set: segments, documents and systems."
    ),
    "compare": _Entry("compare:command", "Compare every pair of systems from saved scores."),
    "check": _Entry(
        "check:command",
        "Check that new scores are no worse than a baseline's: a gate for continuous integration.",
    ),
    "explain": _Entry(
        "explain:command", "Explain why system A scores higher than system B, or lower."
    ),
    "report": _Entry(
        "report:command",
        "Show saved scores: a page with systems, documents, texts and evidence, or tables.",
    ),
    "score-corpus": _Entry(
        "score_corpus:command",
        "Score rows of any number: filter training text, watch translation traffic.",
    ),
    "segment": _Entry(
        "segment:command",
        "Cut outputs that were handed in whole into the segments of the source.",
    ),
    "consistency": _Entry(
        "consistency:command",
        "Measure whether repeated source words are translated alike, and list where they are not.",
    ),
    "align": _Entry(
        "align:command", "Link the words of translations to the words of their sources."
    ),
    "stability": _Entry(
        "stability:command", "Show how a score settles as more documents are scored."
    ),
    "metaeval": _Entry(
        "metaeval:command",
        "Measure how well metrics agree with human judgements, as the WMT metrics task does.",
    ),
    "preferences": _Entry(
        "preferences:command",
        "Measure how often metrics prefer the translation that people prefer.",
    ),
    "difference": _Entry(
        "difference:command",
        "Estimate how often a difference of this size in a metric means that people see it too.",
    ),
    "spans": _Entry(
        "spans:command",
        "Measure how far marked error spans agree with people's, as the WMT span task does.",
    ),
    "worth": _Entry(
        "worth:command",
        "Learn what a difference is worth: how likely people prefer the system that is ahead.",
    ),
    "tune": _Entry(
        "tune:command",
        "Train the weights of a hybrid metric to agree with people as well as it can.",
    ),
    "plan": _Entry(
        "plan:command",
        "Plan human judgements: how many documents tell two systems apart.",
    ),
    "convert": _Entry("convert:command", "Write a test set with its systems in another format."),
    "demo": _Entry(
        "evaluate:demo",
        "Score the bundled sample documents with every metric that needs no download.",
    ),
    "chains": _Entry(
        "chains:app",
        "Lexical chains: extract, annotate, compare and count words to be translated alike.",
    ),
    "markables": _Entry(
        "markables:app",
        "Markables: analyse the study, propose markables, check their translations.",
    ),
    "annotate": _Entry(
        "annotate:app", "Annotation campaigns: people judge translations in the browser."
    ),
    "adapters": _Entry(
        "adapters:app", "Name the Python environments in which other people's metrics run."
    ),
    "suite": _Entry(
        "suite:app", "Discourse suites: examples that only context decides (ContraPro, ctxpro ...)."
    ),
    "list": _Entry("listing:app", "List metrics, languages or formats."),
    "model": _Entry("model:app", "Convert, look at, test, use and probe translation models."),
    "docs": _Entry("docs:command", "Open the website of isogloss, which comes along."),
    "doctor": _Entry(
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


class Commands(TyperGroup):
    """The program's commands, each loaded when it is called: a list of them needs none."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """In the order in which people meet them."""
        return sorted(_COMMANDS, key=lambda name: [*_PANEL_OF, name].index(name))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command of that name, if there is one."""
        entry = _COMMANDS.get(cmd_name)
        if entry is None:
            return None
        return entry.stub(cmd_name) if self._listing else entry.load(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with a line for each command."""
        with self._only_listed():
            super().format_help(ctx, formatter)

    @contextmanager
    def _only_listed(self) -> Iterator[None]:
        self._listing = True
        try:
            yield
        finally:
            self._listing = False


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
        message = error.format_message()
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
