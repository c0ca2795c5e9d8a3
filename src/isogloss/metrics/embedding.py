"""Similarity of sentence vectors: the contrastive method of the Prism paper (section 4.3).

A segment's score is the cosine of its vector with that of the reference or of the source. The
vectors are the mean states of the paraphraser's encoder, or what any other sentence encoder
makes of the texts (LASER in the paper).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import Segments, TestSet, Translation
from isogloss.errors import NotApplicableError
from isogloss.formula import Bounds
from isogloss.metrics.division import lots
from isogloss.metrics.model_metric import ModelMetric
from isogloss.metrics.protocol import Division
from isogloss.model import ModelCard
from isogloss.scores import Measurement
from isogloss.signature import Signature

Encode = Callable[[Sequence[str], str], Floats]
"""Texts and their language to vectors, one row a text."""


@dataclass(frozen=True)
class Embedding(ModelMetric):
    """The cosine of the output's vector with the reference's, or with the source's.

    Of several references the ``best`` counts, or their ``mean``. In Python, ``encoder`` and
    ``encode`` put another encoder in the place of the model's: its name, and the function.
    """

    title: ClassVar[str] = "embedding"
    bounds: ClassVar[Bounds] = (-1.0, 1.0)
    division: ClassVar[Division] = Division.LOTS

    against: Literal["reference", "source"] = "reference"
    references: Literal["best", "mean"] = "best"
    encoder: str | None = None
    encode: Encode | None = field(default=None, compare=False, repr=False)

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.against == "reference"

    @property
    def needs_source(self) -> bool:  # type: ignore[override]
        return self.against != "reference"

    def signature(self, testset: TestSet) -> Signature:
        """As for every metric with a model, unless another encoder does the work."""
        return Signature(self.name) if self.encoder else super().signature(testset)

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Encode every text of a lot of documents once, then compare."""
        for lot in lots(translations):
            target = self.needed(lot[0].target_language, "target")
            other = target
            if self.against == "source":
                other = self.needed(lot[0].source_language, "source")
            outputs = self._vectors((t.output for t in lot), target)
            others = self._vectors((side for t in lot for side in self._sides(t)), other)
            windowed = self._overlong(outputs, target) | self._overlong(others, other)
            for translation in lot:
                yield self._measurement(translation, outputs, others, windowed)

    def languages(self, testset: TestSet, card: ModelCard) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Those of the texts: it only reads them."""
        yield self.needed(testset.target_language, "target"), card.languages
        if self.against == "source":
            yield self.needed(testset.source_language, "source"), card.languages

    def _overlong(self, texts: Iterable[str], language: str) -> frozenset[str]:
        """The texts that the model reads in windows; another encoder has its own way."""
        if self.encoder is not None:
            return frozenset()
        return self.paraphraser().overlong(texts, language)

    def _sides(self, translation: Translation) -> list[Segments]:
        document = translation.document
        if self.against == "source":
            return [document.source]
        return list(document.references.values())

    def _vectors(self, sides: Iterable[Segments], language: str) -> dict[str, Floats]:
        """The vector of every distinct text, of length 1; a text without a vector has none."""
        texts = list(dict.fromkeys(text for side in sides for text in side if text))
        if self.encoder is not None:
            if self.encode is None:
                raise NotApplicableError(
                    f"{self.name} needs the function of its encoder: Embedding(encode=...)"
                )
            found = zip(texts, self.encode(texts, language), strict=True)
        else:
            found = zip(texts, self.paraphraser().embed(texts, language), strict=True)
        return {text: _unit(vector) for text, vector in found if vector is not None}

    def _measurement(
        self,
        translation: Translation,
        outputs: dict[str, Floats],
        others: dict[str, Floats],
        windowed: frozenset[str],
    ) -> Measurement:
        rows = np.full((len(translation.document), 2), np.nan)
        long = 0
        for segment, text in enumerate(translation.output):
            output = outputs.get(text or "")
            candidates = [others.get(side[segment] or "") for side in self._sides(translation)]
            cosines = [
                float(output @ c) for c in candidates if output is not None and c is not None
            ]
            if cosines:
                best = max(cosines) if self.references == "best" else float(np.mean(cosines))
                rows[segment] = best, 1
                long += not windowed.isdisjoint(
                    (text, *(side[segment] for side in self._sides(translation)))
                )
        remarks = {"a long text was read in windows": long} if long else None
        return Measurement.of_segments(rows, rows[:, 0], remarks=remarks)

    def score_rows(self, statistics: Floats) -> Floats:
        """The mean cosine."""
        values, counts = statistics[:, 0], statistics[:, 1]
        return np.divide(values, counts, out=np.full_like(values, np.nan), where=counts > 0)


def _unit(vector: Floats) -> Floats:
    exact = np.asarray(vector, dtype=np.float64)
    return np.asarray(exact / np.linalg.norm(exact))
