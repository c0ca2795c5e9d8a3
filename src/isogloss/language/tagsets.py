"""From a treebank's own part-of-speech tags to the universal ones (Petrov et al. 2012)."""

from collections.abc import Mapping


def universal(table: Mapping[str, str], tag: str) -> str:
    """What the table has for the longest beginning of the tag; ``X`` where it has nothing."""
    return next((table[tag[:n]] for n in range(len(tag), 0, -1) if tag[:n] in table), "X")
