"""The packages behind some tools, which a light installation may lack."""

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from isogloss.errors import MissingExtraError

EXTRA = "languages"


@lru_cache(maxsize=64)
def installed(package: str) -> str | None:
    """The version of the package; `None` where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def required(package: str, purpose: str) -> str:
    """The version of a package that a tool cannot do without."""
    found = installed(package)
    if found is None:
        raise MissingExtraError(f"{purpose} needs {package}, which is not installed", EXTRA)
    return found
