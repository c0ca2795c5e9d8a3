"""A made-up language pair whose words stand for each other one to one."""

import random

from isogloss.alignment import Links, TokenPair

WORDS = 30


def toy_bitext(count: int, seed: int = 0) -> tuple[list[TokenPair], list[Links]]:
    """Sentence pairs with some words out of order, and their true links."""
    chance = random.Random(seed)
    pairs: list[TokenPair] = []
    truth: list[Links] = []
    for _ in range(count):
        words = chance.sample(range(WORDS), k=chance.randint(3, 8))
        order = list(range(len(words)))
        swap = chance.randrange(len(words) - 1)
        order[swap], order[swap + 1] = order[swap + 1], order[swap]
        source = [f"Quelle{word}" for word in words]
        target = [f"target{words[place]}" for place in order]
        pairs.append((source, target))
        truth.append(tuple(sorted((place, at) for at, place in enumerate(order))))
    return pairs, truth
