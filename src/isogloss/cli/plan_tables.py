"""A plan as it is shown: sizes with what they tell, looks, and what all of it rests on."""

from isogloss.cli.grid import Grid
from isogloss.cli.output import Record, Result
from isogloss.documents import counted
from isogloss.planning import Plan, known_components

_SIZES = (5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500)


def sizes_grid(
    plan: Plan, difference: float | None, asked: int | None, power: float
) -> tuple[Grid, list[Record]]:
    """A row for each number of documents, that which was asked about among them."""
    sizes = sorted({*_SIZES, *([asked] if asked else [])})
    if asked and difference:
        sizes = [size for size in sizes if size <= 4 * asked]
    records = [_size_record(plan, size, difference, power) for size in sizes]
    headings = ["documents", "judgements", "hours", f"shows ({power:.0%})"]
    if difference:
        headings.append(f"power at {difference:g}")
    rows = [
        [
            f"{each['documents']:,}",
            f"{each['judgements']:,}",
            "–" if each["hours"] is None else f"{each['hours']:,.1f}",
            _points(each["smallest_difference"]),
            *([f"{each['power']:.0%}"] if difference else []),
        ]
        for each in records
    ]
    return Grid(
        "How much to judge",
        headings,
        rows,
        _notes(plan),
        frozenset(range(len(headings))),
        answer=_answer(plan, difference, asked, power),
        best=frozenset((sizes.index(asked), i) for i in range(len(headings)))
        if asked
        else frozenset(),
    ), records


def _size_record(plan: Plan, size: int, difference: float | None, power: float) -> Record:
    told = {
        "documents": size,
        "judgements": plan.design.judgements(size),
        "hours": plan.design.hours(size),
        "smallest_difference": plan.smallest_difference(size, power),
    }
    return {**told, "power": plan.power(size, difference)} if difference else told


def _points(difference: float | None) -> str:
    return "nothing" if difference is None else f"{difference:.3g}"


def _answer(plan: Plan, difference: float | None, asked: int | None, power: float) -> str:
    if asked is None:
        return ""
    of = counted(asked, "document")
    design = plan.design
    how = f"{of} of {design.segments:.3g} segments"
    if difference:
        reached = plan.power(asked, difference)
        said = f"{how} show a difference of {difference:g} in {reached:.0%} of cases"
        if reached >= power:
            return said
        needed = plan.documents(difference, power)
        return f"{said} only; for {power:.0%} it takes {needed:,} documents"
    smallest = plan.smallest_difference(asked, power)
    if smallest is None:
        return f"{how} show nothing, however far systems are apart: judge more documents"
    return f"{how} show differences of {_points(smallest)} or more in {power:.0%} of cases"


def _notes(plan: Plan) -> list[str]:
    design, components = plan.design, plan.components
    pairs = counted(design.pairs, "pair")
    many = f", corrected for {pairs} of systems" if design.pairs > 1 else ""
    notes = [
        f"two-sided test of documents at {design.alpha:.0%}{many}; {design.systems} systems, "
        f"{counted(design.ratings, 'annotator')} for each translation",
    ]
    if design.ratings > 1 and not components.more_ratings_help:
        notes.append(
            "the earlier judgements have one score for each translation: what more annotators "
            "bring is not known, and counted as nothing"
        )
    if design.annotators is not None and not components.annotators:
        notes.append("the earlier judgements name no annotators: what these differ by is not known")
    if design.seconds is None:
        notes.append("hours need the time that a judgement takes: --seconds")
    return notes


def looks_grids(plan: Plan, documents: int | None, difference: float | None) -> list[Grid]:
    """When one may stop, where there are several looks."""
    looks, design = plan.design.looks, plan.design
    if looks is None or documents is None:
        return []
    levels = looks.of_level(design.level)
    at = [max(2, round(share * documents)) for share in looks.shares]
    headings = ["look", "documents", "stop at p ≤"]
    rows = [
        [str(n), f"{size:,}", f"{level:.2g}"]
        for n, (size, level) in enumerate(zip(at, levels, strict=True), 1)
    ]
    if difference:
        headings.append("stopped by then")
        distance = difference / plan.standard_error(documents)
        stopped = 0.0
        for row, chance in zip(rows, looks.crossing(distance, design.level), strict=True):
            stopped += chance
            row.append(f"{stopped:.0%}")
    title = f"Looks ({looks.spending})"
    return [Grid(title, headings, rows, (), frozenset(range(len(headings))))]


def components_grid(plan: Plan) -> Grid:
    """The components that everything rests on."""
    found = plan.components
    people = f", {counted(found.annotators, 'annotator')}" if found.annotators else ""
    title = (
        f"Earlier judgements: {found.kind}, {found.source}: {found.systems} systems, "
        f"{found.documents:,} documents, {found.segments:,} segments{people}"
    )
    rows = [[name, f"{variance**0.5:.3g}"] for name, variance in found.variances.items()]
    return Grid(title, ["effect", "deviation"], rows, _other_sets(plan), frozenset({1}))


def _other_sets(plan: Plan) -> list[str]:
    """How far other sets of the same kind differ: what one should not rely on."""
    known = [each for each in known_components() if each.kind == plan.components.kind]
    if plan.components not in known or len(known) < 2:
        return []
    size = plan.design.segments
    spread = sorted(each.of_difference(size) ** 0.5 for each in known)
    return [
        f"from document to document the difference of two systems varies by "
        f"{plan.components.of_difference(size) ** 0.5:.2g}; in {len(known)} sets of this kind by "
        f"{spread[0]:.2g} to {spread[-1]:.2g}: a pilot of your own (--human) says more"
    ]


def plan_summary(plan: Plan, difference: float | None, asked: int | None, power: float) -> Record:
    """The plan for programs, but for the rows of its table."""
    design, looks = plan.design, plan.design.looks
    return {
        "answer": _answer(plan, difference, asked, power),
        "documents": asked,
        "difference": difference,
        "power": plan.power(asked, difference) if asked and difference else None,
        "smallest_difference": plan.smallest_difference(asked, power) if asked else None,
        "segments": design.segments,
        "ratings": design.ratings,
        "systems": design.systems,
        "level": design.level,
        "looks": None
        if looks is None
        else {"shares": looks.shares, "p": looks.of_level(design.level)},
        "earlier": {
            "kind": plan.components.kind,
            "source": plan.components.source,
            "variances": dict(plan.components.variances),
        },
    }


def listing() -> Result:
    """The earlier judgements that come with isogloss."""
    records = [
        {
            "kind": each.kind,
            "set": each.source,
            "systems": each.systems,
            "documents": each.documents,
            "segments": each.segments,
            "deviation": each.of_difference(each.segments_a_document) ** 0.5,
        }
        for each in known_components()
    ]
    rows = [[*map(str, list(r.values())[:-1]), f"{r['deviation']:.3g}"] for r in records]
    note = "deviation: of the difference of two systems, from document to document"
    headings = ["kind", "set", "systems", "documents", "segments", "deviation"]
    grid = Grid("Earlier judgements", headings, rows, [note], frozenset(range(2, 6)), lead=2)
    return Result([grid], records)
