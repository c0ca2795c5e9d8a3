"""The model: a plain pre-norm Transformer over unpadded buffers, with tied embeddings.

Its weights carry the names that `isogloss.model.convert` reads. The work between two
attentions is written as plain functions of tensors, so that torch can compile each of them once
and use it in every layer.

Attention over sequences that lie end to end in one buffer, without padding.

On a GPU this is flash attention's variable-length kernel; elsewhere (tests, rehearsals) the
sequences are put into a padded rectangle for torch's scaled dot-product attention. Both compute
the same.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Sequences:
    """Where the sequences of a buffer lie: sequence i is ``bounds[i]:bounds[i+1]``."""

    bounds: Tensor  # int32, on the device of the buffer
    longest: int

    @property
    def count(self) -> int:
        return int(self.bounds.numel()) - 1


def attend(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    query_sequences: Sequences,
    key_sequences: Sequences,
    causal: bool = False,
) -> Tensor:
    """Each query attends to the keys of its own sequence; all are (tokens, heads, width)."""
    if queries.is_cuda and queries.dtype in (torch.bfloat16, torch.float16):
        return _flash(queries, keys, values, query_sequences, key_sequences, causal)
    return attend_padded(queries, keys, values, query_sequences, key_sequences, causal)


def _flash(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    query_sequences: Sequences,
    key_sequences: Sequences,
    causal: bool,
) -> Tensor:
    # The operator under torch.nn.attention.varlen, whose own signature changes with each release.
    operator: Any = torch.ops.aten._flash_attention_forward
    outputs = operator(
        queries,
        keys,
        values,
        query_sequences.bounds,
        key_sequences.bounds,
        query_sequences.longest,
        key_sequences.longest,
        0.0,  # dropout
        causal,
        False,  # debug mask
    )
    attended: Tensor = outputs[0]
    return attended


def attend_padded(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    query_sequences: Sequences,
    key_sequences: Sequences,
    causal: bool = False,
) -> Tensor:
    """The same through padded rectangles: slower, but runs everywhere."""
    query_places, query_real = _rectangle(query_sequences)
    key_places, key_real = _rectangle(key_sequences)
    mask = key_real[:, None, None, :]
    if causal:
        width = query_real.shape[1]
        mask = mask & torch.ones(width, width, dtype=torch.bool, device=mask.device).tril()
    attended = functional.scaled_dot_product_attention(
        queries[query_places].transpose(1, 2),
        keys[key_places].transpose(1, 2),
        values[key_places].transpose(1, 2),
        attn_mask=mask,
    )
    return attended.transpose(1, 2)[query_real]


def _rectangle(sequences: Sequences) -> tuple[Tensor, Tensor]:
    """For each cell of the padded rectangle: its place in the buffer, and whether it is real."""
    begins = sequences.bounds[:-1].long()
    lengths = sequences.bounds[1:].long() - begins
    columns = torch.arange(int(lengths.max()), device=begins.device)
    real = columns < lengths[:, None]
    return torch.where(real, begins[:, None] + columns, 0), real


@dataclass(frozen=True)
class ModelSettings:
    """The size of a model. The default has 60.5 M parameters: 60 MB in int8."""

    vocabulary: int = 32_000
    width: int = 512
    inner: int = 2048
    heads: int = 8
    encoder_layers: int = 6
    decoder_layers: int = 6
    longest: int = 512
    dropout: float = 0.1

    def described(self) -> dict[str, Any]:
        """As plain values, for checkpoints."""
        return asdict(self)


def sinusoids(length: int, width: int) -> Tensor:
    """Position encodings: sines in the first half of a row, cosines in the second."""
    half = width // 2
    frequencies = torch.exp(torch.arange(half) * -(math.log(10_000.0) / (half - 1)))
    angles = torch.arange(length)[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1)


# The functions between attentions. `x` is the residual stream, in float32; matrices work in the
# type `kind` (bfloat16 on a GPU).


def embed(x: Tensor, positions: Tensor, scale: float, dropout: float) -> Tensor:
    """Scaled embeddings plus positions."""
    return functional.dropout(x * scale + positions, dropout, dropout > 0)


def normed_linear(
    x: Tensor, gain: Tensor, shift: Tensor, weight: Tensor, kind: torch.dtype
) -> Tensor:
    """A layer norm and a projection: what goes into attention."""
    return functional.linear(_norm(x, gain, shift, kind), weight.to(kind))


def add_projected(x: Tensor, attended: Tensor, weight: Tensor, dropout: float) -> Tensor:
    """The residual stream plus the projection of what attention gave."""
    out = functional.linear(attended, weight.to(attended.dtype))
    return x + functional.dropout(out, dropout, dropout > 0).float()


def add_fed_forward(
    x: Tensor,
    gain: Tensor,
    shift: Tensor,
    first: tuple[Tensor, Tensor],
    second: tuple[Tensor, Tensor],
    dropout: float,
    kind: torch.dtype,
) -> Tensor:
    """The residual stream plus the feed-forward block."""
    hidden = functional.linear(
        _norm(x, gain, shift, kind), first[0].to(kind), first[1].to(kind)
    ).relu()
    out = functional.linear(hidden, second[0].to(kind), second[1].to(kind))
    return x + functional.dropout(out, dropout, dropout > 0).float()


def finish(x: Tensor, gain: Tensor, shift: Tensor, kind: torch.dtype) -> Tensor:
    """The final norm of a stack."""
    return _norm(x, gain, shift, kind)


def _norm(x: Tensor, gain: Tensor, shift: Tensor, kind: torch.dtype) -> Tensor:
    return functional.layer_norm(x, (x.shape[-1],), gain, shift).to(kind)


def after_attention(
    x: Tensor,
    attended: Tensor,
    out: Tensor,
    norm: tuple[Tensor, Tensor],
    first: tuple[Tensor, Tensor],
    second: tuple[Tensor, Tensor],
    dropout: float,
) -> Tensor:
    """All that a layer does after its last attention."""
    x = add_projected(x, attended, out, dropout)
    return add_fed_forward(x, norm[0], norm[1], first, second, dropout, attended.dtype)


def between_attentions(
    x: Tensor,
    attended: Tensor,
    out: Tensor,
    norm: tuple[Tensor, Tensor],
    queries: Tensor,
    dropout: float,
) -> tuple[Tensor, Tensor]:
    """What a decoder layer does between its two attentions: the stream, and the next queries."""
    x = add_projected(x, attended, out, dropout)
    return x, normed_linear(x, norm[0], norm[1], queries, attended.dtype)


def project(memory: Tensor, weight: Tensor) -> Tensor:
    """Keys and values of the encoder's output."""
    return functional.linear(memory, weight.to(memory.dtype))


