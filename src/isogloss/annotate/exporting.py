"""What comes out of a campaign, in the forms that other tools read."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from isogloss.annotate.adjudication import decision_place
from isogloss.annotate.chain_answers import KIND as CONSISTENCY
from isogloss.annotate.chain_answers import annotator_lines, decided_lines
from isogloss.annotate.records import Answer
from isogloss.annotate.standing import StandingAnswer, standing_answers
from isogloss.annotate.store import Store
from isogloss.annotate.study_exchange import study_records
from isogloss.errors import InputError

Lines = Iterator[str]


def events_jsonl(store: Store) -> Lines:
    """Everything that ever happened, one event a line: the truth, and a backup of it."""
    for event in store.events():
        yield json.dumps(asdict(event), ensure_ascii=False)


def answers_jsonl(store: Store) -> Lines:
    """The answers that stand, systems by their names, checks and decisions marked as such."""
    decisions: dict[str, dict[str, Answer]] = {}
    for answer in standing_answers(store):
        task, item = decision_place(answer)
        if task not in decisions:
            decisions[task] = store.answers(task)
        decision = decisions[task].get(item) if answer.check is None else None
        record = {
            "annotator": answer.annotator,
            **_place(answer),
            "at": answer.at,
            "check": answer.check["kind"] if answer.check else None,
            "value": dict(answer.value),
            "decision": dict(decision.value) if decision else None,
        }
        yield json.dumps(record, ensure_ascii=False)


def decisions_jsonl(store: Store) -> Lines:
    """The organiser's decisions, one place a line, beside what the annotators said there."""
    opinions: dict[tuple[str, str], list[StandingAnswer]] = {}
    for answer in standing_answers(store):
        if answer.check is None:
            opinions.setdefault(decision_place(answer), []).append(answer)
    decisions = {task: store.answers(task) for task in {task for task, _ in opinions}}
    for (task, item), said in opinions.items():
        if decision := decisions[task].get(item):
            record = {
                **_place(said[0]),
                "at": decision.at,
                "value": dict(decision.value),
                "opinions": {answer.annotator: dict(answer.value) for answer in said},
            }
            yield json.dumps(record, ensure_ascii=False)


def _place(answer: StandingAnswer) -> dict[str, Any]:
    return {
        "kind": answer.kind,
        "document": answer.document,
        "number": answer.number,
        "markable": answer.markable,
        "system": answer.system,
    }


def study_jsonl(store: Store) -> Lines:
    """Texts, markables, and phases 1 and 2 as events, for 'isogloss markables analyse'."""
    for record in study_records(store):
        yield json.dumps(record, ensure_ascii=False)


def scores_tsv(store: Store) -> Lines:
    """The scores of segments: annotator, system, document, segment, kind and score."""
    yield "annotator\tsystem\tdoc\tsegment\tkind\tscore"
    for answer in _scored(store):
        place = f"{answer.annotator}\t{answer.system}\t{answer.document}\t{answer.number}"
        yield f"{place}\t{answer.kind}\t{answer.value['score']:g}"


def esa_jsonl(store: Store) -> Lines:
    """Error spans and scores, one judged segment a line, as isogloss reads ESA."""
    texts = {id: store.text(id) for id in store.documents()}
    for answer in standing_answers(store, "spans"):
        if answer.check is None and answer.system is not None:
            text = texts[answer.document]
            record = {
                "annotator": answer.annotator,
                "system": answer.system,
                "doc": answer.document,
                "segment": answer.number,
                "source": text["source"][answer.number],
                "target": text["outputs"][answer.system][answer.number],
                "score": answer.value["score"],
                "errors": answer.value["errors"],
            }
            yield json.dumps(record, ensure_ascii=False)


def _scored(store: Store) -> Iterator[StandingAnswer]:
    for answer in standing_answers(store):
        if answer.check is None and answer.value.get("score") is not None:
            yield answer


EXPORTS: dict[str, Callable[[Store], Lines]] = {
    "events.jsonl": events_jsonl,
    "answers.jsonl": answers_jsonl,
    "decisions.jsonl": decisions_jsonl,
    "study.jsonl": study_jsonl,
    "scores.tsv": scores_tsv,
    "esa.jsonl": esa_jsonl,
}


def export_names(store: Store) -> list[str]:
    """What can be exported: of repeated words also a file for each annotator."""
    people = {actor.id: actor.name for actor in store.actors()}
    asked = dict.fromkeys(people[t.actor] for t in store.tasks_of() if t.kind == CONSISTENCY)
    repeated = [_DECIDED, *map(_annotators_file, asked)] if asked else []
    return [*EXPORTS, *repeated]


_DECIDED = f"{CONSISTENCY}.jsonl"


def _annotators_file(name: str) -> str:
    return f"{CONSISTENCY}-{name}.jsonl"


def exported(store: Store, name: str) -> Lines:
    """The export of that name, line by line."""
    if name not in (names := export_names(store)):
        raise InputError(f"there is no export {name!r}; there are: {', '.join(names)}")
    if name in EXPORTS:
        return EXPORTS[name](store)
    if name == _DECIDED:
        return decided_lines(store)
    return annotator_lines(store, name.removeprefix(f"{CONSISTENCY}-").removesuffix(".jsonl"))
