"""How renderings become a ratio: which family, what an untranslated mention is, who may vary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from isogloss.consistency import ratios
from isogloss.consistency.ratios import Family, Key, Null, Ratio
from isogloss.consistency.renderings import RenderedWord
from isogloss.frozen import FrozenMapping


@dataclass(frozen=True, slots=True)
class Counted:
    """The mentions of a word that count: keys, segments, and what the references require."""

    keys: tuple[Key, ...]
    segments: tuple[int, ...]
    required: tuple[Key, ...] | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to measure how consistently words are rendered.

    An untranslated mention is a ``mismatch``, or ``skip`` leaves it out. `accepted` holds the
    normalised translations of each term where the family is ``terms``.
    """

    family: Family = "pairs"
    null: Null = "mismatch"
    accepted: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "accepted", FrozenMapping(self.accepted))

    def counted(self, word: RenderedWord, references: Sequence[RenderedWord] = ()) -> Counted:
        """What counts of a word: absent outputs never do, untranslated mentions as told."""
        kept = [
            (index, rendering.key)
            for index, rendering in enumerate(word.renderings)
            if rendering is not None and (rendering.key is not None or self.null == "mismatch")
        ]
        mentions = word.word.mentions
        return Counted(
            tuple(key for _, key in kept),
            tuple(mentions[index].segment for index, _ in kept),
            tuple(_required(references, index) for index, _ in kept) if references else None,
        )

    def ratio(self, word: RenderedWord, references: Sequence[RenderedWord] = ()) -> Ratio:
        """How consistently the word is rendered.

        With `references`, mentions need only be rendered alike where every one of them does so.
        """
        counted = self.counted(word, references)
        if self.family == "terms":
            return ratios.as_demanded(counted.keys, self.accepted.get(word.word.word, frozenset()))
        if len(counted.keys) < 2:
            return Ratio(0, 0)  # what stands alone is like nothing and unlike nothing
        match self.family:
            case "pairs":
                return ratios.pairs(counted.keys, counted.required)
            case "first":
                return ratios.first(counted.keys, counted.required)
            case "pseudo-first":
                return ratios.pseudo_first(counted.keys)
            case "pseudo-frequent":
                return ratios.pseudo_frequent(counted.keys)

    def ratios_by_distance(
        self, word: RenderedWord, references: Sequence[RenderedWord] = ()
    ) -> tuple[Ratio, ...]:
        """The pairs of the word by the distance of their segments."""
        counted = self.counted(word, references)
        return ratios.pairs_by_distance(counted.keys, counted.segments, counted.required)


def _required(references: Sequence[RenderedWord], index: int) -> Key:
    """A label that is equal for mentions which all references render alike.

    `None` where a reference has no translation: nobody can say what it requires.
    """
    keys = []
    for reference in references:
        rendering = reference.renderings[index]
        if rendering is None or rendering.key is None:
            return None
        keys.append(rendering.key)
    return tuple(keys)
