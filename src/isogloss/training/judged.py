"""Judged sets: how well a model's Prism scores agree with people, measured while it trains.

A loss on held-out text says little about how well a model ranks translations. A judged set holds
the references and outputs of a test set as pieces, with human scores; after every part of a run
both directions are scored, and the log says Pearson's r and acc_eq beside the loss.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.metaeval import acc_eq, pearson
from isogloss.training.batches import IGNORED, BatchSettings, fitting, lay_out
from isogloss.training.examples import SPECIALS, FlatPieces, exclusive
from isogloss.training.model import Transformer
from isogloss.training.validation import sequence_losses, to_device
from isogloss.training.vocabulary import Vocabulary

if TYPE_CHECKING:
    from isogloss.documents import Collection


@dataclass(frozen=True, eq=False)
class JudgedSet:
    """Texts as pieces, end to end; `references[s]` and `outputs[s, y]` number texts (-1: none).

    `human` is systems x segments, NaN where nobody judged.
    """

    name: str
    language: str
    ids: NDArray[np.uint16]
    lengths: NDArray[np.uint16]
    references: NDArray[np.int32]
    outputs: NDArray[np.int32]
    human: Floats

    def sampled(self, segments: int) -> "JudgedSet":
        """The same with so many segments at most, spread over the set."""
        count = len(self.references)
        chosen = np.unique(np.linspace(0, count - 1, min(segments, count)).astype(int))
        return JudgedSet(
            self.name, self.language, self.ids, self.lengths,
            self.references[chosen], self.outputs[chosen], self.human[:, chosen],
        )  # fmt: skip

    def save(self, folder: Path) -> None:
        """Write ``NAME.npz``."""
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {name: value for name, value in vars(self).items() if name != "name"}
        np.savez_compressed(folder / f"{self.name}.npz", **arrays)


def judged_set(
    name: str,
    language: str,
    references: Sequence[str],
    outputs: Sequence[Sequence[str | None]],
    human: Floats,
    vocabulary: Vocabulary,
) -> JudgedSet:
    """Encode a set; `outputs[segment][system]`, `human` systems x segments."""
    texts = list(dict.fromkeys([*references, *(o for row in outputs for o in row if o)]))
    number = {text: index for index, text in enumerate(texts)}
    encoded = vocabulary.encode(texts)
    return JudgedSet(
        name,
        language,
        np.concatenate([np.array(pieces, dtype=np.uint16) for pieces in encoded]),
        np.array([len(pieces) for pieces in encoded], dtype=np.uint16),
        np.array([number[text] for text in references], dtype=np.int32),
        np.array([[number[o] if o else -1 for o in row] for row in outputs], dtype=np.int32),
        human,
    )


def judged_from(
    testset: Path, vocabulary: Vocabulary, human: str = "mqm", reference: str | None = None
) -> JudgedSet:
    """A test set with judgements beside it, in any format the product reads.

    The reference is the one named, or the first; human outputs are left out.
    """
    # Imported here: the machine that trains needs none of it.
    from isogloss.formats import read_collection, read_judgements

    collection = read_collection(testset)
    language = collection.testset.target_language
    if language is None:
        raise InputError(f"{testset}: the target language is not known")
    means = read_judgements(testset, collection, human).segment_means()
    chosen = reference or collection.testset.reference_names[0]
    rows = list(_judged_rows(collection, means, chosen))
    if not rows:
        raise InputError(f"{testset}: nobody judged a segment that has the reference {chosen!r}")
    references, outputs, scores = zip(*rows, strict=True)
    name = ".".join(testset.resolve().parts[-2:])
    return judged_set(name, language, references, outputs, np.array(scores).T, vocabulary)


def _judged_rows(
    collection: "Collection", means: Mapping[tuple[str, str, int], float], reference: str
) -> Iterator[tuple[str, list[str | None], list[float]]]:
    """Of each judged segment: its reference, the outputs, and what people said of them."""
    judged = {system for system, _, _ in means}
    systems = [out for out in collection.outputs if out.name in judged and not out.human]
    for document in collection.testset.documents:
        for segment, text in enumerate(document.references[reference]):
            scores = [means.get((out.name, document.id, segment), np.nan) for out in systems]
            if text and not np.isnan(scores).all():
                yield text, [out.documents[document.id][segment] for out in systems], scores


def read_judged(folder: Path, segments: int | None = None) -> list[JudgedSet]:
    """All judged sets of a folder, sorted by name."""
    sets = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as stored:
            values = {name: stored[name] for name in stored.files}
        values["language"] = str(values["language"])
        whole = JudgedSet(path.stem, **values)
        sets.append(whole if segments is None else whole.sampled(segments))
    if not sets:
        raise InputError(f"{folder}: no judged sets; run the step 'judged' first")
    return sets


@dataclass(frozen=True)
class Agreement:
    """How a model agrees with people on one set."""

    pearson: float
    acc_eq: float


def agreement(
    judged: JudgedSet,
    model: Transformer,
    tag: int,
    settings: BatchSettings,
    device: torch.device,
    temperature: float = 1.0,
) -> Agreement:
    """Pearson's r over all outputs and acc_eq by segment, of the mean of both directions."""
    segment, system = np.nonzero(judged.outputs >= 0)
    reference, output = judged.references[segment], judged.outputs[segment, system]
    pairs = np.concatenate([np.stack([reference, output], 1), np.stack([output, reference], 1)])
    distinct, where = np.unique(pairs, axis=0, return_inverse=True)
    found = score_pairs(judged, distinct, model, tag, settings, device, temperature)[where]
    scores = np.full(judged.human.shape, np.nan)
    scores[system, segment] = found.reshape(2, -1).mean(axis=0)
    scores[np.isnan(judged.human)] = np.nan
    human = np.where(np.isnan(scores), np.nan, judged.human)
    r, accuracy = pearson(human, scores), acc_eq(human, scores).value
    return Agreement(r.value or 0.0, accuracy.value or 0.0)


