"""What metrics that ask a language model would send, and what that would cost."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import inputs
from isogloss.cli.grid import Grid
from isogloss.cli.output import Record, Result
from isogloss.documents import Collection, Translation
from isogloss.errors import InputError
from isogloss.runtime import Runtime

DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Where a language model is asked: only tell what would be sent, and end.",
        rich_help_panel=inputs.MODELS,
    ),
]
PriceOption = Annotated[
    str | None,
    typer.Option(
        "--price",
        metavar="IN,OUT",
        help="For --dry-run: what a million tokens cost that are sent, and answered.",
        rich_help_panel=inputs.MODELS,
    ),
]

if TYPE_CHECKING:
    from isogloss.metrics import ChainAnnotator, Estimate, LanguageModelJudge
    from isogloss.metrics.consistency import Chain


def foretold(
    collection: Collection, names: Sequence[str], runtime: Runtime, price: str | None
) -> Result:
    """A row for each metric that would send texts elsewhere."""
    prices = None if price is None else _prices(price)
    records: list[Record] = []
    for metric, translations in _judges(collection, names, runtime):
        found = metric.estimate(translations)
        records.append({"metric": str(metric.name), **_told(metric.host, found, prices)})
    if not records:
        raise InputError("none of these metrics sends anything; leave out --dry-run")
    return _nothing_sent(records)


def foretold_annotation(
    annotator: "ChainAnnotator", chains: Sequence["Chain"], price: str | None
) -> Result:
    """One row: what asking a model about chains would send."""
    prices = None if price is None else _prices(price)
    told = _told(annotator.host, annotator.estimate(chains), prices)
    return _nothing_sent([{"annotator": annotator.model, **told}])


def _told(host: str, found: "Estimate", prices: tuple[float, float] | None) -> Record:
    return {
        "to": host,
        "requests": found.requests,
        "answered already": found.kept,
        "tokens sent": found.input_tokens,
        "tokens answered": found.output_tokens,
        "cost": None if prices is None else round(found.cost(prices), 4),
    }


def _nothing_sent(records: Sequence[Record]) -> Result:
    headings = list(records[0])
    rows = [[_shown(record[heading]) for heading in headings] for record in records]
    notes = ["tokens are estimates: four bytes of text make one"]
    return Result(
        [Grid("Nothing is sent yet", headings, rows, notes, frozenset(range(2, 7)))], list(records)
    )


def _judges(
    collection: Collection, names: Sequence[str], runtime: Runtime
) -> "Iterator[tuple[LanguageModelJudge, Iterator[Translation]]]":
    """The metrics that ask a language model, and what each would ask about."""
    from isogloss.metrics import LanguageModelJudge, load_metric

    testset = collection.testset
    for name in names:
        metric = load_metric(name, testset.source_language, testset.target_language)
        if isinstance(metric, LanguageModelJudge):
            metric.signature(testset)  # complains of what is lacking
            translations = (
                t for output in collection.outputs for t in collection.translations(output)
            )
            yield metric.with_runtime(runtime), translations


def sent(collection: Collection, names: Sequence[str], runtime: Runtime) -> Iterator[str]:
    """A line for each metric that is about to send texts elsewhere, as it was allowed to."""
    if runtime.network:
        for metric, translations in _judges(collection, names, runtime):
            found = metric.estimate(translations)
            if found.requests:
                yield f"{metric.name} sends your texts to {metric.host}: {found}"


def _prices(text: str) -> tuple[float, float]:
    try:
        sent, answered = map(float, text.split(","))
    except ValueError:
        raise InputError(f"--price takes two numbers, IN,OUT, not {text!r}") from None
    return sent, answered


def _shown(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
