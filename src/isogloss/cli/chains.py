"""``isogloss chains``: build a data set of words that must be translated alike."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from getpass import getuser
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from isogloss.alignment import AUTO
from isogloss.alignment import aligner as named_aligner
from isogloss.cli import inputs
from isogloss.cli.chain_dialogue import annotate_chains
from isogloss.cli.chain_model import (
    ByModelOption,
    EndpointOption,
    LanguagesOption,
    annotate_by_model,
    chain_annotator,
    unanswered,
)
from isogloss.cli.chain_tallies import count, shown
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, say, show
from isogloss.cli.price import DryRunOption, PriceOption, foretold_annotation
from isogloss.documents import Collection, TestSet, counted
from isogloss.errors import InputError
from isogloss.formats import write_collection
from isogloss.language import (
    Tokeniser,
    content_words,
    function_words,
    normaliser,
    tagger,
    tokeniser,
)
from isogloss.metaeval import cohen_kappa, mark_counts
from isogloss.metrics.consistency import (
    Analyser,
    AnswerFile,
    Chain,
    ChainCounts,
    Release,
    RenderingReader,
    RepairedWords,
    chain_counts,
    consistency_counts,
    disputes,
    extract_chains,
    is_release,
    judged_items,
    left_out,
    read_answers,
    read_chains,
    read_release,
    read_repairs,
    tagged_chains,
    true_chains,
    write_chains,
    write_disputes,
    write_release,
)
from isogloss.runtime import Runtime, default_cache_folder

app = typer.Typer(
    help="Lexical chains: extract, annotate, compare and count words to be translated alike.",
    no_args_is_help=True,
)
app.command()(count)

ChainsArgument = Annotated[
    Path, typer.Argument(metavar="CHAINS", help="Chains as JSON lines, from 'chains extract'.")
]
RepairsOption = Annotated[
    Path | None,
    typer.Option(help="How to split strings: the edited segmentation.tsv of an earlier run."),
]
SourceWordsOption = Annotated[
    str | None,
    typer.Option(help="Tokeniser of the source; 'space' for text split into words already."),
]
TargetWordsOption = Annotated[str | None, typer.Option(help="Tokeniser of the reference.")]
ReferenceOption = Annotated[
    str | None, typer.Option("--reference", "-r", help="Which reference; default: the first.")
]


@app.command()
def extract(
    testset: Annotated[Path, typer.Argument(help="Documents with a reference.")],
    folder: Annotated[Path, typer.Argument(help="Where chains and the repair list are written.")],
    reference: ReferenceOption = None,
    repairs: RepairsOption = None,
    source_words: SourceWordsOption = None,
    target_words: TargetWordsOption = None,
    aligner: Annotated[str, typer.Option(help="As for 'isogloss consistency'.")] = AUTO,
    symmetrise: Annotated[str, typer.Option(help="As for 'isogloss consistency'.")] = "phrases",
    pair: inputs.PairOption = None,
) -> None:
    """Find the repeated words of documents that the reference translates alike.

    Writes [bold]chains.jsonl[/bold], the items to annotate, and [bold]segmentation.tsv[/bold]:
    strings that the tokeniser splits differently within one document, with a proposal. Edit the
    list and run again with --repairs.

    [bold]Examples[/bold]

      isogloss chains extract testset.toml chains
      isogloss chains extract testset.toml chains --repairs chains/segmentation.tsv
      isogloss chains extract ltcr all --source-words space --target-words space
    """
    found = _read_testset(testset, pair, source_words)
    name = _reference(found, reference)
    source, target = found.source_language, found.target_language
    analyser = Analyser(
        _source_tokeniser(source, source_words, repairs),
        tokeniser(target, target_words),
        content_words(source),
        RenderingReader(normaliser(target, "surface"), function_words(target)),
        named_aligner(
            aligner,
            symmetrise,
            source_language=source,
            target_language=target,
            runtime=Runtime("cpu", default_cache_folder()),
        ),
    )
    unsure = disputes(
        {d.id: [tokens.rows() for tokens in analyser.source(d)] for d in found.documents}
    )
    write_disputes(folder / "segmentation.tsv", unsure)
    chains = extract_chains(found, name, analyser, tagger(source) if source else None)
    write_chains(folder / "chains.jsonl", chains)
    counts = chain_counts(chains)
    say(
        f"{counted(len(unsure), 'string')} split in several ways: {folder / 'segmentation.tsv'}",
        f"{counted(counts.chains, 'chain')} with {counted(counts.items, 'item')} and "
        f"{counted(counts.pairs, 'pair')} in {counted(counts.documents, 'document')}: "
        f"{folder / 'chains.jsonl'}",
    )


@app.command()
def annotate(
    chains: ChainsArgument,
    answers: Annotated[
        Path, typer.Argument(help="Where the answers go; an existing file is continued.")
    ],
    annotator: Annotated[
        str | None,
        typer.Option(help="Your name in the answers. Default: the user's name, or the model's."),
    ] = None,
    by_model: ByModelOption = None,
    endpoint: EndpointOption = None,
    allow_network: inputs.AllowNetworkOption = False,
    dry_run: DryRunOption = False,
    price: PriceOption = None,
    pair: LanguagesOption = None,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
) -> None:
    """Judge chains at the terminal: may any item be translated differently?

    Every answer is on disk before the next question. Stop with q or Ctrl-C and go on later with
    the same command; u takes the last answer back.

    With --by-model a language model is asked instead, behind an endpoint that speaks OpenAI's
    protocol. Nothing is sent without --allow-network; --dry-run tells what would be, and the price.
    Its answers are an annotator's like any other: [bold]chains agree[/bold] measures what they are
    worth.

    [bold]Examples[/bold]

      isogloss chains annotate chains/chains.jsonl answers-ann.jsonl --annotator ann
      isogloss chains annotate chains/chains.jsonl gpt.jsonl --by-model gpt-4o --dry-run
      isogloss chains annotate chains/chains.jsonl gpt.jsonl --by-model gpt-4o --allow-network
    """
    listed = read_chains(chains)
    file = AnswerFile.opened(answers, annotator or by_model or getuser())
    if by_model is None:
        done = annotate_chains(listed, file)
    else:
        runtime = inputs.runtime_from(inputs.DeviceKind.CPU, cache, no_cache)
        consenting = replace(runtime, network=allow_network)
        asked = chain_annotator(by_model, endpoint, pair, consenting)
        if dry_run:
            show(foretold_annotation(asked, unanswered(listed, file), price), Output.TABLE)
            return
        done = annotate_by_model(listed, file, asked)
    say(f"{len(file.answers):,} of {len(listed):,} chains judged, {done:,} of them now")


@app.command()
def agree(
    chains: ChainsArgument,
    first: Annotated[Path, typer.Argument(help="One annotator's answers (taken as gold).")],
    second: Annotated[Path, typer.Argument(help="The other annotator's answers.")],
    output: OutputOption = Output.TABLE,
) -> None:
    """Measure how far two annotators agree on the chains that both judged.

    A mark is "must be translated alike". Precision and recall take the first annotator as gold;
    F1 is the paper's IAA F1 score, and kappa corrects for chance.

    [bold]Examples[/bold]

      isogloss chains agree chains.jsonl answers-ann.jsonl answers-ben.jsonl
    """
    items, pairs = judged_items(read_chains(chains), read_answers(first), read_answers(second))
    if not items:
        raise InputError("no chain was judged by both annotators")
    records = [_agreement("items", items), _agreement("pairs", pairs)]
    title = f"Agreement of {second.name} with {first.name}"
    show(Result([_grid(title, records)], records), output)


def _agreement(unit: str, judged: Sequence[tuple[bool, ...]]) -> Record:
    gold, other = np.array(judged, dtype=np.float64).T
    counts = mark_counts(gold, other)
    return {
        "unit": unit,
        "judged": len(judged),
        "TP": counts.true_positives,
        "FP": counts.false_positives,
        "FN": counts.false_negatives,
        "precision": counts.precision.value,
        "recall": counts.recall.value,
        "F1": counts.f1.value,
        "kappa": cohen_kappa(gold, other).value,
    }


@app.command()
def stats(
    chains: Annotated[
        Path, typer.Argument(metavar="CHAINS", help="Chains as JSON lines, or a released data set.")
    ],
    answers: Annotated[
        Path | None, typer.Option(help="Count what these answers leave as true consistency.")
    ] = None,
    consistent: Annotated[
        Path | None,
        typer.Option(
            help="All chains that 'chains extract' finds in a released data set; what the release "
            "has not is counted as false consistency."
        ),
    ] = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Count documents, chains, items and pairs, as the paper's Tables 1 to 3 do.

    Parts of speech come from the chains, or from a tagger where a released data set has none;
    then a second table has the classes as a treebank would, with the translations' help.

    [bold]Examples[/bold]

      isogloss chains stats ltcr
      isogloss chains stats ltcr --consistent all/chains.jsonl
      isogloss chains stats chains/chains.jsonl --answers answers-ann.jsonl -o json
    """
    release = read_release(chains) if is_release(chains) else None
    listed = _with_parts(release) if release else read_chains(chains)
    tables: list[Record] = []
    if answers:
        given = read_answers(answers)
        judged = consistency_counts(listed, given)
        pairs = {"true": judged.true_pairs, "false": judged.false_pairs}
        tables += _table("pairs by consistency", pairs)
        listed = true_chains(listed, given)
    if consistent:
        known = left_out(listed, read_chains(consistent))
        pairs = {"true": known.true_pairs, "false (left out)": known.false_pairs}
        tables += _table("pairs by consistency", pairs)
    counts = chain_counts(listed)
    if counts.by_part:
        tables += _table("pairs by part of speech", counts.by_part)
    if release and (by_treebank := _with_treebank_parts(release)):
        tables += _table("pairs by part of speech as a treebank has them", by_treebank)
    tables += _table("pairs by distance", counts.by_distance)
    records = [*_size(counts, release), *tables]
    names = dict.fromkeys(str(record["table"]) for record in records)
    grids = [_grid(name, [r for r in records if r["table"] == name], skip=1) for name in names]
    show(Result(grids, records), output)


