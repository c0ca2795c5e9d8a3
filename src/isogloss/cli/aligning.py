"""The options of word alignment, shared by several commands."""

from typing import Annotated

import typer

from isogloss.alignment.symmetrisation import SYMMETRISATIONS

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
