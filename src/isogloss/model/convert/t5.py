"""T5 networks (MADLAD-400) as a CTranslate2 specification, straight from their weights.

T5 norms by the root mean square, has no positions but a bias on distances, and may or may not
share its embeddings with the output. The last point is why the weights are read here and not
through the transformers library: its version 5 ties them on loading, whatever the model says.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from isogloss.arrays import Floats32
from isogloss.errors import InputError
from isogloss.model.convert.network import Weights

_ACTIVATIONS = {"relu": "RELU", "gelu_new": "GELUTanh", "gelu": "GELU", "silu": "SWISH"}
_ALL_HEADS = 0
# The same matrix under three names, of which a file may keep any one.
_EMBEDDINGS = ("shared.weight", "decoder.embed_tokens.weight", "encoder.embed_tokens.weight")


def build_t5_specification(weights: Weights, config: Mapping[str, Any]) -> Any:
    """The CTranslate2 `TransformerSpec` of a T5 model; no vocabulary registered yet."""
    from ctranslate2.specs import common_spec, transformer_spec

    gated, activation = _feed_forward(config)
    decoder_layers = config.get("num_decoder_layers") or config["num_layers"]
    specification = transformer_spec.TransformerSpec.from_config(
        (config["num_layers"], decoder_layers),
        config["num_heads"],
        pre_norm=True,
        activation=common_spec.Activation[_ACTIVATIONS[activation]],
        ffn_glu=gated,
        relative_attention_bias=True,
        rms_norm=True,
        alignment_heads=_ALL_HEADS,
    )
    filler = _Filler(weights, np.int32(config.get("relative_attention_max_distance", 128)))
    filler.stack(specification.encoder, specification.encoder.embeddings[0], "encoder")
    filler.stack(specification.decoder, specification.decoder.embeddings, "decoder")
    _set_output(specification.decoder, filler, config)
    return specification


def _feed_forward(config: Mapping[str, Any]) -> tuple[bool, str]:
    """Whether the feed-forward network is gated, and its activation."""
    parts = str(config.get("feed_forward_proj", "relu")).split("-")
    # "gated-gelu" always meant the tanh approximation; T5 calls that one "gelu_new" elsewhere.
    activation = "gelu_new" if parts == ["gated", "gelu"] else parts[-1]
    if activation not in _ACTIVATIONS:
        raise InputError(f"unknown feed_forward_proj {config['feed_forward_proj']!r}")
    return parts[0] == "gated", activation


def _set_output(decoder: Any, filler: "_Filler", config: Mapping[str, Any]) -> None:
    tied = config.get("tie_word_embeddings", True)
    decoder.projection.weight = filler.need(*(_EMBEDDINGS if tied else ("lm_head.weight",)))
    if tied:
        # A tied output matrix would give logits that are too large by this factor.
        decoder.scale_outputs = float(decoder.embeddings.weight.shape[1]) ** -0.5


class _Filler:
    """Puts T5's weights into the specification."""

    def __init__(self, weights: Weights, max_distance: np.int32) -> None:
        self.weights, self.max_distance = weights, max_distance

    def need(self, *names: str) -> Floats32:
        for name in names:
            if name in self.weights:
                return np.array(self.weights[name], dtype=np.float32, order="C")
        raise InputError(f"the model has no weight {names[0]!r}; it cannot be converted")

    def stack(self, spec: Any, embeddings: Any, side: str) -> None:
        embeddings.weight = self.need(*_EMBEDDINGS)
        spec.scale_embeddings = False
        spec.layer_norm.gamma = self.need(f"{side}.final_layer_norm.weight")
        bias = self.need(f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight")
        for number, layer in enumerate(spec.layer):
            self.layer(layer, f"{side}.block.{number}.layer", bias)

    def layer(self, spec: Any, scope: str, bias: Floats32) -> None:
        own = spec.self_attention
        self.attention(own, f"{scope}.0.SelfAttention", f"{scope}.0.layer_norm", fused=3)
        own.relative_attention_bias = bias
        own.relative_attention_max_distance = self.max_distance
        last = 1
        if hasattr(spec, "attention"):
            norm = f"{scope}.1.layer_norm"
            self.attention(spec.attention, f"{scope}.1.EncDecAttention", norm, fused=2)
            last = 2
        self.feed_forward(spec.ffn, f"{scope}.{last}")

    def attention(self, spec: Any, scope: str, norm: str, fused: int) -> None:
        spec.queries_scale = 1.0  # T5 does not divide by the square root of the head's width
        spec.layer_norm.gamma = self.need(f"{norm}.weight")
        parts = [self.need(f"{scope}.{part}.weight") for part in "qkv"]
        if fused == 2:
            spec.linear[0].weight = parts.pop(0)
        spec.linear[-2].weight = np.concatenate(parts)
        spec.linear[-1].weight = self.need(f"{scope}.o.weight")

    def feed_forward(self, spec: Any, scope: str) -> None:
        inner = f"{scope}.DenseReluDense"
        spec.layer_norm.gamma = self.need(f"{scope}.layer_norm.weight")
        if hasattr(spec, "linear_0_noact"):
            spec.linear_0.weight = self.need(f"{inner}.wi_0.weight")
            spec.linear_0_noact.weight = self.need(f"{inner}.wi_1.weight")
        else:
            spec.linear_0.weight = self.need(f"{inner}.wi.weight")
        spec.linear_1.weight = self.need(f"{inner}.wo.weight")
