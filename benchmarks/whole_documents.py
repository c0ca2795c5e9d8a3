"""Whole documents: how well the segments of texts are found that are not split like the source.

    python benchmarks/whole_documents.py WMT boundaries [--mweralign PATH/TO/mweralign]
    python benchmarks/whole_documents.py WMT findings
    python benchmarks/whole_documents.py WMT scores
    python benchmarks/whole_documents.py WMT speed

WMT is a folder with wmt20, wmt21.news, wmt22 and wmt23 in the layout of docs/test-sets.md. Outputs
of real systems, whose segments are known, are joined into one text per document, without any mark
between segments, or with a paragraph's mark after every third one.

*boundaries*: the F1 of the places where segments begin, and the share of segments recovered
exactly, without a reference and with one; beside a length-based aligner (after Gale & Church, 1993)
and mweralign (GPL, so never part of isogloss: install it elsewhere and name its program), which
needs the reference, with a SentencePiece model that changes no character, trained here.
*findings*: precision and recall of segments that were left out, put in from elsewhere, repeated or
swapped on purpose, 0, 1, 5 and 20 % of them; where nothing was done, what is found may be there all
the same. Every other document was looked at when constants were chosen (``--development``); the
rest are reported. *scores*: what metrics make of the recovered segments, against the true ones.
*speed*: sentences a second, seconds of the processor, since machines are shared, and memory,
against the length of the document.

Constants were chosen on wmt21.news/en-de, wmt20/zh-en and wmt22/en-zh, one system each
(``DEVELOPMENT``), which is left out of the tables.
"""

import argparse
import random
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss import Collection, Document, ScoreTable, compare, evaluate
from isogloss.comparison import Comparison
from isogloss.documents import Segments, Unsplit
from isogloss.formats import read_collection
from isogloss.runtime import Runtime
from isogloss.scores import SystemScore
from isogloss.segmentation import segmenter, sentence_places, split
from isogloss.wholes import Cut, Disparity, Kind, Place, WholeText

SETS = ("wmt20/en-de", "wmt20/zh-en", "wmt22/en-de", "wmt22/en-zh", "wmt23/en-de")
DEVELOPMENT = {"wmt20/zh-en": "Online-B.1605", "wmt22/en-zh": "Online-B"}
UNSPACED = ("zh", "ja")
SEED = 7

Counts = NDArray[np.int64]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Case:
    """A document as one system translated it: its segments, and the text made of them."""

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
    lines: Sequence[str], language: str, paragraphs: bool = False
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
        files: list[str | Path] = [
            "-r",
            work / "ref",
            "-t",
            work / "hyp",
            "-d",
            work / "ids",
            "-o",
            work / "out",
        ]
        command = [program, *files, "-m", model, "-l", language]
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
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
        for paragraphs in (False, True)[: 1 if settings.one_string else 2]:
            every = list(cases(collection, _systems(collection, name, settings), paragraphs))
            kind = "paragraphs" if paragraphs else "one string"
            for who, found in _each_way(every, _languages(collection), settings.mweralign):
                if settings.by and who not in settings.by:
                    continue
                counts = (Boundaries.of(case, s) for case, s in zip(every, found, strict=True))
                _print_row(name, kind, who, sum(counts, Boundaries()))


def _each_way(
    every: Sequence[Case], languages: tuple[str, str], mweralign: Path | None
) -> Iterator[tuple[str, Iterable[list[int]]]]:
    """Who cuts, and where segments begin by them, case by case."""
    cutter = segmenter(*languages)
    yield "length", (by_length(case, languages) for case in every)
    yield "isogloss", (shown_starts(cutter.cut(case.bare, case.whole)) for case in every)
    with_reference = (cutter.cut(case.with_reference(), case.whole) for case in every)
    yield "isogloss, reference", map(shown_starts, with_reference)
    if mweralign:
        yield "mweralign, reference", by_mweralign(mweralign, every, languages[1])


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
    """A text with something wrong on purpose: what of the source, or which places, is concerned.

    `groups` are segments, and `extra` places, of which at least one has to be found.
    """

    whole: WholeText
    groups: tuple[frozenset[int], ...] = ()
    extra: tuple[tuple[Place, ...], ...] = ()


