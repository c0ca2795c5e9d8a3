"""How long a shard is waited for, and what is said of one that takes long.

Silence is summed up over the looks at a worker, and a look counts for no more than twice the time
between two of them: after a night in which this machine slept, nobody is taken for dead.
"""

import statistics
from collections.abc import Callable, Collection
from dataclasses import dataclass

from isogloss.runtime import HUNG_AFTER, Runtime

Tell = Callable[[str], None]
"""Called with a sentence for whoever waits."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that are waited: for a sign of life, for a whole shard, for any worker to start."""

    silence: float = HUNG_AFTER
    shard: float | None = None
    start: float = 600.0

    @classmethod
    def of(cls, runtime: Runtime) -> "Patience":
        """As a runtime says."""
        return cls(runtime.hung_after, runtime.shard_limit)


_WORTH_TELLING = 60.0  # seconds
_SLOW = 5  # times what others took
_ALONE = 600.0  # seconds, where there are no others to compare with
_LONGEST_LOOK = 10.0  # seconds of silence that one look can add


@dataclass(slots=True)
class WorkerWatch:
    """What is seen of a worker while it does a shard."""

    name: str
    begun: float
    silent: float = 0.0
    ended: bool = False  # it was taken for hanging
    _sign: object = None
    _seen: float | None = None
    _told: float = 0.0  # how long it had been under way when that was told last

    def see(self, sign: object, now: float) -> None:
        """Take a sign of life, or the absence of one."""
        before, self._seen = self.begun if self._seen is None else self._seen, now
        if sign is None or sign != self._sign:
            self._sign, self.silent = sign, 0.0
        else:
            self.silent += min(now - before, _LONGEST_LOOK)

    def hangs(self, patience: Patience, now: float) -> str:
        """Why the shard is given up, if it is."""
        if self.silent >= patience.silence:
            return f"no sign of life for {_lasting(self.silent)}"
        if patience.shard is not None and now - self.begun >= patience.shard:
            return f"not done after {_lasting(now - self.begun)}"
        return ""

    def is_news(self, others: Collection[float], now: float) -> bool:
        """Whether it takes long, and has not been told of for half of the time."""
        taken = now - self.begun
        slow = _SLOW * statistics.median(others) if others else _ALONE
        if taken < max(slow, _WORTH_TELLING, 2 * self._told):
            return False
        self._told = taken
        return True

    def told(self, others: Collection[float], now: float) -> str:
        """How long it has been under way, and whether anything moves."""
        usual = f", others took {_lasting(statistics.median(others))}" if others else ""
        moves = f"silent for {_lasting(self.silent)}" if self.silent else "its worker computes"
        return f"under way for {_lasting(now - self.begun)}{usual}; {moves}"


def _lasting(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds < 120 else f"{seconds / 60:,.0f} min"
