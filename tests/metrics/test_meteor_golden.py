"""METEOR against values of the original program: single pairs, and a whole system by documents."""

from pathlib import Path

import pytest

from isogloss import Collection, Document, SystemOutput, TestSet, evaluate
from isogloss.formats.protocol import Side
from isogloss.formats.sgm import read as read_sgm

FULL = "meteor(matchers=exact+stem+synonym)"
PAIRS = {  # METEOR 1.5, -norm, exact, stem and synonym matchers
    "on the mat sat the cat": ("the cat sat on the mat", 0.4776696620223255),
    "the cats sits on a mat": ("the cat sat on the mat", 0.38369219126180504),
    "he purchased a car": ("he bought an automobile", 0.3238830585054485),
}


def scored(outputs: dict[str, str], metric: str) -> tuple[list[float | None], float | None]:
    """The scores of pairs, each a document, and of all of them."""
    documents = tuple(
        Document(f"d{n}", ("x",), {"ref": (reference,)})
        for n, reference in enumerate(outputs.values())
    )
    system = SystemOutput("s", {f"d{n}": (output,) for n, output in enumerate(outputs)})
    collection = Collection(TestSet("t", "de", "en", documents), (system,))
    row = evaluate(collection, [metric])[metric, "s"]
    return [document.score for document in row.documents], row.score


def test_single_pairs_and_their_sum() -> None:
    pairs = {output: reference for output, (reference, _) in PAIRS.items()}
    same = "the quick brown fox jumps over the lazy dog"
    found, total = scored({**pairs, same: same}, FULL)
    assert found[:3] == pytest.approx([value for _, value in PAIRS.values()], abs=1e-6)
    assert found[3] == pytest.approx(1.0)
    assert total is not None
    assert min(value for _, value in PAIRS.values()) < total < 1


def by_document(side: Side) -> dict[str, tuple[str, ...]]:
    documents, begin = {}, 0
    for block in side.documents or ():
        lines = side.segments[begin : begin + block.segments]
        documents[block.id] = tuple(line or "" for line in lines)
        begin += block.segments
    return documents


def test_the_example_of_the_original(shared_data: Path) -> None:
    folder = shared_data / "meteor-example"
    reference, output = read_sgm(folder / "ref.sgm"), read_sgm(folder / "test.sgm")
    wanted = {
        line.split()[2]: float(line.split()[3])
        for line in (folder / "meteor-doc.scr").read_text().splitlines()
    }
    assert len(wanted) == 111
    references = by_document(reference)
    documents = tuple(Document(id, lines, {"ref": lines}) for id, lines in references.items())
    system = SystemOutput("s", by_document(output))
    collection = Collection(TestSet("example", "de", "en", documents), (system,))
    row = evaluate(collection, ["meteor"])["meteor", "s"]
    assert row.score == pytest.approx(0.299148440516935, abs=1e-4)
    found = {document.document: document.score for document in row.documents}
    assert found == pytest.approx(wanted, abs=1e-4)
    lines = (folder / "meteor-seg.scr").read_text().splitlines()
    segments = {(doc, int(n) - 1): float(x) for _, _, doc, n, x in map(str.split, lines)}
    assert len(segments) == 2525
    mine = {
        (document.document, n): score
        for document in row.documents
        for n, score in enumerate(document.measurement.segment_scores or ())
    }
    assert mine == pytest.approx(segments, abs=1e-4)
