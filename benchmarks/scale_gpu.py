"""GPUs of a Ray cluster: the same evaluation on a GPU in one process, on clusters, and with a kill.

    python benchmarks/scale_gpu.py --data path/to/wmt/wmt20/zh-en
    python benchmarks/scale_gpu.py --device auto --fake-gpus 1 --systems 2 --documents 2

The second command rehearses it where there is no GPU: Ray is told of one, and its worker computes
on a core. Every evaluation has a process of its own, so that nothing is known from the one before,
and is compared in every number and signature with the first, in one process on one GPU:

- `local` is the cluster of this machine alone (`--cluster local`);
- `nodes` are two nodes by `ray start`: a head with the GPU, and another without;
- `kill` is the same, and the worker that computes on the GPU is killed in the middle;
- `corpus` compares what `score-corpus` prints here and on the two nodes, byte by byte.

Which worker computes where is read from the system (Linux), and not asked of isogloss.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from unittest.mock import patch

import isogloss
import isogloss.scale
from isogloss.model import usable_cores
from isogloss.runtime import Device, Runtime, Step
from isogloss.scale.cluster import LOCAL, bring_token
from isogloss.scale.machines import Machines
from scale import compared, of_machines
from scale_overhead import command_of, processes, processor_seconds

HOST = "127.0.0.1"
PARTS = ("local", "nodes", "kill", "corpus")
STORE = 200_000_000  # bytes of memory for a node's objects
ROWS_PER_PART = 250
KILL_AT = 0.2  # of the segments of the first metric with a model
ASK_MODEL = ("prism", "lm", "mqm")


@dataclass(frozen=True)
class GpuTrial:
    """What is evaluated, and where."""

    data: Path | None
    systems: int
    documents: int
    metrics: str
    device: Device
    fake_gpus: int
    cluster: str | None = None
    kill: bool = False

    def collection(self) -> isogloss.Collection:
        """The first documents of the first systems."""
        given = isogloss.read(self.data) if self.data else isogloss.load_sample("cs-en")
        names = [document.id for document in given.testset.documents]
        return of_machines(given, self.systems).with_documents(names[: self.documents])


class WorkerKind(StrEnum):
    """What a worker computes with."""

    GPU = "on the GPU"
    MODEL = "on a core, with a model"
    CORE = "on a core"


def workers(above: int) -> dict[int, WorkerKind]:
    """The workers of isogloss below a process, by what they have loaded so far."""
    found = {}
    for process in processes(above):
        if command_of(process).startswith("ray::Hand"):
            with suppress(OSError):  # it has ended meanwhile
                found[process] = kind_of(Path(f"/proc/{process}/maps").read_text("utf-8"))
    return found


def kind_of(loaded: str) -> WorkerKind:
    """Where a worker computes; cuBLAS is loaded when a model computes on a GPU, and not before."""
    if "libcublas" in loaded:
        return WorkerKind.GPU
    return WorkerKind.MODEL if "libctranslate2" in loaded else WorkerKind.CORE


@dataclass
class WorkerCensus:
    """Looks at the workers now and then, for as long as it is open."""

    above: int
    kinds: dict[int, WorkerKind] = field(default_factory=dict)
    seconds: dict[int, float] = field(default_factory=dict)
    at_work: set[int] = field(default_factory=set)
    _closed: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def open(self) -> Iterator[None]:
        """Look until the work is done."""
        looking = threading.Thread(target=self._look, daemon=True)
        looking.start()
        try:
            yield
        finally:
            self._closed.set()
            looking.join()

    def _look(self) -> None:
        while not self._closed.wait(0.25):
            self.kinds |= workers(self.above)
            for process in self.kinds:
                used = processor_seconds(process)
                self.seconds[process] = max(used, self.seconds.get(process, 0.0))
                if command_of(process).startswith("ray::Hand.work"):
                    self.at_work.add(process)

    def told(self) -> str:
        """How many workers there were of each kind, and what they did."""
        return "; ".join(self._told_of(kind) for kind in WorkerKind if kind in self.kinds.values())

    def _told_of(self, kind: WorkerKind) -> str:
        there = [process for process, its in self.kinds.items() if its == kind]
        busy = sum(process in self.at_work for process in there)
        seconds = sum(self.seconds[process] for process in there)
        return f"{kind}: workers {len(there)}, seen at work {busy}, processor {seconds:.0f} s"


@dataclass
class Killer:
    """Kills the worker that has a model, once, in the middle of a metric that asks one."""

    kind: WorkerKind
    above: int
    killed: int | None = None

    def __call__(self, step: Step) -> None:
        """What the runtime calls when it has come further."""
        asks = step.metric.startswith(ASK_MODEL)
        if self.killed is None and asks and step.done >= KILL_AT * step.total:
            there = workers(self.above)
            self.killed = next(process for process, its in there.items() if its == self.kind)
            os.kill(self.killed, signal.SIGKILL)
            counts = ", ".join(f"{count} {kind}" for kind, count in Counter(there.values()).items())
            say(f"{step.metric}, segment {step.done}: killed one {self.kind} (workers: {counts})")


@dataclass(frozen=True)
class Evaluated:
    """What came of an evaluation."""

    table: isogloss.ScoreTable
    on_gpu: int  # workers of a cluster that computed there
    deaths: int  # shards that were done again because their worker died


@contextmanager
def deaths_counted() -> Iterator[Callable[[], int]]:
    """Counts the deaths of all clusters that work is given to meanwhile."""
    seen: list[Machines] = []
    original = isogloss.scale.on_cluster

    @contextmanager
    def on_cluster(runtime: Runtime) -> Iterator[tuple[Runtime, Machines]]:
        with original(runtime) as (connected, machines):
            seen.append(machines)
            yield connected, machines

    with patch.object(isogloss.scale, "on_cluster", on_cluster):
        yield lambda: sum(machines.deaths for machines in seen)


def evaluated(trial: GpuTrial) -> Evaluated:
    """The scores of a trial; runs in a process of its own, beside the nodes of its parent."""
    collection, above = trial.collection(), os.getppid()
    census, killer = (
        WorkerCensus(above),
        Killer(WorkerKind.MODEL if trial.fake_gpus else WorkerKind.GPU, above),
    )
    progress = killer if trial.kill else None
    with TemporaryDirectory() as cache, census.open(), deaths_counted() as deaths:
        runtime = Runtime(trial.device, Path(cache), progress=progress, cluster=trial.cluster)
        begun = time.monotonic()
        table = isogloss.evaluate(collection, trial.metrics, runtime=runtime)
        say(f"{collection}\n{time.monotonic() - begun:.1f} s")
        if trial.cluster:
            say(f"{census.told()}; shards done again: {deaths()}")
        # A formula is a metric, which holds on to its cluster.
        metrics = tuple(replace(info, formula=None) for info in table.metrics)
        on_gpu = list(census.kinds.values()).count(WorkerKind.GPU)
        return Evaluated(replace(table, metrics=metrics), on_gpu, deaths())


def apart(trial: GpuTrial) -> Evaluated:
    """The same in a new process, which ends with it."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(evaluated, trial).result()


