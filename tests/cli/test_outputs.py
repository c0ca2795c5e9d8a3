"""Where results go: full disks, closed pipes, devices and terminals without arrows."""

import json
import os
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.sample import sample_path
from program import run_program

CS = sample_path("cs-en")
EVALUATE = f"evaluate {shlex.quote(str(CS))} -m bleu -q"
needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


def shell(line: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """A line of a shell in which `isogloss` is the program."""
    if not environment and not set("|>&;") & set(line) and "/dev/stdout" not in line:
        return run_program(*shlex.split(line)[1:], COLUMNS="100")
    program = f'isogloss() {{ {shlex.quote(sys.executable)} -m isogloss "$@"; }}'
    return subprocess.run(
        ["bash", "-c", f"{program}; {line}"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "100", **environment},
    )


def complaint(line: str, **environment: str) -> str:
    done = shell(line, **environment)
    assert done.returncode == 2, (done.stdout, done.stderr)
    (told,) = done.stderr.strip().split("\n")
    return told


@needs_full
@pytest.mark.parametrize("what", [EVALUATE, f"{EVALUATE} -o json", "--help", "list metrics"])
def test_a_full_disk_behind_standard_output_is_one_line(what: str) -> None:
    told = complaint(f"isogloss {what} > /dev/full")
    assert told == "isogloss: standard output cannot be written (the disk is full)"


def test_closed_standard_output_is_one_line() -> None:
    told = complaint(f"isogloss {EVALUATE} >&-")
    assert told == "isogloss: standard output cannot be written (it is closed)"


@pytest.mark.parametrize("what", [EVALUATE, f"{EVALUATE} -o json", "--help"])
def test_a_reader_that_has_gone_is_not_worth_a_word(what: str) -> None:
    done = shell(f"isogloss {what} | true; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == ("0\n", "")


@needs_full
def test_devices_are_written_to_and_never_replaced(tmp_path: Path) -> None:
    told = complaint(f"isogloss {EVALUATE} --save /dev/full")
    assert told == "isogloss: /dev/full: cannot be written (the disk is full)"
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    done = shell(f"isogloss {EVALUATE} --save /dev/stdout | head -n 1")
    assert json.loads(done.stdout)["isogloss"] == "scores"
    done = shell(f"isogloss convert {CS} /dev/stdout --into jsonl")
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 53


def test_scores_on_standard_output_and_in_it_come_one_after_the_other(tmp_path: Path) -> None:
    done = shell(f"isogloss {EVALUATE} --save /dev/stdout -o tsv > {tmp_path}/all")
    assert done.returncode == 0
    first, *_, last = (tmp_path / "all").read_text(encoding="utf-8").splitlines()
    assert first.startswith('{"isogloss": "scores"')
    assert "tangled" in last


def test_a_link_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to("scores.jsonl")
    assert shell(f"isogloss {EVALUATE} --save {tmp_path}/link.jsonl").returncode == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert (tmp_path / "scores.jsonl").read_text(encoding="utf-8").startswith('{"isogloss"')


@pytest.mark.parametrize(
    ("command", "where"),
    [
        (f"{EVALUATE} --save {{}}/a.jsonl", "{}/a.jsonl"),
        (f"evaluate {CS} -m bleu -q --report {{}}/a.html", "{}/a.html"),
        (f"convert {CS} {{}}/a.tsv", "{}/a.tsv"),
        (f"convert {CS} {{}}/a --into text", "{}/a"),
        (f"convert {CS} {{}}/a --into mtme", "{}/a"),
        (f"align {CS} --of steady -q --write {{}}/a", "{}/a"),
        (f"align {CS} --of steady -q --save-model {{}}/a", "{}/a"),
        ("report {scores} --format md --plots {}/a", "{}/a/bleu.intervals.svg"),
        ("report {scores} --format md --out {}/a", "{}/a"),
        ("stability {scores} --plot {}/a.svg", "{}/a.svg"),
        (f"consistency {CS} -q --write {{}}/a.tsv", "{}/a.tsv"),
        (f"chains extract {CS} {{}}/a", "{}/a/segmentation.tsv"),
        (f"annotate init {CS} --into {{}}/a -a ann", "{}/a/guidelines.md"),
        ("annotate export {campaign} --to {}/a", "{}/a"),
        ("annotate backup {campaign} {}/a", "{}/a"),
    ],
)
def test_every_command_tells_in_one_line_what_it_cannot_write(
    command: str, where: str, made: Path, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("old")
    names = {"scores": made / "scores.jsonl", "campaign": made / "campaign"}
    told = complaint(f"isogloss {command.format(file, **names)}")
    reason = "cannot be written (a part of its path is a file, not a folder)"
    assert told == f"isogloss: {where.format(file)}: {reason}"
    assert file.read_text() == "old"


@needs_full
@pytest.mark.parametrize(
    "command", ["annotate export {campaign} scores.tsv {option}", "{evaluate} {option}"]
)
def test_exports_reach_a_full_device_with_one_line(command: str, made: Path) -> None:
    option = "--to /dev/full" if "export" in command else "--report /dev/full"
    names = {"campaign": made / "campaign", "evaluate": EVALUATE, "option": option}
    told = complaint(f"isogloss {command.format(**names)}")
    assert told == "isogloss: /dev/full: cannot be written (the disk is full)"


def test_a_backup_does_not_replace_what_is_there(made: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    for target in (tmp_path / "a", Path("/dev/null"), tmp_path):
        told = complaint(f"isogloss annotate backup {made / 'campaign'} {target}")
        assert told == f"isogloss: {target}: there is such a file already"
    assert (tmp_path / "a").read_text() == "old"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A score file, and a campaign that was opened."""
    from isogloss.annotate import Store, campaign_database, open_campaign, read_campaign

    folder = tmp_path_factory.mktemp("made")
    campaign = folder / "campaign"
    assert shell(f"isogloss {EVALUATE} --save {folder}/scores.jsonl").returncode == 0
    assert (
        shell(f"isogloss annotate init {CS} --into {campaign} -a ann --phases da").returncode == 0
    )
    plan = read_campaign(campaign)
    store = Store(campaign_database(plan, campaign, new=True))
    open_campaign(plan, campaign, store)
    store.database.close()
    return folder


ASCII = {"PYTHONIOENCODING": "ascii"}


def test_a_terminal_without_arrows_gets_spellings() -> None:
    done = shell(f"isogloss evaluate {CS} -m bleu", **ASCII)
    assert done.returncode == 0
    assert done.stdout.startswith("sample-cs-en - cs -> en - 8 documents")
    assert done.stdout.isascii()
    for what in ("evaluate --help", "list languages", f"markables propose {CS}"):
        shown = shell(f"isogloss {what}", **ASCII)
        assert (shown.returncode, shown.stderr) == (0, ""), what
        assert shown.stdout.isascii()


def test_what_programs_read_is_utf_8_everywhere() -> None:
    line = f"isogloss markables propose {CS} -o jsonl"
    plain, ascii_only = shell(line), shell(line, **ASCII)
    assert not plain.stdout.isascii()
    assert ascii_only.stdout == plain.stdout


def test_an_error_about_a_name_without_ascii_is_told() -> None:
    assert complaint("isogloss evaluate /nowhere/ü", **ASCII).endswith(r"\xfc: no such file")


def test_a_name_that_no_file_can_have_is_told_in_short() -> None:
    told = complaint(f"isogloss compare {'n' * 5000}")
    assert told == f"isogloss: {'n' * 40}…{'n' * 20}: cannot be opened (File name too long)"
