"""Shards of an evaluation that are done, kept on disk until the whole of it is.

Who starts an evaluation again after it was killed finds what was measured. A shard is known by a
digest of all that decides it; its file is written whole or not at all. When the metric has all of
its shards they are removed, so that no number outlives the program that computed it.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from isogloss.destination import write_file
from isogloss.documents import Translation
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_text
from isogloss.scores import Measurement
from isogloss.spans import Evidence, Span

FOLDER_NAME = "shards"


class KeptShards:
    """The shards of one metric; without a folder none are kept."""

    def __init__(self, cache: Path | None, described: str) -> None:
        self._folder = None if cache is None else cache / FOLDER_NAME
        self._described = described
        self._written: list[Path] = []

    def find(self, shard: Sequence[Translation]) -> list[Measurement] | None:
        """What was measured of these translations; `None` if that is not known."""
        path = self._path(shard)
        if path is None or not path.is_file():
            return None
        self._written.append(path)
        try:
            found = [_measurement(record) for record in json.loads(read_text(path))]
        except (FormatError, InputError, ValueError, TypeError, KeyError):
            return None  # damaged: as good as absent
        return found if len(found) == len(shard) else None

    def keep(self, shard: Sequence[Translation], measured: Sequence[Measurement]) -> None:
        """Put on disk what was measured."""
        path = self._path(shard)
        if path is not None:
            text = json.dumps([_record(measurement) for measurement in measured])
            write_file(path, zstandard.compress(text.encode()))
            self._written.append(path)

    def clear(self) -> None:
        """Remove the shards: all that they were kept for is done."""
        for path in self._written:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _path(self, shard: Sequence[Translation]) -> Path | None:
        if self._folder is None:
            return None
        state = hashlib.blake2b(self._described.encode(), digest_size=16)
        for translation in shard:
            state.update(repr(translation).encode("utf-8", "backslashreplace"))
        return self._folder / f"{state.hexdigest()}.json.zst"


def _record(measurement: Measurement) -> dict[str, Any]:
    rows = measurement.segment_statistics
    return {
        "statistics": measurement.statistics.tolist(),
        "scored": measurement.scored,
        "total": measurement.total,
        "segment_statistics": None if rows is None else rows.tolist(),
        "segment_scores": measurement.segment_scores,
        "evidence": [astuple(evidence) for evidence in measurement.evidence],
        "remarks": dict(measurement.remarks),
    }


def _measurement(record: dict[str, Any]) -> Measurement:
    rows, scores = record["segment_statistics"], record["segment_scores"]
    return Measurement(
        statistics=np.array(record["statistics"], dtype=np.float64),
        scored=record["scored"],
        total=record["total"],
        segment_statistics=None if rows is None else np.array(rows, dtype=np.float64),
        segment_scores=None if scores is None else tuple(scores),
        evidence=tuple(
            Evidence(reason, tuple(Span(*span) for span in spans), value)
            for reason, spans, value in record["evidence"]
        ),
        remarks=record["remarks"],
    )
