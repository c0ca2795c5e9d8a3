"""Test sets, documents and the systems that translated them.

A `TestSet` is an ordered set of documents, each with its source segments and any number of named
references. A `SystemOutput` is what one system (or one human) made of them. A `Collection` puts
both together: it checks once that every document and every segment has its partner, and after
that nobody needs to check again. A segment that is `None` is *absent* (this reference or system
does not cover it), which is not the same as an empty string. What was handed in with other segments
than the source has waits in the collection as `Unsplit`, until it is cut (`isogloss.segmentation`).
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from isogloss.digest import add_texts
from isogloss.errors import InputError, MismatchError
from isogloss.frozen import FrozenMapping
from isogloss.wholes import Cut, WholeText

Segments = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its source segments and its references, segment by segment.

    `labels` are what its segments are called where they come from, such as the times of subtitles.
    """

    id: str
    source: tuple[str, ...]
    references: Mapping[str, Segments] = field(default_factory=dict)
    domain: str | None = None
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "source", tuple(self.source))
        frozen = FrozenMapping({name: tuple(lines) for name, lines in self.references.items()})
        object.__setattr__(self, "references", frozen)
        if not self.id:
            raise InputError("a document has an empty id; give every document a name")
        if not self.source:
            raise InputError(f"document {self.id!r} has no segments")
        for name, lines in frozen.items():
            _check_length(f"reference {name!r}", self, lines)
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(self.labels))
            _check_length("its labels", self, self.labels)

    def __len__(self) -> int:
        return len(self.source)


def _check_length(side: str, document: Document, lines: Sequence[str | None]) -> None:
    if len(lines) != len(document):
        raise MismatchError(
            f"{side}: document {document.id!r} has {counted(len(lines), 'segment')}, "
            f"the source has {len(document)}"
        )


