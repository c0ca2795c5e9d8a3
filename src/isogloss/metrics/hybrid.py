"""Hybrids: weighted sums of other metrics (Wong & Kit 2012; Gong & Zhou 2015).

::

    hybrid(a=cohesion,b=bleu,alpha=0.4)          0.4 a + 0.6 b: the paper's HBLEU
    hybrid(a=bleu,b=chrf,c=ter,wa=1,wb=2,wc=1)   any number of parts, each with its weight
    hybrid(weights=hbleu.json)                   what ``isogloss tune`` has saved

A part x enters as (x - m) / s, turned where lower is better, so that the whole is better the
higher it is. These numbers are options too: ``ma`` and ``sa`` of part a, and so on. Unless they
say otherwise m is 0 and s is 1, or 100 for metrics that count in per cent.

The score of a document or system is the weighted sum of its parts' scores of it; it has none
where a part has none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import tee
from math import isfinite
from pathlib import Path
from string import ascii_lowercase
from typing import ClassVar, Self

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation
from isogloss.errors import MetricOptionError
from isogloss.metrics.division import joint_division
from isogloss.metrics.hybrid_weights import PartWeights, read_weights
from isogloss.metrics.protocol import ConfiguredMetric, Division, Metric, prepared
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.signature import MetricName, OptionValue, Signature

LoadMetric = Callable[[str | MetricName], Metric]

_DEFAULT: Mapping[str, OptionValue] = {"a": "cohesion", "b": "bleu"}
_IN_PER_CENT = frozenset({"bleu", "spbleu", "chrf", "chrf++", "ter"})
_EXAMPLE = "write it like hybrid(a=cohesion,b=bleu,alpha=0.4)"


@dataclass(frozen=True)
class Part:
    """One metric of a hybrid: its weight, and what makes its scores comparable with others."""

    metric: Metric
    weight: float
    mean: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        numbers = (self.weight, self.mean, self.scale)
        if not all(map(isfinite, numbers)) or self.scale <= 0:
            raise MetricOptionError(
                f"hybrid: {self.metric.name} has weight {self.weight}, mean {self.mean}, scale "
                f"{self.scale}; all must be finite, and the scale above 0"
            )

    def share(self, scores: Floats) -> Floats:
        """What these scores of the metric contribute to the whole."""
        sign = 1.0 if self.metric.higher_is_better else -1.0
        return self.weight * sign * (scores - self.mean) / self.scale


def usual_scale(metric: Metric) -> float:
    """What a metric's scores are divided by unless something else is said."""
    return 100.0 if metric.name.name in _IN_PER_CENT else 1.0


