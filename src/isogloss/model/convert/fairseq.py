"""fairseq checkpoints, first of all Prism's own m39v1, without fairseq.

The folder holds ``checkpoint.pt``, ``spm.model`` and ``dict.src.txt`` / ``dict.tgt.txt``, as
Prism's model does. The network is any plain fairseq ``transformer``.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isogloss.errors import FormatError, InputError
from isogloss.model.convert.checkpoints import NamedWeights, load_inert, tensors
from isogloss.model.convert.language_lists import PRISM
from isogloss.model.convert.network import LEARNED, SINUSOIDAL, NetworkShape, build_specification
from isogloss.model.convert.original import SHARED_SENTENCEPIECE, Original, public_codes
from isogloss.model.folder import Expectation

CHECKPOINT = "checkpoint.pt"
_SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
_FIRST_POSITION = 2  # fairseq counts positions from behind its padding index, 1
_UNSUPPORTED = (
    "no_token_positional_embeddings",
    "adaptive_softmax_cutoff",
    "no_cross_attention",
    "cross_self_attention",
)
_ACTIVATIONS = {"gelu": "gelu", "gelu_accurate": "gelu_tanh", "gelu_fast": "gelu_tanh"}
_M39V1_FILES = (CHECKPOINT, "spm.model", "dict.src.txt", "dict.tgt.txt")
_M39V1_MD5 = "8412b2044da4b9b2c0a8ce87b305d0d1"
_TAG = re.compile(r"<([a-z]{2,3}(?:[-_]\w+)?)>")

M39V1_SELFTEST = (
    Expectation("Bonjour le monde.", "Hi world.", "en", -2.462842, "fr"),
    Expectation("C'est un test.", "This is a Test.", "en", -1.1985264, "fr"),
    Expectation("C'est un test.", "Hi world.", "en", -7.5976357, "fr"),
    Expectation("Bonjour le monde.", "hi world.", "en", -4.405042, "fr"),
    Expectation("C'est un test.", "I am testing it.", "en", -1.8699387, "fr"),
)
"""What the original program prints for its own model (its README and tests): H(output | source)."""


def read_prism(folder: Path) -> Original:
    """Prism's model, or another one trained as it was: the decoder is given ``<de>``."""
    weights, shape = read_fairseq(folder)
    source, target = (read_dictionary(folder / f"dict.{side}.txt") for side in ("src", "tgt"))
    languages = public_codes(_languages(target))
    return Original(
        specification=build_specification(weights, shape),
        source_pieces=source,
        target_pieces=target,
        sentencepiece={SHARED_SENTENCEPIECE: folder / "spm.model"},
        scheme="prism",
        reads=languages,
        writes=languages,
        longest=shape.longest,
        selftest=M39V1_SELFTEST if _is_m39v1(folder) else (),
    )


def _languages(pieces: list[str]) -> list[str]:
    """The languages whose tags are among the pieces.

    A piece such as ``<br>`` looks like a tag, so Prism's own languages go before the looks.
    """
    found = [m[1] for m in map(_TAG.fullmatch, pieces[len(_SPECIALS) :]) if m]
    return PRISM if set(PRISM) <= set(found) else found


def _is_m39v1(folder: Path) -> bool:
    """Whether this is the published model, by the checksum that the original program prints."""
    checksum = hashlib.md5(usedforsecurity=False)
    for name in _M39V1_FILES:
        with (folder / name).open("rb") as stream:
            while chunk := stream.read(1 << 20):
                checksum.update(chunk)
    return checksum.hexdigest() == _M39V1_MD5


def read_fairseq(folder: Path) -> tuple[NamedWeights, NetworkShape]:
    """The weights and the shape of the network in a fairseq checkpoint."""
    path = folder / CHECKPOINT
    if not path.is_file():
        raise FormatError("no such file", path=path, remedy="expected a fairseq checkpoint")
    content = load_inert(path)
    state = content.get("model")
    if not isinstance(state, Mapping):
        raise FormatError("holds no model", path=path, remedy="is it a fairseq checkpoint?")
    settings = _settings(content, path)
    weights = NamedWeights(tensors(state)).renamed(_plain_name)
    return weights, _shape(settings, weights, path)


def _settings(content: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The training command's options: a namespace until fairseq 0.10, a dictionary after it."""
    found = content.get("args")
    if found is None:
        found = (content.get("cfg") or {}).get("model")
    settings = found if isinstance(found, Mapping) else getattr(found, "__dict__", None)
    if not settings:
        raise FormatError("holds no settings ('args' or 'cfg')", path=path)
    return dict(settings)


def _plain_name(name: str) -> str | None:
    """The names of `network`; what only fairseq needs is left out."""
    if name.endswith((".version", "._float_tensor", ".num_updates")):
        return None
    return "decoder.output_projection.weight" if name == "decoder.embed_out" else name


def _shape(settings: Mapping[str, Any], weights: NamedWeights, path: Path) -> NetworkShape:
    for name in _UNSUPPORTED:
        if settings.get(name):
            raise FormatError(f"was trained with --{name.replace('_', '-')}", path=path)
    for name in ("normalize_before", "attention_heads"):
        if settings.get(f"encoder_{name}") != settings.get(f"decoder_{name}"):
            raise FormatError(f"encoder and decoder differ in {name}", path=path)
    learned = "encoder.embed_positions.weight" in weights
    try:
        return NetworkShape(
            encoder_layers=settings["encoder_layers"],
            decoder_layers=settings["decoder_layers"],
            heads=settings["encoder_attention_heads"],
            longest=_longest(settings),
            pre_norm=bool(settings.get("encoder_normalize_before")),
            activation=_activation(settings.get("activation_fn", "relu")),
            positions=LEARNED if learned else SINUSOIDAL,
            position_offset=_FIRST_POSITION,
            scale_embeddings=not settings.get("no_scale_embedding"),
        )
    except (KeyError, InputError) as error:
        raise FormatError(f"the settings lack or misstate {error}", path=path) from None


def _activation(name: str) -> str:
    return _ACTIVATIONS.get(name, name)


def _longest(settings: Mapping[str, Any]) -> int:
    return min(int(settings.get(f"max_{side}_positions") or 1024) for side in ("source", "target"))


def read_dictionary(path: Path) -> list[str]:
    """The pieces of a fairseq dictionary, ``piece count`` on each line, in embedding order."""
    if not path.is_file():
        raise FormatError("no such file", path=path, remedy="expected a fairseq dictionary")
    pieces = list(_SPECIALS)
    # Lines end at newlines only: a piece may hold any other separator.
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        plain = line.removesuffix("\r").removesuffix(" #fairseq:overwrite")
        piece, space, count = plain.rpartition(" ")
        if not space or not count.isdigit():
            raise FormatError(f"{line!r} is not 'piece count'", path=path, line=number)
        pieces.append(piece)
    return pieces
