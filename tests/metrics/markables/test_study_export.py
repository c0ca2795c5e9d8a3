"""MQM export, the phenomenon map, the study's BLEU, plots."""

import math
from pathlib import Path

import pytest

from isogloss.errors import InputError
from isogloss.formats import mqm
from isogloss.judgements import GOOGLE_MQM, ErrorMark
from isogloss.metrics.markables import Phenomenon
from isogloss.metrics.markables.markable import mqm_severity
from isogloss.metrics.markables.study import Analysis, MarkableStudy, system_correlations, write_mqm
from isogloss.metrics.markables.study.analysis import moses_tokens, sentence_bleu
from isogloss.report import correlation_plot, split_bars, system_bars


def test_mqm_ratings_are_read_back(study: MarkableStudy, tmp_path: Path) -> None:
    paths = write_mqm(study, tmp_path)
    assert [path.name for path in paths] == [
        "markables-cs-en.mqm.tsv",
        "markables-en-cs.mqm.tsv",
    ]
    marks = 0
    for collection, path in zip(study.collections, paths, strict=True):
        reading = mqm.read_ratings(path, collection)
        assert reading.unplaced == 0
        marks += sum(len(item.errors) for item in reading.judgements.items)
    assert marks == 3525


def test_the_note_keeps_what_the_map_loses(study: MarkableStudy, tmp_path: Path) -> None:
    path = write_mqm(study, tmp_path)[0]
    errors = [e for i in mqm.read(path, study.collections[0]).items for e in i.errors]
    conflict = next(e for e in errors if e.comment and e.comment.startswith("Conflict 1: "))
    assert (conflict.category, conflict.severity) == ("Accuracy/Mistranslation", "major")


def test_every_phenomenon_has_a_category_that_costs() -> None:
    for phenomenon in Phenomenon:
        assert GOOGLE_MQM.penalty(ErrorMark(phenomenon.mqm_category, "major")) == 5.0
        assert Phenomenon.of_key(phenomenon.key) is phenomenon
    severities = [mqm_severity(s) for s in (0.0, 0.25, 0.5, 0.75, 1.0, None)]
    assert severities == ["neutral", "minor", "minor", "major", "major", "minor"]
    with pytest.raises(InputError, match="no phenomenon"):
        Phenomenon.of_key("colour")


def test_sentence_bleu_by_hand() -> None:
    """1-grams 3/4, 2-grams 1/3, then 0.1/2 and 0.1/1; one token short of five."""
    output, reference = ["a", "b", "x", "c"], ["a", "b", "c", "d", "e"]
    expected = math.exp(1 - 5 / 4) * (3 / 4 * 1 / 3 * 0.1 / 2 * 0.1 / 1) ** 0.25
    assert sentence_bleu(reference, output) == pytest.approx(100 * expected)
    assert sentence_bleu(reference, reference) == pytest.approx(100)
    assert sentence_bleu(reference, ["z"]) == 0.0
    assert sentence_bleu(reference, []) == 0.0


def test_tokens_are_those_of_moses() -> None:
    assert moses_tokens('The well-known "Art. 3" of 2,098 & more.', "en") == [
        *["The", "well", "@-@", "known", "&quot;", "Art.", "3", "&quot;"],
        *["of", "2,098", "&amp;", "more", "."],
    ]
    assert moses_tokens("joint financing.'", "en") == ["joint", "financing.&apos;"]


def test_plots_have_a_box_a_cell(analysis: Analysis) -> None:
    figure = split_bars(analysis.rates_by_system, "systems")
    assert len(figure.axes[0].patches) == 14 * 12 * 4
    bars = system_bars(analysis.product_by_system, "rating")
    assert len(bars.axes[0].patches) == 14 * 4
    pairs = system_correlations(analysis)
    assert len(correlation_plot(pairs, "systems").axes[0].get_yticks()) == len(pairs)
