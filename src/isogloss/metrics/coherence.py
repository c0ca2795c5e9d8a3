"""Whether saved scores are what their metrics make of the statistics beside them.

A table is tested by its statistics and shown by its scores: where they part, every verdict is
about other numbers than the reader sees.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from isogloss.errors import InputError
from isogloss.metrics.protocol import Metric
from isogloss.metrics.registry import from_signature
from isogloss.scores import ScoreTable, Statistics, SystemScore

_TOLERANCE = 1e-6  # sums of the same numbers in another order differ by less


def refuse_contradictions(table: ScoreTable) -> None:
    """Refuse a table in which a system's or a document's score belies its statistics."""
    for info in table.metrics:
        if info.not_scored is not None:
            continue
        metric = from_signature(info.signature)
        _refuse_other_segments(table.of_metric(info.name))
        for row in table.of_metric(info.name):
            told = list(_told(row))
            if not told:
                continue
            computed = _computed(row, metric)
            for (where, score), found in zip(told, computed, strict=True):
                if score is not None and not np.isclose(
                    score, found, rtol=_TOLERANCE, atol=_TOLERANCE
                ):
                    raise InputError(
                        f"{row.metric} of {row.system!r}{where} is said to be {score:g}, but its "
                        f"statistics give {found:g}; the scores were changed: score again"
                    )


def _refuse_other_segments(rows: Sequence[SystemScore]) -> None:
    """Systems are compared segment by segment, and so all must have the same ones."""
    for row in rows[1:]:
        if _segments(row) != _segments(rows[0]):
            raise InputError(
                f"{row.metric} of {row.system!r} has other segments than of {rows[0].system!r}; "
                "the scores were changed: score again"
            )


def _segments(row: SystemScore) -> list[tuple[int, bool]]:
    measured = [document.measurement for document in row.documents]
    return [(each.total, each.segment_statistics is not None) for each in measured]


def _told(row: SystemScore) -> Iterator[tuple[str, float | None]]:
    for document in row.documents:
        yield f" on document {document.document!r}", document.score
    if row.documents:
        yield "", row.score


def _computed(row: SystemScore, metric: Metric) -> Statistics:
    """What the metric makes of each document, and of all of them."""
    try:
        sums = np.vstack([document.measurement.statistics for document in row.documents])
        with np.errstate(all="ignore"):  # what becomes of impossible numbers is refused anyway
            return metric.score_rows(np.vstack([sums, sums.sum(axis=0)]))
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{row.metric} of {row.system!r}: its statistics are not those of {metric.name}; "
            "the scores were changed: score again"
        ) from error
