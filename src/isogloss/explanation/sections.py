"""The explanation as tables: what terminals, Markdown and pages show alike.

In tables the systems are A and B, in the order in which they were asked for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.explanation.paragraph import best_documents, digits, leader
from isogloss.explanation.result import (
    DifferencePart,
    Explanation,
    MeasuredNumber,
    MetricFound,
    NGram,
    SectionName,
    View,
    holds,
)
from isogloss.tables import decimals
from isogloss.verdicts import Interval

_DOCUMENTS = 5  # of each side that are listed
_TITLES: dict[SectionName, str] = {
    "metrics": "The difference, and what other metrics and people say",
    "documents": "Documents",
    "domain": "Domains",
    "length": "Lengths of {unit}s in the source",
    "position": "Places in the document",
    "kind": "What the two differ in, segment by segment",
    "errors": "Errors that can be counted",
    "words": "Words of the reference",
    "marks": "What metrics and people marked",
    "terms": "Terms that one renders more consistently",
    "chains": "Lexical chains that only one has",
    "ngrams": "Words that one has right more often (for reading; not tested)",
    "disputes": "Segments in which others prefer the other system",
    "passages": "Passages to read",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A numbered table of an explanation.

    `measured` has the number that each row is about, of the first rows, where they have such.
    """

    name: SectionName
    number: int
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    numeric: frozenset[int] = field(default_factory=frozenset)
    prose: frozenset[int] = field(default_factory=frozenset)
    measured: tuple[MeasuredNumber | None, ...] = ()


class _Content(NamedTuple):
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]
    numeric: set[int]
    prose: set[int]
    measured: Sequence[MeasuredNumber | None] = ()


def section_numbers(found: Explanation) -> dict[SectionName, int]:
    """The number of each section that there is, passages last."""
    names = [sheet.name for sheet in sheets(found)]
    if found.found.passages:
        names.append("passages")
    return {name: number for number, name in enumerate(names, start=1)}


def passages_title() -> str:
    """What stands over the passages."""
    return _TITLES["passages"]


def sheets(found: Explanation) -> tuple[Sheet, ...]:
    """All tables that have something in them."""
    made: list[Sheet] = []
    for name, content in _contents(found):
        if content.rows:
            made.append(
                Sheet(
                    name,
                    len(made) + 1,
                    _TITLES[name].format(unit=found.unit),
                    tuple(content.headings),
                    tuple(map(tuple, content.rows)),
                    tuple(content.notes),
                    frozenset(content.numeric),
                    frozenset(content.prose),
                    tuple(content.measured),
                )
            )
    return tuple(made)


def _contents(found: Explanation) -> Iterator[tuple[SectionName, _Content]]:
    makers: dict[SectionName, Callable[[Explanation], _Content]] = {
        "metrics": _metrics,
        "domain": lambda found: _view(found, found.view("domain")),
        "length": lambda found: _view(found, found.view("length")),
        "position": lambda found: _view(found, found.view("position")),
        "documents": _documents,
        "kind": lambda found: _view(found, found.view("kind")),
        "errors": _errors,
        "words": _words,
        "marks": _marks,
        "terms": _terms,
        "chains": _chains,
        "ngrams": _ngrams,
        "disputes": _disputes,
    }
    for name, make in makers.items():
        yield name, make(found)


# --- numbers --------------------------------------------------------------------------------------


def _number(value: float | None, size: int) -> str:
    return "–" if value is None else f"{value:.{size}f}"


def _signed(value: float | None, size: int) -> str:
    if value is None:
        return "–"
    return f"{round(value, size) + 0.0:+.{size}f}"  # no minus before a 0


def _interval(interval: Interval | None, size: int) -> str:
    return "–" if interval is None else f"[{interval[0]:.{size}f}, {interval[1]:.{size}f}]"


def _star(found: Explanation, measured: MeasuredNumber) -> str:
    return "*" if found.holds(measured) else ""


def _claimed(found: Explanation) -> str:
    return f"beyond chance at {found.settings.alpha:.0%}, after Holm for {found.tests} tests"


# --- the tables -----------------------------------------------------------------------------------


