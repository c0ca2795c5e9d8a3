"""Plain text, one segment per line; a file beside it may tell which document each line is of.

That file of documents has one line per segment too: a document id, or a domain, a tab and a
document id, which is how mt-metrics-eval writes its ``.docs``.
"""

from itertools import groupby
from pathlib import Path

from isogloss.documents import counted
from isogloss.errors import FormatError
from isogloss.formats.files import read_lines
from isogloss.formats.parts import write_text_folder
from isogloss.formats.protocol import Block, Side, SideFormat

_DOCUMENT_LINE = "every line needs a document id, or a domain, a tab and a document id"


def recognises(path: Path, head: str) -> bool:
    """The last resort: any file that is not plainly binary; what it lacks, reading will tell."""
    return not path.is_dir() and "\0" not in head


def read(path: Path) -> Side:
    """The lines of a file as one side of a test set."""
    return Side(path, tuple(read_lines(path)))


def read_blocks(path: Path) -> Side:
    """The lines of a file whose documents have blank lines between them, and numbers for ids."""
    lines = read_lines(path)
    runs = [list(run) for shown, run in groupby(lines, lambda line: bool(line.strip())) if shown]
    if not runs:
        raise FormatError("there are blank lines only", path=path)
    width = len(str(len(runs)))
    blocks = (Block(f"text-{n:0{width}d}", len(run)) for n, run in enumerate(runs, 1))
    return Side(path, tuple(line for run in runs for line in run), tuple(blocks))


def read_documents(
    path: Path, expected_lines: int, source: str | Path = "the source"
) -> tuple[Block, ...]:
    """The documents to which a file assigns the lines of `source`, one line for each of them."""
    labels = _labels(path)
    if len(labels) != expected_lines:
        raise FormatError(
            f"has {counted(len(labels), 'line')}, {source} has {expected_lines:,}",
            path=path,
            remedy="it needs one line per source segment",
        )
    blocks: list[Block] = []
    begins: dict[str, int] = {}
    line = 1
    for (domain, id), same in groupby(labels):
        if id in begins:
            adjacent = blocks[-1].id == id
            raise _two_domains(path, line, id) if adjacent else _torn(path, line, id, begins[id])
        begins[id] = line
        blocks.append(Block(id, len(list(same)), domain))
        line += blocks[-1].segments
    return tuple(blocks)


def _labels(path: Path) -> list[tuple[str | None, str]]:
    """The domain and the document id of every line."""
    rows = [line.split("\t") for line in read_lines(path)]
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        what = ""
        if len(row) > 2:
            what = f"{len(row)} columns"
        elif len(row) != width:
            what = f"{counted(len(row), 'column')}, but line 1 has {width}"
        elif not row[-1].strip():
            what = "the document id is blank"
        if what:
            raise FormatError(what, path=path, line=number, remedy=_DOCUMENT_LINE)
    return [(row[0] or None if width == 2 else None, row[-1]) for row in rows]


def _torn(path: Path, line: int, id: str, begins: int) -> FormatError:
    return FormatError(
        f"document {id!r} began at line {begins} and reappears after another document",
        path=path,
        line=line,
        remedy="put the lines of a document together, or give its second part another id",
    )


def _two_domains(path: Path, line: int, id: str) -> FormatError:
    return FormatError(
        f"document {id!r} changes its domain", path=path, line=line, remedy="give it one domain"
    )


FORMAT = SideFormat(
    name="text",
    description="plain text, one segment per line",
    recognises=recognises,
    read=lambda path, _role, options: (read_blocks if options.blank_lines else read)(path),
    write=write_text_folder,
)
