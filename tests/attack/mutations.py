"""Ways to damage a file: by bytes, by lines, and by what its format means by its parts.

Everything is drawn from the generator that is given, so that a case is known by its seed.
"""

import gzip
import json
import lzma
import re
import sqlite3
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import zstandard

Mutation = Callable[[bytes, Random], bytes]

NUMBERS = (
    "-1", "0", "1", "00", "1.5", "-0.0", "1e999", "-1e999", "1e-999", "NaN", "Infinity", "-Infinity",
    "nan", "inf", "9" * 18, "9" * 19, "9" * 400, "9" * 5000, str(2**31), str(2**63), str(-(2**63) - 1),
    "٣", "²", "１２", "0x10", "1_000", "1,5", "true", "null", "", " ", "None", "\\N",
)  # fmt: skip
TEXTS = (
    "", " ", "\t", "\n", "\r", "\0", "\x0b", "\x1c", "\u0085", "\u2028", "\ufeff", "\u202e", "\U0001f600",
    "a" * 5000, "../../etc/passwd", "/dev/full", "=cmd|' /C calc'!A0", "<b>&amp;</b>", "]]>", "{}", "[]",
    "%s%n", "ref", "human", "None", "nan", "source", "system:", "é" * 300, "\u0301" * 50, "😀" * 200,
    "prism", "bleu(x=1)", "a|b", "a/b", "..", "-", "--help", "en-de", "xx", "a\tb", "a\nb", "'\"", "\\", "\\ud800",
)  # fmt: skip
PIECES = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3", b"\xed\xa0\x80", b"\r\n", b"\r", b"\n\n", b"\t", b'"', b"\\",
    b"{", b"}", b"[", b"]", b"<", b">", b"&", b"<!--", b"-->", b"]]>", b"\xe2\x80\xa8", b"\x1f\x8b", b" " * 70_000,
    b"[" * 5000, b"{\"a\":" * 5000, b"\n" * 3000, b"9" * 5000, b"'''", b"#", b"=", b"|||", b"&#0;", b"&#xD800;",
)  # fmt: skip


def any_text(rng: Random) -> str:
    return rng.choice(TEXTS)


# --- bytes and lines -----------------------------------------------------------------------------


def flipped_bits(data: bytes, rng: Random) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def moved_piece(data: bytes, rng: Random) -> bytes:
    """A piece is left out, doubled, or put elsewhere."""
    begin = rng.randrange(len(data) + 1)
    end = min(len(data), begin + rng.choice((1, 2, 10, 100, 1000)))
    rest, piece = data[:begin] + data[end:], data[begin:end]
    at = rng.randrange(len(rest) + 1)
    return rng.choice((rest, data[:end] + piece + data[end:], rest[:at] + piece + rest[at:]))


def inserted_piece(data: bytes, rng: Random) -> bytes:
    at = rng.choice((0, len(data), rng.randrange(len(data) + 1)))
    return data[:at] + rng.choice(PIECES) + data[at:]


def changed_lines(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[other])
        case 2:
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines[at] = b""
        case 4:
            lines[at] = lines[at] * rng.choice((2, 50))
        case _:
            lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)] + lines[other]
    return b"\n".join(lines)


def other_encoding(data: bytes, rng: Random) -> bytes:
    text = data.decode("utf-8", "replace")
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-8-sig"))
    return text.encode(encoding, "replace")


def changed_number(data: bytes, rng: Random) -> bytes:
    return _substituted(data, rb"-?\d+(?:\.\d+)?(?:e-?\d+)?", rng.choice(NUMBERS), rng)


def changed_word(data: bytes, rng: Random) -> bytes:
    return _substituted(data, rb"[A-Za-z_][\w-]*", any_text(rng), rng)


def _substituted(data: bytes, pattern: bytes, by: str, rng: Random) -> bytes:
    found = list(re.finditer(pattern, data))
    if not found:
        return data + by.encode()
    begin, end = rng.choice(found).span()
    return data[:begin] + by.encode("utf-8", "surrogatepass") + data[end:]


def compressed(data: bytes, rng: Random) -> bytes:
    """Compressed as some reader knows it, whole or damaged, or several times."""
    pack = rng.choice((gzip.compress, lzma.compress, zstandard.compress))
    packed = pack(data)
    match rng.randrange(5):
        case 0:
            return packed
        case 1:
            return cut(packed, rng)
        case 2:
            return flipped_bits(packed, rng)
        case 3:
            return packed + pack(b"more") + rng.choice((b"", b"tail"))
        case _:
            return pack(packed)


# --- JSON ----------------------------------------------------------------------------------------

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 10**18, 10**19, 1.5, -0.0, 1e308, "", " ", "x", "1", "NaN", [], {}, [[]],
    [None], ["a"], {"a": 1}, "\ud800", "\x00", "a" * 3000, [1, 2, 3], "../x", float("nan"), float("inf"), 10**400,
)  # fmt: skip


