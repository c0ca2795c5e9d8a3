"""``isogloss tune`` from the outside: from ratings to a metric in a file."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from isogloss.cli.main import app
from isogloss.errors import InputError
from isogloss.formats import mqm
from isogloss.judgements import GOOGLE_MQM, ErrorMark, Judgement, Judgements, scored_by_errors
from isogloss.metrics import Hybrid, ModelMetric, load_metric, prepared
from isogloss.runtime import Runtime
from isogloss.sample import load_sample, sample_path

CS = str(sample_path("cs-en"))
QUICK = ("--folds", "4", "--repeats", "2", "--resamples", "50")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two raters of the sample, the second twice as strict; worse systems have more errors."""
    sample = load_sample("cs-en")
    rng = np.random.default_rng(0)
    mistakes = {"steady": 0.3, "shifting": 0.9, "tangled": 2.0}
    items = [
        Judgement(
            output.name,
            document.id,
            segment,
            rater,
            errors=(ErrorMark("accuracy/mistranslation", "minor"),) * count,
        )
        for output in sample.outputs
        for document in sample.testset.documents
        for segment in range(len(document))
        for rater, strictness in (("mild", 1), ("strict", 2))
        for count in [int(rng.poisson(strictness * mistakes[output.name]))]
    ]
    path = tmp_path_factory.mktemp("ratings") / "mqm.tsv"
    judgements = Judgements("mqm", scored_by_errors(items, GOOGLE_MQM))
    mqm.write(judgements, sample, path)
    return str(path)


def test_the_whole_journey(ratings: str, tmp_path: Path) -> None:
    """Train, save, draw; then the file is a metric that agrees as the table said."""
    weights, plot = tmp_path / "weights.json", tmp_path / "alpha.svg"
    options = ("--human", ratings, "-m", "chrf,bleu", *QUICK)
    saved = ("--save", str(weights), "--plot", str(plot))
    table = run("tune", CS, *options, *saved).splitlines()
    assert table[0] == "sample-cs-en cs-en: mqm, documents, 3 systems, 8 documents"
    rows = ["chrf", "bleu", "equal weights", "in sample", "held out"]
    assert [line.split("  ")[0] for line in table[2:7]] == rows
    assert plot.read_text().startswith("<?xml")
    trained = json.loads(weights.read_text())
    assert trained["trained"]["human"] == "mqm"
    assert trained["trained"]["settings"]["folds"] == 4
    shown = json.loads(run("tune", CS, *options, "-q", "-o", "json"))
    assert shown["metric"] in table
    assert shown["parts"] == trained["parts"]
    metric = f'hybrid(weights="{weights}")'
    judged = ("metaeval", CS, "--human", ratings, "-m", metric, "--documents", "own", "-q")
    found = json.loads(run(*judged, "--resamples", "20", "-o", "json"))
    assert {record["metric"] for record in found["results"]} == {shown["metric"]}
    best = run("evaluate", CS, "-m", metric, "-q", "-o", "tsv").splitlines()[1]
    assert "steady" in best


def test_saved_scores_judges_and_groups(ratings: str, tmp_path: Path) -> None:
    scores = str(tmp_path / "scores.jsonl")
    run("evaluate", CS, "-m", "bleu,chrf,hybrid(a=chrf,b=bleu)", "--save", scores, "-q")
    options = ("tune", CS, "--human", ratings, "--scores", scores, *QUICK, "-o", "json", "-q")
    by_judge = json.loads(run(*options, "--by-judge", "--plain", "--level", "segment"))
    assert by_judge["cells"] == 3 * 53
    assert len(by_judge["parts"]) == 3
    within = json.loads(run(*options, "--grouping", "item", "--signed"))
    assert within["settings"]["grouping"] == "item"
    assert within["settings"]["signed"]
    assert sum(abs(part["weight"]) for part in within["parts"]) == pytest.approx(1, abs=1e-3)
    assert {record["statistic"] for record in within["results"]} == {"pearson", "tau-b"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-m", "bleu"), "at least two metrics"),
        (("-m", "bleu,chrf", "--folds", "9"), "cannot make 9 folds of 8 documents"),
        ((), "there are no scores to judge"),
        (("-m", "bleu,chrf,ter", "--plot", "x.svg", *QUICK), "a plot over alpha is for hybrids"),
    ],
)
def test_what_cannot_be_done_is_said(
    ratings: str, arguments: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        run("tune", CS, "--human", ratings, *arguments)


def test_parts_with_a_model_are_told_where_to_run() -> None:
    runtime = Runtime("cpu", Path("somewhere"))
    name = "hybrid(a=bleu,b=hybrid(a=embedding,b=lm),alpha=0.5)"
    outer = prepared(load_metric(name, "cs", "en"), runtime)
    assert isinstance(outer, Hybrid)
    inner = outer.parts[1].metric
    assert isinstance(inner, Hybrid)
    for part in inner.parts:
        assert isinstance(part.metric, ModelMetric)
        assert part.metric.runtime == runtime
