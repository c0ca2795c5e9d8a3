"""A model's links, and what the whole text makes of them."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from isogloss.alignment.attention import WEAKEST, AttentionAligner
from isogloss.alignment.digests import pairs_digest
from isogloss.alignment.directions import Directions
from isogloss.alignment.lexicon import VERSION, NumberedPair, Numbers, SparseStrengths, informed
from isogloss.alignment.links import TokenPair
from isogloss.alignment.strengths import Matrix, strongest
from isogloss.language.catalogue import normaliser
from isogloss.language.interface import Normaliser

_MOST_READ = 50_000  # segment pairs, of some kilobytes each
_READ: OrderedDict[tuple[str, str], SparseStrengths] = OrderedDict()


def _remember(read: Mapping[tuple[str, str], SparseStrengths]) -> None:
    """Keep what was read lately, and forget what was read long ago."""
    for key, strengths in read.items():
        _READ[key] = strengths
        _READ.move_to_end(key)
    while len(_READ) > _MOST_READ:
        _READ.popitem(last=False)


@dataclass(frozen=True)
class InformedAligner:
    """Reads links off a model, and looks again with a lexicon of all links of the text.

    The lexicon counts the stems of words where the language has a stemmer. `extra` is bitext that
    it is made of, too.
    """

    attention: AttentionAligner
    extra: Sequence[TokenPair] = field(default=(), repr=False)

    @cached_property
    def name(self) -> str:
        forms = "+".join(dict.fromkeys(form.name for form in self._forms))
        extra = f":extra{pairs_digest(self.extra)[:8]}" if self.extra else ""
        return f"{self.attention.name}:{VERSION}-{forms}{extra}"

    @cached_property
    def _forms(self) -> tuple[Normaliser, Normaliser]:
        languages = self.attention.source_language, self.attention.target_language
        source, target = (normaliser(language, "stem") for language in languages)
        return source, target

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Those of the model's links."""
        return self.attention.remarks(pairs)

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Each word's choice among the words of the other side."""
        return [strongest(matrix, WEAKEST) for matrix in self.matrices(pairs)]

    def matrices(self, pairs: Sequence[TokenPair]) -> Iterator[Matrix]:
        """How strongly each source word (row) and target word (column) are linked, 0 to 1."""
        text = [*pairs, *self.extra]
        if not text:
            return iter(())
        return informed(self._seen(text), self._numbered(text), len(pairs))

    def _seen(self, text: Sequence[TokenPair]) -> list[SparseStrengths]:
        """What the model alone says. A reference is read beside each system: once is enough."""
        keys = [(self.attention.name, pairs_digest([pair])) for pair in text]
        new = {key: pair for key, pair in zip(keys, text, strict=True) if key not in _READ}
        found = zip(new, self.attention.matrices(list(new.values())), strict=True)
        read = {key: SparseStrengths.of(matrix) for key, matrix in found}
        read |= {key: _READ[key] for key in keys if key not in read}
        _remember(read)
        return [read[key] for key in keys]

    def _numbered(self, pairs: Sequence[TokenPair]) -> list[NumberedPair]:
        known: tuple[dict[str, int], dict[str, int]] = ({}, {})
        return [
            (
                _numbers(source, self._forms[0], known[0]),
                _numbers(target, self._forms[1], known[1]),
            )
            for source, target in pairs
        ]


def _numbers(words: Sequence[str], form: Normaliser, known: dict[str, int]) -> Numbers:
    numbers = [known.setdefault(form.normalise(word), len(known)) for word in words]
    return np.array(numbers, np.int64)
