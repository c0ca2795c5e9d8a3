"""Checks: which phenomena does a translation show at each occurrence of a markable?

Each check looks at one translation, with the renderings that the lexicon established, and reports
findings: a phenomenon, an estimate of its severity and the places. Severities are the means that
people gave in the study.

Conflict: two markables that the source keeps apart become one word of the translation.

That a word renders two words of the source is nothing unusual: *use* stands for a verb and its
noun, for a word and its negation. It is a conflict if both are markables, the word is a usual
rendering of both, nothing beside it tells them apart, and the human translation has different words
for them. Both are then in conflict, wherever they are rendered so: a reader cannot tell which is
meant.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from isogloss.metrics.markables.aligned import Words
from isogloss.metrics.markables.lexicon import Finding, MarkableRendering, TranslationView, alike
from isogloss.metrics.markables.markable import (
    Phenomenon,
    digits,
    folded,
    is_acronym,
    is_capitalised,
    is_name,
    is_roman,
    numbers_in,
)

_OFTEN = 2  # one link may be the aligner's mistake
_SAME = 0.6  # of the letters that two words of the reference have in common from the beginning on


def conflict(view: TranslationView) -> Iterator[Finding]:
    """Rendered by a word that stands for another markable of the document, too."""
    terms = {head: _term(view, renderings) for head, renderings in view.renderings.items()}
    for head, renderings in view.renderings.items():
        family = view.usage.family(terms[head])
        others = {other: term for other, term in terms.items() if not family & term}
        for rendering in renderings:
            merged = _merged(view, rendering, terms[head], others)
            if merged:
                note = f"also: {', '.join(merged)}"
                yield view.found(Phenomenon.CONFLICT, rendering, rendering.tokens, note)


def _term(view: TranslationView, renderings: Sequence[MarkableRendering]) -> frozenset[str]:
    """The stems of the content words of a markable."""
    sources = view.aligned.sources
    return frozenset(
        sources[rendering.occurrence.segment].stems[word]
        for rendering in renderings
        for word in rendering.words
        if sources[rendering.occurrence.segment].content[word]
    )


def _merged(
    view: TranslationView,
    rendering: MarkableRendering,
    term: frozenset[str],
    others: Mapping[str, frozenset[str]],
) -> list[str]:
    """The other markables that all words of a rendering stand for, alone.

    A word of its own sets a markable apart, this one or the other.
    """
    found: set[str] = set()
    for token, word in zip(rendering.tokens, view.stems(rendering), strict=True):
        merged = {
            head
            for head, other in others.items()
            if _one_word(view, word, term, other)
            and any(set(view.stems(there)) == {word} for there in view.renderings[head])
            and not _needed(view, rendering, token, other)
        }
        if not merged:
            return []
        found |= merged
    return sorted(found)


def _one_word(
    view: TranslationView, word: str, term: frozenset[str], other: frozenset[str]
) -> bool:
    """Whether both terms are usually rendered by the word, and the reference keeps them apart."""
    settings = view.lexicon.settings
    for each in (term, other):
        if view.usage.times(word, each) < settings.merged * view.usage.occurrences(each):
            return False
    rarer, more_often = sorted(view.usage.times(word, each) for each in (term, other))
    # Without a reference nothing but repetition tells a merged term from a wrong link.
    least = settings.merged_times if view.reference is not None else _OFTEN
    return rarer >= least and more_often >= _OFTEN and _kept_apart(view, word, term, other)


def _kept_apart(
    view: TranslationView, word: str, term: frozenset[str], other: frozenset[str]
) -> bool:
    """Whether the reference has different words for the terms; always so without a reference."""
    if view.reference_usage is None:
        return True
    share = view.lexicon.settings.support
    ours = view.reference_usage.renderings(term, share)
    theirs = view.reference_usage.renderings(other, share)
    if any(alike(one, two, _SAME) for one in ours for two in theirs):
        return False
    fits_both = all(any(alike(word, right, _SAME) for right in each) for each in (ours, theirs))
    return bool(ours) and bool(theirs) and not fits_both


def _needed(
    view: TranslationView, rendering: MarkableRendering, token: int, other: frozenset[str]
) -> bool:
    """Whether the other term stands in the segment, too, and there is but one word for both."""
    segment = rendering.occurrence.segment
    source, target = view.aligned.sources[segment].stems, view.aligned.targets[segment].stems
    family = view.usage.family(other)
    times = sum(stem in family for stem in source)
    return bool(times) and target.count(target[token]) <= times


_QUOTES = "\"„“”‚‘’'»«「」『』"
_SENTENCE_ENDS = ".!?:…"
_BESIDE = 3  # words

Check = Callable[[TranslationView], Iterator[Finding]]


def inconsistency(view: TranslationView) -> Iterator[Finding]:
    """Rendered by other words than the previous occurrence that was rendered at all."""
    least = view.lexicon.settings.alike
    for renderings in view.renderings.values():
        before: MarkableRendering | None = None
        for rendering in renderings:
            if not rendering.tokens:
                continue
            if before is not None and not _same_words(view, rendering, before, least):
                note = f"before: {' '.join(view.words(before))}"
                yield view.found(Phenomenon.INCONSISTENCY, rendering, rendering.tokens, note)
            before = rendering


def _same_words(
    view: TranslationView, one: MarkableRendering, other: MarkableRendering, least: float
) -> bool:
    """Whether a word of one rendering is a form of a word of the other."""
    return any(alike(a, b, least) for a in view.stems(one) for b in view.stems(other))


def disappearance(view: TranslationView) -> Iterator[Finding]:
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


def _renders(view: TranslationView, rendering: MarkableRendering) -> bool:
    """Whether any word of the translation is the occurrence's own."""
    return rendering.established or not all(
        _is_spelt_elsewhere(view, rendering, token) or _is_needed_elsewhere(view, rendering, token)
        for token in rendering.tokens
    )


