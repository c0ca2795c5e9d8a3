"""Curation: from what annotators reported and programs propose to the markables of phase 2.

The organiser's decisions are events like any answer: the task is the document's curation, an item
is one candidate, the value is the markable as the organiser wants it.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from isogloss.annotate.assignment import shares
from isogloss.annotate.opening import SECRET, new_task_id, task_slots
from isogloss.annotate.records import Saved, Submission, Task
from isogloss.annotate.schema import OPENED
from isogloss.annotate.standing import standing_answers
from isogloss.annotate.store import Store
from isogloss.annotate.study_exchange import markable_content
from isogloss.annotate.wire import PlaceView
from isogloss.annotate.wire_organiser import CandidateView, CuratedMarkable, CurationDocument
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.markables.markable import Markable, Term
from isogloss.spans import SOURCE, Span

_PREFIX = "curation:"
PROPOSED = "proposed"
"""The fact that a program has proposed its markables: see `isogloss.annotate.proposing`."""


def curation_task(document: str) -> str:
    """The name under which a document's curation is kept."""
    return f"{_PREFIX}{document}"


def collect_reports(store: Store, organiser: int) -> int:
    """Make candidates of what annotators reported in phase 1; how many are new."""
    new = 0
    for document, terms in _reported_terms(store).items():
        source = store.text(document)["source"]
        places = {head: _found(head, source) for head in terms}
        found = [
            CuratedMarkable(
                head=head,
                occurrences=places[head],
                state="proposed",
                origin=f"reported by {counted(len(people), 'annotator')}",
            )
            for head, people in terms.items()
            if places[head]
        ]
        new += offer(store, organiser, document, found).added
    return new


# --- candidates from several sides ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Offered:
    """How many candidates are new, and how many say more of one that was there."""

    added: int
    joined: int

    def __add__(self, other: "Offered") -> "Offered":
        return Offered(self.added + other.added, self.joined + other.joined)


def offer(store: Store, organiser: int, document: str, found: Iterable[CuratedMarkable]) -> Offered:
    """Put candidates on the organiser's list, each term once.

    One that is there already is told why it was offered again, and gets the new places as long as
    nobody has touched it. What the organiser decided on stays as it is.
    """
    known = candidates(store, document)
    new: list[CuratedMarkable] = []
    joined = 0
    for markable in found:
        same = next((each for each in known if _same_term(each.markable, markable)), None)
        if same is not None:
            joined += _join(store, organiser, document, same, markable)
        elif not any(_same_term(each, markable) for each in new):
            new.append(markable)
    return Offered(add_candidates(store, organiser, document, new), joined)


def _same_term(one: CuratedMarkable, other: CuratedMarkable) -> bool:
    """The same name, or the same words at half of the places of either."""
    if one.head.lower() == other.head.lower():
        return True
    shared = sum(any(_overlap(a, b) for b in other.occurrences) for a in one.occurrences)
    return 2 * shared >= min(len(one.occurrences), len(other.occurrences))


def _overlap(one: PlaceView, other: PlaceView) -> bool:
    """Whether two places have at least half of their characters in common."""
    if one.segment != other.segment:
        return False
    common = min(one.end, other.end) - max(one.start, other.start)
    return 2 * common >= max(one.end, other.end) - min(one.start, other.start)


def _join(
    store: Store, organiser: int, document: str, known: CandidateView, again: CuratedMarkable
) -> bool:
    """Say on a candidate that is still open why it was offered again; whether that is news."""
    before = known.markable
    side = again.origin.split(" ")[0]  # "reported" or "proposed:"
    if before.state != "proposed" or side in before.origin.split(" "):
        return False
    untouched = known.revision == 1
    value = before.model_copy(
        update={
            "origin": f"{before.origin}; {again.origin}"[:500],
            "occurrences": _joined_places(before, again) if untouched else before.occurrences,
        }
    ).model_dump(mode="json")
    task = curation_task(document)
    submission = Submission(new_task_id(), task, known.item, known.revision, value, 0)
    return isinstance(store.save(organiser, [submission])[0], Saved)


def _joined_places(before: CuratedMarkable, again: CuratedMarkable) -> list[PlaceView]:
    more = [p for p in again.occurrences if not any(_overlap(p, q) for q in before.occurrences)]
    return sorted([*before.occurrences, *more], key=lambda p: (p.segment, p.start, p.end))


