"""Small test sets with scores and evidence made by hand, for tests of the report."""

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from isogloss import Collection, Document, Judgements, ScoreTable, SystemOutput, TestSet
from isogloss.comparison import Comparison, ComparisonSettings, compare
from isogloss.evaluation import evaluate
from isogloss.formula import MeanFormula
from isogloss.judgements import ErrorMark, Judgement
from isogloss.report import report_data
from isogloss.report.assembly import ReportData
from isogloss.report.data import ALPHABET, BASE
from isogloss.scores import DocumentScore, Measurement, MetricInfo, Provenance, SystemScore
from isogloss.spans import SOURCE, Evidence, Span, output_side, reference_side
from isogloss.wholes import Cut, Disparity, Kind, WholeText

EvidenceOf = Callable[[str, str, str], Iterable[Evidence]]
"""(metric, system, document) to evidence."""


def collection_of(
    texts: Mapping[str, Sequence[str]],
    outputs: Mapping[str, Mapping[str, Sequence[str]]],
    domains: Mapping[str, str] | None = None,
    languages: tuple[str, str] = ("cs", "en"),
) -> Collection:
    documents = tuple(
        Document(id, tuple(lines), {"ref": tuple(lines)}, (domains or {}).get(id))
        for id, lines in texts.items()
    )
    testset = TestSet("made", *languages, documents)
    return Collection(
        testset, tuple(SystemOutput(name, dict(lines)) for name, lines in outputs.items())
    )


def table_of(
    collection: Collection,
    metrics: Sequence[str] = ("made",),
    evidence: EvidenceOf = lambda *_: (),
    notices: tuple[str, ...] = (),
) -> ScoreTable:
    """Scores that fall from system to system, with a little noise; the second metric is noisier."""
    testset, rng = collection.testset, np.random.default_rng(0)
    rows = []
    for position, metric in enumerate(metrics):
        for rank, system in enumerate(collection.system_names):
            documents = []
            for document in testset.documents:
                noise = rng.normal(0, 2 + 4 * position, size=len(document))
                scores = 60 - 5 * rank + noise
                statistics = np.column_stack([scores, np.ones(len(document))])
                measured = Measurement(
                    statistics.sum(axis=0),
                    len(document),
                    len(document),
                    statistics,
                    tuple(scores.tolist()),
                    tuple(evidence(metric, system, document.id)),
                )
                mean = float(scores.mean())
                documents.append(DocumentScore(document.id, mean, measured, document.domain))
            score = float(np.mean([document.score for document in documents]))
            rows.append(SystemScore(metric, system, score, tuple(documents)))
    provenance = Provenance(
        testset.name, "cs", "en", ("ref",), testset.digest(), "2026-01-01", "0", notices
    )
    infos = tuple(
        MetricInfo(name, f"{name}|made:by-hand", formula=MeanFormula()) for name in metrics
    )
    return ScoreTable(provenance, infos, tuple(rows))


def compared(table: ScoreTable) -> tuple[Comparison, ...]:
    return compare(table, settings=ComparisonSettings(resamples=100))


def data_of(collection: Collection, table: ScoreTable) -> ReportData:
    return report_data(collection, table, compared(table))


SOURCE_LINES = ("Trajekt jede.", "Trajekt stojí 😀 tady.", "Konec.")
GOOD = ("The ferry sails.", "The ferry 😀 stops here.", "The end.")
BAD = ("The ferry sails.", "The boat 😀 stops here.", "The end.")


def chain_evidence(metric: str, system: str, document: str) -> Iterable[Evidence]:
    """One chain through two segments, on all sides; its second mention lies behind an emoji."""
    if metric != "chains" or document != "news-1":
        return
    output = output_side(system)
    good = system == "good"
    second = (4, 9) if good else (4, 8)
    yield Evidence(
        "matched" if good else "inconsistent",
        (
            Span(document, SOURCE, 0, 0, 7),
            Span(document, SOURCE, 1, 0, 7),
            Span(document, reference_side("ref"), 1, 0, 7),
            Span(document, output, 0, 4, 9),
            Span(document, output, 1, *second),
        ),
        1.0 if good else 0.5,
    )
    start = 12 if good else 11  # "stops", counted in code points
    yield Evidence("partly matched: a detail", (Span(document, output, 1, start, start + 5),))


def small_collection() -> Collection:
    ids = [f"news-{n}" for n in (1, 2, 3)] + [f"talk-{n}" for n in (1, 2, 3)]
    texts = dict.fromkeys(ids, SOURCE_LINES)
    domains = {id: id.partition("-")[0] for id in ids}
    systems = {"good": GOOD, "bad": BAD, "other": BAD}
    outputs = {name: dict.fromkeys(ids, lines) for name, lines in systems.items()}
    return collection_of(texts, outputs, domains)


