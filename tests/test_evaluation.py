"""Evaluation: the same table however the work is shared, and clear refusals."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from isogloss.comparison import ComparisonSettings, compare
from isogloss.documents import Collection, Document, SystemOutput, TestSet, Translation, Unsplit
from isogloss.errors import InputError, MissingExtraError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.formats import read_scores, write_scores
from isogloss.metrics.surface import Chrf
from isogloss.runtime import Runtime, Step
from isogloss.sample import load_sample
from isogloss.scores import Measurement, ScoreTable
from isogloss.segmentation import split
from isogloss.signature import Signature
from isogloss.wholes import WholeText


def same_scores(one: ScoreTable, other: ScoreTable) -> bool:
    """All but the time at which they were made."""
    return (one.metrics, one.rows) == (other.metrics, other.rows)


def test_processes_and_order_leave_no_trace() -> None:
    collection = load_sample("cs-en")
    alone = evaluate(collection, ["bleu", "ter"])
    assert same_scores(evaluate(collection, ["bleu", "ter"], runtime=Runtime(jobs=2)), alone)
    turned = Collection(collection.testset, collection.outputs[::-1])
    for row in evaluate(turned, ["bleu", "ter"]).rows:
        assert row == alone[row.metric, row.system]


def test_progress_comes_to_its_end() -> None:
    collection = load_sample("zh-en")
    steps: list[Step] = []
    table = evaluate(collection, ["bleu", "chrf"], runtime=Runtime(progress=steps.append))
    total = 3 * collection.testset.segment_count
    assert [step for step in steps if step.done == step.total] == [
        Step(metric, total, total, {row.system: row.score for row in table.of_metric(metric)})
        for metric in ("bleu", "chrf")
    ]
    assert [step.done for step in steps if step.metric == "bleu"] == sorted(
        step.done for step in steps if step.metric == "bleu"
    )


def test_a_metric_named_twice_is_scored_once() -> None:
    table = evaluate(load_sample("cs-en"), ["chrf", "chrf(beta=2)", Chrf()])
    assert [metric.name for metric in table.metrics] == ["chrf"]


def test_a_document_that_nobody_translated_has_no_score() -> None:
    collection = load_sample("cs-en")
    first = collection.testset.documents[0]
    steady = collection.outputs[0]
    absent = {**steady.documents, first.id: (None,) * len(first)}
    partly = SystemOutput("partly", absent)
    never = SystemOutput("never", {d: (None,) * len(s) for d, s in steady.documents.items()})
    table = evaluate(Collection(collection.testset, (steady, partly, never)), ["bleu"])
    row = table["bleu", "partly"]
    assert row.documents[0].score is None
    assert row.documents[1] == table["bleu", steady.name].documents[1]
    assert row.scored == row.total - len(first)
    assert table["bleu", "never"].score is None
    assert any("'never'" in notice and "absent" in notice for notice in table.provenance.notices)


def test_people_are_flagged() -> None:
    collection = load_sample("zh-en")
    human = SystemOutput(
        "refB", {d.id: d.references["refB"] for d in collection.testset.documents}, human=True
    )
    whole = replace(collection, outputs=(*collection.outputs, human)).with_references(["refA"])
    assert [row.human for row in evaluate(whole, ["chrf"]).rows] == [False, False, False, True]


@pytest.mark.parametrize(
    ("systems", "metrics", "jobs", "complaint"),
    [
        ([], ["bleu"], 1, "there is no system to score"),
        (["steady"], [], 1, "there is no metric to score with"),
        (["steady"], ["bleu"], 0, "jobs must be at least 1"),
    ],
)
def test_nothing_to_do_is_an_error(
    systems: list[str], metrics: list[str], jobs: int, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        evaluate(load_sample("cs-en").with_systems(systems), metrics, runtime=Runtime(jobs=jobs))


def in_thai() -> Collection:
    collection = load_sample("cs-en")
    return replace(collection, testset=replace(collection.testset, target_language="th"))


@dataclass(frozen=True)
class Halfway(Chrf):
    """A metric that finds out in the middle of its work that it cannot do it."""

    def measure(self, translations: Iterable[Translation]) -> Iterator[Measurement]:
        for number, measurement in enumerate(super().measure(translations)):
            if number == 5:
                raise MissingExtraError("it needs more", "more")
            yield measurement


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_metric_that_cannot_score_does_not_stop_the_others(tmp_path: Path, jobs: int) -> None:
    """The model inside does not know Thai: `prism` has no scores, and says why."""
    # Another process does not know the metrics of a test.
    halfway = [Halfway(beta=3)] if jobs == 1 else []
    table = evaluate(in_thai(), ["prism", "bleu", *halfway, "chrf"], runtime=Runtime(jobs=jobs))
    lacking = {m.name: m.not_scored for m in table.metrics if m.not_scored}
    assert list(lacking) == ["prism", *(str(metric) for metric in halfway)]
    assert "does not know the language 'th'" in lacking["prism"]
    assert "isogloss model convert" in lacking["prism"]
    assert "prism(model=" in lacking["prism"]
    assert table.obstacles == tuple(f"{name}: not scored: {lacking[name]}" for name in lacking)
    for name in lacking:
        rows = table.of_metric(name)
        assert [(row.system, row.score, row.scored) for row in rows] == [
            (system, None, 0) for system in ("steady", "shifting", "tangled")
        ]
        assert rows[0].total == in_thai().testset.segment_count
    alone = evaluate(in_thai(), ["bleu", "chrf"])
    assert [row for row in table.rows if row.metric not in lacking] == list(alone.rows)
    write_scores(table, tmp_path / "scores.jsonl")
    assert same_scores(read_scores(tmp_path / "scores.jsonl"), table)


@pytest.mark.parametrize("blocks", ["documents", "segments"])
def test_what_was_not_scored_is_compared_as_nothing(blocks: str) -> None:
    table = evaluate(in_thai(), ["prism", "chrf"])
    settings = ComparisonSettings(blocks=blocks, resamples=10)  # type: ignore[arg-type]
    prism, chrf = compare(table, settings=settings)
    assert [(s.score, s.interval, s.cluster) for s in prism.standings] == [(None, None, None)] * 3
    assert prism.pairs == ()
    assert None not in [standing.score for standing in chrf.standings]


def test_where_nothing_can_be_scored_it_is_an_error() -> None:
    with pytest.raises(NotApplicableError, match=r"^the model '.*' does not know"):
        evaluate(in_thai(), ["prism"])
    with pytest.raises(NotApplicableError, match=r"no metric can score .*: prism: .*; lm: the"):
        evaluate(in_thai(), ["prism", "lm"])
    without = load_sample("cs-en").with_references([])
    with pytest.raises(NotApplicableError, match="bleu needs a reference"):
        evaluate(without, ["bleu"])
    table = evaluate(without, ["bleu", "rc"])
    assert [metric.not_scored is None for metric in table.metrics] == [False, True]


def test_a_mistake_in_the_request_is_no_lack() -> None:
    """Nothing is scored before it is told: the others do not make up for a wrong name."""
    steps: list[Step] = []
    with pytest.raises(InputError, match="there is no model 'nosuch'"):
        evaluate(
            load_sample("cs-en"),
            ["bleu", "prism(model=nosuch)"],
            runtime=Runtime(progress=steps.append),
        )
    assert steps == []


TESTSET = TestSet(
    "made",
    "de",
    "en",
    (
        Document("pets", ("Der Hund schläft.", "Die Katze wacht."), {"ref": ("A dog.", "A cat.")}),
        Document("rain", ("Es regnet heute.",), {"ref": ("It rains today.",)}),
    ),
)
SPLIT = SystemOutput("split", {"pets": ("The dog sleeps.", "The cat wakes."), "rain": ("Rain.",)})
WHOLE = Unsplit(
    "whole",
    {
        "pets": WholeText.of_lines(["The dog sleeps. The cat wakes."]),
        "rain": WholeText.of_lines(["It rains", "today.", "Yes."]),
    },
)


def test_what_was_handed_in_whole_is_cut_first_and_that_is_said() -> None:
    table = evaluate(Collection(TESTSET, (SPLIT,), (WHOLE,)), ["chrf", "bleu"])
    assert table.systems == ("split", "whole")
    assert table["chrf", "whole"].total == TESTSET.segment_count
    (note,) = (note for note in table.provenance.notices if "cut by" in note)
    assert note.startswith("system 'whole': 2 documents cut by ")
    assert "1 handed in whole, 1 handed in with other segments than the source" in note
    for metric in table.metrics:
        signature = Signature.parse(metric.signature)
        assert str(signature.metric) == metric.name
        assert dict(signature.fields)["cut"] in note


def test_cuts_by_spelling_alone_are_told() -> None:
    unnamed = replace(TESTSET, target_language=None)
    notices = evaluate(Collection(unnamed, unsplit=(WHOLE,)), "chrf").provenance.notices
    assert any("by the spelling of their words alone, since nobody said" in n for n in notices)
    notices = evaluate(Collection(unnamed, (SPLIT,)), "chrf").provenance.notices
    assert not any("spelling" in note for note in notices)


def test_scores_of_cut_texts_are_those_of_their_segments() -> None:
    whole = evaluate(Collection(TESTSET, unsplit=(WHOLE,)), "chrf")["chrf", "whole"]
    cut = split(Collection(TESTSET, unsplit=(WHOLE,))).outputs[0]
    plain = SystemOutput("whole", cut.documents)
    given = evaluate(Collection(TESTSET, (plain,)), "chrf")["chrf", "whole"]
    assert whole.score == given.score
    for document in whole.documents:
        text = WHOLE.texts[document.document].text
        assert document.handed_in is not None
        segments = cut.documents[document.document]
        assert [text[a:b].replace("\n", " ") for a, b in document.handed_in] == list(segments)


def test_what_was_handed_in_split_is_not_said_to_be_cut() -> None:
    table = evaluate(Collection(TESTSET, (SPLIT,)), "chrf")
    assert "cut" not in dict(Signature.parse(table.metrics[0].signature).fields)
    assert not any("cut by" in note for note in table.provenance.notices)
    assert all(d.handed_in is None for d in table["chrf", "split"].documents)