def spoilt(
    case: Case, how: Kind, share: float, strangers: Sequence[str], language: str, lot: random.Random
) -> Spoilt:
    """The case's text with so many of its segments left out, moved, or others put in."""
    drawn = [lot.random() < share for _ in case.lines]
    if how is Kind.OMITTED:
        gone = [number for number, line in enumerate(case.lines) if drawn[number] and line]
        kept = [line for number, line in enumerate(case.lines) if number not in gone]
        return Spoilt(joined(kept, language)[0], tuple(frozenset([number]) for number in gone))
    if how is Kind.MOVED:
        order, groups = _swapped(drawn)
        return Spoilt(joined([case.lines[number] for number in order], language)[0], groups)
    pieces: list[tuple[str, int | None]] = []  # with the one that it repeats; its own if a stranger
    for number, line in enumerate(case.lines):
        own = len(pieces)
        pieces.append((line, None))
        if drawn[number] and how is Kind.ADDED:
            pieces.append((lot.choice(strangers), own + 1))
        elif drawn[number] and line:
            pieces.append((line, own))
    whole, starts = joined([text for text, _ in pieces], language)
    places = [(start, start + len(text)) for start, (text, _) in zip(starts, pieces, strict=True)]
    extra = [
        (place, places[of]) for place, (_, of) in zip(places, pieces, strict=True) if of is not None
    ]
    return Spoilt(whole, extra=tuple(extra))


def _swapped(drawn: Sequence[bool]) -> tuple[list[int], tuple[frozenset[int], ...]]:
    """An order in which two segments change places with the two after them, and who did so."""
    order, groups, number = list(range(len(drawn))), [], 0
    while number + 4 <= len(order):
        step = 4 if drawn[number] else 1
        if step == 4:
            order[number : number + 4] = [number + 2, number + 3, number, number + 1]
            groups.append(frozenset(range(number, number + 4)))
        number += step
    return order, tuple(groups)


def print_findings(folder: Path, settings: argparse.Namespace) -> None:
    """Precision and recall of what was left out, added, repeated and moved on purpose."""
    print("set            wrong     share  put in  met   found  right  precision recall    F1")
    for name in settings.sets:
        collection = read_collection(folder / name)
        languages = _languages(collection)
        cutter = segmenter(*languages)
        every = list(cases(collection, _systems(collection, name, settings)[:1]))
        every = every[0 if settings.development else 1 :: 2]
        every = [case for case in every if settings.like in case.document.id]
        every = _some(every, settings.documents or 60)
        for how in Kind:
            for share in settings.shares:
                lot = random.Random(SEED)
                total = np.zeros(4, dtype=int)
                for case in every:
                    text = spoilt(case, how, share, _strangers(every, case), languages[1], lot)
                    total += judged(cutter.cut(case.bare, text.whole), text, how, case.document)
                _print_finding(name, how, share, total)


def _strangers(every: Sequence[Case], but: Case) -> list[str]:
    """Sentences of other documents."""
    return [line for case in every if case is not but for line in case.lines if len(line) > 20]


def judged(cut: Cut, text: Spoilt, how: Kind, document: Document) -> Counts:
    """How many were put in, how many of those were met; how many were found, how many rightly.

    What was repeated on purpose is found, too, where it is called an addition.
    """
    kinds = {how, Kind.ADDED} if how is Kind.REPEATED else {how}
    found = [each for each in cut.disparities if each.kind in kinds]
    if how in (Kind.OMITTED, Kind.MOVED):
        said = _mostly(found, document)
        met = sum(bool(group & said) for group in text.groups)
        right = len(said & frozenset().union(*text.groups))
        return np.array([len(text.groups), met, len(said), right])
    places = [each.output for each in found if each.output]
    met = sum(any(_half_of(p, place) for p in places for place in either) for either in text.extra)
    wrong = [place for either in text.extra for place in either]
    right = sum(any(_half_of(p, place) for place in wrong) for p in places)
    return np.array([len(text.extra), met, len(places), right])


def _mostly(found: Sequence[Disparity], document: Document) -> frozenset[int]:
    """The segments of which more than half is said to be concerned."""
    letters: dict[int, int] = {}
    for each in found:
        start, end = each.source or (0, 0)
        letters[each.segment] = letters.get(each.segment, 0) + end - start
    return frozenset(s for s, count in letters.items() if 2 * count > len(document.source[s]))