def small_report() -> ReportData:
    collection = small_collection()
    notices = ("the source has 1 empty segment",)
    table = table_of(collection, ("made", "chains"), chain_evidence, notices)
    return data_of(collection, table)


def judged(collection: Collection, kind: str = "mqm") -> Judgements:
    """People like the first system, and mark its first word in one document."""
    items = []
    for rank, system in enumerate(collection.system_names):
        for number, document in enumerate(collection.testset.documents):
            for segment in range(len(document)):
                score = -float(rank) - (segment + number) % 3
                items.append(Judgement(system, document.id, segment, "ann", score))
    place = Span("news-1", output_side("good"), 0, 0, 3)
    error = ErrorMark("fluency/grammar", "minor", place)
    items[0] = replace(items[0], errors=(error, ErrorMark("other", "no-error", place)))
    return Judgements(kind, tuple(items))


def judged_report() -> ReportData:
    collection = small_collection()
    table = table_of(collection, ("made", "chains"), chain_evidence)
    return report_data(collection, table, compared(table), judged(collection))


def unpacked(text: str) -> list[int]:
    """The plainest possible reader."""
    numbers, value, weight = [], 0, 1
    for character in text:
        digit = ALPHABET.index(character)
        value += digit % BASE * weight
        weight *= BASE
        if digit < BASE:
            numbers.append(value)
            value, weight = 0, 1
    return numbers


def parts_of(html: str) -> dict[str, Any]:
    """The data of a page, read back."""
    found = re.findall(r'<script type="text/plain" id="((?!licences)[^"]+)">([^<]*)</script>', html)
    return {
        name: json.loads(zlib.decompress(base64.b64decode(data), -zlib.MAX_WBITS))
        for name, data in found
    }


STORM = (
    "Der Sturm erreichte am Montag die Küste.",
    "Mehrere Straßen wurden überflutet.",
    "Die Behörden riefen die Bewohner dazu auf, zu Hause zu bleiben.",
    "Am Abend ließ der Wind nach.",
    "Verletzt wurde niemand.",
)
ACCOUNTS = {
    "swapped": (
        ("The storm reached the coast on Monday. ", "Nobody was hurt. "),
        ("Several roads were flooded. ",),
        ("Here is the rest of the translation: ", "The authorities asked people to stay in. "),
        ("In the evening the wind dropped. ", "In the evening the wind dropped."),
        (),
    ),
    "short": (
        ("The storm reached the coast on Monday. ",),
        ("Several roads were flooded. ",),
        (),
        ("In the evening the wind dropped. ",),
        ("Nobody was hurt.",),
    ),
}
"""The sentences that two systems have for each segment of the source."""


def _account(system: str, *found: tuple[Kind, int, int | None]) -> Cut:
    """The cut of a system's text; findings are a kind, a segment, and the sentence it is about."""
    sentences = [sentence for segment in ACCOUNTS[system] for sentence in segment]
    ends = list(accumulate(map(len, sentences), initial=0))
    counts = list(accumulate(map(len, ACCOUNTS[system]), initial=0))
    places = tuple((ends[first], ends[last]) for first, last in pairwise(counts))
    disparities = (
        Disparity(
            kind,
            segment,
            source=(0, len(STORM[segment])) if kind in (Kind.OMITTED, Kind.MOVED) else None,
            output=None if at is None else (ends[at], ends[at] + len(sentences[at].rstrip())),
        )
        for kind, segment, at in found
    )
    return Cut(WholeText.of_lines(["".join(sentences)]), places, tuple(disparities))


STORM_TIMES = tuple(f"00:00:0{second},000 --> 00:00:0{second},900" for second in range(len(STORM)))


def cut_report() -> ReportData:
    """Two texts that were handed in whole: one swaps, adds and repeats, one leaves out."""
    found = (Kind.MOVED, 4, 1), (Kind.ADDED, 2, 3), (Kind.REPEATED, 3, 6)
    cuts = {
        "swapped": _account("swapped", *found),
        "short": _account("short", (Kind.OMITTED, 2, None)),
    }
    outputs = (
        SystemOutput(name, {"storm": cut.segments}, cuts={"storm": cut}, cut_by="hand")
        for name, cut in cuts.items()
    )
    testset = TestSet("made", "de", "en", (Document("storm", STORM, labels=STORM_TIMES),))
    collection = Collection(testset, tuple(outputs))
    return data_of(collection, evaluate(collection, "coverage"))
