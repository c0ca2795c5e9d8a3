"""A real Ray runtime of several nodes on this machine: the same numbers, whatever dies."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import InputError, WorkerError
from isogloss.runtime import Runtime, Step
from isogloss.sample import sample_path
from isogloss.scale import Corpus, CorpusJob, ScoreRows, score_corpus
from isogloss.scale.cluster import bring_token, ray_crew
from isogloss.scale.kept_shards import FOLDER_NAME
from scale_trials import DROP, POISON, STOP, Complain, Double, WhichProcess

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
ray = pytest.importorskip("ray", reason="a cluster needs Ray: pip install 'isogloss[scale]'")
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
STORE = 80 * 1024 * 1024  # bytes of a node for objects; Ray would take a third of the memory


class Nodes:
    """A head without cores, and nodes of one core that come and go."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # A node that is gone is noticed within a second, not within fifteen.
        quick = {"health_check_period_ms": 300, "health_check_failure_threshold": 3}
        head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self.cluster = Cluster(True, head_node_args={**head, "_system_config": quick})
        self.nodes = [self.add(), self.add()]

    def add(self) -> Any:
        return self.cluster.add_node(num_cpus=1, object_store_memory=STORE)

    def replace_one(self) -> None:
        self.cluster.remove_node(self.nodes.pop(0), allow_graceful=False)
        self.nodes.append(self.add())


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    tests = str(Path(__file__).parents[1])  # workers look there for the tasks of these tests
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (before, tests)))
    made = Nodes()
    try:
        ray.init(address=made.cluster.address, log_to_driver=False)
        yield made
    finally:
        ray.shutdown()
        made.cluster.shutdown()
        os.environ["PYTHONPATH"] = before


def rows_in(folder: Path) -> list[dict[str, Any]]:
    parts = sorted(folder.glob("part-*"))
    return [json.loads(line) for part in parts for line in part.read_text().splitlines()]


