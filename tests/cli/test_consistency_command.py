"""``isogloss consistency``, ``chains`` and ``stability`` as a person meets them."""

import io
import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from isogloss.cli.main import main

LINES = {
    "source": ["医生 说 诊所", "诊所 医生 好", "医生 说", "诊所 好"],
    "ref": ["doctor says clinic", "clinic doctor good", "doctor says", "clinic good"],
    "steady": ["doctor says clinic", "clinic doctor nice", "doctor says", "clinic nice"],
    "shifting": ["doctor says clinic", "hospital medic nice", "surgeon tells", "ward good"],
    "documents": ["one", "one", "two", "two"],
}
MANIFEST = """\
name = "clinic"
source_language = "zh"
target_language = "en"
source = "source.txt"
documents = "documents.txt"
references = {ref = "ref.txt"}
systems = {steady = "steady.txt", shifting = "shifting.txt"}
"""
SPLIT = ("--source-words", "space", "--target-words", "space")


@pytest.fixture(scope="module")
def testset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve times the same four segments: enough for an aligner to learn them."""
    folder = tmp_path_factory.mktemp("clinic")
    for name, lines in LINES.items():
        repeated = lines * 6
        if name == "documents":
            repeated = [f"{'abcdef'[i // 4]}-{line}" for i, line in enumerate(repeated)]
        (folder / f"{name}.txt").write_text("\n".join(repeated) + "\n", encoding="utf-8")
    (folder / "testset.toml").write_text(MANIFEST, encoding="utf-8")
    return folder


class Done(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


class Program:
    """The program in this process: it is started often here, and that takes a second each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, *arguments: object, typed: str = "") -> Done:
        self.monkeypatch.setattr(sys, "argv", ["isogloss", *map(str, arguments)])
        self.monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Done(ended.value.code, *self.capsys.readouterr())

    def succeeded(self, *arguments: object, typed: str = "") -> str:
        done = self(*arguments, typed=typed)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def isogloss(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Program:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    return Program(monkeypatch, capsys)


def test_all_families_with_ceilings_and_the_list(
    isogloss: Program, testset: Path, tmp_path: Path
) -> None:
    listed = tmp_path / "words.csv"
    told = json.loads(
        isogloss.succeeded(
            *("consistency", testset, *SPLIT, "--by", "pos", "--by", "distance"),
            *("--write", listed, "--bom", "--no-cache", "-q", "-o", "json"),
        )
    )
    scores = {(r["measure"], r["system"]): r for r in told["results"]}
    measures = {"L-All", "as reference", "LTCR-1", "as first", "as most"}
    assert {measure for measure, _ in scores} == measures | {f"{m}, macro" for m in measures}
    assert scores["L-All", "steady"]["score"] > scores["L-All", "shifting"]["score"]
    for measure, _ in scores:
        assert scores[measure, "steady"]["ceiling"] == scores[measure, "ref"]["score"]
    assert scores["L-All", "ref"]["human"]
    assert {(r["by"], r["class"]) for r in told["breakdowns"]} >= {
        ("pos", "NOUN"),
        ("distance", "0"),
    }
    assert told["words"][0]["lost pairs"] >= told["words"][-1]["lost pairs"]
    data = listed.read_bytes()
    assert data.startswith(b"\xef\xbb\xbfsystem,document,word,translations,")
    assert "医生" in data.decode("utf-8-sig")


def test_chosen_systems_as_a_table(isogloss: Program, testset: Path) -> None:
    shown = isogloss.succeeded(
        "consistency", testset, "shifting", *SPLIT, "--list", 3, "-q"
    ).splitlines()
    assert shown[0].startswith("clinic · zh → en · 12 documents, 24 segments")
    assert shown[1].split()[:3] == ["system", "pairs", "alike"]
    assert not any(line.startswith("steady") for line in shown)
    assert any("×" in line for line in shown)


def test_a_data_set_from_extraction_to_release(
    isogloss: Program, testset: Path, tmp_path: Path
) -> None:
    out = tmp_path / "chains"
    done = isogloss("chains", "extract", testset, out, *SPLIT)
    assert done.returncode == 0, done.stderr
    chains, answers = out / "chains.jsonl", tmp_path / "ann.jsonl"
    assert (out / "segmentation.tsv").exists()
    count = len(chains.read_text(encoding="utf-8").splitlines())
    assert count > 3
    # All alike; the first may differ; a slip of the finger; all may differ, taken back; stop.
    typed = "\n1\n9\n\na\nu\nq\n"
    done = isogloss("chains", "annotate", chains, answers, "--annotator", "ann", typed=typed)
    assert f"3 of {count} chains judged, 3 of them now" in done.stderr
    assert "[医生]" in done.stdout.replace("\x1b", "")
    assert "numbers from 1 to" in done.stdout
    # Ctrl-D is as good as q, and the session goes on where it stopped.
    done = isogloss("chains", "annotate", chains, answers, "--annotator", "ann", typed="\n")
    assert f"4 of {count} chains judged, 1 of them now" in done.stderr
    other = tmp_path / "ben.jsonl"
    isogloss("chains", "annotate", chains, other, "--annotator", "ben", typed="\n" * 3)
    agreed = json.loads(isogloss.succeeded("chains", "agree", chains, answers, other, "-o", "json"))
    items = {record["unit"]: record for record in agreed["results"]}["items"]
    assert (items["FP"], items["FN"], items["recall"]) == (1, 0, 1.0)
    stats = json.loads(
        isogloss.succeeded("chains", "stats", chains, "--answers", answers, "-o", "json")
    )
    pairs = {
        r["class"]: r["count"] for r in stats["results"] if r["table"] == "pairs by consistency"
    }
    assert pairs["false"] >= 1
    released = tmp_path / "released"
    arguments = ("chains", "release", chains, testset, released, "--answers", answers, *SPLIT)
    assert isogloss(*arguments).returncode == 0
    again = json.loads(isogloss.succeeded("chains", "stats", released, "-o", "json"))
    whole = {r["class"]: r["count"] for r in again["results"] if r["table"] == "size"}
    assert whole["pairs"] == pairs["true"]
    # What was left out of a release is counted again beside everything that is found in it.
    every = tmp_path / "every"
    assert isogloss("chains", "extract", released, every, *SPLIT).returncode == 0
    arguments = ("chains", "stats", released, "--consistent", every / "chains.jsonl", "-o", "json")
    counted = json.loads(isogloss.succeeded(*arguments))["results"]
    found = {r["class"]: r["count"] for r in counted if r["table"] == "pairs by consistency"}
    assert found["true"] == pairs["true"]
    assert found["false (left out)"] >= pairs["false"]
    back = tmp_path / "back"
    assert isogloss("chains", "import", released, back).returncode == 0
    shown = isogloss.succeeded("consistency", back, "--chains", back / "chains.jsonl", *SPLIT, "-q")
    heading, people = shown.splitlines()[1:3]
    assert "annotated alike" in heading
    assert people.split("  ")[0].endswith("(human)")
    assert "100.0" in people


def test_stability_of_saved_and_of_computed_scores(
    isogloss: Program, testset: Path, tmp_path: Path
) -> None:
    saved, plot = tmp_path / "scores.jsonl", tmp_path / "plot.svg"
    isogloss.succeeded("evaluate", testset, "-m", "chrf", "--save", saved, "-q")
    from_file = isogloss.succeeded("stability", saved, "--plot", plot, "-o", "tsv")
    computed = isogloss.succeeded("stability", testset, "-m", "chrf", "-o", "tsv", "-q")
    assert from_file == computed
    assert from_file.splitlines()[0].split("\t") == [
        *("metric", "system", "score", "size", "mean", "low", "high")
    ]
    assert plot.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    table = isogloss.succeeded("stability", saved, "--sizes", "2,4").splitlines()
    assert [line.split()[0] for line in table[2:4]] == ["2", "4"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("stability", "{}"), "which metrics"),
        (("stability", "{}", "-m", "chrf", "--sizes", "a"), "--sizes takes numbers"),
        (("consistency", "{}", "nobody"), "there is no system 'nobody'"),
        (("consistency", "{}", "--symmetrise", "magic"), "unknown symmetrisation 'magic'"),
        (("chains", "extract", "{}", "x", "-r", "refZ"), "no reference 'refZ'"),
    ],
)
def test_mistakes_end_in_one_line(
    isogloss: Program, testset: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    done = isogloss(*(argument.format(testset) for argument in arguments))
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
