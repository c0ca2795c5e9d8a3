"""An evaluation on a cluster: the same shards, the same batches, the same digits.

A metric says how its work may be divided (`isogloss.metrics.Division`). Documents, or whole
systems, are sent with the metric, and measurements come back. Of metrics that ask a model about
pairs of texts only what they ask is sent, in the windows that would be scored here: what else is
in a batch shows in the last digits, and so batches have to be the same. Texts are cut into pieces
and scores are kept in the cache here, where they are looked for when the work is begun again.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from isogloss.documents import TestSet, Translation, counted
from isogloss.errors import InputError, IsoglossError, WorkerError
from isogloss.metrics import Division, Metric, division_of, prepared, shards
from isogloss.model import EngineId, ModelSpec, Request
from isogloss.runtime import Device, Runtime
from isogloss.scale.cluster import has_gpus, ray_crew
from isogloss.scale.crew import Crew, Finished
from isogloss.scale.kept_shards import KeptShards
from isogloss.scores import Measurement

Work = tuple[Metric, Sequence[Translation]]
"""A metric, and what it measures."""


@contextmanager
def on_cluster(runtime: Runtime) -> Iterator[tuple[Runtime, "Machines"]]:
    """The runtime whose metrics ask the machines of its cluster, and those machines."""
    if not isinstance(runtime.cluster, str):
        raise InputError("a cluster is given by its address, or as 'local'")
    with ExitStack() as stack:
        of_cores = ray_crew(runtime.cluster, replace(runtime, device="cpu"))
        models = plain = stack.enter_context(of_cores)
        if runtime.device == "cuda" or (runtime.device == "auto" and has_gpus()):
            models = stack.enter_context(ray_crew(runtime.cluster, runtime))
        machines = Machines(plain, models, runtime)
        yield replace(runtime, cluster=machines), machines


class Machines:
    """The workers of a cluster, some of them for models where those have GPUs."""

    def __init__(self, plain: Crew, models: Crew, runtime: Runtime) -> None:
        self._plain, self._models, self._runtime = plain, models, runtime
        self._orders: deque[Order] = deque()  # that are under way together, in their turn
        self._run: Iterator[Finished[Translation, list[Measurement]]] = iter(())

    @property
    def deaths(self) -> int:
        """How many shards had to be done again because their worker died."""
        return self._plain.deaths + (0 if self._models is self._plain else self._models.deaths)

    @property
    def busy(self) -> float:
        """Seconds that workers had shards which were done, all together."""
        return self._plain.busy + (0 if self._models is self._plain else self._models.busy)

    def measure(self, work: Sequence[Work]) -> Iterator[Measurement]:
        """The measurements of the first of several metrics, in the order of its translations.

        The others come next, as far as they are known: their shards start while the last ones of
        the first are still under way, so that no worker waits for the end of a metric.
        """
        metric, translations = work[0]
        if self._crew_of(work[0]) is None:
            yield from metric.measure(translations)  # which asks `scorer`
            return
        if not self._orders:
            self._begin(work)
        order = self._orders.popleft()
        try:
            for found in order.results(self._run):
                yield from found
        except BaseException:
            self._orders.clear()  # of a run that has ended; they begin another
            raise
        order.kept.clear()

    def _crew_of(self, work: Work) -> Crew | None:
        """Who measures it; nobody where the metric itself asks a model."""
        metric, translations = work
        if division_of(metric) is Division.PAIRS or not translations:
            return None
        return self._models if metric.uses_all_cores else self._plain

    def _begin(self, work: Sequence[Work]) -> None:
        """Start the metrics in front that the same crew measures."""
        crew = self._crew_of(work[0])
        assert crew is not None  # noqa: S101 - asked before
        together = list(takewhile(lambda each: self._crew_of(each) is crew, work))
        orders = [self._order(*together[0])]
        with suppress(IsoglossError):  # told when its turn comes
            orders.extend(self._order(*each) for each in together[1:])
        self._orders.extend(orders)
        jobs = (job for order in orders for job in order.jobs())
        self._run = crew.run_all(jobs, mend=_refuse_translations, name=_called_translations)

    def _order(self, metric: Metric, translations: Sequence[Translation]) -> "Order":
        # Workers keep nothing: what they find comes back, and is kept here.
        there = prepared(metric, Runtime(self._runtime.device))
        task = Measure(there, _signature(metric, translations[0]))
        # What is no option of a metric, such as how much evidence it shows, counts as well.
        kept = KeptShards(self._runtime.cache, f"{task.signature} {_all_fields(there)}")
        parcels = tuple(shards(metric, translations))
        return Order(task, kept, parcels, tuple(map(kept.find, parcels)))

    def scorer(self, model: ModelSpec) -> "ClusterScorer":
        """What scores with a model there."""
        return ClusterScorer(self._models, model, self._runtime.device)


@dataclass(frozen=True)
class Order:
    """What is asked for one metric: its shards, and what is known of them from an earlier run."""

    task: "Measure"
    kept: KeptShards
    parcels: tuple[list[Translation], ...]
    known: tuple[list[Measurement] | None, ...]

    def jobs(self) -> Iterator[tuple["Measure", list[Translation]]]:
        """What is left to do."""
        for parcel, found in zip(self.parcels, self.known, strict=True):
            if found is None:
                yield self.task, parcel

    def results(
        self, run: Iterator[Finished[Translation, list[Measurement]]]
    ) -> Iterator[list[Measurement]]:
        """What is kept, and what comes from the machines, in the order of the shards."""
        for found in self.known:
            if found is not None:
                yield found
            else:
                done = next(run)
                self.kept.keep(done.items, done.result)
                yield done.result


def _refuse_translations(
    items: Sequence[Translation], guilty: Sequence[int]
) -> Sequence[Translation]:
    places = ", ".join(
        f"document {items[n].document.id!r} of {items[n].system!r}" for n in guilty[:3]
    )
    raise WorkerError(
        f"workers die of {places}, or hang, and it cannot be scored; what was done is kept"
    )


def _all_fields(metric: Metric) -> str:
    return repr({name: value for name, value in vars(metric).items() if name != "runtime"})


@dataclass(frozen=True)
class Measure:
    """Measures translations under a metric, on a machine that computes as this one would."""

    metric: Metric
    signature: str

    def __call__(self, items: Sequence[Translation]) -> list[Measurement]:
        """A measurement for each."""
        _refuse_other(_signature(self.metric, items[0]), self.signature)
        return list(self.metric.measure(items))


def _signature(metric: Metric, translation: Translation) -> str:
    languages = translation.source_language, translation.target_language
    return str(metric.signature(TestSet("shard", *languages, (translation.document,))))


def _refuse_other(found: object, expected: object) -> None:
    if found != expected:
        raise InputError(
            f"a machine of the cluster would compute under {found}, not under {expected}; take "
            "machines of one kind"
        )


@dataclass(frozen=True)
class ClusterScorer:
    """Scores windows of requests with one model on the machines."""

    crew: Crew
    model: ModelSpec
    device: Device

    @property
    def engine_id(self) -> EngineId:
        """What computes there."""
        return _asked(self)[0]

    @property
    def token_budget(self) -> int:
        """As the engine's there."""
        return _asked(self)[1]

    def scored(self, windows: Iterable[Sequence[Request]]) -> Iterator[list[list[float]]]:
        """For each window, in order, the log-probabilities of its requests."""
        task = ScoreWindow(self.model, self.device, self.engine_id)
        for done in self.crew.run(task, windows, mend=_refuse_requests, name=_called):
            yield done.result


