"""The explanation as one web page that needs nothing beside it."""

from collections.abc import Iterator, Sequence
from html import escape

from isogloss.explanation.paragraph import digits
from isogloss.explanation.result import Clause, Explanation, SectionName, TellingPassage, WordMark
from isogloss.explanation.sections import Sheet, passages_title, section_numbers, sheets

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem } h2 { font-size: 1rem; margin-top: 2rem }
p.summary { font-size: 1.1rem } a { color: inherit }
.wide { overflow-x: auto } table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .6rem; border-top: 1px solid #8884; text-align: left;
  vertical-align: top }
.n { text-align: right; white-space: nowrap }
.note { font-size: .85rem; opacity: .75; margin: .2rem 0 }
article { border-top: 1px solid #8884; margin-top: 1rem } h3 { font-size: .85rem; margin: .5rem 0 }
.texts { display: grid; gap: .3rem 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)) }
.texts h4 { font-size: .85rem; margin: 0 } .texts p { margin: 0 0 .5rem }
mark { background: #fbd5d0; color: #000 } mark.right { background: #c8ecd0 }
@media (prefers-color-scheme: dark) {
  body { background: #181818; color: #ddd }
  mark { background: #6b2b25; color: #fff } mark.right { background: #1f5a30 }
}
@media print { body { max-width: none } section { break-inside: avoid } }
"""


def passage_title(found: Explanation, passage: TellingPassage) -> str:
    """Where a passage stands, what it is about, and what it carries."""
    place = f"{passage.document}, segment {passage.segment + 1}"
    return " · ".join([place, *passage_facts(found, passage)])


def passage_facts(found: Explanation, passage: TellingPassage) -> list[str]:
    """What a passage is about, its scores, and what it carries."""
    size = digits(found)
    scores = " against ".join(
        "–" if score is None else f"{score:.{size}f}"
        for score in (passage.first_score, passage.second_score)
    )
    return [
        *([passage.domain] if passage.domain else []),
        passage.kind,
        f"{found.metric.name} {scores}",
        f"carries {passage.carries + 0.0:+.{size}f}",
    ]


def explanation_page(found: Explanation, title: str) -> str:
    """A whole HTML document; every clause of the summary leads to its tables."""
    numbers = section_numbers(found)
    summary = " ".join(
        escape(clause.text) + "".join(f' <a href="#{n}">[{numbers[n]}]</a>' for n in known)
        for clause in found.clauses
        for known in [_known(clause, numbers)]
    )
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in found.found.notes)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n"
        f'<body><main><h1>{escape(title)}</h1>\n<p class="summary">{summary}</p>{notes}\n'
        f"{''.join(map(_table, sheets(found)))}{_passages(found, numbers)}</main></body></html>\n"
    )


def _passages(found: Explanation, numbers: dict[SectionName, int]) -> str:
    if not found.found.passages:
        return ""
    key = '<mark class="right">the reference has it</mark> <mark>it has not</mark>'
    numbered = enumerate(found.found.passages, start=1)
    shown = "".join(_passage(found, number, passage) for number, passage in numbered)
    return (
        f'<section id="passages"><h2>{numbers["passages"]} {passages_title()}</h2>'
        f'<p class="note">In one output alone: {key}</p>{shown}</section>\n'
    )


def _known(clause: Clause, numbers: dict[SectionName, int]) -> list[SectionName]:
    return [name for name in clause.sections if name in numbers]


def _table(sheet: Sheet) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        kinds = [' class="n"' if at in sheet.numeric else "" for at in range(len(cells))]
        return "".join(
            f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)
        )

    rows = "".join(f"<tr>{row(cells, 'td')}</tr>" for cells in sheet.rows)
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in sheet.notes)
    return (
        f'<section id="{sheet.name}"><h2>{sheet.number} {escape(sheet.title)}</h2>'
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(sheet.title)}">'
        f"<table><thead><tr>{row(sheet.headings, 'th')}</tr></thead><tbody>{rows}</tbody></table>"
        f"</div>{notes}</section>\n"
    )


def _passage(found: Explanation, number: int, passage: TellingPassage) -> str:
    texts = [("source", escape(passage.source))] if passage.source else []
    if passage.reference is not None:
        texts.append(("reference", escape(passage.reference)))
    texts += [
        (f"A: {found.first}", "".join(_marked(passage.first, passage.first_marks))),
        (f"B: {found.second}", "".join(_marked(passage.second, passage.second_marks))),
    ]
    cells = "".join(
        f'<div><h4>{escape(name)}</h4><p dir="auto">{text}</p></div>' for name, text in texts
    )
    title = escape(passage_title(found, passage))
    return f'<article><h3>({number}) {title}</h3><div class="texts">{cells}</div></article>\n'


def _marked(text: str, marks: Sequence[WordMark]) -> Iterator[str]:
    at = 0
    for mark in marks:
        kind = ' class="right"' if mark.right else ""
        yield escape(text[at : mark.start])
        yield f"<mark{kind}>{escape(text[mark.start : mark.end])}</mark>"
        at = mark.end
    yield escape(text[at:])
