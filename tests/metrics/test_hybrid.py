"""Hybrids: every score is the weighted sum of the parts' scores, at every level and resample."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import compare, evaluate, read_scores, write_scores
from isogloss.arrays import Floats
from isogloss.documents import Collection, SystemOutput, TestSet, Translation
from isogloss.errors import FormatError, MetricNameError, MetricOptionError
from isogloss.metrics import (
    Bleu,
    ConfiguredMetric,
    Hybrid,
    PartWeights,
    load_metric,
    metric_of_signature,
    write_weights,
)
from isogloss.metrics.hybrid import Part
from isogloss.metrics.hybrid_weights import read_weights
from isogloss.metrics.surface import Chrf, Ter
from isogloss.sample import load_sample
from isogloss.scores import Measurement, ScoreTable
from isogloss.signature import Signature
from model.tiny_models import TinyModel


@pytest.fixture(scope="module")
def sample() -> Collection:
    return load_sample("cs-en")


def scores_of(table: ScoreTable, metric: str) -> dict[tuple[str, str | None, int | None], float]:
    """Every score of one metric by system, document and segment."""
    found: dict[tuple[str, str | None, int | None], float | None] = {}
    for row in table.of_metric(metric):
        found[row.system, None, None] = row.score
        for document in row.documents:
            found[row.system, document.document, None] = document.score
            for segment, score in enumerate(document.measurement.segment_scores or ()):
                found[row.system, document.document, segment] = score
    return {place: score for place, score in found.items() if score is not None}


def test_every_score_is_the_weighted_sum_of_the_parts(sample: Collection) -> None:
    name = "hybrid(a=bleu,b=chrf,c=ter,wa=0.5,wb=2,wc=1,mb=40,sb=10,mc=60)"
    hybrid = load_metric(name, "cs", "en")
    table = evaluate(sample, ["bleu", "chrf", "ter", hybrid])
    bleu, chrf, ter = (scores_of(table, part) for part in ("bleu", "chrf", "ter"))
    whole = scores_of(table, str(hybrid.name))
    assert len(whole) == 3 * (1 + 8 + 53)
    for place, score in whole.items():
        turned = -(ter[place] - 60) / 100  # an error rate counts against
        parts = 0.5 * bleu[place] / 100 + 2 * (chrf[place] - 40) / 10 + turned
        assert score == pytest.approx(parts, abs=1e-12)


def test_alpha_is_the_papers_hybrid(sample: Collection) -> None:
    """HBLEU: a part of a document's cohesion, the rest of its BLEU from 0 to 1."""
    hybrid = load_metric("hybrid(a=cohesion,b=bleu,alpha=0.3)", "cs", "en")
    table = evaluate(sample, ["cohesion", "bleu", hybrid])
    cohesion, bleu = (scores_of(table, part) for part in ("cohesion", "bleu"))
    whole = scores_of(table, str(hybrid.name))
    assert {place for place in whole if place[1]} == {place for place in cohesion if place[1]}
    for place, score in whole.items():
        assert score == pytest.approx(0.3 * cohesion[place] + 0.7 * bleu[place] / 100, abs=1e-12)
    assert compare(table, [str(hybrid.name)])[0].standings[0].interval is not None
    assert hybrid.higher_is_better
    assert load_metric("hybrid(a=chrf,b=bleu)") == load_metric("hybrid(a=chrf,b=bleu,alpha=0.5)")
    assert load_metric("hybrid") == load_metric("hybrid(a=cohesion,b=bleu,alpha=0.5)")


def test_resampled_scores_are_the_sums_of_the_parts_resampled(sample: Collection) -> None:
    hybrid = load_metric("hybrid(a=chrf,b=ter,alpha=0.4)")
    table = evaluate(sample, ["chrf", "ter", hybrid])
    rng = np.random.default_rng(0)
    weights = rng.multinomial(8, np.full(8, 1 / 8), size=50).astype(float)

    def resampled(metric: str) -> Floats:
        rows = np.vstack([d.measurement.statistics for d in table[metric, "steady"].documents])
        return load_metric(metric).score_rows(weights @ rows)

    expected = 0.4 * resampled("chrf") / 100 - 0.6 * resampled("ter") / 100
    assert resampled(str(hybrid.name)) == pytest.approx(expected, abs=1e-12)


