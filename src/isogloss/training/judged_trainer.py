"""The judged trainer: from a translation model to one that also predicts penalties.

The body is trained on with heads for the costs of pieces (`isogloss.training.readings`). Two terms
tie it to the model it began as: the divergence of its probabilities from that model's, so that
`prism` stays what it was, and a linear reading of that model's surprise at the piece just read,
so that a linear head can use it. Where errors were made on purpose, it is told which pieces are
wrong.
"""

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from isogloss.errors import InputError
from isogloss.training import checkpoints
from isogloss.training.checkpoints import restored
from isogloss.training.judged_batches import JudgedBatch, JudgedSettings, Pass, judged_batches
from isogloss.training.losses import AgreementLoss, mark_loss
from isogloss.training.made_errors import PieceKinds
from isogloss.training.model import ModelSettings, Sequences, Transformer
from isogloss.training.optimiser import Budget, Clock, Schedule
from isogloss.training.penalties import PenaltySet, read_penalties
from isogloss.training.readings import CostHeads, SetReadings, by_sequence, read_set, token_costs
from isogloss.training.trainer import LOG
from isogloss.training.validation import DeviceBatch, run_model, to_device
from isogloss.training.vocabulary import END, Vocabulary

_SURPRISE_MOST = 12.0  # nats; beyond, a piece is just wrong


@dataclass(frozen=True)
class JudgedTrainSettings:
    """All that a run depends on.

    `held_out` are patterns of set names: such sets are measured and never trained on. So is the
    last `held_out_share` of the segments of every other set.
    `parts` weighs the losses of the three predictions: by reference, by source, by both.
    """

    initial: Path
    penalties: Path
    vocabulary: Path
    out: Path
    budget: Budget
    batches: JudgedSettings
    held_out: tuple[str, ...] = ()
    held_out_share: float = 0.0
    measured: tuple[str, ...] = ()
    schedule: Schedule = field(default_factory=lambda: Schedule(100, 0.0))
    rate: float = 1e-4
    head_rate: float = 2e-3
    ranking: float = 4.0
    emphasis: float = 0.5
    parts: tuple[float, float, float] = (1.0, 0.5, 0.5)
    kept: float = 1.0  # weight of the divergence from the initial model
    surprise: float = 0.1
    marks: float = 20.0  # weight of the places of made errors
    kept_share: float = 0.2  # of a batch, which the initial model reads too
    kept_tokens: int = 6000
    frozen: tuple[str, ...] = ()  # patterns of names of weights that keep their values
    clip: float = 1.0
    compiled: bool = False
    device: str = "cpu"
    workers: int = 0
    seed: int = 1
    log_every: int = 20


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def _divided(settings: JudgedTrainSettings) -> tuple[list[PenaltySet], list[PenaltySet]]:
    """The sets to train on, and those to measure on."""
    every = read_penalties(settings.penalties)
    trained = [one for one in every if not _fits(one.name, settings.held_out)]
    measured = [one for one in every if _fits(one.name, settings.measured + settings.held_out)]
    if settings.held_out_share:
        parts = [one.split(settings.held_out_share) for one in trained]
        trained = [first for first, _ in parts if len(first)]
        measured += [last for _, last in parts if len(last)]
    if not trained:
        raise InputError(f"{settings.penalties}: all sets are held out; nothing to train on")
    return trained, measured


class _Stream(IterableDataset[JudgedBatch]):
    """Judged batches; every worker has its own chance."""

    def __init__(self, settings: JudgedTrainSettings, sets: list[PenaltySet]) -> None:
        self.settings, self.sets = settings, sets

    def __iter__(self) -> Iterator[JudgedBatch]:
        worker = get_worker_info()
        vocabulary = Vocabulary(self.settings.vocabulary)
        tags = [penalised.tags(vocabulary) for penalised in self.sets]
        kinds = PieceKinds.of(vocabulary) if self.settings.batches.broken else None
        seed = self.settings.seed * 1000 + (worker.id if worker else 0)
        return judged_batches(self.sets, self.settings.batches, tags, seed, kinds)


def _loader(settings: JudgedTrainSettings, sets: list[PenaltySet]) -> DataLoader[JudgedBatch]:
    """Judged batches, made ahead by worker processes."""
    ahead: dict[str, Any] = {"prefetch_factor": 4} if settings.workers else {}
    return DataLoader(
        _Stream(settings, sets),
        batch_size=None,
        num_workers=settings.workers,
        collate_fn=lambda one: one,
        generator=torch.Generator(),
        **ahead,
    )


