"""Checkpoints as training goes on: scored, compared with the best so far, and told to a logger."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from isogloss.comparison import ComparisonSettings, compare
from isogloss.documents import Collection, SystemOutput, TestSet, counted
from isogloss.errors import InputError, MismatchError
from isogloss.evaluation import evaluate
from isogloss.runtime import Runtime
from isogloss.scores import MetricInfo, ScoreTable

Logger = Callable[[Mapping[str, float], int], object]
"""Numbers by name, and the step they are of: ``mlflow.log_metrics``, ``wandb.log``."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One state of a model: its scores, and whether it is better than the best one before.

    `better` is `True` where the first metric's difference is significant over documents, `False`
    where the other is significantly better, `None` where that cannot be said; `p` is of that test.
    """

    step: int
    table: ScoreTable
    better: bool | None = None
    p: float | None = None

    @property
    def scores(self) -> dict[str, float | None]:
        """The score of each metric."""
        return {row.metric: row.score for row in self.table.rows}


class Watch:
    """Scores what checkpoints make of a test set; a callback for training loops.

    Args:
        testset: the documents, or a collection whose test set is taken.
        metrics: names or metrics, as `isogloss.evaluate` takes them; the first one decides.
        log: is told the scores of each checkpoint with its step.
        runtime: how metrics are run.
        settings: the test against the best checkpoint.

    Example:
        >>> import isogloss
        >>> collection = isogloss.load_sample("cs-en")
        >>> watch = isogloss.Watch(collection, "chrf")
        >>> for step, output in enumerate(reversed(collection.outputs)):
        ...     checkpoint = watch(step, output.documents)
        >>> watch.best.step, checkpoint.better
        (2, True)
    """

    def __init__(
        self,
        testset: TestSet | Collection,
        metrics: str | Sequence[str],
        *,
        log: Logger | None = None,
        runtime: Runtime | None = None,
        settings: ComparisonSettings | None = None,
    ) -> None:
        self.testset = testset.testset if isinstance(testset, Collection) else testset
        self.metrics, self.log, self.runtime = metrics, log, runtime
        self.settings = settings or ComparisonSettings(correction=None)
        self.history: list[Checkpoint] = []

    def __call__(
        self, step: int, outputs: Sequence[str | None] | Mapping[str, Sequence[str | None]]
    ) -> Checkpoint:
        """Score the outputs of a checkpoint: all segments in a row, or those of each document."""
        name = f"step {step}"
        if any(known.step == step for known in self.history):
            raise InputError(f"{name} was scored already")
        documents = outputs if isinstance(outputs, Mapping) else self._by_document(outputs)
        system = SystemOutput(name, {id: tuple(lines) for id, lines in documents.items()})
        table = evaluate(Collection(self.testset, (system,)), self.metrics, runtime=self.runtime)
        checkpoint = self._compared(Checkpoint(step, table))
        self.history.append(checkpoint)
        if self.log is not None:
            known = {name: s for name, s in checkpoint.scores.items() if s is not None}
            self.log(known, step)
        return checkpoint

    @property
    def best(self) -> Checkpoint | None:
        """The checkpoint with the best score under the first metric."""
        if not self.history:
            return None
        sign = 1.0 if self._first.higher_is_better else -1.0
        scored = [each for each in self.history if each.scores[self._first.name] is not None]
        return max(scored, key=lambda c: sign * (c.scores[self._first.name] or 0.0), default=None)

    def stale(self) -> int:
        """How many checkpoints came after the best one: for stopping early."""
        best = self.best
        return 0 if best is None else len(self.history) - 1 - self.history.index(best)

    @property
    def _first(self) -> MetricInfo:
        return self.history[0].table.metrics[0]

    def _compared(self, checkpoint: Checkpoint) -> Checkpoint:
        best = self.best
        if best is None:
            return checkpoint
        both = checkpoint.table.merged_with(best.table)
        (comparison,) = compare(both, [self._first.name], self.settings)
        if not comparison.pairs:
            return checkpoint  # it has no score
        test = comparison.pair(*both.systems)
        if test.difference is None or not comparison.is_real(test):
            return replace(checkpoint, p=test.p)
        turn = 1 if test.first == checkpoint.table.systems[0] else -1
        ahead = turn * test.difference * (1 if self._first.higher_is_better else -1)
        return replace(checkpoint, p=test.p, better=ahead > 0)

    def _by_document(self, segments: Iterable[str | None]) -> dict[str, tuple[str | None, ...]]:
        segments = list(segments)
        total = self.testset.segment_count
        if len(segments) != total:
            raise MismatchError(
                f"the checkpoint wrote {counted(len(segments), 'segment')}, the test set has "
                f"{total}"
            )
        remaining = iter(segments)
        return {d.id: tuple(islice(remaining, len(d))) for d in self.testset.documents}
