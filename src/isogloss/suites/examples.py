"""The examples of a suite, and the files that they were published in.

Four layouts are known, JSON lists but for the last, and told apart by their keys:

- ContraPro (Müller et al. 2018): a reference and versions of it with another pronoun in
  ``errors``. Its ``contrapro.context.en`` and ``.de``, which the authors' script makes of
  OpenSubtitles, are read if they lie beside it.
- Voita et al. (2019): several translations ``dst`` of four sentences, joined by ``_eos``, of
  which ``true_ind`` is right.
- ctxpro (Wicks & Post 2023): a source sentence, and the form that its translation must have.
- Bawden et al. (2018): numbered blocks, each of two sentences with pairs of translations in
  ``trg``, of which one is ``correct`` (``semi-correct`` where only the second sentence is) and
  one ``incorrect``; in the set of lexical choice the pairs are in ``examples``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError
from isogloss.formats import read_lines, read_text
from isogloss.notation import json_value

_MOST_DISTANT = 3  # ContraPro counts all antecedents beyond as one class


@dataclass(frozen=True, slots=True)
class Contender:
    """A translation of the sentence in question, and of those before it."""

    text: str
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contrast:
    """Translations of one sentence, of which one is right: a model has to prefer it."""

    source: str
    candidates: tuple[Contender, ...]
    right: int
    before: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    document: str | None = None


@dataclass(frozen=True, slots=True)
class ExpectedForm:
    """A sentence, and a form that must stand in its translation."""

    source: str
    expected: str
    groups: Mapping[str, str] = field(default_factory=dict)
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """All examples of one file; either all are contrasts, or all are expectations.

    `languages` are those of source and target, where the layout tells.
    """

    name: str
    layout: str
    languages: tuple[str, str] | None = None
    contrasts: tuple[Contrast, ...] = ()
    expectations: tuple[ExpectedForm, ...] = ()

    @property
    def examples(self) -> Sequence[Contrast | ExpectedForm]:
        return self.contrasts or self.expectations


def read_suite(path: Path) -> Suite:
    """The suite in a file, whichever of the layouts it has."""
    entries = json_value(read_text(path), path)
    if isinstance(entries, dict):
        entries = _numbered(entries)
    if not isinstance(entries, list) or not entries or not isinstance(entries[0], dict):
        raise FormatError("no list of examples", path=path, remedy=_REMEDY)
    for layout, (key, read) in _LAYOUTS.items():
        if key in entries[0]:
            return read(path, layout, entries)
    raise FormatError("examples of an unknown suite", path=path, remedy=_REMEDY)


_REMEDY = "expected contrapro.json, or a JSON file of ctxpro, Voita et al. or Bawden et al."


def _numbered(blocks: Mapping[str, Any]) -> list[Any]:
    """Blocks in the order of their numbers, as Bawden et al.'s scripts go through them."""
    numbered = {int(key): block for key, block in blocks.items() if key.isdecimal()}
    return [numbered[number] for number in sorted(numbered)]


def _each(path: Path, entries: Sequence[Any], read: Callable[[int, Any], Any]) -> tuple[Any, ...]:
    """What `read` makes of each entry; one that is damaged is named."""
    found = []
    for number, entry in enumerate(entries):
        try:
            found.append(read(number, entry))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            what = f"example {number + 1} lacks something that its suite has"
            raise FormatError(what, path=path, remedy=_REMEDY) from None
    return tuple(found)


def _text(entry: Mapping[str, Any], key: str) -> str:
    """A value that must be a text."""
    value = entry[key]
    if not isinstance(value, str):
        raise TypeError(key)
    return value


# --- ContraPro -----------------------------------------------------------------------------------


def _contrapro(path: Path, layout: str, entries: Sequence[Any]) -> Suite:
    sizes = _each(path, entries, lambda _, entry: 1 + len(entry["errors"]))
    starts = list(accumulate(sizes, initial=0))
    source, target = (_contexts(path, side, starts[-1]) for side in ("en", "de"))

    def contrast(number: int, entry: Mapping[str, Any]) -> Contrast:
        wrong = [_text(error, "contrastive") for error in entry["errors"]]
        line = starts[number]
        texts = [_text(entry, "ref segment"), *wrong]
        distance = int(entry["ante distance"])
        pronouns = f"{_text(entry, 'src pronoun')}:{_text(entry, 'ref pronoun')}".lower()
        groups = {
            "pronoun": pronouns,
            "distance": str(distance) if distance <= _MOST_DISTANT else f">{_MOST_DISTANT}",
        }
        return Contrast(
            _text(entry, "src segment"),
            tuple(Contender(text, target[line]) for text in texts),
            0,
            source[line],
            groups,
            str(entry["document id"]),
        )

    return Suite(path.stem, layout, ("en", "de"), _each(path, entries, contrast))


