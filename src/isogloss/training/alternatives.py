"""Alternatives: for every piece of a set, others that a language model would as soon have written.

The model reads each text behind a condition that has lost most of its pieces: what it then finds
probable fits the sentence and seldom its meaning. One piece at a time is asked for, the rest of the
text as it is, so a single reading of a set gives alternatives to all its pieces (as ELECTRA makes
its replaced tokens; Clark et al. 2020).

Translations as outputs without error: packed bitext in the form of penalised sets.

A translation is judged by the text it was made of, as if that were the reference in another
language, and paraphrases by each other. Broken copies (`isogloss.training.made_errors`) are what
they are compared with. So there is more and other text to learn errors on than people have judged.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from isogloss.arrays import Integers
from isogloss.errors import InputError
from isogloss.training import checkpoints
from isogloss.training.batches import Batch, BatchSettings, fitting, lay_out
from isogloss.training.checkpoints import restored
from isogloss.training.examples import SPECIALS, FlatPieces, is_held_out
from isogloss.training.made_errors import PieceKinds
from isogloss.training.model import ModelSettings, Transformer
from isogloss.training.packing import PackedSet
from isogloss.training.penalties import Ids, PenaltySet, read_penalties
from isogloss.training.validation import run_model, to_device
from isogloss.training.vocabulary import NONE, Vocabulary

_CHUNK = 4096  # pieces whose logits exist at the same time


@dataclass(frozen=True)
class AlternativeSettings:
    """For each sample of all pieces, the share of the condition that is hidden.

    Alternatives are at most `margin` nats less probable than the best one.
    """

    batches: BatchSettings
    hidden: tuple[float, ...] = (0.5, 0.8)
    margin: float = 3.5
    seed: int = 1


def sample_folder(
    initial: Path,
    vocabulary: Path,
    penalties: Path,
    out: Path,
    settings: AlternativeSettings,
    device: str = "cpu",
) -> Iterator[tuple[str, int]]:
    """Write the sets of a folder with alternatives; tells each set's name and pieces.

    Sets whose penalties have an order only go along as they are: nothing is broken in them.
    """
    content, there = checkpoints.load(initial), torch.device(device)
    kind = torch.bfloat16 if there.type == "cuda" else torch.float32
    model = Transformer(ModelSettings(**content["settings"]), kind).to(there)
    model.load_state_dict(restored(content["weights"]))
    pieces = Vocabulary(vocabulary)
    kinds = PieceKinds.of(pieces)
    for penalised in read_penalties(penalties):
        found = penalised
        if penalised.sized:
            tags = penalised.tags(pieces)
            found = with_alternatives(penalised, model, kinds, tags, settings, there)
        found.save(out)
        yield found.name, len(found.ids)


def with_alternatives(
    penalised: PenaltySet,
    model: Transformer,
    kinds: PieceKinds,
    tags: tuple[int, int],
    settings: AlternativeSettings,
    device: torch.device,
) -> PenaltySet:
    """The set with alternatives to the pieces of its outputs and references.

    `tags` are those of outputs and of references; sources, and what nobody asks for, stay as is.
    """
    found = np.stack([penalised.ids] * len(settings.hidden))
    draw = np.random.default_rng(settings.seed)
    torch.manual_seed(settings.seed)
    generator = _Generator(model.eval(), kinds, settings, device)
    asked = _asked(penalised)
    for sample, hidden in enumerate(settings.hidden):
        generator.fill(penalised, asked, tags, hidden, draw, found[sample])
    return replace(penalised, alternatives=found)


def _asked(penalised: PenaltySet) -> Integers:
    """Rows of condition, target and which tag: each output and each reference once."""
    outputs, references = penalised.outputs, penalised.references
    segments, columns = np.nonzero(outputs >= 0)
    of_outputs = np.stack(
        [references[segments, 0], outputs[segments, columns], np.zeros(len(segments), np.int32)], 1
    )
    segments, columns = np.nonzero(references >= 0)
    of_references = np.stack(
        [penalised.sources[segments], references[segments, columns], np.ones(len(segments))], 1
    )
    rows = np.concatenate([of_outputs, of_references]).astype(np.int64)
    _, first = np.unique(rows[:, 1], return_index=True)
    return np.asarray(rows[first])


class _Generator:
    """Samples alternatives with a model."""

    def __init__(
        self,
        model: Transformer,
        kinds: PieceKinds,
        settings: AlternativeSettings,
        device: torch.device,
    ) -> None:
        self.model, self.settings, self.device = model, settings, device
        classes = torch.from_numpy(kinds.classes).to(device)
        self.classes = classes
        apart = classes[None, :] != torch.arange(8, device=device)[:, None]
        self.barred = torch.where(apart, float("-inf"), 0.0)
        self.twins = torch.from_numpy(kinds.twins).to(device)

    def fill(
        self,
        penalised: PenaltySet,
        asked: Integers,
        tags: tuple[int, int],
        hidden: float,
        draw: np.random.Generator,
        found: Ids,
    ) -> None:
        """Write an alternative to every piece of the asked texts."""
        settings = self.settings.batches
        room = settings.longest - SPECIALS
        lengths = np.minimum(penalised.lengths.astype(np.int64), room)[asked[:, :2]]
        order = np.argsort(lengths.sum(axis=1), kind="stable")
        first = 0
        while first < len(order):
            left = lengths[order[first:]]
            taken = fitting(left[:, 0] + 1, left[:, 1] + SPECIALS, settings)
            numbers = order[first : first + taken]
            condition = penalised.side(asked[numbers, 0], room)
            seen = draw.random(len(condition.ids)) >= hidden
            condition = FlatPieces(condition.ids[seen], condition.owners[seen])
            target = penalised.side(asked[numbers, 1], room)
            batch = lay_out(condition, target, np.array(tags)[asked[numbers, 2]], settings)
            sampled = self._sampled(batch)
            for place, begin in zip(numbers, batch.target_bounds.tolist(), strict=False):
                where = penalised.place(int(asked[place, 1])).start
                size = int(lengths[place, 1])
                found[where : where + size] = sampled[begin + 1 : begin + 1 + size]
            first += taken

    @torch.no_grad()
    def _sampled(self, batch: Batch) -> Integers:
        """For every token of the target buffer, a piece that could follow instead of its label."""
        moved = to_device(batch, self.device, self.settings.batches.longest)
        states = run_model(self.model, moved)
        matrix = self.model.embed_tokens.weight.to(states.dtype).T
        parts = [
            self._drawn((states[part] @ matrix).float(), moved.labels[part].clamp(min=0))
            for part in (slice(f, f + _CHUNK) for f in range(0, len(states), _CHUNK))
        ]
        return np.asarray(torch.cat(parts).cpu().numpy())

    def _drawn(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Of the label's class, and neither it nor its twin in the other case."""
        logits = logits + self.barred[self.classes[labels]]
        logits.scatter_(1, labels[:, None], float("-inf"))
        twins = torch.where(self.twins[labels] == NONE, labels, self.twins[labels])
        logits.scatter_(1, twins[:, None], float("-inf"))
        least = logits.amax(dim=1, keepdim=True) - self.settings.margin
        logits = logits.masked_fill(logits < least, float("-inf"))
        return (logits - torch.empty_like(logits).exponential_().log()).argmax(dim=-1)