def changed_json(data: bytes, rng: Random) -> bytes:
    """One value of a document, or of one of its lines, is another, elsewhere, or gone."""
    text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    try:
        return _json(_changed(json.loads(text), rng)).encode("utf-8", "surrogatepass")
    except ValueError:
        pass
    at = rng.randrange(len(lines))
    try:
        lines[at] = _json(_changed(json.loads(lines[at]), rng))
    except ValueError:
        lines[at] = _json(rng.choice(VALUES))
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=isinstance(value, str))


def _changed(value: Any, rng: Random) -> Any:
    inner = (
        list(value)
        if isinstance(value, dict)
        else range(len(value or ()))
        if isinstance(value, list)
        else ()
    )
    if not inner or rng.random() < 0.15:
        return _another(value, rng)
    key = rng.choice(list(inner))
    changed = value.copy()
    match rng.randrange(8):
        case 0:
            del changed[key]
        case 1 if isinstance(changed, dict):
            changed[any_text(rng)] = changed.pop(key)
        case 1:
            changed.insert(key, changed[key])
        case 2:
            changed[key] = changed[rng.choice(list(inner))]
        case _:
            changed[key] = _changed(value[key], rng)
    return changed


def _another(value: Any, rng: Random) -> Any:
    match rng.randrange(6):
        case 0 if isinstance(value, (int, float)):
            return rng.choice((-value, value + 1, value * 1000, str(value), value / 3))
        case 0 | 1 if isinstance(value, str):
            return rng.choice((any_text(rng), value + any_text(rng), value * 2))
        case 2:
            return [value]
        case 3:
            return {"a": value}
        case _:
            return rng.choice(VALUES)


def doubled_key(data: bytes, rng: Random) -> bytes:
    return re.sub(rb"\{", b'{"source": 1, "system": [], ', data, count=rng.choice((1, 5)))


# --- XML and SGM ---------------------------------------------------------------------------------

ENTITIES = (
    b'<!DOCTYPE dataset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>',
    b'<!DOCTYPE dataset [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    b'<!DOCTYPE dataset SYSTEM "http://localhost:1/x.dtd">',
    b'<!DOCTYPE dataset [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>',
    b'<?xml version="1.0" encoding="utf-16"?>',
    b'<?xml version="1.1"?>',
    b"<!-- " + b"- " * 5000,
)


def changed_xml(data: bytes, rng: Random) -> bytes:
    """One element is gone, doubled, moved, renamed, or has another attribute or text."""
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        return changed_tags(data, rng)
    parents = [element for element in root.iter() if len(element)]
    if not parents:
        return changed_tags(data, rng)
    parent = rng.choice(parents)
    child = parent[rng.randrange(len(parent))]
    match rng.randrange(7):
        case 0:
            parent.remove(child)
        case 1:
            parent.append(child)
        case 2:
            # A copy: an element that is moved into itself would have no end.
            rng.choice(list(root.iter())).append(deepcopy(child))
        case 3:
            child.tag = rng.choice(("seg", "doc", "src", "ref", "hyp", "p", "x"))
        case 4:
            child.text = rng.choice([text for text in TEXTS if text.isprintable()])
        case 5 if child.attrib:
            del child.attrib[rng.choice(list(child.attrib))]
        case _:
            name = rng.choice((*child.attrib, "id", "lang", "system"))
            child.set(name, rng.choice(("", "1", "en", "x y", "9" * 400)))
    try:
        return ElementTree.tostring(root)
    except (ValueError, RecursionError):
        return data


def changed_tags(data: bytes, rng: Random) -> bytes:
    tags = list(re.finditer(rb"<[^<>]*>", data))
    if not tags:
        return data
    begin, end = rng.choice(tags).span()
    tag = data[begin:end]
    changes = [b"", tag * 2, tag[:-1], tag.upper(), tag.replace(b'"', b""), b"<!--" + tag]
    changes += [tag.replace(b"=", b" = "), b"<![CDATA[" + tag + b"]]>", b"<x>" * 3000, b"</seg>"]
    changes += [b"<seg>", b"<doc>", b"&#10;&lt;&x;&#xFFFFFFF;", tag[:-1] + b" a=b c='d' e>"]
    new = rng.choice([*changes, tag[:-1] + b" " * 70_000 + b">"])
    return data[:begin] + new + data[end:]


def entities(data: bytes, rng: Random) -> bytes:
    body = data.partition(b"?>")[2] or data
    named = body.replace(b"</seg>", rng.choice((b"&c;</seg>", b"&x;</seg>", b"</seg>")), 1)
    return rng.choice(ENTITIES) + named


