"""``isogloss model``: convert, look at, test, use and probe models, and keep their cache."""

import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import completion, inputs
from isogloss.cli.grid import Grid
from isogloss.cli.inputs import DeviceKind
from isogloss.cli.output import (
    Output,
    OutputOption,
    Record,
    Result,
    number,
    print_text,
    say,
    show,
)
from isogloss.errors import InputError
from isogloss.tables import BYTE_UNITS, shown_bytes

if TYPE_CHECKING:
    from isogloss.model import ModelUsage, Paraphraser, ScoreCache


app = typer.Typer(
    help="Convert, look at, test, use and probe translation models.", no_args_is_help=True
)

ModelArgument = Annotated[
    str,
    typer.Argument(
        help="An installed model's name, or the path of a model folder.",
        autocompletion=completion.models,
    ),
]
PrecisionOption = Annotated[
    str | None,
    typer.Option(help="What to compute with: float32, int8, float16 ... Default: as stored."),
]


@app.command("list")
def list_models(output: OutputOption = Output.TABLE) -> None:
    """The installed models."""
    from isogloss.model import find_model, installed_models, models_folder, read_card

    records: list[Record] = []
    for name in installed_models():
        card = read_card(find_model(name))
        records.append(
            {
                "name": name,
                "model": card.name,
                "scheme": card.scheme,
                "precision": card.precision,
                "languages": len(card.languages),
                "licence": card.licence,
            }
        )
    headings = ["name", "model", "scheme", "precision", "languages", "licence"]
    rows = [[str(record[heading]) for heading in headings] for record in records]
    notes = [f"others are looked for in {models_folder()} ($ISOGLOSS_MODELS)"]
    show(Result([Grid("Models", headings, rows, notes)], records), output)


@app.command()
def info(model: ModelArgument, output: OutputOption = Output.TABLE) -> None:
    """What a model is: its card, and whether its files are the ones the card was made for."""
    from isogloss.model import find_model, has_costs, model_digest, model_files, read_card

    folder = find_model(model)
    card = read_card(folder)
    size = sum(path.stat().st_size for path in model_files(folder))
    intact = model_digest(folder) == card.digest
    facts: dict[str, object] = {
        "name": card.name,
        "folder": str(folder),
        "digest": card.digest,
        "intact": "yes" if intact else "NO: the files are not those the card was made for",
        "size": shown_bytes(size),
        "scheme": card.scheme,
        "precision": card.precision,
        "reads": " ".join(card.languages),
        "writes": " ".join(card.writes),
        "longest source": card.max_source_length,
        "longest target": card.max_target_length,
        "separator": card.separator or "none: not trained on context",
        "error costs": "yes" if has_costs(folder) else "none: not trained on judgements",
        "licence": card.licence,
        "self-test": f"{len(card.selftest)} examples",
        **card.card,
    }
    rows = [[key, str(value)] for key, value in facts.items()]
    show(Result([Grid(card.name, ["", ""], rows)], [facts]), output)


@app.command()
def selftest(
    model: ModelArgument,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="How far a score may be off. Default: 0.02, with int8 0.1, whose scores depend "
            "on the processor."
        ),
    ] = None,
    precision: PrecisionOption = None,
    device: inputs.DeviceOption = DeviceKind.CPU,
    output: OutputOption = Output.TABLE,
) -> None:
    """Score the examples that the model carries, beside the scores they ought to get.

    Ends with exit code 1 if one of them is off by more than the tolerance.
    """
    from isogloss.model import find_model, verify_folder

    folder = find_model(model)
    verify_folder(folder)
    paraphraser = load_model(folder, precision, device)
    verdicts = paraphraser.selftest()
    if tolerance is None:
        tolerance = paraphraser.tolerance
    if not verdicts:
        raise InputError(f"model {model!r} carries no examples to test it with")
    records = [{**asdict(v.expected), "got": v.score, "difference": v.difference} for v in verdicts]
    rows = [
        [
            v.expected.target,
            v.expected.condition,
            number(v.expected.score, 4),
            number(v.score, 4),
            "ok" if v.difference <= tolerance else "OFF",
        ]
        for v in verdicts
    ]
    headings = ["target", "given", "expected", "got", ""]
    show(Result([Grid("Self-test", headings, rows, numeric=frozenset({2, 3}))], records), output)
    if any(v.difference > tolerance for v in verdicts):
        raise typer.Exit(1)


