"""The arrays that numbers come in, by what they hold; and how many cores their products take."""

from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Floats16 = NDArray[np.float16]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


def one_core_a_product() -> AbstractContextManager[object]:
    """Inside it, no product of matrices is shared out.

    Small products are done before their shares are handed out: cores spin while they wait for each
    other, and where other programs use them too, they wait long.
    """
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
