"""The cohesion metric: chains in real texts, references, evidence, languages."""

import itertools
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet, Translation
from isogloss.errors import MetricOptionError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.language.wordnet import ENVIRONMENT
from isogloss.metrics import load_metric
from isogloss.metrics.cohesion.metric import (
    MATCHED,
    NO_CHAINS,
    NOT_IN_OUTPUT,
    NOT_IN_REFERENCE,
    PARTLY,
    Cohesion,
)
from isogloss.sample import load_sample
from isogloss.scores import Measurement
from language.tiny_wordnet import write_tiny_wordnet

REFERENCE = (
    "The old bridge was closed on Monday.",
    "Engineers inspected the bridges, and the mayor spoke.",
    "The mayor said that the bridge would open again.",
    "Engineers were tired.",
)
OUTPUT = (
    "The old bridge closed Monday, a crossing of the river.",
    "Engineers inspected the crossing.",
    "The mayor said the bridge opens again; the mayor smiled.",
    "The bridge and the river.",
)


def translation(
    output: tuple[str | None, ...], *references: tuple[str | None, ...], language: str = "en"
) -> Translation:
    named = {f"ref{n}": lines for n, lines in enumerate(references)}
    document = Document("d", tuple("x" for _ in output), named)
    return Translation(document, "sys", output, "de", language)


def measured(metric: Cohesion, given: Translation) -> Measurement:
    (measurement,) = metric.measure([given])
    return measurement


def score(metric: Cohesion, given: Translation) -> float | None:
    return metric.score(measured(metric, given).statistics)


def test_a_document_by_hand() -> None:
    """Output: bridge 0 2 3, cross 0 1, river 0 3. Reference: bridge 0 1 2, engineer 1 3, mayor 1 2.

    Output's mayor is twice in one sentence and in no other, which is no chain.
    """
    given = translation(OUTPUT, REFERENCE)
    assert score(Cohesion(), given) == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert score(Cohesion(per="reference"), given) == pytest.approx((2 / 3 + 0 + 0) / 3)
    assert score(Cohesion(per="either"), given) == pytest.approx((2 / 3) / 5)
    assert score(Cohesion(unit="surface"), given) == pytest.approx((1 + 0 + 0) / 3)


def test_evidence_shows_every_chain_with_its_mentions() -> None:
    given = translation(OUTPUT, REFERENCE)
    sides = {"output:sys": OUTPUT, "reference:ref0": REFERENCE}
    shown = {
        e.reason: [(s.side.partition(":")[0], s.segment, s.text(sides[s.side])) for s in e.spans]
        for e in measured(Cohesion(), given).evidence
    }
    assert shown[PARTLY] == [
        ("output", 0, "bridge"), ("output", 2, "bridge"), ("output", 3, "bridge"),
        ("reference", 0, "bridge"), ("reference", 1, "bridges"), ("reference", 2, "bridge"),
    ]  # fmt: skip
    assert shown[NOT_IN_REFERENCE] == [("output", 0, "river"), ("output", 3, "river")]
    assert shown[NOT_IN_OUTPUT] == [("reference", 1, "mayor"), ("reference", 2, "mayor")]
    found = [(e.reason, e.value) for e in measured(Cohesion(), given).evidence]
    assert found == [
        (PARTLY, 2 / 3),
        *[(NOT_IN_REFERENCE, 0.0)] * 2,
        *[(NOT_IN_OUTPUT, None)] * 2,
    ]
    full = measured(Cohesion(), translation(REFERENCE, REFERENCE)).evidence
    assert {(e.reason, e.value) for e in full} == {(MATCHED, 1.0)}


def test_missed_chains_weigh_where_they_are_averaged_over() -> None:
    evidence = measured(Cohesion(per="reference"), translation(OUTPUT, REFERENCE)).evidence
    assert {e.value for e in evidence if e.reason == NOT_IN_OUTPUT} == {0.0}


def test_the_best_reference_counts() -> None:
    poor = tuple("Nothing here." for _ in REFERENCE)
    given = translation(REFERENCE, poor, REFERENCE, OUTPUT)
    assert score(Cohesion(), given) == 1
    sides = {s.side for e in measured(Cohesion(), given).evidence for s in e.spans}
    assert sides == {"output:sys", "reference:ref1"}


def test_absent_segments_are_compared_by_nobody() -> None:
    """Without its first segment the reference has no say about the output's first."""
    gappy = (None, *REFERENCE[1:])
    with_all = score(Cohesion(), translation((None, *OUTPUT[1:]), gappy))
    assert score(Cohesion(), translation(OUTPUT, gappy)) == with_all
    measurement = measured(Cohesion(), translation(OUTPUT, gappy))
    assert (measurement.scored, measurement.total) == (3, 4)
    nothing = measured(Cohesion(), translation(OUTPUT, (None,) * 4))
    assert (nothing.scored, list(nothing.statistics), nothing.remarks) == (0, [0, 0], {})


