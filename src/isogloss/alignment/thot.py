"""sil-thot's models behind a small door: numbered words in, the links of one direction out.

Sentence pairs as statistical models learn from them: words in some form, and numbered.

In numbers, because thot gives some words a meaning of their own, such as "NULL".
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, Protocol

from isogloss.alignment.protocol import SegmentAlignment, TokenPair
from isogloss.errors import InputError, MissingExtraError

LONGEST = 1024
"""Words of a sentence that are aligned; thot would leave out what is longer, without a word."""


class WordForm(Protocol):
    """What is made of a word before it is learnt from."""

    def normalise(self, word: str) -> str: ...


@dataclass(frozen=True, slots=True)
class PairCorpus:
    """Sentence pairs in numbered words."""

    sources: Sequence[Sequence[str]]
    targets: Sequence[Sequence[str]]

    def turned(self) -> "PairCorpus":
        """The same pairs, seen from the other side."""
        return PairCorpus(self.targets, self.sources)

    @property
    def words(self) -> float:
        """How many words there are, as the mean of both sides."""
        return sum(map(len, (*self.sources, *self.targets))) / 2

    def usable(self) -> list[int]:
        """The positions of the pairs that have words on both sides."""
        both = zip(self.sources, self.targets, strict=True)
        return [position for position, (source, target) in enumerate(both) if source and target]


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of the words of both sides; a word that is new gets the next one."""

    source: dict[str, str] = field(default_factory=dict)
    target: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_words(cls, source: Iterable[str], target: Iterable[str]) -> "Numbering":
        """A numbering as it was when these were its words."""
        return cls(*({word: str(n) for n, word in enumerate(side)} for side in (source, target)))

    def corpus(self, pairs: Iterable[TokenPair], forms: tuple[WordForm, WordForm]) -> PairCorpus:
        """The pairs with their words brought into a form and numbered."""
        sources, targets = [], []
        for source, target in pairs:
            sources.append(_numbered(source[:LONGEST], forms[0], self.source))
            targets.append(_numbered(target[:LONGEST], forms[1], self.target))
        return PairCorpus(sources, targets)


def _numbered(words: Iterable[str], form: WordForm, numbers: dict[str, str]) -> list[str]:
    return [numbers.setdefault(form.normalise(word), str(len(numbers))) for word in words]


_WAITING = "OMP_WAIT_POLICY"
EFLOMAL_EFFORT = "effort4"
"""The version of `EflomalEffort`: another one finds other links."""

_SENTENCE = 25  # words
_FEW_SENTENCES = 1_000
_MANY_SENTENCES = 4_000


