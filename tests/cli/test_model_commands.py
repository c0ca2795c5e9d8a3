"""``isogloss model`` and model metrics on the command line, run in this process."""

import io
import json
from pathlib import Path

import pytest

from isogloss.cli.main import app
from isogloss.errors import FormatError, InputError
from isogloss.model import Pair, ScoreCache, read_card
from isogloss.model.folder import Expectation
from isogloss.model.pairs import PairOutcome
from isogloss.sample import sample_path
from model.tiny_models import TinyModel, tiny_model

LANGUAGES = ["cs", "de", "en", "zh"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    """A model that carries an expectation."""
    draft = tiny_model(tmp_path_factory.mktemp("drafts") / "draft", LANGUAGES)
    terms = draft.log_probs(Pair("the cat", "a cat", "en", "en"))
    expected = Expectation("the cat", "a cat", "en", sum(terms) / len(terms))
    folder = tmp_path_factory.mktemp("models") / "tiny"
    return tiny_model(folder, LANGUAGES, selftest=[expected], longest=512)


@pytest.fixture
def installed(tiny: TinyModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TinyModel:
    monkeypatch.setenv("ISOGLOSS_MODELS", str(tiny.folder.parent))
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    return tiny


def run(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> str:
    assert (app([str(a) for a in arguments], standalone_mode=False) or 0) == code
    return capsys.readouterr().out


def test_listing_and_info(installed: TinyModel, capsys: pytest.CaptureFixture[str]) -> None:
    default, record = json.loads(run(capsys, "model", "list", "-o", "json"))["results"]
    assert default["name"] == "default"
    assert (record["name"], record["languages"]) == ("tiny", 4)
    facts = json.loads(run(capsys, "model", "info", "tiny", "-o", "json"))["results"][0]
    assert facts["intact"] == "yes"
    assert facts["writes"] == "cs de en zh"
    assert facts["error costs"] == "none: not trained on judgements"
    with pytest.raises(InputError, match="there is no model 'nope'; installed are: default, tiny"):
        run(capsys, "model", "info", "nope")


def test_selftest(installed: TinyModel, capsys: pytest.CaptureFixture[str]) -> None:
    assert " ok" in run(capsys, "model", "selftest", "tiny")
    assert "OFF" in run(capsys, "model", "selftest", "tiny", "--tolerance", "-1", code=1)


def test_selftest_refuses_changed_files(
    installed: TinyModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in installed.folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "config.json").write_text((copy / "config.json").read_text() + " ")
    with pytest.raises(FormatError, match="the files were changed or damaged"):
        run(capsys, "model", "selftest", copy)
    assert "NO: the files are not" in run(capsys, "model", "info", copy)


def test_translate(
    installed: TinyModel,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "in.txt").write_text("the cat\n\na dog\n")
    shown = run(capsys, "model", "translate", "tiny", "--to", "de", "--file", tmp_path / "in.txt")
    lines = shown.split("\n")
    assert len(lines) == 4
    assert lines[1] == ""
    monkeypatch.setattr("sys.stdin", io.StringIO("the cat\n"))
    best = run(capsys, "model", "translate", "tiny", "--to", "de", "--n-best", "3")
    rows = [line.split("\t") for line in best.splitlines()]
    assert [row[0] for row in rows] == ["1", "1", "1"]
    assert [float(row[1]) for row in rows] == sorted((float(r[1]) for r in rows), reverse=True)


def test_evaluating_with_a_model_fills_the_cache(
    installed: TinyModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("evaluate", sample_path("cs-en"), "-m", "prism(model=tiny)", "-q", "-o", "tsv")
    first = run(capsys, *arguments)
    assert (tmp_path / "cache" / "scores.sqlite").exists()
    assert run(capsys, *arguments) == first
    elsewhere = tmp_path / "elsewhere"
    assert run(capsys, *arguments, "--cache", elsewhere) == first
    assert (elsewhere / "scores.sqlite").exists()
    for file in (tmp_path / "cache").iterdir():
        file.unlink()
    without = run(capsys, *arguments, "--no-cache")
    assert without.splitlines()[0] == first.splitlines()[0]
    assert not (tmp_path / "cache" / "scores.sqlite").exists()


def test_the_cache_is_shown_cleared_and_pruned(
    installed: TinyModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "cache" / "scores.sqlite"
    assert "Cached scores" in run(capsys, "model", "cache")
    assert not place.exists()  # looking makes no cache
    cache = ScoreCache(tmp_path / "cache")
    for number, name in enumerate(("tiny", "gone")):
        digest = read_card(installed.folder).digest if name == "tiny" else "sha256:abc"
        outcomes = {bytes([number, n]) * 8: PairOutcome((-1.0,) * 50) for n in range(10)}
        cache.put(outcomes, digest=digest, name=name)

    def shown(*arguments: object) -> dict[str, int]:
        found = json.loads(run(capsys, "model", "cache", *arguments, "-o", "json"))
        assert found["path"] == str(place)
        return {usage["name"]: usage["entries"] for usage in found["results"]}

    assert shown() == {"tiny": 10, "gone": 10}
    assert shown(installed.folder) == {"tiny": 10}
    assert "10  2.2 KB  sha256:abc" in run(capsys, "model", "cache", "gone")
    with pytest.raises(InputError, match="no scores of 'x'; it has those of: gone, tiny"):
        run(capsys, "model", "cache", "--clear", "x")
    assert shown("--clear", "abc") == {"tiny": 10}
    assert shown("--prune", "1GB") == {"tiny": 10}
    assert shown("--prune", "0.1kB") == {}
    cache.put({bytes(16): PairOutcome((-1.0,))}, digest="sha256:abc", name="gone")
    assert shown("--cache", tmp_path / "cache", "--clear") == {}
    run(capsys, "model", "cache", "--cache", tmp_path / "none", "--prune", "1GB")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--prune", "2"), "'2' is no size; write a number and a unit"),
        (("--prune", "-2GB"), "is no size"),
        (("--prune", "2GB", "--clear"), "give it alone"),
        (("tiny", "--prune", "2GB"), "give it alone"),
    ],
)
def test_what_the_cache_cannot_do(
    installed: TinyModel,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    complaint: str,
) -> None:
    with pytest.raises(InputError, match=complaint):
        run(capsys, "model", "cache", *arguments)


def test_probe(installed: TinyModel, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "probe.svg"
    arguments = ("model", "probe", "tiny", sample_path("zh-en"), "--sentences", 3, "--beam", 2)
    shown = run(capsys, *arguments, "--plot", plot)
    assert "Mean H(output | reference) by sentence BLEU" in shown
    assert "a second human reference" in shown
    assert "<svg" in plot.read_text(encoding="utf-8")
    found = json.loads(run(capsys, *arguments, "-o", "json"))
    assert sum(row["segments"] for row in found["results"]) == 37 * 3
    assert found["sentences"] == 3
