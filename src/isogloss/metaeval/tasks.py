"""Tasks of meta-evaluation as data: which statistics, at which level, with which weights.

A task is a TOML file; those of WMT lie beside this module, and anyone can write another::

    description = "segments and documents, documents twice"

    [[statistics]]
    level = "segment"         # segment, document, domain or system
    name = "acc-eq"           # see NAMES
    grouping = "item"         # none, item or system; default none

    [[statistics]]
    level = "document"
    name = "pearson"
    weight = 2                # in the average over the task's statistics; default 1

    [[statistics]]
    level = "system"
    name = "pairwise-accuracy"
    per_testset = true        # pooled over test sets, it weighs so often as there are some

    [[statistics]]
    level = "system"
    name = "pearson"
    without_outliers = true   # leave out systems that people scored far off; default false
    best = 4                  # only so many systems, those that people scored best; default all

    [[statistics]]
    level = "segment"
    name = "tau-b"
    grouping = "item"
    average = "micro"         # by how many scores an item has; default macro, each the same
    undefined = "zero"        # what an item of equal scores counts; default skip

In the average, correlations r count as (r + 1) / 2, so that they lie in [0, 1] as accuracies do.
Soft pairwise accuracy ranks systems, but from their segments: its level is segment or document.
PDP pools differences within items, and has no grouping.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, get_args

from isogloss.errors import FormatError, InputError
from isogloss.judgements import Judgements
from isogloss.metaeval.matrix import MACRO, Averaging, Grouping
from isogloss.metaeval.study import LEVELS, Level
from isogloss.notation import in_words, toml_table

_BY_ITEM = ("pearson", "spearman", "tau-b", "tau-c", "tau-23")
CORRELATIONS = (*_BY_ITEM, "pdp", "darr")
ACCURACIES = ("acc-eq", "pairwise-accuracy", "soft-pairwise-accuracy")
NAMES = CORRELATIONS + ACCURACIES
DEFAULT_TASK = "overview"
_OF_DOCUMENTS = "documents"

LEAST_SYSTEMS = 4
"""Fewer systems are not correlated: of three, r is all but chance."""

_MOST_WEIGHT = 1_000_000


@dataclass(frozen=True, slots=True)
class Statistic:
    """One column of a meta-evaluation."""

    level: Level
    name: str
    grouping: Grouping = "none"
    weight: float = 1.0
    per_testset: bool = False
    without_outliers: bool = False
    average: Literal["macro", "micro"] = "macro"
    undefined: Literal["skip", "zero"] = "skip"
    best: int | None = None

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise InputError(f"there is no level {self.level!r}; there are: {', '.join(LEVELS)}")
        if self.name not in NAMES:
            raise InputError(f"there is no statistic {self.name!r}; there are: {', '.join(NAMES)}")
        if self.grouping not in get_args(Grouping):
            known = ", ".join(get_args(Grouping))
            raise InputError(f"there is no grouping {self.grouping!r}; there are: {known}")
        if self.name == "pairwise-accuracy" and self.level != "system":
            raise InputError("pairwise-accuracy compares systems; its level is system")
        if self.per_testset and self.name != "pairwise-accuracy":
            raise InputError("per_testset is for what is pooled over test sets: pairwise-accuracy")
        if self.name == "soft-pairwise-accuracy" and self.level == "system":
            raise InputError("soft-pairwise-accuracy needs items; its level is segment or document")
        if self.name == "pdp" and (self.level == "system" or self.grouping != "none"):
            raise InputError("pdp compares outputs of an item; no level of systems, no grouping")
        if self.averaging != MACRO and (self.grouping != "item" or self.name not in _BY_ITEM):
            raise InputError("average and undefined are for correlations grouped by item")
        if not 0 < self.weight <= _MOST_WEIGHT:
            raise InputError(
                f"the weight of a statistic must be above 0 and at most {_MOST_WEIGHT:,}"
            )
        self._check_systems()

    def of_testsets(self, count: int) -> "Statistic":
        """The same with its weight in an average over so many test sets."""
        return replace(self, weight=count * self.weight) if self.per_testset else self

    def _check_systems(self) -> None:
        """Whether some of the systems can be chosen so."""
        if self.without_outliers and self.level != "system":
            raise InputError("outliers are systems: only a statistic of systems can leave them out")
        if self.best is not None and self.level != "system":
            raise InputError("only a statistic of systems can keep to the best ones")
        if self.best is not None and self.best < LEAST_SYSTEMS:
            raise InputError(f"at least {LEAST_SYSTEMS} systems are compared, not {self.best}")

    @property
    def averaging(self) -> Averaging:
        return Averaging(self.average, self.undefined)

    def __str__(self) -> str:
        by = f" by {self.grouping}" if self.grouping != "none" else ""
        by += ", micro" if self.average == "micro" else ""
        by += ", undefined 0" if self.undefined == "zero" else ""
        outliers = " without outliers" if self.without_outliers else ""
        best = f" of the best {self.best}" if self.best is not None else ""
        return f"{self.level} {self.name}{by}{outliers}{best}"

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value there can be."""
        return (-1.0 if self.name in CORRELATIONS else 0.0), 1.0

    def in_average(self, value: float) -> float:
        """The value as it counts in a task's average: in [0, 1]."""
        return (value + 1) / 2 if self.name in CORRELATIONS else value


