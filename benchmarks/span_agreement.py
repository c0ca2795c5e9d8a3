"""Do the verdicts of ``isogloss spans`` hold? Coverage, false positives and chance, by simulation.

    python benchmarks/span_agreement.py [--trials 1000] [--sizes 5,10,20,50]
    python benchmarks/span_agreement.py --example FOLDER

A document is made of four segments by two systems, 120 characters each. How many errors its
translations have differs from document to document (gamma, mean 1.5). People mark an error in 7 of
10 cases, a metric in 5 of 10, with ends that are off by up to three characters and a severity that
is right in 7 of 10 cases; a metric marks as many places again that are no errors. Three shares:

* coverage: how often the 95 % interval of F1 holds F1 on 4,000 documents;
* falsely better: how often the second of two such metrics is put a rank below, by chance;
* above chance: how often marks at random places reach p <= .05 against the marks at other random
  places that ``by chance`` stands for.

With ``--example``, two made annotators mark words of the bundled sample, and a made metric some of
the same: ``ratings.tsv`` (MQM) and ``xcomet.json``, which the page on meta-evaluation compares.
"""

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

import isogloss
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.formats import write_judgements
from isogloss.judgements import GOOGLE_MQM, ErrorMark, Judgement, Judgements, scored_by_errors
from isogloss.metaeval import SpanSettings, Texts, span_agreement
from isogloss.metaeval.error_spans import Mark, Marks, Reading, Unit
from isogloss.spans import Span

SYSTEMS, SEGMENTS, LENGTH = ("a", "b"), 4, 120
LARGE = 4000
Error = tuple[int, int, str]


def collection(documents: int) -> Collection:
    """So many documents of nothing but a letter."""
    known = tuple(Document(f"d{n}", ("x",) * SEGMENTS) for n in range(documents))
    outputs = {document.id: ("x" * LENGTH,) * SEGMENTS for document in known}
    return Collection(
        TestSet("made", None, None, known), tuple(SystemOutput(s, outputs) for s in SYSTEMS)
    )


def true_errors(documents: int, rng: np.random.Generator) -> dict[Unit, list[Error]]:
    """The errors of every translation."""
    found: dict[Unit, list[Error]] = {}
    for n in range(documents):
        rate = rng.gamma(1.0, 1.5)
        for system in SYSTEMS:
            for segment in range(SEGMENTS):
                found[system, f"d{n}", segment] = [
                    random_error(rng) for _ in range(rng.poisson(rate))
                ]
    return found


def random_error(rng: np.random.Generator) -> Error:
    """An error anywhere in a translation."""
    size = int(rng.integers(3, 20))
    start = int(rng.integers(0, LENGTH - size + 1))
    return start, start + size, str(rng.choice(["minor", "major"]))


def marked(
    name: str,
    errors: dict[Unit, list[Error]],
    rng: np.random.Generator,
    seen: float,
    false_alarms: float = 0.0,
) -> Marks:
    """What somebody marks who sees that share of the errors."""
    readings = []
    for unit, known in errors.items():
        marks = [mark(error, rng) for error in known if rng.random() < seen]
        alarms = rng.poisson(false_alarms * len(known))
        marks += [mark(random_error(rng), rng) for _ in range(alarms)]
        readings.append(Reading(unit, tuple(marks)))
    return Marks(name, tuple(readings))


def mark(error: Error, rng: np.random.Generator) -> Mark:
    """How somebody marks an error whom its ends and severity give trouble."""
    start = max(0, error[0] + int(rng.integers(-3, 4)))
    end = min(LENGTH, max(start + 1, error[1] + int(rng.integers(-3, 4))))
    other = "minor" if error[2] == "major" else "major"
    return Mark(start, end, error[2] if rng.random() < 0.7 else other)  # type: ignore[arg-type]


def campaign(documents: int, rng: np.random.Generator) -> tuple[Marks, Marks, Marks]:
    """People and two metrics that are alike."""
    errors = true_errors(documents, rng)
    one, other = (marked(name, errors, rng, 0.5, 0.5) for name in ("one", "other"))
    return marked("people", errors, rng, 0.7), one, other


def share(hits: int, trials: int) -> str:
    """A share with its standard error."""
    part = hits / trials
    return f"{part:.3f} ± {np.sqrt(part * (1 - part) / trials):.3f}"


