"""Tasks as data: those of WMT, and a person's own."""

from pathlib import Path

import pytest

from isogloss.errors import FormatError, InputError
from isogloss.metaeval import Statistic, known_tasks, load_task


def test_the_tasks_that_come_along() -> None:
    assert known_tasks() == (
        "documents",
        "overview",
        "pdp",
        "wmt20",
        "wmt22",
        "wmt23",
        "wmt24",
        "wmt25",
    )
    wmt23 = load_task("wmt23")
    # As in mt-metrics-eval, whose pooled accuracy weighs as many as there are language pairs.
    assert [(str(s), s.weight) for s in wmt23.of_testsets(3).statistics] == [
        ("system pairwise-accuracy", 3),
        ("system pearson", 1.0),
        ("segment pearson", 1.0),
        ("segment acc-eq by item", 1.0),
    ]
    for name in known_tasks():
        assert load_task(name).description


def test_correlations_count_as_shares_in_the_average() -> None:
    assert Statistic("segment", "pearson").in_average(0.5) == 0.75
    assert Statistic("segment", "acc-eq").in_average(0.5) == 0.5


def test_a_task_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[statistics]]\nlevel = "document"\nname = "tau-b"\ngrouping = "item"\n')
    task = load_task(str(path))
    assert task.name == "mine"
    assert str(task.statistics[0]) == "document tau-b by item"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no statistics"),
        ("=", "is not TOML"),
        ('[[statistics]]\nlevel = "word"\nname = "pearson"', "there is no level 'word'"),
        ('[[statistics]]\nlevel = "segment"\nname = "r"', "there is no statistic 'r'"),
        (
            '[[statistics]]\nlevel = "segment"\nname = "pearson"\ngrouping = "x"',
            "there is no grouping 'x'",
        ),
        ('[[statistics]]\nlevel = "segment"\nname = "pairwise-accuracy"', "its level is system"),
        ('[[statistics]]\nlevel = "system"\nname = "soft-pairwise-accuracy"', "needs items"),
        ('[[statistics]]\nlevel = "system"\nname = "pearson"\nweight = 0', "must be above 0"),
        (f'[[statistics]]\nlevel = "system"\nname = "pearson"\nweight = {"9" * 400}', "at most"),
        ('[[statistics]]\nlevel = "system"\nname = "pearson"\nper_testset = true', "is pooled"),
        ('[[statistics]]\nlevel = "system"\nname = "pearson"\nwieght = 1', "no key 'wieght'"),
        ('[[statistics]]\nlevel = "system"', "has no 'name'"),
        ('[[statistics]]\nlevel = "system"\nname = "pearson"\nweight = "x"', "the wrong kind"),
        ("statistics = 1", "the wrong kind"),
        ("a = " + "[" * 5000, "nested too deeply"),
        ('[[statistics]]\nlevel = "system"\nname = "pearson"\n' * 2, "lists a statistic twice"),
    ],
)
def test_what_is_wrong_with_a_task_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=complaint):
        load_task(str(path))


def test_an_unknown_task_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="there are: documents, overview, pdp, wmt20"):
        load_task("wmt99")
