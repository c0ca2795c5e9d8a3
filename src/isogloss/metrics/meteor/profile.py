"""What METEOR 1.5 was tuned to: its parameters by task and language, its matchers by language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from isogloss.errors import MetricOptionError

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
