"""Which cross-attention of a model aligns words, and whether its encoder's states do.

Few heads of a translation model align, and which they are differs from model to model. They are
chosen on development data and noted in the model's card, where they do not change its digest.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from isogloss.alignment.decoder import Heads
from isogloss.alignment.strengths import Matrix
from isogloss.errors import InputError
from isogloss.paraphraser.folder import ModelCard, read_card, write_card

_KEY = "alignment_heads"
_STATES = "alignment_states"
_HEAD = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class HeadChoice:
    """(layer, head) of the heads whose mean is read; layers are counted from 0 at the bottom."""

    heads: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return "+".join(f"{layer}.{head}" for layer, head in self.heads)

    @classmethod
    def of_card(cls, card: ModelCard) -> "HeadChoice | None":
        """What the model's card says; `None` where nobody has chosen yet."""
        noted = card.card.get(_KEY)
        if noted is None:
            return None
        texts = noted if isinstance(noted, Sequence) and not isinstance(noted, str) else ()
        matches = [_HEAD.fullmatch(str(text)) for text in texts]
        heads = tuple((int(match[1]), int(match[2])) for match in matches if match)
        if not heads or len(heads) != len(matches):
            raise InputError(
                f"model {card.name!r}: the card's {_KEY} must be a list of heads such as "
                f'"1.3" (layer 1, head 3), not {noted!r}'
            )
        return cls(heads)

    @classmethod
    def lower_half(cls, layers: int, heads: int) -> "HeadChoice":
        """What is read of a model of which nobody has chosen heads: what aligns lies low."""
        low = range((layers + 1) // 2)
        return cls(tuple((layer, head) for layer in low for head in range(heads)))

    @property
    def top(self) -> int:
        """The highest layer that has to be computed."""
        return max(layer for layer, _ in self.heads)

    def mean(self, weights: Heads) -> Matrix:
        """The mean of the chosen heads."""
        layers, heads = weights.shape[:2]
        for layer, head in self.heads:
            if layer >= layers or head >= heads:
                raise InputError(f"there is no head {layer}.{head}; the model has fewer")
        mean: Matrix = sum(weights[head] for head in self.heads) / np.float32(len(self.heads))
        return mean


def states_factor(card: ModelCard) -> float | None:
    """What products of the encoder's states are multiplied by; `None`: they are not looked at.

    Only a model whose states are alike for words that mean the same has such a note in its card.
    """
    noted = card.card.get(_STATES)
    if noted is None:
        return None
    if not isinstance(noted, int | float) or isinstance(noted, bool) or not noted > 0:
        raise InputError(
            f"model {card.name!r}: the card's {_STATES} must be a number above 0, not {noted!r}"
        )
    return float(noted)


def remember_choice(folder: Path, choice: HeadChoice, states: float | None = None) -> None:
    """Note the choice of heads, and of the factor of states, in the card of a model."""
    card = read_card(folder)
    noted = {**card.card, _KEY: [f"{layer}.{head}" for layer, head in choice.heads]}
    if states is not None:
        noted[_STATES] = states
    write_card(folder, replace(card, card=noted))
