"""The optimiser: Muon for the matrices inside the layers, AdamW for everything else.

Muon (Jordan et al. 2024) moves a matrix along its orthogonalised momentum, which learns a given
loss in clearly fewer steps than AdamW. Matrices of one shape are orthogonalised together, so that
it costs little. Updates are scaled to the size of AdamW's (Liu et al. 2025), so that one learning
rate serves both. ``"adamw"`` uses AdamW for all weights.

The learning rate over a run whose length is given in minutes or in steps.

Warm-up over the first steps, then level, then straight down to nearly nothing at the end of the
budget, however many steps that turns out to be: a run always ends well.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from isogloss.errors import InputError

Kind = Literal["muon", "adamw"]
_COEFFICIENTS = (3.4445, -4.7750, 2.0315)
_ROUNDS = 5


def orthogonalised(matrices: Tensor) -> Tensor:
    """Nearly orthogonal matrices with the directions of the given ones (a stack of them)."""
    a, b, c = _COEFFICIENTS
    kind = torch.bfloat16 if matrices.is_cuda else torch.float32
    x = matrices.to(kind)
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(_ROUNDS):
        gram = x @ x.mT
        x = a * x + (b * gram + c * gram @ gram) @ x
    turned_back: Tensor = (x.mT if tall else x).to(matrices.dtype)
    return turned_back


class Muon(torch.optim.Optimizer):
    """Momentum, orthogonalised; stacked projections (queries, keys, values) one by one."""

    def __init__(
        self,
        weights: Iterable[Tensor],
        lr: float,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(weights, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """Take one step."""
        if closure is not None:
            raise ValueError("a closure is not supported")
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            directions = self._directions(weights, group["momentum"])
            shapes: dict[tuple[int, int], list[int]] = {}
            for number, weight in enumerate(weights):
                shapes.setdefault((weight.shape[0], weight.shape[1]), []).append(number)
            torch._foreach_mul_(weights, 1 - group["lr"] * group["weight_decay"])
            for numbers in shapes.values():
                stack = torch.stack([directions[number] for number in numbers])
                blocks = _square_blocks(stack)
                update = orthogonalised(blocks).reshape(stack.shape)
                scale = 0.2 * max(blocks.shape[-2:]) ** 0.5
                torch._foreach_add_(
                    [weights[number] for number in numbers],
                    list(update.unbind(0)),
                    alpha=-group["lr"] * scale,
                )

    def _directions(self, weights: list[Tensor], momentum: float) -> list[Tensor]:
        gradients = [weight.grad for weight in weights]
        kept = [self._momentum(weight) for weight in weights]
        torch._foreach_lerp_(kept, gradients, 1 - momentum)  # type: ignore[arg-type]
        return list(torch._foreach_lerp(gradients, kept, momentum))  # type: ignore[arg-type]

    def _momentum(self, weight: Tensor) -> Tensor:
        state = self.state[weight]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(weight)
        buffer: Tensor = state["momentum"]
        return buffer


def _square_blocks(stack: Tensor) -> Tensor:
    """Three stacked square projections are three matrices; any other matrix is one."""
    rows, columns = stack.shape[-2:]
    return stack.reshape(-1, columns, columns) if rows == 3 * columns else stack


def make_optimisers(
    model: nn.Module, kind: Kind, matrix_rate: float, rate: float
) -> list[torch.optim.Optimizer]:
    """One or two optimisers over all weights; biases and norms do not decay."""
    named = list(model.named_parameters())
    matrices = [weight for name, weight in named if ".layers." in name and weight.ndim == 2]
    inside = {id(weight) for weight in matrices}
    others = [weight for _, weight in named if id(weight) not in inside]
    fused = {"fused": True} if others[0].is_cuda else {}
    shared: dict[str, Any] = {"betas": (0.9, 0.98), "eps": 1e-9, **fused}
    groups = [{"params": others, "weight_decay": 0.0}]
    if kind == "adamw":
        groups.append({"params": matrices, "weight_decay": 0.01})
        return [torch.optim.AdamW(groups, lr=rate, **shared)]
    return [torch.optim.AdamW(groups, lr=rate, **shared), Muon(matrices, lr=matrix_rate)]


@dataclass(frozen=True)
class Budget:
    """How long a run may take: minutes on the clock, or a number of steps."""

    minutes: float | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        if (self.minutes is None) == (self.steps is None):
            raise InputError("give the length of the run either in minutes or in steps")

    def progress(self, seconds: float, step: int) -> float:
        """The share of the budget that is spent."""
        if self.minutes is not None:
            return seconds / (60 * self.minutes)
        return step / (self.steps or 1)


@dataclass(frozen=True)
class Schedule:
    """The factor on the learning rate."""

    warm_up_steps: int = 400
    level_until: float = 0.3
    final: float = 0.01

    def factor(self, step: int, progress: float) -> float:
        """Of step `step` (from 0) when `progress` of the budget is spent."""
        warm = min(1.0, (step + 1) / self.warm_up_steps)
        left = (1 - progress) / (1 - self.level_until)
        return warm * max(self.final, min(1.0, left))


class Clock:
    """Seconds of training, across interruptions."""

    def __init__(self, spent: float = 0.0) -> None:
        self._origin = time.monotonic() - spent

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._origin
