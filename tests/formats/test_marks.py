"""Marks of XCOMET, tables of WMT25, and Label Studio's export, with texts of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from formats.test_esa import COLLECTION, TESTSET
from isogloss.errors import FormatError
from isogloss.formats import read_judgements, recognise
from isogloss.judgements import ErrorMark, Judgement
from isogloss.spans import Span


def span(start: int, end: int, system: str = "sys1", segment: int = 0, document: str = "news-1"):
    return Span(document, f"output:{system}", segment, start, end)


# --- XCOMET --------------------------------------------------------------------------------------

ERROR = {"text": "Haus", "confidence": 0.5, "severity": "major", "start": 4, "end": 8}


def scored(source: str, output: str, *errors: dict[str, Any], **more: Any) -> dict[str, Any]:
    found = {"errors": list(errors)} if errors else {}
    return {"src": source, "mt": output, "ref": "r", "COMET": 0.5, **found, **more}


def put(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


def test_xcomet_marks_code_points_of_stripped_lines(tmp_path: Path) -> None:
    lines = [
        scored("One house.", "Ein Haus.", ERROR),
        scored("Yes.", "Ja."),
        scored("Yes.", "Jo."),
        scored("Two lines 😀!", "Zwei\nZeilen 😀!", {**ERROR, "start": 12, "end": 14}),
    ]
    path = put(tmp_path / "x.json", {"out/sys1.txt": lines})
    assert recognise(path).name == "xcomet"
    found = read_judgements(path, COLLECTION)
    assert found.kind == "xcomet"
    assert [(i.system, i.document, i.segment, i.score) for i in found.items] == [
        ("sys1", "news-1", 0, 0.5),
        ("sys1", "news-1", 1, 0.5),
        ("sys1", "news-1", 2, 0.5),
        ("sys1", "blog", 0, 0.5),
    ]
    assert found.items[0].errors == (ErrorMark("", "major", span(4, 8)),)
    assert found.items[3].errors == (ErrorMark("", "major", span(13, 15, document="blog")),)
    assert not any(e.span for i in read_judgements(path, TESTSET).items for e in i.errors)


def test_xcomet_of_a_part_is_placed_by_its_sources(tmp_path: Path) -> None:
    path = put(tmp_path / "x.json", {"sys2.de": [scored("One house.", "Eine Haus.", ERROR)]})
    (item,) = read_judgements(path, COLLECTION).items
    assert (item.system, item.errors[0].span) == ("sys2", span(4, 8, "sys2"))
    path = put(tmp_path / "x.json", {"sys2.de": [scored("Yes.", "Ja.", ERROR)]})
    with pytest.raises(FormatError, match="record 1: the test set has no segment, or more than"):
        read_judgements(path, COLLECTION)


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        (scored("One house.", "Ein Haus.", ERROR, note="?"), "unknown key 'note'; the keys are"),
        (scored("One house.", "Ein Haus.", {**ERROR, "kind": "?"}), "unknown key 'kind'"),
        (scored("One house.", "Ein Haus.", {**ERROR, "start": 9}), "9 to 8 is no place"),
        (scored("One house.", "Ein Haus."), "no errors are marked"),
        (scored("Other.", "Ein Haus.", ERROR), "is this the right test set"),
    ],
)
def test_what_is_no_xcomet_is_refused(
    tmp_path: Path, record: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(FormatError, match=complaint):
        read_judgements(put(tmp_path / "x.json", {"sys1": [record]}), COLLECTION)


def test_marks_in_another_text_lose_their_places(tmp_path: Path) -> None:
    path = put(tmp_path / "x.json", {"sys1": [scored("One house.", "Das Haus.", ERROR)]})
    assert read_judgements(path, COLLECTION).items[0].errors == (ErrorMark("", "major"),)


# --- WMT25's table -------------------------------------------------------------------------------

HEADER = [
    "doc_id",
    "segment_id",
    "source_lang",
    "target_lang",
    "set_id",
    "system_id",
    "source_segment",
    "hypothesis_segment",
    "start_indices",
    "end_indices",
    "error_types",
]


def row(**cells: str) -> str:
    usual = dict(
        zip(HEADER, ["news-1", "0", "en", "de_DE", "official", "sys1", "One house."], strict=False)
    )
    usual |= {"hypothesis_segment": "Ein Haus.", "start_indices": "0 4", "end_indices": "3 8"}
    return "\t".join((usual | {"error_types": "minor major"} | cells)[name] for name in HEADER)


def table(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["\t".join(HEADER), *rows]) + "\n", encoding="utf-8")
    return path


def test_rows_of_wmt25(tmp_path: Path) -> None:
    path = table(
        tmp_path / "spans.tsv",
        row(),
        row(system_id="sys2", hypothesis_segment="Eine Haus.", error_types="no-error",
            start_indices="-1", end_indices="-1"),
        row(segment_id="2", source_segment="Yes.", hypothesis_segment="Ja.",
            start_indices="missing", end_indices="missing", error_types="major"),
        row(target_lang="cs", doc_id="elsewhere"),
        row(set_id="challenge", doc_id="elsewhere"),
    )  # fmt: skip
    assert recognise(path).name == "wmt-spans"
    found = read_judgements(path, COLLECTION)
    assert [(i.system, i.segment, i.errors) for i in found.items] == [
        ("sys1", 0, (ErrorMark("", "minor", span(0, 3)), ErrorMark("", "major", span(4, 8)))),
        ("sys2", 0, ()),
        ("sys1", 2, (ErrorMark("omission", "major"),)),
    ]


@pytest.mark.parametrize(
    ("cells", "complaint"),
    [
        ({"end_indices": "3"}, ":2: 2 start_indices, 1 end_indices and 2 error_types"),
        ({"start_indices": "0 x"}, ":2: 'x' to '8' is no place in a text"),
        ({"doc_id": "other"}, ":2: document 'other' is not in test set 'tiny'"),
        ({"target_lang": "cs"}, "no row is about the languages of test set 'tiny'"),
    ],
)
def test_what_is_wrong_in_a_table_is_said(
    tmp_path: Path, cells: dict[str, str], complaint: str
) -> None:
    with pytest.raises(FormatError, match=complaint):
        read_judgements(table(tmp_path / "spans.tsv", row(**cells)), COLLECTION)


# --- Label Studio --------------------------------------------------------------------------------

DATA = {"doc": "blog", "segment": 0, "source": "Two\nlines 😀!", "system": "sys1",
        "target": " Zwei\nZeilen 😀! "}  # fmt: skip


def region(start: int, end: int, text: str, *labels: str, id: str = "r1") -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, "labels": list(labels)}
    return {"id": id, "type": "labels", "from_name": "s", "to_name": "t", "value": value}


def said(kind: str, value: object, id: str = "r1") -> dict[str, Any]:
    return {"id": id, "type": kind, "value": {"text" if kind == "textarea" else kind: value}}


def annotation(*results: dict[str, Any], who: object = 3, **more: object) -> dict[str, Any]:
    return {"id": 1, "completed_by": who, "was_cancelled": False, "result": list(results)} | more


def export(path: Path, *annotations: dict[str, Any], data: dict[str, Any] | None = None) -> Path:
    return put(path, [{"id": 1, "annotations": list(annotations), "data": data or DATA}])


def test_label_studio_counts_units_of_browsers(tmp_path: Path) -> None:
    path = export(
        tmp_path / "export.json",
        annotation(
            region(13, 15, "😀", "Major", "accuracy"),
            said("textarea", ["a face"]),
            region(1, 5, "Zwei", "style", id="r2"),
            said("choices", ["Minor"], "r2"),
            said("number", 70, "r3"),
        ),
        annotation(region(0, 3, "Two", "Minor"), who={"id": 4, "email": "anna@example.org"}),
        annotation(region(0, 3, "Two", "Minor"), who=5, was_cancelled=True),
    )
    assert recognise(path).name == "label-studio"
    first, second = read_judgements(path, COLLECTION).items
    assert first == Judgement(
        "sys1",
        "blog",
        0,
        "3",
        70.0,
        (
            ErrorMark("accuracy", "Major".lower(), span(13, 14, document="blog"), "a face"),
            ErrorMark("style", "minor", span(1, 5, document="blog")),
        ),
    )
    assert (second.annotator, second.score) == ("anna@example.org", None)
    assert second.errors == (ErrorMark("", "minor", Span("blog", "source", 0, 0, 3)),)


def test_what_is_missing_has_no_place_and_the_latest_word_counts(tmp_path: Path) -> None:
    data = DATA | {"target": " Zwei\nZeilen 😀!  [MISSING]"}
    place = len(data["target"]) + 1 - len("[MISSING]")  # the face is two units
    path = export(
        tmp_path / "export.json",
        annotation(said("number", 10), updated_at="2026-02-01"),
        annotation(
            region(place, place + 9, "[MISSING]", "Major"),
            said("number", 20),
            updated_at="2026-02-02",
        ),
        annotation(said("number", 30), updated_at="2026-01-01"),
        data=data,
    )
    (item,) = read_judgements(path, COLLECTION).items
    assert (item.score, item.errors) == (20.0, (ErrorMark("omission", "major"),))


def test_a_region_whose_text_is_elsewhere_has_no_place(tmp_path: Path) -> None:
    path = export(tmp_path / "export.json", annotation(region(0, 4, "Drei", "Major")))
    assert read_judgements(path, COLLECTION).items[0].errors == (ErrorMark("", "major"),)


@pytest.mark.parametrize(
    ("results", "data", "complaint"),
    [
        ([said("rating", 4)], DATA, "results of type 'rating' are not read; ESA has: labels"),
        ([said("number", 101)], DATA, "101 is no score of 0 to 100"),
        ([], {"source": "x"}, "the data of a task have no 'system'; they have: source"),
        ([], DATA | {"doc": "x"}, "document 'x' is not in test set"),
    ],
)
def test_what_label_studio_says_otherwise_is_refused(
    tmp_path: Path, results: list[dict[str, Any]], data: dict[str, Any], complaint: str
) -> None:
    path = export(tmp_path / "export.json", annotation(*results), data=data)
    with pytest.raises(FormatError, match=complaint):
        read_judgements(path, COLLECTION)
