"""Where the time of aligning with a model goes: `ltcr` of a test set's systems, without the cache.

    python benchmarks/alignment_parts.py path/to/wmt23/en-de --every 16

Seconds of the processor: the decoder's lower layers, of which products of matrices; the main
thread, which cuts texts into pieces and words, and makes words' links of pieces' attention; what is
left is the encoder, which computes in threads of CTranslate2. Then how many operations the
products have and how near they come to the peaks of `machine.py`, what all of it would take on so
many free cores, and if the encoder's and the decoder's products ran at the int8 peak.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import process_time, thread_time
from typing import Any

from isogloss import evaluate, read
from isogloss.alignment.decoder import Linear, PlainDecoder
from isogloss.model import DEFAULT_MODEL, MODEL_FILE, ModelFile, SentenceEncoder, find_model
from isogloss.runtime import Runtime
from machine import float32_peak, int8_peak, numpy_kernels
from metric_speeds import first_documents, thinned


class Parts:
    """Seconds and operations, by what they belong to."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.operations: defaultdict[str, float] = defaultdict(float)
        self._lock = Lock()

    def watch(
        self, of: type, method: str, name: str, operations: Callable[..., float] | None = None
    ) -> None:
        """Measure a method wherever it is called, in the thread that calls it."""
        original = getattr(of, method)

        def watched(*arguments: Any) -> Any:
            begun = thread_time()
            found = original(*arguments)
            with self._lock:
                self.seconds[name] += thread_time() - begun
                self.operations[name] += operations(*arguments) if operations else 0
            return found

        setattr(of, method, watched)


def encoder_operations() -> float:
    """Multiplications and additions that the encoder's weights need for a token."""
    file = ModelFile.read(find_model(DEFAULT_MODEL) / MODEL_FILE)
    weights = [
        variable
        for name, variable in file.variables.items()
        if name.startswith("encoder/layer_") and name.endswith("/weight")
    ]
    return 2.0 * sum(variable.shape[0] * variable.shape[1] for variable in weights)


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("testset", type=Path)
    parser.add_argument("--reference", default="refA")
    parser.add_argument("--every", type=int, default=16)
    options = parser.parse_args()
    collection = read(options.testset).with_references([options.reference])
    evaluate(first_documents(collection, 1), "ltcr", runtime=Runtime())  # nothing is loaded later
    parts, each = Parts(), encoder_operations()
    parts.watch(PlainDecoder, "begin", "decoder")
    parts.watch(PlainDecoder, "mean_attention", "decoder")
    parts.watch(Linear, "__call__", "products", lambda layer, x: 2.0 * len(x) * layer.weight.size)
    parts.watch(SentenceEncoder, "states", "encoder", lambda _, texts: each * sum(map(len, texts)))
    chosen = thinned(collection, options.every)
    begun, alone = process_time(), thread_time()
    evaluate(chosen, "ltcr", runtime=Runtime())
    whole, alone = process_time() - begun, thread_time() - alone
    show(parts, whole, alone)


def show(parts: Parts, whole: float, alone: float) -> None:
    """Print the parts, and what would be gained."""
    decoder, products = parts.seconds["decoder"], parts.seconds["products"]
    encoder = whole - decoder - alone
    for name, part in {
        "encoder": encoder,
        "decoder: products of matrices": products,
        "decoder: attention, norms": decoder - products,
        "pieces, words, links": alone,
    }.items():
        print(f"{name:30} {part:6.1f} s  {part / whole:4.0%}")
    print(f"{'all':30} {whole:6.1f} s; NumPy's kernels: {numpy_kernels()}")
    encoded, multiplied = parts.operations["encoder"], parts.operations["products"]
    floats, integers = float32_peak(), int8_peak()
    for name, rate, peak in (
        ("encoder, of the int8 peak", encoded / encoder, integers),
        ("decoder's products, of the float32 peak", multiplied / products, floats),
    ):
        print(f"{name}: {rate / 1e9:.0f} of {peak / 1e9:.0f} billion a second, {rate / peak:.0%}")
    best = whole - encoder - products + (encoded + multiplied) / integers
    print(f"if all products ran at the int8 peak: {best:.1f} s")


if __name__ == "__main__":
    main()
