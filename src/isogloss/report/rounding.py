"""How many digits a score is shown with."""

from collections.abc import Iterable


def decimals(values: Iterable[float | None]) -> int:
    """Two digits for percentages, four for numbers near one: enough to tell systems apart."""
    return 2 if max((abs(v) for v in values if v is not None), default=0.0) >= 10 else 4