@lru_cache(maxsize=16)
def _asked(scorer: ClusterScorer) -> tuple[EngineId, int]:
    """What the first worker computes with; all others have to do the same."""
    (asked,) = scorer.crew.run(AskEngine(scorer.model, scorer.device), [()])
    return asked.result


def _called_translations(items: Sequence[Translation]) -> str:
    first = items[0]
    return f"{counted(len(items), 'document')} from {first.document.id!r} of {first.system!r} on"


def _called(items: Sequence[Request]) -> str:
    first = f" from '{_shown(items[0]):.60}' on" if items else ""
    return f"{counted(len(items), 'text')}{first}"


def _shown(request: Request) -> str:
    return "".join(request.target).replace("▁", " ").strip()[:200]


def _refuse_requests(items: Sequence[Request], guilty: Sequence[int]) -> Sequence[Request]:
    shown = "; ".join(_shown(items[n]) for n in guilty[:3])
    raise WorkerError(f"workers die of this text, or hang, and it cannot be scored: {shown}")


@dataclass(frozen=True)
class AskEngine:
    """Says what a machine computes with, and how large its batches are."""

    model: ModelSpec
    device: Device

    def __call__(self, items: Sequence[object]) -> tuple[EngineId, int]:  # noqa: ARG002
        """Of the loaded model."""
        opened = self.model.opened(self.device)
        return opened.engine_id, opened.token_budget


@dataclass(frozen=True)
class ScoreWindow:
    """Scores the requests of a window."""

    model: ModelSpec
    device: Device
    engine: EngineId

    def __call__(self, items: Sequence[Request]) -> list[list[float]]:
        """The log-probabilities of each."""
        opened = self.model.opened(self.device)
        _refuse_other(opened.engine_id, self.engine)
        return opened.score_requests(items)
