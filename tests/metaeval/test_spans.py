"""Agreement of error spans: against a plain transcription of WMT25's definition, and by chance."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import InputError
from isogloss.formats import read_judgements
from isogloss.judgements import ErrorMark, Judgement, Judgements
from isogloss.metaeval import SpanSettings, Texts, marks_of_judgements, span_agreement
from isogloss.metaeval.error_spans import Mark, Marks, Reading, Severity
from isogloss.spans import Span

QUICK = SpanSettings(draws=0, resamples=200)
Spans = tuple[tuple[int, int, Severity], ...]


def collection(*lengths: int, systems: Iterable[str] = ("a",)) -> Collection:
    """A document for each length, of two segments of that length."""
    documents = tuple(Document(f"d{n}", ("x", "y")) for n in range(len(lengths)))
    outputs = {f"d{n}": ("z" * size, "ü" * size) for n, size in enumerate(lengths)}
    testset = TestSet("made", "en", "de", documents)
    return Collection(testset, tuple(SystemOutput(name, outputs) for name in systems))


def read(spans: Spans, document: int = 0, segment: int = 0, reader: str | None = None) -> Reading:
    marks = tuple(Mark(*span) for span in spans)
    return Reading(("a", f"d{document}", segment), marks, reader)


def wmt25(gold: list[Spans], other: list[Spans], credit: float) -> tuple[float, float, float]:
    """Precision, recall and F1, character by character."""
    points = marked = said = 0.0
    for one, two in zip(gold, other, strict=True):
        for at in range(50):
            here, there = (
                [sum(s <= at < e and kind == k for s, e, kind in side) for k in ("major", "minor")]
                for side in (one, two)
            )
            same = [min(g, p) for g, p in zip(here, there, strict=True)]
            left = sum(here) - sum(same), sum(there) - sum(same)
            points += sum(same) + credit * min(left)
            marked, said = marked + sum(here), said + sum(there)
    precision = points / said if said else 1.0
    recall = points / marked if marked else 1.0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


SPANS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 8), st.sampled_from(["major", "minor"])).map(
        lambda t: (t[0], t[0] + t[1], t[2])
    ),
    max_size=4,
).map(tuple)


@settings(max_examples=60)
@given(st.lists(SPANS, min_size=4, max_size=4), st.lists(SPANS, min_size=4, max_size=4))
def test_f1_is_that_of_wmt25(gold: list[Spans], other: list[Spans]) -> None:
    if not any(gold):
        return
    texts = Texts(collection(20, 20))
    places = [(0, 0), (0, 1), (1, 0), (1, 1)]
    people, metric = (
        Marks(name, tuple(read(s, *at) for s, at in zip(side, places, strict=True)))
        for name, side in (("people", gold), ("metric", other))
    )
    (found,) = span_agreement(people, [metric], texts, QUICK).findings
    assert found.exact is not None
    for score, credit in ((found.exact, 0.5), (found.any_severity, 1.0)):
        expected = wmt25(gold, other, credit)
        assert (score.precision, score.recall, score.f1.value.value) == pytest.approx(expected)


COLUMNS = (
    *("doc_id", "segment_id", "set_id", "system_id", "source_segment", "hypothesis_segment"),
    *("start_indices", "end_indices", "error_types"),
)
GOLD = (("0 2 5", "4 6 9", "major minor critical"), ("missing", "missing", "major"),
        ("1 6", "3 8", "undecided minor"), ("-1", "-1", "no-error"))  # fmt: skip
SAID = (("0 4 7", "4 8 30", "minor minor major"), ("0", "2", "minor"),
        ("5", "7", "minor"), ("3", "3", "major"))  # fmt: skip


def table_of_wmt25(path: Path, cells: Iterable[tuple[str, str, str]]) -> Path:
    rows = [
        ("d0" if n < 2 else "d1", str(n % 2), "official", "a", "xy"[n % 2], "zü"[n % 2] * 10, *each)
        for n, each in enumerate(cells)
    ]
    path.write_text("\n".join("\t".join(row) for row in (COLUMNS, *rows)), encoding="utf-8")
    return path


def scored_from_cells(gold: tuple[str, str, str], said: tuple[str, str, str]) -> list[float]:
    """Points, what people marked and what was said, from cells as WMT25's scorer reads them."""
    counts = np.zeros((2, 2, 10))  # gold and said; major and minor; characters
    for side, (starts, ends, types) in enumerate((gold, said)):
        for start, end, severity in zip(starts.split(), ends.split(), types.split(), strict=True):
            if severity not in ("no-error", "undecided") and start != "missing":
                counts[side, int(severity == "minor"), int(start) : int(end)] += 1
    same = np.minimum(*counts)
    unmatched = (counts - same).sum(axis=1)
    points = same.sum() + 0.5 * np.minimum(*unmatched).sum()
    return [float(points), *counts.sum(axis=(1, 2)).tolist()]


def test_tables_of_wmt25_get_what_its_scorer_gives(tmp_path: Path) -> None:
    """The rules of scripts/scoring/task2/scoring_esa.py in wmt-conference/wmt25-mteval: critical
    is major, undecided and missing do not count, a mark ends where its text does."""
    known = collection(10, 10)
    texts = Texts(known)
    people, metric = (
        marks_of_judgements(read_judgements(table_of_wmt25(tmp_path / name, cells), known), texts)
        for name, cells in (("gold.tsv", GOLD), ("said.tsv", SAID))
    )
    (found,) = span_agreement(people, [metric], texts, QUICK).findings
    points, marked, said = np.sum(list(map(scored_from_cells, GOLD, SAID)), axis=0)
    assert found.exact is not None
    assert (points, marked, said) == (8.5, 14.0, 15.0)
    assert found.exact.recall == pytest.approx(8.5 / 14)
    assert found.exact.precision == pytest.approx(8.5 / 15)
    assert found.exact.f1.value.value == pytest.approx(2 * 8.5 / 29)


