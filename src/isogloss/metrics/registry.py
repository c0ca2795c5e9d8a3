"""The metrics that isogloss knows by name.

The table is explicit, and a metric's module is imported only when the metric is asked for. Other
packages add metrics through the entry-point group ``isogloss.metrics``: each entry names a
factory ``(options, source_language, target_language) -> Metric``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from isogloss.errors import MetricNameError
from isogloss.metrics.protocol import Metric
from isogloss.signature import MetricName, OptionValue, Signature

ENTRY_POINTS = "isogloss.metrics"

Factory = Callable[[Mapping[str, OptionValue], str | None, str | None], Metric]


@dataclass(frozen=True, slots=True)
class Entry:
    """One known metric: where it lives and what it does, in a line."""

    name: str
    location: str
    description: str

    def factory(self) -> Factory:
        """The function that configures the metric."""
        module, _, attribute = self.location.partition(":")
        return getattr(import_module(module), attribute).configured  # type: ignore[no-any-return]


_SURFACE = "isogloss.metrics.surface"
_PRISM = "isogloss.metrics.prism"
_MQM = "isogloss.metrics.mqm"
_DEVICES = "isogloss.metrics.cohesion_devices"
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
        "isogloss.metrics.cohesion:Cohesion",
        "lexical chains of the output that are the reference's",
    ),
    Entry("lc", f"{_DEVICES}:LexicalCohesion", "lexical cohesion devices per content word"),
    Entry("rc", f"{_DEVICES}:RepetitionCohesion", "repetitions per content word"),
    Entry(
        "ltcr",
        "isogloss.metrics.consistency:Ltcr",
        "repeated source words that are translated alike",
    ),
    Entry("hybrid", "isogloss.metrics.hybrid:Hybrid", "weighted sum of other metrics"),
    Entry(
        "markables",
        "isogloss.markables.metric:Markables",
        "severity of errors in the terms that matter; lower is better",
    ),
)


def load(
    metric: str | MetricName,
    source_language: str | None = None,
    target_language: str | None = None,
) -> Metric:
    """The metric of that name, with the defaults that suit the languages."""
    name = MetricName.parse(metric) if isinstance(metric, str) else metric
    for entry in BUILT_IN:
        if entry.name == name.name:
            return entry.factory()(name.options, source_language, target_language)
    for plugin in entry_points(group=ENTRY_POINTS, name=name.name):
        return _from_plugin(plugin, name, source_language, target_language)
    raise _unknown(name.name)


def from_signature(signature: str) -> Metric:
    """The metric that a stored signature names; it says all, so no language is needed."""
    return load(Signature.parse(signature).metric)


def known() -> tuple[Entry, ...]:
    """Every metric that can be asked for, plug-ins included."""
    plugins = (
        Entry(plugin.name, plugin.value, f"from {plugin.dist.name if plugin.dist else 'a plug-in'}")
        for plugin in entry_points(group=ENTRY_POINTS)
    )
    return (*BUILT_IN, *plugins)


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
    names = [entry.name for entry in known()]
    close = get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(names)}"
    return MetricNameError(f"there is no metric {name!r}; {hint}")
