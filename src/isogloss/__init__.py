"""isogloss: evaluation of machine translation of whole documents.

    >>> import isogloss
    >>> collection = isogloss.load_sample("cs-en")
    >>> table = isogloss.evaluate(collection, ["bleu", "chrf"])
    >>> comparison, _ = isogloss.compare(table)

Importing the package loads none of its parts: each name below is fetched when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isogloss.comparison import Comparison, Settings, compare
    from isogloss.documents import Collection, Document, SystemOutput, TestSet, Translation
    from isogloss.errors import IsoglossError
    from isogloss.evaluation import evaluate
    from isogloss.formats.assemble import assemble
    from isogloss.formats.catalogue import (
        ReadOptions,
        read_collection,
        read_judgements,
        read_scores,
        write_collection,
        write_scores,
    )
    from isogloss.judgements import Judgement, Judgements
    from isogloss.metrics.protocol import Metric
    from isogloss.metrics.registry import load as load_metric
    from isogloss.sample import load_sample
    from isogloss.scores import ScoreTable
    from isogloss.spans import Evidence, Span

__all__ = [
    "Collection",
    "Comparison",
    "Document",
    "Evidence",
    "IsoglossError",
    "Judgement",
    "Judgements",
    "Metric",
    "ReadOptions",
    "ScoreTable",
    "Settings",
    "Span",
    "SystemOutput",
    "TestSet",
    "Translation",
    "assemble",
    "compare",
    "evaluate",
    "load_metric",
    "load_sample",
    "read_collection",
    "read_judgements",
    "read_scores",
    "write_collection",
    "write_scores",
]

_HOME = {
    "documents": ("Collection", "Document", "SystemOutput", "TestSet", "Translation"),
    "errors": ("IsoglossError",),
    "spans": ("Evidence", "Span"),
    "judgements": ("Judgement", "Judgements"),
    "scores": ("ScoreTable",),
    "formats.assemble": ("assemble",),
    "formats.catalogue": (
        "ReadOptions",
        "read_collection",
        "read_judgements",
        "read_scores",
        "write_collection",
        "write_scores",
    ),
    "metrics.protocol": ("Metric",),
    "sample": ("load_sample",),
    "evaluation": ("evaluate",),
    "comparison": ("Comparison", "Settings", "compare"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> object:
    if name == "load_metric":
        value: object = import_module("isogloss.metrics.registry").load
    elif name in _MODULE_OF:
        value = getattr(import_module(f"isogloss.{_MODULE_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
    # Kept under its name, in the place of a submodule that may be called the same.
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
