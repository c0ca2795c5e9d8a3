"""Aligners by name.

Which aligner is taken where nobody names one, and why.

A translation model that knows both languages finds better links than a statistical aligner that
has to learn them from the text (docs/alignment.md has the figures). Where the model does not know
a language, there is nothing but the text to learn from; that takes sil-thot, which has no wheel for
some machines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from isogloss.alignment.cache import CachedAligner
from isogloss.alignment.pharaoh import FileAligner
from isogloss.alignment.protocol import Aligner, SegmentAlignment, TokenPair, remarks_of
from isogloss.alignment.statistical import SavedAligner, StatisticalAligner
from isogloss.alignment.symmetrisation import DirectedAligner, SymmetrisedAligner
from isogloss.alignment.thot import STATISTICAL, require_thot
from isogloss.errors import InputError
from isogloss.model import DEFAULT_MODEL, ModelCard, find_model, frame, read_card
from isogloss.runtime import Runtime

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class AlignerPreference:
    """The aligner that is taken, and the reason."""

    aligner: Literal["attention", "eflomal"]
    reason: str

    def __str__(self) -> str:
        return f"{self.aligner} ({self.reason})"


def preference(
    source_language: str | None, target_language: str | None, model: str
) -> AlignerPreference:
    """What to align texts of these languages with."""
    if source_language is None or target_language is None:
        return AlignerPreference(
            "eflomal", "the languages are not said, and a model needs to know them"
        )
    try:
        card = read_card(find_model(model))
    except InputError:
        return AlignerPreference("eflomal", f"there is no model {model!r}")
    for pair in ((source_language, target_language), (target_language, source_language)):
        unknown = _unknown(card, *pair)
        if unknown:
            return AlignerPreference("eflomal", unknown)
    return AlignerPreference(
        "attention", f"{card.name} knows {source_language} and {target_language}"
    )


def _unknown(card: ModelCard, condition: str, target: str) -> str:
    """What the model does not know about a direction; nothing if it knows it."""
    try:
        frame(card, condition, target)
    except InputError:
        return f"{card.name} does not know {condition} to {target}"
    return ""


@dataclass(frozen=True)
class PreferredAligner:
    """An aligner that was taken because nobody named one; it says so."""

    aligner: Aligner
    preference: AlignerPreference

    @property
    def name(self) -> str:
        """That of the aligner: the links are the same as if it had been named."""
        return self.aligner.name

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The aligner's links."""
        return self.aligner.align(pairs)

    def remarks(self, pairs: Sequence[TokenPair]) -> Mapping[str, int]:
        """Who was taken and why, and what that one has to say."""
        taken = f"words linked by {self.preference}"
        return {taken: len(pairs), **remarks_of(self.aligner, pairs)}


ALIGNERS = (AUTO, "attention", "attention-alone", "combined", *STATISTICAL, "file")
_OF_A_MODEL = ("attention", "attention-alone")
_RUNTIME = Runtime()


def aligner(
    name: str = AUTO,
    symmetrisation: str = "grow-diag-final-and",
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    extra: Sequence[TokenPair] = (),
    seed: int = 1,
    trained: Path | None = None,
    save_to: Path | None = None,
    file: Path | None = None,
    model: str = DEFAULT_MODEL,
    runtime: Runtime = _RUNTIME,
) -> Aligner:
    """The aligner of that name; ``auto`` takes what suits the languages, and says what and why.

    `extra` is bitext (pairs of word lists) that a statistical model learns from besides the text
    that it aligns; `save_to` is a folder for what it learns, and `trained` the folder of one that
    has learnt before and is used as it is. The attention of the `model` needs the languages, and
    the others get better by knowing them. `file` is a Pharaoh file with the links, which no
    symmetrisation changes. Where the `runtime` has a cache, links are kept there.
    """
    if name == "file":
        if file is None:
            raise InputError("the aligner 'file' needs the file that holds the links")
        return FileAligner(file)
    taken = preference(source_language, target_language, model) if name == AUTO else None
    if taken and (trained or save_to):
        taken = AlignerPreference("eflomal", "only a statistical aligner learns what can be kept")
    if taken and taken.aligner == "eflomal":
        require_thot(f"words cannot be linked: {taken.reason}, and statistical aligners")
    directed = directed_aligner(
        taken.aligner if taken else name,
        source_language=source_language,
        target_language=target_language,
        extra=extra,
        seed=seed,
        trained=trained,
        save_to=save_to,
        model=model,
        runtime=runtime,
    )
    both_ways = SymmetrisedAligner(directed, symmetrisation)
    return PreferredAligner(both_ways, taken) if taken else both_ways


def directed_aligner(
    name: str,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    extra: Sequence[TokenPair] = (),
    seed: int = 1,
    trained: Path | None = None,
    save_to: Path | None = None,
    model: str = DEFAULT_MODEL,
    runtime: Runtime = _RUNTIME,
) -> DirectedAligner:
    """The aligner of that name before its two directions are made one."""
    if name not in ALIGNERS or name in (AUTO, "file"):
        raise InputError(f"unknown aligner {name!r}; known are: {', '.join(ALIGNERS)}")
    languages = source_language, target_language
    # What is known from the cache would not be learnt, and nothing would be saved.
    cache = None if save_to else runtime.cache
    if name not in _OF_A_MODEL:
        kind = name if name in STATISTICAL else STATISTICAL[0]
        learning = StatisticalAligner(
            kind, *languages, seed=seed, extra=tuple(extra), save_to=save_to
        )
        counting = _kept(_trained(trained, learning) if trained else learning, cache)
        if name in STATISTICAL:
            return counting
    elif trained or save_to or (extra and name == "attention-alone"):
        raise InputError(f"{name} learns nothing that could be kept: name a statistical aligner")
    # Loads the engine of the translation model, which the others do without.
    from isogloss.alignment.attention import AttentionAligner
    from isogloss.alignment.informed import CombinedAligner, InformedAligner

    looking = AttentionAligner(*languages, model=model, runtime=runtime)
    if name == "attention-alone":
        return _kept(looking, cache)
    reading = InformedAligner(looking, tuple(extra))
    return _kept(reading if name == "attention" else CombinedAligner(counting, reading), cache)


def _trained(folder: Path, learning: StatisticalAligner) -> SavedAligner:
    """The model of a folder instead of one that would have to learn."""
    if learning.extra or learning.save_to:
        raise InputError("a trained aligner learns nothing more, not from extra bitext either")
    saved = SavedAligner(folder)
    if saved.model != learning.model:
        raise InputError(f"{folder} holds a trained {saved.model}, not {learning.model}")
    return saved


def _kept(directed: DirectedAligner, cache: Path | None) -> DirectedAligner:
    return directed if cache is None else CachedAligner(directed, cache)
