"""Temperature: the log-probabilities of softmax(logits / T).

CTranslate2 keeps its logits to itself, but its decoders know a factor on the states that go into
the output projection (T5 needs one). Logits are linear in those states but for the projection's
bias, so that dividing both by T divides the logits, whatever norm and projection a model has.
"""

import math
from pathlib import Path

from isogloss.errors import FormatError, InputError
from isogloss.paraphraser.model_file import MODEL_FILE, ModelFile, Variable

_TRANSFORMER = "TransformerSpec"
_FACTOR = "decoder/scale_outputs"
_BIAS = "decoder/projection/bias"


def check_temperature(temperature: float) -> None:
    """Refuse what cannot be divided by, or would turn the order round."""
    if not 0 < temperature < math.inf:
        raise InputError(f"the temperature must be above 0 and finite, not {temperature}")


def files_at(folder: Path, temperature: float) -> dict[str, bytes]:
    """The files of a model that divides its logits by the temperature."""
    check_temperature(temperature)
    path = folder / MODEL_FILE
    model = ModelFile.read(path)
    if model.kind != _TRANSFORMER:
        raise FormatError(
            f"a {model.kind} has no temperature",
            path=path,
            remedy="leave the temperature at 1, or use a Transformer",
        )
    factor, bias = model.get(_FACTOR), model.get(_BIAS)
    before = 1.0 if factor is None else float(factor.floats())
    model.put(_FACTOR, Variable.scalar(before / temperature))
    if bias is not None:
        model.put(_BIAS, bias.holding(bias.floats() / temperature))
    others = {file.name: file.read_bytes() for file in folder.glob("*.json")}
    return {MODEL_FILE: model.to_bytes(), **others}
