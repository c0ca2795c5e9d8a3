"""``isogloss spans`` and ``isogloss preferences`` from the outside, and documents as wholes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from isogloss.cli.main import app
from isogloss.errors import InputError
from isogloss.formats import write_judgements
from isogloss.judgements import GOOGLE_MQM, ErrorMark, Judgement, Judgements, scored_by_errors
from isogloss.sample import load_sample, sample_path
from isogloss.spans import Span

CS = str(sample_path("cs-en"))
SAMPLE = load_sample("cs-en")
QUICK = ("--resamples", "100", "--draws", "20")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def records(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*arguments, "-o", "jsonl").splitlines()]


def translations() -> Iterator[tuple[str, str, int, str]]:
    for output in SAMPLE.outputs:
        for document in SAMPLE.testset.documents:
            for segment, text in enumerate(output.documents[document.id]):
                yield output.name, document.id, segment, text or ""


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two raters who mark the first word of each translation, one of them two letters more."""
    items = [
        Judgement(system, document, segment, rater, errors=(ErrorMark("style", "minor", place),))
        for system, document, segment, text in translations()
        for rater, more in (("anna", 0), ("bert", 2))
        for end in [min(len(text), text.find(" ") + more)]
        for place in [Span(document, f"output:{system}", segment, 0, end)]
    ]
    path = tmp_path_factory.mktemp("spans") / "ratings.tsv"
    write_judgements(Judgements("mqm", scored_by_errors(items, GOOGLE_MQM)), SAMPLE, path)
    return path


def test_annotators_among_themselves(ratings: Path) -> None:
    shown = run("spans", CS, "--human", str(ratings), *QUICK)
    assert "318 readings with 318 marks" in shown
    assert "(people)" in shown
    (people, pair) = records("spans", CS, "--human", str(ratings), *QUICK)
    assert (people["kind"], pair["kind"], pair["name"]) == ("people", "pair", "anna – bert")
    assert people["recall"] == 1.0
    assert people["f1"] == pair["f1"] > people["chance"]


def test_a_metric_and_a_file_of_marks(ratings: Path, tmp_path: Path) -> None:
    comet = {
        f"out/{output.name}.txt": [
            {
                "src": document.source[segment],
                "mt": text,
                "COMET": 0.5,
                "errors": [{"severity": "major", "start": 0, "end": (text or "").find(" ")}],
            }
            for document in SAMPLE.testset.documents
            for segment, text in enumerate(output.documents[document.id])
        ]
        for output in SAMPLE.outputs
    }
    file = tmp_path / "xcomet.json"
    file.write_text(json.dumps(comet), encoding="utf-8")
    arguments = ("spans", CS, "--human", str(ratings), "--marks", f"X={file}", "-m", "ltcr", "-q")
    marks, ltcr, *_ = records(*arguments, *QUICK)
    assert (marks["name"], marks["readings"], marks["lacking"]) == ("X", 318, 0)
    assert marks["any_precision"] == 1.0
    assert marks["f1"] == pytest.approx(marks["any_f1"] / 2)
    assert (ltcr["name"], ltcr["f1"]) == ("ltcr", None)
    table = run(*arguments, *QUICK)
    assert "–: its marks state no severity" in table


def test_scores_without_evidence_are_no_marks(ratings: Path, tmp_path: Path) -> None:
    saved = tmp_path / "scores.jsonl"
    run("evaluate", CS, "-m", "bleu", "--save", str(saved), "-q")
    with pytest.raises(InputError, match="there is no evidence in translations"):
        run("spans", CS, "--human", str(ratings), "--scores", str(saved))


# --- preferences ---------------------------------------------------------------------------------


