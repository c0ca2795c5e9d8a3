"""Which processor instructions the engine computes with: they change int8 scores.

CTranslate2 picks its instruction set once in a process, on first use. By itself it takes AVX2
with Intel's MKL even where AVX-512 is there. For int8 on a processor with VNNI, AVX-512 without
MKL is about a fifth faster, so that is asked for, unless the user's environment already decides
(``CT2_FORCE_CPU_ISA``, ``CT2_USE_MKL``) or the engine is already in use.
"""

import os
import platform
import sys
from functools import cache
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")
_NEEDED = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni"}
_TELLING = ("amx_int8", "avx512_vnni", "avx512f", "avx_vnni", "avx2", "avx", "asimddp", "asimd")
_VARIABLES = ("CT2_FORCE_CPU_ISA", "CT2_USE_MKL")


def prefer_fast_int8() -> None:
    """Ask for the fast int8 instructions; must come before the engine is first used."""
    undecided = not any(variable in os.environ for variable in _VARIABLES)
    if undecided and "ctranslate2" not in sys.modules and cpu_flags() >= _NEEDED:
        os.environ["CT2_FORCE_CPU_ISA"] = "AVX512"
        os.environ["CT2_USE_MKL"] = "0"


@cache
def cpu_flags() -> frozenset[str]:
    """The processor's instruction-set extensions, as far as the system tells them."""
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() in ("flags", "features"):
            return frozenset(value.split())
    return frozenset()


@cache
def instruction_set() -> str:
    """One word for everything about the processor that may change a score.

    Read once, as the engine does: what the environment forces, and the best extension there is.
    """
    forced = os.environ.get("CT2_FORCE_CPU_ISA", "auto").upper()
    mkl = os.environ.get("CT2_USE_MKL", "auto")
    best = next((flag for flag in _TELLING if flag in cpu_flags()), platform.machine() or "cpu")
    return f"{forced}-mkl:{mkl}-{best}"
