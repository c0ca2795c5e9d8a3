"""The explanation in plain words: clauses made of what was measured, and of nothing else.

A clause claims only what holds: the difference by its own test, everything else once corrected
after Holm for all that was tested. Where nothing holds, that is what is said.
"""

from collections.abc import Iterator, Sequence

from isogloss.explanation.result import (
    Clause,
    DifferencePart,
    ErrorClass,
    Explanation,
    MetricFound,
    SectionName,
    View,
    ViewName,
    WordClass,
)
from isogloss.tables import decimals

_VIEWS: dict[ViewName, str] = {
    "domain": "By domain",
    "length": "By length",
    "position": "By position",
}
_PLACES: dict[ViewName, str] = {
    "domain": "{}",
    "length": "segments of {}",
    "position": "the {} segments of documents",
}
_ERRORS = {
    "omitted": "segments with text left out",
    "added": "segments with text added",
    "repeated": "segments that repeat themselves",
    "spacing": "wrong spaces",
    "untranslated": "words left untranslated",
    "negation": "negations lost or put in",
    "number": "numbers wrong",
    "name": "names lost",
    "inconsistent term": "mentions of inconsistent terms",
}
_KINDS = {
    "omitted": "one of them leaves text out",
    "added": "one of them adds text",
    "repeated": "one of them repeats itself",
    "spacing": "they differ in spaces",
    "untranslated": "one of them leaves more words untranslated",
    "negation": "they differ in a negation",
    "number": "they differ in numbers",
    "name": "they differ in names",
    "inconsistent term": "one of them is less consistent in a term",
    "other content words": "they differ in content words but in nothing above",
    "grammar, order, style": "they differ in grammar, order or style alone",
}
_TELLING = 0.05  # of the difference: what departs from its share by less is not worth a clause
_FEW = 0.25  # of the documents: a lead that hangs on more hangs on none


def clauses(found: Explanation) -> tuple[Clause, ...]:
    """One after the other, they make a paragraph."""
    return tuple(_clauses(found))


def _clauses(found: Explanation) -> Iterator[Clause]:
    yield _headline(found)
    yield from _worth(found)
    yield from _others(found)
    yield from _documents(found)
    yield from _places(found)
    causes = [*_kinds(found), *_words(found), *_marks(found)]
    yield from causes or _nothing(found)


def leader(found: Explanation) -> tuple[str, str]:
    """The better system, and the other one."""
    ahead = found.favours_first(found.difference)
    return (found.first, found.second) if ahead else (found.second, found.first)


_LARGE = 0.5  # in points: two decimals are enough to see such a difference


def digits(found: Explanation) -> int:
    """How many decimals the metric's scores are shown with."""
    if abs(found.difference) >= _LARGE:
        return 2
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
    return Clause(f"{_verdict(found, better, worse, gap, told)}.", ("metrics",))


def _verdict(found: Explanation, better: str, worse: str, gap: str, told: str) -> str:
    by_people = any(each.explained and each.people for each in found.found.metrics)
    if found.is_real:
        beats = f"People prefer {better} to {worse}" if by_people else f"{better} beats {worse}"
        return f"{beats} by {gap} {told}"
    if found.is_significant:
        why = "its interval reaches 0" if found.test.interval else "no interval is known"
        return (
            f"{better} is ahead of {worse} by {gap} {told}, but how far is uncertain: {why}, and "
            "more documents are needed"
        )
    if not found.difference:
        return f"{found.first} and {found.second} have the same score {told}"
    return (
        f"{found.first} and {found.second} cannot be told apart on {found.metric.name}: {better} "
        f"is ahead by {gap}, which chance alone can make {told}"
    )


def _worth(found: Explanation) -> Iterator[Clause]:
    better, _ = leader(found)
    if found.worth is not None:
        worth = found.worth if better == found.first else found.worth.turned()
        told = f"People would prefer {better} with probability {worth}, going by {worth.source}."
        yield Clause(told, ("metrics",))
    elif found.silence is not None:
        told = f"How likely people would prefer {better} is not said: {found.silence}."
        yield Clause(told, ("metrics",))


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
    by_choice: dict[str | None, list[str]] = {}
    for each in machines:
        by_choice.setdefault(_preferred(found, each), []).append(each.name)
    if len(machines) > 1 and better and list(by_choice) == [better]:
        return f"{'Both' if len(machines) == 2 else f'All {len(machines)}'} other metrics agree."
    told = []
    for choice in (found.first, found.second):
        if choice in by_choice:
            names = by_choice[choice]
            verb = "agree" if choice == better else "prefer"
            object_ = "" if choice == better else f" {choice}"
            told.append(f"{_names(names)} {verb}{'s' if len(names) == 1 else ''}{object_}")
    if None in by_choice:
        told.append(f"{_names(by_choice[None])} cannot tell")
    return f"{'Of the other metrics, ' if len(machines) > 1 else ''}{'; '.join(told)}."


def _preferred(found: Explanation, each: MetricFound) -> str | None:
    """The system that another metric holds to be better; `None` where it cannot tell.

    That is for its test to say, as it is for ranks: how far ahead it is need not be known.
    """
    difference = each.test.difference
    if difference is None or not each.test.is_real(found.settings.alpha):
        return None
    ahead = difference > 0 if each.higher_is_better else difference < 0
    return found.first if ahead else found.second


