"""The tables of ``isogloss markables analyse``: for people, and as records for programs."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from isogloss.cli.grid import Grid
from isogloss.cli.output import Record, Result, number
from isogloss.metaeval import Interval, Value
from isogloss.metrics.markables.study import (
    Analysis,
    Correlation,
    DirectionFigures,
    Rate,
    Rates,
    SystemFigures,
    annotator_agreement,
    line_correlations,
    phenomenon_correlations,
    system_correlations,
    timing,
)

Table = tuple[Grid, list[Record]]


def study_result(analysis: Analysis, chosen: Iterable[str]) -> Result:
    """The chosen tables, in the order of the paper."""
    wanted = set(chosen)
    tables = [make(analysis) for name, make in TABLES.items() if name in wanted]
    study = analysis.study
    summary = {
        "study": study.name,
        "line_screens": sum(len(sheet.screens) for sheet in study.line_sheets),
        "line_annotations": len(study.line_rows),
        "markable_screens": sum(len(sheet.screens) for sheet in study.mark_sheets),
        "markable_annotations": len(study.mark_rows),
        "markable_annotations_used": len(analysis.usable_marks),
    }
    return Result([grid for grid, _ in tables], [r for _, rows in tables for r in rows], summary)


def _documents(analysis: Analysis) -> Table:
    rows: list[list[str]] = []
    records: list[Record] = []
    for found in analysis.documents:
        document = found.document
        counts = {
            "lines": len(document),
            "markables": found.markables,
            "occurrences": found.occurrences,
        }
        rows.append(
            [document.id, document.domain or "", found.direction, *map(str, counts.values())]
        )
        records += [_record("1", document.id, name, count) for name, count in counts.items()]
    total = [sum(int(row[column]) for row in rows) for column in (3, 4, 5)]
    rows.append(["total", "", "", *map(str, total)])
    study = analysis.study
    notes = [
        f"phase 1: {sum(len(s.screens) for s in study.line_sheets):,} screens, "
        f"{len(study.line_rows):,} line annotations",
        f"phase 2: {sum(len(s.screens) for s in study.mark_sheets):,} screens, "
        f"{len(study.mark_rows):,} markable annotations, {len(analysis.usable_marks):,} without "
        "the lines where one phenomenon is marked everywhere",
    ]
    headings = ["document", "domain", "direction", "lines", "markables", "occurrences"]
    return Grid("Table 1: documents", headings, rows, notes, _last(headings, 3)), records


def _bleu(analysis: Analysis) -> Table:
    machines = [row for row in analysis.bleu_by_system if not row.human]
    note = "sd: standard deviation of the documents' means, not of sentences as the paper says"
    grid, records = _systems("2", "BLEU by system", machines, analysis.domains, 2, "sd", note)
    scatter = analysis.deviation_by_domain
    last = ["sd of systems", "", *(number(scatter.get(d), 2) for d in analysis.domains), ""]
    records += [_record("2", last[0], domain, value) for domain, value in scatter.items()]
    return replace(grid, rows=[*grid.rows, last]), records


def _products(analysis: Analysis) -> Table:
    note = "√sd: square root of the standard deviation over lines, as the paper has it"
    figures = analysis.product_by_system
    return _systems("4", "fluency·adequacy by system", figures, analysis.domains, 4, "√sd", note)


def _systems(
    table: str,
    title: str,
    figures: Iterable[SystemFigures],
    domains: tuple[str, ...],
    digits: int,
    spread: str,
    note: str,
) -> Table:
    rows: list[list[str]] = []
    records: list[Record] = []
    for row in figures:
        values = {"all": row.total, **{d: row.by_domain.get(d) for d in domains}}
        name = f"{row.system} (human)" if row.human else row.system
        rows.append([name, *(number(v, digits) for v in values.values()), number(row.deviation, 2)])
        values[spread] = row.deviation
        records += [_record(table, row.system, column, value) for column, value in values.items()]
    headings = ["system", "all", *domains, spread]
    grid = Grid(f"Table {table}: {title}", headings, rows, [note], _last(headings, 1))
    return grid, records


def _by_document(analysis: Analysis) -> Table:
    rows: list[list[str]] = []
    records: list[Record] = []
    for row in analysis.by_document:
        values = {
            "fluency·adequacy": row.product,
            "reported words": row.reported,
            "BLEU": row.bleu,
            "√sd": row.deviation,
        }
        name = row.document or "all"
        rows.append([name, *(number(value, 2) for value in values.values())])
        records += [_record("3", name, column, value) for column, value in values.items()]
    headings = ["document", "fluency·adequacy", "reported words", "BLEU", "√sd"]
    notes = [
        "all translations together, the reference (whose BLEU is near 100) among them",
        "the paper's last row repeats the √sd of the document above it",
    ]
    grid = Grid("Table 3: documents", headings, rows, notes, _last(headings, 1))
    return grid, records


def _rates_by_system(analysis: Analysis) -> Table:
    rows: list[list[str]] = []
    records: list[Record] = []
    for system, rates in analysis.rates_by_system.items():
        cells = dict(_cells(analysis, rates))
        name = f"{system} (human)" if system in analysis.study.humans else system
        rows.append([name, *map(_split, cells.values())])
        for column, rate in cells.items():
            records += _rate_records("5", system, column, rate)
    headings = ["system", "Average", *(p.title for p in analysis.phenomena)]
    note = "occurrence | severity: share of markable occurrences, mean severity where marked"
    return Grid("Table 5: phenomena by system", headings, rows, [note]), records


def _cells(analysis: Analysis, rates: Rates) -> Iterator[tuple[str, Rate]]:
    yield "Average", rates.average
    for phenomenon in analysis.phenomena:
        yield phenomenon.title, rates.by_phenomenon[phenomenon]


def _split(rate: Rate) -> str:
    return f"{rate.occurrence:.3f} | {rate.severity:.3f}"


def _rates_by_domain(analysis: Analysis) -> Table:
    columns = {d or "all": dict(_cells(analysis, r)) for d, r in analysis.rates_by_domain.items()}
    found = {(c.first, c.second): c for c in system_correlations(analysis)}
    rows: list[list[str]] = []
    records: list[Record] = []
    for name in ("Average", *(p.title for p in analysis.phenomena)):
        row = [name]
        for column, cells in columns.items():
            row.append(_split(cells[name]))
            records += _rate_records("6", name, column, cells[name])
        for other in ("BLEU", "fluency·adequacy"):
            pair = found[name, other]
            row += [_r(pair.with_reference), _r(pair.without_reference)]
            records += _correlation_records("6", pair)
        rows.append(row)
    headings = ["phenomenon", *columns, "r BLEU", "without", "r F·A", "without"]
    notes = [
        "r: Pearson over systems of occurrence·severity against mean BLEU and fluency·adequacy,",
        "with the reference among the systems (as printed in the paper) and without it",
    ]
    numeric = frozenset(range(1 + len(columns), len(headings)))
    return Grid("Table 6: phenomena by domain", headings, rows, notes, numeric), records


def _directions(analysis: Analysis) -> Table:
    first, second = analysis.directions[:2]
    every = analysis.rates_by_direction(analysis.study.mark_rows)
    used = analysis.rates_by_direction(analysis.usable_marks)
    rows: list[list[str]] = []
    records: list[Record] = []
    for row, kept in zip(every, used, strict=True):
        name = row.system or "all"
        rates = [row.by_direction.get(way) for way in (first, second)]
        cells = [_split(rate) if rate else "–" for rate in rates]
        rows.append([name, *cells, *_points(row, first, second), *_points(kept, first, second)])
        for way, rate in row.by_direction.items():
            records += _rate_records("directions", name, way, rate)
        records += _change_records(name, row, first, second)
        records += _change_records(f"{name}, used", kept, first, second)
    headings = ["system", first, second, "occurrence", "severity", "occurrence*", "severity*"]
    notes = [
        "occurrence | severity of every row, as in the paper's text, means of phenomena;",
        f"then what {second} has more than {first}, in percentage points",
        "* without the lines where one phenomenon is marked on all translations",
    ]
    return Grid("Phenomena by direction", headings, rows, notes, _last(headings, 3)), records


def _points(row: DirectionFigures, first: str, second: str) -> list[str]:
    change = row.change(first, second)
    return ["–", "–"] if change is None else [f"{100 * value:+.2f}" for value in change]


def _change_records(name: str, row: DirectionFigures, first: str, second: str) -> Iterator[Record]:
    for which, value in zip(
        ("occurrence", "severity"), row.change(first, second) or (), strict=False
    ):
        yield _record("directions", name, f"{which}, {second} less {first}", value)


def _correlations(analysis: Analysis) -> Table:
    pairs = (*line_correlations(analysis), *system_correlations(analysis))
    return _pairs("correlations", "correlations with and without the reference", pairs)


def _phenomena(analysis: Analysis) -> Table:
    pairs = phenomenon_correlations(analysis)
    return _pairs("phenomena", "phenomena that occur together, over systems", pairs)


def _pairs(table: str, title: str, pairs: Iterable[Correlation]) -> Table:
    rows: list[list[str]] = []
    records: list[Record] = []
    for pair in pairs:
        both = (pair.with_reference, pair.without_reference)
        cells = [cell for i in both for cell in (_r(i), _between(i), str(i.value.count))]
        rows.append([f"{pair.first} and {pair.second}", pair.unit, *cells])
        records += _correlation_records(table, pair)
    headings = ["", "over", "with reference", "95 %", "n", "without", "95 %", "n"]
    note = "intervals: Fisher's over systems, studentised bootstrap over lines"
    return Grid(title.capitalize(), headings, rows, [note], _last(headings, 2)), records


def _agreement(analysis: Analysis) -> Table:
    rows: list[list[str]] = []
    records: list[Record] = []
    for humans, name in ((True, "all"), (False, "machines")):
        for found in annotator_agreement(analysis.study, humans=humans):
            values = {
                "raw": found.raw,
                "kappa": found.kappa,
                "alpha": found.alpha,
                "F1": found.f1,
                "severity r": found.severity,
            }
            title = found.phenomenon.title
            rows.append([title, name, *map(_value, values.values())])
            for column, value in values.items():
                where = f"{column} ({name})"
                records.append(_record("agreement", title, where, value.value, n=value.count))
    headings = ["phenomenon", "systems", "raw", "kappa", "alpha", "F1", "severity r"]
    notes = [
        "raw, kappa: means over pairs of annotators; F1: all pairs' marks together;",
        "severity r: severities of two annotators where both marked",
    ]
    grid = Grid("Agreement by phenomenon", headings, rows, notes, _last(headings, 2))
    return grid, records


def _timing(analysis: Analysis) -> Table:
    rows: list[list[str]] = []
    records: list[Record] = []
    for found in timing(analysis.study):
        values = {
            "seconds a screen": found.per_screen,
            "seconds a translation": found.per_translation,
            "median": found.median_per_translation,
        }
        rows.append([found.phase, str(found.screens), *(number(v, 1) for v in values.values())])
        records += [_record("time", found.phase, c, v, n=found.screens) for c, v in values.items()]
    headings = ["phase", "screens", "seconds a screen", "seconds a translation", "median"]
    note = "gaps between saved screens; longer than 30 minutes is a break"
    return Grid("Time", headings, rows, [note], _last(headings, 1)), records


# --- cells and records ---------------------------------------------------------------------------


def _last(headings: list[str], first: int) -> frozenset[int]:
    return frozenset(range(first, len(headings)))


def _r(interval: Interval) -> str:
    return number(interval.value.value, 3)


def _value(value: Value) -> str:
    return number(value.value, 2)


def _between(interval: Interval) -> str:
    return "" if interval.low is None else f"[{interval.low:.2f}, {interval.high:.2f}]"


def _record(
    table: str, row: str, column: str, value: float | None, *, n: int | None = None
) -> Record:
    return {"table": table, "row": row, "column": column, "value": value, "n": n}


def _rate_records(table: str, row: str, column: str, rate: Rate) -> Iterator[Record]:
    yield _record(table, row, f"{column} occurrence", rate.occurrence, n=rate.rows)
    yield _record(table, row, f"{column} severity", rate.severity, n=rate.rated)


def _correlation_records(table: str, pair: Correlation) -> Iterator[Record]:
    sides = {"with reference": pair.with_reference, "without": pair.without_reference}
    for side, interval in sides.items():
        record = _record(
            table,
            pair.first,
            f"r {pair.second}, {side}",
            interval.value.value,
            n=interval.value.count,
        )
        yield {**record, "low": interval.low, "high": interval.high}


_NEED_LINES = frozenset(("2", "3", "4", "6", "correlations"))
_NEED_REFERENCES = frozenset(("2", "3", "6", "correlations"))
_NEED_MARKS = frozenset(("5", "6", "directions", "correlations", "phenomena", "agreement"))


def possible_tables(analysis: Analysis) -> list[str]:
    """Those that there is something to compute from: a campaign may have one phase only."""
    study = analysis.study
    impossible: set[str] = set()
    if not any(row.product is not None for row in study.line_rows):
        impossible |= _NEED_LINES
    if not analysis.has_references:
        impossible |= _NEED_REFERENCES
    if not analysis.usable_marks:
        impossible |= _NEED_MARKS
    if len(analysis.directions) < 2:
        impossible.add("directions")
    return [name for name in TABLES if name not in impossible]


TABLES: dict[str, Callable[[Analysis], Table]] = {
    "1": _documents,
    "2": _bleu,
    "3": _by_document,
    "4": _products,
    "5": _rates_by_system,
    "6": _rates_by_domain,
    "directions": _directions,
    "correlations": _correlations,
    "phenomena": _phenomena,
    "agreement": _agreement,
    "time": _timing,
}
"""What can be asked for, by name."""
