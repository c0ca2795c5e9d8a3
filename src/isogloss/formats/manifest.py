"""``testset.toml``: a file of a few lines that names the files of a test set.

    name = "newstest"
    source_language = "cs"
    target_language = "en"
    source = "source.cs.txt"
    documents = "documents.tsv"      # may be left out

    [references]
    refA = "ref.A.txt"

    [systems]
    good = "systems/good.txt"
    "GPT-4.1" = "systems/gpt.txt"    # a name with a dot needs quotes

Paths are relative to the manifest. ``collection`` in place of ``source`` names a file or folder
that holds a whole test set (``format``, ``pair`` and ``columns`` say how to read it), to which
the references and systems are added. ``human`` lists the systems that are people. References and
systems may be a list of paths, too: each is then named by its file.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

from isogloss.documents import Collection
from isogloss.errors import FormatError
from isogloss.formats.files import plain_suffix, read_text
from isogloss.formats.loose_files import Files, assembled, with_sides
from isogloss.formats.parts import MANIFEST, write_text_folder
from isogloss.formats.protocol import Format, ReadOptions, ReadsSide, TestSetFormat
from isogloss.notation import toml_table

_TEXTS = (
    "name", "source_language", "target_language", "source", "documents",
    "collection", "format", "pair",
)  # fmt: skip
_KEYS = (*_TEXTS, "columns", "human", "references", "systems")
_ONLY_WITH = {
    "documents": "source",
    "format": "collection",
    "pair": "collection",
    "columns": "collection",
}


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001 (a manifest is known by its name)
    """A TOML file, or a folder with a ``testset.toml`` in it."""
    return (path / MANIFEST).is_file() if path.is_dir() else plain_suffix(path) == ".toml"


@dataclass(frozen=True, slots=True)
class Readers:
    """How the files that a manifest names are read: by the registry, which knows all formats."""

    recognise: Callable[[Path], Format]
    side: ReadsSide
    collection: Callable[[Path, str | None, ReadOptions], Collection]
    names: Callable[[], Sequence[str]]


def manifest_format(readers: Readers) -> TestSetFormat:
    """The format, whose files name files of other formats."""
    return TestSetFormat(
        name="manifest",
        description="testset.toml that names the files of a test set",
        recognises=recognises,
        read=partial(_read, readers),
        write=write_text_folder,
    )


def _read(readers: Readers, path: Path, options: ReadOptions) -> Collection:
    """The test set that a manifest describes; what `options` say goes before what it says."""
    manifest = _Manifest.load(path / MANIFEST if path.is_dir() else path)
    options = manifest.completing(options)
    references, systems = manifest.files("references"), manifest.files("systems")
    if "collection" in manifest.table:
        given = manifest.collection(readers, options)
        collection = with_sides(readers.side, given, references, systems, options)
    else:
        collection = assembled(
            readers.side,
            manifest.file("source"),
            references,
            systems,
            manifest.file("documents") if "documents" in manifest.table else None,
            options,
        )
    return manifest.with_humans(collection)


@dataclass(frozen=True, slots=True)
class _Manifest:
    """A manifest that has been parsed, with its text to tell on which line a mistake is."""

    path: Path
    text: str
    table: Mapping[str, Any]

    @classmethod
    def load(cls, path: Path) -> "_Manifest":
        text = read_text(path)
        manifest = cls(path, text, toml_table(text, path))
        manifest.check()
        return manifest

    def check(self) -> None:
        for key, value in self.table.items():
            if key not in _KEYS:
                near = get_close_matches(key, _KEYS, 1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                remedy = f"{hint}the keys are: {', '.join(_KEYS)}"
                raise self.wrong(f"there is no key {key!r}", key, remedy=remedy)
            if key in _TEXTS and not (isinstance(value, str) and value):
                raise self.wrong(f"{key!r} must be a text in quotes", key)
            if key in _ONLY_WITH and _ONLY_WITH[key] not in self.table:
                raise self.wrong(f"{key!r} needs {_ONLY_WITH[key]!r} beside it", key)
        if ("source" in self.table) == ("collection" in self.table):
            raise FormatError(
                "names both a source and a collection"
                if "source" in self.table
                else "names no source",
                path=self.path,
                remedy='it needs either source = "FILE" or collection = "FILE"',
            )

    def completing(self, options: ReadOptions) -> ReadOptions:
        """The options with what the manifest says where the person said nothing."""
        return replace(
            options,
            name=options.name or self.table.get("name"),
            source_language=options.source_language or self.table.get("source_language"),
            target_language=options.target_language or self.table.get("target_language"),
            pair=options.pair or self.table.get("pair"),
            columns={**self.columns(), **options.columns},
        )

    def columns(self) -> dict[str, str]:
        columns = self.table.get("columns", {})
        if not isinstance(columns, dict):
            raise self.wrong("'columns' must be a table: [columns]", "columns")
        for name, value in columns.items():
            if not isinstance(value, str):
                raise self.wrong("a column must be a text in quotes", name, "columns")
        return columns

    def collection(self, readers: Readers, options: ReadOptions) -> Collection:
        path, format = self.file("collection"), self.table.get("format")
        if format is not None and format not in readers.names():
            known = ", ".join(readers.names())
            raise self.wrong(f"there is no format {format!r}", "format", remedy=f"use {known}")
        if (format or readers.recognise(path).name) == "manifest":
            # Two manifests that name each other would never come to an end.
            raise self.wrong("'collection' may not be a manifest itself", "collection")
        return readers.collection(path, format, options)

    def files(self, key: str) -> Files:
        """The files under `references` or `systems`, by name or as a plain list."""
        value = self.table.get(key, {})
        if isinstance(value, dict):
            return {name: self._path(file, name, key) for name, file in value.items()}
        if isinstance(value, list):
            return [self._path(file, key) for file in value]
        raise self.wrong(f"{key!r} must be a table: [{key}]", key)

    def file(self, key: str) -> Path:
        return self._path(self.table[key], key)

    def _path(self, file: object, key: str, table: str | None = None) -> Path:
        where = f"{table}.{key}" if table else key
        if isinstance(file, dict):
            raise self.wrong(
                f"{where} is a table, not a file",
                key,
                table,
                'put a name with a dot in quotes: "…"',
            )
        if not isinstance(file, str) or not file:
            raise self.wrong(f"{where} must be a path in quotes", key, table)
        path = self.path.parent / file
        if not os.path.exists(path):  # unlike Path.exists, this knows impossible names
            remedy = "paths are relative to the manifest"
            if table and key in _KEYS:
                remedy = f"if {key!r} is no name in [{table}], put it above the first [table]"
            raise self.wrong(f"{where}: no such file {file!r}", key, table, remedy)
        return path

    def with_humans(self, collection: Collection) -> Collection:
        humans = self.table.get("human", [])
        if not isinstance(humans, list):
            raise self.wrong("'human' must be a list of systems: [\"NAME\"]", "human")
        for name in humans:
            if name not in collection.all_system_names:
                known = ", ".join(collection.all_system_names) or "none"
                remedy = f"there are: {known}"
                raise self.wrong(f"human: there is no system {name!r}", "human", remedy=remedy)
        outputs = (
            replace(output, human=output.human or output.name in humans)
            for output in collection.outputs
        )
        unsplit = (
            replace(each, human=each.human or (each.name in humans and not each.reference))
            for each in collection.unsplit
        )
        return replace(collection, outputs=tuple(outputs), unsplit=tuple(unsplit))

    def wrong(self, what: str, key: str, table: str | None = None, remedy: str = "") -> FormatError:
        line = _line_of(self.text, key, table)
        return FormatError(what, path=self.path, line=line, remedy=remedy)


_HEADER = re.compile(r"""\s*\[\s*["']?([^\]"']+?)["']?\s*\]""")
_ASSIGNMENT = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[=.]""")


def _line_of(text: str, key: str, table: str | None) -> int | None:
    """The line on which a key is set, or the one on which its table begins."""
    current: str | None = None
    fallback = None
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            current = header[1]
            if current in (key, table) and fallback is None:
                fallback = number
        elif found := _ASSIGNMENT.match(line):
            name = found[1] or found[2] or found[3]
            if (name, current) == (key, table):
                return number
            if current is None and name == table:
                fallback = number
    return fallback
