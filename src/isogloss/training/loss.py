"""The loss: label-smoothed cross-entropy over a large vocabulary, without keeping the logits.

The logits of a big batch take more memory and time than the rest of the model. Here they are made
in chunks, turned into their own gradient at once, and thrown away; the backward pass then only
scales what the forward pass has already worked out.

Smoothing may rise with the position of a piece: a model that is trained so grows less sure of
itself the longer a text is, and its mean log-probability falls with length as human scores do,
which count errors. The order of outputs of one segment hardly changes (docs/model.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

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
