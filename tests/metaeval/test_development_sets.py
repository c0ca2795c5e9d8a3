"""Sentence BLEU and chrF on six WMT sets, from texts to statistics, against known values."""

from pathlib import Path

import numpy as np
import pytest

from isogloss import evaluate
from isogloss.formats import read_collection
from isogloss.metaeval import acc_eq, pearson
from isogloss.metaeval.ranking import pairwise_accuracy
from metaeval.wmt_data import human_matrix, numbers, segment_scores

KNOWN = {  # segment Pearson, acc_eq by item, pairwise accuracy of systems: BLEU, chrF
    ("wmt20", "en-de", "A"): ((0.187, 0.517, 0.857), (0.237, 0.533, 0.905)),
    ("wmt20", "zh-en", "A"): ((0.244, 0.487, 0.679), (0.246, 0.501, 0.679)),
    ("wmt21.news", "en-de", "C"): ((0.094, 0.417, 0.893), (0.115, 0.417, 0.786)),
    ("wmt21.news", "zh-en", "A"): ((0.212, 0.430, 0.643), (0.209, 0.435, 0.679)),
    ("wmt21.news", "en-ru", "A"): ((0.151, 0.617, 0.806), (0.214, 0.617, 0.833)),
    ("wmt22", "en-de", "A"): ((0.208, 0.497, 0.861), (0.257, 0.510, 0.833)),
}


@pytest.mark.parametrize(("set", "pair", "reference"), KNOWN)
def test_known_values(shared_data: Path, set: str, pair: str, reference: str) -> None:
    folder = shared_data / "wmt" / set / pair
    whole = read_collection(folder)
    names = [output.name for output in whole.outputs]
    human = human_matrix(folder, "mqm", whole, names)
    table = evaluate(whole.with_references([reference]), ["bleu", "chrf"])
    for metric, expected in zip(("bleu", "chrf"), KNOWN[set, pair, reference], strict=True):
        scores = segment_scores(table, metric, names)
        # system level leaves out systems that exist for the judged segments only
        full = [n for n, name in enumerate(names) if not name.startswith("metricsystem")]
        means = numbers(np.nanmean(human[n]) for n in full)
        system = numbers(table[metric, names[n]].score for n in full)
        found = (
            pearson(human, scores).value,
            acc_eq(human, scores).value.value,
            pairwise_accuracy((means, system)).value,
        )
        assert found == pytest.approx(expected, abs=6e-4)
