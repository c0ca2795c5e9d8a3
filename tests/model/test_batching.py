"""Batches: nothing lost, like lengths together, the budget kept; threads and engine."""

import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import InputError
from isogloss.model import Pair, Request, Threads, engine, usable_cores, windows
from isogloss.model.requests import Fitted
from isogloss.model.scoring import Job, batches, request_of, weighed_windows
from isogloss.model.threads import candidates, default_threads, measure_threads

lengths = st.integers(1, 40)


def job(source: int, target: int) -> Job:
    return Job(b"", Fitted((Request(("a",) * source, ("b",) * target, 1),)))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(lengths, lengths), max_size=40), st.integers(1, 300))
def test_batches_hold_every_unit_once_within_the_budget(
    sizes: list[tuple[int, int]], budget: int
) -> None:
    units = [(job(*size), 0) for size in sizes]
    made = list(batches(units, budget))
    assert sorted(map(id, (unit[0] for batch in made for unit in batch))) == sorted(
        id(unit[0]) for unit in units
    )
    for batch in made:
        requests = [request_of(unit) for unit in batch]
        widest = max(len(r.source) for r in requests) + max(len(r.target) + 1 for r in requests)
        assert len(batch) == 1 or len(batch) * widest <= budget
    targets = [len(request_of(unit).target) for batch in made for unit in batch]
    assert targets == sorted(targets, reverse=True)


def test_windows_cut_a_stream() -> None:
    assert list(windows(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(windows([], 3)) == []


def test_windows_end_by_number_or_by_weight() -> None:
    words = ["a", "b", "c", "dddd", "e", "ffffffffff", "g"]
    cut = [["a", "b", "c"], ["dddd", "e"], ["ffffffffff"], ["g"]]
    assert list(weighed_windows(words, 3, 5, len)) == cut
    assert list(weighed_windows([], 3, 5, len)) == []


def test_the_context_weighs_too() -> None:
    assert Pair("ab", "c", "de", "en", ("def",), ("g", "hi")).characters == 9


def test_every_core_gets_a_worker_up_to_a_point() -> None:
    assert default_threads(2) == Threads(2, 1)
    assert default_threads(1) == Threads(1, 1)
    assert default_threads(64) == Threads(16, 4)
    assert default_threads(24) == Threads(12, 2)
    assert default_threads().workers <= usable_cores()


def test_candidates_share_the_cores_out() -> None:
    assert candidates(6) == (Threads(6, 1), Threads(3, 2), Threads(2, 3), Threads(1, 6))


def test_the_fastest_threads_are_measured() -> None:
    import time

    choices = (Threads(1), Threads(2), Threads(3))
    pauses = dict(zip(choices, (0.02, 0.001, 0.02), strict=True))
    assert measure_threads(lambda threads: time.sleep(pauses[threads]), choices) == Threads(2)


def test_no_worker_is_refused() -> None:
    with pytest.raises(InputError, match="at least one worker"):
        Threads(0)


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A process in which the engine was not used and nobody decided about engine."""
    for variable in ("CT2_FORCE_CPU_ISA", "CT2_USE_MKL"):
        monkeypatch.setenv(variable, "")  # so that it is restored afterwards
        monkeypatch.delenv(variable)
    monkeypatch.delitem(sys.modules, "ctranslate2", raising=False)
    monkeypatch.setattr(engine, "cpu_flags", lambda: frozenset(engine._NEEDED))
    return monkeypatch


def test_fast_int8_instructions_are_asked_for(untouched: pytest.MonkeyPatch) -> None:
    engine.prefer_fast_int8()
    assert os.environ["CT2_FORCE_CPU_ISA"] == "AVX512"
    assert os.environ["CT2_USE_MKL"] == "0"


def test_the_users_choice_of_instructions_stands(untouched: pytest.MonkeyPatch) -> None:
    untouched.setenv("CT2_USE_MKL", "1")
    engine.prefer_fast_int8()
    assert "CT2_FORCE_CPU_ISA" not in os.environ


def test_an_engine_in_use_or_a_plain_processor_is_left_alone(
    untouched: pytest.MonkeyPatch,
) -> None:
    untouched.setattr(engine, "cpu_flags", lambda: frozenset({"avx2"}))
    engine.prefer_fast_int8()
    untouched.setattr(engine, "cpu_flags", lambda: frozenset(engine._NEEDED))
    untouched.setitem(sys.modules, "ctranslate2", sys)
    engine.prefer_fast_int8()
    assert "CT2_FORCE_CPU_ISA" not in os.environ


def test_the_instruction_set_is_one_word() -> None:
    assert " " not in engine.instruction_set()
    assert engine.instruction_set() == engine.instruction_set()
