"""A tiny model learns what people take off, keeps its probabilities, and is exported with costs."""

import json
import lzma
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import softplus

from isogloss.errors import InputError
from isogloss.model import Pair, Paraphraser, Reading
from isogloss.training import checkpoints
from isogloss.training.batches import BatchSettings
from isogloss.training.checkpoints import export_weights
from isogloss.training.commands import main
from isogloss.training.examples import ExampleSettings
from isogloss.training.judged_batches import JudgedSettings, Pass, judged_batches
from isogloss.training.judged_trainer import JudgedTrainer, JudgedTrainSettings
from isogloss.training.losses import AgreementLoss
from isogloss.training.model import ModelSettings, Transformer
from isogloss.training.optimiser import Budget, Schedule
from isogloss.training.penalties import PenaltySet, penalties_from, penalty_set, read_penalties
from isogloss.training.readings import CostHeads, read_set, summed_costs
from isogloss.training.trainer import LOG
from isogloss.training.validation import run_model, to_device
from isogloss.training.vocabulary import Vocabulary

_TINY = ModelSettings(
    vocabulary=318, width=32, inner=64, heads=2, encoder_layers=1, decoder_layers=1,
    longest=64, dropout=0.0,
)  # fmt: skip
_SIZES = BatchSettings(1024, 1024, ExampleSettings(64))
_ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_GERMAN = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]


def _penalised(name: str, numbers: Path, first: int) -> PenaltySet:
    """Each zero in an output costs 5 points."""
    rows = []
    for number in range(first, first + 40):
        digits = [int(digit) for digit in f"{number * 7919 % 9000 + 1000}"]
        wrong = [[0] * count + digits[count:] for count in (0, 1, 3)]
        source, reference = (" ".join(words[d] for d in digits) for words in (_GERMAN, _ENGLISH))
        outputs = [" ".join(_ENGLISH[d] for d in line) for line in wrong]
        penalties = [5.0 * text.split().count("zero") for text in outputs]
        rows.append((source, [reference], [*outputs, None], [*penalties, np.nan]))
    people = np.array([False, False, False, False])
    vocabulary = Vocabulary(numbers / "sentencepiece.model")
    return penalty_set(name, "en", rows, people, vocabulary)


