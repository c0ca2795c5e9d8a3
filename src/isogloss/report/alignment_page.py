"""A web page that shows aligned segments: words that belong together have one colour."""

from collections.abc import Iterator, Sequence
from html import escape

from isogloss.alignment import SegmentAlignment, SegmentPair, groups
from isogloss.language import Token

_STYLE = """
body { font: 16px/1.9 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.2rem } section { border-top: 1px solid #8886; padding: .6rem 0 }
h2 { font-size: .8rem; font-weight: normal; opacity: .6; margin: 0 }
p { margin: .2rem 0 }
mark { background: hsl(var(--hue) 80% 85%); color: #000; border-radius: .2rem; padding: 0 .1rem }
@media (prefers-color-scheme: dark) {
  body { background: #181818; color: #ddd }
  mark { background: hsl(var(--hue) 60% 35%); color: #fff }
}
"""
_GOLDEN_ANGLE = 137.508  # neighbouring groups get hues that are far apart


def aligned_text_page(
    title: str, pairs: Sequence[SegmentPair], found: Sequence[SegmentAlignment]
) -> str:
    """The whole page, which needs nothing beside it."""
    sections = "".join(
        _section(number, pair, alignment)
        for number, (pair, alignment) in enumerate(zip(pairs, found, strict=True), 1)
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{escape(title)}</h1>\n{sections}</body></html>\n"
    )


def _section(number: int, pair: SegmentPair, alignment: SegmentAlignment) -> str:
    found = groups(alignment.links)
    of_source = {word: place for place, group in enumerate(found) for word in group.sources}
    of_target = {word: place for place, group in enumerate(found) for word in group.targets}
    place = f"{pair.document}, segment {pair.segment + 1}" if pair.document else f"line {number}"
    source = "".join(_marked(pair.source, pair.source_words, of_source))
    target = "".join(_marked(pair.target or "", pair.target_words, of_target))
    return (
        f'<section><h2>{escape(place)}</h2><p dir="auto">{source}</p>'
        f'<p dir="auto">{target}</p></section>\n'
    )


def _marked(text: str, words: Sequence[Token], group_of: dict[int, int]) -> Iterator[str]:
    """The text with its linked words marked."""
    at = 0
    for number, word in enumerate(words):
        yield escape(text[at : word.start])
        at = word.end
        group = group_of.get(number)
        if group is None:
            yield escape(word.text)
        else:
            hue = round(group * _GOLDEN_ANGLE) % 360
            yield f'<mark style="--hue:{hue}" title="{group + 1}">{escape(word.text)}</mark>'
    yield escape(text[at:])
