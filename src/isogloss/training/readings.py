"""Readings of judged sets: what a model with cost heads says of every output, pass by pass.

Error costs: what each piece of a text takes off, read from the decoder's states.

A head is linear, ``softplus(w · d + b)``, one for each pass, so that CTranslate2 can compute it in
place of the output matrix. The state that has just read a piece gives that piece's cost: the one
that has read the tag gives a cost to the text as such. A segment's penalty is the sum of its costs:
MQM adds up errors, and so do we.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.arrays import Floats, Integers
from isogloss.metaeval import acc_eq, pearson, untied_order
from isogloss.training.batches import IGNORED, Batch, BatchSettings, fitting, lay_out
from isogloss.training.examples import SPECIALS
from isogloss.training.judged_batches import Pass, passes_of
from isogloss.training.losses import token_losses
from isogloss.training.model import Transformer
from isogloss.training.penalties import PenaltySet
from isogloss.training.validation import run_model, to_device

_CHEAP = -4.0  # the bias to begin with: a sentence costs about one point


class CostHeads(nn.Module):
    """One linear head for each pass."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(len(Pass), width))
        self.bias = nn.Parameter(torch.full((len(Pass),), _CHEAP))

    def forward(self, states: Tensor, passes: Tensor) -> Tensor:
        """The cost of every state; `passes` says which head is its own."""
        every = functional.linear(states.float(), self.weight, self.bias)
        return functional.softplus(every.gather(1, passes[:, None])[:, 0])

    @torch.no_grad()
    def lend(self, lender: Pass, borrower: Pass) -> None:
        """Give a head that was not trained the weights of one that was."""
        self.weight[borrower], self.bias[borrower] = self.weight[lender], self.bias[lender]


def sequence_of_tokens(bounds: Tensor, tokens: int) -> Tensor:
    """For each token of a buffer, the number of its sequence."""
    marks = torch.zeros(tokens + 1, dtype=torch.long, device=bounds.device)
    marks.index_add_(0, bounds[1:-1].long(), torch.ones_like(bounds[1:-1], dtype=torch.long))
    return marks[:tokens].cumsum(0)


def token_costs(
    heads: CostHeads, states: Tensor, labels: Tensor, bounds: Tensor, passes: Tensor
) -> tuple[Tensor, Tensor]:
    """The cost of every token of the first ``len(passes)`` sequences, and whose each token is.

    The pieces and the end mark count, that is what has a label; what comes after the sequences
    asked for is filling.
    """
    owners = sequence_of_tokens(bounds, len(labels))
    counted = (labels >= 0) & (owners < len(passes))
    owners = owners.clamp(max=len(passes) - 1)
    return torch.where(counted, heads(states, passes[owners]), 0.0), owners


def summed_costs(
    heads: CostHeads, states: Tensor, labels: Tensor, bounds: Tensor, passes: Tensor
) -> Tensor:
    """The sum of the costs of each of the first ``len(passes)`` sequences of a buffer."""
    costs, owners = token_costs(heads, states, labels, bounds, passes)
    return by_sequence(costs, owners, len(passes))


def by_sequence(costs: Tensor, owners: Tensor, count: int) -> Tensor:
    """Costs of tokens, added up for each of so many sequences."""
    return torch.zeros(count, device=costs.device).index_add(0, owners, costs)


_SHARE = 0.1  # points for a nat of surprise at the reference; chosen on years left out


@dataclass(frozen=True, eq=False)
class SetReadings:
    """Sums of costs and mean log-probabilities, passes x systems x segments; NaN: no text.

    Human outputs are left out; `human` are scores, systems x segments, higher is better. `lengths`
    are the pieces of the references, with the end mark.
    """

    costs: Floats
    means: Floats
    human: Floats
    lengths: Integers

    def predictions(self) -> dict[str, Floats]:
        """The scores that metrics make of them, higher is better.

        What has learnt must be better than length makes `prism`, or it has learnt length.
        """
        there, back, source = (self.costs[number] for number in Pass)
        by_reference = -(there + back)
        prism = self.means[:2].mean(axis=0)
        return {
            "prism": prism,
            "prism(norm=reference)": prism * self.lengths,
            "costs-with-prism": by_reference + _SHARE * prism * self.lengths,
            "prism-src": self.means[Pass.OUTPUT_GIVEN_SOURCE],
            "costs": by_reference,
            "costs-src": -source,
            "costs-both": (by_reference - source) / 2,
        }

    def agreement(self) -> dict[str, tuple[float, float, float]]:
        """Of every prediction: Pearson's r over all outputs, acc_eq by segment, and the share of
        pairs of a segment in the order of people, where these did not tie."""
        found = {}
        for name, scores in self.predictions().items():
            scores = np.where(np.isnan(self.human), np.nan, scores)
            human = np.where(np.isnan(scores), np.nan, self.human)
            r, accuracy = pearson(human, scores), acc_eq(human, scores).value
            order = untied_order(human, scores)
            values = [value or 0.0 for value in (r.value, accuracy.value, order)]
            found[name] = (round(values[0], 4), round(values[1], 4), round(values[2], 4))
        return found


def read_set(
    penalised: PenaltySet,
    model: Transformer,
    heads: CostHeads,
    tag: int,
    settings: BatchSettings,
    device: torch.device,
) -> SetReadings:
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
    human = -penalised.penalties[:, ~penalised.people].T
    lengths = penalised.lengths[penalised.references[:, 0]].astype(np.int64) + 1
    return SetReadings(costs, means, human, lengths)


def _ask(
    penalised: PenaltySet,
    asked: Integers,
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
    passes: Integers,
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
