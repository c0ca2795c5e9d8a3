"""Similarity of sentence vectors: the model's own, and those of any encoder."""

from collections.abc import Sequence

import numpy as np
import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.metrics import Embedding
from model.tiny_models import TinyModel

TESTSET = TestSet(
    "t",
    "de",
    "en",
    (
        Document("a", ("das Haus", "die Maus"), {"r": ("the house", "the cat"), "q": ("a", None)}),
        Document("b", ("Hund",), {"r": ("dog",), "q": ("a dog",)}),
    ),
)
COLLECTION = Collection(TESTSET, (SystemOutput("s", {"a": ("the red house", ""), "b": ("dog",)}),))


def counting(texts: Sequence[str], language: str) -> np.ndarray:
    """A vector that anybody can check: how often each of three letters occurs."""
    return np.array([[text.count(letter) + 1 for letter in "aeo"] for text in texts], dtype=float)


def cosine(one: str, other: str) -> float:
    x, y = counting([one, other], "en")
    return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))


def test_any_encoder_will_do() -> None:
    metric = Embedding(encoder="letters", encode=counting)
    (row,) = evaluate(COLLECTION, [metric]).rows
    expected = [max(cosine("the red house", r) for r in ("the house", "a")), 1.0]
    first, second = row.documents
    assert first.measurement.segment_scores == (pytest.approx(expected[0]), None)
    assert second.measurement.segment_scores == (pytest.approx(expected[1]),)
    assert row.score == pytest.approx(np.mean(expected))
    assert str(metric.signature(TESTSET)) == "embedding(encoder=letters)"
    mean = Embedding(encoder="letters", encode=counting, references="mean")
    (row,) = evaluate(COLLECTION, [mean]).rows
    wanted = np.mean([cosine("the red house", r) for r in ("the house", "a")])
    assert row.documents[0].measurement.segment_scores == (pytest.approx(wanted), None)


def test_the_sources_vector() -> None:
    metric = Embedding(encoder="letters", encode=counting, against="source")
    assert not metric.needs_references
    (row,) = evaluate(COLLECTION.with_references([]), [metric]).rows
    wanted = cosine("the red house", "das Haus")
    assert row.documents[0].measurement.segment_scores == (pytest.approx(wanted), None)


def test_the_models_own_vectors(tiny: TinyModel) -> None:
    """The mean of the encoder's states over the pieces, end mark left out."""
    name = f'embedding(model="{tiny.folder}")'
    (row,) = evaluate(COLLECTION.with_references(["r"]), [name]).rows

    def vector(text: str) -> np.ndarray:
        numbers = tiny.numbers(text)
        states = tiny.network.forward([*numbers, tiny.piece("</s>")], [0]).states
        return states[: len(numbers)].mean(axis=0)

    x, y = vector("the red house"), vector("the house")
    wanted = float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))
    assert row.documents[0].measurement.segment_scores == (pytest.approx(wanted, abs=1e-4), None)
    assert row.documents[1].measurement.segment_scores == (pytest.approx(1.0),)


def test_an_encoder_by_name_alone_cannot_encode() -> None:
    with pytest.raises(NotApplicableError, match="needs the function of its encoder"):
        evaluate(COLLECTION, ["embedding(encoder=laser)"])


def test_a_text_of_any_length_is_scored(tiny: TinyModel) -> None:
    """Longer than the model reads: in windows, and a remark says so."""
    long = " ".join(["the red house and a dog"] * 100)
    document = Document("a", ("x", "y", "z"), {"r": (long, "the house", long)})
    testset = TestSet("t", "de", "en", (document,))
    outputs = (SystemOutput("s", {"a": (long, "the red house", "the dog")}),)
    table = evaluate(Collection(testset, outputs), [f'embedding(model="{tiny.folder}")'])
    scores = table.rows[0].documents[0].measurement.segment_scores
    assert scores is not None
    assert scores[0] == pytest.approx(1.0)
    assert None not in scores
    (remark,) = [line for line in table.provenance.notices if "windows" in line]
    assert "a long text was read in windows in 2 segments of 's'" in remark
