"""Any command as a metric: it reads rows of text and writes a score for each.

::

    external(command="python length.py")                   rows as JSON lines
    external(command="./score --tsv",format=tsv,better=lower)

The command gets a row for every segment on its standard input and has to print a line for every
row, in the same order: a number, or JSON with ``score``. It is started once for all systems,
without a shell, in the folder where isogloss was started.
"""

import json
import math
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from isogloss.arrays import Floats
from isogloss.digest import short_digest
from isogloss.documents import TestSet, Translation
from isogloss.errors import InputError, MetricOptionError
from isogloss.formula import MeanFormula
from isogloss.metrics.outside.kept_answers import KeptAnswers, answer_key
from isogloss.metrics.outside.rows import Answered, AskedRow, RowAnswer, measurement, rows_of
from isogloss.metrics.protocol import ConfiguredMetric, Division
from isogloss.notation import json_value
from isogloss.runtime import Runtime
from isogloss.scores import Measurement
from isogloss.signature import Signature

_EXAMPLE = 'external(command="python my_metric.py")'
_NOT_SCORED = frozenset({"", "none", "null", "nan", "na"})
_SPLIT = str.maketrans({"\t": " ", "\n": " ", "\r": " ", "\v": " ", "\f": " ", "\x85": " ",
                        "\u2028": " ", "\u2029": " "})  # fmt: skip
_SAID = 600  # characters of what a failing command complained of


@dataclass(frozen=True)
class External(ConfiguredMetric):
    """The mean over segments of the scores that a command writes.

    ``label`` and ``version`` are yours: they tell two commands, or two states of one, apart. Where
    there is a version, what the command prints is kept, and the same rows are not scored again.
    ``needs`` says what the test set must have; whatever it has is sent.
    """

    title: ClassVar[str] = "external"
    uses_all_cores: ClassVar[bool] = True  # one process does it all
    division: ClassVar[Division] = Division.WHOLE

    command: str = ""
    format: Literal["jsonl", "tsv"] = "jsonl"
    better: Literal["higher", "lower"] = "higher"
    needs: Literal["nothing", "source", "reference", "both"] = "nothing"
    label: str | None = None
    version: str | None = None
    runtime: Runtime = field(default=Runtime(), compare=False, repr=False)

    def with_runtime(self, runtime: Runtime) -> Self:
        """The same metric, run so."""
        return replace(self, runtime=runtime)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        return self.better == "higher"

    @property
    def needs_references(self) -> bool:  # type: ignore[override]
        return self.needs in ("reference", "both")

    @property
    def needs_source(self) -> bool:  # type: ignore[override]
        return self.needs in ("source", "both")

    def signature(self, testset: TestSet) -> Signature:  # noqa: ARG002
        """The command and a digest of files that it names: a changed script is another metric."""
        return self._signature()

    def _signature(self) -> Signature:
        files = [path for word in self._words if (path := Path(word)).is_file()]
        digests = "+".join(short_digest(path.read_bytes(), 12) for path in files)
        return Signature(self.name, (("files", digests or "none"),))

    @property
    def _words(self) -> list[str]:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise MetricOptionError(f"external: {self.command!r}: {error}") from None
        if not words:
            raise MetricOptionError(f"external needs a command; write it like {_EXAMPLE}")
        return words

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        """Send all rows, read all scores."""
        translations = list(translations)
        rows = [row for t in translations for row in rows_of(t, by_reference=False)]
        answers = iter(self._answers(rows))
        for translation in translations:
            own = [Answered(row, next(answers)) for row in rows_of(translation, by_reference=False)]
            yield measurement(translation, own)

    def score_rows(self, statistics: Floats) -> Floats:
        """The mean."""
        return MeanFormula().score_rows(statistics)

    def _answers(self, rows: Sequence[AskedRow]) -> list[RowAnswer]:
        if not rows:
            return []
        text = _tsv(rows) if self.format == "tsv" else "".join(map(_json_line, rows))
        lines = self._printed(text).splitlines()
        if len(lines) == len(rows) + 1 and self.format == "tsv":
            lines = lines[1:]  # a heading
        if len(lines) != len(rows):
            raise InputError(
                f"external: {self.command!r} wrote {len(lines):,} lines for {len(rows):,} rows; it "
                "has to print one score a row, in the order of the rows, and nothing else"
            )
        told = [self._answer(line, number) for number, line in enumerate(lines, start=1)]
        if self.format == "tsv":
            return [_with_remark(answer, row) for answer, row in zip(told, rows, strict=True)]
        return told

    def _printed(self, text: str) -> str:
        """What the command prints; a version is the promise that it would print the same again."""
        if self.version is None:
            return self._run(text)
        signature = str(self._signature())
        name = f"{self.title} {self.label or self._words[0]} {self.version}"
        digest = f"{self.title}:{short_digest(signature.encode(), 12)}"
        with closing(KeptAnswers(self.runtime.cache, name, digest)) as kept:
            return kept.completed([answer_key(signature, text)], lambda _: [self._run(text)])[0]

    def _run(self, text: str) -> str:
        """What the command prints."""
        words = self._words
        try:
            done = subprocess.run(  # noqa: S603 - the user's own command, and no shell
                words, input=text.encode("utf-8", "replace"), capture_output=True, check=False
            )
        except OSError as error:
            raise InputError(
                f"external: {words[0]!r} cannot be run ({error.strerror}); name a program"
            ) from None
        if done.returncode != 0:
            raise InputError(
                f"external: {self.command!r} ended with exit code {done.returncode}: "
                f"{said(done.stderr)}"
            )
        return done.stdout.decode("utf-8", "replace")

    def _answer(self, line: str, number: int) -> RowAnswer:
        value: Any = line.rpartition("\t")[2].strip() if self.format == "tsv" else line.strip()
        if value.startswith("{"):
            value = json_value(value, f"output of {self.command!r}", number).get("score", "")
        if value is None or str(value).lower() in _NOT_SCORED:
            return RowAnswer(None, remark="the command gave no score")
        try:
            score = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            score = math.nan
        if not math.isfinite(score):
            raise InputError(
                f"external: line {number} of the output of {self.command!r} is no score: "
                f"{str(value)[:60]!r}"
            )
        return RowAnswer(score)


