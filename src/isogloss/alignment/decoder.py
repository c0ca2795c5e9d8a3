"""A Transformer's decoder in NumPy, run for nothing but its cross-attention.

CTranslate2 gives out the attention of one layer, and computes everything else on the way there,
step by step, up to the probability of every piece of the vocabulary. With the target known, a
decoder can be run on all of it at once, and needs no more than its lower layers.

Plain Transformers are understood (Vaswani et al., 2017; norms before or after): those that isogloss
trains, and M2M-100, NLLB, mBART and Marian. `PlainDecoder.read` gives `None` for others.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.arrays import Floats32
from isogloss.model import MODEL_FILE, ModelFile, vocabulary_of

Heads = NDArray[np.float32]
"""Attention by layer, head, row and column."""

_PLAIN = re.compile(
    r"decoder/(?:num_heads|activation|pre_norm|scale_\w+|start_from_zero_embedding|ali\w+"
    r"|position_encodings/encodings|projection/.+|embeddings/weight(?:_scale)?"
    r"|(?:layer_norm|layernorm_embedding)/(?:gamma|beta)"
    r"|layer_\d+/(?:self_attention|attention|ffn)/"
    r"(?:layer_norm/(?:gamma|beta)|linear_\d/(?:weight(?:_scale)?|bias)))"
)
_INT8 = 1  # as CTranslate2 numbers its types
_EPSILON = np.float32(1e-5)


def _gelu(x: Floats32) -> Floats32:
    from scipy.special import erf

    values: Floats32 = x * np.float32(0.5) * (1 + erf(x * np.float32(0.5**0.5)))
    return values


def _gelu_by_tanh(x: Floats32) -> Floats32:
    inner = np.float32((2 / np.pi) ** 0.5) * (x + np.float32(0.044715) * x**3)
    values: Floats32 = x * np.float32(0.5) * (1 + np.tanh(inner))
    return values


def _relu(x: Floats32) -> Floats32:
    return np.maximum(x, 0, out=x)


def _swish(x: Floats32) -> Floats32:
    values: Floats32 = x / (1 + np.exp(-x))
    return values


# As CTranslate2 numbers them.
_ACTIVATIONS: dict[int, Callable[[Floats32], Floats32]] = {
    0: _relu,
    1: _gelu_by_tanh,
    2: _swish,
    3: _gelu,
}


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """x ↦ xW' + b."""

    weight: Floats32
    bias: Floats32 | None

    def __call__(self, x: Floats32) -> Floats32:
        y: Floats32 = x @ self.weight.T
        if self.bias is not None:
            y += self.bias
        return y

    def rows(self, chosen: NDArray[np.int64]) -> "Linear":
        """The projection that gives these of its outputs and no others."""
        return Linear(self.weight[chosen], None if self.bias is None else self.bias[chosen])

    def split(self, parts: int) -> "list[Linear]":
        """The projections that were stacked into one."""
        biases = [None] * parts if self.bias is None else np.split(self.bias, parts)
        weights = np.split(self.weight, parts)
        return [Linear(weight, bias) for weight, bias in zip(weights, biases, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """DecoderLayer normalisation."""

    gamma: Floats32
    beta: Floats32

    def __call__(self, x: Floats32) -> Floats32:
        y: Floats32 = x - x.mean(axis=1, keepdims=True)
        y /= np.sqrt((y * y).mean(axis=1, keepdims=True) + _EPSILON)
        y *= self.gamma
        y += self.beta
        return y


class _Weights:
    """The weights of one model file as 32-bit floats."""

    def __init__(self, file: ModelFile) -> None:
        self._file = file

    def floats(self, name: str) -> Floats32 | None:
        variable = self._file.get(name)
        if variable is None:
            return None
        if variable.kind != _INT8:
            return variable.floats()
        whole = np.frombuffer(variable.data, np.int8).reshape(variable.shape)
        scale = self._file.variables[self._file.aliases.get(name, name) + "_scale"].floats()
        values: Floats32 = whole.astype(np.float32) / scale[:, None]
        return values

    def needed(self, name: str) -> Floats32:
        values = self.floats(name)
        if values is None:
            raise KeyError(name)
        return values

    def number(self, name: str) -> int:
        variable = self._file.get(f"decoder/{name}")
        return 0 if variable is None else int.from_bytes(variable.data, "little")

    def linear(self, name: str) -> Linear:
        return Linear(self.needed(f"{name}/weight"), self.floats(f"{name}/bias"))

    def norm(self, name: str) -> Norm:
        return Norm(self.needed(f"{name}/gamma"), self.needed(f"{name}/beta"))


class DecoderLayer:
    """One decoder layer."""

    def __init__(self, weights: _Weights, scope: str) -> None:
        own, cross = f"{scope}/self_attention", f"{scope}/attention"
        self.queries, self.keys, self.values = weights.linear(f"{own}/linear_0").split(3)
        self.output = weights.linear(f"{own}/linear_1")
        self.cross_queries = weights.linear(f"{cross}/linear_0")
        self.cross_keys, self.cross_values = weights.linear(f"{cross}/linear_1").split(2)
        self.cross_output = weights.linear(f"{cross}/linear_2")
        self.inner = weights.linear(f"{scope}/ffn/linear_0")
        self.outer = weights.linear(f"{scope}/ffn/linear_1")
        self.norms = [weights.norm(f"{part}/layer_norm") for part in (own, cross, f"{scope}/ffn")]


@dataclass(frozen=True, slots=True)
class DecoderBatch:
    """Where the sentences lie in arrays that hold them one below the other."""

    targets: tuple[slice, ...]
    sources: tuple[slice, ...]

    @classmethod
    def of(cls, targets: Sequence[int], sources: Sequence[int]) -> "DecoderBatch":
        return cls(_slices(targets), _slices(sources))


def _slices(lengths: Sequence[int]) -> tuple[slice, ...]:
    ends = np.cumsum([0, *lengths]).tolist()
    return tuple(slice(begin, end) for begin, end in pairwise(ends))


class PlainDecoder:
    """The decoder of a model folder."""

    def __init__(self, folder: Path, file: ModelFile) -> None:
        weights = _Weights(file)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._numbers = {piece: n for n, piece in enumerate(vocabulary_of(folder, "target"))}
        self._start = self._numbers[config["decoder_start_token"]]
        self._unknown = self._numbers[config["unk_token"]]
        self._starts_from_zero = bool(weights.number("start_from_zero_embedding"))
        self._embeddings = weights.needed("decoder/embeddings/weight")
        scale = weights.floats("decoder/scale_embeddings")
        self._scale = np.float32(1 if scale is None else scale)
        self._positions = weights.needed("decoder/position_encodings/encodings")
        self._pre_norm = bool(weights.number("pre_norm"))
        self._activation = _ACTIVATIONS[weights.number("activation")]
        self._first_norm = None
        if file.get("decoder/layernorm_embedding/gamma") is not None:
            self._first_norm = weights.norm("decoder/layernorm_embedding")
        self.heads = weights.number("num_heads")
        self._width = self._embeddings.shape[1] // self.heads
        self.layers: list[DecoderLayer] = []
        while file.get(f"decoder/layer_{len(self.layers)}/ffn/linear_0/weight") is not None:
            self.layers.append(DecoderLayer(weights, f"decoder/layer_{len(self.layers)}"))

    @classmethod
    def read(cls, folder: Path) -> "PlainDecoder | None":
        """The decoder of a folder, if it is a plain one."""
        file = ModelFile.read(folder / MODEL_FILE)
        names = [name for name in (*file.variables, *file.aliases) if name.startswith("decoder/")]
        if file.kind != "TransformerSpec" or not all(map(_PLAIN.fullmatch, names)):
            return None
        try:
            return cls(folder, file)
        except (KeyError, ValueError):  # a part is missing, or an activation is unknown
            return None

    def begin(self, targets: Sequence[Sequence[str]]) -> list[Floats32]:
        """What the decoder makes of each target before it looks at a source, a row a step.

        A step has a piece of the target as its input; the first has the start mark.
        """
        numbers = [self._input(pieces) for pieces in targets]
        rows = _slices([len(row) for row in numbers])
        x = self._attended(self.layers[0], rows, self._embedded(numbers))
        return [x[at] for at in rows]

    def attention(self, states: Sequence[Floats32], begun: Sequence[Floats32]) -> list[Heads]:
        """The attention of each step but the first on each state of its source, by layer, head."""
        found = list(self._run(states, begun, self.layers, range(self.heads)))
        return [np.stack(of_layers)[:, :, 1:] for of_layers in zip(*found, strict=True)]

    def mean_attention(
        self,
        states: Sequence[Floats32],
        begun: Sequence[Floats32],
        heads: Sequence[tuple[int, int]],
    ) -> list[Floats32]:
        """The mean of these heads, (layer, head), and no more computed than they need."""
        top = max(layer for layer, _ in heads)
        of_top = sorted({head for layer, head in heads if layer == top})
        found = list(self._run(states, begun, self.layers[: top + 1], of_top))
        places = [(layer, of_top.index(head) if layer == top else head) for layer, head in heads]
        means = []
        for of_layers in zip(*found, strict=True):
            total: Floats32 = sum(of_layers[layer][place, 1:] for layer, place in places)
            means.append(total / np.float32(len(heads)))
        return means

    def _input(self, pieces: Sequence[str]) -> list[int]:
        return [self._start, *(self._numbers.get(piece, self._unknown) for piece in pieces)]

    def _embedded(self, numbers: Sequence[Sequence[int]]) -> Floats32:
        rows = []
        for row in numbers:
            x = self._embeddings[row] * self._scale
            if self._starts_from_zero:
                x[0] = 0
            rows.append(x + self._positions[: len(row)])
        x = np.concatenate(rows)
        return x if self._first_norm is None else self._first_norm(x)

    def _run(
        self,
        states: Sequence[Floats32],
        begun: Sequence[Floats32],
        layers: Sequence[DecoderLayer],
        of_top: Sequence[int],
    ) -> Iterator[list[Heads]]:
        """The cross-attention of each layer, sentence by sentence; in the last, of some heads."""
        batch = DecoderBatch.of([len(row) for row in begun], [len(state) for state in states])
        x, sources = np.concatenate(begun), np.concatenate(states)
        for number, layer in enumerate(layers):
            if number:
                x = self._attended(layer, batch.targets, x)
            last = number + 1 == len(layers)
            weights = self._cross(layer, batch, x, sources, of_top if last else range(self.heads))
            yield weights
            if not last:
                x = self._rest(layer, x, weights, layer.cross_values(sources), batch)

    def _cross(
        self,
        layer: DecoderLayer,
        batch: DecoderBatch,
        x: Floats32,
        sources: Floats32,
        heads: Sequence[int],
    ) -> list[Heads]:
        """The attention of these heads on the sources, sentence by sentence."""
        y = layer.norms[1](x) if self._pre_norm else x
        queries, keys = layer.cross_queries, layer.cross_keys
        if len(heads) < self.heads:
            of_heads = np.arange(self.heads * self._width).reshape(self.heads, -1)
            chosen = of_heads[list(heads)].ravel()
            queries, keys = queries.rows(chosen), keys.rows(chosen)
        asked, offered = queries(y), keys(sources)
        return [
            self._weights(asked[rows], offered[columns])
            for rows, columns in zip(batch.targets, batch.sources, strict=True)
        ]

    def _rest(
        self,
        layer: DecoderLayer,
        x: Floats32,
        weights: Sequence[Heads],
        values: Floats32,
        batch: DecoderBatch,
    ) -> Floats32:
        """The layer from its cross-attention upwards."""
        seen = [self._mixed(w, values[at]) for w, at in zip(weights, batch.sources, strict=True)]
        x = self._residual(layer.norms[1], x, lambda _: layer.cross_output(np.concatenate(seen)))
        return self._residual(
            layer.norms[2], x, lambda y: layer.outer(self._activation(layer.inner(y)))
        )

    def _residual(self, norm: Norm, x: Floats32, part: Callable[[Floats32], Floats32]) -> Floats32:
        return x + part(norm(x)) if self._pre_norm else norm(x + part(x))

    def _attended(self, layer: DecoderLayer, rows: Sequence[slice], x: Floats32) -> Floats32:
        """The layer up to where it looks at the sources."""
        return self._residual(layer.norms[0], x, partial(self._own, layer, rows))

    def _own(self, layer: DecoderLayer, rows: Sequence[slice], x: Floats32) -> Floats32:
        """Attention of each step on those before it."""
        queries, keys, values = layer.queries(x), layer.keys(x), layer.values(x)
        mixed = [
            self._mixed(self._weights(queries[at], keys[at], causal=True), values[at])
            for at in rows
        ]
        return layer.output(np.concatenate(mixed))

    def _weights(self, queries: Floats32, keys: Floats32, causal: bool = False) -> Heads:
        # Fewer numbers to multiply than the products are.
        q, k = self._by_head(queries * np.float32(self._width**-0.5)), self._by_head(keys)
        weights: Heads = q @ k.transpose(0, 2, 1)
        if causal:
            weights += _later(weights.shape[1])
        weights -= weights.max(axis=2, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=2, keepdims=True)
        return weights

    def _by_head(self, x: Floats32) -> Floats32:
        return x.reshape(len(x), -1, self._width).transpose(1, 0, 2)

    def _mixed(self, weights: Heads, values: Floats32) -> Floats32:
        mixed = weights @ self._by_head(values)
        return mixed.transpose(1, 0, 2).reshape(weights.shape[1], -1)


@lru_cache(maxsize=8)
def _later(steps: int) -> Floats32:
    """What keeps each step from looking at those behind it."""
    mask: Floats32 = np.triu(np.full((steps, steps), -np.inf, np.float32), 1)
    return mask
