"""What a comparison says: standings, tests of pairs, and what could not be decided."""

from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

from isogloss.errors import InputError
from isogloss.scores import MetricInfo
from isogloss.tables import decimals, html_table, text_table
from isogloss.verdicts import Correction, Interval, Swaps, smallest_studentised_p

Test = Literal["randomisation", "bootstrap", "sacrebleu"]
Blocks = Literal["documents", "segments"]

_TESTS: dict[Test, str] = {
    "randomisation": "randomisation",
    "bootstrap": "studentised bootstrap",
    "sacrebleu": "sacrebleu's paired bootstrap",
}


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How the comparison is made; all of it changes the numbers, if only in the last digits.

    `correction` is for how many pairs of systems there are; `None` takes every pair by itself.
    """

    test: Test = "randomisation"
    blocks: Blocks = "documents"
    resamples: int = 10_000
    seed: int = 12345
    confidence: float = 0.95
    alpha: float = 0.05
    correction: Correction | None = "holm"

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise InputError(f"at least one resample is needed, not {self.resamples}")
        if self.test not in _TESTS:
            raise InputError(f"unknown test {self.test!r}; there are: {', '.join(_TESTS)}")
        for name in ("confidence", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"{name} must lie between 0 and 1, not {getattr(self, name)}")

    def on(self, blocks: int) -> str:
        """The test in words, as it is made on so many blocks."""
        what = f"{_TESTS[self.test]} of {self.blocks}"
        exact = self.test == "randomisation" and self._swaps(blocks).exact
        how = "exact" if exact else f"{self.resamples:,} draws, seed {self.seed}"
        corrected = f", corrected after {self.correction.title()}" if self.correction else ""
        return f"{what}, {how}{corrected}"

    def _swaps(self, blocks: int) -> Swaps:
        return Swaps(blocks, self.resamples, self.seed)

    def smallest_p(self, blocks: int) -> float:
        """The lowest p-value that a difference can have on so many blocks."""
        if self.test == "randomisation":
            return self._swaps(blocks).smallest_p
        finest = 1 / (self.resamples + 1)
        return max(finest, smallest_studentised_p(blocks)) if self.test == "bootstrap" else finest


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one system stands under one metric; no interval where nothing can be said."""

    system: str
    score: float | None
    interval: Interval | None
    cluster: int | None
    scored: int
    total: int
    human: bool = False


@dataclass(frozen=True, slots=True)
class PairTest:
    """One system against another, on the `blocks` that both were scored on.

    `difference` is first minus second, with its own interval. `p` is two-sided and that of this
    pair alone, `corrected_p` is corrected for all pairs of the comparison (or the same, if nothing
    is corrected). Both are `None` where nothing can be said (no common block, or a score that is
    undefined).
    """

    first: str
    second: str
    difference: float | None
    p: float | None
    blocks: int
    interval: Interval | None = None
    corrected_p: float | None = None

    def is_real(self, alpha: float) -> bool:
        """Whether the difference is significant, once corrected for how many there are."""
        return self.corrected_p is not None and self.corrected_p <= alpha


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """All systems under one metric, best first, and every pair of them."""

    metric: MetricInfo
    settings: ComparisonSettings
    standings: tuple[Standing, ...]
    pairs: tuple[PairTest, ...]

    def __repr__(self) -> str:
        return "\n".join([f"Comparison under {self.metric.name}", *text_table(self._cells())])

    def _repr_html_(self) -> str:
        return html_table(f"{self.metric.name}: {self.procedure}", self._cells())

    def _cells(self) -> list[list[str]]:
        digits = decimals(standing.score for standing in self.standings)
        rows = [["system", "score", "interval", "cluster"]]
        for each in self.standings:
            score = "–" if each.score is None else f"{each.score:.{digits}f}"
            ends = each.interval and (f"{end:.{digits}f}" for end in each.interval)
            interval = f"[{', '.join(ends)}]" if ends else "–"
            rows.append([each.system, score, interval, str(each.cluster or "")])
        return rows

    def pair(self, first: str, second: str) -> PairTest:
        """The test of two systems, in either order; the difference is as stored."""
        for test in self.pairs:
            if {test.first, test.second} == {first, second}:
                return test
        raise InputError(f"{first!r} and {second!r} were not compared")

    def of_pair(self, first: str, second: str) -> "Comparison":
        """Of these two systems alone: nothing is corrected for the others."""
        tests = (test for test in self.pairs if {test.first, test.second} == {first, second})
        return replace(
            self,
            standings=tuple(each for each in self.standings if each.system in (first, second)),
            pairs=tuple(replace(test, corrected_p=test.p) for test in tests),
        )

    def is_real(self, test: PairTest) -> bool:
        """Whether a difference is significant at the level of the comparison."""
        return test.is_real(self.settings.alpha)

    @property
    def procedure(self) -> str:
        """The test in words."""
        return self.settings.on(self._blocks)

    def limits(self) -> tuple[str, ...]:
        """What cannot be decided here, however large a difference is; nothing if all can."""
        tested = sum(test.p is not None for test in self.pairs)
        return _limits(self.settings, self._blocks, tested)

    @property
    def _blocks(self) -> int:
        return max((test.blocks for test in self.pairs), default=0)


def _limits(settings: ComparisonSettings, blocks: int, pairs: int) -> tuple[str, ...]:
    if not pairs:
        return ()
    level, smallest = f"{settings.alpha:.0%}", settings.smallest_p(blocks)
    number = f"{blocks} {settings.blocks if blocks > 1 else settings.blocks[:-1]}"
    if settings.test == "sacrebleu":
        return (
            f"sacrebleu's own test is for thousands of segments: of {number} it calls chance "
            "differences real more often than it says",
        )
    if smallest > settings.alpha:
        return (
            f"{number}: no difference can be significant at {level}; "
            f"score at least {_needed(settings, 1)} {settings.blocks}",
        )
    if settings.correction == "holm" and smallest * pairs > settings.alpha:
        return (
            f"{number} and {pairs} pairs of systems: once corrected, no difference can be "
            f"significant at {level}; compare fewer systems, or "
            + (
                f"score at least {_needed(settings, pairs)} {settings.blocks}"
                if smallest > 1 / settings.resamples
                else "draw more often"
            ),
        )
    if settings.test == "randomisation" and smallest > settings.alpha / 2:
        return (
            f"{number}: only a difference that all of them share can be significant at {level}; "
            "score more of them",
        )
    return ()


def _needed(settings: ComparisonSettings, pairs: int) -> int:
    """How many blocks it takes before one of so many pairs can be significant."""
    finest = 1 / (settings.resamples + 1)
    level = max(settings.alpha / pairs, finest)
    return next(n for n in count(2) if settings.smallest_p(n) <= level)
