"""The loss: label-smoothed cross-entropy over a large vocabulary, without keeping the logits.

The logits of a big batch take more memory and time than the rest of the model. Here they are made
in chunks, turned into their own gradient at once, and thrown away; the backward pass then only
scales what the forward pass has already worked out.

Smoothing may rise with the position of a piece: a model that is trained so grows less sure of
itself the longer a text is, and its mean log-probability falls with length as human scores do,
which count errors. The order of outputs of one segment hardly changes (docs/model.md).

Losses that make predicted penalties agree with those that people gave.

Two things are asked of a penalty: its size (smooth L1 of logarithms, with a learnt scale for each
set, since annotation schemes differ) and the order of outputs of one segment. The order is a choice
of three, as in acc_eq: one is better, the other is, or they tie, with one threshold for all pairs
(Rao & Kupper 1967).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

_CHUNK = 16_384  # tokens whose logits exist at the same time


@dataclass(frozen=True)
class Smoothing:
    """The share of probability spread over all pieces: `first` at the start of a target, rising
    in a straight line to `last` at position `over`."""

    first: float = 0.1
    last: float = 0.1
    over: int = 200

    def at(self, positions: Tensor) -> Tensor:
        """The share for each position."""
        risen = (positions.float() / self.over).clamp(max=1.0)
        return self.first + (self.last - self.first) * risen


def loss_and_gradient(
    logits: Tensor, labels: Tensor, smoothing: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Sums of the smoothed loss and of the plain one, and the gradient of the former.

    Labels under 0 are not counted; `smoothing` has a share for each token.
    """
    scores = logits.float()
    normaliser = torch.logsumexp(scores, dim=-1, keepdim=True)
    counted = (labels >= 0)[:, None]
    kinds = torch.arange(scores.shape[-1], device=scores.device)
    wanted = kinds == labels[:, None]
    picked = torch.where(wanted, scores, 0.0).sum(-1, keepdim=True)
    plain = torch.where(counted, normaliser - picked, 0.0)
    level = torch.where(counted, normaliser - scores.mean(-1, keepdim=True), 0.0)
    share = smoothing[:, None]
    gradient = (scores - normaliser).exp() - share / scores.shape[-1]
    gradient = gradient - torch.where(wanted, 1 - share, 0.0)
    gradient = torch.where(counted, gradient, 0.0).to(logits.dtype)
    return ((1 - share) * plain + share * level).sum(), plain.sum(), gradient


Inner = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]


class _SmoothedLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor, smoothing: Tensor, inner: Inner
    ) -> tuple[Tensor, Tensor]:
        matrix = weight.to(hidden.dtype)
        for_hidden = torch.empty_like(hidden)
        for_weight = torch.zeros_like(weight, dtype=torch.float32)
        smoothed = hidden.new_zeros((), dtype=torch.float32)
        plain = hidden.new_zeros((), dtype=torch.float32)
        for first in range(0, len(hidden), _CHUNK):
            part = slice(first, first + _CHUNK)
            some_smoothed, some_plain, gradient = inner(
                hidden[part] @ matrix.T, labels[part], smoothing[part]
            )
            for_hidden[part] = gradient @ matrix
            for_weight += gradient.T @ hidden[part]
            smoothed += some_smoothed
            plain += some_plain
        ctx.save_for_backward(for_hidden, for_weight)
        ctx.mark_non_differentiable(plain)
        return smoothed, plain

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        for_hidden, for_weight = ctx.saved_tensors
        scale = gradients[0]
        return for_hidden * scale.to(for_hidden.dtype), for_weight * scale, None, None, None


def smoothed_loss(
    hidden: Tensor,
    weight: Tensor,
    labels: Tensor,
    smoothing: Tensor,
    inner: Inner = loss_and_gradient,
) -> tuple[Tensor, Tensor]:
    """Sums over the counted tokens: the smoothed loss (with gradient) and the plain one."""
    both: tuple[Tensor, Tensor] = _SmoothedLoss.apply(hidden, weight, labels, smoothing, inner)  # type: ignore[no-untyped-call]
    return both


def token_losses(hidden: Tensor, weight: Tensor, labels: Tensor) -> Tensor:
    """The plain loss of every token, 0 where it is not counted; for validation, no gradient."""
    matrix = weight.to(hidden.dtype)
    losses = []
    for first in range(0, len(hidden), _CHUNK):
        part = slice(first, first + _CHUNK)
        scores = (hidden[part] @ matrix.T).float()
        picked = scores.gather(-1, labels[part].clamp(min=0)[:, None])[:, 0]
        losses.append(torch.logsumexp(scores, dim=-1) - picked)
    return torch.where(labels >= 0, torch.cat(losses), 0.0)


class AgreementLoss(nn.Module):
    """The scales of sets, and the threshold and spread of comparisons, which are learnt too."""

    def __init__(self, sets: int, ranking: float = 1.0, emphasis: float = 0.0) -> None:
        super().__init__()
        self.scales = nn.Parameter(torch.zeros(sets))
        self.threshold = nn.Parameter(torch.tensor(-0.5))  # before softplus
        self.spread = nn.Parameter(torch.tensor(0.5))
        self.ranking, self.emphasis = ranking, emphasis

    def forward(
        self,
        predicted: Tensor,
        penalties: Tensor,
        sets: Tensor,
        segments: Tensor,
        sized: Tensor | None = None,
    ) -> Tensor:
        """Of outputs that lie segment by segment; those that are not `sized` have an order only."""
        # The mean scale is 1: else all penalties could shrink and the scales make up for it.
        scales = (self.scales - self.scales.mean())[sets]
        sizes = functional.smooth_l1_loss(
            torch.log1p(predicted * scales.exp()),
            torch.log1p(penalties),
            beta=0.5,
            reduction="none",
        )
        size = (sizes if sized is None else torch.where(sized, sizes, 0.0)).mean()
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


def mark_loss(costs: Tensor, marks: Tensor, points: float = 2.0) -> Tensor:
    """Minus the mean log-likelihood of marks: 1 where a token is wrong, 0 where it is right.

    A cost is read as a rate: no error in a token has the probability ``exp(-cost / points)``.
    Tokens with marks under 0 are not known and do not count.
    """
    rates = costs / points
    # log(1 - e^-x), and no infinite slope where a cost is nearly nothing
    wrong = -torch.log(-torch.expm1(-rates.clamp(min=1e-4)))
    known = marks >= 0
    losses = torch.where(marks > 0, wrong, rates)
    return torch.where(known, losses, 0.0).sum() / known.sum().clamp(min=1)


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
