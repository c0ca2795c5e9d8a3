"""The arrays that numbers come in, by what they hold."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
Floats16 = NDArray[np.float16]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
