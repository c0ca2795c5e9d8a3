"""``isogloss doctor``: an installation as it is, and with things that are wrong with it."""

import json
from pathlib import Path

import pytest

from isogloss.cli.main import app
from isogloss.diagnosis import Fact, diagnose


def diagnosed(capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[tuple[str, str], Fact]:
    assert (app(["doctor", "-o", "json"], standalone_mode=False) or 0) == code
    told = json.loads(capsys.readouterr().out)
    facts = [Fact(**record) for record in told["results"]]
    assert told["wrong"] == sum(fact.state == "wrong" for fact in facts)
    return {(fact.topic, fact.name): fact for fact in facts}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's folder, whose name is nobody's business."""
    home = tmp_path / "jane"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("ISOGLOSS_CACHE", str(home / "cache"))
    return home


def test_a_sound_installation(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = diagnosed(capsys)
    assert facts["Model", "self-test"].state == "ok"
    assert "5 scores off by 0.0" in facts["Model", "self-test"].value
    assert facts["Program", "sacrebleu"].value.startswith("2.")
    assert facts["Cache", "folder"].value == "~/cache: not made yet"
    assert {extra for topic, extra in facts if topic == "Extras"} >= {"annotate", "scale", "plots"}
    assert all(fact.remedy for fact in facts.values() if fact.state == "wrong")
    assert list(home.iterdir()) == [], "nothing is written"


def test_what_is_secret_is_not_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_JUDGE_KEY", "sesame")
    text = repr(list(diagnose()))
    assert "$ISOGLOSS_JUDGE_KEY" in text
    assert "sesame" not in text
    assert str(home) not in text


def test_what_is_wrong_is_told(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache that is no folder, a package that is too old or gone, a plug-in that fails."""
    (home / "cache").write_text("no folder")
    site = home / "site"
    (site / "strange-1.0.dist-info").mkdir(parents=True)
    (site / "strange-1.0.dist-info" / "METADATA").write_text("Name: strange\nVersion: 1.0\n")
    (site / "strange-1.0.dist-info" / "entry_points.txt").write_text(
        "[isogloss.metrics]\nfails = not_there.at_all:metric\n"
    )
    (site / "isogloss-0.0.1.dist-info").mkdir()
    (site / "isogloss-0.0.1.dist-info" / "METADATA").write_text(
        "Name: isogloss\nVersion: 0.0.1\nRequires-Dist: numpy>=1000\nRequires-Dist: gone-1>=2\n"
        "Provides-Extra: more\nRequires-Dist: rich; extra == 'more'\n"
        "Requires-Dist: gone-2; extra == 'more'\nRequires-Dist: gone-3; sys_platform == 'none'\n"
    )
    monkeypatch.syspath_prepend(site)
    facts = diagnosed(capsys, code=1)
    wrong = {key: fact.remedy for key, fact in facts.items() if fact.state == "wrong"}
    assert set(wrong) == {
        ("Program", "numpy"),
        ("Program", "gone-1"),
        ("Cache", "folder"),
        ("Plug-ins", "fails"),
    }
    assert wrong["Program", "gone-1"] == "pip install 'gone-1>=2'"
    assert "--no-cache" in wrong["Cache", "folder"]
    more = facts["Extras", "more"]
    assert (more.state, more.value) == ("absent", "lacks gone-2")
    assert more.remedy == "pip install 'isogloss[more]'"


def test_people_read_the_verdict_first(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "cache").write_text("no folder")
    app(["doctor"], standalone_mode=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["isogloss doctor", "1 thing wrong: Cache, folder"]
    assert any(line.startswith("WRONG  folder") for line in lines)