_MOST = 200  # pieces


def translation_set(
    packed: Iterable[PackedSet],
    source: str,
    target: str,
    rows: int,
    seed: int = 1,
    fewest: int = 6,
) -> PenaltySet:
    """Up to so many pairs of a direction, out of all sets that have it, as ``made.XX-YY``.

    Texts of fewer pieces than `fewest` are hardly broken without being destroyed. Rows that have
    nothing to do with each other may be read as one paragraph, as in training on packed text.
    """
    pairs = [
        (one, columns, row)
        for one in packed
        for columns in _columns(one, source, target)
        for row in _usable(one, columns, fewest).tolist()
    ]
    if not pairs:
        raise InputError(f"no packed set has the direction {source}-{target}")
    order = np.random.default_rng(seed).permutation(len(pairs))
    return _set(source, target, [pairs[number] for number in order[:rows]])


def _columns(packed: PackedSet, source: str, target: str) -> list[tuple[int, int]]:
    found = [
        (first, second)
        for first, here in enumerate(packed.languages)
        for second, there in enumerate(packed.languages)
        if first != second and (here, there) == (source, target)
    ]
    return found[:1]


def _usable(packed: PackedSet, columns: tuple[int, int], fewest: int) -> Integers:
    lengths = packed.lengths[list(columns)]
    usable = ((lengths >= fewest) & (lengths <= _MOST)).all(axis=0)
    return np.flatnonzero(usable & ~is_held_out(np.arange(packed.rows)))


_Pair = tuple[PackedSet, tuple[int, int], int]


def _set(source: str, target: str, pairs: list[_Pair]) -> PenaltySet:
    texts = [one.sentence(column, row) for one, columns, row in pairs for column in columns]
    numbers = np.arange(len(texts), dtype=np.int32).reshape(-1, 2)
    return PenaltySet(
        f"made.{source}-{target}",
        target,
        np.concatenate(texts),
        np.array([len(text) for text in texts], dtype=np.uint16),
        numbers[:, 0],
        numbers[:, :1],
        numbers[:, 1:],
        np.array([True]),
        np.zeros((len(pairs), 1)),
        reference_language="" if source == target else source,
    )
