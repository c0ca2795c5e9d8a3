"""Markables of a test set, found and checked: what the metric and the command line share.

A system is judged by its own translation and the human references: what its competitors did does
not change its findings (``company="own"``). With ``company="all"`` aligner and lexicon learn from
all translations at once, which suits a small test set better, and the findings then depend on who
takes part.

Terminology and sense: how surprising is the chosen rendering to the paraphraser?

The model reads the source and forces the translation. Where the pieces that render an occurrence
are less probable than the rest of their sentence, the rendering is a surprise; its size, in nats
per piece, is a graded score: above one it may be a matter of terminology, above two of sense.

A comparison with the renderings of other systems or of the reference, each in its own sentence,
was tried and agrees less with people: their sentences differ in more than the term.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

from isogloss.alignment import Aligner
from isogloss.documents import Document, Translation
from isogloss.errors import NotApplicableError
from isogloss.metrics.markables.aligned import Aligned, Version, WordReader, Words, align_versions
from isogloss.metrics.markables.lexicon import (
    SETTINGS,
    CheckSettings,
    Finding,
    Lexicon,
    MarkableRendering,
    TranslationView,
)
from isogloss.metrics.markables.markable import Markable, Phenomenon, Term, markables_in
from isogloss.metrics.markables.proposal import Proposal, propose
from isogloss.model import Pair, Paraphraser, TokenScores
from isogloss.spans import output_side, reference_side

CompanyName = Literal["own", "all"]


@dataclass(frozen=True)
class Examiner:
    """Finds markables and looks at translations of them."""

    aligner: Aligner
    source: WordReader
    target: WordReader
    count: int = 30
    terms: tuple[Term, ...] = ()
    company: CompanyName = "own"
    settings: CheckSettings = SETTINGS

    def views(self, translations: Sequence[Translation]) -> Iterator[TranslationView]:
        """Each translation as the checks see it."""
        # An aligner may see its pairs in one order only, or the order would show in the links.
        documents = sorted({t.document.id: t.document for t in translations}.values(), key=_id)
        markables = {d.id: self.markables(d, versions) for d, versions in self._known(documents)}
        groups, found = self._groups(translations), dict[tuple[str, str], TranslationView]()
        for translation in translations:
            wanted = translation.document.id, translation.system
            while wanted not in found:
                ordered = sorted(next(groups), key=lambda t: (t.document.id, t.system))
                aligned = self._aligned([*map(_output, ordered), *_references(documents)])
                for document in documents:
                    here = [a for a in aligned if a.document.id == document.id]
                    found.update(self._of_document(here, markables[document.id]))
            yield found[wanted]

    def _groups(self, translations: Sequence[Translation]) -> Iterator[list[Translation]]:
        """What is aligned together."""
        if self.company == "all":
            yield list(translations)
            return
        for system in dict.fromkeys(t.system for t in translations):
            yield [t for t in translations if t.system == system]

    def _of_document(
        self, versions: Sequence[Aligned], markables: Sequence[Markable]
    ) -> Iterator[tuple[tuple[str, str], TranslationView]]:
        lexicon = Lexicon(markables, versions, self.settings)
        references = [version for version in versions if version.side.startswith("reference:")]
        for version in versions:
            if version not in references:
                view = TranslationView(version, lexicon, references[0] if references else None)
                yield (version.document.id, version.system), view

    def _known(self, documents: Sequence[Document]) -> Iterator[tuple[Document, list[Aligned]]]:
        """Each document with its references, aligned among themselves."""
        versions = list(_references(documents))
        aligned = self._aligned(versions) if versions else []
        for document in documents:
            yield document, [found for found in aligned if found.document.id == document.id]

    def _aligned(self, versions: Sequence[Version]) -> list[Aligned]:
        return align_versions(versions, self.aligner, self.source.read, self.target.read)

    def markables(self, document: Document, versions: Sequence[Aligned]) -> list[Markable]:
        """The user's terms in the document, and the best proposals that do not repeat them."""
        own = list(markables_in(document, self.terms))
        proposed = [p.markable for p in self.proposals(document, versions)]
        taken = {span for markable in own for span in markable.occurrences}
        heads = {markable.head for markable in own}
        return own + [
            markable
            for markable in proposed
            if markable.head not in heads and not taken.intersection(markable.occurrences)
        ]

    def proposals(self, document: Document, versions: Sequence[Aligned]) -> list[Proposal]:
        """The proposals for a document, given some translations of it or none."""
        if not self.count:
            return []
        return _distinct(propose(versions or [self._untranslated(document)], self.count))

    def _untranslated(self, document: Document) -> Aligned:
        sources = tuple(map(self.source.read, document.source))
        nothing = Words("", (), (), ())
        empty = (nothing,) * len(sources)
        return Aligned(document, "", "", sources, empty, ((),) * len(sources))


