"""Where sentences begin and end, by sentencex, and where its rules are known to err, by ours.

sentencex (Wikimedia's) knows the abbreviations of many languages. It takes what stands between
brackets or quotation marks for one sentence, also where a list's ``2）`` only looks like a bracket
or a quotation never ends, and leaves an opening mark or a list's number at the end of the sentence
before.
"""

import re
from collections.abc import Iterator
from importlib.metadata import version

from isogloss.wholes import Place

# Full stops that stand for nothing else: each ends a sentence, whatever is open around it.
_FULL_STOP = re.compile(r"""[。！？｡।॥။።։](?:[。！？…”’」』】）)"']|\s)*""")
# A text without full stops is read in parts that end at a comma or a space.
_PAUSE = re.compile(r"[,;:，；：、]\s*|\s+")
_LONGEST = 1_500
# Inside of what sentencex takes for one sentence of great length: a word, a full stop, a capital.
_LONG = 300
_STOP_INSIDE = re.compile(
    r"""(?<=[^\W\d_]{3})[.!?]["'”’»)]*\s+(?=["'“„«(]*[^\W\d_a-z])""",
)
_END = re.compile(r"""[.!?。！？…:：;；]["'”’»›)\]）」』】]*\s*$""")
# What belongs to the sentence that follows: an opening mark, a bullet, a list's number or letter.
_OPENING = re.compile(
    r"""(?:(?<=\s)|(?<=[。！？”])|^)
        (?:["'“‘„«‹(\[（「『【#*•–—-] | \d{1,2}\s?[.)）、] | [a-z][)）])\s*$""",
    re.VERBOSE,
)
# A mark that stands alone may have closed what came before; a number never does.
_NUMBER = re.compile(r"\d{1,2}\s?[.)）、]")
# A headline has no full stop: where it is said twice, its first words tell where it begins again.
_BEGINNING = re.compile(r"(?:\w{2,}\W+){3}\w{2,}|[\u3040-\u30ff\u3400-\u9fff]{8}")
_FEW_LETTERS = 5  # different ones: one word over and over has no beginning
_CLOSING = re.compile(r"""["'”’»›)\]）」』】.。!?…]+(?=\s|$|[^\x00-\x7f])""")


def splitter_name() -> str:
    """Who tells sentences apart, for signatures."""
    return f"sentencex-{version('sentencex')}"


def sentence_places(text: str, language: str | None) -> tuple[Place, ...]:
    """The places of a text's sentences, which cover it: each goes on to where the next begins."""
    from sentencex import get_sentence_boundaries

    found = {match.end() for match in _FULL_STOP.finditer(text)}
    for boundary in get_sentence_boundaries(language or "en", text):
        start, end = boundary["start_index"], boundary["end_index"]
        found.add(end)
        if end - start > _LONG:
            found |= {match.end() for match in _STOP_INSIDE.finditer(text, start, end)}
    places: list[Place] = []
    start = 0
    for end in sorted(found | {len(text)}):
        end = _mended(text, start, end)
        if _stands_alone(text, start, end):
            places.append((start, end))
            start = end
    if places and start < len(text):
        places[-1] = places[-1][0], len(text)
    return tuple(
        part for place in places for once in _times(text, *place) for part in _parts(text, *once)
    )


def _times(text: str, start: int, end: int) -> Iterator[Place]:
    """A sentence, or each time that it is said where it begins with the same words again."""
    while beginning := _BEGINNING.match(text, start, end):
        again = text.find(beginning[0], beginning.end(), end)
        few_letters = len(set(filter(str.isalnum, beginning[0]))) < _FEW_LETTERS
        if again < 0 or few_letters or (text[again].isascii() and text[again - 1].isalnum()):
            break
        yield start, again
        start = again
    yield start, end


def _parts(text: str, start: int, end: int) -> Iterator[Place]:
    """A sentence, in parts if it is longer than any sentence."""
    while end - start > _LONGEST:
        pauses = _PAUSE.finditer(text, start + _LONGEST // 2, start + _LONGEST)
        middle = max((pause.end() for pause in pauses), default=start + _LONGEST)
        yield start, middle
        start = middle
    yield start, end


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether that is a sentence, and not the number of the one that follows."""
    shown = text[start:end].strip()
    return bool(shown) and (end == len(text) or not _NUMBER.fullmatch(shown))


def _mended(text: str, start: int, end: int) -> int:
    """The end of the sentence that begins at `start`, once marks are where they belong."""
    if end >= len(text):
        return len(text)
    while (opening := _OPENING.search(text[start:end])) and opening.start() > 0:
        before = start + opening.start()
        if not _END.search(text[start:before]):
            break
        end = before
    closing = _CLOSING.match(text, end)
    return closing.end() if closing and not text[end - 1].isspace() else end
