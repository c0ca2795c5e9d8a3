"""The course of a run, drawn from its log: loss, speed, held-out loss and agreement with people."""

import json
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError
from isogloss.report.plots import new_figure, save_plot


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
