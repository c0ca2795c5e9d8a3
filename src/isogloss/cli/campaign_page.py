"""The results of a campaign as a page: the report's, with what stands behind the ranking."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.cli.campaign_asked import Asked, opened_campaign, read_asked, told_of
from isogloss.comparison import Comparison, ComparisonSettings
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.judgements import Judgements
from isogloss.report import (
    CampaignPart,
    DisputedPlace,
    JudgedRanking,
    MarkedRate,
    OtherKind,
    PersonAgreement,
    PersonConduct,
    PersonFigure,
    PersonMark,
    PersonSaid,
    Ranking,
    SystemPlace,
    judged_report,
    page,
    page_policy,
)
from isogloss.scores import ScoreTable
from isogloss.tables import decimals

if TYPE_CHECKING:
    from isogloss.annotate import (
        AnnotatorConduct,
        Disagreement,
        MeasuredFigure,
        Opinion,
        PageOfResults,
        Results,
        Store,
        Voices,
    )
    from isogloss.report import ReportData

_MOST_DISPUTES = 200
_CORRECTIONS = {
    "none": "scores as given",
    "mixed": "without mildness (mixed model)",
    "z": "z-scores",
}


def results_page(
    asked: Asked, found: "Results", settings: ComparisonSettings, *, served: bool = False
) -> "ReportData":
    """The page's data; `served` by the campaign itself, it says when, and leads to other kinds."""
    from isogloss.annotate import on_documents

    judged = _judged_documents(found)
    collection = asked.collection.with_documents(judged)
    said = asked.said if isinstance(asked.said, Judgements) else None
    table = on_documents(found.table, judged, found.table.systems)
    part = _Part(found, asked.voices, collection, table.systems)
    campaign = _campaign_part(asked, part, settings, served=served)
    ranking = JudgedRanking(table, found.people, campaign, said)
    metrics = [
        (each, comparison)
        for each in found.beside
        for comparison in found.metrics
        if comparison.metric in each.metrics and _is_of(each, judged)
    ]
    return judged_report(collection, ranking, metrics)


def campaign_behind(
    campaign: Path,
    judgements: Judgements,
    collection: Collection,
    systems: Sequence[str],
    settings: ComparisonSettings,
) -> CampaignPart:
    """What stands behind a campaign's judgements, for a report on these texts and systems."""
    from isogloss.annotate import campaign_results

    with opened_campaign(campaign) as store:
        asked = read_asked(store, campaign, judgements.kind)
    found = campaign_results(
        asked.said, asked.collection, settings=settings, weights=asked.weights or None
    )
    return _campaign_part(asked, _Part(found, asked.voices, collection, systems), settings)


def _campaign_part(
    asked: Asked, part: "_Part", settings: ComparisonSettings, *, served: bool = False
) -> CampaignPart:
    from isogloss.annotate import corrected_in_turn

    rankings = corrected_in_turn(asked.said, asked.collection, settings, asked.weights or None)
    found = part.found
    return CampaignPart(
        kind=found.people.metric.name,
        annotators=found.annotators,
        chosen=found.chosen,
        notes=tuple(told_of(found, asked.passed_over)),
        rankings=tuple(part.ranking(_CORRECTIONS[name], each) for name, each in rankings.items()),
        domains=tuple(part.ranking(name, each) for name, each in found.domains.items()),
        marks=tuple(part.marks()),
        conduct=tuple(map(_conduct, asked.voices.conduct)),
        agreement=tuple(
            PersonAgreement(each.what, each.value, each.reason, each.units)
            for each in asked.voices.agreement
        ),
        disputed=len(asked.voices.disagreements),
        disputes=tuple(part.disputes()),
        others=tuple(OtherKind(kind, f"?kind={kind}" if served else None) for kind in asked.others),
        live=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC" if served else None,
    )


def _judged_documents(found: "Results") -> list[str]:
    """The documents of which somebody said anything."""
    rows = found.table.rows
    judged = {d.document for row in rows for d in row.documents if d.measurement.scored}
    return [each.document for each in rows[0].documents if each.document in judged]


def _is_of(table: ScoreTable, documents: Sequence[str]) -> bool:
    """Whether a metric has scored all of these documents."""
    return all([d.document for d in row.documents] == documents for row in table.rows)


