"""Prism against its formulas, computed with an independent Transformer in plain PyTorch."""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from isogloss.cli.evaluate import METRICS
from isogloss.comparison import ComparisonSettings, compare
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.metrics import load_metric
from isogloss.metrics.prism import Prism, ProbabilityMetric
from isogloss.model import Pair
from isogloss.sample import load_sample
from isogloss.scores import ScoreTable, SystemScore
from model.tiny_models import TinyModel

SOURCE = ("das Haus und die Maus", "Hund läuft schnell", "die Katze")
REF = ("the house and the cat", "dog ran fine", "the cat")
ALT = ("a house and a cat", None, "cat sat")
OUT = ("the red house", "a dog ran", "the cat on the mat")


def made_of(references: dict[str, tuple[str | None, ...]]) -> TestSet:
    def part(start: int, end: int) -> dict[str, tuple[str | None, ...]]:
        return {name: lines[start:end] for name, lines in references.items()}

    return TestSet(
        "t",
        "de",
        "en",
        (Document("a", SOURCE[:2], part(0, 2)), Document("b", SOURCE[2:], part(2, 3))),
    )


def scored(
    tiny: TinyModel,
    options: str = "",
    metric: str = "prism",
    references: dict[str, tuple[str | None, ...]] | None = None,
    output: tuple[str | None, ...] = OUT,
) -> SystemScore:
    name = f'{metric}(model="{tiny.folder}"{options})'
    known = {"ref": REF} if references is None else references
    system = SystemOutput("s", {"a": output[:2], "b": output[2:]})
    return evaluate(Collection(made_of(known), (system,)), [name]).rows[0]


def segments(row: SystemScore) -> list[float | None]:
    return [s for d in row.documents for s in d.measurement.segment_scores or ()]


def given(
    tiny: TinyModel,
    condition: str,
    target: str,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    language: str = "en",
) -> list[float]:
    """The yardstick's log-probabilities of the target's pieces and its end mark."""
    return tiny.log_probs(Pair(condition, target, "en", language, tuple(before), tuple(after)))


def mean_h(tiny: TinyModel, condition: str, target: str, **context: Sequence[str]) -> float:
    return fmean(given(tiny, condition, target, **context))


def test_prism_is_the_mean_of_both_directions(tiny: TinyModel) -> None:
    row = scored(tiny)
    expected = [
        (mean_h(tiny, r, o) + mean_h(tiny, o, r)) / 2 for r, o in zip(REF, OUT, strict=True)
    ]
    assert segments(row) == pytest.approx(expected, abs=1e-4)
    assert row.documents[0].score == pytest.approx(fmean(expected[:2]), abs=1e-4)
    assert row.score == pytest.approx(fmean(expected), abs=1e-4)


def test_the_end_mark_counts_and_the_tag_does_not(tiny: TinyModel) -> None:
    row = scored(tiny, ",direction=sys-given-ref,norm=sum,average=segments")
    for score, reference, output in zip(segments(row), REF, OUT, strict=True):
        terms = given(tiny, reference, output)
        assert len(terms) == len(tiny.numbers(output)) + 1
        assert score == pytest.approx(math.fsum(terms), abs=1e-3)


@pytest.mark.parametrize("direction", ["both", "ref-given-sys"])
def test_the_length_of_the_reference_counts_openly(tiny: TinyModel, direction: str) -> None:
    plain = segments(scored(tiny, f",direction={direction}"))
    row = scored(tiny, f",direction={direction},norm=reference")
    sizes = [len(tiny.numbers(reference)) + 1 for reference in REF]
    expected = [h * size for h, size in zip(plain, sizes, strict=True)]
    assert segments(row) == pytest.approx(expected, rel=1e-4)
    assert row.score == pytest.approx(fmean(expected), rel=1e-4)


@pytest.mark.parametrize(("direction", "turn"), [("sys-given-ref", False), ("ref-given-sys", True)])
def test_single_directions(tiny: TinyModel, direction: str, turn: bool) -> None:
    pairs = zip(OUT, REF, strict=True) if turn else zip(REF, OUT, strict=True)
    expected = [mean_h(tiny, condition, target) for condition, target in pairs]
    assert segments(scored(tiny, f",direction={direction}")) == pytest.approx(expected, abs=1e-4)


