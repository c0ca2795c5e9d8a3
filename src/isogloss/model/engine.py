"""CTranslate2 behind a small door: scoring, forced attention, and beam search on piece lists.

Everything that CTranslate2 does silently is switched off or checked before it gets here: it
truncates long input, gives an empty source a perfect score, and forms batches of any size.

Which processor instructions the engine computes with: they change int8 scores.

CTranslate2 picks its instruction set once in a process, on first use. By itself it takes AVX2
with Intel's MKL even where AVX-512 is there. For int8 on a processor with VNNI, AVX-512 without
MKL is about a fifth faster, so that is asked for, unless the user's environment already decides
(``CT2_FORCE_CPU_ISA``, ``CT2_USE_MKL``) or the engine is already in use.
"""

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError, InputError
from isogloss.model.allocation import keep_freed_memory
from isogloss.model.model_file import Reading, check_temperature, files_at, files_reading
from isogloss.model.requests import Request
from isogloss.model.threads import Threads, default_threads
from isogloss.runtime import Device

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


_NO_LIMIT = 0
_BUDGETS = {"cpu": 1024, "cuda": 16384}


@dataclass(frozen=True, slots=True)
class EngineId:
    """Everything about the engine that can change a score: part of cache keys and signatures."""

    engine: str
    version: str
    precision: str
    instructions: str
    temperature: float = 1.0
    reading: Reading | None = None  # None: log-probabilities


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How translations are searched for; `longest` is the most pieces of a translation."""

    beam: int = 5
    n_best: int = 1
    length_penalty: float = 1.0
    longest: int = 256
    sampling_topk: int = 1
    sampling_temperature: float = 1.0


class Engine:
    """A loaded model; with a `reading` it gives costs where it would give log-probabilities."""

    def __init__(
        self,
        folder: Path,
        stored_precision: str,
        device: Device = "cpu",
        precision: str | None = None,
        threads: Threads | None = None,
        temperature: float = 1.0,
        reading: Reading | None = None,
    ) -> None:
        check_temperature(temperature)
        self.folder = folder
        self.temperature, self.reading = temperature, reading
        self.config = _config(folder)
        if self.config.get("add_source_bos") or self.config.get("add_source_eos"):
            raise FormatError(
                "the model adds marks to its source by itself, and isogloss adds them too",
                path=folder / "config.json",
                remedy="set add_source_bos and add_source_eos to false",
            )
        self.threads = threads or default_threads()
        if (precision or stored_precision).startswith("int8"):
            prefer_fast_int8()
        files = self._files()
        self._translator = _load(folder, device, precision, self.threads, files)
        self.device: str = self._translator.device

    def _files(self) -> dict[str, bytes] | None:
        """The files where they differ from the stored ones: only then a copy is worth it."""
        if self.reading is not None:
            if self.temperature != 1:
                raise InputError("costs have no temperature")
            return files_reading(self.folder, self.reading, self.vocabulary("target"))
        return None if self.temperature == 1 else files_at(self.folder, self.temperature)

    @cached_property
    def id(self) -> EngineId:
        import ctranslate2

        on_cpu = self.device == "cpu"
        return EngineId(
            engine="ctranslate2",
            version=ctranslate2.__version__,
            precision=self._translator.compute_type,
            instructions=instruction_set() if on_cpu else self.device,
            temperature=self.temperature,
            reading=self.reading,
        )

    @property
    def workers(self) -> int:
        """How many batches run at the same time."""
        return int(self._translator.num_translators)

    @property
    def token_budget(self) -> int:
        """Padded source and target tokens of one batch: what measured fastest on this device."""
        return _BUDGETS[self.device]

    @property
    def unknown_token(self) -> str:
        return str(self.config.get("unk_token", "<unk>"))

    def vocabulary(self, side: str) -> list[str]:
        """The pieces that one side of the model knows."""
        return vocabulary_of(self.folder, side)

    def score(self, requests: Sequence[Request]) -> list[Any]:
        """Start scoring the requests as one batch; each result is waited for by `log_probs`."""
        handles: list[Any] = self._translator.score_batch(
            [list(request.source) for request in requests],
            [list(request.target) for request in requests],
            max_input_length=_NO_LIMIT,
            asynchronous=True,
        )
        return handles

    def attention(self, requests: Sequence[Request]) -> list[Any]:
        """Start reading the attention of a batch; `attention_rows` waits for each result."""
        longest = max(len(request.target) for request in requests) + 1
        handles: list[Any] = self._translator.translate_batch(
            [list(request.source) for request in requests],
            target_prefix=[list(request.target) for request in requests],
            beam_size=1,
            max_input_length=_NO_LIMIT,
            max_decoding_length=longest,
            # Without a lower bound a model may end right behind the prefix, a row too early.
            min_decoding_length=longest,
            return_attention=True,
            asynchronous=True,
        )
        return handles

    def translate(
        self,
        sources: Sequence[Sequence[str]],
        prefixes: Sequence[Sequence[str]],
        options: SearchOptions,
    ) -> list[list[tuple[list[str], float]]]:
        """The best hypotheses for each source, without their prefix, with their scores."""
        results = self._translator.translate_batch(
            [list(source) for source in sources],
            target_prefix=[list(prefix) for prefix in prefixes],
            max_batch_size=max(1, self.token_budget // max(1, options.beam)),
            batch_type="tokens",
            beam_size=max(options.beam, options.n_best),
            num_hypotheses=options.n_best,
            length_penalty=options.length_penalty,
            max_input_length=_NO_LIMIT,
            max_decoding_length=options.longest,
            sampling_topk=options.sampling_topk,
            sampling_temperature=options.sampling_temperature,
            return_scores=True,
        )
        return [
            [
                (hypothesis[len(prefix) :], score)
                for hypothesis, score in zip(result.hypotheses, result.scores, strict=True)
            ]
            for result, prefix in zip(results, prefixes, strict=True)
        ]


def log_probs(handle: Any, request: Request) -> list[float]:
    """Wait for a result: the log-probabilities that count, without tag and context."""
    values: list[float] = handle.result().log_probs
    if len(values) != len(request.target) + 1:
        raise InputError(
            f"the engine scored {len(values)} pieces where {len(request.target) + 1} were asked "
            "for; this version of CTranslate2 cannot be used"
        )
    return values[request.given : request.given + request.scored]


def attention_rows(handle: Any, request: Request) -> NDArray[np.float32]:
    """Wait for a result: the attention of every scored piece on every source token.

    A row is read at the step where its piece is the decoder's *input*: one step after the piece
    was predicted, when the decoder knows what it is looking for.
    """
    rows = np.array(handle.result().attention[0], dtype=np.float32)
    return rows[request.given + 1 : len(request.target) + 1]


def vocabulary_of(folder: Path, side: str) -> list[str]:
    """The vocabulary of one side as the model folder stores it."""
    for name in (f"{side}_vocabulary.json", "shared_vocabulary.json"):
        path = folder / name
        if path.is_file():
            pieces: list[str] = json.loads(path.read_text(encoding="utf-8"))
            return pieces
    raise FormatError(f"the {side} vocabulary is missing", path=folder)


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(f"cannot be read ({error})", path=path) from None
    return config


def _load(
    folder: Path,
    device: Device,
    precision: str | None,
    threads: Threads,
    files: dict[str, bytes] | None,
) -> Any:
    if device not in ("cpu", "cuda", "auto"):
        raise InputError(f"unknown device {device!r}; known are: cpu, cuda, auto")
    import ctranslate2

    if device == "auto":
        device = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
    if device == "cuda" and not ctranslate2.get_cuda_device_count():
        raise InputError("there is no CUDA device here; choose the device cpu or auto")
    _check_precision(precision, device)
    keep_freed_memory()
    try:
        return ctranslate2.Translator(
            str(folder),
            device=device,
            compute_type=precision or "default",
            inter_threads=threads.workers,
            intra_threads=threads.per_worker,
            files=files,
        )
    except (RuntimeError, ValueError) as error:
        raise FormatError(f"the model does not load ({error})", path=folder) from error


def _check_precision(precision: str | None, device: str) -> None:
    import ctranslate2

    supported = ctranslate2.get_supported_compute_types(device)
    if precision is not None and precision not in supported:
        raise InputError(
            f"precision {precision!r} is not for this {device}; "
            f"it supports: {', '.join(sorted(supported))}"
        )