def _metrics(found: Explanation) -> _Content:
    rows = []
    for each in found.found.metrics:
        size = digits(found) if each.explained else _size(each)
        star = "*" if holds(each.test, found.settings.alpha) else ""
        arrow = "↑" if each.higher_is_better else "↓"
        same = "" if each.explained or not each.deciding else f"{each.agreeing}/{each.deciding}"
        rows.append(
            [
                f"{each.name} {arrow}" + (" people" if each.people else ""),
                _number(each.first, size),
                _number(each.second, size),
                _signed(each.test.difference, size) + star,
                _interval(each.test.interval, size),
                _number(each.test.p, 4),
                same,
            ]
        )
    notes = [
        f"A is {found.first}, B is {found.second}; intervals {found.settings.confidence:.0%}, over "
        "documents; * significant, and 0 outside (others after Holm for how many they are)",
        f"same: documents in which it prefers the system that {found.metric.name} prefers, of "
        "those in which both prefer one",
    ]
    headings = ["metric", "A", "B", "A−B", "interval", "p", "same"]
    return _Content(headings, rows, notes[: 1 + (len(rows) > 1)], set(range(1, 7)), set())


def _size(each: MetricFound) -> int:
    """How many decimals another metric's scores are shown with; two of what people said."""
    return 2 if each.people else decimals([each.first, each.second])


def _view(found: Explanation, view: View | None) -> _Content:
    parts = view.parts if view else ()
    size = digits(found)
    rows = [_part(found, part, size) for part in parts]
    if rows:
        total = sum(part.carries.value for part in parts)
        all_of_it = "100%" if found.is_real else ""
        rows.append(["together", "100%", "", "", _signed(total, size), "", all_of_it])
    notes = []
    if view and view is found.found.views[0]:  # once will do
        told = " as the metric weighs it" if found.weighed == "text" else ""
        notes += [
            f"carries: its part of A−B; {found.weighed}: its share of the {found.weighed}{told}",
            f"* other than 0, + more, − less than that share of A−B: {_claimed(found)}",
        ]
    if view and view.name == "kind":
        notes += [
            "a segment counts under the first line that fits, so that the lines add up; long ones "
            "differ in more, and carry more"
        ]
    headings = ["", found.weighed, "A", "B", "carries", "interval", "of A−B"]
    carried = [part.carries for part in parts]
    return _Content(headings, rows, notes, set(range(1, 7)), set(), carried)


def _part(found: Explanation, part: DifferencePart, size: int) -> list[str]:
    share = ""
    if found.is_real:
        carried = round(part.carries.value / found.difference, 2) + 0.0  # no minus before a 0
        share = f"{carried:.0%}{_weight(found, part)}"
    return [
        part.name,
        f"{part.share:.0%}",
        _number(part.first, size),
        _number(part.second, size),
        _signed(part.carries.value, size) + _star(found, part.carries),
        _interval(part.carries.interval, size),
        share,
    ]


def _weight(found: Explanation, part: DifferencePart) -> str:
    """Whether a part carries more or less than its part of the text."""
    if not found.holds(part.beyond):
        return " "
    for_first = found.favours_first(part.beyond.value)
    return "+" if for_first == (leader(found)[0] == found.first) else "−"


def _documents(found: Explanation) -> _Content:
    documents, size = found.found.documents, digits(found)
    listed = list(documents.parts)
    if len(listed) > 2 * _DOCUMENTS:
        listed = [*listed[:_DOCUMENTS], *listed[-_DOCUMENTS:]]
    rows = [
        [
            each.document,
            each.domain or "",
            str(each.segments),
            _number(each.first, size),
            _number(each.second, size),
            _signed(each.carries, size),
        ]
        for each in listed
    ]
    rest = sum(each.carries for each in documents.parts) - sum(each.carries for each in listed)
    if len(listed) < len(documents.parts):
        left = len(documents.parts) - len(listed)
        rows.insert(_DOCUMENTS, [f"… {left} others", "", "", "", "", _signed(rest, size)])
    total = sum(each.carries for each in documents.parts)
    rows.append(["together", "", "", "", "", _signed(total, size)])
    notes = [
        f"A is ahead in {documents.for_first}, B in {documents.for_second} of "
        f"{len(documents.parts)} documents; a single one has no interval"
    ]
    if documents.turning is not None:
        best = best_documents(documents.turning)
        notes[0] += f"; without its {best} {leader(found)[0]} would no longer lead"
    headings = ["document", "domain", "segments", "A", "B", "carries"]
    return _Content(headings, rows, notes, {2, 3, 4, 5}, set())


