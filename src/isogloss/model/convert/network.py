"""A plain Transformer's weights, by name, as a CTranslate2 model specification.

The weight names are fairseq's, which our own training uses too. All matrices are stored as
``(outputs, inputs)``; every bias is optional.

::

    embed_tokens.weight                                   (vocabulary, width); stands for any of:
    encoder.embed_tokens.weight decoder.embed_tokens.weight decoder.output_projection.weight
    decoder.output_projection.bias                        where there is one
    encoder.embed_positions.weight decoder.embed_positions.weight     learned positions only
    encoder.layers.N.self_attn.{q_proj,k_proj,v_proj,out_proj}.{weight,bias}
    encoder.layers.N.self_attn_layer_norm.{weight,bias}
    encoder.layers.N.fc1.{weight,bias}  ...fc2...  encoder.layers.N.final_layer_norm.{weight,bias}
    encoder.layer_norm.{weight,bias}                      the final norm of a pre-norm stack
    encoder.layernorm_embedding.{weight,bias}             where the embeddings are normed
    decoder.layers.N.   as above, and  encoder_attn.{...}  encoder_attn_layer_norm.{weight,bias}

``self_attn.in_proj_weight`` and ``in_proj_bias`` (queries, keys and values stacked, as
`torch.nn.MultiheadAttention` and old fairseq store them) may stand for the three projections.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats32
from isogloss.errors import InputError

Weights = Mapping[str, NDArray[Any]]

SINUSOIDAL = "sinusoidal"
MARIAN = "marian"
LEARNED = "learned"
_POSITIONS = (SINUSOIDAL, MARIAN, LEARNED)
_EMBEDDINGS = "embed_tokens.weight"
_ACTIVATIONS = {"relu": "RELU", "gelu": "GELU", "gelu_tanh": "GELUTanh", "swish": "SWISH"}


@dataclass(frozen=True, slots=True)
class NetworkShape:
    """What the weights alone do not say.

    `positions` is ``sinusoidal`` or ``marian`` (made by `sinusoids`, `longest` rows) or
    ``learned`` (read from the weights); a model that counts its first token as position n has the
    `position_offset` n. `scale_embeddings` multiplies embeddings by the square root of the width.
    `starts_from_zero` gives the decoder a zero vector as its start. `alignment_layer` and
    `alignment_heads` choose the cross-attention that `attend` returns: a decoder layer (negative
    counts from the top) and how many of its first heads are averaged (0: all).
    """

    encoder_layers: int
    decoder_layers: int
    heads: int
    longest: int = 1024
    pre_norm: bool = True
    activation: str = "relu"
    positions: str = SINUSOIDAL
    position_offset: int = 0
    scale_embeddings: bool = True
    starts_from_zero: bool = False
    alignment_layer: int = -1
    alignment_heads: int = 0

    def __post_init__(self) -> None:
        if self.activation not in _ACTIVATIONS:
            known = ", ".join(_ACTIVATIONS)
            raise InputError(f"unknown activation {self.activation!r}; known are: {known}")
        if self.positions not in _POSITIONS:
            known = ", ".join(_POSITIONS)
            raise InputError(f"unknown positions {self.positions!r}; known are: {known}")


def sinusoids(length: int, width: int, kind: str = SINUSOIDAL) -> Floats32:
    """Position encodings: row n is that of position n.

    The first half of a row is ``sin(n * f)``, the second half ``cos(n * f)``, with
    ``f = 10000 ** (-i / (width / 2 - 1))`` as in fairseq and tensor2tensor, or
    ``f = 10000 ** (-i / (width / 2))`` as in Marian.
    """
    half = width // 2
    last = half - 1 if kind == SINUSOIDAL else half
    frequencies = np.exp(np.arange(half) * -(np.log(10000.0) / last))
    angles = np.arange(length)[:, None] * frequencies[None, :]
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    if width % 2:
        table = np.concatenate([table, np.zeros((length, 1))], axis=1)
    return table.astype(np.float32)


def build_specification(weights: Weights, shape: NetworkShape) -> Any:
    """The CTranslate2 `TransformerSpec` with these weights; no vocabulary registered yet."""
    from ctranslate2.specs import common_spec, transformer_spec

    specification = transformer_spec.TransformerSpec.from_config(
        (shape.encoder_layers, shape.decoder_layers),
        shape.heads,
        pre_norm=shape.pre_norm,
        activation=common_spec.Activation[_ACTIVATIONS[shape.activation]],
        alignment_layer=shape.alignment_layer,
        alignment_heads=shape.alignment_heads,
        layernorm_embedding="encoder.layernorm_embedding.weight" in weights,
    )
    filler = _Filler(weights, shape)
    filler.stack(specification.encoder, specification.encoder.embeddings[0], "encoder")
    filler.stack(specification.decoder, specification.decoder.embeddings, "decoder")
    specification.decoder.start_from_zero_embedding = shape.starts_from_zero
    filler.output(specification.decoder.projection)
    filler.refuse_leftovers()
    return specification


class _Filler:
    """Puts weights into the specification and remembers which were used."""

    def __init__(self, weights: Weights, shape: NetworkShape) -> None:
        self.weights, self.shape = weights, shape
        self.used: set[str] = set()

    def find(self, *names: str) -> Floats32 | None:
        """The first of these weights that exists, as a copy: the quantiser works in place."""
        for name in names:
            if name in self.weights:
                self.used.add(name)
                return np.array(self.weights[name], dtype=np.float32, order="C")
        return None

    def need(self, *names: str) -> Floats32:
        weight = self.find(*names)
        if weight is None:
            raise InputError(f"the model has no weight {names[0]!r}; it cannot be converted")
        return weight

    def refuse_leftovers(self) -> None:
        """A weight without a place means another architecture, and scores that are wrong."""
        left = sorted(set(self.weights) - self.used - {_EMBEDDINGS})
        if left:
            raise InputError(
                f"{len(left)} weights have no place in a plain Transformer, such as "
                f"{', '.join(map(repr, left[:3]))}; this architecture cannot be converted"
            )

    def stack(self, spec: Any, embeddings: Any, side: str) -> None:
        embeddings.weight = self.need(f"{side}.embed_tokens.weight", _EMBEDDINGS)
        width = embeddings.weight.shape[1]
        spec.scale_embeddings = float(width) ** 0.5 if self.shape.scale_embeddings else 1.0
        spec.position_encodings.encodings = self.positions(side, width)
        if self.shape.pre_norm:
            self.norm(spec.layer_norm, f"{side}.layer_norm")
        if f"{side}.layernorm_embedding.weight" in self.weights:
            self.norm(spec.layernorm_embedding, f"{side}.layernorm_embedding")
        for number, layer in enumerate(spec.layer):
            self.layer(layer, f"{side}.layers.{number}")

    def positions(self, side: str, width: int) -> Floats32:
        skipped = self.shape.position_offset
        if self.shape.positions == LEARNED:
            return self.need(f"{side}.embed_positions.weight")[skipped:]
        return sinusoids(self.shape.longest + skipped, width, self.shape.positions)[skipped:]

    def output(self, spec: Any) -> None:
        name = "decoder.output_projection"
        spec.weight = self.need(f"{name}.weight", "decoder.embed_tokens.weight", _EMBEDDINGS)
        bias = self.find(f"{name}.bias")
        if bias is not None:
            spec.bias = bias

    def layer(self, spec: Any, scope: str) -> None:
        self.attention(spec.self_attention, f"{scope}.self_attn", fused=3)
        self.norm(spec.self_attention.layer_norm, f"{scope}.self_attn_layer_norm")
        if hasattr(spec, "attention"):
            self.attention(spec.attention, f"{scope}.encoder_attn", fused=2)
            self.norm(spec.attention.layer_norm, f"{scope}.encoder_attn_layer_norm")
        self.linear(spec.ffn.linear_0, f"{scope}.fc1")
        self.linear(spec.ffn.linear_1, f"{scope}.fc2")
        self.norm(spec.ffn.layer_norm, f"{scope}.final_layer_norm")

    def attention(self, spec: Any, scope: str, fused: int) -> None:
        """Self-attention fuses all three projections, cross-attention keys and values only."""
        projections = self.projections(scope)
        if fused == 2:
            spec.linear[0].weight, bias = projections[0]
            if bias is not None:
                spec.linear[0].bias = bias
            projections = projections[1:]
        weight, bias = _stacked(projections)
        spec.linear[-2].weight = weight
        if bias is not None:
            spec.linear[-2].bias = bias
        self.linear(spec.linear[-1], f"{scope}.out_proj")

    def projections(self, scope: str) -> list[tuple[Floats32, Floats32 | None]]:
        whole = self.find(f"{scope}.in_proj_weight")
        if whole is None:
            names = [f"{scope}.{part}_proj" for part in "qkv"]
            return [(self.need(f"{n}.weight"), self.find(f"{n}.bias")) for n in names]
        bias = self.find(f"{scope}.in_proj_bias")
        biases = [None, None, None] if bias is None else np.split(bias, 3)
        return list(zip(np.split(whole, 3), biases, strict=True))

    def linear(self, spec: Any, name: str) -> None:
        spec.weight = self.need(f"{name}.weight")
        bias = self.find(f"{name}.bias")
        if bias is not None:
            spec.bias = bias

    def norm(self, spec: Any, name: str) -> None:
        spec.gamma = self.need(f"{name}.weight")
        bias = self.find(f"{name}.bias")
        spec.beta = np.zeros_like(spec.gamma) if bias is None else bias


def _stacked(parts: list[tuple[Floats32, Floats32 | None]]) -> tuple[Floats32, Floats32 | None]:
    """Projections one above the other; a missing bias beside a present one is a row of zeros."""
    weight = np.concatenate([weight for weight, _ in parts])
    if all(bias is None for _, bias in parts):
        return weight, None
    biases = [np.zeros(len(w), np.float32) if b is None else b for w, b in parts]
    return weight, np.concatenate(biases)
