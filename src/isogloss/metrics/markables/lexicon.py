"""How a document's markables are rendered: a lexicon learnt from the links, and each occurrence.

Word links are noisy in short texts. A word of the translation is an *established* rendering of a
markable if many of its occurrences are linked to it (support) and most of the word's own links
come from the markable (share). An occurrence is rendered by the established word that is linked
to it, else by one that stands unclaimed in its segment, else by whatever content is linked. What
the words of a translation stand for (`Usage`), and one translation as checks see it
(`TranslationView`), come from there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from isogloss.metrics.markables.aligned import Aligned
from isogloss.metrics.markables.markable import Markable, Phenomenon
from isogloss.spans import Span

_ABBREVIATED = 3  # letters at most


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """The thresholds of renderings and checks; tuned on the study, left-out figures in the docs.

    A word merges two terms if it renders the share `merged` of each term's occurrences and the
    rarer one `merged_times` at least. Words of the source whose beginnings are `related` are not
    taken for two terms.
    """

    support: float = 0.3
    share: float = 0.4
    alike: float = 0.65
    merged: float = 0.2
    merged_times: int = 1
    related: float = 0.5


SETTINGS = CheckSettings()


@dataclass(frozen=True, slots=True)
class MarkableRendering:
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
        self, markables: Sequence[Markable], company: Sequence[Aligned], settings: CheckSettings
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

    def renderings(self, aligned: Aligned) -> dict[str, list[MarkableRendering]]:
        """Every occurrence of every markable in one translation, in the order of the text."""
        return {m.head: list(self._of_markable(m, aligned)) for m in self.markables}

    def _of_markable(self, markable: Markable, aligned: Aligned) -> Iterable[MarkableRendering]:
        known = self.established[markable.head]
        by_segment: dict[int, list[Span]] = {}
        for span in markable.occurrences:
            by_segment.setdefault(span.segment, []).append(span)
        for segment, spans in by_segment.items():
            yield from _of_segment(markable, aligned, segment, spans, known)


def _of_segment(
    markable: Markable, aligned: Aligned, segment: int, spans: list[Span], known: frozenset[str]
) -> Iterable[MarkableRendering]:
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
        yield MarkableRendering(markable, span, words, tokens, linked[span], span in chosen)


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


@dataclass(frozen=True)
class Usage:
    """Stems of the source and of one translation of it, and how often one stands for the other.

    Words of the source whose beginnings are `related` belong to one term. A set of stems is a term
    of one or more words.
    """

    aligned: Aligned
    related: float

    def family(self, term: frozenset[str]) -> frozenset[str]:
        """The stems of the source that are forms of a word of the term, or derived from it."""
        if term not in self._families:
            self._families[term] = frozenset(
                stem
                for stem in self._occurrences
                if any(alike(stem, other, self.related) for other in term)
            )
        return self._families[term]

    def times(self, word: str, term: frozenset[str]) -> int:
        """How often the word, and it alone, renders a word of the term, and nothing else."""
        sources = self._alone.get(word, Counter())
        return sum(sources[stem] for stem in self.family(term))

    def occurrences(self, term: frozenset[str]) -> int:
        """How often words of the term stand in the source."""
        return sum(self._occurrences[stem] for stem in self.family(term))

    def renderings(self, term: frozenset[str], share: float) -> set[str]:
        """The words that are linked to that share of the term's occurrences, at least."""
        counts = Counter[str]()
        for stem in self.family(term):
            counts.update(self._linked.get(stem, ()))
        least = share * self.occurrences(term)
        return {word for word, times in counts.items() if times >= least}

    @cached_property
    def _families(self) -> dict[frozenset[str], frozenset[str]]:
        return {}

    @cached_property
    def _occurrences(self) -> Counter[str]:
        segments = self.aligned.sources
        return Counter(
            stem
            for words in segments
            for stem, content in zip(words.stems, words.content, strict=True)
            if content
        )

    @cached_property
    def _linked(self) -> dict[str, Counter[str]]:
        """Words of the translation by stem of the source."""
        counts: dict[str, Counter[str]] = {}
        for segment, source, target in self._content_links():
            word = self.aligned.targets[segment].stems[target]
            counts.setdefault(self.aligned.sources[segment].stems[source], Counter())[word] += 1
        return counts

    @cached_property
    def _alone(self) -> dict[str, Counter[str]]:
        """Stems of the source by word, where neither of them is linked to another one.

        A word of its own sets a term apart ("water basin" is not "water"), and a word that two
        words of the source share may stand for the other one.
        """
        links = list(self._content_links())
        claims = Counter((segment, target) for segment, _, target in links)
        said: dict[tuple[int, int], set[str]] = {}
        for segment, source, target in links:
            word = self.aligned.targets[segment].stems[target]
            said.setdefault((segment, source), set()).add(word)
        counts: dict[str, Counter[str]] = {}
        for segment, source, target in links:
            if claims[segment, target] == 1 and len(said[segment, source]) == 1:
                word = self.aligned.targets[segment].stems[target]
                counts.setdefault(word, Counter())[self.aligned.sources[segment].stems[source]] += 1
        return counts

    def _content_links(self) -> Iterator[tuple[int, int, int]]:
        for segment, links in enumerate(self.aligned.links):
            here, there = self.aligned.sources[segment], self.aligned.targets[segment]
            for source, target in links:
                if here.content[source] and there.content[target]:
                    yield segment, source, target