def _errors(found: Explanation) -> _Content:
    made = [each for each in found.found.errors if each.first or each.second]
    rows = [
        [
            each.name,
            "" if each.expected is None else str(each.expected),
            str(each.first),
            str(each.second),
            _signed(each.difference.value, 0) + _star(found, each.difference),
            _interval(each.difference.interval, 0),
            str(each.segments),
            _signed(each.carries, digits(found)),
        ]
        for each in made
    ]
    notes = [
        "places: where an error could have been made; differ: segments in which A and B do, and "
        "what those carry",
        f"a segment may be in several lines: they overlap; * {_claimed(found)}",
    ]
    headings = ["errors", "places", "A", "B", "A−B", "interval", "differ", "carries"]
    differences = [each.difference for each in made]
    return _Content(headings, rows, notes, set(range(1, 8)), set(), differences)


def _words(found: Explanation) -> _Content:
    classes = found.found.words
    rows = []
    for each in classes:
        shares = [f"{100 * count / each.total:.1f}" for count in (each.first, each.second)]
        gap = _signed(each.difference.value, 1) + _star(found, each.difference)
        reach = _interval(each.difference.interval, 1)
        rows.append([each.name, f"{each.total:,}", *shares, gap, reach])
    if rows:
        total, first, second = (
            sum(getattr(each, name) for each in classes) for name in ("total", "first", "second")
        )
        both = [100 * first / total, 100 * second / total]
        shown = [f"{share:.1f}" for share in both]
        rows.append(["together", f"{total:,}", *shown, _signed(both[0] - both[1], 1), ""])
    notes = [
        "A, B: per cent of them that the output has, in any form of the word; a word counts in the "
        f"first line that fits; * {_claimed(found)}"
    ]
    headings = ["words", "number", "A", "B", "A−B", "interval"]
    differences = [each.difference for each in classes]
    return _Content(headings, rows, notes, set(range(1, 6)), set(), differences)


def _marks(found: Explanation) -> _Content:
    rows = [
        [
            each.metric,
            each.reason,
            str(each.first),
            str(each.second),
            _signed(each.difference.value, 0) + _star(found, each.difference),
            _interval(each.difference.interval, 0),
        ]
        for each in found.found.marks
    ]
    headings = ["metric", "marks", "A", "B", "A−B", "interval"]
    differences = [each.difference for each in found.found.marks]
    return _Content(headings, rows, [f"* {_claimed(found)}"], {2, 3, 4, 5}, set(), differences)


def _terms(found: Explanation) -> _Content:
    rows = [[each.word, each.document, each.first, each.second] for each in found.found.terms]
    notes = ["renderings with how often they occur; ∅: none was found"]
    return _Content(["word", "document", "A", "B"], rows, notes, set(), {2, 3})


def _chains(found: Explanation) -> _Content:
    rows = [
        [each.words, each.document, str(each.segments), "A" if each.first else "B"]
        for each in found.found.chains
    ]
    notes = ["words that the reference repeats in several segments, and who does so, too"]
    return _Content(["chain", "document", "segments", "who"], rows, notes, {2}, {0})


def _ngrams(found: Explanation) -> _Content:
    first, second = found.found.ngrams

    def line(who: str, each: NGram) -> list[str]:
        return [who, each.text, str(each.first), str(each.second), str(each.documents)]

    rows = [line("A", each) for each in first] + [line("B", each) for each in second]
    notes = ["A, B: how often it is right; documents: whose references have it"]
    headings = ["more", "words", "A", "B", "documents"]
    return _Content(headings, rows, notes, {2, 3, 4}, {1})


def _disputes(found: Explanation) -> _Content:
    # Differences of a segment are small where scores are large: it is scores that tell the digits.
    size_of = {each.name: _size(each) for each in found.found.metrics}
    rows = [
        [
            each.metric,
            each.document,
            str(each.segment + 1),
            _signed(each.explained_difference, digits(found)),
            _signed(each.other_difference, size_of[each.metric]),
        ]
        for each in found.found.disputes
    ]
    notes = [f"A−B of the segment under {found.metric.name} and under the other metric"]
    headings = ["metric", "document", "segment", found.metric.name, "the metric"]
    return _Content(headings, rows, notes, {2, 3, 4}, set())