def made_corpus(path: Path, count: int) -> Path:
    rows = ({"id": n, "mt": f"cat {n} sat on a mat", "ref": f"cat {n} ran"} for n in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_shards_are_done_again_and_poison_is_told(nodes: Nodes, tmp_path: Path) -> None:
    with ray_crew("auto") as crew:
        assert len(crew) == 2
        work = [[1], [2, DROP], [3]]
        assert [done.result for done in crew.run(Double(tmp_path), work)] == [[2], [4, -4], [6]]
        assert crew.deaths == 1
        with pytest.raises(ValueError, match="7 is wrong"):
            list(crew.run(Complain(), [[7]]))
        with pytest.raises(WorkerError, match="-1"):
            list(crew.run(Double(), [[1], [5, POISON]]))
    assert ray.is_initialized()  # a connection that was there before stays


def test_an_actor_that_is_stopped_is_started_again(nodes: Nodes, tmp_path: Path) -> None:
    told: list[str] = []
    with ray_crew("auto", Runtime(hung_after=3.0, notice=told.append)) as crew:
        work = [[1], [2, STOP], [3]]
        assert [done.result for done in crew.run(Double(tmp_path), work)] == [[2], [4, -8], [6]]
        assert crew.deaths
    assert any("a shard of 2 items: no sign of life for " in line for line in told)


def test_machines_that_come_get_workers_and_those_that_leave_end_nothing(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.scale.crew._MUSTER", 0.2)
    with ray_crew("auto") as crew:
        run = crew.run(WhichProcess(), ([n] for n in iter(int, 1)), ordered=False)

        def seen_until(workers: int) -> set[int]:
            """The processes that worked once there are as many."""
            give_up = time.monotonic() + 120
            while time.monotonic() < give_up:
                found = {next(run).result for _ in range(10 * workers)}
                if (len(crew), len(found)) == (workers, workers):
                    return found
            raise AssertionError(f"there are {len(crew)} workers, not {workers}")

        two = seen_until(2)
        joined = nodes.add()
        three = seen_until(3)
        assert two < three
        nodes.cluster.remove_node(joined, allow_graceful=False)
        assert seen_until(2) == two
        run.close()


def test_an_evaluation_has_the_same_digits(nodes: Nodes, tmp_path: Path) -> None:
    collection = isogloss.load_sample("cs-en")
    few = collection.with_documents([collection.testset.documents[0].id])
    metrics = "bleu,prism-src,embedding,ltcr(aligner=fast-align)"
    steps: list[Step] = []
    here = isogloss.evaluate(few, metrics, runtime=Runtime())
    there = Runtime("auto", cluster="auto", cache=tmp_path, progress=steps.append)
    for _ in range(2):  # computed, then out of the cache
        table = isogloss.evaluate(few, metrics, runtime=there)
        assert table.rows == here.rows
        assert table.metrics == here.metrics
    assert {step.metric for step in steps if step.scores} == {m.name for m in here.metrics}
    assert not list((tmp_path / FOLDER_NAME).iterdir())


def test_an_evaluation_that_was_killed_goes_on(nodes: Nodes, tmp_path: Path) -> None:
    texts = [f"cat {n} sat on a mat" for n in range(1200)]
    collection = isogloss.from_texts(None, texts, {"a": texts[::-1]}, target_language="en")

    def stop(step: Step) -> None:
        raise KeyboardInterrupt

    runtime = Runtime(cluster="auto", cache=tmp_path, progress=stop)
    with pytest.raises(KeyboardInterrupt):
        isogloss.evaluate(collection, "chrf", runtime=runtime)
    (kept,) = (tmp_path / FOLDER_NAME).iterdir()  # the first 500 segments
    table = isogloss.evaluate(collection, "chrf", runtime=Runtime(cluster="auto", cache=tmp_path))
    assert table.rows == isogloss.evaluate(collection, "chrf").rows
    assert not kept.exists()


def test_nothing_is_lost_or_doubled_when_machines_die(nodes: Nodes, tmp_path: Path) -> None:
    count, kills = 60_000, 3
    path, out = made_corpus(tmp_path / "rows.jsonl", count), tmp_path / "out"
    job = CorpusJob(Corpus((str(path),)), ScoreRows(("chrf",), None, "en"), 500)
    finished = threading.Event()

    def work() -> None:
        score_corpus(job, out, Runtime(cluster="auto"))
        finished.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    killed = 0
    while killed < kills and not finished.is_set():
        wanted = len(list(out.glob("part-*"))) + 3
        while len(list(out.glob("part-*"))) < wanted and not finished.is_set():
            time.sleep(0.01)
        if not finished.is_set():
            nodes.replace_one()
            killed += 1
    thread.join(300)
    assert finished.is_set()
    assert killed == kills
    assert [row["id"] for row in rows_in(out)] == list(range(count))


def test_the_program_works_on_a_cluster(nodes: Nodes, tmp_path: Path) -> None:
    path = made_corpus(tmp_path / "rows.jsonl", 100)
    command = [sys.executable, "-m", "isogloss", "score-corpus", str(path), "-m", "chrf"]
    printed = subprocess.run([*command, "-q", "-j", "1"], capture_output=True, check=True).stdout
    address = ("--cluster", nodes.cluster.address)
    done = subprocess.run([*command, "-q", *address], capture_output=True, check=True)
    assert done.stdout == printed
    assert b"WARNING" not in done.stderr


def test_a_token_is_brought_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    without: dict[str, str] = {}
    bring_token("10.0.0.1:6379", without)
    assert without == {}
    chosen = {"RAY_AUTH_MODE": "disabled"}
    bring_token("local", chosen)
    assert chosen == {"RAY_AUTH_MODE": "disabled"}
    alone: dict[str, str] = {}
    bring_token("local", alone)
    assert alone["RAY_AUTH_MODE"] == "token"
    assert len(alone["RAY_AUTH_TOKEN"]) == 64
    (tmp_path / ".ray").mkdir()
    (tmp_path / ".ray" / "auth_token").write_text("0" * 64)
    bring_token("10.0.0.1:6379", without)
    assert without == {"RAY_AUTH_MODE": "token"}


def test_what_is_not_there_is_said(nodes: Nodes) -> None:
    collection = isogloss.load_sample("cs-en")
    with pytest.raises(InputError, match="no machine of the cluster has a GPU"):
        isogloss.evaluate(collection, "bleu", runtime=Runtime("cuda", cluster="auto"))
    runtime = Runtime(cluster="auto", worker_cores=64)
    with pytest.raises(InputError, match="no machine of the cluster has 64 cores"):
        isogloss.evaluate(collection, "bleu", runtime=runtime)
    command = [sys.executable, "-m", "isogloss", "evaluate", str(sample_path("cs-en"))]
    nowhere = ("--cluster", "127.0.0.1:1")
    done = subprocess.run([*command, *nowhere], capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no cluster at '127.0.0.1:1' that lets us in" in done.stderr
