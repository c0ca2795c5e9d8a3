"""Campaign files, blinding, shares of work, and what an answer may say."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigning import TEXTS
from isogloss.annotate import (
    CAMPAIGN_FILE,
    Campaign,
    Store,
    check_unchanged,
    read_campaign,
    write_campaign,
)
from isogloss.annotate.answers import checked_value
from isogloss.annotate.campaign import Checks, changed_settings
from isogloss.annotate.items import shares, slot_names, slots, texts_of
from isogloss.annotate.launch import opened
from isogloss.annotate.storage.database import open_database
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError

CAMPAIGN = Campaign(
    'lease "contracts" \\ é',
    "testset.toml",
    ("ann", "bob"),
    systems=("alpha", "beta"),
    redundancy=2,
    checks=Checks(0.1, 0.05),
)


def test_a_campaign_reads_back_as_it_was_written(tmp_path: Path) -> None:
    write_campaign(CAMPAIGN, tmp_path)
    assert read_campaign(tmp_path) == CAMPAIGN


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name = 1 2", "is not TOML"),
        ('name = "x"\ncolour = "red"', "colour means nothing here"),
        ('name = "x"\ntestset = "t"\nannotators = ["a", ""]', "a list of annotators"),
        ('name = "x"\ntestset = "t"\nannotators = ["a", "a"]', "listed twice"),
        ('name = "x"\ntestset = "t"\nannotators = ["a"]\nredundancy = 2', "redundancy 2"),
        ('name = "x"\ntestset = "t"\nannotators = ["a"]\nphases = ["p3"]', "no phase 'p3'"),
        (
            'name = "x"\ntestset = "t"\nannotators = ["a"]\nphases = ["consistency"]',
            "isogloss chains extract",
        ),
        ('name = "x"\ntestset = "t"\nannotators = ["a"]\n[checks]\nrepeats = 2', "a share"),
        ("name = 7", "name must be a text in quotes"),
        ('name = "x"', "testset is missing"),
        ('name = "x"\ntestset = "t"\nannotators = "ann"', "annotators must be a list of texts"),
        ('name = "x"\ntestset = "t"\nannotators = [1]', "annotators must be a list of texts"),
        ('name = "x"\nphases = "da"', "phases must be a list of texts"),
        ('name = "x"\nredundancy = "2"', "redundancy must be a whole number"),
        ('name = "x"\nredundancy = 1.5', "redundancy must be a whole number"),
        ('name = "x"\nredundancy = true', "redundancy must be a whole number"),
        ('name = "x"\nseed = -1', "seed must be a whole number"),
        (f'name = "x"\nseed = {10**30}', "seed must be a whole number"),
        (f'name = "x"\nseed = {"9" * 5000}', "too many digits"),
        ('name = "x"\nsystems = {a = 1}', "systems must be a list of texts"),
        ('name = "x"\nchains = ["a"]', "chains must be a text"),
        ("checks = 1", "'checks' must be a table"),
        (
            'name = "x"\ntestset = "t"\nannotators = ["a"]\n[checks]\nrepeats = "1"',
            "checks.repeats must be a number",
        ),
        (
            'name = "x"\ntestset = "t"\nannotators = ["a"]\n[checks]\nother = 1',
            "checks.other means nothing here",
        ),
        ("a = " + "[" * 5000, "nested too deeply"),
    ],
)
def test_what_is_wrong_with_a_campaign_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / CAMPAIGN_FILE).write_text(text)
    with pytest.raises(FormatError, match=complaint):
        read_campaign(tmp_path)


def test_a_folder_without_a_campaign_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="isogloss annotate init"):
        read_campaign(tmp_path)


def test_letters_go_on_after_z() -> None:
    names = slot_names(60)
    assert names[:2] + names[25:28] + names[51:53] == ["A", "B", "Z", "AA", "AB", "AZ", "BA"]


def test_everyone_sees_an_order_of_their_own() -> None:
    systems = [f"system-{n}" for n in range(13)]
    seen = {
        (annotator, document): tuple(slots(systems, "secret", annotator, document).values())
        for annotator in ("ann", "bob")
        for document in ("d1", "d2")
    }
    assert len(set(seen.values())) == 4
    assert all(sorted(order) == sorted(systems) for order in seen.values())
    again = slots(systems, "secret", "ann", "d1")
    assert tuple(again.values()) == seen["ann", "d1"]
    assert tuple(slots(systems, "other", "ann", "d1").values()) != seen["ann", "d1"]


@given(
    st.dictionaries(st.text(min_size=1, max_size=5), st.integers(1, 90), min_size=1, max_size=12),
    st.integers(1, 5).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))),
)
def test_every_document_goes_to_as_many_annotators_as_wanted(
    sizes: dict[str, int], people: tuple[int, int]
) -> None:
    annotators = [f"person-{n}" for n in range(people[0])]
    found = shares(sizes, annotators, people[1], "secret")
    given_out = [document for share in found for document in share.documents]
    assert all(given_out.count(document) == people[1] for document in sizes)
    assert all(len(set(share.documents)) == len(share.documents) for share in found)
    loads = [sum(sizes[document] for document in share.documents) for share in found]
    assert max(loads) - min(loads) <= max(sizes.values())


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("phase1", {"adequacy": 1.2}),
        ("phase1", {"unknown": 1}),
        ("phase1", {"reported": [{"side": "output", "start": 5, "end": 2, "text": "x"}]}),
        ("phase2", {"no_error": True, "phenomena": {"sense": 0.5}}),
        ("phase2", {"phenomena": {"astrology": 0.5}}),
        ("da", {"score": 101}),
        ("da", {"score": float("nan")}),
        ("da", {}),
        ("spans", {"errors": [{"start": 0, "end": 1, "severity": "awful"}]}),
        ("consistency", {"same": "perhaps"}),
        ("consistency", {"same": True, "flexible": [0]}),
        ("consistency", {"same": False, "flexible": [-1]}),
        ("phase1", ["no", "object"]),
    ],
)
def test_an_answer_that_says_something_else_is_refused(kind: str, value: object) -> None:
    with pytest.raises(InputError):
        checked_value(kind, value)  # type: ignore[arg-type]


def test_an_answer_is_stored_in_full() -> None:
    stored = checked_value("phase2", {"phenomena": {"sense": 0.5, "style": None}})
    assert stored == {
        "no_error": False,
        "phenomena": {"sense": 0.5, "style": None},
        "target": None,
        "same_as": None,
    }


def test_what_was_opened_is_not_changed_by_its_file(tmp_path: Path) -> None:
    database = open_database(tmp_path / "campaign.db")
    store = Store(database)
    (tmp_path / "guide.md").write_text("Be kind.")
    plan = Campaign("test", "t", ("ann",), ("da",), guidelines="guide.md")
    opened(plan, TEXTS, "Be kind.", store)
    check_unchanged(plan, tmp_path, store)
    check_unchanged(replace(plan, database="elsewhere.db"), tmp_path, store)
    changed = replace(plan, annotators=("ann", "bob"), severities=("minor",))
    with pytest.raises(InputError, match="annotators, severities changed since"):
        check_unchanged(changed, tmp_path, store)
    (tmp_path / "guide.md").write_text("Be strict.")
    with pytest.raises(InputError, match=r"guide\.md changed since"):
        check_unchanged(plan, tmp_path, store)
    database.close()


def test_older_campaigns_have_no_words_on_what_is_new() -> None:
    plan = Campaign("test", "t", ("ann",), seed=7)
    old = {"name": "test", "testset": "t", "annotators": ["ann"], "seed": 7, "redundancy": 1}
    old |= {"phases": ["phase1", "phase2"], "checks": {"repeats": 0.0, "degraded": 0.0}}
    assert changed_settings(plan, old) == []
    assert changed_settings(replace(plan, pairs=3), old) == ["pairs"]


def test_documents_and_domains_are_chosen() -> None:
    documents = [Document(f"d{n}", ("a",), domain=("news", "law")[n % 2]) for n in range(4)]
    outputs = [SystemOutput("one", {d.id: ("b",) for d in documents})]
    collection = Collection(TestSet("t", "en", "de", documents), outputs)

    def chosen(**choice: Any) -> list[str]:
        return [t.id for t in texts_of(collection, Campaign("c", "t", ("ann",), **choice))]

    assert chosen(domains=("law",)) == ["d1", "d3"]
    assert chosen(documents=("d3", "d0"), domains=("law",)) == ["d3"]
    with pytest.raises(InputError, match="no domain 'laws'; there are: law, news"):
        chosen(domains=("laws",))
    with pytest.raises(InputError, match="d9"):
        chosen(documents=("d9",))
    with pytest.raises(InputError, match="no severity 'fatal'"):
        Campaign("c", "t", ("ann",), severities=("fatal",))
