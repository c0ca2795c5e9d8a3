"""Scoring a corpus: the scores are the metrics' own, every row is there once, bad rows are told."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

import isogloss
from isogloss.errors import FormatError, InputError, NotApplicableError
from isogloss.runtime import Runtime
from isogloss.scale import (
    Corpus,
    CorpusJob,
    CorpusSummary,
    ScoreRows,
    Threshold,
    score_corpus,
    stream_corpus,
)
from isogloss.scale.folder import Parts
from isogloss.scale.rows import Origin, RawRow

TEXT = "the cat sat on a mat while one dog ran over that red house and saw two birds"
WORDS = TEXT.split()
TWO = Runtime(jobs=2)
Row = dict[str, Any]


def made_rows(count: int) -> list[Row]:
    chance = random.Random(count)
    return [
        {
            "id": number,
            "source": f"číslo {number}",
            "mt": " ".join(chance.choices(WORDS, k=8)),
            "ref": " ".join(chance.choices(WORDS, k=8)),
        }
        for number in range(count)
    ]


def write_jsonl(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rows_in(folder: Path) -> Iterator[Row]:
    for part in sorted(folder.glob("part-*")):
        for line in part.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def job_of(path: Path, *metrics: str, rows_per_part: int = 10, **options: Any) -> CorpusJob:
    task = ScoreRows(metrics or ("chrf",), "cs", "en", **options)
    return CorpusJob(Corpus((str(path),)), task, rows_per_part)


def scores_by_evaluate(rows: Sequence[Row], metric: str) -> list[float | None]:
    collection = isogloss.from_texts(
        source=[row["source"] for row in rows],
        references={"ref": [row["ref"] for row in rows]},
        systems={"mt": [row["mt"] for row in rows]},
        source_language="cs",
        target_language="en",
    )
    table = isogloss.evaluate(collection, metric)
    return [s for d in table[metric, "mt"].documents for s in d.segment_scores]


def test_rows_come_back_with_the_scores_of_their_metrics(tmp_path: Path) -> None:
    rows = made_rows(25)
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    summary = score_corpus(job_of(path, "chrf,bleu"), tmp_path / "out", TWO)
    found = list(rows_in(tmp_path / "out"))
    for metric in ("chrf", "bleu"):
        assert [row.pop(metric) for row in found] == scores_by_evaluate(rows, metric)
    assert found == rows
    assert (summary.rows, summary.kept) == (25, 25)
    assert len(list((tmp_path / "out").glob("part-*"))) == 3
    told = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert told["scores"]["chrf"]["scored"] == 25


@pytest.mark.parametrize("metric", ["prism", "prism-src", "mqm"])
def test_models_score_rows_as_they_score_segments(metric: str, tmp_path: Path) -> None:
    rows = made_rows(6)
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    score_corpus(job_of(path, metric), tmp_path / "out", Runtime())
    found = [row[metric] for row in rows_in(tmp_path / "out")]
    assert found == scores_by_evaluate(rows, metric)


def test_rows_are_kept_by_their_scores(tmp_path: Path) -> None:
    rows = made_rows(40)
    expected = [s for s in scores_by_evaluate(rows, "chrf") if s is not None and 30 <= s <= 50]
    assert 0 < len(expected) < 40
    keep = (Threshold("chrf", 30.0), Threshold("chrf", 50.0, above=False))
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    summary = score_corpus(job_of(path, keep=keep), tmp_path / "out", TWO)
    assert [row["chrf"] for row in rows_in(tmp_path / "out")] == expected
    assert (summary.rows, summary.kept) == (40, len(expected))


def test_a_row_without_a_text_has_no_score_and_is_not_kept(tmp_path: Path) -> None:
    rows = [*made_rows(2), {"source": "x", "mt": None, "ref": "a cat"}]
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    score_corpus(job_of(path), tmp_path / "all", Runtime())
    assert [row["chrf"] is None for row in rows_in(tmp_path / "all")] == [False, False, True]
    keep = (Threshold("chrf", 0.0),)
    score_corpus(job_of(path, keep=keep), tmp_path / "kept", Runtime())
    assert [row["id"] for row in rows_in(tmp_path / "kept")] == [0, 1]


def test_the_stream_is_what_the_parts_hold(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "rows.jsonl", made_rows(35))
    score_corpus(job_of(path), tmp_path / "out", TWO)
    streamed = b"".join(part.data for part in stream_corpus(job_of(path), TWO)).decode()
    assert list(map(json.loads, streamed.splitlines())) == list(rows_in(tmp_path / "out"))


@pytest.mark.parametrize("kind", ["tsv", "headless", "jsonl.zst", "parquet"])
def test_every_format_gives_the_same_scores(kind: str, tmp_path: Path) -> None:
    rows = made_rows(12)
    corpus = Corpus((str(tmp_path / kind),))
    lines = ["\t".join(map(str, row.values())) for row in rows]
    if kind == "tsv":
        (tmp_path / kind).write_text("\n".join(["\t".join(rows[0]), *lines]), encoding="utf-8")
    elif kind == "headless":
        (tmp_path / kind).write_text("\n".join(lines), encoding="utf-8")
        corpus = Corpus(corpus.paths, "tsv", ("id", "source", "target", "ref"))
    elif kind == "jsonl.zst":
        plain = write_jsonl(tmp_path / "rows.jsonl", rows)
        (tmp_path / kind).write_bytes(zstandard.compress(plain.read_bytes()))
    else:
        pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / kind)
    job = CorpusJob(corpus, ScoreRows(("chrf",), "cs", "en"), 5)
    score_corpus(job, tmp_path / "out", Runtime())
    assert [r["chrf"] for r in rows_in(tmp_path / "out")] == scores_by_evaluate(rows, "chrf")


def test_parquet_parts_have_one_schema(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    rows = [{**row, "note": "x" if row["id"] > 5 else None} for row in made_rows(12)]
    rows[11]["mt"] = None
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    score_corpus(job_of(path, rows_per_part=6, format="parquet"), tmp_path / "out", Runtime())
    tables = [parquet.read_table(part) for part in sorted((tmp_path / "out").glob("*.parquet"))]
    assert tables[0].schema == tables[1].schema
    assert [row for table in tables for row in table.drop("chrf").to_pylist()] == rows
    assert tables[1]["chrf"].null_count == 1


def test_a_bad_row_stops_with_its_line(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "rows.jsonl", made_rows(15))
    with path.open("a") as file:
        file.write('{"source": "x", "mt": 3, "ref": "y"}\n')
    with pytest.raises(FormatError, match=r"rows.jsonl:16: 'mt' is not a text: 3"):
        score_corpus(job_of(path), tmp_path / "out", TWO)


BAD = {
    "{not json": "not JSON at column 2",
    '["a"]': "not a JSON object",
    "": "a blank line",
    '{"source": "x", "mt": "y"}': "there is no column 'reference'",
    '{"source": "x", "mt": "y", "ref": "z", "chrf": 1}': "there is a column 'chrf' already",
}


def test_bad_rows_are_left_out_and_listed_where_that_is_asked_for(tmp_path: Path) -> None:
    rows = made_rows(4)
    path = tmp_path / "rows.jsonl"
    lines = [json.dumps(row) for row in rows]
    wrong = [line.encode() for line in BAD]
    mixed = [lines[0].encode(), *wrong, b'{"source": "\xff"}', *map(str.encode, lines[1:])]
    path.write_bytes(b"\n".join(mixed) + b"\n")
    summary = score_corpus(job_of(path, skip_bad_rows=True), tmp_path / "out", Runtime())
    assert [row["id"] for row in rows_in(tmp_path / "out")] == [0, 1, 2, 3]
    told = {problem.line: problem.why for problem in summary.problems}
    for line, why in enumerate([*BAD.values(), "byte 0xff is not UTF-8"], 2):
        assert why in told[line]
    assert summary.not_scored == len(BAD) + 1


def test_what_was_begun_goes_on_and_no_part_is_made_twice(tmp_path: Path) -> None:
    path, out = write_jsonl(tmp_path / "rows.jsonl", made_rows(50)), tmp_path / "out"
    whole = score_corpus(job_of(path), out, TWO)
    before = {part.name: part.stat().st_mtime_ns for part in out.glob("part-*")}
    (out / "done" / "000001.json").unlink()
    (out / "part-000001.jsonl").write_text("half a ro")
    (out / "part-000003.jsonl").unlink()
    (out / "done" / "000003.json").unlink()
    (out / ".isogloss-0123456789abcdef.part").write_text("left over")
    again = score_corpus(job_of(path), out, TWO)
    after = {part.name: part.stat().st_mtime_ns for part in out.glob("part-*")}
    assert again == whole
    assert [row["id"] for row in rows_in(out)] == list(range(50))
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"part-000001.jsonl", "part-000003.jsonl"}
    assert not list(out.glob(".isogloss*"))


def test_another_job_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    path, out = write_jsonl(tmp_path / "rows.jsonl", made_rows(12)), tmp_path / "out"
    job = job_of(path)
    score_corpus(job, out, Runtime())
    with pytest.raises(InputError, match="was begun with rows_per_part 10, not 5"):
        score_corpus(replace(job, rows_per_part=5), out, Runtime())
    with pytest.raises(InputError, match="was begun with keep"):
        score_corpus(job_of(path, keep=(Threshold("chrf", 1.0),)), out, Runtime())
    write_jsonl(path, [*made_rows(12)[1:], *made_rows(1)])
    with pytest.raises(InputError, match="the input has changed"):
        score_corpus(job, out, Runtime())


def test_a_job_that_ended_before_its_first_part_leaves_the_folder_to_another(
    tmp_path: Path,
) -> None:
    path, out = tmp_path / "rows.jsonl", tmp_path / "out"
    write_jsonl(path, [{"id": 0, "mt": "a cat"}])
    with pytest.raises(FormatError, match="there is no column"):
        score_corpus(job_of(path), out, Runtime())
    assert (out / "job.json").exists()
    write_jsonl(path, made_rows(12))
    assert score_corpus(job_of(path, "bleu"), out, Runtime()).rows == 12


PROGRAM = """
import sys
from pathlib import Path
from isogloss.runtime import Runtime
from isogloss.scale import Corpus, CorpusJob, ScoreRows, score_corpus

