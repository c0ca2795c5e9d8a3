"""Where the time of scoring goes, and what could be saved: an evaluation of twelve systems.

    python benchmarks/scoring_parts.py path/to/wmt20/zh-en [--reference ref] [--systems 12]
    python benchmarks/scoring_parts.py path/to/wmt20/zh-en --budgets 256 512 1024 2048

`prism` with the model that comes along, without the cache. All times are seconds of the processor:
they hardly depend on what else runs. A part is timed by itself where it can be (the encoder, the
texts' pieces and all that is not the engine), the decoder's layers by leaving most of them out;
what is left is the output matrix with its softmax. Then: how much of the encoder's work is done
again because CTranslate2 cannot be given what it made of a reference before; how much of a batch
is padding; the same with the C library's own way with memory, and with a batch on each core; and
the share of the int8 peak of `machine.py`, by the multiplications that the weights need. With
--budgets only the seconds with batches of other sizes are printed: small ones have less padding.
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from time import process_time

from isogloss import Collection, read
from isogloss.model import (
    DEFAULT_MODEL,
    MODEL_FILE,
    Model,
    ModelFile,
    Pair,
    Paraphraser,
    SentenceEncoder,
    Threads,
    find_model,
    usable_cores,
)
from isogloss.model.requests import Request
from machine import int8_peak

ALONE = Threads(1)
ROUNDS = 3


def asked(collection: Collection, systems: int, segments: int) -> list[Pair]:
    """All different pairs that `prism` asks about, for some segments of each system."""
    testset = collection.testset
    language = testset.target_language or ""
    chosen = random.Random(3).sample(range(testset.segment_count), segments)
    references = [t for d in testset.documents for t in next(iter(d.references.values()))]
    pairs: dict[Pair, None] = {}
    for output in [each for each in collection.outputs if not each.human][:systems]:
        lines = [text for d in testset.documents for text in output.documents[d.id]]
        for number in chosen:
            one, other = references[number], lines[number]
            if one and other:
                pairs[Pair(one, other, language, language)] = None
                pairs[Pair(other, one, language, language)] = None
    return list(pairs)


def seconds(work: Callable[[], object]) -> float:
    """Of the processor, the least of a few rounds."""
    times = []
    for _ in range(ROUNDS):
        begun = process_time()
        work()
        times.append(process_time() - begun)
    return min(times)


@dataclass(frozen=True)
class Work:
    """The pairs, and the requests that the engine gets for them, batch by batch."""

    folder: Path
    pairs: Sequence[Pair]
    batches: Sequence[Sequence[Request]]

    @classmethod
    def of(cls, folder: Path, pairs: Sequence[Pair]) -> "Work":
        model = Model(folder, "cpu", None, ALONE)
        kept: list[list[Request]] = []

        class Listening:
            """Writes down what is sent to an engine."""

            def __getattr__(self, name: str) -> object:
                return getattr(engine, name)

            def score(self, requests: Sequence[Request]) -> list[object]:
                kept.append(list(requests))
                return engine.score(requests)

        engine, model.engine = model.engine, Listening()  # type: ignore[assignment]
        list(Paraphraser(model).score(pairs, long="split"))
        return cls(folder, pairs, kept)

    @property
    def requests(self) -> Iterator[Request]:
        return (request for batch in self.batches for request in batch)

    def scoring(self, folder: Path | None = None, threads: Threads = ALONE) -> float:
        """All of it, from texts to scores."""
        model = Model(folder or self.folder, "cpu", None, threads)
        list(Paraphraser(model).score(self.pairs[:50], long="split"))  # nothing is loaded later
        return seconds(lambda: list(Paraphraser(model).score(self.pairs, long="split")))

    def in_batches_of(self, budgets: Sequence[int]) -> dict[int, float]:
        """All of it with batches of so many padded tokens, in turns."""
        model = Model(self.folder, "cpu", None, ALONE)
        taken: dict[int, list[float]] = {budget: [] for budget in budgets}
        for _ in range(ROUNDS):
            for budget, times in taken.items():
                scores = Paraphraser(model).score(self.pairs, long="split", token_budget=budget)
                begun = process_time()
                list(scores)
                times.append(process_time() - begun)
        return {budget: min(times) for budget, times in taken.items()}

    def encoding(self) -> float:
        """The encoder alone, on the same batches."""
        engine = Model(self.folder, "cpu", None, ALONE).engine
        encoder = SentenceEncoder(self.folder, "cpu", engine.id.precision, ALONE)
        return seconds(
            lambda: [encoder.states([r.source for r in batch]) for batch in self.batches]
        )

    def texts(self) -> float:
        """All but the engine: pieces, keys and scores of pairs whose results are remembered."""
        paraphraser = Paraphraser.load(self.folder, threads=ALONE)
        list(paraphraser.score(self.pairs, long="split"))
        return seconds(lambda: list(paraphraser.score(self.pairs, long="split")))

    def decoder_layers(self) -> float:
        """What the decoder's layers take, by what leaving out all but the lowest saves."""
        file = ModelFile.read(self.folder / MODEL_FILE)
        count = len({n.split("/")[1] for n in file.variables if n.startswith("decoder/layer_")})
        upper = tuple(f"decoder/layer_{number}/" for number in range(1, count))
        lowest = {name: v for name, v in file.variables.items() if not name.startswith(upper)}
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(copytree(self.folder, Path(scratch) / "lowest"))
            data = ModelFile(file.kind, file.revision, lowest, file.aliases).to_bytes()
            (folder / MODEL_FILE).write_bytes(data)
            return count / (count - 1) * (self.scoring() - self.scoring(folder))

    def operations(self) -> float:
        """Multiplications and additions that the weights need for these texts."""
        source = target = 0
        file = ModelFile.read(self.folder / MODEL_FILE)
        for name in (*file.variables, *file.aliases):
            if not re.search(r"/(linear_\d|projection)/weight$", name):
                continue
            variable = file.get(name)
            size = 0 if variable is None else math.prod(variable.shape)
            if name.startswith("encoder/") or name.endswith("/attention/linear_1/weight"):
                source += size
            else:
                target += size
        sources = sum(len(request.source) for request in self.requests)
        targets = sum(len(request.target) + 1 for request in self.requests)
        return 2.0 * (source * sources + target * targets)

    def padded(self) -> tuple[float, float]:
        """The shares of sources' and targets' places in batches that are padding."""
        shares = []
        for side in (
            lambda request: len(request.source),
            lambda request: len(request.target) + 1,
        ):
            there = sum(side(request) for request in self.requests)
            places = sum(len(batch) * max(map(side, batch)) for batch in self.batches)
            shares.append(1 - there / places)
        return shares[0], shares[1]

    def encoded_again(self) -> float:
        """The share of source tokens that were read before, for another system."""
        all_tokens = sum(len(request.source) for request in self.requests)
        once = sum(len(source) for source in {request.source for request in self.requests})
        return 1 - once / all_tokens


