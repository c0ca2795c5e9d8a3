"""Stems as METEOR makes them: by Snowball's algorithms (Porter 2001) as they were when it was made.

Snowball has changed since. The English, German and French algorithms are written here as they
were, the Russian one is undone where it changed, and the others are those of today, through
PyStemmer: the name of each, which goes into the signature, says which it is.
"""

from collections.abc import Callable
from importlib.metadata import version

from isogloss.errors import NotApplicableError
from isogloss.language import STEM_ALGORITHMS, has_stems
from isogloss.metrics.meteor.stems import english, french, german

Stemmer = Callable[[str], str]

_AS_IT_WAS: dict[str, Stemmer] = {
    "de": german.stem,
    "en": english.stem,
    "fr": french.stem,
}
_TODAYS = {
    **STEM_ALGORITHMS,
    "nl": "dutch_porter",
}  # the Dutch of METEOR's day goes by this name now


def stemmer_name(language: str) -> str:
    """Which algorithm makes the language's stems."""
    if language in _AS_IT_WAS or language == "ru":
        return f"meteor-{STEM_ALGORITHMS[language]}"
    return f"snowball-{_TODAYS[language]}-{version('PyStemmer')}"


def stemmer(language: str) -> Stemmer:
    """What makes stems of lower-cased words in the language."""
    if language in _AS_IT_WAS:
        return _AS_IT_WAS[language]
    if not has_stems(language):
        raise NotApplicableError(
            f"there are no stems in {language!r}; leave the matcher 'stem' out"
        )
    from Stemmer import Stemmer as Snowball

    stem: Stemmer = Snowball(_TODAYS[language], 0).stemWord
    return _with_distinct_yo(stem) if language == "ru" else stem


def _with_distinct_yo(stem: Stemmer) -> Stemmer:
    """The Russian stemmer of today begins with ё becoming е, which it once left alone.

    A letter that means nothing to it has the effect that ё had.
    """
    return lambda word: stem(word.replace("ё", "#")).replace("#", "ё")
