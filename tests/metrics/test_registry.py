"""The registry, and what every metric in it must keep to."""

import pickle
from dataclasses import replace
from importlib.metadata import EntryPoint
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.documents import Collection, Translation
from isogloss.errors import MetricNameError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.metrics import (
    Metric,
    ModelMetric,
    known_metrics,
    load_metric,
    metric_of_signature,
    registry,
)
from isogloss.metrics.registry import BUILT_IN, ELSEWHERE
from isogloss.metrics.surface import Chrf
from isogloss.sample import load_sample
from isogloss.scores import Measurement
from isogloss.signature import MetricName, Signature
from model.tiny_models import TinyModel

every_metric = pytest.mark.parametrize("name", [entry.name for entry in BUILT_IN])


@pytest.fixture
def sample(flores_models: Path, tiny_as_default: TinyModel) -> Collection:
    """The sample, with the tokeniser and the model that some metrics need in their places."""
    return load_sample("cs-en")


def measured(metric: Metric, collection: Collection) -> list[Measurement]:
    translations = (t for output in collection.outputs for t in collection.translations(output))
    return list(metric.measure(translations))


@pytest.mark.parametrize("name", [entry.name for entry in (*BUILT_IN, *ELSEWHERE)])
def test_it_is_a_metric_and_its_name_reads_back(name: str) -> None:
    metric = load_metric(name)
    assert isinstance(metric, Metric)
    assert load_metric(str(metric.name)) == metric
    assert MetricName.parse(str(metric.name)) == metric.name
    assert pickle.loads(pickle.dumps(metric)) == metric


@every_metric
def test_its_signature_parses_back_into_it(name: str, sample: Collection) -> None:
    metric = load_metric(name, "cs", "en")
    signature = metric.signature(sample.testset)
    assert metric_of_signature(str(signature)) == metric
    assert Signature.parse(str(signature)) == signature


@every_metric
def test_what_it_cautions_against_is_one_line(name: str, sample: Collection) -> None:
    caution = load_metric(name, "cs", "en").caution(sample.testset)
    assert caution is None or (caution.strip() == caution != "" and "\n" not in caution)


@every_metric
def test_statistics_add_up(name: str, sample: Collection) -> None:
    metric = load_metric(name, "cs", "en")
    for measurement in measured(metric, sample):
        rows = measurement.segment_statistics
        if rows is not None:
            scored = rows[~np.isnan(rows).any(axis=1)]
            assert measurement.statistics == pytest.approx(scored.sum(axis=0))
            assert len(scored) == measurement.scored


@every_metric
def test_single_and_many_scores_agree(name: str, sample: Collection) -> None:
    metric = load_metric(name, "cs", "en")
    matrix = np.vstack([measurement.statistics for measurement in measured(metric, sample)])
    singles = [metric.score(row) for row in matrix]
    assert metric.score_rows(matrix) == pytest.approx(singles)


def parcels(metric: Metric, translations: list[Translation]) -> list[list[Translation]]:
    """Single documents, or single systems where a metric learns from all documents of one."""
    if not metric.learns_from_system:
        return [[translation] for translation in translations]
    return [list(own) for _, own in groupby(translations, key=lambda t: t.system)]


def assert_same(metric: Metric, one: Measurement, other: Measurement) -> None:
    """Equal; what a model computed, but for the last bits, for its batches have another shape."""
    # A remark on all documents stands with the first of them, whichever that is.
    one, other = (replace(each, remarks={}) for each in (one, other))
    if not isinstance(metric, ModelMetric):
        assert one == other
        return
    for name in ("scored", "total"):
        assert getattr(one, name) == getattr(other, name)
    assert [(e.reason, e.spans) for e in one.evidence] == [
        (e.reason, e.spans) for e in other.evidence
    ]
    values = [[e.value for e in each.evidence] for each in (one, other)]
    np.testing.assert_allclose(*(np.array(v, float) for v in values), rtol=1e-5, atol=1e-6)
    for name in ("statistics", "segment_statistics", "segment_scores"):
        numbers = [np.array(getattr(each, name), float) for each in (one, other)]
        np.testing.assert_allclose(*numbers, rtol=1e-5)


@every_metric
def test_order_and_company_do_not_matter(name: str, sample: Collection) -> None:
    metric = load_metric(name, "cs", "en")
    translations = [t for o in sample.outputs for t in sample.translations(o)]
    together = list(metric.measure(translations))
    backwards = list(metric.measure(reversed(translations)))
    alone = [m for parcel in parcels(metric, translations) for m in metric.measure(parcel)]
    for others in (alone, backwards[::-1]):
        for one, other in zip(together, others, strict=True):
            assert_same(metric, one, other)


@every_metric
def test_it_asks_for_a_reference_it_needs(name: str, sample: Collection) -> None:
    bare = sample.with_references([])
    if load_metric(name).needs_references:
        with pytest.raises(NotApplicableError, match="needs a reference"):
            evaluate(bare, [name])
    else:
        assert all(row.score is not None for row in evaluate(bare, [name]).rows)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("bleuu", "did you mean 'bleu'?"), ("BLEU", "did you mean 'bleu'?"), ("zzz", "there are: ")],
)
def test_an_unknown_metric_gets_a_hint(name: str, complaint: str) -> None:
    with pytest.raises(MetricNameError, match=complaint.replace("?", r"\?")):
        load_metric(name)


@pytest.mark.parametrize("name", ["cometkiwi", "COMET-22", "yisi"])
def test_a_metric_of_others_is_where_others_keep_it(name: str) -> None:
    with pytest.raises(MetricNameError, match=r"--scores FILE.*plug-in") as caught:
        load_metric(name)
    assert repr(name) in str(caught.value)


def offer(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    plugin = EntryPoint("mine", value, registry.ENTRY_POINTS)

    def entry_points(group: str, name: str = "mine") -> list[Any]:
        return [plugin] if (group, name) == (registry.ENTRY_POINTS, "mine") else []

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_other_packages_can_offer_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "isogloss.metrics.surface:Chrf.configured")
    assert load_metric("mine(beta=3)") == Chrf(beta=3)
    assert known_metrics()[-1].name == "mine"
    offer(monkeypatch, "isogloss.metrics.surface:Chrf")
    (line,) = [entry.description for entry in known_metrics() if entry.name == "mine"]
    assert line == f"{(Chrf.__doc__ or '').splitlines()[0].rstrip('.')} (a plug-in)"


def test_a_broken_plug_in_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, "no_such_package:metric")
    with pytest.raises(MetricNameError, match=r"'mine' \(no_such_package:metric\) cannot be load"):
        load_metric("mine")
    assert known_metrics()[-1].description == "a plug-in; it cannot be loaded"
