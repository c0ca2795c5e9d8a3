"""Tiny models to test the paraphraser on, and a plain PyTorch Transformer as yardstick."""

import io
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece

from isogloss.model import Pair

_WORDS = (
    "the cat sat on a mat dog ran house red blue fine café Straße Katze Hund läuft schnell über "
    "das Haus und die Maus 東京 都 は 日本 の 首都 です"
)
WORDS = _WORDS.split()
WIDTH, INNER, HEADS = 32, 48, 4


def sentences(count: int, seed: int, longest: int = 12) -> list[str]:
    """Sentences of known words, all different from each other."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        words = chance.choices(WORDS, k=chance.randint(2, longest))
        found[" ".join(words) + chance.choice(".!?")] = None
    return list(found)


def trained_sentencepiece(path: Path, **options: Any) -> sentencepiece.SentencePieceProcessor:
    """Train a SentencePiece model on the words and save it."""
    model = io.BytesIO()
    settings = {"vocab_size": 130, "model_type": "unigram", "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences(500, seed=1)),
        model_writer=model,
        minloglevel=2,
        **(settings | options),
    )
    path.write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


@dataclass
class Network:
    """A Transformer's random weights under fairseq's names, and its forward pass in PyTorch."""

    pieces: int
    seed: int = 0
    encoder_layers: int = 2
    decoder_layers: int = 2
    pre_norm: bool = True
    first_position: int = 0
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._chance = np.random.default_rng(self.seed)
        self._add("embed_tokens", self.pieces, WIDTH, spread=WIDTH**-0.5, bias=False)
        for side, layers in (
            ("encoder", self.encoder_layers),
            ("decoder", self.decoder_layers),
        ):
            if self.pre_norm:
                self._add_norm(f"{side}.layer_norm")
            for number in range(layers):
                self._add_layer(side, f"{side}.layers.{number}")

    def _add_layer(self, side: str, scope: str) -> None:
        attentions = ["self_attn"] + (["encoder_attn"] if side == "decoder" else [])
        for attention in attentions:
            for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                self._add(f"{scope}.{attention}.{part}", WIDTH, WIDTH)
            self._add_norm(f"{scope}.{attention}_layer_norm")
        self._add(f"{scope}.fc1", INNER, WIDTH)
        self._add(f"{scope}.fc2", WIDTH, INNER)
        self._add_norm(f"{scope}.final_layer_norm")

    def _add(self, name: str, rows: int, columns: int, spread: float = 0.3, bias: bool = True):
        self.weights[f"{name}.weight"] = self._chance.normal(0, spread, (rows, columns))
        if bias:
            self.weights[f"{name}.bias"] = self._chance.normal(0, 0.1, rows)

    def _add_norm(self, name: str) -> None:
        self.weights[f"{name}.weight"] = self._chance.normal(1, 0.1, WIDTH)
        self.weights[f"{name}.bias"] = self._chance.normal(0, 0.1, WIDTH)

    def forward(self, source: list[int], decoder: list[int]) -> "Forward":
        """The pass for one pair of piece numbers, without any batching or caching."""
        import torch

        tensors = {name: torch.tensor(w, dtype=torch.float32) for name, w in self.weights.items()}
        return _Pass(self, tensors).run(source, decoder)


@dataclass
class Forward:
    """What a forward pass gives: logits, states of both sides, cross-attention by layer."""

    logits: Any
    states: np.ndarray
    decoder_states: np.ndarray
    attention: list[np.ndarray]

    @property
    def log_probs(self) -> np.ndarray:
        return self.log_probs_at(1.0)

    def log_probs_at(self, temperature: float) -> np.ndarray:
        return (self.logits / temperature).log_softmax(-1).numpy()


class _Pass:
    def __init__(self, network: Network, tensors: dict[str, Any]) -> None:
        self.network, self.t, self.attention = network, tensors, []

    def run(self, source: list[int], decoder: list[int]) -> Forward:
        states = self.stack("encoder", self.embedded(source), None)
        top = self.stack("decoder", self.embedded(decoder), states)
        logits = top @ self.t["embed_tokens.weight"].T
        return Forward(logits, states.numpy(), top.numpy(), self.attention)

    def embedded(self, numbers: list[int]) -> Any:
        import torch

        half = WIDTH // 2
        frequencies = 10000.0 ** (-torch.arange(half) / (half - 1))
        places = torch.arange(len(numbers)) + self.network.first_position
        angles = places[:, None] * frequencies
        positions = torch.cat([angles.sin(), angles.cos()], dim=1)
        return self.t["embed_tokens.weight"][numbers] * math.sqrt(WIDTH) + positions

    def stack(self, side: str, x: Any, memory: Any) -> Any:
        layers = getattr(self.network, f"{side}_layers")
        for number in range(layers):
            scope = f"{side}.layers.{number}"
            x = self.residual(f"{scope}.self_attn", x, lambda y, s: self.attend(s, y, y))
            if memory is not None:
                x = self.residual(
                    f"{scope}.encoder_attn", x, lambda y, s: self.attend(s, y, memory)
                )
            x = self.residual(f"{scope}.final", x, lambda y, s: self.feed(s, y))
        return self.norm(f"{side}.layer_norm", x) if self.network.pre_norm else x

    def residual(self, scope: str, x: Any, sublayer: Callable[[Any, str], Any]) -> Any:
        if self.network.pre_norm:
            return x + sublayer(self.norm(f"{scope}_layer_norm", x), scope)
        return self.norm(f"{scope}_layer_norm", x + sublayer(x, scope))

    def feed(self, scope: str, x: Any) -> Any:
        layer = scope.removesuffix(".final")
        return self.linear(f"{layer}.fc2", self.linear(f"{layer}.fc1", x).relu())

    def attend(self, scope: str, x: Any, memory: Any) -> Any:
        import torch

        causal = scope.startswith("decoder") and scope.endswith("self_attn")
        q, k, v = (
            self.linear(f"{scope}.{part}_proj", y).view(len(y), HEADS, -1).transpose(0, 1)
            for part, y in (("q", x), ("k", memory), ("v", memory))
        )
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        if causal:
            scores = scores + torch.full(scores.shape[1:], -1e9).triu(1)
        weights = scores.softmax(-1)
        if scope.endswith("encoder_attn"):
            self.attention.append(weights.mean(0).numpy())
        return self.linear(f"{scope}.out_proj", (weights @ v).transpose(0, 1).reshape(len(x), -1))

    def linear(self, name: str, x: Any) -> Any:
        return x @ self.t[f"{name}.weight"].T + self.t[f"{name}.bias"]

    def norm(self, name: str, x: Any) -> Any:
        import torch

        weight, bias = self.t[f"{name}.weight"], self.t[f"{name}.bias"]
        return torch.nn.functional.layer_norm(x, (WIDTH,), weight, bias)


@dataclass
class TinyModel:
    """A model folder of our own kind with everything that is needed to check it."""

    folder: Path
    network: Network
    processor: sentencepiece.SentencePieceProcessor
    separator: str | None = "<sep>"

    def numbers(self, text: str) -> list[int]:
        return list(self.processor.encode(text))

    def piece(self, name: str) -> int:
        return int(self.processor.piece_to_id(name))

    def side(self, context: tuple[str, ...], text: str) -> tuple[list[int], int]:
        """The numbers of a side with its context, and where the text itself begins."""
        numbers: list[int] = []
        for segment in context:
            if self.numbers(segment):
                numbers += self.numbers(segment)
                numbers += [self.piece(self.separator)] if self.separator else []
        return numbers + self.numbers(text), len(numbers)

    def forward(self, pair: Pair) -> tuple[Forward, list[int], int]:
        end = self.piece("</s>")
        source, _ = self.side(pair.context_condition, pair.condition)
        target, begin = self.side(pair.context_target, pair.target)
        decoder = [end, self.piece(f"<{pair.target_language}>"), *target]
        return self.network.forward([*source, end], decoder), [*target, end], begin

    def log_probs(self, pair: Pair, temperature: float = 1.0) -> list[float]:
        """What the model ought to say: pieces and end mark, neither tag nor context."""
        result, wanted, begin = self.forward(pair)
        # Row 0 predicts the tag; row 1 the first piece.
        rows = result.log_probs_at(temperature)[1:]
        every = [float(rows[i, number]) for i, number in enumerate(wanted)]
        return every[begin:]

    def costs(self, pair: Pair, head: np.ndarray) -> list[float]:
        """softplus(w · d + b) of every state that has read the tag or a piece."""
        result, _, _ = self.forward(pair)
        return np.log1p(np.exp(result.decoder_states[1:] @ head[:-1] + head[-1])).tolist()


def precision_for_int8() -> str | None:
    """What int8 weights are computed with where digits matter; `None`: with int8.

    A processor without VNNI adds products of int8 in 16 bits, which overflow with the large
    weights of random models; there the weights are tested as they are stored.
    """
    processor = Path("/proc/cpuinfo")
    exact = not processor.exists() or "vnni" in processor.read_text(encoding="utf-8")
    return None if exact else "float32"


def random_heads() -> np.ndarray:
    """Heads for error costs, about half of which are worth a mark."""
    chance = np.random.default_rng(5)
    weights = chance.normal(0, 0.2, (3, WIDTH))
    return np.column_stack([weights, [-0.5, 0.0, -0.5]]).astype(np.float32)


def export(folder: Path, processor: Any, network: Network, **card: Any) -> None:
    """Write the folder of a tiny model of our own."""
    from isogloss.model.convert import export_transformer

    longest = card.pop("longest", 64)
    quantization = card.pop("quantization", "float32")
    costs = card.pop("costs", None)
    shape = {
        "encoder_layers": network.encoder_layers,
        "decoder_layers": network.decoder_layers,
        "heads": HEADS,
        "longest": longest,
        "pre_norm": network.pre_norm,
    }
    pieces = [processor.id_to_piece(n) for n in range(processor.vocab_size())]
    values = {"name": "tiny", "languages": ["de", "en"], "licence": "CC0-1.0"} | card
    spm = folder.parent / f"{folder.name}.spm"
    spm.write_bytes(processor.serialized_model_proto())
    export_transformer(
        network.weights, shape, pieces, spm, folder, values, quantization, costs=costs
    )


def tiny_model(folder: Path, languages: Sequence[str] = ("de", "en"), **card: Any) -> TinyModel:
    """A model of our own kind in a new folder; it knows bytes, its tags and a separator."""
    processor = trained_sentencepiece(
        folder.parent / f"{folder.name}.trained",
        vocab_size=420,
        byte_fallback=True,
        user_defined_symbols=[*(f"<{code}>" for code in languages), "<sep>"],
    )
    network = Network(processor.vocab_size())
    card = {"separator": "<sep>", "languages": list(languages)} | card
    export(folder, processor, network, **card)
    return TinyModel(folder, network, processor)
