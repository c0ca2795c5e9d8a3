"""What stands behind a ranking: how annotators judged beside each other, and where they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.annotate.results.adjudication import disagreements, standing_answers
from isogloss.annotate.results.conduct import annotators_conduct
from isogloss.annotate.results.overview import agreement_figures
from isogloss.annotate.storage.store import Store
from isogloss.annotate.wire_organiser import AgreementFigure, AnnotatorConduct, Disagreement

_PHASES: Mapping[str, str] = {
    "da": "da",
    "esa": "spans",
    "cesa": "contrastive",
    "document": "document",
    "preference": "preference",
    "fluency-adequacy": "phase1",
    "fluency": "phase1",
    "adequacy": "phase1",
    "markable-errors": "phase2",
    "consistency": "consistency",
}
"""By kind of judgements the phase that asks for them."""


@dataclass(frozen=True, slots=True)
class Voices:
    """Annotators beside each other in one kind of work."""

    conduct: Sequence[AnnotatorConduct]
    agreement: Sequence[AgreementFigure]
    disagreements: Sequence[Disagreement]


def campaign_voices(store: Store, kind: str) -> Voices:
    """What annotators said beside each other where they gave judgements of a kind."""
    phase = _PHASES[kind]
    answers = [each for each in standing_answers(store) if each.kind == phase]
    judged = [each for each in answers if each.check is None]
    apart = [each for each in disagreements(store) if each.kind == phase]
    return Voices(annotators_conduct(answers), agreement_figures(judged), apart)
