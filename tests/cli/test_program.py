"""The program as a person meets it: started as a process, judged by what it prints."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from isogloss.cli.lazy import LazyCommands
from isogloss.cli.main import app
from isogloss.formats import read_collection, write_judgements
from isogloss.judgements import Judgement, Judgements
from isogloss.sample import sample_path
from program import run_program

CS = sample_path("cs-en")
SOURCE = CS / "source.txt"


def isogloss(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_program(*arguments, **{"COLUMNS": "100", **environment})


def succeeded(*arguments: object) -> str:
    done = isogloss(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def complaint(*arguments: object) -> str:
    """The one line that a user's mistake gives."""
    done = isogloss(*arguments)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    (line,) = done.stderr.strip().split("\n")
    return line


def loose_files(folder: Path = CS, system: str = "steady") -> list[object]:
    return [
        *("--source", folder / "source.txt", "--documents", folder / "documents.tsv"),
        *("--reference", folder / "ref.txt", "--system", folder / f"{system}.txt"),
    ]


def test_the_whole_journey(tmp_path: Path) -> None:
    saved = tmp_path / "scores.jsonl.zst"
    table = succeeded("evaluate", CS, "-m", "bleu,chrf", "--save", saved)
    lines = table.splitlines()
    assert lines[0].startswith("sample-cs-en · cs → en · 8 documents")
    assert lines[1].startswith("steady comes first: ahead of all others on both bleu and chrf;")
    assert [line.split()[0] for line in lines[3:6]] == ["steady", "shifting", "tangled"]
    assert re.fullmatch(
        r"signatures: bleu [0-9a-f]{8} · chrf [0-9a-f]{8} \(whole with --signatures\)", lines[-1]
    )
    whole = succeeded("compare", saved, "--signatures").splitlines()
    assert any(line.startswith("bleu|nrefs:1|") for line in whole)
    compared = json.loads(succeeded("compare", saved, "-o", "json"))
    assert {(r["first"], r["second"]) for r in compared["results"] if r["metric"] == "bleu"} == {
        ("steady", "shifting"),
        ("steady", "tangled"),
        ("shifting", "tangled"),
    }
    assert compared["settings"]["blocks"] == "documents"
    assert "row against column" in succeeded("compare", saved, "-m", "chrf")


def test_loose_files_and_a_manifest_give_the_same_scores() -> None:
    from_manifest = json.loads(
        succeeded("evaluate", CS, "--use-system", "steady", "-o", "json", "-q")
    )
    from_files = json.loads(
        succeeded("evaluate", *loose_files(), "--from", "cs", "--to", "en", "-o", "json", "-q")
    )
    assert from_files["results"] == from_manifest["results"]
    digests = {x["provenance"]["testset_digest"] for x in (from_files, from_manifest)}
    assert len(digests) == 1


@pytest.mark.parametrize(("level", "rows"), [("system", 3), ("document", 24), ("segment", 159)])
def test_levels_and_forms(level: str, rows: int) -> None:
    arguments = ("evaluate", CS, "-m", "chrf", "--level", level, "-q")
    tsv = succeeded(*arguments, "-o", "tsv").splitlines()
    assert len(tsv) == rows + 1
    jsonl = [json.loads(line) for line in succeeded(*arguments, "-o", "jsonl").splitlines()]
    assert len(jsonl) == rows
    assert tsv[0].split("\t") == list(jsonl[0])
    assert tsv[1].split("\t")[1] == jsonl[0]["system"]
    assert len(json.loads(succeeded(*arguments, "-o", "json"))["results"]) == rows
    latex = succeeded(*arguments, "-o", "latex")
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    assert "%" not in latex.split(r"\midrule")[1].split(r"\bottomrule")[0]
    assert succeeded(*arguments).startswith("sample" if level == "system" else "chrf")


def test_demo_scores_both_samples_and_says_last_what_it_wrote(tmp_path: Path) -> None:
    done = isogloss("demo", "--save", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "sample-cs-en" in done.stdout
    assert "sample-zh-en" in done.stdout
    said = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert [line.partition(" ")[2][:6] for line in said] == ["scores", "report"] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "sample-cs-en.html",
        "sample-cs-en.jsonl",
        "sample-zh-en.html",
        "sample-zh-en.jsonl",
    ]