def test_prism_src_conditions_on_the_source(tiny: TinyModel) -> None:
    row = scored(tiny, metric="prism-src", references={})
    expected = [fmean(given(tiny, s, o, language="de")) for s, o in zip(SOURCE, OUT, strict=True)]
    assert segments(row) == pytest.approx(expected, abs=1e-4)


def test_the_source_given_the_output_and_both(tiny: TinyModel) -> None:
    forwards = [fmean(given(tiny, s, o, language="de")) for s, o in zip(SOURCE, OUT, strict=True)]
    backwards = [
        fmean(tiny.log_probs(Pair(o, s, "de", "en"))) for s, o in zip(SOURCE, OUT, strict=True)
    ]
    turned = scored(tiny, ",direction=src-given-sys", metric="prism-src", references={})
    assert segments(turned) == pytest.approx(backwards, abs=1e-4)
    assert [e for d in turned.documents for e in d.measurement.evidence] == []
    both = scored(tiny, ",direction=both", metric="prism-src", references={})
    expected = [(one + other) / 2 for one, other in zip(forwards, backwards, strict=True)]
    assert segments(both) == pytest.approx(expected, abs=1e-4)
    assert {e.spans[0].side for d in both.documents for e in d.measurement.evidence} == {"output:s"}
    itself = scored(tiny, ",direction=src-given-sys,scale=self", "prism-src", output=REF)
    assert itself.score == pytest.approx(1.0, abs=1e-6)


def test_the_pieces_of_a_reference_are_no_evidence_about_the_output(tiny: TinyModel) -> None:
    row = scored(tiny, ",direction=ref-given-sys")
    assert [e for d in row.documents for e in d.measurement.evidence] == []


def test_the_language_model_conditions_on_nothing(tiny: TinyModel) -> None:
    row = scored(tiny, metric="lm", references={})
    expected = [fmean(given(tiny, "", o)) for o in OUT]
    assert segments(row) == pytest.approx(expected, abs=1e-4)


def test_scales(tiny: TinyModel) -> None:
    plain = segments(scored(tiny))
    assert segments(scored(tiny, ",scale=exp")) == pytest.approx(
        [math.exp(s) for s in plain if s is not None], abs=1e-4
    )
    own = [mean_h(tiny, r, r) for r in REF]
    relative = [math.exp(s - o) for s, o in zip(plain, own, strict=True) if s is not None]
    assert segments(scored(tiny, ",scale=self")) == pytest.approx(relative, abs=1e-4)
    perfect = scored(tiny, ",scale=self", output=REF)
    assert segments(perfect) == pytest.approx([1.0, 1.0, 1.0], abs=1e-6)
    by_source = scored(tiny, ",scale=self", metric="prism-src", output=REF)
    assert by_source.score == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("metric", ["prism", "prism-src", "lm"])
def test_temperature(tiny: TinyModel, metric: str) -> None:
    def warm(condition: str, target: str, language: str = "en") -> float:
        return fmean(tiny.log_probs(Pair(condition, target, "en", language), 2.5))

    expected = {
        "prism": [(warm(r, o) + warm(o, r)) / 2 for r, o in zip(REF, OUT, strict=True)],
        "prism-src": [warm(s, o, "de") for s, o in zip(SOURCE, OUT, strict=True)],
        "lm": [warm("", o) for o in OUT],
    }[metric]
    row = scored(tiny, ",temperature=2.5", metric)
    assert segments(row) == pytest.approx(expected, abs=1e-4)
    assert row.metric == f"{metric}(model=tiny,temperature=2.5)"
    assert segments(row) != pytest.approx(segments(scored(tiny, metric=metric)), abs=0.01)


def test_averages(tiny: TinyModel) -> None:
    terms = [given(tiny, r, o) for r, o in zip(REF, OUT, strict=True)]
    options = ",direction=sys-given-ref,average="
    means = [fmean(t) for t in terms]
    by_document = (fmean(means[:2]) + means[2]) / 2
    by_token = fmean([x for t in terms for x in t])
    assert scored(tiny, options + "segments").score == pytest.approx(fmean(means), abs=1e-4)
    assert scored(tiny, options + "documents").score == pytest.approx(by_document, abs=1e-4)
    assert scored(tiny, options + "tokens").score == pytest.approx(by_token, abs=1e-4)