def score_pairs(
    judged: JudgedSet,
    pairs: Integers,
    model: Transformer,
    tag: int,
    settings: BatchSettings,
    device: torch.device,
    temperature: float = 1.0,
) -> Floats:
    """H of the second text given the first, for pairs of text numbers."""
    # Long texts are cut here, where the metric scores them in parts: it is a quick look.
    lengths = np.minimum(judged.lengths.astype(np.int64), settings.longest - SPECIALS)
    order = np.argsort(lengths[pairs].sum(axis=1), kind="stable")
    scores = np.empty(len(pairs))
    for some in _portions(lengths[pairs[order]], settings):
        numbers = order[some]
        sides = [_side(judged, pairs[numbers, side], lengths) for side in (0, 1)]
        batch = lay_out(sides[0], sides[1], np.full(len(numbers), tag), settings)
        moved = to_device(batch, device, settings.longest)
        totals = sequence_losses(model, moved, len(numbers), temperature).cpu().numpy()
        counted = np.add.reduceat(batch.labels != IGNORED, batch.target_bounds[: len(numbers)])
        scores[numbers] = -totals / counted
    return scores


def _portions(lengths: Integers, settings: BatchSettings) -> Iterator[slice]:
    """Runs of pairs that fill the buffers of a batch."""
    first = 0
    while first < len(lengths):
        taken = fitting(lengths[first:, 0] + 1, lengths[first:, 1] + SPECIALS, settings)
        yield slice(first, first + taken)
        first += taken


def _side(judged: JudgedSet, texts: Integers, lengths: Integers) -> FlatPieces:
    begins = exclusive(judged.lengths.astype(np.int64))[texts]
    wanted = lengths[texts]
    places = np.repeat(begins - exclusive(wanted), wanted) + np.arange(int(wanted.sum()))
    return FlatPieces(judged.ids[places].astype(np.int64), np.repeat(np.arange(len(texts)), wanted))
