"""BLEU, spBLEU, chrF, chrF++ and TER, through sacrebleu.

sacrebleu extracts the statistics and computes every single score, so the numbers are its own to
the last digit: a document is scored as a corpus of its segments, a segment as sacrebleu's
sentence score. Only resampling, which needs thousands of scores at once, uses the same formulas
written over whole matrices.
"""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from isogloss.arrays import Floats
from isogloss.documents import Document, TestSet, Translation
from isogloss.errors import MetricOptionError, MissingExtraError, NotApplicableError
from isogloss.formula import Bounds
from isogloss.language import CHARACTERS_FOR_WORDS, CHINESE, is_unspaced, primary
from isogloss.metrics.edits import edits
from isogloss.metrics.protocol import ConfiguredMetric
from isogloss.scores import Measurement
from isogloss.signature import Signature

Tokeniser = Literal[
    "13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab", "flores101", "flores200"
]


_TOKENISERS_BY_SPACES = ("13a", "intl", "none")
_PHRASES = "phrases counted as words for lack of spaces"


class SurfaceMetric(ConfiguredMetric):
    """What the metrics share: statistics, scores and signature taken from a sacrebleu metric."""

    @abstractmethod
    def sacrebleu(self, *, sentence: bool) -> Any:
        """A new sacrebleu metric so configured, for single segments or for corpora of them."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many statistics there are."""

    def mistakes(self, text: str) -> str | None:  # noqa: ARG002
        """What goes wrong with a text under this metric, with the remedy; mostly nothing."""
        return None

    def signature(self, testset: TestSet) -> Signature:
        """The metric's name followed by sacrebleu's own signature."""
        scorer = self.sacrebleu(sentence=False)
        counts = {len(refs) for document in testset.documents for refs in _references(document)}
        counts.discard(0)  # a segment without references is not scored
        scorer.num_refs = counts.pop() if len(counts) == 1 else -1
        own = scorer.get_signature().format()
        fields = tuple(part.partition(":")[::2] for part in own.split("|"))
        return Signature(self.name, fields)

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Statistics and sentence scores; translations of one document best come in a row."""
        scorer, sentence = _scorer(self, sentence=False), _scorer(self, sentence=True)
        prepared: tuple[Document | None, list[Any]] = (None, [])
        for translation in translations:
            if translation.document is not prepared[0]:
                prepared = translation.document, _prepared(scorer, translation.document)
            yield self._measurement(scorer, sentence, translation, prepared[1])

    def _measurement(
        self, scorer: Any, sentence: Any, translation: Translation, references: list[Any]
    ) -> Measurement:
        rows = np.full((len(references), self.width), np.nan)
        scores = [math.nan] * len(references)
        remarks: Counter[str] = Counter()
        for index, (text, known) in enumerate(zip(translation.output, references, strict=True)):
            if text is not None and known is not None:
                counts = scorer._compute_segment_statistics(scorer._preprocess_segment(text), known)
                rows[index] = counts
                scores[index] = float(sentence._compute_score_from_stats(counts).score)
                mistaken = self.mistakes(text)
                if mistaken is not None:
                    remarks[mistaken] += 1
        return Measurement.of_segments(rows, scores, remarks=remarks)

    def score(self, statistics: Floats) -> float | None:
        """The score as sacrebleu itself computes it."""
        computed = _scorer(self, sentence=False)._compute_score_from_stats(statistics.tolist())
        return float(computed.score)


def _references(document: Document) -> Iterator[list[str]]:
    """The references that each segment has."""
    for texts in zip(*document.references.values(), strict=True):
        yield [text for text in texts if text is not None]


def _prepared(scorer: Any, document: Document) -> list[Any]:
    """sacrebleu's view of each segment's references; `None` where a segment has none."""
    return [
        scorer._extract_reference_info([scorer._preprocess_segment(text) for text in texts])
        if texts
        else None
        for texts in _references(document)
    ]


@lru_cache(maxsize=64)
def _scorer(metric: SurfaceMetric, *, sentence: bool) -> Any:
    # Making one loads a tokeniser, which for some languages takes long.
    return metric.sacrebleu(sentence=sentence)


_MOST_ORDERS = 100  # every order is counted for every segment


@dataclass(frozen=True)
class Bleu(SurfaceMetric):
    """BLEU (Papineni et al. 2002); the tokeniser follows the target language.

    Chinese, Japanese and Korean have sacrebleu's own; of other languages without spaces between
    words (Thai, Lao, Khmer, Burmese, Tibetan), which 13a would take for one word a phrase, single
    characters are counted.
    """

    title: ClassVar[str] = "bleu"
    bounds: ClassVar[Bounds] = (0.0, 100.0)

    tokenize: Tokeniser = "13a"
    smooth: Literal["exp", "floor", "add-k", "none"] = "exp"
    smooth_value: float | None = None
    lowercase: bool = False
    max_order: int = 4

    @classmethod
    def language_defaults(
        cls,
        source_language: str | None,  # noqa: ARG003
        target_language: str | None,
    ) -> Mapping[str, Any]:
        """sacrebleu's choice for the target language, or characters where it has none that fits."""
        language = primary(target_language) or ""
        tokeniser = BLEU._TOKENIZER_MAP.get("zh" if language in CHINESE else language)
        if tokeniser is None and language in CHARACTERS_FOR_WORDS:
            tokeniser = "char"
        return {"tokenize": tokeniser} if tokeniser else {}

    def __post_init__(self) -> None:
        if not 1 <= self.max_order <= _MOST_ORDERS:
            raise MetricOptionError(
                f"{self.title}: max_order is the length of n-grams, from 1 to {_MOST_ORDERS}, "
                f"not {self.max_order}"
            )

    def mistakes(self, text: str) -> str | None:
        """Words without spaces, which the tokenisers of other scripts do not find."""
        if self.tokenize not in _TOKENISERS_BY_SPACES or not is_unspaced(text):
            return None
        return (
            f"{_PHRASES} (say the target language, or choose: bleu(tokenize=zh), "
            "bleu(tokenize=ja-mecab), bleu(tokenize=char))"
        )

    @property
    def width(self) -> int:
        return 2 + 2 * self.max_order

    def sacrebleu(self, *, sentence: bool) -> BLEU:
        """BLEU; segments use effective order, as sacrebleu's `sentence_bleu` does."""
        try:
            return BLEU(
                tokenize=self.tokenize,
                smooth_method=self.smooth,
                smooth_value=self.smooth_value,
                lowercase=self.lowercase,
                max_ngram_order=self.max_order,
                effective_order=sentence,
                force=True,
            )
        except (ImportError, RuntimeError) as error:
            what = f"{self._tokenising} needs a tokeniser that is not installed"
            raise MissingExtraError(what, "languages") from error
        except (OSError, SystemExit) as error:
            raise NotApplicableError(
                f"{self._tokenising} needs a SentencePiece model that sacrebleu "
                "downloads, and it could not; copy the model into the folder 'models' below "
                "~/.sacrebleu or $SACREBLEU"
            ) from error

    @property
    def _tokenising(self) -> str:
        return f"{self.title} with the tokeniser {self.tokenize!r}"

    def score_rows(self, statistics: Floats) -> Floats:
        """Corpus BLEU of many summed statistics at once."""
        hypothesis, reference = statistics[:, 0], statistics[:, 1]
        correct = statistics[:, 2 : 2 + self.max_order].copy()
        total = statistics[:, 2 + self.max_order :].copy()
        matched = correct.any(axis=1)
        if self.smooth == "add-k":
            correct[:, 1:] += self._smoothing_value()
            total[:, 1:] += self._smoothing_value()
        precisions = self._precisions(correct, total)
        logs = np.full_like(precisions, -9999999999.0)  # sacrebleu's logarithm of 0
        np.log(precisions, out=logs, where=precisions > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            penalty = np.where(hypothesis < reference, np.exp(1 - reference / hypothesis), 1.0)
        penalty[hypothesis == 0] = 0.0
        return np.where(matched, penalty * np.exp(logs.mean(axis=1)), 0.0)

    def _precisions(self, correct: Floats, total: Floats) -> Floats:
        # From the first order that has no n-grams at all on, precisions stay 0.
        possible = np.logical_and.accumulate(total > 0, axis=1)
        missed = possible & (correct == 0)
        hits = np.where(missed, 0.0, correct)
        if self.smooth == "exp":
            # The k-th order without a match counts as 1 / 2^k matches.
            hits = np.where(missed, 0.5 ** np.cumsum(missed, axis=1), hits)
        elif self.smooth == "floor":
            hits = np.where(missed, self._smoothing_value(), hits)
        return np.where(possible, 100.0 * hits / np.where(possible, total, 1.0), 0.0)

    def _smoothing_value(self) -> float:
        default = BLEU.SMOOTH_DEFAULTS[self.smooth]
        return float(self.smooth_value if self.smooth_value is not None else default or 0.0)


@dataclass(frozen=True)
class SpBleu(Bleu):
    """spBLEU (Goyal et al. 2022): BLEU over the pieces of FLORES-200's SentencePiece model."""

    title: ClassVar[str] = "spbleu"

    tokenize: Tokeniser = "flores200"

    @classmethod
    def language_defaults(
        cls,
        source_language: str | None,  # noqa: ARG003
        target_language: str | None,  # noqa: ARG003
    ) -> Mapping[str, Any]:
        """None: one tokeniser for all languages is its point."""
        return {}


@dataclass(frozen=True)
class Chrf(SurfaceMetric):
    """chrF (Popović 2015): F-score over character n-grams."""

    title: ClassVar[str] = "chrf"
    bounds: ClassVar[Bounds] = (0.0, 100.0)

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    def __post_init__(self) -> None:
        orders = self.char_order, self.word_order
        if min(orders) < 0 or not 1 <= sum(orders) <= _MOST_ORDERS:
            raise MetricOptionError(
                f"{self.title}: char_order and word_order are lengths of n-grams, together from "
                f"1 to {_MOST_ORDERS}, not {self.char_order} and {self.word_order}"
            )

    @property
    def width(self) -> int:
        return 3 * (self.char_order + self.word_order)

    def sacrebleu(self, *, sentence: bool) -> CHRF:  # noqa: ARG002 - the same for both
        """sacrebleu's chrF."""
        return CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )

    def mistakes(self, text: str) -> str | None:
        """Words without spaces, where words are counted beside characters."""
        if not self.word_order or not is_unspaced(text):
            return None
        return f"{_PHRASES} (chrf counts characters alone)"

    def score_rows(self, statistics: Floats) -> Floats:
        """Corpus chrF of many summed statistics at once."""
        hypothesis, reference, match = (statistics[:, start::3] for start in range(3))
        tiny = 1e-16  # sacrebleu's epsilon
        precision = np.where(hypothesis > 0, match / np.maximum(hypothesis, 1), tiny)
        recall = np.where(reference > 0, match / np.maximum(reference, 1), tiny)
        if self.eps_smoothing:
            by_order = self._f_score(precision, recall, undefined=tiny)
            return np.asarray(100 * by_order.sum(axis=1) / by_order.shape[1])
        both = (hypothesis > 0) & (reference > 0)
        counted = np.maximum(both.sum(axis=1), 1)
        mean_precision = np.where(both, precision, 0).sum(axis=1) / counted
        mean_recall = np.where(both, recall, 0).sum(axis=1) / counted
        return 100 * self._f_score(mean_precision, mean_recall, undefined=0.0)

    def _f_score(self, precision: Floats, recall: Floats, undefined: float) -> Floats:
        factor = self.beta * self.beta
        denominator = factor * precision + recall
        safe = np.where(denominator > 0, denominator, 1.0)
        return np.where(denominator > 0, (1 + factor) * precision * recall / safe, undefined)


