"""Memory that the engine gives back is kept for its next layer, not returned to the system.

Every layer of every batch asks for arrays of many megabytes and frees them soon after. The C
library of Linux (glibc) maps such arrays anew each time, and the system clears each page when it is
first touched: with CTranslate2's own int8 kernels that was nearly half of all processor time.
Arrays cut from one heap that is not trimmed cost none of it. Numbers do not depend on where arrays
lie.

Whoever has set the allocator in the environment, or runs another C library, is left alone.
"""

import ctypes
import os
from collections.abc import Iterable
from functools import cache

# Options of mallopt(3): never map, trim no less than a gigabyte, one heap for all threads.
_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
_OPTIONS = ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, 1 << 30), (_ARENA_MAX, 1))


@cache
def keep_freed_memory() -> bool:
    """Have the C library keep freed memory for this process; says whether it does."""
    library = None if decided(os.environ) else _glibc()
    return library is not None and all(library.mallopt(*option) for option in _OPTIONS)


def decided(environment: Iterable[str]) -> bool:
    """Whether variables of these names say how memory is to be allocated."""
    return any(
        name == "GLIBC_TUNABLES" or (name.startswith("MALLOC_") and name.endswith(("_", "_MAX")))
        for name in environment
    )


def _glibc() -> ctypes.CDLL | None:
    """The C library of this process, if it is glibc."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # Windows has no such library
        return None
    return library if hasattr(library, "gnu_get_libc_version") else None