def test_half_a_point_for_the_wrong_severity_by_hand() -> None:
    people = Marks("mqm", (read(((0, 4, "major"), (2, 6, "minor"))),))
    metric = Marks("m", (read(((0, 4, "minor"), (8, 10, "major"))),))
    (found,) = span_agreement(people, [metric], Texts(collection(10)), QUICK).findings
    # Characters 0 and 1 half, 2 and 3 whole (minor with minor); people mark 8, the metric 6.
    assert found.exact is not None
    assert (found.exact.recall, found.exact.precision) == (3 / 8, 3 / 6)
    assert (found.any_severity.recall, found.any_severity.precision) == (4 / 8, 4 / 6)


def test_without_severities_only_places_are_compared() -> None:
    people = Marks("mqm", (read(((0, 4, "minor"),)),))
    metric = Marks("m", (Reading(("a", "d0", 0), (Mark(2, 6, None),)),))
    (found,) = span_agreement(people, [metric], Texts(collection(10)), QUICK).findings
    assert found.exact is None
    assert found.any_severity.f1.value.value == 0.5


def test_a_translation_that_a_metric_has_not_read_is_said_and_does_not_count() -> None:
    people = Marks("mqm", (read(((0, 4, "minor"),)), read(((0, 9, "major"),), 0, 1)))
    metric = Marks("m", (read(((0, 4, "minor"),)),), unplaced=3)
    (found,) = span_agreement(people, [metric], Texts(collection(10)), QUICK).findings
    assert (found.readings, found.lacking, found.unplaced) == (1, 1, 3)
    assert found.exact is not None
    assert found.exact.f1.value.value == 1.0


def test_annotators_are_compared_two_by_two_and_together() -> None:
    people = Marks(
        "esa",
        (
            read(((0, 4, "minor"),), reader="x"),
            read(((2, 6, "minor"),), reader="y"),
            read(((2, 4, "major"),), reader="z"),
            read(((0, 9, "major"),), 0, 1, reader="x"),
        ),
    )
    found = span_agreement(people, [], Texts(collection(10)), QUICK)
    values = {pair.name: pair.exact.f1.value.value for pair in found.pairs if pair.exact}
    assert values == pytest.approx({"x – y": 0.5, "x – z": 2 / 6, "y – z": 2 / 6})
    assert found.people is not None
    assert found.people.exact is not None
    assert found.people.exact.f1.value.value == pytest.approx(2 * 4 / (4 + 4 + 4 + 2 + 4 + 2))
    assert found.people.readings == 3


def test_chance_moves_the_marks_within_their_texts() -> None:
    rng = np.random.default_rng(0)

    def random_marks(name: str) -> Marks:
        return Marks(
            name,
            tuple(
                read((((s := int(rng.integers(0, 21))), s + 10, "minor"),), d, n)
                for d in range(40)
                for n in range(2)
            ),
        )

    people, by_chance = random_marks("people"), random_marks("nobody")
    agreement = span_agreement(
        people,
        [by_chance, Marks("twin", people.readings)],
        Texts(collection(*[30] * 40)),
        SpanSettings(draws=100, resamples=200),
    )
    twin, nobody = agreement.findings
    assert (twin.rank, nobody.rank) == (1, 2)
    assert twin.exact is not None
    assert nobody.exact is not None
    assert (twin.exact.f1.value.value, twin.exact.p) == (1.0, 1 / 101)
    assert nobody.exact.chance == pytest.approx(nobody.exact.f1.value.value, abs=0.06)
    assert nobody.exact.p is not None
    assert nobody.exact.p > 0.02
    assert nobody.exact.f1.low is not None
    assert nobody.exact.f1.blocks == 40


def judged(*errors: ErrorMark, annotator: str = "ann", system: str = "a") -> Judgement:
    return Judgement(system, "d0", 0, annotator, errors=errors)


def test_marks_of_judgements_are_those_in_translations() -> None:
    here = Span("d0", "output:a", 0, 1, 3)
    judgements = Judgements(
        "mqm",
        (
            judged(
                ErrorMark("accuracy", "Critical", here),
                ErrorMark("style", "Minor", Span("d0", "source", 0, 0, 1)),
                ErrorMark("omission", "major"),
                ErrorMark("style", "neutral", here),
                ErrorMark("style", "undecided", here),
            ),
            judged(annotator="bob"),
            Judgement("b", "d0", 0, "ann", errors=(ErrorMark("", "minor", here),)),
            Judgement("a", "d0", None, "ann", 3.0),
        ),
    )
    marks = marks_of_judgements(judgements, Texts(collection(10)))
    assert marks.unplaced == 2
    assert [(r.reader, r.marks) for r in marks.readings] == [
        ("ann", (Mark(1, 3, "major"),)),
        ("bob", ()),
    ]
    with pytest.raises(InputError, match="severity 'grave' is neither minor nor major"):
        marks_of_judgements(
            Judgements("mqm", (judged(ErrorMark("", "grave")),)), Texts(collection(10))
        )


def test_scores_alone_have_no_spans() -> None:
    with pytest.raises(InputError, match="nobody marked a place in a translation"):
        span_agreement(Marks("da", (read(()),)), [], Texts(collection(10)), QUICK)


def test_a_metric_reads_a_translation_once() -> None:
    twice = Marks("m", (read(()), read(())))
    people = Marks("mqm", (read(((0, 4, "minor"),)),))
    with pytest.raises(InputError, match=r"m marked segment 1 of document 'd0'.* twice"):
        span_agreement(people, [twice], Texts(collection(10)), QUICK)
