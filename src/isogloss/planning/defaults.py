"""Components of earlier judgements that come with isogloss, for those who have none of their own.

`python benchmarks/planning.py defaults path/to/data` made `components.tsv`: one row for each set of
judgements of the WMT metrics task, with no text and no score of it.
"""

from functools import cache
from importlib.resources import files

from isogloss.errors import InputError
from isogloss.planning.components import Components

_COLUMNS = (
    "kind", "source", "systems", "documents", "segments", "annotators", "ratings", "unevenness"
)  # fmt: skip
_TYPICAL_SEGMENTS = 10


@cache
def known_components() -> tuple[Components, ...]:
    """Every set there is."""
    text = files("isogloss.planning").joinpath("components.tsv").read_text("utf-8")
    header, *rows = [line.split("\t") for line in text.splitlines()]
    return tuple(_components(dict(zip(header, row, strict=True))) for row in rows)


def _components(row: dict[str, str]) -> Components:
    effects = {name: float(cell) for name, cell in row.items() if name not in _COLUMNS and cell}
    return Components(
        row["kind"],
        effects,
        systems=int(row["systems"]),
        documents=int(row["documents"]),
        segments=int(row["segments"]),
        annotators=int(row["annotators"]),
        ratings=float(row["ratings"]),
        unevenness=float(row["unevenness"]),
        source=row["source"],
    )


def table_of_components(found: list[Components]) -> str:
    """The file that `known_components` reads."""
    effects = list(dict.fromkeys(name for each in found for name in each.variances))
    lines = [[*_COLUMNS, *effects]]
    for each in found:
        told = [getattr(each, name) for name in _COLUMNS]
        cells = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in told]
        variances = (each.variances.get(name) for name in effects)
        lines.append([*cells, *("" if v is None else f"{v:.4g}" for v in variances)])
    return "".join("\t".join(line) + "\n" for line in lines)


def components_like(kind: str, source: str | None = None) -> Components:
    """Those of a kind of judgements: of the set named, or of the middle one of the kind.

    The middle one is that in which the median of differences between two systems varies.
    """
    of_kind = [each for each in known_components() if each.kind == kind]
    if not of_kind:
        kinds = ", ".join(dict.fromkeys(each.kind for each in known_components()))
        raise InputError(f"no figures of {kind!r} come with isogloss; there are: {kinds}")
    if source is None:
        ordered = sorted(of_kind, key=lambda each: each.of_difference(_TYPICAL_SEGMENTS))
        return ordered[(len(ordered) - 1) // 2]
    for each in of_kind:
        if each.source == source:
            return each
    there = ", ".join(each.source for each in of_kind)
    raise InputError(f"no figures of {kind} on {source!r} come with isogloss; there are: {there}")
