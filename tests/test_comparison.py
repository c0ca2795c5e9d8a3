"""Comparison: agreement with sacrebleu, documents as blocks, missing scores, people apart."""

import random
from dataclasses import replace

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from isogloss.comparison import Comparison, Settings, compare
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa")
NOISE = {"best": 0.10, "good": 0.13, "fair": 0.22, "poor": 0.45}


def noisy(line: str, share: float, rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) if rng.random() < share else word for word in line.split())


@pytest.fixture(scope="module")
def collection() -> Collection:
    rng = random.Random(7)
    sizes = [rng.randint(2, 8) for _ in range(24)]
    references = [
        tuple(" ".join(rng.choices(WORDS, k=rng.randint(6, 14))) for _ in range(size))
        for size in sizes
    ]
    documents = tuple(
        Document(f"d{i}", ("source",) * len(lines), {"ref": lines})
        for i, lines in enumerate(references)
    )
    outputs = tuple(
        SystemOutput(
            name,
            {
                document.id: tuple(noisy(line, share, rng) for line in lines)
                for document, lines in zip(documents, references, strict=True)
            },
        )
        for name, share in NOISE.items()
    )
    return Collection(TestSet("made", "xx", "yy", documents), outputs)


@pytest.fixture(scope="module")
def table(collection: Collection) -> ScoreTable:
    return evaluate(collection, ["bleu", "chrf", "ter"])


def sacrebleu_p_values(
    collection: Collection, baseline: str, kind: str, samples: int
) -> dict[tuple[str, str], float]:
    """(metric, system) to the p-value that sacrebleu gives against the baseline."""
    lines = {o.name: [t for d in o.documents.values() for t in d] for o in collection.outputs}
    ordered = [(baseline, lines.pop(baseline)), *lines.items()]
    reference = [t for d in collection.testset.documents for t in d.references["ref"]]
    metrics = {"bleu": BLEU(references=[reference]), "chrf": CHRF(references=[reference])}
    test = PairedTest(ordered, metrics, references=None, test_type=kind, n_samples=samples)
    _, results = test()
    names = results.pop("System")
    return {
        (metric, name.removeprefix("Baseline: ")): result.p_value
        for (metric, column) in zip(metrics, results.values(), strict=True)
        for name, result in zip(names, column, strict=True)
        if result.p_value is not None
    }


@pytest.mark.parametrize(("test", "kind"), [("bootstrap", "bs"), ("randomisation", "ar")])
@pytest.mark.parametrize("baseline", ["best", "fair"])
def test_p_values_agree_with_sacrebleu(
    collection: Collection, table: ScoreTable, test: str, kind: str, baseline: str
) -> None:
    samples = 2000
    settings = Settings(test=test, blocks="segments", resamples=samples)  # type: ignore[arg-type]
    ours = {c.metric.name: c for c in compare(table, ["bleu", "chrf"], settings)}
    theirs = sacrebleu_p_values(collection, baseline, kind, samples)
    assert len(theirs) == 6
    for (metric, system), p in theirs.items():
        spread = 5 * np.sqrt(max(p * (1 - p), 1 / samples) / samples)
        assert ours[metric].pair(baseline, system).p == pytest.approx(p, abs=spread)


def test_the_ranking_and_its_clusters(table: ScoreTable) -> None:
    for comparison in compare(table):
        assert [standing.system for standing in comparison.standings] == list(NOISE)
        clusters = [standing.cluster for standing in comparison.standings]
        assert clusters[0] == 1
        assert clusters[3] == max(c for c in clusters if c is not None)
        assert clusters == sorted(clusters)  # type: ignore[type-var]
        for standing in comparison.standings:
            low, high = standing.interval or (0, 0)
            assert standing.score is not None
            assert low < standing.score < high


def test_documents_as_blocks_equal_a_plain_loop(table: ScoreTable) -> None:
    """The bootstrap, drawn block by block with sacrebleu's own scoring."""
    settings = Settings(resamples=60, seed=3)
    (comparison,) = compare(table, ["bleu"], settings)
    scorer = BLEU()
    rng = np.random.default_rng(3)
    drawn = rng.integers(24, size=(60, 24))
    sums = {
        system: [
            sum(table["bleu", system].documents[b].measurement.statistics for b in row)
            for row in drawn
        ]
        for system in ("best", "poor")
    }
    scores = {
        system: np.array([scorer._compute_score_from_stats(s.tolist()).score for s in rows])
        for system, rows in sums.items()
    }
    standing = {s.system: s for s in comparison.standings}["best"]
    assert standing.interval == pytest.approx(tuple(np.quantile(scores["best"], [0.025, 0.975])))
    test = comparison.pair("best", "poor")
    differences = np.abs(scores["best"] - scores["poor"])
    above = np.count_nonzero(differences - differences.mean() > test.difference)
    assert test.p == (above + 1) / 61
    assert test.blocks == 24


