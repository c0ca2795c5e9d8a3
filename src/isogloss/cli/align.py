"""``isogloss align``: which words of a translation stand for which words of its source.

With ``--gold`` it says how far an aligner's links agree with those that people made.
"""

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from isogloss.alignment import (
    ALIGNERS,
    AUTO,
    SYMMETRISATIONS,
    Aligner,
    GoldFile,
    SegmentAlignment,
    SegmentPair,
    Splitter,
    aer_interval,
    aligner,
    groups,
    is_bitext,
    link_agreement,
    pharaoh_line,
    read_gold,
    remarks_of,
    words_of,
)
from isogloss.cli import inputs
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, Record, Result, number, print_text, say
from isogloss.cli.output import show as show_result
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.formats import ReadOptions, read_collection, write_text
from isogloss.language import Token, tokeniser
from isogloss.model import DEFAULT_MODEL
from isogloss.report import aligned_text_page

ALIGNMENT = "Words and alignment"

SymmetriseOption = Annotated[
    str,
    typer.Option(
        help=f"One of {', '.join(SYMMETRISATIONS)}.",
        rich_help_panel=ALIGNMENT,
        autocompletion=lambda: list(SYMMETRISATIONS),
    ),
]
SourceWordsOption = Annotated[
    str | None,
    typer.Option(
        help="Tokeniser of the source; 'space' for text that is split into words already.",
        rich_help_panel=ALIGNMENT,
    ),
]


_HEADINGS = ("pairs", "links", "precision", "recall", "AER", "95 %")


def agreement_result(found: Sequence[SegmentAlignment], gold: GoldFile, aligner: str) -> Result:
    """Precision, recall and alignment error rate in per cent."""
    links = [alignment.links for alignment in found]
    agreed, interval = link_agreement(links, gold.links), aer_interval(links, gold.links)
    record: Record = {
        "aligner": aligner,
        "pairs": len(found),
        "links": agreed.links,
        "sure": agreed.sure,
        "possible": sum(len(each.possible - each.sure) for each in gold.links),
        "precision": agreed.precision,
        "recall": agreed.recall,
        "aer": agreed.aer,
        "aer_low": interval[0],
        "aer_high": interval[1],
    }
    low, high = (number(100 * end, 1) for end in interval)
    shares = [_per_cent(value) for value in (agreed.precision, agreed.recall, agreed.aer)]
    row = (f"{len(found):,}", f"{agreed.links:,}", *shares, f"[{low}, {high}]")
    grid = Grid(
        "Agreement with gold links",
        _HEADINGS,
        [row],
        notes=[
            f"gold: {counted(agreed.sure, 'sure link')}, {record['possible']:,} more possible; "
            f"words counted from {gold.first}",
            "AER: the lower the better; the interval is over sentence pairs",
        ],
        numeric=frozenset(range(len(_HEADINGS))),
    )
    return Result([grid], [record])


def _per_cent(value: float | None) -> str:
    return number(None if value is None else 100 * value, 1)


GOLD = "Agreement with people"
_COLOURS = ("red", "green", "yellow", "blue", "magenta", "cyan")


class LinkForm(StrEnum):
    """How links are written."""

    PHARAOH = "pharaoh"
    JSONL = "jsonl"


