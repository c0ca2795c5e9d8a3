"""Sentence BLEU as the study computed it: NLTK's formula over Moses tokens.

NLTK's ``sentence_bleu`` with smoothing method 1 (an n-gram order without a match counts as 0.1
matches), one reference, four orders; tokens by Moses's tokeniser with aggressive hyphen splitting
(``-a``) and escaping.
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from isogloss.language.packages import required

_ORDERS = 4
_EPSILON = 0.1


def sentence_bleu(reference: Sequence[str], output: Sequence[str]) -> float:
    """BLEU, 0 to 100, of one tokenised segment."""
    logs = []
    for order in range(1, _ORDERS + 1):
        there, here = _ngrams(reference, order), _ngrams(output, order)
        matched = (here & there).total()
        if order == 1 and not matched:
            return 0.0
        logs.append(math.log((matched or _EPSILON) / max(here.total(), 1)))
    return 100 * _brevity(len(reference), len(output)) * math.exp(math.fsum(logs) / _ORDERS)


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def _brevity(reference: int, output: int) -> float:
    return 1.0 if output > reference else math.exp(1 - reference / output)


@lru_cache(maxsize=8)
def _moses(language: str) -> Any:
    required("sacremoses", "the BLEU of the markable study")
    from sacremoses import MosesTokenizer

    return MosesTokenizer(language)


def moses_tokens(text: str, language: str) -> list[str]:
    """The tokens that the study's BLEU counts."""
    tokens: list[str] = _moses(language).tokenize(text, aggressive_dash_splits=True, escape=True)
    if tokens[-2:] == [".", "&apos;"] and text.rstrip().endswith(".'"):
        # The Perl tokeniser that the authors ran left this whole; one cell of Table 2 and one of
        # Table 3 come out as printed only if we do.
        return [*tokens[:-3], "".join(tokens[-3:])]
    return tokens
