"""COMET, MetricX, BERTScore and BLEURT, each run by its own package in its own environment.

What changes a score is in the signature: the package's version, the model's name and the digest of
its files. Texts longer than a model reads are cut into parts that fit, both sides in proportion,
and a remark says in how many segments (``long=error`` leaves them unscored).
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal, Self

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation
from isogloss.errors import NotApplicableError
from isogloss.formula import Bounds, MeanFormula
from isogloss.metrics.division import lots
from isogloss.metrics.outside.interpreters import interpreter
from isogloss.metrics.outside.kept_answers import KeptAnswers, answer_key
from isogloss.metrics.outside.rows import Answered, AskedRow, RowAnswer, measurement, rows_of
from isogloss.metrics.outside.runner import Runner, row_answer, running
from isogloss.metrics.protocol import ConfiguredMetric, Division
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.signature import OptionValue, Signature

_LOT = 200  # segments that are read before the first of them is answered
_UNTOLD = ("checkpoints", "snapshots", "model.ckpt")  # parts of a path that name no model


@dataclass(frozen=True)
class Adapted(ConfiguredMetric):
    """A metric of a package in a Python environment of its own.

    `model` is a path, of which only the model's own name enters the metric's name, or a name that
    the package knows; it is downloaded only where the network is allowed. ``python=PATH`` names the
    interpreter for once (`isogloss adapters set` for always) and is no part of the name.
    """

    uses_all_cores: ClassVar[bool] = True
    division: ClassVar[Division] = Division.WHOLE  # one program does it

    model: str = ""
    references: Literal["best", "mean"] = "best"
    long: Literal["split", "error"] = "split"
    path: Path | None = field(default=None, compare=False, repr=False)
    python: str | None = field(default=None, compare=False, repr=False)
    runtime: Runtime = field(default=Runtime(), compare=False, repr=False)

    @classmethod
    def configured(
        cls,
        options: Mapping[str, OptionValue],
        source_language: str | None,
        target_language: str | None,
    ) -> Self:
        """The metric with these options; a model given by its path is known by its name."""
        given = dict(options)
        python = given.pop("python", None)
        metric = super().configured(given, source_language, target_language)
        if python is not None:
            metric = replace(metric, python=str(python))
        if not metric.model or not (os.sep in metric.model or Path(metric.model).exists()):
            return metric
        path = Path(metric.model)
        parts = [part for part in path.absolute().parts if part not in _UNTOLD]
        return replace(metric, model=parts[-1], path=path.absolute())

    def with_runtime(self, runtime: Runtime) -> Self:
        """The same metric, run so."""
        return replace(self, runtime=runtime)

    def signature(self, testset: TestSet) -> Signature:  # noqa: ARG002
        """The versions of the package and of what it computes with, and the model's digest."""
        about = self._runner().about
        versions = about.get("versions", {})
        told = [(name, str(version)) for name, version in versions.items()]
        return Signature(
            self.name, (("model", self.model), ("digest", str(about.get("digest"))), *told)
        )

    def _runner(self) -> Runner:
        if not self.model:
            raise NotApplicableError(
                f"{self.title} needs a model, a checkpoint on this machine: "
                f"{self.title}(model=PATH)"
            )
        python = self.python or interpreter(self.title)
        return running(self.title, python, self.asked(), self.runtime.network)

    def asked(self) -> dict[str, OptionValue]:
        """What the runner is told."""
        untold = ("references", "model")
        options = {key: value for key, value in self.options().items() if key not in untold}
        model = str(self.path) if self.path else self.model
        return {**options, "model": model, "device": self.runtime.device}

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Ask for some documents at a time."""
        for lot in lots(translations, _LOT):
            rows = [list(rows_of(t, by_reference=self.needs_references)) for t in lot]
            answers = iter(self._answers([row for own in rows for row in own]))
            for translation, own in zip(lot, rows, strict=True):
                answered = [Answered(row, next(answers)) for row in own]
                yield measurement(
                    translation,
                    answered,
                    self.references,
                    higher_is_better=self.higher_is_better,
                )

    def _answers(self, rows: Sequence[AskedRow]) -> list[RowAnswer]:
        """What is known already, and what the runner says of the rest."""
        runner, texts = self._runner(), [row.texts() for row in rows]
        told = {key: value for key, value in self.asked().items() if key != "model"}  # a path
        common = (self.title, runner.about.get("digest"), runner.about.get("versions"), told)

        def ask(numbers: Sequence[int]) -> list[str]:
            return [json.dumps(each) for each in runner.answers([texts[n] for n in numbers])]

        digest = f"{self.title}:{runner.about.get('digest')}"
        kept = KeptAnswers(self.runtime.cache, f"{self.title} {self.model}", digest)
        with closing(kept):
            answers = kept.completed([answer_key(*common, each) for each in texts], ask)
        return [row_answer(json.loads(each)) for each in answers]

    def score_rows(self, statistics: Floats) -> Floats:
        """The mean over segments."""
        return MeanFormula().score_rows(statistics)


@dataclass(frozen=True)
class Comet(Adapted):
    """COMET (Rei et al. 2020, 2022), CometKiwi and XCOMET, from any checkpoint of unbabel-comet.

    ``against=source`` is for checkpoints that read no reference (CometKiwi).
    """

    title: ClassVar[str] = "comet"
    needs_source: ClassVar[bool] = True

    against: Literal["reference", "source"] = "reference"

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.against == "reference"


@dataclass(frozen=True)
class MetricX(Adapted):
    """MetricX-23 and -24 (Juraska et al. 2023, 2024): predicted MQM, 0 to 25, lower is better.

    ``inputs`` is the form that the model learnt; the tokeniser lies beside the model, or at
    ``tokeniser``.
    """

    title: ClassVar[str] = "metricx"
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[Bounds] = (0.0, 25.0)

    against: Literal["reference", "source"] = "reference"
    inputs: Literal["metricx-23", "metricx-24"] = "metricx-24"
    tokeniser: str | None = None

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.against == "reference"

    @property
    def needs_source(self) -> bool:  # type: ignore[override]
        return self.against == "source" or self.inputs == "metricx-24"


@dataclass(frozen=True)
class BertScore(Adapted):
    """BERTScore (Zhang et al. 2020): F, precision or recall of contextual word vectors."""

    title: ClassVar[str] = "bertscore"
    bounds: ClassVar[Bounds] = (-1.0, 1.0)

    layers: int | None = None
    value: Literal["f", "precision", "recall"] = "f"


@dataclass(frozen=True)
class Bleurt(Adapted):
    """BLEURT (Sellam et al. 2020), from a checkpoint of bleurt-pytorch."""

    title: ClassVar[str] = "bleurt"
