"""A campaign's database as commands open it, and what they say where it is damaged."""

from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from isogloss.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from isogloss.annotate import Store
    from isogloss.documents import Collection
    from isogloss.judgements import Judgements

P = ParamSpec("P")
_ON_DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def telling_damage(command: Callable[P, None]) -> Callable[P, None]:
    """A command that says so where the database does not hold what a campaign's must."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            command(*args, **kwargs)
        except (SQLAlchemyError, *_ON_DAMAGE) as error:
            raise InputError(
                "the campaign's database is damaged or not a campaign's; restore a backup, or see "
                "what 'isogloss annotate verify' says"
            ) from error

    return guarded


def campaign_store(folder: Path, *, new: bool = False, opened: bool = True) -> "Store":
    """The campaign's memory; one that does not exist yet is made only where `new` says so."""
    needs_extra()
    from sqlalchemy.exc import SQLAlchemyError

    from isogloss.annotate import Store, campaign_database, database_trouble, is_open, read_campaign

    store = Store(campaign_database(read_campaign(folder), folder, new=new))
    if not opened or new:
        return store
    try:
        is_there = is_open(store)
    except (ValueError, SQLAlchemyError) as error:
        store.database.close()
        raise InputError(
            f"{folder}: the database is damaged ({database_trouble(error)[:200]}); "
            "'isogloss annotate verify' looks closer"
        ) from error
    if not is_there:
        store.database.close()
        raise InputError(f"{folder}: not open yet; 'isogloss annotate serve {folder}' opens it")
    return store


def is_campaign_path(path: Path) -> bool:
    """Whether a path is a campaign's folder, its campaign.toml or its SQLite database.

    It is told without the libraries that campaigns need, which most commands do without.
    """
    if path.is_dir():
        return (path / "campaign.toml").is_file()
    return path.is_file() and (path.name == "campaign.toml" or _is_sqlite(path))


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def judgements_in_campaign(path: Path, collection: "Collection", kind: str | None) -> "Judgements":
    """What people said in a campaign so far."""
    needs_extra()
    from isogloss.annotate import campaign_judgements

    return campaign_judgements(path, collection, kind)


def needs_extra() -> None:
    """Say what to install where the server's libraries are not there, and load none of them."""
    for name in ("fastapi", "sqlalchemy", "uvicorn"):
        if find_spec(name) is None:
            raise MissingExtraError(f"annotation needs {name}", "annotate")
