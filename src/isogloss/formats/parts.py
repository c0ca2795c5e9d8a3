"""Collections as folders of files, one for each side, with the manifest that names them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from isogloss.documents import Collection, Document, Segments
from isogloss.errors import FormatError
from isogloss.formats.files import write_folder_of_lines
from isogloss.notation import toml_text

MANIFEST = "testset.toml"


class Role(Enum):
    """What a side is in its collection."""

    SOURCE = "source"
    REFERENCE = "reference"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class FilePart:
    """One side of a collection on its own, as it goes into a file; the source has no name."""

    role: Role
    name: str | None
    documents: Mapping[str, Segments]


def parts_of(collection: Collection) -> list[FilePart]:
    """The way back: the source, the references and the outputs, each on its own."""
    testset = collection.testset
    source: dict[str, Segments] = {d.id: d.source for d in testset.documents}
    references = [
        FilePart(Role.REFERENCE, name, {d.id: d.references[name] for d in testset.documents})
        for name in testset.reference_names
    ]
    systems = [
        FilePart(Role.SYSTEM, output.name, output.documents) for output in collection.outputs
    ]
    return [FilePart(Role.SOURCE, None, source), *references, *systems]


def write_text_folder(collection: Collection, path: Path) -> None:
    """Write a folder of text files, one per side, with the manifest that names them."""
    write_folder(
        collection,
        path,
        {
            Role.SOURCE: "source.txt",
            Role.REFERENCE: "reference.{}.txt",
            Role.SYSTEM: "systems/{}.txt",
        },
        lambda file, part: lines_of(file, part.documents),
        documents="documents.tsv",
    )


def write_folder(
    collection: Collection,
    path: Path,
    names: Mapping[Role, str],
    lines: Callable[[Path, FilePart], list[str]],
    documents: str | None = None,
) -> None:
    """Write a file for every side, with these names and lines, and the manifest beside them.

    `documents` names the file that tells documents apart, where the others do not.
    """
    folder, manifest = (path.parent, path) if path.suffix == ".toml" else (path, path / MANIFEST)
    parts = parts_of(collection)
    files = _file_names(parts, names)
    # All lines are made before the first is written, so that what is refused leaves no half folder.
    contents = {file: lines(folder / file, part) for file, part in zip(files, parts, strict=True)}
    if documents:
        testset = collection.testset
        contents[documents] = document_lines_of(folder / documents, testset.documents)
    contents[manifest.name] = _manifest_lines(collection, parts, files, documents)
    write_folder_of_lines(folder, contents)


def _file_names(parts: Sequence[FilePart], patterns: Mapping[Role, str]) -> list[str]:
    """A file name for every part: safe on any file system, and no two the same on any."""
    names: list[str] = []
    taken: set[str] = set()
    for part in parts:
        stem, number = _safe(part.name or ""), 1
        name = patterns[part.role].format(stem)
        while name.casefold() in taken:
            number += 1
            name = patterns[part.role].format(f"{stem}-{number}")
        taken.add(name.casefold())
        names.append(name)
    return names


def _safe(name: str) -> str:
    """The name with nothing in it that means something to a file system or a shell."""
    plain = re.sub(r"[^\w.+=@-]", "_", name).lstrip(".-")
    # File systems count bytes, and cutting bytes may leave half a character.
    return plain.encode()[:120].decode(errors="ignore") or "unnamed"


def _manifest_lines(
    collection: Collection, parts: Sequence[FilePart], files: Sequence[str], documents: str | None
) -> list[str]:
    testset = collection.testset
    named = list(zip(parts, files, strict=True))
    top = {
        "name": testset.name,
        "source_language": testset.source_language,
        "target_language": testset.target_language,
        "source": named[0][1],
        "documents": documents,
        "human": [output.name for output in collection.outputs if output.human],
    }
    tables = {
        f"{role.value}s": {part.name: file for part, file in named if part.role is role}
        for role in (Role.REFERENCE, Role.SYSTEM)
    }
    told = {key: value for key, value in {**top, **tables}.items() if value}
    return toml_text(told).removesuffix("\n").split("\n")


def lines_of(path: Path, documents: Mapping[str, Segments]) -> list[str]:
    """The segments of one side as the lines of a file; what a line cannot keep is refused."""
    return [
        _line(path, f"document {id!r}, segment {number}", segment)
        for id, segments in documents.items()
        for number, segment in enumerate(segments, 1)
    ]


def document_lines_of(path: Path, documents: Sequence[Document]) -> list[str]:
    """The lines of a file that assigns every segment to its document (and domain, if any has)."""
    with_domain = any(document.domain for document in documents)
    lines = []
    for document in documents:
        fields = [document.domain or "", document.id] if with_domain else [document.id]
        what = f"the id or domain of document {document.id!r}"
        if not document.id.strip():
            raise _unwritable(path, f"{what} is blank")
        if any("\t" in field for field in fields):
            raise _unwritable(path, f"{what} holds a tab")
        lines.extend([_line(path, what, "\t".join(fields))] * len(document))
    return lines


def _line(path: Path, what: str, text: str | None) -> str:
    text = present(path, what, text)
    if "\n" in text:
        raise _unwritable(path, f"{what} holds a line break")
    if text.endswith("\r"):
        # Reading cannot tell it from the first half of a Windows line end.
        raise _unwritable(path, f"{what} ends in a carriage return")
    return text


def present(path: Path, what: str, text: str | None) -> str:
    """The text, unless it is absent, which neither an empty line nor any other can say."""
    if text is None:
        raise _unwritable(path, f"{what} is absent")
    return text


def _unwritable(path: Path, what: str) -> FormatError:
    return FormatError(
        f"{what}, which this format cannot hold", path=path, remedy="write jsonl instead"
    )
