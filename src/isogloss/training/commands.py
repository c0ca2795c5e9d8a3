"""The steps of the training room as commands: one function for each."""

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from fnmatch import fnmatch
from typing import Any

from isogloss.errors import InputError
from isogloss.training.arguments import parser
from isogloss.training.batches import BatchSettings, Noise
from isogloss.training.bitext import languages_of, read_bitext
from isogloss.training.cleaning import Verdict, clean_bitext, standard_filters
from isogloss.training.examples import ExampleSettings, MixtureSettings
from isogloss.training.packing import pack_all
from isogloss.training.vocabulary import sample_sentences, train_vocabulary


def main(arguments: Sequence[str]) -> None:
    """Run one step."""
    steps = {
        "clean": _clean, "vocabulary": _vocabulary, "pack": _pack,
        "paraphrases": _paraphrases, "judged": _judged,
        "train": _train, "bench": _bench, "plot": _plot, "average": _average, "split": _split,
        "join": _join, "export": _export, "bleu": _bleu, "weights": _weights_of_folder,
        "penalties": _penalties, "train-judged": _train_judged, "comparisons": _comparisons,
        "translations": _translations, "alternatives": _alternatives,
    }  # fmt: skip
    given = parser().parse_args(arguments)
    steps[given.step](given)


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
        report = clean_bitext(read_bitext(path, block), given.out, _filters(given))
        _say(f"{name}: kept {report.kept:,} of {report.seen:,} sentences; dropped {report.dropped}")


def _filters(given: Namespace) -> dict[str, Verdict]:
    """Those that need no model, then those that were asked for: what is costly comes last."""
    from isogloss.model import find_model, open_model
    from isogloss.runtime import Runtime
    from isogloss.training.identification import identified_otherwise, unlike

    filters = standard_filters()
    if given.identify:
        filters["language"] = identified_otherwise(given.identify)
    if given.similar:
        model = open_model(find_model(given.similar_by), None, Runtime())
        filters["similarity"] = unlike(model, given.similar)
    return filters


def _vocabulary(given: Namespace) -> None:
    bitexts = [read_bitext(path) for path in given.bitext]
    sentences = sample_sentences(bitexts, given.sentences, given.temperature)
    train_vocabulary(sentences, languages_of(bitexts), given.out, given.size, given.threads)
    _say(f"{given.out}: {given.size:,} pieces")


def _pack(given: Namespace) -> None:
    pack_all(given.cleaned, given.out, given.vocabulary, given.processes, _say)


def _paraphrases(given: Namespace) -> None:
    from isogloss.training.packing import PackedFolder, write_paraphrases

    found = write_paraphrases(PackedFolder(given.packed).sets, given.packed, given.fewest)
    for language, pairs in found.items():
        _say(f"{language}: {pairs:,} pairs")


def _judged(given: Namespace) -> None:
    from isogloss.training.judged import judged_from
    from isogloss.training.vocabulary import Vocabulary

    vocabulary = Vocabulary(given.vocabulary)
    for testset in given.testsets:
        judged = judged_from(testset, vocabulary, given.human, given.reference)
        judged.save(given.out)
        systems, segments = judged.human.shape
        _say(f"{judged.name}: {segments:,} segments of {systems} systems")


def _weights_of_folder(given: Namespace) -> None:
    from isogloss.model import find_model
    from isogloss.training import checkpoints
    from isogloss.training.checkpoints import read_costs, read_folder

    folder = find_model(given.model)
    settings, weights = read_folder(folder, given.temperature)
    content = {"settings": settings.described(), "weights": weights}
    checkpoints.save(given.out, content | read_costs(folder))
    _say(f"{given.out}: {sum(weight.numel() for weight in weights.values()):,} weights")


def _penalties(given: Namespace) -> None:
    from isogloss.training.penalties import penalties_from
    from isogloss.training.vocabulary import Vocabulary

    vocabulary = Vocabulary(given.vocabulary)
    for testset in given.testsets:
        found = penalties_from(testset, vocabulary, given.human, given.reference)
        found.save(given.out)
        _say(f"{found.name}: {found.judged:,} judged outputs of {len(found):,} segments")


def _comparisons(given: Namespace) -> None:
    from isogloss.training.penalties import comparisons_from
    from isogloss.training.vocabulary import Vocabulary

    vocabulary = Vocabulary(given.vocabulary)
    for testset in given.testsets:
        found = comparisons_from(testset, vocabulary)
        found.save(given.out)
        _say(f"{found.name}: {found.judged:,} compared outputs of {len(found):,} segments")


def _translations(given: Namespace) -> None:
    from isogloss.training.alternatives import translation_set
    from isogloss.training.packing import PackedFolder

    wanted = _patterns(given.sets)
    sets = [
        one for one in PackedFolder(given.packed).sets if any(fnmatch(one.name, p) for p in wanted)
    ]
    for direction, rows in _weights(given.directions).items():
        source, _, target = direction.partition("-")
        found = translation_set(sets, source, target, int(rows), given.seed, given.fewest)
        found.save(given.out)
        _say(f"{found.name}: {len(found):,} pairs")