def _size(counts: ChainCounts, release: Release | None) -> list[Record]:
    whole = {key: getattr(counts, key) for key in ("documents", "chains", "items", "pairs")}
    if release:
        whole = {"segments": release.testset.segment_count, **whole}
    whole["chains with several words"] = counts.several_words
    return [{"table": "size", "class": k, "count": v, "share": None} for k, v in whole.items()]


def _with_parts(release: Release) -> tuple[Chain, ...]:
    """The chains with parts of speech, where there is a tagger for the source language."""
    language = release.testset.source_language
    tags = tagger(language) if language else None
    return tagged_chains(release, tags) if tags else release.chains


def _with_treebank_parts(release: Release) -> Mapping[str, int] | None:
    """Pairs by the paper's classes, where taggers know both languages."""
    languages = (release.testset.source_language, release.testset.target_language)
    source, target = (tagger(language) if language else None for language in languages)
    if source is None or target is None:
        return None
    return chain_counts(tagged_chains(release, source, target)).by_part


def _table(name: str, counts: Mapping[str, int]) -> list[Record]:
    total = sum(counts.values())
    return [
        {"table": name, "class": key, "count": count, "share": count / total if total else None}
        for key, count in counts.items()
    ]


def _grid(title: str, records: Sequence[Record], skip: int = 0) -> Grid:
    headings = list(records[0])[skip:]
    rows = [[shown(record[key]) for key in headings] for record in records]
    return Grid(title, headings, rows, numeric=frozenset(range(1, len(headings))))