@dataclass(frozen=True)
class Hybrid(ConfiguredMetric):
    """A weighted sum of metrics; higher is better, whatever the parts are."""

    title: ClassVar[str] = "hybrid"

    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.parts) <= len(ascii_lowercase):
            raise MetricOptionError(
                f"a hybrid has 2 to 26 parts, not {len(self.parts)}; {_EXAMPLE}"
            )
        if not any(part.weight for part in self.parts):
            raise MetricOptionError("hybrid: all weights are 0")

    @classmethod
    def composed(cls, options: Mapping[str, OptionValue], load: LoadMetric) -> Self:
        """The hybrid of these options, its parts loaded so."""
        if "weights" in options:
            return cls.of(_from_file(options), load)
        return cls.of(_from_options(options or _DEFAULT), load)

    @classmethod
    def of(cls, parts: Iterable[PartWeights], load: LoadMetric) -> Self:
        """The hybrid with these weights."""
        loaded = [(load(p.metric), p) for p in parts]
        return cls(
            tuple(
                Part(metric, p.weight, p.mean, usual_scale(metric) if p.scale is None else p.scale)
                for metric, p in loaded
            )
        )

    @property
    def lettered(self) -> list[tuple[str, Part]]:
        """The parts with the letters that name them."""
        return list(zip(ascii_lowercase, self.parts, strict=False))

    def options(self) -> dict[str, OptionValue]:
        """The parts by letter, their weights, and what is not usual about means and scales."""
        options: dict[str, OptionValue] = {}
        for letter, part in self.lettered:
            name = part.metric.name
            options[letter] = name if name.options else name.name
        if len(self.parts) == 2 and self.parts[1].weight == 1 - self.parts[0].weight:
            options["alpha"] = self.parts[0].weight
        else:
            options |= {f"w{letter}": part.weight for letter, part in self.lettered}
        for letter, part in self.lettered:
            if part.mean != 0:
                options[f"m{letter}"] = part.mean
            if part.scale != usual_scale(part.metric):
                options[f"s{letter}"] = part.scale
        return options

    @property
    def name(self) -> MetricName:
        return MetricName(self.title, self.options())

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return any(part.metric.needs_references for part in self.parts)

    @property
    def needs_source(self) -> bool:  # type: ignore[override]
        return any(part.metric.needs_source for part in self.parts)

    def with_runtime(self, runtime: Runtime) -> Self:
        """The same hybrid, its parts run so."""
        return self._with_parts(prepared(part.metric, runtime) for part in self.parts)

    def with_all_evidence(self) -> Self:
        """The same hybrid, whose parts show everything they find."""
        return self._with_parts(prepared(part.metric, None, True) for part in self.parts)

    def _with_parts(self, metrics: Iterable[Metric]) -> Self:
        told = zip(self.parts, metrics, strict=True)
        return replace(self, parts=tuple(replace(part, metric=metric) for part, metric in told))

    @property
    def uses_all_cores(self) -> bool:  # type: ignore[override]
        return any(part.metric.uses_all_cores for part in self.parts)

    @property
    def division(self) -> Division:  # type: ignore[override]
        return joint_division(part.metric for part in self.parts)

    @property
    def learns_from_system(self) -> bool:  # type: ignore[override]
        return any(part.metric.learns_from_system for part in self.parts)

    def caution(self, testset: TestSet) -> str | None:
        """What is said of its parts."""
        said = [(str(part.metric.name), part.metric.caution(testset)) for part in self.parts]
        return "; ".join(f"{name}: {caution}" for name, caution in said if caution) or None

    def signature(self, testset: TestSet) -> Signature:
        """The name, which holds every part and number, and what the parts' signatures add."""
        fields = [
            (f"{letter}.{key}", value)
            for letter, part in self.lettered
            for key, value in (
                ("scale", f"{part.scale!r}"),
                *part.metric.signature(testset).fields,
            )
        ]
        return Signature(self.name, tuple(fields))

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Every part measures; what they find is put side by side."""
        copies = tee(translations, len(self.parts))
        measured = [
            part.metric.measure(copy) for part, copy in zip(self.parts, copies, strict=True)
        ]
        for found in zip(*measured, strict=True):
            yield self._together(found)

    def _together(self, found: Sequence[Measurement]) -> Measurement:
        remarks: Counter[str] = Counter()
        for one in found:
            remarks.update(one.remarks)
        rows = _segment_rows(found)
        if rows is None:
            statistics = _document_row(found)
            scored = max(one.scored for one in found)
        else:
            there = ~np.isnan(rows[:, 0])
            statistics, scored = rows[there].sum(axis=0), int(there.sum())
        return Measurement(
            statistics=statistics,
            scored=scored,
            total=found[0].total,
            segment_statistics=rows,
            segment_scores=self._segment_scores(found),
            evidence=tuple(evidence for one in found for evidence in one.evidence),
            remarks=remarks,
        )

    def _segment_scores(self, found: Sequence[Measurement]) -> tuple[float | None, ...] | None:
        """The weighted sums of the parts' segment scores; `None` where any part has none."""
        columns = [one.segment_scores for one in found]
        if any(column is None for column in columns):
            return None
        shares = [
            part.share(np.array(column, dtype=np.float64))  # None becomes NaN
            for part, column in zip(self.parts, columns, strict=True)
        ]
        return tuple(None if np.isnan(x) else float(x) for x in np.sum(shares, axis=0))

    def score_rows(self, statistics: Floats) -> Floats:
        """The weighted sums of what the parts make of their own statistics."""
        total = np.zeros(len(statistics))
        for part, (scored, own) in zip(self.parts, self._split(statistics), strict=True):
            scores = np.full(len(statistics), np.nan)
            there = scored > 0
            if there.any():
                scores[there] = part.metric.score_rows(own[there])
            total += part.share(scores)
        return total

    def score(self, statistics: Floats) -> float | None:
        """The same from the parts' own single scores, which may be more exact."""
        total = 0.0
        rows = np.asarray(statistics)[None, :]
        for part, (scored, own) in zip(self.parts, self._split(rows), strict=True):
            score = part.metric.score(own[0]) if scored[0] > 0 else None
            if score is None:
                return None
            total += float(part.share(np.array([score]))[0])
        return total

    def _split(self, statistics: Floats) -> list[tuple[Floats, Floats]]:
        """For each part how many segments it scored, and its statistics, row by row."""
        count = len(self.parts)
        filled = statistics[statistics[:, 0] > 0]
        if not len(filled):  # nothing was scored, so nothing tells where a part begins
            return [(np.zeros(len(statistics)), statistics)] * count
        widths = np.rint(filled[0, 1 : 1 + count] / filled[0, 0]).astype(int)
        ends = 1 + count + np.cumsum(1 + widths)
        return [
            (statistics[:, end - width - 1], statistics[:, end - width : end])
            for end, width in zip(ends, widths, strict=True)
        ]