def test_documents_without_chains() -> None:
    """One side has chains: 0. Neither has: not scored, and remarked."""
    plain = ("One cat.", "Two dogs.")
    bound = ("One cat.", "Two cats.")
    assert score(Cohesion(), translation(plain, bound)) == 0
    assert score(Cohesion(), translation(bound, plain)) == 0
    unscored = measured(Cohesion(), translation(plain, plain))
    assert (unscored.scored, Cohesion().score(unscored.statistics)) == (0, None)
    assert unscored.remarks == {NO_CHAINS: 2}
    # A reference without chains agrees with such an output better than one that has some.
    assert score(Cohesion(), translation(plain, bound, plain)) is None


def test_systems_are_the_mean_of_their_scored_documents() -> None:
    documents = {
        "bound": (("The cat.", "A cat."), ("The cat.", "A cat.")),
        "half": (("The cat and dog.", "A cat and dog."), ("The cat.", "A cat.")),
        "plain": (("One.", "Two."), ("One.", "Two.")),
    }
    testset = TestSet(
        "t", "de", "en",
        tuple(Document(id, ("x", "x"), {"ref": ref}) for id, (_, ref) in documents.items()),
    )  # fmt: skip
    output = SystemOutput("s", {id: lines for id, (lines, _) in documents.items()})
    table = evaluate(Collection(testset, (output,)), ["cohesion"])
    assert [d.score for d in table["cohesion", "s"].documents] == [1.0, 0.5, None]
    assert table["cohesion", "s"].score == 0.75
    assert table["cohesion", "s"].scored == 4
    (notice,) = (n for n in table.provenance.notices if "chain" in n)
    happened, _, remedy = NO_CHAINS.partition("; ")
    assert notice == f"cohesion: {happened} in 2 segments of 's'; {remedy}"
    same = SystemOutput("other", output.documents)
    table = evaluate(Collection(testset, (output, same)), ["cohesion"])
    (notice,) = (n for n in table.provenance.notices if "chain" in n)
    assert "in 2 segments of 's', and at most as many of 1 other system; " in notice


STEMS = {"bridges": "bridge", "closing": "closed"}
FUNCTION = ("the", "of", "and")
WORDS = (*STEMS, *STEMS.values(), *FUNCTION, "mayor", "river", "state", "old")
sentences = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
documents = st.lists(st.tuples(sentences, sentences, sentences), min_size=1, max_size=6)


def slow_score(output: list[str], references: list[list[str]]) -> float | None:
    """The paper's three steps and formulas 2 and 3, told naively."""

    def chain_index(text: list[str]) -> dict[str, list[int]]:
        table = defaultdict(list)
        for place, sentence in enumerate(text):
            for word in {STEMS.get(w, w) for w in sentence.split() if w not in FUNCTION}:
                table[word].append(place)
        return {word: chain for word, chain in table.items() if len(chain) > 1}

    ours, scores = chain_index(output), []
    for theirs in map(chain_index, references):
        if not ours and not theirs:
            return None
        total = 0.0
        for word, chain in ours.items():
            if word in theirs:
                total += sum(place in chain for place in theirs[word]) / len(theirs[word])
        scores.append(total / len(ours) if ours else 0.0)
    return max(scores)


@given(documents)
def test_it_is_the_papers_score(lines: list[tuple[str, str, str]]) -> None:
    output, *references = map(list, zip(*lines, strict=True))
    given = translation(tuple(output), *map(tuple, references))
    expected = slow_score(output, references)
    assert score(Cohesion(), given) == (None if expected is None else pytest.approx(expected))


def test_pre_tokenised_text_and_other_languages() -> None:
    chinese = ("中国 国家 主席 。", "主席 在 北京 。", "北京 很 大 。")
    given = translation(chinese, chinese, language="zh")
    spaced = measured(Cohesion(tokeniser="space"), given)
    assert [s.text(chinese) for e in spaced.evidence for s in e.spans if "output" in s.side] == [
        "主席", "主席", "北京", "北京",
    ]  # fmt: skip
    for language in ("zh", "ja", "ko", "th", "de", "xx"):
        assert score(Cohesion(), translation(REFERENCE, REFERENCE, language=language)) == 1


def test_synonyms_join_a_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, str(write_tiny_wordnet(tmp_path)))
    output = ("He bought a car.", "The automobile was fast.", "He purchased a goose.")
    reference = ("He purchased an automobile.", "The car was fast.", "He bought geese.")
    given = translation(output, reference)
    assert score(Cohesion(), given) is None
    assert score(Cohesion(synonyms="wordnet"), given) == 1
    found = measured(Cohesion(synonyms="wordnet"), given).evidence
    assert sorted([s.text(output) for s in e.spans if "output" in s.side] for e in found) == [
        ["bought", "purchased"], ["car", "automobile"],
    ]  # fmt: skip


