"""The trainer: from packed data to averaged weights, within a budget of minutes or steps.

The course of a run, drawn from its log: loss, speed, held-out loss and agreement with people.
"""

import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from isogloss.errors import FormatError
from isogloss.training import checkpoints
from isogloss.training.batches import StreamSettings, batch_of, stream_batches
from isogloss.training.checkpoints import restored
from isogloss.training.examples import Examples, Mixture
from isogloss.training.judged import JudgedSet, agreement, read_judged
from isogloss.training.losses import Smoothing, loss_and_gradient, smoothed_loss
from isogloss.training.model import ModelSettings, Transformer, work_per_step
from isogloss.training.optimiser import Budget, Clock, Kind, Schedule, make_optimisers
from isogloss.training.packing import PackedFolder
from isogloss.training.validation import DirectionLosses, HeldOutLoss, run_model, to_device
from isogloss.training.vocabulary import Vocabulary

LOG = "log.jsonl"
PEAK = 790e12  # bf16 operations a second of an H200 on a large product, as measured


@dataclass(frozen=True)
class TrainSettings:
    """All that a run depends on."""

    stream: StreamSettings
    out: Path
    budget: Budget
    model: ModelSettings
    validation: Path | None = None
    initial: Path | None = None  # weights to begin with
    judged: Path | None = None
    judged_segments: int = 150  # of each judged set, at a milestone; at the end all of them
    temperatures: tuple[float, ...] = (1.0,)  # at which the judged sets are scored at the end
    schedule: Schedule = field(default_factory=Schedule)
    optimiser: Kind = "muon"
    matrix_rate: float = 3e-3
    rate: float = 2e-3
    smoothing: Smoothing = field(default_factory=Smoothing)
    clip: float = 1.0
    compiled: bool = False
    device: str = "cpu"
    log_every: int = 20
    milestones: int = 20  # how often in a run weights are kept and validated
    states: int = 4  # how often in a run the whole state is kept
    keep: int = 5


