"""Lexical translation consistency: is a repeated source word rendered alike each time?

LTCR (Lyu et al. 2021; Lei et al. 2024) and its kin, from one word alignment. The fractions
themselves are in `isogloss.metrics.consistency.ratios`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np

from isogloss.alignment import AUTO, Aligner
from isogloss.alignment import aligner as named_aligner
from isogloss.arrays import Floats
from isogloss.documents import Document, TestSet, Translation
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.formula import Bounds
from isogloss.language import content_words, function_words, normaliser, tokeniser
from isogloss.metrics.consistency.analysis import (
    Analyser,
    Annotated,
    ChooseWords,
    Listed,
    Words,
    all_repeated,
)
from isogloss.metrics.consistency.chains import chains_digest
from isogloss.metrics.consistency.ratios import Ratio, Rule, micro
from isogloss.metrics.consistency.released import read_chains_of_any_form
from isogloss.metrics.consistency.renderings import (
    RenderedWord,
    RenderingReader,
    accepted_keys,
    read_terms,
    terms_digest,
)
from isogloss.metrics.protocol import ConfiguredMetric, Division
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.signature import OptionValue, Signature
from isogloss.spans import SOURCE, Evidence, Span, output_side

_VERSION = "2"
_MOST_TELLING = 30  # words of a document that are kept as evidence
INCONSISTENT = "inconsistent"


@dataclass(frozen=True, slots=True)
class DocumentRenderings:
    """The words of one translated document that count, as the output and the references say them.

    `references` holds the same words in the same order, once for each reference that is asked;
    `remarks` are the aligner's about all documents of the system, said with the first of them.
    """

    translation: Translation
    words: tuple[RenderedWord, ...]
    references: tuple[tuple[RenderedWord, ...], ...] = ()
    remarks: Mapping[str, int] = field(default_factory=dict)

    def with_references(self) -> Iterator[tuple[RenderedWord, tuple[RenderedWord, ...]]]:
        """Each word with what the references make of it."""
        for index, word in enumerate(self.words):
            yield word, tuple(reference[index] for reference in self.references)


@dataclass(frozen=True)
class Ltcr(ConfiguredMetric):
    """How consistently the repeated words of the source are rendered, 0 to 100.

    Words are all that the source repeats, or those of annotated `chains`; `terms` names a list
    for the family of that name. Of chains and terms given by their paths, only the file's name
    enters the metric's name, and a digest of the content its signature. In Python, ``aligner`` and
    ``links`` put another aligner in the place of the built-in ones: its name, and the object.
    """

    title: ClassVar[str] = "ltcr"
    bounds: ClassVar[Bounds] = (0.0, 100.0)
    needs_source: ClassVar[bool] = True
    uses_all_cores: ClassVar[bool] = True  # alignment models are trained on whole systems
    learns_from_system: ClassVar[bool] = True
    division: ClassVar[Division] = Division.SYSTEM

    family: Literal["pairs", "first", "pseudo-first", "pseudo-frequent", "terms"] = "pairs"
    average: Literal["micro", "macro"] = "micro"
    chains: str | None = None
    terms: str | None = None
    reference_aware: bool = False
    null: Literal["mismatch", "skip"] = "mismatch"
    normalise: Literal["surface", "stem", "lemma"] = "stem"
    aligner: str = AUTO
    symmetrise: str = "phrases"
    source_words: str | None = None
    target_words: str | None = None
    chain_file: Path | None = field(default=None, compare=False, repr=False)
    term_file: Path | None = field(default=None, compare=False, repr=False)
    links: Aligner | None = field(default=None, compare=False, repr=False)
    runtime: Runtime = field(default=Runtime(), compare=False, repr=False)
    evidence: Literal["none", "telling", "all"] = field(
        default="telling", compare=False, repr=False
    )

    def __post_init__(self) -> None:
        if (self.family == "terms") != (self.terms is not None):
            raise MetricOptionError("ltcr: family=terms and terms=FILE belong together")
        if self.chains is not None and self.family == "terms":
            raise MetricOptionError("ltcr takes chains or terms, not both")
        if self.reference_aware and self.family not in ("pairs", "first"):
            raise MetricOptionError("ltcr: reference_aware needs family=pairs or family=first")

    def with_runtime(self, runtime: Runtime) -> Self:
        """The same metric, its aligner run so."""
        return replace(self, runtime=runtime)

    def with_all_evidence(self) -> Self:
        """The same metric, which shows everything it finds."""
        return replace(self, evidence="all")

    @classmethod
    def configured(
        cls,
        options: Mapping[str, OptionValue],
        source_language: str | None,
        target_language: str | None,
    ) -> Self:
        """The metric with these options; files given by their paths are known by their names."""
        metric = super().configured(options, source_language, target_language)
        # A bare name may come from a stored signature: nothing is read before it is needed.
        if metric.chains is not None and Path(metric.chains).exists():
            path = Path(metric.chains).resolve()
            metric = replace(metric, chains=path.name, chain_file=path)
        if metric.terms is not None and Path(metric.terms).exists():
            path = Path(metric.terms).resolve()
            metric = replace(metric, terms=path.name, term_file=path)
        return metric

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.reference_aware

    # --- what decides the number -----------------------------------------------------------------

    def signature(self, testset: TestSet) -> Signature:
        """The metric's name, languages, aligner and all tools, and digests of chains and terms."""
        analyser = self._analyser(testset.source_language, testset.target_language)
        languages = f"{testset.source_language or '?'}-{testset.target_language or '?'}"
        fields = [
            ("langs", languages),
            ("aligner", analyser.aligner.name),
            ("null", self.null),
            ("norm", analyser.reader.normaliser.name),
            ("stop", f"{analyser.content.name}+{analyser.reader.function_words.name}"),
            ("source", analyser.source_words.name),
            ("target", analyser.target_words.name),
        ]
        if self.chain_file is not None:
            fields.append(("chains", chains_digest(read_chains_of_any_form(self.chain_file))))
        if self.term_file is not None:
            fields.append(("terms", terms_digest(read_terms(self.term_file))))
        if self.reference_aware:
            fields.append(("refs", "+".join(testset.reference_names)))
        return Signature(self.name, (*fields, ("version", _VERSION)))

    def _analyser(self, source_language: str | None, target_language: str | None) -> Analyser:
        return Analyser(
            tokeniser(source_language, self.source_words),
            tokeniser(target_language, self.target_words),
            content_words(source_language),
            RenderingReader(
                normaliser(target_language, self.normalise), function_words(target_language)
            ),
            self.links
            or named_aligner(
                self.aligner,
                self.symmetrise,
                source_language=source_language,
                target_language=target_language,
                runtime=self.runtime,
            ),
        )

    def chooser(self, translations: Sequence[Translation]) -> ChooseWords:
        """Which words of a document count."""
        if self.chains is not None:
            chains = read_chains_of_any_form(_there(self.chain_file, "chains", self.chains))
            return Annotated.of(chains, {t.document.id for t in translations})
        if self.terms is not None:
            return Listed(read_terms(_there(self.term_file, "terms", self.terms)))
        return all_repeated

    def rule(self, translations: Sequence[Translation]) -> Rule:
        """How renderings become ratios."""
        if self.terms is None:
            return Rule(self.family, self.null)
        first = translations[0]
        analyser = self._analyser(first.source_language, first.target_language)
        terms = read_terms(_there(self.term_file, "terms", self.terms))
        accepted = accepted_keys(terms, analyser.target_words, analyser.reader)
        return Rule(self.family, self.null, accepted)

    # --- measuring -------------------------------------------------------------------------------

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Align every system's documents together, then measure each."""
        listed = list(translations)
        if not listed:
            return
        rule = self.rule(listed)
        found = self._by_system(listed, self.chooser(listed))
        measured: dict[int, Measurement] = {}
        for index in range(len(listed)):
            while index not in measured:
                at, renderings = next(found)
                measured[at] = self._measurement(renderings, rule)
            yield measured.pop(index)

    def rendered(
        self, translations: Sequence[Translation], choose: ChooseWords | None = None
    ) -> list[DocumentRenderings]:
        """The words that count (or those chosen) and how they are rendered, by translation."""
        found = dict(self._by_system(translations, choose or self.chooser(translations)))
        return [found[index] for index in range(len(translations))]

    def _by_system(
        self, translations: Sequence[Translation], choose: ChooseWords
    ) -> Iterator[tuple[int, DocumentRenderings]]:
        """The renderings of each translation with its position, system by system.

        An aligner that learns from texts learns from one system (or one reference) at a time: a
        system's score does not depend on the systems beside it.
        """
        first = translations[0]
        analyser = self._analyser(first.source_language, first.target_language)
        documents = {t.document.id: t.document for t in translations}
        words = {id: choose(document, analyser) for id, document in documents.items()}
        references = self._references(list(documents.values()), words, analyser)
        for system in dict.fromkeys(t.system for t in translations):
            own = [(i, t) for i, t in enumerate(translations) if t.system == system]
            aligned = analyser.aligned([t.document for _, t in own], [t.output for _, t in own])
            remarks = aligned.remarks
            for (index, translation), segments in zip(own, aligned.documents, strict=True):
                id = translation.document.id
                said = analyser.reader.rendered(words[id], segments)
                yield index, DocumentRenderings(translation, said, references[id], remarks)
                remarks = {}

    def _references(
        self, documents: Sequence[Document], words: Mapping[str, Words], analyser: Analyser
    ) -> dict[str, tuple[tuple[RenderedWord, ...], ...]]:
        """By document, how each reference renders the words; nothing where nobody asks."""
        found: dict[str, list[tuple[RenderedWord, ...]]] = {d.id: [] for d in documents}
        names = documents[0].references if self.reference_aware else ()
        for name in names:
            texts = [document.references[name] for document in documents]
            aligned = analyser.aligned(documents, texts).documents
            for document, segments in zip(documents, aligned, strict=True):
                if any(segment is not None for segment in segments):
                    said = analyser.reader.rendered(words[document.id], segments)
                    found[document.id].append(said)
        return {id: tuple(each) for id, each in found.items()}

    def _measurement(self, found: DocumentRenderings, rule: Rule) -> Measurement:
        output = found.translation.output
        present = sum(text is not None for text in output)
        lacking = self.reference_aware and not found.references
        told = [] if lacking else list(found.with_references())
        ratios = [rule.ratio(word, references) for word, references in told]
        return Measurement(
            statistics=np.array(self._statistics(ratios)),
            scored=0 if lacking else present,
            total=len(output),
            evidence=tuple(self._evidence(found, rule)) if not lacking else (),
            remarks=dict(found.remarks),
        )

    def _statistics(self, ratios: Sequence[Ratio]) -> tuple[float, float]:
        if self.average == "micro":
            total = micro(ratios)
            return float(total.numerator), float(total.denominator)
        values = [ratio.numerator / ratio.denominator for ratio in ratios if ratio.denominator]
        return sum(values), float(len(values))

    def score_rows(self, statistics: Floats) -> Floats:
        """The consistent share in per cent."""
        alike, counted = statistics[:, 0], statistics[:, 1]
        undefined = np.full_like(alike, np.nan)
        return 100 * np.divide(alike, counted, out=undefined, where=counted > 0)

    def _evidence(self, found: DocumentRenderings, rule: Rule) -> Iterator[Evidence]:
        """Every word with all its places, the costliest first: all, or the most telling."""
        if self.evidence == "none":
            return
        weighed = []
        for word, references in found.with_references():
            ratio, plain = rule.ratio(word, references), rule.ratio(word)
            lost = ratio.denominator - ratio.numerator
            varies = plain.numerator < plain.denominator
            if plain.denominator:
                weighed.append((lost, varies, plain.denominator, word))
        weighed.sort(key=lambda entry: entry[:3], reverse=True)
        kept = weighed if self.evidence == "all" else weighed[:_MOST_TELLING]
        for lost, varies, _, word in kept:
            why = INCONSISTENT if lost else "allowed by the reference" if varies else "consistent"
            yield Evidence(why, _spans(word, found.translation), float(lost))


def _there(file: Path | None, option: str, name: str) -> Path:
    if file is None:
        raise NotApplicableError(f"ltcr: there is no file {name!r}; give its path as {option}=PATH")
    return file


def _spans(word: RenderedWord, translation: Translation) -> tuple[Span, ...]:
    """Mention by mention: its place in the source, then those of its rendering in the output."""
    document, side = translation.document.id, output_side(translation.system)
    spans = []
    for mention, rendering in zip(word.word.mentions, word.renderings, strict=True):
        if rendering is None:
            continue
        spans.append(Span(document, SOURCE, mention.segment, mention.start, mention.end))
        spans += [Span(document, side, mention.segment, *place) for place in rendering.places]
    return tuple(spans)
