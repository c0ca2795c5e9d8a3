"""Commands that are loaded when they are called: a list of them loads none."""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True, slots=True)
class Entry:
    """A command before its module is loaded: where it is, and what it does in a line."""

    location: str
    help: str

    def load(self, name: str) -> Any:
        """The command itself."""
        module, _, attribute = self.location.partition(":")
        found = getattr(import_module(f"isogloss.cli.{module}"), attribute)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
            alone.command(name)(found)
            return typer.main.get_command(_with_flowing_help(alone))
        found.info.name = name
        return typer.main.get_group(_with_flowing_help(found))

    def stub(self, name: str, panel: str | None) -> TyperCommand:
        """Enough of it for a list of commands."""
        return TyperCommand(name, help=self.help, rich_markup_mode="rich", rich_help_panel=panel)


def _with_flowing_help(app: typer.Typer) -> typer.Typer:
    """The app with help whose paragraphs fill the screen, however wide it is.

    Lines of docstrings end where the source's lines do; examples are indented, and stay.
    """
    for command in app.registered_commands:
        paragraphs = inspect.cleandoc(command.help or command.callback.__doc__ or "").split("\n\n")
        command.help = "\n\n".join(
            paragraph if paragraph.startswith(" ") else paragraph.replace("\n", " ")
            for paragraph in paragraphs
        )
    return app


class LazyCommands(TyperGroup):
    """Commands of which each is loaded when it is called; some may be there already.

    `entries` are in the order in which people meet them.
    """

    entries: ClassVar[Mapping[str, Entry]] = {}
    panels: ClassVar[Mapping[str, str]] = {}
    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order in which people meet them."""
        there = super().list_commands(ctx)
        return [*self.entries, *(name for name in there if name not in self.entries)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, if there is one."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        if self._listing:
            return entry.stub(cmd_name, self.panels.get(cmd_name))
        return entry.load(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that was asked for; of one that is not there, what may have been meant."""
        # Typer's own suggestions know only commands that are loaded.
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else "."
            ctx.fail(f"No such command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, with a line for each command."""
        with self._only_listed():
            super().format_help(ctx, formatter)

    @contextmanager
    def _only_listed(self) -> Iterator[None]:
        self._listing = True
        try:
            yield
        finally:
            self._listing = False
