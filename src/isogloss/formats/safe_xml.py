"""XML from strangers: parsed without entities, files or networks, and with lines for messages."""

import re
from collections.abc import Collection
from pathlib import Path

from lxml import etree

from isogloss.errors import FormatError
from isogloss.formats.files import read_text

Element = etree._Element

_LAST_SMALL_LINE = 65535
# Possessive and only from where a gap begins: a failed match must not be tried again within it.
_LINE_BREAK = re.compile(r"(?<![ \t\r])[ \t\r]*+\n[ \t\r\n]*+")


def parsed(path: Path) -> Element:
    """The first element of a file, comments and instructions left out."""
    text = read_text(path)
    # A few declared entities can unfold into gigabytes, and this parser may not limit size.
    if (place := text.find("<!ENTITY")) >= 0:
        line = text.count("\n", 0, place) + 1
        remedy = "write out what the entity stands for"
        raise FormatError("an entity declaration", path=path, line=line, remedy=remedy)
    parser = etree.XMLParser(
        encoding="utf-8",  # what it was decoded from, whatever the file may say
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        what = f"not XML at column {column}: {error.msg.rpartition(', line ')[0]}"
        raise FormatError(what, path=path, line=line) from None


def line_of(element: Element) -> int | None:
    """The line on which an element begins."""
    line = element.sourceline
    if line is None or line < _LAST_SMALL_LINE:
        return line
    # Beyond, libxml2 numbers only texts, by their end, and tells the first text from here on.
    if element.text:
        return line - element.text.count("\n")
    return line_of(element[0]) if len(element) else line - (element.tail or "").count("\n")


def shown(element: Element) -> str:
    """The element as a message calls it."""
    # An entity that nobody declared is a node whose tag is a function.
    return f"<{element.tag}>" if isinstance(element.tag, str) else f"{element.text}"


def local(element: Element) -> str:
    """The element's name without its namespace."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def children(element: Element, name: str) -> list[Element]:
    """Those of its own children that have this name, in whatever namespace."""
    return [child for child in element if local(child) == name]


def text_within(path: Path, element: Element, kept: Collection[str]) -> str:
    """An element's text, that of the elements named here included, that of others left out.

    White space around it is no part of it, and a line break within it counts as a space.
    """
    pieces = [element.text or ""]
    inner = etree.iterwalk(element, events=("start", "end"))
    for event, each in inner:
        if not isinstance(each.tag, str):
            remedy = "write out what the entity stands for"
            what = f"an entity that nobody declared: {shown(each)}"
            raise FormatError(what, path=path, line=line_of(element), remedy=remedy)
        if each is element:
            continue
        if event == "end":
            pieces.append(each.tail or "")
        elif local(each) in kept:
            pieces.append(each.text or "")
        else:
            inner.skip_subtree()
    return _LINE_BREAK.sub(" ", "".join(pieces).strip())
