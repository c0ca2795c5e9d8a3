"""Repeated words as work: the chains that 'isogloss chains extract' wrote become tasks.

A task asks about all chains of a document; the places of a chain are numbered as in its file, so
that an answer means the same there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from isogloss.annotate.material import DocumentText
from isogloss.consistency.chains import Chain, ChainItem, read_chains
from isogloss.errors import InputError

FILE = "chains.jsonl"


def chains_at(path: Path) -> tuple[Chain, ...]:
    """The chains of a file, or of the folder that 'isogloss chains extract' made."""
    return read_chains(path / FILE if path.is_dir() else path)


def chain_contents(
    chains: Iterable[Chain], texts: Sequence[DocumentText]
) -> dict[str, dict[str, Any]]:
    """What a task asks about each document that has chains."""
    by_document: dict[str, list[Chain]] = {text.id: [] for text in texts}
    sources = {text.id: text.source for text in texts}
    for chain in chains:
        if chain.document not in by_document:
            raise InputError(f"chain {chain.id!r}: the campaign has no document {chain.document!r}")
        for item in chain.items:
            _check_place(chain, item, sources[chain.document])
        by_document[chain.document].append(chain)
    return {document: _content(found) for document, found in by_document.items() if found}


def _check_place(chain: Chain, item: ChainItem, source: Sequence[str]) -> None:
    text = source[item.segment] if item.segment < len(source) else ""
    if item.end > len(text) or item.source not in (None, text):
        raise InputError(
            f"chain {chain.id!r} was extracted from another text: segment {item.segment + 1} of "
            f"{chain.document!r} differs"
        )


def _content(chains: Sequence[Chain]) -> dict[str, Any]:
    names = [f"chain:{number}" for number in range(len(chains))]
    views = [
        {
            "item": name,
            "id": chain.id,
            "word": chain.word,
            "translation": chain.translation,
            "places": [_place(item) for item in chain.items],
        }
        for name, chain in zip(names, chains, strict=True)
    ]
    return {"items": names, "chains": views}


def _place(item: ChainItem) -> dict[str, Any]:
    told = asdict(item)
    return {name: told[name] for name in ("segment", "start", "end", "target", "targets")}


def check_flexible(content: Mapping[str, Any], item: str, value: Mapping[str, Any]) -> None:
    """Complain about an answer that speaks of places that the chain has not."""
    chain = next((chain for chain in content["chains"] if chain["item"] == item), None)
    if chain is None:
        raise InputError(f"there is no repeated word {item!r}")
    if any(place >= len(chain["places"]) for place in value["flexible"]):
        raise InputError(f"{chain['word']!r} has {len(chain['places'])} places, counted from 0")