@dataclass(frozen=True, slots=True)
class EflomalEffort:
    """How long EFLOMAL samples: independent samplers, and rounds of IBM1, the HMM and fertility."""

    samplers: int
    rounds: tuple[int, int, int]

    def __str__(self) -> str:
        return f"{self.samplers}x" + "+".join(map(str, self.rounds))

    @classmethod
    def on(cls, words: float) -> "EflomalEffort":
        """The fewer words, the more; `words` is the mean of both sides.

        eflomal itself goes 5,000 / √n rounds over n sentences with three samplers, however long
        they are. It is the words that are learnt from, so here a sentence counts as 25 of them.
        More samplers in fewer rounds are as exact in less time; on much text two of them with few
        rounds are still ahead of eflomal itself (benchmarks/alignment_speed.py). On little text
        chance weighs most, and still more samplers tame it.
        """
        sentences = max(1.0, words / _SENTENCE)
        if sentences >= _MANY_SENTENCES:
            return cls(2, (5, 5, 10))
        few = sentences < _FEW_SENTENCES
        samplers, enough = (8, 30_000 / sentences) if few else (4, 2_500 / sentences**0.5)
        rounds = max(4, round(min(5_000 / sentences**0.5, max(32, enough))))
        return cls(samplers, (rounds // 4, rounds // 4, rounds))


@dataclass(frozen=True, slots=True)
class Recipe:
    """Which model is trained, and how.

    Links are read of the first `wanted` pairs only; what comes after them is there to learn from.
    `saved` is where the model is written to, as the beginning of its files' names; `effort` is
    that of EFLOMAL, where it is not to follow from the words.
    """

    model: str
    seed: int
    wanted: int
    saved: str = ""
    effort: EflomalEffort | None = None


Aligned = Callable[[int], Any]
"""What thot says about a position of the corpus."""


def train(corpus: PairCorpus, recipe: Recipe) -> list[SegmentAlignment]:
    """Train a model; the links of the wanted pairs, at most one for each target word."""
    model, aligned = _TRAINERS[recipe.model](corpus, recipe)
    if recipe.saved and not model.print(recipe.saved):
        raise InputError(f"{recipe.saved}: the aligner's model cannot be written")
    return _links(model, aligned, corpus, recipe.wanted)


def decode(kind: str, saved: str, corpus: PairCorpus) -> list[SegmentAlignment]:
    """The links that a saved model finds; no pair depends on another."""
    model = getattr(_thot(), _CLASSES[kind])()
    if not model.load(saved):
        raise InputError(f"{saved}: the aligner's model cannot be read")
    return _links(model, _decoding(model, corpus), corpus, len(corpus.sources))


def _links(model: Any, aligned: Aligned, corpus: PairCorpus, wanted: int) -> list[SegmentAlignment]:
    score = _Scores(model)
    found = [SegmentAlignment(())] * wanted
    for position in corpus.usable():
        if position >= wanted:
            break
        source, target = corpus.sources[position], corpus.targets[position]
        # The source word of each target word, counted from 1; 0 is none.
        places = enumerate(aligned(position)[1].to_list())
        links = tuple(sorted((place - 1, word) for word, place in places if place > 0))
        scores = tuple(score(source[one], target[other]) for one, other in links)
        found[position] = SegmentAlignment(links, scores)
    return found


class _Scores:
    """The probability that a word is translated by another, each asked for once."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._source_number = cache(model.get_src_word_index)
        self._target_number = cache(model.get_trg_word_index)
        self._known: dict[tuple[str, str], float] = {}

    def __call__(self, source: str, target: str) -> float:
        found = self._known.get((source, target))
        if found is None:
            numbers = self._source_number(source), self._target_number(target)
            found = round(min(1.0, float(self._model.translation_prob(*numbers))), 4)
            self._known[source, target] = found
        return found


def _eflomal(corpus: PairCorpus, recipe: Recipe) -> tuple[Any, Aligned]:
    model = _thot().EflomalAlignmentModel()
    model.seed, model.deterministic = recipe.seed, True
    # Links come from the samplers' own distributions; decoding anew would be worse.
    model.emit_training_alignments = True
    model.auto_iterations = False
    effort = recipe.effort or EflomalEffort.on(corpus.words)
    model.num_samplers = effort.samplers
    model.set_iterations(*effort.rounds)
    _trained(_fill(model, corpus), sum(effort.rounds))
    numbers = {position: number for number, position in enumerate(corpus.usable())}
    return model, lambda position: model.get_training_alignment(numbers[position])


def _fast_align(corpus: PairCorpus, _: Recipe) -> tuple[Any, Aligned]:
    model = _trained(_fill(_thot().FastAlignModel(), corpus), 4)
    return model, _decoding(model, corpus)


def _hmm(corpus: PairCorpus, _: Recipe) -> tuple[Any, Aligned]:
    model = _hmm_model(corpus)
    return model, _decoding(model, corpus)


def _ibm4(corpus: PairCorpus, _: Recipe) -> tuple[Any, Aligned]:
    third = _trained(_thot().Ibm3AlignmentModel(_hmm_model(corpus)), 5)
    model = _trained(_thot().Ibm4AlignmentModel(third), 5)
    return model, _decoding(model, corpus)


def _hmm_model(corpus: PairCorpus) -> Any:
    first = _trained(_fill(_thot().Ibm1AlignmentModel(), corpus), 5)
    # Each model grows out of a simpler one, and keeps its sentences.
    return _trained(_thot().HmmAlignmentModel(first), 5)


_TRAINERS: dict[str, Callable[[PairCorpus, Recipe], tuple[Any, Aligned]]] = {
    "eflomal": _eflomal,
    "hmm": _hmm,
    "ibm4": _ibm4,
    "fast-align": _fast_align,
}
_CLASSES = {
    "eflomal": "EflomalAlignmentModel",
    "hmm": "HmmAlignmentModel",
    "ibm4": "Ibm4AlignmentModel",
    "fast-align": "FastAlignModel",
}
STATISTICAL = tuple(_TRAINERS)


def has_thot() -> bool:
    """Whether sil-thot is installed; it is not where it has no wheel, as for Linux on ARM."""
    try:
        return find_spec("thot") is not None
    except ImportError:
        return False


def require_thot(who: str) -> None:
    """Refuse what only sil-thot can do where it is not installed."""
    if not has_thot():
        raise MissingExtraError(f"{who} need sil-thot, which is not installed", "align")


@lru_cache(maxsize=1)
def _thot() -> Any:
    """The library, loaded so that its threads sleep while they wait.

    By default they spin, and on a busy machine that makes thot twenty times as slow.
    """
    require_thot("statistical aligners")
    before = os.environ.get(_WAITING)
    os.environ[_WAITING] = before or "passive"
    try:
        import thot.alignment  # reads the variable once, now
    finally:
        if before is None:
            del os.environ[_WAITING]
    return thot.alignment


def _fill(model: Any, corpus: PairCorpus) -> Any:
    for position in corpus.usable():
        model.add_sentence_pair(corpus.sources[position], corpus.targets[position])
    return model


def _trained(model: Any, iterations: int) -> Any:
    model.start_training()
    for _ in range(iterations):
        model.train()
    model.end_training()
    return model


def _decoding(model: Any, corpus: PairCorpus) -> Aligned:
    return lambda position: model.get_best_alignment(
        corpus.sources[position], corpus.targets[position]
    )
