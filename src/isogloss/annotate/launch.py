"""Opening a campaign: texts are frozen, people get their links, work is given out."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from isogloss.annotate.campaign import MARKING, ORGANISER, Campaign, Phase, changed_settings
from isogloss.annotate.checks import planned, planned_together
from isogloss.annotate.items import (
    DocumentText,
    ItemName,
    WorkShare,
    chain_contents,
    chains_at,
    new_seed,
    pairs_of,
    secret_of,
    shares,
    shuffled,
    slots,
    texts_of,
)
from isogloss.annotate.prefilling import Proposals, prefilled_items, proposal_rows, proposals_at
from isogloss.annotate.storage.database import Database, open_database
from isogloss.annotate.storage.integrity import canonical
from isogloss.annotate.storage.schema import OPENED, Actor, Role, Task, hashed
from isogloss.annotate.storage.store import Store
from isogloss.annotate.tutorial import SAMPLE, tutorial_tasks
from isogloss.errors import InputError
from isogloss.metrics.consistency import Chain

SECRET = "secret"  # noqa: S105  (the name of a fact)
COOKIE = "cookie"
GUIDELINES = "guidelines"
ADDRESS = "address"
PREFILLED = "prefilled"
CHAINS = "chains"
"""What later work is made of: errors that tasks begin with, and repeated words by document."""
TUTORIAL = "tutorial"
NOTHING_PROPOSED: Proposals = {}
NO_TUTORIAL: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class AccessLinks:
    """The tokens of everybody, told once."""

    organiser: str
    annotators: Mapping[str, str]


def campaign_database(campaign: Campaign, folder: Path, *, new: bool) -> Database:
    """The campaign's database: a file in its folder, or wherever the URL leads.

    With `new` one is made where there is none yet.
    """
    if "://" in campaign.database:
        return open_database(campaign.database, new=new)
    return open_database(folder / campaign.database, new=new)


def is_open(store: Store) -> bool:
    """Whether work has been given out already."""
    return store.fact(OPENED) is not None


Material = tuple[list[DocumentText], Sequence[Chain], Proposals]
"""What tasks are made of."""


def open_campaign(campaign: Campaign, folder: Path, store: Store) -> AccessLinks:
    """Freeze the texts, admit everybody and give out the work of the first phases."""
    texts, chains, proposals = _material(campaign, folder)
    told, tutorial = _guidelines(campaign, folder), tutorial_tasks(campaign, folder)
    return opened(campaign, texts, told, store, chains, proposals, tutorial)


def later_material(campaign: Campaign, folder: Path, documents: Sequence[str]) -> Material:
    """What further documents bring along, for `extend_documents`."""
    return _material(replace(campaign, documents=tuple(documents), domains=()), folder)


def _material(campaign: Campaign, folder: Path) -> Material:
    # What reads and cuts texts is half of what there is to load, and is needed once in a campaign.
    from isogloss.formats import read_collection
    from isogloss.segmentation import split

    collection = split(read_collection(folder / campaign.testset))
    texts = texts_of(collection, campaign)
    chains = chains_at(folder / campaign.chains) if campaign.chains else ()
    proposals = proposals_at(folder / campaign.prefilled, collection) if campaign.prefilled else {}
    return texts, chains, proposals


def keep_address(store: Store, address: str) -> None:
    """Remember where people find the campaign, for links that are made later."""
    store.at_desk(lambda desk: desk.set_fact(ADDRESS, address))


def last_address(store: Store) -> str:
    """Where people found the campaign when it was served last."""
    return str(store.fact(ADDRESS) or "")


def opened(
    campaign: Campaign,
    texts: Sequence[DocumentText],
    guidelines: str,
    store: Store,
    chains: Sequence[Chain] = (),
    proposals: Proposals = NOTHING_PROPOSED,
    tutorial: Mapping[str, Any] = NO_TUTORIAL,
) -> AccessLinks:
    """The same for what is at hand already; all of it is kept, or nothing."""
    asked = chain_contents(chains, texts)  # complains before anything is kept
    seed = new_seed() if campaign.seed is None else campaign.seed
    secret = secret_of(seed)
    facts = {
        SECRET: secret,
        COOKIE: secrets.token_hex(4),
        GUIDELINES: guidelines,
        TUTORIAL: tutorial,
        OPENED: asdict(replace(campaign, seed=seed)),
        **({PREFILLED: proposal_rows(proposals)} if proposals else {}),
        **({CHAINS: asked} if asked else {}),
    }
    people: dict[str, Role] = {
        ORGANISER: "organiser",
        **dict.fromkeys(campaign.annotators, "annotator"),
    }

    def tasks(admitted: Mapping[str, Actor]) -> list[Task]:
        first = [phase for phase in campaign.phases if phase in AT_ONCE]
        lots = Lots(campaign, secret, proposals)
        found = [task for phase in first for task in _tasks(lots, phase, texts, admitted)]
        if "consistency" in campaign.phases:
            found += _chain_tasks(campaign, asked, admitted, secret)
        return found

    tokens = store.begin(facts, {text.id: text.record() for text in texts}, people, tasks)
    return AccessLinks(tokens.pop(ORGANISER), tokens)


def check_unchanged(campaign: Campaign, folder: Path, store: Store) -> None:
    """Complain where the campaign's files say otherwise than when it was opened."""
    changed = changed_settings(campaign, store.fact(OPENED))
    if not changed and _guidelines(campaign, folder) != store.fact(GUIDELINES):
        changed = [str(campaign.guidelines)]
    if not changed and _tutorial_changed(campaign, folder, store):
        changed = [str(campaign.tutorial)]
    if changed:
        raise InputError(
            f"{folder}: {', '.join(changed)} changed since the campaign was opened, and work was "
            "given out as it was then; put it back, or make a new campaign"
        )