class JudgedTrainer:
    """One run on the judgements of a folder."""

    def __init__(self, settings: JudgedTrainSettings) -> None:
        self.settings = settings
        self.device = torch.device(settings.device)
        torch.manual_seed(settings.seed)
        content = checkpoints.load(settings.initial)
        kind = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.model = Transformer(ModelSettings(**content["settings"]), kind).to(self.device)
        self.model.load_state_dict(restored(content["weights"]))
        self.before = copy.deepcopy(self.model).eval().requires_grad_(False)
        for name, weight in self.model.named_parameters():
            weight.requires_grad_(not _fits(name, settings.frozen))
        if settings.compiled:
            self.model.compile_parts()
        self.sets, self.measured = _divided(settings)
        self.sized = torch.tensor([one.sized for one in self.sets], device=self.device)
        width = self.model.settings.width
        self.heads = CostHeads(width).to(self.device)
        if "heads" in content:  # it has learnt from judgements before
            self.heads.load_state_dict(content["heads"])
        self.surprise = nn.Linear(width, 1).to(self.device)
        self.losses = nn.ModuleList(
            AgreementLoss(len(self.sets), settings.ranking, settings.emphasis) for _ in range(3)
        ).to(self.device)
        self.optimiser = self._optimiser()
        self.base_rates = [group["lr"] for group in self.optimiser.param_groups]
        self.step, self.clock = 0, Clock()
        settings.out.mkdir(parents=True, exist_ok=True)

    def _optimiser(self) -> torch.optim.Optimizer:
        added = [*self.heads.parameters(), *self.surprise.parameters(), *self.losses.parameters()]
        groups = [
            {"params": list(self.model.parameters()), "lr": self.settings.rate},
            {"params": added, "lr": self.settings.head_rate},
        ]
        return torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.0)

    def run(self) -> dict[str, SetReadings]:
        """Train until the budget is spent, keep the weights, and measure."""
        batches = iter(_loader(self.settings, self.sets))
        sums: dict[str, list[Tensor]] = {}
        while (progress := self._progress()) < 1:
            factor = self.settings.schedule.factor(self.step, progress)
            for group, rate in zip(self.optimiser.param_groups, self.base_rates, strict=True):
                group["lr"] = rate * factor
            for name, value in self._train_step(next(batches)).items():
                sums.setdefault(name, []).append(value)
            self.step += 1
            if self.step % self.settings.log_every == 0:
                self._log_losses(sums)
                sums = {}
        if self.settings.batches.passes <= Pass.OUTPUT_GIVEN_SOURCE:
            self.heads.lend(Pass.OUTPUT_GIVEN_REFERENCE, Pass.OUTPUT_GIVEN_SOURCE)
        self._save()
        return self.measure()

    def _progress(self) -> float:
        return self.settings.budget.progress(self.clock.seconds, self.step)

    def _train_step(self, judged: JudgedBatch) -> dict[str, Tensor]:
        moved = to_device(judged.batch, self.device, self.settings.batches.batches.longest)
        states = run_model(self.model, moved)
        told = self._agreement_losses(states, moved, judged)
        if self.settings.kept or self.settings.surprise:
            told |= self._kept_losses(states, moved, judged)
        weights = {name: getattr(self.settings, name) for name in ("kept", "surprise", "marks")}
        parts = zip(_PARTS, self.settings.parts, strict=True)
        weights |= dict(parts)
        total = torch.stack([weights[name] * loss for name, loss in told.items()]).sum()
        total.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return {name: loss.detach() for name, loss in told.items()}

    def _agreement_losses(
        self, states: Tensor, moved: DeviceBatch, judged: JudgedBatch
    ) -> dict[str, Tensor]:
        def there(values: Any) -> Tensor:
            return torch.from_numpy(values).to(self.device)

        passes = there(judged.passes)
        bounds = moved.target_sequences.bounds
        costs, owners = token_costs(self.heads, states, moved.labels, bounds, passes)
        by_pass = by_sequence(costs, owners, len(passes)).view(-1, self.settings.batches.passes)
        sets = there(judged.sets)
        given = (there(judged.penalties).float(), sets, there(judged.segments), self.sized[sets])
        found = zip(_PARTS, self.losses, _predictions(by_pass), strict=False)
        told = {name: loss(predicted, *given) for name, loss, predicted in found}
        if self.settings.batches.broken:
            told["marks"] = mark_loss(costs, there(judged.marks))
        return told

    def _kept_losses(
        self, states: Tensor, moved: DeviceBatch, judged: JudgedBatch
    ) -> dict[str, Tensor]:
        """How far the model has gone from what it was, on the first sequences of a batch."""
        part = _first_sequences(moved, judged, self.settings.kept_share)
        places = torch.nonzero(part.labels >= 0)[:, 0]
        chosen = torch.randperm(len(places), device=places.device)[: self.settings.kept_tokens]
        places = places[chosen]
        with torch.no_grad():
            old = run_model(self.before, part)[places]
            wanted = _log_probabilities(old, self.before)
        found = _log_probabilities(states[places], self.model)
        divergence = (wanted.exp() * (wanted - found)).sum(dim=-1).mean()
        labels = part.labels[places]
        read = labels != END  # the state after the end mark does not exist
        surprise = -wanted.gather(1, labels[:, None])[read, 0].clamp(min=-_SURPRISE_MOST)
        told = self.surprise(states[places[read] + 1].float())[:, 0]
        return {"kept": divergence, "surprise": functional.smooth_l1_loss(told, surprise)}

    def measure(self) -> dict[str, SetReadings]:
        """Read the measured sets; the log tells how far the readings agree with people."""
        vocabulary = Vocabulary(self.settings.vocabulary)
        found: dict[str, SetReadings] = {}
        for penalised in self.measured:
            found[penalised.name] = read_set(
                penalised,
                self.model,
                self.heads,
                vocabulary.tag(penalised.language),
                self.settings.batches.batches,
                self.device,
            )
            seen = penalised.name in {one.name for one in self.sets}
            agreement = found[penalised.name].agreement()
            self._log({"step": self.step, "set": penalised.name, "seen": seen, **agreement})
        return found

    def _log_losses(self, sums: dict[str, list[Tensor]]) -> None:
        means = {name: round(float(torch.stack(v).mean()), 4) for name, v in sums.items()}
        self._log({"step": self.step, "seconds": round(self.clock.seconds, 1), **means})

    def _log(self, line: dict[str, Any]) -> None:
        with (self.settings.out / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")

    def _save(self) -> None:
        weights = {name: weight.cpu() for name, weight in self.model.state_dict().items()}
        content = {
            "settings": asdict(self.model.settings),
            "step": self.step,
            "weights": weights,
            "heads": {name: weight.cpu() for name, weight in self.heads.state_dict().items()},
            "losses": {name: weight.cpu() for name, weight in self.losses.state_dict().items()},
        }
        checkpoints.save(self.settings.out / "final.pt", content)


_PARTS = ("by reference", "by source", "by both")


def _predictions(by_pass: Tensor) -> tuple[Tensor, ...]:
    """Penalties by the reference and, where that pass is read, by the source and by both."""
    reference = by_pass[:, :2].sum(dim=1)
    if by_pass.shape[1] <= Pass.OUTPUT_GIVEN_SOURCE:
        return (reference,)
    source = by_pass[:, Pass.OUTPUT_GIVEN_SOURCE]
    return reference, source, (reference + source) / 2


def _log_probabilities(states: Tensor, model: Transformer) -> Tensor:
    logits = states @ model.embed_tokens.weight.to(states.dtype).T
    return functional.log_softmax(logits.float(), dim=-1)


def _first_sequences(moved: DeviceBatch, judged: JudgedBatch, share: float) -> DeviceBatch:
    """The sequences of a batch that fill about a share of it, at least one."""
    bounds = judged.batch.target_bounds
    most = share * bounds[-1]
    count = max(1, min(int((bounds <= most).sum()) - 1, len(judged.passes)))
    sources, targets = int(judged.batch.source_bounds[count]), int(bounds[count])

    def first(sequences: Sequences) -> Sequences:
        return Sequences(sequences.bounds[: count + 1], sequences.longest)

    return DeviceBatch(
        moved.source[:sources],
        moved.source_positions[:sources],
        first(moved.source_sequences),
        moved.target[:targets],
        moved.target_positions[:targets],
        first(moved.target_sequences),
        moved.labels[:targets],
    )
