"""How consistency is shown: scores beside their ceilings, breakdowns, the list of words."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.cli.grid import Grid
from isogloss.cli.output import Record, number, shown_interval
from isogloss.cli.significance import answer_of, signature_notes
from isogloss.comparison import Comparison
from isogloss.destination import write_file
from isogloss.documents import counted
from isogloss.metrics.consistency import Share, Variation
from isogloss.scores import ScoreTable
from isogloss.tables import spreadsheet_cell

_DIGITS = 1
_WIDEST = 100  # columns, in files and pipes too


@dataclass(frozen=True)
class MeasuredConsistency:
    """Scores under every measure, by the measure's short name."""

    table: ScoreTable
    comparisons: Mapping[str, Comparison]

    def ceiling(self, measure: str) -> float | None:
        """What the same alignment gives the human reference (the best of several)."""
        scores = [s.score for s in self.comparisons[measure].standings if s.human]
        return max((score for score in scores if score is not None), default=None)


_IN_WORDS = {
    "L-All": ("pairs alike", "pairs of mentions of a repeated word that are translated alike"),
    "L-Anno": ("annotated alike", "the same of annotated pairs; people's score is the aligner's"),
    "as reference": (
        "where ref. is",
        "the same of pairs that the references translate alike, so that theirs is 100",
    ),
    "LTCR-1": ("like the first", "later mentions that are translated like the first one"),
    "as first": ("first way", "all mentions that are translated like the first one"),
    "as most": ("commonest way", "mentions that are translated in the most frequent way"),
    "as terms": ("as the terms", "mentions that are translated as the term list says"),
}
_MACRO = ", macro"


def measured_grid(
    measured: MeasuredConsistency, *, macro: bool = False, signatures: bool = False
) -> Grid:
    """Systems x measures, and human references among the systems; or means over documents."""
    chosen = {m: c for m, c in measured.comparisons.items() if m.endswith(_MACRO) == macro}
    headings = ["system"]
    for measure in chosen:
        headings += [_IN_WORDS[measure.removesuffix(_MACRO)][0], "interval"]
    first = next(iter(chosen.values()))
    cells = {
        (measure, standing.system): [
            number(standing.score, _DIGITS),
            shown_interval(standing.interval, _DIGITS),
        ]
        for measure, comparison in chosen.items()
        for standing in comparison.standings
    }
    rows = [
        [f"{standing.system} (human)" if standing.human else standing.system]
        + [cell for measure in chosen for cell in cells[measure, standing.system]]
        for standing in first.standings
    ]
    return Grid(
        "The mean over documents" if macro else _title(measured.table),
        headings,
        rows,
        ["every document counts the same"] if macro else _notes(chosen, signatures),
        frozenset(range(1, len(headings))),
        together=2,
        widest=_WIDEST,
        answer="" if macro else answer_of([first]),
    )


def _title(table: ScoreTable) -> str:
    told = table.provenance
    languages = f"{told.source_language or '?'} → {told.target_language or '?'}"
    documents, segments = len(table.rows[0].documents), table.rows[0].total
    return f"{told.testset} · {languages} · {documents:,} documents, {segments:,} segments"


def _notes(comparisons: Mapping[str, Comparison], signatures: bool) -> list[str]:
    first = next(iter(comparisons.values()))
    settings = first.settings
    return [
        *(f"{words}: {meaning} ({m})" for m in comparisons for words, meaning in [_IN_WORDS[m]]),
        f"interval: {settings.confidence:.0%}, studentised bootstrap of documents, "
        f"{settings.resamples:,} resamples, seed {settings.seed}",
        *signature_notes([first.metric], whole=signatures),
    ]


def measured_records(measured: MeasuredConsistency) -> list[Record]:
    """One record for each system under each measure."""
    records: list[Record] = []
    for measure, comparison in measured.comparisons.items():
        ceiling = measured.ceiling(measure)
        for standing in comparison.standings:
            low, high = standing.interval or (None, None)
            records.append(
                {
                    "measure": measure,
                    "system": standing.system,
                    "human": standing.human,
                    "score": standing.score,
                    "low": low,
                    "high": high,
                    "ceiling": ceiling,
                    "scored": standing.scored,
                    "total": standing.total,
                    "signature": comparison.metric.signature,
                }
            )
    return records


