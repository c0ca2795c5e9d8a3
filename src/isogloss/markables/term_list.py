"""A user's own list of terms: one term a line, its forms separated by tabs, ``#`` for comments."""

import re
from pathlib import Path

from isogloss.errors import FormatError
from isogloss.formats.files import read_lines
from isogloss.markables.markable import Term


def read_terms(path: Path) -> tuple[Term, ...]:
    """The terms of a file; forms are plain text, matched as whole words in any letter case."""
    terms = []
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip() or line.startswith("#"):
            continue
        forms = [form.strip() for form in line.split("\t")]
        if not all(forms):
            raise FormatError("an empty form", path=path, line=number, remedy="remove the tab")
        terms.append(Term(tuple(re.escape(form) for form in forms), title=forms[0]))
    if not terms:
        raise FormatError("there are no terms", path=path, remedy="one term a line")
    return tuple(terms)
