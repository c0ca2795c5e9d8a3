"""What the shell may offer where a person presses Tab: names that depend on what there is.

Nothing is offered rather than an error shown, whatever is wrong with the files named so far.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import typer

from isogloss.signature import split_names

Offered = list[str] | list[tuple[str, str]]
_FILES = ("scores", "given", "testset")  # parameters that name score files or test sets
_MOST_FILES = 20


def _quietly(offer: Callable[..., Offered]) -> Callable[..., Offered]:
    @wraps(offer)
    def offered(*arguments: Any, **named: Any) -> Offered:
        with suppress(Exception):
            return offer(*arguments, **named)
        return []

    return offered


@_quietly
def metrics(ctx: typer.Context, incomplete: str) -> Offered:
    """The metrics whose names begin so, also behind a comma; those of score files where named."""
    *before, _ = split_names(incomplete)
    lead = incomplete[: len(incomplete) - len(split_names(incomplete)[-1])]
    saved = [name for path in _named_files(ctx) for name in _outline(path)[0]]
    names = dict.fromkeys(saved) or dict.fromkeys(_known_metrics())
    return [lead + name for name in names if name not in before]


def _known_metrics() -> list[str]:
    from isogloss.metrics import metric_names

    return metric_names()


@_quietly
def systems(ctx: typer.Context) -> Offered:
    """The systems of the files named so far; else of the score files in the current folder."""
    paths = _named_files(ctx) or _score_files_here()
    taken = {ctx.params.get("first"), *(ctx.params.get("use_system") or ())}
    names = dict.fromkeys(name for path in paths for name in _outline(path)[1])
    return [name for name in names if name not in taken]


def _named_files(ctx: typer.Context) -> list[Path]:
    """The files that parameters name; words are left over where an option waits for its value."""
    values = [ctx.params.get(parameter) or () for parameter in _FILES]
    named = [path for v in values for path in (v if isinstance(v, (list, tuple)) else (v,))]
    return [path for path in map(Path, (*named, *ctx.args)) if path.exists()]


def _score_files_here() -> list[Path]:
    from isogloss.formats import Holds, recognise

    candidates = sorted(path for path in Path().glob("*.jsonl*") if path.is_file())[:_MOST_FILES]
    return [path for path in candidates if recognise(path).holds is Holds.SCORES]


def _outline(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The metrics and the systems of a score file; a test set has systems only."""
    from isogloss.formats import Holds, read_collection, recognise, score_outline

    if recognise(path).holds is Holds.SCORES:
        return score_outline(path)
    return (), read_collection(path).system_names


@_quietly
def languages() -> Offered:
    """The languages that have tools of their own, by code, with their names."""
    from isogloss.language import languages as supported

    return [(language.code, language.name) for language in supported()]


@_quietly
def formats() -> Offered:
    """The file formats."""
    from isogloss.formats import known_formats

    return [format.name for format in known_formats()]


@_quietly
def written_formats() -> Offered:
    """The formats that test sets can be written in."""
    from isogloss.formats import Holds, known_formats

    return [f.name for f in known_formats() if f.writes and f.holds is Holds.TESTSET]


@_quietly
def models() -> Offered:
    """The installed models."""
    from isogloss.model import installed_models

    return list(installed_models())
