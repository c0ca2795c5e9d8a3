"""Tutorials: items whose answers are known, with a word of explanation, before the real work.

A file has a task for each phase (``[[task]]``), with texts of a test set or of its own and what is
expected of each item; ``tutorial.toml`` beside this module is the one that comes with isogloss.
What is expected is worked out here once, when the campaign is opened, and kept with it.
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from isogloss.annotate.answers import VALUES
from isogloss.annotate.campaign import PHASES, Campaign, Phase
from isogloss.annotate.expectation import checked_expectation, found_words
from isogloss.annotate.items import ItemName
from isogloss.documents import Collection
from isogloss.errors import FormatError, InputError, IsoglossError
from isogloss.formats import read_collection, read_text
from isogloss.notation import toml_table
from isogloss.sample import load_sample

SAMPLE = "sample"
"""What a campaign calls the tutorial that comes with isogloss."""
_OF_SAMPLE = "sample:"
_TEXTS = ("testset", "document", "lines", "source", "reference", "outputs")
_KEYS = (
    "phase", *_TEXTS, "source_language", "target_language", "item", "pairs", "markable", "chain"
)  # fmt: skip

Table = dict[str, Any]


def tutorial_tasks(campaign: Campaign, folder: Path) -> dict[str, Table]:
    """By phase, what annotators of a campaign try their hand at; nothing where it has none."""
    if campaign.tutorial is None:
        return {}
    bundled = Path(str(files("isogloss.annotate"))) / "tutorial.toml"
    path = bundled if campaign.tutorial == SAMPLE else folder / campaign.tutorial
    found = read_tutorial(path)
    asked: dict[str, Table] = {phase: found[phase] for phase in campaign.phases if phase in found}
    if not asked:
        raise FormatError(f"no tutorial for {', '.join(campaign.phases)}", path=path)
    return asked


def read_tutorial(path: Path) -> dict[str, Table]:
    """The tasks of a file, by phase."""
    found: dict[str, Table] = {}
    try:
        tables = toml_table(read_text(path), path).get("task")
        if not isinstance(tables, list) or not all(isinstance(each, dict) for each in tables):
            raise InputError("a tutorial has tasks: [[task]]")
        for table in tables:
            phase = _phase(table)
            if phase in found:
                raise InputError(f"there are two tasks for {phase}; one is enough")
            try:
                found[phase] = _task(phase, table, path.parent)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise InputError(f"the task for {phase} cannot be read: {error!r}") from None
    except FormatError:
        raise
    except IsoglossError as error:
        raise FormatError(str(error), path=path) from None
    return found


def _phase(table: Table) -> Phase:
    for key in table:
        if key not in _KEYS:
            raise InputError(f"{key!r} means nothing in a task; there are: {', '.join(_KEYS)}")
    phase = table.get("phase")
    if phase not in PHASES:
        raise InputError(f"a task says its phase, one of: {', '.join(PHASES)}")
    return cast(Phase, phase)


def _task(phase: Phase, table: Table, folder: Path) -> Table:
    """A task as the page of one has it, with what is expected beside it."""
    task = _texts(table, folder)
    task["chains"] = [
        _chain(task, number, chain) for number, chain in enumerate(table.get("chain", ()))
    ]
    task["pairs"] = [list(pair) for pair in table.get("pairs", ())]
    task["markable"] = _markable(task, table["markable"]) if "markable" in table else None
    items = table.get("item")
    if not items:
        raise InputError(f"the task for {phase} asks nothing: item = [...]")
    task["items"] = [str(ItemName.parse(each["item"])) for each in items]
    for name in task["items"]:
        _check_item(task, ItemName.parse(name))
    task["expected"] = {
        each["item"]: checked_expectation(phase, task, each, VALUES[phase]) for each in items
    }
    return task


def _texts(table: Table, folder: Path) -> Table:
    if "testset" not in table:
        outputs = {slot: list(lines) for slot, lines in table.get("outputs", {}).items()}
        source = list(table["source"])
        return _shown(table, source, outputs, table.get("reference"))
    collection = _collection(str(table["testset"]), folder)
    testset = collection.testset.with_documents([table["document"]])
    (document,) = testset.documents
    numbers = [line - 1 for line in table.get("lines", range(1, len(document.source) + 1))]
    if not all(0 <= number < len(document.source) for number in numbers):
        raise InputError(f"{document.id!r} has {len(document.source)} lines, counted from 1")
    systems = {output.name: output.documents[document.id] for output in collection.outputs}
    outputs = {}
    for slot, name in table.get("outputs", {}).items():
        if name not in systems:
            raise InputError(f"there is no system {name!r}; there are: {', '.join(systems)}")
        outputs[slot] = [systems[name][number] for number in numbers]
    references = [[texts[number] for number in numbers] for texts in document.references.values()]
    languages = {
        "source_language": testset.source_language,
        "target_language": testset.target_language,
    }
    source = [document.source[number] for number in numbers]
    return _shown({**languages, **table}, source, outputs, references[0] if references else None)


def _collection(name: str, folder: Path) -> Collection:
    if name.startswith(_OF_SAMPLE):
        return load_sample(name.removeprefix(_OF_SAMPLE))
    return read_collection(folder / name)


def _shown(
    table: Table,
    source: list[str],
    outputs: dict[str, list[str | None]],
    reference: Sequence[str | None] | None,
) -> Table:
    for slot, lines in outputs.items():
        if len(lines) != len(source):
            raise InputError(f"translation {slot} has {len(lines)} lines, the source {len(source)}")
    return {
        "document": str(table.get("document", "tutorial")),
        "source": source,
        "outputs": outputs,
        "reference": reference,
        "source_language": table.get("source_language"),
        "target_language": table.get("target_language"),
    }


def _check_item(task: Table, name: ItemName) -> None:
    count = {
        "chain": len(task["chains"]),
        "pair": len(task["pairs"]),
        "occ": len((task["markable"] or {}).get("occurrences", ())),
        "doc": 1,
    }.get(name.kind, len(task["source"]))
    if name.number >= count or (name.slot is not None and name.slot not in task["outputs"]):
        raise InputError(f"the task has no {name}")


def _markable(task: Table, table: Table) -> Table:
    places = [_source_place(task, place) for place in table["places"]]
    return {"head": table["head"], "occurrences": places}


def _chain(task: Table, number: int, table: Table) -> Table:
    places = []
    for each in table["places"]:
        place = _source_place(task, each)
        reference = (task["reference"] or [None] * len(task["source"]))[place["segment"]]
        target = found_words(reference or "", each["target"]) if "target" in each else None
        places.append({**place, "target": reference, "targets": [target] if target else []})
    name = str(ItemName("chain", number))
    head = {"word": table["word"], "translation": table.get("translation", "")}
    return {"item": name, "id": name, **head, "places": places}


def _source_place(task: Table, place: Mapping[str, Any]) -> Table:
    segment = place["line"] - 1
    start, end = found_words(task["source"][segment], place["words"])
    return {"segment": segment, "start": start, "end": end}
