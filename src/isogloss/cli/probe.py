"""``isogloss model probe``: the Prism paper's analyses of a model."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs
from isogloss.cli.inputs import DeviceKind
from isogloss.cli.model import ModelArgument, PrecisionOption, load_model
from isogloss.cli.output import Grid, Output, OutputOption, Result, number, show
from isogloss.formats.catalogue import read_collection
from isogloss.report.plots import bins_plot, save_plot


def command(
    model: ModelArgument,
    testset: Annotated[Path, typer.Argument(help="A test set with references and systems.")],
    plot: Annotated[
        Path | None, typer.Option(help="Write the plot of H by BLEU here (.svg, .png, .pdf).")
    ] = None,
    sentences: Annotated[int, typer.Option(help="References to paraphrase.")] = 200,
    beam: Annotated[int, typer.Option(help="Beam size.")] = 5,
    precision: PrecisionOption = None,
    device: inputs.DeviceOption = DeviceKind.CPU,
    use_reference: inputs.UseReferenceOption = None,
    use_system: inputs.UseSystemOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Run the Prism paper's analyses on a model.

    Mean H(output | reference) in bins of sentence BLEU; the log-probability of the model's own beam
    output, of a copy and of a human paraphrase; BLEU of the beam output against its input.
    """
    from isogloss.paraphraser.store import find_model
    from isogloss.probing import probe

    collection = read_collection(testset)
    if use_reference:
        collection = collection.with_references(use_reference)
    if use_system:
        collection = collection.with_systems(use_system)
    found = probe(load_model(find_model(model), precision, device), collection, sentences, beam)
    if plot:
        save_plot(bins_plot(found.bins), plot)
    bins = Grid(
        "Mean H(output | reference) by sentence BLEU",
        ["BLEU", "segments", "mean H", "deviation"],
        [
            [
                f"{b.low:.0f}–{b.high:.0f}",
                str(b.segments),
                number(b.mean, 3),
                number(b.deviation, 3),
            ]
            for b in found.bins
        ],
        numeric=frozenset({1, 2, 3}),
    )
    given = Grid(
        f"Mean H given the reference, {found.sentences} sentences",
        ["", "H"],
        [
            ["the model's beam output", number(found.beam, 3)],
            ["a copy of the reference", number(found.copy, 3)],
            ["a second human reference", number(found.human, 3)],
        ],
        [f"BLEU of the beam output against its input: {found.beam_bleu:.1f}"],
        frozenset({1}),
    )
    summary = {key: value for key, value in asdict(found).items() if key != "bins"}
    show(Result([bins, given], [asdict(b) for b in found.bins], summary), output)