@pytest.fixture(scope="module")
def folder(numbers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two penalised sets and the weights to begin with."""
    folder = tmp_path_factory.mktemp("judged")
    _penalised("old.de-en", numbers, 1).save(folder / "penalties")
    _penalised("new.de-en", numbers, 500).save(folder / "penalties")
    torch.manual_seed(3)
    content = {"settings": _TINY.described(), "weights": Transformer(_TINY).state_dict()}
    checkpoints.save(folder / "initial.pt", content)
    return folder


def _settings(folder: Path, numbers: Path, out: Path, steps: int = 60) -> JudgedTrainSettings:
    return JudgedTrainSettings(
        folder / "initial.pt",
        folder / "penalties",
        numbers / "sentencepiece.model",
        out,
        Budget(steps=steps),
        JudgedSettings(_SIZES),
        held_out=("new.*",),
        schedule=Schedule(5, 0.0),
        rate=3e-3,
        head_rate=3e-2,
        kept_tokens=100,
    )


def test_it_learns_what_costs(folder: Path, numbers: Path, tmp_path: Path) -> None:
    trainer = JudgedTrainer(_settings(folder, numbers, tmp_path))
    before = trainer.measure()["new.de-en"].agreement()["costs"]
    found = trainer.run()
    assert list(found) == ["new.de-en"]
    agreement = found["new.de-en"].agreement()
    assert agreement["costs"][0] > 0.8 > before[0]
    assert agreement["costs"][1] > 0.85
    assert agreement["costs-src"][0] > 0.8
    lines = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert lines[-1]["set"] == "new.de-en"
    assert lines[-1]["seen"] is False


def test_length_is_a_yardstick(folder: Path, numbers: Path, tmp_path: Path) -> None:
    readings = JudgedTrainer(_settings(folder, numbers, tmp_path)).measure()["new.de-en"]
    found = readings.predictions()
    assert readings.lengths.tolist() == [5] * 40  # four words and the end mark
    np.testing.assert_allclose(found["prism(norm=reference)"], 5 * found["prism"])
    together = found["costs"] + 0.1 * found["prism(norm=reference)"]
    np.testing.assert_allclose(found["costs-with-prism"], together)


def test_staying_near_keeps_the_probabilities(folder: Path, numbers: Path, tmp_path: Path) -> None:
    def moved(kept: float) -> float:
        settings = replace(_settings(folder, numbers, tmp_path / str(kept), 30), kept=kept)
        trainer = JudgedTrainer(settings)
        first = trainer.measure()["new.de-en"].means
        return float(np.nanmean(np.abs(trainer.run()["new.de-en"].means - first)))

    assert moved(20.0) < 0.6 * moved(0.0)


def test_batches_hold_whole_segments_in_three_passes(folder: Path) -> None:
    sets = read_penalties(folder / "penalties")
    settings = JudgedSettings(_SIZES, outputs=2, weights={"new.*": 0.0, "*": 2.0})
    batches = judged_batches(sets, settings, [(7, 7), (8, 8)], seed=1)
    batch = next(batches)
    assert set(batch.sets) == {1}  # the other one weighs nothing
    assert max(np.bincount(batch.segments)) == 2
    assert batch.passes.tolist()[:6] == [0, 1, 2, 0, 1, 2]
    bounds = batch.batch.target_bounds[: len(batch.passes) + 1]
    targets = [batch.batch.target[a + 2 : b].tolist() for a, b in pairwise(bounds)]
    assert targets[0] == targets[2]  # the output, given the reference and given the source
    assert targets[1] == targets[4]  # the reference is the same for both outputs
    assert set(batch.batch.target[bounds[:-1] + 1]) == {8}


def test_an_output_is_not_its_own_reference(folder: Path, numbers: Path) -> None:
    vocabulary = Vocabulary(numbers / "sentencepiece.model")
    rows = [("eins", ["one", "one one"], ["one", "two"], [0.0, 5.0])] * 4
    person = np.array([True, False])
    only = penalty_set("people", "en", rows, person, vocabulary)
    batch = next(judged_batches([only], JudgedSettings(_SIZES), [(7, 7)], seed=2))
    bounds = batch.batch.target_bounds
    for place in np.flatnonzero(batch.passes == Pass.OUTPUT_GIVEN_REFERENCE):
        output = batch.batch.target[bounds[place] + 2 : bounds[place + 1]].tolist()
        ends = batch.batch.source_bounds
        reference = batch.batch.source[ends[place] : ends[place + 1] - 1].tolist()
        assert output != reference


def test_order_counts_and_ties_are_told() -> None:
    loss = AgreementLoss(1, ranking=1.0)
    penalties, one = torch.tensor([0.0, 0.0, 5.0]), torch.zeros(3, dtype=torch.long)

    def of(*predicted: float) -> float:
        return float(loss.order_loss(torch.tensor(predicted), penalties, one).detach())

    assert of(0.0, 0.0, 5.0) < of(0.0, 3.0, 5.0) < of(5.0, 5.0, 0.0)
    spread, threshold = map(softplus, (loss.spread, loss.threshold))
    gap = torch.linspace(-9, 9, 7)
    worse, better = (torch.sigmoid(s * gap / spread - threshold) for s in (1, -1))
    tied = [
        float(loss.order_loss(torch.tensor([float(g), 0.0]), torch.zeros(2), one[:2]).detach())
        for g in gap
    ]
    assert tied == pytest.approx((-torch.log(1 - worse - better)).tolist(), rel=1e-4)


def _write_test_set(folder: Path, scores: list[str]) -> Path:
    """A test set with judgements, as WMT's are stored."""
    folder.mkdir(parents=True)
    tables = {
        "segs": [
            "domain\tdoc\tsrc\tref:A\tref:B",
            "n\td\teins\tone\tone one",
            "n\td\tzwei\ttwo\ttwo",
        ],
        "hyps": ["x\ty", "one\tzero", "two two\t\\N"],
        "human.mqm": ["x\ty", *scores],
    }
    for name, lines in tables.items():
        with lzma.open(folder / f"{name}.tsv.xz", "wt", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return folder


def test_penalties_of_a_test_set(numbers: Path, tmp_path: Path, capsys) -> None:
    testset = _write_test_set(tmp_path / "campaign" / "de-en", ["0\t-6.5", "-1\t"])
    spm, out = str(numbers / "sentencepiece.model"), tmp_path / "penalties"
    main(["penalties", str(testset), "--vocabulary", spm, "--out", str(out), "--reference", "B"])
    assert "campaign.de-en: 3 judged outputs of 2 segments" in capsys.readouterr().out
    (found,) = read_penalties(out)
    assert (found.name, found.language) == ("campaign.de-en", "en")
    np.testing.assert_array_equal(found.penalties, [[0, 6.5], [1, np.nan]])
    assert found.outputs[0, 0] == found.references[0, 1]  # "one"; the reference B comes first
    assert found.outputs[1, 1] == -1


def test_scores_that_are_no_penalties_are_refused(numbers: Path, tmp_path: Path) -> None:
    testset = _write_test_set(tmp_path / "campaign" / "de-en", ["90\t40", "75\t"])
    with pytest.raises(InputError, match="above 0 are no penalties"):
        penalties_from(testset, Vocabulary(numbers / "sentencepiece.model"))


def test_no_penalties_say_which_step_makes_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="run the step 'penalties' first"):
        read_penalties(tmp_path)


def test_exported_costs_are_the_trained_ones(folder: Path, numbers: Path, tmp_path: Path) -> None:
    trainer = JudgedTrainer(_settings(folder, numbers, tmp_path / "run", 20))
    trainer.run()
    spm = numbers / "sentencepiece.model"
    export_weights(tmp_path / "run/final.pt", spm, tmp_path / "m", ("de", "en"), "j", "float32")
    penalised = trainer.measured[0]
    readings = read_set(
        penalised, trainer.model, trainer.heads, Vocabulary(spm).tag("en"), _SIZES, trainer.device
    )
    pieces = Vocabulary(spm).pieces
    ends = np.cumsum(penalised.lengths.astype(int))

    def text(number: int) -> str:
        begin = ends[number] - penalised.lengths[number]
        return str(pieces.decode(penalised.ids[begin : ends[number]].tolist()))

    source, output = text(penalised.sources[3]), text(penalised.outputs[3, 1])
    reference = text(penalised.references[3, 0])
    asked = {
        Reading.OUTPUT_GIVEN_REFERENCE: Pair(reference, output, "en", "en"),
        Reading.REFERENCE_GIVEN_OUTPUT: Pair(output, reference, "en", "en"),
        Reading.OUTPUT_GIVEN_SOURCE: Pair(source, output, "en", "de"),
    }
    for reading, pair in asked.items():
        (costs,) = Paraphraser.load(tmp_path / "m", reading=reading).costs([pair])
        assert costs is not None
        assert costs.sum == pytest.approx(readings.costs[reading.value, 1, 3], rel=1e-3, abs=1e-3)
        assert len(costs.costs) == len(costs.offsets) == len(pieces.encode(pair.target))


def test_sums_leave_out_what_is_not_counted(folder: Path) -> None:
    penalised = read_penalties(folder / "penalties")
    batch = next(judged_batches(penalised, JudgedSettings(_SIZES), [(7, 7), (7, 7)], seed=1))
    moved = to_device(batch.batch, torch.device("cpu"), 64)
    torch.manual_seed(1)
    model, heads = Transformer(_TINY).eval(), CostHeads(32)
    torch.nn.init.normal_(heads.weight)
    with torch.no_grad():
        states = run_model(model, moved)
        passes = torch.from_numpy(batch.passes)
        sums = summed_costs(heads, states, moved.labels, moved.target_sequences.bounds, passes)
        start, end = batch.batch.target_bounds[4:6]
        row = states[start + 1 : end] @ heads.weight[1] + heads.bias[1]  # without the start mark
        assert float(sums[4]) == pytest.approx(float(softplus(row).sum()), rel=1e-4)


def test_from_a_model_folder_to_one_with_costs(
    folder: Path, numbers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spm = str(numbers / "sentencepiece.model")
    main(["export", str(folder / "initial.pt"), "--vocabulary", spm, "--out", str(tmp_path / "m"),
          "--name", "plain", "--precision", "float32"])  # fmt: skip
    main(["weights", str(tmp_path / "m"), "--out", str(tmp_path / "w.pt")])
    stored = checkpoints.load(folder / "initial.pt")
    read = checkpoints.load(tmp_path / "w.pt")
    assert {**read["settings"], "dropout": 0.0} == stored["settings"]
    for name, weight in stored["weights"].items():
        torch.testing.assert_close(read["weights"][name], weight)
    capsys.readouterr()
    main(["train-judged", "--initial", str(tmp_path / "w.pt"), "--vocabulary", spm,
          "--penalties", str(folder / "penalties"), "--out", str(tmp_path / "run"),
          "--held-out", "new.*", "--steps", "2", "--tokens", "1024"])  # fmt: skip
    told = capsys.readouterr().out.splitlines()
    assert all(" (was " in line for line in told)
    assert [line.split("\t")[1] for line in told] == [
        "prism", "prism(norm=reference)", "costs-with-prism", "prism-src", "costs", "costs-src",
        "costs-both",
    ]  # fmt: skip
    main(["export", str(tmp_path / "run/final.pt"), "--vocabulary", spm,
          "--out", str(tmp_path / "judge"), "--name", "judge"])  # fmt: skip
    main(["weights", str(tmp_path / "judge"), "--out", str(tmp_path / "again.pt")])
    heads = checkpoints.load(tmp_path / "again.pt")["heads"]
    learnt = checkpoints.load(tmp_path / "run/final.pt")["heads"]
    for name, weight in learnt.items():
        torch.testing.assert_close(heads[name], weight)
    again = replace(_settings(folder, numbers, tmp_path / "b", 1), initial=tmp_path / "again.pt")
    torch.testing.assert_close(JudgedTrainer(again).heads.bias.detach(), learnt["bias"])


def test_the_last_segments_can_be_held_out(folder: Path, numbers: Path, tmp_path: Path) -> None:
    settings = replace(_settings(folder, numbers, tmp_path, 1), held_out=(), held_out_share=0.25)
    trainer = JudgedTrainer(settings)
    assert [(one.name, len(one)) for one in trainer.sets] == [("new.de-en", 30), ("old.de-en", 30)]
    names = [one.name for one in trainer.measured]
    assert names == ["new.de-en@held-out", "old.de-en@held-out"]
    whole = read_penalties(folder / "penalties")[0]
    np.testing.assert_array_equal(trainer.measured[0].sources, whole.sources[30:])
