"""Tables as people and other tools see them."""

import pytest

import isogloss
from isogloss.errors import InputError
from isogloss.scores import MetricInfo, Provenance, ScoreTable, SystemScore


@pytest.fixture(scope="module")
def table() -> ScoreTable:
    return isogloss.evaluate(isogloss.load_sample("cs-en"), "bleu,chrf,cohesion")


def large() -> ScoreTable:
    provenance = Provenance("far <&", "en", "de", (), "0", "", "0")
    metrics = tuple(MetricInfo(f"m{number}", "m") for number in range(12))
    rows = tuple(
        SystemScore(metric.name, f"system-{number}", None if number else 1.5, ())
        for metric in metrics
        for number in range(40)
    )
    return ScoreTable(provenance, metrics, rows)


def test_a_table_fits_a_screen(table: ScoreTable) -> None:
    lines = repr(table).splitlines()
    assert lines[0] == "ScoreTable of sample-cs-en, cs → en"
    assert lines[1].split() == ["system", "bleu", "chrf", "cohesion"]
    assert lines[2].split()[:3] == ["steady", "63.30", "78.89"]
    shown = repr(large()).splitlines()
    assert len(shown) <= 20
    assert max(map(len, shown)) <= 100
    assert shown[2].split() == ["system-0", *["1.5000"] * 8]
    assert shown[-1] == "and 25 more systems, 4 more metrics"


def test_a_notebook_gets_html(table: ScoreTable) -> None:
    assert "<td>63.30</td>" in table._repr_html_()
    assert "far &lt;&amp;" in large()._repr_html_()
    (comparison, *_) = isogloss.compare(table)
    assert "<th>cluster</th>" in comparison._repr_html_()
    assert len(repr(comparison).splitlines()) == 5


def test_records_hold_every_score(table: ScoreTable) -> None:
    assert [(r["metric"], r["system"]) for r in table.records()] == [
        (row.metric, row.system) for row in table.rows
    ]
    assert len(table.records("document")) == 3 * 3 * 8
    segments = table.records("segment")
    assert len(segments) == 3 * 3 * 53
    assert [r["score"] for r in segments if r["metric"] == "cohesion"] == [None] * 3 * 53
    with pytest.raises(InputError, match="no level 'word'; there are: system, document, segment"):
        table.records("word")  # type: ignore[arg-type]


def test_frames_are_the_records(table: ScoreTable) -> None:
    for level in ("system", "document", "segment"):
        wanted = table.records(level)
        assert table.to_polars(level).to_dicts() == wanted
        assert table.to_arrow(level).to_pylist() == wanted
        frame = table.to_pandas(level)
        assert list(frame.columns) == list(wanted[0])
        assert frame["score"].sum() == pytest.approx(sum(r["score"] or 0.0 for r in wanted))
