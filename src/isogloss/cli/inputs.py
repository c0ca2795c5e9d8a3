"""The options that say where a test set is and how to read it, shared by several commands."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from enum import StrEnum
from functools import reduce
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import completion
from isogloss.cli.output import say
from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.language import check_known
from isogloss.runtime import Runtime, default_cache_folder
from isogloss.scores import ScoreTable

TESTSET = "Test set"
MODELS = "Metrics with a model"
_PLAIN = Runtime()


class DeviceKind(StrEnum):
    """Where a model runs."""

    CPU = "cpu"
    CUDA = "cuda"
    AUTO = "auto"


DeviceOption = Annotated[
    DeviceKind, typer.Option("--device", help="Where models run.", rich_help_panel=MODELS)
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        help="Folder that keeps what models computed. Default: $ISOGLOSS_CACHE, or the user's "
        "cache folder.",
        rich_help_panel=MODELS,
    ),
]
NoCacheOption = Annotated[
    bool,
    typer.Option("--no-cache", help="Keep nothing on disk.", rich_help_panel=MODELS),
]


AllowNetworkOption = Annotated[
    bool,
    typer.Option(
        "--allow-network",
        envvar="ISOGLOSS_ALLOW_NETWORK",
        help="Let metrics send texts to other machines (llm) and download models (comet and "
        "others). Without it they say what they would do.",
        rich_help_panel=MODELS,
    ),
]


CLUSTER = "Many machines"
ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS|local",
        help="Let a Ray cluster do the work: its address (HOST:PORT of 'ray start --head', or "
        "auto), or local for one of this machine's cores. The numbers are the same.",
        rich_help_panel=CLUSTER,
    ),
]
WorkerCoresOption = Annotated[
    int,
    typer.Option(
        "--worker-cores",
        help="Cores of each worker of the cluster: more for large models, which every worker "
        "loads.",
        rich_help_panel=CLUSTER,
    ),
]
HungAfterOption = Annotated[
    float,
    typer.Option(
        "--hung-after",
        metavar="SECONDS",
        help="A worker that gives no sign of life for so long is started again. One that computes, "
        "however slowly, gives signs of life.",
        rich_help_panel=CLUSTER,
    ),
]
ShardLimitOption = Annotated[
    float | None,
    typer.Option(
        "--shard-limit",
        metavar="SECONDS",
        help="Start a worker again that has not done its share of the work after so long, even if "
        "it computes. Default: wait; who takes long is told.",
        rich_help_panel=CLUSTER,
        show_default=False,
    ),
]


@contextmanager
def unspoken(runtime: Runtime) -> Iterator[None]:
    """Keeps what Ray prints of its workers' deaths out of the results."""
    if runtime.cluster is None:
        yield
        return
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        yield


def runtime_from(
    device: DeviceKind = DeviceKind.CPU,
    cache: Path | None = None,
    no_cache: bool = False,
    allow_network: bool = False,
) -> Runtime:
    """Where models run, where they keep what they computed, and whether texts may be sent."""
    folder = None if no_cache else cache or default_cache_folder()
    return Runtime(device.value, folder, network=allow_network)


TestsetArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="TESTSET",
        help="A file or folder that holds a whole test set (see 'isogloss list formats'), "
        "or leave it out and name loose files with the options below.",
        show_default=False,
    ),
]
SourceOption = Annotated[
    Path | None,
    typer.Option(
        "--source",
        "-s",
        help="Source text, one segment per line, or a folder of such, SGM, WMT's JSON lines, "
        "XLIFF, TMX, subtitles; metrics that read no source need none.",
        rich_help_panel=TESTSET,
    ),
]
ReferenceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--reference",
        "-r",
        metavar="[NAME=]FILE",
        help="A reference translation; repeat for several.",
        rich_help_panel=TESTSET,
    ),
]
SystemOption = Annotated[
    list[str] | None,
    typer.Option(
        "--system",
        "-t",
        metavar="[NAME=]FILE",
        help="A system's output; repeat for several.",
        rich_help_panel=TESTSET,
    ),
]
DocumentsOption = Annotated[
    Path | None,
    typer.Option(
        "--documents",
        "-d",
        help="The document of each line: 'doc' or 'domain<TAB>doc', line by line. Without it "
        "every line counts as a document of its own.",
        rich_help_panel=TESTSET,
    ),
]


def _known_language(option: typer.CallbackParam, value: str | None) -> str | None:
    if value is not None:
        check_known(value, option.opts[0])
    return value


FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="LANGUAGE",
        help="Source language: a code of ISO 639, e.g. cs, or x-NAME for one without a code.",
        rich_help_panel=TESTSET,
        callback=_known_language,
        autocompletion=completion.languages,
    ),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="LANGUAGE",
        help="Target language, e.g. en, likewise; it decides the tokeniser.",
        rich_help_panel=TESTSET,
        callback=_known_language,
        autocompletion=completion.languages,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of TESTSET, if it should not be recognised by its content.",
        rich_help_panel=TESTSET,
        autocompletion=completion.formats,
    ),
]
PairOption = Annotated[
    str | None,
    typer.Option(
        "--pair",
        metavar="XX-YY",
        help="Language pair to take where TESTSET holds several.",
        rich_help_panel=TESTSET,
    ),
]
ColumnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="Name of a column in a TSV or JSONL file, e.g. source=English; repeatable.",
        rich_help_panel=TESTSET,
    ),
]
BlankLinesOption = Annotated[
    bool,
    typer.Option(
        "--blank-lines",
        help="In plain text files, blank lines stand between documents instead of being segments.",
        rich_help_panel=TESTSET,
    ),
]
UseReferenceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--use-reference",
        metavar="NAME",
        help="Score against this reference only; repeat for several. Default: all together.",
        rich_help_panel=TESTSET,
    ),
]
UseSystemOption = Annotated[
    list[str] | None,
    typer.Option(
        "--use-system",
        metavar="NAME",
        help="Score this system only; repeat for several. Default: all.",
        rich_help_panel=TESTSET,
        autocompletion=completion.systems,
    ),
]
AllowMissingOption = Annotated[
    bool,
    typer.Option(
        "--allow-missing",
        help="Let systems lack documents: those count as not scored instead of as an error.",
        rich_help_panel=TESTSET,
    ),
]
RealignOption = Annotated[
    bool,
    typer.Option(
        "--realign",
        help="Cut outputs anew even if they have as many segments as the source: lines may have "
        "slipped. Those with other segments are always cut.",
        rich_help_panel=TESTSET,
    ),
]
SentencesOption = Annotated[
    bool,
    typer.Option(
        "--sentences",
        help="Cut paragraphs of the source into sentences first, so that a segment is a sentence.",
        rich_help_panel=TESTSET,
    ),
]


def read_input(
    testset: Path | None,
    *,
    source: Path | None = None,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    documents: Path | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
    format: str | None = None,
    pair: str | None = None,
    blank_lines: bool = False,
    columns: Sequence[str] | None = None,
    allow_missing: bool = False,
    realign: bool = False,
    sentences: bool = False,
    runtime: Runtime = _PLAIN,
    quiet: bool = False,
) -> Collection:
    """The test set that the options of a command describe, its outputs with its segments."""
    from isogloss.formats import ReadOptions, assemble, read_collection

    options = ReadOptions(
        source_language=source_language,
        target_language=target_language,
        pair=pair,
        blank_lines=blank_lines,
        columns=dict(named("--column", item) for item in columns or ()),
        allow_missing=allow_missing,
        realign=realign,
    )
    if testset is not None:
        if source or references or systems or documents:
            raise InputError(
                "give either a TESTSET or loose files (--source, --reference, --system), not both"
            )
        read = read_collection(testset, format, options)
    elif source or references or systems:
        read = assemble(source, _files(references), _files(systems), documents, options)
    else:
        raise InputError(
            "there is nothing to read; name a TESTSET, or loose files with "
            "--source, --reference and --system"
        )
    return with_segments(read, realign, sentences, runtime, quiet=quiet)


def with_segments(
    collection: Collection,
    realign: bool = False,
    sentences: bool = False,
    runtime: Runtime = _PLAIN,
    *,
    quiet: bool = False,
) -> Collection:
    """The collection with all texts cut as its source is; a bar tells how far that has come."""
    if not (collection.unsplit or realign or sentences):
        return collection
    from isogloss.cli.progress import progress_bar
    from isogloss.segmentation import split

    if not quiet:
        anew = collection.system_names if realign or sentences else ()
        names = ", ".join(map(repr, (*(text.name for text in collection.unsplit), *anew)))
        say(f"cutting {names} as the source is")
    with progress_bar(quiet) as tell:
        told = replace(runtime, progress=tell)
        return split(collection, runtime=told, realign=realign, sentences=sentences)


def _files(items: Sequence[str] | None) -> list[Path | tuple[str, Path]]:
    """``NAME=FILE`` or ``FILE``; a file whose own name has an equals sign wins."""
    return [
        (name, Path(file)) if equals and name and not Path(item).exists() else Path(item)
        for item in items or ()
        for name, equals, file in [item.partition("=")]
    ]


def named(option: str, item: str) -> tuple[str, str]:
    """Both sides of ``OURS=THEIRS``."""
    ours, equals, theirs = item.partition("=")
    if not (ours and equals and theirs):
        raise InputError(f"{option} takes OURS=THEIRS, not {item!r}")
    return ours, theirs


def read_saved(paths: Sequence[Path]) -> ScoreTable:
    """The scores of files that 'evaluate --save' wrote, as one table whose numbers agree."""
    from isogloss.formats import read_scores

    return _merged(map(read_scores, paths))


def read_saved_by_testset(paths: Sequence[Path]) -> list[ScoreTable]:
    """The same, a table for each test set that the files are about."""
    from isogloss.formats import read_scores

    by_testset: dict[str, list[ScoreTable]] = {}
    for table in map(read_scores, paths):
        by_testset.setdefault(table.provenance.testset_digest, []).append(table)
    return list(map(_merged, by_testset.values()))


def _merged(tables: Iterable[ScoreTable]) -> ScoreTable:
    from isogloss.metrics import refuse_contradictions

    table = reduce(ScoreTable.merged_with, tables)
    refuse_contradictions(table)
    return table
