"""A statistic as it is reported: its value, what stands behind it, or why there is none."""

import math
from dataclasses import dataclass
from typing import Literal

from isogloss.errors import InputError

Grouping = Literal["none", "item", "system"]
"""Which scores are compared: all with all, those of the same item, or those of the same system."""


@dataclass(frozen=True, slots=True)
class Value:
    """One statistic.

    `count` is how many observations, or pairs of them, stand behind it; `groups` how many groups
    were averaged (`None` without grouping). Where a statistic is undefined, `value` is `None` and
    `reason` says why.
    """

    value: float | None
    count: int
    groups: int | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise InputError("a statistic has either a value or a reason why it has none")
        if self.value is not None and not math.isfinite(self.value):
            raise InputError(f"{self.value} is no value; an undefined statistic states a reason")
