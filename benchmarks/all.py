"""Every benchmark of speed that has something to be compared with, in one table.

    python benchmarks/all.py path/to/wmt [--only ter startup]
    python benchmarks/all.py path/to/wmt --alignment GOLD PARALLEL PATH/TO/eflomal-align

Each is a script of its own that runs both sides; this one runs them one after the other, keeps
what they print in a folder (--logs) and puts the lines with a ratio into one table. On a machine
that others use figures are lower; ratios suffer less, since both sides run in turns. Word alignment
is left out unless --alignment says where benchmarks/alignment_speed.py finds what it needs.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from machine import float32_peak, int8_peak, numpy_kernels

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A script, what it is run with, and where its ratios stand: named groups `what`, `ratio`."""

    script: str
    beside: str
    arguments: tuple[str, ...]
    pattern: str
    of_seconds: bool = False  # its ratio is of isogloss's time to the other's, not of speeds

    def ratios(self, printed: str) -> Iterator[tuple[str, str]]:
        """What was compared, and by how much isogloss is faster."""
        for match in re.finditer(self.pattern, printed, re.MULTILINE):
            ratio = match["ratio"]
            faster = f"{1 / float(ratio):.2f}" if self.of_seconds else ratio
            yield " ".join(match["what"].split()), faster


BENCHMARKS = (
    Benchmark(
        "ter",
        "sacrebleu",
        ("{wmt}", "--sets", "wmt23/en-de", "wmt20/zh-en", "--every", "24"),
        r"^(?P<what>wmt\S+) .* (?P<ratio>[\d.]+)$",
    ),
    Benchmark(
        "comparison",
        "sacrebleu's paired bootstrap",
        ("{wmt}/wmt23/en-de", "--reference", "refA"),
        r"^isogloss, (?P<what>segments|default) .* (?P<ratio>[\d.]+) x$",
    ),
    Benchmark(
        "meteor",
        "METEOR 1.5 (Java), processor time",
        ("{wmt}/wmt20/zh-en", "--systems", "4"),
        r"^(?P<what>ratio) +[\d.]+ by the clock +(?P<ratio>[\d.]+)$",
    ),
    Benchmark(
        "scoring",
        "transformers, float32",
        ("{wmt}/wmt23/en-de", "--reference", "refA", "--size", "50M"),
        r"^ *\((?P<what>[cd]\) isogloss [^ ]+).* (?P<ratio>[\d.]+) x \(a\)",
    ),
    Benchmark(
        "scoring_parts",
        "the C library's own way with memory, processor time",
        ("{wmt}/wmt20/zh-en", "--segments", "12"),
        r"^(?P<what>memory) mapped anew: (?P<ratio>[\d.]+) times",
    ),
    Benchmark(
        "metaeval",
        "loops over items, pairs and draws",
        ("{wmt}/wmt23/en-de", "--rounds", "1", "--most", "1000"),
        r"^ *(?P<what>\S.*?) {2,}[\d.]+ s +[\d.]+ s +(?P<ratio>\d+) x ",
    ),
    Benchmark(
        "alignment_speed",
        "eflomal's own program, processor time",
        ("{alignment[0]}", "{alignment[1]}", "--eflomal", "{alignment[2]}"),
        r"^(?P<what>\w{4}), processor time: (?P<ratio>[\d.]+) times as fast$",
    ),
    Benchmark(
        "startup",
        "sacrebleu, processor time",
        (),
        r"^(?P<what>\S.*?) {2,}[\d.]+ s +[\d.]+ s +(?P<ratio>[\d.]+)$",
        of_seconds=True,
    ),
)


def printed_by(benchmark: Benchmark, options: argparse.Namespace) -> str:
    """What the script prints; kept in a file, and its errors shown."""
    arguments = [argument.format_map(vars(options)) for argument in benchmark.arguments]
    command = [sys.executable, str(HERE / f"{benchmark.script}.py"), *arguments]
    found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    (options.logs / f"{benchmark.script}.txt").write_text(found.stdout, encoding="utf-8")
    if found.returncode:
        print(f"{benchmark.script}.py ended with {found.returncode}", file=sys.stderr)
    return found.stdout


def main() -> None:
    """Run the benchmarks and print the table."""
    names = [benchmark.script for benchmark in BENCHMARKS]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wmt", type=Path, help="a folder with wmt20 and wmt23")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument(
        "--alignment", nargs=3, type=Path, metavar=("GOLD", "PARALLEL", "EFLOMAL"), default=()
    )
    parser.add_argument("--logs", type=Path, default=Path("benchmark-logs"))
    options = parser.parse_args()
    options.logs.mkdir(parents=True, exist_ok=True)
    peaks = (
        f"{float32_peak() / 1e9:,.0f} GFLOP/s of float32, {int8_peak() / 1e9:,.0f} GOP/s of int8"
    )
    print(f"{platform.machine()}, {os.cpu_count()} cores; matrix products on one: {peaks}")
    print(f"NumPy's kernels: {numpy_kernels()}\n")
    print("| benchmark | beside | what | times as fast |\n|---|---|---|---|", flush=True)
    asked = [each for each in BENCHMARKS if each.script in options.only]
    if not options.alignment:
        asked = [each for each in asked if each.script != "alignment_speed"]
    print_rows(asked, options)


def print_rows(benchmarks: Sequence[Benchmark], options: argparse.Namespace) -> None:
    """A row for each ratio, as soon as it is there."""
    for benchmark in benchmarks:
        found = list(benchmark.ratios(printed_by(benchmark, options)))
        for what, ratio in found or [("no ratio: see the log", "–")]:
            row = (f"`{benchmark.script}.py`", benchmark.beside, what, ratio)
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
