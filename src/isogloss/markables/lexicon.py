"""How a document's markables are rendered: a lexicon learnt from the links, and each occurrence.

Word links are noisy in short texts. A word of the translation is an *established* rendering of a
markable if many of its occurrences are linked to it (support) and most of the word's own links
come from the markable (share). An occurrence is rendered by the established word that is linked
to it, else by one that stands unclaimed in its segment, else by whatever content is linked.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from isogloss.markables.aligned import Aligned
from isogloss.markables.markable import Markable
from isogloss.spans import Span

_ABBREVIATED = 3  # letters at most


@dataclass(frozen=True, slots=True)
class Settings:
    """The thresholds of renderings and checks; tuned on the study, left-out figures in the docs."""

    support: float = 0.3
    share: float = 0.4
    alike: float = 0.65
    merged: int = 2


SETTINGS = Settings()


@dataclass(frozen=True, slots=True)
class Rendering:
    """What one occurrence became in one translation: target tokens by number.

    `established` tells whether the tokens are renderings that the document knows the markable by;
    `linked` are all content tokens linked to the occurrence.
    """

    markable: Markable
    occurrence: Span
    words: tuple[int, ...]
    tokens: tuple[int, ...]
    linked: tuple[int, ...]
    established: bool


class Lexicon:
    """The renderings of the markables of one document, learnt from one or more translations."""

    def __init__(
        self, markables: Sequence[Markable], company: Sequence[Aligned], settings: Settings
    ) -> None:
        self.markables = tuple(markables)
        self.settings = settings
        self._company = tuple(company)

    @cached_property
    def _owners(self) -> dict[tuple[int, int], set[str]]:
        """The markables that each source token belongs to."""
        owners: dict[tuple[int, int], set[str]] = {}
        sources = self._company[0].sources
        for markable in self.markables:
            for span in markable.occurrences:
                for word in sources[span.segment].within(span.start, span.end):
                    owners.setdefault((span.segment, word), set()).add(markable.head)
        return owners

    @cached_property
    def _link_counts(self) -> dict[str, Counter[str]]:
        """For each target stem, how often it is linked to each markable (or else to a stem)."""
        counts: dict[str, Counter[str]] = {}
        for aligned in self._company:
            for segment, links in enumerate(aligned.links):
                here, there = aligned.sources[segment], aligned.targets[segment]
                for source, target in links:
                    owners = self._owners.get((segment, source))
                    counts.setdefault(there.stems[target], Counter()).update(
                        owners or (_plain(here.stems[source]),)
                    )
        return counts

    @cached_property
    def _support(self) -> dict[str, Counter[str]]:
        """For each markable, at how many of its occurrences each target stem is linked."""
        support: dict[str, Counter[str]] = {}
        for markable in self.markables:
            counts = support.setdefault(markable.head, Counter())
            for aligned in self._company:
                for span in markable.occurrences:
                    counts.update(_stems(aligned, span.segment, _linked_content(aligned, span)))
        return support

    def share(self, head: str, stem: str) -> float:
        """The part of a target stem's links that come from the markable."""
        counts = self._link_counts.get(stem)
        return counts[head] / counts.total() if counts else 0.0

    def support(self, markable: Markable, stem: str) -> float:
        """The part of the markable's occurrences that are linked to the target stem."""
        count = len(markable.occurrences) * len(self._company)
        return self._support[markable.head][stem] / count

    @cached_property
    def established(self) -> Mapping[str, frozenset[str]]:
        """The target stems that each markable is known by."""
        return {
            markable.head: frozenset(
                stem
                for stem in self._support[markable.head]
                if self.support(markable, stem) >= self.settings.support
                and self.share(markable.head, stem) >= self.settings.share
            )
            for markable in self.markables
        }

    def renderings(self, aligned: Aligned) -> dict[str, list[Rendering]]:
        """Every occurrence of every markable in one translation, in the order of the text."""
        return {m.head: list(self._of_markable(m, aligned)) for m in self.markables}

    def _of_markable(self, markable: Markable, aligned: Aligned) -> Iterable[Rendering]:
        known = self.established[markable.head]
        by_segment: dict[int, list[Span]] = {}
        for span in markable.occurrences:
            by_segment.setdefault(span.segment, []).append(span)
        for segment, spans in by_segment.items():
            yield from _of_segment(markable, aligned, segment, spans, known)


def _of_segment(
    markable: Markable, aligned: Aligned, segment: int, spans: list[Span], known: frozenset[str]
) -> Iterable[Rendering]:
    """Established words go to the occurrences linked to them, the rest to the nearest."""
    target = aligned.targets[segment]
    free = {number for number, stem in enumerate(target.stems) if stem in known}
    linked = {span: _linked_content(aligned, span) for span in spans}
    chosen: dict[Span, tuple[int, ...]] = {}
    for span in spans:
        own = tuple(token for token in linked[span] if token in free)
        if own:
            chosen[span] = own
            free.difference_update(own)
    for span in spans:
        if span not in chosen and free:
            expected = _expected_place(aligned, span, linked[span])
            nearest = min(sorted(free), key=lambda token: abs(token - expected))
            chosen[span] = (nearest,)
            free.remove(nearest)
    for span in spans:
        words = aligned.sources[segment].within(span.start, span.end)
        tokens = chosen.get(span, linked[span])
        yield Rendering(markable, span, words, tokens, linked[span], span in chosen)


def _expected_place(aligned: Aligned, span: Span, linked: tuple[int, ...]) -> float:
    if linked:
        return sum(linked) / len(linked)
    source, target = aligned.sources[span.segment], aligned.targets[span.segment]
    words = source.within(span.start, span.end)
    return words[0] * len(target.tokens) / max(len(source.tokens), 1) if words else 0.0


def _linked_content(aligned: Aligned, span: Span) -> tuple[int, ...]:
    source, target = aligned.sources[span.segment], aligned.targets[span.segment]
    words = source.within(span.start, span.end)
    linked = aligned.linked(span.segment, words)
    content = tuple(token for token in linked if target.content[token])
    if content or any(len(source.tokens[word].text) > _ABBREVIATED for word in words):
        return content
    # An abbreviation ("č.") may well be rendered by what is a function word elsewhere ("no.").
    return tuple(t for t in linked if any(map(str.isalpha, target.tokens[t].text)))


def _stems(aligned: Aligned, segment: int, tokens: Iterable[int]) -> set[str]:
    return {aligned.targets[segment].stems[token] for token in tokens}


def _plain(stem: str) -> str:
    return f"\0{stem}"  # a stem that must not be taken for a markable of the same spelling


def alike(one: str, other: str, least: float) -> bool:
    """Whether two stems are forms of one word: equal, or with a long common beginning."""
    one, other = one.replace("-", ""), other.replace("-", "")
    if one == other:
        return True
    common = 0
    for here, there in zip(one, other, strict=False):
        if here != there:
            break
        common += 1
    return common >= 4 and common >= least * max(len(one), len(other))
