"""Markables that a program proposes, beside those that annotators reported.

Computed once, when the organiser asks for it or when a campaign that wants it is opened: aligning
takes its time, and the texts of a campaign do not change.
"""

import threading
from collections.abc import Iterator
from itertools import islice

from isogloss.annotate.aligned_words import aligned_texts
from isogloss.annotate.curation import PROPOSED, Offered, offer
from isogloss.annotate.schema import OPENED
from isogloss.annotate.store import Store
from isogloss.annotate.wire import PlaceView
from isogloss.annotate.wire_organiser import CuratedMarkable
from isogloss.documents import counted
from isogloss.markables.aligned import Aligned
from isogloss.markables.proposal import Proposal, propose

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
