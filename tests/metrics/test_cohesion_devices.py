"""LC and RC: both readings of the first mention, with and without WordNet's relations."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.documents import Document, Translation
from isogloss.evaluation import evaluate
from isogloss.language.wordnet import ENVIRONMENT
from isogloss.metrics import load_metric
from isogloss.metrics.cohesion.devices import LexicalCohesion, RepetitionCohesion
from isogloss.sample import load_sample
from isogloss.scores import Measurement
from language.tiny_wordnet import write_tiny_wordnet

TEXT = ("A car and a car met two cars.", "The vehicle was fast.", "They bought geese.")


def measured(metric: RepetitionCohesion, *segments: str | None) -> Measurement:
    document = Document("d", tuple("x" for _ in segments))
    (measurement,) = metric.measure([Translation(document, "sys", segments, "de", "en")])
    return measurement


def counts(metric: RepetitionCohesion, *segments: str | None) -> list[float]:
    return measured(metric, *segments).statistics.tolist()


@pytest.fixture
def _tiny_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, str(write_tiny_wordnet(tmp_path)))


def test_repetitions_by_hand() -> None:
    """Nine content words (car, car, met, two, car, vehicle, fast, bought, goose); car is thrice."""
    assert counts(RepetitionCohesion(), *TEXT) == [3, 9]
    assert counts(RepetitionCohesion(first_mention="not"), *TEXT) == [2, 9]
    assert counts(RepetitionCohesion(unit="surface"), *TEXT) == [2, 9]
    assert counts(LexicalCohesion(), *TEXT) == [3, 9]


@pytest.mark.usefixtures("_tiny_wordnet")
def test_relations_by_hand() -> None:
    """A vehicle is a superordinate of a car; the tiny WordNet knows nothing else of the text."""
    assert counts(LexicalCohesion(relations="wordnet"), *TEXT) == [4, 9]
    assert counts(LexicalCohesion(relations="wordnet", first_mention="not"), *TEXT) == [3, 9]


@pytest.mark.usefixtures("_tiny_wordnet")
@pytest.mark.parametrize(
    ("segments", "reason", "counted", "not_counted"),
    [
        (("An automobile.", "A car."), "synonym", 2, 1),
        (("He acquired it.", "He bought it."), "near synonym", 2, 1),
        (("A fast one.", "A speedy one."), "near synonym", 2, 1),
        (("A vehicle.", "A bus."), "superordinate", 2, 1),
        (("A bus.", "A vehicle."), "superordinate", 2, 1),
        (("A Beetle.", "A car."), "superordinate", 2, 1),
        (("A Beetle.", "A vehicle."), None, 0, 0),  # two steps
        (("A bus.", "A car."), None, 0, 0),  # sisters
        (("A goose.", "A car."), None, 0, 0),
    ],
)
def test_every_relation(
    segments: tuple[str, ...], reason: str | None, counted: int, not_counted: int
) -> None:
    metric = LexicalCohesion(relations="wordnet")
    assert counts(metric, *segments) == [counted, 2]
    assert counts(LexicalCohesion(relations="wordnet", first_mention="not"), *segments) == [
        not_counted, 2,
    ]  # fmt: skip
    found = measured(metric, *segments).evidence
    assert {e.reason for e in found} == ({reason} if reason else set())
    assert all(len({span.segment for span in e.spans}) == 2 for e in found)


def test_evidence_is_one_piece_a_word() -> None:
    (found,) = measured(RepetitionCohesion(first_mention="not"), *TEXT).evidence
    assert (found.reason, found.value) == ("repetition", 2.0)
    assert [span.text(TEXT) for span in found.spans] == ["car", "car", "cars"]
    assert {span.side for span in found.spans} == {"output:sys"}


def test_segments_and_absent_ones() -> None:
    measurement = measured(RepetitionCohesion(), *TEXT, None, "")
    rows = measurement.segment_statistics
    assert rows is not None
    assert rows[:3].tolist() == [[3, 5], [0, 2], [0, 2]]
    assert np.isnan(rows[3]).all()
    assert measurement.segment_scores == (0.6, 0.0, 0.0, None, None)
    assert (measurement.scored, measurement.total) == (4, 5)
    assert RepetitionCohesion().score(measured(RepetitionCohesion(), "The", "").statistics) is None


words = st.sampled_from(["car", "river", "mayor", "the", "of", "1984"])
documents = st.lists(st.lists(words, max_size=6).map(" ".join), min_size=1, max_size=5)


@given(documents)
def test_it_is_the_naive_count(segments: list[str]) -> None:
    content = [w for s in segments for w in s.split() if w in ("car", "river", "mayor")]
    often = [n for n in Counter(content).values() if n > 1]
    assert counts(RepetitionCohesion(), *segments) == [sum(often), len(content)]
    without = RepetitionCohesion(first_mention="not")
    assert counts(without, *segments) == [sum(n - 1 for n in often), len(content)]


@pytest.mark.usefixtures("_tiny_wordnet")
def test_signatures_name_the_reading() -> None:
    testset = load_sample("cs-en").testset
    assert str(load_metric("rc(first_mention=not)").signature(testset)).startswith(
        "rc(first_mention=not)|words:unicode-1-en|unit:snowball-english-"
    )
    assert "|relations:wordnet-9.9-" in str(load_metric("lc(relations=wordnet)").signature(testset))
    assert "relations" not in str(load_metric("lc").signature(testset))


def test_they_need_no_reference_and_see_repetition_in_the_sample() -> None:
    for name in ("cs-en", "zh-en"):
        table = evaluate(load_sample(name).with_references([]), ["rc"])
        scores = {row.system: row.score for row in table.rows}
        assert scores["shifting"] < min(scores["steady"], scores["tangled"])


def test_lc_says_where_it_is_rc_by_construction() -> None:
    sample = load_sample("zh-en")
    table = evaluate(sample, ["lc", "rc", "lc(relations=none,first_mention=not)"])
    said = [metric.caution for metric in table.metrics]
    assert said[0] is not None
    assert said[0].startswith("equal to rc by construction")
    assert "lc(relations=wordnet)" in said[0]
    assert said[1] is None
    assert said[2] == said[0]
    assert table.metrics[0].warnings == (f"lc: {said[0]}",)
    lc, rc = table.of_metric("lc"), table.of_metric("rc")
    assert [row.score for row in lc] == [row.score for row in rc]
    german = replace(sample.testset, target_language="de")
    assert "wordnet" not in (LexicalCohesion().caution(german) or "wordnet")
    assert LexicalCohesion(relations="wordnet").caution(sample.testset) is None
