"""The study's figures from its raw files: what the paper's Tables 1 to 6 are made of.

A deviation is computed as the paper did it, which is not always what its caption says: over the
documents' means in Table 2, the square root of a standard deviation in Tables 3 and 4.

Sentence BLEU as the study computed it: NLTK's formula over Moses tokens.

NLTK's ``sentence_bleu`` with smoothing method 1 (an n-gram order without a match counts as 0.1
matches), one reference, four orders; tokens by Moses's tokeniser with aggressive hyphen splitting
(``-a``) and escaping.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import fmean, stdev
from typing import Any

from isogloss.documents import Document
from isogloss.language import required
from isogloss.metrics.markables.markable import Phenomenon
from isogloss.metrics.markables.study.study import LineRow, MarkableStudy, MarkRow

_ORDERS = 4
_EPSILON = 0.1


def sentence_bleu(reference: Sequence[str], output: Sequence[str]) -> float:
    """BLEU, 0 to 100, of one tokenised segment."""
    logs = []
    for order in range(1, _ORDERS + 1):
        there, here = _ngrams(reference, order), _ngrams(output, order)
        matched = (here & there).total()
        if order == 1 and not matched:
            return 0.0
        logs.append(math.log((matched or _EPSILON) / max(here.total(), 1)))
    return 100 * _brevity(len(reference), len(output)) * math.exp(math.fsum(logs) / _ORDERS)


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def _brevity(reference: int, output: int) -> float:
    return 1.0 if output > reference else math.exp(1 - reference / output)


@lru_cache(maxsize=8)
def _moses(language: str) -> Any:
    required("sacremoses", "the BLEU of the markable study")
    from sacremoses import MosesTokenizer

    return MosesTokenizer(language)


def moses_tokens(text: str, language: str) -> list[str]:
    """The tokens that the study's BLEU counts."""
    tokens: list[str] = _moses(language).tokenize(text, aggressive_dash_splits=True, escape=True)
    if tokens[-2:] == [".", "&apos;"] and text.rstrip().endswith(".'"):
        # The Perl tokeniser that the authors ran left this whole; one cell of Table 2 and one of
        # Table 3 come out as printed only if we do.
        return [*tokens[:-3], "".join(tokens[-3:])]
    return tokens


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """Table 1: one document."""

    document: Document
    direction: str
    markables: int
    occurrences: int


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """Tables 2 and 4: one system's mean score, over all and by domain."""

    system: str
    human: bool
    total: float
    by_domain: Mapping[str, float]
    deviation: float | None


@dataclass(frozen=True, slots=True)
class DocumentFigures:
    """Table 3: one document's means over all systems (`document` is `None` for all documents)."""

    document: str | None
    product: float
    reported: float
    bleu: float
    deviation: float | None


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a phenomenon was marked, and how severe it was where it was marked.

    `severity` is 0, as in the paper, where nothing was marked; `rated` tells the two zeros apart.
    """

    occurrence: float
    severity: float
    rated: int
    rows: int

    @property
    def product(self) -> float:
        return self.occurrence * self.severity


def rate(rows: Sequence[MarkRow], phenomenon: Phenomenon) -> Rate:
    """The rate of one phenomenon in some rows."""
    marked = [row.marks[phenomenon] for row in rows if phenomenon in row.marks]
    severities = [severity for severity in marked if severity is not None]
    occurrence = len(marked) / len(rows) if rows else 0.0
    return Rate(occurrence, fmean(severities) if severities else 0.0, len(severities), len(rows))


def average(rates: Iterable[Rate]) -> Rate:
    """The mean over phenomena: of occurrences and, apart from them, of severities."""
    known = list(rates)
    return Rate(
        fmean(r.occurrence for r in known),
        fmean(r.severity for r in known),
        sum(r.rated for r in known),
        max(r.rows for r in known),
    )


@dataclass(frozen=True, slots=True)
class Rates:
    """Tables 5 and 6: the rate of every phenomenon in some rows, and their average."""

    average: Rate
    by_phenomenon: Mapping[Phenomenon, Rate]

    @classmethod
    def of(cls, rows: Sequence[MarkRow]) -> "Rates":
        """The rates in these rows."""
        each = {phenomenon: rate(rows, phenomenon) for phenomenon in Phenomenon}
        return cls(average(each.values()), each)


@dataclass(frozen=True, slots=True)
class DirectionFigures:
    """One system's average rate into each direction (`system` is `None` for all together)."""

    system: str | None
    by_direction: Mapping[str, Rate]

    def change(self, first: str, second: str) -> tuple[float, float] | None:
        """What occurrence and severity gain from the first direction to the second."""
        if first not in self.by_direction or second not in self.by_direction:
            return None
        before, after = self.by_direction[first], self.by_direction[second]
        return after.occurrence - before.occurrence, after.severity - before.severity


