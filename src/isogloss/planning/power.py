"""How many documents tell two systems apart: power, needed documents, smallest difference.

The document is the unit: its segments depend on each other, and tests swap whole documents. Over D
documents of S judged segments, each judged by R annotators, the difference of two systems has the
variance V(S, R) / D and, where A annotators share the work, what these differ by about systems over
A. The power is that of a two-sided t-test, to which the randomisation test comes very close; where
so few documents cannot be significant at all, it is 0. Several systems are compared at the level
of Holm's first step, which every pair reaches. `looks` lowers the levels of the single looks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import nct
from scipy.stats import t as student

from isogloss.errors import InputError
from isogloss.planning.components import Components
from isogloss.planning.looks import Looks
from isogloss.verdicts import Swaps

_MOST_DOCUMENTS = 100_000
_SECONDS_AN_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Design:
    """How is judged: systems, segments of a document, annotators of a translation, and in all.

    `annotators` is how many share the work; `None` leaves out what they may differ by.
    """

    segments: float = 10.0
    ratings: int = 1
    systems: int = 2
    annotators: int | None = None
    alpha: float = 0.05
    looks: Looks | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.segments < 1 or self.ratings < 1:
            raise InputError("a document has a judged segment, and a translation an annotator")
        if self.systems < 2:
            raise InputError("telling systems apart takes two systems or more")
        if self.annotators is not None and self.annotators < self.ratings:
            raise InputError(
                f"{self.ratings} of {self.annotators} annotators cannot judge a translation"
            )
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha must lie between 0 and 1, not {self.alpha}")
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"{self.seconds} seconds are no time for a judgement")

    @property
    def pairs(self) -> int:
        """How many pairs of systems are compared."""
        return self.systems * (self.systems - 1) // 2

    @property
    def level(self) -> float:
        """At which each pair is tested."""
        return self.alpha / self.pairs

    def judgements(self, documents: int) -> int:
        """How many judgements of segments it takes."""
        return round(documents * self.segments * self.systems * self.ratings)

    def hours(self, documents: int) -> float | None:
        """How many hours of people's work; `None` where nobody knows their pace."""
        if self.seconds is None:
            return None
        return self.judgements(documents) * self.seconds / _SECONDS_AN_HOUR

    def affordable(self, hours: float) -> int:
        """How many documents can be judged in so many hours."""
        if self.seconds is None:
            raise InputError("how long does a judgement take? say it with seconds")
        each = self.segments * self.systems * self.ratings * self.seconds / _SECONDS_AN_HOUR
        return int(hours / each + 1e-9)


@dataclass(frozen=True)
class Plan:
    """What a design can tell, where judgements vary as in these components."""

    components: Components
    design: Design

    @cached_property
    def _final_level(self) -> float:
        looks = self.design.looks
        return self.design.level if looks is None else looks.of_level(self.design.level)[-1]

    def standard_error(self, documents: int) -> float:
        """Of the difference of two systems."""
        design = self.design
        variance = self.components.of_difference(design.segments, design.ratings) / documents
        if design.annotators is not None:
            variance += self.components.of_annotators / design.annotators
        return float(np.sqrt(variance))

    def power(self, documents: int, difference: float) -> float:
        """How likely a true difference of this size is to come out significant."""
        level = self._final_level
        if documents < 2 or Swaps(documents, 10_000, 0).smallest_p > level:
            return 0.0
        error = self.standard_error(documents)
        if error == 0:
            return 1.0 if difference else self.design.level
        return t_power(abs(difference) / error, documents - 1, level)

    def documents(self, difference: float, power: float = 0.8) -> int:
        """The fewest documents that show such a difference with such power.

        Raises:
            InputError: not even with 100,000 documents.
        """
        _check_power(power)
        if not difference:
            raise InputError("no number of documents shows that there is no difference")
        found = _least(lambda n: self.power(n, difference) >= power, _MOST_DOCUMENTS)
        if found is None:
            raise InputError(
                f"a difference of {difference:g} is too small: more documents do not help where "
                "annotators differ about systems by more; ask more annotators"
                if self.power(_MOST_DOCUMENTS, difference) < power and self.design.annotators
                else f"a difference of {difference:g} takes more than {_MOST_DOCUMENTS:,} documents"
            )
        return found

    def smallest_difference(self, documents: int, power: float = 0.8) -> float | None:
        """The smallest difference that so many documents show; `None` where they show none."""
        _check_power(power)
        if self.power(documents, 1e9 * max(self.standard_error(documents), 1e-9)) < power:
            return None
        error = self.standard_error(documents)
        low, high = 0.0, error
        while self.power(documents, high) < power:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if self.power(documents, middle) >= power else (middle, high)
        return high

    def curve(self, difference: float, up_to: int, points: int = 60) -> list[tuple[int, float]]:
        """Power by documents, in about so many steps."""
        sizes = np.unique(np.linspace(2, max(up_to, 3), points).round().astype(int)).tolist()
        return [(size, self.power(size, difference)) for size in sizes]


def _check_power(power: float) -> None:
    if not 0 < power < 1:
        raise InputError(f"power lies between 0 and 1, not {power}")


def t_power(distance: float, freedom: int, level: float) -> float:
    """The power of a two-sided t-test at a true distance in standard errors."""
    limit = student.isf(level / 2, freedom)
    power = float(nct.sf(limit, freedom, distance) + nct.cdf(-limit, freedom, distance))
    # Far out scipy's distribution is not a number; power is 1 there.
    return min(max(power, level), 1.0) if np.isfinite(power) else 1.0


def _least(holds: Callable[[int], bool], most: int) -> int | None:
    """The least number from 2 that has a property which no larger one loses."""
    high = 2
    while not holds(high):
        if high >= most:
            return None
        high = min(high * 2, most)
    low = max(high // 2, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
