"""What the machine can do at best: the rate of large matrix products on one of its cores.

    python benchmarks/machine.py

Yardsticks are the libraries that are there anyway, each at its best size: for float32 NumPy's and
PyTorch's product; for int8 PyTorch's plain product of int8 matrices (oneDNN, the library that
CTranslate2 uses, too) and its quantised layers (oneDNN, FBGEMM). Time is that of the processor, on
one thread, so that a busy machine does not look slow. All cores together may do less than their
number times that.

NumPy's products depend on the kernels that OpenBLAS takes. It chooses them by the processor, unless
OPENBLAS_CORETYPE does: with those of an older one products take twice as long. Unset it to measure.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from time import thread_time

import torch
from threadpoolctl import threadpool_info, threadpool_limits

SIZES = (1024, 2048, 3072)
ROUNDS = 6
_QUANTISED = ("onednn", "fbgemm")
_KERNELS = "OPENBLAS_CORETYPE"


@contextmanager
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)


def _best_rate(size: int, product: Callable[[], object]) -> float:
    """Operations a second of the processor, in the best round."""
    times = []
    for _ in range(ROUNDS):
        begun = thread_time()
        product()
        times.append(thread_time() - begun)
    return 2 * size**3 / min(times)


@cache
def float32_peak() -> float:
    """FLOP a second on one core."""
    rates = []
    with _one_thread():
        for size in SIZES:
            a, b = torch.rand(size, size), torch.rand(size, size)
            x, y = a.numpy(), b.numpy()
            rates.append(_best_rate(size, lambda a=a, b=b: a @ b))
            rates.append(_best_rate(size, lambda x=x, y=y: x @ y))
    return max(rates)


@cache
def int8_peak() -> float:
    """Multiplications and additions of int8 a second on one core."""
    rates = []
    with _one_thread():
        for size in SIZES:
            rates += [_best_rate(size, product) for product in _int8_products(size)]
    return max(rates)


def _int8_products(size: int) -> Iterator[Callable[[], object]]:
    a = torch.randint(-127, 127, (size, size), dtype=torch.int8)
    b = torch.randint(-127, 127, (size, size), dtype=torch.int8)
    yield lambda: torch._int_mm(a, b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an older way to quantise, still a yardstick
        inputs = torch.quantize_per_tensor(torch.rand(size, size), 0.01, 10, torch.quint8)
    chosen = torch.backends.quantized.engine
    for name in _QUANTISED:
        if name in torch.backends.quantized.supported_engines:
            torch.backends.quantized.engine = name
            layer = torch.ao.nn.quantized.Linear(size, size)
            yield lambda layer=layer: layer(inputs)
    torch.backends.quantized.engine = chosen


def numpy_kernels() -> str:
    """For which processor the kernels of NumPy's products are, and whether that was asked for."""
    libraries = (library for library in threadpool_info() if library["user_api"] == "blas")
    found = "+".join(sorted({str(each.get("architecture", "unknown")) for each in libraries}))
    asked = os.environ.get(_KERNELS)
    return f"{found} ({_KERNELS}={asked})" if asked else found


def main() -> None:
    """Print the peaks."""
    for name, peak in (("float32", float32_peak()), ("int8", int8_peak())):
        print(f"{name:8} {peak / 1e9:8.0f} billion operations a second on one core")
    print(f"NumPy's kernels: {numpy_kernels()}")


if __name__ == "__main__":
    main()
