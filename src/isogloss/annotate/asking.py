"""Who is asking, by their cookie, and the receipts that they get for what they send."""

from collections.abc import Callable
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Request, Response

from isogloss.annotate.guards import printable
from isogloss.annotate.records import Actor, Reused, Saved, Submission
from isogloss.annotate.saving import Outcome
from isogloss.annotate.secrets_kept import hashed
from isogloss.annotate.store import Store
from isogloss.annotate.viewing import answer_view
from isogloss.annotate.wire import Receipt, Receipts, SentAnswer, SentAnswers
from isogloss.errors import InputError

LINK = "open the link that the organiser gave you"


def the_store(request: Request) -> Store:
    """The campaign's memory."""
    return cast(Store, request.app.state.store)


def the_actor(request: Request) -> Actor:
    """Whoever is asking, by their cookie."""
    if (known := getattr(request.state, "actor", None)) is not None:
        return cast(Actor, known)  # the guard has asked already
    token = request.cookies.get(request.app.state.cookie, "")
    caller = hashed(token)
    if not request.app.state.asking.allows(caller):
        raise HTTPException(429, "too many requests at once | wait a moment")
    actor = the_store(request).actor_with(token) if token else None
    if actor is None:
        raise HTTPException(401, f"nobody knows you here | {LINK}")
    return actor


def an_annotator(actor: Annotated[Actor, Depends(the_actor)]) -> Actor:
    """Whoever is asking, if they annotate."""
    if actor.role != "annotator":
        raise HTTPException(403, "this is for annotators")
    return actor


def the_organiser(actor: Annotated[Actor, Depends(the_actor)]) -> Actor:
    """Whoever is asking, if they organise the campaign."""
    if actor.role != "organiser":
        raise HTTPException(403, "this is for the organiser of the campaign")
    return actor


Memory = Annotated[Store, Depends(the_store)]
Anyone = Annotated[Actor, Depends(the_actor)]
Annotator = Annotated[Actor, Depends(an_annotator)]
Organiser = Annotated[Actor, Depends(the_organiser)]


def receipts_for(
    store: Store,
    actor: Actor,
    sent: SentAnswers,
    response: Response,
    submission: Callable[[SentAnswer], Submission],
) -> Receipts:
    """Save what can be saved; 409 where an answer was based on an old revision.

    Whatever the status, every answer has its receipt: one that is wrong keeps no other back.
    """
    receipts: list[Receipt | None] = []
    taken = []
    for answer in sent.answers:
        try:
            taken.append(submission(answer))
            receipts.append(None)
        except InputError as error:
            receipts.append(Receipt(key=answer.key, refused=printable(str(error))))
    found = iter(store.save(actor.id, taken))
    told = [receipt or _receipt(next(found)) for receipt in receipts]
    if any(receipt.conflict for receipt in told):
        response.status_code = 409
    elif any(receipt.refused for receipt in told):
        response.status_code = 422
    return Receipts(receipts=told)


def _receipt(found: Outcome) -> Receipt:
    if isinstance(found, Saved):
        return Receipt(key=found.key, revision=found.revision)
    if isinstance(found, Reused):
        return Receipt(key=found.key, refused="its key was used for another answer already")
    if found.stands is None:
        return Receipt(key=found.key, refused="there is no answer yet that this could change")
    return Receipt(key=found.key, conflict=answer_view(found.stands))
