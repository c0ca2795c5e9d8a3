"""The shards that a metric's work falls into: measured one by one they give the same scores."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from isogloss.documents import Translation
from isogloss.metrics.protocol import Division, Metric, division_of

SEGMENTS_PER_LOT = 2_000  # texts are encoded in lots, so that batches are full
_SEGMENTS_PER_SHARD = 500  # enough to be worth sending


def shards(metric: Metric, translations: Sequence[Translation]) -> Iterator[list[Translation]]:
    """Runs of translations that the metric may measure apart from each other."""
    match division_of(metric):
        case Division.DOCUMENTS:
            yield from lots(translations, _SEGMENTS_PER_SHARD)
        case Division.LOTS:
            yield from lots(translations)
        case Division.SYSTEM:
            yield from (list(own) for _, own in groupby(translations, lambda t: t.system))
        case _:
            yield list(translations)


def lots(
    translations: Iterable[Translation], segments: int = SEGMENTS_PER_LOT
) -> Iterator[list[Translation]]:
    """Runs of translations that have at least so many segments, but for the last."""
    lot: list[Translation] = []
    counted = 0
    for translation in translations:
        lot.append(translation)
        counted += len(translation.document)
        if counted >= segments:
            yield lot
            lot, counted = [], 0
    if lot:
        yield lot


def joint_division(parts: Iterable[Metric]) -> Division:
    """How work that consists of several metrics' may be shared out."""
    kinds = set(map(division_of, parts)) - {Division.DOCUMENTS}
    if Division.PAIRS in kinds:
        return Division.PAIRS
    if not kinds:
        return Division.DOCUMENTS
    return kinds.pop() if len(kinds) == 1 else Division.WHOLE