# --- statistics side by side ---------------------------------------------------------------------


def _side_by_side(parts: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Rows of 1, the widths of the parts, then for each part how many segments, and its own.

    Summed over n rows the head is n and n times the widths: even a sum says how it divides, so
    that a metric read back from its signature can score what another run has measured.
    """
    head = [1, *(own.shape[1] for _, own in parts)]
    rows = len(parts[0][0])
    columns = [column for scored, own in parts for column in (scored[:, None], own)]
    return np.asarray(np.hstack([np.tile(head, (rows, 1)), *columns]), dtype=np.float64)


def _document_row(found: Sequence[Measurement]) -> Floats:
    parts = [(np.array([one.scored]), one.statistics[None, :]) for one in found]
    row: Floats = _side_by_side(parts)[0]
    return row


def _segment_rows(found: Sequence[Measurement]) -> Floats | None:
    """A row for each segment, NaN where no part scored it; `None` if a part sees documents only.

    A part that alone lacks a segment has zeros there, which add nothing to its sums.
    """
    own = [one.segment_statistics for one in found if one.segment_statistics is not None]
    if len(own) < len(found):
        return None
    there = np.stack([~np.isnan(rows).any(axis=1) for rows in own])
    zeroed = [np.where(mask[:, None], rows, 0.0) for mask, rows in zip(there, own, strict=True)]
    rows = _side_by_side(list(zip(there.astype(np.float64), zeroed, strict=True)))
    return np.where(there.any(axis=0, keepdims=True).T, rows, np.nan)


# --- from names to parts -------------------------------------------------------------------------

_OPTION = re.compile(r"([wms]?)([a-z])")


def _from_file(options: Mapping[str, OptionValue]) -> tuple[PartWeights, ...]:
    path = options["weights"]
    if len(options) > 1 or not isinstance(path, str):
        raise MetricOptionError(
            "hybrid(weights=...) takes the path of a weights file, and no option beside it"
        )
    return read_weights(Path(path))


def _from_options(options: Mapping[str, OptionValue]) -> tuple[PartWeights, ...]:
    """The parts a, b, c ... with their weights, means and scales."""
    metrics: dict[str, str] = {}
    numbers: dict[str, float] = {}
    for key, value in options.items():
        match = _OPTION.fullmatch(key)
        if match and not match[1]:
            metrics[key] = _metric(key, value)
        elif match or key == "alpha":
            numbers[key] = _number(key, value)
        else:
            raise MetricOptionError(f"hybrid has no option {key!r}; {_EXAMPLE}")
    letters = sorted(metrics)
    if "".join(letters) != ascii_lowercase[: len(letters)]:
        raise MetricOptionError(f"the parts of a hybrid are a, b, c and so on; {_EXAMPLE}")
    _refuse_strangers(numbers, letters)
    weights = _weights(letters, numbers)
    return tuple(
        PartWeights(
            metrics[letter],
            weights[letter],
            numbers.get(f"m{letter}", 0.0),
            numbers.get(f"s{letter}"),
        )
        for letter in letters
    )


def _metric(key: str, value: OptionValue) -> str:
    if not isinstance(value, (str, MetricName)):
        raise MetricOptionError(f"hybrid({key}=...) takes a metric, not {value}")
    return str(value)


def _number(key: str, value: OptionValue) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise MetricOptionError(f"hybrid({key}=...) takes a number, not {value}")
    return float(value)


def _refuse_strangers(numbers: Mapping[str, float], letters: Sequence[str]) -> None:
    for key in numbers:
        if key != "alpha" and key[1] not in letters:
            raise MetricOptionError(f"hybrid has {key!r}, but no part {key[1]!r}; {_EXAMPLE}")


def _weights(letters: Sequence[str], numbers: Mapping[str, float]) -> dict[str, float]:
    """From alpha, or from each part's weight; equal weights where nothing is said."""
    given = {letter: numbers[f"w{letter}"] for letter in letters if f"w{letter}" in numbers}
    if "alpha" in numbers:
        if given or len(letters) != 2:
            raise MetricOptionError(
                "hybrid(alpha=...) is for two parts without other weights; use wa, wb, wc ..."
            )
        return {"a": numbers["alpha"], "b": 1 - numbers["alpha"]}
    if given and len(given) < len(letters):
        lacking = next(letter for letter in letters if letter not in given)
        raise MetricOptionError(f"hybrid: part {lacking!r} has no weight; say w{lacking}=...")
    return given or {letter: 1 / len(letters) for letter in letters}
