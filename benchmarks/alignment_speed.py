"""Statistical alignment beside eflomal's own program: error and seconds of both, in turns.

    python benchmarks/alignment_speed.py GOLD PARALLEL --eflomal PATH/TO/eflomal-align
    python benchmarks/alignment_speed.py GOLD PARALLEL --efforts 2,7,7,14 4,4,4,10

GOLD is a folder with ``enfr.src-tgt`` (``source ||| target``) and ``enfr.gold`` (links made by
people), PARALLEL one with tables of parallel text (``europarl.tsv.zst``: a column a language) that
the gold pairs are filled up from, to --pairs in all. Romanian is written without diacritics, as in
the gold pairs. Both programs are run as commands, start and files included, once for each seed
(eflomal's own takes a new one each time); the error is that of the gold pairs, links symmetrised
by grow-diag-final-and. Seconds are the processor's, and the clock's. --efforts runs other schedules
(samplers and rounds of IBM1, the HMM and fertility), without the command around them: the frontier
of error and time. eflomal's own program (GPL) is never part of isogloss: install it elsewhere and
name its script. The last line of each pair of languages says how many times as fast isogloss is.
"""

import argparse
import io
import resource
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from statistics import fmean, stdev
from time import perf_counter

import zstandard

from isogloss.alignment import Links, TokenPair, link_agreement, read_gold
from isogloss.alignment.gold import GoldLinks
from isogloss.alignment.pharaoh import read_pharaoh
from isogloss.alignment.statistical import StatisticalAligner
from isogloss.alignment.symmetrisation import symmetrise
from isogloss.alignment.texts import read_bitext
from isogloss.alignment.thot import EflomalEffort
from isogloss.language import tokeniser

FILLED_FROM = {"enfr": ("europarl",), "roen": ("news_wmt08_19", "wiki_mlqe_pe")}
LONGEST = 100  # words of a pair that is filled in
METHOD = "grow-diag-final-and"


@dataclass(frozen=True)
class Text:
    """Pairs of sentences in words; the first of them have links made by people."""

    name: str
    pairs: list[TokenPair]
    gold: Sequence[GoldLinks]

    @classmethod
    def read(cls, name: str, folder: Path, parallel: Path, count: int) -> "Text":
        """The gold pairs, and others until there are enough."""
        bitext = read_bitext(folder / f"{name}.src-tgt")
        pairs: list[TokenPair] = [(one.split(), other.split()) for one, other in bitext]
        gold = read_gold(folder / f"{name}.gold", pairs).links
        tables = (rows(parallel / f"{table}.tsv.zst", name) for table in FILLED_FROM[name])
        pairs += islice(chain.from_iterable(tables), max(0, count - len(pairs)))
        return cls(name, pairs, gold)

    def error(self, links: Sequence[Links]) -> float:
        """The alignment error rate of the gold pairs, in per cent."""
        return 100 * (link_agreement(links[: len(self.gold)], self.gold).aer or 0.0)


def rows(path: Path, name: str) -> Iterator[TokenPair]:
    """The pairs of a table in words."""
    languages = name[:2], name[2:]
    words = [tokeniser(language) for language in languages]
    with path.open("rb") as packed:
        stream = zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(packed)
        lines = (line.rstrip("\n").split("\t") for line in io.TextIOWrapper(stream, "utf-8"))
        header = next(lines)
        columns = [header.index(language) for language in languages]
        for cells in lines:
            texts = [cells[column] if column < len(cells) else "" for column in columns]
            written = map(as_in_gold, texts, languages)
            pair = [
                [t.text for t in tool.tokenise(s)] for tool, s in zip(words, written, strict=True)
            ]
            if all(0 < len(side) <= LONGEST for side in pair):
                yield pair[0], pair[1]


def as_in_gold(text: str, language: str) -> str:
    """Romanian without its diacritics, as the gold pairs have it."""
    if language != "ro":
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


@dataclass(frozen=True, slots=True)
class Run:
    """What one run found and took."""

    error: float
    processor: float
    clock: float


def command(arguments: Sequence[str]) -> tuple[float, float]:
    """Run a program: seconds of the processor and of the clock."""
    before, begun = used(), perf_counter()
    subprocess.run(arguments, check=True, stderr=subprocess.DEVNULL)  # noqa: S603 - named by us
    return used() - before, perf_counter() - begun


