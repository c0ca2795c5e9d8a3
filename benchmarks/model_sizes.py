"""What a shipped model costs: time to load, pairs a second at 32 pieces a side, and megabytes.

    python benchmarks/model_sizes.py [--pairs 400] [--rounds 3] [--others]

First the model that comes along. With ``--others``, also untrained models of other shapes with the
same vocabulary (speed does not depend on what the weights are). Every pair is different and nothing
is cached; the best round counts, because other work on the machine only ever slows it down. Pairs
for each second that a core worked on them stand beside: they hold on a busy machine too.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from isogloss.model import DEFAULT_MODEL, Pair, Paraphraser, find_model

PIECES = 32
SHAPES = {  # encoder and decoder layers, width, inner width, heads
    "6+6, width 512": (6, 6, 512, 2048, 8),
    "10+3, width 512": (10, 3, 512, 2048, 8),
    "6+6, width 384": (6, 6, 384, 1536, 6),
    "6+3, width 256": (6, 3, 256, 1024, 4),
}


@dataclass(frozen=True)
class Cost:
    """What one model costs."""

    megabytes: float
    load: float
    pairs_a_second: float
    pairs_a_core_second: float


def random_pairs(folder: Path, count: int) -> list[Pair]:
    """Pairs of random text that the model's vocabulary cuts into `PIECES` pieces."""
    import sentencepiece

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    draw = random.Random(1)
    words = [
        pieces.id_to_piece(number)
        for number in range(300, pieces.get_piece_size())
        if pieces.id_to_piece(number).startswith("\u2581") and len(pieces.id_to_piece(number)) > 3
    ]
    texts: list[str] = []
    while len(texts) < 2 * count:
        text = "".join(draw.sample(words, PIECES)).replace("\u2581", " ").strip()
        if len(pieces.encode(text)) == PIECES:
            texts.append(text)
    sides = zip(texts[::2], texts[1::2], strict=True)
    return [Pair(condition, target, "en", "en") for condition, target in sides]


def cost(folder: Path, pairs: list[Pair], rounds: int) -> Cost:
    """Measure one model folder: the best of some rounds, each with the model loaded anew."""
    measured = [_round(folder, pairs) for _ in range(rounds)]
    size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    load, scoring, work = (min(seconds) for seconds in zip(*measured, strict=True))
    return Cost(size, load, (len(pairs) - 1) / scoring, (len(pairs) - 1) / work)


def _round(folder: Path, pairs: list[Pair]) -> tuple[float, float, float]:
    """Seconds until the first score, seconds for all others, and what the cores worked on those.

    A model remembers its scores, so that it serves for one round only.
    """
    began = perf_counter()
    model = Paraphraser.load(folder)
    next(iter(model.score(pairs[:1])))
    loaded, worked = perf_counter(), process_time()
    for _ in model.score(pairs[1:]):
        pass
    return loaded - began, perf_counter() - loaded, process_time() - worked


def untrained(vocabulary: Path, where: Path) -> Iterator[tuple[str, Path]]:
    """Models of other shapes, with random weights."""
    from isogloss.training import checkpoints
    from isogloss.training.checkpoints import export_weights, languages_of_vocabulary
    from isogloss.training.model import ModelSettings, Transformer

    for name, (encoder, decoder, width, inner, heads) in SHAPES.items():
        settings = ModelSettings(32_000, width, inner, heads, encoder, decoder)
        content = {"settings": settings.described(), "weights": Transformer(settings).state_dict()}
        checkpoints.save(where / "weights.pt", content)
        folder = where / name.replace(" ", "-").replace(",", "")
        languages = languages_of_vocabulary(vocabulary)
        export_weights(where / "weights.pt", vocabulary, folder, languages, "untrained")
        yield name, folder


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--others", action="store_true")
    given = parser.parse_args()
    folder = find_model(DEFAULT_MODEL)
    pairs = random_pairs(folder, given.pairs)
    print("| model | MB | load (s) | pairs/s | pairs/core-s |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        models = [("the one that comes along", folder)]
        others = untrained(folder / "sentencepiece.model", Path(scratch)) if given.others else ()
        for name, each in (*models, *others):
            found = cost(each, pairs, given.rounds)
            speeds = f"{found.pairs_a_second:.0f} | {found.pairs_a_core_second:.0f}"
            print(f"| {name} | {found.megabytes:.1f} | {found.load:.2f} | {speeds} |", flush=True)


if __name__ == "__main__":
    main()
