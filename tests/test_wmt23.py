"""A real test set, end to end: WMT23 en-de with its twelve systems."""

from pathlib import Path

import pytest
import sacrebleu

from isogloss import Collection, compare, evaluate, read_judgements
from isogloss.formats import read_collection


@pytest.fixture(scope="module")
def collection(shared_data: Path) -> Collection:
    return read_collection(shared_data / "wmt" / "wmt23" / "en-de").with_references(["refA"])


def test_scores_are_sacrebleus(collection: Collection) -> None:
    table = evaluate(collection, ["bleu"])
    reference = [t for d in collection.testset.documents for t in d.references["refA"]]
    assert len(collection.outputs) == 12
    for output in collection.outputs:
        lines = [t for d in output.documents.values() for t in d]
        row = table["bleu", output.name]
        assert row.score == sacrebleu.corpus_bleu(lines, [reference], force=True).score
        assert len(row.documents) == 192
        assert all(document.score is not None for document in row.documents)
    (comparison,) = compare(table)
    assert len(comparison.pairs) == 66
    assert [s.system for s in comparison.standings if s.cluster == 1] == ["ONLINE-W"]


def test_judgements_fit_the_collection(collection: Collection, shared_data: Path) -> None:
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    judgements = read_judgements(folder, collection, "mqm")
    assert len(judgements.segment_means()) == 5980
    assert {item.system for item in judgements.items if item.human} == {"refA"}
