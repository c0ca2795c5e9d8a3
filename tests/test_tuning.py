"""Trained hybrids: how human scores are made, what is reported, and that the metric keeps to it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss import evaluate
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import InputError
from isogloss.formats import read_collection, read_judgements
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import (
    Moments,
    Observations,
    Resampling,
    Study,
    best_weights,
    held_out,
    study_of,
    z_normalised,
)
from isogloss.metaeval.correlation import correlation
from isogloss.metaeval.significance import paired_bootstrap
from isogloss.tuning import EQUAL, HELD_OUT, IN_SAMPLE, TuneSettings, tune

WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "and", "sleeps")
DOCUMENTS, SYSTEMS = 12, 4


def collection() -> Collection:
    """Systems that leave out more words the worse they are, on some documents more than others."""
    rng = np.random.default_rng(0)
    documents = []
    for number in range(DOCUMENTS):
        lines = [" ".join(rng.permutation(WORDS)[: rng.integers(5, 12)]) for _ in range(3)]
        documents.append(Document(f"d{number}", tuple(lines), {"ref": tuple(lines)}))
    outputs = []
    for system in range(SYSTEMS):
        translated = {}
        for document in documents:
            keep = 1 - 0.15 * system - 0.3 * rng.random()
            translated[document.id] = tuple(
                " ".join(w for w in line.split() if rng.random() < keep) or "the"
                for line in document.source
            )
        outputs.append(SystemOutput(f"s{system}", translated))
    return Collection(TestSet("made-up", "en", "en", tuple(documents)), tuple(outputs))


def judged(of: Collection, annotators: tuple[str | None, ...] = (None,)) -> Judgements:
    """People count the words that are left, with some noise; the second judge is twice as hard."""
    rng = np.random.default_rng(1)
    items = []
    for output in of.outputs:
        for document in of.testset.documents:
            for segment, line in enumerate(output.documents[document.id]):
                left = len((line or "").split()) / len(document.source[segment].split())
                for number, annotator in enumerate(annotators):
                    score = (left + rng.normal() * 0.1) * (1 + number) - number
                    items.append(Judgement(output.name, document.id, segment, annotator, score))
    return Judgements("made-up", tuple(items))


@pytest.fixture(scope="module")
def study() -> Study:
    of = collection()
    return study_of([evaluate(of, ["bleu", "chrf", "ter"])], judged(of), of, documents="own")


QUICK = TuneSettings(folds=4, repeats=2, resamples=100)


def test_the_trained_metric_scores_what_was_judged(study: Study) -> None:
    """The metric that is saved, run on the documents, has the correlation reported for it."""
    tuned = tune(study, settings=QUICK)
    hybrid = tuned.hybrid("en", "en")
    of = collection()
    table = evaluate(of, [hybrid])
    own = study_of([table], judged(of), of, documents="own").at("document")
    human = replace(study, documents="weighted").at("document").human
    found = correlation("pearson", human, own.metrics[str(hybrid.name)])
    reported = tuned.agreement(IN_SAMPLE).intervals["pearson"].value
    assert found.value == pytest.approx(reported.value, abs=1e-9)
    assert found.count == reported.count == tuned.cells == DOCUMENTS * SYSTEMS
    assert hybrid.parts[2].metric.name.name == "ter"
    assert 0 < hybrid.parts[2].mean < 100  # an error rate's own mean, not turned


def test_documents_are_weighted_by_length(study: Study) -> None:
    weighted = replace(study, documents="weighted").at("document").human
    plain = study.at("document").human
    assert not np.allclose(weighted, plain)
    bleu = study.at("document").metrics["bleu"]
    for by_length, human in ((True, weighted), (False, plain)):
        tuned = tune(study, settings=QUICK, by_length=by_length)
        found = tuned.agreement("bleu").intervals["pearson"].value.value
        assert found == pytest.approx(correlation("pearson", human, bleu).value, abs=1e-12)


def test_in_sample_is_best_and_every_row_is_there(study: Study) -> None:
    tuned = tune(study, ["bleu", "chrf"], QUICK)
    pearson = {a.name: a.intervals["pearson"].value.value for a in tuned.agreements}
    assert list(pearson) == ["bleu", "chrf", EQUAL, IN_SAMPLE, HELD_OUT]
    assert pearson[IN_SAMPLE] == pytest.approx(max(pearson.values()))
    for agreement in tuned.agreements:
        for interval in agreement.intervals.values():
            assert interval.low <= interval.value.value <= interval.high
    heights = tuned.curve[:, 1]
    assert heights[0] == pytest.approx(pearson["chrf"])
    assert heights[-1] == pytest.approx(pearson["bleu"])
    assert heights[50] == pytest.approx(pearson[EQUAL])
    assert heights.max() <= pearson[IN_SAMPLE] + 1e-7
    assert sum(part.weight for part in tuned.parts) == 1
    assert tuned.held_out.weights.shape == (2, 4, 2)
    assert tune(study, settings=QUICK).curve is None


def test_gains_are_those_of_the_paired_bootstrap(study: Study) -> None:
    tuned = tune(study, ["bleu", "chrf"], QUICK)
    gain = next(g for g in tuned.gains if (g.over, g.statistic) == ("chrf", "pearson"))
    held = tuned.agreement(HELD_OUT).intervals["pearson"].value.value
    chrf = tuned.agreement("chrf").intervals["pearson"].value.value
    assert gain.difference == pytest.approx(held - chrf)
    assert gain.low <= gain.difference <= gain.high
    matched = study.at("document")
    human = replace(study, documents="weighted").at("document").human
    observed = Observations.of(human, [matched.metrics["bleu"], matched.metrics["chrf"]])
    observed = observed.normalised(*observed.scales())
    unseen = held_out(
        observed, matched.blocks, lambda o: best_weights(Moments.of(o)), folds=4, repeats=2
    )
    test = paired_bootstrap(
        human,
        {"hybrid": unseen.scores, "chrf": matched.metrics["chrf"]},
        resampling=Resampling(QUICK.resamples, QUICK.seed, matched.blocks),
    ).tests["hybrid", "chrf"]
    assert gain.difference == pytest.approx(test.difference, abs=1e-4)
    assert gain.p == pytest.approx(test.p, abs=0.02)  # weights are shortened in what is saved
    assert tune(study, ["bleu", "chrf"], QUICK).gains == tuned.gains


def test_a_hybrid_that_is_one_of_its_parts_is_not_ahead_of_it(study: Study) -> None:
    tuned = tune(study, ["bleu", "ter"], QUICK)
    assert tuned.parts[1].weight == 1
    assert (tuned.held_out.weights[..., 1] == 1).all()
    for gain in tuned.gains:
        if gain.over == "ter":
            assert (gain.difference, gain.p) == (pytest.approx(0, abs=1e-12), 0.5)


@pytest.mark.parametrize("grouping", ["item", "system"])
def test_groups_are_trained_and_judged_as_groups(study: Study, grouping: str) -> None:
    settings = replace(QUICK, grouping=grouping)
    tuned = tune(study, ["bleu", "chrf"], settings)
    values = {a.name: a.intervals["pearson"].value for a in tuned.agreements}
    assert values["bleu"].groups == (DOCUMENTS if grouping == "item" else SYSTEMS)
    best_part = max(values["bleu"].value, values["chrf"].value)
    assert values[IN_SAMPLE].value >= best_part - 1e-6


def test_segments_can_be_trained_on_too(study: Study) -> None:
    tuned = tune(study, ["bleu", "chrf"], replace(QUICK, level="segment"))
    assert tuned.cells == SYSTEMS * DOCUMENTS * 3
    assert tuned.documents == DOCUMENTS


def test_judges_can_be_normalised_first() -> None:
    """One judge's scale is twice the other's: by judge, both count the same."""
    of = collection()
    table = evaluate(of, ["bleu", "chrf"])
    raw = judged(of, ("mild", "harsh"))
    by_judge = study_of([table], z_normalised(raw), of, documents="own")
    assert by_judge.kind == "made-up-z"
    assert by_judge.at("document").human.mean() == pytest.approx(0, abs=0.2)
    tuned = tune(by_judge, settings=QUICK)
    assert tuned.agreement(IN_SAMPLE).intervals["pearson"].value.value > 0.3


def test_what_cannot_be_trained_is_said(study: Study) -> None:
    with pytest.raises(InputError, match="at least two metrics"):
        tune(study, ["bleu"])
    with pytest.raises(InputError, match="no scores of 'prism'; there are: bleu, chrf, ter"):
        tune(study, ["bleu", "prism"])
    with pytest.raises(InputError, match="cannot make 50 folds of 12 documents"):
        tune(study, settings=TuneSettings(folds=50))
    with pytest.raises(InputError, match="at least one resample"):
        TuneSettings(resamples=0)
    with pytest.raises(InputError, match="confidence"):
        TuneSettings(confidence=1)


def test_a_metric_without_scores_of_the_level_is_named(study: Study) -> None:
    rows = {name: dict(by_system) for name, by_system in study.rows.items()}
    bare = {
        system: replace(
            row,
            documents=tuple(
                replace(d, measurement=replace(d.measurement, segment_scores=None))
                for d in row.documents
            ),
        )
        for system, row in rows["bleu"].items()
    }
    documents_only = replace(study, rows={**rows, "bleu": bare})
    tune(documents_only, ["bleu", "chrf"], QUICK)
    with pytest.raises(InputError, match="bleu has no scores of segments"):
        tune(documents_only, ["bleu", "chrf"], replace(QUICK, level="segment"))


def test_a_metric_that_says_nothing_is_named(study: Study) -> None:
    rows = dict(study.rows)
    rows["chrf"] = {
        system: replace(row, documents=tuple(replace(d, score=50.0) for d in row.documents))
        for system, row in rows["chrf"].items()
    }
    with pytest.raises(InputError, match="chrf gives the same score everywhere"):
        tune(replace(study, rows=rows), ["bleu", "chrf"])


def test_on_real_documents(shared_data: Path) -> None:
    """WMT21 news zh-en, document BLEU and chrF against MQM: both agree, the hybrid is between."""
    folder = shared_data / "wmt" / "wmt21.news" / "zh-en"
    of = read_collection(folder).with_references(["A"])
    judgements = read_judgements(folder, of, "mqm")
    ids = {item.document for item in judgements.items if item.score is not None}
    keep = tuple(d for d in of.testset.documents if d.id in ids)[:15]
    some = Collection(
        replace(of.testset, documents=keep),
        tuple(
            replace(o, documents={d.id: o.documents[d.id] for d in keep}) for o in of.outputs[:4]
        ),
    )
    known = {d.id for d in keep}
    chosen = Judgements("mqm", tuple(i for i in judgements.items if i.document in known))
    study = study_of([evaluate(some, ["bleu", "chrf"])], chosen, some, documents="own")
    tuned = tune(study, settings=TuneSettings(folds=5, repeats=2, resamples=200))
    assert tuned.documents == 15
    assert tuned.cells == 60
    assert tuned.agreement("bleu").intervals["pearson"].value.value > 0
