"""Term lists: the translations that somebody has laid down for source terms.

A TSV with the term in the first column and a translation in the second; a term with several
translations has several lines. Lines that begin with ``#`` are remarks.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from isogloss.consistency.renderings import Reader
from isogloss.consistency.tokens import Tokens
from isogloss.errors import FormatError
from isogloss.formats.files import read_lines
from isogloss.language.interface import Tokeniser

Terms = Mapping[str, tuple[str, ...]]
"""The translations of each term."""


def read_terms(path: Path) -> dict[str, tuple[str, ...]]:
    """The terms of a file with their translations."""
    terms: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith("#") or not line.strip():
            continue
        term, tab, rest = line.partition("\t")
        translation = rest.partition("\t")[0].strip()
        if not (term.strip() and tab and translation):
            raise FormatError(
                f"no term and translation in {line!r}",
                path=path,
                line=number,
                remedy="expected term<TAB>translation",
            )
        terms[term.strip()] = (*terms.get(term.strip(), ()), translation)
    if not terms:
        raise FormatError("there are no terms in it", path=path)
    return terms


def terms_digest(terms: Terms) -> str:
    """A short digest of a term list."""
    told = repr(sorted((term, sorted(known)) for term, known in terms.items()))
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def accepted_keys(terms: Terms, tokeniser: Tokeniser, reader: Reader) -> dict[str, frozenset[str]]:
    """What renderings of each term are known by, if they follow the list."""
    return {
        term: frozenset(reader.key_of(Tokens.of(tokeniser.tokenise(text))) for text in translations)
        for term, translations in terms.items()
    }
