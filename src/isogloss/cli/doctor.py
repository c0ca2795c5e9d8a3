"""``isogloss doctor``: what this installation is, and whether it works."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

import typer

from isogloss.cli import inputs
from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Result, show
from isogloss.diagnosis import Fact, diagnose
from isogloss.documents import counted

_SIGNS = {"ok": "", "absent": "–", "wrong": "WRONG"}


def command(
    device: inputs.DeviceOption = inputs.DeviceKind.CPU,
    output: OutputOption = Output.TABLE,
) -> None:
    """Check this installation: versions, machine, model, cache, extras.

    Says what is wrong and what helps, and what is merely absent (a dash); the model is tested on
    the examples that it carries. Nothing is written or sent. Put the output into a report of a bug:
    your home folder is shown as ~, and what may be secret not at all.

    Ends with exit code 1 if something is wrong.

    [bold]Examples[/bold]

      isogloss doctor
      isogloss doctor -o md
      isogloss doctor -o json > doctor.json
    """
    facts = list(diagnose(device=device.value))
    wrong = [fact for fact in facts if fact.state == "wrong"]
    summary = {"wrong": len(wrong), "absent": sum(fact.state == "absent" for fact in facts)}
    show(Result(_grids(facts), [asdict(fact) for fact in facts], summary), output)
    if wrong:
        raise typer.Exit(1)


def _grids(facts: Sequence[Fact]) -> list[Grid]:
    """A table for each topic, what helps below it; what is wrong in all comes first."""
    grids: list[Grid] = []
    for topic, group in groupby(facts, lambda fact: fact.topic):
        some = list(group)
        rows = [[_SIGNS[fact.state], fact.name, fact.value] for fact in some]
        helped: dict[str, list[str]] = {}
        for fact in some:
            helped.setdefault(fact.remedy, []).append(fact.name)
        notes = [f"{', '.join(names)}: {remedy}" for remedy, names in helped.items() if remedy]
        title, answer = (topic, "") if grids else ("isogloss doctor", _answer(facts))
        grids.append(Grid(title, ["", "", ""], rows, notes, lead=3, prose=_VALUE, answer=answer))
    return grids


_VALUE = frozenset({2})


def _answer(facts: Sequence[Fact]) -> str:
    wrong = [f"{fact.topic}, {fact.name}" for fact in facts if fact.state == "wrong"]
    if not wrong:
        return "all is well; what has a dash is optional and absent"
    return f"{counted(len(wrong), 'thing')} wrong: {'; '.join(wrong)}"