def _half_of(place: Place, extra: Place) -> bool:
    common = min(place[1], extra[1]) - max(place[0], extra[0])
    return 2 * common > min(place[1] - place[0], extra[1] - extra[0])


def _print_finding(name: str, how: Kind, share: float, counts: Counts) -> None:
    put_in, met, found, right = (int(count) for count in counts)
    precision = right / found if found else float("nan")
    recall = met / put_in if put_in else float("nan")
    f1 = 2 * precision * recall / (precision + recall) if met and right else float("nan")
    print(
        f"{name:14} {how.value:9} {share:5.2f} {put_in:7} {met:5} {found:6} {right:6} "
        f"{precision:10.3f} {recall:6.3f} {f1:6.3f}",
        flush=True,
    )


def print_scores(folder: Path, settings: argparse.Namespace) -> None:
    """What metrics make of recovered segments: differences, and the order of systems."""
    print(
        "set            reference  metric  mean diff  largest segment r  document r  order verdicts"
    )
    for name in settings.sets:
        collection = read_collection(folder / name)
        reference = collection.testset.reference_names[0]
        collection = collection.with_references([reference])
        collection = collection.with_systems(_systems(collection, name, settings))
        ids = [document.id for document in collection.testset.documents]
        collection = collection.with_documents(_some(ids, settings.documents or len(ids)))
        whole = _handed_in_whole(collection)
        bare = replace(whole, testset=whole.testset.with_references([]))
        runtime = Runtime(settings.device)
        true = evaluate(collection, settings.metrics, runtime=runtime)
        for helped, given in (("used", whole), ("not used", bare)):
            cut = split(given)
            recovered = replace(collection, outputs=cut.outputs)
            theirs = evaluate(recovered, settings.metrics, runtime=runtime)
            _print_difference(name, helped, true, theirs)
        uncut = evaluate(_uncut(collection), settings.metrics, runtime=runtime)
        _print_difference(name, "uncut", true, uncut)


