"""The metrics that isogloss knows by name.

The table is explicit, and a metric's module is imported only when the metric is asked for. Other
packages add metrics through the entry-point group ``isogloss.metrics``: each entry names a
factory ``(options, source_language, target_language) -> Metric``.

Whether saved scores are what their metrics make of the statistics beside them.

A table is tested by its statistics and shown by its scores: where they part, every verdict is
about other numbers than the reader sees.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

import numpy as np

from isogloss.errors import InputError, MetricNameError
from isogloss.formula import Formula, MeanFormula
from isogloss.metrics.protocol import Metric
from isogloss.scores import MetricInfo, ScoreTable, Statistics, SystemScore
from isogloss.signature import MetricName, OptionValue, Signature

ENTRY_POINTS = "isogloss.metrics"

Factory = Callable[[Mapping[str, OptionValue], str | None, str | None], Metric]


@dataclass(frozen=True, slots=True)
class Entry:
    """One known metric: where it lives and what it does, in a line."""

    name: str
    location: str
    description: str
    composed: bool = False  # of other metrics, which it asks for by name

    def configured(
        self, options: Mapping[str, OptionValue], source: str | None, target: str | None
    ) -> Metric:
        """The metric with these options, for these languages."""
        module, _, attribute = self.location.partition(":")
        family = getattr(import_module(module), attribute)
        if self.composed:
            load = partial(load_metric, source_language=source, target_language=target)
            return family.composed(options, load)  # type: ignore[no-any-return]
        return family.configured(options, source, target)  # type: ignore[no-any-return]


_SURFACE = "isogloss.metrics.surface"
_PRISM = "isogloss.metrics.prism"
_MQM = "isogloss.metrics.mqm"
_DEVICES = "isogloss.metrics.cohesion.devices"
BUILT_IN = (
    Entry("bleu", f"{_SURFACE}:Bleu", "word n-gram precision with brevity penalty"),
    Entry("spbleu", f"{_SURFACE}:SpBleu", "BLEU over FLORES-200 SentencePiece pieces"),
    Entry("chrf", f"{_SURFACE}:Chrf", "character n-gram F-score"),
    Entry("chrf++", f"{_SURFACE}:ChrfPlusPlus", "chrF with word unigrams and bigrams"),
    Entry("ter", f"{_SURFACE}:Ter", "translation edit rate; lower is better"),
    Entry(
        "meteor",
        "isogloss.metrics.meteor.metric:Meteor",
        "matched words, stems, synonyms and paraphrases, with a penalty for broken order",
    ),
    Entry("prism", f"{_PRISM}:Prism", "probability of output and reference given each other"),
    Entry("prism-src", f"{_PRISM}:PrismSource", "probability of the output given the source"),
    Entry("lm", f"{_PRISM}:LanguageModel", "probability of the output by itself"),
    Entry("mqm", f"{_MQM}:Mqm", "MQM points as a model predicts them; lower is better"),
    Entry("mqm-src", f"{_MQM}:MqmSource", "the same from the source, without a reference"),
    Entry(
        "embedding",
        "isogloss.metrics.embedding:Embedding",
        "similarity of sentence vectors with the reference or the source",
    ),
    Entry(
        "cohesion",
        "isogloss.metrics.cohesion.metric:Cohesion",
        "lexical chains of the output that are the reference's",
    ),
    Entry("lc", f"{_DEVICES}:LexicalCohesion", "lexical cohesion devices per content word"),
    Entry("rc", f"{_DEVICES}:RepetitionCohesion", "repetitions per content word"),
    Entry(
        "discourse",
        "isogloss.metrics.discourse.metric:Discourse",
        "pronouns, connectives, address, tenses and ellipses that are the reference's",
    ),
    Entry(
        "ltcr",
        "isogloss.metrics.consistency.metric:Ltcr",
        "repeated source words that are translated alike",
    ),
    Entry(
        "coverage",
        "isogloss.metrics.coverage:Coverage",
        "source that is rendered and output that is grounded: omissions and additions",
    ),
    Entry(
        "hybrid",
        "isogloss.metrics.hybrid:Hybrid",
        "weighted sum of other metrics",
        composed=True,
    ),
    Entry(
        "markables",
        "isogloss.metrics.markables.metric:Markables",
        "severity of errors in the terms that matter; lower is better",
    ),
)


_OUTSIDE = "isogloss.metrics.outside"
ELSEWHERE = (
    Entry(
        "external",
        f"{_OUTSIDE}.external:External",
        "what a command of yours writes for rows of text",
    ),
    Entry("comet", f"{_OUTSIDE}.adapters:Comet", "COMET, CometKiwi and XCOMET, by unbabel-comet"),
    Entry(
        "metricx",
        f"{_OUTSIDE}.adapters:MetricX",
        "MetricX, MQM points as a large model predicts them; lower is better",
    ),
    Entry("bertscore", f"{_OUTSIDE}.adapters:BertScore", "BERTScore, by bert-score"),
    Entry("bleurt", f"{_OUTSIDE}.adapters:Bleurt", "BLEURT, by bleurt-pytorch"),
    Entry(
        "llm",
        f"{_OUTSIDE}.judge:LanguageModelJudge",
        "what a language model says of errors, or from 0 to 100",
    ),
)
"""Metrics that other programs compute, in environments of their own (docs/other-metrics.md)."""


def load_metric(
    metric: str | MetricName,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Metric:
    """The metric of that name, with the defaults that suit the languages."""
    name = MetricName.parse(metric) if isinstance(metric, str) else metric
    ours = {entry.name: entry for entry in (*BUILT_IN, *ELSEWHERE)}
    if not any(name.name == entry.name for entry in BUILT_IN):
        # Somebody who installed a plug-in called comet wants that one.
        for plugin in entry_points(group=ENTRY_POINTS, name=name.name):
            return _from_plugin(plugin, name, source_language, target_language)
    if name.name in ours:
        return ours[name.name].configured(name.options, source_language, target_language)
    raise _unknown(name.name)


def metric_of_signature(signature: str) -> Metric:
    """The metric that a stored signature names; it says all, so no language is needed."""
    return load_metric(Signature.parse(signature).metric)


def formula_of(table: ScoreTable, info: MetricInfo) -> Formula:
    """How the statistics of a table's metric become scores.

    The table knows, or the metric that the signature names. A stranger's metric that is not
    installed here is not needed where all its scores are plain ratios of two sums.
    """
    if info.formula is not None:
        return info.formula
    try:
        return metric_of_signature(info.signature)
    except MetricNameError as error:
        if _are_ratios(table.of_metric(info.name)):
            return MeanFormula()
        raise MetricNameError(
            f"{info.name} is no metric of isogloss, and how its statistics become scores is not "
            "known; install the package that it comes from"
        ) from error


def _are_ratios(rows: Sequence[SystemScore]) -> bool:
    """Whether every score is the first of two statistics, divided by the second."""
    found = [(d.measurement.statistics, d.score) for row in rows for d in row.documents]
    if not found or any(len(statistics) != 2 for statistics, _ in found):
        return False
    ratios = MeanFormula().score_rows(np.vstack([statistics for statistics, _ in found]))
    scores = np.array([np.nan if score is None else score for _, score in found])
    return bool(np.allclose(ratios, scores, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True))


def known_metrics() -> tuple[Entry, ...]:
    """Every metric that can be asked for, plug-ins included."""
    plugins = (
        Entry(plugin.name, plugin.value, _description(plugin))
        for plugin in entry_points(group=ENTRY_POINTS)
    )
    return (*BUILT_IN, *ELSEWHERE, *plugins)


def metric_names() -> list[str]:
    """The names of all of them; no plug-in is loaded for its name."""
    plugins = entry_points(group=ENTRY_POINTS)
    return [*(e.name for e in (*BUILT_IN, *ELSEWHERE)), *(plugin.name for plugin in plugins)]


def plugin_troubles() -> dict[str, str]:
    """Why each plug-in cannot be loaded; nothing for those that can."""
    troubles = {}
    for plugin in entry_points(group=ENTRY_POINTS):
        try:
            plugin.load()
        except Exception as error:  # in a stranger's package
            troubles[plugin.name] = f"{type(error).__name__}: {error}"
        else:
            troubles[plugin.name] = ""
    return troubles


def _description(plugin: EntryPoint) -> str:
    """The first line of what a plug-in says of itself, and the package that it comes from."""
    origin = f"from {plugin.dist.name}" if plugin.dist else "a plug-in"
    try:
        said = inspect.getdoc(plugin.load()) or ""
    except Exception:  # in a stranger's package; whoever asks for the metric learns what fails
        return f"{origin}; it cannot be loaded"
    line = said.partition("\n")[0].rstrip(".")
    return f"{line} ({origin})" if line else origin


def _from_plugin(
    plugin: EntryPoint, name: MetricName, source_language: str | None, target_language: str | None
) -> Metric:
    try:
        factory: Factory = plugin.load()
    except (ImportError, AttributeError) as error:
        raise MetricNameError(
            f"the plug-in metric {plugin.name!r} ({plugin.value}) cannot be loaded: {error}"
        ) from error
    return factory(name.options, source_language, target_language)


def _unknown(name: str) -> MetricNameError:
    names = metric_names()
    close = get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(names)}"
    if name.lower().partition("-")[0] not in _OTHERS:
        return MetricNameError(f"there is no metric {name!r}; {hint}")
    return MetricNameError(
        f"{name!r} is a metric of another program: comet, metricx, bertscore, bleurt and llm run "
        "theirs, external(command=...) any command (docs/other-metrics.md); or judge the scores it "
        "wrote with 'isogloss metaeval --scores FILE', or install a plug-in that offers it (a "
        f"package with an entry point in {ENTRY_POINTS!r})"
    )


# Metrics that people ask for and that others compute.
_OTHERS = (
    *("comet", "cometkiwi", "xcomet", "bleurt", "bertscore", "metricx", "yisi", "gemba"),
    *("comet22", "wmt22", "unite", "matese", "docwmt22cometda", "sentinel", "gpt"),
)


_TOLERANCE = 1e-6  # sums of the same numbers in another order differ by less


def refuse_contradictions(table: ScoreTable) -> None:
    """Refuse a table in which a system's or a document's score belies its statistics."""
    for info in table.metrics:
        if info.not_scored is not None:
            continue
        metric = formula_of(table, info)
        _refuse_other_segments(table.of_metric(info.name))
        for row in table.of_metric(info.name):
            told = list(_told(row))
            if not told:
                continue
            computed = _computed(row, metric)
            for (where, score), found in zip(told, computed, strict=True):
                if score is not None and not np.isclose(
                    score, found, rtol=_TOLERANCE, atol=_TOLERANCE
                ):
                    raise InputError(
                        f"{row.metric} of {row.system!r}{where} is said to be {score:g}, but its "
                        f"statistics give {found:g}; the scores were changed: score again"
                    )


def _refuse_other_segments(rows: Sequence[SystemScore]) -> None:
    """Systems are compared segment by segment, and so all must have the same ones."""
    for row in rows[1:]:
        if _segments(row) != _segments(rows[0]):
            raise InputError(
                f"{row.metric} of {row.system!r} has other segments than of {rows[0].system!r}; "
                "the scores were changed: score again"
            )


def _segments(row: SystemScore) -> list[tuple[int, bool]]:
    measured = [document.measurement for document in row.documents]
    return [(each.total, each.segment_statistics is not None) for each in measured]


def _told(row: SystemScore) -> Iterator[tuple[str, float | None]]:
    for document in row.documents:
        yield f" on document {document.document!r}", document.score
    if row.documents:
        yield "", row.score


def _computed(row: SystemScore, metric: Formula) -> Statistics:
    """What the metric makes of each document, and of all of them."""
    try:
        sums = np.vstack([document.measurement.statistics for document in row.documents])
        with np.errstate(all="ignore"):  # what becomes of impossible numbers is refused anyway
            return metric.score_rows(np.vstack([sums, sums.sum(axis=0)]))
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{row.metric} of {row.system!r}: its statistics are not those of {row.metric}; "
            "the scores were changed: score again"
        ) from error
