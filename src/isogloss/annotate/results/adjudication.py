"""Adjudication: where annotators disagree, somebody decides, and the decision is kept beside them.

A decision is an event of the organiser; what the annotators said stays as it is.

The answers that stand, with the names behind the letters: what every export begins with.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from isogloss.annotate.answers import SAME, checked_value, says_nothing
from isogloss.annotate.campaign import ORGANISER, Phase
from isogloss.annotate.items import ItemName, check_flexible
from isogloss.annotate.launch import task_slots
from isogloss.annotate.results.distance import answers_apart
from isogloss.annotate.storage.schema import Answer, Task
from isogloss.annotate.storage.store import Store
from isogloss.annotate.wire import AnswerView, ChainView, answer_view
from isogloss.annotate.wire_organiser import Disagreement, DisputedChain, Opinion
from isogloss.errors import InputError

PREFIX = "adjudication:"
_LONGEST_ITEM = 200  # characters: the width of its column


@dataclass(frozen=True, slots=True)
class JudgedUnit:
    """What was judged, whoever did it, and under whatever letter.

    `number` is the line, segment, chain or occurrence (of `markable`); `system` is `None` where
    the source alone was judged. Of a pair it is the first by name, `against` the other.
    """

    kind: str
    document: str
    number: int
    system: str | None
    markable: str | None
    against: str | None = None

    @property
    def decision_task(self) -> str:
        """The task under which decisions on the document are kept."""
        return f"{PREFIX}{self.document}"

    @property
    def decision_item(self) -> str:
        """The item under which the decision on this unit is kept."""
        about = "".join(f"/{part}" for part in (self.markable, self.against) if part)
        return f"{self.kind}:{self.number}/{self.system or ''}{about}"[:_LONGEST_ITEM]


@dataclass(frozen=True, slots=True)
class StandingAnswer:
    """One annotator's last word on one item; `check` is set where it only checks another one."""

    annotator: str
    unit: JudgedUnit
    task: Task
    item: ItemName
    value: Mapping[str, Any]
    at: int
    check: Mapping[str, Any] | None = None

    @property
    def kind(self) -> str:
        return self.unit.kind

    @property
    def document(self) -> str:
        return self.unit.document

    @property
    def number(self) -> int:
        return self.unit.number

    @property
    def system(self) -> str | None:
        return self.unit.system

    @property
    def markable(self) -> str | None:
        return self.unit.markable

    @property
    def segment(self) -> int | None:
        """The segment that it is about; the first one of a repeated word, `None` of the whole."""
        content = self.task.content
        if self.kind in ("document", "preference"):
            return None
        if self.kind == "phase2":
            return int(content["markable"]["occurrences"][self.number]["segment"])
        if self.kind == "consistency":
            return int(content["chains"][self.number]["places"][0]["segment"])
        return self.number


def standing_answers(store: Store, kind: str | None = None) -> Iterator[StandingAnswer]:
    """Every answer that stands, task by task, in the order in which they were given.

    One that was taken back stands no more, but for lines: the study has some of which nothing is
    said, and they are to come out again.
    """
    people = {actor.id: actor for actor in store.actors()}
    texts: dict[str, Mapping[str, Any]] = {}
    for task in store.tasks_of():
        if kind not in (None, "document", task.kind):
            continue
        actor = people[task.actor]
        text = texts.setdefault(task.document, store.text(task.document))
        slots = task_slots(store, actor, text)
        checks = {check["item"]: check for check in task.content.get("checks", ())}
        for name, answer in store.answers(task.id).items():
            if task.kind != "phase1" and says_nothing(cast(Phase, task.kind), answer.value):
                continue
            if _untouched(task, name, answer.value):
                continue
            item = ItemName.parse(name)
            unit = _unit(task, item, slots)
            if kind not in (None, unit.kind):
                continue
            yield StandingAnswer(
                actor.name,
                unit,
                task,
                item,
                _named(item, answer.value, slots),
                answer.at,
                checks.get(name),
            )


def _untouched(task: Task, item: str, value: Mapping[str, Any]) -> bool:
    """Whether all was taken back: what was prefilled stands there, and nothing else."""
    proposed = task.content.get("prefilled", {}).get(item)
    return proposed is not None and dict(value) == {"errors": proposed, "score": None}


def _named(item: ItemName, value: Mapping[str, Any], slots: Mapping[str, str]) -> Mapping[str, Any]:
    """The value with names of systems for letters; of a whole document there is but a score."""
    if item.kind == "doc":
        return {"score": value["score"]}
    if item.kind == "pair":
        return {**value, "better": slots.get(value["better"], value["better"])}
    return value


def _unit(task: Task, item: ItemName, slots: Mapping[str, str]) -> JudgedUnit:
    if item.kind == "doc":
        return JudgedUnit("document", task.document, 0, slots[item.slot or ""], None)
    if item.kind == "pair":
        one, other = sorted(slots[slot] for slot in task.content["pairs"][item.number])
        return JudgedUnit("preference", task.document, 0, one, None, other)
    system = slots[item.slot] if item.slot else None
    head = task.content.get("markable", {}).get("head")
    return JudgedUnit(task.kind, task.document, item.number, system, head)


