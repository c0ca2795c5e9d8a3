"""What a language model is asked, and what its answers say.

Three ways of judging, in our own words: points for errors (after GEMBA-MQM, Kocmi & Federmann
2023), a number from 0 to 100 (after GEMBA-DA), or errors first and then the number (after ESA,
Kocmi et al. 2024). A question is about some segments of one document, in their order, with what
comes before them; the answer is JSON. An answer that is not as asked for is no score, never 0.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from isogloss.digest import short_digest
from isogloss.errors import FormatError
from isogloss.language import language_name
from isogloss.metrics.outside.rows import AnsweredMark, AskedRow, RowAnswer
from isogloss.notation import json_value

Style = Literal["mqm", "da", "esa"]
Message = dict[str, str]

POINTS: Mapping[str, float] = {"minor": 1.0, "major": 5.0, "critical": 25.0}
WORST = 25.0  # points of a segment; no more is taken off

_ROLE = (
    "You are an experienced translator who checks translations. You judge only what is there, you "
    "are as strict with fluent mistakes as with clumsy ones, and you answer with JSON alone."
)
_ERRORS = (
    "List every error of each segment. Quote the wrong words exactly as they stand in the "
    'translation ("side": "output"); where something is missing, quote the words of the source '
    'that were left out ("side": "source"). "category" is one of accuracy, fluency, terminology, '
    'style, consistency. "severity" is "minor" (noticed, but nothing is misunderstood), "major" '
    '(the meaning changes or the reader stumbles) or "critical" (dangerous, or no translation). '
    "The same term translated differently within the document without need, pronouns that refer to "
    "the wrong thing and a tone that changes are errors too. A segment without errors has an empty "
    "list."
)
_NUMBER = (
    'Give each segment a "score" from 0 to 100: 0 where nothing of the meaning is kept, 33 where '
    "parts of it are, 66 where most of it is with some errors of grammar or wording, 100 where "
    "meaning, grammar and style are as they should be in this document."
)
_FORMS: Mapping[Style, tuple[str, str]] = {
    "mqm": (
        _ERRORS,
        '{"segments": [{"segment": 1, "errors": [{"side": "output", "text": "...", '
        '"category": "accuracy", "severity": "major"}]}]}',
    ),
    "da": (_NUMBER, '{"segments": [{"segment": 1, "score": 87}]}'),
    "esa": (
        f"{_ERRORS} Only then: {_NUMBER}",
        '{"segments": [{"segment": 1, "errors": [{"side": "output", "text": "...", '
        '"category": "accuracy", "severity": "minor"}], "score": 87}]}',
    ),
}
_QUESTION = """\
Below are segments {first} to {last} of a document in {source}, translated into {target}.
Judge them as parts of the document, not one by one.

{what}

{before}{segments}

Answer with an entry for every segment from {first} to {last}, in this form:
{form}"""
_PARSER = "1"  # changes with what answers are taken to mean


def prompt_digest(style: Style) -> str:
    """Eight digits that change with any word that is asked, or with how answers are read."""
    return short_digest("\0".join((_PARSER, _ROLE, _QUESTION, *_FORMS[style])), 8)


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """Some segments of one document, one after another, and those before them."""

    rows: tuple[AskedRow, ...]
    before: tuple[AskedRow, ...] = ()

    def messages(self, style: Style) -> list[Message]:
        """What is sent."""
        what, form = _FORMS[style]
        translation = self.rows[0].translation
        text = _QUESTION.format(
            first=self.rows[0].segment + 1,
            last=self.rows[-1].segment + 1,
            source=language_or(translation.source_language, "the source language"),
            target=language_or(translation.target_language, "the target language"),
            what=what,
            before=_before(self.before),
            segments="\n\n".join(map(_shown, self.rows)),
            form=form,
        )
        return [{"role": "system", "content": _ROLE}, {"role": "user", "content": text}]

    def answers(self, text: str, style: Style) -> list[RowAnswer]:
        """What the model said of each segment; what it did not say as asked is no score."""
        try:
            entries = _entries(text)
        except ValueError as error:
            return [RowAnswer(None, remark=f"malformed answer ({error})")] * len(self.rows)
        return [_answer(row, entries.get(row.segment + 1, []), style) for row in self.rows]


def language_or(code: str | None, otherwise: str) -> str:
    """A language's name, as a question says it."""
    return otherwise if code is None else language_name(code)


