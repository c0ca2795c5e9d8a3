"""Markables proposed by themselves: terms that translations disagree on, and that matter.

The study's three conditions make a term a markable: it is translated in several ways within a
document, or across translations, or merged with another term. A candidate is a content word or a
run of up to four words; its score is a product,

    frequency ^ a  x  exp(entropy terms)  x  salience

written as a sum of logarithms. Salience is what the text itself says about a term: that it is
quoted, a full name, an acronym, a numeral, in a heading of capitals, or rare (a long word). The
weights were set by hand and adjusted on the study's documents; docs/markables.md has the recall
with each document left out.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from isogloss.frozen import FrozenMapping
from isogloss.metrics.markables.aligned import (
    Aligned,
    Words,
    frequent_form,
    frequent_forms,
    is_code,
)
from isogloss.metrics.markables.markable import (
    Markable,
    digits,
    is_acronym,
    is_capitalised,
    is_heading,
    is_name,
    is_roman,
)
from isogloss.spans import SOURCE, Span

Place = tuple[int, int, int]
"""Segment, first token, token after the last."""

LONGEST = 4
_OPENING, _CLOSING = "\"„“‚‘»«('「『《", "\"“”’›»«)'」』》"

WEIGHTS: Mapping[str, float] = FrozenMapping(
    {
        "frequency": 1.0,
        "within": 0.5,
        "across": 1.0,
        "rarity": 0.5,
        "length": -0.5,
        "name": 1.0,
        "full name": 1.5,
        "acronym": 1.0,
        "numeral": 2.0,
        "heading": 3.0,
        "abbreviation": 0.5,
        "quoted": 1.0,
        "part": -0.25,
        "number": -4.0,
    }
)
"""What each feature of a candidate adds to the logarithm of its score."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed markable with its score and what speaks for it.

    `within` and `across` are entropies in bits: of its renderings within a translation (mean over
    translations) and across translations (mean over occurrences). `merged` are other terms that
    one of the translations renders by the same word.
    """

    markable: Markable
    score: float
    within: float
    across: float
    renderings: Mapping[str, int]
    merged: tuple[str, ...] = ()
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """A run of words, everywhere it occurs in the document."""

    stems: tuple[str, ...]
    places: tuple[Place, ...]
    sources: tuple[Words, ...] = field(repr=False)

    @cached_property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each occurrence."""
        return tuple(
            tuple(token.text for token in self.sources[segment].tokens[first:after])
            for segment, first, after in self.places
        )

    @cached_property
    def content(self) -> int:
        """How many of its words carry content."""
        segment, first, after = self.places[0]
        return max(sum(self.sources[segment].content[first:after]), 1)

    def spans(self, document: str) -> tuple[Span, ...]:
        """Where it occurs."""
        found = []
        for segment, first, after in self.places:
            tokens = self.sources[segment].tokens
            start, end = tokens[first].start, tokens[after - 1].end
            found.append(Span(document, SOURCE, segment, start, end))
        return tuple(sorted(found))


def candidates(sources: Sequence[Words]) -> list[Candidate]:
    """Every word with content, and every run of words that begins and ends with one."""
    places: dict[tuple[str, ...], list[Place]] = {}
    for segment, words in enumerate(sources):
        for first, after in _runs(words):
            places.setdefault(words.stems[first:after], []).append((segment, first, after))
    kept = tuple(sources)
    return [Candidate(stems, tuple(found), kept) for stems, found in places.items()]


def _runs(words: Words) -> Iterator[tuple[int, int]]:
    for first, token in enumerate(words.tokens):
        if not words.content[first]:
            continue
        for after in range(first + 1, min(first + LONGEST, len(words.tokens)) + 1):
            last = words.tokens[after - 1].text
            if not any(map(str.isalnum, last)):
                break
            if words.content[after - 1] and (after - first > 1 or not token.text.isdigit()):
                yield first, after


def propose(company: Sequence[Aligned], count: int) -> list[Proposal]:
    """The best candidates of one document, given some translations of it, no two of them alike."""
    found = candidates(company[0].sources)
    inside = _counts_inside(found)
    proposals: list[Proposal] = []
    taken: dict[int, list[tuple[int, int]]] = {}
    # People read words, so renderings are named by the most frequent form of each stem.
    forms = frequent_forms(words for aligned in company for words in aligned.targets)
    scored = [(_scored(candidate, company, inside, forms), candidate) for candidate in found]
    for proposal, candidate in sorted(scored, key=lambda pair: -pair[0].score):
        if len(proposals) == count:
            break
        if not _mostly_taken(candidate, taken):
            proposals.append(proposal)
            for segment, first, after in candidate.places:
                taken.setdefault(segment, []).append((first, after))
    return _with_merged(proposals)