def test_the_seed_decides(table: ScoreTable) -> None:
    assert compare(table, ["chrf"]) == compare(table, ["chrf"])
    other = compare(table, ["chrf"], Settings(seed=1))
    assert other[0].standings[0].interval != compare(table, ["chrf"])[0].standings[0].interval


def test_pairs_are_compared_on_what_both_have(collection: Collection) -> None:
    """A system that lacks its hardest segments gains nothing by it in a pair."""
    full = collection.outputs[0]
    holes = SystemOutput("holes", {d: (None, *lines[1:]) for d, lines in full.documents.items()})
    table = evaluate(replace(collection, outputs=(full, holes)), ["bleu", "ter"])
    for settings in (Settings(), Settings(test="randomisation"), Settings(blocks="segments")):
        for comparison in compare(table, settings=settings):
            test = comparison.pair("best", "holes")
            assert test.difference == 0.0
            assert {s.cluster for s in comparison.standings} == {1}
            by_name = {s.system: s for s in comparison.standings}
            assert by_name["holes"].scored == by_name["best"].scored - 24


def test_nothing_in_common_is_not_a_result(collection: Collection) -> None:
    ids = list(collection.outputs[0].documents)
    halves = [
        SystemOutput(
            name,
            {
                d: lines if (i % 2 == parity) else (None,) * len(lines)
                for i, (d, lines) in enumerate(collection.outputs[0].documents.items())
            },
        )
        for parity, name in enumerate(("even", "odd"))
    ]
    never = SystemOutput("never", {d: (None,) * len(collection.testset.document(d)) for d in ids})
    table = evaluate(replace(collection, outputs=(*halves, never)), ["chrf"])
    (comparison,) = compare(table)
    test = comparison.pair("even", "odd")
    assert (test.difference, test.p, test.blocks) == (None, None, 0)
    last = comparison.standings[-1]
    assert (last.system, last.score, last.interval, last.cluster) == ("never", None, None, None)
    with pytest.raises(InputError, match="were not compared"):
        comparison.pair("even", "never")


def test_people_are_not_ranked_among_systems(collection: Collection) -> None:
    human = replace(collection.outputs[1], name="person", human=True)
    table = evaluate(replace(collection, outputs=(*collection.outputs, human)), ["bleu"])
    (comparison,) = compare(table)
    person = next(s for s in comparison.standings if s.system == "person")
    assert person.human
    assert person.cluster is None
    assert person.interval is not None
    assert comparison.pair("person", "poor").p is not None


def mean_table(values: dict[str, list[float]]) -> ScoreTable:
    """Scores of a metric that sees documents only: no statistics of segments."""
    rows = tuple(
        SystemScore(
            "bleu",
            system,
            1.0,
            tuple(
                DocumentScore(f"d{i}", v, Measurement(np.full(10, v), 1, 1))
                for i, v in enumerate(numbers)
            ),
        )
        for system, numbers in values.items()
    )
    provenance = Provenance("t", None, None, (), "0", "2026-01-01T00:00:00+00:00", "0")
    return ScoreTable(provenance, (MetricInfo("bleu", "bleu"),), rows)


def test_metrics_of_documents_alone_cannot_be_compared_by_segments() -> None:
    table = mean_table({"a": [1, 2, 3], "b": [3, 2, 1]})
    assert len(compare(table)[0].pairs) == 1
    with pytest.raises(InputError, match="compare by documents"):
        compare(table, settings=Settings(blocks="segments"))


@pytest.mark.parametrize(
    "fields", [{"resamples": 0}, {"confidence": 1.0}, {"alpha": 0.0}, {"confidence": 95}]
)
def test_impossible_settings_are_refused(fields: dict[str, float]) -> None:
    with pytest.raises(InputError):
        Settings(**fields)  # type: ignore[arg-type]


def test_an_unknown_metric_is_refused(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="it has: bleu, chrf, ter"):
        compare(table, ["meteor"])
    assert isinstance(compare(table, ["ter"])[0], Comparison)
