"""The best systems, and parts of the items: against scipy, plain loops, WMT23, and by hand."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from isogloss.documents import Document, TestSet
from isogloss.errors import InputError
from isogloss.formats import read_collection, read_judgements, wmt_tables
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import (
    JudgingSettings,
    Slices,
    Statistic,
    Study,
    Task,
    by_slices,
    study_of,
    top_systems,
)
from isogloss.metaeval.slices import PartOfItems, by_distance, parts_of
from isogloss.report import slices_plot
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)
from metaeval import slow_statistics as slow

QUICK = JudgingSettings(resamples=20, draws=0)
LENGTHS = {"news": (1, 2, 3, 4), "talks": (3, 5, 6, 9)}
SYSTEMS = 6


def made(seed: int = 0, lacking: str | None = None) -> Study:
    """Eight documents of two domains; `m` follows people from afar, and `d` scores documents."""
    rng = np.random.default_rng(seed)
    documents = tuple(
        Document(f"{domain}-{n}", ("x",) * n, domain=domain)
        for domain, lengths in LENGTHS.items()
        for n in lengths
    )
    testset, items, rows = TestSet("made", "en", "de", documents), [], []
    for s in range(SYSTEMS):
        found: dict[str, list[DocumentScore]] = {"m": [], "d": []}
        for document in documents:
            people = np.round(rng.normal(size=len(document)) + 0.2 * (s % 4), 1)
            scores = tuple((people + rng.normal(size=len(document))).tolist())
            items += [
                Judgement(f"s{s}", document.id, i, score=float(score))
                for i, score in enumerate(people)
            ]
            for name, of_segments in (("m", scores), ("d", None)):
                measured = Measurement(np.zeros(1), len(document), len(document), None, of_segments)
                found[name].append(DocumentScore(document.id, float(np.mean(scores)), measured))
        rows += [
            SystemScore(name, f"s{s}", float(np.mean([d.score for d in each])), tuple(each))
            for name, each in found.items()
            if (name, f"s{s}") != ("d", lacking)
        ]
    infos = (MetricInfo("m", "m"), MetricInfo("d", "d"))
    table = ScoreTable(Provenance("made", "en", "de", (), "0", "", "0"), infos, tuple(rows))
    return study_of([table], Judgements("da", tuple(items)), testset)


def task(*statistics: Statistic) -> Task:
    return Task("t", "", statistics)


def values(slices: Slices, metric: str) -> dict[str, float | None]:
    return {
        part.name: finding.value
        for part in slices.slices
        for finding in part.column.findings
        if finding.metric == metric
    }


def reasons(slices: Slices, metric: str) -> dict[str, str | None]:
    return {
        part.name: finding.interval.value.reason
        for part in slices.slices
        for finding in part.column.findings
        if finding.metric == metric
    }


# --- the best systems ----------------------------------------------------------------------------


def test_the_best_systems_of_wmt23_by_scipy(shared_data: Path) -> None:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = read_collection(folder)
    table = wmt_tables.read_metric_scores(folder, collection)
    judgements = read_judgements(folder, collection, "mqm")
    study = study_of([table], judgements, collection)
    pearson, accuracy = top_systems(
        study, task(Statistic("system", "pearson"), Statistic("system", "pairwise-accuracy")), QUICK
    )
    # By hand: a system's MQM is the mean of its judged segments.
    sums: dict[str, list[float]] = {}
    for judgement in judgements.items:
        if judgement.score is not None and not judgement.human:
            sums.setdefault(judgement.system, []).append(judgement.score)
    people = {system: float(np.mean(scores)) for system, scores in sums.items()}
    ranked = sorted(people, key=people.__getitem__, reverse=True)
    assert len(ranked) == 12
    for metric in ("COMET-refA", "BLEU-refA", "chrF-refA", "XCOMET-Ensemble-refA"):
        assert [*values(pearson, metric)] == [str(n) for n in range(4, 13)]
        for n in range(4, 13):
            ours = {system: table[metric, system].score or 0.0 for system in ranked[:n]}
            r = stats.pearsonr([people[s] for s in ours], [*ours.values()])[0]
            assert values(pearson, metric)[str(n)] == pytest.approx(r, abs=1e-9)
            right = np.mean([ours[a] > ours[b] for a, b in combinations(ranked[:n], 2)])
            assert values(accuracy, metric)[str(n)] == pytest.approx(right, abs=1e-9)
    assert values(pearson, "COMET-refA")["4"] == pytest.approx(0.887, abs=5e-4)
    assert values(pearson, "chrF-refA")["9"] == pytest.approx(0.583, abs=5e-4)


def test_the_best_systems_are_told_from_four_on() -> None:
    study = made()
    (slices,) = top_systems(study, task(Statistic("system", "pearson")), QUICK)
    assert [part.size for part in slices.slices] == [4, 5, 6]
    best = study.at("system").best(4)
    people = study.at("system").human[:, 0]
    assert best.human[:, 0].tolist() == sorted(people, reverse=True)[:4]
    few = replace(study, human=replace(study.human, scores=np.full_like(study.human.scores, 1.0)))
    assert few.at("system").best(2).systems == ("s0", "s1"), "equal scores keep their order"
    axes = slices_plot(slices, ["m", "d"]).axes[0]
    assert axes.lines[0].get_ydata().tolist() == [*values(slices, "m").values()]
    assert axes.lines[0].get_xdata().tolist() == [4, 5, 6]
    three = study_of_three()
    (nothing,) = top_systems(three, task(Statistic("system", "pearson")), QUICK)
    assert nothing.slices == ()


def study_of_three() -> Study:
    """People judged three of the systems."""
    study = made()
    scores = study.human.scores.copy()
    scores[3:] = np.nan
    return replace(study, human=replace(study.human, scores=scores))


def test_a_metric_that_lacks_one_of_the_best_has_no_value_there() -> None:
    study = made()
    worst = study.at("system").best(SYSTEMS).systems[-1]
    (slices,) = top_systems(made(lacking=worst), task(Statistic("system", "pearson")), QUICK)
    assert values(slices, "d")["5"] is not None
    assert reasons(slices, "d")["6"] == "the metric has scores of 5 of the 6 systems"
    assert None not in values(slices, "m").values()


def test_only_systems_can_be_the_best_and_at_least_four() -> None:
    assert str(Statistic("system", "pearson", best=5)) == "system pearson of the best 5"
    with pytest.raises(InputError, match="statistic of systems"):
        Statistic("segment", "pearson", best=4)
    with pytest.raises(InputError, match="at least 4 systems"):
        Statistic("system", "pearson", best=3)


# --- pairs of systems ----------------------------------------------------------------------------


def test_few_pairs_and_outliers() -> None:
    study = made()
    slices = by_distance(study)
    assert [part.size for part in slices.slices] == [5, 5, 5]
    assert set(reasons(slices, "m").values()) == {"5 pairs, fewer than 6"}
    scores = study.human.scores.copy()
    scores[2] -= 100
    far = replace(study, human=replace(study.human, scores=scores))
    assert by_distance(far).slices[-1].name.split("–")[1].startswith("1")
    plain = task(Statistic("system", "pearson")).without_outliers()
    (without,) = by_slices(far, plain, "distance", QUICK)
    assert sum(part.size for part in without.slices) == 10
    worst = study.at("system").systems[-1]
    lacking = by_distance(made(lacking=worst))
    assert any("the metric has scores of" in (why or "") for why in reasons(lacking, "d").values())


def test_pairs_of_wmt23_by_distance(shared_data: Path) -> None:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = read_collection(folder)
    table = wmt_tables.read_metric_scores(folder, collection)
    study = study_of([table], read_judgements(folder, collection, "mqm"), collection)
    systems = study.at("system")
    people, metric = systems.human[:, 0], systems.metrics["BLEU-refA"][:, 0]
    pairs = sorted(combinations(range(12), 2), key=lambda p: abs(people[p[0]] - people[p[1]]))
    right = [(people[a] > people[b]) == (metric[a] > metric[b]) for a, b in pairs]
    expected = [np.mean(right[start : start + 22]) for start in (0, 22, 44)]
    slices = by_distance(study)
    assert [part.size for part in slices.slices] == [22, 22, 22]
    assert [*values(slices, "BLEU-refA").values()] == pytest.approx(expected)
    axes = slices_plot(slices, ["BLEU-refA"]).axes[0]
    assert axes.lines[0].get_ydata().tolist() == pytest.approx(expected)
    names = [label.get_text() for label in axes.get_xticklabels()]
    assert names == [part.name for part in slices.slices]


# --- parts of the items --------------------------------------------------------------------------


def test_parts_by_hand() -> None:
    study = made()
    domains = parts_of(study, "domain")
    assert {name: int(chosen.sum()) for name, chosen in domains.items()} == {
        "news": 10, "talks": 23,
    }  # fmt: skip
    # By length, the 11th of 33 segments lies in a document of 4, the 22nd in one of 6.
    lengths = parts_of(study, "length")
    assert {name: int(chosen.sum()) for name, chosen in lengths.items()} == {
        "1–4 segments": 13, "5–6 segments": 11, "9 segments": 9,
    }  # fmt: skip
    positions = parts_of(study, "position")
    thirds = {
        name: [item for item, one in zip(study.human.items, chosen, strict=True) if one]
        for name, chosen in positions.items()
    }
    of_five = {n: [i for d, i in each if d == "talks-5"] for n, each in thirds.items()}
    assert of_five == {"beginning": [0, 1], "middle": [2], "end": [3, 4]}
    of_four = {n: [i for d, i in each if d == "news-4"] for n, each in thirds.items()}
    assert of_four == {"beginning": [0], "middle": [1, 2], "end": [3]}
    assert not any(document == "news-2" for each in thirds.values() for document, _ in each)


@pytest.mark.parametrize("by", ["domain", "length", "position"])
def test_parts_equal_plain_loops(by: PartOfItems) -> None:
    study = made()
    pearson, accuracy = by_slices(
        study,
        task(Statistic("segment", "pearson"), Statistic("segment", "acc-eq", "item")),
        by,
        QUICK,
    )
    for name, chosen in parts_of(study, by).items():
        people, scores = [], []
        for s in range(SYSTEMS):
            for column, one in enumerate(chosen):
                if one:
                    people.append(study.human.scores[s, column])
                    scores.append(study.at("segment").metrics["m"][s, column])
        expected = stats.pearsonr(people, scores)[0]
        assert values(pearson, "m")[name] == pytest.approx(expected, abs=1e-9)
        part = np.flatnonzero(chosen)
        found = slow.calibrated_acc_eq(
            study.human.scores[:, part], study.at("segment").metrics["m"][:, part], "item"
        )
        assert found is not None
        assert values(accuracy, "m")[name] == pytest.approx(found[0], abs=1e-9)
    assert sum(part.size for part in pearson.slices) == (33 if by != "position" else 33 - 1 - 2)


def test_documents_of_a_third_are_the_means_of_its_segments() -> None:
    study = made()
    (slices,) = by_slices(study, task(Statistic("document", "pearson")), "position", QUICK)
    (people, scores) = ([], [])
    beginning = parts_of(study, "position")["beginning"]
    for s in range(SYSTEMS):
        for document in study.testset.documents:
            columns = [
                column
                for column, (name, _) in enumerate(study.human.items)
                if name == document.id and beginning[column]
            ]
            if columns:
                people.append(study.human.scores[s, columns].mean())
                scores.append(study.at("segment").metrics["m"][s, columns].mean())
    expected = stats.pearsonr(people, scores)[0]
    assert values(slices, "m")["beginning"] == pytest.approx(expected, abs=1e-9)
    assert reasons(slices, "d")["end"] == "the metric scores documents, not parts of them"


def test_too_few_scores_say_so() -> None:
    (slices,) = by_slices(made(), task(Statistic("document", "pearson")), "domain", QUICK)
    assert reasons(slices, "m") == {
        "news": "24 scores, fewer than 30", "talks": "24 scores, fewer than 30",
    }  # fmt: skip
    ranked = by_slices(
        made(), task(Statistic("segment", "soft-pairwise-accuracy")), "domain", QUICK
    )
    assert ranked == ()


def test_what_cannot_be_cut() -> None:
    study = made()
    nowhere = replace(study, human=replace(study.human, domains=(None,) * 33))
    with pytest.raises(InputError, match="made: no judged document has a domain"):
        by_slices(nowhere, task(Statistic("segment", "pearson")), "domain", QUICK)
    whole = replace(study, human=replace(study.human, level="document"))
    with pytest.raises(InputError, match="scores of whole documents; they have no positions"):
        parts_of(whole, "position")
