"""Work that is given out while a campaign goes on: handed over, levelled, and more of it.

What somebody has answered stays theirs; only open items go to another, under the letters that the
other one sees. Nobody gets a document twice in the same phase: their second opinion would be none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, cast

from isogloss.annotate.answers import is_finished
from isogloss.annotate.campaign import Campaign, Phase, campaign_as_opened
from isogloss.annotate.items import DocumentText, ItemName, slots
from isogloss.annotate.launch import (
    AT_ONCE,
    CHAINS,
    PREFILLED,
    SECRET,
    Lots,
    new_task_id,
    task_content,
)
from isogloss.annotate.prefilling import proposals_of
from isogloss.annotate.storage.desk import Desk
from isogloss.annotate.storage.schema import OPENED, Actor, Task
from isogloss.errors import InputError

REDUNDANCY = "redundancy"
"""The fact that more people judge each document than the campaign began with."""

Piece = tuple[str, str, str]
"""What several people may judge: a phase, a document, and in phase 2 a markable."""


@dataclass(frozen=True, slots=True)
class HandedOver:
    """How much went to others, and how many items nobody was there for."""

    tasks: int = 0
    items: int = 0
    left: int = 0

    def __add__(self, other: "HandedOver") -> "HandedOver":
        parts = (self.tasks + other.tasks, self.items + other.items, self.left + other.left)
        return HandedOver(*parts)


def wanted_redundancy(opened: Mapping[str, Any], extended: int | None) -> int:
    """How many people judge each document: as the campaign began, or as it was extended."""
    return int(extended or opened["redundancy"])


def piece_of(task: Task) -> Piece:
    """What a task is about."""
    return task.kind, task.document, task.content.get("markable", {}).get("head", "")


class Allocation:
    """Who has what to do, kept up to date while it changes."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        opened = desk.fact(OPENED)
        self.campaign: Campaign = campaign_as_opened(opened)
        self.redundancy = wanted_redundancy(opened, desk.fact(REDUNDANCY))
        self.secret: str = desk.fact(SECRET)
        self.texts = desk.texts()
        self.people = {actor.id: actor for actor in desk.actors()}
        self._enrolled = {place.actor for place in desk.places()}
        self.tasks = desk.tasks()
        self._answers = desk.answers()
        self.loads: dict[int, int] = defaultdict(int)
        self.holders: dict[Piece, set[int]] = defaultdict(set)
        self._parts: dict[Piece, list[Task]] = defaultdict(list)
        self._positions: dict[int, int] = defaultdict(int)
        for task in self.tasks:
            self._note(task)

    def _note(self, task: Task) -> None:
        self._parts[piece_of(task)].append(task)
        self.loads[task.actor] += len(self.open_items(task))
        if task.content["items"] or self.is_begun(task):
            self.holders[piece_of(task)].add(task.actor)
        self._positions[task.actor] = max(self._positions[task.actor], task.position + 1)

    @property
    def annotators(self) -> list[Actor]:
        """Those who may be given work; who enrolled has a share of their own, and no more."""
        there = [each for each in self.people.values() if is_at_work(each)]
        return [each for each in there if each.id not in self._enrolled]

    def of(self, actor: Actor) -> list[Task]:
        """Somebody's tasks."""
        return [task for task in self.tasks if task.actor == actor.id]

    def is_begun(self, task: Task) -> bool:
        """Whether anything was said in it."""
        return task.id in self._answers

    def open_items(self, task: Task) -> list[str]:
        """The items that are not answered, or not to their end."""
        said = self._answers.get(task.id, {})
        kind = cast(Phase, task.kind)
        return [
            item
            for item in task.content["items"]
            if item not in said or not is_finished(kind, said[item])
        ]

    # --- from one to another ---------------------------------------------------------------------

    def hand_over(self, task: Task, takers: Sequence[Actor]) -> HandedOver:
        """Give what is open in a task to whoever has least to do and has not judged it."""
        items = self.open_items(task)
        if not items:
            return HandedOver()
        taker = self._freest(piece_of(task), takers)
        if taker is None:
            return HandedOver(left=len(items))
        asked = together(task, items)
        self._take(task, items, taker)
        content = translated(task, asked, self.letters(task), self.letters(task, taker))
        self._give(taker, task.kind, task.document, content)
        return HandedOver(1, len(content["items"]))

    def _freest(self, piece: Piece, takers: Iterable[Actor]) -> Actor | None:
        there = [each for each in takers if each.id not in self.holders[piece]]
        return min(there, key=lambda each: (self.loads[each.id], each.id), default=None)

    def _take(self, task: Task, items: Sequence[str], to: Actor) -> None:
        self.desk.take(task, items, to)
        self.loads[task.actor] -= len(items)
        if not self.is_begun(task):
            self.holders[piece_of(task)].discard(task.actor)

    def _give(self, actor: Actor, kind: str, document: str, content: Mapping[str, Any]) -> None:
        position = self._positions[actor.id]
        task = Task(new_task_id(), actor.id, kind, document, position, content)
        self.desk.give([task])
        self.tasks.append(task)
        self._note(task)

    def letters(self, task: Task, actor: Actor | None = None) -> dict[str, str]:
        """Letter to system, as somebody (or the task's own annotator) sees its document."""
        name = (actor or self.people[task.actor]).name
        return slots(list(self.texts[task.document]["outputs"]), self.secret, name, task.document)

    def level(self, newcomer: Actor) -> HandedOver:
        """Let somebody new take over what others have not begun, until nobody has more to do."""
        done = HandedOver()
        untouched = [task for task in self.tasks if self._may_go(task, newcomer)]
        while untouched:
            task = max(untouched, key=lambda each: (self.loads[each.actor], each.position))
            untouched.remove(task)
            size = len(task.content["items"])
            if self.loads[newcomer.id] + size < self.loads[task.actor]:
                done += self.hand_over(task, [newcomer])
        return done

    def _may_go(self, task: Task, newcomer: Actor) -> bool:
        if newcomer.id in self.holders[piece_of(task)] or not task.content["items"]:
            return False
        return not self.is_begun(task) and is_at_work(self.people[task.actor])

    # --- more work -------------------------------------------------------------------------------

    def fill(self, documents: Iterable[str] | None = None) -> HandedOver:
        """Give every piece of work to as many people as there should be."""
        done = HandedOver()
        wanted = set(self.texts if documents is None else documents)
        for piece in [each for each in self.pieces() if each[1] in wanted]:
            for _ in range(self.redundancy - self.judging(piece)):
                taker = self._freest(piece, self.annotators)
                done += self.give_piece(piece, taker) if taker else HandedOver(left=1)
        return done

    def judging(self, piece: Piece) -> int:
        """How many judge it, or have judged it; parts of it add up to a whole."""
        parts = self._parts[piece]
        whole = max((len(all_asked(t)) for t in parts), default=1)
        return round(sum(map(self._counted, parts)) / whole)

    def _counted(self, task: Task) -> int:
        """The items that are answered or may be; nobody waits for those who have left."""
        there = len(task.content["items"])
        return there if is_at_work(self.people[task.actor]) else there - len(self.open_items(task))

    def pieces(self) -> list[Piece]:
        """All that can be judged, in the order of phases and documents."""
        chains = self._chains() if "consistency" in self.campaign.phases else {}
        found: list[Piece] = []
        for phase in self.campaign.phases:
            if phase in AT_ONCE:
                found += [(phase, document, "") for document in self.texts]
            elif phase == "consistency":
                found += [(phase, document, "") for document in self.texts if document in chains]
        return [*found, *dict.fromkeys(piece_of(t) for t in self.tasks if t.kind == "phase2")]

    def give_piece(self, piece: Piece, actor: Actor) -> HandedOver:
        """Give somebody a whole piece of work."""
        kind, document, _ = piece
        content = self._content(piece, actor)
        self._give(actor, kind, document, content)
        return HandedOver(1, len(content["items"]))

    def _content(self, piece: Piece, actor: Actor) -> dict[str, Any]:
        kind, document, _ = piece
        if kind == "phase2":
            task = next(each for each in self.tasks if piece_of(each) == piece)
            return translated(task, all_asked(task), self.letters(task), self.letters(task, actor))
        if kind == "consistency":
            return dict(self._chains()[document])
        text = DocumentText(**self.texts[document])
        return task_content(self._lots(), cast(Phase, kind), text, actor)

    def _lots(self) -> Lots:
        kept = self.desk.fact(PREFILLED)
        if self.campaign.prefilled and kept is None:
            raise InputError(
                "this campaign was opened by an older isogloss, which did not keep the prefilled "
                "errors: its work can go to others, but there cannot be more of it"
            )
        return Lots(self.campaign, self.secret, proposals_of(kept or []))

    def _chains(self) -> Mapping[str, Any]:
        """Repeated words by document; an older isogloss kept them in tasks alone."""
        kept = self.desk.fact(CHAINS)
        if kept is not None:
            return cast(Mapping[str, Any], kept)
        asked = [task for task in self.tasks if task.kind == "consistency"]
        return {task.document: {**task.content, "items": all_asked(task)} for task in asked}