@app.command("release")
def write_out(
    chains: ChainsArgument,
    testset: Annotated[Path, typer.Argument(help="The test set that they were extracted from.")],
    folder: Annotated[Path, typer.Argument(help="The folder to write: res, *_token, *_raw.")],
    answers: Annotated[
        Path | None, typer.Option(help="Leave out what these answers call flexible.")
    ] = None,
    reference: ReferenceOption = None,
    repairs: RepairsOption = None,
    source_words: SourceWordsOption = None,
    target_words: TargetWordsOption = None,
    pair: inputs.PairOption = None,
) -> None:
    """Write chains in the released form of Lei et al. (2024).

    [bold]Examples[/bold]

      isogloss chains release chains.jsonl testset.toml released --answers answers-ann.jsonl
    """
    found = _read_testset(testset, pair)
    listed = read_chains(chains)
    kept = true_chains(listed, read_answers(answers)) if answers else listed
    words = (
        _source_tokeniser(found.source_language, source_words, repairs),
        tokeniser(found.target_language, target_words),
    )
    write_release(folder, kept, found, _reference(found, reference), words)
    say(f"wrote {folder}: {counted(len(kept), 'chain')}")


@app.command("import")
def import_release(
    given: Annotated[Path, typer.Argument(metavar="RELEASE", help="A released data set.")],
    folder: Annotated[Path, typer.Argument(help="Where testset.toml and chains.jsonl go.")],
) -> None:
    """Make a test set and its chains of a data set in the released form.

    Systems are then scored with [bold]isogloss consistency[/bold] on the plain texts.

    [bold]Examples[/bold]

      isogloss chains import ltcr ltcr-testset
      isogloss consistency ltcr-testset --chains ltcr-testset/chains.jsonl
    """
    found = read_release(given, "raw")
    write_collection(Collection(found.testset), folder, "manifest")
    write_chains(folder / "chains.jsonl", found.chains)
    say(f"wrote {folder}: {counted(len(found.chains), 'chain')}")


def _read_testset(path: Path, pair: str | None, source_words: str | None = None) -> TestSet:
    if is_release(path):
        # A release has both texts: as written, and split into words by its authors.
        return read_release(path, "token" if source_words == "space" else "raw").testset
    return inputs.read_input(path, pair=pair).testset


def _reference(testset: TestSet, name: str | None) -> str:
    chosen = testset.with_references([name]) if name else testset
    if not chosen.reference_names:
        raise InputError(f"test set {testset.name!r} has no reference")
    return chosen.reference_names[0]


def _source_tokeniser(language: str | None, name: str | None, repairs: Path | None) -> Tokeniser:
    plain = tokeniser(language, name)
    return RepairedWords(plain, read_repairs(repairs)) if repairs else plain
