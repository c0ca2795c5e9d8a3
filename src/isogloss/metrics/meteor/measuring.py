"""From translations to METEOR's statistics: lots of pairs, and what becomes of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from isogloss.documents import Translation
from isogloss.metrics.meteor.candidates import Candidates
from isogloss.metrics.meteor.evidence import (
    Amount,
    Leftovers,
    Remark,
    everything,
    leftovers,
    longest,
)
from isogloss.metrics.meteor.flat import Ints
from isogloss.metrics.meteor.lot import Lot, make_lot
from isogloss.metrics.meteor.profile import Parameters
from isogloss.metrics.meteor.statistics import WIDTH, align, scores, statistics
from isogloss.metrics.meteor.tools import Tools
from isogloss.metrics.protocol import Floats
from isogloss.scores import Measurement
from isogloss.spans import Evidence, Span, output_side, reference_side

_PAIRS_AT_ONCE = 8_192  # enough that numpy works more than it is called
_ABSENT = -1  # in the place of a pair of which a text is absent


@dataclass(frozen=True, eq=False)
class _Asked:
    """A translation with the numbers of its pairs: one row a segment, one column a reference."""

    translation: Translation
    pairs: Ints


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


def _best(pairs: Ints, scores: Floats) -> tuple[Ints, Ints]:
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
        self, translation: Translation, reference: Ints, pair: Ints, aligned: _Aligned
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
