"""Contests are what people and metrics said of the same documents; quotes are curves' alone."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from isogloss.comparison import (
    Appraiser,
    ComparisonSettings,
    ContestSettings,
    compare,
    conclude,
    contests_of,
)
from isogloss.evaluation import evaluate
from isogloss.explanation import explain
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import Contests, SilentPair, WorthCurves, bundled_curves, curve_of
from isogloss.sample import load_sample
from isogloss.scores import ScoreTable


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return evaluate(load_sample("cs-en"), "bleu,chrf")


def judgements(table: ScoreTable) -> Judgements:
    """Steady is better than tangled in every segment but those of the first document."""
    items = []
    for row in table.of_metric("chrf"):
        for place, document in enumerate(row.documents):
            better = (row.system == "steady") == (place > 0)
            for segment in range(document.measurement.total):
                score = 1.0 if better else 0.0
                items.append(Judgement(row.system, document.document, segment, score=score))
    return Judgements("mqm", tuple(items))


def test_contests_are_of_the_same_documents(table: ScoreTable) -> None:
    testset = load_sample("cs-en").testset
    settings = ContestSettings(sizes=(1,), draws=60)
    found = contests_of([table], judgements(table), testset, settings)
    assert set(found) == {"bleu", "chrf"}
    chrf = found["chrf"]
    assert set(chrf.documents) == {1.0, float(len(testset.documents))}
    whole = chrf.documents == len(testset.documents)
    scores = {row.system: row.score for row in table.of_metric("chrf")}
    systems = table.systems
    expected = scores[systems[0]] - scores[systems[1]]
    assert chrf.difference[whole][0] == pytest.approx(expected)
    by_document = {
        row.system: [each.score for each in row.documents] for row in table.of_metric("chrf")
    }
    first, second = (np.array(by_document[name]) for name in systems[:2])
    assert set(np.round(chrf.difference[~whole], 6)) <= {
        round(float(each), 6)
        for one in by_document.values()
        for other in by_document.values()
        for each in np.subtract(one, other)
    }
    assert chrf.ahead[whole][0] == pytest.approx(((1 + np.sign(first - second)) / 2).mean())
    assert chrf.languages == ("cs", "en")


@pytest.fixture(scope="module")
def curves(table: ScoreTable) -> WorthCurves:
    """Of chrF as it scored the sample; test sets are made."""
    signature = table.metric("chrf").signature

    def made(seed: int) -> Contests:
        rng = np.random.default_rng(seed)
        lead = rng.normal(scale=20, size=200)
        liked = (rng.random(200) < 1 / (1 + np.exp(-lead / 10))).astype(float)
        nothing = np.full(200, np.nan)
        size = rng.choice([3.0, 9.0], size=200)
        return Contests(f"s{seed}", ("cs", "en"), signature, lead, size, nothing, nothing, liked)

    return WorthCurves((curve_of([made(seed) for seed in range(6)], "chrf", "system", "mqm"),))


def test_the_verdict_quotes_a_curve_of_these_scores(table: ScoreTable, curves: WorthCurves) -> None:
    found = conclude(compare(table), appraiser=Appraiser.of(table, curves))
    assert found is not None
    assert found.worth is not None
    assert found.worth.worth.probability > 0.5
    assert f"people would prefer {found.worth.first} to" in found.sentence
    assert str(found.worth.worth) in found.sentence
    by_segment = compare(table, settings=ComparisonSettings(blocks="segments", resamples=100))
    assert conclude(by_segment, appraiser=Appraiser.of(table, curves)).worth is None
    unlike = replace(curves.curves[0], signatures=("chrf|nrefs:9",))
    silent = conclude(compare(table), appraiser=Appraiser.of(table, WorthCurves((unlike,))))
    assert silent is not None
    assert silent.worth is None


def test_where_curves_are_no_better_than_a_coin_the_verdict_says_so(
    table: ScoreTable, curves: WorthCurves
) -> None:
    comparisons = compare(table)
    other_way = replace(curves, silent=(SilentPair("en", "cs", 3, 0.75),))
    for unlike in (("cs", "en"), ("en", None), (None, None)):
        assert Appraiser(other_way, unlike).silence(comparisons) is None
    assert Appraiser(other_way, ("eng", "cs_CZ")).silence(comparisons)  # otherwise written
    assert Appraiser.of(table, other_way).silence(comparisons) is None
    assert conclude(comparisons, appraiser=Appraiser.of(table, other_way)).worth is not None
    silent = replace(curves, silent=(SilentPair("cs", "en", 3, 0.75),))
    appraiser = Appraiser.of(table, silent)
    reason = "from cs into en such curves were no better than a coin on unseen test sets"
    found = conclude(comparisons, appraiser=appraiser)
    assert found.worth is None
    assert found.sentence.count(reason) == 1
    assert "probability" not in found.sentence
    for first, second in permutations(table.systems, 2):
        assert appraiser.best(comparisons, first, second) is None
        assert all(appraiser.under(c, comparisons, first, second) is None for c in comparisons)
    explained = explain(table, "steady", "tangled", "chrf", appraiser=appraiser)
    assert explained.worth is None
    assert explained.clauses[1].text == (
        f"How likely people would prefer steady is not said: {reason}."
    )
    # Of scores that no curve knows nothing would have been said anywhere.
    by_segment = compare(table, settings=ComparisonSettings(blocks="segments", resamples=100))
    assert reason not in conclude(by_segment, appraiser=appraiser).sentence
    assert (
        "not said" not in explain(table, "steady", "tangled", "bleu", appraiser=appraiser).summary
    )


def test_the_curves_that_come_along_are_silent_between_english_and_chinese() -> None:
    outspoken = replace(bundled_curves(), silent=())
    for pair in ("cs-en", "zh-en"):
        sample = load_sample(pair).with_systems(["steady", "tangled"])
        two = sample.with_references(sample.testset.reference_names[:1])
        scored = evaluate(two, "bleu,chrf")
        comparisons = compare(scored)
        found = conclude(comparisons, appraiser=Appraiser.of(scored))
        assert conclude(comparisons, appraiser=Appraiser.of(scored, outspoken)).worth is not None
        assert (found.worth is None) == (pair == "zh-en")
        no_better = "from zh into en such curves were no better than a coin" in found.sentence
        assert no_better == (pair == "zh-en")
    pairs = {(each.source, each.target) for each in bundled_curves().silent}
    assert {("en", "zh"), ("zh", "en")} <= pairs
    assert ("en", "de") not in pairs


def test_both_directions_of_a_pair_agree(table: ScoreTable, curves: WorthCurves) -> None:
    comparisons = compare(table)
    appraiser = Appraiser.of(table, curves)
    one, other = table.systems[:2]
    forth = appraiser.best(comparisons, one, other)
    back = appraiser.best(comparisons, other, one)
    assert forth is not None
    assert back is not None
    assert forth.turned().probability == pytest.approx(back.probability)


def test_explain_quotes_it_unless_people_judged(table: ScoreTable, curves: WorthCurves) -> None:
    appraiser = Appraiser.of(table, curves)
    found = explain(table, "steady", "tangled", "chrf", appraiser=appraiser)
    assert "People would prefer steady with probability" in found.clauses[1].text
    other = explain(table, "tangled", "steady", "chrf", appraiser=appraiser)
    assert found.clauses[1] == other.clauses[1]
    collection = load_sample("cs-en")
    told = judgements(table)
    judged = explain(
        table,
        "steady",
        "tangled",
        "chrf",
        collection=collection,
        judgements=told,
        appraiser=appraiser,
    )
    assert judged.worth is None
