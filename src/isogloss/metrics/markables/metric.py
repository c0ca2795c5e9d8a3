"""``markables``: how much goes wrong with a document's markables, as a metric.

The score is the severity of all findings per 100 occurrences of markables: 0 is flawless, lower is
better. Markables are proposed from the source and the references, so that all systems are judged
on the same ones. Segments without a markable are not scored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from isogloss.alignment import AUTO, TokenPair, remarks_of
from isogloss.alignment import aligner as named_aligner
from isogloss.arrays import Floats
from isogloss.digest import short_digest
from isogloss.documents import TestSet, Translation
from isogloss.formula import Bounds
from isogloss.metrics.markables.aligned import Aligned, WordReader
from isogloss.metrics.markables.checks import CHECKS, PRECISE, findings
from isogloss.metrics.markables.examination import (
    LEAST,
    CompanyName,
    Examiner,
    Scores,
    choice_findings,
    languages_of,
    score_versions,
)
from isogloss.metrics.markables.lexicon import Finding, TranslationView
from isogloss.metrics.markables.markable import Phenomenon, Term
from isogloss.metrics.model_metric import ModelMetric
from isogloss.metrics.protocol import Division
from isogloss.scores import Measurement
from isogloss.signature import Signature
from isogloss.spans import Evidence

_VERSION = "4"
PhenomenonName = Literal[
    "precise",
    "all",
    "inconsistency",
    "conflict",
    "disappearance",
    "non-translated",
    "over-translated",
    "typography",
    "terminology",
    "sense",
]


@dataclass(frozen=True)
class Markables(ModelMetric):
    """The severity of what the checks find, per 100 occurrences of markables.

    `phenomenon` chooses one check; ``precise`` are those that need no model and are right nine
    times in ten, ``all`` adds conflict and disappearance, which err more often. `company` says
    what aligner and lexicon learn from: the system's own translation and the references, or all
    translations together. `count` is how many markables are proposed for a document; in Python,
    `terms` adds your own.
    """

    title: ClassVar[str] = "markables"
    bounds: ClassVar[Bounds] = (0.0, None)
    higher_is_better: ClassVar[bool] = False
    needs_references: ClassVar[bool] = False
    needs_source: ClassVar[bool] = True
    learns_from_system: ClassVar[bool] = True

    phenomenon: PhenomenonName = "precise"
    company: CompanyName = "own"
    count: int = 30
    aligner: str = AUTO
    terms: tuple[Term, ...] = field(default=(), compare=False, repr=False)

    @property
    def division(self) -> Division:  # type: ignore[override]
        """By systems, unless these are looked at together, or the model is asked about all."""
        if self.asks_model:
            return Division.PAIRS
        return Division.SYSTEM if self.company == "own" else Division.WHOLE

    @property
    def phenomena(self) -> tuple[Phenomenon, ...]:
        """What is looked for."""
        several = {"precise": PRECISE, "all": tuple(CHECKS)}
        return several.get(self.phenomenon) or (Phenomenon(self.phenomenon),)

    @property
    def asks_model(self) -> bool:
        """Whether the paraphraser has a say."""
        return any(phenomenon in LEAST for phenomenon in self.phenomena)

    def signature(self, testset: TestSet) -> Signature:
        """Name, languages, aligner and language tools, and the model where it is asked."""
        examiner = self.examiner(testset.source_language, testset.target_language)
        fields = [
            ("langs", f"{testset.source_language or '?'}-{testset.target_language or '?'}"),
            ("aligner", examiner.aligner.name),
            ("source", "+".join(examiner.source.names)),
            ("target", "+".join(examiner.target.names)),
            ("refs", "+".join(testset.reference_names) or "none"),
        ]
        if self.terms:
            fields.append(("terms", _digest(self.terms)))
        if self.asks_model:
            of_model = super().signature(testset).fields
            fields += [(key, value) for key, value in of_model if key != "langs"]
        return Signature(self.name, (*fields, ("version", _VERSION)))

    def examiner(self, source_language: str | None, target_language: str | None) -> Examiner:
        """What looks at the translations."""
        links = named_aligner(
            self.aligner,
            source_language=source_language,
            target_language=target_language,
            runtime=self.runtime,
        )
        return Examiner(
            links,
            WordReader(source_language),
            WordReader(target_language),
            self.count,
            self.terms,
            self.company,
        )

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Align, find, check: systems one by one, or all together as `company` says."""
        listed = list(translations)
        examined = list(self.examined(listed))
        remarks = self._remarks(listed, [view.aligned for view, _ in examined])
        for view, found in examined:
            # An aligner's remarks are about all documents of a system: the first one carries them.
            yield _measurement(view, found, remarks.pop(view.aligned.system, {}))

    def _remarks(
        self, translations: Sequence[Translation], aligned: Sequence[Aligned]
    ) -> dict[str, Mapping[str, int]]:
        """What the aligner has to say about each system."""
        pairs: dict[str, list[TokenPair]] = {}
        for version in aligned:
            pairs.setdefault(version.system, []).extend(version.word_pairs())
        if not pairs:
            return {}
        first = translations[0]
        links = self.examiner(first.source_language, first.target_language).aligner
        return {system: remarks_of(links, found) for system, found in pairs.items()}

    def examined(
        self, translations: Sequence[Translation]
    ) -> Iterator[tuple[TranslationView, list[Finding]]]:
        """Every translation as the checks see it, with what they find."""
        if not translations:
            return
        first = translations[0]
        examiner = self.examiner(first.source_language, first.target_language)
        views: Iterable[TranslationView] = examiner.views(translations)
        scores: Scores = {}
        if self.asks_model:
            views = list(views)
            scores = self._scores(translations, views)
        for view in views:
            found = findings(view, self.phenomena)
            for phenomenon in self.phenomena:
                if phenomenon in LEAST:
                    found += choice_findings(view, scores, phenomenon)
            yield view, found

    def _scores(
        self, translations: Sequence[Translation], views: Sequence[TranslationView]
    ) -> Scores:
        languages = languages_of(translations[0], str(self.name))
        return score_versions(self.paraphraser(), [view.aligned for view in views], languages)

    def score_rows(self, statistics: Floats) -> Floats:
        """100 times the summed severity over the number of occurrences."""
        severity, occurrences = statistics[:, 0], statistics[:, 1]
        rate = np.divide(
            severity, occurrences, out=np.full_like(severity, np.nan), where=occurrences > 0
        )
        return 100.0 * rate


def _measurement(
    view: TranslationView, found: Sequence[Finding], remarks: Mapping[str, int]
) -> Measurement:
    """Severity and occurrences of each segment; a segment without occurrences is not scored."""
    output = view.aligned.targets
    rows = np.full((len(output), 2), np.nan)
    for renderings in view.renderings.values():
        for rendering in renderings:
            segment = rendering.occurrence.segment
            if output[segment].text:
                rows[segment] = 0.0, np.nan_to_num(rows[segment, 1]) + 1
    for finding in found:
        rows[finding.occurrence.segment, 0] += finding.severity
    rates = 100 * rows[:, 0] / rows[:, 1]
    return Measurement.of_segments(rows, rates, map(_evidence, found), remarks)


def _evidence(finding: Finding) -> Evidence:
    spans = (finding.occurrence, *finding.places)
    return Evidence(finding.phenomenon.value, spans, finding.severity)


def _digest(terms: Sequence[Term]) -> str:
    text = "\n".join("\t".join(term.forms) for term in terms)
    return short_digest(text, 8)
