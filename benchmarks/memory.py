"""Memory of scoring: does it stay flat while the number of pairs grows?

    python benchmarks/memory.py [--most 1000000]

Scores 10,000, 100,000 and 1,000,000 different pairs, generated as they are asked for, with a tiny
random model: first without a cache, then into a cache on disk, then once more out of that cache.
Every row is a process of its own; its peak is what the operating system saw (resident memory;
Linux only).
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import sentencepiece

from isogloss.model import Pair, Paraphraser, ScoreCache
from isogloss.model.convert import export_transformer

SIZES = (10_000, 100_000, 1_000_000)
TEXT = "the cat sat on a mat while one dog ran over that red house and saw two blue birds"
WORDS = TEXT.split()
WIDTH, INNER = 16, 32
SPECIALS = ["<en>"]


def sentence(chance: random.Random, number: int) -> str:
    """A few words, and a number that makes the sentence like no other."""
    words = chance.choices(WORDS, k=chance.randint(2, 8))
    return " ".join([*words, str(number)])


def stream(count: int) -> Iterator[Pair]:
    """So many different pairs."""
    chance = random.Random(1)
    for number in range(count):
        yield Pair(sentence(chance, number), sentence(chance, number), "en", "en")


def make_model(folder: Path) -> None:
    """A Transformer with one layer on either side and random weights."""
    chance = random.Random(2)
    prefix = folder.parent / "pieces"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=(sentence(chance, chance.randint(0, 10**6)) for _ in range(2000)),
        model_prefix=str(prefix),
        vocab_size=200,
        hard_vocab_limit=False,
        user_defined_symbols=SPECIALS,
        minloglevel=2,
    )
    spm = sentencepiece.SentencePieceProcessor(f"{prefix}.model")
    pieces = [spm.id_to_piece(n) for n in range(spm.vocab_size())]
    shape = {"layers": 1, "heads": 2, "longest": 128}
    card = {"name": "random", "languages": ["en"], "licence": "CC0-1.0"}
    export_transformer(
        random_weights(len(pieces)), shape, pieces, Path(f"{prefix}.model"), folder, card
    )


def random_weights(pieces: int) -> dict[str, np.ndarray]:
    """Weights under the names that `export_transformer` asks for."""
    chance = np.random.default_rng(3)
    weights = {"embed_tokens.weight": chance.normal(0, 0.3, (pieces, WIDTH))}
    for side, attentions in (("encoder", ["self"]), ("decoder", ["self", "encoder"])):
        layer = f"{side}.layers.0"
        linear = {f"{layer}.fc1": (INNER, WIDTH), f"{layer}.fc2": (WIDTH, INNER)}
        norms = [f"{side}.layer_norm", f"{layer}.final_layer_norm"]
        for attention in attentions:
            norms.append(f"{layer}.{attention}_attn_layer_norm")
            for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                linear[f"{layer}.{attention}_attn.{part}"] = (WIDTH, WIDTH)
        for name, (rows, columns) in linear.items():
            weights[f"{name}.weight"] = chance.normal(0, 0.3, (rows, columns))
            weights[f"{name}.bias"] = np.zeros(rows)
        for name in norms:
            weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(WIDTH), np.zeros(WIDTH)
    return weights


def measure_here(folder: Path, count: int, cache: Path | None) -> dict[str, float]:
    """Score the pairs in this process."""
    model = Paraphraser.load(folder, cache=ScoreCache(cache) if cache else None)
    start = perf_counter()
    scored = sum(scores is not None for scores in model.score(stream(count)))
    assert scored == count
    seconds = perf_counter() - start
    return {"megabytes": peak_megabytes(), "per_second": count / seconds}


def peak_megabytes() -> float:
    """The most memory this program has had; `getrusage` would count its parent's before it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not tell")


def measure(folder: Path, count: int, cache: Path | None) -> dict[str, float]:
    """Score the pairs in a fresh process."""
    command = [sys.executable, __file__, "--model", str(folder), "--count", str(count)]
    command += ["--cache", str(cache)] if cache else []
    done = subprocess.run(  # noqa: S603 - this very file
        command, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def report(most: int) -> None:
    """Every size, without a cache, into one, and out of it."""
    print(f"{'pairs':>10}  {'cache':12}  {'peak MB':>8}  {'pairs/s':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        make_model(folder)
        for count in [size for size in SIZES if size <= most] or [most]:
            cache = Path(scratch) / str(count)
            for name, place in (("none", None), ("written", cache), ("read", cache)):
                found = measure(folder, count, place)
                print(
                    f"{count:10,}  {name:12}  {found['megabytes']:8.0f}  "
                    f"{found['per_second']:8,.0f}",
                    flush=True,
                )


def main() -> None:
    """Run the benchmark, or one row of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--most", type=int, default=SIZES[-1], help="the largest number of pairs")
    parser.add_argument("--model", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.model:
        print(json.dumps(measure_here(arguments.model, arguments.count, arguments.cache)))
    else:
        report(arguments.most)


if __name__ == "__main__":
    main()
