"""Validation: the loss on held-out sentences, for each translation direction.

The throughput of training steps on random text of real lengths, and whether attention is right.

Nothing is read from disk and nothing waits for data: what is measured is the device.
"""

import time
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from isogloss.training.batches import Batch, BatchSettings, lay_out, make_batch
from isogloss.training.examples import Drawn, Examples, FlatPieces, Group, gather
from isogloss.training.losses import Smoothing, loss_and_gradient, smoothed_loss, token_losses
from isogloss.training.model import (
    ModelSettings,
    Sequences,
    Transformer,
    attend,
    attend_padded,
    work_per_step,
)
from isogloss.training.optimiser import Kind, make_optimisers
from isogloss.training.packing import PackedSet
from isogloss.training.vocabulary import Spelling


@dataclass(frozen=True)
class DeviceBatch:
    """A batch on the device that trains."""

    source: Tensor
    source_positions: Tensor
    source_sequences: Sequences
    target: Tensor
    target_positions: Tensor
    target_sequences: Sequences
    labels: Tensor


def to_device(batch: Batch, device: torch.device, longest: int) -> DeviceBatch:
    """Move a batch's buffers over (asynchronously where they lie in pinned memory)."""

    def moved(array: object) -> Tensor:
        tensor = array if isinstance(array, Tensor) else torch.from_numpy(array)
        return tensor.to(device, non_blocking=True)

    return DeviceBatch(
        moved(batch.source).long(),
        moved(batch.source_positions).long(),
        Sequences(moved(batch.source_bounds), longest),
        moved(batch.target).long(),
        moved(batch.target_positions).long(),
        Sequences(moved(batch.target_bounds), longest),
        moved(batch.labels).long(),
    )


def run_model(model: Transformer, batch: DeviceBatch) -> Tensor:
    """The decoder's states for a batch."""
    states: Tensor = model(
        batch.source,
        batch.source_positions,
        batch.source_sequences,
        batch.target,
        batch.target_positions,
        batch.target_sequences,
    )
    return states


@torch.no_grad()
def batch_losses(model: Transformer, batch: DeviceBatch) -> Tensor:
    """The plain loss of every token of a batch, without dropout."""
    training = model.training
    model.eval()
    losses = token_losses(run_model(model, batch), model.embed_tokens.weight, batch.labels)
    model.train(training)
    return losses


@torch.no_grad()
def sequence_losses(
    model: Transformer, batch: DeviceBatch, count: int, temperature: float = 1.0
) -> Tensor:
    """The sum of the plain losses of each of the first `count` targets, without dropout."""
    training = model.training
    model.eval()
    states = run_model(model, batch) / temperature
    model.train(training)
    losses = token_losses(states, model.embed_tokens.weight, batch.labels).double()
    ends = torch.cumsum(losses, 0)[batch.target_sequences.bounds[1 : count + 1].long() - 1]
    return torch.diff(ends, prepend=ends.new_zeros(1))


class DirectionLosses:
    """The loss per piece of each direction of some validation sets (first rows only)."""

    def __init__(
        self,
        sets: list[PackedSet],
        tags: dict[str, int],
        settings: BatchSettings,
        spelling: Spelling,
        rows: int = 64,
    ) -> None:
        self.settings = settings
        self.batches: list[tuple[Batch, list[str]]] = []
        directions = [
            (Group(packed, source, 1 - source), rows) for packed in sets for source in (0, 1)
        ]
        # So few at a time that they fit: a validation sentence has seldom over 100 pieces.
        at_once = max(1, settings.target_tokens // (rows * 100))
        for first in range(0, len(directions), at_once):
            self.batches.append(
                _direction_batch(directions[first : first + at_once], tags, settings, spelling)
            )

    def measure(self, model: Transformer, device: torch.device) -> dict[str, float]:
        """Mean loss per counted piece, by direction."""
        totals: dict[str, list[float]] = {}
        for batch, names in self.batches:
            moved = to_device(batch, device, self.settings.longest)
            losses = batch_losses(model, moved).double().cpu().numpy()
            bounds = batch.target_bounds
            for index, name in enumerate(names):
                part = slice(bounds[index], bounds[index + 1])
                total = totals.setdefault(name, [0.0, 0.0])
                total[0] += float(losses[part].sum())
                total[1] += float((batch.labels[part] >= 0).sum())
        return {name: loss / count for name, (loss, count) in totals.items()}


class HeldOutLoss:
    """The loss per piece on one batch of the rows that training leaves out, drawn like it.

    Where it stays near the training loss while other text gets worse, the domain differs; where
    it parts from it, the data has been seen too often.
    """

    def __init__(
        self, examples: Examples, tags: dict[str, int], settings: BatchSettings, spelling: Spelling
    ) -> None:
        plain = replace(settings, noise_share=0.0, forgotten=0.0)
        self.longest = settings.longest
        self.batch = make_batch(examples, plain, spelling, tags, seed=0, number=0)

    def measure(self, model: Transformer, device: torch.device) -> float:
        """Mean loss per counted piece."""
        losses = batch_losses(model, to_device(self.batch, device, self.longest))
        return float(losses.double().sum()) / int((self.batch.labels >= 0).sum())


def _direction_batch(
    directions: list[tuple[Group, int]],
    tags: dict[str, int],
    settings: BatchSettings,
    spelling: Spelling,
) -> tuple[Batch, list[str]]:
    chosen, names, languages = [], [], []
    for group, rows in directions:
        sides = group.packed.lengths[[group.source, group.target], :rows]
        usable = np.flatnonzero(((sides > 0) & (sides < settings.longest - 2)).all(axis=0))
        chosen.append(Drawn.single(group, usable))
        names += [group.direction] * len(usable)
        languages += [tags[group.target_language]] * len(usable)
    order = np.arange(len(names))
    source = gather(chosen, lambda group: group.source, order, spelling)
    target = gather(chosen, lambda group: group.target, order, spelling)
    if settings.variant == "language-model":
        source = FlatPieces(source.ids[:0], source.owners[:0])
    batch = lay_out(source, target, np.array(languages), settings)
    taken = len(batch.target_bounds) - 1
    return batch, names[:taken]


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
        FlatPieces(draw.integers(300, vocabulary, each.sum()), np.repeat(np.arange(count), each))
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
