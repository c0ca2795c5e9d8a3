"""Markables against the WMT20 study: proposal, checks and overall score.

    python benchmarks/markables.py wmt20-elitr-testsuite [--aligner auto --seed 1 --company own]

Prints the recall of the 58 gold markables among the proposals, which all translations together
give rise to; precision, recall and F1 of every check against "any annotator marked it" on machine
translations, beside the F1 of two people, with thresholds chosen on the other documents; and the
correlation of the overall severity with that of people over document x system cells. Everything is
told twice: with all marks, and without the lines that the study's authors took for slips. An
aligner that samples its links draws others with another seed.
"""

import argparse
import sys
import time
from itertools import product
from pathlib import Path

from isogloss.alignment import AUTO
from isogloss.alignment import aligner as named_aligner
from isogloss.metaeval import MarkCounts, Value
from isogloss.metrics.markables import (
    Aligned,
    Markables,
    Phenomenon,
    Version,
    WordReader,
    align_versions,
    propose,
)
from isogloss.metrics.markables.checks import CHECKS
from isogloss.metrics.markables.examination import Languages, score_versions, surprise
from isogloss.metrics.markables.lexicon import SETTINGS, CheckSettings, Lexicon
from isogloss.metrics.markables.study import (
    Analysis,
    MarkableStudy,
    annotator_agreement,
    read_study,
)
from isogloss.metrics.markables.study.validation import (
    AlignedBy,
    Gold,
    Unit,
    cell_correlation,
    checked,
    counts,
    left_out_counts,
    predicted,
    recalled,
    severity_by_cell,
    system_correlation,
    with_everybody,
    with_the_reference,
)
from isogloss.spans import output_side

GRID = [
    CheckSettings(support=support, share=share, alike=alike)
    for support, share, alike in product((0.2, 0.3, 0.4), (0.3, 0.4, 0.5), (0.65, 0.7))
]
CONFLICT_GRID = [
    CheckSettings(support=support, merged=merged, merged_times=times, related=related)
    for support, merged, times, related in product(
        (0.2, 0.3, 0.4), (0.0, 0.2, 0.3, 0.4), (1, 2), (0.5, 0.6)
    )
]