def as_the_library_would(arguments: Sequence[str]) -> float:
    """Seconds with the C library's own way with memory, in a process of its own."""
    run = subprocess.run(  # noqa: S603 - this script itself
        [sys.executable, "-W", "ignore", __file__, *arguments, "--whole-only"],
        env={**os.environ, "GLIBC_TUNABLES": ""},
        stdout=subprocess.PIPE,
        check=True,
    )
    return float(json.loads(run.stdout))


def show_parts(work: Work, whole: float) -> None:
    """Where the time goes, and what could be had by encoding every text once."""
    encoder, texts = work.encoding(), work.texts()
    decoder = work.decoder_layers()
    parts = {
        "encoder": encoder,
        "decoder layers": decoder,
        "output matrix and softmax": whole - encoder - decoder - texts,
        "pieces, keys, Python": texts,
    }
    for name, part in parts.items():
        print(f"  {name:28} {part:7.1f} s  {part / whole:5.0%}")
    again = work.encoded_again()
    saved = again * encoder
    print(f"source tokens that were read before, for another system: {again:.0%}")
    print(f"bound if nothing were encoded twice: {whole / (whole - saved):.2f} times as fast")


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("testset", type=Path)
    parser.add_argument("--reference")
    parser.add_argument("--systems", type=int, default=12)
    parser.add_argument("--segments", type=int, default=25)
    parser.add_argument("--budgets", type=int, nargs="+", help="padded tokens of a batch")
    parser.add_argument("--whole-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    collection = read(options.testset)
    if options.reference:
        collection = collection.with_references([options.reference])
    pairs = asked(collection, options.systems, options.segments)
    work = Work.of(find_model(DEFAULT_MODEL), pairs)
    if options.budgets:
        for budget, taken in work.in_batches_of(options.budgets).items():
            print(f"batches of {budget:5,} tokens: {taken:.2f} s, {len(pairs) / taken:.1f} pairs/s")
        return
    whole = work.scoring()
    if options.whole_only:
        print(json.dumps(whole))
        return
    count = len(pairs)
    print(f"{count} pairs, {count / whole:.1f} a second of one core:")
    show_parts(work, whole)
    print("padding: {:.1%} of sources, {:.1%} of targets".format(*work.padded()))
    before = as_the_library_would(sys.argv[1:])
    print(f"memory mapped anew: {before / whole:.2f} times as long ({count / before:.1f} a second)")
    cores = usable_cores()
    together = work.scoring(threads=Threads(cores))
    print(f"{cores} batches at a time: {together / whole:.2f} times the processor time of one")
    peak, rate = int8_peak(), work.operations() / whole
    print(f"int8: {rate / 1e9:.0f} of {peak / 1e9:.0f} billion operations a second on one core")
    print(f"share of the int8 peak: {rate / peak:.0%}; before: {rate * whole / before / peak:.0%}")


if __name__ == "__main__":
    main()