def test_convert_there_and_back(tmp_path: Path) -> None:
    succeeded("convert", CS, tmp_path / "a.xml")
    succeeded("convert", tmp_path / "a.xml", tmp_path / "b.jsonl.gz")
    succeeded("convert", tmp_path / "b.jsonl.gz", tmp_path / "c", "--into", "text")
    for name in ("source.txt", "documents.tsv"):
        assert (tmp_path / "c" / name).read_bytes() == (CS / name).read_bytes()
    assert "exists already" in complaint("convert", CS, tmp_path / "a.xml")
    succeeded("convert", CS, tmp_path / "a.xml", "--overwrite")
    assert "name it with --into" in complaint("convert", CS, tmp_path / "d")
    succeeded("convert", tmp_path / "loose.tsv", *loose_files())


@pytest.mark.parametrize("what", ["metrics", "languages", "formats"])
def test_lists(what: str) -> None:
    records = json.loads(succeeded("list", what, "-o", "json"))["results"]
    assert len(records) >= 4
    assert str(next(iter(records[0].values()))) in succeeded("list", what)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the sample's loose files, to be broken by a test."""
    for file in CS.glob("*.t*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_a_missing_line_is_one_clear_line(broken: Path) -> None:
    steady = broken / "steady.txt"
    steady.write_text("\n".join(steady.read_text().split("\n")[1:]))
    line = complaint("evaluate", *loose_files(broken))
    assert "steady.txt has 52 lines" in line
    assert "source.txt has 53" in line
    assert "one line per source segment" in line


def test_a_wrong_document_id_is_one_clear_line(broken: Path) -> None:
    ids = (broken / "documents.tsv").read_text().split("\n")
    ids[10] = ids[0]
    (broken / "documents.tsv").write_text("\n".join(ids))
    line = complaint("evaluate", *loose_files(broken))
    assert "documents.tsv:11: document" in line


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "steady.txt: the file is empty"),
        (b"line\n\x89PNG\r\n\x1a\n\x00", "steady.txt:2: byte 0x89 is not UTF-8"),
        (b"line\nx\x00y", "steady.txt:2: a NUL byte: this is a binary file"),
        (b"\x1f\x8b\x08\x00cut", "steady.txt: cannot be decompressed"),
    ],
)
def test_unusable_files_are_one_clear_line(broken: Path, content: bytes, expected: str) -> None:
    (broken / "steady.txt").write_bytes(content)
    assert expected in complaint("evaluate", *loose_files(broken))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("evaluate", CS, "-m", "bleuu"), "there is no metric 'bleuu'; did you mean 'bleu'?"),
        (("evaluate", CS, "-m", "bleu(x=1)"), "bleu has no option 'x'; it has: tokenize"),
        (("evaluate", CS, "-m", "bleu("), "cannot read the metric name 'bleu('"),
        (("evaluate",), "name a TESTSET, or loose files"),
        (("evaluate", CS, "--source", "x"), "not both"),
        (("evaluate", "no-such-file"), "no-such-file: no such file"),
        (("evaluate", CS, "--use-system", "x"), "there are: steady, shifting, tangled"),
        (("evaluate", CS, "--use-reference", "x"), "has no reference 'x'; it has: ref"),
        (("evaluate", CS, "--column", "x"), "--column takes OURS=THEIRS"),
        (("evaluate", CS, "--resamples", "0"), "at least one resample"),
        (("evaluate", CS / "source.txt"), "(--source, --reference, --system)"),
        (("compare", CS / "source.txt"), "a file with scores is needed"),
        (("evaluate", CS, "--nonsense"), "No such option: --nonsense"),
        (("nonsense",), "No such command 'nonsense'; see 'isogloss --help'"),
        (("evaluat", CS), "No such command 'evaluat'; did you mean 'evaluate'?"),
        (("evaluate", CS, "-o", "excel"), "'excel' is not one of 'table', 'json'"),
        (("evaluate", CS, CS), "see 'isogloss evaluate --help'"),
        (("compare", CS), "make them with 'isogloss evaluate --save'"),
        (
            ("evaluate", "-s", SOURCE, "-t", SOURCE),
            ": bleu, chrf: needs a reference, and test set 'cs-en' has none (--reference)",
        ),
        (("explain", SOURCE, "steady", "shifting"), "two systems come first"),
    ],
)
def test_mistakes_are_one_clear_line(arguments: tuple[object, ...], expected: str) -> None:
    assert expected in complaint(*arguments)


