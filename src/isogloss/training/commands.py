"""The command line of the training room: one function for each step, plain argparse."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.training.batches import BatchSettings
from isogloss.training.bitext import languages_of, read_bitext
from isogloss.training.cleaning import clean_bitext
from isogloss.training.filters import standard_filters
from isogloss.training.mixture import MixtureSettings
from isogloss.training.packing import pack_all
from isogloss.training.vocabulary import sample_sentences, train_vocabulary


def main(arguments: Sequence[str]) -> None:
    """Run one step."""
    parsed = _parser().parse_args(arguments)
    parsed.run(parsed)


def _say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _weights(text: str) -> dict[str, float]:
    """``en=2,de=1.5`` as a mapping."""
    try:
        pairs = [item.split("=") for item in text.split(",") if item]
        return {name: float(value) for name, value in pairs}
    except ValueError:
        raise InputError(f"{text!r} is not of the form name=number,name=number") from None


def _clean(given: Namespace) -> None:
    blocks = _weights(given.ordered)
    for path in given.bitext:
        name = path.name.split(".tsv")[0]
        block = int(blocks[name]) if name in blocks else None
        report = clean_bitext(read_bitext(path, block), given.out, standard_filters())
        _say(f"{name}: kept {report.kept:,} of {report.seen:,} sentences; dropped {report.dropped}")


def _vocabulary(given: Namespace) -> None:
    bitexts = [read_bitext(path) for path in given.bitext]
    sentences = sample_sentences(bitexts, given.sentences, given.temperature)
    train_vocabulary(sentences, languages_of(bitexts), given.out, given.size, given.threads)
    _say(f"{given.out}: {given.size:,} pieces")


def _pack(given: Namespace) -> None:
    pack_all(given.cleaned, given.out, given.vocabulary, given.processes, _say)


def _batch_settings(given: Namespace) -> BatchSettings:
    return BatchSettings(
        source_tokens=given.source_tokens or given.tokens,
        target_tokens=given.tokens,
        longest=given.longest,
        document_share=given.document_share,
        noise_share=given.noise_share,
        variant=given.variant,
    )


def _mixture_settings(given: Namespace) -> MixtureSettings:
    return MixtureSettings(
        given.target_temperature,
        given.source_temperature,
        given.set_temperature,
        _weights(given.set_weights),
        _weights(given.boost),
    )


def _model_settings(given: Namespace) -> Any:
    from isogloss.training.model import ModelSettings

    return ModelSettings(
        given.pieces,
        given.width,
        given.inner,
        given.heads,
        given.encoder_layers,
        given.decoder_layers,
        dropout=given.dropout,
    )


def _train(given: Namespace) -> None:
    from isogloss.training.schedule import Budget, Schedule
    from isogloss.training.stream import StreamSettings
    from isogloss.training.trainer import Trainer, TrainSettings
    from isogloss.training.vocabulary import Vocabulary

    given.pieces = Vocabulary(given.vocabulary).size
    stream = StreamSettings(
        given.packed,
        given.vocabulary,
        _batch_settings(given),
        _mixture_settings(given),
        given.seed,
        given.workers,
    )
    settings = TrainSettings(
        stream,
        given.out,
        Budget(given.minutes, given.steps),
        _model_settings(given),
        validation=given.validation,
        schedule=Schedule(given.warm_up, given.level_until),
        optimiser=given.optimiser,
        matrix_rate=given.matrix_rate,
        rate=given.rate,
        compiled=given.compile,
        device=given.device,
        milestones=given.milestones,
        keep=given.keep,
    )
    Trainer(settings).run()


def _bench(given: Namespace) -> None:
    import torch

    from isogloss.training.bench import attention_error

    device = torch.device(given.device)
    _say(f"torch {torch.__version__}, attention error {attention_error(device):.2e}")
    results = {}
    for variant in given.variants.split(","):
        try:
            found = _measure_variant(given, variant, device)
        except Exception as error:  # a variant that fails here must not hide the others
            _say(json.dumps({"variant": variant, "failed": repr(error)[:500]}))
            continue
        results[variant] = found
        _say(json.dumps({"variant": variant} | {k: round(v, 3) for k, v in found.items()}))
    if given.out is not None:
        given.out.write_text(json.dumps(results), encoding="utf-8")


def _measure_variant(given: Namespace, variant: str, device: Any) -> dict[str, float]:
    import torch

    from isogloss.training.bench import measure
    from isogloss.training.trainer import PEAK

    optimiser, _, compiled = variant.partition("+")
    kind: Any = optimiser
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    sizes = (_model_settings(given), _batch_settings(given))
    return asdict(measure(*sizes, device, kind, bool(compiled), given.seconds, PEAK))


def _average(given: Namespace) -> None:
    from isogloss.training import checkpoints
    from isogloss.training.compact import compacted

    files = given.weights
    if len(files) == 1 and files[0].is_dir():
        files = checkpoints.weight_files(files[0])[-given.last :]
    settings, weights = checkpoints.average(files)
    if given.form != "float32":
        weights = compacted(weights, given.form)
    checkpoints.save(given.out, {"settings": settings.described(), "weights": weights})
    _say(f"{given.out}: mean of {', '.join(path.name for path in files)} as {given.form}")


def _split(given: Namespace) -> None:
    from isogloss.training.checkpoints import write_parts

    parts = write_parts(given.file, given.out, given.megabytes << 20, given.file.name)
    _say(f"{len(parts)} parts of {given.file}")


def _join(given: Namespace) -> None:
    from isogloss.training.checkpoints import join_parts

    join_parts(given.parts, given.out)
    _say(f"{given.out}: {given.out.stat().st_size:,} bytes from {len(given.parts)} parts")


def _export(given: Namespace) -> None:
    from isogloss.training.export import export_weights, languages_of_vocabulary

    languages = languages_of_vocabulary(given.vocabulary)
    export_weights(
        given.weights, given.vocabulary, given.out, languages, given.name, given.precision
    )
    _say(f"{given.out}: {given.name}, {len(languages)} languages, {given.precision}")


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m isogloss.training", description=__doc__)
    steps = parser.add_subparsers(required=True, metavar="STEP")
    _add_data_steps(steps)
    _add_train(_step(steps, "train", _train, "train on packed data, within minutes or steps"))
    bench = _step(steps, "bench", _bench, "measure the throughput of training steps")
    bench.add_argument("--variants", default="adamw,muon,muon+compile", help="OPTIMISER[+compile]")
    bench.add_argument("--seconds", type=float, default=20)
    bench.add_argument("--pieces", type=int, default=32_000)
    bench.add_argument("--out", type=Path)
    _add_sizes(bench)
    _add_weight_steps(steps)
    return parser


def _step(steps: Any, name: str, run: Callable[[Namespace], None], about: str) -> ArgumentParser:
    parser: ArgumentParser = steps.add_parser(name, help=about, description=about)
    parser.set_defaults(run=run)
    return parser


def _add_data_steps(steps: Any) -> None:
    clean = _step(steps, "clean", _clean, "filter bitext into columns of sentences")
    clean.add_argument("bitext", type=Path, nargs="+")
    clean.add_argument("--out", type=Path, required=True)
    clean.add_argument("--ordered", default="", help="NAME=ROWS in a document (0: all), ...")
    words = _step(steps, "vocabulary", _vocabulary, "train the SentencePiece model")
    words.add_argument("bitext", type=Path, nargs="+")
    words.add_argument("--out", type=Path, required=True)
    words.add_argument("--size", type=int, default=32_000)
    words.add_argument("--sentences", type=int, default=700_000)
    words.add_argument("--temperature", type=float, default=2.5)
    words.add_argument("--threads", type=int, default=2)
    pack = _step(steps, "pack", _pack, "encode cleaned text into packed data")
    pack.add_argument("cleaned", type=Path)
    pack.add_argument("--out", type=Path, required=True)
    pack.add_argument("--vocabulary", type=Path, required=True)
    pack.add_argument("--processes", type=int, default=2)


def _add_sizes(parser: ArgumentParser) -> None:
    parser.add_argument("--device", default="cpu")
    for name, default in (
        ("width", 512), ("inner", 2048), ("heads", 8), ("encoder-layers", 10),
        ("decoder-layers", 3), ("tokens", 65_536), ("source-tokens", 0), ("longest", 256),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, share in (("dropout", 0.05), ("document-share", 0.1), ("noise-share", 0.05)):
        parser.add_argument(f"--{name}", type=float, default=share)
    parser.add_argument(
        "--variant",
        choices=("translation", "language-model", "denoising"),
        default="translation",
    )


def _add_train(parser: ArgumentParser) -> None:
    _add_sizes(parser)
    for name in ("packed", "vocabulary", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--validation", type=Path)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--optimiser", choices=("muon", "adamw"), default="muon")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--set-weights", default="llm_*=0.3", help="PATTERN=WEIGHT,...")
    parser.add_argument("--boost", default="", help="target LANGUAGE=FACTOR,...")
    for name, value in (
        ("matrix-rate", 3e-3), ("rate", 2e-3), ("level-until", 0.3),
        ("target-temperature", 2.0), ("source-temperature", 1.2), ("set-temperature", 1.1),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=float, default=value)
    for name, number in (
        ("seed", 1), ("workers", 0), ("warm-up", 400), ("milestones", 20), ("keep", 5),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=number)


def _add_weight_steps(steps: Any) -> None:
    average = _step(steps, "average", _average, "average weights and make them small")
    average.add_argument("weights", type=Path, nargs="+", help="files, or the folder of a run")
    average.add_argument("--out", type=Path, required=True)
    average.add_argument("--last", type=int, default=3)
    average.add_argument("--form", choices=("float32", "float16", "int8"), default="float32")
    split = _step(steps, "split", _split, "cut a file into parts")
    split.add_argument("file", type=Path)
    split.add_argument("--out", type=Path, required=True)
    split.add_argument("--megabytes", type=int, default=15)
    join = _step(steps, "join", _join, "put parts together again")
    join.add_argument("parts", type=Path, nargs="+")
    join.add_argument("--out", type=Path, required=True)
    export = _step(steps, "export", _export, "write the paraphraser folder")
    export.add_argument("weights", type=Path)
    export.add_argument("--vocabulary", type=Path, required=True)
    export.add_argument("--out", type=Path, required=True)
    export.add_argument("--name", required=True)
    export.add_argument("--precision", default="int8")
