"""What else the paraphraser does: attention, translation, vectors, self-test, loading."""

import itertools
import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import FormatError, InputError
from isogloss.model import Pair, Paraphraser, SearchOptions, TooLongError
from isogloss.model.embedding import encoder_file, views_of
from model.tiny_models import TinyModel, export, precision_for_int8, sentences

pytest.importorskip("torch")
LONG = " ".join(["das Haus"] * 40)


def test_attention_is_the_decoders_at_the_step_where_the_piece_is_its_input(
    paraphraser: Paraphraser, tiny: TinyModel
) -> None:
    texts = sentences(40, seed=3)
    context = ("die Maus", "das Haus und")
    pairs = [
        Pair(a, b, "de", "en", context, context)
        for a, b in zip(texts[::2], texts[1::2], strict=True)
    ]
    for pair, attention in zip(pairs, paraphraser.attend(pairs), strict=True):
        assert attention is not None
        _, begin_source = tiny.side(pair.context_condition, pair.condition)
        result, _, begin_target = tiny.forward(pair)
        # The decoder's input is the start mark, the tag, the context, and then the target.
        rows = result.attention[-1][2 + begin_target :]
        expected = rows[:, begin_source:-1]
        assert attention.weights == pytest.approx(expected, abs=1e-5)
        assert attention.weights.shape == (len(attention.target), len(attention.condition))
        assert attention.condition.offsets[-1][1] == len(pair.condition)


def test_attention_of_an_empty_text_is_absent(paraphraser: Paraphraser) -> None:
    pairs = [Pair("", "das", "de"), Pair("the", "das", "de"), Pair.alone("das", "de")]
    assert [a is None for a in paraphraser.attend(pairs)] == [True, False, True]
    with pytest.raises(InputError, match="whole sentences"):
        list(paraphraser.attend(pairs, long="split"))


def test_translation_is_greedy_search_when_the_beam_is_one(
    paraphraser: Paraphraser, tiny: TinyModel
) -> None:
    options = SearchOptions(beam=1, longest=6, length_penalty=0)
    ((best,),) = paraphraser.translate(["the cat sat"], "de", options=options)
    end = tiny.piece("</s>")
    numbers = [end, tiny.piece("<de>")]
    total = 0.0
    while len(numbers) < 2 + 6:
        last = tiny.network.forward([*tiny.numbers("the cat sat"), end], numbers).log_probs[-1]
        total += last.max()
        if last.argmax() == end:
            break
        numbers.append(int(last.argmax()))
    assert best.pieces == tuple(tiny.processor.id_to_piece(n) for n in numbers[2:])
    assert best.text == tiny.processor.decode(list(best.pieces))
    assert best.score == pytest.approx(total, abs=1e-3)


def test_translations_come_in_order_the_best_first(paraphraser: Paraphraser) -> None:
    options = SearchOptions(beam=4, n_best=3, longest=8)
    texts = ["the cat", "", "das Haus und die Maus", "  "]
    results = list(paraphraser.translate(texts, "en", source_language="de", options=options))
    assert [len(hypotheses) for hypotheses in results] == [3, 0, 3, 0]
    for hypotheses in results:
        scores = [hypothesis.score for hypothesis in hypotheses]
        assert scores == sorted(scores, reverse=True)
    alone = list(paraphraser.translate(["the cat"], "en", options=options))
    assert [h.text for h in alone[0]] == [h.text for h in results[0]]


def test_a_translation_never_runs_over_the_models_length(paraphraser: Paraphraser) -> None:
    ((best,),) = paraphraser.translate(["the cat"], "de", options=SearchOptions(longest=1000))
    assert len(best.pieces) <= 62
    with pytest.raises(TooLongError, match="at most 64"):
        list(paraphraser.translate([LONG], "de"))


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_vectors_are_the_mean_of_the_encoders_states(
    tmp_path: Path, tiny: TinyModel, precision: str
) -> None:
    export(tmp_path / "model", tiny.processor, tiny.network, quantization=precision)
    computed = precision_for_int8() if precision == "int8" else None
    model = Paraphraser.load(tmp_path / "model", precision=computed)
    texts = ["the cat sat", "", "das Haus"]
    vectors = list(model.embed(texts, "en"))
    assert vectors[1] is None
    for text, vector in zip(texts, vectors, strict=True):
        if text:
            source = [*tiny.numbers(text), tiny.piece("</s>")]
            states = tiny.network.forward(source, [tiny.piece("</s>")]).states
            close = 1e-5 if precision == "float32" else 0.1
            assert vector == pytest.approx(states[:-1].mean(axis=0), abs=close)