def decisions_on(store: Store, answers: Iterable[StandingAnswer]) -> Iterator[StandingAnswer]:
    """The organiser's decisions on what these answers are about, each once, as answers of theirs.

    Checks are about nothing that anybody could decide.
    """
    first: dict[JudgedUnit, StandingAnswer] = {}
    for answer in answers:
        if answer.check is None:
            first.setdefault(answer.unit, answer)
    decisions = {task: store.answers(task) for task in {unit.decision_task for unit in first}}
    for unit, answer in first.items():
        decision = decisions[unit.decision_task].get(unit.decision_item)
        if decision is not None:
            yield replace(answer, annotator=ORGANISER, value=decision.value, at=decision.at)


def disagreeing(answers: Iterable[StandingAnswer]) -> dict[JudgedUnit, list[StandingAnswer]]:
    """The places on which several annotators said different things."""
    opinions: dict[JudgedUnit, list[StandingAnswer]] = {}
    for answer in answers:
        if not says_nothing(cast(Phase, answer.kind), answer.value):
            opinions.setdefault(answer.unit, []).append(answer)
    return {
        place: said
        for place, said in opinions.items()
        if any(_essence(one) != _essence(said[0]) for one in said[1:])
    }


def _essence(answer: StandingAnswer) -> dict[str, Any]:
    """What counts in an answer: two people never select quite the same words."""
    ignored = ("target", "reported", "note", "same_as", "reasons")
    return {name: value for name, value in answer.value.items() if name not in ignored}


def disagreements(store: Store) -> list[Disagreement]:
    """Every place on which annotators disagree, with the decision; the furthest apart first."""
    return sorted(_disagreements(store), key=lambda place: -place.apart)


def _disagreements(store: Store) -> Iterator[Disagreement]:
    judged = [answer for answer in standing_answers(store) if answer.check is None]
    for document, places in _by_document(disagreeing(judged).values()).items():
        text = store.text(document)
        decisions = store.answers(f"{PREFIX}{document}")
        for said in places:
            yield _disagreement(text, decisions, said)


def _by_document(
    places: Iterable[list[StandingAnswer]],
) -> dict[str, list[list[StandingAnswer]]]:
    found: dict[str, list[list[StandingAnswer]]] = {}
    for said in places:
        found.setdefault(said[0].document, []).append(said)
    return found


def checked_adjudication(
    store: Store, task: str, item: str, value: Mapping[str, Any]
) -> dict[str, Any]:
    """The decision as it is stored: an answer of the kind that annotators give there."""
    found = next((each for each in _asked(store, task) if each[1].decision_item == item), None)
    if found is None:
        raise InputError("this is no place for a decision: nobody is asked about it")
    asked, unit = found
    kind = cast(Phase, unit.kind)
    decision = checked_value(kind, value)
    if says_nothing(kind, decision):
        raise InputError("a decision must say something")
    if kind == "consistency":
        check_flexible(asked.content, str(ItemName("chain", unit.number)), decision)
    if kind == "preference" and decision["better"] not in (None, SAME, unit.system, unit.against):
        raise InputError(f"one of {unit.system} and {unit.against} may be better, or both the same")
    return decision


def _asked(store: Store, decision_task: str) -> Iterator[tuple[Task, JudgedUnit]]:
    """Everything that anybody is asked about the document of a task of decisions."""
    people = {actor.id: actor for actor in store.actors()}
    for task in store.tasks_of():
        if f"{PREFIX}{task.document}" == decision_task:
            slots = task_slots(store, people[task.actor], store.text(task.document))
            for item in map(ItemName.parse, task.content["items"]):
                yield task, _unit(task, item, slots)


def _disagreement(
    text: Mapping[str, Any], decisions: Mapping[str, Answer], said: list[StandingAnswer]
) -> Disagreement:
    first = said[0]
    segment = first.segment
    decision = decisions.get(first.unit.decision_item)
    return Disagreement(
        task=first.unit.decision_task,
        item=first.unit.decision_item,
        kind=first.kind,
        document=first.document,
        segment=segment,
        source=shown_text(text["source"], segment) or "",
        output=shown_text(text["outputs"][first.system], segment) if first.system else None,
        system=first.system,
        against=first.unit.against,
        other=shown_text(text["outputs"][first.unit.against], None) if first.unit.against else None,
        markable=first.markable,
        chain=_chain(first, text),
        opinions=[_opinion(answer) for answer in said],
        apart=answers_apart(first.kind, [answer.value for answer in said]),
        decision=answer_view(decision) if decision else None,
    )


def shown_text(lines: Sequence[str | None], segment: int | None) -> str | None:
    """What was judged: a segment, or (`None`) all that there is of a document."""
    if segment is not None:
        return lines[segment]
    there = [line for line in lines if line is not None]
    return "\n".join(there) if there else None


def _chain(answer: StandingAnswer, text: Mapping[str, Any]) -> DisputedChain | None:
    if answer.kind != "consistency":
        return None
    chain = ChainView(**answer.task.content["chains"][answer.number])
    sources = [text["source"][place.segment] for place in chain.places]
    return DisputedChain(chain=chain, sources=sources)


def _opinion(answer: StandingAnswer) -> Opinion:
    # An annotator's answers have revisions of their own, which are nobody's business here.
    view = AnswerView(revision=0, value=dict(answer.value), at=answer.at)
    return Opinion(annotator=answer.annotator, answer=view)
