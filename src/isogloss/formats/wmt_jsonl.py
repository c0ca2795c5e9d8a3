"""JSON lines of WMT25 and later: a whole document in each, of a source or of what a system made.

A source has ``doc_id``, ``src_text`` and perhaps ``refs`` (names to texts, or to objects with
``ref``), ``domain``, ``src_lang`` and ``tgt_lang``; a submission has ``doc_id`` and ``hypothesis``.
Ids tell languages and domains, too: ``WMT26_###_news_###_eng_Latn_###_rus_Cyrl_###_bbc.1`` of
WMT26, ``en-cs_CZ_#_news_#_bbc_1`` of WMT25. ``<p>``, ``<br>`` and line breaks stand between the
paragraphs of a text; those of the source are its segments.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.documents import Collection
from isogloss.errors import FormatError
from isogloss.formats.columns import role_of
from isogloss.formats.files import plain_stem
from isogloss.formats.jsonl import keys_of
from isogloss.formats.loose_files import Sides, of_sides
from isogloss.formats.paragraphs import in_paragraphs
from isogloss.formats.parts import Role
from isogloss.formats.places import Record, read_records
from isogloss.formats.protocol import (
    Direction,
    ReadOptions,
    Side,
    TestSetFormat,
    chosen_direction,
)
from isogloss.language import primary
from isogloss.wholes import WholeText

_ID_2026 = re.compile(r"(?P<set>.+?)_###_(?P<domain>.+?)_###_(?P<pair>.+?_###_.+?)_###_.+", re.S)
_ID_2025 = re.compile(r"(?P<pair>[a-z]{2,3}-[A-Za-z_]+)_#_(?P<domain>.+?)_#_.+", re.S)


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (every format has both)
    """An object with the text of a source, or a hypothesis without the source beside it."""
    keys = set(keys_of(head))
    return "src_text" in keys or ({"doc_id", "hypothesis"} <= keys and not _has_source(keys))


def _has_source(keys: Iterable[str]) -> bool:
    return "source" in map(role_of, keys)


@dataclass(frozen=True, slots=True)
class _Row:
    """One line: a document, and what the line or its id say about it."""

    record: Record
    id: str
    direction: Direction
    domain: str | None
    testset: str | None

    @classmethod
    def of(cls, record: Record) -> "_Row":
        id = record.get("doc_id", str)
        if not id:
            raise record.fault("'doc_id' is empty")
        told = _ID_2026.fullmatch(id) or _ID_2025.fullmatch(id)
        parts: Mapping[str, str] = told.groupdict() if told else {}
        source, _, target = re.sub("_###_", "-", parts.get("pair", "")).partition("-")
        direction = Direction(
            record.get("src_lang", str, needed=False) or source or None,
            record.get("tgt_lang", str, needed=False) or target or None,
        )
        domain = record.get("domain", str, needed=False) or parts.get("domain")
        return cls(record, id, direction, domain, parts.get("set"))

    def text(self, key: str) -> str | None:
        text: str | None = self.record.get(key, str, needed=False)
        return text

    def references(self) -> dict[str, str]:
        """The references that the line brings along, by name."""
        found = {}
        for name, given in (self.record.get("refs", dict, needed=False) or {}).items():
            text = given.get("ref") if isinstance(given, dict) else given
            if not name or not isinstance(text, str | None):
                what = f"is not a text: {text!r:.60}" if name else "has an empty name"
                raise self.record.fault(f"reference {name!r} {what}")
            if text is not None:
                found[name] = text
        return found


@dataclass(frozen=True, slots=True)
class _Documents:
    """The lines of a file that are of one language pair."""

    path: Path
    rows: Sequence[_Row]
    direction: Direction

    @classmethod
    def read(cls, path: Path, pair: str | None) -> "_Documents":
        rows = [_Row.of(record) for record in read_records(path)]
        found = dict.fromkeys(row.direction for row in rows)
        direction = chosen_direction(found, _as_written(pair, found), path)
        rows = [row for row in rows if row.direction == direction]
        _refuse_repeats(rows)
        return cls(path, rows, (pair and direction.within(pair)) or direction)

    def source(self) -> Side:
        """The source, with the references it brings along."""
        source = self._side("src_text", primary(self.direction.source))
        return replace(source, references=tuple(self._references()))

    def output(self) -> Side:
        """What a system made of the source."""
        return self._side("hypothesis", primary(self.direction.target))

    def _side(self, key: str, language: str | None) -> Side:
        rows = {row.id: row for row in self.rows if row.text(key) is not None}
        if not rows:
            raise self._lacks(key)
        texts = {id: in_paragraphs(row.text(key) or "") for id, row in rows.items()}
        sets = {row.testset for row in self.rows}
        return replace(
            Side.of_texts(self.path, texts, {id: row.domain for id, row in rows.items()}),
            language=language,
            testset=sets.pop() if len(sets) == 1 else None,
            pair=self.direction if None not in self.direction else None,
        )

    def _lacks(self, key: str) -> FormatError:
        what = "what a system handed in" if key == "src_text" else "a source"
        remedy = "sources are given as the source, submissions as systems' outputs"
        return FormatError(f"no line has {key!r}: this is {what}", path=self.path, remedy=remedy)

    def _references(self) -> Iterator[Side]:
        texts: dict[str, dict[str, WholeText]] = {}
        for row in self.rows:
            for name, text in row.references().items():
                texts.setdefault(name, {})[row.id] = in_paragraphs(text)
        language = primary(self.direction.target)
        for name, each in texts.items():
            yield replace(Side.of_texts(self.path, each), name=name, language=language)


def _refuse_repeats(rows: Iterable[_Row]) -> None:
    seen = set()
    for row in rows:
        if row.id in seen:
            raise row.record.fault(f"document {row.id!r} appears twice")
        seen.add(row.id)


def _as_written(pair: str | None, found: Iterable[Direction]) -> str | None:
    """The pair in the codes of the file: ``eng_Latn-rus_Cyrl`` for ``en-ru``."""
    if pair is None:
        return None
    source, _, target = pair.partition("-")
    wanted = primary(source), primary(target)
    same = [str(each) for each in found if (primary(each.source), primary(each.target)) == wanted]
    return same[0] if len(same) == 1 else pair


def read_side(path: Path, role: Role, options: ReadOptions) -> Side:
    """The source with the references it brings along, or what a system made of it."""
    documents = _Documents.read(path, options.pair)
    return documents.source() if role is Role.SOURCE else documents.output()


def read(path: Path, options: ReadOptions) -> Collection:
    """A test set with its references, and a system of the file's name if it holds one."""
    documents = _Documents.read(path, options.pair)
    translated = any(row.text("hypothesis") is not None for row in documents.rows)
    systems = {plain_stem(path): documents.output()} if translated else {}
    return of_sides(documents.source(), Sides(systems=systems), options)


FORMAT = TestSetFormat(
    name="wmt-jsonl",
    description="JSON lines of WMT25 and later, a whole document in each",
    recognises=recognises,
    read=read,
    read_side=read_side,
)
