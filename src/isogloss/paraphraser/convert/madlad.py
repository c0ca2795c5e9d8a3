"""MADLAD-400: a T5 network whose source begins with ``<2de>``."""

import re
from pathlib import Path

from isogloss.errors import FormatError
from isogloss.paraphraser.convert.bart_family import read_config
from isogloss.paraphraser.convert.checkpoints import open_checkpoint
from isogloss.paraphraser.convert.languages import public_codes
from isogloss.paraphraser.convert.original import SHARED_SENTENCEPIECE, Original
from isogloss.paraphraser.convert.t5 import build_t5_specification
from isogloss.paraphraser.convert.vocabularies import filled, sentencepiece_pieces

# Beside languages there are tags for tasks, such as <2translate>, which are longer.
_TAG = re.compile(r"<2([a-z]{2,3}(?:[_-][A-Z][a-z]{3}|[_-][A-Z]{2}|[_-][0-9]{3})?)>")
_TRAINED_LENGTH = 512


def read_madlad(folder: Path) -> Original:
    """A MADLAD-400 folder as published on Hugging Face: ``config.json``, ``spiece.model``."""
    config = read_config(folder)
    sentencepiece = folder / "spiece.model"
    pieces = sentencepiece_pieces(sentencepiece)
    languages = public_codes(m[1] for m in map(_TAG.fullmatch, pieces) if m)
    if not languages:
        raise FormatError(
            "no language tags such as <2de> among the pieces",
            path=sentencepiece,
            remedy="only the MADLAD family of T5 models translates",
        )
    specification = build_t5_specification(open_checkpoint(folder), config)
    pieces = filled(pieces, len(specification.decoder.embeddings.weight), folder)
    return Original(
        specification=specification,
        source_pieces=pieces,
        target_pieces=pieces,
        sentencepiece={SHARED_SENTENCEPIECE: sentencepiece},
        scheme="madlad",
        reads=languages,
        writes=languages,
        longest=config.get("n_positions", _TRAINED_LENGTH),
        start=pieces[config["decoder_start_token_id"]],
    )
