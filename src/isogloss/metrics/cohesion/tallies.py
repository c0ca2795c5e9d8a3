"""Chains counted: whether people repeat themselves more than machines (Gong & Zhou 2015, 4.2).

The paper's two observations are about whole data sets: that the chains of references are more
alike than those of machines, and that machines do not always have fewer of them. Every reference
is held against the other references, and every system against all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from isogloss.documents import Collection, Document, Segments
from isogloss.metrics.cohesion.chains import (
    Chain,
    document_score,
    index_chains,
    match_chains,
    read_segments,
    sentence_sets,
)
from isogloss.metrics.cohesion.metric import Cohesion

Chains = Mapping[str, Chain]


@dataclass(frozen=True, slots=True)
class ChainTally:
    """One translation's chains in all documents that it has whole.

    `links` are the sentences in them. `found` of them have a match in a reference, and `cohesion`
    is the paper's score: both are means over the references (for a reference: over the others).
    """

    translation: str
    human: bool
    documents: int
    chains: int
    links: int
    found: float | None
    cohesion: float | None


def chain_tallies(collection: Collection, metric: Cohesion) -> list[ChainTally]:
    """The references first, then the outputs, in their order."""
    index = _indexes(collection, metric)
    references = collection.testset.reference_names
    names = [(name, True) for name in references]
    names += [(o.name, o.human) for o in collection.outputs if o.name not in references]
    return [_tally(name, human, index, references) for name, human in names]


def _indexes(collection: Collection, metric: Cohesion) -> dict[str, dict[str, Chains]]:
    """For each translation its chains in each document."""
    reader = metric.reader(collection.testset.target_language)
    found: dict[str, dict[str, Chains]] = {}
    for document in collection.testset.documents:
        for name, segments in _sides(document, collection):
            if all(text is not None for text in segments):
                chains = sentence_sets(index_chains(read_segments(reader, segments)))
                found.setdefault(name, {}).setdefault(document.id, chains)
    return found


def _sides(document: Document, collection: Collection) -> Iterator[tuple[str, Segments]]:
    yield from document.references.items()
    for output in collection.outputs:
        if document.id in output.documents:
            yield output.name, output.documents[document.id]


def _tally(
    name: str, human: bool, index: Mapping[str, Mapping[str, Chains]], references: Sequence[str]
) -> ChainTally:
    own = index.get(name, {})
    compared = [
        _matched(chains, index[other][document])
        for other in references
        if other != name
        for document, chains in own.items()
        if document in index.get(other, {})
    ]
    scores = [score for _, _, score in compared if score is not None]
    chains = sum(count for _, count, _ in compared)
    return ChainTally(
        name,
        human,
        len(own),
        sum(map(len, own.values())),
        sum(len(chain) for document in own.values() for chain in document.values()),
        sum(found for found, _, _ in compared) / chains if chains else None,
        fmean(scores) if scores else None,
    )


def _matched(output: Chains, reference: Chains) -> tuple[int, int, float | None]:
    """How many chains the reference has, too; how many there are; the paper's score."""
    matches = match_chains(output, reference)
    found = sum(m.output is not None and m.reference is not None for m in matches)
    score = document_score(matches)
    return found, len(output), None if score is None else float(score)
