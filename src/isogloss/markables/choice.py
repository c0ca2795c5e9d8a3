"""Terminology and sense: how surprising is the chosen rendering to the paraphraser?

The model reads the source and forces the translation. Where the pieces that render an occurrence
are less probable than the rest of their sentence, the rendering is a surprise; its size, in nats
per piece, is a graded score: above one it may be a matter of terminology, above two of sense.

A comparison with the renderings of other systems or of the reference, each in its own sentence,
was tried and agrees less with people: their sentences differ in more than the term.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from isogloss.documents import Translation
from isogloss.errors import NotApplicableError
from isogloss.markables.aligned import Aligned
from isogloss.markables.findings import Finding, View
from isogloss.markables.lexicon import Rendering
from isogloss.markables.phenomena import Phenomenon
from isogloss.paraphraser.pairs import Pair, TokenScores
from isogloss.paraphraser.paraphraser import Paraphraser

LEAST: Mapping[Phenomenon, float] = {Phenomenon.TERMINOLOGY: 1.0, Phenomenon.SENSE: 2.0}
"""The surprise, in nats per piece, from which on a phenomenon is reported."""
WORST = 6.0  # nats per piece at which severity is 1

Scores = Mapping[tuple[str, str], TokenScores | None]
"""The scores of every (source segment, translation) pair."""


@dataclass(frozen=True, slots=True)
class Languages:
    """The direction of translation, which the model has to be told."""

    source: str
    target: str


def languages_of(translation: Translation, title: str) -> Languages:
    """The direction of a translation."""
    source, target = translation.source_language, translation.target_language
    if source is None or target is None:
        raise NotApplicableError(
            f"{title} needs to know both languages; say them with --from and --to"
        )
    return Languages(source, target)


def score_versions(
    paraphraser: Paraphraser, versions: Sequence[Aligned], languages: Languages
) -> Scores:
    """The probability of every segment of the versions, each text once."""
    pairs = dict.fromkeys(
        (here.text, there.text)
        for version in versions
        for here, there in zip(version.sources, version.targets, strict=True)
        if here.text and there.text
    )
    asked = (Pair(here, there, languages.target, languages.source) for here, there in pairs)
    scored = paraphraser.score(asked, long="split", total=len(pairs))
    return dict(zip(pairs, scored, strict=True))


def choice_findings(view: View, scores: Scores, phenomenon: Phenomenon) -> Iterator[Finding]:
    """Occurrences whose rendering surprises the model enough for the phenomenon."""
    for renderings in view.renderings.values():
        for rendering in renderings:
            nats = surprise(view.aligned, rendering, scores)
            if nats is not None and nats >= LEAST[phenomenon]:
                note = f"{nats:.1f} nats"
                found = view.found(Phenomenon.TERMINOLOGY, rendering, rendering.tokens, note)
                yield replace(found, phenomenon=phenomenon, severity=min(nats / WORST, 1.0))


def surprise(aligned: Aligned, rendering: Rendering, scores: Scores) -> float | None:
    """How much less probable the words of a rendering are than the rest, in nats per piece."""
    segment = rendering.occurrence.segment
    here, there = aligned.sources[segment], aligned.targets[segment]
    scored = scores.get((here.text, there.text))
    if scored is None:
        return None
    ranges = [(there.tokens[t].start, there.tokens[t].end) for t in rendering.tokens]
    sides: tuple[list[float], list[float]] = ([], [])
    for log_prob, (start, end) in zip(scored.log_probs, scored.offsets, strict=True):
        if start < end:
            inside = any(start < last and end > first for first, last in ranges)
            sides[inside].append(log_prob)
    rest, chosen = sides
    return fmean(rest) - fmean(chosen) if rest and chosen else None