# --- TOML ----------------------------------------------------------------------------------------


def changed_toml(data: bytes, rng: Random) -> bytes:
    try:
        table = _changed(tomllib.loads(data.decode()), rng)
        return _toml(table).encode("utf-8", "surrogatepass")
    except (ValueError, TypeError, AttributeError):
        return inserted_piece(data, rng)


def _toml(table: Any) -> str:
    """A table in TOML's notation, as flat as it goes; not everything in it need be TOML."""
    lines = []
    for key, value in sorted(table.items(), key=lambda item: isinstance(item[1], dict)):
        if isinstance(value, dict):
            lines.append(f"[{json.dumps(key)}]\n{_toml(value)}")
        else:
            lines.append(f"{json.dumps(key)} = {json.dumps(value).replace('null', 'nan')}")
    return "\n".join(lines) + "\n"


# --- tables --------------------------------------------------------------------------------------


def changed_cells(data: bytes, rng: Random) -> bytes:
    """One cell, column or row of a table is another."""
    rows = [line.split("\t") for line in data.decode("utf-8", "replace").split("\n")]
    at = rng.choice((0, rng.randrange(len(rows))))
    row = rows[at]
    column = rng.randrange(len(row))
    match rng.randrange(7):
        case 0:
            row[column] = rng.choice((any_text(rng), rng.choice(NUMBERS)))
        case 1:
            del row[column]
        case 2:
            row.insert(column, any_text(rng))
        case 3:
            other = rng.randrange(len(row))
            row[column], row[other] = row[other], row[column]
        case 4:
            for each in rows:
                del each[column : column + 1]
        case 5:
            row[column] = f'"{row[column]}"'
        case _:
            row[column] = rng.choice(rng.choice(rows))
    return "\n".join("\t".join(row) for row in rows).encode("utf-8", "surrogatepass")


# --- SQLite --------------------------------------------------------------------------------------


def changed_database(data: bytes, rng: Random) -> bytes:
    """A row, a value, a column or a table of a database is another or gone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        path.write_bytes(data)
        try:
            with sqlite3.connect(path) as database:
                for statement, values in _statements(database, rng):
                    database.execute(statement, values)
            database.close()
        except sqlite3.Error:
            return flipped_bits(data, rng)
        return path.read_bytes()


def _statements(database: sqlite3.Connection, rng: Random) -> Iterator[tuple[str, Sequence[Any]]]:
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    table = rng.choice(tables)[0]
    columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
    column = rng.choice(columns)
    some = f'rowid IN (SELECT rowid FROM "{table}" ORDER BY random() LIMIT {rng.choice((1, 3))})'
    values = (
        "",
        "x",
        "{",
        "[]",
        "null",
        b"\xff",
        -1,
        2**62,
        1.5,
        None,
        '{"score": "x"}',
        "[" * 3000,
    )
    yield "PRAGMA foreign_keys = OFF", ()
    yield "PRAGMA ignore_check_constraints = ON", ()
    yield rng.choice(
        (
            (f'UPDATE "{table}" SET "{column}" = ? WHERE {some}', (rng.choice(values),)),
            (f'UPDATE OR IGNORE "{table}" SET "{column}" = ?', (rng.choice(values),)),
            (f'DELETE FROM "{table}" WHERE {some}', ()),
            (f'DELETE FROM "{table}"', ()),
            (f'DROP TABLE "{table}"', ()),
            (f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other', ()),
            (f'ALTER TABLE "{table}" ADD COLUMN other TEXT', ()),
        )
    )


_BYTES: tuple[Mutation, ...] = (flipped_bits, cut, moved_piece, inserted_piece, compressed)
_TEXT: tuple[Mutation, ...] = (*_BYTES, changed_lines, other_encoding, changed_number, changed_word)
KINDS: dict[str, tuple[Mutation, ...]] = {
    "text": _TEXT,
    "json": (*_TEXT, doubled_key, *[changed_json] * 8),
    "xml": (*_TEXT, entities, *[changed_xml] * 5, *[changed_tags] * 3),
    "sgm": (*_TEXT, entities, *[changed_tags] * 6),
    "toml": (*_TEXT, *[changed_toml] * 8),
    "tsv": (*_TEXT, *[changed_cells] * 8),
    "sqlite": (
        flipped_bits,
        flipped_bits,
        cut,
        moved_piece,
        inserted_piece,
        *[changed_database] * 6,
    ),
}


def mutated(data: bytes, kind: str, rng: Random) -> bytes:
    """The file with one, now and then two or three, damages of its kind."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        try:
            data = rng.choice(KINDS[kind])(data, rng)
        except Exception:  # what was damaged before can be past what a damage of its kind takes
            data = flipped_bits(data, rng)
    return data
