"""How agreement on parts of a test set is shown: the best systems, domains, lengths, positions."""

from collections.abc import Iterator, Mapping, Sequence

from isogloss.cli.grid import Grid
from isogloss.cli.metaeval_tables import shortened
from isogloss.cli.output import Record
from isogloss.cli.people import value_and_interval
from isogloss.metaeval import Slice, Slices, StatisticFinding

_MEANINGS = {
    "top-n": "n: the systems that people scored best; r of few systems is unstable, and people's "
    "own errors decide which ones are the best",
    "distance": "pairs of systems in thirds, by the difference of people's scores",
    "domain": "each domain by itself",
    "length": "by the length of the document, cut where a third and two thirds of what was judged "
    "lie; documents of one length stay together",
    "position": "thirds of documents of three segments or more",
}


def slices_grid(slices: Slices, metrics: Sequence[str]) -> Grid:
    """A row for each metric, and for each part a value with its interval."""
    found = [_by_metric(part) for part in slices.slices]
    # Accuracies of a few systems have no interval at all: columns of nothing are not shown.
    told = any(f.interval.low is not None for each in found for f in each.values())
    rows = [
        [name, *(cell for each in found for cell in _cells(each.get(name), told))]
        for name in metrics
    ]
    headings = ["metric"]
    for part in slices.slices:
        name = f"best {part.name}" if slices.by == "top-n" else part.name
        headings += [name, "interval"] if told else [name]
    what = "the n best systems" if slices.by == "top-n" else slices.by
    title = f"{slices.testset} {slices.languages}: {slices.statistic}, by {what}"
    notes = [_MEANINGS[slices.by], *_sizes(slices), *_blanks(slices)]
    if slices.by != "distance":
        notes += _untold(found)
    numeric = frozenset(range(1, len(headings)))
    return Grid(title, headings, rows, notes, numeric, together=2 if told else 1)


def _cells(finding: StatisticFinding | None, told: bool) -> list[str]:
    if finding is None:
        return ["–", ""] if told else ["–"]
    cells = value_and_interval(finding.interval)
    return cells if told else cells[:1]


def _by_metric(part: Slice) -> dict[str, StatisticFinding]:
    return {finding.metric: finding for finding in part.column.findings}


def _sizes(slices: Slices) -> list[str]:
    level = slices.statistic.level
    if slices.by == "distance":
        pairs = ", ".join(f"{part.size:,} ({part.name})" for part in slices.slices)
        return [f"pairs of systems: {pairs}"]
    if level == "system":
        return [] if slices.slices else ["–: fewer than four systems were judged"]
    sizes = ", ".join(f"{part.size:,} ({part.name})" for part in slices.slices)
    return [f"judged {level}s: {sizes}"]


def _untold(found: Sequence[Mapping[str, StatisticFinding]]) -> list[str]:
    """Why there are no intervals by documents, where some are missing."""
    values = [f for each in found for f in each.values() if f.value is not None]
    if not any(f.interval.jackknife is None for f in values):
        return []
    fisher = any(f.interval.jackknife is None and f.interval.low is not None for f in values)
    rest = " (those of r are Fisher's)" if fisher else ""
    return [
        f"no intervals by documents{rest}, where a metric's score of a system is not the mean of "
        "its judged segments; --segment-means makes it so"
    ]


def _blanks(slices: Slices) -> list[str]:
    return shortened(
        f"–: {finding.metric}, {part.name}: {reason}"
        for part in slices.slices
        for finding in part.column.findings
        if (reason := finding.interval.value.reason)
    )


def slices_records(slices: Slices) -> Iterator[Record]:
    """The same for programs, a record for each metric and part."""
    for part in slices.slices:
        for finding in part.column.findings:
            yield {
                "metric": finding.metric,
                "testset": slices.testset,
                "languages": slices.languages,
                "statistic": str(slices.statistic),
                "by": slices.by,
                "part": part.name,
                "size": part.size,
                "value": finding.value,
                "low": finding.interval.low,
                "high": finding.interval.high,
                "count": finding.interval.value.count,
                "reason": finding.interval.value.reason,
            }
