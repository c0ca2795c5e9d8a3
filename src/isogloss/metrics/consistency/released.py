"""The released form of the consistency data set (Lei et al. 2024): ``res``, ``*_token``, ``*_raw``.

A folder with one file a document in each of three folders. ``zh2en_raw`` and ``zh2en_token`` hold
``source ||| translation`` line by line, as written and split into words by spaces. ``res`` holds
one Python list a line, ``['州/1/2', '州/5/14', 'state']``: word/sentence/word number, counted from
0, and last the lower-cased translation. Some lines end in a space; it is kept, so that what was
read is written byte for byte.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from isogloss.documents import Document, TestSet
from isogloss.errors import FormatError, InputError, MismatchError
from isogloss.formats import read_text, write_folder_of_lines, write_text
from isogloss.language import Tokeniser, folded
from isogloss.metrics.consistency.chains import Chain, ChainItem, read_chains

Text = Literal["token", "raw"]
REFERENCE = "ref"
_BETWEEN = " ||| "
_REMEDY = "expected ['word/sentence/token', ..., 'translation']"


class ReleasedItem(NamedTuple):
    """One occurrence: the word, its sentence and its number in the sentence."""

    word: str
    segment: int
    token: int


@dataclass(frozen=True, slots=True)
class ReleasedChain:
    """One line of a file in ``res``; `tail` is the blank that may follow the list."""

    items: tuple[ReleasedItem, ...]
    translation: str
    tail: str = ""

    def __str__(self) -> str:
        words = [f"{item.word}/{item.segment}/{item.token}" for item in self.items]
        return repr([*words, self.translation]) + self.tail


def parse_chain(line: str, path: Path, number: int) -> ReleasedChain:
    """One line of a file in ``res``."""
    listed = line.rstrip()
    try:
        *items, translation = ast.literal_eval(listed)
        chain = ReleasedChain(tuple(map(_item, items)), translation, line[len(listed) :])
    except (ValueError, TypeError, SyntaxError, AttributeError, RecursionError, MemoryError):
        raise FormatError("this is no chain", path=path, line=number, remedy=_REMEDY) from None
    if not isinstance(translation, str) or len({item.word for item in chain.items}) != 1:
        what = "a chain needs one word, its places and a translation"
        raise FormatError(what, path=path, line=number, remedy=_REMEDY)
    return chain


def _item(text: str) -> ReleasedItem:
    word, segment, token = text.rsplit("/", 2)  # the word itself may hold a slash
    return ReleasedItem(word, int(segment), int(token))


def read_released_chains(path: Path) -> list[ReleasedChain]:
    """The chains of one document; an empty file has none."""
    lines = read_text(path).split("\n")
    if not lines[-1]:
        lines.pop()
    return [parse_chain(line, path, number) for number, line in enumerate(lines, 1)]


def write_released_chains(path: Path, chains: Iterable[ReleasedChain]) -> None:
    """Write the chains of one document."""
    write_text(path, "".join(f"{chain}\n" for chain in chains))


# --- the whole folder ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Release:
    """A released data set: the texts as a test set with one reference, and the chains in them."""

    testset: TestSet
    chains: tuple[Chain, ...]


def is_release(folder: Path) -> bool:
    """Whether a folder holds a data set in the released form."""
    return (folder / "res").is_dir() and any(folder.glob("*_token"))


def read_release(folder: Path, text: Text = "token") -> Release:
    """Read a data set; its texts are those already split into words, or the raw ones."""
    tokens = _one_folder(folder, "token")
    texts = _one_folder(folder, text)
    documents: list[Document] = []
    chains: list[Chain] = []
    for path in sorted((folder / "res").glob("*.txt"), key=_number):
        split = _read_pairs(tokens / path.name)
        shown = split if text == "token" else _read_pairs(texts / path.name)
        document = _document(path.stem, shown, len(split), texts / path.name)
        documents.append(document)
        chains += _chains(document, [source for source, _ in split], path)
    source, _, target = tokens.name.removesuffix("_token").partition("2")
    testset = TestSet(folder.name, source or None, target or None, tuple(documents))
    return Release(testset, tuple(chains))


def _one_folder(folder: Path, kind: str) -> Path:
    found = sorted(folder.glob(f"*_{kind}"))
    if len(found) != 1:
        what = f"{len(found)} folders named *_{kind}, one is needed"
        raise FormatError(what, path=folder, remedy="a release has res, XX2YY_token and XX2YY_raw")
    return found[0]


def _number(path: Path) -> tuple[int, str]:
    """test-2 before test-10."""
    digits = re.search(r"\d+$", path.stem)
    return int(digits[0]) if digits else 0, path.stem


def _read_pairs(path: Path) -> list[tuple[str, str]]:
    lines = read_text(path).split("\n")
    if not lines[-1]:
        lines.pop()
    pairs = []
    for number, line in enumerate(lines, 1):
        source, bars, target = line.partition(_BETWEEN)
        if not bars:
            what = f"no {_BETWEEN.strip()!r} between source and translation"
            raise FormatError(what, path=path, line=number)
        pairs.append((source, target))
    return pairs


def _document(id: str, pairs: Sequence[tuple[str, str]], expected: int, path: Path) -> Document:
    if len(pairs) != expected:
        raise FormatError(f"{len(pairs)} lines, the tokenised text has {expected}", path=path)
    targets = tuple(target for _, target in pairs)
    return Document(id, tuple(source for source, _ in pairs), {REFERENCE: targets})


def _chains(document: Document, split: Sequence[str], path: Path) -> Iterator[Chain]:
    places = [
        token_places(words.split(" "), text)
        for words, text in zip(split, document.source, strict=True)
    ]
    for number, chain in enumerate(read_released_chains(path), 1):
        try:
            items = tuple(_item_in(document, item, places[item.segment]) for item in chain.items)
        except (IndexError, ValueError):
            what = f"{chain.items[0].word!r} does not stand where this line says"
            raise FormatError(what, path=path, line=number) from None
        word = chain.items[0].word
        yield Chain(f"{document.id}:{number}", document.id, word, chain.translation, items)


def _item_in(
    document: Document, item: ReleasedItem, places: Sequence[tuple[int, int] | None]
) -> ChainItem:
    """An occurrence with its sentences, so that an annotator needs no other file."""
    start, end = _known(places[item.token])
    target = document.references[REFERENCE][item.segment]
    source = document.source[item.segment]
    return ChainItem(item.segment, item.token, start, end, source=source, target=target)


def _known(place: tuple[int, int] | None) -> tuple[int, int]:
    if place is None:
        raise ValueError
    return place


def token_places(tokens: Sequence[str], text: str) -> list[tuple[int, int] | None]:
    """Where each token stands in a text that differs from the tokens by blanks alone.

    Blanks may also stand inside of a token. A token that the text does not have (the release has
    one) has no place.
    """
    offsets = [offset for offset, character in enumerate(text) if not character.isspace()]
    visible = "".join(text[offset] for offset in offsets)
    places: list[tuple[int, int] | None] = []
    here = 0
    for token in tokens:
        if token and visible.startswith(token, here):
            places.append((offsets[here], offsets[here + len(token) - 1] + 1))
            here += len(token)
        else:
            places.append(None)
    return places


def released(chain: Chain) -> ReleasedChain:
    """A chain in the released form."""
    items = tuple(ReleasedItem(chain.word, item.segment, item.token) for item in chain.items)
    return ReleasedChain(items, chain.translation)


def write_release(
    folder: Path,
    chains: Iterable[Chain],
    testset: TestSet,
    reference: str,
    words: tuple[Tokeniser, Tokeniser],
) -> None:
    """Write a data set: the chains, and the texts as written and split into words.

    `words` split the source and the reference; the source as it was when the chains were made.
    """
    by_document: dict[str, list[Chain]] = {document.id: [] for document in testset.documents}
    for chain in chains:
        if chain.document not in by_document:
            raise MismatchError(f"chain {chain.id!r}: there is no document {chain.document!r}")
        by_document[chain.document].append(chain)
    direction = f"{testset.source_language or 'source'}2{testset.target_language or 'target'}"
    contents: dict[str, list[str]] = {}
    for document in testset.documents:
        name = _file_name(document)
        pairs = [
            (source, target or "")
            for source, target in zip(document.source, document.references[reference], strict=True)
        ]
        split = [(_spaced(words[0], source), _spaced(words[1], target)) for source, target in pairs]
        _check_tokens(by_document[document.id], [source.split(" ") for source, _ in split])
        contents[f"res/{name}"] = [str(released(chain)) for chain in by_document[document.id]]
        contents[f"{direction}_raw/{name}"] = _pair_lines(pairs)
        contents[f"{direction}_token/{name}"] = _pair_lines(split)
    write_folder_of_lines(folder, contents)


def _file_name(document: Document) -> str:
    if "/" in document.id:  # it would be written into another folder
        raise InputError(f"document {document.id!r}: no file can be called like this")
    return f"{document.id}.txt"


def _spaced(tokeniser: Tokeniser, text: str) -> str:
    return " ".join("".join(token.text.split()) for token in tokeniser.tokenise(text))


def _check_tokens(chains: Iterable[Chain], tokens: Sequence[Sequence[str]]) -> None:
    for chain in chains:
        for item in chain.items:
            here = tokens[item.segment][item.token : item.token + 1]
            if folded("".join(here)) != folded("".join(chain.word.split())):
                raise MismatchError(
                    f"chain {chain.id!r}: {chain.word!r} is not token {item.token} of segment "
                    f"{item.segment + 1}; split the source as it was when the chains were made"
                )


def _pair_lines(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{source}{_BETWEEN}{target}" for source, target in pairs]


def read_chains_of_any_form(path: Path) -> tuple[Chain, ...]:
    """Chains from JSON lines, or those of a released data set in the folder.

    The places of the latter are those in the text that is split into words.
    """
    return read_release(path).chains if path.is_dir() else read_chains(path)
