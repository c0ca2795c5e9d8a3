"""What checks find, and one translation as they see it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from isogloss.markables.aligned import Aligned, frequent_forms
from isogloss.markables.lexicon import Lexicon, Rendering
from isogloss.markables.markable import Markable
from isogloss.markables.phenomena import Phenomenon
from isogloss.spans import Span

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
class View:
    """One translation with all that the checks look at.

    `reference` is a human translation of the same document, where there is one: what it does too
    is no error.
    """

    aligned: Aligned
    lexicon: Lexicon
    reference: Aligned | None = None

    @cached_property
    def renderings(self) -> dict[str, list[Rendering]]:
        """The rendering of every occurrence, by markable."""
        return self.lexicon.renderings(self.aligned)

    @cached_property
    def reference_renderings(self) -> dict[str, list[Rendering]]:
        """The same in the reference; empty without one."""
        return {} if self.reference is None else self.lexicon.renderings(self.reference)

    def stems(self, rendering: Rendering) -> tuple[str, ...]:
        """The stems of the words that render an occurrence."""
        target = self.aligned.targets[rendering.occurrence.segment]
        return tuple(target.stems[token] for token in rendering.tokens)

    def words(self, rendering: Rendering) -> list[str]:
        """The words that render an occurrence, as they stand in the translation."""
        target = self.aligned.targets[rendering.occurrence.segment]
        return [target.tokens[token].text for token in rendering.tokens]

    def source_form(self, stem: str) -> str:
        """The word of the source that most often has this stem."""
        return self._source_forms[stem]

    @cached_property
    def _source_forms(self) -> dict[str, str]:
        return frequent_forms(self.aligned.sources)

    def source_words(self, rendering: Rendering) -> list[str]:
        """The words of the occurrence itself."""
        source = self.aligned.sources[rendering.occurrence.segment]
        return [source.tokens[word].text for word in rendering.words]

    def target_texts(self, rendering: Rendering) -> list[str]:
        """The words of the translation of the segment."""
        return [t.text for t in self.aligned.targets[rendering.occurrence.segment].tokens]

    def found(
        self,
        phenomenon: Phenomenon,
        rendering: Rendering,
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
    def links_by_stem(self) -> dict[str, Counter[str]]:
        """In this translation: the source stems of content words that each target stem renders."""
        return _links_by_stem(self.aligned)

    @cached_property
    def reference_links_by_stem(self) -> dict[str, Counter[str]]:
        """The same in the reference; empty without one."""
        return {} if self.reference is None else _links_by_stem(self.reference)


def _links_by_stem(aligned: Aligned) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for segment, links in enumerate(aligned.links):
        here, there = aligned.sources[segment], aligned.targets[segment]
        once = Counter(target for _, target in links)
        for source, target in links:
            if here.content[source] and once[target] == 1:
                counts.setdefault(there.stems[target], Counter())[here.stems[source]] += 1
    return counts
