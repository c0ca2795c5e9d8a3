"""The WMT20 study becomes a campaign and comes out of it again, byte for byte."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotate.campaigning import Campaigning, sent, tasks
from isogloss.annotate.campaign import Campaign
from isogloss.annotate.database import open_database
from isogloss.annotate.exporting import exported
from isogloss.annotate.standing import standing_answers
from isogloss.annotate.store import Store
from isogloss.annotate.study_exchange import import_study, study_events
from isogloss.annotate.verification import faults
from isogloss.cli.main import app
from isogloss.errors import FormatError, InputError
from isogloss.markables.study.events import sheets_of
from isogloss.markables.study.exported import read_exported
from isogloss.markables.study.sheets import write_line_sheet, write_mark_sheet
from isogloss.markables.study.wmt20 import file_name, read_study


def test_the_study_survives_a_campaign(shared_data: Path, store: Store, tmp_path: Path) -> None:
    folder = shared_data / "elitr-wmt20"
    study = read_study(folder)
    import_study(study, store)
    lines, marks = sheets_of(study_events(store))
    originals = folder / "collected_data"
    for phase, sheets, write in (("p1", lines, write_line_sheet), ("p2", marks, write_mark_sheet)):
        names = [sheet.annotator for sheet in sheets]
        assert sorted(names) == sorted(path.stem for path in (originals / phase).glob("*.json"))
        for sheet in sheets:
            path = tmp_path / f"{sheet.annotator}.json"
            write(sheet, path, file_name)  # type: ignore[operator]
            original = (originals / phase / path.name).read_text(encoding="utf-8")
            assert path.read_text(encoding="utf-8").rstrip("\n") == original.rstrip("\n")
    assert sum(1 for _ in standing_answers(store)) == 4264 + 6487
    assert faults(store) == []


def analysed(study: Path, *options: str) -> str:
    command = ["markables", "analyse", str(study), "-o", "json", *options]
    result = CliRunner().invoke(app, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_export_is_analysed_like_the_raw_study(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "elitr-wmt20"
    database = open_database(tmp_path / "campaign.db")
    store = Store(database)
    import_study(read_study(folder), store)
    file = written(store, tmp_path)
    database.close()
    assert analysed(file) == analysed(folder)


def written(store: Store, folder: Path) -> Path:
    path = folder / "study.jsonl"
    path.write_text("".join(f"{line}\n" for line in exported(store, "study.jsonl")))
    return path


def test_a_campaign_that_has_just_begun_is_analysed_as_far_as_it_goes(tmp_path: Path) -> None:
    database = open_database(tmp_path / "campaign.db")
    plan = Campaign("test", "t", ("ann",), ("phase1",))
    campaign = Campaigning.of(plan, Store(database))
    ann = campaign.browser("ann")
    line = sent(tasks(ann)[0]["id"], "line:0/A", adequacy=0.5, fluency=0.8)
    assert ann.post("/api/answers", json=line).status_code == 200
    file = written(campaign.store, tmp_path)
    database.close()
    shown = json.loads(analysed(file))
    assert {record["table"] for record in shown["results"]} == {"1", "4", "time"}
    (total,) = [r for r in shown["results"] if r["table"] == "4" and r["column"] == "all"]
    assert total["value"] == pytest.approx(0.4)
    with pytest.raises(InputError, match="possible are: 1, 4, time"):
        analysed(file, "--tables", "5")


def test_events_without_texts_are_no_study(tmp_path: Path) -> None:
    path = tmp_path / "study.jsonl"
    path.write_text('{"study": "x"}\n')
    with pytest.raises(FormatError, match="no texts"):
        read_exported(path)
    path.write_text('{"study": "x"}\nnonsense\n')
    with pytest.raises(FormatError, match=r"study\.jsonl:2"):
        read_exported(path)
