"""Statistical word alignment, learnt from the very texts that are aligned, with sil-thot.

EFLOMAL is the Bayesian IBM1-HMM-fertility model with Gibbs sampling of Östling and Tiedemann
(2016); HMM is Vogel et al. (1996), IBM4 Brown et al. (1993), fast_align Dyer et al. (2013).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isogloss.alignment.both_ways import BACK, FORTH, train_both
from isogloss.alignment.corpus import LONGEST, Numbering
from isogloss.alignment.digests import pairs_digest
from isogloss.alignment.directions import Directions
from isogloss.alignment.links import SegmentAlignment, TokenPair
from isogloss.alignment.training import EFLOMAL_EFFORT, STATISTICAL, Recipe, decode
from isogloss.destination import make_folder
from isogloss.errors import FormatError, InputError
from isogloss.formats.files import read_text, write_text
from isogloss.language.catalogue import normaliser
from isogloss.language.interface import Normaliser, NormaliserKind
from isogloss.notation import json_value

_CARD = "aligner.json"
_ENOUGH = 20_000
"""Words of a side from which something can be learnt; the curve is in docs/alignment.md."""


@dataclass(frozen=True)
class StatisticalAligner:
    """Trains a model in each direction on the pairs, and on any `extra` bitext beside them.

    What is trained on are not the words but their `form`: their stems, as long as the languages
    are known and have any. Small texts align better so. The models are kept in the folder
    `save_to`, if there is one, for `SavedAligner`.
    """

    model: str = "eflomal"
    source_language: str | None = None
    target_language: str | None = None
    form: NormaliserKind = "stem"
    seed: int = 1
    extra: Sequence[TokenPair] = field(default=(), repr=False)
    save_to: Path | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.model not in STATISTICAL:
            known = ", ".join(STATISTICAL)
            raise InputError(f"unknown statistical aligner {self.model!r}; known are: {known}")

    @cached_property
    def name(self) -> str:
        forms = (form.name for form in self._forms)
        parts = [f"{self.model}-thot{version('sil-thot')}", "+".join(dict.fromkeys(forms))]
        if self.model == "eflomal":  # the others leave nothing to chance
            parts += [EFLOMAL_EFFORT, f"seed{self.seed}"]
        if self.extra:
            parts.append(f"extra{pairs_digest(self.extra)[:8]}")
        return ":".join(parts)

    def directions(self, pairs: Sequence[TokenPair]) -> list[Directions]:
        """Train on all pairs, then read the links of each."""
        if self.save_to is not None:
            make_folder(self.save_to)
        numbering = Numbering()
        corpus = numbering.corpus([*pairs, *self.extra], self._forms)
        recipe = Recipe(self.model, self.seed, wanted=len(pairs))
        found = _both(*train_both(corpus, recipe, self.save_to))
        if self.save_to is not None:
            write_text(self.save_to / _CARD, self._card(pairs, numbering))
        return found

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """How many segments are cut, and whether there is little to learn from."""
        learnt_from = sum(len(source) for source, _ in (*pairs, *self.extra))
        if learnt_from >= _ENOUGH:
            return cut_segments(pairs)
        little = f"{self.model} has learnt from {learnt_from:,} words only and may link wrongly"
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
    return {f"aligned up to their {LONGEST:,}th word": cut} if cut else {}


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
