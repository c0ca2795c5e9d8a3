"""Curation: from what annotators reported and programs propose to the markables of phase 2.

The organiser's decisions are events like any answer: the task is the document's curation, an item
is one candidate, the value is the markable as the organiser wants it.

For each place of a markable the words that stand for it in every translation, by an aligner.

They are what annotators see highlighted in phase 2, and may set right. Nothing is loaded before the
organiser releases markables.

Markables that a program proposes, beside those that annotators reported.

Computed once, when the organiser asks for it or when a campaign that wants it is opened: aligning
takes its time, and the texts of a campaign do not change.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from isogloss.annotate.items import shares
from isogloss.annotate.launch import SECRET, new_task_id, task_slots
from isogloss.annotate.results.adjudication import standing_answers
from isogloss.annotate.results.study import markable_content
from isogloss.annotate.storage.schema import OPENED, Saved, Submission, Task
from isogloss.annotate.storage.store import Store
from isogloss.annotate.wire import PlaceView
from isogloss.annotate.wire_organiser import CandidateView, CuratedMarkable, CurationDocument
from isogloss.annotate.work import Allocation
from isogloss.documents import Document, counted
from isogloss.errors import InputError
from isogloss.metrics.markables import (
    Aligned,
    Markable,
    Proposal,
    Term,
    Version,
    WordReader,
    align_versions,
    propose,
)
from isogloss.spans import SOURCE, Span, output_side, reference_side

_PREFIX = "curation:"
PROPOSED = "proposed"
"""The fact that a program has proposed its markables: see `isogloss.annotate.results.curation`."""


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

    done = _released(store)
    new = {
        id: [m for m in _accepted(store, id) if m.head not in done.get(id, ())]
        for id in store.documents()
    }
    if not any(new.values()):
        return 0
    aligned = aligned_words(store, [markable for each in new.values() for markable in each])
    secret = store.fact(SECRET)
    sizes = {id: len(store.text(id)["source"]) for id in store.documents()}
    allocation = store.looking(Allocation)
    people = {actor.name: actor for actor in allocation.annotators}
    tasks = []
    order = store.fact(OPENED).get("order", "lot")
    for share in shares(sizes, list(people), allocation.redundancy, secret, order):
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


Places = list[list[tuple[int, int]]]
"""Occurrence by occurrence, the places of the words in the output."""

Alignments = dict[tuple[str, str], dict[str, Places]]
"""By document and head of the markable: the places, by system."""


def aligned_words(store: Store, markables: Sequence[Markable]) -> Alignments:
    """The words that stand for these markables, document by document."""
    found: Alignments = {}
    for aligned in aligned_texts(store):
        for markable in markables:
            if markable.document == aligned.document.id:
                places = [_places(aligned, span) for span in markable.occurrences]
                found.setdefault((markable.document, markable.head), {})[aligned.system] = places
    return found


def aligned_texts(store: Store, *, references: bool = False) -> list[Aligned]:
    """Every translation of every document with its links; references too if they are wanted."""
    texts = {id: store.text(id) for id in store.documents()}
    found: list[Aligned] = []
    for direction in sorted({_direction(text) for text in texts.values()}, key=str):
        own = [text for text in texts.values() if _direction(text) == direction]
        versions = [v for text in own for v in _versions(text, references=references)]
        found += _aligned(versions, *direction)
    return found


def _direction(text: Mapping[str, Any]) -> tuple[str | None, str | None]:
    return text["source_language"], text["target_language"]


def _versions(text: Mapping[str, Any], *, references: bool) -> list[Version]:
    document = Document(text["id"], tuple(text["source"]))
    outputs = text["outputs"]
    versions = [
        Version(document, system, output_side(system), tuple(lines))
        for system, lines in outputs.items()
    ]
    if references:
        versions += [
            Version(document, name, reference_side(name), tuple(lines))
            for name, lines in text.get("references", {}).items()
            if name not in outputs
        ]
    return versions


def _aligned(versions: Sequence[Version], source: str | None, target: str | None) -> list[Aligned]:
    from isogloss.alignment import aligner  # and with it numpy and the model: not at the start

    chosen = aligner(source_language=source, target_language=target)
    return align_versions(versions, chosen, WordReader(source).read, WordReader(target).read)


def _places(aligned: Aligned, span: Span) -> list[tuple[int, int]]:
    """The linked words, neighbours joined to one place."""
    words = aligned.sources[span.segment].within(span.start, span.end)
    tokens = aligned.targets[span.segment].tokens
    places: list[tuple[int, int]] = []
    previous = None
    for index in aligned.linked(span.segment, words):
        if previous is not None and index == previous + 1:
            places[-1] = places[-1][0], tokens[index].end
        else:
            places.append((tokens[index].start, tokens[index].end))
        previous = index
    return places


DEFAULT_COUNT = 20
_RENDERINGS = 4
_PROPOSING = threading.Lock()


def are_proposed(store: Store) -> bool:
    """Whether this was done already."""
    return store.fact(PROPOSED) is not None


def propose_markables(store: Store, organiser: int) -> Offered:
    """Put the best candidates of every document on the organiser's list, if nobody has yet."""
    with _PROPOSING:  # two clicks must not propose twice
        if are_proposed(store):
            return Offered(0, 0)
        count = store.fact(OPENED).get("propose") or DEFAULT_COUNT
        done = Offered(0, 0)
        for document, company in _by_document(aligned_texts(store, references=True)):
            found = [_candidate(proposal) for proposal in propose(company, count)]
            done += offer(store, organiser, document, found)
        store.set_fact(PROPOSED, {"count": count})
        return done


def _by_document(aligned: list[Aligned]) -> Iterator[tuple[str, list[Aligned]]]:
    for document in dict.fromkeys(each.document.id for each in aligned):
        yield document, [each for each in aligned if each.document.id == document]


def _candidate(proposal: Proposal) -> CuratedMarkable:
    markable = proposal.markable
    return CuratedMarkable(
        head=markable.head,
        occurrences=[
            PlaceView(segment=span.segment, start=span.start, end=span.end)
            for span in markable.occurrences
        ],
        state="proposed",
        origin=evidence(proposal),
    )


def evidence(proposal: Proposal) -> str:
    """Why a term was proposed, in words."""
    named = [(words, times) for words, times in proposal.renderings.items() if words]
    shown = ", ".join(f"{words} ({times})" for words, times in islice(named, _RENDERINGS))
    more = len(named) - _RENDERINGS
    parts = [
        f"rendered as {shown}" if shown else "linked to no words",
        f"{counted(more, 'other way')}" if more > 0 else "",
        f"{proposal.within:.1f} bits within a translation, {proposal.across:.1f} across them",
        f"shares a rendering with {', '.join(proposal.merged)}" if proposal.merged else "",
    ]
    return f"proposed: {'; '.join(part for part in parts if part)}"[:500]
