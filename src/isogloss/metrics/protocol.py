"""What a metric is.

A metric is a frozen value: its configuration is all it has. It measures translated documents and
turns additive statistics into scores. Built-in metrics derive from `ConfiguredMetric`; a third
party may implement the `Metric` protocol in any way it likes.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from types import UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    Protocol,
    Self,
    get_args,
    get_origin,
    get_type_hints,
    runtime_checkable,
)

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation
from isogloss.errors import MetricOptionError
from isogloss.formula import Bounds
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.signature import MetricName, OptionValue, Signature


@runtime_checkable
class Metric(Protocol):
    """Measures documents; scores are functions of summed statistics."""

    @property
    def name(self) -> MetricName:
        """The metric with every option that differs from its default."""

    @property
    def higher_is_better(self) -> bool:
        """False for an error rate."""

    @property
    def bounds(self) -> Bounds:
        """The lowest and the highest score there can be; an interval goes no further."""

    @property
    def needs_references(self) -> bool:
        """False for a metric that looks at source and output only."""

    @property
    def needs_source(self) -> bool:
        """True for a metric that looks at the source."""

    @property
    def uses_all_cores(self) -> bool:
        """True if it spreads its own work over the machine, so that processes must not."""

    @property
    def learns_from_system(self) -> bool:
        """True if it learns from a system's documents, and must be given all of them at once."""

    def signature(self, testset: TestSet) -> Signature:
        """Everything that decides the number on this test set; known before scoring."""

    def caution(self, testset: TestSet) -> str | None:
        """In one line, what is known to mislead in this number on such a test set, measured."""

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """One measurement for each translation, in the order given."""

    def score(self, statistics: Floats) -> float | None:
        """The score of one vector of summed statistics; `None` where it is undefined."""

    def score_rows(self, statistics: Floats) -> Floats:
        """The scores of many vectors at once (n x k to n), NaN where undefined."""


@runtime_checkable
class UsesRuntime(Protocol):
    """A metric that loads models or keeps what it found, and so wants to know where and how."""

    def with_runtime(self, runtime: Runtime) -> Metric:
        """The same metric, run so."""


@runtime_checkable
class ShowsEvidence(Protocol):
    """A metric that shows the most telling evidence unless it is asked for all."""

    def with_all_evidence(self) -> Metric:
        """The same metric, which shows everything it finds."""


class Division(StrEnum):
    """How a metric's work may be shared out without changing a digit of its scores."""

    DOCUMENTS = "documents"  # any documents by themselves
    LOTS = "lots"  # runs of documents as the metric itself makes them
    SYSTEM = "system"  # all documents of a system at once
    PAIRS = "pairs"  # what it asks its model, while the rest stays together
    WHOLE = "whole"  # not at all


def division_of(metric: Metric) -> Division:
    """How the metric's work may be shared out; who does not say so is asked what it learns from."""
    said = getattr(metric, "division", None)
    if isinstance(said, Division):
        return said
    return Division.SYSTEM if metric.learns_from_system else Division.DOCUMENTS


def prepared(metric: Metric, runtime: Runtime | None, all_evidence: bool = False) -> Metric:
    """The metric, told how to run and whether to show all that it finds; no score changes."""
    if runtime is not None and isinstance(metric, UsesRuntime):
        metric = metric.with_runtime(runtime)
    if all_evidence and isinstance(metric, ShowsEvidence):
        metric = metric.with_all_evidence()
    return metric


@dataclasses.dataclass(frozen=True)
class ConfiguredMetric(ABC):
    """A metric whose options are the fields of a frozen dataclass.

    Fields that do not take part in comparison (``field(compare=False)``) are no options: they say
    how the metric runs and must not change a score. `score_rows` is the only formula a metric
    needs; `score` follows from it unless the metric has a more exact way for a single vector.
    A metric that `learns_from_system` must be given all documents of a system at once: a model
    that it trains on them has a part in every document's score.
    """

    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[Bounds] = (None, None)
    needs_references: ClassVar[bool] = True
    needs_source: ClassVar[bool] = False
    uses_all_cores: ClassVar[bool] = False
    learns_from_system: ClassVar[bool] = False
    division: ClassVar[Division] = Division.DOCUMENTS

    @classmethod
    def configured(
        cls,
        options: Mapping[str, OptionValue],
        source_language: str | None,
        target_language: str | None,
    ) -> Self:
        """The metric with these options, completed by what suits the languages."""
        names = [field.name for field in dataclasses.fields(cls) if field.compare]
        hints = get_type_hints(cls)
        for key in options:
            if key not in names:
                known = ", ".join(names) or "none"
                raise MetricOptionError(f"{cls.title} has no option {key!r}; it has: {known}")
        checked = {
            key: _checked(f"{cls.title}({key}=...)", hints[key], value)
            for key, value in options.items()
        }
        return cls(**{**cls.language_defaults(source_language, target_language), **checked})

    @classmethod
    def language_defaults(
        cls,
        source_language: str | None,  # noqa: ARG003
        target_language: str | None,  # noqa: ARG003
    ) -> Mapping[str, Any]:
        """Options whose default depends on the languages; for most metrics there are none."""
        return {}

    def options(self) -> dict[str, OptionValue]:
        """Every option with its value."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.compare}

    @property
    def name(self) -> MetricName:
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        changed = {k: value for k, value in self.options().items() if value != defaults[k]}
        return MetricName(self.title, changed)

    def __str__(self) -> str:
        return str(self.name)

    @abstractmethod
    def signature(self, testset: TestSet) -> Signature:
        """Everything that decides the number on this test set; known before scoring."""

    def caution(self, testset: TestSet) -> str | None:  # noqa: ARG002
        """In one line, what is known to mislead in this number; of most metrics nothing is."""
        return None

    @abstractmethod
    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """One measurement for each translation, in the order given."""

    @abstractmethod
    def score_rows(self, statistics: Floats) -> Floats:
        """The scores of many vectors at once (n x k to n), NaN where undefined."""

    def score(self, statistics: Floats) -> float | None:
        """The score of one vector of summed statistics; `None` where it is undefined."""
        value = float(self.score_rows(np.asarray(statistics)[None, :])[0])
        return value if np.isfinite(value) else None


def _checked(option: str, hint: Any, value: OptionValue) -> OptionValue:
    """The option's value, if the field's type admits it."""
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        word = value if value in choices else _shown(value)  # "none" may be one of the words
        if word not in choices:
            raise MetricOptionError(f"{option} takes one of: {', '.join(choices)}; not {word}")
        return word
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    if float in kinds and type(value) is int:
        return float(value)
    if type(value) not in kinds:
        wanted = " or ".join("none" if k is type(None) else k.__name__ for k in kinds)
        raise MetricOptionError(f"{option} takes {wanted}, not {_shown(value)}")
    return value


def _shown(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