def used() -> float:
    """Seconds of the processor, of this process and of those that it has waited for."""
    own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def own_eflomal(text: Text, program: Path, _: int) -> Run:
    """eflomal's own program, lower-cased as its manual has it."""
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place) / name for name in ("source", "target", "forth", "back")]
        for side, file in enumerate(files[:2]):
            lines = (" ".join(pair[side]).lower() for pair in text.pairs)
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        options = zip(("-s", "-t", "-f", "-r"), map(str, files), strict=True)
        taken = command([str(program), *chain.from_iterable(options)])
        # Its "forward" gives each target word a source word, its "reverse" the other way round.
        forth, back = (read_pharaoh(file) for file in files[2:])
        both = zip(back, forth, strict=True)
        return Run(text.error([symmetrise(a.links, b.links, METHOD) for a, b in both]), *taken)


def isogloss_align(text: Text, seed: int) -> Run:
    """`isogloss align --aligner eflomal`, which keeps nothing."""
    with tempfile.TemporaryDirectory() as place:
        bitext, found = Path(place) / "bitext", Path(place) / "links"
        lines = (f"{' '.join(one)} ||| {' '.join(other)}\n" for one, other in text.pairs)
        bitext.write_text("".join(lines), encoding="utf-8")
        options = f"--aligner eflomal --symmetrise {METHOD} --seed {seed} --no-cache --quiet"
        words = f"--source-words space --target-words space --write {found}"
        languages = f"--from {text.name[:2]} --to {text.name[2:]}"
        program = [sys.executable, "-m", "isogloss", "align", str(bitext)]
        taken = command([*program, *options.split(), *words.split(), *languages.split()])
        return Run(text.error([each.links for each in read_pharaoh(found)]), *taken)


def with_effort(text: Text, effort: EflomalEffort, seed: int) -> Run:
    """Our aligner with another schedule, without the command around it."""
    before, begun = used(), perf_counter()
    aligner = StatisticalAligner("eflomal", text.name[:2], text.name[2:], effort=effort, seed=seed)
    both = aligner.directions(text.pairs)
    taken = used() - before, perf_counter() - begun
    links = [
        symmetrise(each.source_to_target.links, each.target_to_source.links, METHOD)
        for each in both
    ]
    return Run(text.error(links), *taken)


def shown(who: str, runs: Sequence[Run]) -> str:
    """A line of the table: means, and how far errors spread."""
    errors = [run.error for run in runs]
    spread = f"± {stdev(errors):.2f}" if len(errors) > 1 else ""
    seconds = f"{fmean(r.processor for r in runs):6.1f} s {fmean(r.clock for r in runs):6.1f} s"
    return f"{who:36} {fmean(errors):5.2f} {spread:7} {seconds}"


def compare(text: Text, options: argparse.Namespace) -> None:
    """Run all sides in turns, and print a line for each."""
    sides: dict[str, Callable[[int], Run]] = {}
    if options.eflomal:
        sides["eflomal's own program"] = lambda seed: own_eflomal(text, options.eflomal, seed)
        sides["isogloss align"] = lambda seed: isogloss_align(text, seed)
    for numbers in options.efforts:
        samplers, *rounds = map(int, numbers.split(","))
        effort = EflomalEffort(samplers, (rounds[0], rounds[1], rounds[2]))
        sides[f"{samplers} samplers, rounds {rounds}"] = lambda seed, effort=effort: with_effort(
            text, effort, seed
        )
    words = sum(len(one) + len(other) for one, other in text.pairs) // 2
    print(f"{text.name}: {len(text.pairs):,} pairs, {words:,} words")
    print(f"{'':36} AER           processor  clock", flush=True)
    runs: dict[str, list[Run]] = {who: [] for who in sides}
    for seed in range(1, options.seeds + 1):
        for who, run in sides.items():
            runs[who].append(run(seed))
            print(shown(f"{who}, seed {seed}", runs[who][-1:]), flush=True)
    print("all seeds:")
    for who, found in runs.items():
        print(shown(who, found), flush=True)
    if options.eflomal:
        theirs, ours = (fmean(run.processor for run in found) for found in list(runs.values())[:2])
        print(f"{text.name}, processor time: {theirs / ours:.2f} times as fast", flush=True)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("parallel", type=Path)
    parser.add_argument("--languages", nargs="+", choices=FILLED_FROM, default=list(FILLED_FROM))
    parser.add_argument("--pairs", type=int, default=5_000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--eflomal", type=Path, help="the script of eflomal's own program")
    parser.add_argument("--efforts", nargs="+", default=[], metavar="SAMPLERS,IBM1,HMM,FERTILITY")
    options = parser.parse_args()
    for name in options.languages:
        compare(Text.read(name, options.gold, options.parallel, options.pairs), options)


if __name__ == "__main__":
    main()