class Attention(nn.Module):
    """The projections of one attention; queries, keys and values are stacked in one matrix."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.out_proj = nn.Linear(width, width, bias=False)
        nn.init.normal_(self.in_proj_weight, std=width**-0.5)
        nn.init.normal_(self.out_proj.weight, std=(2 * depth * width) ** -0.5)


class Layer(nn.Module):
    """The weights of a layer; a decoder's layer has a second attention."""

    def __init__(self, settings: ModelSettings, depth: int, crossed: bool) -> None:
        super().__init__()
        width, inner = settings.width, settings.inner
        self.self_attn = Attention(width, depth)
        self.self_attn_layer_norm = nn.LayerNorm(width)
        if crossed:
            self.encoder_attn = Attention(width, depth)
            self.encoder_attn_layer_norm = nn.LayerNorm(width)
        self.fc1, self.fc2 = nn.Linear(width, inner), nn.Linear(inner, width)
        self.final_layer_norm = nn.LayerNorm(width)
        nn.init.normal_(self.fc1.weight, std=width**-0.5)
        nn.init.normal_(self.fc2.weight, std=(2 * depth * inner) ** -0.5)
        nn.init.zeros_(self.fc1.bias)
        nn.init.zeros_(self.fc2.bias)


class Stack(nn.Module):
    """The layers of one side and the final norm."""

    def __init__(self, settings: ModelSettings, depth: int, crossed: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer(settings, depth, crossed) for _ in range(depth))
        self.layer_norm = nn.LayerNorm(settings.width)


def _pair(module: Any) -> tuple[Tensor, Tensor]:
    return module.weight, module.bias


