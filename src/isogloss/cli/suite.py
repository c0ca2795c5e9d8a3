"""``isogloss suite``: contrastive and generative discourse suites as they were published."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import inputs
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, number, print_text, show
from isogloss.documents import counted
from isogloss.errors import FormatError, InputError

if TYPE_CHECKING:
    from isogloss.runtime import Runtime
    from isogloss.suites import Accuracy, Suite

app = typer.Typer(
    help="Discourse suites: examples that only context decides (ContraPro, ctxpro ...).",
    no_args_is_help=True,
)


class PieceNorm(StrEnum):
    """What a model's log-probabilities become."""

    MEAN = "mean"
    SUM = "sum"


SuiteArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SUITE",
        help="contrapro.json, or a JSON file of Voita et al., Bawden et al. or ctxpro.",
    ),
]


@app.command()
def score(
    suite: SuiteArgument,
    model: Annotated[
        str | None, typer.Option(help="A model that prefers one translation to the others.")
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(help="Scores of all translations, one a line, in the order of the file."),
    ] = None,
    outputs: Annotated[
        Path | None, typer.Option(help="Translations of all examples, one a line (ctxpro).")
    ] = None,
    losses: Annotated[
        bool, typer.Option("--losses", help="Of --scores, the lower is the better.")
    ] = False,
    context: Annotated[
        int, typer.Option(min=0, help="How many sentences before a model reads.")
    ] = 0,
    norm: Annotated[
        PieceNorm, typer.Option(help="The mean log-probability of a piece, or the sum of all.")
    ] = PieceNorm.MEAN,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    output: OutputOption = Output.TABLE,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
) -> None:
    """Count the examples of a suite that are decided rightly, with intervals.

    Contrastive suites (ContraPro, Voita et al., Bawden et al.) ask which of several translations
    is preferred, by a model or by anyone's --scores; generative ones (ctxpro) whether --outputs
    have the form that they must have. A tie is a mistake. The suites are not part of isogloss.

    [bold]Examples[/bold]

      isogloss suite score contrapro.json --model default --context 2
      isogloss suite score deixis_test.json --scores losses.txt --losses
      isogloss suite score gender.opensubtitles.en-de.test.json --outputs out.de --to de
    """
    from isogloss.suites import accuracies, by_outputs, by_scores, read_suite

    if sum(given is not None for given in (model, scores, outputs)) != 1:
        raise InputError("give one of --model, --scores and --outputs")
    found = read_suite(suite)
    notes: list[str] = []
    if scores is not None:
        decisions = by_scores(found, _numbers(scores), losses=losses)
    elif outputs is not None:
        decisions = by_outputs(found, _lines(outputs), target_language)
    else:
        runtime = inputs.runtime_from(device, cache, no_cache)
        given = (source_language, target_language)
        languages = given if None not in given else found.languages or given
        decisions, notes = _preferred(found, str(model), languages, context, norm, runtime)
    show(_result(found, accuracies(found, decisions), notes), output)


@app.command()
def sources(suite: SuiteArgument) -> None:
    """Print the source sentence of every example, one a line, for a system to translate.

    [bold]Examples[/bold]

      isogloss suite sources gender.opensubtitles.en-de.test.json > source.en
      isogloss model translate default --to de --file source.en > out.de
    """
    from isogloss.suites import read_suite

    for example in read_suite(suite).examples:
        print_text(" ".join(example.source.splitlines()) + "\n")


def _preferred(
    suite: "Suite",
    name: str,
    languages: tuple[str | None, str | None],
    context: int,
    norm: PieceNorm,
    runtime: "Runtime",
) -> tuple[list[bool], list[str]]:
    from isogloss.model import find_model, open_model
    from isogloss.suites import by_model

    source, target = languages
    if source is None or target is None:
        raise InputError(f"suite {suite.name!r} does not tell its languages; give --from and --to")
    model = open_model(find_model(name), None, runtime)
    decisions, cut = by_model(suite, model, source, target, context, norm.value)
    notes = [
        f"model {model.card.name}, {norm.value} log-probability, "
        f"{counted(context, 'sentence')} before"
    ]
    if context and not any(contrast.before for contrast in suite.contrasts):
        notes.append("the suite's files hold no context (see docs/suites.md for how to get it)")
    if cut:
        notes.append(f"{counted(cut, 'translation')} too long to be read whole with their context")
    return decisions, notes


def _result(suite: "Suite", found: Sequence["Accuracy"], notes: list[str]) -> Result:
    records: list[Record] = []
    rows = []
    for each in found:
        low, high = each.interval or (None, None)
        between = "" if low is None else f"[{100 * low:.1f}, {100 * (high or 0):.1f}]"
        counts = [f"{each.right:,}", f"{each.total:,}"]
        rows.append([each.group, each.name, *counts, number(100 * each.share, 1), between])
        records.append(
            {
                "group": each.group,
                "class": each.name,
                "right": each.right,
                "total": each.total,
                "accuracy": each.share,
                "low": low,
                "high": high,
            }
        )
    headings = ["group", "class", "right", "of", "%", "95 %"]
    notes = [*notes, "intervals: Wilson's, with what examples of one document have in common"]
    title = f"{suite.name} · {suite.layout}"
    return Result([Grid(title, headings, rows, notes, frozenset({2, 3, 4, 5}))], records)


def _lines(path: Path) -> list[str]:
    from isogloss.formats import read_lines

    return list(read_lines(path))


def _numbers(path: Path) -> list[float]:
    found = []
    for place, line in enumerate(_lines(path), 1):
        try:
            found.append(float(line))
        except ValueError:
            raise FormatError("no number", path=path, line=place) from None
    return found
