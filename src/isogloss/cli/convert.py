"""``isogloss convert``: from one test-set format to another."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import completion, inputs
from isogloss.cli.output import say
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.formats import plain_suffix, write_collection

_BY_SUFFIX = {
    ".xml": "wmt-xml",
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".arrow": "parquet",
    ".feather": "parquet",
}


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="[TESTSET] OUTPUT",
            help="The test set to read (or leave it out and name loose files with the options "
            "below), and the file or folder to write.",
        ),
    ],
    into: Annotated[
        str | None,
        typer.Option(
            "--into",
            help="Format to write; by default the suffix of OUTPUT tells: "
            ".xml, .tsv, .csv, .jsonl (also compressed), .parquet, .arrow. Folders need it: text, "
            "sgm, mtme, manifest.",
            autocompletion=completion.written_formats,
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option(help="Write over what is there.")] = False,
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
    allow_missing: inputs.AllowMissingOption = False,
) -> None:
    """Write a test set with its systems in another format.

    [bold]Examples[/bold]

      isogloss convert newstest.jsonl newstest.xml
      isogloss convert wmt23 folder --pair en-de --into text
      isogloss convert all.tsv -s source.txt -r ref.txt -t a.txt -t b.txt -d docs.tsv
    """
    *given, target = paths
    if len(given) > 1:
        raise InputError("give one TESTSET and one OUTPUT; other files go into options")
    chosen = into or _BY_SUFFIX.get(plain_suffix(target))
    if chosen is None:
        raise InputError(
            f"which format should {str(target)!r} have? name it with --into "
            "(see 'isogloss list formats')"
        )
    if (target.is_file() or target.is_dir()) and not overwrite:
        raise InputError(f"{target} exists already; use --overwrite to replace it")
    collection = inputs.read_input(
        given[0] if given else None,
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
    )
    write_collection(collection, target, chosen)
    testset_written = collection.testset
    say(
        f"wrote {target} ({chosen}): {counted(len(testset_written.documents), 'document')}, "
        f"{counted(testset_written.segment_count, 'segment')}, "
        f"{counted(len(collection.outputs), 'system')}"
    )
