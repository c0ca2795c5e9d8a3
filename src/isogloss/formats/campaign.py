"""What people said in an annotation campaign, as 'isogloss annotate export' writes it.

===================  ===========================================================================
``answers.jsonl``    every answer that stands, of any phase, with the decision where there is one
``decisions.jsonl``  the organiser's decisions alone
``esa.jsonl``        the phases spans and contrastive: errors and scores
``scores.tsv``       scores of the phases phase1, da, spans, contrastive and document
``study.jsonl``      phases 1 and 2 as events, beside their texts, without decisions
===================  ===========================================================================

A file may hold several kinds of judgements, one for each phase:

====================  ==========================================================================
``da``                a score of 0 to 100
``esa``               the same, with errors and their places in the output (the phase spans)
``cesa``              the same, of translations that were seen side by side (contrastive)
``fluency-adequacy``  fluency times adequacy (phase1), 0 to 1; ``fluency`` and ``adequacy`` alone
                      are there, too; words that were reported are errors without a severity
``markable-errors``   minus the summed severities of what is wrong with a segment's markables
                      (phase2); errors stand at the places of the markables in the source
``document``          a score of 0 to 100 for a whole document
====================  ==========================================================================

What the organiser decided wins: it is the only judgement of its place, and its annotator is called
``organiser``. A segment may have several markables, and only some of them decided: there a decision
takes the place of what each annotator said of that markable.

Places are checked by the source text, where the file has it. Errors in an output that is not the
one that was judged have lost their places.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.documents import Collection, Document, TestSet
from isogloss.errors import FormatError
from isogloss.formats.campaign_files import ORGANISER, Said, Unit, said_in, shape_of
from isogloss.formats.places import JudgedPlace, Places, Record
from isogloss.formats.protocol import JudgementsFormat, StoredJudgements
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.spans import SOURCE, Span

KINDS: Mapping[str, str] = {
    "da": "da",
    "esa": "spans",
    "cesa": "contrastive",
    "fluency-adequacy": "phase1",
    "fluency": "phase1",
    "adequacy": "phase1",
    "markable-errors": "phase2",
    "document": "document",
}
"""The phase of each kind of judgements; the first kind of a phase is its usual one."""

_USUAL = {phase: kind for kind, phase in reversed(tuple(KINDS.items()))}
_UNRATED = "unrated"
_OMISSION, _REPORTED, _CONFLICT = "omission", "reported", "conflict"
_SEVERITIES = ("minor", "major", "critical")


def recognises(path: Path, head: str) -> bool:
    """A first line with the keys, or a header with the columns, of one of the exports."""
    return not path.is_dir() and shape_of(head) is not None


def judgement_kinds(path: Path) -> list[str]:
    """The usual kind of judgements of each phase that a file speaks of."""
    return [_USUAL[phase] for phase in dict.fromkeys(said.phase for said in said_in(path))]


def read_judgements(path: Path, kind: str, known: TestSet | Collection) -> Judgements:
    """The judgements of one kind: what was decided, and what annotators said elsewhere."""
    said = said_in(path)
    wanted = [each for each in said if each.phase == KINDS.get(kind)]
    if not wanted:
        phases = {each.phase for each in said}
        there = ", ".join(kind for kind, phase in KINDS.items() if phase in phases)
        raise FormatError(f"no judgements are of kind {kind!r}; there are: {there}", path=path)
    reading = _Reading(Places(known), kind)
    items = [reading.judgement(each) for each in _with_decisions(wanted) if reading.is_of(each)]
    return Judgements(kind, tuple(_joined(items) if KINDS[kind] == "phase2" else items))


def _with_decisions(said: Sequence[Said]) -> Iterator[Said]:
    """What counts: the decision where there is one, and elsewhere what annotators said."""
    decisions = {each.unit: each for each in said if each.annotator == ORGANISER}
    opinions: set[Unit] = {each.unit for each in said if each.annotator != ORGANISER}
    for each in said:
        decision = decisions.get(each.unit)
        if decision is None:
            yield each
        elif each.phase == "phase2" and each is not decision:
            yield replace(each, value=decision.value)
        elif each is decision and not (each.phase == "phase2" and each.unit in opinions):
            yield each


def _joined(items: Iterable[Judgement]) -> Iterator[Judgement]:
    """One judgement for each annotator and segment, of all its markables together."""
    found: dict[Judgement, list[Judgement]] = {}
    for item in items:
        found.setdefault(replace(item, score=None, errors=()), []).append(item)
    for place, parts in found.items():
        scores = [part.score for part in parts if part.score is not None]
        score = math.fsum(scores) if len(scores) == len(parts) else None
        yield replace(place, score=score, errors=tuple(e for part in parts for e in part.errors))


# --- judgements ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Reading:
    """Judgements of one kind on the places of one test set."""

    places: Places
    kind: str

    def is_of(self, said: Said) -> bool:
        """Whether it is about the test set's languages, if the file says which it is about."""
        testset = self.places.testset
        ours = (testset.source_language, testset.target_language)
        return said.languages is None or None in (*ours, *said.languages) or said.languages == ours

    def judgement(self, said: Said) -> Judgement:
        """What was said, as a judgement of a segment."""
        judged = self.places.judged(said.system)
        document = self._document(said)
        if said.segment is None:
            _same_whole(said, document)
            score = said.value.score("score")
            return Judgement(
                judged.name, document.id, None, said.annotator, score, (), judged.human
            )
        segment = self._segment(said, document, said.segment)
        text = _Text.of(said, judged, document, segment)
        score, errors = self._said(said, text)
        place = (judged.name, document.id, segment)
        return Judgement(*place, said.annotator, score, errors, judged.human)

    def _document(self, said: Said) -> Document:
        document = self.places.document(said.document)
        if document is None:
            testset = self.places.testset.name
            raise said.record.fault(f"document {said.document!r} is not in test set {testset!r}")
        return document

    def _segment(self, said: Said, document: Document, number: int) -> int:
        if said.source is None:
            if number >= len(document):
                what = f"document {document.id!r} has {len(document)} segments, counted from 0"
                raise said.record.fault(what, _WHICH)
            return number
        segment = self.places.segment(document, said.source, number)
        if segment is None:
            what = f"no segment of document {document.id!r}, or none that is sure, has this source"
            raise said.record.fault(what, _WHICH)
        return segment

    def _said(self, said: Said, text: "_Text") -> tuple[float | None, tuple[ErrorMark, ...]]:
        if said.phase == "phase1":
            return _rating(said.value, self.kind), tuple(_reports(said.value, text))
        if said.phase == "phase2":
            return _marks(said, text)
        errors = said.value.get("errors", list, needed=False) or []
        marks = tuple(_error(said.value.inner(error), text) for error in errors)
        return said.value.score("score"), marks


