"""Penalised outputs: what people took off for errors, with all texts as pieces, to train by.

A set holds sources, references and outputs of the judged segments of a test set. It differs from
a judged set (`isogloss.training.judged`), which only measures: sources, all references and human
outputs are in it too.

Comparisons of outputs: which of two people found better, as penalties that have an order only.

WMT's relative rankings (daRR) come from direct assessments that lie 25 points or more apart. The
outputs of a segment are put on one scale by least squares: each comparison asks for a distance of
one, and what was not compared (too near) comes out near.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats, Integers
from isogloss.errors import InputError
from isogloss.training.examples import FlatPieces, exclusive
from isogloss.training.vocabulary import Vocabulary

if TYPE_CHECKING:
    from isogloss.documents import Collection
import lzma
from collections.abc import Iterable

Ids = NDArray[np.uint16]
_NONE = -1  # no such text


@dataclass(frozen=True, eq=False)
class PenaltySet:
    """Texts as pieces, end to end; the other arrays number texts (-1: none).

    `sources` has one text for each segment, `references` is segments x references, `outputs` and
    `penalties` are segments x systems; a penalty is NaN where nobody judged. `people` marks the
    systems that are human translators.

    `alternatives` are other pieces that could stand in a piece's place, samples x pieces, where
    they have been sampled (`isogloss.training.alternatives`). `reference_language` is that of the
    references where it is another one: a translation is judged by its source then. `sized` says
    that penalties are MQM points; otherwise their order alone means something.
    """

    name: str
    language: str
    ids: Ids
    lengths: NDArray[np.uint16]
    sources: NDArray[np.int32]
    references: NDArray[np.int32]
    outputs: NDArray[np.int32]
    people: NDArray[np.bool_]
    penalties: Floats
    alternatives: Ids | None = None
    reference_language: str = ""
    sized: bool = True

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def judged(self) -> int:
        """How many outputs have a penalty."""
        return int((~np.isnan(self.penalties)).sum())

    def save(self, folder: Path) -> None:
        """Write ``NAME.npz``."""
        folder.mkdir(parents=True, exist_ok=True)
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays = {n: value for n, value in values.items() if n != "name" and value is not None}
        np.savez_compressed(folder / f"{self.name}.npz", **arrays)

    @cached_property
    def begins(self) -> Integers:
        """Where each text begins among the pieces."""
        return exclusive(self.lengths.astype(np.int64))

    def place(self, text: int) -> slice:
        """Where the pieces of a text lie."""
        begin = int(self.begins[text])
        return slice(begin, begin + int(self.lengths[text]))

    def tags(self, vocabulary: Vocabulary) -> tuple[int, int]:
        """The language tags of outputs and of references."""
        references = self.reference_language or self.language
        return vocabulary.tag(self.language), vocabulary.tag(references)

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

    def side(self, texts: Integers, longest: int) -> FlatPieces:
        """The pieces of some texts, each cut to `longest`, as one side of a batch."""
        begins = self.begins[texts]
        wanted = np.minimum(self.lengths[texts].astype(np.int64), longest)
        places = np.repeat(begins - exclusive(wanted), wanted) + np.arange(int(wanted.sum()))
        return FlatPieces(
            self.ids[places].astype(np.int64), np.repeat(np.arange(len(texts)), wanted)
        )


def read_penalties(folder: Path) -> list[PenaltySet]:
    """All sets of a folder, sorted by name."""
    sets = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as stored:
            values = {name: stored[name] for name in stored.files}
        for name in ("language", "reference_language"):
            values[name] = str(values.get(name, ""))
        values["sized"] = bool(values.get("sized", True))
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
    from isogloss.formats import read_collection, read_judgements

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


Row = tuple[str, list[str | None], list[str | None], list[float]]


def penalty_set(
    name: str,
    language: str,
    rows: list[Row],
    people: NDArray[np.bool_],
    vocabulary: Vocabulary,
    sized: bool = True,
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
        sized=sized,
    )


def _rows(
    collection: "Collection", means: Mapping[tuple[str, str, int], float], references: list[str]
) -> Iterator[Row]:
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


_POINTS = 5.0  # of a distance of one: what a major error costs
_MISSING = "\\N"


def comparisons_from(testset: Path, vocabulary: Vocabulary) -> PenaltySet:
    """A test set with ``human.darr.tsv.xz`` beside its texts."""
    segments, outputs, judged = (_table(testset, name) for name in ("segs", "hyps", "human.darr"))
    systems = {name: number for number, name in enumerate(outputs[0])}
    source, reference = _column(segments, "src"), _column(segments, "ref:")
    pairs: dict[int, list[tuple[int, int]]] = {}
    for place, better, worse in judged[1:]:
        pairs.setdefault(int(place), []).append((systems[better], systems[worse]))
    rows: list[Row] = []
    for segment, compared in sorted(pairs.items()):
        texts = [None if text == _MISSING else text for text in outputs[segment + 1]]
        row = segments[segment + 1]
        rows.append((row[source], [row[reference]], texts, penalties(compared, len(systems))))
    name, language = ".".join(testset.resolve().parts[-2:]), testset.name.split("-")[-1]
    people = np.zeros(len(systems), dtype=bool)
    return penalty_set(name, language, rows, people, vocabulary, sized=False)


def penalties(compared: Iterable[tuple[int, int]], outputs: int) -> list[float]:
    """Penalties that agree best with pairs of (better, worse); NaN for outputs in none."""
    pairs = np.array(sorted(set(compared)))
    equations = np.zeros((len(pairs), outputs))
    equations[np.arange(len(pairs)), pairs[:, 1]] = 1.0
    equations[np.arange(len(pairs)), pairs[:, 0]] = -1.0
    found = np.linalg.lstsq(equations, np.ones(len(pairs)), rcond=None)[0]
    known = np.isin(np.arange(outputs), pairs)
    found = np.where(known, _POINTS * (found - found[known].min()), np.nan)
    return [float(value) for value in found]


def _table(testset: Path, name: str) -> list[list[str]]:
    path = testset / f"{name}.tsv.xz"
    if not path.is_file():
        raise InputError(f"{path}: no such table; comparisons need segs, hyps and human.darr")
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def _column(table: list[list[str]], begin: str) -> int:
    return next(number for number, name in enumerate(table[0]) if name.startswith(begin))
