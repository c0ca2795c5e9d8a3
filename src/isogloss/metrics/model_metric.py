"""What the metrics that ask a paraphraser have in common: the model, its signature, its options."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Self

from isogloss.documents import TestSet
from isogloss.errors import InputError, NotApplicableError
from isogloss.metrics.protocol import ConfiguredMetric
from isogloss.model import (
    DEFAULT_MODEL,
    ModelCard,
    Paraphraser,
    find_model,
    open_model,
    read_card,
    supported_language,
)
from isogloss.runtime import Runtime
from isogloss.signature import OptionValue, Signature


@dataclass(frozen=True)
class ModelMetric(ConfiguredMetric):
    """A metric with a model.

    `model` is the name of an installed model, or the path of a model's folder; of a path only
    the model's own name enters the metric's name. `precision` is what is computed with (`none`:
    as the weights are stored).
    """

    uses_all_cores: ClassVar[bool] = True

    model: str = DEFAULT_MODEL
    precision: str | None = None
    folder: Path | None = field(default=None, compare=False, repr=False)
    runtime: Runtime = field(default=Runtime(), compare=False, repr=False)

    @classmethod
    def configured(
        cls,
        options: Mapping[str, OptionValue],
        source_language: str | None,
        target_language: str | None,
    ) -> Self:
        """The metric with these options; a model given by its path is known by its name."""
        metric = super().configured(options, source_language, target_language)
        if "/" not in metric.model and "\\" not in metric.model:
            return metric  # a name: it need not be installed as long as nothing is measured
        folder = find_model(metric.model)
        return replace(metric, model=read_card(folder).name, folder=folder)

    def with_runtime(self, runtime: Runtime) -> Self:
        """The same metric, its model run so."""
        return replace(self, runtime=runtime)

    def paraphraser(self) -> Paraphraser:
        """The model, loaded when it is first asked for."""
        return self.paraphraser_at(1.0)

    def paraphraser_at(self, temperature: float) -> Paraphraser:
        """The model with its logits divided by the temperature."""
        folder = self.folder or find_model(self.model)
        return open_model(folder, self.precision, self.runtime, temperature)

    def signature(self, testset: TestSet) -> Signature:
        """The metric's name, the languages, and all that is known about model and engine."""
        paraphraser = self.paraphraser()
        self.refuse_unknown_languages(testset)
        languages = f"{testset.source_language or '?'}-{testset.target_language or '?'}"
        return Signature(self.name, (("langs", languages), *model_fields(paraphraser)))

    def languages(self, testset: TestSet, card: ModelCard) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The languages that the model has to know, each with those it knows on that side."""
        yield self.needed(testset.target_language, "target"), card.writes

    def refuse_unknown_languages(self, testset: TestSet) -> None:
        """Refuse a test set in a language that the model does not know."""
        card = self.paraphraser().card
        for language, known in self.languages(testset, card):
            self._refuse_unknown(language, known, card)

    def _refuse_unknown(self, language: str, known: tuple[str, ...], card: ModelCard) -> None:
        try:
            supported_language(language, card, known)
        except InputError:
            raise NotApplicableError(
                f"the model {card.name!r} does not know the language {language!r}; take one that "
                f"does, {self.title}(model=FOLDER): 'isogloss model convert' makes the folder from "
                "NLLB-200, M2M-100 and others ('isogloss model info' lists a model's languages)"
            ) from None

    def needed(self, language: str | None, which: str) -> str:
        """The language, which the model has to be told."""
        if language is None:
            raise NotApplicableError(
                f"{self.title} needs to know the {which} language", lacking=[f"{which}_language"]
            )
        return language


def model_fields(paraphraser: Paraphraser) -> tuple[tuple[str, str], ...]:
    """What a signature says of a model and of what computes with it."""
    card, engine = paraphraser.card, paraphraser.engine_id
    return (
        ("model", card.name),
        ("digest", card.digest),
        ("scheme", card.scheme),
        ("engine", f"{engine.engine}-{engine.version}"),
        ("precision", engine.precision),
        ("isa", engine.instructions),
    )