def counted(number: int, noun: str) -> str:
    """'1 line', '2 lines': for messages."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(frozen=True, slots=True)
class TestSet:
    """An ordered set of documents in one translation direction.

    Languages are BCP 47 codes such as ``en`` or ``zh``; `None` means that nobody said, and a
    metric that needs to know will ask. Every document lists the same reference names: one that
    lacks a reference has `None` for each of its segments. Where nobody gave a source
    (`has_source`), its segments are empty, and metrics that read it do not apply. `cut_by` is who
    cut references that had been handed in whole, or paragraphs of the source into sentences.
    """

    __test__ = False  # the name begins with "Test", but pytest has nothing to collect here

    name: str
    source_language: str | None
    target_language: str | None
    documents: tuple[Document, ...]
    has_source: bool = True
    cut_by: str | None = None

    def __post_init__(self) -> None:
        documents = tuple(self.documents)
        if not documents:
            raise InputError(f"test set {self.name!r} has no documents")
        _refuse_repeats((document.id for document in documents), f"test set {self.name!r}")
        names = list(dict.fromkeys(name for d in documents for name in d.references))
        object.__setattr__(self, "documents", tuple(_with_all(d, names) for d in documents))

    @property
    def reference_names(self) -> tuple[str, ...]:
        return tuple(self.documents[0].references)

    @property
    def segment_count(self) -> int:
        return sum(len(document) for document in self.documents)

    def document(self, id: str) -> Document:
        """The document of that id."""
        for document in self.documents:
            if document.id == id:
                return document
        raise InputError(f"test set {self.name!r} has no document {id!r}")

    def with_references(self, names: Iterable[str]) -> "TestSet":
        """The same test set with these references only, in this order."""
        names = list(names)
        lacks = f"test set {self.name!r} has no reference"
        _refuse_unknown(names, self.reference_names, lacks, "it has")
        documents = (
            replace(d, references={name: d.references[name] for name in names})
            for d in self.documents
        )
        return replace(self, documents=tuple(documents))

    def with_documents(self, ids: Iterable[str]) -> "TestSet":
        """The same test set with these documents only, in this order."""
        return replace(self, documents=tuple(self.document(id) for id in ids))

    def digest(self) -> str:
        """SHA-256 over everything a score can depend on: texts, document ids, languages."""
        sha = hashlib.sha256()
        add_texts(sha, self._all_texts())
        return sha.hexdigest()

    def _all_texts(self) -> Iterator[str | None]:
        yield from (self.source_language, self.target_language)
        for document in self.documents:
            yield from (document.id, document.domain, *document.source)
            for name, lines in document.references.items():
                yield from (name, *lines)


def _with_all(document: Document, names: Sequence[str]) -> Document:
    """The document with a (possibly absent) text for every reference name, in one order."""
    if list(document.references) == list(names):
        return document
    absent: Segments = (None,) * len(document)
    return replace(
        document, references={name: document.references.get(name, absent) for name in names}
    )


def _refuse_repeats(names: Iterable[str], owner: str, noun: str = "document") -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{owner}: {noun} {name!r} appears twice")
        seen.add(name)


def _refuse_unknown(names: Iterable[str], known: Sequence[str], lacks: str, has: str) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"{lacks} {name!r}; {has}: {', '.join(known) or 'none'}")


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """What one system made of a test set: its segments by document id.

    `human` flags a reference that is scored as if it were a system, so that people and machines
    are never mixed in a ranking or a correlation. Of documents that were handed in whole, `cuts`
    tells where the segments stand in them, and `cut_by` who cut them.
    """

    name: str
    documents: Mapping[str, Segments]
    human: bool = False
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    cut_by: str | None = None

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a system has an empty name")
        frozen = FrozenMapping({id: tuple(lines) for id, lines in self.documents.items()})
        object.__setattr__(self, "documents", frozen)
        object.__setattr__(self, "cuts", FrozenMapping(self.cuts))


@dataclass(frozen=True, slots=True)
class Unsplit:
    """What a system, or a reference, handed in with other segments than the source has.

    A document that it lacks is `None`. A text with as many parts as its document has segments is
    not to be cut otherwise: its parts are those segments (`Cut.at_parts`).
    """

    name: str
    texts: Mapping[str, WholeText | None]
    reference: bool = False
    human: bool = False

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError(f"a {self.role} has an empty name")
        object.__setattr__(self, "texts", FrozenMapping(self.texts))

    @property
    def role(self) -> str:
        """What it is in its collection, in a word."""
        return "reference" if self.reference else "system"


@dataclass(frozen=True, slots=True)
class Translation:
    """One document as one system translated it: what a metric measures."""

    document: Document
    system: str
    output: Segments
    source_language: str | None = None
    target_language: str | None = None
    cut: Cut | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Collection:
    """A test set with the systems that translated it, known to fit together.

    `unsplit` are the systems and references that have to be cut first.
    """

    testset: TestSet
    outputs: tuple[SystemOutput, ...] = ()
    unsplit: tuple[Unsplit, ...] = ()

    def __post_init__(self) -> None:
        _refuse_repeats(self.all_system_names, "collection", "system")
        _refuse_repeats(self.all_reference_names, "collection", "reference")
        paired = tuple(_paired(self.testset, output) for output in self.outputs)
        object.__setattr__(self, "outputs", paired)
        waiting = tuple(_paired_texts(self.testset, unsplit) for unsplit in self.unsplit)
        object.__setattr__(self, "unsplit", waiting)

    def __repr__(self) -> str:
        testset = self.testset
        languages = f"{testset.source_language or '?'} → {testset.target_language or '?'}"
        counts = f"{counted(len(testset.documents), 'document')}, " + counted(
            testset.segment_count, "segment"
        )
        references = ", ".join(testset.reference_names) or "none"
        waiting = ", ".join(f"{unsplit.role} {unsplit.name}" for unsplit in self.unsplit)
        return (
            f"Collection {testset.name}, {languages}: {counts}; reference: {references}\n"
            f"systems: {', '.join(self.system_names) or 'none'}"
            + (f"\nnot split like the source: {waiting}" if waiting else "")
        )

    @property
    def system_names(self) -> tuple[str, ...]:
        return tuple(output.name for output in self.outputs)

    @property
    def all_system_names(self) -> tuple[str, ...]:
        """The systems, those included that have to be cut first."""
        return *self.system_names, *(u.name for u in self.unsplit if not u.reference)

    @property
    def all_reference_names(self) -> tuple[str, ...]:
        """The references, likewise."""
        return *self.testset.reference_names, *(u.name for u in self.unsplit if u.reference)

    def translations(self, output: SystemOutput) -> Iterator[Translation]:
        """The output's documents in the order of the test set."""
        languages = self.testset.source_language, self.testset.target_language
        for document in self.testset.documents:
            lines, cut = output.documents[document.id], output.cuts.get(document.id)
            yield Translation(document, output.name, lines, *languages, cut)

    def with_systems(self, names: Iterable[str]) -> "Collection":
        """The same test set with these systems only, in this order."""
        names = list(names)
        _refuse_unknown(names, self.all_system_names, "there is no system", "there are")
        outputs = {output.name: output for output in self.outputs}
        waiting = {unsplit.name: unsplit for unsplit in self.unsplit if not unsplit.reference}
        return replace(
            self,
            outputs=tuple(outputs[name] for name in names if name in outputs),
            unsplit=(
                *(unsplit for unsplit in self.unsplit if unsplit.reference),
                *(waiting[name] for name in names if name in waiting),
            ),
        )

    def with_documents(self, ids: Iterable[str]) -> "Collection":
        """The same systems on these documents only, in this order."""
        testset = self.testset.with_documents(ids)
        kept = [document.id for document in testset.documents]
        outputs = (
            replace(
                output,
                documents={id: output.documents[id] for id in kept},
                cuts={id: output.cuts[id] for id in kept if id in output.cuts},
            )
            for output in self.outputs
        )
        unsplit = (replace(u, texts={id: u.texts[id] for id in kept}) for u in self.unsplit)
        return Collection(testset, tuple(outputs), tuple(unsplit))

    def with_references(self, names: Iterable[str]) -> "Collection":
        """The same systems against these references only."""
        names = list(names)
        lacks = f"test set {self.testset.name!r} has no reference"
        _refuse_unknown(names, self.all_reference_names, lacks, "it has")
        waiting = {unsplit.name: unsplit for unsplit in self.unsplit if unsplit.reference}
        return replace(
            self,
            testset=self.testset.with_references(name for name in names if name not in waiting),
            unsplit=(
                *(waiting[name] for name in names if name in waiting),
                *(unsplit for unsplit in self.unsplit if not unsplit.reference),
            ),
        )


