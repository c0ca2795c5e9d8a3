"""Scores that belie the statistics beside them are refused."""

from dataclasses import replace

import pytest

from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.formats import read_collection
from isogloss.metrics import refuse_contradictions
from isogloss.sample import sample_path
from isogloss.scores import ScoreTable


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    names = ["bleu", "chrf", "ter", "ltcr", "cohesion"]
    return evaluate(read_collection(sample_path("cs-en")), names)


def test_what_evaluate_scores_is_coherent(table: ScoreTable) -> None:
    refuse_contradictions(table)


def test_a_changed_system_score_is_refused(table: ScoreTable) -> None:
    first, *rest = table.rows
    assert first.score is not None
    changed = replace(table, rows=(replace(first, score=first.score + 0.01), *rest))
    with pytest.raises(InputError, match=r"bleu of 'steady' is said to be .* statistics give"):
        refuse_contradictions(changed)


def test_a_changed_document_score_is_refused(table: ScoreTable) -> None:
    first, *rest = table.rows
    document, *others = first.documents
    documents = (replace(document, score=0.0), *others)
    changed = replace(table, rows=(replace(first, documents=documents), *rest))
    with pytest.raises(InputError, match=rf"on document '{document.document}' is said to be 0"):
        refuse_contradictions(changed)


def test_statistics_of_another_metric_are_refused(table: ScoreTable) -> None:
    bleu, chrf = table.of_metric("bleu")[0], table.of_metric("chrf")[0]
    mixed = replace(table, rows=(replace(bleu, documents=chrf.documents),))
    with pytest.raises(InputError, match=r"bleu of 'steady'.*(not those of bleu|statistics give)"):
        refuse_contradictions(mixed)


def test_systems_with_other_segments_are_refused(table: ScoreTable) -> None:
    first, second, *rest = table.rows
    document, *others = second.documents
    unsegmented = replace(document.measurement, segment_statistics=None)
    documents = (replace(document, measurement=unsegmented), *others)
    changed = replace(table, rows=(first, replace(second, documents=documents), *rest))
    with pytest.raises(InputError, match="has other segments than of 'steady'"):
        refuse_contradictions(changed)
