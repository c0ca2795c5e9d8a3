"""What is in a data set of chains: the counts of Tables 1 to 3 of Lei et al. (2024)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from isogloss.consistency.annotating import Answers, true_chains
from isogloss.consistency.chains import Chain
from isogloss.consistency.mentions import PARTS, part_of_tag
from isogloss.consistency.ratios import DISTANCES, equal_pairs_by_distance
from isogloss.consistency.released import Release
from isogloss.language.interface import Tagger
from isogloss.language.unicode_words import SpacedWords


@dataclass(frozen=True, slots=True)
class ChainCounts:
    """Chains, their items and pairs; the pairs by distance, and by part of speech where known."""

    documents: int
    chains: int
    items: int
    pairs: int
    several_words: int
    by_distance: Mapping[str, int]
    by_part: Mapping[str, int] | None


def chain_counts(chains: Iterable[Chain]) -> ChainCounts:
    """The counts of Tables 2 and 3."""
    listed = list(chains)
    rows = [
        equal_pairs_by_distance([True] * len(chain.items), [i.segment for i in chain.items])
        for chain in listed
    ]
    return ChainCounts(
        documents=len({chain.document for chain in listed}),
        chains=len(listed),
        items=sum(len(chain.items) for chain in listed),
        pairs=sum(chain.pair_count for chain in listed),
        several_words=sum(" " in chain.translation for chain in listed),
        by_distance={name: sum(row[place] for row in rows) for place, name in enumerate(DISTANCES)},
        by_part=_by_part(listed),
    )


def _by_part(chains: list[Chain]) -> Mapping[str, int] | None:
    if any(chain.part is None for chain in chains):
        return None
    counts = dict.fromkeys(PARTS, 0)
    for chain in chains:
        counts[chain.part or PARTS[-1]] += chain.pair_count
    return counts


@dataclass(frozen=True, slots=True)
class ConsistencyCounts:
    """Table 1: of the pairs that were judged, those that must be translated alike, and the rest."""

    true_pairs: int
    false_pairs: int


def consistency_counts(chains: Iterable[Chain], answers: Answers) -> ConsistencyCounts:
    """How many of the judged pairs are of true and of false consistency."""
    judged = [chain for chain in chains if chain.id in answers]
    everything = sum(chain.pair_count for chain in judged)
    true = sum(chain.pair_count for chain in true_chains(judged, answers))
    return ConsistencyCounts(true, everything - true)


def tagged_chains(release: Release, tagger: Tagger) -> tuple[Chain, ...]:
    """The chains of a released data set, each with its part of speech."""
    space = SpacedWords()
    tags = {
        document.id: [tagger.tag(space.tokenise(text)) for text in document.source]
        for document in release.testset.documents
    }
    return tuple(
        replace(chain, part=_part(chain, tags[chain.document])) for chain in release.chains
    )


def _part(chain: Chain, tags: Sequence[Sequence[str]]) -> str:
    """The part of speech that most items have, the first of equals."""
    parts = Counter(part_of_tag(tags[item.segment][item.token]) for item in chain.items)
    return parts.most_common(1)[0][0]