def test_saved_scores_are_compared_without_scoring_again(
    sample: Collection, tmp_path: Path
) -> None:
    table = evaluate(sample, ["hybrid(a=chrf,b=bleu,alpha=0.3)"])
    write_scores(table, tmp_path / "scores.jsonl")
    fresh, again = compare(table), compare(read_scores(tmp_path / "scores.jsonl"))
    assert again == fresh
    first = again[0].standings[0]
    assert first.system == "steady"
    assert first.interval is not None
    assert first.interval[0] < first.score < first.interval[1]


def test_a_hybrid_may_be_part_of_a_hybrid(sample: Collection) -> None:
    inner = "hybrid(a=chrf,b=ter,alpha=0.25)"
    outer = load_metric(f"hybrid(a={inner},b=bleu,alpha=0.5)")
    table = evaluate(sample, ["bleu", inner, outer])
    for row in table.of_metric(str(outer.name)):
        one, other = table[inner, row.system].score, table["bleu", row.system].score
        assert row.score == pytest.approx(0.5 * (one or 0) + 0.5 * (other or 0) / 100)
    assert load_metric(str(outer.name)) == outer


# --- what is missing -----------------------------------------------------------------------------


@dataclass(frozen=True)
class LongDocuments(ConfiguredMetric):
    """Sees whole documents only, and has nothing to say about short ones."""

    title: ClassVar[str] = "long-documents"

    def signature(self, testset: TestSet) -> Signature:
        return Signature(self.name)

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        for translation in translations:
            length = len(translation.document)
            scored = length if length > 6 else 0
            yield Measurement(
                np.array([length, 1.0]) if scored else np.zeros(2),
                scored,
                length,
                remarks={"was short": 0 if scored else length},
            )

    def score_rows(self, statistics: Floats) -> Floats:
        return statistics[:, 0] / statistics[:, 1]


def test_a_part_that_sees_documents_only(sample: Collection) -> None:
    hybrid = Hybrid((Part(LongDocuments(), 0.5, scale=10.0), Part(Bleu(), 0.5, scale=100.0)))
    table = evaluate(sample, [hybrid, LongDocuments(), "bleu"])
    (row,) = (r for r in table.of_metric(str(hybrid.name)) if r.system == "steady")
    long, bleu = table["long-documents", "steady"], table["bleu", "steady"]
    assert row.score == pytest.approx(0.5 * long.score / 10 + 0.5 * bleu.score / 100)
    assert {d.score is None for d in row.documents} == {True, False}
    for whole, part, other in zip(row.documents, long.documents, bleu.documents, strict=True):
        assert whole.measurement.segment_scores is None
        assert whole.measurement.segment_statistics is None
        assert (whole.score is None) == (part.score is None)
        if part.score is not None:
            assert whole.score == pytest.approx(part.score / 20 + other.score / 200)
    assert any("was short" in notice for notice in table.provenance.notices)


def test_segments_that_a_part_lacks_have_no_score(sample: Collection) -> None:
    """The embedding of an empty text has no direction; BLEU scores it all the same."""
    output = sample.outputs[0]
    first = sample.testset.documents[0].id
    documents = dict(output.documents)
    documents[first] = ("", None, *documents[first][2:])
    gappy = Collection(sample.testset, (SystemOutput("gappy", documents),))
    lengths = load_metric("embedding(encoder=lengths)")
    counting = replace(lengths, encode=lambda texts, _: np.array([[len(t), 1.0] for t in texts]))
    hybrid = Hybrid((Part(counting, 0.5), Part(Bleu(), 0.5, scale=100.0)))
    table = evaluate(gappy, [hybrid, counting, "bleu"])
    row = table[str(hybrid.name), "gappy"]
    measured = row.documents[0].measurement
    assert measured.segment_scores is not None
    assert [s is None for s in measured.segment_scores[:3]] == [True, True, False]
    assert measured.scored == measured.total - 1  # BLEU scored the empty one
    one, other = table[str(counting.name), "gappy"].score, table["bleu", "gappy"].score
    assert row.score == pytest.approx(0.5 * one + 0.5 * other / 100)
    assert row.documents[0].score is not None


