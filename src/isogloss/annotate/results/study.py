"""Between campaigns and the markable study: a finished study as a campaign, and back again."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from isogloss.annotate.answers import checked_value
from isogloss.annotate.campaign import Campaign
from isogloss.annotate.items import DocumentText, ItemName
from isogloss.annotate.launch import AccessLinks, new_task_id, opened, task_slots
from isogloss.annotate.results.adjudication import StandingAnswer, standing_answers
from isogloss.annotate.storage.schema import OPENED, Submission, Task
from isogloss.annotate.storage.store import Store
from isogloss.metrics.markables import Markable, Phenomenon
from isogloss.metrics.markables.study import (
    Event,
    LineEvent,
    LineRating,
    MarkableStudy,
    MarkEvent,
    event_record,
    events_of,
)
from isogloss.spans import Span

_AT_A_TIME = 500


def study_events(store: Store) -> Iterator[Event]:
    """Phases 1 and 2 as the study's events, systems by their names."""
    for answer in standing_answers(store):
        if answer.kind == "phase1":
            yield _line_event(answer)
        elif answer.kind == "phase2" and (answer.value["no_error"] or answer.value["phenomena"]):
            # Words may have been set right and nothing judged; empty marks would say "no error".
            yield _mark_event(answer)


def study_records(store: Store) -> Iterator[dict[str, Any]]:
    """Texts, markables and events: all that 'isogloss markables analyse' asks for."""
    yield {"study": store.fact(OPENED)["name"]}
    for document in store.documents():
        text = store.text(document)
        # Campaigns that were opened by an older isogloss kept no references.
        references = {"references": text.get("references", {})}
        yield {"text": document, **{name: text[name] for name in _KEPT}, **references}
    tasks = [task for task in store.tasks_of() if task.kind == "phase2"]
    terms = {(task.document, task.content["markable"]["head"]): task.content for task in tasks}
    for (document, head), content in terms.items():
        yield {"term": head, "document": document, **_term(content)}
    for event in study_events(store):
        yield event_record(event)


_KEPT = ("source_language", "target_language", "domain", "source", "outputs", "humans")


def _term(content: Mapping[str, Any]) -> dict[str, Any]:
    occurrences = content["markable"]["occurrences"]
    places = [[each[name] for name in ("segment", "start", "end")] for each in occurrences]
    numbering = {name: content[name] for name in (_INDEX_LINES,) if name in content}
    return {"occurrences": places, **numbering}


_INDEX_LINES = "index_lines"
"""How an imported study numbers the places of a markable: see `MarkableStudy.index_lines`."""


def _line_event(answer: StandingAnswer) -> LineEvent:
    value = answer.value
    words = [each["text"] for each in value["reported"]] + [value["note"]] * bool(value["note"])
    rating = LineRating(value["conflicting"], ", ".join(words), value["fluency"], value["adequacy"])
    place = (answer.at, answer.annotator, answer.document, str(answer.system))
    return LineEvent(*place, answer.number, rating)


def _mark_event(answer: StandingAnswer) -> MarkEvent:
    marks = {Phenomenon(name): severity for name, severity in answer.value["phenomena"].items()}
    place = (answer.at, answer.annotator, answer.document, str(answer.system))
    return MarkEvent(*place, str(answer.markable), answer.number, marks)


# --- a study as a campaign -----------------------------------------------------------------------


def study_campaign(study: MarkableStudy, testset: str) -> Campaign:
    """The campaign that a study was; `testset` says where its files are."""
    annotators = tuple(dict.fromkeys(event.annotator for event in _events(study)))
    return Campaign(study.name, testset, annotators, ("phase1", "phase2"))


def import_study(study: MarkableStudy, campaign: Campaign, store: Store) -> AccessLinks:
    """Open a study's campaign, in which everybody has answered already what they did in the study.

    Disagreements can be decided then, more markables released, and everything exported.
    """
    events = list(_events(study))
    # Work is not given out anew: the tasks are those of which the study has answers.
    links = opened(replace(campaign, phases=("phase2",)), list(_texts(study)), "", store)
    tasks = _study_tasks(study, events, store)
    store.add_tasks(list(tasks.values()))
    _answer(store, tasks, events)
    return links


