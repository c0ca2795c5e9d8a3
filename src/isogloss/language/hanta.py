"""Parts of speech in German, English and Dutch by HanTa (Wartena 2019)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isogloss.language.placing import universal
from isogloss.language.protocol import Token

_MODELS = {
    "de": "morphmodel_ger.pgz",
    "en": "morphmodel_en.pgz",
    "nl": "morphmodel_dutch.pgz",
}
LANGUAGES = frozenset(_MODELS)

# Each model has the tags of its treebank.
_STTS = {
    "$": "PUNCT", "ADJ": "ADJ", "ADV": "ADV", "AP": "ADP", "ART": "DET", "CARD": "NUM",
    "FM": "X", "ITJ": "INTJ", "KOKOM": "CCONJ", "KON": "CCONJ", "KOU": "SCONJ", "NE": "PROPN",
    "NN": "NOUN", "PDAT": "DET", "PDS": "PRON", "PIAT": "DET", "PIS": "PRON", "PPER": "PRON",
    "PPOSAT": "DET", "PPOSS": "PRON", "PREL": "PRON", "PRF": "PRON", "PROAV": "ADV",
    "PTKA": "PART", "PTKANT": "INTJ", "PTKNEG": "PART", "PTKVZ": "ADP", "PTKZU": "PART",
    "PWAT": "DET", "PWAV": "ADV", "PWS": "PRON", "TRUNC": "X", "VA": "AUX", "VM": "AUX",
    "VV": "VERB", "XY": "X",
}  # fmt: skip
_C5 = {
    "AJ": "ADJ", "AT": "DET", "AV": "ADV", "AVP": "ADP", "CJ": "SCONJ", "CJC": "CCONJ",
    "CRD": "NUM", "DPS": "PRON", "DT": "DET", "EX": "PRON", "IN": "ADP", "ITJ": "INTJ",
    "NN": "NOUN", "NP": "PROPN", "ORD": "ADJ", "PN": "PRON", "POS": "PART", "PR": "ADP",
    "PU": "PUNCT", "TO": "PART", "UNC": "X", "VB": "AUX", "VD": "AUX", "VH": "AUX",
    "VM": "AUX", "VV": "VERB", "XX": "PART", "ZZ": "X",
}  # fmt: skip
_CGN = {
    "ADJ": "ADJ", "BW": "ADV", "LET": "PUNCT", "LID": "DET", "N(": "NOUN", "N(eigen": "PROPN",
    "SPEC": "X", "SPEC(symb": "SYM", "TSW": "INTJ", "TW": "NUM", "TW(rang": "ADJ",
    "VG(neven": "CCONJ", "VG(onder": "SCONJ", "VNW": "PRON", "VNW(aanw,det": "DET",
    "VNW(bez": "PRON", "VNW(onbep,det": "DET", "VNW(onbep,grad": "DET", "VZ": "ADP",
    "WW": "VERB",
}  # fmt: skip
_TAGS: Mapping[str, Mapping[str, str]] = {"de": _STTS, "en": _C5, "nl": _CGN}
_SYMBOLS = re.compile(r"[^\w\s]+|_+")


@lru_cache(maxsize=len(_MODELS))
def _model(language: str) -> Any:
    from HanTa.HanoverTagger import HanoverTagger

    return HanoverTagger(_MODELS[language])


@dataclass(frozen=True)
class HantaTagger:
    """Parts of speech in context, by a hidden Markov model over morphemes."""

    language: str
    version: str

    @property
    def name(self) -> str:
        return f"hanta-{self.language}-{self.version}"

    def tag(self, tokens: Sequence[Token]) -> list[str]:
        """One Universal POS tag for each token."""
        pairs = zip(tokens, self.treebank_tags(tokens), strict=True)
        return [self._universal(token.text, tag) for token, tag in pairs]

    def treebank_tags(self, tokens: Sequence[Token]) -> list[str]:
        """The tags of the treebank that the model was trained on: STTS, CLAWS C5 or CGN."""
        words = [token.text for token in tokens]
        return [tag for _, _, tag in _model(self.language).tag_sent(words)] if words else []

    def _universal(self, word: str, tag: str) -> str:
        if _SYMBOLS.fullmatch(word):
            return "PUNCT"
        return universal(_TAGS[self.language], tag)
