"""Errors that a program or other people marked, for annotators to correct.

They come from any file of judgements with places (MQM, ESA, another campaign) or from the evidence
in a file of scores (``mqm``, ``markables``). Each proposal has a number; what annotators keep or
change carries it on, and what they add has none, so that it can be measured what proposals do to
people's judgement. For that, a share of the segments may stay without proposals, by lot.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.annotate.items import ItemName
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.judgements import ErrorMark
from isogloss.spans import SOURCE, Evidence, Span, output_side

Place = tuple[str, str, int]
"""System, document and segment."""
Proposals = Mapping[Place, list[dict[str, Any]]]

_SEVERITIES = ("minor", "major", "critical")
_CERTAIN = 0.5  # evidence of markables weighs 0 to 1


def proposals_at(path: Path, collection: Collection) -> Proposals:
    """The errors of a file, by the place that they are proposed for."""
    found: dict[Place, dict[tuple[Any, ...], dict[str, Any]]] = {}
    for system, span, category, severity in _marks(path, collection):
        if span.start == span.end or span.side not in (SOURCE, output_side(system)):
            continue
        error = _error(span, category, severity)
        place = found.setdefault((system, span.document, span.segment), {})
        place.setdefault((span.side, span.start, span.end), error)
    if not found:
        raise InputError(f"{path}: no errors with places in the outputs, so nothing is prefilled")
    return {place: _numbered(errors.values()) for place, errors in found.items()}


def proposal_rows(proposals: Proposals) -> list[list[Any]]:
    """The same as it can be kept."""
    return [[*place, errors] for place, errors in proposals.items()]


def proposals_of(rows: Iterable[Sequence[Any]]) -> Proposals:
    """What was kept."""
    return {(system, document, segment): errors for system, document, segment, errors in rows}


def _numbered(errors: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    ordered = sorted(errors, key=lambda error: ("side" in error, error["start"], error["end"]))
    return [{**error, "prefilled": number} for number, error in enumerate(ordered)]


def _error(span: Span, category: str | None, severity: str) -> dict[str, Any]:
    error = {"start": span.start, "end": span.end, "severity": severity, "category": category}
    if span.side == SOURCE:
        return {**error, "missing": True, "side": "source"}
    return {**error, "missing": False}


def _marks(path: Path, collection: Collection) -> Iterator[tuple[str, Span, str | None, str]]:
    from isogloss.formats import read_judgements, read_scores, recognise

    if recognise(path).name == "scores":
        for row in read_scores(path).rows:
            for document in row.documents:
                for evidence in document.measurement.evidence:
                    severity = _weighed(evidence)
                    for span in _marked(evidence, row.system):
                        yield row.system, span, evidence.reason.partition(",")[0], severity
        return
    for judgement in read_judgements(path, collection).items:
        for mark in judgement.errors:
            if mark.span is not None:
                yield judgement.system, mark.span, mark.category or None, _severity(mark)


def _marked(evidence: Evidence, system: str) -> Sequence[Span]:
    """The words of the output that are wrong; where there are none, the source's are left out."""
    places = [span for span in evidence.spans if span.side == output_side(system)]
    return places or evidence.spans


def _weighed(evidence: Evidence) -> str:
    """The severity that its reason names, or else the one that its weight comes to."""
    named = evidence.reason.rpartition(", ")[2]
    if named in _SEVERITIES:
        return named
    return "major" if (evidence.value or 0) >= _CERTAIN else "minor"


def _severity(mark: ErrorMark) -> str:
    return mark.severity.lower() if mark.severity.lower() in _SEVERITIES else "minor"


def prefilled_items(
    proposals: Proposals,
    document: str,
    places: Iterable[tuple[int, str]],
    systems: Mapping[str, str],
    share: float,
    seed: str,
) -> dict[str, list[dict[str, Any]]]:
    """By item of a task, what it begins with; systems by letter.

    `seed` decides which segments are prefilled: the same for everybody who judges the document.
    """
    found = {}
    for segment, slot in places:
        errors = proposals.get((systems[slot], document, segment), [])
        if errors and random.Random(f"{seed}:{segment}").random() < share:  # noqa: S311
            found[str(ItemName("seg", segment, slot))] = errors
    return found
