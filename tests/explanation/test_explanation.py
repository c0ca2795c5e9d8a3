"""Explanations: parts that add up, causes that were planted, and no cause where there is none."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import isogloss
from explanation.made import collection, noisy, wrong_numbers_in_news
from isogloss.comparison import ComparisonSettings
from isogloss.documents import Collection
from isogloss.errors import InputError, MismatchError, NotApplicableError
from isogloss.explanation import Explanation, section_numbers, sheets
from isogloss.explanation.marks import chains_found, metric_marks
from isogloss.language import tokeniser

QUICK = ComparisonSettings(resamples=2000)


@pytest.fixture(scope="module")
def sample() -> Collection:
    return isogloss.load_sample("cs-en")


@pytest.fixture(scope="module")
def explained(sample: Collection) -> Explanation:
    table = isogloss.evaluate(sample, "chrf,bleu,ter,cohesion,ltcr", all_evidence=True)
    return isogloss.explain(table, "steady", "tangled", collection=sample, settings=QUICK)


def claimed(found: Explanation) -> list[object]:
    return [each for each in found.found.tested() if found.holds(each)]


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "cohesion", "ltcr"])
def test_every_view_adds_up_to_the_difference(sample: Collection, metric: str) -> None:
    table = isogloss.evaluate(sample, metric)
    first, second = (table[metric, system].score for system in ("shifting", "tangled"))
    found = isogloss.explain(table, "shifting", "tangled", collection=sample, settings=QUICK)
    assert found.difference == pytest.approx((first or 0) - (second or 0), abs=1e-9)
    assert len(found.found.views) >= 2
    for view in found.found.views:
        carried = sum(part.carries.value for part in view.parts)
        assert carried == pytest.approx(found.difference, abs=1e-6), view.name
        assert sum(part.share for part in view.parts) == pytest.approx(1)
        assert sum(part.beyond.value for part in view.parts) == pytest.approx(0, abs=1e-6)
    documents = sum(part.carries for part in found.found.documents.parts)
    assert documents == pytest.approx(found.difference, abs=1e-6)


def test_a_planted_cause_is_found() -> None:
    texts = collection(noisy, wrong_numbers_in_news, documents=60)
    found = isogloss.explain(
        isogloss.evaluate(texts, "chrf"), "one", "two", collection=texts, settings=QUICK
    )
    assert found.is_real
    news, speech = found.view("domain").parts  # type: ignore[union-attr]
    assert found.holds(news.beyond)
    assert news.carries.value > 0.8 * found.difference
    assert not found.holds(speech.carries)
    (numbers,) = [each for each in found.found.errors if each.name == "number"]
    assert numbers.first == 0
    assert numbers.second == news.units
    assert found.holds(numbers.difference)
    assert "one has fewer numbers wrong" in found.summary
    assert "news carries more than its share" in found.summary
    names = [each for each in found.found.errors if each.name == "name"]
    assert not any(found.holds(each.difference) for each in names)


def test_where_systems_are_alike_hardly_ever_is_a_cause_named() -> None:
    """Documents of two very different systems, swapped at random: neither is better in anything."""
    texts = collection(noisy, wrong_numbers_in_news, documents=24)
    rng = random.Random(11)
    with_claims = differences = 0
    for _ in range(40):
        mixed = _swapped(texts, rng)
        table = isogloss.evaluate(mixed, "chrf")
        found = isogloss.explain(table, "one", "two", collection=mixed, settings=QUICK)
        with_claims += bool(claimed(found))
        differences += found.is_real
        if not found.is_real:
            assert "cannot be told apart" in found.clauses[0].text
    assert with_claims <= 4  # two are to be expected
    assert differences <= 6


def _swapped(texts: Collection, rng: random.Random) -> Collection:
    first, second = texts.outputs
    swap = {id: rng.random() < 0.5 for id in first.documents}
    mixed = [
        replace(
            own, documents={id: (other if swap[id] else own).documents[id] for id in own.documents}
        )
        for own, other in ((first, second), (second, first))
    ]
    return Collection(texts.testset, tuple(mixed))


def test_two_equal_outputs_have_nothing_to_explain(sample: Collection) -> None:
    steady = sample.with_systems(["steady"]).outputs[0]
    twins = Collection(sample.testset, (steady, replace(steady, name="twin")))
    found = isogloss.explain(
        isogloss.evaluate(twins, "chrf"), "steady", "twin", collection=twins, settings=QUICK
    )
    assert "have the same score" in found.summary
    assert claimed(found) == []
    assert found.found.passages == ()
    assert [part.name for part in found.view("kind").parts] == ["same output"]  # type: ignore[union-attr]


def test_every_clause_has_evidence_that_is_shown(explained: Explanation) -> None:
    numbers = section_numbers(explained)
    assert len(explained.clauses) >= 4
    for clause in explained.clauses:
        assert clause.sections
        assert set(clause.sections) <= set(numbers), clause
    assert list(numbers.values()) == list(range(1, len(numbers) + 1))
    assert [sheet.number for sheet in sheets(explained)] == list(numbers.values())[:-1]


def test_words_are_counted_once_each(explained: Explanation, sample: Collection) -> None:
    words = sum(
        len(tokeniser("en").tokenise(line or ""))
        for document in sample.testset.documents
        for line in document.references["ref"]
    )
    assert sum(each.total for each in explained.found.words) == words
    for each in explained.found.words:
        assert 0 <= each.second <= each.total


def test_terms_and_chains_are_those_of_the_metrics(explained: Explanation) -> None:
    ointment = [each for each in explained.found.terms if each.word == "Mast"]
    assert [(each.first, each.second) for each in ointment] == [
        ("ointment ×6", "ointment ×3, grease ×3")
    ]
    assert ("landlord", True, False) in [
        (each.words, each.first, each.second) for each in explained.found.chains
    ]


def test_a_chain_that_is_matched_by_its_meaning_is_there() -> None:
    lines = ["The photo was taken in May.", "A neighbour found the photo."]
    other = [line.replace("photo", "picture") for line in lines]
    made = isogloss.from_texts(
        ["x", "y"], {"r": lines}, {"a": lines, "b": other},
        documents=["one"] * 2, source_language="cs", target_language="en",
    )  # fmt: skip
    for metric, lacking in (("cohesion", ["photo"]), ("cohesion(match=embedding)", [])):
        marks = metric_marks([isogloss.evaluate(made, metric)], "a", "b")
        assert [each.words for each in chains_found(marks, made)] == lacking


def test_ngrams_are_right_as_often_as_it_says(explained: Explanation, sample: Collection) -> None:
    read = tokeniser("en").tokenise
    for each in explained.found.ngrams[0][:3]:
        wanted = tuple(each.text.split())
        counts = []
        for system in ("steady", "tangled"):
            (output,) = sample.with_systems([system]).outputs
            counts.append(0)
            for document in sample.testset.documents:
                for segment, line in enumerate(document.references["ref"]):
                    sides = (line, output.documents[document.id][segment])
                    counts[-1] += min(
                        _times([t.text for t in read(s or "")], wanted) for s in sides
                    )
        assert (each.first, each.second) == tuple(counts)
        assert each.first > each.second


def _times(tokens: list[str], wanted: tuple[str, ...]) -> int:
    size = len(wanted)
    return sum(tuple(tokens[at : at + size]) == wanted for at in range(len(tokens)))


def test_passages_are_ten_that_differ(explained: Explanation) -> None:
    read = tokeniser("en").tokenise
    passages = explained.found.passages
    assert len({(each.document, each.segment) for each in passages}) == 10
    assert len({each.document for each in passages}) >= 6
    assert len({each.kind for each in passages}) >= 3
    for each in passages:
        marked = [each.first[mark.start : mark.end] for mark in each.first_marks]
        own, other = (
            Counter(token.text.lower() for token in read(text))
            for text in (each.first, each.second)
        )
        for word in marked:
            assert own[word.lower()] > other[word.lower()], (word, each.second)


def test_without_texts_the_places_are_still_told(sample: Collection) -> None:
    table = isogloss.evaluate(sample, "chrf,bleu")
    found = isogloss.explain(table, "steady", "tangled", settings=QUICK)
    assert [view.name for view in found.found.views] == ["domain", "position"]
    assert found.found.words == ()
    assert any("without the texts" in note for note in found.found.notes)


def test_other_metrics_and_people_are_asked(sample: Collection) -> None:
    table = isogloss.evaluate(sample, "chrf,bleu")
    liked = {"steady": 40.0, "tangled": 60.0}
    people = isogloss.Judgements(
        "da",
        tuple(
            isogloss.Judgement(system, document.id, segment, score=score + score * segment / 50)
            for system, score in liked.items()
            for document in sample.testset.documents
            for segment in range(len(document))
        ),
    )
    found = isogloss.explain(
        table, "steady", "tangled", collection=sample, judgements=people, settings=QUICK
    )
    chrf, da, bleu = found.found.metrics
    assert chrf.explained
    assert da.people
    assert (da.first or 0) - (da.second or 0) == da.test.difference < -20
    assert (da.agreeing, da.deciding) == (0, 8)
    assert (bleu.agreeing, bleu.deciding) == (8, 8)
    assert "People (da) disagree: they prefer tangled" in found.summary
    assert {each.metric for each in found.found.disputes} == {"da"}
    theirs = isogloss.explain(
        table, "steady", "tangled", "da", collection=sample, judgements=people, settings=QUICK
    )
    assert theirs.difference == da.test.difference
    assert theirs.summary.startswith("People prefer tangled to steady by")
    assert theirs.weighed == "segments"


def test_a_metric_prefers_whom_its_test_tells_however_small_the_lead(sample: Collection) -> None:
    table = isogloss.evaluate(sample, "chrf,bleu")
    found = isogloss.explain(table, "steady", "shifting", collection=sample, settings=QUICK)
    _, bleu = found.found.metrics
    low, high = bleu.test.interval or (1.0, 1.0)
    assert bleu.test.is_real(QUICK.alpha)
    assert low < 0 < high
    assert "bleu prefers steady" in found.summary


def test_few_documents_decide_nothing(sample: Collection) -> None:
    few = sample.with_documents([d.id for d in sample.testset.documents[:5]])
    table = isogloss.evaluate(few, "chrf")
    found = isogloss.explain(table, "steady", "tangled", collection=few, settings=QUICK)
    assert not found.is_real
    assert claimed(found) == []
    assert any("no difference can be significant" in note for note in found.found.notes)


def test_absent_segments_are_left_out(sample: Collection) -> None:
    """A system without a document is neither blamed nor praised for it."""
    tangled = sample.with_systems(["tangled"]).outputs[0]
    first = sample.testset.documents[0]
    lacking = replace(tangled, documents={**tangled.documents, first.id: (None,) * len(first)})
    texts = Collection(sample.testset, (sample.with_systems(["steady"]).outputs[0], lacking))
    found = isogloss.explain(
        isogloss.evaluate(texts, "chrf"), "steady", "tangled", collection=texts, settings=QUICK
    )
    assert first.id not in [part.document for part in found.found.documents.parts]
    omitted = [each for each in found.found.errors if each.name == "omitted"]
    assert [each.second for each in omitted] == [0]
    for view in found.found.views:
        carried = sum(part.carries.value for part in view.parts)
        assert carried == pytest.approx(found.difference, abs=1e-6)


def test_strangers_are_refused(sample: Collection) -> None:
    table = isogloss.evaluate(sample, "chrf")
    with pytest.raises(InputError, match="no scores of 'x'; there are: steady, shifting, tangled"):
        isogloss.explain(table, "x", "steady")
    with pytest.raises(InputError, match="compared with itself"):
        isogloss.explain(table, "steady", "steady")
    with pytest.raises(InputError, match="no scores of metric 'ter'; there are: chrf"):
        isogloss.explain(table, "steady", "tangled", "ter")
    other = isogloss.load_sample("zh-en")
    with pytest.raises(MismatchError, match="documents or their lengths differ"):
        isogloss.explain(table, "steady", "tangled", collection=other)
    unscored = replace(table, rows=tuple(replace(r, documents=(), score=None) for r in table.rows))
    with pytest.raises(NotApplicableError, match="no metric scored both"):
        isogloss.explain(unscored, "steady", "tangled")


def test_numbers_do_not_depend_on_the_order_of_systems(sample: Collection) -> None:
    table = isogloss.evaluate(sample, "chrf")
    there = isogloss.explain(table, "steady", "tangled", collection=sample, settings=QUICK)
    back = isogloss.explain(table, "tangled", "steady", collection=sample, settings=QUICK)
    assert there.summary.split("(")[0] == back.summary.split("(")[0]
    for one, other in zip(there.found.views, back.found.views, strict=True):
        values = [[part.carries.value for part in view.parts] for view in (one, other)]
        assert np.allclose(values[0], np.negative(values[1]))
