"""The chunked loss is torch's own cross-entropy, with its gradient, at every smoothing."""

import pytest
import torch
from torch.nn import functional

from isogloss.training.losses import Smoothing, smoothed_loss, token_losses


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_it_is_torchs_cross_entropy(smoothing: float) -> None:
    torch.manual_seed(3)
    hidden = torch.randn(50, 16, requires_grad=True)
    weight = torch.randn(40, 16, requires_grad=True)
    labels = torch.randint(-1, 40, (50,))
    ours, plain = smoothed_loss(hidden, weight, labels, torch.full((50,), smoothing))
    gradients = torch.autograd.grad(ours, [hidden, weight])
    logits = hidden @ weight.T
    theirs = functional.cross_entropy(
        logits, labels, ignore_index=-1, label_smoothing=smoothing, reduction="sum"
    )
    for one, other in zip(gradients, torch.autograd.grad(theirs, [hidden, weight]), strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(plain, token_losses(hidden, weight, labels).sum())


def test_smoothing_rises_with_the_position_and_then_stays() -> None:
    positions = torch.tensor([0, 50, 100, 200, 400])
    rising = Smoothing(first=0.1, last=0.9, over=200).at(positions)
    assert rising.tolist() == pytest.approx([0.1, 0.3, 0.5, 0.9, 0.9])
    assert Smoothing().at(positions).tolist() == pytest.approx([0.1] * 5)


def test_smoothing_counts_token_by_token() -> None:
    torch.manual_seed(4)
    hidden, weight = torch.randn(6, 8), torch.randn(9, 8)
    labels, shares = torch.tensor([0, 3, -1, 8, 2, 2]), torch.tensor([0.0, 0.2, 0.4, 0.6, 0.8, 0.1])
    together, _ = smoothed_loss(hidden, weight, labels, shares)
    apart = [smoothed_loss(hidden[[i]], weight, labels[[i]], shares[[i]])[0] for i in range(6)]
    torch.testing.assert_close(together, torch.stack(apart).sum())
