"""The weights of a hybrid as a small JSON file: what training found, ready to be a metric.

::

    {"isogloss": "hybrid", "version": 1,
     "parts": [{"metric": "cohesion", "weight": 0.3, "mean": 0.52, "scale": 0.11},
               {"metric": "bleu", "weight": 0.7, "mean": 31.6, "scale": 10.4}],
     "trained": {"testset": "wmt20", ...}}

``trained`` tells where the numbers come from; no score depends on it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError
from isogloss.formats import read_text, write_text
from isogloss.notation import json_value
from isogloss.signature import MetricName

VERSION = 1


@dataclass(frozen=True, slots=True)
class PartWeights:
    """One part of a hybrid in numbers: weight · (score - mean) / scale.

    Without a scale the metric's usual one is meant.
    """

    metric: str
    weight: float
    mean: float = 0.0
    scale: float | None = None


def write_weights(
    path: Path, parts: Sequence[PartWeights], trained: Mapping[str, Any] | None = None
) -> None:
    """Save the weights, and what is known about their training."""
    content = {
        "isogloss": "hybrid",
        "version": VERSION,
        "parts": [asdict(part) for part in parts],
        "trained": dict(trained or {}),
    }
    write_text(path, json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def read_weights(path: Path) -> tuple[PartWeights, ...]:
    """Read saved weights back."""
    content = json_value(read_text(path), path)
    if not isinstance(content, dict) or content.get("isogloss") != "hybrid":
        raise FormatError(
            "this file holds no weights of a hybrid", path=path, remedy="make one: isogloss tune"
        )
    if content.get("version") != VERSION:
        raise FormatError(
            f"version {content.get('version')} of the weights is not known",
            path=path,
            remedy=f"this isogloss reads version {VERSION}; train again or upgrade",
        )
    parts = content.get("parts")
    if not isinstance(parts, list):
        raise FormatError("'parts' is no list", path=path)
    return tuple(_part(entry, number, path) for number, entry in enumerate(parts, start=1))


def _part(entry: object, number: int, path: Path) -> PartWeights:
    where = f"part {number}"
    if not isinstance(entry, dict) or not isinstance(entry.get("metric"), str):
        raise FormatError(f"{where} names no metric", path=path)
    if _runs_a_program(MetricName.parse(entry["metric"])):
        raise FormatError(
            f"{where} ({entry['metric']}) would run a program that a file names",
            path=path,
            remedy="name it yourself: hybrid(a=external(command=...),b=...)",
        )
    given = {key: entry[key] for key in ("weight", "mean", "scale") if entry.get(key) is not None}
    for key, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise FormatError(f"{where}: {value!r} is no {key}", path=path)
    if "weight" not in given:
        raise FormatError(f"{where} ({entry['metric']}) has no weight", path=path)
    return PartWeights(entry["metric"], **{key: float(value) for key, value in given.items()})


def _runs_a_program(metric: MetricName) -> bool:
    """Whether the metric, or one inside it, names a command: files are not trusted to do that."""
    if metric.name == "external" or "python" in metric.options:
        return True
    inner = (value for value in metric.options.values() if isinstance(value, MetricName))
    return any(map(_runs_a_program, inner))
