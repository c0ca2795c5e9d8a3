"""Which aligner is taken where nobody names one, and why.

A translation model that knows both languages finds better links than a statistical aligner that
has to learn them from the text (docs/alignment.md has the figures). Where the model does not know
a language, there is nothing but the text to learn from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.alignment.interface import Aligner, remarks_of
from isogloss.alignment.links import SegmentAlignment, TokenPair
from isogloss.errors import InputError
from isogloss.paraphraser.folder import ModelCard, read_card
from isogloss.paraphraser.schemes import frame
from isogloss.paraphraser.store import find_model

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Preference:
    """The aligner that is taken, and the reason."""

    aligner: Literal["attention", "eflomal"]
    reason: str

    def __str__(self) -> str:
        return f"{self.aligner} ({self.reason})"


def preference(source_language: str | None, target_language: str | None, model: str) -> Preference:
    """What to align texts of these languages with."""
    if source_language is None or target_language is None:
        return Preference("eflomal", "the languages are not said, and a model needs to know them")
    try:
        card = read_card(find_model(model))
    except InputError:
        return Preference("eflomal", f"there is no model {model!r}")
    for pair in ((source_language, target_language), (target_language, source_language)):
        unknown = _unknown(card, *pair)
        if unknown:
            return Preference("eflomal", unknown)
    return Preference("attention", f"{card.name} knows {source_language} and {target_language}")


def _unknown(card: ModelCard, condition: str, target: str) -> str:
    """What the model does not know about a direction; nothing if it knows it."""
    try:
        frame(card, condition, target)
    except InputError:
        return f"{card.name} does not know {condition} to {target}"
    return ""


@dataclass(frozen=True)
class PreferredAligner:
    """An aligner that was taken because nobody named one; it says so."""

    aligner: Aligner
    preference: Preference

    @property
    def name(self) -> str:
        """That of the aligner: the links are the same as if it had been named."""
        return self.aligner.name

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The aligner's links."""
        return self.aligner.align(pairs)

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Who was taken and why, and what that one has to say."""
        taken = f"words linked by {self.preference}"
        return {taken: len(pairs), **remarks_of(self.aligner, pairs)}
