"""Readings of judged sets: what a model with cost heads says of every output, pass by pass."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.metaeval.correlation import pearson
from isogloss.metaeval.ties import acc_eq
from isogloss.training.batches import IGNORED, Batch, BatchSettings, fitting, lay_out
from isogloss.training.costs import CostHeads, summed_costs
from isogloss.training.examples import SPECIALS, Array
from isogloss.training.judged_batches import Pass, passes_of
from isogloss.training.loss import token_losses
from isogloss.training.model import Transformer
from isogloss.training.penalties import Floats, PenaltySet
from isogloss.training.validation import run_model, to_device

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Readings:
    """Sums of costs and mean log-probabilities, passes x systems x segments; NaN: no text.

    Human outputs are left out; `human` are scores, systems x segments, higher is better.
    """

    costs: Floats
    means: Floats
    human: Floats

    def predictions(self) -> dict[str, Floats]:
        """The scores that metrics make of them, higher is better."""
        there, back, source = (self.costs[number] for number in Pass)
        by_reference = -(there + back)
        return {
            "prism": self.means[:2].mean(axis=0),
            "prism-src": self.means[Pass.OUTPUT_GIVEN_SOURCE],
            "costs": by_reference,
            "costs-src": -source,
            "costs-both": (by_reference - source) / 2,
        }

    def agreement(self) -> dict[str, tuple[float, float]]:
        """Pearson's r over all outputs and acc_eq by segment, of every prediction."""
        found = {}
        for name, scores in self.predictions().items():
            scores = np.where(np.isnan(self.human), np.nan, scores)
            human = np.where(np.isnan(scores), np.nan, self.human)
            r, accuracy = pearson(human, scores), acc_eq(human, scores).value
            found[name] = (round(r.value or 0.0, 4), round(accuracy.value or 0.0, 4))
        return found


def read_set(
    penalised: PenaltySet,
    model: Transformer,
    heads: CostHeads,
    tag: int,
    settings: BatchSettings,
    device: torch.device,
) -> Readings:
    """What the model says of a set, against the first reference."""
    outputs = penalised.outputs[:, ~penalised.people].astype(np.int64)
    segment, system = np.nonzero(outputs >= 0)
    texts = outputs[segment, system]
    first = penalised.references[segment, 0].astype(np.int64)
    conditions, targets = passes_of(texts, first, penalised.sources[segment].astype(np.int64))
    asked = np.stack(
        [conditions.ravel(), targets.ravel(), np.tile(np.arange(len(Pass)), len(texts))], axis=1
    )
    distinct, where = np.unique(asked, axis=0, return_inverse=True)
    answers = _ask(penalised, distinct, model, heads, tag, settings, device)[where.ravel()]
    shape = (len(Pass), outputs.shape[1], outputs.shape[0])
    costs, means = np.full(shape, np.nan), np.full(shape, np.nan)
    for number in range(len(Pass)):
        costs[number, system, segment] = answers[number :: len(Pass), 0]
        means[number, system, segment] = answers[number :: len(Pass), 1]
    return Readings(costs, means, -penalised.penalties[:, ~penalised.people].T)


def _ask(
    penalised: PenaltySet,
    asked: Array,
    model: Transformer,
    heads: CostHeads,
    tag: int,
    settings: BatchSettings,
    device: torch.device,
) -> Floats:
    """Sum of costs and mean log-probability for rows of condition, target and pass."""
    # Long texts are cut here, where the metric scores them in parts.
    room = settings.longest - SPECIALS
    lengths = np.minimum(penalised.lengths.astype(np.int64), room)[asked[:, :2]]
    order = np.argsort(lengths.sum(axis=1), kind="stable")
    answers = np.empty((len(asked), 2))
    training = model.training
    model.eval()
    first = 0
    while first < len(order):
        left = lengths[order[first:]]
        taken = fitting(left[:, 0] + 1, left[:, 1] + SPECIALS, settings)
        numbers = order[first : first + taken]
        sides = [penalised.side(asked[numbers, side], room) for side in (0, 1)]
        batch = lay_out(sides[0], sides[1], np.full(taken, tag), settings)
        answers[numbers] = _answers(batch, asked[numbers, 2], model, heads, settings, device)
        first += taken
    model.train(training)
    return answers


@torch.no_grad()
def _answers(
    batch: Batch,
    passes: Array,
    model: Transformer,
    heads: CostHeads,
    settings: BatchSettings,
    device: torch.device,
) -> Floats:
    """The same for the first sequences of a batch, one for each of the passes."""
    count = len(passes)
    moved = to_device(batch, device, settings.longest)
    states, bounds = run_model(model, moved), moved.target_sequences.bounds
    which = torch.from_numpy(passes).to(device)
    costs = summed_costs(heads, states, moved.labels, bounds, which)
    losses = token_losses(states, model.embed_tokens.weight, moved.labels).double()
    ends = torch.cumsum(losses, 0)[bounds[1 : count + 1].long() - 1]
    totals = torch.diff(ends, prepend=ends.new_zeros(1)).cpu().numpy()
    counted = np.add.reduceat(batch.labels != IGNORED, batch.target_bounds[:count])
    return np.stack([costs.double().cpu().numpy(), -totals / counted], axis=1)