def test_one_system_has_no_rank() -> None:
    shown = succeeded("evaluate", *loose_files())
    assert shown.splitlines()[1].split() == [
        "system",
        "bleu",
        "↑",
        "interval",
        "chrf",
        "↑",
        "interval",
    ]
    assert "rank cluster" not in shown


def test_what_holds_of_every_metric_is_said_once(tmp_path: Path) -> None:
    saved = tmp_path / "scores.jsonl"
    succeeded("evaluate", CS, "-m", "bleu,chrf,ter", "--save", saved)
    shown = succeeded("compare", saved)
    assert shown.count("row against column") == 3
    assert shown.count("p is each pair's own") == 1
    assert not re.search(r" $", shown, re.MULTILINE)  # nobody wants blanks that fill columns


def test_debug_shows_where_it_went_wrong() -> None:
    done = isogloss("--debug", "evaluate", "no-such-file")
    assert "Traceback" in done.stderr
    assert "FormatError" in done.stderr


def test_results_can_be_piped_into_something_that_stops_reading() -> None:
    command = f"{sys.executable} -m isogloss evaluate {CS} -q -l segment -o tsv | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True)
    assert done.stdout.startswith(b"metric\tsystem\tdocument\tsegment\tscore")
    assert done.stderr == b""


def test_help_teaches() -> None:
    shown = succeeded("evaluate", "--help")
    for word in ("isogloss evaluate testset.toml", "--reference", "interval", "list metrics"):
        assert word in shown
    assert "isogloss demo" in succeeded("--help")
    assert succeeded("--version").startswith("isogloss ")


