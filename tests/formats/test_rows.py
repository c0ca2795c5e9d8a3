from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from isogloss.documents import Collection, Document, SystemOutput, TestSet, lone_document_ids
from isogloss.errors import FormatError
from isogloss.formats import ReadOptions
from isogloss.formats.columns import Row, Table
from isogloss.formats.rows import has_lone_surrogate, refuse_unwritable, to_collection, wide_rows
from strategies import collections

PATH = Path("set.tsv")
Cells = dict[str, object]


def table(*rows: Cells) -> Table:
    """A table whose rows stand on lines 2, 3 ..."""
    numbered = [Row(line, cells) for line, cells in enumerate(rows, 2)]
    columns = dict.fromkeys((column for cells in rows for column in cells), 1)
    return Table(PATH, columns, numbered)


def read(*rows: Cells, **options: object) -> Collection:
    return to_collection(table(*rows), ReadOptions(**options))  # type: ignore[arg-type]


def shape(collection: Collection) -> dict[str, tuple[str, ...]]:
    return {document.id: document.source for document in collection.testset.documents}


def long(system: str, doc: str, source: str, output: str | None, **more: object) -> Cells:
    return {"system": system, "doc": doc, "source": source, "output": output, **more}


def test_wide_rows_make_documents_references_and_systems() -> None:
    collection = read(
        {"doc": "a", "domain": "news", "src": "1", "ref:A": "i", "ref:B": None, "system:x": "I"},
        {"doc": "a", "domain": None, "src": "2", "ref:A": "ii", "ref:B": "2", "system:x": ""},
        {"doc": "b", "domain": None, "src": "3", "ref:A": "iii", "ref:B": None, "system:x": None},
        name="set",
        source_language="en",
    )
    assert collection == Collection(
        TestSet(
            "set",
            "en",
            None,
            (
                Document("a", ("1", "2"), {"A": ("i", "ii"), "B": (None, "2")}, "news"),
                Document("b", ("3",), {"A": ("iii",), "B": (None,)}),
            ),
        ),
        (SystemOutput("x", {"a": ("I", ""), "b": (None,)}),),
    )


def test_the_test_set_is_called_after_the_file() -> None:
    assert read({"source": "a"}).testset.name == "set"


def test_without_documents_every_row_is_one() -> None:
    collection = read(*({"source": str(n)} for n in range(10)))
    assert list(shape(collection))[:2] == ["line-01", "line-02"]
    assert shape(collection)["line-10"] == ("9",)


def test_lone_documents_sort_by_name_as_by_number() -> None:
    ids = lone_document_ids(1000)
    assert (ids[0], ids[-1]) == ("line-0001", "line-1000")
    assert sorted(ids) == ids


def test_numbers_give_the_order_even_of_scattered_rows() -> None:
    collection = read(
        {"doc": "a", "segment": "10", "source": "second"},
        {"doc": "b", "segment": "1", "source": "other"},
        {"doc": "a", "segment": "9", "source": "first"},
    )
    assert shape(collection) == {"a": ("first", "second"), "b": ("other",)}


def test_other_ids_stand_in_the_order_they_come_in() -> None:
    rows = ({"doc": "a", "segment": id, "source": id} for id in ("z", "y", "10", "9"))
    assert shape(read(*rows)) == {"a": ("z", "y", "10", "9")}


@pytest.mark.parametrize("segment", [{}, {"segment": "x"}])
def test_a_document_in_two_pieces_is_refused(segment: Cells) -> None:
    rows = [{"doc": doc, "source": doc, **segment} for doc in "aba"]
    for number, row in enumerate(rows):
        row |= {key: f"{value}{number}" for key, value in segment.items()}
    with pytest.raises(FormatError, match=r"set\.tsv:4: document 'a' goes on here after another"):
        read(*rows)


@pytest.mark.parametrize("again", ["1", "01"])
def test_a_segment_given_twice_is_refused(again: str) -> None:
    with pytest.raises(FormatError, match=r":3: document 'a', segment 1 is already on line 2"):
        read({"doc": "a", "seg": "1", "src": "x"}, {"doc": "a", "seg": again, "src": "x"})


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"doc": "", "source": "x"}, "'doc' is empty"),
        ({"doc": None, "source": "x"}, "'doc' is empty"),
        ({"segment": "", "source": "x"}, "'segment' is empty"),
        ({"doc": "a", "source": None}, "document 'a', segment 1 has no source"),
        ({"source": None}, "document 'line-1', segment 1 has no source"),
        ({"system": "", "output": "x", "source": "x"}, "'system' is empty"),
    ],
)
def test_cells_that_must_be_filled(cells: Cells, message: str) -> None:
    with pytest.raises(FormatError, match=f"set.tsv:2: {message}"):
        read(cells)


def test_a_document_has_one_domain() -> None:
    with pytest.raises(FormatError, match=r":4: document 'a' has domain 'y', but 'x' on line 3"):
        read(*({"doc": "a", "source": "s", "domain": domain} for domain in (None, "x", "y")))


def test_an_empty_domain_is_none() -> None:
    (document,) = read({"doc": "a", "source": "s", "domain": ""}).testset.documents
    assert document.domain is None


def test_no_rows() -> None:
    empty = Table(PATH, {"source": 1}, [])
    with pytest.raises(FormatError, match=r"set\.tsv:1: there are no rows below the header"):
        to_collection(empty, ReadOptions())


