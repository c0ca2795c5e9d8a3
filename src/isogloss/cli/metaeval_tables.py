"""How agreement with people is shown: a row for each metric, people among themselves below."""

from collections.abc import Iterable, Sequence

from isogloss.cli.grid import Grid
from isogloss.cli.output import number
from isogloss.documents import counted
from isogloss.metaeval import Column, Interval, Judged, StatisticFinding, Study

PEOPLE = "(people)"
_MOST_REASONS = 3


def shortened(reasons: Iterable[str]) -> list[str]:
    """The first reasons why cells are empty, each once; of more, how many there are."""
    every = list(dict.fromkeys(reasons))
    if len(every) <= _MOST_REASONS:
        return every
    more = len(every) - _MOST_REASONS
    return [*every[:_MOST_REASONS], f"–: and {more} more; -o json says why"]


def judged_grid(judged: Judged, studies: Sequence[Study]) -> Grid:
    """Each metric's agreement under each statistic, best first; people among themselves last."""
    cells = {(f.metric, id(column)): f for column in judged.columns for f in column.findings}
    headings = ["metric", "average", "interval", "#"]
    for column in judged.columns:
        headings += [_heading(column, studies), "interval", "#"]
    rows = []
    for metric in judged.metrics:
        average = judged.standing[metric]
        row = [metric, *_three(average.value, average.low, average.high, average.rank)]
        for column in judged.columns:
            row += _cells(cells.get((metric, id(column))))
        rows.append(row)
    best = _best(rows)
    if any(map(_has_ceiling, judged.columns)):
        ceilings = [cell for column in judged.columns for cell in _ceiling_cells(column)]
        rows.append([PEOPLE, "", "", "", *ceilings])
    numeric = frozenset(range(1, len(headings)))
    notes = [*_blanks(judged), *_notes(judged)]
    return Grid(_title(studies), headings, rows, notes, numeric, together=3, best=best)


def _heading(column: Column, studies: Sequence[Study]) -> str:
    where = f"{column.testset} " if len(studies) > 1 else ""
    return f"{where}{column.statistic}"


def ceiling_grid(judged: Judged, studies: Sequence[Study]) -> Grid:
    """Which share of people's agreement with people each metric reaches; empty without raters."""
    columns = [each for each in judged.columns if _has_ceiling(each)]
    shares = {
        (finding.metric, place): judged.share_of_ceiling(column, finding)
        for place, column in enumerate(columns)
        for finding in column.findings
    }
    rows = [
        [
            name,
            *(cell for place in range(len(columns)) for cell in _share(shares.get((name, place)))),
        ]
        for name in (judged.metrics if columns else ())
    ]
    headings = ["metric"]
    for column in columns:
        headings += [_heading(column, studies), "interval"]
    title = "How far from chance to where people agree with people"
    notes = [
        "chance: 0 of correlations, 0.5 of accuracies of pairs, of acc-eq what ties alone give",
        "more than 100 % is possible: metrics meet all annotators, halves of them each other",
        "interval: other documents with the same annotators; nothing is said of other annotators",
        "–: in some splits, or at the low end of the interval, people agree no better than chance; "
        "or the metric has no value",
    ]
    return Grid(title, headings, rows, notes, frozenset(range(1, len(headings))), together=2)


def _has_ceiling(column: Column) -> bool:
    return column.ceiling is not None and column.ceiling.value.value is not None


def _share(share: Interval | None) -> tuple[str, str]:
    if share is None or share.value.value is None:
        return "–", ""
    between = "" if share.low is None else f"[{share.low:.0%}, {share.high:.0%}]"
    return f"{share.value.value:.0%}", between


def _best(rows: Sequence[Sequence[str]]) -> frozenset[tuple[int, int]]:
    """The cells of the first rank; where there are no ranks, the highest value."""
    found = []
    for column in range(1, len(rows[0]), 3):
        values = [row[column] for row in rows]
        ranks = [row[column + 2] for row in rows]
        known = [float(value) for value in values if value not in ("", "–")]
        top = f"{max(known):.3f}" if known else None
        for place, (value, rank) in enumerate(zip(values, ranks, strict=True)):
            if rank == "1" if any(ranks) else value == top:
                found.append((place, column))
    return frozenset(found)


