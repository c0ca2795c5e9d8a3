"""Attention over sequences that lie end to end in one buffer, without padding.

On a GPU this is flash attention's variable-length kernel; elsewhere (tests, rehearsals) the
sequences are put into a padded rectangle for torch's scaled dot-product attention. Both compute
the same.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
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
