"""What is in a data set of chains: the counts of Tables 1 to 3 of Lei et al. (2024).

Consistency by part of speech and by sentence distance (Tables 4 and 5 of Lei et al. 2024).

The localiser's list: every repeated word with all its renderings, the costliest first.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from isogloss.language import SpacedWords, Tagger, folded
from isogloss.metrics.consistency.chains import Answers, Chain, true_chains
from isogloss.metrics.consistency.mentions import PARTS, Mention, WordPlace, part_of_tag
from isogloss.metrics.consistency.ratios import (
    DISTANCES,
    Ratio,
    Rule,
    equal_pairs_by_distance,
    micro,
)
from isogloss.metrics.consistency.released import Release
from isogloss.metrics.consistency.renderings import RenderedWord
from isogloss.verdicts import score_interval


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


def left_out(chains: Iterable[Chain], consistent: Iterable[Chain]) -> ConsistencyCounts:
    """Table 1 of a data set that holds true consistency alone.

    `consistent` are all the words that the reference renders alike; their pairs that the data set
    has not are of false consistency.
    """
    true = _pairs_of(chains)
    return ConsistencyCounts(len(true), len(_pairs_of(consistent) - true))


def _pairs_of(chains: Iterable[Chain]) -> set[tuple[str, WordPlace, WordPlace]]:
    return {
        (chain.document, one, other)
        for chain in chains
        for one, other in combinations(sorted(item.place for item in chain.items), 2)
    }


def tagged_chains(
    release: Release, tagger: Tagger, target: Tagger | None = None
) -> tuple[Chain, ...]:
    """The chains of a released data set, each with its part of speech.

    With a tagger of the translations, in the classes as a treebank of Chinese has them.
    """
    space = SpacedWords()
    tags = {
        document.id: [tagger.tag(space.tokenise(text)) for text in document.source]
        for document in release.testset.documents
    }
    found = []
    for chain in release.chains:
        here = tags[chain.document]
        own = [here[item.segment][item.token] for item in chain.items]
        part = _most(map(part_of_tag, own))
        if target is not None:
            said = target.tag(space.tokenise(chain.translation))[-1]
            part = _treebank_part(_most(own), said)
        found.append(replace(chain, part=part))
    return tuple(found)


def _most(parts: Iterable[str]) -> str:
    """What most items have, the first of equals."""
    return Counter(parts).most_common(1)[0][0]


def _treebank_part(tag: str, translation: str) -> str:
    """The paper's class of a word, as the Penn Chinese Treebank would tag it.

    It tags what happens as a noun where it stands as one (the growth of trade), which a dictionary
    cannot know but the translation tells. Its ADJ/ADV are VA and AD: adjectives before a noun
    are JJ there, among the others.
    """
    if tag == "VERB" and translation in ("NOUN", "PROPN"):
        return part_of_tag("NOUN")
    return PARTS[-1] if tag == "ADJ" else part_of_tag(tag)


WithReferences = tuple[RenderedWord, Sequence[RenderedWord]]
"""A word with what the references make of it (none where nobody asks them)."""


def by_part(words: Iterable[WithReferences], rule: Rule) -> Mapping[str, Ratio]:
    """The ratio of each part of speech; a word without one counts among the others."""
    found: dict[str, list[Ratio]] = {part: [] for part in PARTS}
    for word, references in words:
        found[word.word.part or PARTS[-1]].append(rule.ratio(word, references))
    return {part: micro(ratios) for part, ratios in found.items()}


def by_distance(words: Iterable[WithReferences], rule: Rule) -> Mapping[str, Ratio]:
    """The ratio of the pairs at each distance."""
    rows = [rule.ratios_by_distance(word, references) for word, references in words]
    return {name: micro(row[place] for row in rows) for place, name in enumerate(DISTANCES)}


# --- with intervals ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Share:
    """A ratio in per cent with its interval over documents; `None` where there is nothing."""

    ratio: Ratio
    score: float | None
    interval: tuple[float, float] | None


def shares(
    documents: Sequence[Mapping[str, Ratio]], resamples: int, seed: int, confidence: float
) -> dict[str, Share]:
    """The ratio of every class over all documents, with intervals over those that have any."""
    found = {}
    for name in documents[0]:
        counts = np.array([document[name] for document in documents], float)
        ratio = Ratio(*(int(total) for total in counts.sum(axis=0)))
        value = None if ratio.value is None else 100 * float(ratio.value)
        there = counts[counts[:, 1] > 0]
        interval = score_interval(
            there, _per_cent, resamples, seed, confidence, bounds=(0.0, 100.0)
        )
        found[name] = Share(ratio, value, interval)
    return found


def _per_cent(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    undefined = np.full(len(sums), np.nan)
    return np.asarray(100 * np.divide(sums[:, 0], sums[:, 1], out=undefined, where=sums[:, 1] > 0))


UNTRANSLATED = "∅"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way a word is rendered, as the translation writes it first, and in which segments."""

    text: str
    segments: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.segments)


@dataclass(frozen=True, slots=True)
class Variation:
    """A repeated word of a document with its renderings, most frequent first.

    `impact` is how many pairs the score loses through it, of `pairs` that count. `varies` says
    that it is translated in several ways beyond doubt: more than by a part of the same words, by
    nothing, or by function words alone, which is more often the aligner's doing.
    """

    document: str
    word: str
    mentions: tuple[Mention, ...]
    variants: tuple[Variant, ...]
    impact: int
    pairs: int
    varies: bool

    def __str__(self) -> str:
        return f"{self.word}: {self.listing}"

    @property
    def rank(self) -> tuple[int, int]:
        """Sorts the costliest first, and of equals those with more pairs."""
        return -self.impact, -self.pairs

    @property
    def listing(self) -> str:
        """The renderings with their counts."""
        return ", ".join(f"{variant.text} ×{variant.count}" for variant in self.variants)


def variations(
    document: str,
    words: Iterable[WithReferences],
    rule: Rule,
    function_words: Container[str] = (),
) -> tuple[Variation, ...]:
    """The words of one document that the rule counts, consistent ones included."""
    found = []
    for word, references in words:
        ratio = rule.ratio(word, references)
        if ratio.denominator:
            listed = Variation(
                document,
                word.word.word,
                tuple(word.word.mentions),
                _variants(word),
                impact=ratio.denominator - ratio.numerator,
                pairs=ratio.denominator,
                varies=_varies(word, function_words),
            )
            found.append(listed)
    return tuple(found)


def _varies(word: RenderedWord, function_words: Container[str]) -> bool:
    """Whether two renderings differ by more than words that the one has and the other has not."""
    kinds = {
        frozenset(said.key.split())
        for said in word.renderings
        if said is not None and said.key and not _only_function(said.text, function_words)
    }
    return any(not (one <= other or other <= one) for one, other in combinations(kinds, 2))


def _only_function(text: str, function_words: Container[str]) -> bool:
    return all(folded(word) in function_words for word in text.split())


def _variants(word: RenderedWord) -> tuple[Variant, ...]:
    texts: dict[str | None, str] = {None: UNTRANSLATED}
    segments: dict[str | None, list[int]] = {}
    for mention, rendering in zip(word.word.mentions, word.renderings, strict=True):
        if rendering is not None:
            texts.setdefault(rendering.key, rendering.text)
            segments.setdefault(rendering.key, []).append(mention.segment)
    order = Counter({key: len(places) for key, places in segments.items()}).most_common()
    return tuple(Variant(texts[key], tuple(segments[key])) for key, _ in order)
