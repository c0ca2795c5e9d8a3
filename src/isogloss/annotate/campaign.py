"""A campaign as its organiser writes it down: ``campaign.toml``.

name = "lease contracts"
testset = "testset.toml"           # any test set isogloss can read, relative to this file
systems = ["alpha", "beta"]        # default: all of the test set
references_as_systems = ["refA"]   # judged blindly among the systems; default: none
show_reference = "refB"            # shown beside the source; default: none
phases = ["phase1", "phase2"]      # or da, spans, consistency
propose = 20                       # markables that a program proposes; default: when asked to
chains = "chains"                  # for consistency: what 'isogloss chains extract' wrote
annotators = ["ann", "bob"]
redundancy = 2                     # how many annotators judge each document
seed = 12345
guidelines = "guidelines.md"
database = "campaign.db"           # or the URL of a PostgreSQL database

[checks]
repeats = 0.05                     # share of items that come twice
degraded = 0.05                    # share of items that come once more, spoilt
"""

import os
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from isogloss.destination import write_file
from isogloss.errors import FormatError, InputError, shown_path
from isogloss.formats.files import read_text
from isogloss.notation import toml_table

Phase = Literal["phase1", "phase2", "da", "spans", "consistency"]
PHASES: tuple[Phase, ...] = get_args(Phase)
FILE = "campaign.toml"
ORGANISER = "organiser"
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Checks:
    """How many items come again, to see whether annotators are awake and agree with themselves."""

    repeats: float = 0.0
    degraded: float = 0.0

    def __post_init__(self) -> None:
        for name in ("repeats", "degraded"):
            if not 0 <= getattr(self, name) <= 0.5:
                raise InputError(f"checks.{name} is a share from 0 to 0.5")


@dataclass(frozen=True, slots=True)
class Campaign:
    """What is judged, by whom, and how."""

    name: str
    testset: str
    annotators: tuple[str, ...]
    phases: tuple[Phase, ...] = ("phase1", "phase2")
    systems: tuple[str, ...] = ()
    references_as_systems: tuple[str, ...] = ()
    show_reference: str | None = None
    redundancy: int = 1
    seed: int = 12345
    guidelines: str | None = None
    database: str = "campaign.db"
    chains: str | None = None
    propose: int = 0
    checks: Checks = field(default_factory=Checks)

    def __post_init__(self) -> None:
        for name in ("annotators", "phases", "systems", "references_as_systems"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.name:
            raise InputError("a campaign needs a name")
        _check_names("annotators", self.annotators)
        for name in self.annotators:
            _check_annotator(name)
        _check_names("phases", self.phases)
        for phase in self.phases:
            if phase not in PHASES:
                raise InputError(f"there is no phase {phase!r}; there are: {', '.join(PHASES)}")
        if not isinstance(self.propose, int) or self.propose < 0:
            raise InputError("propose is how many markables to propose for a document")
        if "consistency" in self.phases and not self.chains:
            raise InputError(
                "the phase consistency asks about chains; say where 'isogloss chains extract' "
                'wrote them: chains = "FOLDER"'
            )
        if not 1 <= self.redundancy <= len(self.annotators):
            raise InputError(
                f"redundancy {self.redundancy}: every document goes to so many of the "
                f"{len(self.annotators)} annotators"
            )


def _check_names(what: str, names: tuple[str, ...]) -> None:
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InputError(f"a campaign needs a list of {what}, none of them empty")
    if len(set(names)) < len(names):
        raise InputError(f"{what} are listed twice: {', '.join(names)}")


def _check_annotator(name: str) -> None:
    """Names are shown, and are columns of exports: they must be words."""
    if name.casefold() == ORGANISER:
        raise InputError(f"no annotator can be called {name!r}, which is the organiser's name")
    if len(name) > _LONGEST_NAME:
        raise InputError(f"annotator {name[:20]!r}…: a name has at most {_LONGEST_NAME} characters")
    if not name.isprintable() or name != name.strip():
        raise InputError(
            f"annotator {name!r}: a name has no control characters, and no spaces around it"
        )


def read_campaign(folder: Path) -> Campaign:
    """The campaign in a folder."""
    path = folder / FILE
    if not os.path.exists(path):
        raise InputError(
            f"{shown_path(folder)}: no {FILE} here; make a campaign with 'isogloss annotate init'"
        )
    content = toml_table(read_text(path), path)
    checks = content.pop("checks", {})
    try:
        if not isinstance(checks, dict):
            raise InputError("'checks' must be a table: [checks]")
        _check_kinds(Campaign, content)
        _check_kinds(Checks, checks, "checks.")
        return Campaign(**content, checks=Checks(**checks))
    except InputError as error:
        raise FormatError(str(error), path=path) from None


_KINDS: Mapping[str, type] = {
    **dict.fromkeys(("annotators", "phases", "systems", "references_as_systems"), list),
    **dict.fromkeys(("redundancy", "seed", "propose"), int),
    **dict.fromkeys(("repeats", "degraded"), float),
}  # all others are texts
_TOLD = {str: "a text in quotes", int: "a whole number", float: "a number", list: "a list of texts"}


def _check_kinds(kind: type[Campaign | Checks], content: Mapping[str, Any], at: str = "") -> None:
    """Refuse keys that are not known or missing, and values of another kind than theirs."""
    known = {f.name: f for f in fields(kind)}
    for name, value in content.items():
        if name not in known:
            raise InputError(f"{at}{name} means nothing here; the keys are: {', '.join(known)}")
        if not _is_a(value, wanted := _KINDS.get(name, str)):
            raise InputError(f"{at}{name} must be {_TOLD[wanted]}")
    for name, one in known.items():
        if one.default is MISSING and one.default_factory is MISSING and name not in content:
            raise InputError(f"{at}{name} is missing")


def _is_a(value: object, kind: type) -> bool:
    if isinstance(value, list):
        return kind is list and all(isinstance(each, str) for each in value)
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return kind in (int, float) and 0 <= value < 2**63
    return isinstance(value, kind)


def write_campaign(campaign: Campaign, folder: Path) -> None:
    """Write the campaign down, for people to read and change before it begins."""
    values: dict[str, Any] = {
        f.name: getattr(campaign, f.name) for f in fields(campaign) if f.name != "checks"
    }
    lines = [
        f"{name} = {_toml(value)}" for name, value in values.items() if value not in (None, ())
    ]
    checks = campaign.checks
    lines += ["", "[checks]", f"repeats = {checks.repeats}", f"degraded = {checks.degraded}", ""]
    write_file(folder / FILE, "\n".join(lines).encode())


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(_ESCAPES.get(c, c) for c in value) + '"'
    return str(value)


_ESCAPES: Mapping[str, str] = {
    '"': '\\"',
    "\\": "\\\\",
    **{chr(code): f"\\u{code:04x}" for code in (*range(0x20), 0x7F)},
}
