"""Judging chains at the terminal: one chain at a time, one line an answer."""

from collections.abc import Iterable, Sequence

import typer
from rich.console import Console
from rich.text import Text

from isogloss.metrics.consistency import AnswerFile, Chain

_HELP = (
    "Enter: all must be translated alike · 2,3: these may differ · a: all may differ · "
    "s: later · u: undo · q: stop"
)


def annotate_chains(chains: Sequence[Chain], file: AnswerFile) -> int:
    """Ask about every chain that has no answer; how many answers were given that stand."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(_HELP, style="dim")
    before = set(file.answers)
    queue = [chain for chain in chains if chain.id not in before]
    try:
        while queue and _answered(console, queue, {chain.id: chain for chain in chains}, file):
            pass
    except (KeyboardInterrupt, EOFError, typer.Abort):
        console.print()  # nothing is lost: every answer is on disk already
    return len(set(file.answers) - before)


def _answered(
    console: Console, queue: list[Chain], chains: dict[str, Chain], file: AnswerFile
) -> bool:
    """Ask about the first chain of the queue and do as told; False where no more is wanted."""
    chain = queue[0]
    _show(console, chain, f"{len(chains) - len(queue) + 1} of {len(chains)}")
    told = _asked(console, chain)
    if told == "s":
        queue.append(queue.pop(0))
    elif told == "u":
        reopened = file.undo()
        if reopened in chains:
            queue.insert(0, chains[reopened])
        else:
            console.print("there is nothing to take back", style="yellow")
    elif told != "q":
        file.give(chain, range(len(chain.items)) if told == "a" else _numbers(told))
        queue.pop(0)
    return told != "q"


def _asked(console: Console, chain: Chain) -> str:
    """An answer that makes sense."""
    while True:
        told = console.input("may differ> ").strip().lower()
        if told in ("s", "u", "q", "a", "") or _fits(told, chain):
            return told
        console.print(f"numbers from 1 to {len(chain.items)}, please; {_HELP}", style="yellow")


def _fits(told: str, chain: Chain) -> bool:
    try:
        return all(0 <= number < len(chain.items) for number in _numbers(told))
    except ValueError:
        return False


def _numbers(told: str) -> list[int]:
    """The items (counted from 0) of an answer like ``2,3`` or ``2 3``."""
    return [int(number) - 1 for number in told.replace(",", " ").split()]


def _show(console: Console, chain: Chain, place: str) -> None:
    console.print()
    console.print(
        Text.assemble(
            (chain.word, "bold"), " → ", (chain.translation, "bold"), f"   {chain.id} ({place})"
        )
    )
    for number, item in enumerate(chain.items, 1):
        source = _marked(item.source, [(item.start, item.end)])
        console.print(Text.assemble((f"{number:>3} ", "bold cyan"), source))
        if item.target is not None:
            console.print(Text.assemble("    ", _marked(item.target, item.targets)))


def _marked(text: str | None, places: Iterable[tuple[int, int]]) -> Text:
    """The sentence with its words in colour, and in brackets where there are no colours."""
    shown = Text(text or "")
    for start, end in sorted(places, reverse=True):
        shown = Text.assemble(
            shown[:start], "[", Text(shown.plain[start:end], style="bold green"), "]", shown[end:]
        )
    return shown
