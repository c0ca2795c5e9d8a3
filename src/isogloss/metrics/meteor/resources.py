"""METEOR's own data, where the user has them: they are found, read and named, and none are ours.

A *place* is the folder of an unpacked METEOR 1.5 or its jar. The jar holds function words,
non-breaking prefixes and synonyms, and beside it (or in ``data`` beside it) lie the paraphrase
tables. The PyPI package ``pycocoevalcap`` has the jar and the English table.
"""

import hashlib
import os
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from isogloss.errors import FormatError, InputError

ENVIRONMENT = "ISOGLOSS_METEOR"
_PACKAGE = "pycocoevalcap"
_DIGITS = 8  # of a digest, in a signature

NAMES = {
    "cs": "czech", "da": "danish", "de": "german", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
"""What METEOR calls the languages."""
_TABLES = {"cs": "cz", "sv": "se"}


@dataclass(frozen=True, slots=True)
class Member:
    """One file of METEOR's: its lines, and a digest that tells it from another edition."""

    lines: Sequence[str]
    digest: str


@dataclass(frozen=True, slots=True)
class Resources:
    """The places where METEOR's data are looked for, in this order.

    `wordnet` tells whether an installed WordNet may stand in for METEOR's synonyms.
    """

    places: tuple[Path, ...] = ()
    wordnet: bool = True

    def member(self, name: str) -> Member | None:
        """A file inside the jar, such as ``function/english.words``."""
        for jar in self._jars():
            try:
                with zipfile.ZipFile(jar) as archive:
                    content = archive.read(name)
            except KeyError:
                continue
            except (OSError, zipfile.BadZipFile) as error:
                raise FormatError("this is no readable METEOR jar", path=jar) from error
            return Member(content.decode("utf-8").splitlines(), digest(content))
        return None

    def paraphrase_table(self, language: str) -> Path | None:
        """The paraphrases of the language, ``paraphrase-en.gz``."""
        name = f"paraphrase-{_TABLES.get(language, language)}.gz"
        folders = [place if place.is_dir() else place.parent for place in self.places]
        files = (folder / name for top in folders for folder in (top / "data", top))
        return next((file for file in files if file.is_file()), None)

    def _jars(self) -> list[Path]:
        return [
            jar
            for place in self.places
            for jar in (sorted(place.glob("meteor-*.jar")) if place.is_dir() else [place])
        ]


def usual_resources() -> Resources:
    """The place that ``ISOGLOSS_METEOR`` names, and the package that holds METEOR's jar."""
    named = os.environ.get(ENVIRONMENT)
    package = find_spec(_PACKAGE)
    locations = (package.submodule_search_locations or []) if package else []
    places = [*([_checked(Path(named))] if named else []), *(Path(p) / "meteor" for p in locations)]
    return Resources(tuple(place for place in places if place.exists()))


NOTHING = Resources(wordnet=False)


def resources_at(place: Path) -> Resources:
    """What of METEOR lies at this place and nowhere else."""
    return Resources((_checked(place),))


def _checked(place: Path) -> Path:
    jar_here = place.is_file() or any(place.glob("meteor-*.jar"))
    if not jar_here and not any(place.rglob("paraphrase-*.gz")):
        raise InputError(
            f"{place}: there is neither a METEOR jar nor a paraphrase table; "
            "name the folder of an unpacked METEOR 1.5"
        )
    return place


def digest(content: bytes) -> str:
    """Enough of the SHA-256 to tell two editions apart."""
    return hashlib.sha256(content).hexdigest()[:_DIGITS]


def file_digest(path: Path) -> str:
    """The same of a file that may be large."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
