"""Whole documents: how well isogloss finds the segments of texts that are not split like the source.

    python benchmarks/whole_documents.py WMT boundaries [--mweralign PATH/TO/mweralign]
    python benchmarks/whole_documents.py WMT findings
    python benchmarks/whole_documents.py WMT scores
    python benchmarks/whole_documents.py WMT speed

WMT is a folder with wmt20, wmt21.news, wmt22 and wmt23 in the layout of docs/test-sets.md. Outputs
of real systems, whose segments are known, are joined into one text per document, without any mark
between segments, or with a paragraph's mark after every third one.

*boundaries*: the F1 of the places where segments begin, and the share of segments that are recovered
exactly, without a reference and with one; beside a length-based aligner (Gale & Church, 1993) and
mweralign, which needs the reference, with a SentencePiece model that changes no character, trained
here on the references. *findings*: precision and recall of sentences that were left out, added,
repeated or swapped on purpose, in 1, 5 and 20 % of the segments. *scores*: what BLEU, chrF and prism
make of the recovered segments, against the true ones. *speed*: sentences a second, and memory, against
the length of the document.

Constants were chosen on wmt21.news/en-de, wmt20/zh-en and wmt22/en-zh, one system each
(``DEVELOPMENT``), which is left out of the tables.
"""

import argparse
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from isogloss import Collection, Document
from isogloss.formats import read_collection
from isogloss.segmentation import Segmenter, segmenter, sentence_places
from isogloss.wholes import Cut, Kind, WholeText

SETS = ("wmt20/en-de", "wmt20/zh-en", "wmt22/en-de", "wmt22/en-zh", "wmt23/en-de")
DEVELOPMENT = {"wmt20/zh-en": "Online-B.1605", "wmt22/en-zh": "Online-B"}
UNSPACED = ("zh", "ja")
SEED = 7


@dataclass(frozen=True, slots=True)
class Case:
    """A document as one system translated it: its segments, and the text that they were joined to."""

    document: Document
    system: str
    lines: tuple[str, ...]
    whole: WholeText
    starts: tuple[int, ...]

    @property
    def bare(self) -> Document:
        """The document without its references."""
        return replace(self.document, references={})

    def with_reference(self) -> Document:
        """The document with its first reference only."""
        name = next(iter(self.document.references))
        return replace(self.document, references={name: self.document.references[name]})


def joined(
    lines: Sequence[str], language: str, paragraphs: bool
) -> tuple[WholeText, tuple[int, ...]]:
    """The lines as one text, and where each begins in it."""
    between = "" if language in UNSPACED else " "
    text, starts, parts = "", [], [0]
    for number, line in enumerate(lines):
        if number:
            breaks = paragraphs and number % 3 == 0
            text += "\n" if breaks else between if line else ""
            if breaks:
                parts.append(len(text))
        starts.append(len(text))
        text += line
    ends = [*(start - 1 for start in parts[1:]), len(text)]
    return WholeText(text, tuple(zip(parts, ends, strict=True))), tuple(starts)


