"""Losses that make predicted penalties agree with those that people gave.

Two things are asked of a penalty: its size (smooth L1 of logarithms, with a learnt scale for each
set, since annotation schemes differ) and the order of outputs of one segment. The order is a choice
of three, as in acc_eq: one is better, the other is, or they tie, with one threshold for all pairs
(Rao & Kupper 1967).
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class AgreementLoss(nn.Module):
    """The scales of sets, and the threshold and spread of comparisons, which are learnt too."""

    def __init__(self, sets: int, ranking: float = 1.0, emphasis: float = 0.0) -> None:
        super().__init__()
        self.scales = nn.Parameter(torch.zeros(sets))
        self.threshold = nn.Parameter(torch.tensor(-0.5))  # before softplus
        self.spread = nn.Parameter(torch.tensor(0.5))
        self.ranking, self.emphasis = ranking, emphasis

    def forward(
        self, predicted: Tensor, penalties: Tensor, sets: Tensor, segments: Tensor
    ) -> Tensor:
        """Of outputs that lie segment by segment."""
        # The mean scale is 1: else all penalties could shrink and the scales make up for it.
        scales = (self.scales - self.scales.mean())[sets]
        size = functional.smooth_l1_loss(
            torch.log1p(predicted * scales.exp()), torch.log1p(penalties), beta=0.5
        )
        return size + self.ranking * self.order_loss(predicted, penalties, segments)

    def order_loss(self, predicted: Tensor, penalties: Tensor, segments: Tensor) -> Tensor:
        """Minus the mean log-likelihood of what people said, over the pairs of a segment, then
        over segments. With an `emphasis`, clear differences count for more."""
        first, second = _pairs(segments)
        if not len(first):
            return predicted.sum() * 0
        apart = (penalties[first] - penalties[second]).round(decimals=3)
        wanted, weights = torch.sign(apart), (1 + apart.abs().clamp(max=5)) ** self.emphasis
        spread, threshold = functional.softplus(self.spread), functional.softplus(self.threshold)
        found = (predicted[first] - predicted[second]) / spread
        # Where the first is worse, the probability of it; a tie is what remains of both.
        worse, better = found - threshold, -found - threshold
        tied = _log_of_rest(worse, better)
        chosen = torch.where(
            wanted > 0,
            functional.logsigmoid(worse),
            torch.where(wanted < 0, functional.logsigmoid(better), tied),
        )
        of_segment = segments[first]
        count = torch.zeros(int(segments.max()) + 1, device=found.device)
        count.index_add_(0, of_segment, weights)
        return -(weights * chosen / count[of_segment]).sum() / (count > 0).sum()


def _log_of_rest(worse: Tensor, better: Tensor) -> Tensor:
    """log(1 - sigmoid(worse) - sigmoid(better)), which is positive as the threshold is."""
    # 1 - s(a) - s(b) = s(-a) s(-b) (1 - e^(a+b)), and a + b is minus twice the threshold.
    rest = torch.log1p(-torch.exp(worse + better).clamp(max=1 - 1e-6))
    return functional.logsigmoid(-worse) + functional.logsigmoid(-better) + rest


def _pairs(segments: Tensor) -> tuple[Tensor, Tensor]:
    """All pairs of neighbours in one segment: numbers of the first and the second."""
    same = segments[:, None] == segments[None, :]
    first, second = torch.nonzero(same.triu(diagonal=1), as_tuple=True)
    return first, second