def _scored(
    candidate: Candidate,
    company: Sequence[Aligned],
    inside: Mapping[tuple[str, ...], int],
    forms: Mapping[str, str],
) -> Proposal:
    by_version = [_renderings(candidate, aligned, forms) for aligned in company]
    within = sum(_entropy(Counter(found)) for found in by_version) / len(by_version)
    across = sum(_entropy(Counter(found)) for found in zip(*by_version, strict=True))
    across /= len(candidate.places)
    features = {
        "frequency": math.log(len(candidate.places)),
        "within": min(within, 2.5),
        "across": across / candidate.content,
        "part": float(inside.get(candidate.stems, 0) >= len(candidate.places)),
        **_salience(candidate),
    }
    spans = candidate.spans(company[0].document.id)
    head = frequent_form(Counter(" ".join(words) for words in candidate.words))
    return Proposal(
        Markable(company[0].document.id, head, spans),
        sum(WEIGHTS[name] * value for name, value in features.items()),
        within,
        across,
        FrozenMapping(dict(Counter(r for found in by_version for r in found).most_common())),
        features=FrozenMapping(features),
    )


def _renderings(candidate: Candidate, aligned: Aligned, forms: Mapping[str, str]) -> list[str]:
    """What each occurrence is linked to, stem by stem in its form; empty where to nothing."""
    found = []
    for segment, first, after in candidate.places:
        target = aligned.targets[segment]
        tokens = aligned.linked(segment, range(first, after))
        stems = (target.stems[token] for token in tokens if target.content[token])
        found.append(" ".join(forms[stem] for stem in stems))
    return found


def _entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return -sum(n / total * math.log2(n / total) for n in counts.values())


def _salience(candidate: Candidate) -> dict[str, float]:
    """What the text says about a candidate, as shares of its occurrences."""
    words = candidate.words
    return {
        "rarity": math.log(max(_rarity(words[0]), 1.0)),
        "length": candidate.content - 1.0,
        "name": _share(_capital_inside(candidate, place) for place in candidate.places),
        "full name": float(all(map(is_name, words))),
        "acronym": _share(map(is_acronym, words)),
        "numeral": float(all(map(is_roman, words))),
        "heading": float(any(map(is_heading, words))),
        "abbreviation": _share(_abbreviated(candidate, place) for place in candidate.places),
        "quoted": float(any(_quoted(candidate, place) for place in candidate.places)),
        "number": float(any(digits(word) for word in words[0])),
    }


def _share(told: Iterable[bool]) -> float:
    values = list(told)
    return sum(values) / len(values)


def _rarity(words: Sequence[str]) -> float:
    """Letters a word: long words are rare words."""
    lettered = [word for word in words if any(map(str.isalpha, word))]
    return 4.0 * sum(map(len, lettered)) / len(lettered) if lettered else 1.0


def _capital_inside(candidate: Candidate, place: Place) -> bool:
    """Capitals on all words, and not only because a sentence begins."""
    segment, first, after = place
    tokens = candidate.sources[segment].tokens
    capitals = all(
        is_capitalised(token.text) or is_code(token.text) for token in tokens[first:after]
    )
    before = tokens[first - 1].text if first else "."
    return capitals and (before not in ".!?" + _OPENING or after - first > 1)


def _abbreviated(candidate: Candidate, place: Place) -> bool:
    segment, _, after = place
    words = candidate.sources[segment]
    last = words.tokens[after - 1]
    follows = words.text[last.end : last.end + 1] == "." and last.end + 2 < len(words.text)
    return len(last.text) <= 4 and follows


def _quoted(candidate: Candidate, place: Place) -> bool:
    segment, first, after = place
    words = candidate.sources[segment]
    before = words.text[: words.tokens[first].start][-1:]
    behind = words.text[words.tokens[after - 1].end :][:1]
    return bool(before and before in _OPENING) or bool(behind and behind in _CLOSING)


def _counts_inside(found: Sequence[Candidate]) -> dict[tuple[str, ...], int]:
    """For each run of stems, how often the most frequent longer run with it inside occurs."""
    inside: dict[tuple[str, ...], int] = {}
    for candidate in found:
        stems, times = candidate.stems, len(candidate.places)
        for length in range(1, len(stems)):
            for start in range(len(stems) - length + 1):
                part = stems[start : start + length]
                inside[part] = max(inside.get(part, 0), times)
    return inside


def _mostly_taken(candidate: Candidate, taken: Mapping[int, Sequence[tuple[int, int]]]) -> bool:
    """Whether half of the occurrences overlap by half with a better candidate."""
    overlapping = sum(
        any(_overlap(first, after, *other) >= 0.5 for other in taken.get(segment, ()))
        for segment, first, after in candidate.places
    )
    return 2 * overlapping >= len(candidate.places)


def _overlap(first: int, after: int, other: int, end: int) -> float:
    """Jaccard of two ranges."""
    return max(min(after, end) - max(first, other), 0) / (max(after, end) - min(first, other))


def _with_merged(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The third condition: which proposals share a rendering."""
    users: dict[str, set[str]] = {}
    for proposal in proposals:
        for rendering, times in proposal.renderings.items():
            if rendering and times > 1:
                users.setdefault(rendering, set()).add(proposal.markable.head)
    merged = []
    for proposal in proposals:
        sharing = {user for r in proposal.renderings for user in users.get(r, ())}
        others = tuple(sorted(sharing - {proposal.markable.head}))
        merged.append(replace(proposal, merged=others))
    return merged