def _paired(testset: TestSet, output: SystemOutput) -> SystemOutput:
    """The output with its documents in test-set order, once they are known to fit."""
    side = f"system {output.name!r}"
    _check_documents(side, testset, output.documents)
    for document in testset.documents:
        _check_length(side, document, output.documents[document.id])
    if list(output.documents) == [document.id for document in testset.documents]:
        return output
    ordered = {document.id: output.documents[document.id] for document in testset.documents}
    return replace(output, documents=ordered)


def _paired_texts(testset: TestSet, unsplit: Unsplit) -> Unsplit:
    """The texts in test-set order, once each is known to have its document."""
    _check_documents(f"{unsplit.role} {unsplit.name!r}", testset, unsplit.texts)
    return replace(unsplit, texts={d.id: unsplit.texts[d.id] for d in testset.documents})


def _check_documents(side: str, testset: TestSet, given: Mapping[str, object]) -> None:
    known = {document.id for document in testset.documents}
    for id in given:
        if id not in known:
            raise MismatchError(f"{side}: document {id!r} is not in test set {testset.name!r}")
    for document in testset.documents:
        if document.id not in given:
            raise MismatchError(
                f"{side}: document {document.id!r} is missing; if that is intended, "
                "allow missing documents",
                lacking=["allow_missing"],
            )


def with_absent_documents(testset: TestSet, output: SystemOutput) -> SystemOutput:
    """The output with `None` segments for every document that it does not have."""
    documents: dict[str, Segments] = {
        document.id: output.documents.get(document.id, (None,) * len(document))
        for document in testset.documents
    }
    strangers = {id: lines for id, lines in output.documents.items() if id not in documents}
    return replace(output, documents=documents | strangers)


def lone_document_ids(count: int) -> list[str]:
    """Ids for segments that are documents of their own: ``line-01`` ... ``line-12``.

    Where nobody says where documents begin, each segment is one: without boundaries no segment
    may serve as context for another.
    """
    width = len(str(count))
    return [f"line-{number:0{width}d}" for number in range(1, count + 1)]
