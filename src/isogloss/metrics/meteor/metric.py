"""METEOR 1.5 (Denkowski & Lavie 2014) as a metric of documents.

Segments are aligned with their references word by word; statistics of the alignments add up, so
that the score of a document or a system is METEOR's own score of its sum, never a mean. Of several
references the one with the best score counts, segment by segment.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from isogloss.documents import TestSet, Translation
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.language.codes import primary
from isogloss.metrics.meteor.evidence import Amount
from isogloss.metrics.meteor.measuring import Measuring
from isogloss.metrics.meteor.profile import (
    MATCHERS,
    Parameters,
    Task,
    parameters,
    resolved_task,
    usual_matchers,
)
from isogloss.metrics.meteor.resources import (
    NAMES,
    NOTHING,
    Resources,
    resources_at,
    usual_resources,
)
from isogloss.metrics.meteor.statistics import scores
from isogloss.metrics.meteor.tools import Tools, tools
from isogloss.metrics.protocol import Bounds, ConfiguredMetric, Floats
from isogloss.scores import Measurement
from isogloss.signature import OptionValue, Signature

_ANY = "xx"  # METEOR's word for a language that it knows nothing about


@dataclass(frozen=True)
class Meteor(ConfiguredMetric):
    """METEOR with the parameters that it was tuned to for a task and a language.

    `matchers`, such as ``exact+stem``, are those that METEOR uses in the language as far as what
    they need is there. `resources` is the folder or the jar of METEOR (``auto``: where it is
    usually found; ``none``: nothing but what is in isogloss); it does not become part of the
    metric's name, what is found there becomes part of the signature. `tokeniser` is METEOR's own
    normaliser where it knows the language (``auto``), or one of the language tools; ``space`` for
    texts that are tokenised. `function` is whose function words count less: the ``language``'s,
    as METEOR's authors meant it, or ``english`` ones, which the Java program takes for every
    language unless it is told. `characters` counts characters for words, as METEOR's utility task
    may.
    """

    title: ClassVar[str] = "meteor"
    bounds: ClassVar[Bounds] = (0.0, 1.0)

    language: str = "en"
    task: Task = "auto"
    matchers: str | None = None
    tokeniser: Literal[
        "auto", "meteor", "unicode", "space", "moses", "rjieba", "sudachi", "kiwi", "newmm"
    ] = "auto"
    function: Literal["language", "english"] = "language"
    characters: bool = False
    resources: str | None = "auto"
    place: Path | None = field(default=None, compare=False, repr=False)
    evidence: Amount = field(default="longest", compare=False, repr=False)

    @classmethod
    def configured(
        cls,
        options: Mapping[str, OptionValue],
        source_language: str | None,
        target_language: str | None,
    ) -> Self:
        """The metric with these options; where its resources lie is no option, what they are is."""
        metric = super().configured(options, source_language, target_language)
        if metric.resources in ("auto", None):
            return metric
        return replace(metric, resources="auto", place=Path(str(metric.resources)))

    @classmethod
    def language_defaults(
        cls,
        source_language: str | None,  # noqa: ARG003
        target_language: str | None,
    ) -> Mapping[str, Any]:
        """The target language is the one that METEOR's tools have to know."""
        language = primary(target_language)
        return {"language": language} if language else {}

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", primary(self.language))
        parameters(self.task, self.language)
        asked_for = self._asked_for()
        if asked_for is not None and not {"exact"} <= set(asked_for) <= set(MATCHERS):
            raise MetricOptionError(
                "meteor(matchers=...) takes exact, and with it some of stem, synonym and "
                f"paraphrase, joined by '+'; not {self.matchers!r}"
            )

    def _asked_for(self) -> tuple[str, ...] | None:
        return None if self.matchers is None else tuple(self.matchers.split("+"))

    def signature(self, testset: TestSet) -> Signature:
        """The language and the task, the matchers and everything that they were taken from."""
        counts = {
            sum(lines[segment] is not None for lines in document.references.values())
            for document in testset.documents
            for segment in range(len(document))
        } - {0}
        task = resolved_task(self.task, self.language)
        return Signature(
            self.name,
            (
                ("refs", str(counts.pop()) if len(counts) == 1 else "var"),
                ("lang", self.language),
                ("task", f"{task}-characters" if self.characters else task),
                *self.tools().fields,
                ("version", "1.5"),
            ),
        )

    @property
    def parameters(self) -> Parameters:
        """METEOR's parameters for the task and the language."""
        return parameters(self.task, self.language)

    def tools(self) -> Tools:
        """What reads and matches; found when it is first asked for."""
        names = self._asked_for()
        asked_for = None if names is None else tuple(m for m in MATCHERS if m in names)
        usual = usual_matchers(self.task, self.language)
        listed = "en" if self.function == "english" else self.language
        return tools(self.language, asked_for, usual, self.tokeniser, listed, self._resources())

    def _resources(self) -> Resources:
        if self.place is not None:
            return resources_at(self.place)
        return NOTHING if self.resources is None else usual_resources()

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Statistics and scores of many documents at a time."""
        measuring = Measuring(
            self.tools(),
            self.parameters,
            self.evidence,
            self.characters,
            f"scored as {self.language}, because the target language is not known,",
        )
        return measuring.measure(map(self._checked, translations))

    def score_rows(self, statistics: Floats) -> Floats:
        """METEOR's score of each vector of statistics."""
        return scores(statistics, self.parameters)

    def _checked(self, translation: Translation) -> Translation:
        """The translation, if it is in the language that the metric is set up for."""
        language = primary(translation.target_language)
        same = language in (None, self.language) or self.language == _ANY
        if not same and NAMES.get(str(language), language) != NAMES.get(self.language):
            raise NotApplicableError(
                f"{self.name} is set up for {self.language!r}, and the target language is "
                f"{language!r}; load it with the languages, or say language={language}"
            )
        return translation
