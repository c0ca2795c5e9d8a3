"""Comparison: agreement with sacrebleu, documents as blocks, missing scores, people apart."""

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest

from isogloss.comparison import Blocks, Comparison, ComparisonSettings, Test, compare
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


@pytest.mark.parametrize(("test", "kind"), [("sacrebleu", "bs"), ("randomisation", "ar")])
@pytest.mark.parametrize("baseline", ["best", "fair"])
def test_p_values_agree_with_sacrebleu(
    collection: Collection, table: ScoreTable, test: str, kind: str, baseline: str
) -> None:
    samples = 2000
    settings = ComparisonSettings(test=test, blocks="segments", resamples=samples)  # type: ignore[arg-type]
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


def corpus_bleu(statistics: Iterable[np.ndarray]) -> float:
    """sacrebleu's own score of summed statistics."""
    return BLEU()._compute_score_from_stats(np.sum(list(statistics), axis=0).tolist()).score


def statistics_of(table: ScoreTable, system: str) -> list[np.ndarray]:
    return [document.measurement.statistics for document in table["bleu", system].documents]


def test_sacrebleus_test_over_documents_equals_a_plain_loop(table: ScoreTable) -> None:
    """Its bootstrap, drawn block by block with its own scoring."""
    (comparison,) = compare(
        table, ["bleu"], ComparisonSettings(test="sacrebleu", resamples=60, seed=3)
    )
    drawn = np.random.default_rng(3).integers(24, size=(60, 24))
    scores = {
        system: np.array(
            [corpus_bleu(statistics_of(table, system)[block] for block in row) for row in drawn]
        )
        for system in ("best", "poor")
    }
    test = comparison.pair("best", "poor")
    differences = np.abs(scores["best"] - scores["poor"])
    above = np.count_nonzero(differences - differences.mean() > test.difference)
    assert test.p == (above + 1) / 61
    assert test.blocks == 24


def test_randomisation_of_few_documents_equals_a_plain_loop(collection: Collection) -> None:
    """Every way to swap six documents, scored by sacrebleu itself."""
    few = evaluate(first_documents(collection, 6), ["bleu"])
    (comparison,) = compare(few, ["bleu"])
    one, other = statistics_of(few, "best"), statistics_of(few, "good")
    mixed = [
        corpus_bleu(b if swap else a for a, b, swap in zip(one, other, way, strict=True))
        - corpus_bleu(a if swap else b for a, b, swap in zip(one, other, way, strict=True))
        for way in product((False, True), repeat=6)
    ]
    test = comparison.pair("best", "good")
    assert test.difference is not None
    reached = [abs(each) >= abs(test.difference) - 1e-9 for each in mixed]
    assert test.p == sum(reached) / 64


def test_intervals_equal_a_plain_loop(table: ScoreTable) -> None:
    """Leave-one-out scores by sacrebleu, resampled one by one."""
    (comparison,) = compare(table, ["bleu"], ComparisonSettings(resamples=199, seed=3))
    rows = statistics_of(table, "best")
    whole = corpus_bleu(rows)
    values = np.array([24 * whole - 23 * corpus_bleu(rows[:i] + rows[i + 1 :]) for i in range(24)])
    error = values.std(ddof=1) / np.sqrt(24)
    drawn = values[np.random.default_rng(3).integers(24, size=(199, 24))]
    errors = drawn.std(axis=1, ddof=1) / np.sqrt(24)
    distances = np.sort(np.abs(drawn.mean(axis=1) - values.mean()) / errors)
    reach = distances[189] * error  # the 190th of 199: 95 % of 200
    standing = {s.system: s for s in comparison.standings}["best"]
    assert standing.interval == pytest.approx((whole - reach, whole + reach))


def first_documents(collection: Collection, count: int) -> Collection:
    documents = collection.testset.documents[:count]
    outputs = tuple(
        replace(output, documents={d.id: output.documents[d.id] for d in documents})
        for output in collection.outputs
    )
    return Collection(replace(collection.testset, documents=documents), outputs)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("blocks", ["documents", "segments"])
def test_equal_outputs_are_never_told_apart(
    collection: Collection, test: Test, blocks: Blocks
) -> None:
    twin = replace(collection.outputs[0], name="twin")
    twins = replace(collection, outputs=(collection.outputs[0], twin))
    for comparison in compare(
        evaluate(twins, ["bleu", "chrf", "ter"]),
        settings=ComparisonSettings(test=test, blocks=blocks),
    ):
        (pair,) = comparison.pairs
        assert (pair.difference, pair.p, pair.corrected_p) == (0.0, 1.0, 1.0)
        assert not comparison.is_real(pair)
        assert {standing.cluster for standing in comparison.standings} == {1}


