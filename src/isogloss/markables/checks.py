"""Checks: which phenomena does a translation show at each occurrence of a markable?

Each check looks at one translation, with the renderings that the lexicon established, and reports
findings: a phenomenon, an estimate of its severity and the places. Severities are the means that
people gave in the study.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from isogloss.markables.aligned import Words
from isogloss.markables.conflicts import conflict
from isogloss.markables.findings import Finding, View
from isogloss.markables.forms import (
    digits,
    folded,
    is_acronym,
    is_capitalised,
    is_name,
    is_roman,
    numbers_in,
)
from isogloss.markables.lexicon import Rendering, alike
from isogloss.markables.phenomena import Phenomenon

_QUOTES = "\"„“”‚‘’'»«「」『』"
_SENTENCE_ENDS = ".!?:…"
_BESIDE = 3  # words

Check = Callable[[View], Iterator[Finding]]


def inconsistency(view: View) -> Iterator[Finding]:
    """Rendered by other words than the previous occurrence that was rendered at all."""
    least = view.lexicon.settings.alike
    for renderings in view.renderings.values():
        before: Rendering | None = None
        for rendering in renderings:
            if not rendering.tokens:
                continue
            if before is not None and not _same_words(view, rendering, before, least):
                note = f"before: {' '.join(view.words(before))}"
                yield view.found(Phenomenon.INCONSISTENCY, rendering, rendering.tokens, note)
            before = rendering


def _same_words(view: View, one: Rendering, other: Rendering, least: float) -> bool:
    """Whether a word of one rendering is a form of a word of the other."""
    return any(alike(a, b, least) for a in view.stems(one) for b in view.stems(other))


def disappearance(view: View) -> Iterator[Finding]:
    """Nothing in the segment renders the occurrence, and nothing is copied.

    An aligner may link a word without a counterpart to that of a neighbour: what renders another
    word does not count. Such an occurrence weighs half, as does one for which nothing is found in
    the reference either: it may be the aligner's fault.
    """
    for head, renderings in view.renderings.items():
        for number, rendering in enumerate(renderings):
            there = view.aligned.targets[rendering.occurrence.segment].tokens
            if not there or _renders(view, rendering) or _copied(view, rendering):
                continue
            theirs = view.reference_renderings.get(head)
            doubtful = rendering.tokens or (theirs is not None and not theirs[number].tokens)
            yield view.found(Phenomenon.DISAPPEARANCE, rendering, weight=0.5 if doubtful else 1.0)


def _renders(view: View, rendering: Rendering) -> bool:
    """Whether any word of the translation is the occurrence's own."""
    return rendering.established or not all(
        _is_spelt_elsewhere(view, rendering, token) or _is_needed_elsewhere(view, rendering, token)
        for token in rendering.tokens
    )


def _is_spelt_elsewhere(view: View, rendering: Rendering, token: int) -> bool:
    """Whether a target token is a copy of another word of the source."""
    segment = rendering.occurrence.segment
    text = view.aligned.targets[segment].tokens[token].text.casefold()
    spelt = [
        n for n, t in enumerate(view.aligned.sources[segment].tokens) if t.text.casefold() == text
    ]
    return bool(spelt) and not set(spelt) & set(rendering.words)


def _is_needed_elsewhere(view: View, rendering: Rendering, token: int) -> bool:
    """Whether another content word of the source is linked to a target token, and has no other.

    A content word beside the token that no content word of the source is linked to leaves enough
    for both: "předmětný byt" is "apartment in question", and both may be linked to "question".
    """
    segment = rendering.occurrence.segment
    source, target = view.aligned.sources[segment], view.aligned.targets[segment]
    renders: dict[int, set[int]] = {}
    for word, linked in view.aligned.links[segment]:
        if source.content[word] and word not in rendering.words and target.content[linked]:
            renders.setdefault(word, set()).add(linked)
    if {token} not in renders.values():
        return False
    claimed = {linked for word, linked in view.aligned.links[segment] if source.content[word]}
    beside = range(max(0, token - _BESIDE), min(len(target.tokens), token + _BESIDE + 1))
    return not any(target.content[other] and other not in claimed for other in beside)


def _copied(view: View, rendering: Rendering) -> list[int]:
    """The target tokens that repeat a word of the source as it is."""
    words = {w.casefold() for w in view.source_words(rendering) if len(w) > 1 and w[0].isalpha()}
    texts = view.target_texts(rendering)
    return [number for number, text in enumerate(texts) if text.casefold() in words]


def non_translated(view: View) -> Iterator[Finding]:
    """A word of the source stands in the translation as it is, and is no name or numeral.

    What the reference copies as well is right. Without a reference an acronym may be right, and
    counts half.
    """
    for renderings in view.renderings.values():
        for rendering in renderings:
            words = view.source_words(rendering)
            if is_name(words) or is_roman(words):
                continue
            copied = _copied(view, rendering)
            if not copied or _reference_copies(view, rendering, copied):
                continue
            doubtful = is_acronym(words) and view.reference is None
            yield view.found(
                Phenomenon.NON_TRANSLATED, rendering, copied, weight=0.5 if doubtful else 1.0
            )


