"""Chains of people and of machines, counted over a whole test set."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from isogloss import evaluate, load_sample
from isogloss.cli.main import app
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.formats import read_collection, write_collection
from isogloss.metrics.cohesion import Cohesion, chain_tallies

REFERENCE = ("The mayor met a farmer.", "The farmer spoke.", "The mayor left the farmer.")
OTHER = ("The mayor met a peasant.", "The farmer spoke.", "The mayor left the farmer.")
OUTPUT = ("The mayor met a farmer.", "A farmer spoke to a mayor.", "A mayor left, a mayor left.")


def made(output: tuple[str | None, ...] = OUTPUT) -> Collection:
    document = Document("d", ("x", "y", "z"), {"a": REFERENCE, "b": OTHER})
    missing = Document("e", ("x",), {"a": ("A farmer.",), "b": ("A farmer.",)})
    systems = (
        SystemOutput("s", {"d": output, "e": (None,)}),
        SystemOutput("b", {"d": OTHER, "e": ("A farmer.",)}, human=True),
    )
    return Collection(TestSet("t", "x", "en", (document, missing)), systems)


def test_a_test_set_by_hand() -> None:
    """mayor and farmer: segments 0 2 and 0 1 2 in a, 0 2 and 1 2 in b, 0 1 2 and 0 1 in s."""
    rows = {tally.translation: tally for tally in chain_tallies(made(), Cohesion())}
    assert list(rows) == ["a", "b", "s"]  # the human output is the reference b
    assert (rows["a"].human, rows["s"].human) == (True, False)
    # Document e has no chains: both references have it, the system does not.
    assert (rows["a"].documents, rows["a"].chains, rows["a"].links) == (2, 2, 5)
    assert (rows["b"].chains, rows["b"].links) == (2, 4)
    assert (rows["s"].documents, rows["s"].chains, rows["s"].links) == (1, 2, 5)
    assert rows["a"].found == rows["s"].found == 1.0
    assert rows["a"].cohesion == pytest.approx((2 / 2 + 2 / 2) / 2)  # b's segments are all a's
    assert rows["b"].cohesion == pytest.approx((2 / 2 + 2 / 3) / 2)
    assert rows["s"].cohesion == pytest.approx(((2 / 2 + 2 / 3) / 2 + (2 / 2 + 1 / 2) / 2) / 2)


def test_on_the_sample_they_are_the_metrics() -> None:
    """With one reference the mean over documents is the metric's own score."""
    sample = load_sample("cs-en")
    metric = Cohesion.configured({}, None, sample.testset.target_language)
    table = evaluate(sample, [metric])
    tallies = {tally.translation: tally for tally in chain_tallies(sample, metric)}
    for system in table.systems:
        assert tallies[system].cohesion == pytest.approx(table["cohesion", system].score)
    assert tallies["ref"].cohesion is None
    assert tallies["shifting"].chains < tallies["ref"].chains


def test_of_two_references_and_of_systems_on_wmt(shared_data: Path) -> None:
    """The paper's first observation, that people's chains are more alike, is not so today."""
    tallies = chain_tallies(read_collection(shared_data / "wmt" / "wmt20" / "zh-en"), Cohesion())
    people = [tally for tally in tallies if tally.human]
    machines = [tally for tally in tallies if not tally.human]
    assert {tally.translation: tally.chains for tally in people} == {"A": 5_819, "B": 5_862}
    assert Counter(tally.documents for tally in tallies) == {155: 10}
    assert max(t.cohesion or 0 for t in people) < min(t.cohesion or 0 for t in machines)


def test_the_command(tmp_path: Path) -> None:
    write_collection(made().with_documents(["d"]), tmp_path, "manifest")

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["chains", "count", *arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    rows = json.loads(run(str(tmp_path), "-o", "json"))["results"]
    assert [(row["translation"], row["by"], row["chains"]) for row in rows] == [
        ("a", "people", 2),
        ("b", "people", 2),
        ("s", "machine", 2),
    ]
    assert "people" not in run(str(tmp_path), "-o", "tsv").partition("machine")[2]
