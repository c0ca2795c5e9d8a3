"""Backups of a campaign that goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

from isogloss.annotate.database import open_database
from isogloss.annotate.exporting import events_jsonl
from isogloss.annotate.store import Store
from isogloss.annotate.verification import faults
from isogloss.destination import file_to_be, write_file
from isogloss.documents import counted
from isogloss.errors import InputError


def back_up(store: Store, to: Path) -> str:
    """Copy the campaign to a file; what was written, in words."""
    if to.exists():
        raise InputError(f"{to}: there is such a file already")
    url = store.database.engine.url
    if url.get_backend_name() == "sqlite":
        _copy(str(url.database), to)
        return "a copy of the whole campaign, verified; open it by naming it in campaign.toml"
    lines = list(events_jsonl(store))
    write_file(to, "".join(f"{line}\n" for line in lines).encode())
    return counted(len(lines), "event")


def _copy(database: str, to: Path) -> None:
    """A copy that is whole, or none at all."""
    try:
        with file_to_be(to) as beside:
            with (
                closing(sqlite3.connect(database)) as source,
                closing(sqlite3.connect(beside)) as copy,
            ):
                source.backup(copy)
            wrong = _faults_of(beside)
            if wrong:
                raise InputError(f"{to}: no backup was made ({wrong[0]})")
    except sqlite3.Error as error:
        raise InputError(f"{to}: no backup was made ({error})") from error


def _faults_of(path: Path) -> list[str]:
    copy = open_database(path, new=False)
    try:
        return faults(Store(copy))
    finally:
        copy.close()
