"""Discourse words (after BlonDe, Jiang et al. 2022): pronouns, connectives, address, verbs.

Words are counted by their classes in output and reference, segment by segment: which person a
pronoun has, which relation a connective names, how a reader is addressed; in English also which
tense a verb has, and which auxiliaries stand for a verb that is left out. What both have of a
class agrees; F1 = 2 · agreeing / (output's + reference's). Counts add up over segments, documents
and systems. A segment in which neither has any is not scored.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import TestSet, Translation
from isogloss.errors import NotApplicableError
from isogloss.formula import Bounds
from isogloss.metrics.discourse.classes import (
    TOGETHER,
    ClassReader,
    Marked,
    class_reader,
    common,
    described_languages,
    without,
)
from isogloss.metrics.discourse.verbs import PHENOMENA, VerbReader, verb_reader
from isogloss.metrics.protocol import ConfiguredMetric
from isogloss.scores import Measurement
from isogloss.signature import Signature
from isogloss.spans import Evidence, Span, output_side, reference_side

Found = tuple[str, list[Marked]]
"""The words of one reference, and its name."""


@dataclass(frozen=True)
class Discourse(ConfiguredMetric):
    """F1 of the words that carry discourse, of one phenomenon, or of pronouns and connectives.

    ``tense`` and ``ellipsis`` are told of English alone.

    Of several references the one counts that agrees best with the output, segment by segment.
    """

    title: ClassVar[str] = "discourse"
    bounds: ClassVar[Bounds] = (0.0, 1.0)

    phenomenon: Literal["all", "pronouns", "markers", "address", "tense", "ellipsis"] = "all"

    def reader(self, language: str | None) -> ClassReader | VerbReader:
        """What finds the words in the target language."""
        if language is None:
            raise NotApplicableError(
                f"{self.title} needs to know the target language", lacking=["target_language"]
            )
        if self.phenomenon in PHENOMENA:
            return self._verb_reader(language)
        chosen = TOGETHER if self.phenomenon == "all" else (self.phenomenon,)
        reader = class_reader(language, chosen)
        if reader is None:
            raise NotApplicableError(
                f"{self.name} has no words of {language!r}; it has lists for "
                f"{', '.join(described_languages())} (no address in en)"
            )
        return reader

    def _verb_reader(self, language: str) -> VerbReader:
        reader = verb_reader(language, self.phenomenon)
        if reader is None:
            raise NotApplicableError(
                f"{self.name} has no tool for {language!r}; of the taggers here only the "
                "English one tells the forms of verbs"
            )
        return reader

    def signature(self, testset: TestSet) -> Signature:
        """The metric's name, and what finds the words."""
        fields = self.reader(testset.target_language).signature_fields
        return Signature(self.name, (*fields, ("version", "1")))

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Counts in every segment, and the words that do not agree."""
        for translation in translations:
            yield self._measurement(translation, self.reader(translation.target_language))

    def _measurement(
        self, translation: Translation, reader: ClassReader | VerbReader
    ) -> Measurement:
        rows = np.full((len(translation.document), 3), np.nan)
        evidence: list[Evidence] = []
        for segment, text in enumerate(translation.output):
            references = [
                (name, reader.read(side[segment] or ""))
                for name, side in translation.document.references.items()
                if side[segment] is not None
            ]
            if text is None or not references:
                continue
            output = reader.read(text)
            name, best = max(references, key=lambda found: _agreement(output, found[1]))
            if output or best:
                rows[segment] = common(output, best), len(output), len(best)
                evidence += _evidence(translation, segment, output, (name, best))
        return Measurement.of_segments(rows, self.score_rows(rows), evidence)

    def score_rows(self, statistics: Floats) -> Floats:
        """F1 of summed counts."""
        both = statistics[:, 1] + statistics[:, 2]
        empty = np.full_like(both, np.nan)
        return np.divide(2 * statistics[:, 0], both, out=empty, where=both > 0)


def _agreement(output: Sequence[Marked], reference: Sequence[Marked]) -> float:
    both = len(output) + len(reference)
    return 2 * common(output, reference) / both if both else 1.0


def _evidence(
    translation: Translation, segment: int, output: Sequence[Marked], reference: Found
) -> Iterator[Evidence]:
    """What the output has more often than the reference, and the other way round."""
    name, theirs = reference
    document, system = translation.document.id, output_side(translation.system)
    for marked in without(output, theirs):
        place = Span(document, system, segment, marked.start, marked.end)
        yield Evidence(f"{_said(marked)} that the reference has not", (place,), 0.0)
    for marked in without(theirs, output):
        place = Span(document, reference_side(name), segment, marked.start, marked.end)
        yield Evidence(f"{_said(marked)} that the output has not", (place,), 0.0)


def _said(marked: Marked) -> str:
    return f"{_KINDS[marked.phenomenon]} ({marked.name})"


_KINDS = {
    "pronouns": "pronoun",
    "markers": "connective",
    "address": "form of address",
    "tense": "verb",
    "ellipsis": "auxiliary of a verb that is left out",
}