def all_asked(task: Task) -> list[str]:
    """All items that a task began with, whoever has them now."""
    found: list[str] = task.content.get("asked", task.content["items"])
    return found


def is_at_work(actor: Actor) -> bool:
    """Whether somebody may be given work."""
    return actor.role == "annotator" and actor.state == "active"


# --- under other letters -------------------------------------------------------------------------


def together(task: Task, items: Sequence[str]) -> list[str]:
    """These items, with those that are judged side by side with them."""
    if task.kind != "contrastive":
        return list(items)
    wanted = {_side_by_side(item) for item in items}
    return [item for item in task.content["items"] if _side_by_side(item) in wanted]


def _side_by_side(item: str) -> tuple[str, int, int | None]:
    name = ItemName.parse(item)
    return name.kind, name.number, name.check


def translated(
    task: Task, items: Sequence[str], before: Mapping[str, str], after: Mapping[str, str]
) -> dict[str, Any]:
    """What a task asks about these items, for somebody who sees other letters.

    A check goes along where what it checks does: alone it would check nothing.
    """
    letter_of = {system: slot for slot, system in after.items()}
    letters = {slot: letter_of[system] for slot, system in before.items()}
    content = {name: part for name, part in task.content.items() if name != "asked"}
    asked = set(items)
    checks = [
        each for each in content.get("checks", ()) if each["item"] in asked and each["of"] in asked
    ]
    idle = {each["item"] for each in content.get("checks", ())} - {each["item"] for each in checks}
    content["items"] = _in_order([_renamed(item, letters) for item in items if item not in idle])
    if "checks" in content:
        content["checks"] = [_renamed_check(each, letters) for each in checks]
    if "prefilled" in content:
        begun = {_renamed(item, letters): errors for item, errors in content["prefilled"].items()}
        content["prefilled"] = {item: begun[item] for item in content["items"] if item in begun}
    if "pairs" in content:
        content["pairs"] = [_in_letters(pair, letters) for pair in content["pairs"]]
    return content


def _renamed(item: str, letters: Mapping[str, str]) -> str:
    name = ItemName.parse(item)
    return item if name.slot is None else str(replace(name, slot=letters[name.slot]))


def _renamed_check(check: Mapping[str, Any], letters: Mapping[str, str]) -> dict[str, Any]:
    names = {name: _renamed(check[name], letters) for name in ("item", "of")}
    return {**check, **names, "slot": letters[check["slot"]]}


def _in_letters(pair: Sequence[str], letters: Mapping[str, str]) -> list[str]:
    return sorted((letters[slot] for slot in pair), key=_rank)


def _rank(slot: str) -> tuple[int, str]:
    return len(slot), slot


def _in_order(items: Sequence[str]) -> list[str]:
    """Places stay in their order; at each, letters are in theirs."""
    found: list[str] = []
    for _, group in groupby(items, key=_side_by_side):
        found += sorted(group, key=lambda item: _rank(ItemName.parse(item).slot or ""))
    return found
