"""The metric: names, signature, scores, evidence; proposals; the paraphraser's word."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from isogloss.alignment import aligner
from isogloss.cli.markable_lists import proposal_result
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, MetricOptionError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.formats import read_collection
from isogloss.metrics import load_metric, metric_of_signature
from isogloss.metrics.markables import Markables, Term, WordReader, propose, read_term_list
from isogloss.metrics.markables.examination import Examiner
from isogloss.metrics.markables.proposal import candidates
from isogloss.sample import sample_path
from isogloss.scores import ScoreTable

FAST = "markables(aligner=fast-align)"


@pytest.fixture(scope="module")
def sample() -> Collection:
    """One document of the sample, which suffices to see everything work."""
    whole = read_collection(sample_path("cs-en"))
    kept = whole.testset.documents[:1]
    ids = {document.id for document in kept}
    outputs = tuple(
        replace(o, documents={id: lines for id, lines in o.documents.items() if id in ids})
        for o in whole.outputs
    )
    return Collection(replace(whole.testset, documents=kept), outputs)


@pytest.fixture(scope="module")
def table(sample: Collection) -> ScoreTable:
    return evaluate(sample, [FAST])


def test_the_steady_system_is_the_best(table: ScoreTable) -> None:
    scores = {row.system: row.score for row in table.rows}
    assert min(scores, key=lambda name: scores[name] or 0.0) == "steady"
    document = table[FAST, "tangled"].documents[0]
    evidence = document.measurement.evidence
    assert evidence
    assert all(item.spans[0].side == "source" for item in evidence)
    assert all(item.value for item in evidence)
    total = sum(item.value or 0.0 for item in evidence)
    assert document.measurement.statistics[0] == pytest.approx(total)


def test_a_score_does_not_depend_on_who_else_is_scored(
    sample: Collection, table: ScoreTable
) -> None:
    alone = evaluate(sample.with_systems(["tangled"]), [FAST])
    assert table[FAST, "tangled"] == alone[FAST, "tangled"]


def test_one_phenomenon_is_a_part_of_all(sample: Collection, table: ScoreTable) -> None:
    name = "markables(phenomenon=inconsistency,aligner=fast-align)"
    chosen = evaluate(sample.with_systems(["tangled"]), [name])
    everything = table[FAST, "tangled"].documents[0].measurement
    one = chosen[name, "tangled"].documents[0].measurement
    part = [item for item in everything.evidence if item.reason == "inconsistency"]
    assert list(one.evidence) == part
    assert 0 < one.statistics[0] <= everything.statistics[0]


def test_the_signature_reads_back(sample: Collection) -> None:
    metric = load_metric("markables(phenomenon=conflict,company=all)", "cs", "en")
    signature = str(metric.signature(sample.testset))
    assert metric_of_signature(signature) == metric
    assert "aligner:attention-isogloss-3@" in signature
    assert "refs:ref" in signature
    terms = Markables(terms=read_terms_of("a\nb\n"))
    assert "terms:" in str(terms.signature(sample.testset))


def read_terms_of(text: str) -> tuple[Term, ...]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "terms.txt"
        path.write_text(text, encoding="utf-8")
        return read_term_list(path)


def test_terms_are_plain_text() -> None:
    terms = read_terms_of("# ours\nr. č.\trodné číslo\n\n班次\n")
    assert [term.head for term in terms] == ["r. č.", "班次"]
    assert terms[0].find(["má r. č. 12 a rodné číslo", "rxč."]) == [(0, 3, 8), (0, 14, 25)]
    assert terms[1].find(["增加班次。"]) == [(0, 2, 4)]


@pytest.mark.parametrize("text", ["# nothing\n", "a\t\n"])
def test_a_list_without_terms_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"terms\.txt"):
        read_terms_of(text)


def test_unknown_phenomena_are_refused() -> None:
    with pytest.raises(MetricOptionError, match="phenomenon"):
        load_metric("markables(phenomenon=colour)")


def test_segments_without_markables_are_not_scored() -> None:
    document = Document("d", ("lease lease", "…"))
    testset = TestSet("t", "en", "cs", (document,))
    collection = Collection(testset, (SystemOutput("s", {"d": ("smlouva smlouva", "…")}),))
    (row,) = evaluate(collection, [FAST]).rows
    measured = row.documents[0].measurement
    assert (measured.scored, measured.total) == (1, 2)
    assert measured.segment_scores is not None
    assert measured.segment_scores[1] is None
    nothing = np.zeros((1, 2))
    assert np.isnan(Markables().score_rows(nothing)[0])


def test_terminology_asks_the_model(sample: Collection) -> None:
    name = "markables(phenomenon=terminology,aligner=fast-align,count=5)"
    small = sample.with_systems(["tangled"])
    (row,) = evaluate(small, [name]).rows
    assert row.score is not None
    assert all(
        0 < (item.value or 0) <= 1
        for document in row.documents
        for item in document.measurement.evidence
    )
    unknown = Collection(replace(small.testset, source_language=None), small.outputs)
    with pytest.raises(NotApplicableError, match="both languages"):
        evaluate(unknown, [name])


def test_candidates_begin_and_end_with_content() -> None:
    words = WordReader("en").read("The equipment and amenities, of the flat")
    found = {" ".join(candidate.words[0]) for candidate in candidates([words])}
    assert {"equipment", "amenities", "flat", "equipment and amenities"} <= found
    assert not any(term.startswith(("The", "of", "and")) for term in found)
    assert "amenities of the flat" not in found


def test_proposals_carry_their_evidence(sample: Collection) -> None:
    result = proposal_result(sample, 5, "fast-align")
    assert len(result.records) == 5
    first = result.records[0]
    assert first["rank"] == 1
    assert first["across"] >= 0
    assert sum(first["renderings"].values()) >= first["occurrences"]


def test_a_document_without_translations_is_ranked_by_its_text() -> None:
    text = ("The tenant pays.", "The tenant signs the 'lease'.", "A tenant leaves.")
    examiner = Examiner(aligner("fast-align"), WordReader("en"), WordReader("cs"), count=2)
    found = examiner.proposals(Document("d", text), [])
    assert [proposal.markable.head for proposal in found] == ["tenant", "lease"]
    assert propose([examiner._untranslated(Document("d", text))], 1)[0].across == 0.0