_AGREEMENT_FORMS = {LinkForm.PHARAOH: Output.TABLE, LinkForm.JSONL: Output.JSONL}


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="TESTSET | SOURCE TARGET | BITEXT",
            help="A test set; two files with a segment in each line; or one file with "
            "'source ||| target' in each line.",
        ),
    ],
    of: Annotated[
        str | None,
        typer.Option(
            "--of", metavar="NAME", help="The system or reference of TESTSET that is aligned."
        ),
    ] = None,
    output: Annotated[
        LinkForm,
        typer.Option(
            "--output",
            "-o",
            help="pharaoh: 0-0 1-2, a line for each segment; jsonl: words with their characters.",
        ),
    ] = LinkForm.PHARAOH,
    scores: Annotated[
        bool, typer.Option("--scores", help="Put its score behind each link: 0-0:0.98.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option(help="Write the links to this file, not to standard output.")
    ] = None,
    show: Annotated[
        list[int] | None,
        typer.Option(help="Show this segment (counted from 1) in colours; repeatable."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a web page that shows all segments in colours.")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Links made by people, a line for each segment: '1-1 2-3 2p4', where 2p4 is "
            "possible and the others sure. Prints precision, recall and AER; the texts count as "
            "split into words.",
            rich_help_panel=GOLD,
        ),
    ] = None,
    gold_from: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=1,
            help="Whether the gold links count words from 0 or 1. Default: from 1, unless there is "
            "a word 0.",
            rich_help_panel=GOLD,
        ),
    ] = None,
    aligner_name: Annotated[
        str,
        typer.Option(
            "--aligner",
            help=f"One of {', '.join(ALIGNERS)}.",
            rich_help_panel=ALIGNMENT,
            autocompletion=lambda: list(ALIGNERS),
        ),
    ] = AUTO,
    symmetrise: SymmetriseOption = SYMMETRISATIONS[0],
    extra: Annotated[
        list[Path] | None,
        typer.Option(
            help="More bitext to learn from: 'source<TAB>target' or 'source ||| target' in each "
            "line; repeatable.",
            rich_help_panel=ALIGNMENT,
        ),
    ] = None,
    links: Annotated[
        Path | None,
        typer.Option(
            help="A Pharaoh file with the links, for --aligner file.", rich_help_panel=ALIGNMENT
        ),
    ] = None,
    save_model: Annotated[
        Path | None,
        typer.Option(
            help="Keep what a statistical aligner learns in this folder.", rich_help_panel=ALIGNMENT
        ),
    ] = None,
    trained: Annotated[
        Path | None,
        typer.Option(
            help="Use what one learnt before, from this folder: fast, and no segment depends on "
            "another.",
            rich_help_panel=ALIGNMENT,
        ),
    ] = None,
    source_words: SourceWordsOption = None,
    target_words: Annotated[
        str | None, typer.Option(help="Tokeniser of the target.", rich_help_panel=ALIGNMENT)
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Of the sampling aligner.", rich_help_panel=ALIGNMENT)
    ] = 1,
    source_language: inputs.FromOption = None,
    target_language: inputs.ToOption = None,
    format: inputs.FormatOption = None,
    pair: inputs.PairOption = None,
    model: Annotated[
        str,
        typer.Option(
            help="The model whose attention is read: a name or a folder.",
            rich_help_panel=inputs.MODELS,
        ),
    ] = DEFAULT_MODEL,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
) -> None:
    """Link the words of translations to the words of their sources.

    auto reads a translation model (attention) where it knows both languages, and learns from the
    text (eflomal) where it does not; a note says which. A statistical aligner (eflomal, hmm, ibm4,
    fast-align) wants a few thousand segments or --extra bitext; combined does both. Equal input
    gives equal links. What was aligned once comes from the cache.

    [bold]Examples[/bold]

      isogloss align source.zh output.en --from zh --to en > links.txt
      isogloss align testset.toml --of my-system --aligner combined -o jsonl --write links.jsonl
      isogloss align testset.toml --of ref --show 3 --show 7
      isogloss align source.zh ref.en --from zh --to en --save-model model --html links.html
      isogloss align source.zh output.en --from zh --to en --trained model
      isogloss align enfr.txt --from en --to fr --gold enfr.gold
    """
    if gold:  # whose words are counted, so they must not be split again
        source_words, target_words = source_words or "space", target_words or "space"
    splitter, pairs, languages = _read(
        paths,
        of,
        ReadOptions(source_language=source_language, target_language=target_language, pair=pair),
        format,
        (source_words, target_words),
    )
    true = read_gold(gold, words_of(pairs), gold_from) if gold else None
    chosen = aligner(
        aligner_name,
        symmetrise,
        source_language=languages[0],
        target_language=languages[1],
        extra=[words for path in extra or () for words in splitter.bitext(path)],
        seed=seed,
        trained=trained,
        save_to=save_model,
        file=links,
        model=model,
        runtime=inputs.runtime_from(device, cache, no_cache),
    )
    with Console(stderr=True, quiet=quiet).status(f"aligning {counted(len(pairs), 'segment')}"):
        found = chosen.align(words_of(pairs))
    if not quiet:
        say(f"{counted(len(pairs), 'segment')}, {chosen.name}", *_remarks(chosen, pairs))
    for shown in show or ():
        _show(shown, pairs, found)
    if html:
        write_text(html, aligned_text_page(f"{paths[-1].name}: {chosen.name}", pairs, found))
    if true:
        show_result(agreement_result(found, true, chosen.name), _AGREEMENT_FORMS[output])
    if write or not (show or html or gold):
        _write(_text(pairs, found, output, scores), write)


