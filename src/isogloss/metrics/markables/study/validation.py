"""The automatic checks against the study: do they find what people marked?

A unit is one occurrence of a markable in one machine translation. It is positive for a phenomenon
if any annotator marked it there.

Proposed markables against those that the study's authors chose.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from isogloss.metaeval import MarkCounts, Value, mark_counts_of_sets, pearson
from isogloss.metrics.markables.aligned import Aligned, Words
from isogloss.metrics.markables.checks import CHECKS, findings
from isogloss.metrics.markables.lexicon import CheckSettings, Finding, Lexicon, TranslationView
from isogloss.metrics.markables.markable import Markable, Phenomenon
from isogloss.metrics.markables.proposal import Proposal
from isogloss.metrics.markables.study.study import MarkableStudy, MarkRow
from isogloss.spans import Span

Unit = tuple[str, str, int, str]
"""Document, head, occurrence and system."""

AlignedBy = Mapping[tuple[str, str], Aligned]
"""Every translation of the study by document and system, people's too."""


@dataclass(frozen=True)
class Gold:
    """What people said of the machine translations: all units, and the severities by phenomenon."""

    units: frozenset[Unit]
    marks: Mapping[Unit, Mapping[Phenomenon, Sequence[float]]]
    annotators: Mapping[str, int]

    @classmethod
    def of(cls, rows: Iterable[MarkRow]) -> "Gold":
        """From rows of phase 2; those of human translations are left out."""
        units: set[Unit] = set()
        marks: dict[Unit, dict[Phenomenon, list[float]]] = {}
        people: dict[str, set[str]] = {}
        for row in rows:
            if row.human:
                continue
            units.add(row.unit)
            people.setdefault(row.document, set()).add(row.annotator)
            for phenomenon, severity in row.marks.items():
                by_phenomenon = marks.setdefault(row.unit, {})
                by_phenomenon.setdefault(phenomenon, []).append(severity or 0.0)
        counts = {document: len(names) for document, names in people.items()}
        return cls(frozenset(units), marks, counts)

    def positive(self, phenomenon: Phenomenon) -> set[Unit]:
        """The units where anybody marked the phenomenon."""
        return {unit for unit, marks in self.marks.items() if phenomenon in marks}

    def severity(self, unit: Unit) -> float:
        """All severities of a unit, per annotator of its document."""
        return sum(map(sum, self.marks.get(unit, {}).values())) / self.annotators[unit[0]]


Company = Callable[[str, str], Sequence[Aligned]]
"""(document, system) to the translations that the lexicon for that system is learnt from."""


def with_everybody(aligned: AlignedBy) -> Company:
    """All translations of the document, of people and machines."""
    return lambda document, _: [found for key, found in aligned.items() if key[0] == document]


def with_the_reference(aligned: AlignedBy, humans: Iterable[str]) -> Company:
    """The system's own translation and the human ones: nothing of its competitors."""
    known = frozenset(humans)
    return lambda document, system: [
        found for key, found in aligned.items() if key[0] == document and key[1] in {*known, system}
    ]


def checked(
    study: MarkableStudy,
    aligned: AlignedBy,
    company: Company,
    settings: CheckSettings,
    phenomena: Sequence[Phenomenon] = tuple(CHECKS),
) -> dict[Unit, list[Finding]]:
    """The findings of every unit."""
    found: dict[Unit, list[Finding]] = {}
    lexicons: dict[tuple[str, ...], Lexicon] = {}
    for (document, system), translation in aligned.items():
        if system in study.humans:
            continue
        markables = [m for m in study.markables if m.document == document]
        learnt = company(document, system)
        key = (document, *(version.system for version in learnt))
        lexicon = lexicons.setdefault(key, Lexicon(markables, learnt, settings))
        reference = next((aligned[document, human] for human in study.humans), None)
        for finding in findings(TranslationView(translation, lexicon, reference), phenomena):
            spans = finding.markable.occurrences
            occurrence = spans.index(finding.occurrence)
            unit = document, finding.markable.head, occurrence, system
            found.setdefault(unit, []).append(finding)
    return found


def predicted(found: Mapping[Unit, Sequence[Finding]], phenomenon: Phenomenon) -> set[Unit]:
    """The units where the phenomenon was found."""
    return {u for u, findings in found.items() if any(f.phenomenon is phenomenon for f in findings)}


