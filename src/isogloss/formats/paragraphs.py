"""Paragraphs of a document that stands in one text: what ``<p>``, ``<br>`` and line breaks part."""

import re

from isogloss.wholes import WholeText

_PARAGRAPH = re.compile(r"(?i)</?p(?:\s[^<>]*+)?>|<br\s*+/?>|\r?\n|\r")


def in_paragraphs(text: str) -> WholeText:
    """A text whose parts are its paragraphs, white space around them left out."""
    edges = [0]
    for mark in _PARAGRAPH.finditer(text):
        edges += mark.span()
    edges.append(len(text))
    stretches = (_stripped(text, *each) for each in zip(edges[::2], edges[1::2], strict=True))
    return WholeText(text, tuple((start, end) for start, end in stretches if start < end))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end]
    start += len(inner) - len(inner.lstrip())
    return start, start + len(inner.strip())