def test_several_references(tiny: TinyModel) -> None:
    both = {"ref": REF, "alt": ALT}
    each = [segments(scored(tiny, references={name: lines})) for name, lines in both.items()]
    assert each[1][1] is None
    best = segments(scored(tiny, references=both))
    mean = segments(scored(tiny, ",references=mean", references=both))
    for i in range(3):
        known = [scores[i] for scores in each if scores[i] is not None]
        assert best[i] == pytest.approx(max(known), abs=1e-6)  # type: ignore[type-var]
        assert mean[i] == pytest.approx(fmean(known), abs=1e-6)  # type: ignore[type-var]


def test_own_context_stands_on_both_sides_and_is_not_counted(tiny: TinyModel) -> None:
    row = scored(tiny, ",context=1")
    forwards = mean_h(tiny, REF[1], OUT[1], before=REF[:1], after=OUT[:1])
    backwards = mean_h(tiny, OUT[1], REF[1], before=OUT[:1], after=REF[:1])
    assert segments(row)[1] == pytest.approx((forwards + backwards) / 2, abs=1e-4)
    without = segments(scored(tiny))
    assert segments(row)[0] == pytest.approx(without[0])  # nothing comes before it
    assert segments(row)[2] == pytest.approx(without[2])  # another document does not count
    assert segments(row)[1] != pytest.approx(without[1], abs=1e-3)


def test_reference_context_stands_for_the_output_too(tiny: TinyModel) -> None:
    row = scored(tiny, ",context=2,context_from=reference,direction=sys-given-ref")
    expected = mean_h(tiny, REF[1], OUT[1], before=REF[:1], after=REF[:1])
    assert segments(row)[1] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("whose", "after"), [("own", OUT[:1]), ("reference", REF[:1]), ("source", ())]
)
def test_context_of_the_source(tiny: TinyModel, whose: str, after: Sequence[str]) -> None:
    row = scored(tiny, f",context=1,context_from={whose}", metric="prism-src")
    expected = fmean(given(tiny, SOURCE[1], OUT[1], before=SOURCE[:1], after=after, language="de"))
    assert segments(row)[1] == pytest.approx(expected, abs=1e-4)


def test_what_is_empty_or_absent_is_not_scored(tiny: TinyModel) -> None:
    row = scored(tiny, output=("the house", "", None))
    assert segments(row)[1:] == [None, None]
    assert (row.documents[1].score, row.scored) == (None, 1)
    assert row.score == segments(row)[0]


def test_evidence_points_at_the_least_probable_pieces(tiny: TinyModel) -> None:
    row = scored(tiny)
    found = row.documents[0].measurement.evidence
    assert len(found) == 5
    assert [e.value for e in found] == sorted(e.value or 0 for e in found)
    terms = [x for r, o in zip(REF[:2], OUT[:2], strict=True) for x in given(tiny, r, o)[:-1]]
    assert found[0].value == pytest.approx(min(terms), abs=1e-4)
    (span,) = found[0].spans
    assert span.text(OUT[:2]) in OUT[span.segment]
    everything = evaluate(
        Collection(made_of({"ref": REF}), (SystemOutput("s", {"a": OUT[:2], "b": OUT[2:]}),)),
        [Prism(folder=tiny.folder, evidence="all")],
    ).rows[0]
    spans = [e.spans[0] for e in everything.documents[0].measurement.evidence]
    words = "".join(span.text(OUT[:2]) for span in spans if span.segment == 0)
    assert words.replace(" ", "") == OUT[0].replace(" ", "")


def test_remarks_tell_what_the_score_does_not(tiny: TinyModel) -> None:
    long = "the cat " * 255  # with its tag and end mark just what the model takes
    whole = TestSet("t", "de", "en", (Document("a", ("x", "y"), {"r": (long, "cat")}),))
    output = SystemOutput("s", {"a": (long, "cat")})
    table = evaluate(Collection(whole, (output,)), [f'prism(model="{tiny.folder}",context=1)'])
    assert table.rows[0].documents[0].measurement.remarks == {
        "context was dropped; a smaller context= fits": 1
    }
    told = "context was dropped in 1 segment of 's'; a smaller context= fits"
    assert any(notice.endswith(told) for notice in table.provenance.notices)


