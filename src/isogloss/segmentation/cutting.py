"""One document at a time: a whole text is cut to the segments of its source.

The source is taken sentence by sentence, and the text piece by piece. Every piece speaks for the
sentences that it is like, in the source and, where there are any, in the references; the way
through the text that fits best (`path`) tells which stretch renders which sentence, and what was
left out or added.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from isogloss.arrays import one_core_a_product
from isogloss.documents import Document, Segments
from isogloss.model import DEFAULT_MODEL, find_model, open_model
from isogloss.runtime import Runtime
from isogloss.segmentation.anchors import Passage, blocks
from isogloss.segmentation.matching import matched
from isogloss.segmentation.outputs import OutputPieces, output_pieces
from isogloss.segmentation.placing import cut_at_lines, cut_by
from isogloss.segmentation.readers import ModelReader, PieceReader, SpellingReader
from isogloss.segmentation.sentences import splitter_name
from isogloss.segmentation.sources import SourceText, read_source
from isogloss.segmentation.strays import settled
from isogloss.wholes import Cut, WholeText

_VERSION = "v1"
_PLAIN = Runtime()


@dataclass(frozen=True)
class Segmenter:
    """Cuts texts to the segments of documents, both as `reader` reads them."""

    source_language: str | None
    target_language: str | None
    reader: PieceReader

    @property
    def name(self) -> str:
        """All that decides where a text is cut besides the texts: it goes into signatures."""
        return "+".join((self.reader.name, splitter_name(), _VERSION))

    def cut(self, document: Document, whole: WholeText) -> Cut:
        """The text, cut to the document's segments."""
        source, output = self._source(document), self._output(whole)
        with one_core_a_product():
            found = settled(matched(source, output, blocks(source, output)), source, output)
        return cut_by(found, source, output, whole, len(document))

    def examined(self, document: Document, lines: Segments) -> Cut:
        """A text that was handed in as segments: as it is, with what it leaves out or adds."""
        whole = WholeText.of_lines([line or "" for line in lines])
        source = replace(self._source(document), references=())
        output = self._output(whole)
        with one_core_a_product():
            lines_apart = _line_by_line(source, output, whole)
            found = settled(matched(source, output, lines_apart), source, output)
        return cut_at_lines(found, source, output, whole)

    def _source(self, document: Document) -> SourceText:
        return _read(self.reader, document, self.source_language, self.target_language)

    def _output(self, whole: WholeText) -> OutputPieces:
        return output_pieces(whole, self.reader, self.target_language)


# The systems' outputs of a document come one after the other.
@lru_cache(maxsize=4)
def _read(
    reader: PieceReader,
    document: Document,
    source_language: str | None,
    target_language: str | None,
) -> SourceText:
    return read_source(document, reader, source_language, target_language)


def _line_by_line(
    source: SourceText, output: OutputPieces, whole: WholeText
) -> tuple[Passage, ...]:
    """Each segment's sentences with the pieces of its line."""
    found = []
    for segment, (start, end) in enumerate(whole.parts):
        found.append(Passage(source.of_segment(segment), output.between(start, end)))
    return tuple(found)


def segmenter(
    source_language: str | None,
    target_language: str | None,
    runtime: Runtime = _PLAIN,
    model: str = DEFAULT_MODEL,
) -> Segmenter:
    """What cuts texts in these languages.

    The model reads them where it knows both languages, else their spelling has to do.
    """
    reader: PieceReader = ModelReader(open_model(find_model(model), None, runtime))
    if not (reader.knows(source_language) and reader.knows(target_language)):
        reader = SpellingReader()
    return Segmenter(source_language, target_language, reader)