def test_completion_knows_the_metrics() -> None:
    done = isogloss(
        _ISOGLOSS_COMPLETE="complete_bash", COMP_WORDS="isogloss evaluate -m chr", COMP_CWORD="3"
    )
    assert done.stdout.split() == ["chrf", "chrf++"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as an mt-metrics-eval folder with human scores: shorter than average is worse."""
    folder = tmp_path_factory.mktemp("judged") / "set"
    succeeded("convert", CS, folder, "--into", "mtme")
    lines = []
    for system in ("steady", "shifting", "tangled"):
        worth = {"steady": 3.0, "shifting": 2.0, "tangled": 1.0}[system]
        for i, text in enumerate((CS / f"{system}.txt").read_text().splitlines()):
            lines.append(f"{system}\t{worth + len(text) / 1000 + i % 3}\n")
    scores = folder / "human-scores" / "cs-en.made.seg.score"
    scores.parent.mkdir()
    scores.write_text("".join(lines))
    return folder


def test_meta_evaluation(judged: Path, tmp_path: Path) -> None:
    arguments = ("metaeval", judged, "--human", "made", "-m", "bleu,ter", "--resamples", "50")
    shown = succeeded(*arguments, "--plots", tmp_path / "plots", "-q")
    assert shown.startswith("set cs-en: made, 3 systems, 53 segments, 8 documents")
    assert any(path.suffix == ".svg" for path in (tmp_path / "plots").iterdir())
    found = json.loads(succeeded(*arguments, "--task", "wmt23", "-q", "-o", "json"))
    accuracy = [r for r in found["results"] if r["statistic"] == "pairwise-accuracy"]
    assert {r["metric"]: r["value"] for r in accuracy} == {"bleu": 1.0, "ter": 1.0}
    assert found["task"] == "wmt23"
    assert "there is no task 'wmt99'" in complaint(*arguments, "--task", "wmt99")
    assert "there are no scores to judge" in complaint("metaeval", judged, "--human", "made")
    assert "there are: made" in complaint("metaeval", judged, "--human", "mqm", "-m", "bleu")


def test_two_campaigns_beside_each_other_have_a_ceiling(judged: Path) -> None:
    """Where the second says the same of the first half, and nothing else, people agree wholly."""
    first = judged / "human-scores" / "cs-en.made.seg.score"
    rows = [line.split("\t") for line in first.read_text().splitlines()]
    again = [(system, score if i % 53 < 26 else "None") for i, (system, score) in enumerate(rows)]
    second = first.with_name("cs-en.again.seg.score")
    second.write_text("".join(f"{system}\t{score}\n" for system, score in again))
    options = ("-m", "bleu", "--draws", "0", "-q", "-o", "json")
    found = [
        json.loads(succeeded("metaeval", judged, "--human", human, *options))
        for human in ("made", "made,again")
    ]
    assert {each["value"] for each in found[0]["ceilings"]} == {None}
    people = {each["statistic"]: each for each in found[1]["ceilings"]}
    assert people["segment pearson"]["value"] == pytest.approx(1.0)
    assert people["segment pearson"]["count"] == 3 * 26
    alone, together = (each["results"][0]["value"] for each in found)
    assert together == pytest.approx(alone)
    assert "there are: again, made" in complaint(
        "metaeval", judged, "--human", "made,other", "-m", "bleu"
    )


def test_a_file_of_judgements_is_found_beside_the_test_set(judged: Path) -> None:
    collection = read_collection(judged)
    said = [
        Judgement(system, document.id, 0, "anna", 0.0)
        for system in ("steady", "shifting", "tangled")
        for document in collection.testset.documents
    ]
    write_judgements(Judgements("mqm", tuple(said)), collection, judged / "ratings.tsv")
    shown = succeeded("metaeval", judged, "--human", "ratings.tsv", "-m", "bleu", "-q")
    assert shown.startswith("set cs-en: mqm, 3 systems, 8 segments, 8 documents")


def test_the_worth_of_a_difference(judged: Path) -> None:
    shown = succeeded("difference", "bleu", "10", judged, "--human", "made", "-m", "bleu")
    assert shown.startswith("bleu, documents of set: what people say (made)")
    assert "about 10.00" in shown


def test_scores_of_others_are_judged(judged: Path, tmp_path: Path) -> None:
    human = (judged / "human-scores" / "cs-en.made.seg.score").read_text()
    stored = tmp_path / "oracle-refA.seg.score"
    stored.write_text(human)
    rows = [line.split("\t") for line in human.splitlines()]
    table = tmp_path / "scores.tsv"
    table.write_text("system\tdouble\n" + "".join(f"{s}\t{2 * float(v)}\n" for s, v in rows))
    arguments = ("metaeval", judged, "--human", "made", "--scores", stored, "--scores", table)
    options = ("--resamples", "20", "--draws", "20", "--ceiling", "--without-outliers", "-q")
    found = json.loads(succeeded(*arguments, *options, "-o", "json"))
    segments = [r for r in found["results"] if r["level"] == "segment"]
    pearson = {r["metric"]: r["value"] for r in segments if r["statistic"] == "pearson"}
    assert pearson == pytest.approx({"oracle-refA": 1.0, "double": 1.0})
    assert {c["reason"] for c in found["ceilings"]} == {"no score names its annotator"}
    nobody = "no ceiling (people against people): no score names its annotator"
    assert nobody in succeeded(*arguments, *options)
    twice = ("metaeval", judged, judged, "--human", "made", "--scores", stored)
    assert "of which test set?" in complaint(*twice)


def test_references_as_systems_are_shown_beside_the_systems_alone(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    succeeded("convert", CS, folder, "--into", "mtme")
    systems = [*(p.stem for p in (folder / "system-outputs" / "cs-en").iterdir())]
    reference = next((folder / "references").iterdir()).stem.removeprefix("cs-en.")
    scores = folder / "human-scores" / "cs-en.made.seg.score"
    scores.parent.mkdir()
    names = [*systems, reference]
    scores.write_text(
        "".join(f"{name}\t{n + i % 5}\n" for n, name in enumerate(names) for i in range(53))
    )
    stored = tmp_path / "oracle-src.seg.score"
    stored.write_text(scores.read_text())
    arguments = ("metaeval", folder, "--human", "made", "--scores", stored, "--resamples", "20")
    shown = succeeded(*arguments, "--with-references", "-q")
    assert "made, 3 systems, 53 segments" in shown
    assert f"made, 3 systems and {reference}, 53 segments" in shown


def test_a_metric_that_cannot_score_leaves_the_others_and_exit_code_3(tmp_path: Path) -> None:
    saved, page = tmp_path / "scores.jsonl", tmp_path / "report.html"
    given = ["evaluate", *loose_files(), "--from", "cs", "--to", "th", "-m", "prism,bleu,chrf"]
    done = isogloss(*given, "--save", saved, "--report", page)
    assert done.returncode == 3
    lines = done.stdout.splitlines()
    assert lines[2].split()[:2] == ["steady", "–*"]
    assert any("signatures: bleu(tokenize=char) " in line for line in lines)
    (why,) = [line for line in lines if line.startswith("prism: not scored: ")]
    assert "isogloss model convert" in why
    assert "prism(model=" in why
    assert done.stderr.strip().endswith("isogloss: not scored: prism")
    assert page.stat().st_size
    told = isogloss(*given, "-o", "json", "-q")
    assert told.returncode == 3
    assert "isogloss: prism: not scored: the model" in told.stderr
    results = json.loads(told.stdout)["results"]
    assert [(r["metric"], r["score"] is None) for r in results] == [
        ("prism", True), ("bleu(tokenize=char)", False), ("chrf", False),
    ]  # fmt: skip
    assert "prism: not scored: the model" in succeeded("compare", saved)
    alone = complaint(*given[:-1], "prism")
    assert "does not know the language 'th'" in alone


def test_languages_that_are_none_are_refused() -> None:
    assert "--to: there is no language 'jp'; did you mean 'ja'?" in complaint(
        "evaluate", *loose_files(), "--from", "cs", "--to", "jp"
    )
    assert "--from: there is no language 'xx'" in complaint(
        "evaluate", *loose_files(), "--from", "xx", "--to", "en"
    )
    private = succeeded("evaluate", *loose_files(), "--from", "x-old-norse", "--to", "en", "-q")
    assert "x-old-norse → en" in private


@pytest.mark.parametrize(
    "command", [("evaluate", CS), ("metaeval", CS, "--human", "x"), ("tune", CS, "-m", "bleu")]
)
def test_a_seed_below_zero_is_told(command: tuple[object, ...]) -> None:
    assert "--seed" in complaint(*command, "--seed", "-1")


def test_the_list_of_commands_says_what_the_commands_say() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, LazyCommands)
    check_lines(group)
    check_lines(group.get_command(typer.Context(group), "annotate"))


def check_lines(group: LazyCommands) -> None:
    context = typer.Context(group)
    for name in group.entries:
        loaded = group.get_command(context, name)
        first = " ".join(inspect.cleandoc(loaded.help).split("\n\n")[0].split())
        with group._only_listed():
            assert group.get_command(context, name).help == first, name


def test_every_command_has_its_place_in_the_help() -> None:
    stray = re.search("─ Commands ─", isogloss("--help").stdout)
    assert stray is None, "name the command in _PANELS"


def test_what_a_metric_lacks_is_named_beside_those_that_scored() -> None:
    given = ("-r", CS / "ref.txt", "-t", CS / "steady.txt", "-m", "bleu,prism,prism-src")
    for form in ("table", "tsv"):
        done = isogloss("evaluate", *given, "-o", form)
        assert done.returncode == 3
        assert re.search(r"prism\b.*\(--to\).*prism-src\b.*\(--source\)", done.stderr, re.DOTALL)
