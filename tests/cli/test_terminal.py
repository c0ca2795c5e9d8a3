"""What a person sees in a terminal of 80 and of 100 columns."""

import re
import subprocess
import sys

import pytest

from isogloss.cli.estimate import long_work
from isogloss.cli.progress import Herald, RowsHerald
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.runtime import Device, Step
from isogloss.sample import sample_path
from isogloss.scale import CorpusSummary
from program import run_program

CS = sample_path("cs-en")
WIDTHS = (80, 100)


def terminal(columns: int, *arguments: object) -> list[str]:
    """The lines of standard output in a terminal of that width."""
    done = run_program(*arguments, COLUMNS=str(columns), FORCE_COLOR="1", TERM="xterm")
    assert done.returncode == 0, done.stderr
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.stdout).splitlines()


@pytest.mark.parametrize("columns", WIDTHS)
def test_two_systems_are_told_apart_at_once(columns: int) -> None:
    two = ("--use-system", "steady", "--use-system", "shifting")
    lines = terminal(columns, "evaluate", CS, *two, "-m", "bleu,chrf,ter", "-q")
    assert max(map(len, lines)) <= columns
    text = " ".join(line.strip() for line in lines)
    assert "steady is better than shifting on 2 of 3 metrics (bleu and chrf): by 7.85" in text
    title = lines.index("steady against shifting")
    headings = ["metric", "difference", "interval", "p", "people prefer it"]
    assert re.split(r"\s{2,}", lines[title + 1].strip()) == headings
    told = r"bleu ↑ +\+7\.85  \[-0\.29, 15\.99\]  0\.0391  \* +\.\d\d \[\.\d\d, \.\d\d\]"
    assert re.fullmatch(told, lines[title + 2].rstrip())
    assert re.match(r"ter ↓ +-\d", lines[title + 4])
    assert not re.search(r"[0-9a-f]{9}", text), "signatures are short"


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_list_of_metrics_has_no_broken_rows(columns: int) -> None:
    lines = terminal(columns, "list", "metrics")
    assert max(len(line.rstrip()) for line in lines) <= columns
    names = [line.split()[0] for line in lines[2:] if not line.startswith(" ")]
    assert names[:3] == ["bleu", "spbleu", "chrf"]
    assert not any("…" in line for line in lines)
    assert "n-gram precision" in lines[2]


@pytest.mark.parametrize("columns", WIDTHS)
def test_consistency_speaks_in_words(columns: int) -> None:
    lines = terminal(columns, "consistency", CS, "--aligner", "eflomal", "--list", "5", "-q")
    assert max(len(line.rstrip()) for line in lines) <= columns
    heading = next(line for line in lines if line.startswith("system "))
    assert heading.split("  ")[0] == "system"
    assert "pairs alike" in heading
    listed = lines.index(next(line for line in lines if line.startswith("lost ")))
    assert lines[listed].split() == ["lost", "system", "document", "word", "translations"]
    assert not any("…" in line for line in lines[listed : listed + 6])


def test_no_command_is_a_question_and_not_a_mistake() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "isogloss"], capture_output=True, text=True, encoding="utf-8"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: isogloss" in done.stdout


class Clock:
    """Time that passes when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_long_work_is_announced_with_what_would_make_it_faster() -> None:
    clock, said = Clock(), list[str]()
    herald = Herald(said.append, metrics=2, faster=lambda name: f"not {name}", clock=clock)
    clock.now = 30.0  # a model was loaded
    herald(Step("slow", 4, 1000))
    clock.now = 31.0
    herald(Step("slow", 10, 1000))
    assert said == [], "too early to tell"
    clock.now = 40.0
    herald(Step("slow", 54, 1000))
    herald(Step("slow", 60, 1000))
    assert said == [
        "slow will take about 3 minutes more (946 segments at 5.0 a second); faster: not slow"
    ]


def long_collection() -> Collection:
    """As much text as takes long with a model, and no time without."""
    line = "word " * 400
    document = Document("d", (line,) * 100, {"ref": (line,) * 100})
    outputs = tuple(SystemOutput(name, {"d": (line,) * 100}) for name in map(str, range(90)))
    return Collection(TestSet("t", "en", "de", (document,)), outputs)


def test_long_work_is_told_before_it_begins() -> None:
    collection = long_collection()

    def told(names: list[str], device: Device = "cpu", jobs: int = 1) -> list[str]:
        return list(long_work(collection, names, lambda name: f"not {name}", device, jobs))

    assert told(["bleu", "chrf", "nothing-of-that-name", "prism(model=/there)"]) == []
    (line,) = told(["chrf", "ter"])
    assert re.fullmatch(
        r"ter takes about 4 minutes, less what is cached "
        r"\(9,000 segments, 18,000,000 characters\); faster: not ter",
        line,
    )
    assert told(["ter"], jobs=1000) == [], "shared by many, it does not take long"
    assert told(["prism"], device="cuda") == [], "nobody knows how fast a GPU is"
    assert told(["prism"])[0].startswith("prism takes about ")


def test_finished_metrics_are_told_while_others_run() -> None:
    clock, said = Clock(), list[str]()
    herald = Herald(said.append, metrics=3, clock=clock)
    herald(Step("quick", 9, 9, {"a": 12.5}))
    clock.now = 60.0
    scores = dict.fromkeys("abcdefg", 31.25)
    herald(Step("slow", 9, 9, scores))
    herald(Step("last", 9, 9, scores))
    assert said == ["slow is done: a 31.25, b 31.25, c 31.25, d 31.25, e 31.25 and 2 more"]


def test_a_line_a_minute_tells_how_long_a_corpus_will_take() -> None:
    said: list[str] = []
    moments = iter([0.0, 59.0, 100.0])
    herald = RowsHerald(said.append, clock=lambda: next(moments))
    herald(CorpusSummary(rows=0))
    herald(CorpusSummary(rows=500, kept=300, share=0.05))
    herald(CorpusSummary(rows=1_000, kept=600, share=0.1))
    assert said == ["1,000 rows, 600 kept, 10 a second, about 15 minutes more"]
