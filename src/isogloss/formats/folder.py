"""A folder with a text file for each document, one segment per line: the file's name is its id."""

from pathlib import Path

from isogloss.errors import FormatError
from isogloss.formats.files import plain_stem, plain_suffix, read_lines
from isogloss.formats.protocol import Block, Side, SideFormat


def recognises(path: Path, head: str) -> bool:  # noqa: ARG001  (a folder has no text of its own)
    """A folder with at least one ``.txt`` in it; what else is there, reading will tell."""
    return path.is_dir() and any(plain_suffix(file) == ".txt" for file in path.iterdir())


def read(path: Path) -> Side:
    """The lines of all files, in the order of their names."""
    documents: dict[str, list[str]] = {}
    for file in sorted(path.iterdir()):
        if file.name.startswith("."):  # what file managers leave behind
            continue
        if plain_suffix(file) != ".txt":
            raise FormatError("is no .txt", path=file, remedy="keep only documents in this folder")
        id = plain_stem(file)
        if id in documents:
            raise FormatError(f"is a second document {id!r}", path=file, remedy="rename it")
        documents[id] = read_lines(file)
    return Side(
        path,
        tuple(line for lines in documents.values() for line in lines),
        tuple(Block(id, len(lines)) for id, lines in documents.items()),
    )


FORMAT = SideFormat(
    name="folder",
    description="a folder with a .txt for each document, one segment per line",
    recognises=recognises,
    read=lambda path, _role, _options: read(path),
)
