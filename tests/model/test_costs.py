"""Costs are softplus(w · d + b) of the decoder's states, and never taken for probabilities."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import FormatError, InputError
from isogloss.model import (
    Pair,
    Paraphraser,
    Reading,
    ScoreCache,
    has_costs,
    model_digest,
    read_heads,
)
from isogloss.model.model_file import COSTS_FILE, write_heads
from model.tiny_models import TinyModel, export, precision_for_int8, random_heads, sentences

pytest.importorskip("torch")
TEXTS = sentences(20, seed=31)
PAIRS = [Pair(a, b, "de", "en") for a, b in zip(TEXTS[::2], TEXTS[1::2], strict=True)]


@pytest.fixture(scope="module")
def judge(tiny: TinyModel, tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    folder = tmp_path_factory.mktemp("judges") / "judge"
    export(folder, tiny.processor, tiny.network, separator="<sep>", costs=random_heads())
    return TinyModel(folder, tiny.network, tiny.processor)


@pytest.mark.parametrize("reading", list(Reading))
def test_costs_are_those_of_the_states(judge: TinyModel, reading: Reading) -> None:
    model = Paraphraser.load(judge.folder, reading=reading)
    head = read_heads(judge.folder)[reading.value]
    for pair, found in zip(PAIRS, model.costs(PAIRS), strict=True):
        assert found is not None
        expected = judge.costs(pair, head)
        assert [found.whole, *found.costs] == pytest.approx(expected, abs=1e-4)
        assert found.sum == pytest.approx(sum(expected), abs=1e-3)
        assert len(found.offsets) == len(found.costs)
        assert found.offsets[-1][1] == len(pair.target)


def test_int8_stays_close(judge: TinyModel, tmp_path: Path) -> None:
    export(
        tmp_path / "int8", judge.processor, judge.network, quantization="int8", costs=random_heads()
    )
    reading = Reading.REFERENCE_GIVEN_OUTPUT
    model = Paraphraser.load(tmp_path / "int8", precision=precision_for_int8(), reading=reading)
    assert model.engine_id.precision.startswith(precision_for_int8() or "int8")
    head = read_heads(tmp_path / "int8")[reading.value]
    for pair, found in zip(PAIRS, model.costs(PAIRS), strict=True):
        assert found is not None
        assert found.sum == pytest.approx(sum(judge.costs(pair, head)), rel=0.1)


def test_probabilities_do_not_change(judge: TinyModel, paraphraser: Paraphraser) -> None:
    plain = [scores.log_probs for scores in paraphraser.score(PAIRS) if scores]
    found = [scores.log_probs for scores in Paraphraser.load(judge.folder).score(PAIRS) if scores]
    assert np.concatenate(found) == pytest.approx(np.concatenate(plain), abs=1e-6)


def test_the_cache_tells_readings_apart(judge: TinyModel, tmp_path: Path) -> None:
    def costs(reading: Reading) -> list[float]:
        model = Paraphraser.load(judge.folder, cache=ScoreCache(tmp_path), reading=reading)
        return [found.sum for found in model.costs(PAIRS) if found]

    first = costs(Reading.OUTPUT_GIVEN_REFERENCE)
    scores = Paraphraser.load(judge.folder, cache=ScoreCache(tmp_path)).score(PAIRS)
    assert costs(Reading.OUTPUT_GIVEN_SOURCE) != pytest.approx(first, rel=0.01)
    assert all(found and found.sum < 0 for found in scores)
    assert costs(Reading.OUTPUT_GIVEN_REFERENCE) == first


def test_an_empty_text_costs_nothing_and_is_not_scored(judge: TinyModel) -> None:
    model = Paraphraser.load(judge.folder, reading=Reading.OUTPUT_GIVEN_REFERENCE)
    assert list(model.costs([Pair("", "das Haus", "de", "en")])) == [None]


def test_what_a_model_was_not_loaded_for_is_refused(
    judge: TinyModel, paraphraser: Paraphraser
) -> None:
    with pytest.raises(InputError, match="loaded for probabilities"):
        list(paraphraser.costs(PAIRS))
    with pytest.raises(InputError, match="loaded for costs"):
        Paraphraser.load(judge.folder, reading=Reading.OUTPUT_GIVEN_SOURCE).score(PAIRS)
    with pytest.raises(InputError, match="no temperature"):
        Paraphraser.load(judge.folder, temperature=2.0, reading=Reading.OUTPUT_GIVEN_SOURCE)


def test_a_model_without_heads_says_so(tiny: TinyModel) -> None:
    assert not has_costs(tiny.folder)
    with pytest.raises(InputError, match="has not learnt error costs"):
        Paraphraser.load(tiny.folder, reading=Reading.OUTPUT_GIVEN_SOURCE)


def test_heads_belong_to_the_digest_and_are_checked(judge: TinyModel, tmp_path: Path) -> None:
    assert has_costs(judge.folder)
    export(tmp_path / "other", judge.processor, judge.network, costs=random_heads())
    before = model_digest(tmp_path / "other")
    write_heads(tmp_path / "other", 2 * random_heads())
    assert model_digest(tmp_path / "other") != before
    write_heads(tmp_path / "other", random_heads()[:2])
    with pytest.raises(FormatError, match=rf"{COSTS_FILE}.*3 rows"):
        read_heads(tmp_path / "other")
    write_heads(tmp_path / "other", random_heads()[:, 1:])
    with pytest.raises(FormatError, match="output matrix"):
        Paraphraser.load(tmp_path / "other", reading=Reading.OUTPUT_GIVEN_SOURCE)
