"""The grammar of metric names, and signatures.

A metric is written the same way in Python, on the command line, in files and in reports::

    bleu        bleu(tokenize=zh)        chrf++        ter(case_sensitive=true)

    name   := word [ "(" option { "," option } ")" ]
    option := word "=" value
    value  := number | true | false | none | bare word | "quoted string" | name "(" ... ")"

A `Signature` is the metric's name with everything else that changes the number: it is known
before scoring, and the name in front of the first ``|`` parses back into the metric.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from isogloss.digest import short_digest
from isogloss.errors import MetricNameError
from isogloss.frozen import FrozenMapping

OptionValue: TypeAlias = "str | int | float | bool | MetricName | None"

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<punctuation>[(),=])
    | (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<bare>[A-Za-z0-9_.+:@/-]+)
    )""",
    re.VERBOSE,
)
_PART = re.compile(r'((?:"(?:[^"\\]|\\.)*"|[^|])*)(?:\||$)')
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]*")
_BARE = re.compile(r"[A-Za-z0-9_.+:@/-]+")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "none": None}


@dataclass(frozen=True, slots=True)
class MetricName:
    """A metric's name with its options: `str` and `parse` are each other's inverse."""

    name: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", FrozenMapping(self.options))
        for word in (self.name, *self.options):
            if not _NAME.fullmatch(word):
                raise MetricNameError(f"{word!r} cannot be part of a metric's name")

    @classmethod
    def parse(cls, text: str) -> "MetricName":
        """Read a name such as ``chrf(word_order=2)``."""
        return _Parser(text).whole()

    def __str__(self) -> str:
        if not self.options:
            return self.name
        options = ",".join(f"{key}={_written(value)}" for key, value in self.options.items())
        return f"{self.name}({options})"


def _written(value: OptionValue) -> str:
    for word, constant in _CONSTANTS.items():
        if value is constant:
            return word
    if not isinstance(value, str):
        return str(value) if isinstance(value, (int, MetricName)) else repr(value)
    # A string that would read back as something else is quoted.
    plain = _BARE.fullmatch(value) and isinstance(_bare_value(value), str)
    return value if plain else json.dumps(value, ensure_ascii=False)


def _bare_value(word: str) -> str | int | float | bool | None:
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    for number in (int, float):
        try:
            return number(word)
        except ValueError:
            pass
    return word


class _Parser:
    """Recursive descent over the tokens of one name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens(text)
        self.at = 0

    def _tokens(self, text: str) -> list[str]:
        tokens, end = [], 0
        stripped = text.rstrip()
        while end < len(stripped):
            match = _TOKEN.match(stripped, end)
            if match is None:
                raise self._error(f"unexpected {stripped[end]!r} at character {end + 1}")
            tokens.append(match.group().lstrip())
            end = match.end()
        return tokens

    def _error(self, what: str) -> MetricNameError:
        return MetricNameError(
            f"cannot read the metric name {self.text!r}: {what}; "
            "write it like bleu or bleu(tokenize=zh)"
        )

    def whole(self) -> MetricName:
        name = self._metric(self._next("a metric's name"))
        if self.at < len(self.tokens):
            raise self._error(f"unexpected {self.tokens[self.at]!r} after the name")
        return name

    def _next(self, expected: str) -> str:
        if self.at == len(self.tokens):
            raise self._error(f"it ends where {expected} should be")
        self.at += 1
        return self.tokens[self.at - 1]

    def _peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _metric(self, word: str) -> MetricName:
        if not _NAME.fullmatch(word):
            raise self._error(f"{word!r} is no name")
        options: dict[str, OptionValue] = {}
        if self._peek() == "(":
            self._next("(")
            while self._peek() != ")":
                key, value = self._option()
                if key in options:
                    raise self._error(f"option {key!r} is given twice")
                options[key] = value
                if self._peek() != ")" and self._next("',' or ')'") != ",":
                    raise self._error("options are separated by commas")
            self._next(")")
        return MetricName(word, options)

    def _option(self) -> tuple[str, OptionValue]:
        key = self._next("an option")
        if not _NAME.fullmatch(key):
            raise self._error(f"{key!r} is no option")
        if self._next(f"'=' after {key!r}") != "=":
            raise self._error(f"'=' is missing after {key!r}")
        word = self._next(f"the value of {key!r}")
        if word in "(),=":
            raise self._error(f"the value of {key!r} is missing")
        if word.startswith('"'):
            return key, str(json.loads(word))
        return key, self._metric(word) if self._peek() == "(" else _bare_value(word)


def split_names(text: str) -> list[str]:
    """The names in a list such as ``bleu,chrf(word_order=2,beta=3)``, as text."""
    names, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == '"'
        depth += 0 if quoted else (character == "(") - (character == ")")
        if character == "," and depth == 0 and not quoted:
            names.append("")
        else:
            names[-1] += character
    return [name.strip() for name in names]


@dataclass(frozen=True, slots=True)
class Signature:
    """A metric's name and the other facts its number depends on, as one line of text."""

    metric: MetricName
    fields: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return "|".join([str(self.metric), *(f"{key}:{value}" for key, value in self.fields)])

    @property
    def brief(self) -> str:
        """Metric, model if there is one, and eight digits that tell two whole ones apart."""
        model = dict(self.fields).get("model")
        return " ".join(filter(None, [str(self.metric), model, short_digest(str(self), 8)]))

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """Read a signature back from its text."""
        name, *rest = _split_outside_quotes(text) or [""]
        if not name:
            raise MetricNameError(f"cannot read the signature {text!r}: it names no metric")
        fields = []
        for field_text in rest:
            key, colon, value = field_text.partition(":")
            if not colon:
                raise MetricNameError(
                    f"cannot read the signature {text!r}: {field_text!r} is not key:value"
                )
            fields.append((key, value))
        return cls(MetricName.parse(name), tuple(fields))


def _split_outside_quotes(text: str) -> list[str]:
    """Split at ``|``, but not inside a quoted option of the metric's name."""
    return _PART.findall(text)[:-1]