class Trainer:
    """One run; `run` goes on from the state in the folder, if there is one."""

    def __init__(self, settings: TrainSettings) -> None:
        self.settings = settings
        self.device = torch.device(settings.device)
        torch.manual_seed(settings.stream.seed)
        kind = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.model = Transformer(settings.model, kind).to(self.device)
        if settings.initial is not None:
            self.model.load_state_dict(restored(checkpoints.load(settings.initial)["weights"]))
        self.inner = loss_and_gradient
        if settings.compiled:
            self.model.compile_parts()
            self.inner = torch.compile(loss_and_gradient, dynamic=False)
        self.optimisers = make_optimisers(
            self.model, settings.optimiser, settings.matrix_rate, settings.rate
        )
        self.base_rates = [
            [group["lr"] for group in optimiser.param_groups] for optimiser in self.optimisers
        ]
        self.step, self.clock = 0, Clock()
        self.writer = ThreadPoolExecutor(1)
        self.vocabulary = Vocabulary(settings.stream.vocabulary)
        self.validation = self._validation()
        settings.out.mkdir(parents=True, exist_ok=True)

    def _validation(self) -> DirectionLosses | None:
        settings = self.settings
        if settings.validation is None:
            return None
        corpus = PackedFolder(settings.validation)
        tags = self.vocabulary.tags(corpus.languages)
        spelling = self.vocabulary.spelling()
        return DirectionLosses(corpus.sets, tags, settings.stream.batches, spelling)

    def run(self, stop_after: int | None = None) -> None:
        """Train until the budget is spent (or, for tests, until a step), then average."""
        self._resume()
        progress = self._progress()
        batches = stream_batches(self.settings.stream, self.step, self.device.type == "cuda")
        meter = _Meter(self.settings)
        while progress < 1 and self.step != stop_after:
            meter.add(*self._train_step(batches, progress, meter))
            self.step += 1
            passed, progress = progress, self._progress()
            if self.step % self.settings.log_every == 0:
                self._log(meter.line(self.step, self.clock.seconds, progress))
            self._keep(passed, progress)
        self.writer.submit(lambda: None).result()
        if progress >= 1:
            self._finish()

    def _progress(self) -> float:
        return self.settings.budget.progress(self.clock.seconds, self.step)

    def _train_step(
        self, batches: Iterator[list[Tensor]], progress: float, meter: "_Meter"
    ) -> tuple[Tensor, int, float]:
        """One step; returns the sum of the plain loss, the tokens in it and the rate's factor."""
        asked = time.monotonic()
        tensors = next(batches)
        meter.waited += time.monotonic() - asked
        batch = batch_of(tensors)
        count = int((batch.labels >= 0).sum())
        moved = to_device(batch, self.device, self.settings.stream.batches.longest)
        factor = self.settings.schedule.factor(self.step, progress)
        self._set_rates(factor)
        states = run_model(self.model, moved)
        smoothed, plain = smoothed_loss(
            states,
            self.model.embed_tokens.weight,
            moved.labels,
            self.settings.smoothing.at(moved.target_positions),
            self.inner,
        )
        (smoothed / count).backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        return plain.detach(), count, factor

    def _set_rates(self, factor: float) -> None:
        for optimiser, rates in zip(self.optimisers, self.base_rates, strict=True):
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * factor

    def _log(self, line: dict[str, Any]) -> None:
        with (self.settings.out / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")

    def _keep(self, before: float, after: float) -> None:
        """At milestones: validate, and keep the weights; more rarely the whole state."""
        settings = self.settings
        if int(before * settings.milestones) == int(after * settings.milestones):
            return
        self._log({"step": self.step, **self.validate(self.model)})
        self._log_agreement(settings.judged_segments)
        weights = {name: weight.cpu() for name, weight in self.model.state_dict().items()}
        self.writer.submit(
            checkpoints.save_weights,
            settings.out,
            self.step,
            weights,
            settings.model,
            settings.keep,
        )
        if int(before * settings.states) != int(after * settings.states):
            checkpoints.save(settings.out / checkpoints.STATE, self._state())

    @cached_property
    def held_out(self) -> HeldOutLoss | None:
        """The rows that training leaves out, as far as they are there when first asked for."""
        stream = self.settings.stream
        corpus = PackedFolder(stream.packed)
        examples = Examples(Mixture(corpus.sets, stream.mixture), stream.batches.examples, True)
        if not examples.has_any:
            return None
        tags = self.vocabulary.tags(corpus.languages)
        return HeldOutLoss(examples, tags, stream.batches, self.vocabulary.spelling())

    def validate(self, model: Transformer) -> dict[str, Any]:
        """Losses: on held-out rows, and on validation sets by direction with their mean."""
        held_out = self.held_out and round(self.held_out.measure(model, self.device), 4)
        told = {} if held_out is None else {"held_out": held_out}
        return told | self._validate_directions(model)

    def _validate_directions(self, model: Transformer) -> dict[str, Any]:
        if self.validation is None:
            return {}
        losses = self.validation.measure(model, self.device)
        mean = sum(losses.values()) / len(losses)
        rounded = {name: round(loss, 3) for name, loss in losses.items()}
        return {"validation": round(mean, 4), "directions": rounded}

    def _log_agreement(
        self, segments: int | None, temperatures: Sequence[float] = (1.0,), **more: Any
    ) -> None:
        """Lines of the log: how the model's scores agree with people on the judged sets."""
        if self.settings.judged is None:
            return
        sets = read_judged(self.settings.judged, segments)
        for temperature in temperatures:
            found = {judged.name: self._agreement(judged, temperature) for judged in sets}
            mean = [
                round(sum(column) / len(sets), 4) for column in zip(*found.values(), strict=True)
            ]
            line = {"agreement": mean, "temperature": temperature, "sets": found}
            self._log({"step": self.step, **line, **more})

    def _agreement(self, judged: JudgedSet, temperature: float) -> list[float]:
        tag, sizes = self.vocabulary.tag(judged.language), self.settings.stream.batches
        found = agreement(judged, self.model, tag, sizes, self.device, temperature)
        return [round(found.pearson, 4), round(found.acc_eq, 4)]

    def _state(self) -> dict[str, Any]:
        on_gpu = self.device.type == "cuda"
        return {
            "step": self.step,
            "seconds": self.clock.seconds,
            "model": self.model.state_dict(),
            "optimisers": [optimiser.state_dict() for optimiser in self.optimisers],
            "chance": torch.get_rng_state(),
            "chance_gpu": torch.cuda.get_rng_state() if on_gpu else None,
        }

    def _resume(self) -> None:
        path = self.settings.out / checkpoints.STATE
        if not path.is_file():
            return
        state = checkpoints.load(path)
        self.step, self.clock = state["step"], Clock(state["seconds"])
        self.model.load_state_dict(state["model"])
        for optimiser, kept in zip(self.optimisers, state["optimisers"], strict=True):
            optimiser.load_state_dict(kept)
        torch.set_rng_state(state["chance"])
        if state["chance_gpu"] is not None:
            torch.cuda.set_rng_state(state["chance_gpu"])

    def _finish(self) -> None:
        """Keep the last weights, average the last few, and say which are better."""
        settings = self.settings
        last = {name: weight.cpu() for name, weight in self.model.state_dict().items()}
        path = checkpoints.save_weights(
            settings.out, self.step, last, settings.model, settings.keep
        )
        scores: dict[str, Any] = {"last": self.validate(self.model).get("validation")}
        best, best_files = scores["last"], [path]
        files = checkpoints.weight_files(settings.out)
        for count in range(2, len(files) + 1):
            _, weights = checkpoints.average(files[-count:])
            self.model.load_state_dict(weights)
            found = self.validate(self.model).get("validation")
            scores[f"average of {count}"] = found
            if found is not None and found < best:
                best, best_files = found, files[-count:]
        _, weights = checkpoints.average(best_files)
        self.model.load_state_dict(weights)
        final = {"settings": settings.model.described(), "step": self.step, "weights": weights}
        checkpoints.save(settings.out / "final.pt", final)
        self._log({"step": self.step, "finished": True, "averaged": len(best_files), **scores})
        self._log_agreement(None, settings.temperatures, averaged=len(best_files))


class _Meter:
    """Sums between two lines of the log."""

    def __init__(self, settings: TrainSettings) -> None:
        sizes = settings.stream.batches
        self.work = work_per_step(settings.model, sizes.source_tokens, sizes.target_tokens)
        self._begin()

    def _begin(self) -> None:
        self.losses: list[Tensor] = []
        self.tokens, self.steps, self.waited, self.factor = 0, 0, 0.0, 0.0
        self.began = time.monotonic()

    def add(self, loss: Tensor, tokens: int, factor: float) -> None:
        """Count one step; the loss stays on its device until the line is written."""
        self.losses.append(loss)
        self.tokens += tokens
        self.steps += 1
        self.factor = factor

    def line(self, step: int, seconds: float, progress: float) -> dict[str, Any]:
        """One line of the log: means since the last one."""
        loss = float(torch.stack(self.losses).sum()) / self.tokens
        passed = time.monotonic() - self.began
        line = {
            "step": step,
            "minutes": round(seconds / 60, 3),
            "progress": round(progress, 4),
            "loss": round(loss, 4),
            "rate": round(self.factor, 4),
            "tokens_per_second": round(self.tokens / passed),
            "share_of_peak": round(self.work * self.steps / passed / PEAK, 4),
            "waited": round(self.waited / passed, 3),
        }
        self._begin()
        return line


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a log; a run that was resumed wrote some steps twice, the last ones count."""
    if not path.is_file():
        raise FormatError("no such log", path=path)
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise FormatError("is not a JSON line", path=path, line=number) from error
        while lines and lines[-1]["step"] > line["step"]:
            lines.pop()
        lines.append(line)
    return lines


def plot_log(log: Path, out: Path) -> None:
    """Draw a log into a file: losses on the left axis, agreement with people on the right."""
    # Imported here: the machine that trains cannot draw.
    from isogloss.report import new_figure, save_plot

    lines = read_log(log)
    if not any("loss" in line for line in lines):
        raise FormatError("holds no training loss yet", path=log, remedy="wait for more steps")
    figure, axes = new_figure(8.0, 4.5)
    for key, label in (
        ("loss", "training loss"),
        ("held_out", "loss on held-out rows"),
        ("validation", "loss on validation sets"),
    ):
        points = [(line["step"], line[key]) for line in lines if key in line]
        if points:
            axes.plot(*zip(*points, strict=True), label=label)
    axes.set_xlabel("step")
    axes.set_ylabel("loss per piece")
    axes.grid(alpha=0.3)
    _add_agreement(axes, lines)
    axes.legend(loc="upper center")
    save_plot(figure, out)


def _add_agreement(axes: Any, lines: list[dict[str, Any]]) -> None:
    told = [line for line in lines if "agreement" in line and line["temperature"] == 1.0]
    if not told:
        return
    right = axes.twinx()
    steps = [line["step"] for line in told]
    for which, label in enumerate(("Pearson's r", "acc_eq")):
        values = [line["agreement"][which] for line in told]
        right.plot(steps, values, marker="o", linestyle="--", label=f"{label}, mean of the sets")
    right.set_ylabel("agreement with people")
    right.legend(loc="lower right")
