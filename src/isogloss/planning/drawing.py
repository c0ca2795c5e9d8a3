"""Power against documents, drawn with letters: for a terminal."""

from collections.abc import Sequence

import numpy as np

Curve = Sequence[tuple[int, float]]


def text_plot(curve: Curve, wanted: float, width: int = 64, height: int = 10) -> list[str]:
    """Lines of a plot: documents to the right, power upwards, dots where it is as wanted."""
    sizes, powers = (np.array(side, dtype=float) for side in zip(*curve, strict=True))
    columns = np.linspace(sizes[0], sizes[-1], width)
    heights = np.interp(columns, sizes, powers)
    rows = []
    for step in range(height, -1, -1):
        level = step / height
        line = "".join(_cell(each, level, wanted, height) for each in heights)
        label = f"{level:4.0%}" if step % 2 == 0 else "    "
        rows.append(f"{label} │{line}".rstrip())
    first, last = f"{sizes[0]:.0f}", f"{sizes[-1]:.0f} documents"
    rows.append("     └" + "─" * width)
    rows.append("      " + first + last.rjust(width - len(first)))
    return rows


def _cell(power: float, level: float, wanted: float, height: int) -> str:
    if round(power * height) == round(level * height):
        return "•"
    return "·" if round(wanted * height) == round(level * height) else " "