def _three(
    value: float | None, low: float | None, high: float | None, rank: int | None
) -> list[str]:
    between = "" if low is None else f"[{low:.3f}, {high:.3f}]"
    return [number(value, 3), between, "" if rank is None else str(rank)]


def _blanks(judged: Judged) -> list[str]:
    """Why cells are empty, where some are."""
    notes = []
    untold = [
        str(column.statistic)
        for column in judged.columns
        if any(f.value is not None and f.interval.jackknife is None for f in column.findings)
    ]
    if untold:
        which = ", ".join(dict.fromkeys(untold))
        notes.append(
            f"no rank, and no interval by documents: {which} (nor their average), since a metric's "
            "score of a system is not the mean of its judged segments; --segment-means makes it so "
            "(an interval of Pearson's r that stands there is Fisher's)"
        )
    reasons = (
        f"–: {finding.metric}, {column.statistic}: {reason}"
        for column in judged.columns
        for finding in column.findings
        if (reason := finding.interval.value.reason)
    )
    return [*notes, *shortened(reasons)]


def _cells(finding: StatisticFinding | None) -> list[str]:
    if finding is None:
        return ["–", "", ""]
    return _three(finding.value, finding.interval.low, finding.interval.high, finding.rank)


def _ceiling_cells(column: Column) -> list[str]:
    if column.ceiling is None or column.ceiling.value.value is None:
        return ["–", "", ""]
    value, between = column.ceiling.value.value, column.ceiling.interval
    low, high = (between.low, between.high) if between else (None, None)
    return _three(value, low, high, None)


def _title(studies: Sequence[Study]) -> str:
    parts = []
    for study in studies:
        testset, human = study.testset, study.human
        languages = f"{testset.source_language or '?'}-{testset.target_language or '?'}"
        segments = f"{len(human.items):,} segments, " if human.level == "segment" else ""
        parts.append(
            f"{testset.name} {languages}: {study.kind}, {_systems(study)}, "
            f"{segments}{len(set(human.blocks.tolist())):,} documents"
        )
    return " · ".join(parts)


def _systems(study: Study) -> str:
    """'12 systems', or '12 systems and refA' where references take part."""
    references = [name for name in study.human.systems if name in study.testset.reference_names]
    systems = counted(len(study.human.systems) - len(references), "system")
    return " and ".join([systems, *references])


def _notes(judged: Judged) -> list[str]:
    settings = judged.settings
    what = "documents" if settings.by_document else "segments"
    notes = [
        f"task {judged.task.name}: {judged.task.description}",
        f"interval: {settings.confidence:.0%}, studentised bootstrap of {what}",
    ]
    if settings.draws:
        notes.append(
            "#: a new rank begins where a metric of the rank above is better at "
            f"p ≤ {settings.alpha:g} ({settings.draws:,} permutations of {what}, or the bootstrap "
            "of the interval)"
        )
    if settings.ceiling_splits:
        notes += _ceiling_notes(judged)
    for column in judged.columns:
        baseline = next((f.baseline for f in column.findings if f.baseline is not None), None)
        if baseline is not None:
            notes.append(f"{column.testset} {column.statistic}: ties alone give {baseline:.3f}")
    return notes


def _ceiling_notes(judged: Judged) -> list[str]:
    ceilings = [column.ceiling for column in judged.columns if column.ceiling]
    reasons = dict.fromkeys(c.value.reason for c in ceilings if c.value.reason)
    splits = judged.settings.ceiling_splits
    if not any(map(_has_ceiling, judged.columns)):
        return [f"no ceiling (people against people): {reason}" for reason in reasons]
    meaning = (
        f"{PEOPLE}: half of the annotators against the other half, mean of {splits} splits; the "
        "interval is for the same annotators on other documents"
    )
    return [meaning, *(f"{PEOPLE}: {reason}" for reason in reasons)]
