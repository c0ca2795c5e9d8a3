"""Human scores of an mt-metrics-eval folder, written: ``human-scores/PAIR.KIND.LEVEL.score``.

A line for each system and segment (or document, where whole documents were scored), in the order of
the test set, with the mean over annotators, and ``None`` where nobody scored. System scores stand
beside them: the mean over what was scored.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from isogloss.documents import Collection
from isogloss.errors import InputError
from isogloss.formats.files import write_lines
from isogloss.formats.mtme import pair_of
from isogloss.judgements import Judgements


def write_human_scores(judgements: Judgements, collection: Collection, path: Path) -> None:
    """Write judgements into the folder of their test set."""
    if "." in judgements.kind or "/" in judgements.kind:
        raise InputError(f"mt-metrics-eval cannot hold human scores called {judgements.kind!r}")
    level = "doc" if judgements.of_documents else "seg"
    scores = {
        system: list(_scores(judgements, collection, system)) for system in judgements.systems
    }
    stem = f"{pair_of(collection.testset)}.{judgements.kind}"
    folder = path / "human-scores"
    write_lines(folder / f"{stem}.{level}.score", _lines(scores))
    means = {system: [_mean(values)] for system, values in scores.items()}
    write_lines(folder / f"{stem}.sys.score", _lines(means))


def _scores(judgements: Judgements, collection: Collection, system: str) -> Iterator[float | None]:
    whole, means = judgements.document_means(), judgements.segment_means()
    for document in collection.testset.documents:
        if judgements.of_documents:
            yield whole.get((system, document.id))
        else:
            yield from (means.get((system, document.id, i)) for i in range(len(document)))


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def _lines(scores: Mapping[str, Sequence[float | None]]) -> list[str]:
    return [f"{system}\t{value!r}" for system, values in scores.items() for value in values]