SEVERITY: Mapping[Phenomenon, float] = {
    Phenomenon.INCONSISTENCY: 0.57,
    Phenomenon.CONFLICT: 0.79,
    Phenomenon.DISAPPEARANCE: 0.81,
    Phenomenon.NON_TRANSLATED: 0.65,
    Phenomenon.OVER_TRANSLATED: 0.62,
    Phenomenon.TYPOGRAPHY: 0.35,
    Phenomenon.TERMINOLOGY: 0.55,
}
"""Mean severities of the study (Table 6, all domains)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One phenomenon at one occurrence of a markable in one translation."""

    phenomenon: Phenomenon
    markable: Markable
    occurrence: Span
    severity: float
    places: tuple[Span, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class TranslationView:
    """One translation with all that the checks look at.

    `reference` is a human translation of the same document, where there is one: what it does too
    is no error.
    """

    aligned: Aligned
    lexicon: Lexicon
    reference: Aligned | None = None

    @cached_property
    def renderings(self) -> dict[str, list[MarkableRendering]]:
        """The rendering of every occurrence, by markable."""
        return self.lexicon.renderings(self.aligned)

    @cached_property
    def reference_renderings(self) -> dict[str, list[MarkableRendering]]:
        """The same in the reference; empty without one."""
        return {} if self.reference is None else self.lexicon.renderings(self.reference)

    def stems(self, rendering: MarkableRendering) -> tuple[str, ...]:
        """The stems of the words that render an occurrence."""
        target = self.aligned.targets[rendering.occurrence.segment]
        return tuple(target.stems[token] for token in rendering.tokens)

    def words(self, rendering: MarkableRendering) -> list[str]:
        """The words that render an occurrence, as they stand in the translation."""
        target = self.aligned.targets[rendering.occurrence.segment]
        return [target.tokens[token].text for token in rendering.tokens]

    def source_words(self, rendering: MarkableRendering) -> list[str]:
        """The words of the occurrence itself."""
        source = self.aligned.sources[rendering.occurrence.segment]
        return [source.tokens[word].text for word in rendering.words]

    def target_texts(self, rendering: MarkableRendering) -> list[str]:
        """The words of the translation of the segment."""
        return [t.text for t in self.aligned.targets[rendering.occurrence.segment].tokens]

    def found(
        self,
        phenomenon: Phenomenon,
        rendering: MarkableRendering,
        tokens: Sequence[int] = (),
        note: str = "",
        weight: float = 1.0,
    ) -> Finding:
        """A finding at an occurrence; the places are those of the tokens."""
        segment = rendering.occurrence.segment
        return Finding(
            phenomenon,
            rendering.markable,
            rendering.occurrence,
            weight * SEVERITY[phenomenon],
            tuple(self.aligned.place(segment, token) for token in tokens),
            note,
        )

    @cached_property
    def usage(self) -> Usage:
        """What the words of this translation stand for."""
        return Usage(self.aligned, self.lexicon.settings.related)

    @cached_property
    def reference_usage(self) -> Usage | None:
        """The same of the reference, where there is one."""
        if self.reference is None:
            return None
        return Usage(self.reference, self.lexicon.settings.related)
