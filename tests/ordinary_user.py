"""Rights as most people have them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """The superuser may read and write everywhere: for a moment this process is somebody else."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)
