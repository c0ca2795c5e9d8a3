"""What a task asks about: the names of items, as tasks, answers and pages carry them.

The texts of a campaign as they are frozen into its database.

Who is who: annotators see letters instead of systems, in an order of their own.

The order depends on a secret of the campaign, the annotator and the document, so that it can be
worked out again and nobody can guess it. The secret follows from the campaign's seed, which only
the organiser has. Names of systems never leave the server.

Who judges what: every document goes to as many annotators as the campaign wants.

Work is balanced by the number of segments, and the same campaign always gives the same shares.

Repeated words as work: the chains that 'isogloss chains extract' wrote become tasks.

A task asks about all chains of a document; the places of a chain are numbered as in its file, so
that an answer means the same there.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal, get_args

from isogloss.annotate.campaign import Campaign
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.metrics.consistency import Chain, ChainItem, read_chains

ItemKind = Literal["line", "seg", "occ", "chain", "doc", "pair"]
_NUMBER = "(0|[1-9][0-9]{0,17})"
_ITEM = re.compile(rf"([a-z]+):{_NUMBER}(?:/([A-Z]+))?(?:~{_NUMBER})?")


@dataclass(frozen=True, slots=True)
class ItemName:
    """One thing that a task asks about; its text is what is stored and sent.

    ============  ======================================================================
    ``line:3/A``  phase 1: the fourth line, in the translation that the annotator sees as A
    ``occ:0/B``   phase 2: the first place of the task's markable, in translation B
    ``seg:3/A``   da, spans and contrastive: the fourth segment of A; ``seg:3/A~1`` is check 1 of it
    ``chain:2``   consistency: the third repeated word, which is of the source alone
    ``doc:0/A``   the whole document in translation A: its own task, or after its segments
    ``pair:4``    preference: the fifth pair of translations of the task
    ============  ======================================================================
    """

    kind: ItemKind
    number: int
    slot: str | None = None
    check: int | None = None

    def __post_init__(self) -> None:
        fault = _fault_of_item(self)
        if fault:
            raise InputError(f"{str(self)!r} is no name of an item: {fault}")

    def __str__(self) -> str:
        slot = "" if self.slot is None else f"/{self.slot}"
        return f"{self.kind}:{self.number}{slot}" + ("" if self.check is None else f"~{self.check}")

    @classmethod
    def parse(cls, text: str) -> "ItemName":
        """The name that is written like this; one that is spelt in any other way is refused."""
        match = _ITEM.fullmatch(text)
        if match is None:
            raise InputError(f"{text!r:.60} is no name of an item; names look like seg:3/A")
        kind, number, slot, check = match.groups()
        return cls(kind, int(number), slot, None if check is None else int(check))  # type: ignore[arg-type]


def _fault_of_item(name: ItemName) -> str | None:
    if name.kind not in get_args(ItemKind):
        return f"there are {', '.join(get_args(ItemKind))}"
    if min(name.number, name.check or 0) < 0 or max(name.number, name.check or 0) >= 10**18:
        return "it counts from 0"
    if (name.slot is None) != (name.kind in ("chain", "pair")):
        return "a chain or a pair has no letter of a translation, and everything else has one"
    if name.slot is not None and not re.fullmatch("[A-Z]+", name.slot):
        return "a translation is called by capital letters"
    if name.check is not None and name.kind != "seg":
        return "only segments come again as checks"
    return None


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document with everything that is shown of it; outputs by system, people's among them.

    `references` are shown to nobody: they are what an analysis of the campaign scores against.
    """

    id: str
    source: Sequence[str]
    outputs: dict[str, Sequence[str | None]]
    reference: Sequence[str | None] | None = None
    source_language: str | None = None
    target_language: str | None = None
    domain: str | None = None
    humans: Sequence[str] = field(default_factory=list)
    references: dict[str, Sequence[str | None]] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """The document as it is stored."""
        return asdict(self)


def texts_of(collection: Collection, campaign: Campaign) -> list[DocumentText]:
    """The documents of a test set with the translations that are judged."""
    collection = collection.with_documents(_chosen(collection, campaign))
    testset = collection.testset
    for name in campaign.references_as_systems:
        testset.with_references([name])  # complains where there is none of that name
        if name in collection.system_names:
            raise InputError(f"reference {name!r} is among the systems already")
    wanted = campaign.systems or collection.system_names
    outputs = collection.with_systems(wanted).outputs
    if not outputs and set(campaign.phases) != {"consistency"}:  # which is about the source
        raise InputError(f"test set {testset.name!r} has no system to judge")
    humans = [o.name for o in outputs if o.human] + list(campaign.references_as_systems)
    if campaign.show_reference is not None:
        testset.with_references([campaign.show_reference])
    return [
        DocumentText(
            document.id,
            document.source,
            {
                **{output.name: output.documents[document.id] for output in outputs},
                **{name: document.references[name] for name in campaign.references_as_systems},
            },
            document.references[campaign.show_reference] if campaign.show_reference else None,
            testset.source_language,
            testset.target_language,
            document.domain,
            humans,
            dict(document.references),
        )
        for document in testset.documents
    ]


