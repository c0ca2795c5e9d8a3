"""Marks of the study as MQM errors: Marot's TSV, by a documented map of phenomena and severities.

The source text carries the place (``<v>...</v>`` around the markable); the note keeps what the map
loses: the phenomenon, the severity from 0 to 1 and the markable.
"""

from dataclasses import replace
from pathlib import Path

from isogloss.formats import mqm
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.markables.phenomena import Phenomenon, mqm_severity
from isogloss.markables.study.study import Study


def mqm_judgements(study: Study) -> Judgements:
    """Everything that was marked, as MQM errors."""
    items = study.marked_errors().items
    return Judgements(mqm.KIND, tuple(_in_mqm(item) for item in items))


def _in_mqm(item: Judgement) -> Judgement:
    return replace(item, errors=tuple(map(_error, item.errors)))


def _error(mark: ErrorMark) -> ErrorMark:
    phenomenon = Phenomenon(mark.category)
    severity = None if mark.severity == "unrated" else float(mark.severity)
    note = f"{phenomenon.title} {mark.severity}: {mark.comment}"
    return ErrorMark(phenomenon.mqm_category, mqm_severity(severity), mark.span, note)


def write_mqm(study: Study, folder: Path) -> list[Path]:
    """One file for each direction: ``<folder>/<test set>.mqm.tsv``."""
    judgements = mqm_judgements(study)
    paths = []
    for collection in study.collections:
        known = {document.id for document in collection.testset.documents}
        items = tuple(item for item in judgements.items if item.document in known)
        path = folder / f"{collection.testset.name.replace('/', '_')}.mqm.tsv"
        mqm.write(Judgements(mqm.KIND, items), collection, path)
        paths.append(path)
    return paths
