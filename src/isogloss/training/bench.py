"""The throughput of training steps on random text of real lengths, and whether attention is right.

Nothing is read from disk and nothing waits for data: what is measured is the device.
"""

import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isogloss.training.attention import Sequences, attend, attend_padded
from isogloss.training.batches import Batch, BatchSettings, lay_out
from isogloss.training.examples import Side
from isogloss.training.loss import Smoothing, loss_and_gradient, smoothed_loss
from isogloss.training.model import ModelSettings, Transformer, work_per_step
from isogloss.training.optimiser import Kind, make_optimisers
from isogloss.training.validation import run_model, to_device


@dataclass(frozen=True)
class Measured:
    """What a variant reached. `first` is the seconds of the first step, compilation included."""

    tokens_per_second: float
    share_of_peak: float
    milliseconds: float
    first: float
    gigabytes: float


def random_batch(settings: BatchSettings, vocabulary: int, seed: int) -> Batch:
    """A full batch of random pieces whose lengths are spread like those of real sentences."""
    draw = np.random.default_rng(seed)
    count = settings.target_tokens // 12
    lengths = np.clip(draw.lognormal(3.1, 0.7, (2, count)), 1, settings.longest - 3).astype(int)
    sides = [
        Side(draw.integers(300, vocabulary, each.sum()), np.repeat(np.arange(count), each))
        for each in lengths
    ]
    return lay_out(sides[0], sides[1], draw.integers(3, 39, count), settings)


def attention_error(device: torch.device) -> float:
    """The largest relative error of the fast attention, forward and backward, both maskings."""
    lengths = torch.randint(1, 200, (50,))
    bounds = torch.cat([torch.zeros(1), lengths.cumsum(0)]).to(torch.int32).to(device)
    sequences = Sequences(bounds, 256)
    worst = 0.0
    for causal in (False, True):
        inputs = torch.randn(3, int(lengths.sum()), 8, 64, device=device)
        pull = torch.randn_like(inputs[0])
        exact = _with_gradient(inputs, pull, sequences, causal, attend_padded)
        small = inputs.bfloat16() if device.type == "cuda" else inputs
        fast = _with_gradient(small, pull.to(small.dtype), sequences, causal, attend)
        for ours, theirs in zip(fast, exact, strict=True):
            worst = max(worst, float((ours.float() - theirs).norm() / theirs.norm()))
    return worst


def _with_gradient(
    inputs: Tensor,
    pull: Tensor,
    sequences: Sequences,
    causal: bool,
    function: object,
) -> tuple[Tensor, Tensor]:
    leaf = inputs.clone().requires_grad_()
    out = function(leaf[0], leaf[1], leaf[2], sequences, sequences, causal)  # type: ignore[operator]
    (gradient,) = torch.autograd.grad(out, leaf, pull)
    return out.detach(), gradient


def measure(
    model_settings: ModelSettings,
    settings: BatchSettings,
    device: torch.device,
    optimiser: Kind,
    compiled: bool,
    seconds: float,
    peak: float,
) -> Measured:
    """Train on random batches for so many seconds after the first few steps."""
    kind = torch.bfloat16 if device.type == "cuda" else torch.float32
    model = Transformer(model_settings, kind).to(device)
    inner = loss_and_gradient
    if compiled:
        model.compile_parts()
        inner = torch.compile(loss_and_gradient, dynamic=False)
    optimisers = make_optimisers(model, optimiser, 1e-4, 1e-4)
    batches = [random_batch(settings, model_settings.vocabulary, seed) for seed in range(4)]
    moved = [to_device(batch, device, settings.longest) for batch in batches]

    def step(number: int) -> Tensor:
        batch = moved[number % len(moved)]
        smoothing = Smoothing().at(batch.target_positions)
        loss, _ = smoothed_loss(
            run_model(model, batch), model.embed_tokens.weight, batch.labels, smoothing, inner
        )
        (loss / settings.target_tokens).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for each in optimisers:
            each.step()
            each.zero_grad(set_to_none=True)
        return loss.detach()

    began = time.monotonic()
    float(step(0))
    first = time.monotonic() - began
    float(step(1) + step(2))  # waits for the device
    began, steps = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        loss = step(steps)
        steps += 1
        if steps % 10 == 0:
            float(loss)
    float(loss)
    passed = (time.monotonic() - began) / steps
    tokens = float(np.mean([(batch.labels >= 0).sum() for batch in batches]))
    work = work_per_step(model_settings, settings.source_tokens, settings.target_tokens)
    memory = torch.cuda.max_memory_allocated() / 1e9 if device.type == "cuda" else 0.0
    return Measured(tokens / passed, work / passed / peak, passed * 1000, first, memory)
