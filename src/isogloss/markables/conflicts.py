"""Conflict: one word of a translation stands for two terms that the source keeps apart.

That a word renders two words of the source is nothing unusual: *use* stands for a verb and its
noun, for a word and its negation. It is a conflict if a word that regularly renders another term
renders this one, too, and the human translation says something else here.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from isogloss.markables.findings import Finding, View
from isogloss.markables.lexicon import Rendering, alike
from isogloss.markables.phenomena import Phenomenon

_RELATED = 0.6  # of the letters that two words of the source have in common from the beginning on


def conflict(view: View) -> Iterator[Finding]:
    """Rendered by a word that stands for another term of the document, too."""
    for head, renderings in view.renderings.items():
        own = _own_stems(view, renderings)
        right = _in_reference(view, head)
        for rendering in renderings:
            merged = _merged(view, rendering, own, right)
            if merged:
                note = f"also: {', '.join(merged)}"
                yield view.found(Phenomenon.CONFLICT, rendering, rendering.tokens, note)


def _own_stems(view: View, renderings: Sequence[Rendering]) -> set[str]:
    return {
        view.aligned.sources[rendering.occurrence.segment].stems[word]
        for rendering in renderings
        for word in rendering.words
    }


def _in_reference(view: View, head: str) -> set[str] | None:
    """The stems by which the reference renders a markable now and again; `None` without one."""
    if view.reference is None:
        return None
    renderings = view.reference_renderings[head]
    counts = Counter(
        view.reference.targets[rendering.occurrence.segment].stems[token]
        for rendering in renderings
        for token in rendering.tokens
    )
    least = view.lexicon.settings.support * len(renderings)
    return {stem for stem, times in counts.items() if times >= least}


def _merged(view: View, rendering: Rendering, own: set[str], right: set[str] | None) -> list[str]:
    """The other terms that the words of a rendering stand for, where they regularly do."""
    if right is not None and not right:
        return []  # what is right here is not known
    merged: set[str] = set()
    for token, stem in zip(rendering.tokens, view.stems(rendering), strict=True):
        if right is not None and any(alike(stem, other, _RELATED) for other in right):
            return []
        others = _others(view, stem, own) if _regular(view, stem, own) else []
        others = [other for other in others if not _needed(view, rendering, token, other)]
        if not others:
            return []  # a word of its own sets it apart
        merged.update(map(view.source_form, others))
    return sorted(merged)


def _regular(view: View, stem: str, own: set[str]) -> bool:
    """Whether the stem renders the term more than once: once may be the aligner's mistake."""
    counts = view.links_by_stem.get(stem, Counter())
    return any(_times(counts, source) >= view.lexicon.settings.merged for source in own)


def _others(view: View, stem: str, own: set[str]) -> list[str]:
    """The stems of terms unlike this one that are rendered by the stem, too.

    They are so more than once, or the reference renders them so.
    """
    counts = view.links_by_stem.get(stem, Counter())
    known = view.reference_links_by_stem.get(stem, Counter())
    return [
        source
        for source in counts
        if not any(alike(source, other, _RELATED) for other in own)
        and (_times(counts, source) >= view.lexicon.settings.merged or _times(known, source))
    ]


def _needed(view: View, rendering: Rendering, token: int, other: str) -> bool:
    """Whether the other term stands in the segment, too, and there is but one word for both."""
    segment = rendering.occurrence.segment
    source, target = view.aligned.sources[segment].stems, view.aligned.targets[segment].stems
    times = sum(alike(stem, other, _RELATED) for stem in source)
    return bool(times) and target.count(target[token]) <= times


def _times(counts: Counter[str], source: str) -> int:
    """How often a word of the source is rendered so, in all its forms."""
    return sum(times for other, times in counts.items() if alike(other, source, _RELATED))