def counts(
    gold: Gold, found: set[Unit], phenomenon: Phenomenon, document: str | None = None
) -> MarkCounts:
    """Right and wrong findings of a phenomenon, in all documents or in one."""
    people = gold.positive(phenomenon)
    if document is not None:
        people = {unit for unit in people if unit[0] == document}
        found = {unit for unit in found if unit[0] == document}
    return mark_counts_of_sets(people, found & gold.units)


def system_correlation(gold: Gold, found: set[Unit], phenomenon: Phenomenon) -> Value:
    """Over systems: how often people marked the phenomenon, and how often it was found."""
    people = gold.positive(phenomenon)
    systems = sorted({unit[3] for unit in gold.units})
    marked, predicted_ = (
        [fmean(unit in which for unit in gold.units if unit[3] == system) for system in systems]
        for which in (people, found)
    )
    return pearson(marked, predicted_)


def cell_correlation(
    gold: Gold, score: Mapping[tuple[str, str], float], documents: Iterable[str] | None = None
) -> Value:
    """Over document x system cells, centred per document: a score and people's summed severity."""
    sums: dict[tuple[str, str], float] = {}
    for unit in gold.units:
        cell = unit[0], unit[3]
        sums[cell] = sums.get(cell, 0.0) + gold.severity(unit)
    wanted = set(documents) if documents is not None else {cell[0] for cell in sums}
    cells = sorted(cell for cell in sums if cell[0] in wanted)
    return pearson(_centred(sums, cells), _centred(score, cells))


def _centred(
    values: Mapping[tuple[str, str], float], cells: Sequence[tuple[str, str]]
) -> list[float]:
    means = {
        document: fmean(values[cell] for cell in cells if cell[0] == document)
        for document in {cell[0] for cell in cells}
    }
    return [values[cell] - means[cell[0]] for cell in cells]


def severity_by_cell(
    gold: Gold, found: Mapping[Unit, Sequence[Finding]]
) -> dict[tuple[str, str], float]:
    """The summed severity of all findings, by document and system."""
    sums = {(unit[0], unit[3]): 0.0 for unit in gold.units}
    for unit, findings_ in found.items():
        if unit in gold.units:
            sums[unit[0], unit[3]] += sum(finding.severity for finding in findings_)
    return sums


def left_out_counts(
    gold: Gold,
    by_settings: Mapping[CheckSettings, Mapping[Unit, Sequence[Finding]]],
    phenomenon: Phenomenon,
) -> dict[str, MarkCounts]:
    """Each document judged with the settings that are best on all other documents."""
    documents = sorted({unit[0] for unit in gold.units})
    found = {each: predicted(units, phenomenon) for each, units in by_settings.items()}
    by_document = {
        (each, document): counts(gold, units, phenomenon, document)
        for each, units in found.items()
        for document in documents
    }
    judged: dict[str, MarkCounts] = {}
    for left_out in documents:
        others = [document for document in documents if document != left_out]

        def on_others(each: CheckSettings, others: Sequence[str] = others) -> float:
            summed = sum((by_document[each, d] for d in others), MarkCounts(0, 0, 0))
            return summed.f1.value or 0.0

        judged[left_out] = by_document[max(found, key=on_others), left_out]
    return judged


def recalled(gold: Sequence[Markable], found: Sequence[Proposal], sources: Sequence[Words]) -> int:
    """How many of the gold markables are among the proposals."""
    return sum(any(covers(p.markable, wanted, sources) for p in found) for wanted in gold)


def covers(proposed: Markable, wanted: Markable, sources: Sequence[Words]) -> bool:
    """Whether the two share half of their content words at half of the wanted occurrences."""
    hits = sum(
        any(
            _shared(there, span, sources[span.segment]) >= 0.5
            for there in proposed.occurrences
            if there.segment == span.segment
        )
        for span in wanted.occurrences
    )
    return 2 * hits >= len(wanted.occurrences)


def _shared(one: Span, other: Span, words: Words) -> float:
    """Jaccard of the content words of two spans of a segment."""
    here, there = (_content(span, words) for span in (one, other))
    return len(here & there) / len(here | there) if here | there else 0.0


def _content(span: Span, words: Words) -> set[int]:
    """The content words in a span; all its words if none of them has content."""
    inside = {
        number
        for number in words.within(span.start, span.end)
        if any(map(str.isalnum, words.tokens[number].text))
    }
    return {number for number in inside if words.content[number]} or inside