def _before(rows: Sequence[AskedRow]) -> str:
    if not rows:
        return ""
    told = "\n\n".join(map(_shown, rows))
    return f"What comes before them, only to be read:\n\n{told}\n\nWhat is to be judged:\n\n"


def _shown(row: AskedRow) -> str:
    sides = {"source": row.source, "reference": row.reference_text, "translation": row.output}
    lines = [f"{side}: {json.dumps(t, ensure_ascii=False)}" for side, t in sides.items() if t]
    return "\n".join([f"[{row.segment + 1}]", *lines])


_FENCE = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)


def answered_json(text: str) -> Any:
    """The JSON of an answer; models like to put a fence around it."""
    fenced = _FENCE.fullmatch(text)
    try:
        return json_value(fenced[1] if fenced else text, "answer")
    except FormatError:
        raise ValueError("no JSON") from None


def _entries(text: str) -> dict[Any, list[dict[str, Any]]]:
    """The entries of an answer by segment."""
    value = answered_json(text)
    segments = value.get("segments") if isinstance(value, dict) else None
    if not isinstance(segments, list) or not all(isinstance(each, dict) for each in segments):
        raise ValueError("no list of segments")
    found: dict[Any, list[dict[str, Any]]] = {}
    for each in segments:
        number = each.get("segment")
        found.setdefault(number if type(number) is int else None, []).append(each)
    return found


def _answer(row: AskedRow, entries: Sequence[dict[str, Any]], style: Style) -> RowAnswer:
    if len(entries) != 1:
        what = "says nothing of a segment" if not entries else "speaks of a segment twice"
        return RowAnswer(None, remark=f"malformed answer ({what})")
    try:
        marks = () if style == "da" else tuple(_marks(row, entries[0]))
        score = _points(marks) if style == "mqm" else _number(entries[0].get("score"))
    except ValueError as error:
        return RowAnswer(None, remark=f"malformed answer ({error})")
    placed = tuple(mark for mark in marks if mark.end > mark.start)
    remark = "an error is quoted that is not in the text" if len(placed) < len(marks) else None
    return RowAnswer(score, placed, remark)


def _points(marks: Sequence[AnsweredMark]) -> float:
    return min(sum(mark.value or 0.0 for mark in marks), WORST)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise ValueError("a score is no number from 0 to 100")
    return float(value)


def _marks(row: AskedRow, entry: Mapping[str, Any]) -> Iterator[AnsweredMark]:
    """The errors of a segment; one whose words are not in the text has no place."""
    errors = entry.get("errors")
    if not isinstance(errors, list):
        raise ValueError("no list of errors")
    for error in errors:
        severity = error.get("severity") if isinstance(error, dict) else None
        if not isinstance(severity, str) or severity not in POINTS:
            raise ValueError("an error without a severity")
        side = "source" if error.get("side") == "source" else "output"
        quoted = error.get("text")
        quoted = quoted if isinstance(quoted, str) else ""
        start = (row.source if side == "source" else row.output).find(quoted) if quoted else -1
        reason = f"{_word(error.get('category'))}, {severity}"
        end = start + len(quoted) if start >= 0 else 0
        yield AnsweredMark(max(start, 0), end, reason, POINTS[severity], side)


def _word(category: object) -> str:
    """A category as it is shown: a word of the model's, and no text of any length."""
    word = re.sub(r"[^\w /-]", "", category)[:30].strip() if isinstance(category, str) else ""
    return word or "error"
