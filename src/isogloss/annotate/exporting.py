"""What comes out of a campaign, in the forms that other tools read."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict

from isogloss.annotate.adjudication import decision_place
from isogloss.annotate.standing import StandingAnswer, standing_answers
from isogloss.annotate.store import Answer, Store
from isogloss.annotate.study_exchange import study_events
from isogloss.errors import InputError
from isogloss.markables.study.events import event_record

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
            "kind": answer.kind,
            "document": answer.document,
            "number": answer.number,
            "markable": answer.markable,
            "system": answer.system,
            "at": answer.at,
            "check": answer.check["kind"] if answer.check else None,
            "value": dict(answer.value),
            "decision": dict(decision.value) if decision else None,
        }
        yield json.dumps(record, ensure_ascii=False)


def study_jsonl(store: Store) -> Lines:
    """Phases 1 and 2 as the event log that 'isogloss markables analyse' reads."""
    for event in study_events(store):
        yield json.dumps(event_record(event), ensure_ascii=False)


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
    "study.jsonl": study_jsonl,
    "scores.tsv": scores_tsv,
    "esa.jsonl": esa_jsonl,
}


def exported(store: Store, name: str) -> Lines:
    """The export of that name, line by line."""
    if name not in EXPORTS:
        raise InputError(f"there is no export {name!r}; there are: {', '.join(EXPORTS)}")
    return EXPORTS[name](store)
