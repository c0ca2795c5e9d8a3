"""The WMT20 study becomes a campaign and comes out of it again, byte for byte."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from annotate.campaigning import Campaigning, sent, tasks
from isogloss.annotate import Campaign, Store, exported, import_study, study_campaign
from isogloss.annotate.results.adjudication import standing_answers
from isogloss.annotate.results.study import study_events
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.verification import faults
from isogloss.cli.main import app
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_judgements
from isogloss.judgements import Judgement
from isogloss.metrics.markables.study import read_exported, read_study
from isogloss.metrics.markables.study.events import sheets_of
from isogloss.metrics.markables.study.wmt20 import file_name, write_line_sheet, write_mark_sheet


def test_the_study_survives_a_campaign(shared_data: Path, store: Store, tmp_path: Path) -> None:
    folder = shared_data / "elitr-wmt20"
    study = read_study(folder)
    import_study(study, study_campaign(study, ""), store)
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


def isogloss(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_study_is_imported_and_exported_by_commands(shared_data: Path, tmp_path: Path) -> None:
    folder, into = shared_data / "elitr-wmt20", tmp_path / "wmt20"
    isogloss("annotate", "import", folder, "--into", into)
    file = tmp_path / "study.jsonl"
    isogloss("annotate", "export", into, "study.jsonl", "--to", file)
    expected = analysed(folder)
    assert analysed(file) == expected
    shown = json.loads(isogloss("annotate", "agreement", into, "-o", "json"))
    assert shown["annotators"]
    isogloss("annotate", "verify", into)
    study = read_study(folder)
    for collection in study.collections:
        ids = {document.id for document in collection.testset.documents}
        read = read_judgements(file, collection, "fluency-adequacy").items
        given = [item for item in study.ratings().items if item.document in ids]
        assert len(read) > 1000
        assert scores(read) == scores(given)
        marked = read_judgements(file, collection, "markable-errors").items
        errors = [item for item in study.marked_errors().items if item.document in ids]
        assert {replace(item, score=None) for item in marked} == set(errors)
    again = CliRunner().invoke(app, ["annotate", "import", str(file), "--into", str(into)])
    assert "is there already" in str(again.exception)
    second = tmp_path / "second"
    isogloss("annotate", "import", file, "--into", second)
    isogloss("annotate", "export", second, "study.jsonl", "--to", tmp_path / "again.jsonl")
    assert analysed(tmp_path / "again.jsonl") == expected


def scores(items: Iterable[Judgement]) -> Counter[Judgement]:
    """What was scored; words that were reported are no scores."""
    return Counter(replace(item, errors=()) for item in items if item.score is not None)


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
