"""Statistical word alignment, learnt from the very texts that are aligned, with sil-thot.

EFLOMAL is the Bayesian IBM1-HMM-fertility model with Gibbs sampling of Östling and Tiedemann
(2016); HMM is Vogel et al. (1996), IBM4 Brown et al. (1993), fast_align Dyer et al. (2013).

Training in both directions at once.

thot holds Python's lock while it trains, so each direction gets a process of its own: a Python that
runs `elsewhere`. It is told what to train on its standard input and writes the links on its
standard output, both as JSON. What comes out is the same as without them.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from isogloss.alignment.elsewhere import task_of
from isogloss.alignment.protocol import SegmentAlignment, TokenPair, pairs_digest
from isogloss.alignment.symmetrisation import Directions
from isogloss.alignment.thot import (
    EFLOMAL_EFFORT,
    LONGEST,
    STATISTICAL,
    EflomalEffort,
    Numbering,
    PairCorpus,
    Recipe,
    decode,
    require_thot,
    train,
)
from isogloss.destination import make_folder
from isogloss.errors import FormatError, InputError
from isogloss.formats import read_text, write_text
from isogloss.language import Normaliser, NormaliserKind, normaliser
from isogloss.model import usable_cores
from isogloss.notation import json_value

Found = list[SegmentAlignment]
FORTH, BACK = "forth", "back"
"""The beginnings of the names of saved models."""
_FEW = 5_000  # below this many words, starting processes costs more than it saves


def train_both(
    corpus: PairCorpus, recipe: Recipe, folder: Path | None = None
) -> tuple[Found, Found]:
    """The links of a model of the targets given the sources, and of one the other way round.

    Where there is a `folder`, the models are kept in it.
    """
    there, here = (
        replace(recipe, saved=str(folder / name)) if folder else recipe for name in (FORTH, BACK)
    )
    turned = corpus.turned()
    if corpus.words < _FEW or usable_cores() == 1 or not sys.executable:
        return train(corpus, there), train(turned, here)
    with ExitStack() as stack:
        forth = stack.enter_context(_Elsewhere(corpus, there))
        back = stack.enter_context(_Elsewhere(turned, here))
        return forth.found(), back.found()


class _Elsewhere:
    """Training in another process."""

    def __init__(self, corpus: PairCorpus, recipe: Recipe) -> None:
        self._corpus, self._recipe = corpus, recipe

    def __enter__(self) -> Self:
        # Files, because a pipe that is full makes one side wait for the other.
        with tempfile.TemporaryFile() as task:
            task.write(task_of(self._corpus, self._recipe))
            task.seek(0)
            self._answer = tempfile.TemporaryFile()
            self._process = subprocess.Popen(  # noqa: S603 - Python itself, on a module of ours
                [sys.executable, "-P", "-m", task_of.__module__],
                stdin=task,
                stdout=self._answer,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        return self

    def found(self) -> Found:
        """Wait for the links."""
        if self._process.wait():
            # Whatever befell it, memory being the likeliest, can be made up for here.
            return train(self._corpus, self._recipe)
        self._answer.seek(0)
        return [
            SegmentAlignment(tuple((one, other) for one, other in links), tuple(scores or ()))
            for links, scores in json.load(self._answer)
        ]

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._answer.close()


def _environment() -> dict[str, str]:
    """Ours, with our import path, and half of the cores for the threads that thot starts."""
    paths = os.pathsep.join(path for path in sys.path if path)
    threads = str(max(1, usable_cores() // 2))
    return {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": threads}


_CARD = "aligner.json"
_ENOUGH = 20_000
"""Words of a side from which something can be learnt; the curve is in docs/alignment.md."""


@dataclass(frozen=True)
class StatisticalAligner:
    """Trains a model in each direction on the pairs, and on any `extra` bitext beside them.

    What is trained on are not the words but their `form`: their stems, as long as the languages
    are known and have any. Small texts align better so. The models are kept in the folder
    `save_to`, if there is one, for `SavedAligner`. `effort` is how long EFLOMAL samples, where it
    is not to follow from the words.
    """

    model: str = "eflomal"
    source_language: str | None = None
    target_language: str | None = None
    form: NormaliserKind = "stem"
    seed: int = 1
    extra: Sequence[TokenPair] = field(default=(), repr=False)
    save_to: Path | None = field(default=None, repr=False)
    effort: EflomalEffort | None = None

    def __post_init__(self) -> None:
        if self.model not in STATISTICAL:
            known = ", ".join(STATISTICAL)
            raise InputError(f"unknown statistical aligner {self.model!r}; known are: {known}")

    @cached_property
    def name(self) -> str:
        require_thot(f"{self.model} and other statistical aligners")
        forms = (form.name for form in self._forms)
        parts = [f"{self.model}-thot{version('sil-thot')}", "+".join(dict.fromkeys(forms))]
        if self.model == "eflomal":  # the others leave nothing to chance
            effort = EFLOMAL_EFFORT if self.effort is None else str(self.effort)
            parts += [effort, f"seed{self.seed}"]
        if self.extra:
            parts.append(f"extra{pairs_digest(self.extra)[:8]}")
        return ":".join(parts)

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Train on all pairs, then read the links of each."""
        if self.save_to is not None:
            make_folder(self.save_to)
        numbering = Numbering()
        corpus = numbering.corpus([*pairs, *self.extra], self._forms)
        recipe = Recipe(self.model, self.seed, wanted=len(pairs), effort=self.effort)
        found = _both(*train_both(corpus, recipe, self.save_to))
        if self.save_to is not None:
            write_text(self.save_to / _CARD, self._card(pairs, numbering))
        return found

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """How many segments are cut, and whether there is little to learn from."""
        learnt_from = sum(len(source) for source, _ in (*pairs, *self.extra))
        if learnt_from >= _ENOUGH:
            return cut_segments(pairs)
        known = f"{self.model} has learnt from {learnt_from:,} words only"
        little = f"{known} and may link wrongly; align more"
        return {little: len(pairs), **cut_segments(pairs)}

    def _card(self, pairs: Sequence[TokenPair], numbering: Numbering) -> str:
        card = {
            "name": f"{self.name}:trained@{pairs_digest(pairs, self.name)[:8]}",
            "model": self.model,
            "languages": [self.source_language, self.target_language],
            "form": self.form,
            "source_words": list(numbering.source),
            "target_words": list(numbering.target),
        }
        return json.dumps(card, ensure_ascii=False)

    @cached_property
    def _forms(self) -> tuple[Normaliser, Normaliser]:
        return _forms_of((self.source_language, self.target_language), self.form)


