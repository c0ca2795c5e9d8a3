"""The explanation in plain words: clauses made of what was measured, and of nothing else.

A clause claims only what holds: the difference by its own test, everything else once corrected
after Holm for all that was tested. Where nothing holds, that is what is said.
"""

from collections.abc import Iterator, Sequence

from isogloss.explanation.result import (
    Clause,
    ErrorClass,
    Explanation,
    MetricFound,
    Part,
    SectionName,
    View,
    WordClass,
)
from isogloss.tables import decimals

_VIEWS = {"domain": "By domain", "length": "By length", "position": "By position"}
_PLACES = {
    "domain": "{}",
    "length": "segments of {}",
    "position": "the {} segments of documents",
}
_ERRORS = {
    "omitted": ("segment with text left out", "segments with text left out"),
    "added": ("segment with text added", "segments with text added"),
    "untranslated": ("word left untranslated", "words left untranslated"),
    "negation": ("negation lost or put in", "negations lost or put in"),
    "number": ("number wrong", "numbers wrong"),
    "name": ("name lost", "names lost"),
    "inconsistent term": ("mention of an inconsistent term", "mentions of inconsistent terms"),
}


def clauses(found: Explanation) -> tuple[Clause, ...]:
    """One after the other, they make a paragraph."""
    return tuple(_clauses(found))


def _clauses(found: Explanation) -> Iterator[Clause]:
    yield _headline(found)
    yield from _others(found)
    yield from _documents(found)
    parts = [*_places(found), *_kinds(found), *_words(found), *_marks(found)]
    yield from parts
    if not any(clause.sections != ("documents",) for clause in parts):
        yield from _nothing(found)


def leader(found: Explanation) -> tuple[str, str]:
    """The better system, and the other one."""
    ahead = found.favours_first(found.difference)
    return (found.first, found.second) if ahead else (found.second, found.first)


def digits(found: Explanation) -> int:
    """How many decimals the metric's scores are shown with."""
    return decimals([found.first_score, found.second_score])


def p_text(p: float | None) -> str:
    """A p-value as papers write it."""
    if p is None:
        return "no p-value"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _headline(found: Explanation) -> Clause:
    size = digits(found)
    better, worse = leader(found)
    of_system = {found.first: found.first_score, found.second: found.second_score}
    scores = " against ".join(_number(of_system[name], size) for name in (better, worse))
    low, high = found.test.interval or (None, None)
    turned = better != found.first
    ends = [] if low is None or high is None else [-high, -low] if turned else [low, high]
    if not found.metric.higher_is_better:
        ends = [-end for end in reversed(ends)]
    interval = f"{found.settings.confidence:.0%} [{', '.join(f'{e:.{size}f}' for e in ends)}], "
    told = f"({scores}; {interval if ends else ''}{p_text(found.test.p)})"
    gap = f"{abs(found.difference):.{size}f} {found.metric.name}"
    if found.is_real:
        return Clause(f"{better} beats {worse} by {gap} {told}.", ("metrics",))
    if found.is_significant:
        return Clause(
            f"{better} is ahead of {worse} by {gap} {told}, but the interval does not leave 0 out: "
            "more documents are needed to be sure.",
            ("metrics",),
        )
    if not found.difference:
        return Clause(f"{found.first} and {found.second} have the same score {told}.", ("metrics",))
    return Clause(
        f"No difference between {found.first} and {found.second} can be told: {better} is ahead by "
        f"{gap}, which chance makes too {told}.",
        ("metrics",),
    )


def _number(value: float | None, size: int) -> str:
    return "–" if value is None else f"{value:.{size}f}"


# --- other metrics and people ---------------------------------------------------------------------


def _others(found: Explanation) -> Iterator[Clause]:
    others = [each for each in found.found.metrics if not each.explained]
    for each in others:
        if each.people:
            yield Clause(_people(found, each), ("metrics",))
    machines = [each for each in others if not each.people]
    if machines:
        yield Clause(_machines(found, machines), ("metrics",))


