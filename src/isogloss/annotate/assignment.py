"""Who judges what: every document goes to as many annotators as the campaign wants.

Work is balanced by the number of segments, and the same campaign always gives the same shares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.annotate.blinding import shuffled


@dataclass(frozen=True, slots=True)
class Share:
    """One annotator's documents, in the order in which to judge them."""

    annotator: str
    documents: tuple[str, ...]


def shares(
    sizes: Mapping[str, int], annotators: Sequence[str], redundancy: int, secret: str
) -> list[Share]:
    """Documents (with their sizes) for each annotator; the largest are given out first."""
    loads = dict.fromkeys(annotators, 0)
    given: dict[str, list[str]] = {name: [] for name in annotators}
    fair = {name: rank for rank, name in enumerate(shuffled(annotators, secret, "annotators"))}
    mixed = shuffled(list(sizes), secret, "documents")
    for document in sorted(mixed, key=sizes.__getitem__, reverse=True):
        chosen = sorted(annotators, key=lambda name: (loads[name], fair[name]))[:redundancy]
        for name in chosen:
            loads[name] += sizes[document]
            given[name].append(document)
    return [
        Share(name, tuple(shuffled(documents, secret, "order", name)))
        for name, documents in given.items()
    ]
