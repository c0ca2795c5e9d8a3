"""Someone else's model, read and understood, before it becomes a paraphraser folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.paraphraser.folder import Expectation

SHARED_SENTENCEPIECE = "sentencepiece.model"
UNKNOWN, END = "<unk>", "</s>"


@dataclass(frozen=True, slots=True)
class Original:
    """A model's network as a CTranslate2 specification, its pieces, and the facts for its card.

    The pieces stand in the order of the embeddings. `reads` and `writes` map the codes that
    people use to the model's own. `sentencepiece` maps names in the new folder to files of the
    old one. `longest` counts pieces, tags and the end mark; `start` is what the decoder begins
    with.
    """

    specification: Any
    source_pieces: list[str]
    target_pieces: list[str]
    sentencepiece: Mapping[str, Path]
    scheme: str
    reads: Mapping[str, str]
    writes: Mapping[str, str]
    longest: int
    start: str = END
    selftest: Sequence[Expectation] = ()

    def registered(self) -> Any:
        """The specification with vocabularies and marks, ready to be written."""
        register(self.specification, self.source_pieces, self.target_pieces, self.start)
        return self.specification


def register(specification: Any, source: list[str], target: list[str], start: str = END) -> None:
    """Give a specification its vocabularies and its marks.

    The end mark of the source is the tag scheme's business: one place appends it.
    """
    _check(source, len(specification.encoder.embeddings[0].weight))
    _check(target, len(specification.decoder.embeddings.weight))
    specification.register_source_vocabulary(source)
    specification.register_target_vocabulary(target)
    config = specification.config
    config.unk_token, config.bos_token, config.eos_token = UNKNOWN, start, END
    config.decoder_start_token = start
    config.add_source_bos = config.add_source_eos = False


def _check(pieces: Sequence[str], rows: int) -> None:
    """Refuse a vocabulary that does not fit the embeddings or lacks its marks."""
    if len(pieces) != rows:
        raise InputError(f"{len(pieces)} pieces, but {rows} embeddings; they must be as many")
    for mark in (UNKNOWN, END):
        if mark not in pieces:
            raise InputError(f"the vocabulary has no {mark!r}")
    if len(set(pieces)) != rows:
        raise InputError("the vocabulary holds a piece twice")
