"""How far a long run has come: handed to a callback, because the library never prints."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Pairs done so far, how many of them the model had to compute, and the seconds it took.

    `total` is `None` where nobody said how many pairs there will be.
    """

    done: int
    computed: int
    seconds: float
    total: int | None = None

    @property
    def per_second(self) -> float:
        """Pairs per second so far, those from the cache included."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest will take at this speed."""
        if self.total is None or not self.done:
            return None
        return max(0, self.total - self.done) / self.per_second


ProgressCallback = Callable[[Progress], None]
