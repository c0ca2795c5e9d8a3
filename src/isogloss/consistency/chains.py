"""Lexical chains: the occurrences of a source word that a translation renders alike.

A data set of them says which repeated words *must* be translated alike: true consistency, in the
words of Lei et al. (2024). The file form is JSON lines, one chain a line::

    {"id": "news-1:3", "document": "news-1", "word": "漂浮", "translation": "floating",
     "part": "VERB", "items": [{"segment": 0, "token": 10, "start": 17, "end": 19}, ...]}

Items may also carry ``targets`` (places in the translation) and the sentences themselves
(``source``, ``target``), so that an annotator needs no other file.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isogloss.consistency.mentions import Place
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_lines, write_lines
from isogloss.notation import in_words, json_value


@dataclass(frozen=True, slots=True)
class ChainItem:
    """One occurrence: its segment and token, and its place in the segment's text."""

    segment: int
    token: int
    start: int
    end: int
    targets: tuple[tuple[int, int], ...] = ()
    source: str | None = None
    target: str | None = None

    @property
    def place(self) -> Place:
        return Place(self.segment, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Chain:
    """A word of a document, its one translation, and the places where it stands."""

    id: str
    document: str
    word: str
    translation: str
    items: tuple[ChainItem, ...]
    part: str | None = None

    @property
    def pair_count(self) -> int:
        return len(self.items) * (len(self.items) - 1) // 2

    def without(self, flexible: AbstractSet[int]) -> "Chain | None":
        """The chain of the other items; `None` if fewer than two are left."""
        kept = tuple(item for index, item in enumerate(self.items) if index not in flexible)
        return replace(self, items=kept) if len(kept) > 1 else None


def chains_digest(chains: Iterable[Chain]) -> str:
    """A short digest of all that decides a score: documents, words and places."""
    told = [[c.document, c.word, [list(item.place) for item in c.items]] for c in chains]
    text = json.dumps(sorted(told), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_chains(path: Path) -> tuple[Chain, ...]:
    """The chains of a file in JSON lines."""
    chains = tuple(_chain(path, number, line) for number, line in enumerate(read_lines(path), 1))
    seen: dict[str, int] = {}
    for number, chain in enumerate(chains, 1):
        if seen.setdefault(chain.id, number) != number:
            raise FormatError(
                f"chain {chain.id!r} stands in line {seen[chain.id]} already",
                path=path,
                line=number,
            )
    return chains


def write_chains(path: Path, chains: Iterable[Chain]) -> None:
    """Write chains as JSON lines."""
    write_lines(path, (json.dumps(_as_json(chain), ensure_ascii=False) for chain in chains))


def _as_json(chain: Chain) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "id": chain.id,
        "document": chain.document,
        "word": chain.word,
        "translation": chain.translation,
    }
    if chain.part is not None:
        cells["part"] = chain.part
    return cells | {"items": [_item_as_json(item) for item in chain.items]}


def _item_as_json(item: ChainItem) -> dict[str, Any]:
    cells: dict[str, Any] = {
        "segment": item.segment,
        "token": item.token,
        "start": item.start,
        "end": item.end,
    }
    if item.targets:
        cells["targets"] = [list(place) for place in item.targets]
    texts = {"source": item.source, "target": item.target}
    return cells | {key: text for key, text in texts.items() if text is not None}


def _chain(path: Path, number: int, line: str) -> Chain:
    record = json_value(line, path, number)
    try:
        items = tuple(map(_item, record["items"]))
        chain = Chain(
            str(record["id"]),
            str(record["document"]),
            str(record["word"]),
            str(record["translation"]),
            items,
            record.get("part"),
        )
    except KeyError as error:
        raise FormatError(f"{error} is missing", path=path, line=number) from None
    except (ValueError, TypeError, AttributeError, OverflowError, InputError) as error:
        remedy = "expected chains as JSON lines, as 'isogloss chains' writes them"
        raise FormatError(
            f"no chain ({in_words(error)})", path=path, line=number, remedy=remedy
        ) from error
    if len(items) < 2:
        raise FormatError(f"chain {chain.id!r} has fewer than two items", path=path, line=number)
    return chain


def _item(record: Mapping[str, Any]) -> ChainItem:
    segment, token, start, end = (int(record[k]) for k in ("segment", "token", "start", "end"))
    if segment < 0 or token < 0 or not 0 <= start < end:
        raise InputError(f"impossible place: segment {segment}, characters {start} to {end}")
    return ChainItem(
        segment,
        token,
        start,
        end,
        targets=tuple(_target(place) for place in record.get("targets", ())),
        source=record.get("source"),
        target=record.get("target"),
    )


def _target(place: Sequence[int]) -> tuple[int, int]:
    start, end = place
    return int(start), int(end)
