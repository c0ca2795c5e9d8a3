"""``isogloss spans``: do metrics mark the errors that people mark?"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import inputs, people
from isogloss.cli.grid import Grid
from isogloss.cli.output import (
    Output,
    OutputOption,
    Record,
    Result,
    number,
    say,
    show,
)
from isogloss.documents import Collection, counted
from isogloss.errors import InputError
from isogloss.formats import read_judgements, read_scores
from isogloss.metaeval import (
    Marks,
    SpanAgreement,
    SpanFinding,
    SpanScore,
    SpanSettings,
    Texts,
    marks_of_judgements,
    marks_of_scores,
    span_agreement,
)
from isogloss.scores import ScoreTable

CHANCE = "Intervals and chance"
PEOPLE = "(people)"
_SHOWN_PAIRS = 10


def command(
    testset: Annotated[Path, typer.Argument(help="A test set with the systems that were read.")],
    human: Annotated[
        str,
        typer.Option(
            "--human",
            help="People's marks: a file of MQM or ESA annotations; FILE:KIND where it holds "
            "several kinds.",
        ),
    ],
    marks: Annotated[
        list[str] | None,
        typer.Option(
            "--marks",
            help="Marks to judge, NAME=FILE or FILE: JSON of XCOMET, a WMT25 table of spans, or "
            "any file of annotations; repeatable.",
        ),
    ] = None,
    scores: Annotated[
        list[Path] | None,
        typer.Option("--scores", help="Score files with evidence to judge; repeatable."),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", "-m", help="Metrics that show evidence, to compute and judge."),
    ] = None,
    credit: Annotated[
        float, typer.Option(help="What a mark of the wrong severity counts; 0.5 in WMT.")
    ] = 0.5,
    with_references: Annotated[
        bool, typer.Option("--with-references", help="Count readings of judged references, too.")
    ] = False,
    use_reference: inputs.UseReferenceOption = None,
    output: OutputOption = Output.TABLE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no notes.")] = False,
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    cache: inputs.CacheOption = None,
    no_cache: inputs.NoCacheOption = False,
    allow_network: inputs.AllowNetworkOption = False,
    draws: Annotated[
        int, typer.Option(rich_help_panel=CHANCE, help="Of marks at random places; 0 for none.")
    ] = 200,
    resamples: Annotated[int, typer.Option(rich_help_panel=CHANCE, help="For intervals.")] = 10_000,
    seed: Annotated[
        int, typer.Option(min=0, rich_help_panel=CHANCE, help="Of all of them.")
    ] = 12345,
    alpha: Annotated[
        float, typer.Option(rich_help_panel=CHANCE, help="A p-value up to this separates.")
    ] = 0.05,
) -> None:
    """Measure how far marked error spans agree with people's, as the WMT span task does.

    Precision, recall and F1 over characters; a mark of the wrong severity gets half of the credit.
    Beside them stands what as many marks of the same lengths would get at random places. Without
    anything to judge, annotators are compared with each other.

    [bold]Examples[/bold]

      isogloss spans testset.toml --human ratings.tsv
      isogloss spans testset.toml --human esa.jsonl --marks XCOMET=xcomet.json -m mqm
      isogloss spans testset.toml --human esa.jsonl --scores scores.jsonl -o latex
    """
    runtime = inputs.runtime_from(device, cache, no_cache, allow_network)
    collection = inputs.read_input(testset, runtime=runtime, quiet=quiet)
    settings = SpanSettings(credit, draws, resamples, seed, alpha=alpha)
    texts = Texts(collection)
    judged = people.judgements_on(testset, human, collection)
    readings = marks_of_judgements(judged, texts, humans=with_references)
    found = list(_from_files(marks or (), collection, texts, with_references))
    for path in scores or ():
        found += _from_table(read_scores(path), texts, with_references, str(path))
    if metrics:
        wanted = collection.with_references(use_reference) if use_reference else collection
        for table in people.computed(wanted, metrics, runtime, quiet, all_evidence=True):
            found += _from_table(table, texts, with_references, ", ".join(metrics))
    agreement = span_agreement(readings, found, texts, settings)
    if not quiet:
        say(*_notices(readings, agreement))
    show(_result(agreement, readings, collection), output)


def _from_files(
    items: Sequence[str], collection: Collection, texts: Texts, humans: bool
) -> Iterator[Marks]:
    for item in items:
        name, equals, file = item.partition("=")
        if Path(item).is_file() or not equals:
            name, file = Path(item).name.partition(".")[0], item
        judgements = read_judgements(file, collection)
        yield marks_of_judgements(judgements, texts, name, humans=humans)


def _from_table(table: ScoreTable, texts: Texts, humans: bool, what: str) -> list[Marks]:
    found = marks_of_scores(table, texts, humans=humans)
    if not found:
        raise InputError(
            f"{what}: there is no evidence in translations; save scores with "
            "'isogloss evaluate --save', of metrics that show evidence"
        )
    return found


# --- what is shown -------------------------------------------------------------------------------


def _notices(people: Marks, agreement: SpanAgreement) -> Iterator[str]:
    if people.unplaced:
        yield (
            f"{people.unplaced} of people's marks have no place in a translation (omissions, or "
            "in another text) and do not count"
        )
    for finding in agreement.findings:
        if finding.unplaced:
            yield f"{finding.name}: {finding.unplaced} marks have no place in a translation"
        if finding.lacking:
            yield (
                f"{finding.name} has not read {finding.lacking} of the "
                f"{len(people.readings)} judged translations; they do not count"
            )


def _result(agreement: SpanAgreement, people: Marks, collection: Collection) -> Result:
    rows = [_row(finding.name, finding) for finding in agreement.findings]
    if agreement.people:
        rows.append(_row(PEOPLE, agreement.people))
    headings = ["", "F1", "interval", "#", "by chance", "precision", "recall"]
    headings += ["any severity", "interval", "by chance"]
    numeric = frozenset(range(1, len(headings)))
    grids = [Grid(_title(people, collection), headings, rows, _notes(agreement), numeric, 6)]
    if 1 < len(agreement.pairs) <= _SHOWN_PAIRS:
        between = [_row(pair.name, pair) for pair in agreement.pairs]
        grids.append(Grid("Annotators, two by two", headings, between, (), numeric, 6))
    records = [_record(f, "metric") for f in agreement.findings]
    records += [_record(agreement.people, "people")] if agreement.people else []
    records += [_record(pair, "pair") for pair in agreement.pairs]
    return Result(grids, records)


def _title(people: Marks, collection: Collection) -> str:
    testset = collection.testset
    languages = f"{testset.source_language or '?'}-{testset.target_language or '?'}"
    systems = len({reading.unit[0] for reading in people.readings})
    documents = len({reading.unit[1] for reading in people.readings})
    marks = sum(len(reading.marks) for reading in people.readings)
    return (
        f"{testset.name} {languages}: {people.name}, {counted(systems, 'system')}, "
        f"{counted(documents, 'document')}, {counted(len(people.readings), 'reading')} with "
        f"{counted(marks, 'mark')}"
    )


def _row(name: str, finding: SpanFinding) -> list[str]:
    rank = "" if finding.rank is None else str(finding.rank)
    exact, loose = finding.exact, finding.any_severity
    if exact is None:
        cells = ["–", "", "", "", "–", "–"]
    else:
        shares = [number(exact.precision, 3), number(exact.recall, 3)]
        value, between, chance = _three(exact)
        cells = [value, between, rank, chance, *shares]
    return [name, *cells, *_three(loose)]


def _three(score: SpanScore) -> list[str]:
    chance = "" if score.chance is None else number(score.chance, 3)
    return [*people.value_and_interval(score.f1), chance]


def _notes(agreement: SpanAgreement) -> list[str]:
    settings = agreement.settings
    notes = [
        f"F1 over characters; a mark of the wrong severity counts {settings.credit:g}, under any "
        "severity 1",
        f"interval: {settings.confidence:.0%}, studentised bootstrap of documents; #: a new rank "
        f"begins where one of the rank above is better at p ≤ {settings.alpha:g}",
    ]
    if settings.draws:
        notes.append(
            "by chance: the same marks at random places of their translations, mean of "
            f"{settings.draws} draws"
        )
    if any(finding.exact is None for finding in agreement.findings):
        notes.append("–: its marks state no severity")
    if agreement.people:
        notes.append(f"{PEOPLE}: one annotator against another, all pairs who read the same")
    return notes


def _record(finding: SpanFinding, kind: str) -> Record:
    record: dict[str, object] = {"kind": kind, "name": finding.name, "rank": finding.rank}
    for prefix, score in (("", finding.exact), ("any_", finding.any_severity)):
        values = _values(score) if score else dict.fromkeys(_VALUES)
        record |= {f"{prefix}{name}": value for name, value in values.items()}
    counts = {"readings": finding.readings, "lacking": finding.lacking}
    return {**record, **counts, "unplaced": finding.unplaced}


_VALUES = ("f1", "low", "high", "precision", "recall", "chance", "p")


def _values(score: SpanScore) -> dict[str, float | None]:
    f1 = score.f1
    found = (f1.value.value, f1.low, f1.high, score.precision, score.recall, score.chance, score.p)
    return dict(zip(_VALUES, found, strict=True))
