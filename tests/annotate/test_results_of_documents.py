"""Campaigns about whole documents, from answers to a ranking: scores, and choices between two."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import isogloss
from annotate.campaigning import Say, answer_all
from isogloss.annotate import (
    Campaign,
    Store,
    campaign_results,
    choices_of,
    exported,
    judged_kinds,
    open_campaign,
    write_campaign,
)
from isogloss.annotate.items import ItemName
from isogloss.annotate.results.adjudication import disagreements
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Submission, Task
from isogloss.cli.main import app
from isogloss.comparison import choices_table
from isogloss.errors import InputError
from isogloss.formats import read_choices, write_collection
from isogloss.judgements import Choice, Choices

COLLECTION = isogloss.load_sample("cs-en")
QUALITY = {"steady": 90, "shifting": 75, "tangled": 40}
DOCUMENTS = [document.id for document in COLLECTION.testset.documents]
HOSTILE = "=1+1, 'quoted', 007\tand\na new line; ½ \U0001f600"
Opens = Callable[..., tuple[Path, Store]]


@pytest.fixture
def opens(tmp_path: Path) -> Iterator[Opens]:
    """Opens a campaign in which everybody says what `say` has them say."""
    with ExitStack() as stack:

        def start(say: Say | None, *phases: Any, **more: Any) -> tuple[Path, Store]:
            write_collection(COLLECTION, tmp_path / "testset.jsonl", "jsonl")
            plan = Campaign(
                "leases", "testset.jsonl", ("ann", "bob"), phases, redundancy=2, seed=7, **more
            )
            write_campaign(plan, tmp_path)
            store = Store(stack.enter_context(closing(open_database(tmp_path / "campaign.db"))))
            open_campaign(plan, tmp_path, store)
            if say:
                answer_all(store, say)
            return tmp_path, store

        yield start


def results(folder: Path, *arguments: str) -> str:
    command = ["annotate", "results", str(folder), *arguments]
    result = CliRunner().invoke(app, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def scored(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
    """Segments as systems are good, whole documents the other way round."""
    quality = QUALITY[slots[str(item.slot)]] + (3 if name == "ann" else 0)
    quality += DOCUMENTS.index(task.document) % 3
    return {"score": 100 - quality if item.kind == "doc" else quality}


def better(task: Task, slots: Mapping[str, str], item: ItemName) -> str:
    """The letter of the better one; in the first document none is."""
    pair = task.content["pairs"][item.number]
    best: str = max(pair, key=lambda slot: QUALITY[slots[slot]])
    return "same" if task.document == DOCUMENTS[0] else best


def chosen(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
    note = HOSTILE if name == "ann" else "-5"
    return {"better": better(task, slots, item), "reasons": ["terms", "style"], "note": note}


def test_scores_of_whole_documents_rank(opens: Opens) -> None:
    folder, store = opens(scored, "document")
    assert judged_kinds(store) == ["document"]
    shown = results(folder)
    assert "tangled comes first" in shown
    told = json.loads(results(folder, "-o", "json"))
    assert [each["system"] for each in told["standings"]] == ["tangled", "shifting", "steady"]
    assert all(0 <= each["low"] <= each["high"] <= 100 for each in told["standings"])
    table = campaign_results_table(folder, store)
    assert all(len(rows) == len(DOCUMENTS) for rows in table)


def campaign_results_table(folder: Path, store: Store) -> list[tuple[Any, ...]]:
    judgements = isogloss.read_judgements(_written(folder, store, "scores.csv"), COLLECTION)
    found = campaign_results(judgements, COLLECTION, correction="none")
    return [row.documents for row in found.table.rows]


def _written(folder: Path, store: Store, name: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in exported(store, name)), "utf-8")
    return path


@pytest.mark.parametrize(
    ("phase", "kind"), [("da", "da"), ("spans", "esa"), ("contrastive", "cesa")]
)
def test_segments_rank_where_documents_were_scored_too(opens: Opens, phase: str, kind: str) -> None:
    folder, store = opens(scored, phase, document_scores=True)
    assert judged_kinds(store) == [kind, "document"]
    shown = results(folder)
    assert "steady comes first" in shown
    assert f"ranked by {kind}, scores of segments; also judged: document (--kind)" in shown
    assert "tangled comes first" in results(folder, "--kind", "document")


def test_preferences_rank_by_the_share_of_comparisons_won(opens: Opens) -> None:
    folder, store = opens(chosen, "preference")
    table = choices_table(choices_of(store, COLLECTION), COLLECTION)
    tied, rest = 1 / len(DOCUMENTS), 1 - 1 / len(DOCUMENTS)
    assert {row.system: row.score for row in table.rows} == pytest.approx(
        {"steady": 0.5 * tied + rest, "shifting": 0.5, "tangled": 0.5 * tied}
    )
    shown = results(folder)
    assert "steady comes first" in shown
    assert "share of its comparisons that a system won, ties half" in shown
    assert "Why they were preferred" in shown
    told = json.loads(results(folder, "-o", "json"))
    assert told["correction"] == "none"
    assert {each["rate"] for each in told["reasons"]} == {100.0}


def test_what_the_organiser_decided_is_the_only_choice(opens: Opens) -> None:
    def at_odds(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
        said = chosen(task, name, slots, item)
        return {**said, "better": "same"} if name == "bob" else said

    folder, store = opens(at_odds, "preference", systems=("steady", "tangled"))
    disputed = next(iter(disagreements(store)))
    organiser = next(actor for actor in store.actors() if actor.role == "organiser")
    value = {"better": "tangled", "reasons": [], "note": "=2+2"}
    store.save(organiser.id, [Submission("decision", disputed.task, disputed.item, 0, value, 9)])
    for name in ("preferences.tsv", "preferences.csv"):
        choices = read_choices(_written(folder, store, name), COLLECTION)
        assert choices == choices_of(store, COLLECTION)
        (said,) = [each for each in choices.items if each.document == disputed.document]
        assert (said.annotator, said.preferred) == ("organiser", "tangled")
    table = choices_table(choices_of(store, COLLECTION), COLLECTION)
    lost, halves, tied = 0.0, 0.75 * (len(DOCUMENTS) - 2), 0.5
    assert table["preference", "steady"].score == pytest.approx((lost + halves + tied) / 8)
    assert "steady and tangled cannot be told apart" in results(folder)


def test_metrics_are_judged_by_the_exported_preferences(opens: Opens) -> None:
    folder, store = opens(chosen, "preference")
    for name in ("preferences.tsv", "preferences.csv"):
        path = _written(folder, store, name)
        command = ["preferences", str(folder / "testset.jsonl"), "--human", str(path)]
        result = CliRunner().invoke(app, [*command, "-m", "chrf", "-o", "json", "-q"])
        assert json.loads(result.stdout)["people"] == 1.0, result.output
        assert all(
            each.reasons == ("terms", "style") for each in read_choices(path, COLLECTION).items
        )


@pytest.mark.parametrize("documents", [0, 1, 2])
def test_a_campaign_that_has_begun_is_ranked_or_says_why_not(opens: Opens, documents: int) -> None:
    """Systems of which few were compared, or never with each other; ties alone."""

    def say(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> Any:
        there = task.document in DOCUMENTS[:documents] and name == "ann"
        return chosen(task, name, slots, item) if there else None

    folder, _ = opens(say, "preference", pairs=1)
    if documents:
        assert results(folder)
        return
    result = CliRunner().invoke(app, ["annotate", "results", str(folder)])
    assert isinstance(result.exception, InputError)
    assert "nobody has answered anything yet" in str(result.exception)


def test_two_systems_are_tested_by_flipping_signs() -> None:
    """Of two, the test is the exact sign-flip test of what each document said."""
    said = ["a"] * 5 + [None, "b", "b"]
    there = [Choice("a", "b", id, best) for id, best in zip(DOCUMENTS, said, strict=True)]
    found = campaign_results(Choices(tuple(there)), COLLECTION)
    signs = np.array(list(product((-1, 1), repeat=8)))
    leads = np.array([{"a": 1, None: 0, "b": -1}[best] for best in said])
    test = found.people.pair("a", "b")
    assert test.p == pytest.approx(np.mean(abs(signs @ leads) >= leads.sum()))
    assert test.difference == pytest.approx(leads.mean())
    standing = found.people.standings[0]
    assert standing.interval is not None
    assert 0 <= standing.interval[0] < 5.5 / 8 < standing.interval[1] <= 1


def test_systems_that_never_met_are_not_told_apart() -> None:
    there = [Choice("a", "b", DOCUMENTS[0], "a"), Choice("c", "d", DOCUMENTS[1], None)]
    found = campaign_results(Choices(tuple(there)), COLLECTION)
    assert {s.system: s.score for s in found.people.standings} == {
        "a": 1.0, "b": 0.0, "c": 0.5, "d": 0.5,
    }  # fmt: skip
    assert {test.corrected_p for test in found.people.pairs} <= {None, 1.0}


def test_two_kinds_that_are_no_scores_of_the_same_are_asked_for(opens: Opens) -> None:
    def say(task: Task, name: str, slots: Mapping[str, str], item: ItemName) -> dict[str, Any]:
        return (chosen if item.kind == "pair" else scored)(task, name, slots, item)

    folder, _ = opens(say, "da", "preference")
    with pytest.raises(InputError, match="there are: da, preference"):
        results(folder)
    assert "steady comes first" in results(folder, "--kind", "preference")
