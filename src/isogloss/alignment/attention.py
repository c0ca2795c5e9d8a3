"""Word alignment read off the cross-attention of a translation model.

The model is made to produce the target, and the attention of each target word on the source is
read one step after the word, when the decoder has it as input and looks for what it stands for
(Chen et al., 2020). The same is done the other way round. Nothing is learnt from the text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from isogloss.alignment.decoder import Heads
from isogloss.alignment.directions import Directions
from isogloss.alignment.heads import HeadChoice
from isogloss.alignment.joining import joined
from isogloss.alignment.links import TokenPair
from isogloss.alignment.pieced_words import word_attention
from isogloss.alignment.reading import AttentionReader
from isogloss.alignment.strengths import Matrix, strongest
from isogloss.errors import NotApplicableError
from isogloss.paraphraser.engine import Device
from isogloss.paraphraser.folder import read_card
from isogloss.paraphraser.pairs import Pair
from isogloss.paraphraser.scheduling import windows
from isogloss.paraphraser.store import DEFAULT, Runtime, find_model

_DIGEST = slice(len("sha256:"), len("sha256:") + 8)
_WINDOW = 512
WEAKEST = 0.15
"""What an attention must have to be a link; chosen on development data."""
_RUNTIME = Runtime()


@dataclass(frozen=True)
class AttentionAligner:
    """Reads links off a model, in both directions.

    `heads` are the attention heads that are read; `None` takes those that the model's card names,
    and where it names none, all in the lower half of the layers.
    """

    source_language: str | None
    target_language: str | None
    model: str = DEFAULT
    heads: HeadChoice | None = None
    runtime: Runtime = field(default=_RUNTIME, repr=False)

    def __post_init__(self) -> None:
        if self.source_language is None or self.target_language is None:
            raise NotApplicableError(
                "a model's attention needs to know both languages; say them with --from and --to "
                "or in the test set"
            )

    @cached_property
    def name(self) -> str:
        card = read_card(self._folder)
        heads = "-lower" if self._heads is None else str(self._heads)
        model = f"{card.name}@{card.digest[_DIGEST]}-{card.precision}"
        languages = f"{self.source_language}-{self.target_language}"
        return f"attention-{model}:heads{heads}:least{WEAKEST}:{languages}"

    @cached_property
    def _folder(self) -> Path:
        return find_model(self.model)

    @cached_property
    def _heads(self) -> HeadChoice | None:
        return self.heads or HeadChoice.of_card(read_card(self._folder))

    def _reader(self) -> AttentionReader:
        return _reader(self._folder, self.runtime.device)

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Each word's choice among the words of the other side."""
        return [strongest(matrix, WEAKEST) for matrix in self.matrices(pairs)]

    def matrices(self, pairs: Sequence[TokenPair]) -> Iterator[Matrix]:
        """How strongly each source word (row) and target word (column) are linked, 0 to 1."""
        model = self._reader()
        heads = self._heads or HeadChoice.lower_half(model.layers, model.heads)
        for forth, back in self._both_sides(pairs, heads.mean, heads.top):
            # A link that only one direction sees is worth little.
            yield np.sqrt(forth * back)

    def every_head(self, pairs: Sequence[TokenPair]) -> Iterator[tuple[Heads, Heads]]:
        """What each head says from either side, source words in rows: for choosing among them."""
        return self._both_sides(pairs, lambda heads: heads, None)

    def _both_sides(
        self, pairs: Sequence[TokenPair], chosen: Callable[[Heads], Heads], top: int | None
    ) -> Iterator[tuple[Heads, Heads]]:
        """The attention of target words on source words, and the other way round."""
        source, target = str(self.source_language), str(self.target_language)
        model = self._reader()
        for window in windows(pairs, _WINDOW):
            ours = [joined(words, source) for words, _ in window]
            theirs = [joined(words, target) for _, words in window]
            both = list(zip(ours, theirs, strict=True))
            forth = model.read((Pair(a, b, target, source) for (a, _), (b, _) in both), top)
            back = model.read((Pair(b, a, source, target) for (a, _), (b, _) in both), top)
            for ((_, a), (_, b)), there, here in zip(both, forth, back, strict=True):
                if there is None or here is None:
                    nothing = np.zeros((len(a), len(b)), np.float32)
                    yield nothing, nothing
                    continue
                seen = word_attention(chosen(there.weights), there, b, a)
                yield seen.swapaxes(-1, -2), word_attention(chosen(here.weights), here, a, b)


@lru_cache(maxsize=2)
def _reader(folder: Path, device: Device) -> AttentionReader:
    """The model, loaded; asked for again, it is the same object."""
    return AttentionReader(folder, device)
