"""Scoring throughput: isogloss against transformers, on random models of two sizes.

    python benchmarks/scoring.py TESTSET [--reference NAME] [--size 418M|50M] [--pairs 48]

The same random M2M-100 model is scored with, side by side in one run:

(a) transformers, float32, batches of 8 in input order: what nmtscore does;
(b) transformers, float32, sorted by length, batched by tokens;
(c) isogloss, float32;
(d) isogloss, int8.

First on distinct pairs (reference, output), then as a real evaluation: every system against one
reference in both directions, where equal outputs are scored once, and once more from the cache.
Rounds are interleaved and medians printed, because machines are noisy. The last lines say how far
int8 moves the scores. Shares of the machine's peaks, measured by `machine.py` for float32 and for
int8, go by the time of the processor.
"""

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import sentencepiece
import torch
import transformers
from safetensors.torch import save_file

from isogloss import Collection
from isogloss.formats import read_collection
from isogloss.model import Model as LoadedModel
from isogloss.model import Pair, Paraphraser, ScoreCache
from isogloss.model.convert import CardDetails, convert_model
from machine import float32_peak, int8_peak

SIZES = {
    "418M": {"d_model": 1024, "layers": 12, "heads": 16, "ffn": 4096, "vocabulary": 128_112},
    "50M": {"d_model": 512, "layers": 6, "heads": 8, "ffn": 2048, "vocabulary": 12_000},
}
LANGUAGES = 100  # M2M-100's tags, at the end of its vocabulary, with 8 unused rows
TOKENS_PER_BATCH = 1024
Scores = list[float]


@dataclass
class Model:
    """A random model in both worlds."""

    hugging: Any
    tokens: Callable[[str], list[int]]
    tag: int
    loaded: dict[str, LoadedModel]
    parameters: int


def make_model(size: dict[str, int], texts: Sequence[str], folder: Path) -> Model:
    """Train a vocabulary on the texts, draw the weights, convert them to float32 and int8."""
    folder.mkdir(parents=True)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_prefix=str(folder / "sentencepiece.bpe"),
        vocab_size=8000,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    spm = sentencepiece.SentencePieceProcessor(str(folder / "sentencepiece.bpe.model"))
    pieces = ["<s>", "<pad>", "</s>", "<unk>"]
    pieces += [spm.id_to_piece(n) for n in range(3, spm.vocab_size())]
    filler = size["vocabulary"] - LANGUAGES - 8 - len(pieces)
    pieces += [f"unused{n}" for n in range(filler)]
    numbers = {piece: n for n, piece in enumerate(pieces)}
    (folder / "vocab.json").write_text(json.dumps(numbers))
    torch.manual_seed(1)
    config = transformers.M2M100Config(
        vocab_size=size["vocabulary"],
        d_model=size["d_model"],
        encoder_layers=size["layers"],
        decoder_layers=size["layers"],
        encoder_attention_heads=size["heads"],
        decoder_attention_heads=size["heads"],
        encoder_ffn_dim=size["ffn"],
        decoder_ffn_dim=size["ffn"],
    )
    hugging = transformers.M2M100ForConditionalGeneration(config).eval()
    state = {name: tensor.clone() for name, tensor in hugging.state_dict().items()}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(hugging.config.to_json_string(use_diff=False))
    loaded = {}
    details = CardDetails(name="random", licence="CC0-1.0")
    for precision in ("int8", "float32"):
        out = folder / precision
        convert_model(folder, out, details, family="m2m100", quantization=precision)
        loaded[precision] = LoadedModel(out, "cpu", None, None)
    vocabulary = loaded["int8"].engine.vocabulary("target")

    def tokens(text: str) -> list[int]:
        return [numbers.get(piece, 3) for piece in spm.encode(text, out_type=str)]

    parameters = sum(p.numel() for p in hugging.parameters())
    return Model(hugging, tokens, vocabulary.index("__de__"), loaded, parameters)