def over(trials: int, size: int, seed: int, happens: Callable[[np.random.Generator], bool]) -> str:
    """In how many trials it happens."""
    rng = np.random.default_rng([seed, size])
    return share(sum(happens(rng) for _ in range(trials)), trials)


def write_example(folder: Path, seed: int) -> None:
    """Ratings of the bundled sample by two annotators, and marks of a metric."""
    rng = np.random.default_rng(seed)
    sample = isogloss.load_sample("cs-en")
    wrong = {"steady": 0.02, "shifting": 0.06, "tangled": 0.15}
    items, lines = [], {}
    for output in sample.outputs:
        lines[f"{output.name}.txt"] = records = []
        for document in sample.testset.documents:
            for segment, text in enumerate(output.documents[document.id]):
                words = [w.span() for w in re.finditer(r"\w+", text or "")]
                errors = [w for w in words if rng.random() < wrong[output.name]]
                side = f"output:{output.name}"
                for rater in ("anna", "bert"):
                    seen = [word_mark(error, rng) for error in errors if rng.random() < 0.7]
                    marks = tuple(
                        ErrorMark(
                            "accuracy/mistranslation",
                            severity,
                            Span(document.id, side, segment, start, end),
                        )
                        for start, end, severity in seen
                    )
                    items.append(Judgement(output.name, document.id, segment, rater, errors=marks))
                record = {"src": document.source[segment], "mt": text, "COMET": 0.5}
                found = [word_mark(error, rng) for error in errors if rng.random() < 0.5]
                if found:
                    record["errors"] = [
                        {"text": text[s:e], "confidence": 0.5, "severity": k, "start": s, "end": e}
                        for s, e, k in found
                    ]
                records.append(record)
    folder.mkdir(parents=True, exist_ok=True)
    judgements = Judgements("mqm", scored_by_errors(items, GOOGLE_MQM))
    write_judgements(judgements, sample, folder / "ratings.tsv")
    (folder / "xcomet.json").write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")


def word_mark(word: tuple[int, int], rng: np.random.Generator) -> tuple[int, int, str]:
    """A word, marked from up to four letters before it."""
    start = max(0, word[0] - int(rng.choice([0, 0, 0, 4])))
    return start, word[1], str(rng.choice(["minor", "minor", "major"]))


def main() -> None:
    """Print a row for each number of documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--sizes", default="5,10,20,50")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--example", type=Path, help="a folder for made ratings of the sample")
    given = parser.parse_args()
    if given.example:
        write_example(given.example, given.seed)
        return
    people, metric, _ = campaign(LARGE, np.random.default_rng(given.seed))
    quick = SpanSettings(draws=0, resamples=999)
    (large,) = span_agreement(people, [metric], Texts(collection(LARGE)), quick).findings
    assert large.exact is not None
    truth = large.exact.f1.value.value or 0.0
    print(f"F1 on {LARGE} documents: {truth:.3f}")
    print("documents  coverage       falsely better  above chance")
    for size in map(int, given.sizes.split(",")):
        texts = Texts(collection(size))

        def covered(rng: np.random.Generator, size: int = size, texts: Texts = texts) -> bool:
            people, one, _ = campaign(size, rng)
            f1 = span_agreement(people, [one], texts, quick).findings[0].exact
            low, high = (f1.f1.low, f1.f1.high) if f1 else (None, None)
            return low is not None and high is not None and low <= truth <= high

        def better(rng: np.random.Generator, size: int = size, texts: Texts = texts) -> bool:
            people, one, other = campaign(size, rng)
            found = span_agreement(people, [one, other], texts, quick).findings
            return found[0].name == "one" and found[1].rank == 2

        def above(rng: np.random.Generator, size: int = size, texts: Texts = texts) -> bool:
            errors = true_errors(size, rng)
            people = marked("people", errors, rng, 0.7)
            blind = marked("blind", true_errors(size, rng), rng, 0.5)
            settings = SpanSettings(draws=99, resamples=99)
            found = span_agreement(people, [blind], texts, settings).findings[0].exact
            return found is not None and (found.p or 1.0) <= 0.05

        cells = [over(given.trials, size, given.seed, test) for test in (covered, better, above)]
        print(f"{size:9}  {cells[0]}  {cells[1]}   {cells[2]}", flush=True)


if __name__ == "__main__":
    main()