def _people(found: Explanation, people: MetricFound) -> str:
    prefers = _preferred(found, people)
    gap = f"{abs(people.test.difference or 0):.2f}, {p_text(people.test.p)}"
    if prefers is None:
        return f"People ({people.name}) can tell no difference ({gap})."
    if not found.is_real:
        return f"People ({people.name}) prefer {prefers} (by {gap})."
    verb = "agree" if prefers == leader(found)[0] else f"disagree: they prefer {prefers}"
    return f"People ({people.name}) {verb} (by {gap})."


def _machines(found: Explanation, machines: Sequence[MetricFound]) -> str:
    better = leader(found)[0] if found.is_real else None
    prefers = [_preferred(found, each) for each in machines]
    if better is None:
        return _listed("Of the other metrics, ", machines, prefers, found)
    same = [m.name for m, own in zip(machines, prefers, strict=True) if own == better]
    none = [m.name for m, own in zip(machines, prefers, strict=True) if own is None]
    other = [m.name for m, own in zip(machines, prefers, strict=True) if own not in (better, None)]
    if len(same) == len(machines):
        if len(same) == 1:
            return f"The other metric, {same[0]}, agrees."
        return f"All {len(same)} other metrics agree ({_names(same)})."
    told = []
    if same:
        told.append(f"{_names(same)} agree{'s' if len(same) == 1 else ''}")
    if none:
        told.append(f"{_names(none)} cannot tell")
    if other:
        told.append(f"{_names(other)} prefer{'s' if len(other) == 1 else ''} {leader(found)[1]}")
    return f"Of the other metrics, {'; '.join(told)}."


def _listed(
    lead: str, machines: Sequence[MetricFound], prefers: Sequence[str | None], found: Explanation
) -> str:
    told = []
    for system in (found.first, found.second):
        names = [m.name for m, own in zip(machines, prefers, strict=True) if own == system]
        if names:
            told.append(f"{_names(names)} prefer{'s' if len(names) == 1 else ''} {system}")
    none = [m.name for m, own in zip(machines, prefers, strict=True) if own is None]
    if none:
        told.append(f"{_names(none)} cannot tell either")
    return f"{lead}{'; '.join(told)}."


def _preferred(found: Explanation, each: MetricFound) -> str | None:
    """The system that another metric holds to be better; `None` where it cannot tell."""
    difference = each.test.difference
    if difference is None or not each.test.is_real(found.settings.alpha):
        return None
    ahead = difference > 0 if each.higher_is_better else difference < 0
    return found.first if ahead else found.second


_MOST_NAMES = 6


