"""Lexical translation consistency on the data set of Lei et al. (2024), and its speed.

    python benchmarks/consistency.py LTCR [--aligner attention] [--segments 100000]
        [--links links.pickle]

LTCR is the folder of the released data set (res, zh2en_token, zh2en_raw). Printed are

1. its size, which must be the published one;
2. LTCR of the human reference on the released tokens, for every symmetrisation, null policy and
   normaliser: over all repeated words (L-All), and over the annotated pairs (L-Anno), which are
   consistent by construction, so that what is missing to 100 is the aligner's fault: the ceiling;
3. how well a rule finds the pairs that people annotated as true consistency;
4. how long `ltcr` takes for so many aligned segments, tokenising included.

Aligning takes some minutes; --links keeps what was found.
"""

import argparse
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from isogloss.alignment import SYMMETRISATIONS, SegmentAlignment, TokenPair
from isogloss.alignment.registry import directed_aligner
from isogloss.alignment.symmetrisation import Directions, symmetrise
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.evaluation import evaluate
from isogloss.metrics.consistency import Ltcr, Release, Tagged, chain_counts, read_release
from isogloss.metrics.consistency.analysis import all_repeated
from isogloss.metrics.consistency.ratios import Key, equal_pairs
from isogloss.metrics.consistency.released import REFERENCE

WORDS = Ltcr(source_words="space", target_words="space", evidence="none")


@dataclass(frozen=True)
class Known:
    """An aligner that knows the links of every pair it will be asked about."""

    name: str
    links: dict[tuple[str, str], SegmentAlignment]

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        """The links of each pair."""
        return [self.links[" ".join(source), " ".join(target)] for source, target in pairs]


def as_system(release: Release) -> Collection:
    """The human reference in the place of a system."""
    documents = {d.id: d.references[REFERENCE] for d in release.testset.documents}
    return Collection(release.testset, (SystemOutput(REFERENCE, documents, human=True),))


def directions(
    release: Release, name: str, kept: Path | None
) -> tuple[list[TokenPair], list[Directions]]:
    """Every segment pair with its links from either side."""
    pairs: list[TokenPair] = [
        (source.split(), (target or "").split())
        for document in sorted(release.testset.documents, key=lambda d: d.id)
        for source, target in zip(document.source, document.references[REFERENCE], strict=True)
    ]
    if kept and kept.exists():
        return pairs, pickle.loads(kept.read_bytes())  # noqa: S301 - written by this script
    start = perf_counter()
    chosen = directed_aligner(name, source_language="zh", target_language="en")
    found = chosen.directions(pairs)
    print(f"{chosen.name}: {len(pairs):,} pairs aligned in {perf_counter() - start:.1f} s\n")
    if kept:
        kept.write_bytes(pickle.dumps(found))
    return pairs, found


def aligner(pairs: Sequence[TokenPair], found: Sequence[Directions], method: str) -> Known:
    """The links of both directions made one."""
    links = {}
    for (source, target), both in zip(pairs, found, strict=True):
        forth, back = both.source_to_target.links, both.target_to_source.links
        alignment = SegmentAlignment(symmetrise(forth, back, method))
        links[" ".join(source), " ".join(target)] = alignment
    return Known(method, links)


def show_size(release: Release) -> None:
    """The counts that the paper gives."""
    counts = chain_counts(release.chains)
    print(
        f"{len(release.testset.documents)} documents, {release.testset.segment_count:,} sentences, "
        f"{counts.chains:,} chains, {counts.items:,} items, {counts.pairs:,} pairs"
    )
    print("pairs by distance:", *(f"{k}: {v:,}" for k, v in counts.by_distance.items()), "\n")


def exact(release: Release, metric: Ltcr) -> float:
    """The share of annotated mentions whose rendering is the annotated translation."""
    collection = as_system(release)
    translations = list(collection.translations(collection.outputs[0]))
    hits = total = 0
    chains = iter(release.chains)
    for found in metric.rendered(translations):
        for word in found.words:
            translation = next(chains).translation
            total += len(word.renderings)
            hits += sum(r is not None and r.key == translation for r in word.renderings)
    return hits / total


