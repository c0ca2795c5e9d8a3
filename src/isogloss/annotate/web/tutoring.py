"""Tutorials over the wire: an annotator learns, the organiser sees who passed."""

from fastapi import APIRouter, HTTPException

from isogloss.annotate.lessons import AnnotatorTutorials, LearnedAnswers, LetIn, TutorialView
from isogloss.annotate.tutoring import learn, let_in, standings, tutorial_view, tutorials
from isogloss.annotate.web.guards import Annotator, Memory, Organiser
from isogloss.annotate.wire import TutorialStanding

tutoring = APIRouter(prefix="/api")


@tutoring.get("/tutorial/{phase}")
def get_tutorial(store: Memory, actor: Annotator, phase: str, again: bool = False) -> TutorialView:
    """The tutorial of a phase, where one stopped; `again` begins a new attempt."""
    _check_phase(store, phase)
    return tutorial_view(store, actor, phase, again=again)


@tutoring.post("/tutorial/{phase}")
def post_tutorial(
    store: Memory, actor: Annotator, phase: str, given: LearnedAnswers
) -> TutorialView:
    """Answers, which are told what they lack."""
    _check_phase(store, phase)
    return learn(store, actor, phase, given.attempt, given.answers)


@tutoring.get("/tutorials")
def get_tutorials(store: Memory, _: Organiser) -> list[AnnotatorTutorials]:
    """How everybody does in the tutorials."""
    if not tutorials(store):
        return []
    people = [actor for actor in store.actors() if actor.role == "annotator"]
    return [AnnotatorTutorials(name=a.name, tutorials=standings(store, a)) for a in people]


@tutoring.post("/tutorials/let-in")
def post_let_in(store: Memory, actor: Organiser, body: LetIn) -> TutorialStanding:
    """Let somebody work who has not passed."""
    return let_in(store, actor, body.name, body.phase, body.at)


def _check_phase(store: Memory, phase: str) -> None:
    if phase not in tutorials(store):
        raise HTTPException(404, "there is no such tutorial")