# --- breakdowns ----------------------------------------------------------------------------------


def breakdown_grid(title: str, by_system: Mapping[str, Mapping[str, Share]]) -> Grid:
    """Systems x classes; how many pairs a class has stands in its heading."""
    first = next(iter(by_system.values()))
    headings = ["system"]
    for name, share in first.items():
        headings += [f"{name} ({share.ratio.denominator:,})", "interval"]
    rows = [
        [system]
        + [
            cell
            for share in by_class.values()
            for cell in (number(share.score, _DIGITS), shown_interval(share.interval, _DIGITS))
        ]
        for system, by_class in by_system.items()
    ]
    notes = [f"in brackets: how many pairs of {next(iter(by_system))} there are"]
    return Grid(title, headings, rows, notes, frozenset(range(1, len(headings))), together=2)


def breakdown_records(
    measure: str, by: str, by_system: Mapping[str, Mapping[str, Share]]
) -> list[Record]:
    """One record for each class of each system."""
    records: list[Record] = []
    for system, by_class in by_system.items():
        for name, share in by_class.items():
            low, high = share.interval or (None, None)
            records.append(
                {
                    "measure": measure,
                    "by": by,
                    "class": name,
                    "system": system,
                    "score": share.score,
                    "low": low,
                    "high": high,
                    "alike": share.ratio.numerator,
                    "pairs": share.ratio.denominator,
                }
            )
    return records


# --- the list of words ---------------------------------------------------------------------------

Listed = tuple[str, Variation]
"""A system and a word it repeats."""


def list_grid(listed: Sequence[Listed], most: int) -> Grid:
    """The costliest words with all their translations."""
    lossy = [(system, variation) for system, variation in listed if variation.impact]
    costly = [(system, variation) for system, variation in lossy if variation.varies]
    rows = [[str(v.impact), system, v.document, v.word, v.listing] for system, v in costly[:most]]
    title = f"Words translated in several ways: {len(rows):,} of {len(costly):,}"
    headings = ["lost", "system", "document", "word", "translations"]
    notes = ["lost: pairs of the word that are not translated alike; ∅: no translation found"]
    if doubtful := len(lossy) - len(costly):
        notes.append(
            f"not listed: {counted(doubtful, 'word')} that may differ by the links alone (no word, "
            "or more or fewer of the same words); --write lists all"
        )
    return Grid(title, headings, rows, notes, frozenset({0}), lead=5, prose=frozenset({4}))


def list_records(listed: Sequence[Listed]) -> list[Record]:
    """One record for each word, with the segments (from 1) of each translation."""
    return [
        {
            "system": system,
            "document": variation.document,
            "word": variation.word,
            "translations": variation.listing,
            "different": len(variation.variants),
            "mentions": sum(variant.count for variant in variation.variants),
            "lost pairs": variation.impact,
            "pairs": variation.pairs,
            "segments": "; ".join(
                f"{variant.text}: {', '.join(str(place + 1) for place in variant.segments)}"
                for variant in variation.variants
            ),
        }
        for system, variation in listed
    ]


def write_list(path: Path, listed: Sequence[Listed], bom: bool) -> None:
    """Write the list as TSV, or as CSV where the name ends so.

    A CSV file, or one with the mark that Excel likes, is for a spreadsheet and has safe cells.
    """
    for_spreadsheet = bom or path.suffix.lower() == ".csv"
    records = list_records(listed)
    if for_spreadsheet:
        records = [{key: spreadsheet_cell(v) for key, v in record.items()} for record in records]
    out = io.StringIO(newline="")
    dialect = "excel" if path.suffix.lower() == ".csv" else "excel-tab"
    columns = list(records[0]) if records else ["system", "document", "word", "translations"]
    writer = csv.DictWriter(out, columns, dialect=dialect)
    writer.writeheader()
    writer.writerows(records)
    write_file(path, out.getvalue().encode("utf-8-sig" if bom else "utf-8"))
