"""Tasks carried out: golden values of WMT23, averages, several test sets, nothing undefined."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.cli.metaeval_tables import ceiling_grid
from isogloss.documents import Document, TestSet
from isogloss.errors import InputError
from isogloss.formats import read_collection, read_judgements, wmt_tables
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import (
    Average,
    Differences,
    Judged,
    JudgingSettings,
    Statistic,
    Study,
    Task,
    Value,
    judge,
    load_task,
    study_of,
)
from isogloss.metaeval.left_out import Resampling
from isogloss.metaeval.study import Level
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)
from isogloss.verdicts import Studentised

QUICK = JudgingSettings(resamples=50, draws=50)


@pytest.fixture(scope="module")
def wmt23(shared_data: Path) -> Study:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = read_collection(folder)
    judgements = read_judgements(folder, collection, "mqm")
    return study_of([wmt_tables.read_metric_scores(folder, collection)], judgements, collection)


def values(judged: Judged, metric: str) -> list[float | None]:
    return [f.value for c in judged.columns for f in c.findings if f.metric == metric]


@pytest.mark.parametrize(
    ("metric", "system_r", "segment_r", "acc"),
    [
        ("XCOMET-Ensemble-refA", 0.980, 0.695, 0.604),
        ("MetricX-23-refA", 0.977, 0.585, 0.603),
        ("COMET-refA", 0.990, 0.432, 0.574),
        ("BERTscore-refA", 0.891, 0.325, 0.528),
        ("prismRef-refA", 0.920, 0.516, 0.518),
        ("BLEU-refA", 0.917, 0.192, 0.520),
        ("chrF-refA", 0.866, 0.232, 0.519),
        ("prismSrc-src", -0.327, 0.425, 0.426),
    ],
)
def test_wmt23_golden_values(
    wmt23: Study, metric: str, system_r: float, segment_r: float, acc: float
) -> None:
    judged = judge([wmt23], load_task("wmt23"), JudgingSettings(resamples=2, draws=0))
    _, system, segment, accuracy = values(judged, metric)
    assert system == pytest.approx(system_r, abs=1e-3)
    assert segment == pytest.approx(segment_r, abs=1e-3)
    assert accuracy == pytest.approx(acc, abs=1e-3)


def test_wmt23_is_ranked_with_intervals(wmt23: Study) -> None:
    judged = judge([wmt23], load_task("overview"), QUICK)
    assert judged.metrics[0] == "XCOMET-Ensemble-refA"
    by_segment = judged.columns[0]
    ranks = {f.metric: f.rank for f in by_segment.findings}
    assert ranks["XCOMET-Ensemble-refA"] == 1
    assert ranks["eBLEU-refA"] == max(r for r in ranks.values() if r is not None)
    for finding in by_segment.findings:
        assert finding.interval.low is not None
        assert finding.value is not None
        assert finding.interval.low < finding.value < (finding.interval.high or 0)
    assert judged.columns[1].findings[0].baseline == pytest.approx(0.232, abs=1e-3)


def made(
    name: str,
    seed: int,
    systems: int = 5,
    noise: float = 0.3,
    annotators: int = 0,
    scale: float = 1.0,
) -> Study:
    """A study in which `good` follows people closely, `poor` hardly, and `flat` says nothing.

    With `annotators` each of them adds a little noise of their own.
    """
    rng = np.random.default_rng(seed)
    documents = tuple(Document(f"{name}-{i}", ("x", "y", "z"), domain="d") for i in range(12))
    testset = TestSet(name, "en", "de", documents)
    truth = rng.normal(size=(systems, 12, 3)) + np.arange(systems)[:, None, None] * 0.4
    truth *= scale
    items, rows = [], []
    makers = {
        "good": lambda t: t + noise * scale * rng.normal(size=t.shape),
        "poor": lambda t: t + 5 * scale * rng.normal(size=t.shape),
        "flat": np.ones_like,
    }

    def errors() -> list[tuple[str | None, float]]:
        named = [(f"person-{a}", 0.1 * rng.normal()) for a in range(annotators)]
        return named or [(None, 0.0)]

    for s in range(systems):
        for d, document in enumerate(documents):
            items += [
                Judgement(f"s{s}", document.id, i, score=float(truth[s, d, i] + error), annotator=a)
                for i in range(3)
                for a, error in errors()
            ]
        for metric, make in makers.items():
            scores = make(truth[s])
            found = tuple(
                DocumentScore(
                    document.id,
                    float(scores[d].mean()),
                    Measurement(np.zeros(1), 3, 3, None, tuple(map(float, scores[d]))),
                    "d",
                )
                for d, document in enumerate(documents)
            )
            rows.append(SystemScore(metric, f"s{s}", float(scores.mean()), found))
    infos = tuple(MetricInfo(metric, metric) for metric in makers)
    table = ScoreTable(Provenance(name, "en", "de", (), "0", "", "0"), infos, tuple(rows))
    return study_of([table], Judgements("da", tuple(items)), testset)


@pytest.mark.parametrize("task", ["overview", "wmt22", "wmt23", "wmt24"])
def test_a_good_metric_wins_and_a_flat_one_has_no_correlation(task: str) -> None:
    judged = judge([made("a", 1)], load_task(task), QUICK)
    assert judged.metrics[0] == "good"
    for column in judged.columns:
        by_name = {f.metric: f for f in column.findings}
        good, poor = by_name["good"].value, by_name["poor"].value
        assert good is not None
        assert poor is not None
        assert good >= poor
        flat = by_name["flat"].interval.value
        assert flat.value is None or "accuracy" in column.statistic.name or flat.value <= good
        if flat.value is None:
            assert flat.reason


def test_accuracies_are_pooled_over_test_sets() -> None:
    studies = [made("a", 1), made("b", 2, systems=4)]
    judged = judge(studies, load_task("wmt23"), QUICK)
    assert [column.testset for column in judged.columns] == ["all", "a", "b", "a", "b", "a", "b"]
    pooled = next(f for f in judged.columns[0].findings if f.metric == "good")
    assert pooled.interval.value.count == 10 + 6
    weights = [column.statistic.weight for column in judged.columns]
    assert weights == [2, 1, 1, 1, 1, 1, 1]
    parts = [
        column.statistic.in_average(value)
        for column, value in zip(judged.columns, values(judged, "good"), strict=True)
        if value is not None
    ]
    assert judged.averages["good"] == pytest.approx(np.average(parts, weights=weights))


def test_system_scores_that_are_means_get_intervals_over_documents() -> None:
    judged = judge([made("a", 1)], load_task("wmt23"), QUICK)
    accuracy, correlation = (
        next(f for f in column.findings if f.metric == "poor") for column in judged.columns[:2]
    )
    assert accuracy.interval.blocks == correlation.interval.blocks == 12
    assert correlation.interval.low is not None
    assert accuracy.interval.low is None, "no document turns a pair of systems around"


def test_an_average_of_one_statistic_is_as_sure_as_the_statistic() -> None:
    task = Task("t", "", (Statistic("segment", "tau-b", "item"),))
    judged = judge([made("a", 1)], task, QUICK)
    for finding in judged.columns[0].findings:
        average = judged.standing[finding.metric]
        if finding.value is None:
            assert (average.value, average.low, average.rank) == (None, None, None)
            continue
        ends = [finding.value, finding.interval.low, finding.interval.high]
        mapped = [(end + 1) / 2 for end in ends if end is not None]
        assert [average.value, average.low, average.high] == pytest.approx(mapped)


def test_averages_over_test_sets_are_surer_and_ranked() -> None:
    task = Task("t", "", (Statistic("segment", "tau-b", "item"), Statistic("segment", "pearson")))
    studies = [made("a", 1), made("b", 2)]
    both = judge(studies, task, QUICK).standing
    alone = [judge([study], task, QUICK).standing["good"] for study in studies]

    def width(average: Average) -> float:
        assert average.low is not None
        assert average.high is not None
        return average.high - average.low

    assert width(both["good"]) < min(map(width, alone))
    assert both["good"].rank == 1
    assert (both["poor"].rank or 0) > 1
    untested = judge(studies, task, JudgingSettings(resamples=50, draws=0)).standing
    assert untested["good"].rank is None
    assert untested["good"].low is not None


def test_corrections_only_raise_p_values() -> None:
    task = Task("t", "", (Statistic("segment", "tau-b", "item"),))
    plain = judge([made("a", 1)], task, QUICK).columns[0].significance
    holm = judge([made("a", 1)], task, JudgingSettings(resamples=50, draws=50, correction="holm"))
    corrected = holm.columns[0].significance
    assert plain is not None
    assert corrected is not None
    for pair, test in plain.tests.items():
        adjusted = corrected.tests[pair].p
        assert test.p is None or (adjusted is not None and adjusted >= test.p)


def test_impossible_settings_and_nothing_to_judge() -> None:
    with pytest.raises(InputError, match="there is no test set"):
        judge([], load_task("wmt23"))
    for fields in ({"resamples": 0}, {"draws": -1}, {"alpha": 2.0}):
        with pytest.raises(InputError):
            JudgingSettings(**fields)  # type: ignore[arg-type]


def test_large_differences_are_seen_by_people() -> None:
    study = made("a", 1, noise=1.0)
    found = Differences.of(study.at("segment"), "good")
    bins = found.bins(4)
    assert sum(b.pairs for b in bins) == 10 * 36
    assert bins[0].same < bins[-1].same
    for preference in (*bins, found.near(1.0)):
        assert preference.same + preference.tied + preference.opposite == pytest.approx(1.0)
    assert found.near(1e9).high == bins[-1].high
    with pytest.raises(InputError, match="0 or more"):
        found.near(-1)
    with pytest.raises(InputError, match="there are: good, poor, flat"):
        Differences.of(study.at("segment"), "other")


def test_differences_equal_a_plain_count() -> None:
    matched = made("a", 3).at("document")
    found = Differences.of(matched, "poor")
    same = pairs = 0
    scores = matched.metrics["poor"]
    for item in range(scores.shape[1]):
        for i in range(5):
            for j in range(i):
                pairs += 1
                metric = np.sign(scores[i, item] - scores[j, item])
                same += metric == np.sign(matched.human[i, item] - matched.human[j, item])
    (whole,) = found.bins(1, with_intervals=True)
    assert (whole.pairs, whole.same) == (pairs, pytest.approx(same / pairs))
    low, high = whole.interval or (0.0, 0.0)
    assert 0 <= low < whole.same < high <= 1
    assert Differences.of(made("a", 3).at("system"), "poor").near(1.0).interval is None


def one(level: str, name: str, grouping: str = "none", **options: bool) -> Task:
    return Task("one", "", (Statistic(level, name, grouping, **options),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("level", "name"),
    [
        ("system", "pairwise-accuracy"),
        ("segment", "soft-pairwise-accuracy"),
        ("system", "pearson"),
        ("segment", "darr"),
    ],
)
def test_statistics_without_a_permutation_test_are_tested_by_bootstrap(
    level: str, name: str
) -> None:
    study = made("a", 3, systems=8, scale=30.0 if name == "darr" else 1.0)
    (column,) = judge([study], one(level, name), JudgingSettings(resamples=200)).columns
    found = {finding.metric: finding for finding in column.findings}
    good, poor = found["good"].interval.jackknife, found["poor"].interval.jackknife
    assert good is not None
    assert poor is not None
    assert column.significance is not None
    test = column.significance.tests["good", "poor"]
    drawn = Studentised.of((good - poor)[:, None], 200, JudgingSettings().seed)
    assert test.p == drawn.one_sided_p(0, test.difference or 0.0)
    assert test.difference == pytest.approx((found["good"].value or 0) - (found["poor"].value or 0))
    assert found["good"].rank == 1
    assert ((found["poor"].rank or 0) > 1) == (test.p <= 0.05)


def with_an_outlier() -> Study:
    """Six systems that people hardly tell apart, and one far below, which any metric finds."""
    testset = TestSet("far", "en", "de", (Document("d", ("x",)),))
    people = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, -9.0]
    metric = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0, -50.0]
    items = [Judgement(f"s{i}", "d", 0, score=score) for i, score in enumerate(people)]
    rows = []
    for i, score in enumerate(metric):
        document = DocumentScore("d", score, Measurement(np.zeros(1), 1, 1, None, (score,)))
        rows.append(SystemScore("m", f"s{i}", score, (document,)))
    table = ScoreTable(
        Provenance("far", "en", "de", (), "0", "", "0"), (MetricInfo("m", "m"),), tuple(rows)
    )
    return study_of([table], Judgements("da", tuple(items)), testset)


@pytest.mark.parametrize("name", ["pearson", "pairwise-accuracy"])
def test_outlying_systems_can_be_left_out(name: str) -> None:
    task = one("system", name)
    (with_all,) = values(judge([with_an_outlier()], task, QUICK), "m")
    judged = judge([with_an_outlier()], task.without_outliers(), QUICK)
    (without,) = values(judged, "m")
    assert (with_all, without) == (
        pytest.approx((0.992, -1.0), abs=1e-3) if name == "pearson" else (6 / 21, 0.0)
    )
    assert judged.notices == ("far: without outliers means without s6",)


def test_the_ceiling_is_how_people_agree_with_people() -> None:
    settings = JudgingSettings(resamples=2, draws=0, ceiling_splits=20)
    judged = judge([made("a", 4, annotators=4)], load_task("overview"), settings)
    for column in judged.columns:
        assert column.ceiling is not None
        assert column.ceiling.value.value is not None
        assert column.ceiling.value.value > 0.85
    (nobody, *_) = judge([made("a", 4)], load_task("overview"), settings).columns
    assert nobody.ceiling is not None
    assert nobody.ceiling.value.reason == "no score names its annotator"


def test_the_share_of_the_ceiling_by_hand() -> None:
    """Six translations of one segment; of two annotators, each is a half in every split."""
    anna, bert = [1.0, 3, 2, 5, 6, 4], [2.0, 3, 1, 6, 5, 4]
    metrics = {"anna": anna, "other": [3.0, 1, 2, 6, 4, 5], "reverse": [7 - x for x in anna]}
    testset = TestSet("two", "en", "de", (Document("d", ("x",)),))
    items = [
        Judgement(f"s{s}", "d", 0, score=score, annotator=name)
        for name, scores in (("anna", anna), ("bert", bert))
        for s, score in enumerate(scores)
    ]
    rows = [
        SystemScore(
            name,
            f"s{s}",
            score,
            (DocumentScore("d", score, Measurement(np.zeros(1), 1, 1, None, (score,))),),
        )
        for name, scores in metrics.items()
        for s, score in enumerate(scores)
    ]
    infos = tuple(MetricInfo(name, name) for name in metrics)
    table = ScoreTable(Provenance("two", "en", "de", (), "0", "", "0"), infos, tuple(rows))
    study = study_of([table], Judgements("da", tuple(items)), testset)
    statistics = (
        Statistic("segment", "pearson"),
        Statistic("segment", "acc-eq", "item"),
        Statistic("system", "pairwise-accuracy"),
    )
    settings = JudgingSettings(resamples=2, draws=0, ceiling_splits=5)
    columns = judge([study], Task("t", "", statistics), settings).columns
    # The annotators: r = 15.5 / 17.5; 13 of the 15 pairs of translations in the same order.
    tops = [column.ceiling.value.value for column in columns if column.ceiling]
    assert tops == pytest.approx([31 / 35, 13 / 15, 13 / 15])
    shares = {
        finding.metric: [
            share.value.value
            for column in columns
            for found in column.findings
            if found.metric == finding.metric and (share := column.share_of_ceiling(found))
        ]
        for finding in columns[0].findings
    }
    # With the mean of both, r = 16.5 / sqrt(17.5 * 16.5) and 12 / sqrt(17.5 * 16.5); of the pairs
    # 13, 10 and 0 are right. Two are ties for people, which is what acc-eq has by chance; an
    # accuracy has 7.5 by chance.
    length = (17.5 * 16.5) ** 0.5
    assert shares["anna"] == pytest.approx([16.5 / length / tops[0], 1.0, 1.0])
    assert shares["other"] == pytest.approx([12 / length / tops[0], 8 / 11, 2.5 / 5.5])
    assert shares["reverse"] == pytest.approx([-16.5 / length / tops[0], 0.0, -7.5 / 5.5])


def test_no_share_without_people_who_agree() -> None:
    settings = JudgingSettings(resamples=2, draws=0, ceiling_splits=5)
    (column,) = judge([made("a", 4, annotators=2)], one("segment", "pearson"), settings).columns
    (good, _, flat) = column.findings
    assert column.share_of_ceiling(flat) is None
    assert column.ceiling is not None
    below = replace(column.ceiling, value=Value(-0.1, 9))
    assert replace(column, ceiling=below).share_of_ceiling(good) is None
    assert replace(column, ceiling=None).share_of_ceiling(good) is None
    wavering = replace(column.ceiling, value=Value(0.1, 9), spread=(-0.2, 0.4))
    assert replace(column, ceiling=wavering).share_of_ceiling(good) is None
    held = replace(column.ceiling.interval, low=-0.1)
    unsure = replace(column.ceiling, interval=held)
    assert replace(column, ceiling=unsure).share_of_ceiling(good) is None


@pytest.mark.parametrize("level", ["segment", "document"])
def test_a_document_is_left_out_of_ceiling_and_metric_together(level: Level) -> None:
    study = made("a", 4, annotators=2)
    settings = JudgingSettings(resamples=99, draws=0, ceiling_splits=3)
    (column,) = judge([study], one(level, "pearson"), settings).columns
    good = column.findings[0]
    assert column.ceiling is not None
    assert column.ceiling.left_out is not None
    assert good.interval.jackknife is not None
    count = len(good.interval.jackknife)
    without = (count * (good.value or 0) - good.interval.jackknife) / (count - 1)
    share = column.share_of_ceiling(good, Resampling(99))
    assert share is not None
    expected = count * (share.value.value or 0) - (count - 1) * without / column.ceiling.left_out
    np.testing.assert_allclose(share.jackknife, expected)
    for document in range(count):
        (rest,) = judge([_without(study, document)], one(level, "pearson"), settings).columns
        assert rest.findings[0].value == pytest.approx(without[document])


def _without(study: Study, document: int) -> Study:
    return study.of_items(study.human.blocks != document)


def test_shares_of_several_test_sets_say_whose_they_are() -> None:
    studies = [made("a", 1, annotators=2), made("b", 2, annotators=2)]
    settings = JudgingSettings(resamples=2, draws=0, ceiling_splits=5)
    shown = ceiling_grid(judge(studies, one("segment", "pearson"), settings), studies)
    assert shown.headings == [
        *("metric", "a segment pearson", "interval", "b segment pearson", "interval"),
    ]
    assert [row[0] for row in shown.rows] == ["good", "poor", "flat"]
    assert shown.rows[2] == ["flat", "–", "", "–", ""]