def _contexts(path: Path, side: str, lines: int) -> list[tuple[str, ...]]:
    """The sentences before each line to score, as the authors' script writes them."""
    file = path.with_name(f"{path.stem}.context.{side}")
    if not file.exists():
        return [()] * lines
    found = list(read_lines(file))
    if len(found) % lines:
        raise FormatError(
            f"{len(found)} lines of context for {lines} sentences",
            path=file,
            remedy="it must have as many lines for each sentence and each of its errors",
        )
    each = len(found) // lines
    return [tuple(filter(None, found[i * each : (i + 1) * each])) for i in range(lines)]


# --- Voita et al. --------------------------------------------------------------------------------


def _voita(path: Path, layout: str, entries: Sequence[Any]) -> Suite:
    def contrast(number: int, entry: Mapping[str, Any]) -> Contrast:  # noqa: ARG001
        *before, source = _sentences(_text(entry, "src"))
        cut = [_sentences(text) for text in entry["dst"]]
        right = int(entry["true_ind"])
        if not 0 <= right < len(cut) or len(cut) < 2:
            raise ValueError(right)
        groups = {"distance": str(entry["ctx_dist"])} if "ctx_dist" in entry else {}
        candidates = tuple(Contender(text, tuple(earlier)) for *earlier, text in cut)
        return Contrast(source, candidates, right, tuple(before), groups)

    return Suite(path.stem, layout, ("en", "ru"), _each(path, entries, contrast))


def _sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in text.split("_eos")]


# --- ctxpro --------------------------------------------------------------------------------------


def _ctxpro(path: Path, layout: str, entries: Sequence[Any]) -> Suite:
    def expectation(number: int, entry: Mapping[str, Any]) -> ExpectedForm:  # noqa: ARG001
        rule, expected = _text(entry, "rule"), _text(entry, "expected")
        groups = {"rule": f"{rule} ({expected})"}
        return ExpectedForm(
            _text(entry, "src segment"), expected, groups, str(entry["document id"])
        )

    return Suite(path.stem, layout, expectations=_each(path, entries, expectation))


# --- Bawden et al. -------------------------------------------------------------------------------


def _anaphora(path: Path, layout: str, blocks: Sequence[Any]) -> Suite:
    def contrasts(number: int, block: Mapping[str, Any]) -> list[Contrast]:
        return [_of_pair(number, block["src"], pair, _pronoun(pair)) for pair in block["trg"]]

    return _of_blocks(path, layout, _each(path, blocks, contrasts))


def _lexical_choice(path: Path, layout: str, blocks: Sequence[Any]) -> Suite:
    def contrasts(number: int, block: Mapping[str, Any]) -> list[Contrast]:
        groups = {"kind": _text(block, "type")} if "type" in block else {}
        return [_of_pair(number, each["src"], each["trg"], groups) for each in block["examples"]]

    return _of_blocks(path, layout, _each(path, blocks, contrasts))


def _of_blocks(path: Path, layout: str, blocks: Sequence[Sequence[Contrast]]) -> Suite:
    return Suite(path.stem, layout, ("en", "fr"), tuple(c for block in blocks for c in block))


def _pronoun(pair: Mapping[str, Any]) -> dict[str, str]:
    """What the pronoun agrees with, and whether that is a right translation itself."""
    groups = {"antecedent": _rightness(pair)}
    return {**groups, "pronoun": _text(pair, "type")} if "type" in pair else groups


def _rightness(pair: Mapping[str, Any]) -> str:
    return "correct" if "correct" in pair else "semi-correct"


def _of_pair(
    block: int, sentences: Sequence[str], pair: Mapping[str, Any], groups: Mapping[str, str]
) -> Contrast:
    *before, source = sentences
    texts = (pair[_rightness(pair)], pair["incorrect"])
    candidates = tuple(Contender(text, tuple(earlier)) for *earlier, text in texts)
    return Contrast(source, candidates, 0, tuple(before), groups, str(block + 1))


_LAYOUTS: dict[str, tuple[str, Callable[[Path, str, Sequence[Any]], Suite]]] = {
    "ContraPro": ("errors", _contrapro),
    "Voita et al.": ("true_ind", _voita),
    "ctxpro": ("expected", _ctxpro),
    "Bawden et al., anaphora": ("trg", _anaphora),
    "Bawden et al., lexical choice": ("examples", _lexical_choice),
}