def _is_spelt_elsewhere(view: TranslationView, rendering: MarkableRendering, token: int) -> bool:
    """Whether a target token is a copy of another word of the source."""
    segment = rendering.occurrence.segment
    text = view.aligned.targets[segment].tokens[token].text.casefold()
    spelt = [
        n for n, t in enumerate(view.aligned.sources[segment].tokens) if t.text.casefold() == text
    ]
    return bool(spelt) and not set(spelt) & set(rendering.words)


def _is_needed_elsewhere(view: TranslationView, rendering: MarkableRendering, token: int) -> bool:
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


def _copied(view: TranslationView, rendering: MarkableRendering) -> list[int]:
    """The target tokens that repeat a word of the source as it is."""
    words = {w.casefold() for w in view.source_words(rendering) if len(w) > 1 and w[0].isalpha()}
    texts = view.target_texts(rendering)
    return [number for number, text in enumerate(texts) if text.casefold() in words]


def non_translated(view: TranslationView) -> Iterator[Finding]:
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


def _reference_copies(
    view: TranslationView, rendering: MarkableRendering, copied: Sequence[int]
) -> bool:
    if view.reference is None:
        return False
    segment = rendering.occurrence.segment
    there = {token.text.casefold() for token in view.reference.targets[segment].tokens}
    ours = view.aligned.targets[segment].tokens
    return all(ours[token].text.casefold() in there for token in copied)


def over_translated(view: TranslationView) -> Iterator[Finding]:
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


def _untranslatable(view: TranslationView, rendering: MarkableRendering) -> list[str]:
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


def typography(view: TranslationView) -> Iterator[Finding]:
    """Capitals, quotation marks or the format of a number that the source does not ask for."""
    for renderings in view.renderings.values():
        for rendering in renderings:
            for wrong in (_wrong_case, _lost_quotes, _wrong_number):
                note = wrong(view, rendering)
                if note:
                    yield view.found(Phenomenon.TYPOGRAPHY, rendering, rendering.tokens, note)
                    break


def _wrong_case(view: TranslationView, rendering: MarkableRendering) -> str:
    segment = rendering.occurrence.segment
    source, target = view.aligned.sources[segment], view.aligned.targets[segment]
    words = [w for w in rendering.words if source.content[w]]
    if not words or not rendering.tokens or not rendering.established:
        return ""
    if _begins_sentence(source, words[0]) or _begins_sentence(target, rendering.tokens[0]):
        return ""
    ours = source.tokens[words[0]].text
    theirs = target.tokens[rendering.tokens[0]].text
    if _is_usual(view, segment, rendering.tokens[0]):
        return ""
    if is_capitalised(ours) and theirs[:1].islower():
        return f"{theirs} without a capital"
    if ours[:1].islower() and is_capitalised(theirs):
        return f"{theirs} with a capital"
    return ""


def _is_usual(view: TranslationView, segment: int, token: int) -> bool:
    """Whether capitals are as the language has them: "Monday" in English, "Haus" in German.

    The reference tells, or else the translation: if it never writes the word otherwise.
    """
    words = view.aligned.targets[segment]
    text, stem = words.tokens[token].text, words.stems[token]
    if view.reference is not None:
        return text in _within_sentences(view.reference.targets[segment])
    return not any(
        is_capitalised(other) != is_capitalised(text)
        for there in view.aligned.targets
        for other in _within_sentences(there, stem)
    )


def _within_sentences(words: Words, stem: str | None = None) -> list[str]:
    """The words, or those of a stem, where no sentence begins."""
    return [
        token.text
        for number, token in enumerate(words.tokens)
        if stem in (None, words.stems[number]) and not _begins_sentence(words, number)
    ]


def _begins_sentence(words: Words, number: int) -> bool:
    before = (words.tokens[place].text for place in range(number - 1, -1, -1))
    return next((text for text in before if text not in _QUOTES), ".") in _SENTENCE_ENDS


def _lost_quotes(view: TranslationView, rendering: MarkableRendering) -> str:
    span = rendering.occurrence
    source = view.aligned.document.source[span.segment]
    quoted = source[span.start - 1 : span.start] in tuple(_QUOTES) or (
        source[span.end : span.end + 1] in tuple(_QUOTES)
    )
    target = view.aligned.targets[span.segment].text
    if quoted and rendering.established and not any(mark in target for mark in _QUOTES):
        return "no quotation marks"
    return ""


def _wrong_number(view: TranslationView, rendering: MarkableRendering) -> str:
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

PRECISE = tuple(
    phenomenon
    for phenomenon in CHECKS
    if phenomenon not in (Phenomenon.CONFLICT, Phenomenon.DISAPPEARANCE)
)
"""Those that are right nine times in ten on the bundled sample. The others have to be asked for:
that a word is not linked does not say that it is missing, and of the conflicts .83 were put in."""


def findings(view: TranslationView, phenomena: Sequence[Phenomenon] = PRECISE) -> list[Finding]:
    """What the checks of these phenomena find, in the order of the text."""
    found = [finding for p in phenomena if p in CHECKS for finding in CHECKS[p](view)]
    return sorted(found, key=lambda f: (f.occurrence, f.markable.head, f.phenomenon))