_MOST_NAMES = 6


def _names(names: Sequence[str]) -> str:
    return str(len(names)) if len(names) > _MOST_NAMES else _listed(names)


def _listed(items: Sequence[str], last: str = "and") -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


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
        if documents.turning is not None and documents.turning <= _FEW * total:
            best = best_documents(documents.turning)
            text += f"; without its {best} the lead would be gone"
        yield Clause(f"{text}.", ("documents",))
    else:
        yield Clause(
            f"{found.first} is ahead in {documents.for_first} of {total} documents, "
            f"{found.second} in {documents.for_second}.",
            ("documents",),
        )


def best_documents(number: int) -> str:
    """'best document', 'best 3 documents'."""
    return "best document" if number == 1 else f"best {number:,} documents"


def _places(found: Explanation) -> Iterator[Clause]:
    even: list[ViewName] = []
    for name in _VIEWS:
        view = found.view(name)
        if view is None:
            continue
        told = list(_parts(found, view, _PLACES[name]))
        if told:
            yield Clause(f"{_VIEWS[name]}: {'; '.join(told)}.", (view.name,))
        elif not any(found.holds(part.beyond) for part in view.parts):
            even.append(name)
    if even and found.is_real:
        nouns = _listed(even, "or")
        yield Clause(f"No {nouns} carries more or less than its share beyond chance.", tuple(even))


def _parts(found: Explanation, view: View, place: str) -> Iterator[str]:
    """What can be said of single parts: another winner, or more than its share; else less."""
    worse = leader(found)[1]
    more: list[DifferencePart] = []
    less: list[DifferencePart] = []
    for part in view.parts:
        whose = found.first if found.favours_first(part.carries.value) else found.second
        if found.holds(part.carries) and (not found.is_real or whose == worse):
            yield f"in {place.format(part.name)} {whose} is ahead ({_scores(found, part, whose)})"
        elif _departs(found, part):
            (less if _is_less(found, part) else more).append(part)
    for part in more or less:
        yield _weight(found, part, place)


def _weight(found: Explanation, part: DifferencePart, place: str) -> str:
    carries = "carries {} than its" if place.startswith("{") else "carry {} than their"
    told = carries.format("less" if _is_less(found, part) else "more")
    share = f"{_of_it(found, part)} of the difference with {part.share:.0%} of the {found.weighed}"
    return f"{place.format(part.name)} {told} share: {share}"


def _is_less(found: Explanation, part: DifferencePart) -> bool:
    return found.favours_first(part.beyond.value) != found.favours_first(found.difference)


def _departs(found: Explanation, part: DifferencePart) -> bool:
    """Whether a part carries clearly more or less than its share of a difference that is real."""
    large = abs(part.beyond.value) >= _TELLING * abs(found.difference)
    return found.is_real and large and found.holds(part.beyond)


def _of_it(found: Explanation, part: DifferencePart) -> str:
    share = part.carries.value / found.difference
    return "none" if share <= 0 else f"{share:.0%}"


def _scores(found: Explanation, part: DifferencePart, whose: str) -> str:
    size = digits(found)
    both = (part.first, part.second) if whose == found.first else (part.second, part.first)
    return " against ".join(_number(score, size) for score in both)


# --- words ----------------------------------------------------------------------------------------


def _kinds(found: Explanation) -> Iterator[Clause]:
    view = found.view("kind")
    if view is None or not found.is_real:
        return
    for part in view.parts:
        if _departs(found, part) and not _is_less(found, part):
            yield Clause(
                f"Segments in which {_KINDS[part.name]} carry {_of_it(found, part)} of the "
                f"difference with {part.share:.0%} of the {found.weighed}.",
                ("kind",),
            )


def _words(found: Explanation) -> Iterator[Clause]:
    for system in leader(found):
        first = system == found.first
        fewer = [_errors(each, first) for each in found.found.errors if _speaks(found, each, first)]
        if fewer:
            yield Clause(f"{system} has fewer {_listed(fewer)}.", ("errors",))
        more = [
            each
            for each in found.found.words
            if found.holds(each.difference) and (each.difference.value > 0) == first
        ]
        if more:
            yield Clause(
                f"{system} has more of the reference's {_classes(more, first)}.", ("words",)
            )


_MOST_CLASSES = 3


def _classes(more: Sequence[WordClass], first: bool) -> str:
    """The classes in which the systems differ most; the others are counted."""
    ranked = sorted(more, key=lambda each: -abs(each.difference.value))
    told = [_share(each, first) for each in ranked[:_MOST_CLASSES]]
    left = len(ranked) - len(told)
    if left:
        told.append(f"{left} other class{'es' if left > 1 else ''} of words")
    return _listed(told)


def _speaks(found: Explanation, each: ErrorClass, first: bool) -> bool:
    return found.holds(each.difference) and (each.difference.value < 0) == first


def _errors(each: ErrorClass, first: bool) -> str:
    own, other = (each.first, each.second) if first else (each.second, each.first)
    return f"{_ERRORS[each.name]} ({own} against {other})"


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
    looked_at: dict[SectionName, object] = {
        "kind": found.view("kind"),
        "errors": found.found.errors,
        "words": found.found.words,
    }
    if found.tests:
        yield Clause(
            "Nothing else that was looked at sets the two apart by more than chance.",
            tuple(name for name, there in looked_at.items() if there),
        )
