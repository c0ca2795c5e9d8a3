"""What METEOR 1.5 was tuned to: its parameters by task and language, its matchers by language.

METEOR's own data, where the user has them: they are found, read and named, and none are ours.

A *place* is the folder of an unpacked METEOR 1.5 or its jar. The jar holds function words,
non-breaking prefixes and synonyms, and beside it (or in ``data`` beside it) lie the paraphrase
tables. The PyPI package ``pycocoevalcap`` has the jar and the English table.
"""

import hashlib
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from isogloss.digest import short_digest
from isogloss.errors import FormatError, InputError, MetricOptionError

Task = Literal["auto", "rank", "adq", "hter", "util", "li", "tune", "universal"]
Matcher = Literal["exact", "stem", "synonym", "paraphrase"]

MATCHERS: tuple[Matcher, ...] = ("exact", "stem", "synonym", "paraphrase")
"""In the order in which METEOR looks for matches and counts them."""

NORMALISED = frozenset({"cs", "de", "en", "es", "fr", "ru"})
"""The languages that METEOR's own normaliser is for, which are those with tuned parameters."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """alpha balances precision and recall, beta and gamma shape the penalty, delta content words.

    `weights` are what a match of each matcher is worth; one without a weight is worth nothing.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[Matcher, float]

    def weight(self, matcher: Matcher) -> float:
        return self.weights.get(matcher, 0.0)


def _tuned(values: str, weights: str) -> Parameters:
    alpha, beta, gamma, delta = map(float, values.split())
    by_matcher = dict(zip(MATCHERS, map(float, weights.split()), strict=True))
    return Parameters(alpha, beta, gamma, delta, by_matcher)


# METEOR lists the weights of a language by the matchers it has there; here each is under its name.
_BY_LANGUAGE: Mapping[tuple[str, str], Parameters] = {
    ("rank", "en"): _tuned(".85 .20 .60 .75", "1 .6 .8 .6"),
    ("rank", "cs"): _tuned(".95 .20 .60 .80", "1  0  0 .4"),
    ("rank", "de"): _tuned(".95 1.0 .55 .55", "1 .8  0 .2"),
    ("rank", "es"): _tuned(".65 1.3 .50 .80", "1 .8  0 .6"),
    ("rank", "fr"): _tuned(".90 1.4 .60 .65", "1 .2  0 .4"),
    ("rank", "ru"): _tuned(".75 1.4 .70 .50", "1 .5  0 .5"),
    ("adq", "en"): _tuned(".75 1.4 .45 .70", "1  1 .6 .8"),
    ("hter", "en"): _tuned(".40 1.5 .35 .55", "1 .2 .6 .8"),
    ("util", "en"): _tuned(".65 0.1 .55 .65", "1  0  0 .8"),
}
_BY_TASK: Mapping[str, Parameters] = {
    "li": _tuned(".75 1.4 .70 .50", "1 .5 .5 .5"),
    "tune": _tuned(".50 1.0 .50 .50", "1 .5 .5 .5"),
    "universal": _tuned(".70 1.4 .30 .70", "1  0  0 .6"),
}
_STEMMED = ("da", "fi", "hu", "it", "nb", "nl", "nn", "no", "pt", "ro", "sv", "tr")
_MATCHERS: Mapping[str, tuple[Matcher, ...]] = {
    "en": MATCHERS,
    "cs": ("exact", "paraphrase"),
    **dict.fromkeys(("de", "es", "fr", "ru"), ("exact", "stem", "paraphrase")),
    **dict.fromkeys(_STEMMED, ("exact", "stem")),
}


def resolved_task(task: Task, language: str) -> str:
    """The task itself; for ``auto`` the ranking of translations where METEOR was tuned to it."""
    if task != "auto":
        return task
    return "rank" if ("rank", language) in _BY_LANGUAGE else "li"


def parameters(task: Task, language: str) -> Parameters:
    """METEOR's parameters for the task in the language."""
    name = resolved_task(task, language)
    found = _BY_TASK.get(name) or _BY_LANGUAGE.get((name, language))
    if found is None:
        tuned = ", ".join(code for known, code in _BY_LANGUAGE if known == name)
        raise MetricOptionError(
            f"meteor(task={name}) was tuned to {tuned} and not to {language!r}; "
            "task=li is for every language"
        )
    return found


def usual_matchers(task: Task, language: str) -> tuple[Matcher, ...]:
    """The matchers that METEOR uses in the language, where it has what they need."""
    if task == "universal":
        return ("exact", "paraphrase")
    return _MATCHERS.get(language, ("exact",))


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
            return Member(content.decode("utf-8").splitlines(), short_digest(content, _DIGITS))
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


def file_digest(path: Path) -> str:
    """Enough of the SHA-256 of a file, which may be large, to tell two editions apart."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
