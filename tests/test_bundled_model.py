"""The model that comes along: whole, small enough, and able to tell good from bad."""

import tomllib
from pathlib import Path

import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.evaluation import evaluate
from isogloss.metrics import load_metric
from isogloss.model import (
    DEFAULT_MODEL,
    Pair,
    Paraphraser,
    find_model,
    installed_models,
    read_card,
    verify_folder,
)
from isogloss.model.registry import bundled_folder
from isogloss.sample import load_sample
from isogloss.spans import output_side


@pytest.fixture(scope="module")
def model() -> Paraphraser:
    return Paraphraser.load(find_model(DEFAULT_MODEL))


def test_it_is_whole_and_small_enough() -> None:
    assert installed_models()[0] == DEFAULT_MODEL
    verify_folder(bundled_folder())
    assert sum(file.stat().st_size for file in bundled_folder().iterdir()) <= 64_000_000
    card = read_card(bundled_folder())
    assert len(card.languages) == 36
    assert {"cs", "de", "en", "es", "fr", "he", "ja", "ru", "uk", "zh"} <= set(card.languages)
    assert card.licence == "Apache-2.0"
    assert "Tatoeba" in str(card.card["data"])


def test_its_version_is_its_digest() -> None:
    """One version of the package is one model, and isogloss asks for just that one."""
    root = Path(__file__).parents[1]
    ours, theirs = (
        tomllib.loads((root / folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder in ("", "packages/model")
    )
    card = read_card(bundled_folder())
    number, digits = card.name.rpartition("-")[2], card.digest.partition(":")[2][:8]
    assert theirs["version"] == f"{number}.{int(digits, 16)}"
    assert f"isogloss-model=={theirs['version']}" in ours["dependencies"]


def test_it_gives_the_scores_it_promises(model: Paraphraser) -> None:
    verdicts = model.selftest()
    assert len(verdicts) == 5
    assert max(verdict.difference for verdict in verdicts) < 0.1


@pytest.mark.parametrize(
    ("language", "given", "better", "worse"),
    [
        ("en", "The committee rejected the proposal.", "The committee turned the proposal down.",
         "The committee liked the weather."),
        ("de", "Er kam gestern nach Hause.", "Gestern kam er heim.", "Sie isst heute Brot."),
        ("cs", "Nájemce platí nájemné.", "Nájemné platí nájemce.", "Prší celý den."),
        ("zh", "他昨天回家了。", "昨天他回了家。", "今天下雨。"),
    ],
)  # fmt: skip
def test_a_paraphrase_is_likelier_than_something_else(
    model: Paraphraser, language: str, given: str, better: str, worse: str
) -> None:
    pairs = [Pair(given, text, language, language) for text in (better, worse)]
    one, other = model.score(pairs)
    assert one is not None
    assert other is not None
    assert one.mean > other.mean


def test_prism_ranks_the_sample_as_intended() -> None:
    table = evaluate(load_sample("cs-en"), ["prism"])
    scores = [row.score or 0.0 for row in table.rows]
    assert [row.system for row in table.rows] == ["steady", "shifting", "tangled"]
    assert scores == sorted(scores, reverse=True)
    assert "model:isogloss-3" in table.metrics[0].signature


def test_mqm_sees_a_negation_that_prism_does_not() -> None:
    """A free translation against a near copy that says the opposite."""
    reference = "The results of the study are published in the journal this week."
    systems = {
        "free": "This week the journal is publishing the findings of the study.",
        "opposite": "The results of the study are not published in the journal this week.",
    }
    document = Document("a", ("Die Ergebnisse der Studie erscheinen.",), {"ref": (reference,)})
    outputs = tuple(SystemOutput(name, {"a": (text,)}) for name, text in systems.items())
    table = evaluate(Collection(TestSet("t", "de", "en", (document,)), outputs), ["mqm", "prism"])
    scores = {(row.metric, row.system): row.score or 0.0 for row in table.rows}
    assert scores["mqm", "free"] < scores["mqm", "opposite"]
    assert scores["prism", "free"] < scores["prism", "opposite"]
    marked = [
        systems["opposite"][place.start : place.end]
        for row in table.rows
        if (row.metric, row.system) == ("mqm", "opposite")
        for found in row.documents[0].measurement.evidence
        for place in found.spans
        if place.side == output_side("opposite")
    ]
    assert any("not" in text for text in marked)


def test_it_does_not_claim_to_know_costs_from_the_source() -> None:
    testset = load_sample("cs-en").testset
    assert "read no sources" in (load_metric("mqm-src").caution(testset) or "")
    assert load_metric("mqm-src(model=my-judge)").caution(testset) is None
    assert load_metric("mqm").caution(testset) is None
