"""``isogloss segment``: texts that were handed in whole, cut as the source is."""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import inputs
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, Record, Result, print_text, say, show
from isogloss.documents import Collection, Document, SystemOutput
from isogloss.errors import InputError
from isogloss.formats import write_collection
from isogloss.notices import notices
from isogloss.wholes import Cut, Disparity, Kind

_LONGEST = 100  # characters of a text that a table shows


class SegmentForm(StrEnum):
    """What is printed: what was found, or the segments."""

    TABLE = "table"
    JSONL = "jsonl"
    TEXT = "text"


def command(
    testset: inputs.TestsetArgument = None,
    output: Annotated[
        SegmentForm,
        typer.Option(
            "--output",
            "-o",
            help="table: what is left out, added, said again or moved. jsonl: a line a segment, "
            "with its place in the text that was handed in. text: the segments of one system, "
            "one a line.",
        ),
    ] = SegmentForm.TABLE,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write plain text, one segment per line: the source, each reference and system, "
            "and the document of each line. Any tool for such files can go on from there.",
        ),
    ] = None,
    realign: inputs.RealignOption = False,
    sentences: inputs.SentencesOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    source: inputs.SourceOption = None,
    reference: inputs.ReferenceOption = None,
    system: inputs.SystemOption = None,
    documents: inputs.DocumentsOption = None,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    blank_lines: inputs.BlankLinesOption = False,
    column: inputs.ColumnOption = None,
    use_system: inputs.UseSystemOption = None,
    allow_missing: inputs.AllowMissingOption = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
) -> None:
    """Cut outputs that were handed in whole into the segments of the source.

    Systems that translate a document at once hand in one text, or other lines than the source
    has. Each is cut so that every segment of the source gets its own stretch, to the character:
    put together, the stretches are the text again. What has no partner is found on the way:
    source that was left out (omitted), output that was added or repeated, text that stands
    elsewhere (moved).

    [bold]See what was left out or added[/bold]

      isogloss segment -s source.jsonl -t a.jsonl -t b.jsonl

    [bold]One line a segment, for other tools[/bold]

      isogloss segment -s source.jsonl -t a.jsonl --save cut
      isogloss segment -s source.jsonl -t a.jsonl -o text > a.txt

    [bold]Places in the text that was handed in[/bold]

      isogloss segment -s source.jsonl -t a.jsonl -o jsonl > segments.jsonl

    Documents that have as many segments as the source stay as they are, unless with --realign.
    """
    collection = inputs.read_input(
        testset,
        source=source,
        references=reference,
        systems=system,
        documents=documents,
        source_language=source_language,
        target_language=target_language,
        format=format,
        pair=pair,
        blank_lines=blank_lines,
        columns=column,
        allow_missing=allow_missing,
        realign=realign,
        sentences=sentences,
        runtime=inputs.runtime_from(device, cache, no_cache),
        quiet=quiet,
    )
    if use_system:
        collection = collection.with_systems(use_system)
    if not quiet:
        say(*notices(collection))
        _say_what_stays(collection)
    if save:
        write_collection(collection, save, "text")
        say(f"segments written to {save}, one a line")
    _print(collection, output)


def _say_what_stays(collection: Collection) -> None:
    for output in collection.outputs:
        if output.cut_by is None:
            say(
                f"system {output.name!r} has the source's segments and stays as it is; "
                "--realign cuts it anew"
            )


def _print(collection: Collection, form: SegmentForm) -> None:
    match form:
        case SegmentForm.TABLE:
            show(Result(list(_grids(collection)), ()), Output.TABLE)
        case SegmentForm.JSONL:
            show(Result((), list(_records(collection))), Output.JSONL)
        case SegmentForm.TEXT:
            print_text(_lines(collection))


def _lines(collection: Collection) -> str:
    if len(collection.outputs) != 1:
        names = ", ".join(collection.system_names) or "none"
        raise InputError(
            "-o text prints the segments of one system; name it with --use-system, or write all "
            f"of them with --save FOLDER (there are: {names})"
        )
    lines = (line for segments in collection.outputs[0].documents.values() for line in segments)
    return "".join(" ".join((line or "").split()) + "\n" for line in lines)


def _grids(collection: Collection) -> Iterator[Grid]:
    """For each system that was cut its documents, then what was found in them."""
    for output in collection.outputs:
        if output.cut_by is not None:
            yield _documents_grid(output)
            if any(cut.disparities for cut in output.cuts.values()):
                yield _findings_grid(collection, output)


def _documents_grid(output: SystemOutput) -> Grid:
    rows = []
    for id, cut in output.cuts.items():
        found = Counter(disparity.kind for disparity in cut.disparities or ())
        numbers = [len(cut.places), len(cut.whole.parts), *(found[kind] for kind in Kind)]
        rows.append([id, *map(str, numbers)])
    headings = ["document", "segments", "handed in", *Kind]
    numeric = frozenset(range(1, len(headings)))
    return Grid(f"{output.name}, cut by {output.cut_by}", headings, rows, numeric=numeric)


def _findings_grid(collection: Collection, output: SystemOutput) -> Grid:
    """The passages one by one, with the labels of their segments where there are any."""
    labelled = any(document.labels for document in collection.testset.documents)
    headings = ["document", "segment", *(["label"] if labelled else []), "kind", "text"]
    rows = []
    for id, cut in output.cuts.items():
        document = collection.testset.document(id)
        for disparity in cut.disparities or ():
            label = [_label(document, disparity.segment) or ""] if labelled else []
            text = _text(document, cut, disparity)
            shown = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
            rows.append([id, str(disparity.segment + 1), *label, disparity.kind, shown])
    last = len(headings) - 1
    return Grid(
        f"{output.name}: what lacks its partner",
        headings,
        rows,
        numeric=frozenset([1]),
        lead=last,
        prose=frozenset([last]),
    )


def _label(document: Document, segment: int) -> str | None:
    return document.labels[segment] if document.labels else None


def _text(document: Document, cut: Cut, disparity: Disparity) -> str:
    """The words without a partner: of the output where they stand there, else of the source."""
    if disparity.output and disparity.kind is not Kind.OMITTED:
        start, end = disparity.output
        return " ".join(cut.whole.visible[start:end].split())
    source = document.source[disparity.segment]
    start, end = disparity.source or (0, len(source))
    return source[start:end]


def _records(collection: Collection) -> Iterator[Record]:
    """A line for each segment of each system, in the order of the test set."""
    for output in collection.outputs:
        for document in collection.testset.documents:
            cut = output.cuts.get(document.id)
            lines = zip(document.source, output.documents[document.id], strict=True)
            for segment, (source, text) in enumerate(lines):
                yield {
                    "system": output.name,
                    "document": document.id,
                    "segment": segment + 1,
                    "label": _label(document, segment),
                    "source": source,
                    "output": text,
                    **_place(document, cut, segment),
                }


def _place(document: Document, cut: Cut | None, segment: int) -> dict[str, Any]:
    """Where a segment stands in the text that was handed in, and what lacks its partner there."""
    if cut is None:
        return {"handed_in": None, "disparities": []}
    about = [each for each in cut.disparities or () if each.segment == segment]
    return {
        "handed_in": cut.shown[segment],
        "disparities": [
            {
                "kind": each.kind,
                "source": each.source,
                "output": each.output,
                "text": _text(document, cut, each),
            }
            for each in about
        ],
    }