def test_where_nothing_is_scored_there_is_no_score(sample: Collection) -> None:
    nothing = {d.id: (None,) * len(d) for d in sample.testset.documents}
    empty = Collection(sample.testset, (SystemOutput("empty", nothing),))
    (row,) = evaluate(empty, ["hybrid(a=chrf,b=bleu)"]).rows
    assert row.score is None
    assert all(document.score is None for document in row.documents)
    width = len(row.documents[0].measurement.statistics)
    assert np.isnan(load_metric("hybrid(a=chrf,b=bleu)").score_rows(np.zeros((2, width)))).all()


# --- names and signatures ------------------------------------------------------------------------

numbers = st.floats(-1e6, 1e6).filter(lambda x: x != 0)
parts = st.lists(
    st.builds(
        Part,
        st.sampled_from([Bleu(), Chrf(beta=3), Ter(), Bleu(tokenize="zh")]),
        weight=numbers,
        mean=st.floats(-1e6, 1e6),
        scale=st.sampled_from([1.0, 100.0]) | st.floats(1e-6, 1e6),
    ),
    min_size=2,
    max_size=5,
)


@given(parts)
def test_names_read_back(parts: list[Part]) -> None:
    hybrid = Hybrid(tuple(parts))
    assert load_metric(str(hybrid.name)) == hybrid


@given(st.floats(0, 1))
def test_alpha_reads_back(alpha: float) -> None:
    hybrid = Hybrid((Part(Chrf(), alpha, scale=100.0), Part(Bleu(), 1 - alpha, scale=100.0)))
    assert str(hybrid.name) == f"hybrid(a=chrf,b=bleu,alpha={alpha!r})"
    assert load_metric(str(hybrid.name)) == hybrid


def test_parts_suit_the_language_and_say_so() -> None:
    hybrid = load_metric("hybrid(a=bleu,b=chrf)", "en", "zh")
    assert str(hybrid.name) == "hybrid(a=bleu(tokenize=zh),b=chrf,alpha=0.5)"
    assert load_metric(str(hybrid.name)) == hybrid


def test_the_signature_holds_those_of_the_parts(sample: Collection) -> None:
    hybrid = load_metric("hybrid(a=chrf,b=bleu,alpha=0.3)")
    signature = hybrid.signature(sample.testset)
    assert metric_of_signature(str(signature)) == hybrid
    fields = dict(signature.fields)
    assert fields["a.nc"] == "6"
    assert fields["b.tok"] == "13a"
    assert fields["b.scale"] == "100.0"


def test_what_the_parts_need_the_hybrid_needs() -> None:
    assert load_metric("hybrid(a=bleu,b=prism-src)").needs_references
    assert not load_metric("hybrid(a=lm,b=prism-src)").needs_references
    assert load_metric("hybrid(a=lm,b=bleu)").uses_all_cores
    assert not load_metric("hybrid(a=chrf,b=bleu)").uses_all_cores
    assert load_metric("hybrid(a=ltcr,b=bleu)").learns_from_system
    assert not load_metric("hybrid(a=chrf,b=bleu)").learns_from_system


