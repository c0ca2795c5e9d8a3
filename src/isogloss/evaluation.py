"""Metrics x systems to a table of scores.

Work is ordered by document, with every system's translation of a document side by side, so that
what a metric learns about a reference is learnt once. How it is split, how many processes share
it and in which order they finish leaves no trace in the numbers.

Documents that were handed in whole are cut first; that is said in a note and in every signature.

A metric that cannot score a test set (its model does not know the language, it needs a reference,
a package is missing) does not stop the others: its rows stand in the table without scores, and
`MetricInfo.not_scored` says why.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import chain
from multiprocessing import get_context

import numpy as np

from isogloss.documents import Collection, TestSet, Translation
from isogloss.errors import InputError, IsoglossError, MissingExtraError, NotApplicableError
from isogloss.metrics import Metric, load_metric, prepared
from isogloss.notices import notices, remarks_in
from isogloss.runtime import Progress, Runtime, Step
from isogloss.scores import (
    DocumentScore,
    Measurement,
    MetricInfo,
    Provenance,
    ScoreTable,
    SystemScore,
    unmeasured,
)
from isogloss.signature import MetricName, Signature, split_names

Asked = str | MetricName | Metric


def evaluate(
    collection: Collection,
    metrics: Asked | Iterable[Asked],
    *,
    runtime: Runtime | None = None,
    all_evidence: bool = False,
) -> ScoreTable:
    """Score every system of the collection under every metric.

    Args:
        collection: a test set with the outputs of systems; what was handed in with other
            segments than the source has is cut first, as `isogloss.segment` does.
        metrics: names, such as ``"bleu,prism(context=2)"`` or a list of them, or metrics.
        runtime: how to run: device, cache, processes, and whom to tell how far it has come;
            without it, metrics run as they were made, in this process.
        all_evidence: let metrics show all that they find, not only what tells most.

    Returns:
        The scores of segments, documents and systems. A metric that cannot score the test set is
        listed with the reason (`MetricInfo.not_scored`) and without scores.

    Raises:
        NotApplicableError: no metric can score the test set.
        InputError: there is no system, no metric, or no metric of that name.

    Example:
        >>> import isogloss
        >>> table = isogloss.evaluate(isogloss.load_sample("cs-en"), "bleu,chrf")
        >>> table["bleu", "steady"].score > table["bleu", "tangled"].score
        True
    """
    if collection.unsplit:
        from isogloss.segmentation import split  # loads the model's room, which few need here

        collection = split(collection, runtime=runtime or Runtime())
    if not collection.outputs:
        raise InputError("there is no system to score; give at least one system's output")
    with ExitStack() as stack:
        runtime, measure = _shared_out(runtime, stack)
        chosen = _configured(metrics, collection.testset, runtime, all_evidence)
        # What a metric lacks shows in its signature as far as it can: before anything is scored.
        columns = [_described(metric, collection) for metric in chosen]
        progress = None if runtime is None else runtime.progress
        columns = list(_scored_in_turn(columns, collection, measure, progress))
    _refuse_nothing(columns, collection.testset)
    rows = tuple(row for column in columns for row in column.rows or _no_scores(column, collection))
    provenance = _provenance(collection, remarks_in(rows))
    return ScoreTable(provenance, tuple(column.info for column in columns), rows)


_CANNOT = (NotApplicableError, MissingExtraError)


@dataclass(frozen=True, slots=True)
class _Column:
    """A metric on its way into the table: what is said of it, its rows, or why there are none."""

    metric: Metric
    info: MetricInfo
    rows: tuple[SystemScore, ...] = ()
    obstacle: IsoglossError | None = None

    def given_up(self, obstacle: IsoglossError) -> "_Column":
        """The column of a metric that cannot score the test set."""
        info = replace(self.info, not_scored=str(obstacle), lacking=obstacle.lacking)
        return replace(self, info=info, obstacle=obstacle)


def _described(metric: Metric, collection: Collection) -> _Column:
    """The metric with its signature, or with what it lacks."""
    name, testset = str(metric.name), collection.testset
    bare = _Column(metric, MetricInfo(name, name, metric.higher_is_better, formula=metric))
    try:
        if metric.needs_references and not testset.reference_names:
            raise NotApplicableError(
                f"{metric.name} needs a reference, and test set {testset.name!r} has none",
                lacking=["reference"],
            )
        if metric.needs_source and not testset.has_source:
            raise NotApplicableError(
                f"{metric.name} reads the source, and test set {testset.name!r} has none",
                lacking=["source"],
            )
        signature = str(_with_cuts(metric.signature(testset), collection))
    except _CANNOT as obstacle:
        return bare.given_up(obstacle)
    caution = metric.caution(testset)
    return replace(bare, info=replace(bare.info, signature=signature, caution=caution))


def _with_cuts(signature: Signature, collection: Collection) -> Signature:
    """The signature, and who cut the texts that were handed in whole, if any were."""
    cutters = [collection.testset.cut_by, *(output.cut_by for output in collection.outputs)]
    named = dict.fromkeys(name for name in cutters if name is not None)
    fields = (("cut", "+".join(named)),) if named else ()
    return replace(signature, fields=(*signature.fields, *fields))


def _scored_in_turn(
    columns: Sequence[_Column],
    collection: Collection,
    measure: "_MeasureFirst",
    progress: Progress | None,
) -> Iterator[_Column]:
    """The columns with their rows, as far as their metrics can score."""
    able = [column.metric for column in columns if column.obstacle is None]
    work = deque((metric, _in_turn(collection, metric)) for metric in able)
    for column in columns:
        if column.obstacle is not None:
            yield column
            continue
        yield _scored(column, collection, tuple(work), measure, progress)
        work.popleft()


def _scored(
    column: _Column,
    collection: Collection,
    work: "Sequence[_Work]",
    measure: "_MeasureFirst",
    progress: Progress | None,
) -> _Column:
    try:
        rows = tuple(_system_scores(collection, work, measure, progress))
    except _CANNOT as obstacle:
        return column.given_up(obstacle)
    if progress:
        total = sum(row.total for row in rows)
        scores = {row.system: row.score for row in rows}
        progress(Step(column.info.name, total, total, scores))
    return replace(column, rows=rows)


def _refuse_nothing(columns: Sequence[_Column], testset: TestSet) -> None:
    obstacles = [column.obstacle for column in columns if column.obstacle is not None]
    if len(columns) == 1 and obstacles:
        raise obstacles[0]
    if len(obstacles) == len(columns):
        why: dict[str, list[str]] = {}
        for column, obstacle in zip(columns, obstacles, strict=True):
            name = column.info.name
            why.setdefault(str(obstacle).removeprefix(f"{name} "), []).append(name)
        reasons = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in why.items())
        raise NotApplicableError(
            f"no metric can score test set {testset.name!r}: {reasons}",
            lacking=list(dict.fromkeys(name for each in obstacles for name in each.lacking)),
        )


def _no_scores(column: _Column, collection: Collection) -> Iterator[SystemScore]:
    documents = tuple(
        DocumentScore(document.id, None, unmeasured(len(document)), document.domain)
        for document in collection.testset.documents
    )
    for output in collection.outputs:
        yield SystemScore(column.info.name, output.name, None, documents, output.human)


def _configured(
    metrics: Asked | Iterable[Asked],
    testset: TestSet,
    runtime: Runtime | None,
    all_evidence: bool,
) -> tuple[Metric, ...]:
    """The metrics, each once, told how to run."""
    # Metrics travel to other processes, which callbacks cannot.
    silent = None if runtime is None else replace(runtime, progress=None, notice=None)
    by_name: dict[str, Metric] = {}
    for given in _each(metrics):
        metric = (
            load_metric(given, testset.source_language, testset.target_language)
            if isinstance(given, (str, MetricName))
            else given
        )
        if str(metric.name) not in by_name:
            by_name[str(metric.name)] = prepared(metric, silent, all_evidence)
    if not by_name:
        raise InputError("there is no metric to score with; name at least one")
    return tuple(by_name.values())


def _each(metrics: Asked | Iterable[Asked]) -> Iterator[Asked]:
    """One metric after the other; a text may name several."""
    several = (
        metrics if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    )
    for given in several:
        if isinstance(given, str):
            yield from split_names(given)
        else:
            yield given


def _provenance(collection: Collection, remarks: tuple[str, ...]) -> Provenance:
    testset = collection.testset
    return Provenance(
        testset=testset.name,
        source_language=testset.source_language,
        target_language=testset.target_language,
        references=testset.reference_names,
        testset_digest=testset.digest(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        isogloss=version("isogloss"),
        notices=(*notices(collection), *remarks),
    )


def _system_scores(
    collection: Collection,
    work: "Sequence[_Work]",
    measure: "_MeasureFirst",
    progress: Progress | None,
) -> Iterator[SystemScore]:
    metric, translations = work[0]
    total = sum(len(translation.document) for translation in translations)
    measured = _reporting(measure(work), metric, total, progress)
    by_system: dict[str, list[DocumentScore]] = {name: [] for name in collection.system_names}
    for translation, measurement in zip(translations, measured, strict=True):
        by_system[translation.system].append(_document_score(metric, translation, measurement))
    for output in collection.outputs:
        documents = tuple(by_system[output.name])
        score = _total_score(metric, [document.measurement for document in documents])
        yield SystemScore(str(metric.name), output.name, score, documents, output.human)


def _in_turn(collection: Collection, metric: Metric) -> list[Translation]:
    """The translations of a document side by side, for what they have in common is met again soon.

    A metric that learns from a whole system gets one system after the other: the first ones are
    measured, and progress told, while others wait.
    """
    by_system = map(collection.translations, collection.outputs)
    if metric.learns_from_system:
        return list(chain.from_iterable(by_system))
    return list(chain.from_iterable(zip(*by_system, strict=True)))


def _document_score(
    metric: Metric, translation: Translation, measurement: Measurement
) -> DocumentScore:
    document, cut = translation.document, translation.cut
    score = _total_score(metric, [measurement])
    handed_in = None if cut is None else cut.shown
    return DocumentScore(document.id, score, measurement, document.domain, handed_in)


def _total_score(metric: Metric, measurements: Sequence[Measurement]) -> float | None:
    """The score of all measurements together; `None` if nothing in them was scored."""
    if not any(measurement.scored for measurement in measurements):
        return None
    return metric.score(np.sum([measurement.statistics for measurement in measurements], axis=0))


def _reporting(
    measured: Iterable[Measurement], metric: Metric, total: int, progress: Progress | None
) -> Iterator[Measurement]:
    done = 0
    for measurement in measured:
        yield measurement
        done += measurement.total
        if progress and done < total:  # the last step has the scores
            progress(Step(str(metric.name), done, total))


_Work = tuple[Metric, Sequence[Translation]]
_MeasureFirst = Callable[[Sequence[_Work]], Iterator[Measurement]]
"""Measures the first of several works; the others come next, and may be begun."""


def _shared_out(runtime: Runtime | None, stack: ExitStack) -> tuple[Runtime | None, _MeasureFirst]:
    """What metrics are told, and how they measure: here, in several processes, on a cluster."""
    if runtime is not None and runtime.cluster is not None:
        from isogloss.scale import on_cluster

        runtime, machines = stack.enter_context(on_cluster(runtime))
        return runtime, machines.measure
    if runtime is not None and runtime.jobs > 1:
        return runtime, partial(_measured_in, stack.enter_context(_processes(runtime.jobs)))
    return runtime, _measured_here


def _processes(jobs: int) -> ProcessPoolExecutor:
    # Spawned, not forked: the caller may run threads (a progress bar does), and forking a
    # process with threads can leave a lock held for ever.
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


_SEGMENTS_PER_PARCEL = 2_000


def _measured_here(work: Sequence[_Work]) -> Iterator[Measurement]:
    metric, translations = work[0]
    yield from metric.measure(translations)


def _measured_in(pool: ProcessPoolExecutor, work: Sequence[_Work]) -> Iterator[Measurement]:
    metric, translations = work[0]
    if metric.uses_all_cores:
        yield from metric.measure(translations)
        return
    parcels = list(_parcels(translations))
    for measurements in pool.map(_measure_parcel, [metric] * len(parcels), parcels):
        yield from measurements


def _parcels(translations: Sequence[Translation]) -> Iterator[list[Translation]]:
    """Runs of translations large enough to be worth sending; no document is divided."""
    parcel: list[Translation] = []
    segments = 0
    for translation in translations:
        if segments >= _SEGMENTS_PER_PARCEL and translation.document is not parcel[-1].document:
            yield parcel
            parcel, segments = [], 0
        parcel.append(translation)
        segments += len(translation.document)
    yield parcel


def _measure_parcel(metric: Metric, parcel: list[Translation]) -> list[Measurement]:
    return list(metric.measure(parcel))
