"""What to say of an annotator, in words that an organiser can act on.

A figure is put into words where its interval, which holds for all annotators together, leaves no
doubt. Spoilt items are held against those of the others (Fisher's exact test), and against what
somebody sees who reads (`_READER`), should the others not read either; both with Holm's correction.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np
from scipy import stats

from isogloss.annotate.answers import SAME
from isogloss.annotate.results.adjudication import JudgedUnit, StandingAnswer
from isogloss.annotate.results.manner import LEAST_DOCUMENTS, Bounded, Manner, Readings
from isogloss.annotate.wire_organiser import AnnotatorConduct, MeasuredFigure
from isogloss.documents import counted
from isogloss.verdicts import corrected

_BREAK_MS = 10 * 60 * 1000  # a longer silence is a break, not thinking
_CONFIDENCE, _ALPHA = 0.95, 0.05
_HASTY = 1 / 3  # of the others' time for an item
_READER = 0.75  # of spoilt items score lower at least, where somebody reads; by guessing, half

Number = Callable[[StandingAnswer], float | None]


@dataclass(frozen=True, slots=True)
class Scale:
    """The number in an answer of some kind; what more and less of it is called.

    `kin` is the answer itself, as a number, where only sameness counts.
    """

    number: Number
    more: str
    less: str
    step: float = 1.0
    kin: Number | None = None
    names: tuple[str, str] = ("milder", "stricter")


def _field(name: str) -> Number:
    return lambda answer: answer.value.get(name)


def _marked(answer: StandingAnswer) -> float | None:
    return -float(len(answer.value["phenomena"]))


def _differs(answer: StandingAnswer) -> float | None:
    same = answer.value["same"]
    return None if same is None else 100.0 * (not same)


def _tied(answer: StandingAnswer) -> float | None:
    better = answer.value["better"]
    return None if better is None else 100.0 * (better == SAME)


def preferred(answer: StandingAnswer) -> float | None:
    """1 for the first of a pair, 0 for the other, in between where they are the same."""
    better = answer.value["better"]
    return {None: None, SAME: 0.5}.get(better, float(better == answer.system))


_PERCENT = Scale(_field("score"), "scores {} higher than", "scores {} lower than")
SCALES: Mapping[str, Scale] = {
    "phase1": Scale(
        _field("adequacy"),
        "gives {} more adequacy than",
        "gives {} less adequacy than",
        step=0.01,
    ),
    "phase2": Scale(
        _marked,
        "marks {} phenomena less at a place than",
        "marks {} phenomena more at a place than",
        step=0.01,
    ),
    "da": _PERCENT,
    "spans": _PERCENT,
    "contrastive": _PERCENT,
    "document": _PERCENT,
    "preference": Scale(
        _tied,
        "calls translations equally good {} % more often than",
        "calls translations equally good {} % less often than",
        kin=preferred,
        names=("readier to call translations equal", "readier to choose"),
    ),
    "consistency": Scale(
        _differs,
        "lets words differ {} % more often than",
        "lets words differ {} % less often than",
        kin=_differs,
    ),
}


def pace(times: Iterable[int]) -> float | None:
    """Seconds from one answer to the next, in the middle, without breaks."""
    gaps = [later - earlier for earlier, later in pairwise(sorted(times))]
    working = [gap / 1000 for gap in gaps if 0 < gap <= _BREAK_MS]
    return median(working) if working else None


def check_outcomes(own: Sequence[StandingAnswer]) -> tuple[list[float], list[float]]:
    """How far repeated scores lie apart, and in which share spoilt items scored lower."""
    scores = {(a.task.id, str(a.item)): a.value.get("score") for a in own}
    repeats, degraded = [], []
    for answer in own:
        first = scores.get((answer.task.id, answer.check["of"])) if answer.check else None
        again = answer.value.get("score")
        if answer.check is None or first is None or again is None:
            continue
        if answer.check["kind"] == "repeat":
            repeats.append(abs(float(again) - float(first)))
        elif answer.check["kind"] == "degraded":
            degraded.append(float(again < first))
    return repeats, degraded


def annotators_conduct(
    answers: Sequence[StandingAnswer], kinds: Iterable[str] | None = None
) -> list[AnnotatorConduct]:
    """How everybody judges in each kind of work, with what stands out; checks are among answers."""
    found: list[AnnotatorConduct] = []
    for kind in kinds or dict.fromkeys(answer.kind for answer in answers):
        if kind in SCALES:
            found += _of_kind(kind, [answer for answer in answers if answer.kind == kind])
    return found


def _of_kind(kind: str, answers: Sequence[StandingAnswer]) -> Iterator[AnnotatorConduct]:
    people = list(dict.fromkeys(answer.annotator for answer in answers))
    judged = [answer for answer in answers if answer.check is None]
    readings = _readings(people, judged, SCALES[kind])
    seen = [check_outcomes([a for a in answers if a.annotator == name])[1] for name in people]
    careless = corrected(_chances(seen), "holm")
    unread = corrected(_chances_of_readers(seen), "holm")
    paces = [pace(a.at for a in answers if a.annotator == name) for name in people]
    for number, name in enumerate(people):
        manner = readings.manner(number, _CONFIDENCE)
        others = [other for other in people if other != name]
        told = _Told(SCALES[kind], manner, others[0] if len(others) == 1 else "the others")
        words = [
            *told.sentences(),
            *_spoilt_words(seen, number, (careless[number], unread[number]), told.others),
            *_hasty_words(paces, number, told.others),
        ]
        yield AnnotatorConduct(
            annotator=name,
            kind=kind,
            documents=manner.documents,
            shared=manner.shared,
            mildness=_figure(manner.mildness),
            spread=_figure(manner.spread),
            agreement=_figure(manner.agreement),
            drift=_figure(manner.drift),
            beside_others=manner.beside_others,
            spoilt=len(seen[number]),
            spoilt_seen=int(sum(seen[number])),
            stands_out=bool(words),
            words=words or [told.nothing()],
        )


def _readings(people: Sequence[str], answers: Sequence[StandingAnswer], scale: Scale) -> Readings:
    numbers = {name: n for n, name in enumerate(people)}
    units: dict[JudgedUnit, int] = {}
    for answer in answers:
        units.setdefault(answer.unit, len(units))
    documents = {name: n for n, name in enumerate(dict.fromkeys(u.document for u in units))}
    values, times, kin = np.full((3, len(people), max(len(units), 1)), np.nan)
    for answer in answers:
        place = numbers[answer.annotator], units[answer.unit]
        value = scale.number(answer)
        if value is not None:
            values[place], times[place] = value, answer.at
            kin[place] = np.nan if scale.kin is None else scale.kin(answer)
    document = np.array([documents[unit.document] for unit in units] or [0], dtype=np.int64)
    return Readings(values, times, document, None if scale.kin is None else kin)


def _figure(found: Bounded | None) -> MeasuredFigure | None:
    if found is None:
        return None
    return MeasuredFigure(value=found.value, low=found.low, high=found.high)


# --- words ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Told:
    scale: Scale
    manner: Manner
    others: str

    def sentences(self) -> Iterator[str]:
        yield from self._of_mildness()
        yield from self._of_drift()
        yield from self._of_spread()
        yield from self._of_agreement()

    def nothing(self) -> str:
        """What is said where nothing stands out."""
        if self.manner.shared < LEAST_DOCUMENTS:
            judged = counted(self.manner.shared, "document")
            return f"{judged} judged beside others, too few to say anything ({LEAST_DOCUMENTS})"
        return "nothing stands out"

    def _of_mildness(self) -> Iterator[str]:
        found = self.manner.mildness
        if found is not None and found.excludes(0):
            way = self.scale.more if found.value > 0 else self.scale.less
            name = self.scale.names[found.value < 0]
            size = self._size(abs(found.value))
            yield (
                f"{way.format(size)} {self.others} on the same translations {self._range(found)}: "
                f"{name}, a habit rather than an error"
            )

    def _of_drift(self) -> Iterator[str]:
        found = self.manner.drift
        if found is not None and found.excludes(0):
            name = self.scale.names[found.value < 0]
            beside = f" than {self.others}" if self.manner.beside_others else ""
            size = self._size(abs(found.value))
            yield (
                f"has become {name}{beside} over time, by {size} from the first document to the "
                f"last {self._range(found)}: ask for another look at the first ones"
            )

    def _of_spread(self) -> Iterator[str]:
        found = self.manner.spread
        if found is not None and found.excludes(1):
            way = "less" if found.value < 1 else "more"
            yield (
                f"uses {way} of the scale than {self.others} ({found.value:.0%} of their "
                f"deviation [{found.low:.0%}, {found.high:.0%}]): counts for {way} in means"
            )

    def _of_agreement(self) -> Iterator[str]:
        found = self.manner.agreement
        if self.scale.kin is not None or found is None or found.low is None:
            return
        if found.low <= 0:
            yield (
                f"is not seen to agree with {self.others} (r = {found.value:.2f} "
                f"[{found.low:.2f}, {found.high:.2f}]): look at the disagreements"
            )

    def _size(self, value: float) -> str:
        return f"{value:.2f}" if self.scale.step < 1 else f"{value:.1f}"

    def _range(self, found: Bounded) -> str:
        low, high = found.low or 0.0, found.high or 0.0
        return f"[{self._size(low)}, {self._size(high)}]".replace("-", "−")


def _chances(seen: Sequence[Sequence[float]]) -> list[float | None]:
    """Of seeing so few spoilt items, if everybody saw them alike; `None` where there are none."""
    hits, shown = int(sum(map(sum, seen))), sum(map(len, seen))
    return [
        float(stats.hypergeom.cdf(int(sum(own)), shown, hits, len(own)))
        if own and shown > len(own)
        else None
        for own in seen
    ]


def _chances_of_readers(seen: Sequence[Sequence[float]]) -> list[float | None]:
    """Of seeing so few spoilt items, for somebody who reads."""
    return [
        float(stats.binom.cdf(int(sum(own)), len(own), _READER)) if own else None for own in seen
    ]


def _spoilt_words(
    seen: Sequence[Sequence[float]],
    person: int,
    chances: tuple[float | None, float | None],
    others: str,
) -> Iterator[str]:
    beside_others, by_itself = (p is not None and p <= _ALPHA for p in chances)
    own, rest = seen[person], [each for n, s in enumerate(seen) if n != person for each in s]
    lower = f"scored {int(sum(own))} of {len(own)} spoilt items lower"
    if beside_others:
        yield f"{lower}, {others} {int(sum(rest))} of {len(rest)}: look at these answers"
    elif by_itself:
        yield f"{lower}; whoever reads sees at least {_READER:.0%}: look at these answers"


def _hasty_words(paces: Sequence[float | None], person: int, others: str) -> Iterator[str]:
    own = paces[person]
    rest = [each for n, each in enumerate(paces) if n != person and each is not None]
    if own is not None and rest and own < _HASTY * median(rest):
        yield (
            f"takes {own:.1f} s for an item, {others} {median(rest):.1f} s: look whether texts "
            "are read"
        )
