"""The study's files are read, and written again byte for byte."""

import json
from pathlib import Path

import pytest

from isogloss.errors import FormatError, InputError
from isogloss.metrics.markables import Phenomenon
from isogloss.metrics.markables.study import LineRating, MarkableStudy, read_study
from isogloss.metrics.markables.study.study import MarkScreen, MarkSheet
from isogloss.metrics.markables.study.wmt20 import (
    Experiment,
    file_name,
    our_name,
    read_experiment,
    read_line_sheet,
    read_mark_sheet,
    terms_of,
    write_experiment,
    write_line_sheet,
    write_mark_sheet,
)


@pytest.mark.parametrize(
    ("phase", "read", "write"),
    [("p1", read_line_sheet, write_line_sheet), ("p2", read_mark_sheet, write_mark_sheet)],
)
def test_round_trip_byte_for_byte(study_folder: Path, tmp_path: Path, phase, read, write) -> None:
    files = sorted((study_folder / "collected_data" / phase).glob("*.json"))
    assert files
    for file in files:
        there = file.read_bytes()
        end = "\n" if there.endswith(b"\n") else ""
        write(read(file, our_name), tmp_path / file.name, file_name, end=end)
        assert (tmp_path / file.name).read_bytes() == there, file.name


def test_the_experiment_comes_back_whole(study_folder: Path, tmp_path: Path) -> None:
    there = read_experiment(study_folder / "processing" / "experiment.yaml")
    assert len(there.systems) == 13
    assert there.terms[0].forms == ("cena", "price")
    write_experiment(there, tmp_path / "again.yaml")
    assert read_experiment(tmp_path / "again.yaml") == there


def test_names_go_both_ways() -> None:
    for document in ("kufrc", "kufre"):
        for file in ("PROMT_NMT-eTranslation", "newstest2020-online-z.sgm", "ref", "OPPO"):
            assert file_name(document, our_name(document, file)) == file
    assert our_name("kufrc", "PROMT_NMT-eTranslation") == "PROMT_NMT"
    assert our_name("kufre", "PROMT_NMT-eTranslation") == "eTranslation"


def test_occurrences_are_in_the_order_of_the_text(study: MarkableStudy) -> None:
    """The study's index counts form by form: 50 of 215 indices name another occurrence."""
    terms = {term.forms: term for term in terms_of(study)}
    disagreeing = 0
    for markable in study.markables:
        by_form = terms[markable.forms].find(study.documents[markable.document].source)
        for index, (line, start, end) in enumerate(by_form):
            assert study.index_lines[markable.document, markable.head, index] == line
            span = markable.occurrences[index]
            disagreeing += (span.segment, span.start, span.end) != (line, start, end)
    assert len(study.index_lines) == 215
    assert disagreeing == 50


def test_the_reference_is_flagged(study: MarkableStudy) -> None:
    assert study.humans == {"Reference"}
    assert sum(row.human for row in study.line_rows) == 328


def test_ratings_in_the_shared_nouns(study: MarkableStudy) -> None:
    judgements = study.ratings()
    assert len(judgements.items) == 4264
    assert sum(item.score is None for item in judgements.items) == 8
    marks = study.marked_errors()
    assert sum(len(item.errors) for item in marks.items) == 3525
    error = next(item.errors[0] for item in marks.items if item.errors)
    assert error.span is not None
    assert error.span.side == "source"


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"d": {"0": {"s": {}}}}',
        '{"d": {"x": {"s": {"conflicting": true, "errors": ""}, "time": 1}}}',
        '{"d": {"0": {"s": {"conflicting": true}, "time": 1}}}',
        '{"d": {"0": {"s": {"conflicting": true, "errors": "", "fluency": "2"}, "time": 1}}}',
    ],
)
def test_a_broken_line_sheet_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(FormatError, match=r"a\.json"):
        read_line_sheet(tmp_path / "a.json")


@pytest.mark.parametrize("cell", ['{"colour": "1"}', '{"sense": "much"}', '{"sense": "1.5"}'])
def test_a_broken_mark_sheet_is_refused(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(f'{{"d-head": {{"0": {{"s": {cell}, "time": 1}}}}}}')
    with pytest.raises((FormatError, InputError)):
        read_mark_sheet(path)


def test_a_head_may_hold_a_hyphen(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"d-well-known": {"0": {"s": {}, "time": 1}}}))
    (screen,) = read_mark_sheet(path).screens
    assert (screen.document, screen.head) == ("d", "well-known")


def test_the_studys_files_cannot_hold_a_tick_without_severity(tmp_path: Path) -> None:
    marks = {"s": {Phenomenon.SENSE: None}}
    sheet = MarkSheet("a", (MarkScreen("d", "h", 0, marks, 1),))
    with pytest.raises(FormatError, match="without a severity"):
        write_mark_sheet(sheet, tmp_path / "a.json")


@pytest.mark.parametrize(
    "content", ["a: [", "- a", "mts: x", "mts: []\ndocs: []\nusers: []\nmarkables: [[]]"]
)
def test_a_broken_experiment_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "e.yaml").write_text(content)
    with pytest.raises(FormatError, match=r"e\.yaml"):
        read_experiment(tmp_path / "e.yaml")


def test_a_folder_that_is_no_study_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"experiment\.yaml"):
        read_study(tmp_path)
    write_experiment(Experiment((), ("other",), (), ()), tmp_path / "processing/experiment.yaml")
    with pytest.raises(FormatError, match="none of the study's"):
        read_study(tmp_path)


def test_scores_lie_on_the_scale() -> None:
    with pytest.raises(InputError, match="fluency"):
        LineRating(False, "", fluency=1.1)
