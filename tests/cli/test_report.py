"""``isogloss report`` and ``evaluate --report``, started as a person starts them."""

import csv
import io
import subprocess
from pathlib import Path

import pytest

from isogloss.sample import sample_path
from program import run_program

CS = sample_path("cs-en")


def isogloss(*arguments: object) -> subprocess.CompletedProcess[str]:
    return run_program(*arguments, COLUMNS="100")


def succeeded(*arguments: object) -> subprocess.CompletedProcess[str]:
    done = isogloss(*arguments)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Saved scores, with the report that was written along with them beside them."""
    path = tmp_path_factory.mktemp("report") / "scores.jsonl"
    report = path.with_name("evaluated.html")
    done = succeeded("evaluate", CS, "-m", "bleu,ter", "--save", path, "--report", report)
    assert f"report written to {report}" in done.stderr
    return path


def test_a_page_from_saved_scores_is_the_one_that_evaluate_writes(scores: Path) -> None:
    out = scores.with_name("deeper") / "report.html"
    done = succeeded("report", scores, "--testset", CS, "--out", out)
    assert f"report written to {out}" in done.stderr
    assert done.stdout == ""
    assert out.read_bytes() == scores.with_name("evaluated.html").read_bytes()
    assert "<title>sample-cs-en · isogloss report</title>" in out.read_text(encoding="utf-8")


def test_tables_for_pull_requests_and_papers(scores: Path, tmp_path: Path) -> None:
    markdown = succeeded("report", scores, "--format", "md").stdout.splitlines()
    assert markdown[0].startswith("**sample-cs-en · cs → en")
    assert markdown[2].startswith("steady comes first: ahead of all others on 1 of 2 metrics")
    assert markdown[4].startswith("| system | bleu ↑ | interval | # | ter ↓ |")
    assert markdown[5] == "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    assert markdown[6].startswith("| steady | 63.30 | \\[57.87, 68.73\\] | 1 |")
    latex = succeeded("report", scores, "--format", "latex").stdout
    assert r"steady & \textbf{63.30} & [57.87, 68.73] & 1 & \textbf{" in latex
    assert "% bleu|nrefs:1|" in latex
    assert latex.count(r"\begin{tabular}") == 3, "standings, and the pairs of each metric"
    out = tmp_path / "scores.csv"
    assert succeeded("report", scores, "--format", "csv", "--out", out).stdout == ""
    rows = list(csv.DictReader(io.StringIO(out.read_text(encoding="utf-8"))))
    assert [row["system"] for row in rows[:3]] == ["steady", "shifting", "tangled"]
    assert float(rows[0]["low"]) < float(rows[0]["score"]) < float(rows[0]["high"])


def test_several_test_sets_go_into_one_page(scores: Path, tmp_path: Path) -> None:
    other, out = tmp_path / "zh.jsonl", tmp_path / "report.html"
    zh = sample_path("zh-en")
    succeeded("evaluate", zh, "-m", "bleu,ter", "--save", other)
    succeeded("report", scores, other, "-t", zh, "-t", CS, "--out", out)
    page = out.read_text(encoding="utf-8")
    assert "<title>sample-cs-en · sample-zh-en · isogloss report</title>" in page
    for part in ("index", "0.overview", "1.overview", "1.document-0"):
        assert f'id="{part}"' in page
    table = succeeded("report", scores, other, "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["testset"] for row in rows] == ["sample-cs-en"] * 6 + ["sample-zh-en"] * 6
    lacking = isogloss("report", scores, other, "-t", CS, "-t", CS, "--out", out)
    assert lacking.returncode == 2
    assert "not of test set" in lacking.stderr


def test_every_plot_can_be_had_as_a_picture(scores: Path, tmp_path: Path) -> None:
    succeeded("report", scores, "--format", "csv", "--plots", tmp_path / "figures")
    names = {
        f"{metric}.{plot}"
        for metric in ("bleu", "ter")
        for plot in ("intervals", "wins", "documents")
    }
    expected = {f"{name}.{suffix}" for name in names for suffix in ("svg", "png")}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == expected


def test_mistakes_are_one_clear_line(scores: Path, tmp_path: Path) -> None:
    for arguments, expected in (
        ((scores,), "name them with --testset"),
        ((scores, "--testset", sample_path("zh-en")), "documents or their lengths differ"),
        ((scores, "--testset", CS, "--human", "mqm"), "human judgements"),
        ((CS / "source.txt",), "a file with scores is needed"),
    ):
        done = isogloss("report", *arguments, "--out", tmp_path / "report.html")
        assert done.returncode == 2, done.stderr
        (line,) = done.stderr.strip().split("\n")
        assert expected in line