_WHICH = "is this the right test set?"


def _same_whole(said: Said, document: Document) -> None:
    """Complain where people judged another source, however it is cut into segments."""
    if said.source is not None and said.source.split() != " ".join(document.source).split():
        raise said.record.fault(f"document {document.id!r} has another source text", _WHICH)


@dataclass(frozen=True, slots=True)
class _Text:
    """The texts of a judged segment, to find marked words in; `None` if they are not known."""

    judged: JudgedPlace
    document: str
    segment: int
    source: str | None
    target: str | None

    @classmethod
    def of(cls, said: Said, judged: JudgedPlace, document: Document, segment: int) -> "_Text":
        """Texts in which people's places lie, which are those that people saw."""
        source, target = document.source[segment], judged.text(document.id, segment)
        return cls(
            judged,
            document.id,
            segment,
            source if source == said.source else None,
            target if target == said.target else None,
        )

    def in_source(self, start: int, end: int) -> Span | None:
        if self.source is None or not 0 <= start <= end <= len(self.source):
            return None
        return Span(self.document, SOURCE, self.segment, start, end)

    def in_target(self, start: int, end: int) -> Span | None:
        if self.target is None or not 0 <= start <= end <= len(self.target):
            return None
        return self.judged.span(self.document, self.segment, start, end)


def _error(error: Record, text: _Text) -> ErrorMark:
    """A marked error; one of omission has no place, unless words of the source were marked."""
    severity = error.get("severity", str)
    if severity not in _SEVERITIES:
        raise error.fault(f"{severity!r:.60} is no severity; there are: {', '.join(_SEVERITIES)}")
    category = error.get("category", str, needed=False) or ""
    if error.content.get("missing"):
        source = error.content.get("side") == SOURCE
        place = (error.get("start", int), error.get("end", int)) if source else None
        return ErrorMark(category or _OMISSION, severity, place and text.in_source(*place))
    span = text.in_target(error.get("start", int), error.get("end", int))
    return ErrorMark(category, severity, span)


def _rating(value: Record, kind: str) -> float | None:
    shares = {name: _share(value, name) for name in ("fluency", "adequacy")}
    wanted = [shares[name] for name in kind.split("-")]
    found = [share for share in wanted if share is not None]
    return math.prod(found) if len(found) == len(wanted) else None


def _share(value: Record, key: str) -> float | None:
    """A number of 0 to 1; the cells of a table are text."""
    given = value.get(key, (int, float, str), needed=False)
    try:
        share = None if given is None else float(given)
    except ValueError:
        share = math.nan
    if share is not None and not 0 <= share <= 1:
        raise value.fault(f"{key} {given!r:.60} is no number of 0 to 1")
    return share


def _reports(value: Record, text: _Text) -> Iterator[ErrorMark]:
    """The words that an annotator reported, with their places where they were selected."""
    finders = {SOURCE: text.in_source, "output": text.in_target}
    if value.content.get("conflicting"):
        yield ErrorMark(_CONFLICT, _UNRATED)
    for each in map(value.inner, value.get("reported", list, needed=False) or []):
        side = each.get("side", str)
        if side not in finders:
            raise each.fault(f"{side!r:.60} is no side; there are: {', '.join(finders)}")
        span = finders[side](each.get("start", int), each.get("end", int))
        yield ErrorMark(_REPORTED, _UNRATED, span, each.get("text", str))
    if note := value.get("note", str, needed=False):
        yield ErrorMark(_REPORTED, _UNRATED, None, note)


def _marks(said: Said, text: _Text) -> tuple[float | None, tuple[ErrorMark, ...]]:
    """The phenomena at one place of a markable; nothing is scored where one was not rated."""
    phenomena = said.value.inner(said.value.content.get("phenomena"))
    severities = {name: _share(phenomena, name) for name in phenomena.content}
    span = text.in_source(*said.occurrence) if said.occurrence else None
    errors = tuple(
        ErrorMark(name, _UNRATED if severity is None else f"{severity:g}", span, said.markable)
        for name, severity in severities.items()
    )
    rated = [severity for severity in severities.values() if severity is not None]
    return (0.0 - math.fsum(rated) if len(rated) == len(errors) else None), errors


FORMAT = JudgementsFormat(
    name="campaign",
    description="judgements that 'isogloss annotate export' writes",
    recognises=recognises,
    judgements=StoredJudgements(kinds=judgement_kinds, read=read_judgements),
)
