"""``isogloss check``: a gate for continuous integration, new scores against a baseline."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import inputs, significance
from isogloss.cli.grid import Grid
from isogloss.cli.junit import junit_xml
from isogloss.cli.output import Output, OutputOption, Record, Result, number, rendered, show
from isogloss.comparison import Gate, GateCheck, GateSettings, GateVerdict, check
from isogloss.destination import write_file
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.scores import ScoreTable
from isogloss.tables import decimals

_CLOSED = 1  # the exit code of a gate that does not open

_WORDS = {
    GateVerdict.UNCHANGED: "unchanged",
    GateVerdict.HELD: "passed",
    GateVerdict.UNSURE: "NOT SURE",
    GateVerdict.FALLEN: "FALLEN",
    GateVerdict.INCOMPLETE: "NOT SCORED",
}


def command(
    scores: Annotated[
        list[Path],
        typer.Argument(help="The new scores: files saved by 'isogloss evaluate --save'."),
    ],
    baseline: Annotated[
        list[Path],
        typer.Option("--baseline", "-b", help="Those to hold, saved likewise; repeatable."),
    ],
    max_drop: Annotated[
        list[str],
        typer.Option(
            "--max-drop",
            "-d",
            metavar="METRIC=POINTS",
            help="A metric to check, and by how many of its points it may be worse; repeatable. "
            "Of metrics where lower is better it is how far they may rise.",
        ),
    ],
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            "-t",
            metavar="NEW[=OLD]",
            help="A system to check, and the one of the baseline that it is held against; "
            "repeatable. Default: all that both have, or the only one against the only one.",
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="How often a loss larger than allowed may be let through."),
    ] = 0.05,
    output: OutputOption = Output.TABLE,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            help="Append the result as Markdown to this file: --summary $GITHUB_STEP_SUMMARY.",
        ),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", help="Write the result as JUnit XML, which CI servers show."),
    ] = None,
    seed: significance.SeedOption = 12345,
) -> None:
    """Check that new scores are no worse than a baseline's: a gate for continuous integration.

    The gate opens (exit code 0) where a loss as large as allowed is ruled out by a test over
    documents, for every metric and system asked for. Where that cannot be said it stays closed
    (exit code 1): the score fell, or the documents are too few or too different to tell. Exit code
    2 is for scores that cannot be compared: another test set, or another signature.

    It takes five documents at least; unchanged outputs always pass.

    [bold]Examples[/bold]

      isogloss evaluate testset.toml --save old.jsonl     # once, and kept
      isogloss evaluate testset.toml --save new.jsonl     # at every change
      isogloss check new.jsonl --baseline old.jsonl -d bleu=0.5 -d chrf=0.5
      isogloss check new.jsonl -b old.jsonl -d chrf=1 -t candidate=production
    """
    drops = dict(_drop(item) for item in max_drop)
    table, old = inputs.read_saved(scores), inputs.read_saved(baseline)
    gate = check(table, old, drops, systems=_systems(system), settings=_settings(alpha, seed))
    result = _result(gate, table)
    show(result, output)
    if summary:
        _append(summary, _markdown(gate, result))
    if junit:
        write_file(junit, junit_xml(gate, _said))
    if not gate.passed:
        raise typer.Exit(_CLOSED)


def _settings(alpha: float, seed: int) -> GateSettings:
    return GateSettings(alpha=alpha, seed=seed)


def _drop(item: str) -> tuple[str, float]:
    """``chrf(word_order=2)=0.5``: what stands behind the last equals sign is the number."""
    metric, _, points = item.rpartition("=")
    try:
        if metric:
            return metric, float(points)
        raise ValueError
    except ValueError:
        raise InputError(f"--max-drop takes METRIC=POINTS, not {item!r}") from None


def _systems(items: Sequence[str] | None) -> dict[str, str] | None:
    if not items:
        return None
    return {new: old if equals else new for new, equals, old in (i.partition("=") for i in items)}


def _result(gate: Gate, table: ScoreTable) -> Result:
    headings = ["system", "metric", "", "old", "new", "change", "at worst", "allowed", "p"]
    grid = Grid(
        _title(gate, table),
        headings,
        [_cells(check) for check in gate.checks],
        list(_notes(gate)),
        frozenset(range(3, 9)),
        lead=3,
        answer=answer(gate),
    )
    summary: dict[str, Any] = {"passed": gate.passed, "settings": asdict(gate.settings)}
    return Result([grid], [_record(each) for each in gate.checks], summary)


def _title(gate: Gate, table: ScoreTable) -> str:
    documents = max(each.documents for each in gate.checks)
    return (
        f"{table.provenance} · {counted(documents, 'document')}"
        if documents
        else str(table.provenance)
    )


def answer(gate: Gate) -> str:
    """What the gate says, in a sentence."""
    failed = [each for each in gate.checks if not each.passed]
    if not failed:
        checks = counted(len(gate.checks), "check")
        return f"The gate opens: {checks}, nothing lost beyond what is allowed."
    said = "; ".join(f"{_name(each)}: {_said(each)}" for each in failed)
    return f"The gate stays closed. {said}."


def _name(check: GateCheck) -> str:
    against = "" if check.system == check.baseline else f" against {check.baseline}"
    return f"{check.system}{against}, {check.metric.name}"


def _said(check: GateCheck) -> str:
    """Why a check fails, in words."""
    if check.verdict is GateVerdict.FALLEN and check.gain is not None:
        digits = decimals([check.new, check.old])
        return f"{-check.gain:.{digits}f} worse, {check.max_drop:g} allowed"
    return check.reason


def _cells(check: GateCheck) -> list[str]:
    digits = decimals([check.new, check.old])
    sign = 1 if check.metric.higher_is_better else -1
    arrow = "↑" if sign > 0 else "↓"
    return [
        check.system,
        f"{check.metric.name} {arrow}",
        _WORDS[check.verdict],
        number(check.old, digits),
        number(check.new, digits),
        _signed(check.gain, sign, digits),
        _signed(check.bound, sign, digits),
        _signed(-check.max_drop, sign, digits),
        number(check.p, 4),
    ]


def _signed(gain: float | None, sign: int, digits: int) -> str:
    """A gain as a change of the score."""
    return "–" if gain is None else f"{sign * gain + 0.0:+.{digits}f}"


def _notes(gate: Gate) -> list[str]:
    settings = gate.settings
    notes = [
        f"at worst: as far as {1 - settings.alpha:.0%} confidence reaches; passed: a loss as large "
        f"as allowed is refused at p ≤ {settings.alpha:g} (sign flips of documents)"
    ]
    if gate.unchecked:
        notes.append(f"not checked, for the baseline lacks them: {', '.join(gate.unchecked)}")
    return notes


def _record(check: GateCheck) -> Record:
    told = asdict(check)
    metric = told.pop("metric")
    return {
        "metric": metric["name"],
        **told,
        "verdict": check.verdict.value,
        "passed": check.passed,
        "signature": metric["signature"],
    }


def _markdown(gate: Gate, result: Result) -> str:
    mark = "✅" if gate.passed else "❌"
    return f"### {mark} Translation quality\n\n{rendered(result, Output.MARKDOWN)}\n"


def _append(path: Path, text: str) -> None:
    """Put a text behind what a file holds already, as CI servers want it."""
    before = path.read_bytes() if path.is_file() else b""
    write_file(path, before + text.encode())
