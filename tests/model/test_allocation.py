"""Freed memory is kept where the C library can be told so, unless the user has decided."""

import os
import subprocess
import sys

import pytest

from isogloss.model.allocation import decided, keep_freed_memory

# Pages touched anew while eight arrays of 40 MB come and go, 10,000 pages each.
_FAULTS = """
import resource, sys
import numpy as np
from isogloss.model.allocation import keep_freed_memory

kept = keep_freed_memory() if sys.argv[1] == "keep" else False
np.ones(5_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(8):
    np.ones(5_000_000)
print(int(kept), resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def _faults(mode: str, **variables: str) -> tuple[int, int]:
    """Whether memory was kept, and how many pages were touched for the first time."""
    environment = {name: value for name, value in os.environ.items() if not decided([name])}
    run = subprocess.run(
        [sys.executable, "-c", _FAULTS, mode],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    kept, faults = run.stdout.split()
    return int(kept), int(faults)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other C libraries keep it or not")
def test_arrays_that_come_and_go_are_not_mapped_anew() -> None:
    if not keep_freed_memory():
        pytest.skip("this is not glibc, or the environment has decided")
    _, usual = _faults("leave")
    kept, faults = _faults("keep")
    assert kept
    assert faults < usual / 20


def test_whoever_has_set_the_allocator_is_left_alone() -> None:
    kept, _ = _faults("keep", MALLOC_ARENA_MAX="2")
    assert not kept


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MALLOC_MMAP_THRESHOLD_", True),
        ("MALLOC_ARENA_MAX", True),
        ("GLIBC_TUNABLES", True),
        ("MALLOC_CHECKER", False),
        ("PATH", False),
    ],
)
def test_what_decides(name: str, expected: bool) -> None:
    assert decided([name]) is expected