class Transformer(nn.Module):
    """Encoder and decoder; `forward` gives the decoder's states, ready for the tied output."""

    positions: Tensor

    def __init__(self, settings: ModelSettings, kind: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.settings, self.kind = settings, kind
        self.embed_tokens = nn.Embedding(settings.vocabulary, settings.width)
        nn.init.normal_(self.embed_tokens.weight, std=settings.width**-0.5)
        self.encoder = Stack(settings, settings.encoder_layers, crossed=False)
        self.decoder = Stack(settings, settings.decoder_layers, crossed=True)
        table = sinusoids(settings.longest, settings.width)
        self.register_buffer("positions", table, persistent=False)
        self.compiled: dict[str, Callable[..., Any]] = {}

    def compile_parts(self) -> None:
        """Compile the functions between attentions (takes a while at the first step)."""
        parts = (embed, normed_linear, after_attention, between_attentions, finish, project)
        self.compiled = {part.__name__: torch.compile(part, dynamic=False) for part in parts}

    def part(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The compiled form of a function while training, else the function itself."""
        return self.compiled.get(function.__name__, function) if self.training else function

    @property
    def dropout(self) -> float:
        return self.settings.dropout if self.training else 0.0

    def forward(
        self,
        source: Tensor,
        source_positions: Tensor,
        source_sequences: Sequences,
        target: Tensor,
        target_positions: Tensor,
        target_sequences: Sequences,
    ) -> Tensor:
        memory = self.encode(source, source_positions, source_sequences)
        return self.decode(target, target_positions, target_sequences, memory, source_sequences)

    def encode(self, ids: Tensor, positions: Tensor, sequences: Sequences) -> Tensor:
        """The encoder's states for a buffer of sources."""
        x = self._embedded(ids, positions)
        for layer in self.encoder.layers:
            attended = self._self_attend(layer, x, sequences, causal=False)
            x = self.part(after_attention)(
                x, attended, layer.self_attn.out_proj.weight,  # type: ignore[union-attr]
                *_feed_forward(layer), self.dropout,
            )  # fmt: skip
        return self._finished(x, self.encoder)

    def decode(
        self,
        ids: Tensor,
        positions: Tensor,
        sequences: Sequences,
        memory: Tensor,
        memory_sequences: Sequences,
    ) -> Tensor:
        """The decoder's states for a buffer of targets."""
        x = self._embedded(ids, positions)
        for layer in self.decoder.layers:
            attended = self._self_attend(layer, x, sequences, causal=True)
            x = self._cross_attend(layer, x, attended, sequences, memory, memory_sequences)
        return self._finished(x, self.decoder)

    def _embedded(self, ids: Tensor, positions: Tensor) -> Tensor:
        scale = self.settings.width**0.5
        vectors = self.embed_tokens(ids)
        x: Tensor = self.part(embed)(vectors, self.positions[positions], scale, self.dropout)
        return x

    def _finished(self, x: Tensor, stack: Stack) -> Tensor:
        finished: Tensor = self.part(finish)(x, *_pair(stack.layer_norm), self.kind)
        return finished

    def _self_attend(self, layer: Any, x: Tensor, sequences: Sequences, causal: bool) -> Tensor:
        stacked = self.part(normed_linear)(
            x, *_pair(layer.self_attn_layer_norm), layer.self_attn.in_proj_weight, self.kind
        )
        queries, keys, values = stacked.view(len(x), 3, self.settings.heads, -1).unbind(1)
        attended = attend(queries, keys, values, sequences, sequences, causal)
        return attended.reshape(len(x), -1)

    def _cross_attend(
        self,
        layer: Any,
        x: Tensor,
        attended: Tensor,
        sequences: Sequences,
        memory: Tensor,
        memory_sequences: Sequences,
    ) -> Tensor:
        width, heads = self.settings.width, self.settings.heads
        stacked = layer.encoder_attn.in_proj_weight
        x, queries = self.part(between_attentions)(
            x, attended, layer.self_attn.out_proj.weight, _pair(layer.encoder_attn_layer_norm),
            stacked[:width], self.dropout,
        )  # fmt: skip
        both = self.part(project)(memory, stacked[width:]).view(len(memory), 2, heads, -1)
        crossed = attend(
            queries.view(len(x), heads, -1), both[:, 0], both[:, 1], sequences, memory_sequences
        ).reshape(len(x), -1)
        out: Tensor = self.part(after_attention)(
            x, crossed, layer.encoder_attn.out_proj.weight, *_feed_forward(layer), self.dropout
        )
        return out


def _feed_forward(layer: Any) -> tuple[tuple[Tensor, Tensor], ...]:
    return _pair(layer.final_layer_norm), _pair(layer.fc1), _pair(layer.fc2)


def parameter_count(settings: ModelSettings) -> int:
    """The number of weights of a model of this size."""
    with torch.device("meta"):
        return sum(weight.numel() for weight in Transformer(settings).parameters())


def work_per_step(settings: ModelSettings, source_tokens: int, target_tokens: int) -> float:
    """Floating-point operations of one training step: 6 for each weight a token meets.

    The attention matrices themselves are left out: at sentence length they are under 3 %.
    """
    width, inner = settings.width, settings.inner
    block = 4 * width * width + 2 * width * inner
    encoder = settings.encoder_layers * block
    crossed_keys = settings.decoder_layers * 2 * width * width
    decoder = settings.decoder_layers * (block + 2 * width * width)
    output = settings.vocabulary * width
    return 6.0 * (source_tokens * (encoder + crossed_keys) + target_tokens * (decoder + output))
