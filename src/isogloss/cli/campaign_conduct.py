"""How annotators judge beside each other, as tables of ``isogloss annotate results``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from isogloss.cli.grid import Grid
from isogloss.cli.output import Result, number, shown_interval
from isogloss.documents import counted

if TYPE_CHECKING:
    from isogloss.annotate import (
        AnnotatorConduct,
        Disagreement,
        MeasuredFigure,
        Store,
        Voices,
    )

CONSISTENCY = "consistency"
_SHARES = ("phase1", "phase2")
"""Kinds of work whose numbers are too small for one digit."""
_MILDER = {"preference": "more ties, %", CONSISTENCY: "lets differ, %"}


def conduct_grids(voices: "Voices") -> Iterator[Grid]:
    """Nothing where one person alone has judged."""
    if len(voices.conduct) < 2:
        return
    mildness = _MILDER.get(voices.conduct[0].kind, "milder by")
    headings = ["annotator", "documents", mildness, "", "spread", "", "agreement", ""]
    rows = [_row(each) for each in voices.conduct]
    notes = [
        f"{each.annotator} {words}"
        for each in voices.conduct
        if each.stands_out
        for words in each.words
    ]
    notes += [f"{each.what}: {_alpha(each.value, each.reason)}" for each in voices.agreement]
    notes.append(
        f"{mildness}, drift: than the others on the same translations; intervals are over "
        "documents and hold for all annotators together"
    )
    answer = _answer(voices)
    headings += ["drift", ""]
    numeric = frozenset(range(1, len(headings)))
    yield Grid("Annotators", headings, rows, notes, numeric, together=2, answer=answer)


def words_alone(store: "Store") -> bool:
    """Whether people judged repeated words and no translation."""
    from isogloss.annotate import campaign_voices, judged_kinds

    return not judged_kinds(store) and bool(campaign_voices(store, CONSISTENCY).conduct)


def words_result(store: "Store") -> Result:
    """What annotators said of repeated words: how far they agree, and about which they do not."""
    from isogloss.annotate import campaign_voices

    voices = campaign_voices(store, CONSISTENCY)
    rows = [
        [f"{each.chain.chain.word} → {each.chain.chain.translation}", each.document, *_sides(each)]
        for each in voices.disagreements
        if each.chain is not None
    ]
    headings = ["word", "document", "must be the same", "may differ", "decided"]
    answer = (
        "Nobody disagrees." if not rows else f"{counted(len(rows), 'word')} to decide or decided."
    )
    words = Grid("Words on which annotators disagree", headings, rows, answer=answer)
    record = {
        "conduct": [each.model_dump() for each in voices.conduct],
        "agreement": [each.model_dump() for each in voices.agreement],
        "disagreements": [each.model_dump() for each in voices.disagreements],
    }
    return Result([*conduct_grids(voices), words], record["disagreements"], record)


def _sides(place: "Disagreement") -> list[str]:
    said = {each.annotator: each.answer.value["same"] for each in place.opinions}
    sides = [", ".join(name for name, same in said.items() if same is way) for way in (True, False)]
    return [*sides, "" if place.decision is None else "yes"]


def _answer(voices: "Voices") -> str:
    out = [each.annotator for each in voices.conduct if each.stands_out]
    if not out:
        return "Nobody stands out."
    return f"{len(out)} of {counted(len(voices.conduct), 'annotator')} stand out: {', '.join(out)}."


def _row(each: "AnnotatorConduct") -> list[str]:
    digits = 2 if each.kind in _SHARES else 1
    return [
        each.annotator,
        str(each.documents),
        *_cells(each.mildness, digits),
        *_cells(each.spread, 2),
        *_cells(each.agreement, 2),
        *_cells(each.drift, digits),
    ]


def _cells(figure: "MeasuredFigure | None", digits: int) -> list[str]:
    if figure is None:
        return [number(None, digits), ""]
    ends = None
    if figure.low is not None and figure.high is not None:
        ends = figure.low, figure.high
    return [number(figure.value, digits), shown_interval(ends, digits)]


def _alpha(value: float | None, reason: str | None) -> str:
    return reason or "?" if value is None else f"Krippendorff's alpha {value:.2f}"