def show_reference(folder: Path, release: Release, aligners: dict[str, Known]) -> None:
    """L-All and L-Anno of the reference in every policy."""
    policies = [
        (null, normalise) for null in ("mismatch", "skip") for normalise in ("surface", "stem")
    ]
    print("LTCR of the human reference, L-All / L-Anno, null policy and normaliser:")
    headings = [f"{null} {normalise}" for null, normalise in policies]
    print(f"{'':20} {'exact':>6}", *(f"{heading:>16}" for heading in headings))
    for method, known in aligners.items():
        base = replace(WORDS, links=known, aligner="known", symmetrise=method)
        annotated = replace(base, chains=folder.name, chain_file=folder.resolve())
        cells = []
        for null, normalise in policies:
            both = [replace(m, null=null, normalise=normalise) for m in (base, annotated)]
            scores = [row.score or 0.0 for row in evaluate(as_system(release), both).rows]
            cells.append(f"{scores[0]:.1f} / {scores[1]:.1f}")
        share = exact(release, replace(annotated, normalise="surface"))
        print(f"{method:20} {share:6.3f}", *(f"{cell:>16}" for cell in cells))
    print()


@dataclass(frozen=True)
class Word:
    """A repeated word of the reference: part of speech, renderings, and annotated chains."""

    part: str | None
    keys: tuple[Key, ...]
    chains: tuple[Key, ...]


def annotated_words(release: Release, metric: Ltcr) -> Iterator[Word]:
    """Every repeated word, with the chain (if any) that each mention belongs to."""
    collection = as_system(release)
    translations = list(collection.translations(collection.outputs[0]))
    chain_at = {
        (chain.document, item.segment, item.token): chain.id
        for chain in release.chains
        for item in chain.items
    }
    choose = Tagged.in_language(all_repeated, "zh")
    for found in metric.rendered(translations, choose):
        id = found.translation.document.id
        for word in found.words:
            yield Word(
                word.word.part,
                tuple(r.key if r else None for r in word.renderings),
                tuple(chain_at.get((id, m.segment, m.tokens[0])) for m in word.word.mentions),
            )


RULES: dict[str, Callable[[Word], Sequence[Key]]] = {
    "every pair (L-All)": lambda word: [True] * len(word.keys),
    "nouns": lambda word: [True if word.part == "NOUN" else None] * len(word.keys),
    "alike in the reference": lambda word: word.keys,
    "nouns alike in the reference": lambda word: (
        word.keys if word.part == "NOUN" else [None] * len(word.keys)
    ),
}


def show_prediction(release: Release, aligners: dict[str, Known], normalise: str) -> None:
    """Precision and recall of finding the annotated pairs."""
    print(f"Finding the annotated pairs of true consistency ({normalise}):")
    print(f"{'':20} {'pairs that must be alike':30} {'pairs':>8} {'P':>6} {'R':>6} {'F1':>6}")
    for method, known in aligners.items():
        metric = replace(WORDS, links=known, aligner="known", symmetrise=method)
        words = list(annotated_words(release, replace(metric, normalise=normalise)))
        gold = sum(equal_pairs(word.chains) for word in words)
        for name, rule in RULES.items():
            said = [(rule(word), word.chains) for word in words]
            predicted = sum(equal_pairs(labels) for labels, _ in said)
            hits = sum(equal_pairs(_both(*each)) for each in said)
            precision, recall = hits / predicted, hits / gold
            f1 = 2 * precision * recall / (precision + recall)
            print(f"{method:20} {name:30} {predicted:8,} {precision:6.3f} {recall:6.3f} {f1:6.3f}")
    print(f"{gold:,} annotated pairs are content words\n")


def _both(first: Sequence[Key], second: Sequence[Key]) -> list[Key]:
    return [None if a is None or b is None else (a, b) for a, b in zip(first, second, strict=True)]


def show_speed(release: Release, known: Known, segments: int) -> None:
    """The time of `ltcr` for so many segments: the data set again and again."""
    documents: list[Document] = []
    while sum(map(len, documents)) < segments:
        copy = len(documents)
        documents += [replace(d, id=f"{copy}-{d.id}") for d in release.testset.documents]
    testset = TestSet("many", "zh", "en", tuple(documents))
    output = SystemOutput("ref", {d.id: d.references[REFERENCE] for d in documents})
    start = perf_counter()
    (row,) = evaluate(Collection(testset, (output,)), [replace(WORDS, links=known)]).rows
    took = perf_counter() - start
    print(f"ltcr of {row.total:,} aligned segments: {took:.1f} s (score {row.score:.2f})")


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--aligner", default="attention")
    parser.add_argument("--links", type=Path)
    given = parser.parse_args()
    release = read_release(given.folder)
    show_size(release)
    pairs, found = directions(release, given.aligner, given.links)
    aligners = {method: aligner(pairs, found, method) for method in SYMMETRISATIONS}
    show_reference(given.folder, release, aligners)
    chosen = {m: aligners[m] for m in ("phrases", "source-to-target", "intersection")}
    for normalise in ("surface", "stem"):
        show_prediction(release, chosen, normalise)
    show_speed(release, aligners["phrases"], given.segments)


if __name__ == "__main__":
    main()
