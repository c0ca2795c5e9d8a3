"""The stream of batches, made by worker processes ahead of the trainer.

Batch n is the same whatever the number of workers. While a run goes on, more packed sets may
arrive in the folder; the stream takes them in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from isogloss.training.batches import Batch, BatchSettings, make_batch
from isogloss.training.examples import Examples
from isogloss.training.mixture import Mixture, MixtureSettings
from isogloss.training.packing import Corpus
from isogloss.training.vocabulary import Vocabulary

_LOOK_EVERY = 16  # batches between two looks for new sets


@dataclass(frozen=True)
class StreamSettings:
    """Where the data lies and how batches are made of it."""

    packed: Path
    vocabulary: Path
    batches: BatchSettings
    mixture: MixtureSettings
    seed: int = 1
    workers: int = 0
    held_out: bool = False


class BatchStream(IterableDataset[list[Tensor]]):
    """Batches from number `first` on, as the tensors of `Batch` in order (32-bit)."""

    def __init__(self, settings: StreamSettings, first: int) -> None:
        self.settings, self.first = settings, first

    def __iter__(self) -> Iterator[list[Tensor]]:
        worker = get_worker_info()
        offset, stride = (0, 1) if worker is None else (worker.id, worker.num_workers)
        vocabulary = Vocabulary(self.settings.vocabulary)
        corpus = Corpus(self.settings.packed)
        spelling = vocabulary.spelling()
        examples = self._examples(corpus)
        tags = vocabulary.tags(corpus.languages)
        number, settings = self.first + offset, self.settings
        while True:
            if (number // stride) % _LOOK_EVERY == 0 and corpus.refresh():
                examples = self._examples(corpus)
                tags = vocabulary.tags(corpus.languages)
            batch = make_batch(examples, settings.batches, spelling, tags, settings.seed, number)
            yield tensors_of(batch)
            number += stride

    def _examples(self, corpus: Corpus) -> Examples:
        settings = self.settings
        mixture = Mixture(corpus.sets, settings.mixture)
        return Examples(mixture, settings.batches.examples, settings.held_out)


def tensors_of(batch: Batch) -> list[Tensor]:
    """The arrays of a batch as 32-bit tensors, small to hand over."""
    return [torch.from_numpy(array.astype("int32")) for array in vars(batch).values()]


def batch_of(tensors: list[Tensor]) -> Any:
    """A batch whose fields are tensors."""
    return Batch(*tensors)  # type: ignore[arg-type]


def stream_batches(settings: StreamSettings, first: int, pinned: bool) -> Iterator[list[Tensor]]:
    """Batches from number `first` on, made ahead by the worker processes."""
    ahead: dict[str, Any] = {"prefetch_factor": 2} if settings.workers else {}
    loader = DataLoader(
        BatchStream(settings, first),
        batch_size=None,
        num_workers=settings.workers,
        pin_memory=pinned,
        generator=torch.Generator(),  # its own: the model's chance must not depend on the stream
        **ahead,
    )
    return iter(loader)