def _reference_copies(view: View, rendering: Rendering, copied: Sequence[int]) -> bool:
    if view.reference is None:
        return False
    segment = rendering.occurrence.segment
    there = {token.text.casefold() for token in view.reference.targets[segment].tokens}
    ours = view.aligned.targets[segment].tokens
    return all(ours[token].text.casefold() in there for token in copied)


def over_translated(view: View) -> Iterator[Finding]:
    """A name has no counterpart that sounds like it, or a number is not there in digits."""
    for renderings in view.renderings.values():
        for rendering in renderings:
            texts = view.target_texts(rendering)
            lost = [word for word in _untranslatable(view, rendering) if not _kept(word, texts)]
            if view.reference is not None and lost:
                theirs = view.reference.targets[rendering.occurrence.segment].tokens
                lost = [word for word in lost if _kept(word, [t.text for t in theirs])]
            if lost and texts:
                note = f"lost: {' '.join(lost)}"
                yield view.found(Phenomenon.OVER_TRANSLATED, rendering, rendering.linked, note)


def _untranslatable(view: View, rendering: Rendering) -> list[str]:
    """The words of a full name, or else the numbers, of an occurrence."""
    words = [word for word in view.source_words(rendering) if word[0].isalnum()]
    return words if is_name(words) else [word for word in words if digits(word)]


def _kept(word: str, texts: Sequence[str]) -> bool:
    """Whether a word, or an inflected form of it, or the same digits, is among the texts."""
    if digits(word):
        return digits(word) in digits("".join(texts))
    ours = folded(word)
    return any(_resembles(ours, folded(text)) for text in texts)


def _resembles(one: str, other: str) -> bool:
    if one[:3] == other[:3]:
        return True
    return one[:1] == other[:1] and SequenceMatcher(None, one, other).ratio() >= 0.6


def typography(view: View) -> Iterator[Finding]:
    """Capitals, quotation marks or the format of a number that the source does not ask for."""
    for renderings in view.renderings.values():
        for rendering in renderings:
            for wrong in (_wrong_case, _lost_quotes, _wrong_number):
                note = wrong(view, rendering)
                if note:
                    yield view.found(Phenomenon.TYPOGRAPHY, rendering, rendering.tokens, note)
                    break


def _wrong_case(view: View, rendering: Rendering) -> str:
    segment = rendering.occurrence.segment
    source, target = view.aligned.sources[segment], view.aligned.targets[segment]
    words = [w for w in rendering.words if source.content[w]]
    if not words or not rendering.tokens or not rendering.established:
        return ""
    if _begins_sentence(source, words[0]) or _begins_sentence(target, rendering.tokens[0]):
        return ""
    ours = source.tokens[words[0]].text
    theirs = target.tokens[rendering.tokens[0]].text
    if is_capitalised(ours) and theirs[:1].islower():
        return f"{theirs} without a capital"
    if ours[:1].islower() and is_capitalised(theirs):
        return f"{theirs} with a capital"
    return ""


def _begins_sentence(words: Words, number: int) -> bool:
    before = [token.text for token in words.tokens[:number] if token.text not in _QUOTES]
    return not before or before[-1] in _SENTENCE_ENDS


def _lost_quotes(view: View, rendering: Rendering) -> str:
    span = rendering.occurrence
    source = view.aligned.document.source[span.segment]
    quoted = source[span.start - 1 : span.start] in tuple(_QUOTES) or (
        source[span.end : span.end + 1] in tuple(_QUOTES)
    )
    target = view.aligned.targets[span.segment].text
    if quoted and rendering.established and not any(mark in target for mark in _QUOTES):
        return "no quotation marks"
    return ""


def _wrong_number(view: View, rendering: Rendering) -> str:
    """A number whose digits are all there, but in another order of groups or separators."""
    span = rendering.occurrence
    source = span.text(view.aligned.document.source)
    numbers = numbers_in(source)
    if not numbers or view.reference is None:
        return ""
    wanted = digits(source)
    there = _written(view.reference.targets[span.segment].text, wanted)
    here = _written(view.aligned.targets[span.segment].text, wanted)
    return f"{here} instead of {there}" if here and there and here != there else ""


def _written(text: str, wanted: str) -> str:
    for start, end in numbers_in(text):
        if digits(text[start:end]) == wanted:
            return text[start:end]
    return ""


CHECKS: Mapping[Phenomenon, Check] = {
    Phenomenon.INCONSISTENCY: inconsistency,
    Phenomenon.CONFLICT: conflict,
    Phenomenon.DISAPPEARANCE: disappearance,
    Phenomenon.NON_TRANSLATED: non_translated,
    Phenomenon.OVER_TRANSLATED: over_translated,
    Phenomenon.TYPOGRAPHY: typography,
}
"""The checks that need no model."""

PRECISE = tuple(phenomenon for phenomenon in CHECKS if phenomenon is not Phenomenon.DISAPPEARANCE)
"""Those whose findings are mostly right. That a word is not linked does not say that it is missing:
on the bundled sample most findings of disappearance are wrong, so it has to be asked for."""


def findings(view: View, phenomena: Sequence[Phenomenon] = PRECISE) -> list[Finding]:
    """What the checks of these phenomena find, in the order of the text."""
    found = [finding for p in phenomena if p in CHECKS for finding in CHECKS[p](view)]
    return sorted(found, key=lambda f: (f.occurrence, f.markable.head, f.phenomenon))
