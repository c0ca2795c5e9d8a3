"""Penalised outputs: what people took off for errors, with all texts as pieces, to train by.

A set holds sources, references and outputs of the judged segments of a test set. It differs from
a judged set (`isogloss.training.judged`), which only measures: sources, all references and human
outputs are in it too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError
from isogloss.training.examples import Array, Side, exclusive
from isogloss.training.vocabulary import Vocabulary

if TYPE_CHECKING:
    from isogloss.documents import Collection

Floats = NDArray[np.float64]
_NONE = -1  # no such text


@dataclass(frozen=True, eq=False)
class PenaltySet:
    """Texts as pieces, end to end; the other arrays number texts (-1: none).

    `sources` has one text for each segment, `references` is segments x references, `outputs` and
    `penalties` are segments x systems; a penalty is NaN where nobody judged. `people` marks the
    systems that are human translators.
    """

    name: str
    language: str
    ids: NDArray[np.uint16]
    lengths: NDArray[np.uint16]
    sources: NDArray[np.int32]
    references: NDArray[np.int32]
    outputs: NDArray[np.int32]
    people: NDArray[np.bool_]
    penalties: Floats

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def judged(self) -> int:
        """How many outputs have a penalty."""
        return int((~np.isnan(self.penalties)).sum())

    def save(self, folder: Path) -> None:
        """Write ``NAME.npz``."""
        folder.mkdir(parents=True, exist_ok=True)
        arrays = {name: value for name, value in vars(self).items() if name != "name"}
        np.savez_compressed(folder / f"{self.name}.npz", **arrays)

    def split(self, share: float) -> tuple["PenaltySet", "PenaltySet"]:
        """Without the last share of its segments, and these alone, called ``NAME@held-out``.

        The last ones, not any: segments of one document stay together but for one cut.
        """
        cut = len(self) - round(share * len(self))
        return self._segments(self.name, slice(cut)), self._segments(
            f"{self.name}@held-out", slice(cut, None)
        )

    def _segments(self, name: str, chosen: slice) -> "PenaltySet":
        return replace(
            self,
            name=name,
            sources=self.sources[chosen],
            references=self.references[chosen],
            outputs=self.outputs[chosen],
            penalties=self.penalties[chosen],
        )

    def side(self, texts: Array, longest: int) -> Side:
        """The pieces of some texts, each cut to `longest`, as one side of a batch."""
        begins = exclusive(self.lengths.astype(np.int64))[texts]
        wanted = np.minimum(self.lengths[texts].astype(np.int64), longest)
        places = np.repeat(begins - exclusive(wanted), wanted) + np.arange(int(wanted.sum()))
        return Side(self.ids[places].astype(np.int64), np.repeat(np.arange(len(texts)), wanted))


def read_penalties(folder: Path) -> list[PenaltySet]:
    """All sets of a folder, sorted by name."""
    sets = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as stored:
            values = {name: stored[name] for name in stored.files}
        values["language"] = str(values["language"])
        sets.append(PenaltySet(path.stem, **values))
    if not sets:
        raise InputError(f"{folder}: no penalised outputs; run the step 'penalties' first")
    return sets


def penalties_from(
    testset: Path, vocabulary: Vocabulary, human: str = "mqm", reference: str | None = None
) -> PenaltySet:
    """A test set with judgements beside it; `reference` comes first where it is named.

    Human scores are minus the penalty, as in MQM: 0 is without error.
    """
    # Imported here: the machine that trains needs none of it.
    from isogloss.formats.catalogue import read_collection, read_judgements

    collection = read_collection(testset)
    language = collection.testset.target_language
    if language is None:
        raise InputError(f"{testset}: the target language is not known")
    means = read_judgements(testset, collection, human).segment_means()
    if max(means.values(), default=0.0) > 0:
        raise InputError(f"{testset}: scores of {human!r} above 0 are no penalties")
    names = list(collection.testset.reference_names)
    if reference is not None:
        names.sort(key=lambda name: name != reference)
    rows = list(_rows(collection, means, names))
    if not rows:
        raise InputError(f"{testset}: nobody judged a segment")
    judged = {system for system, _, _ in means}
    people = [out.human for out in collection.outputs if out.name in judged]
    name = ".".join(testset.resolve().parts[-2:])
    return penalty_set(name, language, rows, np.array(people), vocabulary)


_Row = tuple[str, list[str | None], list[str | None], list[float]]


def penalty_set(
    name: str,
    language: str,
    rows: list[_Row],
    people: NDArray[np.bool_],
    vocabulary: Vocabulary,
) -> PenaltySet:
    """Encode rows of: a source, its references, the outputs, and their penalties."""
    texts = list(dict.fromkeys(t for row in rows for t in (row[0], *row[1], *row[2]) if t))
    number: dict[str | None, int] = {text: index for index, text in enumerate(texts)}
    encoded = vocabulary.encode(texts)
    return PenaltySet(
        name,
        language,
        np.concatenate([np.array(pieces, dtype=np.uint16) for pieces in encoded]),
        np.array([len(pieces) for pieces in encoded], dtype=np.uint16),
        np.array([number[row[0]] for row in rows], dtype=np.int32),
        np.array([[number.get(t, _NONE) for t in row[1]] for row in rows], dtype=np.int32),
        np.array([[number.get(t, _NONE) for t in row[2]] for row in rows], dtype=np.int32),
        people,
        np.array([row[3] for row in rows], dtype=np.float64),
    )


def _rows(
    collection: "Collection", means: Mapping[tuple[str, str, int], float], references: list[str]
) -> Iterator[_Row]:
    """The segments that have a source, the first reference and a judgement."""
    judged = {system for system, _, _ in means}
    systems = [out for out in collection.outputs if out.name in judged]
    for document in collection.testset.documents:
        for segment, source in enumerate(document.source):
            wanted = [document.references[name][segment] for name in references]
            scores = [means.get((out.name, document.id, segment), np.nan) for out in systems]
            outputs = [out.documents[document.id][segment] for out in systems]
            if source and wanted[0] and not np.isnan(scores).all():
                penalties = [-s if o else np.nan for s, o in zip(scores, outputs, strict=True)]
                yield source, wanted, outputs, penalties