def test_vectors_and_fluency_together(sample: Collection, tiny_as_default: TinyModel) -> None:
    """What the Prism paper calls LASER + LM, with the vectors of our own model."""
    few = replace(sample.testset, documents=sample.testset.documents[:1])
    steady = SystemOutput(
        "steady", {d.id: sample.outputs[0].documents[d.id] for d in few.documents}
    )
    name = "hybrid(a=embedding,b=lm,alpha=0.5)"
    table = evaluate(Collection(few, (steady,)), ["embedding", "lm", name])
    row = table[name, "steady"]
    vectors, fluency = table["embedding", "steady"].score, table["lm", "steady"].score
    assert row.score == pytest.approx((vectors + fluency) / 2)
    found, alone = row.documents[0].measurement, table["lm", "steady"].documents[0].measurement
    assert found.evidence == alone.evidence


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("hybrid(a=bleu)", "2 to 26 parts, not 1"),
        ("hybrid(a=bleu,c=chrf)", "parts of a hybrid are a, b, c"),
        ("hybrid(a=bleu,b=chrf,alpha=much)", r"hybrid\(alpha=...\) takes a number, not much"),
        ("hybrid(a=bleu,b=3)", r"hybrid\(b=...\) takes a metric, not 3"),
        ("hybrid(a=bleu,b=chrf,wa=1)", "part 'b' has no weight; say wb="),
        ("hybrid(a=bleu,b=chrf,wa=1,wb=1,alpha=0.5)", "two parts without other weights"),
        ("hybrid(a=bleu,b=chrf,c=ter,alpha=0.5)", "two parts without other weights"),
        ("hybrid(a=bleu,b=chrf,wc=1)", "'wc', but no part 'c'"),
        ("hybrid(a=bleu,b=chrf,beta=1)", "no option 'beta'"),
        ("hybrid(a=bleu,b=chrf,sa=0)", "the scale above 0"),
        ("hybrid(a=bleu,b=chrf,ma=nan)", "must be finite"),
        ("hybrid(a=bleu,b=chrf,wa=0,wb=0)", "all weights are 0"),
        ("hybrid(weights=x.json,alpha=0.5)", "no option beside it"),
        ("hybrid(weights=3)", "the path of a weights file"),
    ],
)
def test_what_cannot_be_is_said(name: str, complaint: str) -> None:
    with pytest.raises(MetricOptionError, match=complaint):
        load_metric(name)


def test_an_unknown_part_gets_a_hint() -> None:
    with pytest.raises(MetricNameError, match="did you mean 'bleu'"):
        load_metric("hybrid(a=bleuu,b=chrf)")


# --- weights in a file ---------------------------------------------------------------------------

WEIGHTS = (PartWeights("chrf", 0.25, 55.5, 8.0), PartWeights("bleu", 0.75, 30.0, 10.0))


def test_a_weights_file_is_a_metric(tmp_path: Path, sample: Collection) -> None:
    path = tmp_path / "hbleu.json"
    write_weights(path, WEIGHTS, {"testset": "t"})
    assert read_weights(path) == WEIGHTS
    hybrid = load_metric(f'hybrid(weights="{path}")')
    assert str(hybrid.name) == "hybrid(a=chrf,b=bleu,alpha=0.25,ma=55.5,sa=8.0,mb=30.0,sb=10.0)"
    assert str(path) not in str(hybrid.signature(sample.testset))


def test_a_file_written_by_hand_needs_metrics_and_weights_only(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    parts = [{"metric": "bleu(lowercase=true)", "weight": 1}, {"metric": "lm", "weight": 2}]
    path.write_text(json.dumps({"isogloss": "hybrid", "version": 1, "parts": parts}))
    hybrid = load_metric(f'hybrid(weights="{path}")')
    assert str(hybrid.name) == "hybrid(a=bleu(lowercase=true),b=lm,wa=1.0,wb=2.0)"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "w.json:1: not JSON"),
        ("[]", "holds no weights of a hybrid; make one: isogloss tune"),
        ('{"isogloss": "scores"}', "holds no weights"),
        ('{"isogloss": "hybrid", "version": 9}', "version 9"),
        ('{"isogloss": "hybrid", "version": 1}', "'parts' is no list"),
        ('{"isogloss": "hybrid", "version": 1, "parts": [3]}', "part 1 names no metric"),
        (
            '{"isogloss": "hybrid", "version": 1, "parts": [{"metric": "bleu"}]}',
            r"part 1 \(bleu\) has no weight",
        ),
        (
            '{"isogloss": "hybrid", "version": 1, "parts": [{"metric": "bleu", "weight": true}]}',
            "part 1: True is no weight",
        ),
    ],
)
def test_a_file_that_holds_something_else(tmp_path: Path, content: str, complaint: str) -> None:
    path = tmp_path / "w.json"
    path.write_text(content)
    with pytest.raises(FormatError, match=complaint):
        load_metric(f'hybrid(weights="{path}")')