@dataclass(frozen=True)
class SavedAligner:
    """Uses models that were trained before, on other text: nothing is learnt, and so it is fast."""

    folder: Path

    @property
    def name(self) -> str:
        return str(self._card["name"])

    @property
    def model(self) -> str:
        """Which kind of model it is."""
        return str(self._card["model"])

    @cached_property
    def _card(self) -> dict[str, Any]:
        path = self.folder / _CARD
        card: dict[str, Any] = json_value(read_text(path), path)
        if not isinstance(card, dict) or card.get("model") not in STATISTICAL:
            raise FormatError("does not describe a trained aligner", path=path)
        return card

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """How many segments are cut."""
        return cut_segments(pairs)

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """The links of each pair, whatever the others are."""
        card = self._card
        forms = _forms_of(card["languages"], card["form"])
        numbering = Numbering.of_words(card["source_words"], card["target_words"])
        corpus = numbering.corpus(pairs, forms)
        forth = decode(self.model, str(self.folder / FORTH), corpus)
        return _both(forth, decode(self.model, str(self.folder / BACK), corpus.turned()))


def cut_segments(pairs: Sequence[TokenPair]) -> Mapping[str, int]:
    """A remark about segments that are longer than these aligners take."""
    cut = sum(max(len(source), len(target)) > LONGEST for source, target in pairs)
    what = f"aligned up to their {LONGEST:,}th word; split them to align all"
    return {what: cut} if cut else {}


def _forms_of(
    languages: Sequence[str | None], form: NormaliserKind
) -> tuple[Normaliser, Normaliser]:
    source, target = languages
    return normaliser(source, form), normaliser(target, form)


def _both(forth: Sequence[SegmentAlignment], back: Sequence[SegmentAlignment]) -> list[Directions]:
    """thot gives each target word one source word; on the way back, the sides are exchanged."""
    both = zip(forth, back, strict=True)
    return [Directions(_turned(to_target), to_source) for to_source, to_target in both]


def _turned(alignment: SegmentAlignment) -> SegmentAlignment:
    """The links with their sides exchanged, in order again."""
    turned = sorted(((one, other), score) for (other, one), score in alignment.score_of().items())
    links, scores = tuple(link for link, _ in turned), tuple(score for _, score in turned)
    return SegmentAlignment(links, None if alignment.scores is None else scores)