class Analysis:
    """All figures of one study; each is computed once, when it is first asked for."""

    def __init__(self, study: MarkableStudy) -> None:
        self.study = study
        self._bleu: dict[tuple[str, int, str], float] = {}

    # --- what the tables are made of -------------------------------------------------------------

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """The domains, in the order of the documents."""
        documents = self.study.documents.values()
        return tuple(dict.fromkeys(d.domain for d in documents if d.domain is not None))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Everybody who translated, people too."""
        outputs = (o.name for c in self.study.collections for o in c.outputs)
        return tuple(dict.fromkeys(outputs))

    def domain(self, row: LineRow | MarkRow) -> str | None:
        """The domain of a row's document."""
        return self.study.documents[row.document].domain

    @cached_property
    def has_references(self) -> bool:
        """Whether every document has a reference, which BLEU needs."""
        return all(document.references for document in self.study.documents.values())

    def bleu(self, row: LineRow) -> float:
        """The sentence BLEU of the line that was rated, against the first reference."""
        place = row.document, row.line, row.system
        if place not in self._bleu:
            document = self.study.documents[row.document]
            language = self.study.collection(row.document).testset.target_language or ""
            reference = next(iter(document.references.values()))[row.line] or ""
            output = self.study.text(row.document, row.system, row.line)
            tokens = (moses_tokens(text, language) for text in (reference, output))
            self._bleu[place] = sentence_bleu(*tokens)
        return self._bleu[place]

    @cached_property
    def usable_marks(self) -> tuple[MarkRow, ...]:
        """Phase 2 without the lines where an annotator marked one phenomenon everywhere.

        The authors took these for slips. Their lines come from indices counted form by form.
        """
        groups: dict[tuple[str, str, str, int], list[MarkRow]] = {}
        for row in self.study.mark_rows:
            groups.setdefault(self._place(row), []).append(row)
        slips = {
            place
            for place, rows in groups.items()
            if any(all(phenomenon in row.marks for row in rows) for phenomenon in Phenomenon)
        }
        return tuple(row for row in self.study.mark_rows if self._place(row) not in slips)

    def _place(self, row: MarkRow) -> tuple[str, str, str, int]:
        occurrence = row.document, row.head, row.occurrence
        line = self.study.index_lines.get(occurrence)
        if line is None:
            line = self.study.span(*occurrence).segment
        return row.annotator, row.document, row.head, line

    # --- the tables ------------------------------------------------------------------------------

    @cached_property
    def documents(self) -> tuple[DocumentSummary, ...]:
        """Table 1."""
        found = []
        for document in self.study.documents.values():
            testset = self.study.collection(document.id).testset
            own = [m for m in self.study.markables if m.document == document.id]
            direction = f"{testset.source_language}→{testset.target_language}"
            occurrences = sum(len(markable.occurrences) for markable in own)
            found.append(DocumentSummary(document, direction, len(own), occurrences))
        return tuple(found)

    @cached_property
    def bleu_by_system(self) -> tuple[SystemFigures, ...]:
        """Table 2, best first; people, whose BLEU against themselves says nothing, included."""
        return self._by_system(self.bleu, self._deviation_of_documents)

    @cached_property
    def product_by_system(self) -> tuple[SystemFigures, ...]:
        """Table 4, best first: fluency times adequacy."""

        def deviation(rows: Sequence[LineRow]) -> float | None:
            return _root_deviation(_defined(map(_product, rows)))

        return self._by_system(_product, deviation)

    def _by_system(
        self,
        score: Callable[[LineRow], float | None],
        deviation: Callable[[Sequence[LineRow]], float | None],
    ) -> tuple[SystemFigures, ...]:
        figures = []
        for system in self.systems:
            rows = [row for row in self.study.line_rows if row.system == system]
            scores = _defined(map(score, rows))
            if not scores:  # a campaign that goes on: nobody has come to this system yet
                continue
            by_domain = {
                domain: _defined(score(row) for row in rows if self.domain(row) == domain)
                for domain in self.domains
            }
            figures.append(
                SystemFigures(
                    system,
                    system in self.study.humans,
                    fmean(scores),
                    {domain: fmean(found) for domain, found in by_domain.items() if found},
                    deviation(rows),
                )
            )
        return tuple(sorted(figures, key=lambda row: -row.total))

    def _deviation_of_documents(self, rows: Sequence[LineRow]) -> float | None:
        by_document: dict[str, list[float]] = {}
        for row in rows:
            by_document.setdefault(row.document, []).append(self.bleu(row))
        return stdev(map(fmean, by_document.values())) if len(by_document) > 1 else None

    @cached_property
    def by_document(self) -> tuple[DocumentFigures, ...]:
        """Table 3, best first; the last row is for all documents together."""
        rows = self.study.line_rows
        rated = {row.document for row in rows if row.product is not None}
        figures = [
            self._document_figures(id, [row for row in rows if row.document == id])
            for id in self.study.documents
            if id in rated
        ]
        figures.sort(key=lambda row: -row.product)
        return (*figures, self._document_figures(None, rows))

    def _document_figures(self, document: str | None, rows: Sequence[LineRow]) -> DocumentFigures:
        scores = [self.bleu(row) for row in rows]
        return DocumentFigures(
            document,
            fmean(_defined(map(_product, rows))),
            fmean(row.reported_words for row in rows),
            fmean(scores),
            _root_deviation(scores),
        )

    @cached_property
    def rates_by_system(self) -> Mapping[str, Rates]:
        """Table 5, the least marked first."""
        rates = {
            system: Rates.of([row for row in self.usable_marks if row.system == system])
            for system in self.systems
        }
        return dict(sorted(rates.items(), key=lambda item: item[1].average.product))

    @cached_property
    def rates_by_domain(self) -> Mapping[str | None, Rates]:
        """Table 6 without its correlations; `None` stands for all domains."""
        rows = self.usable_marks
        domains: tuple[str | None, ...] = (None, *self.domains)
        return {
            domain: Rates.of([r for r in rows if domain is None or self.domain(r) == domain])
            for domain in domains
        }

    @cached_property
    def directions(self) -> tuple[str, ...]:
        """The directions of translation, in the order of the documents."""
        return tuple(dict.fromkeys(row.direction for row in self.documents))

    def rates_by_direction(self, rows: Sequence[MarkRow]) -> tuple[DirectionFigures, ...]:
        """The text of section 3.5: all systems together, then each (the paper took every row)."""
        direction = {row.document.id: row.direction for row in self.documents}
        grouped: dict[tuple[str | None, str], list[MarkRow]] = {}
        for row in rows:
            for system in (None, row.system):
                grouped.setdefault((system, direction[row.document]), []).append(row)
        return tuple(
            DirectionFigures(
                system,
                {
                    way: Rates.of(grouped[system, way]).average
                    for way in self.directions
                    if (system, way) in grouped
                },
            )
            for system in (None, *self.systems)
        )

    @cached_property
    def deviation_by_domain(self) -> Mapping[str, float]:
        """The text of section 3.1: how far the machines' BLEU scatters within each domain."""
        machines = [row.by_domain for row in self.bleu_by_system if not row.human]
        scores = {d: [row[d] for row in machines if d in row] for d in self.domains}
        return {domain: stdev(found) for domain, found in scores.items() if len(found) > 1}

    @cached_property
    def phenomena(self) -> tuple[Phenomenon, ...]:
        """The phenomena by occurrence times severity, the gravest first, as the paper has them."""
        total = self.rates_by_domain[None].by_phenomenon
        return tuple(sorted(total, key=lambda phenomenon: -total[phenomenon].product))


def _root_deviation(values: Sequence[float]) -> float | None:
    """What the paper prints after ±: the square root of the standard deviation."""
    return math.sqrt(stdev(values)) if len(values) > 1 else None


def _product(row: LineRow) -> float | None:
    return row.product


def _defined(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