def test_long_rows_by_system() -> None:
    collection = read(
        long("x", "a", "1", "x1", ref="r1"),
        long("x", "a", "2", "x2", ref=None),
        long("y", "a", "1", "y1", ref=None),
        long("y", "a", "2", None, ref="r2"),
    )
    assert collection.testset.documents == (Document("a", ("1", "2"), {"ref": ("r1", "r2")}),)
    assert collection.outputs == (
        SystemOutput("x", {"a": ("x1", "x2")}),
        SystemOutput("y", {"a": ("y1", None)}),
    )


def test_long_rows_by_segment_and_without_documents() -> None:
    rows = [
        {"seg": seg, "system": system, "src": seg, "mt": f"{system}{seg}"}
        for seg in ("2", "1")
        for system in "yx"
    ]
    collection = read(*rows)
    assert shape(collection) == {"line-1": ("1",), "line-2": ("2",)}
    assert collection.system_names == ("y", "x")
    assert collection.outputs[0].documents == {"line-1": ("y1",), "line-2": ("y2",)}


@pytest.mark.parametrize(("column", "role"), [("source", "source"), ("ref:A", "reference:A")])
def test_systems_must_agree_on_what_they_translated(column: str, role: str) -> None:
    first, second = long("x", "a", "1", "o", **{"ref:A": "r"}), long("y", "a", "1", "o")
    with pytest.raises(FormatError) as caught:
        read(first, second | {column: "other"})
    what = f"set.tsv:3: the {role} of document 'a', segment 1 is not the same as on line 2"
    assert str(caught.value) == what


def test_a_system_may_give_a_segment_only_once() -> None:
    row = long("x", "a", "1", "o", segment="1")
    with pytest.raises(FormatError, match=r":3: system 'x' has document 'a', segment 1 already on"):
        read(row, row)


def test_a_missing_output_is_named_unless_allowed() -> None:
    rows = [long("x", "a", "1", "o"), long("x", "b", "2", "o"), long("y", "a", "1", "o")]
    with pytest.raises(FormatError, match=r":3: system 'y' lacks document 'b', segment 1; if that"):
        read(*rows)
    collection = read(*rows, allow_missing=True)
    assert collection.outputs[1].documents == {"a": ("o",), "b": (None,)}


def test_a_long_row_must_have_an_output() -> None:
    with pytest.raises(FormatError, match=r":3: system 'y' has no output here"):
        read(long("x", "a", "1", "o"), {"system": "y", "doc": "a", "source": "1"})


def test_a_wide_row_may_not_leave_a_system_unmentioned() -> None:
    rows: list[Cells] = [{"source": "1", "system:x": None}, {"source": "2"}]
    with pytest.raises(FormatError, match=r":3: system 'x' lacks document 'line-2', segment 2"):
        read(*rows)
    collection = read(*rows, allow_missing=True)
    assert collection.outputs[0].documents == {"line-1": (None,), "line-2": (None,)}


def test_one_language_pair_of_several_is_read() -> None:
    rows = [{"lp": pair, "doc": pair, "source": pair} for pair in ("en-de", "en-fr")]
    with pytest.raises(FormatError, match="several language pairs: en-de, en-fr"):
        read(*rows)
    collection = read(*rows, pair="en-fr")
    assert shape(collection) == {"en-fr": ("en-fr",)}
    assert collection.testset.target_language == "fr"


def test_a_pair_tells_the_languages_of_a_file_that_does_not() -> None:
    testset = read({"source": "x"}, pair="en-fr", target_language="fr-CA").testset
    assert (testset.source_language, testset.target_language) == ("en", "fr-CA")


@settings(deadline=None, max_examples=50)
@given(collections())
def test_wide_rows_hold_everything(collection: Collection) -> None:
    rows: list[Cells] = [
        {"doc": row.document.id, "segment": row.number, "source": row.source, **row.about}
        | {f"reference:{name}": text for name, text in row.references.items()}
        | {f"system:{name}": text for name, text in row.systems.items()}
        for row in wide_rows(collection)
    ]
    again = read(*rows, name=collection.testset.name)
    assert again == collection
    assert again.testset.reference_names == collection.testset.reference_names


def small() -> Collection:
    document = Document("d", ("source",), {"A": ("text",)}, "news")
    testset = TestSet("t", "en", None, (document,))
    return Collection(testset, (SystemOutput("x", {"d": (None,)}),))


def test_the_first_text_at_fault_is_named() -> None:
    def fault(text: str) -> str | None:
        return "is too plain" if text == "text" else None

    with pytest.raises(FormatError) as caught:
        refuse_unwritable(small(), PATH, fault, "adorn it")
    where = "reference 'A': document 'd', segment 1"
    assert str(caught.value) == f"set.tsv: {where} is too plain; adorn it"


@pytest.mark.parametrize("at_fault", ["en", "d", "news", "A", "x"])
def test_names_are_checked_too(at_fault: str) -> None:
    with pytest.raises(FormatError, match="is bad"):
        refuse_unwritable(small(), PATH, lambda text: "is bad" if text == at_fault else None, "")


def test_an_empty_name_is_refused() -> None:
    (document,) = small().testset.documents
    testset = replace(small().testset, documents=(replace(document, references={"": ("x",)}),))
    with pytest.raises(FormatError, match="the name of reference '' is empty"):
        refuse_unwritable(Collection(testset), PATH, lambda _: None, "")


def test_a_human_output_is_refused() -> None:
    human = SystemOutput("refA", {"d": ("x",)}, human=True)
    with pytest.raises(FormatError, match="system 'refA' is human"):
        refuse_unwritable(replace(small(), outputs=(human,)), PATH, lambda _: None, "")


def test_lone_surrogates() -> None:
    assert has_lone_surrogate("a\ud83d")
    assert not has_lone_surrogate("a😀")
