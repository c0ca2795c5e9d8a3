"""WMT's human and metric scores as matrices, for the tests on real data."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss import Collection, ScoreTable
from isogloss.formats import read_collection, read_lines, wmt_tables

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Matrices:
    """Systems x segments (human references left out), and what is known of whole systems."""

    systems: tuple[str, ...]
    human: Floats
    metrics: dict[str, Floats]
    official: dict[str, Floats]
    official_human: Floats
    documents: NDArray[np.intp]


def read_matrices(folder: Path, kind: str = "mqm") -> Matrices:
    """A folder with stored metrics."""
    collection = read_collection(folder)
    systems = tuple(output.name for output in collection.outputs)
    table = wmt_tables.read_metric_scores(folder, collection)
    official = wmt_tables.read_system_judgements(folder, kind, collection)
    by_system = {item.system: item.score for item in official.items}
    names = [metric.name for metric in table.metrics]
    lengths = [len(document) for document in collection.testset.documents]
    return Matrices(
        systems,
        human_matrix(folder, kind, collection, systems),
        {name: segment_scores(table, name, systems) for name in names},
        {name: numbers(table[name, system].score for system in systems) for name in names},
        numbers(by_system[system] for system in systems),
        np.repeat(np.arange(len(lengths)), lengths),
    )


def human_matrix(folder: Path, kind: str, collection: Collection, systems: Iterable[str]) -> Floats:
    """Human scores exactly as they are stored, float noise included."""
    means = wmt_tables.read_judgements(folder, kind, collection).segment_means()
    places = [(d.id, i) for d in collection.testset.documents for i in range(len(d))]
    return np.array([numbers(means.get((s, *place)) for place in places) for s in systems])


def segment_scores(table: ScoreTable, metric: str, systems: Iterable[str]) -> Floats:
    """systems x segments."""
    return np.array(
        [
            numbers(
                score
                for document in table[metric, system].documents
                for score in document.measurement.segment_scores or ()
            )
            for system in systems
        ]
    )


def numbers(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values])


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a table."""
    header, *rows = (line.split("\t") for line in read_lines(path))
    return header, rows
