"""The lists of ``isogloss markables propose`` and ``check``: terms, and what is wrong with them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

from isogloss.alignment import aligner as named_aligner
from isogloss.cli.grid import Grid
from isogloss.cli.output import Record, Result
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.metrics.markables import (
    Aligned,
    Finding,
    Markables,
    Proposal,
    Term,
    TranslationView,
    Version,
    WordReader,
    align_versions,
    propose,
)
from isogloss.signature import OptionValue
from isogloss.spans import Span, output_side, reference_side

_AROUND = 25  # characters shown on either side of a place


def proposal_result(collection: Collection, count: int, aligner: str) -> Result:
    """The proposals for every document of the collection."""
    grids, records = [], []
    versions = _aligned(collection, aligner)
    for document in collection.testset.documents:
        here = [version for version in versions if version.document is document]
        found = propose(here, count)
        grids.append(_proposal_grid(document.id, found))
        records += [_proposal_record(rank, p) for rank, p in enumerate(found, 1)]
    return Result(grids, records)


def _aligned(collection: Collection, aligner: str) -> list[Aligned]:
    """All translations of the test set, the references too."""
    testset = collection.testset
    languages = testset.source_language, testset.target_language
    versions = [
        Version(document, output.name, output_side(output.name), output.documents[document.id])
        for document in testset.documents
        for output in collection.outputs
    ]
    versions += [
        Version(document, name, reference_side(name), segments)
        for document in testset.documents
        for name, segments in document.references.items()
    ]
    if not versions:
        raise InputError("there is no translation to propose markables by; give one at least")
    links = named_aligner(aligner, source_language=languages[0], target_language=languages[1])
    read = WordReader(languages[0]).read, WordReader(languages[1]).read
    return align_versions(versions, links, *read)


def _proposal_grid(document: str, found: Sequence[Proposal]) -> Grid:
    rows = [
        [
            proposal.markable.head,
            str(len(proposal.markable.occurrences)),
            f"{proposal.within:.2f}",
            f"{proposal.across:.2f}",
            ", ".join(islice((r for r in proposal.renderings if r), 4)),
            ", ".join(proposal.merged),
        ]
        for proposal in found
    ]
    headings = ["markable", "times", "within", "across", "rendered as", "shares them with"]
    notes = ["within, across: entropy in bits of its renderings in one translation, and over all"]
    return Grid(f"{document}: proposed markables", headings, rows, notes, frozenset((1, 2, 3)))


def _proposal_record(rank: int, proposal: Proposal) -> Record:
    return {
        "document": proposal.markable.document,
        "rank": rank,
        "markable": proposal.markable.head,
        "occurrences": len(proposal.markable.occurrences),
        "score": proposal.score,
        "within": proposal.within,
        "across": proposal.across,
        "renderings": {name or "-": times for name, times in proposal.renderings.items()},
        "merged": list(proposal.merged),
        "places": [[s.segment, s.start, s.end] for s in proposal.markable.occurrences],
    }


def check_result(
    collection: Collection,
    document: str | None,
    options: Mapping[str, OptionValue],
    terms: tuple[Term, ...],
) -> Result:
    """What is wrong with the markables of one document, or of all, worst first."""
    testset = collection.testset
    metric = replace(
        Markables.configured(options, testset.source_language, testset.target_language),
        terms=terms,
    )
    if document is not None:
        testset.document(document)  # an unknown one is told at once
    translations = [t for output in collection.outputs for t in collection.translations(output)]
    found = [
        (view, finding)
        for view, findings in metric.examined(translations)
        for finding in findings
        if document is None or view.aligned.document.id == document
    ]
    found.sort(key=lambda pair: (-pair[1].severity, pair[1].occurrence, pair[0].aligned.system))
    return Result([_check_grid(found)], [_check_record(*pair) for pair in found])


def _check_grid(found: Sequence[tuple[TranslationView, Finding]]) -> Grid:
    rows = [
        [
            f"{finding.severity:.2f}",
            finding.phenomenon.value,
            view.aligned.system,
            f"{view.aligned.document.id}:{finding.occurrence.segment + 1}",
            _context(view.aligned.document.source, finding.occurrence),
            _there(view, finding),
            finding.note,
        ]
        for view, finding in found
    ]
    headings = ["severity", "phenomenon", "system", "place", "source", "translation", "note"]
    title = f"{len(found):,} findings, worst first"
    return Grid(title, headings, rows, [], frozenset((0,)), together=6)


def _there(view: TranslationView, finding: Finding) -> str:
    if not finding.places:
        return "–"
    texts = [words.text for words in view.aligned.targets]
    first, last = finding.places[0], finding.places[-1]
    return _context(texts, replace(first, end=max(first.end, last.end)))


def _context(segments: Sequence[str], span: Span) -> str:
    """The words of a span in brackets, with a little text on either side."""
    text = segments[span.segment]
    before, behind = text[: span.start][-_AROUND:], text[span.end :][:_AROUND]
    left = "…" if span.start > _AROUND else ""
    right = "…" if len(text) - span.end > _AROUND else ""
    return f"{left}{before}[{text[span.start : span.end]}]{behind}{right}"


def _check_record(view: TranslationView, finding: Finding) -> Record:
    span = finding.occurrence
    return {
        "document": span.document,
        "segment": span.segment,
        "system": view.aligned.system,
        "phenomenon": finding.phenomenon.value,
        "severity": finding.severity,
        "markable": finding.markable.head,
        "source": [span.start, span.end],
        "places": [[place.start, place.end] for place in finding.places],
        "note": finding.note,
    }
