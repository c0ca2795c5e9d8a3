"""Appraise's CSV: scores land on the segments and documents that people saw, or nowhere."""

from pathlib import Path

import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError
from isogloss.formats import appraise, read_collection, read_judgements, recognise
from isogloss.judgements import Judgement

HEADER = (
    "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd\n"
)
DOCUMENTS = (
    Document("short#1", ("a", "b"), {"A": ("1", "2")}, "news"),
    Document("long", ("c", "d", "e", "f"), {"A": ("3", "4", "5", "6")}),
)
OUTPUT = SystemOutput("Online-W", {"short#1": ("A", "B"), "long": ("C", "D", "E", "F")})
COLLECTION = Collection(TestSet("t", "en", "de", DOCUMENTS), (OUTPUT,))


def line(item: object, score: object, document: str, whole: bool = False, **other: str) -> str:
    cells = {"user": "ann", "system": "Online-W", "type": "TGT", "from": "eng", "to": "deu"} | other
    first = (
        f"{cells['user']},{cells['system']},{item},{cells['type']},{cells['from']},{cells['to']}"
    )
    return f"{first},{score},{document},{whole},1.5,2.5\n"


def put(folder: Path, *lines: str) -> Path:
    path = folder / "appraise.csv"
    path.write_text(HEADER + "".join(lines), encoding="utf-8")
    return path


SHORT = (line(0, 90, "short#1#1-2"), line(1, 70.5, "short#1#1-2"), line(2, 75, "short#1#1-2", True))
# The passage is said to have one segment more than were shown, as happens at the end of documents.
LONG = (line(1, 40, "long#3-5"), line(0, 50, "long#3-5"), line(4, 45, "long#3-5", True))


def test_segments(tmp_path: Path) -> None:
    path = put(tmp_path, *SHORT, *LONG)
    assert recognise(path).name == "appraise"
    assert read_judgements(path, COLLECTION, "da").items == (
        Judgement("Online-W", "short#1", 0, "ann", 90.0),
        Judgement("Online-W", "short#1", 1, "ann", 70.5),
        Judgement("Online-W", "long", 3, "ann", 40.0),
        Judgement("Online-W", "long", 2, "ann", 50.0),
    )


def test_whole_documents(tmp_path: Path) -> None:
    path = put(tmp_path, *SHORT, *LONG)
    judgements = appraise.read(path, "da-document", COLLECTION)
    assert judgements.items == (Judgement("Online-W", "short#1", None, "ann", 75.0),)
    assert judgements.unplaced == 1
    assert judgements.of_documents


def test_passages_as_documents(tmp_path: Path) -> None:
    path = put(tmp_path, *SHORT, *LONG)
    passages = appraise.of_passages(path, COLLECTION)
    assert passages.testset.documents == (
        Document("short#1#1-2", ("a", "b"), {"A": ("1", "2")}, "news"),
        Document("long#3-5", ("e", "f"), {"A": ("5", "6")}),
    )
    assert passages.outputs[0].documents == {"short#1#1-2": ("A", "B"), "long#3-5": ("E", "F")}
    items = read_judgements(path, passages, "da-document").items
    assert [(item.document, item.score) for item in items] == [
        ("short#1#1-2", 75.0), ("long#3-5", 45.0)
    ]  # fmt: skip
    segments = read_judgements(path, passages, "da").items
    assert {(item.document, item.segment) for item in segments} == {
        (document.id, n) for document in passages.testset.documents for n in (0, 1)
    }


def test_human_references_are_flagged(tmp_path: Path) -> None:
    path = put(tmp_path, line(0, 90, "short#1#1-2", system="translator-A"))
    (item,) = read_judgements(path, COLLECTION, "da").items
    assert (item.system, item.human) == ("A", True)


@pytest.mark.parametrize(
    "other",
    [
        line(0, 10, "short#1#1-2", type="BAD"),
        line(0, 10, "short#1#1-2", to="ces"),
        line(0, 10, "unknown#1-2"),
        line(2, 10, "long#3-5") + line(1, 20, "long#3-5"),
    ],
)
def test_what_cannot_be_placed_is_left_out_and_counted(tmp_path: Path, other: str) -> None:
    judgements = appraise.read(put(tmp_path, *SHORT, other), "da", COLLECTION)
    assert len(judgements.items) == 2
    assert judgements.unplaced == other.count("\n")
    with pytest.raises(FormatError, match="none of these judgements is on test set 't'"):
        appraise.read(put(tmp_path, other), "da", COLLECTION)


def test_a_kind_has_to_be_named(tmp_path: Path) -> None:
    path = put(tmp_path, *SHORT)
    with pytest.raises(FormatError, match="there are: da, da-document"):
        read_judgements(path, COLLECTION)
    with pytest.raises(FormatError, match="there are no judgements 'mqm'"):
        read_judgements(path, COLLECTION, "mqm")


@pytest.mark.parametrize(
    "wrong",
    [
        line(0, 101, "short#1#1-2"),
        line(0, "nan", "short#1#1-2"),
        line(0, "", "short#1#1-2"),
        line(-1, 10, "short#1#1-2"),
        line("9" * 30, 10, "short#1#1-2"),
        line(0, 10, "short"),
        line(0, 10, "short#2-1"),
        line(0, 10, "short#0-1"),
        line(0, 10, "short#1#1-2", system=""),
        "a,b\n",
        '"' + "x" * 200_000 + '"\n',
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, wrong: str) -> None:
    path = put(tmp_path, SHORT[0], wrong)
    with pytest.raises(FormatError) as caught:
        appraise.read(path, "da", COLLECTION)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert len(str(caught.value).removeprefix(str(path))) < 300


@pytest.mark.parametrize(
    ("pair", "segments", "documents"), [("en-de", 1500, 150), ("en-hr", 1300, 169)]
)
def test_real_exports(shared_data: Path, pair: str, segments: int, documents: int) -> None:
    folder = shared_data / "wmt22-documents" / pair
    path = folder / "appraise.csv"
    passages = appraise.of_passages(path, read_collection(folder))
    assert len(read_judgements(path, passages, "da").items) == segments
    scores = read_judgements(path, passages, "da-document").items
    assert len(scores) == documents
    assert all(item.human == (item.system in ("A", "B", "stud")) for item in scores)