def _events(study: MarkableStudy) -> Iterator[Event]:
    return events_of(study.line_sheets, study.mark_sheets)


def _texts(study: MarkableStudy) -> Iterator[DocumentText]:
    for collection in study.collections:
        testset = collection.testset
        for document in testset.documents:
            yield DocumentText(
                document.id,
                document.source,
                {output.name: output.documents[document.id] for output in collection.outputs},
                None,
                testset.source_language,
                testset.target_language,
                document.domain,
                [output.name for output in collection.outputs if output.human],
                dict(document.references),
            )


Subject = tuple[str, str, str | None]
"""Whose task, on which document, about which markable (`None`: its lines)."""


def _subject(event: Event) -> Subject:
    head = event.markable if isinstance(event, MarkEvent) else None
    return event.annotator, event.document, head


def _study_tasks(
    study: MarkableStudy, events: Iterable[Event], store: Store
) -> dict[Subject, Task]:
    markables = {(m.document, m.head): m for m in study.markables}
    people = {actor.name: actor for actor in store.actors()}
    tasks: dict[Subject, Task] = {}
    for annotator, document, head in dict.fromkeys(map(_subject, events)):
        actor = people[annotator]
        slots = task_slots(store, actor, store.text(document))
        content: dict[str, Any]
        if head is None:
            lines = range(len(study.documents[document]))
            items = [str(ItemName("line", number, slot)) for number in lines for slot in slots]
            kind, content = "phase1", {"items": items}
        else:
            kind, content = "phase2", markable_content(markables[document, head], slots)
            numbers = range(len(content["markable"]["occurrences"]))
            content[_INDEX_LINES] = [study.index_lines[document, head, n] for n in numbers]
        position = len(tasks)
        subject = (annotator, document, head)
        tasks[subject] = Task(new_task_id(), actor.id, kind, document, position, content)
    return tasks


def markable_content(markable: Markable, slots: Iterable[str]) -> dict[str, Any]:
    """What a task of phase 2 asks about a markable."""
    letters = list(slots)
    numbers = range(len(markable.occurrences))
    return {
        "items": [str(ItemName("occ", number, slot)) for number in numbers for slot in letters],
        "markable": {
            "head": markable.head,
            "occurrences": [_place(span) for span in markable.occurrences],
        },
    }


def _place(span: Span) -> dict[str, int]:
    return {"segment": span.segment, "start": span.start, "end": span.end}


def _answer(store: Store, tasks: Mapping[Subject, Task], events: Iterable[Event]) -> None:
    letters = {
        task.id: {
            system: slot
            for slot, system in task_slots(store, actor, store.text(task.document)).items()
        }
        for actor in store.actors()
        for task in tasks.values()
        if task.actor == actor.id
    }
    waiting: dict[int, list[Submission]] = {}
    for number, event in enumerate(events):
        task = tasks[_subject(event)]
        submission = _submission(f"imported-{number}", task, letters[task.id], event)
        waiting.setdefault(task.actor, []).append(submission)
    for actor_id, submissions in waiting.items():
        for start in range(0, len(submissions), _AT_A_TIME):
            store.save(actor_id, submissions[start : start + _AT_A_TIME])


def _submission(key: str, task: Task, letters: Mapping[str, str], event: Event) -> Submission:
    slot = letters[event.system]
    if isinstance(event, LineEvent):
        rating = event.rating
        said: dict[str, Any] = {
            "adequacy": rating.adequacy,
            "fluency": rating.fluency,
            "conflicting": rating.conflicting,
            "note": rating.reported,
        }
        item, value = ItemName("line", event.line, slot), checked_value("phase1", said)
    else:
        marks = {phenomenon.value: severity for phenomenon, severity in event.marks.items()}
        item = ItemName("occ", event.occurrence, slot)
        value = checked_value("phase2", {"no_error": not marks, "phenomena": marks})
    return Submission(key, task.id, str(item), 0, value, event.time)
