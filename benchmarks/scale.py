"""Many machines: equal scores, machines that die, overhead, memory, and how far it would scale.

    python benchmarks/scale.py [PART...] [--data PATH] [--rows N] [--times N]

Runs a real Ray runtime with several nodes on this machine. The parts are:

- `equality` evaluates a test set (`--data`, such as the folder of wmt20 zh-en, or the bundled
  sample) here and on the cluster, and compares every number;
- `kills` kills a node again and again while a corpus is scored, and counts rows;
- `idle` evaluates metrics of documents (`--data`), one by one and with the next begun early;
- `shards` times shards with nothing in them;
- `memory` scores a corpus of a million rows and prints what the processes took;
- `scaling` goes from one worker to two, and says how many one reading process could keep busy.
"""

import argparse
import json
import logging
import os
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"

import isogloss
from isogloss.metrics import load_metric
from isogloss.model import Pair, Paraphraser, Request, find_model, usable_cores
from isogloss.runtime import Runtime
from isogloss.scale import Corpus, CorpusJob, ScoreRows, on_cluster, score_corpus
from isogloss.scale.cluster import ray_crew
from isogloss.scale.pool import pool
from isogloss.signature import split_names

TEXT = "the cat sat on a mat while one dog ran over that red house and saw two blue birds fly"
WORDS = TEXT.split()
STORE = 100 * 1024 * 1024
METRICS = "bleu,chrf,prism,prism-src,mqm,embedding,ltcr(aligner=fast-align)"
SEGMENTS, SYSTEMS = 60, 3
ROUNDS = 5


class Nodes:
    """A head without cores, and nodes of one core each."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        quick = {"health_check_period_ms": 300, "health_check_failure_threshold": 3}
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self.cluster: Any = Cluster(True, head_node_args={**head, "_system_config": quick})
        self.nodes = [self._added() for _ in range(count)]

    def _added(self) -> Any:
        return self.cluster.add_node(num_cpus=1, object_store_memory=STORE)

    def replace_one(self) -> None:
        """A machine dies, and another one comes."""
        self.cluster.remove_node(self.nodes.pop(0), allow_graceful=False)
        self.nodes.append(self._added())


@contextmanager
def cluster(count: int) -> Iterator[Nodes]:
    """Nodes that this process is connected to."""
    import ray

    nodes = Nodes(count)
    try:
        ray.init(address=nodes.cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        yield nodes
    finally:
        ray.shutdown()
        nodes.cluster.shutdown()


def write_corpus(path: Path, count: int) -> Path:
    """Rows of about twenty words, no two of them alike."""
    chance = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            texts = (" ".join([*chance.choices(WORDS, k=20), str(number)]) for _ in range(2))
            file.write(json.dumps(dict(zip(("id", "mt", "ref"), (number, *texts), strict=True))))
            file.write("\n")
    return path


def job_of(path: Path, rows_per_part: int = 2_000) -> CorpusJob:
    """chrF, a metric so light that whatever else costs time shows."""
    return CorpusJob(Corpus((str(path),)), ScoreRows(("chrf",), None, "en"), rows_per_part)


def ids_in(folder: Path) -> list[int]:
    """The rows that are in the parts, in their order."""
    return [
        json.loads(line)["id"]
        for part in sorted(folder.glob("part-*"))
        for line in part.read_text(encoding="utf-8").splitlines()
    ]


def beginning(collection: isogloss.Collection) -> isogloss.Collection:
    """The first documents of some systems: enough to see a difference."""
    documents, counted = [], 0
    for document in collection.testset.documents:
        if counted >= SEGMENTS:
            break
        documents.append(document.id)
        counted += len(document)
    return of_machines(collection, SYSTEMS).with_documents(documents)


def of_machines(collection: isogloss.Collection, count: int) -> isogloss.Collection:
    """The first outputs that are no people's."""
    machines = [output.name for output in collection.outputs if not output.human]
    return collection.with_systems(machines[:count])


def compared(here: isogloss.ScoreTable, there: isogloss.ScoreTable) -> bool:
    """Whether two evaluations are equal in all there is; printed for each metric."""
    equal = True
    for info, other in zip(here.metrics, there.metrics, strict=True):
        rows = here.of_metric(info.name)
        same = rows == there.of_metric(info.name)
        signed = info.signature == other.signature
        scored, total = sum(row.scored for row in rows), sum(row.total for row in rows)
        print(
            f"{info.name}: {'equal' if same else 'DIFFERENT'} in every digit, "
            f"{'same' if signed else 'OTHER'} signature, {len(rows)} systems, "
            f"{scored:,} of {total:,} segments scored"
        )
        equal = equal and same and signed
    return equal


def equality(data: Path | None) -> None:
    """Every number of an evaluation, here and on a cluster."""
    collection = isogloss.load_sample("zh-en") if data is None else beginning(isogloss.read(data))
    print(collection)
    here = isogloss.evaluate(collection, METRICS, runtime=Runtime())
    with cluster(2):
        there = isogloss.evaluate(collection, METRICS, runtime=Runtime(cluster="auto"))
    compared(here, there)


