"""z-normalisation by annotator: the WMT definition, by hand and by properties."""

from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import InputError
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.metaeval import z_normalised
from isogloss.metaeval.means import annotator_scales


def said(annotator: str | None, score: float | None, **rest: object) -> Judgement:
    place = {"document": "one", "segment": 0} | rest
    return Judgement("alpha", annotator=annotator, score=score, **place)  # type: ignore[arg-type]


def scores_of(judgements: Judgements) -> list[float | None]:
    return [item.score for item in judgements.items]


def test_scores_become_relative_to_their_annotator() -> None:
    strict, mild = (10.0, 20.0, 30.0), (60.0, 80.0, 100.0)
    items = tuple(said("strict", s) for s in strict) + tuple(said("mild", s) for s in mild)
    normal = z_normalised(Judgements("da-raw", items))
    assert normal.kind == "da-raw-z"
    assert scores_of(normal) == [-1.0, 0.0, 1.0, -1.0, 0.0, 1.0]  # the sample's deviation


def test_who_always_says_the_same_says_nothing() -> None:
    items = (said("once", 50.0), said("same", 0.1), said("same", 0.1), said("same", 0.1))
    judgements = Judgements("da", items)
    assert scores_of(z_normalised(judgements)) == [None] * 4
    assert [(scale.annotator, scale.count) for scale in annotator_scales(judgements)] == [
        ("once", 1),
        ("same", 3),
    ]
    assert all(scale.deviation is None for scale in annotator_scales(judgements))


def test_all_else_stays_and_what_was_not_scored_stays_so() -> None:
    error = ErrorMark("accuracy", "major")
    items = (
        said("ann", 1.0),
        said("ann", 3.0, errors=(error,), human=True),
        said("ann", None, errors=(error,)),
        said(None, None),
    )
    normal = z_normalised(Judgements("mqm", items))
    assert [item.errors for item in normal.items] == [(), (error,), (error,), ()]
    assert [item.human for item in normal.items] == [False, True, False, False]
    assert scores_of(normal)[2:] == [None, None]
    assert scores_of(normal)[1] == pytest.approx(0.5**0.5)


def test_documents_and_systems_have_scales_of_their_own() -> None:
    items = (
        said("ann", 1.0),
        said("ann", 3.0),
        said("ann", 100.0, segment=None),
        said("ann", 300.0, segment=None),
        said("ann", 7.0, document=None, segment=None),
    )
    judgements = Judgements("da", items)
    half = pytest.approx(0.5**0.5)
    assert [scale.level for scale in annotator_scales(judgements)] == [
        "segment",
        "document",
        "system",
    ]
    low, high, document_low, document_high, system = scores_of(z_normalised(judgements))
    assert (high, document_high, system) == (half, half, None)
    assert (low, document_low) == (-high, -document_high)  # type: ignore[operator]


def test_scores_without_an_annotator_are_refused() -> None:
    items = (said("ann", 1.0), said(None, 2.0), said(None, 3.0))
    with pytest.raises(InputError, match="2 scores of 3 without an annotator"):
        z_normalised(Judgements("da", items))


@given(
    st.lists(
        st.tuples(st.sampled_from(["ann", "ben", "cat"]), st.integers(0, 100).map(float)),
        max_size=25,
    )
)
@settings(deadline=None, max_examples=50)
def test_every_annotator_ends_with_mean_0_and_deviation_1(pairs: list[tuple[str, float]]) -> None:
    raw = Judgements("da", tuple(said(*pair) for pair in pairs))
    normal = z_normalised(raw)
    for annotator in raw.annotators:
        before = [item.score or 0.0 for item in raw.items if item.annotator == annotator]
        after = [i.score for i in normal.items if i.annotator == annotator]
        if len(set(before)) < 2:
            assert set(after) == {None}
            continue
        numbers = [score for score in after if score is not None]
        assert len(numbers) == len(before)
        assert fmean(numbers) == pytest.approx(0, abs=1e-9)
        assert stdev(numbers) == pytest.approx(1, abs=1e-9)
