"""``isogloss annotate init``: a folder with all that a campaign is, to edit before it opens."""

from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from isogloss.cli.campaign_choice import SelectBy, selected
from isogloss.cli.campaign_preview import show_work
from isogloss.cli.campaigns import needs_extra
from isogloss.cli.output import say
from isogloss.destination import write_file
from isogloss.errors import InputError
from isogloss.sample import SAMPLES, sample_path


class DocumentOrder(StrEnum):
    """In which order annotators judge documents."""

    LOT = "lot"
    TESTSET = "testset"


def command(
    testset: Annotated[
        Path,
        typer.Argument(
            help="A test set with systems. To try it out: sample-cs-en, sample-zh-en, which come "
            "with isogloss."
        ),
    ],
    into: Annotated[Path, typer.Option("--into", help="A new folder for the campaign.")],
    annotators: Annotated[
        str,
        typer.Option(
            "--annotators",
            "-a",
            help="Names of the annotators, by comma. Default: none; people enrol themselves "
            "('annotate enrol') or are added later ('annotate people').",
        ),
    ] = "",
    phases: Annotated[
        str,
        typer.Option(
            help="By comma: phase1, phase2, da, spans, contrastive, document, preference, "
            "consistency."
        ),
    ] = "phase1,phase2",
    redundancy: Annotated[int, typer.Option(help="How many annotators judge each document.")] = 1,
    database: Annotated[
        str, typer.Option(help="A file in the folder, or the URL of a PostgreSQL database.")
    ] = "campaign.db",
    name: Annotated[str | None, typer.Option(help="What annotators see as its name.")] = None,
    chains: Annotated[
        Path | None,
        typer.Option(help="For the phase consistency: what 'isogloss chains extract' wrote."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**63 - 1,
            help="All that is drawn by lot follows from it: letters of systems, shares, order, "
            "checks. Default: a new one, which campaign.toml keeps; it is the organiser's secret.",
        ),
    ] = None,
    select: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Judge so many documents only, drawn so that they say as much as more of them at "
            "random; results are of the whole test set all the same.",
        ),
    ] = None,
    select_by: Annotated[
        SelectBy,
        typer.Option(
            help="Evenly from easy to hard, as metrics see them (level); more of those on which "
            "outputs (diversity) or metrics (spread) differ, and weights for them; or by chance."
        ),
    ] = SelectBy.LEVEL,
    scores: Annotated[
        list[Path] | None,
        typer.Option(
            "--scores",
            help="Saved scores of metrics, for --select; default: chrf is computed. Repeatable.",
        ),
    ] = None,
    propose: Annotated[
        int,
        typer.Option(
            help="For phase 2: how many markables a program proposes for each document when the "
            "campaign opens. The organiser can ask for them later, too."
        ),
    ] = 0,
    systems: Annotated[str, typer.Option(help="By comma. Default: all.")] = "",
    documents: Annotated[str, typer.Option(help="Their ids, by comma. Default: all.")] = "",
    domains: Annotated[
        str, typer.Option(help="Only documents of these, by comma. Default: all.")
    ] = "",
    batch: Annotated[
        int,
        typer.Option(
            min=0, help="So many documents, then the page tells of a break. 0: no batches."
        ),
    ] = 0,
    order: Annotated[
        DocumentOrder,
        typer.Option(help="Of the documents: drawn by lot for everybody, or as in the test set."),
    ] = DocumentOrder.LOT,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Make nothing: show the whole work as annotators would get it, and how long it "
            "takes ('annotate preview' does so later).",
        ),
    ] = False,
    tutorial: Annotated[
        str | None,
        typer.Option(
            help="Items with known answers before the real work, and what answers lack: 'sample' "
            "(comes with isogloss, for every phase) or a file of your own (see the docs)."
        ),
    ] = None,
    pass_mark: Annotated[
        float,
        typer.Option(
            min=0.01, max=1, help="The share of a tutorial's items that must be right to go on."
        ),
    ] = 0.7,
    tries: Annotated[
        int,
        typer.Option(
            min=0,
            help="How often a tutorial may be tried; after that the organiser decides. 0: as often "
            "as one likes.",
        ),
    ] = 0,
    severities: Annotated[
        str, typer.Option(help="Of errors: which annotators may choose, by comma.")
    ] = "minor,major,critical",
    categories: Annotated[
        str,
        typer.Option(
            help="Kinds of errors, by comma, or none. Default: those of MQM for spans, none for "
            "contrastive."
        ),
    ] = "",
    scale: Annotated[
        str,
        typer.Option(
            help="What numbers of a score from 0 to 100 mean, by comma; it stands below the "
            "slider. none: nothing. Write guidelines to match."
        ),
    ] = "0: nothing,33: some,66: most,100: all",
    checks: Annotated[
        float,
        typer.Option(
            min=0,
            max=0.5,
            help="For da, spans and contrastive: the share of items that come twice, and as many "
            "that come once more, spoilt, to see whether annotators are awake. 0: none.",
        ),
    ] = 0.03,
    document_scores: Annotated[
        bool,
        typer.Option(
            "--document-scores",
            help="For da, spans and contrastive: ask for a score of the whole document, too.",
        ),
    ] = False,
    pairs: Annotated[
        int,
        typer.Option(
            min=0, help="For preference: how many pairs of systems in a document. Default: all."
        ),
    ] = 0,
    prefilled: Annotated[
        Path | None,
        typer.Option(
            help="For spans and contrastive: errors to begin with, for annotators to correct: a "
            "file of judgements with places, or of scores with evidence (mqm, markables)."
        ),
    ] = None,
    prefilled_share: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="The share of segments that are prefilled; the others, by lot, show what people "
            "find by themselves.",
        ),
    ] = 1.0,
) -> None:
    """Make a campaign: a folder with campaign.toml and guidelines to edit before it opens.

    [bold]Examples[/bold]

      isogloss annotate init sample-cs-en --into trial -a ann --phases spans --tutorial sample
      isogloss annotate init testset.toml --into study -a ann,bob --redundancy 2
      isogloss annotate init wmt23/en-de --into esa -a ann,bob,cyd --phases spans
      isogloss annotate init wmt23/en-de --into cesa -a ann,bob --phases contrastive
      isogloss annotate init wmt23/en-de --into few -a ann,bob --phases da --select 30
      isogloss annotate init testset.toml --into study -a ann,bob --phases da --batch 5 --dry-run
      isogloss annotate init testset.toml --into words -a ann,bob --phases consistency \\
        --redundancy 2 --chains chains
      isogloss annotate init testset.toml --into esa -a ann,bob --phases spans --document-scores \\
        --prefilled scores.jsonl --prefilled-share 0.8
    """
    needs_extra()
    from isogloss.annotate import (
        CAMPAIGN_FILE,
        CATEGORIES,
        GUIDELINES,
        Campaign,
        Checks,
        new_seed,
        texts_of,
        tutorial_tasks,
        write_campaign,
    )
    from isogloss.formats import read_collection

    testset = _bundled(testset) or testset
    collection = read_collection(testset)
    checked = bool({"da", "spans", "contrastive"} & set(_listed(phases)))
    campaign = Campaign(
        name or collection.testset.name,
        str(testset.resolve()),
        _listed(annotators),
        _listed(phases),  # type: ignore[arg-type]  # checked by the campaign itself
        redundancy=redundancy,
        batch=batch,
        order=order.value,
        seed=new_seed() if seed is None else seed,
        guidelines="guidelines.md",
        database=database,
        chains=str(chains.resolve()) if chains else None,
        propose=propose,
        systems=_listed(systems),
        documents=_listed(documents),
        domains=_listed(domains),
        severities=_listed(severities),
        categories=_categories(_listed(categories), _listed(phases), CATEGORIES),
        scale=() if scale == "none" else _listed(scale),
        checks=Checks(checks, checks) if checked else Checks(),
        document_scores=document_scores,
        pairs=pairs,
        tutorial=_tutorial(tutorial),
        pass_mark=pass_mark,
        tries=tries,
        prefilled=str(prefilled.resolve()) if prefilled else None,
        prefilled_share=prefilled_share,
    )
    if (into / CAMPAIGN_FILE).exists():
        raise InputError(f"{into}: there is a campaign already; choose another folder")

    if not collection.unsplit:  # others are cut when the campaign opens
        texts_of(collection, campaign)  # complains of systems and documents that there are not

    def make(folder: Path) -> Campaign:
        made = campaign
        if select is not None:
            made = selected(campaign, collection, select, select_by.value, scores or [], folder)
        tutorial_tasks(made, folder)  # complains of a file that says nothing of the phases
        texts = [GUIDELINES[phase] for phase in made.phases]
        write_file(folder / "guidelines.md", "\n\n".join(texts).encode())
        write_campaign(made, folder)  # last: with it, the folder is a campaign
        return made

    if dry_run:
        with TemporaryDirectory() as place:
            show_work(make(Path(place)), Path(place))
        return
    make(into)
    say(f"made {into / CAMPAIGN_FILE} and {into / 'guidelines.md'}; edit them as you like, then:")
    say(f"  isogloss annotate preview {into}   # what everybody will be asked")
    say(f"  isogloss annotate serve {into}")


def _bundled(testset: Path) -> Path | None:
    """The folder of a sample that comes along, where there is no file of that name."""
    name = str(testset).removeprefix("sample-")
    known = name in SAMPLES and name != str(testset) and not testset.exists()
    return sample_path(name) if known else None


def _tutorial(named: str | None) -> str | None:
    """The bundled one by its name, a file by its whole path."""
    return named if named in (None, "sample") else str(Path(named).resolve())


def _categories(
    named: tuple[str, ...], phases: tuple[str, ...], usual: tuple[str, ...]
) -> tuple[str, ...]:
    """The kinds of errors that annotators choose from; side by side they do not, unless told to."""
    if named:
        return () if named == ("none",) else named
    return () if "contrastive" in phases and "spans" not in phases else usual


def _listed(text: str) -> tuple[str, ...]:
    """What stands between commas; nothing is an empty list."""
    return tuple(each.strip() for each in text.split(",")) if text.strip() else ()
