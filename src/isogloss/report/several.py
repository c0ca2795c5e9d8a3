"""Several test sets in one report: what they say together, and where each system stands on each."""

from collections import Counter
from collections.abc import Iterator, Sequence

from isogloss.report.assembly import ReportData
from isogloss.report.data import VERSION, ReportOverview, SetScore, SetsIndex, SetSummary


def index_of(reports: Sequence[ReportData]) -> SetsIndex:
    """What stands before the overviews of several test sets."""
    overviews = [report.overview for report in reports]
    systems = tuple(dict.fromkeys(s.name for each in overviews for s in each.systems))
    metrics = tuple(dict.fromkeys(m.name for each in overviews for m in each.metrics))
    return SetsIndex(
        version=VERSION,
        headline=_headline(overviews),
        systems=systems,
        metrics=metrics,
        sets=tuple(_summary(each, systems, metrics) for each in overviews),
    )


def _headline(overviews: Sequence[ReportOverview]) -> str:
    """Who comes first most often; nothing is tested over test sets, and nothing claimed."""
    leads = Counter(
        overview.systems[system].name for overview in overviews for system in overview.verdict.first
    )
    if not leads:
        return f"No system comes first on any of the {len(overviews)} test sets"
    most = max(leads.values())
    *others, last = [name for name, count in leads.items() if count == most]
    names = f"{', '.join(others)} and {last}" if others else last
    first = "comes first or shares first place" if not others else "each come or share first"
    where = f"all {len(overviews)}" if most == len(overviews) else f"{most} of {len(overviews)}"
    return f"{names} {first} on {where} test sets"


def _summary(
    overview: ReportOverview, systems: Sequence[str], metrics: Sequence[str]
) -> SetSummary:
    facts = overview.facts
    return SetSummary(
        testset=facts.testset,
        source_language=facts.source_language,
        target_language=facts.target_language,
        documents=len(overview.documents.ids),
        segments=sum(overview.documents.segments),
        headline=overview.verdict.headline,
        scores=tuple(_scores(overview, systems, metrics)),
    )


def _scores(
    overview: ReportOverview, systems: Sequence[str], metrics: Sequence[str]
) -> Iterator[SetScore]:
    for metric in overview.metrics:
        for place in metric.places:
            yield SetScore(
                systems.index(overview.systems[place.system].name),
                metrics.index(metric.name),
                place.score,
                place.cluster,
                metric.digits,
            )