def _alternatives(given: Namespace) -> None:
    from isogloss.training.alternatives import AlternativeSettings, sample_folder

    sizes = BatchSettings(given.tokens, given.tokens, ExampleSettings(_longest(given.initial)))
    hidden = tuple(map(float, given.hidden.split(",")))
    settings = AlternativeSettings(sizes, hidden, given.margin, given.seed)
    folders = (given.penalties, given.out)
    for name, pieces in sample_folder(
        given.initial, given.vocabulary, *folders, settings, given.device
    ):
        _say(f"{name}: alternatives to {pieces:,} pieces")


def _train_judged(given: Namespace) -> None:
    from isogloss.training.judged_batches import JudgedSettings
    from isogloss.training.judged_trainer import JudgedTrainer, JudgedTrainSettings
    from isogloss.training.optimiser import Budget, Schedule

    sizes = BatchSettings(given.tokens, given.tokens, ExampleSettings(_longest(given.initial)))
    settings = JudgedTrainSettings(
        given.initial,
        given.penalties,
        given.vocabulary,
        given.out,
        Budget(steps=given.steps),
        JudgedSettings(
            sizes,
            given.outputs,
            _weights(given.set_weights),
            given.joined,
            given.broken,
            _patterns(given.whole),
            passes=3 if given.by_source else 2,
        ),
        held_out=_patterns(given.held_out),
        held_out_share=given.held_out_share,
        measured=_patterns(given.measured),
        schedule=Schedule(given.warm_up, given.level_until),
        rate=given.rate,
        head_rate=given.head_rate,
        ranking=given.ranking,
        emphasis=given.emphasis,
        parts=(1.0, given.by_source, given.by_source),
        kept=given.kept,
        surprise=given.surprise,
        marks=given.marks,
        frozen=_patterns(given.frozen),
        compiled=given.compile,
        device=given.device,
        workers=given.workers,
        seed=given.seed,
    )
    trainer = JudgedTrainer(settings)
    before = trainer.measure()
    for name, readings in trainer.run().items():
        earlier = before[name].agreement()
        for metric, values in readings.agreement().items():
            told = zip(("r", "acc_eq", "order"), values, earlier[metric], strict=True)
            cells = [f"{what} {value:.3f} (was {was:.3f})" for what, value, was in told]
            _say("\t".join([name, metric, *cells]))


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(pattern for pattern in text.split(",") if pattern)


def _longest(initial: Any) -> int:
    from isogloss.training import checkpoints

    return int(checkpoints.load(initial)["settings"]["longest"])


def _plot(given: Namespace) -> None:
    from isogloss.training.trainer import plot_log

    plot_log(given.log, given.out)
    _say(f"{given.out}: the course of {given.log}")


def _bleu(given: Namespace) -> None:
    from isogloss.training.translation_quality import bleu_of_pairs

    for pair, score in bleu_of_pairs(given.model, given.bitext, given.sentences, given.beam):
        _say(f"{pair}\t{score:.1f}")


def _batch_settings(given: Namespace) -> BatchSettings:
    examples = ExampleSettings(
        given.longest, given.document_share, given.paragraph_share, given.paragraph_sentences
    )
    return BatchSettings(
        source_tokens=given.source_tokens or given.tokens,
        target_tokens=given.tokens,
        examples=examples,
        noise_share=given.noise_share,
        noise=Noise(**_weights(given.noise)),
        forgotten=given.forgotten,
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
    from isogloss.training.batches import StreamSettings
    from isogloss.training.losses import Smoothing
    from isogloss.training.optimiser import Budget, Schedule
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
        initial=given.initial,
        judged=given.judged,
        judged_segments=given.judged_segments,
        temperatures=tuple(map(float, given.temperatures.split(","))),
        schedule=Schedule(given.warm_up, given.level_until),
        optimiser=given.optimiser,
        matrix_rate=given.matrix_rate,
        rate=given.rate,
        smoothing=Smoothing(given.smoothing, given.late_smoothing, given.late),
        compiled=given.compile,
        device=given.device,
        milestones=given.milestones,
        keep=given.keep,
    )
    Trainer(settings).run()


def _bench(given: Namespace) -> None:
    import torch

    from isogloss.training.validation import attention_error

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

    from isogloss.training.trainer import PEAK
    from isogloss.training.validation import measure

    optimiser, _, compiled = variant.partition("+")
    kind: Any = optimiser
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    sizes = (_model_settings(given), _batch_settings(given))
    return asdict(measure(*sizes, device, kind, bool(compiled), given.seconds, PEAK))


def _average(given: Namespace) -> None:
    from isogloss.training import checkpoints
    from isogloss.training.checkpoints import compacted

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
    from isogloss.training.checkpoints import export_weights, languages_of_vocabulary

    languages = languages_of_vocabulary(given.vocabulary)
    export_weights(
        given.weights,
        given.vocabulary,
        given.out,
        languages,
        given.name,
        given.precision,
        temperature=given.temperature,
    )
    _say(f"{given.out}: {given.name}, {len(languages)} languages, {given.precision}")
