"""Error costs: what each piece of a text takes off, read from the decoder's states.

A head is linear, ``softplus(w · d + b)``, one for each pass, so that CTranslate2 can compute it in
place of the output matrix. The state that has just read a piece gives that piece's cost: the one
that has read the tag gives a cost to the text as such. A segment's penalty is the sum of its costs:
MQM adds up errors, and so do we.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.training.judged_batches import Pass

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


def sequence_of_tokens(bounds: Tensor, tokens: int) -> Tensor:
    """For each token of a buffer, the number of its sequence."""
    marks = torch.zeros(tokens + 1, dtype=torch.long, device=bounds.device)
    marks.index_add_(0, bounds[1:-1].long(), torch.ones_like(bounds[1:-1], dtype=torch.long))
    return marks[:tokens].cumsum(0)


def summed_costs(
    heads: CostHeads, states: Tensor, labels: Tensor, bounds: Tensor, passes: Tensor
) -> Tensor:
    """The sum of the costs of each of the first ``len(passes)`` sequences of a buffer.

    The pieces and the end mark count, that is what has a label; what comes after the sequences
    asked for is filling.
    """
    owners = sequence_of_tokens(bounds, len(labels))
    counted = (labels >= 0) & (owners < len(passes))
    owners = owners.clamp(max=len(passes) - 1)
    costs = torch.where(counted, heads(states, passes[owners]), 0.0)
    return torch.zeros(len(passes), device=costs.device).index_add(0, owners, costs)
