"""How long scoring will take, before it begins: from the size of the texts and known speeds."""

import os
from collections.abc import Iterator, Sequence

from isogloss.cli.progress import LONG, Remedies, duration
from isogloss.documents import Collection, counted
from isogloss.errors import IsoglossError
from isogloss.metrics import load_metric
from isogloss.runtime import Device
from isogloss.signature import MetricName

# Seconds of one core for a thousand characters of output: `python benchmarks/metric_speeds.py`.
_SECONDS = {
    "bleu": 0.002,
    "chrf": 0.003,
    "cohesion": 0.003,
    "coverage": 0.25,
    "embedding": 0.24,
    "ltcr": 1.7,
    "meteor": 0.009,
    "mqm": 1.6,
    "prism": 0.8,
    "prism-src": 0.4,
    "ter": 0.015,
}


def long_work(
    collection: Collection, names: Sequence[str], faster: Remedies, device: Device, jobs: int
) -> Iterator[str]:
    """A line for each metric that will take long on these texts, and what would be faster."""
    lines = (
        text for output in collection.outputs for own in output.documents.values() for text in own
    )
    characters = sum(len(text) for text in lines if text)
    for name in names:
        seconds = _seconds(name, characters, device, jobs)
        if seconds is not None and seconds >= LONG:
            segments = collection.testset.segment_count * len(collection.outputs)
            remedy = faster(name)
            yield (
                f"{name} takes about {duration(seconds)}, less what is cached "
                f"({counted(segments, 'segment')}, {characters:,} characters)"
                f"{f'; faster: {remedy}' if remedy else ''}"
            )


def _seconds(name: str, characters: int, device: Device, jobs: int) -> float | None:
    """How long a metric takes on these cores; `None` where its speed is not known."""
    try:
        asked = MetricName.parse(name)
        metric = load_metric(asked)
    except IsoglossError:  # scoring will say so, and better
        return None
    rate = _SECONDS.get(asked.name)
    elsewhere = metric.uses_all_cores and device != "cpu"
    if rate is None or elsewhere or "model" in asked.options:
        return None
    workers = (os.cpu_count() or 1) if metric.uses_all_cores else jobs
    return rate * characters / 1000 / workers
