"""Metrics beside people: the same systems and items at every level, nothing silently 0."""

import numpy as np
import pytest

from isogloss.documents import Document, TestSet
from isogloss.errors import InputError
from isogloss.judgements import Judgement, Judgements
from isogloss.metaeval import Study, study_of
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
)

TESTSET = TestSet(
    "t",
    "en",
    "de",
    (
        Document("a", ("one two three", "four"), domain="news"),
        Document("b", ("five six",), domain="talk"),
        Document("c", ("nobody judged this",), domain="talk"),
    ),
)


def row(
    metric: str, system: str, segments: list[list[float | None]], score: float | None = None
) -> SystemScore:
    documents = tuple(
        DocumentScore(
            document.id,
            10.0 * position,
            Measurement(
                np.zeros(1), sum(v is not None for v in values), len(values), None, tuple(values)
            ),
            document.domain,
        )
        for position, (document, values) in enumerate(zip(TESTSET.documents, segments, strict=True))
    )
    return SystemScore(metric, system, score, documents)


def table(*rows: SystemScore, lower: str = "") -> ScoreTable:
    names = dict.fromkeys(r.metric for r in rows)
    infos = tuple(MetricInfo(name, name, name != lower) for name in names)
    provenance = Provenance("t", "en", "de", (), "0", "", "0")
    return ScoreTable(provenance, infos, rows)


def judged(scores: dict[tuple[str, str, int], float]) -> Judgements:
    items = [
        Judgement(system, document, segment, score=score, human=system == "ref")
        for (system, document, segment), score in scores.items()
    ]
    return Judgements("mqm", tuple(items))


HUMAN = judged(
    {
        ("x", "a", 0): -1.0,
        ("x", "a", 1): -3.0,
        ("x", "b", 0): 0.0,
        ("y", "a", 0): -5.0,
        ("y", "b", 0): -2.0,
        ("ref", "a", 0): 0.0,
    }
)
ROWS = (
    row("m", "x", [[0.9, 0.5], [0.8], [0.1]], score=0.7),
    row("m", "y", [[0.4, 0.6], [None], [0.2]]),
    row("m", "unjudged", [[0.0, 0.0], [0.0], [0.0]]),
    row("e", "x", [[10.0, 20.0], [30.0], [40.0]]),
)


def study(**options: object) -> Study:
    return study_of([table(*ROWS, lower="e")], HUMAN, TESTSET, **options)  # type: ignore[arg-type]


def same(array: np.ndarray, expected: list[list[float]]) -> None:
    assert array == pytest.approx(np.array(expected), nan_ok=True)


NO = float("nan")


def test_segments_are_those_that_were_judged() -> None:
    found = study().at("segment")
    assert found.systems == ("x", "y")
    same(found.human, [[-1, -3, 0], [-5, NO, -2]])
    same(found.metrics["m"], [[0.9, 0.5, 0.8], [0.4, NO, NO]])
    same(found.metrics["e"], [[-10, -20, -30], [NO, NO, NO]])  # an error rate, turned
    assert found.blocks.tolist() == [0, 0, 1]


def test_documents_as_means_weighted_means_or_the_metrics_own() -> None:
    same(study().at("document").metrics["m"], [[0.7, 0.8], [0.4, NO]])
    same(study().at("document").human, [[-2, 0], [-5, -2]])
    weighted = study(documents="weighted").at("document")
    same(weighted.metrics["m"], [[(3 * 0.9 + 0.5) / 4, 0.8], [0.4, NO]])
    same(weighted.human, [[(-3 - 3) / 4, 0], [-5, -2]])
    same(study(documents="own").at("document").metrics["m"], [[0, 10], [0, 10]])


def test_domains_and_systems() -> None:
    same(study().at("domain").human, [[-2, 0], [-5, -2]])
    found = study().at("system")
    same(found.human, [[-4 / 3], [-3.5]])
    same(found.metrics["m"], [[0.7], [0.4]])  # its own score, or else the mean of what was judged
    same(study(own_systems=False).at("system").metrics["m"], [[2.2 / 3], [0.4]])


def test_official_system_scores_go_first() -> None:
    official = Judgements("mqm", (Judgement("x", score=7.0),))
    same(study(official=official).at("system").human, [[7.0], [-3.5]])


