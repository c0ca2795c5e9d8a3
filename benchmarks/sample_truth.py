"""Checks held to the bundled sample, whose truth is written down in isogloss/sample/truth.toml.

    python benchmarks/sample_truth.py [--aligner auto] [--without-references]

For `steady` (made consistent) and `shifting` (made to vary its terms): how many findings are right,
and how much of what was put in is found. Inconsistency, from `markables check` and from the list of
`consistency`, is judged place by place and word by word. Nothing was left out of these two systems
and no terms were merged, so that every conflict and every disappearance found in them is wrong. The
conflicts of `tangled`, which was made to merge terms, are judged by the list of what it merges.
"""

import argparse
from collections.abc import Iterable, Sequence

from isogloss.alignment import AUTO
from isogloss.documents import Collection, Translation
from isogloss.language import function_words
from isogloss.metrics.consistency import Ltcr, Rule, variations
from isogloss.metrics.markables import Finding, Markables, Phenomenon
from isogloss.metrics.markables.checks import CHECKS
from isogloss.sample import SAMPLES, load_sample
from isogloss.sample.truth import SYSTEMS, TrueMerge, Truth, Verdict, load_truth
from isogloss.spans import SOURCE, Span

WITHOUT_TRUTH = (Phenomenon.CONFLICT, Phenomenon.DISAPPEARANCE)


def translations(collection: Collection, system: str) -> list[Translation]:
    """What a system made of the sample."""
    (output,) = collection.with_systems([system]).outputs
    return list(collection.translations(output))


def findings(collection: Collection, system: str, aligner: str) -> list[Finding]:
    """What all checks find in a system."""
    metric = Markables(phenomenon="all", aligner=aligner)
    return [f for _, found in metric.examined(translations(collection, system)) for f in found]


def listed(collection: Collection, system: str, aligner: str) -> list[Span]:
    """The places of the words that `consistency` lists as translated in several ways."""
    metric = Ltcr(aligner=aligner, evidence="none")
    spans = []
    for document in metric.rendered(translations(collection, system)):
        id = document.translation.document.id
        words = document.with_references()
        for variation in variations(id, words, Rule("pairs", "mismatch"), function_words("en")):
            if variation.varies:
                mention = variation.mentions[0]
                spans.append(Span(id, SOURCE, mention.segment, mention.start, mention.end))
    return spans


def word_verdict(truth: Truth, system: str, found: Sequence[Span]) -> Verdict:
    """How far the words that are listed vary at all, and the words that were varied are listed."""
    varied = [term for term in truth.terms if term.varied(system)]
    places = [span for term in varied for span in term.occurrences]
    put_in = [term for term in varied if term.on_purpose]
    return Verdict(
        right=sum(any(map(span.overlaps, places)) for span in found),
        found=len(found),
        recalled=sum(
            any(span.overlaps(other) for span in term.occurrences for other in found)
            for term in put_in
        ),
        put_in=len(put_in),
    )


def merges_found(truth: Truth, collection: Collection, found: Iterable[Finding]) -> Verdict:
    """How many conflicts are merged terms, and how many pairs that were put in are found."""
    conflicts = [f for f in found if f.phenomenon is Phenomenon.CONFLICT]
    said = {
        id: segments
        for output in collection.with_systems(["tangled"]).outputs
        for id, segments in output.documents.items()
    }

    def is_of(finding: Finding, merge: TrueMerge) -> bool:
        head, text = finding.markable.head.casefold(), said[finding.occurrence.document]
        return (
            finding.occurrence.document == merge.document
            and any(head[:3] == term[:3] or head in term for term in merge.terms)
            and all(p.text(text).casefold().startswith(merge.rendering) for p in finding.places)
        )

    put_in = [merge for merge in truth.merges if merge.on_purpose]
    return Verdict(
        right=sum(any(is_of(finding, merge) for merge in truth.merges) for finding in conflicts),
        found=len(conflicts),
        recalled=sum(any(is_of(finding, merge) for finding in conflicts) for merge in put_in),
        put_in=len(put_in),
    )


def show(label: str, verdict: Verdict) -> None:
    """Print a line."""
    shares = [
        "   –" if share is None else f"{share:.2f}" for share in (verdict.precision, verdict.recall)
    ]
    print(
        f"{label:<44} {verdict.right:>4} of {verdict.found:<4} {shares[0]}   "
        f"{verdict.recalled:>4} of {verdict.put_in:<4} {shares[1]}",
        flush=True,
    )


def main() -> None:
    """Print the verdicts of all checks on both samples."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--aligner", default=AUTO)
    parser.add_argument("--without-references", action="store_true")
    options = parser.parse_args()
    aligner = options.aligner
    print(f"{'':<44} right / found, precision   found / put in, recall")
    totals: dict[str, Verdict] = {}

    def tell(system: str, check: str, verdict: Verdict) -> None:
        show(f"{name} {system}: {check}", verdict)
        totals[check] = totals.get(check, Verdict(0, 0, 0, 0)) + verdict

    for name in SAMPLES:
        collection, truth = load_sample(name), load_truth(name)
        if options.without_references:
            collection = collection.with_references(())
        for system in SYSTEMS:
            words = word_verdict(truth, system, listed(collection, system, aligner))
            tell(system, "consistency list", words)
            found = findings(collection, system, aligner)
            for phenomenon in CHECKS:
                places = [f.occurrence for f in found if f.phenomenon is phenomenon]
                if phenomenon is Phenomenon.INCONSISTENCY:
                    tell(system, phenomenon.value, truth.judged(system, places))
                elif phenomenon in WITHOUT_TRUTH:
                    tell(system, phenomenon.value, Verdict(0, len(places), 0, 0))
        merges = merges_found(truth, collection, findings(collection, "tangled", aligner))
        tell("tangled", "conflict", merges)
    for check, verdict in totals.items():
        show(f"all: {check}", verdict)


if __name__ == "__main__":
    main()
