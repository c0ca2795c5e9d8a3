"""Adjudication: where annotators disagree, somebody decides, and the decision is kept beside them.

A decision is an event of the organiser; what the annotators said stays as it is.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from isogloss.annotate.overview import disagreeing
from isogloss.annotate.standing import StandingAnswer, standing_answers
from isogloss.annotate.store import Answer, Store
from isogloss.annotate.viewing import answer_view
from isogloss.annotate.wire import AnswerView
from isogloss.annotate.wire_organiser import Disagreement, Opinion

PREFIX = "adjudication:"


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
        opinions=[_opinion(answer) for answer in said],
        decision=answer_view(decision) if decision else None,
    )


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
