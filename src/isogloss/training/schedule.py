"""The learning rate over a run whose length is given in minutes or in steps.

Warm-up over the first steps, then level, then straight down to nearly nothing at the end of the
budget, however many steps that turns out to be: a run always ends well.
"""

import time
from dataclasses import dataclass

from isogloss.errors import InputError


@dataclass(frozen=True)
class Budget:
    """How long a run may take: minutes on the clock, or a number of steps."""

    minutes: float | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        if (self.minutes is None) == (self.steps is None):
            raise InputError("give the length of the run either in minutes or in steps")

    def progress(self, seconds: float, step: int) -> float:
        """The share of the budget that is spent."""
        if self.minutes is not None:
            return seconds / (60 * self.minutes)
        return step / (self.steps or 1)


@dataclass(frozen=True)
class Schedule:
    """The factor on the learning rate."""

    warm_up_steps: int = 400
    level_until: float = 0.3
    final: float = 0.01

    def factor(self, step: int, progress: float) -> float:
        """Of step `step` (from 0) when `progress` of the budget is spent."""
        warm = min(1.0, (step + 1) / self.warm_up_steps)
        left = (1 - progress) / (1 - self.level_until)
        return warm * max(self.final, min(1.0, left))


class Clock:
    """Seconds of training, across interruptions."""

    def __init__(self, spent: float = 0.0) -> None:
        self._origin = time.monotonic() - spent

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._origin