@contextmanager
def two_nodes(gpus: int) -> Iterator[str]:
    """The address of a head with GPUs beside a node without, which share the cores."""
    cores, port = max(2, usable_cores()), free_port()
    head = ("--head", f"--port={port}", "--include-dashboard=false", f"--num-gpus={gpus}")
    other = (f"--address={HOST}:{port}", "--num-gpus=0")
    with node(*head, f"--num-cpus={cores // 2}"), node(*other, f"--num-cpus={cores - cores // 2}"):
        yield f"{HOST}:{port}"


def free_port() -> int:
    """One that nobody listens at."""
    with socket.create_server((HOST, 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def node(*options: str) -> Iterator[None]:
    """A node by `ray start`, for as long as it is open."""
    common = ("--block", "--disable-usage-stats", f"--object-store-memory={STORE}")
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", *common, *options]
    with TemporaryDirectory() as folder, (Path(folder) / "log").open("w+b") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - our own
        try:
            wait_for(process, log)
            yield
        finally:
            process.terminate()
            process.wait()


def wait_for(process: "subprocess.Popen[bytes]", log: IO[bytes], seconds: float = 120.0) -> None:
    """Wait until a node says that it will go on."""
    late = time.monotonic() + seconds
    while b"--block" not in (told := os.pread(log.fileno(), 1 << 20, 0)):
        if process.poll() is not None or time.monotonic() > late:
            sys.exit(f"no node came up:\n{told.decode(errors='replace')}")
        time.sleep(0.2)


def same_corpus(trial: GpuTrial, address: str) -> bool:
    """Whether `score-corpus` prints the same bytes here and on the nodes."""
    with TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.jsonl"
        options = (str(rows), *write_rows(replace(trial, systems=1).collection(), rows))
        options += ("-m", "prism-src", "--device", trial.device)
        here = score_corpus(*options, "--jobs", "1")
        there = score_corpus(*options, "--cluster", address)
    equal = bool(here) and here == there
    rows_printed = len(here.splitlines())
    say(f"score-corpus, {rows_printed:,} rows: {'the same bytes' if equal else 'DIFFERENT'}")
    return equal


def write_rows(collection: isogloss.Collection, path: Path) -> Sequence[str]:
    """A corpus of one system's segments; the options that tell its languages."""
    (output,) = collection.outputs
    with path.open("w", encoding="utf-8") as file:
        for translation in collection.translations(output):
            for source, target in zip(translation.document.source, translation.output, strict=True):
                file.write(json.dumps({"source": source, "mt": target}) + "\n")
    testset = collection.testset
    return "--from", testset.source_language or "", "--to", testset.target_language or ""


def score_corpus(*options: str) -> bytes:
    """What the command prints."""
    command = [sys.executable, "-m", "isogloss", "score-corpus", *options]
    command += ["--rows-per-part", str(ROWS_PER_PART), "--quiet"]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout  # noqa: S603


def as_expected(trial: GpuTrial, here: isogloss.ScoreTable) -> bool:
    """Whether a cluster finds the same, on its GPU, also when a worker there is killed."""
    there = apart(trial)
    equal = compared(here, there.table)
    return equal and (there.on_gpu > 0 or trial.fake_gpus > 0) and (there.deaths > 0) == trial.kill


def verdicts(trial: GpuTrial, parts: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each part, and whether it is as it should be."""
    say(f"--- one process, device {trial.device}")
    here = apart(trial).table
    if "local" in parts:
        say("--- --cluster local")
        yield "local", as_expected(replace(trial, cluster=LOCAL), here)
    if not {"nodes", "kill", "corpus"} & set(parts):
        return
    say("--- two nodes by `ray start`: the head with the GPU, the other without")
    with two_nodes(trial.fake_gpus or 1) as address:
        trial = replace(trial, cluster=address)
        if "nodes" in parts:
            yield "nodes", as_expected(trial, here)
        if "kill" in parts:
            say("--- the worker that has the model is killed in the middle")
            yield "kill", as_expected(replace(trial, kill=True), here)
        if "corpus" in parts:
            say("--- score-corpus -m prism-src")
            yield "corpus", same_corpus(trial, address)


def say(text: str) -> None:
    """Print at once: several processes do."""
    print(text, flush=True)


def main() -> None:
    """Run what is asked for; the exit code says whether all of it is equal."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a test set; by default the cs-en sample")
    parser.add_argument("--systems", type=int, default=4, help="the first so many")
    parser.add_argument("--documents", type=int, default=80, help="the first so many")
    parser.add_argument("--metrics", default="chrf,bleu,prism,prism-src,mqm")
    parser.add_argument("--device", choices=("cuda", "auto"), default="cuda")
    parser.add_argument("--fake-gpus", type=int, default=0, help="rehearse without a GPU")
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    given = vars(parser.parse_args())
    parts = given.pop("parts")
    bring_token(HOST, os.environ)  # which nodes show to each other
    found = dict(verdicts(GpuTrial(**given), parts))
    passed = all(found.values())
    say(f"{'PASSED' if passed else 'FAILED'}: {found}")
    sys.exit(not passed)


if __name__ == "__main__":
    main()