class _Part:
    """Results by position: of systems in the table, of documents in the collection."""

    def __init__(
        self, found: "Results", voices: "Voices", collection: Collection, systems: Sequence[str]
    ) -> None:
        self.found, self.voices = found, voices
        self.system = {name: n for n, name in enumerate(systems)}
        documents = collection.testset.documents
        self.document = {each.id: n for n, each in enumerate(documents)}

    def ranking(self, name: str, comparison: Comparison) -> Ranking:
        places = []
        for each in (each for each in comparison.standings if each.system in self.system):
            low, high = each.interval or (None, None)
            place = (each.score, low, high, each.cluster, each.scored, each.total)
            places.append(SystemPlace(self.system[each.system], *place))
        digits = decimals(each.score for each in comparison.standings)
        documents = max((test.blocks for test in comparison.pairs), default=0)
        return Ranking(name, documents, digits, tuple(places))

    def marks(self) -> Iterator[MarkedRate]:
        """What was marked, the most frequent first."""
        found: dict[str, dict[str, tuple[int, float]]] = {}
        for error in self.found.errors:
            what = " ".join(part for part in (error.what, error.severity) if part)
            found.setdefault(what, {})[error.system] = error.count, error.rate
        nothing = (0, 0.0)
        for what, of in sorted(found.items(), key=lambda kv: -sum(c for c, _ in kv[1].values())):
            counts, rates = zip(*(of.get(name, nothing) for name in self.system), strict=True)
            yield MarkedRate(what, counts, rates)

    def disputes(self) -> Iterator[DisputedPlace]:
        there = [each for each in self.voices.disagreements if each.document in self.document]
        for place in there[:_MOST_DISPUTES]:
            yield DisputedPlace(
                document=self.document[place.document],
                segment=place.segment,
                system=self.system.get(place.system or ""),
                against=self.system.get(place.against or ""),
                about=_about(place),
                source=place.source,
                output=place.output,
                other=place.other,
                apart=place.apart,
                decided=None if place.decision is None else said(place.kind, place.decision.value),
                voices=tuple(_voice(place.kind, each) for each in place.opinions),
            )


def _about(place: "Disagreement") -> str:
    if place.chain is not None:
        return f"{place.chain.chain.word} → {place.chain.chain.translation}"
    return place.markable or ""


def _conduct(each: "AnnotatorConduct") -> PersonConduct:
    return PersonConduct(
        annotator=each.annotator,
        kind=each.kind,
        documents=each.documents,
        shared=each.shared,
        mildness=_figure(each.mildness),
        spread=_figure(each.spread),
        agreement=_figure(each.agreement),
        drift=_figure(each.drift),
        beside_others=each.beside_others,
        spoilt=each.spoilt,
        spoilt_seen=each.spoilt_seen,
        stands_out=each.stands_out,
        words=tuple(each.words),
    )


def _figure(found: "MeasuredFigure | None") -> PersonFigure | None:
    return None if found is None else PersonFigure(found.value, found.low, found.high)


# --- what somebody said --------------------------------------------------------------------------


def _voice(kind: str, opinion: "Opinion") -> PersonSaid:
    value = opinion.answer.value
    return PersonSaid(opinion.annotator, said(kind, value), tuple(_marks(kind, value)))


def _marks(kind: str, value: Mapping[str, Any]) -> Iterator[PersonMark]:
    for error in value.get("errors", ()):
        place = error["start"], error["end"], error["severity"]
        yield PersonMark(*place, error.get("category"), error["missing"], error.get("side"))
    for word in value.get("reported", ()):
        side = "source" if word["side"] == "source" else None
        yield PersonMark(word["start"], word["end"], "reported", None, False, side)
    if kind == "phase2":
        severity = ", ".join(value["phenomena"]) or "no error"
        for place in value.get("target") or ():
            yield PersonMark(place["start"], place["end"], severity, None, False, None)


def said(kind: str, value: Mapping[str, Any]) -> str:
    """An answer in words."""
    return " · ".join(part for part in _parts(kind, value) if part) or "nothing"


def _parts(kind: str, value: Mapping[str, Any]) -> Iterator[str]:
    for name in ("score", "adequacy", "fluency"):
        if value.get(name) is not None:
            yield f"{name} {value[name]:g}"
    if value.get("conflicting"):
        yield "conflicting"
    if "errors" in value:
        yield _counted(error["severity"] for error in value["errors"]) or "no errors"
    if kind == "phase2":
        named = value["phenomena"].items()
        yield ", ".join(n if s is None else f"{n} {s:g}" for n, s in named) or "no error"
    if kind == "preference":
        better = value["better"]
        yield "equally good" if better == "same" else f"{better} is better"
        yield ", ".join(value.get("reasons", ()))
        yield value.get("note", "")
    if kind == "consistency":
        answers = {True: "must be the same", False: "may differ", None: "not sure"}
        yield answers[value["same"]]


def _counted(words: Iterable[str]) -> str:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return ", ".join(f"{count} {word}" for word, count in counts.items())


# --- the page that a campaign serves -------------------------------------------------------------


def served_page(
    campaign: Path, store: "Store", kind: str | None, *, texts: bool
) -> "PageOfResults":
    """The results of an open campaign as they are now; not everybody may read its texts."""
    from isogloss.annotate import PageOfResults, campaign_results, judged_kinds

    kinds = judged_kinds(store)
    if not kinds:
        raise InputError("nobody has judged a translation yet")
    asked = read_asked(store, campaign, kind if kind in kinds else kinds[0])
    settings = ComparisonSettings()
    found = campaign_results(
        asked.said, asked.collection, settings=settings, weights=asked.weights or None
    )
    data = results_page(asked, found, settings, served=True)
    return PageOfResults(page(data if texts else data.without_texts()), page_policy())
