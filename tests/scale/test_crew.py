"""Crews: shards are done once each, again when a worker dies, and poison is found."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from isogloss.errors import WorkerError
from isogloss.scale.crew import Crew, Task
from isogloss.scale.pool import pool
from isogloss.scale.watch import Patience, WorkerWatch
from scale_trials import (
    DROP,
    POISON,
    SLEEP,
    STOP,
    Complain,
    Compute,
    Double,
    Touch,
    WaitFor,
    WhichProcess,
)


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    with pool(2) as workers:
        yield workers


def shards(count: int) -> list[list[int]]:
    return [[3 * n, 3 * n + 1, 3 * n + 2] for n in range(count)]


def test_results_come_in_order(crew: Crew) -> None:
    found = [done.result for done in crew.run(Double(), shards(20))]
    assert found == [[2 * item for item in shard] for shard in shards(20)]


def test_results_as_they_come_are_all_there_once(crew: Crew) -> None:
    found = {done.number: done.result for done in crew.run(Double(), shards(20), ordered=False)}
    assert found == {n: [2 * item for item in shard] for n, shard in enumerate(shards(20))}


def test_nothing_in_nothing_out(crew: Crew) -> None:
    assert list(crew.run(Double(), [])) == []


def test_all_workers_work(crew: Crew) -> None:
    processes = {done.result for done in crew.run(WhichProcess(), shards(10))}
    assert len(processes) == 2
    assert os.getpid() not in processes


@pytest.mark.parametrize("ordered", [True, False])
def test_no_more_is_read_than_workers_are_busy_with(crew: Crew, ordered: bool) -> None:
    taken, most = 0, 0

    def stream() -> Iterator[Sequence[int]]:
        nonlocal taken
        for shard in shards(30):
            taken += 1
            yield shard

    for given, _ in enumerate(crew.run(Double(), stream(), ordered=ordered)):
        most = max(most, taken - given)
    assert most <= 3 * len(crew)


@pytest.mark.parametrize("ordered", [True, False])
def test_all_workers_have_work_while_there_is_any(crew: Crew, ordered: bool) -> None:
    taken = 0

    def stream() -> Iterator[Sequence[int]]:
        nonlocal taken
        for shard in shards(20):
            taken += 1
            yield shard

    run = crew.run(Double(seconds=0.02), stream(), ordered=ordered)
    under_way = [taken - given for given, _ in enumerate(run, 1)]
    assert min(under_way[: -len(crew)]) >= len(crew)


def test_the_next_task_begins_while_the_last_shard_of_one_is_under_way(
    crew: Crew, tmp_path: Path
) -> None:
    held = tmp_path / "held"
    jobs: list[tuple[Task[int, list[int]], list[int]]] = [
        (WaitFor(held), [1]),
        (Double(), [2]),
        (Touch(held), [3]),
    ]
    found = [done.result for done in crew.run_all(jobs)]
    assert found == [[1], [4], [3]]


def test_an_error_comes_in_its_turn(crew: Crew) -> None:
    jobs: list[tuple[Task[int, object], list[int]]] = [
        (Double(seconds=0.5), [1]),
        (Complain(), [7]),
    ]
    run = crew.run_all(jobs)
    assert next(run).result == [2]
    with pytest.raises(ValueError, match="7 is wrong"):
        next(run)


def test_two_streams_share_a_crew(crew: Crew) -> None:
    """Neither waits for a worker that the other has done with but not asked."""
    one, other = crew.run(Double(), shards(9)), crew.run(Double(), shards(9))
    for first, second in zip(one, other, strict=True):
        assert first.result == second.result


def test_an_error_of_the_task_is_raised_here(crew: Crew) -> None:
    with pytest.raises(ValueError, match="0 is wrong"):
        list(crew.run(Complain(), shards(1)))
    assert [done.result for done in crew.run(Double(), [[1]])] == [[2]]


def test_a_shard_whose_worker_was_killed_is_done_again(crew: Crew, tmp_path: Path) -> None:
    work = [*shards(4), [5, DROP, 6], *shards(2)]
    before = crew.deaths
    found = [done.result for done in crew.run(Double(tmp_path), work)]
    assert found == [[2 * item for item in shard] for shard in work]
    assert (tmp_path / "dropped").exists()
    assert crew.deaths == before + 1


def test_poison_is_told_and_not_tried_for_ever(crew: Crew) -> None:
    with pytest.raises(WorkerError, match="-1") as caught:
        list(crew.run(Double(), [*shards(2), [7, 8, POISON, 9]]))
    assert "7" not in str(caught.value)


def test_what_is_harmless_in_a_poisonous_shard_is_done(crew: Crew) -> None:
    guilty: list[list[int]] = []

    def mend(items: Sequence[int], places: Sequence[int]) -> list[int]:
        guilty.append(list(places))
        return [0 if item == POISON else item for item in items]

    work = [[1, 2], [POISON, 7, 8, POISON, 9], [3]]
    found = [done.result for done in crew.run(Double(), work, mend=mend)]
    assert found == [[2, 4], [0, 14, 16, 0, 18], [6]]
    assert guilty == [[0, 3]]


def test_a_dismissed_crew_leaves_no_process_behind() -> None:
    with pool(1) as small:
        (done,) = small.run(WhichProcess(), [[1]])
    for _ in range(200):
        try:
            os.kill(done.result, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the worker is still there")


HASTY = Patience(silence=2.0)  # a busy machine may keep a worker waiting for a second


def test_a_worker_that_is_stopped_is_started_again(tmp_path: Path) -> None:
    told: list[str] = []
    with pool(2, 1, HASTY, told.append) as hasty:
        work = [[1], [2, STOP], [3]]
        assert [done.result for done in hasty.run(Double(tmp_path), work)] == [[2], [4, -8], [6]]
        assert hasty.deaths
    assert any("a shard of 2 items: no sign of life for " in line for line in told)


def test_what_hangs_is_found_as_poison_is() -> None:
    guilty: list[int] = []

    def mend(items: Sequence[int], places: Sequence[int]) -> list[int]:
        guilty.extend(places)
        return [0 if item == SLEEP else item for item in items]

    with pool(2, 1, HASTY) as hasty:
        found = [done.result for done in hasty.run(Double(), [[1], [7, SLEEP]], mend=mend)]
    assert found == [[2], [14, 0]]
    assert guilty == [1]


def test_slow_work_that_goes_on_is_not_taken_for_hanging() -> None:
    with pool(1, 1, HASTY) as crew:
        assert [done.result for done in crew.run(Compute(5.0), [[1]])] == [[1]]
        assert crew.deaths == 0


def test_work_that_never_ends_is_given_up_where_that_is_asked_for() -> None:
    told: list[str] = []
    limited = Patience(silence=4.0, shard=1.0)
    with pool(1, 1, limited, told.append) as crew, pytest.raises(WorkerError, match="or hang"):
        list(crew.run(Compute(3600.0), [[5]]))
    assert "not done after" in told[0]


def test_nobody_hangs_because_nobody_looked() -> None:
    watch, patience = WorkerWatch("it", 0.0), Patience(silence=60.0)
    watch.see(7, 5.0)
    watch.see(7, 40_000.0)  # this machine slept
    assert not watch.hangs(patience, 40_000.0)
    for look in range(1, 6):
        watch.see(7, 40_000.0 + 10 * look)
    assert watch.hangs(patience, 40_050.0) == "no sign of life for 60 s"


def test_who_takes_longer_than_others_is_told_of_now_and_then() -> None:
    watch = WorkerWatch("rows.jsonl:1", 0.0)
    assert not watch.is_news([20.0, 20.0], 99.0)
    assert watch.is_news([20.0, 20.0], 101.0)
    assert (
        watch.told([20.0, 20.0], 101.0)
        == "under way for 101 s, others took 20 s; its worker computes"
    )
    assert not watch.is_news([20.0, 20.0], 150.0)
    assert watch.is_news([20.0, 20.0], 203.0)
