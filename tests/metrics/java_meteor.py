"""METEOR 1.5 itself, where Java and the package that holds its jar are installed."""

import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

NAMES = {"cs": "czech", "de": "german", "en": "english", "es": "spanish", "fr": "french"}
NAMES |= {"ru": "russian"}
CHUNKS = 20
Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class JavaMeteor:
    """The jar, and its parts on the command line."""

    jar: Path

    def run(self, main: str, *arguments: str, text: str = "") -> str:
        """What one of the jar's programs prints."""
        command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-cp", str(self.jar), main]
        done = subprocess.run([*command, *arguments], input=text.encode(), capture_output=True)
        return done.stdout.decode()

    def lines(self, main: str, *arguments: str, lines: Sequence[str]) -> list[str]:
        """The answer to each line."""
        answers = self.run(main, *arguments, text="".join(f"{line}\n" for line in lines))
        answered = answers.split("\n")[:-1]
        assert len(answered) == len(lines)
        return answered

    def member(self, name: str) -> list[str]:
        """The lines of a file in the jar."""
        with zipfile.ZipFile(self.jar) as archive:
            return archive.read(name).decode().splitlines()

    def statistics(self, pairs: Pairs, *options: str) -> np.ndarray:
        """METEOR's statistics of pairs of output and reference (or several, one a line)."""
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("output", "reference")]
            for file, texts in zip(files, zip(*pairs, strict=True), strict=True):
                file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
            printed = self.run("Meteor", *map(str, files), *options, "-ssOut")
        rows = [[float(number) for number in line.split()] for line in printed.splitlines()]
        return _without_whole_chunks(np.array(rows))


def _without_whole_chunks(rows: np.ndarray) -> np.ndarray:
    """With no chunk where everything is matched in one: so METEOR counts when it adds rows up."""
    matched = np.stack([rows[:, 4 + side : 20 : 2].sum(axis=1) for side in (0, 1)], axis=1)
    whole = (matched == rows[:, :2]).all(axis=1) & (rows[:, CHUNKS] == 1)
    rows[whole, CHUNKS] = 0
    return rows


@cache
def java_meteor() -> JavaMeteor:
    """The program; a test that needs it skips where it cannot run."""
    package = find_spec("pycocoevalcap")
    locations = (package.submodule_search_locations or []) if package else []
    if not locations:
        pytest.skip("the package pycocoevalcap, which holds METEOR's jar, is not installed")
    if shutil.which("java") is None:
        pytest.skip("there is no Java to run METEOR's jar")
    return JavaMeteor(Path(locations[0]) / "meteor" / "meteor-1.5.jar")
