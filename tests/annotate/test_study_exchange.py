"""The WMT20 study becomes a campaign and comes out of it again, byte for byte."""

from pathlib import Path

from isogloss.annotate.standing import standing_answers
from isogloss.annotate.store import Store
from isogloss.annotate.study_exchange import import_study, study_events
from isogloss.markables.study.events import sheets_of
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
    assert store.faults() == []
