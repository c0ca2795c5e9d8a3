"""``isogloss chains count``: the lexical chains of people's and of machines' translations."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, number, show
from isogloss.errors import InputError
from isogloss.metrics.cohesion import ChainTally, Cohesion, chain_tallies


def count(
    testset: Annotated[Path, typer.Argument(help="Documents with translations.")],
    unit: Annotated[
        str, typer.Option(help="Which forms are the same word: stem, lemma or surface.")
    ] = "stem",
    output: OutputOption = Output.TABLE,
    pair: inputs.PairOption = None,
    format: inputs.FormatOption = None,
    use_reference: inputs.UseReferenceOption = None,
    use_system: inputs.UseSystemOption = None,
) -> None:
    """Count the lexical chains of translations: do people repeat their words more than machines?

    A chain is a content word that stands in several segments of a document. References come
    first, each held against the others; systems are held against all of them. Documents count
    that a translation has whole.

    [bold]Examples[/bold]

      isogloss chains count testset.toml
      isogloss chains count wmt20/zh-en -o tsv
    """
    collection = inputs.read_input(testset, pair=pair, format=format)
    if use_reference:
        collection = collection.with_references(use_reference)
    if use_system:
        collection = collection.with_systems(use_system)
    target = collection.testset.target_language
    records = [
        _record(tally)
        for tally in chain_tallies(collection, Cohesion.configured({"unit": unit}, None, target))
    ]
    if not records:
        raise InputError(f"test set {collection.testset.name!r} has no translations")
    rows = [[shown(value) for value in record.values()] for record in records]
    notes = [
        "length: in how many segments a chain's word stands; found: share of the chains",
        "that a reference has, too; cohesion: the metric, mean over single references",
    ]
    title = f"Lexical chains · {collection.testset.name}"
    grid = Grid(title, list(records[0]), rows, notes, numeric=frozenset(range(2, 8)))
    show(Result([grid], records), output)


def _record(tally: ChainTally) -> Record:
    count = tally.documents
    return {
        "translation": tally.translation,
        "by": "people" if tally.human else "machine",
        "documents": count,
        "chains": tally.chains,
        "per document": tally.chains / count if count else None,
        "length": tally.links / tally.chains if tally.chains else None,
        "found": tally.found,
        "cohesion": tally.cohesion,
    }


def shown(value: object) -> str:
    """A cell for people; "–" where there is nothing."""
    if isinstance(value, float):
        return number(value, 3)
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