def main() -> None:
    """Align, then print the three parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--aligner", default=AUTO)
    parser.add_argument("--choice", action="store_true", help="terminology and sense, too (slow)")
    parser.add_argument("--company", choices=("own", "all"), default="own")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    study = read_study(arguments.folder)
    chosen = arguments.aligner, arguments.seed
    together = timed_alignment(study, *chosen, "all")
    print_proposals(study, together)
    own = arguments.company == "own"
    aligned = timed_alignment(study, *chosen, "own") if own else together
    print_checks(study, aligned, arguments.company)
    if arguments.choice:
        print_choice(study, aligned)


def timed_alignment(study: MarkableStudy, name: str, seed: int, company: str) -> AlignedBy:
    """Every translation aligned, and how long that took."""
    began = time.perf_counter()
    aligned = aligned_study(study, name, seed, company)
    print(f"\naligner {name}, seed {seed}, company {company}: {time.perf_counter() - began:.0f} s")
    return aligned


def aligned_study(study: MarkableStudy, name: str, seed: int, company: str) -> AlignedBy:
    """Every translation; a system with the reference only, or all systems together."""
    found: dict[tuple[str, str], Aligned] = {}
    for collection in study.collections:
        testset = collection.testset
        source, target = testset.source_language, testset.target_language
        links = named_aligner(name, source_language=source, target_language=target, seed=seed)
        readers = WordReader(source).read, WordReader(target).read
        versions = {
            output.name: [
                Version(d, output.name, output_side(output.name), output.documents[d.id])
                for d in testset.documents
            ]
            for output in collection.outputs
        }
        groups = [tuple(versions)] if company == "all" else []
        groups = groups or [(name, *sorted(study.humans - {name})) for name in versions]
        for group in groups:
            together = [version for name in group for version in versions[name]]
            for result in align_versions(together, links, *readers):
                if company == "all" or result.system == group[0]:
                    found[result.document.id, result.system] = result
            print(f"  aligned {', '.join(group[:2])} ...", file=sys.stderr)
    return found


def print_proposals(study: MarkableStudy, aligned: AlignedBy) -> None:
    """Recall at 20 and 50 candidates per document."""
    print("proposal: gold markables among the first 20 and 50 of a document")
    totals = [0, 0]
    for document in study.documents:
        proposals = propose([a for (id, _), a in aligned.items() if id == document], 50)
        gold = [m for m in study.markables if m.document == document]
        sources = next(a.sources for (id, _), a in aligned.items() if id == document)
        hits = [recalled(gold, proposals[:first], sources) for first in (20, 50)]
        totals = [total + hit for total, hit in zip(totals, hits, strict=True)]
        print(f"  {document:8} {hits[0]:3} {hits[1]:3} of {len(gold)}")
    print(f"  {'all':8} {totals[0]:3} {totals[1]:3} of {len(study.markables)}")


def print_checks(study: MarkableStudy, aligned: AlignedBy, company: str) -> None:
    """Precision, recall, F1 (all documents, and left out), system r; and the overall score."""
    learnt_from = (
        with_everybody(aligned) if company == "all" else with_the_reference(aligned, study.humans)
    )
    by_settings = {each: checked(study, aligned, learnt_from, each) for each in GRID}
    of_conflict = (Phenomenon.CONFLICT,)
    merging = {e: checked(study, aligned, learnt_from, e, of_conflict) for e in CONFLICT_GRID}
    found = checked(study, aligned, learnt_from, SETTINGS)
    people = {row.phenomenon: row.f1 for row in annotator_agreement(study, humans=False)}
    rows = {"all marks": study.mark_rows, "without slips": Analysis(study).usable_marks}
    for name, chosen in rows.items():
        gold = Gold.of(chosen)
        print(f"\nchecks against anybody's mark, {name} ({len(gold.units):,} units)")
        print("  phenomenon        marked  precision recall  F1    left out  system r  two people")
        for phenomenon in CHECKS:
            units = predicted(found, phenomenon)
            all_counts = counts(gold, units, phenomenon)
            candidates = merging if phenomenon is Phenomenon.CONFLICT else by_settings
            by_document = left_out_counts(gold, candidates, phenomenon)
            left_out = sum(by_document.values(), MarkCounts(0, 0, 0))
            print(
                f"  {phenomenon.value:16} {len(gold.positive(phenomenon)):6}"
                f"  {shown(all_counts.precision):9} {shown(all_counts.recall):7}"
                f" {shown(all_counts.f1):5} {shown(left_out.f1):9}"
                f" {shown(system_correlation(gold, units, phenomenon)):9}"
                f" {shown(people[phenomenon])}"
            )
            print("    left out, right/found/marked: " + ", ".join(map(told, by_document.items())))
        cells = severity_by_cell(gold, found)
        overall = cell_correlation(gold, {cell: -value for cell, value in cells.items()})
        four = cell_correlation(
            gold,
            {cell: -value for cell, value in cells.items()},
            ("kufrc", "kufre", "broukc", "brouke"),
        )
        print(
            f"  minus the overall severity against people's, cells centred per document: "
            f"r {shown(overall)} (n {overall.count}); lease and audit {shown(four)} "
            f"(n {four.count})"
        )


def told(counted: tuple[str, MarkCounts]) -> str:
    """A document with what was found rightly, found at all, and marked by people."""
    document, of = counted
    right = of.true_positives
    return f"{document} {right}/{right + of.false_positives}/{right + of.false_negatives}"


def print_choice(study: MarkableStudy, aligned: AlignedBy) -> None:
    """How often the model is more surprised where people marked than where they did not (AUC)."""
    print("\nsurprise of the paraphraser, AUC by document: terminology, sense")
    gold = Gold.of(study.mark_rows)
    paraphraser = Markables().paraphraser()
    everybody = with_the_reference(aligned, study.humans)
    for document in study.documents:
        testset = study.collection(document).testset
        languages = Languages(str(testset.source_language), str(testset.target_language))
        machines = [a for (id, s), a in aligned.items() if id == document and s not in study.humans]
        scores = score_versions(paraphraser, machines, languages)
        markables = [m for m in study.markables if m.document == document]
        nats: dict[Unit, float] = {}
        for version in machines:
            lexicon = Lexicon(markables, everybody(document, version.system), SETTINGS)
            for head, renderings in lexicon.renderings(version).items():
                for number, rendering in enumerate(renderings):
                    value = surprise(version, rendering, scores)
                    if value is not None:
                        nats[document, head, number, version.system] = value
        told = [auc(nats, gold.positive(p)) for p in (Phenomenon.TERMINOLOGY, Phenomenon.SENSE)]
        print(f"  {document:8} " + "  ".join("-" if t is None else f"{t:.3f}" for t in told))


def auc(nats: dict[Unit, float], marked: set[Unit]) -> float | None:
    """The chance that a marked unit surprises more than one that is not."""
    here = [value for unit, value in nats.items() if unit in marked]
    there = [value for unit, value in nats.items() if unit not in marked]
    if not here or not there:
        return None
    wins = sum((one > other) + 0.5 * (one == other) for one in here for other in there)
    return wins / (len(here) * len(there))


def shown(value: Value) -> str:
    """Three digits, or a dash."""
    return "-" if value.value is None else f"{value.value:.3f}"


if __name__ == "__main__":
    main()