def _plainly_windowed(tiny: TinyModel, numbers: list[int], room: int) -> np.ndarray:
    """Every window on its own, piece by piece: a slow way to the same vector."""
    beyond = len(numbers) - room
    steps = math.ceil(beyond / (room - room // 4))
    starts = [step * beyond // steps for step in range(steps + 1)]
    seen: list[list[np.ndarray]] = [[] for _ in numbers]
    for start in starts:
        shown = [*numbers[start : start + room], tiny.piece("</s>")]
        for place, state in enumerate(tiny.network.forward(shown, [0]).states[:-1]):
            seen[start + place].append(state)
    return np.mean([np.mean(states, axis=0) for states in seen], axis=0)


@pytest.mark.parametrize("words", [64, 65, 80, 111, 200])
def test_a_long_text_is_read_in_windows(
    paraphraser: Paraphraser, tiny: TinyModel, words: int
) -> None:
    text = " ".join(itertools.islice(itertools.cycle(["the", "cat", "sat", "das", "Haus"]), words))
    numbers = tiny.numbers(text)
    assert len(numbers) > 63  # 64 with the end mark
    (vector,) = paraphraser.embed([text], "en")
    assert vector == pytest.approx(_plainly_windowed(tiny, numbers, 63), abs=1e-4)
    assert paraphraser.overlong([text, "the cat", ""], "en") == {text}
    # Beside other texts, in whatever order, it has the same vector.
    _, among, _ = paraphraser.embed(["the cat", text, LONG], "en")
    assert among == pytest.approx(vector, abs=1e-5)


def test_states_are_those_that_vectors_are_the_mean_of(paraphraser: Paraphraser) -> None:
    texts = ["the cat sat", "", LONG, "das Haus", "cat " * 90]
    read = paraphraser.states(texts, "en")
    for vector, (pieced, states) in zip(paraphraser.embed(texts, "en"), read, strict=True):
        assert len(states) == len(pieced)
        if vector is None:
            assert len(pieced) == 0
        else:
            assert states.mean(axis=0) == pytest.approx(vector, abs=1e-5)


@pytest.mark.parametrize("room", [1, 2, 3, 8, 63, 510])
def test_windows_cover_a_text_evenly(room: int) -> None:
    assert list(views_of(room, room)) == [(0, room)]
    assert list(views_of(room + 1, room)) == [(0, room), (1, room + 1)]
    for length in range(room + 1, 12 * room):
        views = list(views_of(length, room))
        assert (views[0][0], views[-1][1]) == (0, length)
        for (start, end), (following, _) in itertools.pairwise(views):
            assert end - start == room
            # Neighbours share a quarter, and no window is there twice.
            assert start < following <= max(start + 1, end - room // 4)


def test_a_model_file_that_is_cut_off_is_told(tmp_path: Path, tiny: TinyModel) -> None:
    data = (tiny.folder / "model.bin").read_bytes()
    (tmp_path / "model.bin").write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError, match="cannot be read"):
        encoder_file(tmp_path / "model.bin")
    (tmp_path / "model.bin").write_bytes(b"\x07" + data[1:])
    with pytest.raises(FormatError, match="file version 7"):
        encoder_file(tmp_path / "model.bin")


def test_a_selftest_puts_scores_beside_what_they_ought_to_be(
    tmp_path: Path, tiny: TinyModel
) -> None:
    right = float(np.mean(tiny.log_probs(Pair("the cat", "das Haus", "de"))))
    expected = [
        {"condition": "the cat", "target": "das Haus", "language": "de", "score": right},
        {"condition": "the cat", "target": "die Maus", "language": "de", "score": -100.0},
        {"condition": "", "target": "die Maus", "language": "de", "score": -1.0},
    ]
    export(tmp_path / "model", tiny.processor, tiny.network, selftest=expected)
    good, bad, empty = Paraphraser.load(tmp_path / "model").selftest()
    assert good.difference < 1e-4
    assert bad.difference > 50
    assert empty.score is None
    assert empty.difference == float("inf")


def test_the_engine_says_what_computes(tiny: TinyModel) -> None:
    model = Paraphraser.load(tiny.folder, device="auto", precision="int8")
    assert model.engine_id.engine == "ctranslate2"
    assert model.engine_id.precision.startswith("int8")
    assert model.card.name == "tiny"
    assert model.trained_on_context


def test_what_cannot_be_loaded_is_told(tmp_path: Path, tiny: TinyModel) -> None:
    with pytest.raises(InputError, match="unknown device 'tpu'"):
        Paraphraser.load(tiny.folder, device="tpu")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="precision 'int4' is not for this cpu; it supports:"):
        Paraphraser.load(tiny.folder, precision="int4")
    shutil.copytree(tiny.folder, tmp_path / "copy")
    config = json.loads((tmp_path / "copy" / "config.json").read_text())
    (tmp_path / "copy" / "config.json").write_text(json.dumps(config | {"add_source_eos": True}))
    with pytest.raises(FormatError, match="adds marks to its source"):
        Paraphraser.load(tmp_path / "copy")
    (tmp_path / "copy" / "config.json").write_text("{")
    with pytest.raises(FormatError, match="cannot be read"):
        Paraphraser.load(tmp_path / "copy")
    shutil.copy(tiny.folder / "config.json", tmp_path / "copy")
    (tmp_path / "copy" / "model.bin").write_bytes(b"nothing")
    with pytest.raises(FormatError, match="does not load"):
        Paraphraser.load(tmp_path / "copy")


def test_a_device_that_is_not_there_is_told(tiny: TinyModel) -> None:
    import ctranslate2

    if ctranslate2.get_cuda_device_count():
        pytest.skip("this machine has one")
    with pytest.raises(InputError, match="no CUDA device"):
        Paraphraser.load(tiny.folder, device="cuda")