@dataclass(frozen=True)
class ChrfPlusPlus(Chrf):
    """chrF++ (Popović 2017): chrF with word unigrams and bigrams."""

    title: ClassVar[str] = "chrf++"

    word_order: int = 2


class _FastTer(TER):
    """sacrebleu's TER but for the search, which finds the same edits."""

    def _compute_segment_statistics(
        self, hypothesis: str, ref_kwargs: dict[str, Any]
    ) -> list[float]:
        references = ref_kwargs["ref_words"]
        words = hypothesis.split()
        least = min(edits(words, reference) for reference in references)
        return [least, sum(map(len, references)) / len(references)]


@dataclass(frozen=True)
class Ter(SurfaceMetric):
    """TER (Snover et al. 2006): edits, shifts included, per reference word; lower is better."""

    title: ClassVar[str] = "ter"
    bounds: ClassVar[Bounds] = (0.0, None)
    higher_is_better: ClassVar[bool] = False

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    @property
    def width(self) -> int:
        return 2

    def sacrebleu(self, *, sentence: bool) -> TER:  # noqa: ARG002 - the same for both
        """sacrebleu's TER, with edits that are counted faster."""
        return _FastTer(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )

    def mistakes(self, text: str) -> str | None:
        """Words without spaces; sacrebleu can take Chinese and Japanese apart, if asked to."""
        parts = self.normalized and self.asian_support
        if not is_unspaced(text, ideographs=not parts):
            return None
        if is_unspaced(text, ideographs=False):
            return f"{_PHRASES} (chrf or bleu(tokenize=char) count characters)"
        return f"{_PHRASES} (ter(normalized=true,asian_support=true) takes characters apart)"

    def score_rows(self, statistics: Floats) -> Floats:
        """Corpus TER of many summed statistics at once."""
        edits, length = statistics[:, 0], statistics[:, 1]
        # Against an empty reference any edit is 100 %, none is 0 %.
        rate = np.where(length > 0, edits / np.where(length > 0, length, 1.0), edits > 0)
        return 100.0 * rate
