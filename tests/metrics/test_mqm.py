"""Predicted MQM against its formula: sums of the costs of the decoder's states."""

import numpy as np
import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import InputError
from isogloss.evaluation import evaluate
from isogloss.metrics.mqm import errors_in
from isogloss.model import Pair, TokenCosts, read_heads
from isogloss.scores import ScoreTable, SystemScore
from model.tiny_models import TinyModel, random_heads, tiny_model

pytest.importorskip("torch")
SOURCE = ("das Haus und die Maus", "Hund läuft schnell", "die Katze")
REF = ("the house and the cat", "dog ran fine", "the cat")
ALT = ("a house and a cat", None, "cat sat")
OUT = ("the red house", "a dog ran", None)


def table(tiny: TinyModel, name: str = "mqm", options: str = "", **references) -> ScoreTable:
    document = Document("a", SOURCE, references or {"ref": REF})
    collection = Collection(TestSet("t", "de", "en", (document,)), (SystemOutput("s", {"a": OUT}),))
    return evaluate(collection, [f'{name}(model="{tiny.folder}"{options})'])


def scored(tiny: TinyModel, name: str = "mqm", options: str = "", **references) -> SystemScore:
    return table(tiny, name, options, **references).rows[0]


def sums(tiny: TinyModel, pairs: list[Pair], reading: int) -> np.ndarray:
    head = read_heads(tiny.folder)[reading]
    return np.array([sum(tiny.costs(pair, head)) for pair in pairs])


def by_reference(tiny: TinyModel, references: tuple[str | None, ...]) -> np.ndarray:
    texts = [(r, o) for r, o in zip(references, OUT, strict=True) if r and o]
    there = sums(tiny, [Pair(r, o, "en", "en") for r, o in texts], 0)
    return there + sums(tiny, [Pair(o, r, "en", "en") for r, o in texts], 1)


def by_source(tiny: TinyModel) -> np.ndarray:
    texts = [(s, o) for s, o in zip(SOURCE, OUT, strict=True) if o]
    return sums(tiny, [Pair(s, o, "en", "de") for s, o in texts], 2)


def test_a_penalty_is_the_sum_of_both_directions(tiny: TinyModel) -> None:
    row = scored(tiny)
    measurement = row.documents[0].measurement
    expected = by_reference(tiny, REF)
    assert measurement.segment_scores is not None
    assert measurement.segment_scores[:2] == pytest.approx(expected.tolist(), abs=1e-3)
    assert measurement.segment_scores[2] is None
    assert row.score == pytest.approx(expected.mean(), abs=1e-3)
    assert (measurement.scored, measurement.total) == (2, 3)


def weighing(folder, **card: object) -> TinyModel:
    """A tiny model whose card says how costs and surprise become points."""
    return tiny_model(folder, costs=random_heads(), card=card)


def surprise(tiny: TinyModel, reference: str, output: str) -> float:
    there = tiny.log_probs(Pair(reference, output, "en", "en"))
    back = tiny.log_probs(Pair(output, reference, "en", "en"))
    return -len(back) * float(np.mean([np.mean(there), np.mean(back)]))


def test_surprise_counts_as_the_card_says(tmp_path) -> None:
    tiny = weighing(tmp_path / "weighing", points_per_cost=0.5, points_per_nat=0.25)
    nats = np.array([surprise(tiny, r, o) for r, o in zip(REF, OUT, strict=True) if r and o])
    expected = 0.5 * by_reference(tiny, REF) + 0.25 * nats
    counted, ignored = table(tiny), table(tiny, options=",surprise=ignored")
    found = counted.rows[0].documents[0].measurement.segment_scores
    assert found is not None
    assert found[:2] == pytest.approx(expected.tolist(), abs=1e-3)
    assert "points:0.5/cost+0.25/nat" in str(counted.metrics[0].signature)
    assert ignored.rows[0].score == pytest.approx(by_reference(tiny, REF).mean(), abs=1e-3)
    assert "points" not in str(ignored.metrics[0].signature)


def test_points_for_surprise_are_no_reward(tmp_path) -> None:
    with pytest.raises(InputError, match="points_per_nat must be a number, 0 or more"):
        scored(weighing(tmp_path / "wrong", points_per_nat=-1))


def test_from_the_source_and_from_both(tiny: TinyModel) -> None:
    assert scored(tiny, "mqm-src").score == pytest.approx(by_source(tiny).mean(), abs=1e-3)
    both = (by_reference(tiny, REF) + by_source(tiny)) / 2
    assert scored(tiny, options=",given=both").score == pytest.approx(both.mean(), abs=1e-3)


def test_the_reference_that_costs_least_counts(tiny: TinyModel) -> None:
    first, second = by_reference(tiny, REF), by_reference(tiny, ALT)
    best = scored(tiny, ref=REF, alt=ALT).documents[0].measurement.segment_scores
    assert best is not None
    assert best[:2] == pytest.approx([min(first[0], second[0]), first[1]], abs=1e-3)
    mean = scored(tiny, options=",references=mean", ref=REF, alt=ALT)
    values = mean.documents[0].measurement.segment_scores
    assert values is not None
    assert values[0] == pytest.approx((first[0] + second[0]) / 2, abs=1e-3)


def test_evidence_says_where_the_points_went(tiny: TinyModel) -> None:
    measurement = scored(tiny).documents[0].measurement
    assert measurement.evidence
    sides = {evidence.spans[0].side for evidence in measurement.evidence}
    assert sides == {"output:s", "reference:ref"}
    for evidence in measurement.evidence:
        (span,) = evidence.spans
        texts = OUT if span.side == "output:s" else REF
        marked = span.text(texts)
        assert marked == marked.strip() != ""
        assert evidence.reason.endswith("major" if (evidence.value or 0) >= 2.5 else "minor")
    marked_points = sum(evidence.value or 0 for evidence in measurement.evidence)
    assert 0 < marked_points <= float(measurement.statistics[0])


def test_marks_side_by_side_are_one_error() -> None:
    offsets = ((0, 3), (3, 7), (7, 9), (10, 12), (20, 25), (25, 25))
    costs = TokenCosts(9.0, (1.0, 0.1, 0.5, 2.0, 0.3, 7.0), offsets)
    assert list(errors_in(costs)) == [(0, 3, 1.0), (7, 12, 2.5), (20, 25, 0.3)]


def test_a_model_that_has_not_learnt_it_says_so(tmp_path) -> None:
    plain = tiny_model(tmp_path / "plain")
    with pytest.raises(InputError, match="has not learnt error costs"):
        scored(plain)
