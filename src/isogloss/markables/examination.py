"""Markables of a test set, found and checked: what the metric and the command line share.

A system is judged by its own translation and the human references: what its competitors did does
not change its findings (``company="own"``). With ``company="all"`` aligner and lexicon learn from
all translations at once, which suits a small test set better, and the findings then depend on who
takes part.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.alignment.interface import Aligner
from isogloss.documents import Document, Translation
from isogloss.markables.aligned import Aligned, Reader, Version, Words, align_versions
from isogloss.markables.findings import View
from isogloss.markables.lexicon import SETTINGS, Lexicon, Settings
from isogloss.markables.markable import Markable, Term, markables_in
from isogloss.markables.proposal import Proposal, propose
from isogloss.spans import output_side, reference_side

CompanyName = Literal["own", "all"]


@dataclass(frozen=True)
class Examiner:
    """Finds markables and looks at translations of them."""

    aligner: Aligner
    source: Reader
    target: Reader
    count: int = 30
    terms: tuple[Term, ...] = ()
    company: CompanyName = "own"
    settings: Settings = SETTINGS

    def views(self, translations: Sequence[Translation]) -> Iterator[View]:
        """Each translation as the checks see it."""
        # An aligner may see its pairs in one order only, or the order would show in the links.
        documents = sorted({t.document.id: t.document for t in translations}.values(), key=_id)
        markables = {d.id: self.markables(d, versions) for d, versions in self._known(documents)}
        groups, found = self._groups(translations), dict[tuple[str, str], View]()
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
    ) -> Iterator[tuple[tuple[str, str], View]]:
        lexicon = Lexicon(markables, versions, self.settings)
        references = [version for version in versions if version.side.startswith("reference:")]
        for version in versions:
            if version not in references:
                view = View(version, lexicon, references[0] if references else None)
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
