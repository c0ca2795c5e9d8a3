"""Agreement with people during training: the scores are Prism's, and the log tells them."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from isogloss.metaeval import pearson
from isogloss.training.batches import BatchSettings, StreamSettings
from isogloss.training.examples import ExampleSettings, MixtureSettings
from isogloss.training.judged import JudgedSet, agreement, judged_set, read_judged, score_pairs
from isogloss.training.model import ModelSettings, Sequences, Transformer
from isogloss.training.optimiser import Budget, Schedule
from isogloss.training.trainer import LOG, Trainer, TrainSettings
from isogloss.training.vocabulary import Vocabulary

_TINY = ModelSettings(
    vocabulary=318, width=32, inner=64, heads=2, encoder_layers=1, decoder_layers=1,
    longest=64, dropout=0.1,
)  # fmt: skip
_SIZES = BatchSettings(512, 512, ExampleSettings(64))


@pytest.fixture(scope="module")
def judged(numbers: Path) -> JudgedSet:
    references = [f"one two {word} four" for word in ("five", "six", "seven", "eight", "nine")]
    outputs = [[text, text.replace("two", "three"), "nine nine", None] for text in references]
    human = np.array([[0.0] * 5, [-1.0] * 5, [-5.0, -5.0, -4.0, -5.0, np.nan], [np.nan] * 5])
    vocabulary = Vocabulary(numbers / "sentencepiece.model")
    return judged_set("toy.de-en", "en", references, outputs, human, vocabulary)


def _model() -> Transformer:
    torch.manual_seed(1)
    return Transformer(_TINY)


def test_scores_are_mean_log_probabilities(numbers: Path, judged: JudgedSet) -> None:
    model, tag = _model(), Vocabulary(numbers / "sentencepiece.model").tag("en")
    pairs = np.array([[0, 5], [5, 0], [1, 6], [1, 1]])
    together = score_pairs(judged, pairs, model, tag, _SIZES, torch.device("cpu"))
    apart = [_alone(judged, pair, model, tag) for pair in pairs]
    assert together == pytest.approx(apart, abs=1e-5)


def _alone(judged: JudgedSet, pair: np.ndarray, model: Transformer, tag: int) -> float:
    """The same for one pair, straight from the logits."""
    ends = np.cumsum(judged.lengths.astype(int))
    source, target = (judged.ids[ends[t] - judged.lengths[t] : ends[t]].tolist() for t in pair)
    model.eval()

    def flat(ids: list[int]) -> tuple[torch.Tensor, torch.Tensor, object]:
        bounds = torch.tensor([0, len(ids)], dtype=torch.int32)
        return torch.tensor(ids), torch.arange(len(ids)), Sequences(bounds, len(ids))

    states = model(*flat([*source, 2]), *flat([2, tag, *target]))
    log_probs = (states @ model.embed_tokens.weight.T).log_softmax(-1).detach()
    wanted = [*target, 2]
    return float(np.mean([float(log_probs[i + 1, piece]) for i, piece in enumerate(wanted)]))


def test_agreement_is_that_of_the_scores(numbers: Path, judged: JudgedSet) -> None:
    model, tag = _model(), Vocabulary(numbers / "sentencepiece.model").tag("en")
    device = torch.device("cpu")
    found = agreement(judged, model, tag, _SIZES, device)
    scores = np.full(judged.human.shape, np.nan)
    for segment, reference in enumerate(judged.references):
        for system in range(3):
            output = judged.outputs[segment, system]
            pairs = np.array([[reference, output], [output, reference]])
            scores[system, segment] = score_pairs(judged, pairs, model, tag, _SIZES, device).mean()
    assert found.pearson == pytest.approx(pearson(judged.human, scores).value)
    assert 0 <= found.acc_eq <= 1


def test_a_run_logs_its_agreement(numbers: Path, tmp_path: Path, judged: JudgedSet) -> None:
    judged.save(tmp_path / "judged")
    assert read_judged(tmp_path / "judged", 3)[0].human.shape == (4, 3)
    stream = StreamSettings(
        numbers / "packed", numbers / "sentencepiece.model", _SIZES, MixtureSettings()
    )
    settings = TrainSettings(
        stream, tmp_path / "run", Budget(steps=4), _TINY, judged=tmp_path / "judged",
        schedule=Schedule(warm_up_steps=2), milestones=2, temperatures=(1.0, 2.0),
    )  # fmt: skip
    Trainer(settings).run()
    lines = [json.loads(line) for line in (tmp_path / "run" / LOG).read_text().splitlines()]
    told = [line for line in lines if "agreement" in line]
    assert [line["temperature"] for line in told] == [1.0, 1.0, 1.0, 2.0]
    assert all(list(line["sets"]) == ["toy.de-en"] for line in told)
