"""Cohesion (Gong & Zhou 2015): how far the output's lexical chains are those of the reference.

A segment is a sentence. Document scores are averaged over documents: the statistics are
``(score, 1)``. Of several references the best counts, each compared on the segments that it and
the output have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from isogloss.arrays import Floats
from isogloss.documents import Document, TestSet, Translation
from isogloss.errors import MetricOptionError
from isogloss.formula import Bounds
from isogloss.metrics.cohesion.chains import (
    ChainMention,
    Form,
    LexicalMetric,
    Match,
    Per,
    SynonymChains,
    Words,
    document_score,
    index_chains,
    match_chains,
    read_segments,
    sentence_sets,
)
from isogloss.metrics.cohesion.meanings import ChainSide, MeaningMatcher, Partners
from isogloss.metrics.model_metric import ModelMetric, model_fields
from isogloss.model import ModelCard
from isogloss.scores import Measurement
from isogloss.signature import Signature
from isogloss.spans import Evidence, output_side, reference_side

MATCHED = "matched chain"
PARTLY = "partly matched chain"
BY_MEANING = ": another word"
NOT_IN_REFERENCE = "chain not in the reference"
NOT_IN_OUTPUT = "chain not in the output"
NO_CHAINS = (
    "not scored, because neither output nor reference has a lexical chain,; "
    "longer documents have some"
)

Index = Mapping[str, Sequence[ChainMention]]


@dataclass(frozen=True, slots=True)
class ChainComparison:
    """The output against one reference, on the segments that both have.

    `by_meaning` are the chains of the output that were matched so, and with which.
    """

    reference: str
    segments: int
    output_index: Index
    reference_index: Index
    matches: Sequence[Match]
    score: Fraction | None
    by_meaning: Mapping[str, str]


@dataclass(frozen=True)
class Cohesion(LexicalMetric, ModelMetric):
    """The score of the paper, and its kin.

    `form` is what a chain's common sentences are a share of: the reference's (``recall``, as in
    the paper), the output's, or both (``f``). `per` is whose chains are averaged over: the
    ``output``'s, so that those cost which the reference has not (as in the paper); the
    ``reference``'s, so that those do which the output has not; or ``either``'s. With `synonyms`
    a word joins the chain of a word that it shares a concept with. With ``match=embedding`` chains
    that have no match of their own word are matched with those of other words, if the cosine of
    what the `model`'s encoder makes of them is at least `nearness`.
    """

    title: ClassVar[str] = "cohesion"
    bounds: ClassVar[Bounds] = (0.0, 1.0)

    form: Form = "recall"
    per: Per = "output"
    synonyms: Literal["none", "wordnet"] = "none"
    match: Literal["word", "embedding"] = "word"
    nearness: float = 0.7

    def __post_init__(self) -> None:
        if not 0 < self.nearness <= 1:
            raise MetricOptionError(f"cohesion: nearness is above 0 and up to 1: {self.nearness}")
        changed = self.name.options.keys() & {"nearness", "model", "precision"}
        if self.match == "word" and changed:
            raise MetricOptionError(f"cohesion: {min(changed)} needs match=embedding")

    @property
    def uses_all_cores(self) -> bool:  # type: ignore[override]
        return self.match != "word"

    def signature(self, testset: TestSet) -> Signature:
        """The metric's name and the tools that read the texts."""
        language = testset.target_language
        fields = self.reader(language).signature_fields
        if self.synonyms == "wordnet":
            fields += (("synonyms", self.thesaurus(language).name),)
        if self.match == "embedding":
            self.refuse_unknown_languages(testset)
            fields += (("nearness", f"{self.nearness:g}"), *model_fields(self.paraphraser()))
        return Signature(self.name, (*fields, ("version", "1")))

    def languages(self, testset: TestSet, card: ModelCard) -> Iterator[tuple[str, tuple[str, ...]]]:
        """That of the texts: the model only reads them."""
        yield self.needed(testset.target_language, "target"), card.languages

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Scores of documents; translations of one document best come in a row."""
        prepared: tuple[Document | None, dict[str, list[Words]]] = (None, {})
        for translation in translations:
            document = translation.document
            reader = self.reader(translation.target_language)
            if document is not prepared[0]:
                sides = document.references.items()
                prepared = document, {name: read_segments(reader, lines) for name, lines in sides}
            output = read_segments(reader, translation.output)
            compared = [
                self._compare(translation, output, name, words)
                for name, words in prepared[1].items()
            ]
            yield self._measurement(translation, [c for c in compared if c.segments])

    def _compare(
        self, translation: Translation, output: list[Words], name: str, reference: list[Words]
    ) -> ChainComparison:
        both = [None not in pair for pair in zip(output, reference, strict=True)]
        ours = [words if used else None for words, used in zip(output, both, strict=True)]
        theirs = [words if used else None for words, used in zip(reference, both, strict=True)]
        our_index, their_index, partners = self._indexes(ours, theirs, translation.target_language)
        by_meaning: Mapping[str, str] = {}
        if self.match == "embedding":
            our_side = ChainSide(translation.output, our_index)
            their_side = ChainSide(translation.document.references[name], their_index)
            by_meaning = self._matcher(translation).found(our_side, their_side, partners)
        matches = match_chains(
            sentence_sets(our_index),
            sentence_sets(their_index),
            self.form,
            {**partners, **by_meaning},
        )
        score = document_score(matches, self.per)
        return ChainComparison(name, sum(both), our_index, their_index, matches, score, by_meaning)

    def _indexes(
        self, ours: list[Words], theirs: list[Words], language: str | None
    ) -> tuple[Index, Index, Partners]:
        """The chains of both sides, and by word the reference's for each of the output's."""
        if self.synonyms == "none":
            our_index, their_index = index_chains(ours), index_chains(theirs)
            return our_index, their_index, {word: word for word in our_index}
        concepts = self.thesaurus(language).concepts
        our_chains, their_chains = SynonymChains(concepts), SynonymChains(concepts)
        our_index = index_chains(ours, our_chains.chain_of)
        their_index = index_chains(theirs, their_chains.chain_of)
        partners = {w: their_chains.find(m[0].word) for w, m in our_index.items()}
        return our_index, their_index, partners

    def _matcher(self, translation: Translation) -> MeaningMatcher:
        language = self.needed(translation.target_language, "target")
        return MeaningMatcher(self.paraphraser(), language, self.nearness)

    def _measurement(
        self, translation: Translation, compared: Sequence[ChainComparison]
    ) -> Measurement:
        best, total = _best(compared), len(translation.document)
        if best is None or best.score is None:
            remarks = {NO_CHAINS: best.segments} if best else {}
            return Measurement(np.zeros(2), 0, total, remarks=remarks)
        return Measurement(
            statistics=np.array([float(best.score), 1.0]),
            scored=best.segments,
            total=total,
            evidence=tuple(self._evidence(translation, best)),
        )

    def _evidence(self, translation: Translation, best: ChainComparison) -> Iterator[Evidence]:
        """One piece for every chain, with its mentions in the output and in the reference."""
        document = translation.document.id
        ours, theirs = output_side(translation.system), reference_side(best.reference)
        for match in best.matches:
            own = best.output_index.get(match.output or "", ())
            other = best.reference_index.get(match.reference or "", ())
            spans = (
                *(m.span(document, ours) for m in own),
                *(m.span(document, theirs) for m in other),
            )
            weighs = match.output is not None or self.per != "output"
            reason = _reason(match)
            if match.score and match.output in best.by_meaning:
                reason += BY_MEANING
            yield Evidence(reason, spans, float(match.score) if weighs else None)

    def score_rows(self, statistics: Floats) -> Floats:
        """The mean of the documents' scores."""
        values, documents = statistics[:, 0], statistics[:, 1]
        return np.divide(values, documents, out=np.full_like(values, np.nan), where=documents > 0)


def _best(compared: Sequence[ChainComparison]) -> ChainComparison | None:
    """The reference that the output is scored against.

    An output without chains agrees with a reference that has none either: no other is better.
    """
    for comparison in compared:
        if comparison.score is None:
            return comparison
    return max(compared, key=lambda comparison: comparison.score or 0, default=None)


def _reason(match: Match) -> str:
    if match.output is None:
        return NOT_IN_OUTPUT
    return MATCHED if match.score == 1 else PARTLY if match.score else NOT_IN_REFERENCE