def cases(
    collection: Collection, systems: Sequence[str], paragraphs: bool = False
) -> Iterator[Case]:
    """Documents of several segments that a system translated whole."""
    language = collection.testset.target_language or ""
    for output in collection.with_systems(systems).outputs:
        for document in collection.testset.documents:
            lines = output.documents[document.id]
            if len(document) > 1 and None not in lines:
                tidy = tuple(" ".join((line or "").split()) for line in lines)
                yield Case(document, output.name, tidy, *joined(tidy, language, paragraphs))


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Counts of boundaries and of segments, which add up."""

    right: int = 0
    true: int = 0
    found: int = 0
    exact: int = 0
    segments: int = 0

    def __add__(self, other: "Boundaries") -> "Boundaries":
        return Boundaries(
            self.right + other.right,
            self.true + other.true,
            self.found + other.found,
            self.exact + other.exact,
            self.segments + other.segments,
        )

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.true + self.found)

    @classmethod
    def of(cls, case: Case, starts: Sequence[int]) -> "Boundaries":
        """Where segments were said to begin, against where they do."""
        true, found = set(case.starts[1:]), set(starts[1:])
        ends = [*case.starts[1:], None], [*starts[1:], None]
        pairs = zip(case.starts, starts, *ends, strict=True)
        exact = sum(a == b and c == d for a, b, c, d in pairs)
        return cls(len(true & found), len(true), len(found), exact, len(starts))


def shown_starts(cut: Cut) -> list[int]:
    """Where the text of each segment begins."""
    return [start for start, _ in cut.shown]


# --- the yardsticks


def by_length(case: Case, languages: tuple[str, str]) -> list[int]:
    """Where segments begin by their lengths alone: sentences dealt out as Gale and Church do."""
    sentences = [
        (start + begin, start + end)
        for start, stop in case.whole.parts
        for begin, end in sentence_places(case.whole.visible[start:stop], languages[1])
    ]
    source = np.array([len(line) for line in case.document.source], dtype=float)
    ends = np.array([0, *(end for _, end in sentences)], dtype=float)
    ratio = ends[-1] / max(1.0, source.sum())
    taken = _dealt(source * ratio, ends)
    firsts = [sentences[k][0] if k < len(sentences) else len(case.whole.text) for k in taken]
    return [0, *firsts[1:]]


def _dealt(expected: np.ndarray, ends: np.ndarray) -> list[int]:
    """The first sentence of each segment, for the least squared surprise."""
    count = len(ends) - 1
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    back: list[np.ndarray] = []
    for length in expected:
        taken = ends[None, :] - ends[:, None]
        cost = (taken - length) ** 2 / (6.8 * max(length, 1.0)) + 1e9 * (taken < 0)
        cost = cost + 3.0 * (taken == 0)
        total = best[:, None] + cost
        back.append(total.argmin(axis=0))
        best = total.min(axis=0)
    firsts, here = [], count
    for step in reversed(back):
        here = int(step[here])
        firsts.append(here)
    return firsts[::-1]


def by_mweralign(program: Path, every: Sequence[Case], language: str) -> Iterator[list[int]]:
    """Where segments begin by mweralign, given the first reference."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        references = [next(iter(case.document.references.values())) for case in every]
        lines = [line or "" for reference in references for line in reference]
        (work / "ref").write_text("\n".join(lines) + "\n", encoding="utf-8")
        texts = [case.whole.visible for case in every]
        (work / "hyp").write_text("\n".join(texts) + "\n", encoding="utf-8")
        ids = [str(n) for n, reference in enumerate(references) for _ in reference]
        (work / "ids").write_text("\n".join(ids) + "\n", encoding="utf-8")
        model = _identity_pieces(work, [*lines, *texts])
        command = [program, "-r", work / "ref", "-t", work / "hyp", "-d", work / "ids"]
        command += ["-m", model, "-l", language, "-o", work / "out"]
        subprocess.run(command, check=True, capture_output=True)
        cut = iter((work / "out").read_text(encoding="utf-8").split("\n"))
        for case in every:
            yield _starts_of([next(cut) for _ in case.lines], case.whole.visible)


def _identity_pieces(work: Path, texts: Sequence[str]) -> Path:
    """A SentencePiece model that changes no character, as mweralign's authors advise."""
    from sentencepiece import SentencePieceTrainer

    SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_prefix=str(work / "pieces"),
        vocab_size=16_000,
        character_coverage=1.0,
        normalization_rule_name="identity",
        hard_vocab_limit=False,
        max_sentence_length=100_000,
        minloglevel=2,
    )
    return work / "pieces.model"


def _starts_of(lines: Sequence[str], text: str) -> list[int]:
    """Where lines begin in the text that they are pieces of, whatever spaces they have lost."""
    letters = [place for place, letter in enumerate(text) if not letter.isspace()]
    letters.append(len(text))
    starts, seen = [], 0
    for line in lines:
        starts.append(letters[min(seen, len(letters) - 1)])
        seen += sum(not letter.isspace() for letter in line)
    return [0, *starts[1:]]


# --- the parts


def print_boundaries(folder: Path, settings: argparse.Namespace) -> None:
    """F1 of boundaries and exact segments, by set and by who cut."""
    print("set            text        by                       F1    exact  segments")
    for name in settings.sets:
        collection = read_collection(folder / name)
        languages = _languages(collection)
        cutter = segmenter(*languages)
        for paragraphs in (False, True):
            every = list(cases(collection, _systems(collection, name, settings), paragraphs))
            kind = "paragraphs" if paragraphs else "one string"
            ways: dict[str, Callable[[Case], list[int]]] = {
                "length": lambda case: by_length(case, languages),
                "isogloss": lambda case: shown_starts(cutter.cut(case.bare, case.whole)),
                "isogloss, reference": lambda case: shown_starts(
                    cutter.cut(case.with_reference(), case.whole)
                ),
            }
            for who, starts in ways.items():
                counts = (Boundaries.of(case, starts(case)) for case in every)
                _print_row(name, kind, who, sum(counts, Boundaries()))
            if settings.mweralign:
                theirs = by_mweralign(settings.mweralign, every, languages[1])
                pairs = zip(every, theirs, strict=True)
                total = sum((Boundaries.of(case, starts) for case, starts in pairs), Boundaries())
                _print_row(name, kind, "mweralign, reference", total)


def _print_row(name: str, kind: str, who: str, counts: Boundaries) -> None:
    exact = counts.exact / counts.segments
    print(
        f"{name:14} {kind:11} {who:22} {counts.f1:.4f} {exact:.4f} {counts.segments:8,}", flush=True
    )


def _languages(collection: Collection) -> tuple[str, str]:
    testset = collection.testset
    return testset.source_language or "", testset.target_language or ""