@dataclass(frozen=True, slots=True)
class Task:
    """A named list of statistics."""

    name: str
    description: str
    statistics: tuple[Statistic, ...]

    def __post_init__(self) -> None:
        if not self.statistics:
            raise InputError(f"task {self.name!r} has no statistics")
        if len({str(statistic) for statistic in self.statistics}) < len(self.statistics):
            raise InputError(f"task {self.name!r} lists a statistic twice")

    def without_outliers(self) -> "Task":
        """The same task with outlying systems left out wherever systems are compared."""
        changed = (replace(s, without_outliers=s.level == "system") for s in self.statistics)
        return replace(self, statistics=tuple(dict.fromkeys(changed)))

    def of_testsets(self, count: int) -> "Task":
        """The same task with the weights that statistics have on so many test sets."""
        return replace(self, statistics=tuple(s.of_testsets(count) for s in self.statistics))

    def of_levels(self, *levels: Level) -> tuple[Statistic, ...]:
        """The statistics of some levels."""
        return tuple(each for each in self.statistics if each.level in levels)


_FOLDER = files("isogloss.metaeval") / "task_files"


def known_tasks() -> tuple[str, ...]:
    """The tasks that come with isogloss."""
    names = (item.name for item in _FOLDER.iterdir() if item.name.endswith(".toml"))
    return tuple(sorted(name.removesuffix(".toml") for name in names))


def _folder() -> Traversable:
    return files(__package__).joinpath("tasks")


def load_task(name: str) -> Task:
    """A task that comes with isogloss, or one in a TOML file."""
    if name in known_tasks():
        text = _FOLDER.joinpath(f"{name}.toml").read_text(encoding="utf-8")
        return _parsed(text, name, name)
    path = Path(name)
    if not path.is_file():
        raise InputError(
            f"there is no task {name!r}; there are: {', '.join(known_tasks())}, "
            "or the path of a TOML file"
        )
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise FormatError("is not UTF-8 text", path=path) from None
    return _parsed(text, path.stem, name)


def task_for(judgements: Iterable[Judgements], name: str = DEFAULT_TASK) -> Task:
    """The task of that name; the usual one leaves segments out where people scored documents."""
    of_documents = all(each.of_documents for each in judgements)
    return load_task(_OF_DOCUMENTS if name == DEFAULT_TASK and of_documents else name)


def _statistic(entry: dict[str, Any]) -> Statistic:
    known = [field.name for field in fields(Statistic)]
    for key in entry:
        if key not in known:
            raise InputError(f"there is no key {key!r}; the keys are: {', '.join(known)}")
    for key in ("level", "name"):
        if key not in entry:
            raise InputError(f"a statistic has no {key!r}")
    return Statistic(**entry)


def _parsed(text: str, name: str, path: str) -> Task:
    content = toml_table(text, path)
    try:
        listed = content.pop("statistics", [])
        statistics = tuple(map(_statistic, listed))
        return Task(content.pop("name", name), content.pop("description", ""), statistics)
    except (TypeError, InputError) as error:
        what, remedy = in_words(error), "see the page on meta-evaluation"
        raise FormatError(what, path=path, remedy=remedy) from None