def transformers_scores(model: Model, pairs: Sequence[Pair], batches: list[list[int]]) -> Scores:
    """H of every pair by teacher forcing, batch by batch."""
    scores = [0.0] * len(pairs)
    for batch in batches:
        sources = [[model.tag, *model.tokens(pairs[i].condition), 2] for i in batch]
        targets = [[model.tag, *model.tokens(pairs[i].target), 2] for i in batch]
        ids, mask = _padded(sources)
        wanted, counted = _padded(targets)
        decoder = torch.cat([torch.full((len(batch), 1), 2), wanted[:, :-1]], dim=1)
        with torch.inference_mode():
            logits = model.hugging(
                input_ids=ids, attention_mask=mask, decoder_input_ids=decoder
            ).logits
            logs = logits.log_softmax(-1).gather(-1, wanted[..., None])[..., 0]
        counted[:, 0] = 0  # the tag
        means = (logs * counted).sum(1) / counted.sum(1)
        for i, value in zip(batch, means.tolist(), strict=True):
            scores[i] = value
    return scores


def _padded(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(map(len, rows))
    ids = torch.tensor([row + [1] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    return ids, mask


def eights(pairs: Sequence[Pair]) -> list[list[int]]:
    """Batches of 8 in input order."""
    return [list(range(i, min(i + 8, len(pairs)))) for i in range(0, len(pairs), 8)]


def by_tokens(model: Model, pairs: Sequence[Pair]) -> list[list[int]]:
    """Batches of about as many tokens each, sorted by length."""
    lengths = [len(model.tokens(p.condition)) + len(model.tokens(p.target)) for p in pairs]
    batches: list[list[int]] = []
    for i in sorted(range(len(pairs)), key=lambda i: lengths[i]):
        if not batches or lengths[i] * (len(batches[-1]) + 1) > TOKENS_PER_BATCH:
            batches.append([])
        batches[-1].append(i)
    return batches


def isogloss_scores(
    model: Model, precision: str, pairs: Sequence[Pair], cache: ScoreCache | None = None
) -> Scores:
    """H of every pair through a paraphraser that remembers nothing but what the cache holds."""
    paraphraser = Paraphraser(model.loaded[precision], cache)
    return [scores.mean if scores else 0.0 for scores in paraphraser.score(pairs, long="split")]


@dataclass(frozen=True)
class Took:
    """Seconds by the clock, and of the processor."""

    clock: float
    processor: float


def timed(run: Callable[[], Scores]) -> tuple[Took, Scores]:
    """How long it took, and what came out."""
    start, busy = perf_counter(), process_time()
    scores = run()
    return Took(perf_counter() - start, process_time() - busy), scores


def all_pairs(collection: Collection, segments: int) -> list[Pair]:
    """Every system's outputs and the reference given each other, for some segments."""
    chosen = random.Random(3).sample(range(collection.testset.segment_count), segments)
    reference = [
        text for d in collection.testset.documents for text in next(iter(d.references.values()))
    ]
    pairs = []
    for output in collection.outputs:
        lines = [text for segments_ in output.documents.values() for text in segments_]
        for i in chosen:
            if lines[i] and reference[i]:
                pairs.append(Pair(reference[i] or "", lines[i] or "", "de", "de"))
                pairs.append(Pair(lines[i] or "", reference[i] or "", "de", "de"))
    return pairs


def flops(model: Model, size: dict[str, int], pairs: Sequence[Pair]) -> float:
    """Multiplications and additions of the weights, and of the vocabulary, for all pairs."""
    d, ffn = size["d_model"], size["ffn"]
    encoder = size["layers"] * (4 * d * d + 2 * d * ffn)
    cross = size["layers"] * 2 * d * d  # keys and values of the source
    decoder = size["layers"] * (6 * d * d + 2 * d * ffn) + d * size["vocabulary"]
    sources = sum(len(model.tokens(p.condition)) + 2 for p in pairs)
    targets = sum(len(model.tokens(p.target)) + 2 for p in pairs)
    return 2.0 * (sources * (encoder + cross) + targets * decoder)


def distinct(pairs: Sequence[Pair], count: int) -> list[Pair]:
    """Some pairs, all different."""
    found = list(dict.fromkeys(pairs))
    return random.Random(5).sample(found, min(count, len(found)))


def report(name: str, size: dict[str, int], collection: Collection, arguments: Any) -> None:
    """Both experiments on a model of one size."""
    texts = [t for o in collection.outputs for d in o.documents.values() for t in d if t]
    with tempfile.TemporaryDirectory() as scratch:
        model = make_model(size, texts, Path(scratch) / "model")
        print(f"\n{name}: {model.parameters / 1e6:.0f} M parameters")
        everything = all_pairs(collection, arguments.segments)
        chosen = distinct(everything, arguments.pairs)
        engines = {
            "(a) transformers, batches of 8": lambda: transformers_scores(
                model, chosen, eights(chosen)
            ),
            "(b) transformers, sorted": lambda: transformers_scores(
                model, chosen, by_tokens(model, chosen)
            ),
            "(c) isogloss float32": lambda: isogloss_scores(model, "float32", chosen),
            "(d) isogloss int8": lambda: isogloss_scores(model, "int8", chosen),
        }
        times, scores = compare_engines(engines, arguments.rounds)
        show_engines(times, len(chosen), flops(model, size, chosen))
        a, _, c, d = scores.values()
        apart = max(abs(x - y) for x, y in zip(a, c, strict=True))
        print(f"  float32 against transformers: at most {apart:.1e} apart a segment")
        print(
            f"  int8 against float32: r {np.corrcoef(c, d)[0, 1]:.5f}, "
            f"mean difference {np.mean(np.abs(np.subtract(c, d))):.4f}"
        )
        evaluation(
            model, everything, times["(a) transformers, batches of 8"].clock / len(chosen), scratch
        )


def compare_engines(
    engines: dict[str, Callable[[], Scores]], rounds: int
) -> tuple[dict[str, Took], dict[str, Scores]]:
    """What every engine took in the median of interleaved rounds, and its scores."""
    times: dict[str, list[Took]] = {engine: [] for engine in engines}
    scores: dict[str, Scores] = {}
    for _ in range(rounds):
        for engine, run in engines.items():
            took, scores[engine] = timed(run)
            times[engine].append(took)
    return {engine: middle(found) for engine, found in times.items()}, scores


def middle(found: Sequence[Took]) -> Took:
    """The median of either clock."""
    return Took(median(each.clock for each in found), median(each.processor for each in found))


def show_engines(times: dict[str, Took], pairs: int, work: float) -> None:
    """Print what was measured on distinct pairs, and the shares of the machine's peaks."""
    print(
        f"  distinct pairs ({pairs}); matrix products on one core peak at "
        f"{float32_peak() / 1e9:.0f} GFLOP/s, those of int8 at {int8_peak() / 1e9:.0f} GOP/s"
    )
    base = next(iter(times.values())).clock
    for engine, took in times.items():
        peak, name = (int8_peak(), "int8") if "int8" in engine else (float32_peak(), "float32")
        print(
            f"  {engine:32} {pairs / took.clock:7.2f} pairs/s  {base / took.clock:5.2f} x (a)"
            f"  {work / took.processor / peak:5.0%} of the {name} peak"
        )
    sorted_, ours = times["(b) transformers, sorted"], times["(c) isogloss float32"]
    print(f"  (c) over (b): {sorted_.clock / ours.clock:.2f} x")


def evaluation(model: Model, pairs: Sequence[Pair], seconds_a: float, scratch: str) -> None:
    """All systems, both directions; (a) is extrapolated from its time per distinct pair."""
    cache = ScoreCache(Path(scratch) / "cache")
    first, _ = timed(lambda: isogloss_scores(model, "int8", pairs, cache))
    again, _ = timed(
        lambda: isogloss_scores(model, "int8", pairs, ScoreCache(Path(scratch) / "cache"))
    )
    repeated = 1 - len(set(pairs)) / len(pairs)
    print(
        f"  evaluation of all systems, both directions: {len(pairs)} pairs, {repeated:.0%} repeated"
    )
    print(f"  (a), extrapolated                {len(pairs) * seconds_a:8.1f} s")
    times_a = len(pairs) * seconds_a / first.clock
    print(f"  (d) isogloss int8                {first.clock:8.1f} s  {times_a:5.2f} x (a)")
    print(
        f"  (d) again, from the cache        {again.clock:8.2f} s"
        f"  {first.clock / again.clock:5.0f} x the first run"
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("testset")
    parser.add_argument("--reference", action="append")
    parser.add_argument("--size", choices=[*SIZES, "all"], default="all")
    parser.add_argument("--pairs", type=int, default=48)
    parser.add_argument("--segments", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    collection = read_collection(arguments.testset)
    if arguments.reference:
        collection = collection.with_references(arguments.reference)
    for name, size in SIZES.items():
        if arguments.size in (name, "all"):
            report(name, size, collection, arguments)


if __name__ == "__main__":
    main()
