"""All that a collection holds unsplit, cut to the segments of its source."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

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
    references = [unsplit for unsplit in collection.unsplit if unsplit.reference]
    systems = [unsplit for unsplit in collection.unsplit if not unsplit.reference]
    with_references = _with_references(collection, references, runtime)
    return _with_systems(with_references, systems, runtime)


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
            {
                d.id: WholeText.of_lines([line or "" for line in d.references[name]])
                for d in testset.documents
                if None not in d.references[name]
            },
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
    waiting = (*collection.unsplit, *map(_whole, collection.outputs))
    return replace(collection, outputs=(), unsplit=waiting)


def _whole(output: SystemOutput) -> Unsplit:
    texts = {
        id: WholeText.of_lines([line or "" for line in lines])
        for id, lines in output.documents.items()
        if None not in lines
    }
    return Unsplit(output.name, texts, human=output.human)


def _with_references(
    collection: Collection, references: Sequence[Unsplit], runtime: Runtime
) -> Collection:
    if not references:
        return collection
    testset = collection.testset
    cutter = segmenter(testset.source_language, testset.target_language, runtime)
    documents = []
    for number, document in enumerate(testset.documents):
        cut = {r.name: _segments(_cut(cutter, document, r), document) for r in references}
        documents.append(replace(document, references={**document.references, **cut}))
        _tell(runtime, number + 1, len(testset.documents))
    testset = replace(testset, documents=tuple(documents), cut_by=cutter.name)
    systems = tuple(unsplit for unsplit in collection.unsplit if not unsplit.reference)
    return Collection(testset, collection.outputs, systems)


def _with_systems(
    collection: Collection, systems: Sequence[Unsplit], runtime: Runtime
) -> Collection:
    if not systems:
        return collection
    testset = collection.testset
    target = testset.target_language
    cutter = segmenter(testset.source_language if testset.has_source else target, target, runtime)
    cuts: dict[str, dict[str, Cut]] = {system.name: {} for system in systems}
    for number, document in enumerate(testset.documents):
        frame = document if testset.has_source else _by_reference(document)
        for system in systems:
            cut = _cut(cutter, frame, system)
            if cut is not None:
                cuts[system.name][document.id] = cut
        _tell(runtime, number + 1, len(testset.documents))
    outputs = [_output(system, cuts[system.name], testset.documents, cutter) for system in systems]
    return Collection(testset, (*collection.outputs, *outputs))


def _by_reference(document: Document) -> Document:
    """The document with its first reference in the place of the source that nobody gave."""
    for name, lines in document.references.items():
        others = {key: theirs for key, theirs in document.references.items() if key != name}
        return replace(document, source=tuple(line or "" for line in lines), references=others)
    raise NotApplicableError(
        "whole documents are cut to the segments of a source or a reference, and there is neither",
        lacking=["source", "reference"],
    )


def _cut(cutter: Segmenter, document: Document, unsplit: Unsplit) -> Cut | None:
    text = unsplit.texts.get(document.id)
    return None if text is None else cutter.cut(document, text)


def _segments(cut: Cut | None, document: Document) -> Segments:
    return (None,) * len(document) if cut is None else cut.segments


def _output(
    system: Unsplit, cuts: Mapping[str, Cut], documents: Sequence[Document], cutter: Segmenter
) -> SystemOutput:
    segments = {d.id: _segments(cuts.get(d.id), d) for d in documents}
    return SystemOutput(system.name, segments, system.human, cuts, cutter.name)


def _tell(runtime: Runtime, done: int, total: int) -> None:
    if runtime.progress:
        runtime.progress(Step(_STEP, done, total))
