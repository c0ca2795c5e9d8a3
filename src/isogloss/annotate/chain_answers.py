"""What annotators said of repeated words, as the answers that 'isogloss chains' reads.

There is a file for each annotator, to compare them with 'chains agree', and one of what counts in
the end: the organiser's decision, or what all say who judged the chain. Somebody who is not sure
has not judged it.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from isogloss.annotate.adjudication import decision_place
from isogloss.annotate.campaign import ORGANISER
from isogloss.annotate.standing import StandingAnswer, standing_answers
from isogloss.annotate.store import Store
from isogloss.consistency.annotating import Flexible, answer_line

KIND = "consistency"


def annotator_lines(store: Store, annotator: str) -> Iterator[str]:
    """The answers of one annotator."""
    for answer in standing_answers(store, KIND):
        if answer.annotator == annotator:
            yield from _line(answer, answer.value, annotator, answer.at)


def decided_lines(store: Store) -> Iterator[str]:
    """What counts in the end; chains on which people disagree are left out until it is decided."""
    said: dict[tuple[str, int], list[StandingAnswer]] = {}
    for answer in standing_answers(store, KIND):
        said.setdefault((answer.document, answer.number), []).append(answer)
    for answers in said.values():
        first = answers[0]
        task, item = decision_place(first)
        decision = store.answers(task).get(item)
        if decision:
            yield from _line(first, decision.value, ORGANISER, decision.at)
            continue
        judged = [answer for answer in answers if _flexible(answer, answer.value) is not None]
        if len({_flexible(answer, answer.value) for answer in judged}) == 1:
            people = ", ".join(answer.annotator for answer in judged)
            last = max(answer.at for answer in judged)
            yield from _line(judged[0], judged[0].value, people, last)


def _line(
    answer: StandingAnswer, value: Mapping[str, Any], annotator: str, at: int
) -> Iterator[str]:
    flexible = _flexible(answer, value)
    if flexible is not None:
        said = {"chain": _chain(answer)["id"], "flexible": sorted(flexible)}
        yield answer_line(said, annotator, datetime.fromtimestamp(at / 1000, UTC))


def _flexible(answer: StandingAnswer, value: Mapping[str, Any]) -> Flexible | None:
    """The places that may be translated differently; `None` where nobody dares to say."""
    if value["same"] is None:
        return None
    if value["same"]:
        return frozenset()
    return frozenset(value["flexible"] or range(len(_chain(answer)["places"])))


def _chain(answer: StandingAnswer) -> Mapping[str, Any]:
    chain: Mapping[str, Any] = answer.task.content["chains"][answer.number]
    return chain