def said(stderr: bytes) -> str:
    """The end of what a program complained of."""
    text = " ".join(stderr.decode("utf-8", "replace").split())
    return text[-_SAID:] or "it said nothing on standard error"


def _sides(row: AskedRow) -> dict[str, str | None]:
    references = row.translation.document.references.items()
    return {f"reference:{name}": lines[row.segment] for name, lines in references}


def _places(row: AskedRow) -> dict[str, str | int]:
    document = row.translation.document.id
    return {"system": row.translation.system, "document": document, "segment": row.segment + 1}


def _json_line(row: AskedRow) -> str:
    languages = {
        "source_language": row.translation.source_language,
        "target_language": row.translation.target_language,
    }
    references = {key.partition(":")[2]: text for key, text in _sides(row).items()}
    texts = {"source": row.source, "output": row.output, "references": references}
    return json.dumps({**_places(row), **languages, **texts}, ensure_ascii=False) + "\n"


def _cells(row: AskedRow) -> dict[str, str]:
    told = {**_places(row), "source": row.source, "output": row.output, **_sides(row)}
    return {key: "" if value is None else str(value) for key, value in told.items()}


def _tsv(rows: Sequence[AskedRow]) -> str:
    tables = [_cells(row) for row in rows]
    lines = [list(tables[0]), *(list(cells.values()) for cells in tables)]
    return "".join("\t".join(c.translate(_SPLIT) for c in line) + "\n" for line in lines)


def _with_remark(answer: RowAnswer, row: AskedRow) -> RowAnswer:
    """Says so where a text was changed to fit a line of TSV."""
    if answer.remark or all(cell.translate(_SPLIT) == cell for cell in _cells(row).values()):
        return answer
    remark = "tabs or line breaks became spaces; take format=jsonl"
    return RowAnswer(answer.score, answer.marks, remark)