def test_wordnet_is_english_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ENVIRONMENT, str(write_tiny_wordnet(tmp_path)))
    metric = load_metric("cohesion(synonyms=wordnet)", "cs", "en")
    signature = str(metric.signature(load_sample("cs-en").testset))
    assert "|synonyms:wordnet-9.9-" in signature
    with pytest.raises(NotApplicableError, match=r"asks WordNet, which is English.*is de"):
        list(metric.measure([translation(OUTPUT, REFERENCE, language="de")]))


def test_the_signature_names_every_tool() -> None:
    signature = str(Cohesion().signature(load_sample("cs-en").testset))
    assert signature.startswith("cohesion|words:unicode-1-en|unit:snowball-english-")
    assert signature.endswith("|stop:isogloss-en-1|version:1")
    with pytest.raises(MetricOptionError, match="takes one of: stem, lemma, surface; not root"):
        load_metric("cohesion(unit=root)")


def test_the_target_language_must_be_known() -> None:
    given = translation(OUTPUT, REFERENCE)
    unknown = Translation(given.document, "sys", OUTPUT)
    with pytest.raises(NotApplicableError, match="needs to know the target language"):
        list(Cohesion().measure([unknown]))


def test_steady_terms_beat_shifting_ones_in_the_sample() -> None:
    for name, per in itertools.product(("cs-en", "zh-en"), ("output", "reference", "either")):
        table = evaluate(load_sample(name), [f"cohesion(per={per})"])
        scores = {row.system: row.score for row in table.rows}
        assert scores["steady"] > max(scores["shifting"], scores["tangled"])


def test_chains_of_other_words_are_matched_by_meaning() -> None:
    """By the model that comes along: picture is the photo, attorney the lawyer; judge is nothing.

    *Garden* is in the same segments as *photo*, but means something else.
    """
    reference = (
        "The photo was taken in the garden.",
        "A neighbour found the photo on Monday.",
        "The lawyer praised the court.",
        "The lawyer will appeal.",
    )
    output = (
        "The picture was taken in the garden.",
        "A neighbour in the garden found the picture on Monday.",
        "The attorney praised the judge.",
        "The attorney will appeal against the judge.",
    )
    given = translation(output, reference)
    assert score(Cohesion(), given) == 0
    metric = Cohesion(match="embedding")
    sides = {"output:sys": output, "reference:ref0": reference}
    found = {
        (e.reason, *dict.fromkeys(s.text(sides[s.side]) for s in e.spans)): e.value
        for e in measured(metric, given).evidence
    }
    assert found == {
        (f"{MATCHED}: another word", "picture", "photo"): 1.0,
        (f"{MATCHED}: another word", "attorney", "lawyer"): 1.0,
        (NOT_IN_REFERENCE, "garden"): 0.0,
        (NOT_IN_REFERENCE, "judge"): 0.0,
    }
    assert score(metric, given) == pytest.approx(2 / 4)
    assert score(Cohesion(match="embedding", nearness=1.0), given) == 0
    # A chain that has its own word is not given to another one.
    both = ("The photo, a picture.", "The photo, a picture.")
    one = ("The photo.", "The photo.")
    assert score(metric, translation(both, one)) == pytest.approx(1 / 2)
    # Nor is one that stands elsewhere.
    apart = ("A picture.", "A picture.", "Yes.", "No."), ("Yes.", "No.", "A photo.", "A photo.")
    assert score(metric, translation(*apart)) == 0


@pytest.mark.usefixtures("tiny_as_default")
def test_the_signature_of_matching_by_meaning() -> None:
    testset = load_sample("cs-en").testset
    signature = str(load_metric("cohesion(match=embedding)", "cs", "en").signature(testset))
    assert f"|nearness:{Cohesion.nearness:g}|model:tiny|" in signature
    assert "|model:" not in str(Cohesion().signature(testset))
    for options in ("nearness=0.5", "model=tiny", "precision=int8"):
        with pytest.raises(MetricOptionError, match="needs match=embedding"):
            load_metric(f"cohesion({options})")
    with pytest.raises(MetricOptionError, match="nearness is above 0 and up to 1: 2"):
        load_metric("cohesion(match=embedding,nearness=2)")
    foreign = Translation(Document("d", ("x",), {"r": ("a",)}), "s", ("a",), "de", "tlh")
    with pytest.raises(NotApplicableError, match="does not know the language 'tlh'"):
        Cohesion(match="embedding").signature(TestSet("t", "de", "tlh", (foreign.document,)))
