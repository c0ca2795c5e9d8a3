"""All that a collection holds unsplit, cut to the segments of its source."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from isogloss.documents import Collection, Document, Segments, SystemOutput, Unsplit
from isogloss.errors import NotApplicableError
from isogloss.runtime import Runtime, Step
from isogloss.segmentation.cutting import Segmenter, segmenter
from isogloss.segmentation.sentences import sentence_places, splitter_name
from isogloss.wholes import Cut, WholeText

_PLAIN = Runtime()
_STEP = "cutting whole documents"


def split(
    collection: Collection,
    *,
    runtime: Runtime = _PLAIN,
    realign: bool = False,
    sentences: bool = False,
) -> Collection:
    """The collection with everything cut to the segments of the source.

    References go first, since they help to cut the rest. With `realign`, outputs that have as many
    segments as the source are joined and cut, too. With `sentences`, the source's segments are
    sentences, and all else is cut to them.
    """
    if sentences:
        collection = _in_sentences(collection)
    if realign:
        collection = _joined(collection)
    if not collection.unsplit:
        return collection
    cutting = _Cutting(runtime, all_anew=realign or sentences)
    return cutting.with_systems(cutting.with_references(collection))


def _in_sentences(collection: Collection) -> Collection:
    """The test set with sentences for segments, and all translations waiting to be cut to them."""
    testset = collection.testset
    if not testset.has_source:
        raise NotApplicableError("there is no source to split into sentences", lacking=["source"])
    documents = tuple(
        Document(d.id, _sentences(d.source, testset.source_language), {}, d.domain)
        for d in testset.documents
    )
    references = tuple(
        Unsplit(
            name,
            {d.id: WholeText.of_present(d.references[name]) for d in testset.documents},
            reference=True,
        )
        for name in testset.reference_names
    )
    bare = replace(testset, documents=documents, cut_by=splitter_name())
    waiting = (*references, *map(_whole, collection.outputs), *collection.unsplit)
    return Collection(bare, unsplit=waiting)


def _sentences(lines: Sequence[str], language: str | None) -> tuple[str, ...]:
    return tuple(
        line[start:end].strip()
        for line in lines
        for start, end in sentence_places(line, language) or ((0, len(line)),)
    )


def _joined(collection: Collection) -> Collection:
    """The collection with all outputs waiting to be cut."""
    waiting = (*map(_whole, collection.outputs), *collection.unsplit)
    return replace(collection, outputs=(), unsplit=waiting)


def _whole(output: SystemOutput) -> Unsplit:
    texts = {
        id: output.cuts[id].whole if id in output.cuts else WholeText.of_present(lines)
        for id, lines in output.documents.items()
    }
    return Unsplit(output.name, texts, human=output.human)


@dataclass(frozen=True, slots=True)
class _Cutting:
    """How whole texts are cut: also those whose parts are as many as the source's segments?"""

    runtime: Runtime
    all_anew: bool

    def with_references(self, collection: Collection) -> Collection:
        """The collection with its references cut."""
        references = [unsplit for unsplit in collection.unsplit if unsplit.reference]
        if not references:
            return collection
        testset = collection.testset
        cutter = segmenter(testset.source_language, testset.target_language, self.runtime)
        documents = []
        for document in self._told(testset.documents):
            cut = {r.name: _segments(self._cut(cutter, document, r), document) for r in references}
            documents.append(replace(document, references={**document.references, **cut}))
        testset = replace(testset, documents=tuple(documents), cut_by=cutter.name)
        systems = tuple(unsplit for unsplit in collection.unsplit if not unsplit.reference)
        return Collection(testset, collection.outputs, systems)

    def with_systems(self, collection: Collection) -> Collection:
        """The collection with its outputs cut."""
        testset, systems = collection.testset, collection.unsplit
        if not systems:
            return collection
        ours, theirs = testset.source_language, testset.target_language
        cutter = segmenter(ours if testset.has_source else theirs, theirs, self.runtime)
        cuts: dict[str, dict[str, Cut]] = {system.name: {} for system in systems}
        for document in self._told(testset.documents):
            frame = document if testset.has_source else _by_reference(document)
            for system in systems:
                cut = self._cut(cutter, frame, system)
                if cut is not None:
                    cuts[system.name][document.id] = cut
        outputs = (_output(each, cuts[each.name], testset.documents, cutter) for each in systems)
        return Collection(testset, (*collection.outputs, *outputs))

    def _cut(self, cutter: Segmenter, document: Document, unsplit: Unsplit) -> Cut | None:
        text = unsplit.texts[document.id]
        if text is None:
            return None
        if len(text.parts) == len(document) and not self.all_anew:
            return Cut.at_parts(text)
        return cutter.cut(document, text)

    def _told(self, documents: Sequence[Document]) -> Iterator[Document]:
        """One document after the other, and progress told in segments."""
        done, total = 0, sum(map(len, documents))
        for document in documents:
            yield document
            done += len(document)
            if self.runtime.progress:
                self.runtime.progress(Step(_STEP, done, total))


def _by_reference(document: Document) -> Document:
    """The document with its first reference in the place of the source that nobody gave."""
    for name, lines in document.references.items():
        others = {key: theirs for key, theirs in document.references.items() if key != name}
        return replace(document, source=tuple(line or "" for line in lines), references=others)
    raise NotApplicableError(
        "whole documents are cut to the segments of a source or a reference, and there is neither",
        lacking=["source", "reference"],
    )


def _segments(cut: Cut | None, document: Document) -> Segments:
    return (None,) * len(document) if cut is None else cut.segments


def _output(
    system: Unsplit, cuts: Mapping[str, Cut], documents: Sequence[Document], cutter: Segmenter
) -> SystemOutput:
    segments = {d.id: _segments(cuts.get(d.id), d) for d in documents}
    return SystemOutput(system.name, segments, system.human, cuts, cutter.name)
