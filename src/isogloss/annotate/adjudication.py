"""Adjudication: where annotators disagree, somebody decides, and the decision is kept beside them.

A decision is an event of the organiser; what the annotators said stays as it is.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from isogloss.annotate.campaign import PHASES, Phase
from isogloss.annotate.chain_tasks import check_flexible
from isogloss.annotate.records import Answer
from isogloss.annotate.standing import StandingAnswer, standing_answers
from isogloss.annotate.store import Store
from isogloss.annotate.values import checked_value, says_nothing
from isogloss.annotate.viewing import answer_view
from isogloss.annotate.wire import AnswerView, ChainView
from isogloss.annotate.wire_organiser import Disagreement, DisputedChain, Opinion
from isogloss.errors import InputError

PREFIX = "adjudication:"

Unit = tuple[str, str, int, str | None, str | None]


def unit(answer: StandingAnswer) -> Unit:
    """What was judged, whoever did it."""
    return answer.kind, answer.document, answer.number, answer.system, answer.markable


def disagreeing(answers: Iterable[StandingAnswer]) -> dict[Unit, list[StandingAnswer]]:
    """The places on which several annotators said different things."""
    opinions: dict[Unit, list[StandingAnswer]] = {}
    for answer in answers:
        if not says_nothing(cast(Phase, answer.kind), answer.value):
            opinions.setdefault(unit(answer), []).append(answer)
    return {
        place: said
        for place, said in opinions.items()
        if any(_essence(one) != _essence(said[0]) for one in said[1:])
    }


def _essence(answer: StandingAnswer) -> dict[str, Any]:
    """What counts in an answer: two people never select quite the same words."""
    ignored = ("target", "reported", "note", "same_as")
    return {name: value for name, value in answer.value.items() if name not in ignored}


def disagreements(store: Store) -> Iterator[Disagreement]:
    """Every place on which annotators disagree, with the decision where there is one."""
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


def decision_place(answer: StandingAnswer) -> tuple[str, str]:
    """Where the decision on an answer's place is kept: its task and item."""
    about = f"/{answer.markable}" if answer.markable else ""
    item = f"{answer.kind}:{answer.number}/{answer.system or ''}{about}"
    return f"{PREFIX}{answer.document}", item[:200]


_ITEM = re.compile(r"(\w+):(\d+)/.*", re.DOTALL)


def checked_adjudication(
    store: Store, task: str, item: str, value: Mapping[str, Any]
) -> dict[str, Any]:
    """The decision as it is stored: an answer of the kind that annotators give there."""
    document = task.removeprefix(PREFIX)
    match = _ITEM.fullmatch(item)
    if not task.startswith(PREFIX) or document not in store.documents() or match is None:
        raise InputError("this is no place for a decision")
    if match[1] not in PHASES:
        raise InputError(f"nobody is asked about {match[1]!r}")
    kind = cast(Phase, match[1])
    decision = checked_value(kind, value)
    if says_nothing(kind, decision):
        raise InputError("a decision must say something")
    if kind == "consistency":
        check_flexible(_chain_content(store, document), f"chain:{match[2]}", decision)
    return decision


def _chain_content(store: Store, document: str) -> Mapping[str, Any]:
    tasks = (t for t in store.tasks_of() if t.kind == "consistency" and t.document == document)
    found = next(tasks, None)
    if found is None:
        raise InputError(f"document {document!r} has no repeated words to decide on")
    return found.content


def _disagreement(
    text: Mapping[str, Any], decisions: Mapping[str, Answer], said: list[StandingAnswer]
) -> Disagreement:
    first = said[0]
    segment = _segment(first)
    task, item = decision_place(first)
    decision = decisions.get(item)
    return Disagreement(
        task=task,
        item=item,
        kind=first.kind,
        document=first.document,
        segment=segment,
        source=text["source"][segment],
        output=text["outputs"][first.system][segment] if first.system else None,
        system=first.system,
        markable=first.markable,
        chain=_chain(first, text),
        opinions=[_opinion(answer) for answer in said],
        decision=answer_view(decision) if decision else None,
    )


def _chain(answer: StandingAnswer, text: Mapping[str, Any]) -> DisputedChain | None:
    if answer.kind != "consistency":
        return None
    chain = ChainView(**answer.task.content["chains"][answer.number])
    sources = [text["source"][place.segment] for place in chain.places]
    return DisputedChain(chain=chain, sources=sources)


def _segment(answer: StandingAnswer) -> int:
    content = answer.task.content
    if answer.kind == "phase2":
        return int(content["markable"]["occurrences"][answer.number]["segment"])
    if answer.kind == "consistency":
        return int(content["chains"][answer.number]["places"][0]["segment"])
    return answer.number


def _opinion(answer: StandingAnswer) -> Opinion:
    # An annotator's answers have revisions of their own, which are nobody's business here.
    view = AnswerView(revision=0, value=dict(answer.value), at=answer.at)
    return Opinion(annotator=answer.annotator, answer=view)