def _names(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMES:
        return f"{len(names)} metrics"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# --- documents and places -------------------------------------------------------------------------


def _documents(found: Explanation) -> Iterator[Clause]:
    documents = found.found.documents
    total = len(documents.parts)
    if total < 2 or not found.difference:
        return
    counts = {found.first: documents.for_first, found.second: documents.for_second}
    better, worse = leader(found)
    if found.is_real:
        text = f"It is ahead in {counts[better]} of {total} documents, behind in {counts[worse]}"
        if documents.turning is not None:
            text += f"; without its best {documents.turning} the lead would be gone"
        yield Clause(f"{text}.", ("documents",))
    else:
        yield Clause(
            f"{found.first} is ahead in {documents.for_first} of {total} documents, "
            f"{found.second} in {documents.for_second}.",
            ("documents",),
        )


def _places(found: Explanation) -> Iterator[Clause]:
    even = []
    for name in _VIEWS:
        view = found.view(name)  # type: ignore[arg-type]
        if view is None:
            continue
        told = list(_parts(found, view, _PLACES[name]))
        if told:
            yield Clause(f"{_VIEWS[name]}: {'; '.join(told)}.", (view.name,))
        else:
            even.append((name, view.name))
    if even and found.is_real:
        nouns = " or ".join(noun for noun, _ in even)
        sections: tuple[SectionName, ...] = tuple(section for _, section in even)
        yield Clause(f"No {nouns} carries more or less than its share beyond chance.", sections)


def _parts(found: Explanation, view: View, place: str) -> Iterator[str]:
    """What can be said of single parts: more or less than its share, or another winner."""
    better, worse = leader(found)
    for part in view.parts:
        name = place.format(part.name)
        carries = part.carries.value
        ahead = found.favours_first(carries)
        whose = found.first if ahead else found.second
        if found.holds(part.carries) and (not found.is_real or whose == worse):
            yield f"in {name} {whose} is ahead ({_scores(found, part, whose)})"
        elif found.is_real and found.holds(part.beyond):
            more = found.favours_first(part.beyond.value) == (better == found.first)
            weight = "more" if more else "less"
            yield (
                f"{name} carr{'y' if name.startswith(('segments', 'the ')) else 'ies'} {weight} "
                f"than {'their' if name.startswith(('segments', 'the ')) else 'its'} share: "
                f"{carries / found.difference:.0%} of the difference with {part.share:.0%} of the "
                "text"
            )


def _scores(found: Explanation, part: Part, whose: str) -> str:
    size = digits(found)
    both = (part.first, part.second) if whose == found.first else (part.second, part.first)
    return " against ".join(_number(score, size) for score in both)


# --- words ----------------------------------------------------------------------------------------


def _kinds(found: Explanation) -> Iterator[Clause]:
    view = found.view("kind")
    if view is None or not found.is_real:
        return
    better = leader(found)[0] == found.first
    for part in view.parts:
        if found.holds(part.beyond) and found.favours_first(part.beyond.value) == better:
            yield Clause(
                f"Segments that differ in “{part.name}” carry "
                f"{part.carries.value / found.difference:.0%} of the difference with "
                f"{part.share:.0%} of the text.",
                ("kind",),
            )


def _words(found: Explanation) -> Iterator[Clause]:
    for system in leader(found):
        first = system == found.first
        fewer = [_errors(each, first) for each in found.found.errors if _speaks(found, each, first)]
        if fewer:
            yield Clause(f"{system} has {_names(fewer)}.", ("errors",))
        more = [
            _share(each, first)
            for each in found.found.words
            if found.holds(each.difference) and (each.difference.value > 0) == first
        ]
        if more:
            yield Clause(f"{system} has more of the reference's {_names(more)}.", ("words",))


def _speaks(found: Explanation, each: ErrorClass, first: bool) -> bool:
    return found.holds(each.difference) and (each.difference.value < 0) == first


def _errors(each: ErrorClass, first: bool) -> str:
    own, other = (each.first, each.second) if first else (each.second, each.first)
    _, noun = _ERRORS[each.name]
    return f"fewer {noun} ({own} against {other})"


def _share(each: WordClass, first: bool) -> str:
    own, other = (each.first, each.second) if first else (each.second, each.first)
    return f"{each.name} ({own / each.total:.1%} against {other / each.total:.1%})"


_MOST_MARKS = 2


def _marks(found: Explanation) -> Iterator[Clause]:
    held = [each for each in found.found.marks if found.holds(each.difference)]
    held.sort(key=lambda each: -abs(each.first - each.second) / (each.first + each.second))
    told = [
        f"{each.metric} finds “{each.reason}” {each.first} times in {found.first}, "
        f"{each.second} in {found.second}"
        for each in held[:_MOST_MARKS]
    ]
    if told:
        yield Clause(f"{'; '.join(told)}.", ("marks",))


def _nothing(found: Explanation) -> Iterator[Clause]:
    if found.tests:
        sections: tuple[SectionName, ...] = tuple(
            name
            for name, there in (
                ("kind", found.view("kind")),
                ("errors", found.found.errors),
                ("words", found.found.words),
            )
            if there
        )  # type: ignore[assignment]
        yield Clause(
            "Nothing else that was looked at sets the two apart by more than chance.", sections
        )
