"""Any command as a metric."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import isogloss
from isogloss.errors import FormatError, InputError, MetricOptionError
from isogloss.metrics import Metric, load_metric, metric_of_signature
from isogloss.signature import MetricName

LENGTHS = """
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    reference = row["references"]["ref"]
    print(json.dumps({"score": len(row["output"]) / len(reference)}))
"""
COLUMNS = """
import csv, sys
rows = csv.DictReader(sys.stdin, delimiter="\\t", quoting=csv.QUOTE_NONE)
print("score")
for row in rows:
    print(row["segment"] if row["segment"] != "2" else "none")
"""


@pytest.fixture(scope="module")
def collection() -> isogloss.Collection:
    return isogloss.load_sample("cs-en").with_systems(["steady", "tangled"])


def external(tmp_path: Path, program: str, **options: str) -> Metric:
    script = tmp_path / "metric.py"
    script.write_text(program, "utf-8")
    return load_metric(MetricName("external", {"command": f"{sys.executable} {script}", **options}))


def test_a_command_scores_every_segment(collection: isogloss.Collection, tmp_path: Path) -> None:
    table = isogloss.evaluate(collection, [external(tmp_path, LENGTHS), "chrf"])
    row = table.rows[0]
    expected = [
        len(output) / len(document.references["ref"][i])  # type: ignore[arg-type]
        for document in collection.testset.documents
        for i, output in enumerate(collection.outputs[0].documents[document.id])
    ]
    found = [score for document in row.documents for score in document.segment_scores]
    assert found == pytest.approx(expected)
    assert row.score == pytest.approx(sum(expected) / len(expected))
    # Saved, it is compared without being run again.
    isogloss.write_scores(table, tmp_path / "s.jsonl")
    (tmp_path / "metric.py").unlink()
    saved = isogloss.read_scores(tmp_path / "s.jsonl")
    assert isogloss.compare(saved)[0].pairs == isogloss.compare(table)[0].pairs


def test_it_reads_tables_too(collection: isogloss.Collection, tmp_path: Path) -> None:
    metric = external(tmp_path, COLUMNS, format="tsv", better="lower")
    first = collection.testset.documents[0]
    output = collection.outputs[0]
    lines = ("a\tb", *output.documents[first.id][1:])
    tabbed = replace(output, documents={**output.documents, first.id: lines})
    table = isogloss.evaluate(replace(collection, outputs=(tabbed,)), [metric])
    (row,) = table.rows
    assert row.documents[0].segment_scores[:3] == (1.0, None, 3.0)
    assert row.scored == row.total - len(row.documents)
    assert any("the command gave no score" in notice for notice in table.provenance.notices)
    assert any("tabs or line breaks became spaces in 1 segment" in n
               for n in table.provenance.notices)  # fmt: skip
    assert not table.metrics[0].higher_is_better


def test_a_changed_script_is_another_metric(
    collection: isogloss.Collection, tmp_path: Path
) -> None:
    one = external(tmp_path, LENGTHS).signature(collection.testset)
    other = external(tmp_path, COLUMNS).signature(collection.testset)
    assert one.metric == other.metric
    assert str(one) != str(other)
    assert metric_of_signature(str(one)).name == one.metric


def test_a_version_is_a_promise_that_scores_stay(
    collection: isogloss.Collection, tmp_path: Path
) -> None:
    told = tmp_path / "runs"
    program = f"print('once more', file=open({str(told)!r}, 'a'))\n{LENGTHS}"
    runtime = isogloss.Runtime(cache=tmp_path / "cache")

    def runs(**options: str) -> int:
        isogloss.evaluate(collection, [external(tmp_path, program, **options)], runtime=runtime)
        return len(told.read_text("utf-8").splitlines())

    assert [runs(), runs()] == [1, 2]
    assert [runs(version="1"), runs(version="1"), runs(version="2")] == [3, 3, 4]
    program += "# another script\n"
    assert runs(version="1") == 5


@pytest.mark.parametrize(
    ("program", "complaint"),
    [
        ("print(1)", "wrote 1 lines for 106 rows"),
        ("import sys; sys.exit('no model')", "ended with exit code 1: no model"),
        ("for _ in range(106): print('good')", "line 1 of the output .* is no score: 'good'"),
        ("for _ in range(106): print('1e999')", "is no score"),
    ],
)
def test_what_a_command_does_wrong_is_said(
    collection: isogloss.Collection, tmp_path: Path, program: str, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        isogloss.evaluate(collection, [external(tmp_path, program)])


def test_a_command_has_to_be_there(collection: isogloss.Collection) -> None:
    with pytest.raises(MetricOptionError, match="external needs a command"):
        isogloss.evaluate(collection, "external")
    with pytest.raises(InputError, match="'no-such-program' cannot be run"):
        isogloss.evaluate(collection, "external(command=no-such-program)")


@pytest.mark.parametrize("name", ["external(command=ls)", "hybrid(a=external(command=ls),b=bleu)"])
def test_a_file_of_weights_runs_no_command(tmp_path: Path, name: str) -> None:
    parts = [{"metric": name, "weight": 1}, {"metric": "bleu", "weight": 1}]
    content = {"isogloss": "hybrid", "version": 1, "parts": parts}
    (tmp_path / "w.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="would run a program that a file names"):
        load_metric(f"hybrid(weights={tmp_path / 'w.json'})")
