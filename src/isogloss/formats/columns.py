"""The named columns of a table, and which of them plays which role in a test set.

A role is our own name for a column: ``source``, ``doc``, ``reference:NAME``, ``system:NAME`` ...
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.errors import FormatError, InputError
from isogloss.formats.files import plain_stem
from isogloss.formats.protocol import Direction

UNNAMED_REFERENCE = "ref"
"""The name of a reference to which its file gives none."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "doc": ("document", "doc_id", "docid", "document_id"),
    "segment": ("seg", "seg_id", "segid", "segment_id", "sid"),
    "domain": (),
    "source": ("src",),
    "reference": ("ref",),
    "system": ("sys",),
    "output": ("hyp", "hypothesis", "mt", "translation", "target"),
    "source_language": ("source_lang", "src_lang"),
    "target_language": ("target_lang", "tgt_lang"),
    "lp": ("language_pair", "langpair"),
}
"""Our column names and what else they are called, in any letter case. A reference, system or
output column may add a name, as in ``ref:A``, ``system:good`` or ``mt:good``."""

_ROLES = {alias: role for role, others in ALIASES.items() for alias in (role, *others)}


def role_of(column: str) -> str | None:
    """The role that a column's name gives it, or `None` where it means nothing to us."""
    kind, colon, name = column.partition(":")
    role = _ROLES.get(kind.strip().lower())
    if role == "reference":
        return f"reference:{name if colon else UNNAMED_REFERENCE}"
    if not colon:
        return role
    return f"system:{name}" if role in ("system", "output") else None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: the line it stands on and its cells by column."""

    line: int
    cells: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a file, and its columns with the line on which each first appears."""

    path: Path
    columns: Mapping[str, int]
    rows: Sequence[Row]

    def fault(self, what: str, line: int, remedy: str = "") -> FormatError:
        return FormatError(what, path=self.path, line=line, remedy=remedy)

    def columns_found(self) -> str:
        return "the columns are: " + ", ".join(self.columns)


@dataclass(frozen=True, slots=True)
class Roles:
    """A table whose columns are known by their roles."""

    table: Table
    columns: Mapping[str, str]

    @property
    def long(self) -> bool:
        """Whether a row is about one system only."""
        return "system" in self.columns

    def names(self, kind: str) -> list[str]:
        """The NAMEs of the roles ``kind:NAME``, in their order."""
        prefix = kind + ":"
        return [role.removeprefix(prefix) for role in self.columns if role.startswith(prefix)]

    def has(self, row: Row, role: str) -> bool:
        """Whether the row has a cell for that role, be it empty."""
        return self.columns[role] in row.cells

    def text(self, row: Row, role: str) -> str | None:
        """The text that plays that role in the row, if any."""
        value = row.cells.get(self.columns[role]) if role in self.columns else None
        if value is None or isinstance(value, str):
            return value
        if role in ("doc", "segment") and type(value) is int:  # JSON likes to number them
            return str(value)
        raise self.table.fault(f"{self.columns[role]!r} is not a text: {value!r:.60}", row.line)

    def label(self, row: Row, role: str) -> str:
        """The same, of a role that no row may leave open."""
        text = self.text(row, role)
        if not text:
            raise self.table.fault(f"{self.columns[role]!r} is empty", row.line)
        return text

    def direction(self, row: Row) -> Direction:
        """The translation direction that the row states."""
        source, target = self.text(row, "source_language"), self.text(row, "target_language")
        stated = Direction(source or None, target or None)
        pair = self.text(row, "lp")
        whole = stated.within(pair) if pair else stated
        if whole is None:
            raise self.table.fault(
                f"{pair!r} is no language pair such as 'en-de', or contradicts {stated}", row.line
            )
        return whole


def roles_in(table: Table, wanted: Mapping[str, str]) -> Roles:
    """Give every column its role: what a person wanted goes before what the names say."""
    said = _said(table, wanted)
    columns = dict(said)
    for column, line in table.columns.items():
        role = role_of(column)
        if role is None or role in said or column in said.values():
            continue
        if role in columns:
            raise table.fault(
                f"columns {columns[role]!r} and {column!r} both give {role!r}",
                line,
                f"say which one to take; {table.columns_found()}",
            )
        columns[role] = column
    for role in ("reference:", "system:"):
        if role in columns:
            column = columns[role]
            raise table.fault(f"column {column!r} lacks a name", table.columns[column])
    return Roles(table, _shaped(table, columns))


def _said(table: Table, wanted: Mapping[str, str]) -> dict[str, str]:
    """Role to column as a person wants it, once it is known that the table can do so."""
    said: dict[str, str] = {}
    for name, column in wanted.items():
        role = role_of(name)
        if role is None:
            known = ", ".join(ALIASES)
            raise InputError(f"column {name!r} means nothing here; known columns: {known}")
        if column not in table.columns:
            raise table.fault(f"there is no column {column!r}", 1, table.columns_found())
        if role in said or column in said.values():
            raise InputError(f"column {name}={column}: either side can be used only once")
        said[role] = column
    return said


def _shaped(table: Table, columns: dict[str, str]) -> dict[str, str]:
    """The same columns, once they are known to make up a wide or a long table."""
    what = None
    wide = any(role.startswith("system:") for role in columns)
    named, output = columns.get("system"), columns.get("output")
    if "source" not in columns:
        what = "there is no column 'source'"
    elif named and wide:
        what = f"column {named!r} and columns 'system:NAME' are two ways to name systems"
    elif named and not output:
        what = f"column {named!r} names systems, but no column 'output' holds what they wrote"
    elif output and wide:
        what = f"no column 'system' says whose output {output!r} is"
    elif output and not named:  # one system, which the file leaves nameless
        columns[f"system:{plain_stem(table.path)}"] = columns.pop("output")
    if what is not None:
        raise table.fault(what, 1, table.columns_found())
    return columns
