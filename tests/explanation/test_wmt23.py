"""The twelve systems of WMT23 en-de: parts add up, and what is known of systems is found."""

from itertools import combinations
from pathlib import Path

import pytest

import isogloss
from isogloss.comparison import ComparisonSettings
from isogloss.documents import Collection
from isogloss.scores import ScoreTable

QUICK = ComparisonSettings(resamples=2000)
ROUGH = ComparisonSettings(resamples=100)  # where intervals do not matter


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "wmt" / "wmt23" / "en-de"


@pytest.fixture(scope="module")
def collection(folder: Path) -> Collection:
    return isogloss.read(folder)


@pytest.fixture(scope="module")
def table(collection: Collection) -> ScoreTable:
    return isogloss.evaluate(collection.with_references(["refA"]), "bleu,chrf")


def test_parts_add_up_for_every_pair_of_systems(table: ScoreTable) -> None:
    """Domains, positions and documents; scores are shown with two digits, and far finer here."""
    for first, second in combinations(table.systems, 2):
        for metric in ("bleu", "chrf"):
            found = isogloss.explain(table, first, second, metric, settings=ROUGH)
            scores = [table[metric, system].score or 0.0 for system in (first, second)]
            for view in found.found.views:
                carried = sum(part.carries.value for part in view.parts)
                assert carried == pytest.approx(scores[0] - scores[1], abs=1e-6)
            documents = sum(part.carries for part in found.found.documents.parts)
            assert documents == pytest.approx(scores[0] - scores[1], abs=1e-6)


def test_omissions_are_why_nllb_loses(
    collection: Collection, table: ScoreTable, folder: Path
) -> None:
    people = isogloss.read_judgements(folder, collection, "mqm")
    found = isogloss.explain(
        table,
        "ONLINE-W",
        "NLLB_Greedy",
        "chrf",
        collection=collection,
        judgements=people,
        settings=QUICK,
    )
    assert found.summary.startswith("ONLINE-W beats NLLB_Greedy by 15.60 chrf")
    assert "People (mqm) agree" in found.summary
    assert "Segments in which one of them leaves text out carry 53% of the difference" in (
        found.summary
    )
    for view in found.found.views:
        carried = sum(part.carries.value for part in view.parts)
        assert carried == pytest.approx(found.difference, abs=1e-6)


def test_what_people_see_and_chrf_does_not(
    collection: Collection, table: ScoreTable, folder: Path
) -> None:
    people = isogloss.read_judgements(folder, collection, "mqm")
    by_metric, by_people = (
        isogloss.explain(
            table,
            "GPT4-5shot",
            "ZengHuiMT",
            metric,
            collection=collection,
            judgements=people,
            settings=QUICK,
        )
        for metric in ("chrf", "mqm")
    )
    assert by_metric.summary.startswith("GPT4-5shot and ZengHuiMT cannot be told apart on chrf")
    assert "People (mqm) prefer GPT4-5shot" in by_metric.summary
    assert by_people.summary.startswith("People prefer GPT4-5shot to ZengHuiMT by 5.53 mqm")
    assert "GPT4-5shot has fewer segments that repeat themselves" in by_people.summary
