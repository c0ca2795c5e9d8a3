"""`ltcr`: its options, its numbers on texts that anyone can check, its evidence."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from isogloss.alignment import SegmentAlignment, TokenPair
from isogloss.alignment.thot import LONGEST
from isogloss.comparison import compare
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.metrics import load_metric, metric_of_signature
from isogloss.metrics.consistency import Chain, ChainItem, Ltcr, write_chains
from isogloss.runtime import Runtime, Step
from isogloss.sample import load_sample
from isogloss.spans import SOURCE
from metrics.consistency.texts import WordByWord

# Word by word, so that the alignment is beyond doubt: "hrad" three times, "most" twice.
BASE = Ltcr(aligner="word-by-word", links=WordByWord(), normalise="surface")
DOCUMENTS = (
    Document(
        "one",
        ("hrad most", "hrad most", "hrad"),
        {"ref": ("castle bridge", "castle crossing", "castle")},
    ),
    Document("two", ("hrad hrad",), {"ref": ("castle castle",)}),
)
STEADY = {"one": ("Castle bridge", "castle bridge", "castle"), "two": ("castle castle",)}
SHIFTING = {"one": ("castle bridge", "fort crossing", "castle"), "two": ("castle fort",)}


def collection(**more: dict[str, tuple[str | None, ...]]) -> Collection:
    testset = TestSet("castles", "cs", "en", DOCUMENTS)
    outputs = {"steady": STEADY, "shifting": SHIFTING, **more}
    return Collection(testset, tuple(SystemOutput(name, docs) for name, docs in outputs.items()))


def score(metric: Ltcr, system: str, among: Collection | None = None) -> float | None:
    return evaluate(among or collection(), [metric])[str(metric.name), system].score


class Counting(WordByWord):
    """Counts how often it was asked."""

    asked = 0

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        self.asked += 1
        return super().align(pairs)


def test_progress_is_told_system_by_system() -> None:
    aligner = Counting()
    told: list[tuple[int, int]] = []

    def note(step: Step) -> None:
        told.append((aligner.asked, step.done))

    evaluate(collection(), [replace(BASE, links=aligner)], runtime=Runtime(progress=note))
    assert told == [(1, 3), (1, 4), (2, 7), (2, 8)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, Fraction(1, 5)),  # castle 1/3, bridge 0/1, and 0/1 in the second document
        ({"average": "macro"}, Fraction(1, 9)),
        ({"family": "first"}, Fraction(1, 4)),
        ({"family": "pseudo-first"}, Fraction(4, 7)),
        ({"family": "pseudo-frequent"}, Fraction(4, 7)),
        ({"reference_aware": True}, Fraction(1, 4)),  # the reference varies its bridge
        ({"reference_aware": True, "family": "first"}, Fraction(1, 3)),
    ],
)
def test_every_family_by_hand(options: dict[str, object], expected: Fraction) -> None:
    metric = replace(BASE, **options)  # type: ignore[arg-type]
    assert score(metric, "shifting") == pytest.approx(100 * float(expected))
    assert score(metric, "steady") == 100


def test_absent_outputs_are_not_scored_and_empty_ones_are_mistakes() -> None:
    gone = {"one": ("castle bridge", None, "castle"), "two": (None,)}
    empty = {"one": ("castle bridge", "", "castle"), "two": ("",)}
    nothing = {"one": (None, None, None), "two": (None,)}
    systems = collection(gone=gone, empty=empty, nothing=nothing)
    table = evaluate(systems, [BASE])
    assert table[str(BASE.name), "gone"].score == 100
    assert [d.score for d in table[str(BASE.name), "gone"].documents] == [100, None]
    assert table[str(BASE.name), "empty"].score == pytest.approx(100 * 1 / 5)
    assert score(replace(BASE, null="skip"), "empty", systems) == 100
    assert table[str(BASE.name), "nothing"].score is None


def test_a_segment_that_is_too_long_to_align_is_told_of() -> None:
    rambling = {**STEADY, "two": ("castle " * (LONGEST + 1),)}
    metric = Ltcr(aligner="fast-align", normalise="surface")
    table = evaluate(collection(rambling=rambling), [metric])
    assert all(row.score is not None for row in table.rows)
    told = [line for line in table.provenance.notices if "aligned up to" in line]
    assert [line.rpartition(" in ")[2] for line in told] == [
        "1 segment of 'rambling'; split them to align all"
    ]


def test_a_document_without_the_reference_is_not_judged_by_it() -> None:
    bare = replace(DOCUMENTS[1], references={})
    testset = TestSet("castles", "cs", "en", (DOCUMENTS[0], bare))
    systems = Collection(testset, (SystemOutput("shifting", SHIFTING),))
    (row,) = evaluate(systems, [replace(BASE, reference_aware=True)]).rows
    assert [d.score for d in row.documents] == [pytest.approx(100 / 3), None]


def test_evidence_names_every_place_of_a_word() -> None:
    metric = replace(BASE, reference_aware=True)
    measured = evaluate(collection(), [metric])[str(metric.name), "shifting"].documents[0]
    castle, bridge = measured.measurement.evidence
    assert (castle.reason, castle.value) == ("inconsistent", 2)
    assert (bridge.reason, bridge.value) == ("allowed by the reference", 0)
    texts = {SOURCE: DOCUMENTS[0].source, "output:shifting": SHIFTING["one"]}
    words = [span.text(texts[span.side]) for span in castle.spans]
    assert words == ["hrad", "castle", "hrad", "fort", "hrad", "castle"]
    (row,) = evaluate(collection().with_systems(["steady"]), [BASE]).rows
    assert {e.reason for e in row.documents[0].measurement.evidence} == {"consistent"}
    silent = replace(BASE, evidence="none")
    assert all(
        not d.measurement.evidence for d in evaluate(collection(), [silent]).rows[0].documents
    )


def test_annotated_chains_alone_count(tmp_path: Path) -> None:
    items = (ChainItem(0, 1, 5, 9), ChainItem(1, 1, 5, 9))
    write_chains(tmp_path / "chains.jsonl", [Chain("one:1", "one", "most", "bridge", items)])
    metric = load_metric(f"ltcr(chains={tmp_path / 'chains.jsonl'},normalise=surface)", "cs", "en")
    assert isinstance(metric, Ltcr)
    assert metric.name.options["chains"] == "chains.jsonl"  # no path in names
    metric = replace(metric, aligner="word-by-word", links=WordByWord())
    assert score(metric, "shifting") == 0
    assert score(metric, "steady") == 100
    signature = str(metric.signature(collection().testset))
    assert "|chains:" in signature
    assert str(tmp_path) not in signature
    lost = metric_of_signature(signature)
    assert isinstance(lost, Ltcr)
    assert lost == metric
    lost = replace(lost, links=WordByWord())
    with pytest.raises(
        NotApplicableError, match=r"no file 'chains.jsonl'; give its path as chains="
    ):
        list(lost.measure(collection().translations(collection().outputs[0])))


def test_terms_are_demanded(tmp_path: Path) -> None:
    (tmp_path / "terms.tsv").write_text("hrad\tcastle\n", encoding="utf-8")
    metric = load_metric(f"ltcr(family=terms,terms={tmp_path / 'terms.tsv'})", "cs", "en")
    assert isinstance(metric, Ltcr)
    metric = replace(metric, aligner="word-by-word", links=WordByWord())
    assert score(metric, "shifting") == pytest.approx(100 * 3 / 5)
    assert "|terms:" in str(metric.signature(collection().testset))


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("ltcr(family=terms)", "belong together"),
        ("ltcr(terms=x.tsv)", "belong together"),
        ("ltcr(family=terms,terms=x,chains=y)", "chains or terms"),
        ("ltcr(reference_aware=true,family=pseudo-first)", "needs family=pairs"),
        ("ltcr(null=zero)", "takes one of: mismatch, skip"),
    ],
)
def test_options_that_make_no_sense(name: str, complaint: str) -> None:
    with pytest.raises(MetricOptionError, match=complaint):
        load_metric(name)


def test_the_signature_names_every_tool() -> None:
    told = dict(
        load_metric("ltcr(null=skip)", "zh", "en").signature(load_sample("zh-en").testset).fields
    )
    assert told["aligner"].startswith("attention-isogloss-3@")
    assert told["null"] == "skip"
    assert told["norm"].startswith("snowball-english")
    assert told["stop"] == "isogloss-zh-1+isogloss-en-1"
    assert told["source"].startswith("rjieba")
    assert told["target"].startswith("unicode")


def test_a_real_alignment_tells_steady_from_shifting() -> None:
    systems = load_sample("cs-en").with_systems(["steady", "shifting"])
    (comparison,) = compare(evaluate(systems, ["ltcr"]))
    standings = {standing.system: standing for standing in comparison.standings}
    assert (standings["steady"].score or 0) > (standings["shifting"].score or 100) + 30
    assert comparison.pair("steady", "shifting").p == pytest.approx(1 / 1001, abs=0.01)


def test_auto_says_which_aligner_it_took_and_reads_back() -> None:
    systems = load_sample("cs-en").with_systems(["steady"])
    metric = load_metric("ltcr", "cs", "en")
    signature = metric.signature(systems.testset)
    assert metric_of_signature(str(signature)) == metric
    assert dict(signature.fields)["aligner"].startswith("attention-isogloss-3@")
    table = evaluate(systems, [metric])
    assert any(
        "words linked by attention (isogloss-3 knows cs and en) in 53 segments" in line
        for line in table.provenance.notices
    )
