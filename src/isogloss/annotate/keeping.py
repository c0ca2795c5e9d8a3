"""Backups of a campaign that goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

from isogloss.annotate.exporting import events_jsonl
from isogloss.annotate.store import Store
from isogloss.documents import counted
from isogloss.errors import InputError


def back_up(store: Store, to: Path) -> str:
    """Copy the campaign to a file; what was written, in words."""
    if to.exists():
        raise InputError(f"{to}: there is such a file already")
    url = store.database.engine.url
    if url.get_backend_name() == "sqlite":
        with (
            closing(sqlite3.connect(str(url.database))) as source,
            closing(sqlite3.connect(to)) as copy,
        ):
            source.backup(copy)
        return "a copy of the whole campaign; open it by naming it in campaign.toml"
    lines = list(events_jsonl(store))
    to.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return counted(len(lines), "event")