def _systems(collection: Collection, name: str, settings: argparse.Namespace) -> list[str]:
    others = [s for s in collection.system_names if s != DEVELOPMENT.get(name)]
    return others[: settings.systems]


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A text with something wrong on purpose: which segments miss, and which places are extra."""

    whole: WholeText
    missing: frozenset[int]
    extra: tuple[tuple[int, int], ...]


def spoilt(
    case: Case, how: Kind, share: float, strangers: Sequence[str], language: str, lot: random.Random
) -> Spoilt:
    """The case's text with so many of its segments left out, or others put in."""
    pieces: list[tuple[str, bool]] = []
    missing: set[int] = set()
    drawn = [lot.random() < share for _ in case.lines]
    for number, line in enumerate(case.lines):
        if how is Kind.OMITTED and drawn[number] and line:
            missing.add(number)
            continue
        pieces.append((line, False))
        if how is Kind.ADDED and drawn[number]:
            pieces.append((lot.choice(strangers), True))
        if how is Kind.REPEATED and drawn[number]:
            pieces += [(again, True) for again in case.lines[max(0, number - 1) : number + 1]]
    if how is Kind.MOVED:
        pieces, missing = _swapped(case, drawn)
    whole, starts = joined([text for text, _ in pieces], language, paragraphs=False)
    extra = [
        (start, start + len(text))
        for start, (text, wrong) in zip(starts, pieces, strict=True)
        if wrong
    ]
    return Spoilt(whole, frozenset(missing), tuple(extra))


def _swapped(case: Case, drawn: Sequence[bool]) -> tuple[list[tuple[str, bool]], set[int]]:
    """Paragraphs of two segments that change places with the next two; both count as moved."""
    order = list(range(len(case.lines)))
    moved: set[int] = set()
    number = 0
    while number + 4 <= len(order):
        if drawn[number]:
            order[number : number + 4] = [number + 2, number + 3, number, number + 1]
            moved |= set(range(number, number + 4))
            number += 4
        else:
            number += 1
    return [(case.lines[k], False) for k in order], moved


def print_findings(folder: Path, settings: argparse.Namespace) -> None:
    """Precision and recall of what was left out, added, repeated and moved on purpose."""
    print("set            wrong     share  put in  found  right  precision recall   F1")
    for name in settings.sets:
        collection = read_collection(folder / name)
        languages = _languages(collection)
        cutter = segmenter(*languages)
        every = list(cases(collection, _systems(collection, name, settings)[:1]))
        strangers = [line for case in every for line in case.lines if len(line) > 20]
        for how in Kind:
            for share in (0.0, 0.01, 0.05, 0.2):
                lot = random.Random(SEED)
                total = np.zeros(3, dtype=int)
                for case in every:
                    text = spoilt(case, how, share, strangers, languages[1], lot)
                    total += judged(cutter.cut(case.bare, text.whole), text, how, case)
                _print_finding(name, how, share, total)


def judged(cut: Cut, text: Spoilt, how: Kind, case: Case) -> np.ndarray:
    """How many were put in, found, and found rightly."""
    found = [each for each in cut.disparities if each.kind is how]
    if how is Kind.OMITTED:
        said = _mostly_missing(found, case.document)
        return np.array([len(text.missing), len(said), len(said & text.missing)])
    if how is Kind.MOVED:
        # Either of two paragraphs that changed places may be called the one that was moved.
        groups = {number // 2 for number in text.missing}
        hits = {each.segment for each in found}
        right = len(hits & text.missing)
        return np.array([len(groups), len(hits), right])
    places = [each.output for each in found if each.output]
    right = sum(any(_half_of(place, extra) for extra in text.extra) for place in places)
    met = sum(any(_half_of(place, extra) for place in places) for extra in text.extra)
    return np.array(
        [len(text.extra), len(places), right if met == len(text.extra) else min(right, met)]
    )


def _mostly_missing(found: Sequence[object], document: Document) -> frozenset[int]:
    lengths: dict[int, int] = {}
    for each in found:
        start, end = each.source
        lengths[each.segment] = lengths.get(each.segment, 0) + end - start
    return frozenset(s for s, length in lengths.items() if 2 * length > len(document.source[s]))


def _half_of(place: tuple[int, int], extra: tuple[int, int]) -> bool:
    common = min(place[1], extra[1]) - max(place[0], extra[0])
    return 2 * common > min(place[1] - place[0], extra[1] - extra[0])


def _print_finding(name: str, how: Kind, share: float, counts: np.ndarray) -> None:
    put_in, found, right = (int(count) for count in counts)
    precision = right / found if found else float("nan")
    recall = right / put_in if put_in else float("nan")
    f1 = 2 * right / (found + put_in) if put_in else float("nan")
    print(
        f"{name:14} {how.value:9} {share:5.2f} {put_in:7} {found:6} {right:6} {precision:10.3f} "
        f"{recall:6.3f} {f1:6.3f}",
        flush=True,
    )


PARTS = {"boundaries": print_boundaries, "findings": print_findings}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--systems", type=int, default=3, help="of each set, the first ones")
    parser.add_argument("--mweralign", type=Path, help="its program, in an environment of its own")
    settings = parser.parse_args()
    PARTS[settings.part](settings.folder, settings)


if __name__ == "__main__":
    main()
