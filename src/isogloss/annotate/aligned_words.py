"""For each place of a markable the words that stand for it in every translation, by an aligner.

They are what annotators see highlighted in phase 2, and may set right. Nothing is loaded before the
organiser releases markables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from isogloss.alignment.catalogue import aligner
from isogloss.annotate.store import Store
from isogloss.documents import Document
from isogloss.markables.aligned import Aligned, Reader, Version, align_versions
from isogloss.markables.markable import Markable
from isogloss.spans import Span, output_side, reference_side

Places = list[list[tuple[int, int]]]
"""Occurrence by occurrence, the places of the words in the output."""

Alignments = dict[tuple[str, str], dict[str, Places]]
"""By document and head of the markable: the places, by system."""


def aligned_words(store: Store, markables: Sequence[Markable]) -> Alignments:
    """The words that stand for these markables, document by document."""
    found: Alignments = {}
    for aligned in aligned_texts(store):
        for markable in markables:
            if markable.document == aligned.document.id:
                places = [_places(aligned, span) for span in markable.occurrences]
                found.setdefault((markable.document, markable.head), {})[aligned.system] = places
    return found


def aligned_texts(store: Store, *, references: bool = False) -> list[Aligned]:
    """Every translation of every document with its links; references too if they are wanted."""
    texts = {id: store.text(id) for id in store.documents()}
    found: list[Aligned] = []
    for direction in sorted({_direction(text) for text in texts.values()}, key=str):
        own = [text for text in texts.values() if _direction(text) == direction]
        versions = [v for text in own for v in _versions(text, references=references)]
        found += _aligned(versions, *direction)
    return found


def _direction(text: Mapping[str, Any]) -> tuple[str | None, str | None]:
    return text["source_language"], text["target_language"]


def _versions(text: Mapping[str, Any], *, references: bool) -> list[Version]:
    document = Document(text["id"], tuple(text["source"]))
    outputs = text["outputs"]
    versions = [
        Version(document, system, output_side(system), tuple(lines))
        for system, lines in outputs.items()
    ]
    if references:
        versions += [
            Version(document, name, reference_side(name), tuple(lines))
            for name, lines in text.get("references", {}).items()
            if name not in outputs
        ]
    return versions


def _aligned(versions: Sequence[Version], source: str | None, target: str | None) -> list[Aligned]:
    chosen = aligner(source_language=source, target_language=target)
    return align_versions(versions, chosen, Reader(source).read, Reader(target).read)


def _places(aligned: Aligned, span: Span) -> list[tuple[int, int]]:
    """The linked words, neighbours joined to one place."""
    words = aligned.sources[span.segment].within(span.start, span.end)
    tokens = aligned.targets[span.segment].tokens
    places: list[tuple[int, int]] = []
    previous = None
    for index in aligned.linked(span.segment, words):
        if previous is not None and index == previous + 1:
            places[-1] = places[-1][0], tokens[index].end
        else:
            places.append((tokens[index].start, tokens[index].end))
        previous = index
    return places
