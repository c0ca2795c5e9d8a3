"""A campaign as its organiser writes it down: ``campaign.toml``.

name = "lease contracts"
testset = "testset.toml"           # any test set isogloss can read, relative to this file
systems = ["alpha", "beta"]        # default: all of the test set
documents = ["news-17"]            # only these; default: all
domains = ["news"]                 # only documents of these; default: all
references_as_systems = ["refA"]   # judged blindly among the systems; default: none
show_reference = "refB"            # shown beside the source; default: none
phases = ["phase1", "phase2"]      # or da, spans, contrastive, document, preference, consistency
document_scores = true             # da, spans, contrastive: a score for the document at its end
pairs = 6                          # preference: so many pairs of systems a document; default: all
propose = 20                       # markables that a program proposes; default: when asked to
chains = "chains"                  # for consistency: what 'isogloss chains extract' wrote
annotators = ["ann", "bob"]
redundancy = 2                     # how many annotators judge each document
batch = 5                          # so many documents, then a break; default: no batches
order = "testset"                  # of documents; default: "lot", another one for everybody
seed = 5028841971693993751         # all that is drawn by lot follows from it; keep it secret
severities = ["minor", "major"]    # spans: default: minor, major, critical
categories = ["Sense", "Grammar"]  # spans: default: those of MQM; [] asks for none
scale = ["0: nothing", "100: all"] # what numbers of a score mean; [] tells nothing
prefilled = "errors.jsonl"         # spans: errors to correct, from judgements or scores
prefilled_share = 0.8              # of the segments; the others show what people find alone
guidelines = "guidelines.md"
tutorial = "sample"                # or a file: items with known answers, before the real work
pass_mark = 0.7                    # the share of a tutorial's items that must be right
tries = 3                          # how often one may try; default: as often as one likes
database = "campaign.db"           # or the URL of a PostgreSQL database

[checks]
repeats = 0.05                     # share of items that come twice
degraded = 0.05                    # share of items that come once more, spoilt
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from isogloss.destination import write_file
from isogloss.errors import FormatError, InputError, shown_path
from isogloss.formats import read_text
from isogloss.notation import toml_table, toml_text

Phase = Literal[
    "phase1", "phase2", "da", "spans", "contrastive", "consistency", "document", "preference"
]  # fmt: skip
PHASES: tuple[Phase, ...] = get_args(Phase)
MARKING: tuple[Phase, ...] = ("spans", "contrastive")
"""Phases in which errors are marked on the words."""
ORDERS = ("lot", "testset")
"""Of the documents: drawn for everybody, or as they stand in the test set."""
SEVERITIES = ("minor", "major", "critical")
CATEGORIES = (
    "Accuracy/Mistranslation",
    "Accuracy/Omission",
    "Accuracy/Addition",
    "Accuracy/Untranslated",
    "Fluency/Grammar",
    "Fluency/Spelling",
    "Fluency/Punctuation",
    "Fluency/Register",
    "Fluency/Inconsistency",
    "Terminology/Inappropriate for context",
    "Terminology/Inconsistent",
    "Style/Awkward",
    "Locale convention",
    "Other",
)
"""The kinds of errors of MQM that annotators choose from, unless a campaign has its own."""
SCALE = ("0: nothing", "33: some", "66: most", "100: all")
"""How much of the meaning is there, at four points of a score, as the usual guidelines say it."""
_LISTS = (
    "annotators",
    "phases",
    "systems",
    "documents",
    "domains",
    "severities",
    "categories",
    "scale",
    "references_as_systems",
)
CAMPAIGN_FILE = "campaign.toml"
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
    """What is judged, by whom, and how.

    From `seed` follows all that is drawn by lot: which letters stand for which systems, who judges
    which documents and in which order, which items come again as checks and how they are spoilt.
    The same campaign with the same seed asks the same questions. Whoever knows it can work out what
    the letters stand for, so it is the organiser's secret; without one, `opened` draws one.
    """

    name: str
    testset: str
    annotators: tuple[str, ...] = ()
    phases: tuple[Phase, ...] = ("phase1", "phase2")
    systems: tuple[str, ...] = ()
    references_as_systems: tuple[str, ...] = ()
    show_reference: str | None = None
    redundancy: int = 1
    batch: int = 0
    order: str = "lot"
    seed: int | None = None
    guidelines: str | None = None
    tutorial: str | None = None
    pass_mark: float = 0.7
    tries: int = 0
    database: str = "campaign.db"
    chains: str | None = None
    propose: int = 0
    document_scores: bool = False
    pairs: int = 0
    documents: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    severities: tuple[str, ...] = SEVERITIES
    categories: tuple[str, ...] = CATEGORIES
    scale: tuple[str, ...] = SCALE
    prefilled: str | None = None
    prefilled_share: float = 1.0
    checks: Checks = field(default_factory=Checks)

    def __post_init__(self) -> None:
        for name in _LISTS:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.name:
            raise InputError("a campaign needs a name")
        _check_annotators(self.annotators)
        _check_names("phases", self.phases)
        for phase in self.phases:
            if phase not in PHASES:
                raise InputError(f"there is no phase {phase!r}; there are: {', '.join(PHASES)}")
        _check_amounts(self)
        _check_names("severities", self.severities)
        for severity in self.severities:
            if severity not in SEVERITIES:
                known = ", ".join(SEVERITIES)
                raise InputError(f"there is no severity {severity!r}; there are: {known}")
        scale_points(self.scale)
        if "consistency" in self.phases and not self.chains:
            raise InputError(
                "the phase consistency asks about chains; say where 'isogloss chains extract' "
                'wrote them: chains = "FOLDER"'
            )
        if not 1 <= self.redundancy <= (len(self.annotators) or self.redundancy):
            raise InputError(
                f"redundancy {self.redundancy}: every document goes to so many of the "
                f"{len(self.annotators)} annotators"
            )


_POINT = re.compile(r"(\d{1,3}): (\S.{0,39})")


def scale_points(scale: Sequence[str]) -> tuple[tuple[int, str], ...]:
    """Numbers from 0 to 100, rising, and what each means."""
    points = []
    for text in scale:
        found = _POINT.fullmatch(text)
        if found is None or int(found[1]) > 100 or not text.isprintable():
            raise InputError(
                f"scale {text!r}: write a number from 0 to 100 and what it means, in at most 40 "
                'letters: "66: most"'
            )
        points.append((int(found[1]), found[2]))
    if any(later <= earlier for (earlier, _), (later, _) in pairwise(points)):
        raise InputError(f"scale: the numbers must rise: {', '.join(scale)}")
    return tuple(points)


_SCORED: frozenset[Phase] = frozenset({"da", *MARKING, "document"})


def _check_amounts(campaign: Campaign) -> None:
    if not isinstance(campaign.propose, int) or campaign.propose < 0:
        raise InputError("propose is how many markables to propose for a document")
    if not isinstance(campaign.pairs, int) or campaign.pairs < 0:
        raise InputError("pairs is how many pairs of systems are compared in a document")
    if campaign.document_scores and len(_SCORED & set(campaign.phases)) > 1:
        raise InputError(
            "a whole document gets one score from each annotator: with document_scores, ask about "
            "one of da, spans, contrastive and document"
        )
    if not isinstance(campaign.batch, int) or campaign.batch < 0:
        raise InputError("batch is how many documents come before a break; 0: no batches")
    if campaign.order not in ORDERS:
        raise InputError(f"there is no order {campaign.order!r}; there are: {', '.join(ORDERS)}")
    if not 0 < campaign.pass_mark <= 1:
        raise InputError("pass_mark is a share above 0, at most 1")
    if not isinstance(campaign.tries, int) or campaign.tries < 0:
        raise InputError("tries is how often a tutorial may be tried; 0: as often as one likes")
    if not 0 <= campaign.prefilled_share <= 1:
        raise InputError("prefilled_share is a share from 0 to 1")


def _check_names(what: str, names: tuple[str, ...]) -> None:
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InputError(f"a campaign needs a list of {what}, none of them empty")
    if len(set(names)) < len(names):
        raise InputError(f"{what} are listed twice: {', '.join(names)}")


def _check_annotators(names: tuple[str, ...]) -> None:
    """Without any, people enrol themselves or are added later."""
    if names:
        _check_names("annotators", names)
    for name in names:
        check_name(name)


def check_name(name: str) -> None:
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
    path = folder / CAMPAIGN_FILE
    if not os.path.exists(path):
        raise InputError(
            f"{shown_path(folder)}: no {CAMPAIGN_FILE} here; "
            "make a campaign with 'isogloss annotate init'"
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
    **dict.fromkeys(_LISTS, list),
    **dict.fromkeys(("redundancy", "seed", "propose", "pairs", "tries", "batch"), int),
    "document_scores": bool,
    **dict.fromkeys(("repeats", "degraded", "prefilled_share", "pass_mark"), float),
}  # all others are texts
_TOLD = {
    str: "a text in quotes",
    int: "a whole number",
    float: "a number",
    list: "a list of texts",
    bool: "true or false",
}


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
        return kind is bool
    if isinstance(value, int):
        return kind in (int, float) and 0 <= value < 2**63
    return isinstance(value, kind)


def campaign_as_opened(opened: Mapping[str, Any]) -> Campaign:
    """The campaign as it was kept; what an older isogloss did not know of is as usual."""
    known = {f.name: opened[f.name] for f in fields(Campaign) if f.name in opened}
    return Campaign(**{**known, "checks": Checks(**opened.get("checks", {}))})


def changed_settings(campaign: Campaign, opened: Mapping[str, Any]) -> list[str]:
    """What a campaign's file says otherwise than when it was opened, where that can matter.

    A database may move. Campaigns of an older isogloss have no words on what is new.
    """
    now = asdict(campaign)
    plain = {f.name: _told(getattr(Campaign("x", "x", ("x",)), f.name)) for f in fields(Campaign)}
    return [
        name
        for name, value in now.items()
        if name != "database"
        and not (name == "seed" and value is None)
        and _told(value) != _told(opened.get(name, plain[name]))
    ]


def _told(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def write_campaign(campaign: Campaign, folder: Path) -> None:
    """Write the campaign down, for people to read and change before it begins."""
    values = {part.name: getattr(campaign, part.name) for part in fields(campaign)}
    text = toml_text({**values, "checks": asdict(campaign.checks)})
    write_file(folder / CAMPAIGN_FILE, text.encode())