def _distinct(proposals: Sequence[Proposal]) -> list[Proposal]:
    """One proposal a head: a lexicon tells markables apart by their heads."""
    return list({proposal.markable.head: proposal for proposal in reversed(proposals)}.values())[
        ::-1
    ]


def _id(document: Document) -> str:
    return document.id


def _output(translation: Translation) -> Version:
    return Version(
        translation.document,
        translation.system,
        output_side(translation.system),
        translation.output,
    )


def _references(documents: Sequence[Document]) -> Iterator[Version]:
    for document in documents:
        for name, segments in document.references.items():
            if any(segment is not None for segment in segments):
                yield Version(document, name, reference_side(name), segments)


LEAST: Mapping[Phenomenon, float] = {Phenomenon.TERMINOLOGY: 1.0, Phenomenon.SENSE: 2.0}
"""The surprise, in nats per piece, from which on a phenomenon is reported."""
WORST = 6.0  # nats per piece at which severity is 1

Scores = Mapping[tuple[str, str], TokenScores | None]
"""The scores of every (source segment, translation) pair."""


@dataclass(frozen=True, slots=True)
class Languages:
    """The direction of translation, which the model has to be told."""

    source: str
    target: str


def languages_of(translation: Translation, title: str) -> Languages:
    """The direction of a translation."""
    source, target = translation.source_language, translation.target_language
    if source is None or target is None:
        raise NotApplicableError(
            f"{title} needs to know both languages", lacking=("source_language", "target_language")
        )
    return Languages(source, target)


def score_versions(
    paraphraser: Paraphraser, versions: Sequence[Aligned], languages: Languages
) -> Scores:
    """The probability of every segment of the versions, each text once."""
    pairs = dict.fromkeys(
        (here.text, there.text)
        for version in versions
        for here, there in zip(version.sources, version.targets, strict=True)
        if here.text and there.text
    )
    asked = (Pair(here, there, languages.target, languages.source) for here, there in pairs)
    scored = paraphraser.score(asked, long="split", total=len(pairs))
    return dict(zip(pairs, scored, strict=True))


def choice_findings(
    view: TranslationView, scores: Scores, phenomenon: Phenomenon
) -> Iterator[Finding]:
    """Occurrences whose rendering surprises the model enough for the phenomenon."""
    for renderings in view.renderings.values():
        for rendering in renderings:
            nats = surprise(view.aligned, rendering, scores)
            if nats is not None and nats >= LEAST[phenomenon]:
                note = f"{nats:.1f} nats"
                found = view.found(Phenomenon.TERMINOLOGY, rendering, rendering.tokens, note)
                yield replace(found, phenomenon=phenomenon, severity=min(nats / WORST, 1.0))


def surprise(aligned: Aligned, rendering: MarkableRendering, scores: Scores) -> float | None:
    """How much less probable the words of a rendering are than the rest, in nats per piece."""
    segment = rendering.occurrence.segment
    here, there = aligned.sources[segment], aligned.targets[segment]
    scored = scores.get((here.text, there.text))
    if scored is None:
        return None
    ranges = [(there.tokens[t].start, there.tokens[t].end) for t in rendering.tokens]
    sides: tuple[list[float], list[float]] = ([], [])
    for log_prob, (start, end) in zip(scored.log_probs, scored.offsets, strict=True):
        if start < end:
            inside = any(start < last and end > first for first, last in ranges)
            sides[inside].append(log_prob)
    rest, chosen = sides
    return fmean(rest) - fmean(chosen) if rest and chosen else None
