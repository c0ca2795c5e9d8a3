"""Scoring a corpus: rows in, rows with scores out, in a stream of any length.

Rows are read here and sent in blocks to the workers of a crew, which parse, score and write them
down; the parts come back and are put on disk. No more blocks are read than workers are busy with,
so memory does not grow with the input.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import reduce
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.metrics import load_metric
from isogloss.runtime import Runtime
from isogloss.scale.cluster import ray_crew
from isogloss.scale.crew import Crew, Finished
from isogloss.scale.folder import Job, Note, Parts
from isogloss.scale.intake import aside
from isogloss.scale.pool import pool
from isogloss.scale.reading import Corpus
from isogloss.scale.rows import RawRow, blocks, marked_poisonous, places_of
from isogloss.scale.scoring import Describe, Part, Problem, ScoreRows, Tally, Threshold
from isogloss.scale.watch import Patience
from isogloss.signature import split_names

ROWS_PER_PART = 2_000
QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
"""Shares of the rows whose bounds a summary tells."""
_MOST_PROBLEMS = 1_000  # that are told one by one


@dataclass(frozen=True, slots=True)
class CorpusSummary:
    """What came of a corpus: rows read and kept, and what is known of the scores."""

    rows: int = 0
    kept: int = 0
    tallies: tuple[tuple[str, Tally], ...] = ()
    problems: tuple[Problem, ...] = ()
    not_scored: int = 0  # rows with problems, also those that are not listed
    share: float | None = None  # of the input that was read so far, where that is known

    def and_also(self, part: Note | Part) -> "CorpusSummary":
        """With another part."""
        tallies = dict(self.tallies)
        for name, tally in part.tallies.items():
            tallies[name] = tallies.get(name, Tally()).and_also(tally)
        return CorpusSummary(
            self.rows + part.rows,
            self.kept + part.kept,
            tuple(tallies.items()),
            (*self.problems, *part.problems)[:_MOST_PROBLEMS],
            self.not_scored + len(part.problems),
        )

    def record(self) -> dict[str, Any]:
        """What is written down of it."""
        return {
            "rows": self.rows,
            "kept": self.kept,
            "problems": self.not_scored,
            "scores": {
                name: {
                    "scored": tally.scored,
                    "mean": tally.mean,
                    "least": tally.least if tally.scored else None,
                    "most": tally.most if tally.scored else None,
                    "quantiles": {f"{share:g}": tally.quantile(share) for share in QUANTILES},
                }
                for name, tally in self.tallies
            },
        }


_NOTHING_YET = CorpusSummary()
Tell = Callable[[CorpusSummary], None]


@dataclass(frozen=True)
class CorpusJob:
    """What is to be done to a corpus: which rows, under which metrics, in parts of what size."""

    corpus: Corpus
    task: ScoreRows
    rows_per_part: int = ROWS_PER_PART

    def __post_init__(self) -> None:
        if self.rows_per_part < 1:
            raise InputError(f"a part has at least one row, not {self.rows_per_part}")
        names = [name for text in self.task.metrics for name in split_names(text)]
        languages = self.task.source_language, self.task.target_language
        if not names:
            raise InputError("there is no metric to score with; name at least one")
        metrics = tuple(dict.fromkeys(str(load_metric(name, *languages).name) for name in names))
        keep = tuple(self._known(threshold, metrics) for threshold in self.task.keep)
        object.__setattr__(self, "task", replace(self.task, metrics=metrics, keep=keep))

    def _known(self, threshold: Threshold, metrics: Sequence[str]) -> Threshold:
        """The threshold of one of the metrics, which is called as that is."""
        languages = self.task.source_language, self.task.target_language
        name = str(load_metric(threshold.metric, *languages).name)
        if name not in metrics:
            raise InputError(
                f"rows are to be kept by {name!r}, which is not scored; scored are: "
                f"{', '.join(metrics)}"
            )
        return replace(threshold, metric=name)

    def described(self, signatures: Sequence[str]) -> Job:
        """What a folder of parts says of itself."""
        return {
            "isogloss": version("isogloss"),
            "inputs": list(self.corpus.paths),
            "metrics": dict(zip(self.task.metrics, signatures, strict=True)),
            "keep": list(map(str, self.task.keep)),
            "columns": [f"{ours}={theirs}" for ours, theirs in self.task.columns],
            "header": None if self.corpus.header is None else list(self.corpus.header),
            "format": self.task.format,
            "rows_per_part": self.rows_per_part,
            "skip_bad_rows": self.task.skip_bad_rows,
        }

    def blocks(self) -> Iterator[tuple[RawRow, ...]]:
        """The rows in the parts that they are worked on in."""
        return blocks(self.corpus.rows(), self.rows_per_part)

    def agreed(self, crew: Crew) -> ScoreRows:
        """The task with the signatures of the first worker, which all others have to share."""
        (asked,) = crew.run(Describe(self.task), [()])
        return replace(self.task, signatures=asked.result)


def score_corpus(
    job: CorpusJob, into: Path, runtime: Runtime | None = None, tell: Tell | None = None
) -> CorpusSummary:
    """Score a corpus into a folder of parts; begun again, it goes on where it was stopped.

    Args:
        job: the rows, the metrics, what is kept.
        into: a new folder, or one in which the same job was begun.
        runtime: how many processes, or which cluster.
        tell: called with what is known so far, whenever a part is done.

    Returns:
        How many rows there were and were kept, and what is known of the scores.
    """
    parts = Parts(into, job.task.format)
    with crew_for(runtime or Runtime()) as crew:
        task = job.agreed(crew)
        parts.begin(job.described(task.signatures or ()))
        summary = summary_of(parts.notes())
        numbers: list[int] = []
        meter = _Meter(job.corpus.size)

        def missing() -> Iterator[tuple[RawRow, ...]]:
            for number, block in parts.missing(meter.passing(job.blocks())):
                numbers.append(number)
                yield block

        if tell:
            tell(summary)
        run = _through(crew, task, missing(), ordered=False)
        for done in run:
            summary = summary.and_also(parts.add(numbers[done.number], done.items, done.result))
            if tell:
                tell(replace(summary, share=meter.share))
    summary = summary_of(parts.notes())  # in the order of the rows, so that sums are the same
    parts.finish(summary.record())
    return summary


@dataclass
class _Meter:
    """How much of the input has been read."""

    size: int | None
    read: int = 0

    def passing(self, blocks: Iterator[tuple[RawRow, ...]]) -> Iterator[tuple[RawRow, ...]]:
        """The same blocks; their bytes are counted."""
        for block in blocks:
            self.read += sum(len(row.content) for row in block)
            yield block

    @property
    def share(self) -> float | None:
        """Of all; headers of tables are no rows, and so it may end a little below 1."""
        return self.read / self.size if self.size else None


def summary_of(parts: Iterable[Note | Part], before: CorpusSummary = _NOTHING_YET) -> CorpusSummary:
    """What these parts come to, with those before them."""
    return reduce(CorpusSummary.and_also, parts, before)


def stream_corpus(job: CorpusJob, runtime: Runtime | None = None) -> Iterator[Part]:
    """The same, part after part in the order of the rows, for whoever writes them on."""
    with crew_for(runtime or Runtime()) as crew:
        run = _through(crew, job.agreed(crew), job.blocks())
        yield from (done.result for done in run)


def _through(
    crew: Crew, task: ScoreRows, shards: Iterator[tuple[RawRow, ...]], ordered: bool = True
) -> Iterator[Finished[RawRow, Part]]:
    return crew.run(
        task, shards, ordered=ordered, mend=marked_poisonous, name=places_of, intake=aside
    )


def crew_for(runtime: Runtime) -> AbstractContextManager[Crew]:
    """The workers that a runtime asks for."""
    if runtime.cluster is None:
        return pool(runtime.jobs, 1, Patience.of(runtime), runtime.notice)
    if not isinstance(runtime.cluster, str):
        raise InputError("a cluster is given by its address, or as 'local'")
    return ray_crew(runtime.cluster, runtime)