def test_preferences_of_documents(tmp_path: Path) -> None:
    path = tmp_path / "said.tsv"
    rows = [
        f"{document.id}\tsteady\ttangled\t{'steady' if n else 'tie'}\tanna"
        for document in SAMPLE.testset.documents
        for n in range(3)
    ]
    path.write_text("\n".join(["doc\tfirst\tsecond\tpreferred\tannotator", *rows]) + "\n")
    arguments = ("preferences", CS, "--human", str(path), "-m", "bleu,chrf", "--resamples", "50")
    assert {found["metric"]: found["accuracy"] for found in records(*arguments, "-q")} == {
        "bleu": 1.0,
        "chrf": 1.0,
    }
    shown = run(*arguments)
    assert "24 preferences in 8 documents, 1 annotator" in shown
    assert "ties alone give 0.333" in shown
    with pytest.raises(InputError, match="there are no scores to judge"):
        run("preferences", CS, "--human", str(path))


# --- documents as wholes -------------------------------------------------------------------------


def test_scores_of_whole_documents_have_a_task_of_their_own(shared_data: Path) -> None:
    folder = shared_data / "wmt22-documents" / "en-zh"
    human = ("--human", f"{folder / 'appraise.csv'}:da-document", "-m", "chrf", "--resamples", "50")
    found = records("metaeval", str(folder), *human, "-q", "--draws", "20")
    assert {each["level"] for each in found} == {"document", "system"}
    pearson = next(each for each in found if each["statistic"] == "pearson")
    shown = records("metaeval", str(folder), "--passages", *human, "-q", "--draws", "20")
    more = next(each for each in shown if each["statistic"] == "pearson")
    assert more["count"] > pearson["count"] > 2
    with pytest.raises(InputError, match="stored scores are of whole documents"):
        run("metaeval", str(folder), "--passages", "--stored", *human)
    with pytest.raises(InputError, match="--human must name one"):
        run("metaeval", str(folder), "--passages", "--human", "mqm", "-m", "chrf")


# --- the share of the ceiling, the best systems, parts -------------------------------------------


def test_shares_of_the_ceiling_where_raters_are_named(shared_data: Path) -> None:
    folder = shared_data / "wmt22-documents" / "zh-en"
    arguments = ("metaeval", str(folder), "--human", f"{folder / 'appraise.csv'}:da", "-m", "chrf")
    quick = ("-q", "--draws", "0", "--resamples", "20")
    found = json.loads(run(*arguments, *quick, "-o", "json"))
    tops = {each["statistic"]: each["value"] for each in found["ceilings"]}
    pearson = next(each for each in found["results"] if each["statistic"] == "pearson")
    share = pearson["value"] / tops["segment pearson"]
    assert 0 < share < 1
    assert pearson["share_of_ceiling"] == pytest.approx(share)
    _, table = run(*arguments, *quick).split("How far from chance to where people agree")
    assert table.splitlines()[2].split()[:2] == ["chrf", f"{share:.0%}"]
    assert "How far from chance" not in run(*arguments, *quick, "--no-ceiling")


def test_the_best_systems_and_parts(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    task = tmp_path / "task.toml"
    pearson = '[[statistics]]\nname = "pearson"\nlevel = '
    task.write_text(f'{pearson}"system"\n{pearson}"segment"\n')
    arguments = ("metaeval", str(folder), "--human", "mqm", "--stored", "-q", "--task", str(task))
    asked = ("--draws", "0", "--resamples", "20", "--top-n", "--by", "domain", "--by", "position")
    found = json.loads(run(*arguments, *asked, "-o", "json"))
    best = {
        each["part"]: each["value"]
        for each in found["parts"]
        if (each["metric"], each["by"]) == ("BLEU-refA", "top-n")
    }
    assert [*best] == [str(n) for n in range(4, 13)]
    (overall,) = (
        each["value"]
        for each in found["results"]
        if (each["metric"], each["level"]) == ("BLEU-refA", "system")
    )
    assert best["12"] == pytest.approx(overall), "all systems are all systems"
    assert {each["by"] for each in found["parts"]} == {"top-n", "domain", "position"}
    shown = run(*arguments, *asked)
    assert "wmt23 en-de: system pearson, by the n best systems" in shown
    assert "best 12" in shown
    assert "judged segments: 126 (beginning), 108 (middle), 65 (end)" in shown