@app.command()
def translate(
    model: ModelArgument,
    language: Annotated[str, typer.Option("--to", help="Language to translate into.")],
    source_language: Annotated[
        str | None, typer.Option("--from", help="Language of the input, where the model asks.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="One sentence per line. Default: standard input.")
    ] = None,
    beam: Annotated[int, typer.Option(help="Beam size.")] = 5,
    n_best: Annotated[int, typer.Option(help="Translations per sentence.")] = 1,
    precision: PrecisionOption = None,
    device: inputs.DeviceOption = DeviceKind.CPU,
) -> None:
    """Translate (into the same language: paraphrase) one sentence per line.

    With --n-best above 1 each line is: sentence number, score, translation.
    """
    from isogloss.formats import read_lines
    from isogloss.model import SearchOptions, find_model

    lines = read_lines(file) if file else (line.rstrip("\n") for line in sys.stdin)
    paraphraser = load_model(find_model(model), precision, device)
    options = SearchOptions(beam=beam, n_best=n_best)
    found = paraphraser.translate(lines, language, source_language=source_language, options=options)
    for position, hypotheses in enumerate(found, start=1):
        if n_best == 1:
            print_text((hypotheses[0].text if hypotheses else "") + "\n")
        for hypothesis in hypotheses if n_best > 1 else ():
            print_text(f"{position}\t{hypothesis.score:.4f}\t{hypothesis.text}\n")


def load_model(folder: Path, precision: str | None, device: DeviceKind) -> "Paraphraser":
    """The model in a folder, without a cache."""
    from isogloss.model import Paraphraser

    return Paraphraser.load(folder, device.value, precision)


@app.command()
def cache(
    model: Annotated[
        str | None,
        typer.Argument(help="Only this model: its name, its digest or its folder. Default: all."),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Forget the scores.")] = False,
    prune: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Forget the oldest scores above this size: 500MB, 2GB."),
    ] = None,
    folder: inputs.CacheOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """What the cache of scores holds by model; clear it, or keep it in bounds.

    [bold]Examples[/bold]

      isogloss model cache
      isogloss model cache --clear nllb
      isogloss model cache --prune 2GB
    """
    from isogloss.model import ScoreCache

    if prune is not None and (clear or model is not None):
        raise InputError("--prune looks at the age of all scores; give it alone")
    most = None if prune is None else _bytes(prune)
    scores = ScoreCache(folder)
    if not scores.path.exists():  # looking must not make one
        say(f"{scores.path} is not there: nothing was cached yet")
    elif most is not None:
        say(f"forgot {scores.prune(most):,} scores")
    elif clear and model is None:
        say(f"forgot {scores.clear():,} scores")
    elif clear:
        gone = sum(scores.clear(usage.digest) for usage in _usage(scores, model))
        say(f"forgot {gone:,} scores of {model}")
    usages = _usage(scores, None if clear else model)
    show(_usage_result(scores, usages), output)


def _usage(scores: "ScoreCache", model: str | None) -> "tuple[ModelUsage, ...]":
    """What each model takes, or the one that is asked for (which may have been made anew)."""
    from isogloss.model import find_model, read_card

    usages = scores.usage() if scores.path.exists() else ()
    if model is None:
        return usages
    called = {model, f"sha256:{model}"}
    with suppress(InputError):  # a model that is gone may still have scores
        called.add(read_card(find_model(model)).digest)
    chosen = tuple(usage for usage in usages if {usage.name, usage.digest} & called)
    if not chosen:
        there = ", ".join(sorted({usage.name for usage in usages})) or "none"
        raise InputError(f"the cache has no scores of {model!r}; it has those of: {there}")
    return chosen


def _usage_result(scores: "ScoreCache", usages: "Sequence[ModelUsage]") -> Result:
    headings = ["model", "scores", "size", "digest"]
    rows = [[u.name, f"{u.entries:,}", shown_bytes(u.value_bytes), u.digest] for u in usages]
    notes = [f"{scores.path}: {shown_bytes(scores.bytes_on_disk)} on disk"]
    records = [asdict(usage) for usage in usages]
    grid = Grid("Cached scores", headings, rows, notes, frozenset({1, 2}))
    return Result([grid], records, {"path": str(scores.path), "bytes": scores.bytes_on_disk})


def _bytes(size: str) -> int:
    """The number of bytes that a size like 2GB stands for."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) ?([kKMGT]?B)", size.strip())
    if not found:
        raise InputError(f"{size!r} is no size; write a number and a unit, like 500MB or 2GB")
    return int(float(found[1]) * BYTE_UNITS[found[2].upper()])


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(help="Folder of the model as its makers publish it.")],
    name: Annotated[str, typer.Option(help="Name of the converted model.")],
    licence: Annotated[str, typer.Option(help="Licence of the model, for its card.")],
    into: Annotated[
        Path | None, typer.Option(help="Folder to write. Default: install it under its name.")
    ] = None,
    family: Annotated[
        str | None,
        typer.Option(
            help="prism, m2m100, small100, nllb, mbart50, marian or madlad; "
            "by default recognised from the files."
        ),
    ] = None,
    precision: Annotated[str, typer.Option(help="float32, float16, int8 ...")] = "float32",
    reads: Annotated[str, typer.Option(help="Languages it reads, comma-separated.")] = "",
    writes: Annotated[str, typer.Option(help="Languages it writes, comma-separated.")] = "",
    overwrite: Annotated[bool, typer.Option(help="Write over what is there.")] = False,
) -> None:
    """Turn a published model into a model folder.

    Takes the original Prism checkpoint (fairseq) and, from transformers, M2M-100, SMaLL-100, NLLB,
    mBART-50, Marian/OPUS-MT and MADLAD-400.

    [bold]Examples[/bold]

      isogloss model convert m39v1 --name prism-m39v1 --licence MIT
      isogloss model convert nllb-200-distilled-600M --name nllb --licence CC-BY-NC-4.0
    """
    from isogloss.model import models_folder
    from isogloss.model.convert import CardDetails, convert_model

    target = into or models_folder() / name
    details = CardDetails(name, licence, _codes(reads), _codes(writes))
    card = convert_model(
        source, target, details, family=family, quantization=precision, overwrite=overwrite
    )
    say(f"wrote {target}: {card.name}, {len(card.languages)} languages, {card.digest}")


def _codes(text: str) -> list[str]:
    return [code.strip() for code in text.split(",") if code.strip()]


@app.command("probe")
def probe_model(
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
    from isogloss.model import find_model
    from isogloss.probing import probe
    from isogloss.report import bins_plot, save_plot

    collection = inputs.read_input(testset)
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