def _tutorial_changed(campaign: Campaign, folder: Path, store: Store) -> bool:
    """Whether its file says otherwise; the one that comes with isogloss may change with it."""
    if campaign.tutorial in (None, SAMPLE):
        return False
    return canonical(tutorial_tasks(campaign, folder)) != canonical(store.fact(TUTORIAL))


def renewed_links(store: Store) -> AccessLinks:
    """New links for everybody; the old ones no longer open anything."""
    tokens = store.renew([actor.name for actor in store.actors() if actor.state == "active"])
    return AccessLinks(tokens.pop(ORGANISER), tokens)


AT_ONCE: tuple[Phase, ...] = ("phase1", "da", *MARKING, "document", "preference")
"""Phases that need nothing but texts; the second one waits for markables."""


def _guidelines(campaign: Campaign, folder: Path) -> str:
    if campaign.guidelines is None:
        return ""
    path = folder / campaign.guidelines
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the guidelines cannot be read ({error})") from None


def cookie_name(store: Store) -> str:
    """What browsers call the campaign's cookie.

    Cookies do not know ports: campaigns on one machine need names of their own. It must not tell
    anything of the secret, but campaigns that were opened by an older isogloss have no other name.
    """
    own = store.fact(COOKIE) or hashed(store.fact(SECRET))[:8]
    return f"isogloss_{own}"


def task_slots(store: Store, actor: Actor, text: Mapping[str, Any]) -> dict[str, str]:
    """Letter to system, as this annotator sees this document."""
    return slots(list(text["outputs"]), store.fact(SECRET), actor.name, text["id"])


@dataclass(frozen=True, slots=True)
class Lots:
    """What decides which work is given out: the campaign, its secret, and what is prefilled."""

    campaign: Campaign
    secret: str
    proposals: Proposals = field(default_factory=dict)


def _tasks(
    lots: Lots,
    phase: Phase,
    texts: Sequence[DocumentText],
    people: Mapping[str, Actor],
) -> Iterator[Task]:
    campaign, secret = lots.campaign, lots.secret
    by_id = {text.id: text for text in texts}
    sizes = {text.id: len(text.source) for text in texts}
    for share in _shares(campaign, sizes, secret):
        actor = people[share.annotator]
        for position, document in enumerate(share.documents):
            content = task_content(lots, phase, by_id[document], actor)
            yield Task(new_task_id(), actor.id, phase, document, position, content)


def _shares(campaign: Campaign, sizes: Mapping[str, int], secret: str) -> list[WorkShare]:
    return shares(sizes, campaign.annotators, campaign.redundancy, secret, campaign.order)


def _chain_tasks(
    campaign: Campaign,
    contents: Mapping[str, dict[str, Any]],
    people: Mapping[str, Actor],
    secret: str,
) -> Iterator[Task]:
    """Repeated words; a document without any asks nothing."""
    sizes = {id: len(content["items"]) for id, content in contents.items()}
    for share in _shares(campaign, sizes, secret):
        actor = people[share.annotator]
        for position, document in enumerate(share.documents):
            content = contents[document]
            yield Task(new_task_id(), actor.id, "consistency", document, position, content)


def new_task_id() -> str:
    """An id that tells nothing."""
    return secrets.token_urlsafe(12)


def task_content(lots: Lots, phase: Phase, text: DocumentText, actor: Actor) -> dict[str, Any]:
    """What a task asks: its items, and the checks among them."""
    campaign, secret = lots.campaign, lots.secret
    order = slots(list(text.outputs), secret, actor.name, text.id)
    outputs = {slot: text.outputs[system] for slot, system in order.items()}
    places = [
        (segment, slot)
        for segment in range(len(text.source))
        for slot in order
        if outputs[slot][segment] is not None
    ]
    if phase == "phase1":
        return {"items": [str(ItemName("line", *place)) for place in places]}
    whole = [
        str(ItemName("doc", 0, slot))
        for slot, texts in outputs.items()
        if any(text is not None for text in texts)
    ]
    if phase == "document":
        return {"items": whole}
    if phase == "preference":
        return _pairs(campaign, text, order, actor, secret)
    plan = planned_together if phase == "contrastive" else planned
    checks = plan(outputs, campaign.checks, f"{secret}:{actor.name}:{text.id}")
    asked = [str(ItemName("seg", *place)) for place in places]
    items = [*asked, *(check.item for check in checks)]
    items += whole if campaign.document_scores else []
    content = {"items": items, "checks": [asdict(check) for check in checks]}
    if phase in MARKING and lots.proposals:
        seed = f"{secret}:prefilled:{text.id}"
        share = campaign.prefilled_share
        begun = prefilled_items(lots.proposals, text.id, places, order, share, seed)
        again = {c.item: begun[c.of] for c in checks if c.kind != "degraded" and c.of in begun}
        content["prefilled"] = {**begun, **again}
    return content


def _pairs(
    campaign: Campaign,
    text: DocumentText,
    order: Mapping[str, str],
    actor: Actor,
    secret: str,
) -> dict[str, Any]:
    """Everybody compares the same pairs of a document, under letters and in an order of theirs."""
    there = [
        name for name, texts in text.outputs.items() if any(each is not None for each in texts)
    ]
    letters = {system: slot for slot, system in order.items()}
    pairs = pairs_of(there, campaign.pairs, secret, text.id)
    mixed = shuffled([f"{one}\n{other}" for one, other in pairs], secret, actor.name, text.id)
    shown = [sorted((letters[name] for name in each.split("\n")), key=_by_letter) for each in mixed]
    return {
        "items": [str(ItemName("pair", number)) for number in range(len(shown))],
        "pairs": shown,
    }


def _by_letter(slot: str) -> tuple[int, str]:
    return len(slot), slot