def _some(every: Sequence[T], count: int) -> list[T]:
    """So many of them, evenly spaced."""
    return list(every[:: max(1, len(every) // count)][:count])


def _uncut(collection: Collection) -> Collection:
    """The collection with a segment a document: what metrics make of it without any cut."""
    ours, theirs = _languages(collection)

    def one(lines: Segments, language: str) -> tuple[str]:
        return (joined([line or "" for line in lines], language)[0].text,)

    documents = tuple(
        replace(
            document,
            source=one(document.source, ours),
            references={name: one(lines, theirs) for name, lines in document.references.items()},
        )
        for document in collection.testset.documents
    )
    outputs = (
        replace(o, documents={id: one(lines, theirs) for id, lines in o.documents.items()})
        for o in collection.outputs
    )
    return Collection(replace(collection.testset, documents=documents), tuple(outputs))


def _handed_in_whole(collection: Collection) -> Collection:
    """The collection with every document of every system in one string."""
    language = collection.testset.target_language or ""
    waiting = []
    for output in collection.outputs:
        texts = {
            id: joined([" ".join((line or "").split()) for line in lines], language)[0]
            for id, lines in output.documents.items()
        }
        waiting.append(Unsplit(output.name, texts))
    return Collection(collection.testset, unsplit=tuple(waiting))


def _print_difference(name: str, helped: str, true: ScoreTable, cut: ScoreTable) -> None:
    for info in true.metrics:
        systems = [row.system for row in true.rows if row.metric == info.name]
        ours = np.array([true[info.name, s].score for s in systems])
        theirs = np.array([cut[info.name, s].score for s in systems])
        segments = _correlation(true, cut, info.name, _segment_scores)
        documents = _correlation(true, cut, info.name, _document_scores)
        pairs = list(combinations(range(len(systems)), 2))
        equal = sum((ours[a] - ours[b]) * (theirs[a] - theirs[b]) > 0 for a, b in pairs)
        verdicts = _equal_verdicts(true, cut, info.name)
        change = theirs - ours
        print(
            f"{name:14} {helped:10} {info.name:7} {change.mean():+9.3f} {abs(change).max():8.3f} "
            f"{segments:10.4f} {documents:10.4f} {f'{equal}/{len(pairs)}':>6} {verdicts:>9}",
            flush=True,
        )


def _equal_verdicts(true: ScoreTable, cut: ScoreTable, metric: str) -> str:
    """Of how many pairs of systems is the same said: this one is better, that one, or neither."""
    (ours,), (theirs,) = compare(true, [metric]), compare(cut, [metric])
    pairs = [(test.first, test.second) for test in ours.pairs]
    same = sum(_verdict(ours, *pair) == _verdict(theirs, *pair) for pair in pairs)
    return f"{same}/{len(pairs)}"


def _verdict(comparison: Comparison, one: str, other: str) -> str:
    """Which of two systems is said to be better, if either."""
    test = comparison.pair(one, other)
    if not comparison.is_real(test):
        return "neither"
    return test.first if (test.difference or 0.0) > 0 else test.second


def _correlation(
    true: ScoreTable,
    cut: ScoreTable,
    metric: str,
    scores: Callable[[SystemScore], list[float | None]],
) -> float:
    """Pearson's r of the two tables' scores; not a number where they have not as many."""
    ours, theirs = (
        np.array([score for row in table.rows if row.metric == metric for score in scores(row)])
        for table in (true, cut)
    )
    if len(ours) != len(theirs):
        return float("nan")
    both = np.array([ours, theirs], dtype=float)
    return float(np.corrcoef(both[:, ~np.isnan(both).any(axis=0)])[0, 1])


def _segment_scores(row: SystemScore) -> list[float | None]:
    return [score for document in row.documents for score in document.segment_scores]


def _document_scores(row: SystemScore) -> list[float | None]:
    return [document.score for document in row.documents]


LENGTHS = (100, 1_000, 2_500, 5_000, 10_000)  # in sentences


def print_speed(folder: Path, settings: argparse.Namespace) -> None:
    """Sentences a second, and the most memory, for documents of growing length."""
    collection = read_collection(folder / "wmt22/en-de")
    system = collection.outputs[0]
    source = [line for d in collection.testset.documents for line in d.source]
    target = [line or "" for d in collection.testset.documents for line in system.documents[d.id]]
    cutter = segmenter(*_languages(collection))
    print("sentences    seconds  processor  a second  boundary F1  memory MB")
    for length in settings.lengths:
        # Longer documents go through the set again, numbered: so much alike that F1 has to fall.
        lines = [source[k % len(source)] + _mark(k, len(source)) for k in range(length)]
        texts = [target[k % len(target)] + _mark(k, len(target)) for k in range(length)]
        case = Case(Document("d", tuple(lines)), "s", tuple(texts), *joined(texts, "de"))
        begun, busy = perf_counter(), process_time()
        counts = Boundaries.of(case, shown_starts(cutter.cut(case.document, case.whole)))
        took, worked = perf_counter() - begun, process_time() - busy
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{length:9,} {took:10.1f} {worked:10.1f} {length / took:9.0f} {counts.f1:12.4f} "
            f"{memory:10.0f}",
            flush=True,
        )


def _mark(number: int, length: int) -> str:
    return f" ({number // length})" if number >= length else ""


PARTS = {
    "boundaries": print_boundaries,
    "findings": print_findings,
    "scores": print_scores,
    "speed": print_speed,
}


def main() -> None:
    """Print one part."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--systems", type=int, default=3, help="of each set, the first ones")
    parser.add_argument("--like", default="", help="findings in documents whose ids have this")
    parser.add_argument(
        "--documents", type=int, help="of each set, evenly spaced; for findings 60, for scores all"
    )
    parser.add_argument(
        "--development", action="store_true", help="findings in the other half of the documents"
    )
    parser.add_argument(
        "--shares", type=float, nargs="+", default=(0.0, 0.01, 0.05, 0.2), help="for findings"
    )
    parser.add_argument("--metrics", default="bleu,chrf,prism", help="for scores")
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, help="for speed")
    parser.add_argument("--device", default="cpu", help="where they run: cpu, cuda or auto")
    parser.add_argument("--by", nargs="+", help="who cuts, for boundaries; all by default")
    parser.add_argument("--one-string", action="store_true", help="no paragraphs, for boundaries")
    parser.add_argument("--mweralign", type=Path, help="its program, in an environment of its own")
    settings = parser.parse_args()
    PARTS[settings.part](settings.folder, settings)


if __name__ == "__main__":
    main()