def _reported_terms(store: Store) -> dict[str, dict[str, set[str]]]:
    """By document, the words reported in the source or in notes, with whoever reported them."""
    terms: dict[str, dict[str, set[str]]] = {}
    for answer in standing_answers(store, "phase1"):
        chosen = [r["text"] for r in answer.value["reported"] if r["side"] == SOURCE]
        for word in (*chosen, *re.split(r"[,;\n]", answer.value["note"])):
            head = " ".join(word.split())
            if head:
                by_head = terms.setdefault(answer.document, {})
                by_head.setdefault(head.lower(), set()).add(answer.annotator)
    return terms


def _found(head: str, source: Iterable[str]) -> list[PlaceView]:
    """The places of a term in the source, in any letter case."""
    places = Term((re.escape(head),)).find(list(source))
    return [PlaceView(segment=s, start=a, end=b) for s, a, b in sorted(set(places))]


def add_candidates(
    store: Store, organiser: int, document: str, found: Iterable[CuratedMarkable]
) -> int:
    """Put candidates on the organiser's list."""
    task = curation_task(document)
    first = len(store.answers(task))
    submissions = [
        Submission(
            f"{new_task_id()}-{number}",
            task,
            f"candidate:{number}",
            0,
            markable.model_dump(mode="json"),
            0,
        )
        for number, markable in enumerate(found, first)
    ]
    return sum(isinstance(done, Saved) for done in store.save(organiser, submissions))


def candidates(store: Store, document: str) -> list[CandidateView]:
    """The organiser's list for a document, as it stands."""
    return [
        CandidateView(item=item, revision=answer.revision, markable=CuratedMarkable(**answer.value))
        for item, answer in store.answers(curation_task(document)).items()
    ]


def curation(store: Store) -> list[CurationDocument]:
    """The lists of all documents, with how many markables went out to annotators."""
    released = _released(store)
    proposed = store.fact(PROPOSED) is not None
    return [
        CurationDocument(
            task=curation_task(document),
            document=document,
            source=store.text(document)["source"],
            candidates=candidates(store, document),
            released=len(released.get(document, ())),
            proposed=proposed,
        )
        for document in store.documents()
    ]


def _released(store: Store) -> dict[str, set[str]]:
    heads: dict[str, set[str]] = {}
    for task in store.tasks_of():
        if task.kind == "phase2":
            heads.setdefault(task.document, set()).add(task.content["markable"]["head"])
    return heads


def checked_decision(store: Store, document: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """The organiser's markable, if its places lie in the source."""
    source = store.text(document)["source"]
    markable = CuratedMarkable(**value)
    lengths = [len(text) for text in source]
    for place in markable.occurrences:
        if not (
            0 <= place.segment < len(source)
            and 0 <= place.start < place.end <= lengths[place.segment]
        ):
            raise InputError(f"{markable.head!r}: there is no such place in {document!r}: {place}")
    return markable.model_dump(mode="json")


_RELEASING = threading.Lock()


def release(store: Store) -> int:
    """Give out a task of phase 2 for every accepted markable that nobody has yet; how many."""
    with _RELEASING:  # two clicks must not give the same work out twice
        return _release(store)


def _release(store: Store) -> int:
    # Alignment takes its time and some memory: it is for releases, not for the server's start.
    from isogloss.annotate.aligned_words import aligned_words

    done = _released(store)
    new = {
        id: [m for m in _accepted(store, id) if m.head not in done.get(id, ())]
        for id in store.documents()
    }
    if not any(new.values()):
        return 0
    aligned = aligned_words(store, [markable for each in new.values() for markable in each])
    campaign = store.fact(OPENED)
    secret = store.fact(SECRET)
    sizes = {id: len(store.text(id)["source"]) for id in store.documents()}
    people = {actor.name: actor for actor in store.actors()}
    tasks = []
    for share in shares(sizes, campaign["annotators"], campaign["redundancy"], secret):
        actor = people[share.annotator]
        position = len(store.tasks_of(actor.id))
        for document in share.documents:
            slots = task_slots(store, actor, store.text(document))
            for markable in new[document]:
                content = markable_content(markable, slots)
                content["aligned"] = aligned.get((document, markable.head), {})
                tasks.append(Task(new_task_id(), actor.id, "phase2", document, position, content))
                position += 1
    return store.add_new_tasks(tasks, _about)


def _about(task: Task) -> tuple[int, str, str, str]:
    head = task.content["markable"]["head"] if task.kind == "phase2" else ""
    return task.actor, task.kind, task.document, head


def _accepted(store: Store, document: str) -> Iterator[Markable]:
    for candidate in candidates(store, document):
        markable = candidate.markable
        if markable.state == "accepted":
            places = sorted((p.segment, p.start, p.end) for p in markable.occurrences)
            spans = tuple(Span(document, SOURCE, *place) for place in places)
            yield Markable(document, markable.head, spans)