def _remarks(chosen: Aligner, pairs: Sequence[SegmentPair]) -> list[str]:
    """What the aligner has to say: of all segments, or of how many."""
    told = []
    for remark, count in remarks_of(chosen, words_of(pairs)).items():
        what, semicolon, remedy = remark.partition("; ")
        where = "" if count == len(pairs) else f" in {counted(count, 'segment')}"
        told.append(f"{what}{where}{semicolon}{remedy}")
    return told


def _read(
    paths: Sequence[Path],
    of: str | None,
    options: ReadOptions,
    format: str | None,
    tokenisers: tuple[str | None, str | None],
) -> tuple[Splitter, list[SegmentPair], tuple[str | None, str | None]]:
    """How words are found, the segments with their words, and the two languages."""
    languages = options.source_language, options.target_language
    collection = None
    bitext = len(paths) == 1 and format is None and is_bitext(paths[0])
    if len(paths) == 1 and not bitext:
        collection = inputs.with_segments(read_collection(paths[0], format, options))
        testset = collection.testset
        languages = testset.source_language, testset.target_language
    elif len(paths) > 2 or of:
        raise InputError("give one TESTSET (and --of), one SOURCE and one TARGET, or one BITEXT")
    splitter = Splitter(*map(tokeniser, languages, tokenisers))
    if collection is not None:
        return splitter, splitter.translation(collection, of), languages
    if bitext:
        return splitter, splitter.lines(paths[0]), languages
    return splitter, splitter.files(*paths), languages


def _text(
    pairs: Sequence[SegmentPair], found: Sequence[SegmentAlignment], form: LinkForm, scores: bool
) -> str:
    if form is LinkForm.PHARAOH:
        return "".join(pharaoh_line(alignment, scores=scores) + "\n" for alignment in found)
    both = zip(pairs, found, strict=True)
    return "".join(json.dumps(_record(*one), ensure_ascii=False) + "\n" for one in both)


def _record(pair: SegmentPair, alignment: SegmentAlignment) -> Record:
    return {
        "document": pair.document,
        "segment": pair.segment,
        "source": pair.source,
        "target": pair.target,
        "source_words": [(word.start, word.end) for word in pair.source_words],
        "target_words": [(word.start, word.end) for word in pair.target_words],
        "links": alignment.links,
        "scores": alignment.scores,
    }


def _write(text: str, path: Path | None) -> None:
    if path is None:
        print_text(text)
    else:
        write_text(path, text)


def _show(number: int, pairs: Sequence[SegmentPair], found: Sequence[SegmentAlignment]) -> None:
    """Both sides of a segment, each group of words in a colour of its own, and what is what."""
    if not 1 <= number <= len(pairs):
        raise InputError(f"there is no segment {number}; there are {len(pairs):,}")
    pair, alignment = pairs[number - 1], found[number - 1]
    console = Console(highlight=False, soft_wrap=True)
    together = groups(alignment.links)
    for text, words, members in (
        (pair.source, pair.source_words, [group.sources for group in together]),
        (pair.target or "", pair.target_words, [group.targets for group in together]),
    ):
        console.print(_coloured(text, words, members))
    for place, group in enumerate(together):
        ours = " ".join(pair.source_words[word].text for word in group.sources)
        theirs = " ".join(pair.target_words[word].text for word in group.targets)
        console.print(Text.assemble("  ", (ours, _colour(place)), " – ", (theirs, _colour(place))))


def _coloured(text: str, words: Sequence[Token], members: Sequence[Sequence[int]]) -> Text:
    shown = Text(text)
    for place, group in enumerate(members):
        for word in group:
            shown.stylize(_colour(place), words[word].start, words[word].end)
    return shown


def _colour(place: int) -> str:
    """Neighbours differ; after the last colour they come again, underlined."""
    style = _COLOURS[place % len(_COLOURS)]
    return f"{style} underline" if place // len(_COLOURS) % 2 else style
