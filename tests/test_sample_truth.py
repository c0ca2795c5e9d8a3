"""The sample's truth is true, and what users see first agrees with it."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from isogloss.metrics.markables import Finding, Phenomenon
from isogloss.metrics.markables.checks import PRECISE
from isogloss.sample import SAMPLES, load_sample, sample_path
from isogloss.sample.truth import SYSTEMS, Verdict, load_truth
from isogloss.spans import SOURCE, Span

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("name", SAMPLES)
def test_every_rendering_that_is_named_occurs(name: str) -> None:
    collection, truth = load_sample(name), load_truth(name)
    outputs = {output.name: output.documents for output in collection.outputs}
    for term in truth.terms:
        assert len(term.occurrences) >= 2, term.source
        for system in SYSTEMS:
            for span, said in zip(term.occurrences, term.renderings[system], strict=True):
                text = outputs[system][term.document][span.segment] or ""
                assert re.search(rf"(?<!\w){re.escape(said)}", text, re.IGNORECASE), (term, span)
    for merge in truth.merges:
        lines = outputs[merge.system][merge.document]
        assert any(merge.rendering in (line or "").lower() for line in lines), merge


def test_the_readme_names_what_was_varied_on_purpose() -> None:
    readme = sample_path("cs-en").with_name("README.md").read_text("utf-8")
    for name in SAMPLES:
        for term in load_truth(name).terms:
            if term.on_purpose:
                assert f"{term.source}:" in readme
                assert term.varied("shifting")
                assert not term.varied("steady")


def test_verdicts_by_hand() -> None:
    truth = load_truth("cs-en")
    term = next(t for t in truth.terms if t.source == "byt")
    assert term.renderings["shifting"] == ("flat", "apartment", "dwelling", "unit")
    assert term.varied("shifting") == term.occurrences[1:]
    elsewhere = Span("lease-flat", SOURCE, 0, 0, 3)
    found = [*term.occurrences, elsewhere]
    judged = truth.judged("shifting", found)
    assert (judged.right, judged.found, judged.recalled) == (3, 5, 3)
    assert judged.precision == pytest.approx(0.6)
    assert Verdict(0, 0, 0, 0).precision is None
    assert Verdict(0, 0, 0, 0).recall is None
    assert Verdict(1, 2, 3, 4) + Verdict(1, 1, 1, 1) == Verdict(2, 3, 4, 5)


@pytest.fixture(scope="module")
def held() -> Iterator[dict[str, list[Finding]]]:
    """What the checks find in each system of each sample."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import sample_truth

        yield {
            f"{name} {system}": sample_truth.findings(load_sample(name), system, "auto")
            for name in SAMPLES
            for system in (*SYSTEMS, "tangled")
        }
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_inconsistencies_are_right_and_most_are_found(held: dict[str, list[Finding]]) -> None:
    total = Verdict(0, 0, 0, 0)
    for name in SAMPLES:
        for system in SYSTEMS:
            places = [
                finding.occurrence
                for finding in held[f"{name} {system}"]
                if finding.phenomenon is Phenomenon.INCONSISTENCY
            ]
            total += load_truth(name).judged(system, places)
    assert total.precision is not None
    assert total.precision >= 0.9
    assert total.recall is not None
    assert total.recall >= 0.8


def test_conflicts_are_mostly_right_and_have_to_be_asked_for(
    held: dict[str, list[Finding]],
) -> None:
    import sample_truth

    total = Verdict(0, 0, 0, 0)
    for name in SAMPLES:
        for system in SYSTEMS:  # which merge nothing
            found = held[f"{name} {system}"]
            total += Verdict(0, sum(f.phenomenon == "conflict" for f in found), 0, 0)
        collection, truth = load_sample(name), load_truth(name)
        total += sample_truth.merges_found(truth, collection, held[f"{name} tangled"])
    assert total.precision is not None
    assert total.precision >= 0.9
    assert total.recall is not None
    assert total.recall >= 0.8
    merged_nothing = [held[f"{name} {system}"] for name in SAMPLES for system in SYSTEMS]
    assert any(f.phenomenon == "conflict" for found in merged_nothing for f in found)
    assert Phenomenon.CONFLICT not in PRECISE


def test_what_is_mostly_wrong_has_to_be_asked_for(held: dict[str, list[Finding]]) -> None:
    whole = [found for name, found in held.items() if not name.endswith("tangled")]
    gone = [f for found in whole for f in found if f.phenomenon == "disappearance"]
    assert gone  # nothing disappears in these systems
    assert Phenomenon.DISAPPEARANCE not in PRECISE