def test_what_a_metric_lacks_is_said() -> None:
    assert list(study().notices()) == [
        "m lacks 1 of the judged segments",
        "e has no scores of y, which people judged",
    ]


def test_references_take_part_only_when_asked() -> None:
    rows = (*ROWS, row("m", "ref", [[1.0, 1.0], [1.0], [1.0]]))
    with_ref = study_of([table(*rows, lower="e")], HUMAN, TESTSET, humans=True)
    assert with_ref.at("segment").systems == ("x", "y", "ref")
    without = study_of([table(*rows, lower="e")], HUMAN, TESTSET)
    assert without.at("segment").systems == ("x", "y")


def test_nothing_in_common_is_an_error() -> None:
    only = table(row("m", "unjudged", [[0.0, 0.0], [0.0], [0.0]]))
    with pytest.raises(InputError, match="no system was both scored and judged"):
        study_of([only], HUMAN, TESTSET)


def test_tables_of_anyone_come_together() -> None:
    both = [table(*ROWS[:3]), table(ROWS[3], lower="e")]
    assert study_of(both, HUMAN, TESTSET).metrics == ("m", "e")
    with pytest.raises(InputError, match="two scores of 'x' under 'm'"):
        study_of([*both, both[0]], HUMAN, TESTSET)
    other = TestSet("other", "en", "de", TESTSET.documents[:2])
    with pytest.raises(InputError, match="not of test set 'other': document 'c'"):
        study_of(both, HUMAN, other)


def test_a_metric_of_documents_has_its_own_scores() -> None:
    rows = [
        SystemScore(
            "chains",
            system,
            score,
            tuple(
                DocumentScore(d.id, score + i, Measurement(np.zeros(1), len(d), len(d)), d.domain)
                for i, d in enumerate(TESTSET.documents)
            ),
        )
        for system, score in (("x", 1.0), ("y", 2.0))
    ]
    people = judged({("x", "a", 0): 1.0, ("y", "a", 0): 2.0, ("x", "b", 0): 3.0})
    study = study_of([table(*rows)], people, TESTSET)
    assert study.at("document").metrics["chains"].tolist() == [[1.0, 2.0], [2.0, 3.0]]
    assert np.isnan(study.at("segment").metrics["chains"]).all()
    assert study.at("system").metrics["chains"].tolist() == [[1.0], [2.0]]
    assert list(study.notices()) == [
        "chains scores documents, not segments; a document's score is its own"
    ]


class TestScoresOfWholeDocuments:
    """People scored documents, and no segment."""

    SCORES = Judgements(
        "da-document",
        tuple(
            Judgement(system, document, None, annotator, score)
            for system, document, annotator, score in (
                ("x", "a", "ann", 80.0), ("x", "a", "bob", 60.0), ("x", "b", "ann", 50.0),
                ("y", "a", "ann", 20.0),
            )
        ),
        unplaced=3,
    )  # fmt: skip

    def study(self, documents: str = "mean") -> Study:
        rows = (
            row("m", "x", [[1.0, 4.0], [None], [9.0]], 7.0),
            row("m", "y", [[None, 3.0], [5.0], [9.0]], 8.0),
        )
        return study_of([table(*rows)], self.SCORES, TESTSET, documents=documents)  # type: ignore[arg-type]

    def test_stand_beside_the_mean_of_all_segments(self) -> None:
        matched = self.study().at("document")
        np.testing.assert_array_equal(matched.human, [[70.0, 50.0], [20.0, np.nan]])
        np.testing.assert_array_equal(matched.metrics["m"], [[2.5, np.nan], [3.0, np.nan]])
        assert list(self.study().notices()) == [
            "3 judgements (da-document) have no place in this test set",
            "m lacks 1 of the judged documents",
        ]

    def test_or_beside_the_metrics_own(self) -> None:
        matched = self.study("own").at("document")
        np.testing.assert_array_equal(matched.metrics["m"], [[0.0, 10.0], [0.0, 10.0]])

    def test_have_no_segments(self) -> None:
        with pytest.raises(InputError, match="da-document are scores of whole documents"):
            self.study().at("segment")
        with pytest.raises(InputError, match="no segment weighs more"):
            self.study("weighted")

    def test_make_up_systems(self) -> None:
        np.testing.assert_array_equal(self.study().at("system").human, [[60.0], [20.0]])