if __name__ == "__main__":
    job = CorpusJob(Corpus((sys.argv[1],)), ScoreRows(("chrf",), "cs", "en"), 20)
    score_corpus(job, Path(sys.argv[2]), Runtime(jobs=2))
"""


def test_a_killed_program_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """The reading process is killed again and again; its workers go with it."""
    count = 2000
    path, out = write_jsonl(tmp_path / "rows.jsonl", made_rows(count)), tmp_path / "out"
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), str(path), str(out)]
    kills = 0
    while kills < 3:
        running = subprocess.Popen(command)
        wanted = len(list(out.glob("part-*"))) + 3
        while len(list(out.glob("part-*"))) < wanted and running.poll() is None:
            time.sleep(0.01)
        assert running.poll() is None, "it was done before it could be killed"
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        kills += 1
    subprocess.run(command, check=True)
    assert [row["id"] for row in rows_in(out)] == list(range(count))
    assert json.loads((out / "summary.json").read_text())["rows"] == count


def test_a_stream_gets_its_scores_before_the_next_row_comes() -> None:
    command = [sys.executable, "-m", "isogloss", "score-corpus", "-", "-m", "chrf", "-q", "-j", "2"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*command, "--rows-per-part", "1"], **pipes) as running:  # type: ignore[call-overload]
        watchdog = threading.Timer(120, running.kill)
        watchdog.start()
        for row in made_rows(3):
            running.stdin.write(json.dumps(row).encode() + b"\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline() or b"{}").get("id") == row["id"]
        running.send_signal(signal.SIGINT)  # while it waits for a row that never comes
        assert running.wait(60) == 130
        watchdog.cancel()


def test_a_row_that_kills_workers_is_listed_and_has_no_score(tmp_path: Path) -> None:
    row = RawRow(Origin("rows.jsonl"), 7, json.dumps(made_rows(1)[0]).encode(), poisonous=True)
    part = ScoreRows(("chrf",), "cs", "en")([row])
    assert json.loads(part.data)["chrf"] is None
    assert [(problem.line, problem.why) for problem in part.problems] == [
        (7, "workers died of it, or hung; it has no score")
    ]
    parts = Parts(tmp_path, "jsonl")
    parts.begin({})
    assert parts.add(0, [row], part) == next(parts.notes())


def test_how_much_of_the_input_is_read_is_told_where_it_can_be_known(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "rows.jsonl", made_rows(30))
    packed = tmp_path / "rows.jsonl.zst"
    packed.write_bytes(zstandard.compress(path.read_bytes()))
    for file, last in ((path, 1.0), (packed, None)):
        told: list[CorpusSummary] = []
        score_corpus(job_of(file), tmp_path / f"{file.name}.out", Runtime(), told.append)
        assert told[-1].share == last


def test_the_summary_says_which_threshold_keeps_how_many(tmp_path: Path) -> None:
    rows = made_rows(400)
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    whole = score_corpus(job_of(path, rows_per_part=90), tmp_path / "all", TWO)
    told = json.loads((tmp_path / "all" / "summary.json").read_text())["scores"]["chrf"]
    assert [told["quantiles"][share] for share in ("0.25", "0.75")] == [
        whole.tallies[0][1].quantile(share) for share in (0.25, 0.75)
    ]
    scores = sorted(s for s in scores_by_evaluate(rows, "chrf") if s is not None)
    assert told["quantiles"]["0.25"] == pytest.approx(scores[99], rel=0.005)
    keep = (Threshold("chrf", told["quantiles"]["0.25"]),)
    kept = score_corpus(job_of(path, rows_per_part=90, keep=keep), tmp_path / "kept", TWO).kept
    assert kept == pytest.approx(300, abs=4)


@pytest.mark.parametrize("metric", ["ltcr", "prism(context=2)", "cohesion"])
def test_metrics_of_documents_are_refused(metric: str, tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "rows.jsonl", made_rows(2))
    with pytest.raises(NotApplicableError, match="document"):
        score_corpus(job_of(path, metric), tmp_path / "out", Runtime())


def test_machines_that_compute_otherwise_are_refused() -> None:
    rows = [RawRow(Origin("rows.jsonl"), 1, json.dumps(made_rows(1)[0]).encode())]
    task = ScoreRows(("chrf",), "cs", "en", signatures=("chrf|elsewhere",))
    with pytest.raises(InputError, match="take machines of one kind"):
        task(rows)


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (lambda: Corpus(()), "nothing to read"),
        (lambda: Corpus(("a",), "xml"), "unknown format 'xml'"),
        (lambda: Corpus(("a",), None, ("a", "a")), "named twice"),
        (lambda: CorpusJob(Corpus(("a",)), ScoreRows(("chrf",)), 0), "at least one row"),
        (lambda: CorpusJob(Corpus(("a",)), ScoreRows(())), "no metric"),
        (
            lambda: CorpusJob(Corpus(("a",)), ScoreRows(("chrf",), keep=(Threshold("bleu", 1.0),))),
            "kept by 'bleu', which is not scored; scored are: chrf",
        ),
    ],
)
def test_impossible_jobs_are_refused(job: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        job()


def test_columns_can_be_named(tmp_path: Path) -> None:
    rows = [{"Deutsch": "x", "English": row["mt"], "ref": row["ref"]} for row in made_rows(3)]
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    columns = (("source", "Deutsch"), ("output", "English"))
    score_corpus(job_of(path, columns=columns), tmp_path / "out", Runtime())
    found = [row["chrf"] for row in rows_in(tmp_path / "out")]
    assert found == scores_by_evaluate(made_rows(3), "chrf")
    with pytest.raises(InputError, match="'system' means nothing here"):
        ScoreRows(("chrf",), columns=(("system", "x"),))([])
