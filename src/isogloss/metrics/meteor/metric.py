"""METEOR 1.5 (Denkowski & Lavie 2014) as a metric of documents.

Segments are aligned with their references word by word; statistics of the alignments add up, so
that the score of a document or a system is METEOR's own score of its sum, never a mean. Of several
references the one with the best score counts, segment by segment.

From translations to METEOR's statistics: lots of pairs, and what becomes of them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np

from isogloss.arrays import Floats, Integers
from isogloss.documents import TestSet, Translation
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.formula import Bounds
from isogloss.language import primary
from isogloss.metrics.meteor.candidates import Candidates, Lot, make_lot
from isogloss.metrics.meteor.profile import (
    MATCHERS,
    NAMES,
    NOTHING,
    Parameters,
    Resources,
    Task,
    parameters,
    resolved_task,
    resources_at,
    usual_matchers,
    usual_resources,
)
from isogloss.metrics.meteor.statistics import (
    WIDTH,
    Amount,
    Leftovers,
    Remark,
    align,
    everything,
    leftovers,
    longest,
    scores,
    statistics,
)
from isogloss.metrics.meteor.tools import Tools, tools
from isogloss.metrics.protocol import ConfiguredMetric
from isogloss.scores import Measurement
from isogloss.signature import OptionValue, Signature
from isogloss.spans import Evidence, Span, output_side, reference_side

_PAIRS_AT_ONCE = 8_192  # enough that numpy works more than it is called
_ABSENT = -1  # in the place of a pair of which a text is absent


@dataclass(frozen=True, eq=False)
class _Asked:
    """A translation with the numbers of its pairs: one row a segment, one column a reference."""

    translation: Translation
    pairs: Integers


@dataclass
class _Collected:
    """Texts and pairs of some translations, each text and each pair once."""

    texts: dict[str, int] = field(default_factory=dict)
    pairs: dict[tuple[int, int], int] = field(default_factory=dict)
    asked: list[_Asked] = field(default_factory=list)

    def add(self, translation: Translation) -> None:
        """Ask for every segment against every reference that it has."""
        columns = [
            list(map(self._pair, translation.output, lines))
            for lines in translation.document.references.values()
        ]
        numbers = np.array(columns, np.int64).reshape(len(columns), len(translation.document))
        self.asked.append(_Asked(translation, numbers.T))

    def _pair(self, output: str | None, reference: str | None) -> int:
        if output is None or reference is None:
            return _ABSENT
        texts = self.texts
        pair = texts.setdefault(output, len(texts)), texts.setdefault(reference, len(texts))
        return self.pairs.setdefault(pair, len(self.pairs))


def _lots(translations: Iterable[Translation]) -> Iterator[_Collected]:
    collected = _Collected()
    for translation in translations:
        collected.add(translation)
        if len(collected.pairs) >= _PAIRS_AT_ONCE:
            yield collected
            collected = _Collected()
    if collected.asked:
        yield collected


@dataclass(frozen=True, eq=False)
class _Aligned:
    """A lot with its alignments: statistics and score of every pair, and what is left over."""

    matches: Candidates
    rows: Floats
    scores: Floats
    leftovers: Leftovers | None


def _best(pairs: Integers, scores: Floats) -> tuple[Integers, Integers]:
    """For each segment the reference with the best score, and the pair with that."""
    if pairs.shape[1] == 1:
        return np.zeros(len(pairs), np.int64), pairs[:, 0]
    best = np.argmax(np.nan_to_num(scores[pairs], nan=-1.0), axis=1)
    return best, pairs[np.arange(len(pairs)), best]


@dataclass(frozen=True)
class Measuring:
    """Measures translations with the tools and parameters of one metric."""

    tools: Tools
    parameters: Parameters
    evidence: Amount
    characters: bool
    unknown_language: str

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """One measurement for each translation, in the order given."""
        for collected in _lots(translations):
            texts = [self.tools.reader.words(text) for text in collected.texts]
            with self.tools.words.vocabulary() as vocabulary:
                aligned = self._aligned(make_lot(vocabulary, texts, list(collected.pairs)))
            for asked in collected.asked:
                yield self._measurement(asked, aligned)

    def _aligned(self, lot: Lot) -> _Aligned:
        matches = align(lot)
        rows = statistics(lot, matches, characters=self.characters)
        left_over = None if self.evidence == "none" else leftovers(lot, matches, self.parameters)
        values = scores(rows, self.parameters)
        # The last row, which `_ABSENT` is the number of, is that of what is not scored.
        with_absent = np.vstack([rows, np.full((1, WIDTH), np.nan)])
        return _Aligned(matches, with_absent, np.append(values, np.nan), left_over)

    def _measurement(self, asked: _Asked, aligned: _Aligned) -> Measurement:
        best, pair = _best(asked.pairs, aligned.scores)
        scored = pair != _ABSENT
        count = int(np.count_nonzero(scored))
        rows = aligned.rows[pair]
        unknown = asked.translation.target_language is None and count
        return Measurement(
            statistics=rows[scored].sum(axis=0),
            scored=count,
            total=len(pair),
            segment_statistics=rows,
            segment_scores=tuple(
                score if there else None
                for score, there in zip(aligned.scores[pair].tolist(), scored, strict=True)
            ),
            evidence=tuple(self._evidence(asked.translation, best, pair, aligned)),
            remarks={self.unknown_language: count} if unknown else {},
        )

    def _evidence(
        self, translation: Translation, reference: Integers, pair: Integers, aligned: _Aligned
    ) -> Iterator[Evidence]:
        """What was left over, and where; in the reference that counts."""
        runs = aligned.leftovers
        if runs is None:
            return
        segments = np.flatnonzero(pair != _ABSENT)
        pairs = pair[segments].tolist()
        if self.evidence == "longest":
            found = longest(runs, pairs)
        else:
            found = everything(runs, aligned.matches, pairs, self.parameters)
        names = list(translation.document.references)
        for index, remark in found:
            segment = int(segments[index])
            spans = self._spans(translation, names[reference[segment]], segment, remark)
            if spans:
                yield Evidence(remark.reason, tuple(spans), remark.weight)

    def _spans(
        self, translation: Translation, reference: str, segment: int, remark: Remark
    ) -> list[Span]:
        document = translation.document
        spans = []
        for side, lines, words in (
            (output_side(translation.system), translation.output, remark.output),
            (reference_side(reference), document.references[reference], remark.reference),
        ):
            where = words and self.tools.reader.span(lines[segment] or "", *words)
            if where:
                spans.append(Span(document.id, side, segment, *where))
        return spans


_ANY = "xx"  # METEOR's word for a language that it knows nothing about


@dataclass(frozen=True)
class Meteor(ConfiguredMetric):
    """METEOR with the parameters that it was tuned to for a task and a language.

    `matchers`, such as ``exact+stem``, are those that METEOR uses in the language as far as what
    they need is there. `resources` is the folder or the jar of METEOR (``auto``: where it is
    usually found; ``none``: nothing but what is in isogloss); it does not become part of the
    metric's name, what is found there becomes part of the signature. `tokeniser` is METEOR's own
    normaliser where it knows the language (``auto``), or one of the language tools; ``space`` for
    texts that are tokenised. `function` is whose function words count less: the ``language``'s,
    as METEOR's authors meant it, or ``english`` ones, which the Java program takes for every
    language unless it is told. `characters` counts characters for words, as METEOR's utility task
    may.
    """

    title: ClassVar[str] = "meteor"
    bounds: ClassVar[Bounds] = (0.0, 1.0)

    language: str = "en"
    task: Task = "auto"
    matchers: str | None = None
    tokeniser: Literal[
        "auto", "meteor", "unicode", "space", "moses", "rjieba", "sudachi", "kiwi", "newmm"
    ] = "auto"
    function: Literal["language", "english"] = "language"
    characters: bool = False
    resources: str | None = "auto"
    place: Path | None = field(default=None, compare=False, repr=False)
    evidence: Amount = field(default="longest", compare=False, repr=False)

    def with_all_evidence(self) -> Self:
        """The same metric, which shows everything it finds."""
        return replace(self, evidence="all")

    @classmethod
    def configured(
        cls,
        options: Mapping[str, OptionValue],
        source_language: str | None,
        target_language: str | None,
    ) -> Self:
        """The metric with these options; where its resources lie is no option, what they are is."""
        metric = super().configured(options, source_language, target_language)
        if metric.resources in ("auto", None):
            return metric
        return replace(metric, resources="auto", place=Path(str(metric.resources)))

    @classmethod
    def language_defaults(
        cls,
        source_language: str | None,  # noqa: ARG003
        target_language: str | None,
    ) -> Mapping[str, Any]:
        """The target language is the one that METEOR's tools have to know."""
        language = primary(target_language)
        return {"language": language} if language else {}

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", primary(self.language))
        parameters(self.task, self.language)
        asked_for = self._asked_for()
        if asked_for is not None and not {"exact"} <= set(asked_for) <= set(MATCHERS):
            raise MetricOptionError(
                "meteor(matchers=...) takes exact, and with it some of stem, synonym and "
                f"paraphrase, joined by '+'; not {self.matchers!r}"
            )

    def _asked_for(self) -> tuple[str, ...] | None:
        return None if self.matchers is None else tuple(self.matchers.split("+"))

    def signature(self, testset: TestSet) -> Signature:
        """The language and the task, the matchers and everything that they were taken from."""
        counts = {
            sum(lines[segment] is not None for lines in document.references.values())
            for document in testset.documents
            for segment in range(len(document))
        } - {0}
        task = resolved_task(self.task, self.language)
        return Signature(
            self.name,
            (
                ("refs", str(counts.pop()) if len(counts) == 1 else "var"),
                ("lang", self.language),
                ("task", f"{task}-characters" if self.characters else task),
                *self.tools().fields,
                ("version", "1.5"),
            ),
        )

    @property
    def parameters(self) -> Parameters:
        """METEOR's parameters for the task and the language."""
        return parameters(self.task, self.language)

    def tools(self) -> Tools:
        """What reads and matches; found when it is first asked for."""
        names = self._asked_for()
        asked_for = None if names is None else tuple(m for m in MATCHERS if m in names)
        usual = usual_matchers(self.task, self.language)
        listed = "en" if self.function == "english" else self.language
        return tools(self.language, asked_for, usual, self.tokeniser, listed, self._resources())

    def _resources(self) -> Resources:
        if self.place is not None:
            return resources_at(self.place)
        return NOTHING if self.resources is None else usual_resources()

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Statistics and scores of many documents at a time."""
        measuring = Measuring(
            self.tools(),
            self.parameters,
            self.evidence,
            self.characters,
            f"scored as {self.language}, because the target language is not known,; name it (--to)",
        )
        return measuring.measure(map(self._checked, translations))

    def score_rows(self, statistics: Floats) -> Floats:
        """METEOR's score of each vector of statistics."""
        return scores(statistics, self.parameters)

    def _checked(self, translation: Translation) -> Translation:
        """The translation, if it is in the language that the metric is set up for."""
        language = primary(translation.target_language)
        same = language in (None, self.language) or self.language == _ANY
        if not same and NAMES.get(str(language), language) != NAMES.get(self.language):
            raise NotApplicableError(
                f"{self.name} is set up for {self.language!r}, and the target language is "
                f"{language!r}; load it with the languages, or say language={language}"
            )
        return translation
