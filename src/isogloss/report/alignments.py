"""Word alignment as a layer: point at a word, see what it became."""

from collections.abc import Iterator, Sequence

from isogloss.alignment.interface import Aligner
from isogloss.alignment.links import SegmentAlignment
from isogloss.documents import Collection
from isogloss.language.catalogue import tokeniser
from isogloss.language.interface import Token
from isogloss.report.evidence import LayerSource
from isogloss.report.model import Layer
from isogloss.spans import SOURCE, Evidence, Span, output_side

_REASON = "aligned"


def alignment_layer(collection: Collection, aligner: Aligner) -> Iterator[LayerSource]:
    """The links between the source and every output; nothing where no word is linked."""
    testset = collection.testset
    of_source = tokeniser(testset.source_language)
    of_output = tokeniser(testset.target_language)
    words = {
        document.id: [of_source.tokenise(text) for text in document.source]
        for document in testset.documents
    }
    # All systems at once: a statistical aligner learns from everything that it aligns.
    places = [
        (output.name, id, segment, of_output.tokenise(text))
        for output in collection.outputs
        for id, segments in output.documents.items()
        for segment, text in enumerate(segments)
        if text is not None
    ]
    pairs = [
        ([token.text for token in words[id][segment]], [token.text for token in tokens])
        for _, id, segment, tokens in places
    ]
    found: dict[tuple[str, str], list[Evidence]] = {}
    for (system, id, segment, tokens), links in zip(places, aligner.align(pairs), strict=True):
        evidence = _evidence(id, system, segment, words[id][segment], tokens, links)
        found.setdefault((system, id), []).extend(evidence)
    if any(found.values()):
        yield LayerSource(Layer("alignment", "links", False, (_REASON,), 0), found)


def _evidence(
    document: str,
    system: str,
    segment: int,
    source: Sequence[Token],
    output: Sequence[Token],
    alignment: SegmentAlignment,
) -> Iterator[Evidence]:
    """Every linked source word with the words that translate it."""
    for word, targets in alignment.targets().items():
        spans = [Span(document, SOURCE, segment, source[word].start, source[word].end)]
        spans += [
            Span(document, output_side(system), segment, output[t].start, output[t].end)
            for t in targets
        ]
        yield Evidence(_REASON, tuple(spans))
