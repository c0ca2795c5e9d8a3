"""``isogloss align --gold``: how far an aligner's links agree with those that people made."""

from collections.abc import Sequence

from isogloss.alignment.gold import GoldFile, aer_interval, agreement
from isogloss.alignment.links import SegmentAlignment
from isogloss.cli.output import Grid, Record, Result, number
from isogloss.documents import counted

_HEADINGS = ("pairs", "links", "precision", "recall", "AER", "95 %")


def agreement_result(found: Sequence[SegmentAlignment], gold: GoldFile, aligner: str) -> Result:
    """Precision, recall and alignment error rate in per cent."""
    links = [alignment.links for alignment in found]
    agreed, interval = agreement(links, gold.links), aer_interval(links, gold.links)
    record: Record = {
        "aligner": aligner,
        "pairs": len(found),
        "links": agreed.links,
        "sure": agreed.sure,
        "possible": sum(len(each.possible - each.sure) for each in gold.links),
        "precision": agreed.precision,
        "recall": agreed.recall,
        "aer": agreed.aer,
        "aer_low": interval[0],
        "aer_high": interval[1],
    }
    low, high = (number(100 * end, 1) for end in interval)
    shares = [_per_cent(value) for value in (agreed.precision, agreed.recall, agreed.aer)]
    row = (f"{len(found):,}", f"{agreed.links:,}", *shares, f"[{low}, {high}]")
    grid = Grid(
        "Agreement with gold links",
        _HEADINGS,
        [row],
        notes=[
            f"gold: {counted(agreed.sure, 'sure link')}, {record['possible']:,} more possible; "
            f"words counted from {gold.first}",
            "AER: the lower the better; the interval is over sentence pairs",
        ],
        numeric=frozenset(range(len(_HEADINGS))),
    )
    return Result([grid], [record])


def _per_cent(value: float | None) -> str:
    return number(None if value is None else 100 * value, 1)
