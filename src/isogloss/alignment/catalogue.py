"""Aligners by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss.alignment.caching import CachedAligner
from isogloss.alignment.directions import DirectedAligner, SymmetrisedAligner
from isogloss.alignment.interface import Aligner
from isogloss.alignment.links import TokenPair
from isogloss.alignment.pharaoh import FileAligner
from isogloss.alignment.preference import AUTO, Preference, PreferredAligner, preference
from isogloss.alignment.statistical import SavedAligner, StatisticalAligner
from isogloss.alignment.training import STATISTICAL
from isogloss.errors import InputError
from isogloss.paraphraser.store import DEFAULT, Runtime

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
    model: str = DEFAULT,
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
    if name == AUTO:
        return _preferred(
            preference(source_language, target_language, model),
            symmetrisation,
            source_language=source_language,
            target_language=target_language,
            extra=extra,
            seed=seed,
            trained=trained,
            save_to=save_to,
            model=model,
            runtime=runtime,
        )
    directed = directed_aligner(
        name,
        source_language=source_language,
        target_language=target_language,
        extra=extra,
        seed=seed,
        trained=trained,
        save_to=save_to,
        model=model,
        runtime=runtime,
    )
    return SymmetrisedAligner(directed, symmetrisation)


def _preferred(taken: Preference, symmetrisation: str, **options: Any) -> Aligner:
    """The aligner that is taken; what only a statistical one can do asks for that one."""
    if options["trained"] or options["save_to"]:
        taken = Preference("eflomal", "only a statistical aligner learns what can be kept")
    return PreferredAligner(aligner(taken.aligner, symmetrisation, **options), taken)


def directed_aligner(
    name: str,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    extra: Sequence[TokenPair] = (),
    seed: int = 1,
    trained: Path | None = None,
    save_to: Path | None = None,
    model: str = DEFAULT,
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
    from isogloss.alignment.combined import CombinedAligner
    from isogloss.alignment.informed import InformedAligner

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