def test_the_signature_names_the_model_and_not_its_path(tiny: TinyModel) -> None:
    metric = load_metric(f'prism(model="{tiny.folder}",context=2)')
    signature = str(metric.signature(made_of({"ref": REF})))
    assert signature.startswith("prism(model=tiny,context=2)|langs:de-en|model:tiny|digest:sha256:")
    for part in ("engine:ctranslate2-", "precision:float32", "isa:"):
        assert part in signature
    assert str(tiny.folder) not in signature
    warm = load_metric(f'prism(model="{tiny.folder}",temperature=2)').signature(
        made_of({"ref": REF})
    )
    assert str(warm).startswith("prism(model=tiny,temperature=2.0)|")


def test_saved_scores_are_compared_without_the_model(
    tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = two_systems(tiny)
    monkeypatch.setenv("ISOGLOSS_MODELS", "/nonexistent")
    (comparison,) = compare(table, settings=ComparisonSettings(resamples=50))
    (pair,) = comparison.pairs
    assert (pair.p, pair.blocks) == (1.0, 2)


def two_systems(tiny: TinyModel) -> ScoreTable:
    outputs = (
        SystemOutput("s", {"a": OUT[:2], "b": OUT[2:]}),
        SystemOutput("r", {"a": REF[:2], "b": REF[2:]}),
    )
    collection = Collection(made_of({"ref": REF}), outputs)
    return evaluate(collection, [f'prism(model="{tiny.folder}")'])


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("prism(context=-1)", "takes 0 or more"),
        ("prism(temperature=0)", "takes a number above 0, not 0"),
        ("lm(temperature=-1.5)", "takes a number above 0, not -1.5"),
        ("embedding(temperature=2)", "embedding has no option 'temperature'"),
        ("prism(norm=sum,average=tokens)", "norm=sum is not divided by tokens"),
        ("prism(norm=reference,average=tokens)", "norm=reference is not divided by tokens"),
        ("prism(norm=reference,direction=sys-given-ref)", "does not read; use norm=sum"),
        ("prism-src(norm=reference)", "takes one of: mean, sum"),
        ("prism-src(direction=both,scale=self)", "scale=self is of one direction"),
        ("prism(direction=up)", "takes one of: both, sys-given-ref, ref-given-sys"),
        ("lm(scale=self)", "takes one of: log, exp"),
        ("prism(folder=x)", "prism has no option 'folder'"),
    ],
)
def test_wrong_options_are_refused(name: str, complaint: str) -> None:
    with pytest.raises(MetricOptionError, match=complaint):
        load_metric(name)


def test_languages_must_be_known(tiny: TinyModel) -> None:
    bare = TestSet("t", None, None, (Document("a", ("x",), {"r": ("y",)}),))
    collection = Collection(bare, (SystemOutput("s", {"a": ("z",)}),))
    with pytest.raises(NotApplicableError, match="target language") as lacks:
        evaluate(collection, [f'prism(model="{tiny.folder}")'])
    assert lacks.value.lacking == ("target_language",)
    half = TestSet("t", None, "en", bare.documents)
    with pytest.raises(NotApplicableError, match="source language"):
        evaluate(Collection(half, collection.outputs), [f'prism-src(model="{tiny.folder}")'])


def test_a_reference_that_an_option_asks_for_must_be_there(tiny: TinyModel) -> None:
    for option in ("scale=self", "context_from=reference"):
        with pytest.raises(NotApplicableError, match=option):
            scored(tiny, f",{option}", metric="prism-src", references={})


def test_statistics_of_nothing_have_no_score() -> None:
    metric: ProbabilityMetric = Prism()
    assert metric.score(np.zeros(4)) is None


def test_prism_src_says_how_it_orders_systems() -> None:
    """In the notes below every table, and not among the metrics that the demo shows first."""
    testset = load_sample("cs-en").testset
    caution = load_metric("prism-src").caution(testset)
    assert caution is not None
    assert "206 of 464 pairs" in caution
    assert "not measured" not in caution
    assert "this model does was not measured" in (
        load_metric("prism-src(model=nllb)").caution(testset) or ""
    )
    assert load_metric("prism").caution(testset) is None
    hybrid = load_metric("hybrid(a=chrf,b=prism-src)").caution(testset)
    assert hybrid == f"prism-src: {caution}"
    assert "prism-src" not in METRICS
    page = (Path(__file__).parents[2] / "docs" / "model.md").read_text(encoding="utf-8")
    assert "| all | 206 of 464 | 349 of 464 |" in page
