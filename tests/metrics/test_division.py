"""Shards of a metric's work give the scores of the whole."""

import pytest

import isogloss
from isogloss.documents import Translation
from isogloss.metrics import Division, division_of, load_metric, shards
from isogloss.metrics.division import lots


def translations() -> list[Translation]:
    collection = isogloss.load_sample("cs-en")
    return [t for output in collection.outputs for t in collection.translations(output)]


DIVISIONS = {
    "bleu": Division.DOCUMENTS,
    "coverage": Division.DOCUMENTS,
    "embedding": Division.LOTS,
    "ltcr": Division.SYSTEM,
    "markables": Division.SYSTEM,
    "markables(company=all)": Division.WHOLE,
    "markables(phenomenon=sense)": Division.PAIRS,
    "prism": Division.PAIRS,
    "mqm": Division.PAIRS,
    "hybrid(a=bleu,b=chrf)": Division.DOCUMENTS,
    "hybrid(a=bleu,b=embedding)": Division.LOTS,
    "hybrid(a=ltcr,b=bleu)": Division.SYSTEM,
    "hybrid(a=ltcr,b=embedding)": Division.WHOLE,
    "hybrid(a=ltcr,b=prism)": Division.PAIRS,
}


@pytest.mark.parametrize(("name", "division"), DIVISIONS.items())
def test_how_metrics_may_be_divided(name: str, division: Division) -> None:
    assert division_of(load_metric(name, "cs", "en")) is division


@pytest.mark.parametrize("name", DIVISIONS)
def test_every_translation_is_in_one_shard(name: str) -> None:
    given = translations()
    found = list(shards(load_metric(name, "cs", "en"), given))
    assert [t for shard in found for t in shard] == given
    if DIVISIONS[name] is Division.SYSTEM:
        assert [{t.system for t in shard} for shard in found] == [
            {"steady"},
            {"shifting"},
            {"tangled"},
        ]


@pytest.mark.parametrize("name", ["bleu", "cohesion", "coverage", "meteor"])
def test_documents_may_be_measured_apart(name: str) -> None:
    metric, given = load_metric(name, "cs", "en"), translations()[6:10]  # of two systems
    apart = [m for lot in lots(given, 10) for m in metric.measure(lot)]
    assert apart == list(metric.measure(given))


def test_systems_may_be_measured_apart() -> None:
    metric, given = load_metric("ltcr(aligner=fast-align)", "cs", "en"), translations()
    apart = [m for shard in shards(metric, given) for m in metric.measure(shard)]
    assert apart == list(metric.measure(given))