@pytest.mark.parametrize(
    ("count", "smallest"), [(1, 1.0), (2, 0.5), (3, 0.25), (4, 0.125), (5, 0.0625)]
)
def test_few_documents_decide_nothing_and_say_so(
    collection: Collection, count: int, smallest: float
) -> None:
    few = evaluate(first_documents(collection, count), ["bleu"])
    (comparison,) = compare(few, settings=ComparisonSettings(correction=None))
    assert comparison.pair("best", "poor").p == smallest
    assert {standing.cluster for standing in comparison.standings} == {1}
    noun = "document" if count == 1 else "documents"
    assert comparison.limits() == (
        f"{count} {noun}: no difference can be significant at 5%; score at least 6 documents",
    )
    has_interval = [standing.interval is not None for standing in comparison.standings]
    assert all(has_interval) if count > 3 else not any(has_interval)


def test_six_documents_must_all_agree(collection: Collection) -> None:
    few = first_documents(collection, 6)
    two = replace(few, outputs=(few.outputs[0], few.outputs[3]))
    (comparison,) = compare(evaluate(two, ["bleu"]))
    (limit,) = comparison.limits()
    assert limit == (
        "6 documents: only a difference that all of them share can be significant at 5%; "
        "score more of them"
    )
    assert comparison.pair("best", "poor").p == 2 / 2**6


def test_many_pairs_need_more_documents(collection: Collection) -> None:
    """Six pairs of four systems: seven documents decide a pair, but not six of them."""
    few = evaluate(first_documents(collection, 7), ["bleu"])
    (comparison,) = compare(few)
    assert comparison.pair("best", "poor").p == 2 / 2**7
    assert not any(comparison.is_real(pair) for pair in comparison.pairs)
    (limit,) = comparison.limits()
    assert "7 documents and 6 pairs of systems" in limit
    (alone,) = compare(few, settings=ComparisonSettings(correction=None))
    assert alone.is_real(alone.pair("best", "poor"))
    assert alone.limits() == ()


def test_too_few_draws_for_all_pairs_are_told(table: ScoreTable) -> None:
    (comparison,) = compare(table, ["bleu"], ComparisonSettings(resamples=100))
    (limit,) = comparison.limits()
    assert limit.endswith("compare fewer systems, or draw more often")


def test_p_values_are_corrected_after_holm(table: ScoreTable) -> None:
    (comparison,) = compare(table, ["chrf"])
    ordered = sorted(comparison.pairs, key=lambda pair: pair.p or 0.0)
    highest = 0.0
    for position, pair in enumerate(ordered):
        assert pair.p is not None
        highest = max(highest, min(1.0, pair.p * (len(ordered) - position)))
        assert pair.corrected_p == pytest.approx(highest)
    (alone,) = compare(table, ["chrf"], ComparisonSettings(correction=None))
    assert all(pair.corrected_p == pair.p for pair in alone.pairs)


def test_a_difference_has_an_interval(table: ScoreTable) -> None:
    """The studentised bootstrap calls a difference real where its interval leaves 0 out."""
    settings = ComparisonSettings(test="bootstrap", correction=None)
    decided = set()
    for comparison in compare(table, settings=settings):
        for pair in comparison.pairs:
            low, high = pair.interval or (0.0, 0.0)
            assert pair.difference is not None
            assert low < pair.difference < high
            assert comparison.is_real(pair) == (not low <= 0 <= high)
            decided.add(comparison.is_real(pair))
    assert decided == {True, False}


def test_sacrebleus_test_says_what_it_is_for(table: ScoreTable) -> None:
    (comparison,) = compare(table, ["bleu"], ComparisonSettings(test="sacrebleu"))
    (limit,) = comparison.limits()
    assert "thousands of segments" in limit


def test_the_seed_decides(table: ScoreTable) -> None:
    assert compare(table, ["chrf"]) == compare(table, ["chrf"])
    other = compare(table, ["chrf"], ComparisonSettings(seed=1))
    assert other[0].standings[0].interval != compare(table, ["chrf"])[0].standings[0].interval


def test_pairs_are_compared_on_what_both_have(collection: Collection) -> None:
    """A system that lacks its hardest segments gains nothing by it in a pair."""
    full = collection.outputs[0]
    holes = SystemOutput("holes", {d: (None, *lines[1:]) for d, lines in full.documents.items()})
    table = evaluate(replace(collection, outputs=(full, holes)), ["bleu", "ter"])
    for settings in (
        ComparisonSettings(),
        ComparisonSettings(test="bootstrap"),
        ComparisonSettings(blocks="segments"),
    ):
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
        compare(table, settings=ComparisonSettings(blocks="segments"))


@pytest.mark.parametrize(
    "fields",
    [{"resamples": 0}, {"test": "t"}, {"confidence": 1.0}, {"alpha": 0.0}, {"confidence": 95}],
)
def test_impossible_settings_are_refused(fields: dict[str, float]) -> None:
    with pytest.raises(InputError):
        ComparisonSettings(**fields)  # type: ignore[arg-type]


def test_an_unknown_metric_is_refused(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="it has: bleu, chrf, ter"):
        compare(table, ["meteor"])
    assert isinstance(compare(table, ["ter"])[0], Comparison)
