"""The catalogue: formats are told apart by content, and a wrong one says what would be right."""

from pathlib import Path

import pytest

from isogloss.errors import FormatError, InputError
from isogloss.formats import (
    Holds,
    known_formats,
    read_collection,
    read_judgements,
    read_scores,
    recognise,
    write_collection,
)
from isogloss.sample import load_sample, sample_path

WRITABLE = [f.name for f in known_formats() if f.writes and f.holds in (Holds.TESTSET, Holds.SIDE)]
WHOLE = [f.name for f in known_formats() if f.writes and f.holds is Holds.TESTSET]


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("sample", ["cs-en", "zh-en"])
def test_a_test_set_survives_every_format_that_holds_one(
    name: str, sample: str, tmp_path: Path
) -> None:
    collection = load_sample(sample)
    path = tmp_path / "written"
    write_collection(collection, path, name)
    assert recognise(path).name == name
    read = read_collection(path)
    # A folder of files has no order of its own.
    by_name = {output.name: output for output in read.outputs}
    assert by_name == {output.name: output for output in collection.outputs}
    assert read.testset.documents == collection.testset.documents


@pytest.mark.parametrize("name", ["text", "sgm"])
def test_sides_are_written_with_something_that_joins_them(name: str, tmp_path: Path) -> None:
    collection = load_sample("zh-en")
    write_collection(collection, tmp_path / "folder", name)
    if name == "text":
        assert read_collection(tmp_path / "folder") == collection
    else:
        assert {recognise(f).name for f in (tmp_path / "folder").rglob("*.sgm")} == {"sgm"}


def test_the_wrong_kind_of_file_says_which_kind_it_is(tmp_path: Path) -> None:
    source = sample_path("cs-en") / "source.txt"
    with pytest.raises(
        FormatError, match=r"one side of a test set \(text\).*give it as the source"
    ):
        read_collection(source)
    with pytest.raises(FormatError, match="a file with scores is needed"):
        read_scores(source)
    with pytest.raises(FormatError, match="a file with human judgements is needed"):
        read_judgements(source, load_sample("cs-en").testset)


def test_judgements_beside_a_test_set_are_read_by_kind(tmp_path: Path) -> None:
    collection = load_sample("cs-en").with_systems(["steady"])
    write_collection(collection, tmp_path / "set", "mtme")
    scores = tmp_path / "set" / "human-scores" / "cs-en.mqm.seg.score"
    scores.parent.mkdir()
    scores.write_text("steady\t-1.5\n" + "steady\tNone\n" * 52)
    judgements = read_judgements(tmp_path / "set", collection, "mqm")
    first = collection.testset.documents[0].id
    assert judgements.segment_means() == {("steady", first, 0): -1.5}
    assert read_judgements(tmp_path / "set", collection) == judgements
    scores.with_name("cs-en.da.seg.score").write_text("steady\t80\n" * 53)
    with pytest.raises(FormatError, match="which kind of judgements\\? there are: da, mqm"):
        read_judgements(tmp_path / "set", collection)
    with pytest.raises(FormatError, match="mqm"):
        read_judgements(tmp_path / "set", collection, "esa")


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no format 'docx'; there are: manifest"):
        read_collection(sample_path("cs-en"), "docx")
    with pytest.raises(InputError, match="'mqm' cannot hold a test set; use one of: "):
        write_collection(load_sample("cs-en"), tmp_path / "x", "mqm")


def test_a_folder_of_nothing_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no known format fits this folder"):
        read_collection(tmp_path)


def test_every_writable_format_is_tested_above() -> None:
    assert set(WRITABLE) == {*WHOLE, "text", "sgm"}
