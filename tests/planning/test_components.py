"""Variance components: what was put in comes out, balanced or not; effects that are one are one."""

import numpy as np
import pytest

from isogloss.documents import Document, TestSet
from isogloss.errors import InputError
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import Ratings, ratings_of
from isogloss.planning import components_like, components_of, known_components

TRUE = {
    "system": 4.0,
    "document": 9.0,
    "segment": 6.0,
    "annotator": 5.0,
    "system × document": 3.0,
    "system × segment": 2.0,
    "rating": 8.0,
}


def made(seed: int, *, people: int = 6, share: float = 0.5) -> Ratings:
    """Scores of known variances, a share of all that there could be."""
    rng = np.random.default_rng(seed)
    systems, documents, length = 8, 30, 4
    shape = (systems, documents, length, people)
    normal = {name: rng.normal(0, np.sqrt(variance), shape) for name, variance in TRUE.items()}
    scores = (
        normal["system"][:, :1, :1, :1]
        + normal["document"][:1, :, :1, :1]
        + normal["segment"][:1, :, :, :1]
        + normal["annotator"][:1, :1, :1, :]
        + normal["system × document"][:, :, :1, :1]
        + normal["system × segment"][:, :, :, :1]
        + normal["rating"]
    )
    judged = rng.random(shape) < share
    testset = TestSet(
        "made", None, None, tuple(Document(f"d{n}", ("x",) * length) for n in range(documents))
    )
    items = [
        Judgement(f"s{s}", f"d{d}", g, f"a{a}", float(scores[s, d, g, a]))
        for s, d, g, a in zip(*np.nonzero(judged), strict=True)
    ]
    return ratings_of(Judgements("da", tuple(items)), testset)


def test_what_was_put_in_comes_out() -> None:
    found = [components_of(made(seed), "da").variances for seed in range(12)]
    for name, variance in TRUE.items():
        values = np.array([each[name] for each in found])
        error = values.std(ddof=1) / np.sqrt(len(values))
        assert abs(values.mean() - variance) < 3.5 * error + 0.05, name
    others = [name for name in found[0] if name not in TRUE]
    assert all(np.mean([each[name] for each in found]) < 0.5 for name in others)


def test_a_balanced_table_gives_the_mean_squares_of_textbooks() -> None:
    """Systems x documents, one score each: the rest is the mean square of the interaction."""
    rng = np.random.default_rng(3)
    table = rng.normal(size=(5, 12)) + 3 * rng.normal(size=(1, 12)) + rng.normal(size=(5, 1))
    testset = TestSet("made", None, None, tuple(Document(f"d{n}", ("x",)) for n in range(12)))
    items = [
        Judgement(f"s{s}", f"d{d}", 0, score=float(table[s, d]))
        for s in range(5)
        for d in range(12)
    ]
    found = components_of(ratings_of(Judgements("da", tuple(items)), testset), "da")
    both = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    rest = (both**2).sum() / (4 * 11)
    documents = (5 * table.mean(axis=0).var(ddof=1) - rest) / 5
    systems = (12 * table.mean(axis=1).var(ddof=1) - rest) / 12
    assert found.variances["system × document"] == pytest.approx(rest)
    assert found.variances["document"] == pytest.approx(documents)
    assert found.variances["system"] == pytest.approx(systems)
    assert not found.more_ratings_help
    assert found.of_difference(1) == pytest.approx(2 * rest)


def test_one_system_is_nothing_to_plan_from() -> None:
    alone = made(0).of_systems(["s0"])
    with pytest.raises(InputError, match="two systems or more"):
        components_of(alone, "da")


def test_the_figures_that_come_along_are_read() -> None:
    known = known_components()
    assert {each.kind for each in known} == {"mqm", "esa", "da"}
    assert components_like("mqm") in known
    assert components_like("mqm", "wmt20/en-de").documents == 130
    with pytest.raises(InputError, match="there are: mqm, esa, da"):
        components_like("stars")
