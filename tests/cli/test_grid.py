"""Tables on screens that are too narrow for them."""

import re

import pytest

from isogloss.cli.grid import Grid, show_grids

IDS = [f"WMT26_###_news_###_eng_Latn_###_rus_Cyrl_###_paper.{number}" for number in (17, 18)]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 60 columns."""
    for name, value in {"FORCE_COLOR": "1", "COLUMNS": "60", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)


def shown(capsys: pytest.CaptureFixture[str], grid: Grid) -> list[str]:
    show_grids([grid])
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


def counts(names: list[str]) -> Grid:
    headings = ["document", "segments", "omitted", "added"]
    return Grid("counts", headings, [[name, "12", "0", "1"] for name in names])


@pytest.mark.usefixtures("narrow")
def test_long_names_are_known_by_their_ends(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, counts(IDS))
    assert len(lines) == 4  # all columns beside each other
    for line, id in zip(lines[2:], IDS, strict=True):
        name, *numbers = line.split()
        assert name.startswith("…")
        assert id.endswith(name[1:])
        assert numbers == ["12", "0", "1"]
    assert max(map(len, lines)) <= 60


@pytest.mark.usefixtures("narrow")
def test_names_with_the_same_end_are_not_cut_there(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, counts([f"{side}-{'x' * 60}" for side in ("left", "right")]))
    assert lines[2].startswith("left-xxx")


def test_names_are_whole_where_there_is_no_edge(capsys: pytest.CaptureFixture[str]) -> None:
    assert [line.split()[0] for line in shown(capsys, counts(IDS))[2:]] == IDS


@pytest.mark.usefixtures("narrow")
def test_prose_goes_on_in_the_next_line(capsys: pytest.CaptureFixture[str]) -> None:
    text = "They cost 150 pounds and come in four colours, one of them a dark green."
    grid = Grid("found", ["document", "text"], [["a", text]], prose=frozenset([1]))
    lines = shown(capsys, grid)[2:]
    assert len(lines) == 2
    assert " ".join(" ".join(lines).split()) == f"a {text}"


def test_columns_of_a_group_without_any_cell_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    headings = ["metric", "r", "interval", "#", "accuracy", "interval", "#"]
    rows = [["bleu", "0.2", "[0.1, 0.3]", "1", "", "", ""], ["chrf", "0.3", "", "1", "", "", ""]]
    lines = shown(capsys, Grid("agreement", headings, rows, together=3))
    assert lines[1].split() == ["metric", "r", "interval", "#", "accuracy"]
    assert lines[3].split() == ["chrf", "0.3", "1"]