def kills(rows: int, times: int) -> None:
    """A node dies, so many times, while a corpus is scored; then the rows are counted."""
    with tempfile.TemporaryDirectory() as folder, cluster(2) as nodes:
        out = Path(folder) / "out"
        job = job_of(write_corpus(Path(folder) / "rows.jsonl", rows), 500)
        finished = threading.Event()

        def work() -> None:
            score_corpus(job, out, Runtime(cluster="auto"))
            finished.set()

        threading.Thread(target=work, daemon=True).start()
        killed = 0
        while killed < times and not finished.is_set():
            wanted = len(list(out.glob("part-*"))) + 2
            while len(list(out.glob("part-*"))) < wanted and not finished.is_set():
                time.sleep(0.01)
            if not finished.is_set():
                nodes.replace_one()
                killed += 1
        finished.wait()
        found = ids_in(out)
        lost, doubled = len(set(range(rows)) - set(found)), len(found) - len(set(found))
        print(f"{killed} nodes killed during {rows:,} rows: {lost} lost, {doubled} doubled")


@dataclass(frozen=True)
class Timed:
    """How long a corpus took, from the first part to the last: workers start before that."""

    seconds: float
    rows: int

    @property
    def speed(self) -> float:
        return self.rows / self.seconds


def timed(job: CorpusJob, runtime: Runtime) -> Timed:
    """Score a corpus; the clock runs from the first part on, when all workers are there."""
    marks: list[tuple[float, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        score_corpus(
            job, Path(folder) / "out", runtime, lambda s: marks.append((time.monotonic(), s.rows))
        )
    (begun, before), (ended, after) = marks[4], marks[-1]
    return Timed(ended - begun, after - before)


OF_DOCUMENTS = "chrf,bleu,ter,meteor,cohesion,ltcr(aligner=fast-align)"


def idle(data: Path | None, rounds: int = 3) -> None:
    """How long workers have nothing to do, metric by metric and with the next one begun early."""
    collection = isogloss.load_sample("cs-en") if data is None else isogloss.read(data)
    testset = collection.testset
    languages = testset.source_language, testset.target_language
    chosen = [load_metric(name, *languages) for name in split_names(OF_DOCUMENTS)]
    per_system = [collection.translations(output) for output in collection.outputs]
    translations = [t for own in per_system for t in own]
    work = [(metric, translations) for metric in chosen]
    print(f"{collection}; {OF_DOCUMENTS}")
    with cluster(2), on_cluster(Runtime(cluster="auto")) as (_, machines):
        _idle_share(machines, work, ahead=True)  # workers load what they need
        for ahead in [False, True] * rounds:
            share, seconds = _idle_share(machines, work, ahead)
            how = "the next one begun early" if ahead else "metric by metric"
            print(f"{how}: workers idle for {share:.1%} of {seconds:.1f} s")


def _idle_share(machines: Any, work: list[Any], ahead: bool) -> tuple[float, float]:
    before, begun = machines.busy, time.monotonic()
    for number in range(len(work)):
        for _ in machines.measure(work[number:] if ahead else work[number : number + 1]):
            pass
    taken = time.monotonic() - begun
    return 1 - (machines.busy - before) / (2 * taken), taken


def shards(count: int) -> None:
    """What a shard costs by itself: its task is to count one item."""
    with cluster(2), ray_crew("auto") as on_ray, pool(2) as here:
        for name, crew in (("Ray, 2 nodes", on_ray), ("pool of 2", here)):
            list(crew.run(len, [[1]] * 20))  # until all workers are there
            begun = time.monotonic()
            list(crew.run(len, ([1] for _ in range(count)), ordered=False))
            print(f"{name}: {(time.monotonic() - begun) / count * 1000:.2f} ms a shard")


def shown(speeds: Sequence[float]) -> str:
    """Speeds side by side."""
    return ", ".join(f"{speed:,.0f}" for speed in speeds)


def resident() -> tuple[int, int]:
    """Megabytes of this process, and of its largest child."""
    me = os.getpid()
    children = [p for p in Path("/proc").iterdir() if p.name.isdecimal() and _parent(p) == me]
    return _megabytes(Path("/proc/self")), max(map(_megabytes, children), default=0)


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _megabytes(process: Path) -> int:
    try:
        pages = int((process / "statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


def memory(rows: int) -> None:
    """What the processes take after a tenth, and at most, of a long corpus."""
    seen: list[tuple[int, int]] = []
    with tempfile.TemporaryDirectory() as folder:
        path = write_corpus(Path(folder) / "rows.jsonl", rows)
        print(f"{rows:,} rows, {path.stat().st_size / 1e6:,.0f} MB")
        begun = time.monotonic()
        job = job_of(path)
        summary = score_corpus(
            job, Path(folder) / "out", Runtime(jobs=2), lambda _: seen.append(resident())
        )
        taken = time.monotonic() - begun
    tenth = seen[: max(1, len(seen) // 10)]
    for name, place in (("the reading process", 0), ("the largest worker", 1)):
        early, late = max(s[place] for s in tenth), max(s[place] for s in seen)
        print(f"{name}: {early} MB in the first tenth, {late} MB at most in all")
    print(f"{summary.rows:,} rows scored in {taken:,.0f} s")


def spins(processes: int) -> float:
    """How often so many processes count to a thousand in a second, all together."""
    with ProcessPoolExecutor(processes) as executor:
        return sum(executor.map(_spun, [3.0] * processes))


def _spun(seconds: float) -> float:
    rounds, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(1_000))
        rounds += 1
    return rounds / seconds


@dataclass(frozen=True)
class Nothing(ScoreRows):
    """Sends rows and gets a part back, without scoring: what is left is the reader's own work."""

    def __call__(self, rows: Sequence[Any]) -> Any:
        part = _PARTS.get(len(rows))
        if part is None:
            part = _PARTS[len(rows)] = super().__call__(rows)
        return part


_PARTS: dict[int, Any] = {}


def scaling(rows: int) -> None:
    """One worker and two; and how many one reading process could feed."""
    with tempfile.TemporaryDirectory() as folder:
        job = job_of(write_corpus(Path(folder) / "rows.jsonl", rows))
        # Others may use this machine too: what two cores are worth is measured in between.
        turns = [
            [
                spins(1),
                timed(job, Runtime(jobs=1)).speed,
                spins(2),
                timed(job, Runtime(jobs=2)).speed,
            ]
            for _ in range(ROUNDS)
        ]
        one = max(turn[1] for turn in turns)
        ours = statistics.median(turn[3] / turn[1] for turn in turns)
        loops = statistics.median(turn[2] / turn[0] for turn in turns)
        print(f"1 worker: {shown([turn[1] for turn in turns])} rows/s")
        print(f"2 workers: {shown([turn[3] for turn in turns])} rows/s, {ours:.2f} times (median)")
        print(f"two empty loops against one, in the same minutes: {loops:.2f} times")
        idle = timed(replace(job, task=Nothing(**vars(job.task))), Runtime(jobs=2)).speed
        print(f"chrf, the reader alone: {idle:,.0f} rows/s, what {idle / one:.0f} workers do")
    here, elsewhere = pairs_per_second()
    print(f"prism-src, all here on {usable_cores()} cores: {here:,.1f} pairs/s")
    print(f"prism-src, all but the model: {elsewhere:,.0f} pairs/s, {elsewhere / here:.0f} times")


class Instant:
    """Another machine that takes no time: what is left is what this one does."""

    def __init__(self, model: Paraphraser) -> None:
        self.engine_id, self.token_budget = model.engine_id, model.token_budget

    def scored(self, windows: Iterable[Sequence[Request]]) -> Iterator[list[list[float]]]:
        """Numbers of the right length."""
        for window in windows:
            yield [[-1.0] * request.scored for request in window]


def pairs_per_second() -> tuple[float, float]:
    """Scoring the sample's pairs here, and doing all but the model's part, many times over."""
    collection = isogloss.load_sample("cs-en")
    texts = [t for output in collection.outputs for t in collection.translations(output)]
    pairs = [
        Pair(source, output or "", "en", "cs")
        for t in texts
        for source, output in zip(t.document.source, t.output, strict=True)
    ]
    many = [replace(pair, target=f"{pair.target} {n}") for n in range(50) for pair in pairs]
    speeds = []
    for asked, distant in ((pairs, False), (many, True)):
        model = Paraphraser.load(find_model("default"))
        if distant:
            model.distant = Instant(model)
        begun = time.monotonic()
        scored = sum(scores is not None for scores in model.score(asked))
        speeds.append(scored / (time.monotonic() - begun))
    return speeds[0], speeds[1]


def main() -> None:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parts = ("equality", "kills", "idle", "shards", "memory", "scaling")
    parser.add_argument("parts", nargs="*", default=parts, choices=parts)
    parser.add_argument("--data", type=Path, help="a test set for `equality`")
    parser.add_argument("--rows", type=int, help="rows of the corpus")
    parser.add_argument("--times", type=int, default=50, help="nodes that are killed")
    given = parser.parse_args()
    for part in given.parts:
        print(f"--- {part}")
        if part == "equality":
            equality(given.data)
        elif part == "kills":
            kills(given.rows or 400_000, given.times)
        elif part == "memory":
            memory(given.rows or 1_000_000)
        elif part == "shards":
            shards(given.rows or 2_000)
        elif part == "idle":
            idle(given.data)
        else:
            scaling(given.rows or 60_000)


if __name__ == "__main__":
    main()
