"""Word aligners on annotated data: alignment error, annotated translations found, and speed.

    python benchmarks/alignment.py GOLD --gold [--aligners eflomal,attention]
    python benchmarks/alignment.py FOLDER [--aligners eflomal,attention] [--most 1000]
    python benchmarks/alignment.py FOLDER --choose-heads [--model NAME] [--write]
    python benchmarks/alignment.py FOLDER --trained
    python benchmarks/alignment.py FOLDER --speed [--eflomal PATH/TO/eflomal-align]

GOLD is a folder with pairs of files ``enfr.src-tgt`` (``source ||| target``) and ``enfr.gold``
(links made by people); precision, recall and alignment error rate are printed for all pairs, and
the error rate for those with odd numbers alone: choices were made on those with even ones.

FOLDER is a data set in the released form of Lei et al. (2024). An aligner is *exact* for an
annotated source word if the target words that it links to it, joined by spaces and lower-cased, are
the annotated translation. Attention heads, and what states are multiplied by, are chosen on
documents with even numbers; exactness is printed for all documents, and for the others alone.
Nothing is taken from the cache. eflomal's own program (GPL) is only timed, never part of isogloss:
install it elsewhere and name its script.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from isogloss.alignment import (
    ALIGNERS,
    SYMMETRISATIONS,
    Links,
    SegmentAlignment,
    TokenPair,
    aer_interval,
    aligner,
    link_agreement,
    read_gold,
)
from isogloss.alignment.attention import WEAKEST, AttentionAligner, HeadChoice, remember_choice
from isogloss.alignment.gold import GoldLinks
from isogloss.alignment.pharaoh import read_pharaoh
from isogloss.alignment.registry import directed_aligner
from isogloss.alignment.statistical import SavedAligner, StatisticalAligner
from isogloss.alignment.symmetrisation import Directions, strongest, symmetrise
from isogloss.alignment.texts import read_bitext
from isogloss.metrics.consistency import read_release
from isogloss.model import DEFAULT_MODEL, find_model

MOST_HEADS = 4
WORTH_A_HEAD = 0.005  # what another head must bring
DEVELOPMENT_PAIRS = 300
FACTORS = (0.25, 0.5, 1.0, 2.0)
OF_OTHERS = ("auto", "file")  # what is one of the other aligners, and what needs a file


@dataclass(frozen=True)
class Annotated:
    """Pairs of sentences in words, and the source words whose translation is known."""

    languages: tuple[str | None, str | None]
    pairs: list[TokenPair]
    items: list[tuple[int, int, str]]  # pair, source word, translation
    development: list[bool]  # pair by pair

    @classmethod
    def read(cls, folder: Path) -> "Annotated":
        """All of a data set."""
        release = read_release(folder)
        pairs: list[TokenPair] = []
        begin: dict[str, int] = {}
        development = []
        for document in release.testset.documents:
            begin[document.id] = len(pairs)
            (reference,) = document.references.values()
            for source, target in zip(document.source, reference, strict=True):
                pairs.append((source.split(), (target or "").split()))
                development.append(int(document.id.rpartition("-")[2]) % 2 == 0)
        items = [
            (begin[chain.document] + item.segment, item.token, chain.translation)
            for chain in release.chains
            for item in chain.items
        ]
        languages = release.testset.source_language, release.testset.target_language
        return cls(languages, pairs, items, development)

    def some(self, numbers: Sequence[int]) -> "Annotated":
        """Some of the pairs."""
        place = {number: at for at, number in enumerate(numbers)}
        return Annotated(
            self.languages,
            [self.pairs[number] for number in numbers],
            [(place[pair], *rest) for pair, *rest in self.items if pair in place],
            [self.development[number] for number in numbers],
        )

    def exact(self, found: Sequence[Links], held_out: bool = False) -> tuple[float, float]:
        """The shares of annotated words that are linked at all, and that are exactly right."""
        targets = [SegmentAlignment(links).targets() for links in found]
        linked, right = [], []
        for pair, word, translation in self.items:
            if held_out and self.development[pair]:
                continue
            words = [self.pairs[pair][1][target] for target in targets[pair].get(word, ())]
            linked.append(bool(words))
            right.append(" ".join(words).lower() == translation)
        return float(np.mean(linked)), float(np.mean(right))


def made_one(found: Sequence[Directions], method: str) -> list[Links]:
    """The links of a symmetrisation."""
    return [
        symmetrise(one.source_to_target.links, one.target_to_source.links, method) for one in found
    ]


def compare(data: Annotated, names: Sequence[str], model: str) -> None:
    """Print the exactness of each aligner with each symmetrisation."""
    source, target = data.languages
    print(f"{len(data.pairs):,} pairs, {len(data.items):,} annotated words")
    print(f"{'aligner':<12} {'symmetrisation':<20} linked  exact  held out  seconds")
    for name in names:
        start = perf_counter()
        chosen = directed_aligner(name, source_language=source, target_language=target, model=model)
        found = chosen.directions(data.pairs)
        taken = perf_counter() - start
        for method in SYMMETRISATIONS:
            links = made_one(found, method)
            linked, right = data.exact(links)
            _, held_out = data.exact(links, held_out=True)
            print(
                f"{name:<12} {method:<20} {linked:.3f}   {right:.3f}  {held_out:.3f}     "
                f"{taken:.0f}",
                flush=True,
            )


def compare_with_gold(folder: Path, names: Sequence[str], model: str) -> None:
    """Print the alignment error rate of each aligner on each pair of languages."""
    print(f"{'pair':<5} {'aligner':<16} precision recall  AER   [95 %]         odd pairs  seconds")
    for path in sorted(folder.glob("*.gold")):
        source, target = path.stem[:2], path.stem[2:]
        texts = read_bitext(path.with_suffix(".src-tgt"))
        pairs: list[TokenPair] = [(one.split(), other.split()) for one, other in texts]
        gold = read_gold(path, pairs).links
        for name in names:
            start = perf_counter()
            links = aligner(name, source_language=source, target_language=target, model=model)
            found = [one.links for one in links.align(pairs)]
            show_agreement(path.stem, name, found, gold, perf_counter() - start)


def show_agreement(
    pair: str, name: str, found: Sequence[Links], gold: Sequence[GoldLinks], taken: float
) -> None:
    """Print a line of the table."""
    whole, odd = link_agreement(found, gold), link_agreement(found[1::2], gold[1::2])
    low, high = aer_interval(found, gold)
    shares = (whole.precision, whole.recall, whole.aer, odd.aer)
    precision, recall, error, held_out = (100 * (share or 0.0) for share in shares)
    print(
        f"{pair:<5} {name:<16} {precision:5.1f}     {recall:5.1f}   {error:4.1f}  "
        f"[{100 * low:4.1f}, {100 * high:4.1f}]   {held_out:4.1f}       {taken:.0f}",
        flush=True,
    )


def reuse(data: Annotated) -> None:
    """Train on the development half, and use what was learnt on the other half."""
    source, target = data.languages
    halves = [
        data.some([n for n, known in enumerate(data.development) if known is half])
        for half in (True, False)
    ]
    with tempfile.TemporaryDirectory() as place:
        learning = StatisticalAligner("eflomal", source, target, save_to=Path(place))
        learning.directions(halves[0].pairs)
        start = perf_counter()
        found = SavedAligner(Path(place)).directions(halves[1].pairs)
        taken = perf_counter() - start
    print(
        f"{len(halves[1].pairs):,} pairs in {taken:.1f} s with a model of {len(halves[0].pairs):,}"
    )
    for method in SYMMETRISATIONS:
        linked, right = halves[1].exact(made_one(found, method))
        print(f"{method:<20} {linked:.3f}  {right:.3f}")


def choose_heads(data: Annotated, model: str, write: bool) -> None:
    """Add head after head, as long as more annotated words of the development half are right."""
    annotated = sorted({pair for pair, *_ in data.items if data.development[pair]})
    sample = data.some(annotated[:: max(1, len(annotated) // DEVELOPMENT_PAIRS)])
    seen = AllHeads(sample, model)
    chosen: list[tuple[int, int]] = []
    best = 0.0
    while len(chosen) < MOST_HEADS:
        rights = {head: seen.exact([*chosen, head]) for head in seen.heads if head not in chosen}
        head = max(rights, key=lambda head: rights[head])
        if not chosen:
            for one, right in sorted(rights.items(), key=lambda item: -item[1])[:8]:
                print(f"head {one[0]}.{one[1]} alone: {right:.3f}")
        if rights[head] < best + WORTH_A_HEAD:
            break
        best = rights[head]
        chosen.append(head)
        print(f"{HeadChoice(tuple(chosen))}: {best:.3f} of {len(sample.items):,} words")
    states = {factor: seen.exact(chosen, factor) for factor in FACTORS}
    for factor, right in states.items():
        print(f"states times {factor:g}: {right:.3f}")
    factor = max(states, key=lambda factor: states[factor])
    worth = states[factor] >= best + WORTH_A_HEAD
    print(f"states are {f'multiplied by {factor:g}' if worth else 'not looked at'}")
    if write:
        noted = HeadChoice(tuple(chosen))
        remember_choice(find_model(model), noted, factor if worth else None)
        print(f"noted in the card of {find_model(model).name}")


class AllHeads:
    """What every head of a model says about some pairs, from either side."""

    def __init__(self, data: Annotated, model: str) -> None:
        self._data = data
        self._aligner = AttentionAligner(*data.languages, model=model)
        self._found = list(self._aligner.every_head(data.pairs))
        layers, heads = self._found[0][0].shape[:2]
        self.heads = [(layer, head) for layer in range(layers) for head in range(heads)]

    def exact(self, heads: Sequence[tuple[int, int]], factor: float | None = None) -> float:
        """The share of annotated words that are right with the mean of these heads.

        With a `factor`, the likeness of states counts as much as the heads do.
        """
        strengths = [
            np.sqrt(np.mean([forth[h] for h in heads], 0) * np.mean([back[h] for h in heads], 0))
            for forth, back in self._found
        ]
        if factor is not None:
            alike = self._aligner.every_likeness(self._data.pairs, factor)
            both = zip(strengths, alike, strict=True)
            strengths = [one if other is None else (one + other) / 2 for one, other in both]
        links = [strongest(matrix, WEAKEST) for matrix in strengths]
        return self._data.exact(made_one(links, "phrases"))[1]


def time_it(data: Annotated, program: Path | None) -> None:
    """Time both programs in turn, and see how exact they are."""
    print(f"{len(data.pairs):,} pairs, {os.cpu_count()} cores")
    source, target = data.languages
    for round in range(3):
        start = perf_counter()
        chosen = directed_aligner("eflomal", source_language=source, target_language=target)
        found = made_one(chosen.directions(data.pairs), SYMMETRISATIONS[0])
        report("isogloss eflomal", round, perf_counter() - start, data.exact(found)[1])
        if program:
            start = perf_counter()
            found = list(own_eflomal(data.pairs, program))
            report("eflomal itself", round, perf_counter() - start, data.exact(found)[1])


def report(who: str, round: int, taken: float, right: float) -> None:
    """Print a line."""
    print(f"round {round + 1}  {who:<18} {taken:6.1f} s  exact {right:.3f}", flush=True)


def own_eflomal(pairs: Sequence[TokenPair], program: Path) -> Iterator[Links]:
    """What eflomal's own program makes of the pairs, symmetrised as ours."""
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place) / name for name in ("source", "target", "forth", "back")]
        for side, file in enumerate(files[:2]):
            lines = (" ".join(pair[side]).lower() for pair in pairs)
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        options = zip(("-s", "-t", "-f", "-r"), map(str, files), strict=True)
        command = [str(program), *(word for option in options for word in option)]
        subprocess.run(command, check=True)  # noqa: S603 - named by who runs this
        # Its "forward" gives each target word a source word, its "reverse" the other way round.
        forth, back = (read_pharaoh(file) for file in files[2:])
        for one, other in zip(back, forth, strict=True):
            yield symmetrise(one.links, other.links, SYMMETRISATIONS[0])


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--aligners", default=",".join(a for a in ALIGNERS if a not in OF_OTHERS))
    parser.add_argument("--gold", action="store_true", help="FOLDER holds links made by people")
    parser.add_argument("--most", type=int, help="take the first pairs only")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--choose-heads", action="store_true")
    parser.add_argument("--write", action="store_true", help="note the choice in the model's card")
    parser.add_argument("--trained", action="store_true", help="use a model on unseen text")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--eflomal", type=Path, help="the script of eflomal's own program")
    options = parser.parse_args()
    if options.gold:
        compare_with_gold(options.folder, options.aligners.split(","), options.model)
        return
    data = Annotated.read(options.folder)
    if options.most:
        data = data.some(range(min(options.most, len(data.pairs))))
    if options.choose_heads:
        choose_heads(data, options.model, options.write)
    elif options.trained:
        reuse(data)
    elif options.speed:
        time_it(data, options.eflomal)
    else:
        compare(data, options.aligners.split(","), options.model)


if __name__ == "__main__":
    main()
