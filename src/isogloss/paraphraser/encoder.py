"""The encoder alone: sentence vectors from a translation model.

CTranslate2 gives out encoder states only for models that are encoders. A translation model's file
holds one, so its part of the file is rewritten, in memory, as the encoder model that it is.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.paraphraser.engine import vocabulary_of
from isogloss.paraphraser.model_file import MODEL_FILE, ModelFile
from isogloss.paraphraser.threads import Threads

_ENCODER = "TransformerEncoderSpec"
_REVISION = 1
_PREFIX = "encoder/"


class SentenceEncoder:
    """The encoder of a model folder."""

    def __init__(self, folder: Path, device: str, precision: str, threads: Threads) -> None:
        import ctranslate2

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        files = {
            MODEL_FILE: encoder_file(folder / MODEL_FILE),
            "config.json": json.dumps(config).encode(),
            "vocabulary.json": json.dumps(vocabulary_of(folder, "source")).encode(),
        }
        self._encoder = ctranslate2.Encoder(
            f"{folder} (encoder)",
            device=device,
            compute_type=precision,
            inter_threads=threads.workers,
            intra_threads=threads.per_worker,
            files=files,
        )

    def states(self, sources: Sequence[Sequence[str]]) -> list[NDArray[np.float32]]:
        """The top layer's states for each source, one row a token."""
        output = self._encoder.forward_batch([list(source) for source in sources])
        import ctranslate2

        # Half-precision states have no NumPy twin before they are widened.
        wide = output.last_hidden_state.to(ctranslate2.DataType.float32)
        states = np.array(wide.to_device(ctranslate2.Device.cpu))
        return [states[row, : len(source)] for row, source in enumerate(sources)]


def encoder_file(path: Path) -> bytes:
    """The model file of the encoder inside a translation model's file."""
    variables = ModelFile.read(path).part(_PREFIX)
    return ModelFile(_ENCODER, _REVISION, variables).to_bytes()
