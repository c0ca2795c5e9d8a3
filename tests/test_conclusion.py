"""What comparisons say together: no more than their tests carry."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest

from isogloss.comparison import (
    Comparison,
    ComparisonSettings,
    PairTest,
    Standing,
    compare,
    conclude,
    ranked_by_all,
)
from isogloss.evaluation import evaluate
from isogloss.sample import load_sample
from isogloss.scores import MetricInfo

Scores = Mapping[str, float]


def compared(
    metric: str,
    scores: Scores,
    clusters: Sequence[int],
    *,
    higher: bool = True,
    human: Sequence[str] = (),
    spread: float = 0.1,
) -> Comparison:
    """A comparison in which systems of different clusters differ for sure, and no others."""
    ranked = sorted(scores, key=lambda name: -scores[name] if higher else scores[name])
    cluster = dict(zip((name for name in ranked if name not in human), clusters, strict=True))
    standings = tuple(
        Standing(name, scores[name], None, cluster.get(name), 9, 9, name in human)
        for name in ranked
    )

    def test(first: str, second: str) -> PairTest:
        difference = scores[first] - scores[second]
        p = 0.001 if cluster.get(first) != cluster.get(second) else 0.5
        interval = (difference - spread, difference + spread)
        return PairTest(first, second, difference, p, 20, interval, p)

    pairs = tuple(test(*pair) for pair in combinations(ranked, 2))
    info = MetricInfo(metric, metric, higher_is_better=higher)
    return Comparison(info, ComparisonSettings(), standings, pairs)


THREE = {"a": 30.0, "b": 29.5, "c": 20.0}


def told(*comparisons: Comparison, people: Comparison | None = None) -> str:
    conclusion = conclude(comparisons, people)
    assert conclusion is not None
    return conclusion.sentence


def test_leaders_of_every_metric_share_first_place() -> None:
    bleu = compared("bleu", THREE, [1, 1, 2])
    ter = compared("ter", {"a": 50.0, "b": 49.0, "c": 70.0}, [1, 1, 2], higher=False)
    conclusion = conclude([bleu, ter])
    assert conclusion is not None
    assert conclusion.first == ("a", "b")
    assert conclusion.order == ("a", "b", "c")
    assert conclusion.sentence == (
        "a and b share first place: ahead of all others on both bleu and ter; "
        "on bleu the next is c, 9.50 [9.40, 9.60] behind."
    )
    nearest = {lead.metric: (lead.ahead, lead.behind, lead.by) for lead in conclusion.leads}
    assert nearest == {"bleu": ("b", "c", 9.5), "ter": ("a", "c", 20.0)}


def test_what_a_metric_leaves_open_is_said() -> None:
    sure, open_ = compared("bleu", THREE, [1, 2, 2]), compared("ltcr", THREE, [1, 1, 1])
    assert told(sure, open_).startswith(
        "a comes first: ahead of all others on 1 of 2 metrics (bleu);"
    )
    assert told(sure, open_).endswith("; on ltcr not all others can be told from it.")


def test_nobody_is_first_on_all_counts_without_being_ahead_of_all_on_one() -> None:
    one = compared("bleu", {"a": 3.0, "b": 2.0, "c": 1.0}, [1, 1, 2])
    other = compared("chrf", {"a": 3.0, "c": 2.0, "b": 1.0}, [1, 1, 2])
    assert told(one, other) == (
        "a comes first: every other system is behind on at least one of 2 metrics, ahead on none."
    )


def test_metrics_that_contradict_each_other() -> None:
    one = compared("bleu", THREE, [1, 2, 3])
    other = compared("prism", {"c": 3.0, "b": 2.0, "a": 1.0}, [1, 2, 3])
    third = compared("chrf", THREE, [1, 2, 3])
    assert told(one, other, third) == (
        "The metrics disagree about who comes first: bleu and chrf put a first; prism puts c first."
    )
    assert conclude([one, other]).first == ()  # type: ignore[union-attr]


def test_nothing_is_claimed_where_nothing_is_significant() -> None:
    assert told(compared("bleu", THREE, [1, 1, 1])) == (
        "None of the 3 systems can be told from another: no difference is significant on bleu."
    )


def test_systems_that_overlap_have_no_first_place() -> None:
    chained = compared("bleu", {"a": 3.0, "b": 2.0, "c": 1.0}, [1, 1, 1])
    ends = chained.pair("a", "c")
    sure = PairTest("a", "c", ends.difference, 0.001, 20, ends.interval, 0.001)
    pairs = tuple(sure if test is ends else test for test in chained.pairs)
    assert told(Comparison(chained.metric, chained.settings, chained.standings, pairs)) == (
        "No first place can be given among the 3 systems: some can be told apart "
        "(1 of 3 pairs on bleu), but none is ahead of all others."
    )


def test_of_two_systems_the_difference_is_told() -> None:
    two = {"a": 30.0, "b": 28.75}
    bleu = compared("bleu", two, [1, 2])
    assert told(bleu) == "a is better than b on bleu: by 1.25 bleu."
    worse = compared("ter", {"b": 40.0, "a": 42.0}, [1, 2], higher=False)
    assert told(bleu, worse) == (
        "The metrics disagree about a and b: a is better on bleu; worse on ter."
    )
    level = compared("chrf", two, [1, 1])
    assert told(level) == "a and b cannot be told apart: no difference is significant on chrf."
    assert told(bleu, level).endswith("by 1.25 bleu; chrf does not tell them apart.")


def test_a_lead_whose_interval_reaches_nothing_is_uncertain() -> None:
    wide = compared("bleu", {"a": 30.0, "b": 28.75}, [1, 2], spread=2.0)
    assert told(wide).endswith(
        "; the lead on bleu is significant, its size uncertain (its interval reaches 0)."
    )


@pytest.mark.parametrize(
    ("scores", "clusters", "said"),
    [
        ({"a": 3.0, "b": 2.0, "c": 1.0}, [1, 2, 2], "people agree"),
        ({"a": 3.0, "b": 2.0, "c": 1.0}, [1, 1, 2], "people do not tell b from it"),
        ({"c": 3.0, "b": 2.0, "a": 1.0}, [1, 2, 2], "but people put c first"),
        ({"a": 3.0, "b": 2.0, "c": 1.0}, [1, 1, 1], "people tell none of them from another"),
        ({"b": 3.0, "c": 2.0}, [1, 2], "people did not judge a"),
    ],
)
def test_people_are_heard(scores: Scores, clusters: Sequence[int], said: str) -> None:
    metric = compared("bleu", THREE, [1, 2, 2])
    people = compared("mqm", scores, clusters)
    assert told(metric, people=people).endswith(f"; {said}.")


def test_human_translations_are_ranked_by_their_places_only() -> None:
    scores = {"ref": 25.0, **THREE}
    comparison = compared("bleu", scores, [1, 1, 2], human=["ref"])
    assert ranked_by_all([comparison]) == ("a", "b", "ref", "c")
    assert told(comparison).startswith("a and b share first place: on bleu the next is c, 9.50")


def test_one_system_alone_is_neither_first_nor_last() -> None:
    assert conclude([compared("bleu", {"a": 1.0}, [1])]) is None


def test_of_the_sample_it_says_what_the_tests_found() -> None:
    comparisons = compare(evaluate(load_sample("cs-en"), "bleu,chrf"))
    conclusion = conclude(comparisons)
    assert conclusion is not None
    assert conclusion.first == ("steady",)
    for lead, comparison in zip(conclusion.leads, comparisons, strict=True):
        test = comparison.pair(lead.ahead, lead.behind)
        assert comparison.is_real(test)
        assert lead.by == abs(test.difference or 0)
        assert lead.p == test.corrected_p
