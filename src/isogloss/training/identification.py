"""Filters that ask a model: in which language a sentence is, and whether two mean the same.

The Prism paper (appendix B) identifies languages with FastText and compares sentences by LASER;
both are downloads. py3langid carries its model in its wheel, and vectors come from any model that
isogloss can load.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from isogloss.errors import MissingExtraError
from isogloss.language import primary
from isogloss.model import Paraphraser
from isogloss.training.cleaning import Pair, Verdict

SURE = 0.9
_SAME = {"yue": "zh", "nb": "no", "nn": "no", "bs": "hr", "sr": "hr", "id": "ms"}


def identified_otherwise(sure: float = SURE) -> Verdict:
    """Does py3langid put the text into another language, and is it as sure as that?

    Languages that it takes for each other count as one. Short texts are seldom sure, and stay.
    """
    classify = _identifier()

    def drops(pair: Pair) -> bool:
        found, probability = classify(pair.text)
        return probability >= sure and _family(found) != _family(primary(pair.language) or "")

    return drops


def _family(language: str) -> str:
    return _SAME.get(language, language)


@lru_cache(maxsize=1)
def _identifier() -> Callable[[str], tuple[str, float]]:
    try:
        from py3langid import langid
    except ImportError:
        what = "identifying languages needs py3langid, which is not installed"
        raise MissingExtraError(what, "train") from None

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    classify: Callable[[str], tuple[str, float]] = identifier.classify
    return classify


def unlike(model: Paraphraser, limit: float) -> Verdict:
    """Is the cosine of the two sentences' vectors below the limit?"""

    def drops(pair: Pair) -> bool:
        one, other = (
            next(iter(model.embed([text], language)))
            for text, language in ((pair.pivot, pair.pivot_language), (pair.text, pair.language))
        )
        if one is None or other is None:
            return True
        return float(one @ other) < limit * float(np.linalg.norm(one) * np.linalg.norm(other))

    return drops
