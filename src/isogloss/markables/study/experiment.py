"""The study's experiment.yaml: systems, documents, accounts, and the forms of the markables."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_text, write_text
from isogloss.markables.markable import Term
from isogloss.notation import in_words

_LISTS = ("mts", "docs", "users")


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an annotation experiment consists of; names are those of files."""

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    users: tuple[str, ...]
    terms: tuple[Term, ...]


def read_experiment(path: Path) -> Experiment:
    """The experiment that the file describes."""
    try:
        content = yaml.safe_load(read_text(path))
    except RecursionError as error:
        raise FormatError(in_words(error), path=path) from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        raise FormatError(
            f"not YAML: {getattr(error, 'problem', None) or error}",
            path=path,
            line=mark.line + 1 if mark else None,
        ) from error
    if not isinstance(content, Mapping):
        raise FormatError("no experiment: expected mts, docs, users and markables", path=path)
    names = [_strings(content, key, path) for key in _LISTS]
    try:
        terms = tuple(Term(tuple(map(str, forms))) for forms in content["markables"])
    except (KeyError, TypeError, InputError) as error:
        raise FormatError(
            f"markables should be lists of forms ({in_words(error)})", path=path
        ) from error
    return Experiment(names[0], names[1], names[2], terms)


def _strings(content: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...]:
    values = content.get(key)
    if not isinstance(values, list):
        raise FormatError(f"{key!r} should be a list of names", path=path)
    return tuple(map(str, values))


def write_experiment(experiment: Experiment, path: Path) -> None:
    """Write the experiment; comments of a file that was read are not kept."""
    content = {
        "mts": list(experiment.systems),
        "docs": list(experiment.documents),
        "users": list(experiment.users),
        "markables": [list(term.forms) for term in experiment.terms],
    }
    write_text(path, yaml.safe_dump(content, allow_unicode=True, sort_keys=False))