def _chosen(collection: Collection, campaign: Campaign) -> list[str]:
    """The documents that the campaign is about; a name that there is not is told."""
    documents = collection.testset.documents
    collection.testset.with_documents(campaign.documents or [d.id for d in documents])
    domains = {document.domain for document in documents}
    for name in campaign.domains:
        if name not in domains:
            known = ", ".join(sorted(filter(None, domains))) or "none"
            raise InputError(f"there is no domain {name!r}; there are: {known}")
    return [
        document.id
        for document in documents
        if (not campaign.documents or document.id in campaign.documents)
        and (not campaign.domains or document.domain in campaign.domains)
    ]


_SEEDS = 2**63  # as large as a whole number in TOML


def new_seed() -> int:
    """A seed that nobody guesses."""
    return secrets.randbelow(_SEEDS)


def secret_of(seed: int) -> str:
    """What all lots of a campaign are drawn with."""
    return hashlib.sha256(f"isogloss campaign {seed}".encode()).hexdigest()


def shuffled(names: Sequence[str], secret: str, *place: str) -> list[str]:
    """The names in the order that the secret gives them at this place."""

    def rank(name: str) -> bytes:
        # Lengths keep ("a", "bc") and ("ab", "c") apart.
        message = "".join(f"{len(part)}:{part}" for part in (*place, name))
        return hmac.digest(secret.encode(), message.encode(), hashlib.sha256)

    return sorted(names, key=rank)


def slot_names(number: int) -> list[str]:
    """A, B, ... Z, AA, AB, ..."""
    return [_letters(index) for index in range(number)]


def _letters(index: int) -> str:
    letters = ""
    index += 1
    while index:
        index, letter = divmod(index - 1, len(ascii_uppercase))
        letters = ascii_uppercase[letter] + letters
    return letters


def slots(systems: Sequence[str], secret: str, annotator: str, document: str) -> dict[str, str]:
    """Letter to system, as this annotator sees this document."""
    order = shuffled(systems, secret, annotator, document)
    return dict(zip(slot_names(len(order)), order, strict=True))


def pairs_of(
    systems: Sequence[str], most: int, secret: str, document: str
) -> list[tuple[str, str]]:
    """The pairs of systems that everybody compares in a document, at most so many (0: all).

    Whoever was drawn least often comes next, so that every system is compared about as often.
    """
    names = {f"{i} {j}": pair for i, j, pair in _all_pairs(systems)}
    left = [names[name] for name in shuffled(list(names), secret, "pairs", document)]
    drawn = dict.fromkeys(systems, 0)
    found: list[tuple[str, str]] = []
    while left and (not most or len(found) < most):
        pair = min(left, key=lambda two: drawn[two[0]] + drawn[two[1]])
        left.remove(pair)
        found.append(pair)
        for name in pair:
            drawn[name] += 1
    return found


def _all_pairs(systems: Sequence[str]) -> list[tuple[int, int, tuple[str, str]]]:
    numbered = list(enumerate(sorted(systems)))
    return [(i, j, (one, other)) for (i, one), (j, other) in combinations(numbered, 2)]


@dataclass(frozen=True, slots=True)
class WorkShare:
    """One annotator's documents, in the order in which to judge them."""

    annotator: str
    documents: tuple[str, ...]


def shares(
    sizes: Mapping[str, int],
    annotators: Sequence[str],
    redundancy: int,
    secret: str,
    order: str = "lot",
) -> list[WorkShare]:
    """Documents (with their sizes) for each annotator; the largest are given out first.

    Everybody judges them in an order of their own, or (`order` is "testset") in that of `sizes`.
    """
    loads = dict.fromkeys(annotators, 0)
    given: dict[str, list[str]] = {name: [] for name in annotators}
    fair = {name: rank for rank, name in enumerate(shuffled(annotators, secret, "annotators"))}
    mixed = shuffled(list(sizes), secret, "documents")
    for document in sorted(mixed, key=sizes.__getitem__, reverse=True):
        chosen = sorted(annotators, key=lambda name: (loads[name], fair[name]))[:redundancy]
        for name in chosen:
            loads[name] += sizes[document]
            given[name].append(document)
    return [
        WorkShare(name, tuple(_in_order(documents, list(sizes), secret, order, name)))
        for name, documents in given.items()
    ]


def _in_order(
    documents: Sequence[str], all_of_them: Sequence[str], secret: str, order: str, name: str
) -> list[str]:
    if order == "testset":
        return sorted(documents, key=all_of_them.index)
    return shuffled(documents, secret, "order", name)


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
    names = [str(ItemName("chain", number)) for number in range(len(chains))]
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


def check_pair(content: Mapping[str, Any], item: str, value: Mapping[str, Any]) -> None:
    """Complain about a preference for a translation that is not of the pair."""
    letters = content["pairs"][ItemName.parse(item).number]
    if value["better"] not in (None, "same", *letters):
        raise InputError(f"one of {' and '.join(letters)} may be better, or both the same")
