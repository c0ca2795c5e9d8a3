"""``isogloss docs``: the website that comes along, read without a network."""

import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli.output import print_text, say
from isogloss.errors import InputError

HOST = "127.0.0.1"


def site_folder() -> Path:
    """Where the website lies: in a wheel of a release, or where ``make docs-site`` put it."""
    folder = Path(str(files("isogloss"))) / "site"
    if not (folder / "index.html").is_file():
        raise InputError(
            "the website is not part of this installation; wheels of releases carry it, and "
            "'make docs-site' builds it in a clone; here there are 'isogloss COMMAND --help' and "
            "'man isogloss'"
        )
    return folder


def page_names() -> list[str]:
    """The pages of the website, as people ask for them."""
    with suppress(InputError):
        return sorted(page.stem for page in site_folder().glob("*.html") if page.stem != "404")
    return []


def command(
    page: Annotated[
        str,
        typer.Argument(
            help="The page to begin with: metrics, significance, command-line ...",
            autocompletion=page_names,
        ),
    ] = "index",
    where: Annotated[
        bool, typer.Option("--where", help="Print the address of the page's file, and no more.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to serve it on. Default: any that is free.")
    ] = 0,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser, or only say where.")
    ] = True,
) -> None:
    """Open the website of isogloss, which comes along.

    It is served to this machine alone, until Ctrl-C: search needs a server, the pages do not.

    [bold]Examples[/bold]

      isogloss docs
      isogloss docs significance
      isogloss docs --where
    """
    file = _file_of(page)
    if where:
        print_text(f"{file}\n")
        return
    with served(site_folder(), port) as server:
        address = f"http://{HOST}:{server.server_port}/{file.name}"
        say(f"the website is at {address}; Ctrl-C ends it")
        if browser:
            webbrowser.open(address)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def _file_of(page: str) -> Path:
    file = site_folder() / f"{page.removesuffix('.html')}.html"
    if file.parent != site_folder() or not file.is_file():
        near = get_close_matches(page, page_names(), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(page_names())}"
        raise InputError(f"there is no page {page!r}; {hint}")
    return file


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Nobody needs to read which pages are read."""


@contextmanager
def served(folder: Path, port: int = 0) -> Iterator[ThreadingHTTPServer]:
    """A server of a folder, for this machine alone."""
    server = ThreadingHTTPServer((HOST, port), partial(_Quiet, directory=str(folder)))
    try:
        yield server
    finally:
        server.server_close()
