"""From answers to a ranking: the same as `compare` says of them; exports that read back."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import isogloss
from annotate.campaigning import answer_all
from isogloss.annotate import (
    Campaign,
    Store,
    campaign_collection,
    campaign_judgements,
    campaign_results,
    corrected_annotators,
    exported,
    judgements_of,
    open_campaign,
    write_campaign,
)
from isogloss.annotate.storage.database import open_database
from isogloss.cli.main import app
from isogloss.errors import InputError
from isogloss.formats import read_judgements, write_collection, write_scores
from isogloss.judgements import Judgement, Judgements

QUALITY = {"steady": 90.0, "shifting": 75.0, "tangled": 40.0}
MILD = {"=ann": 0.0, "bob": -12.0, "'cyd": 9.0}
COLLECTION = isogloss.load_sample("cs-en")


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everybody has judged; the seed says who judges which documents."""
    folder = tmp_path_factory.mktemp("campaign")
    write_collection(COLLECTION, folder / "testset.jsonl", "jsonl")
    plan = Campaign("leases", "testset.jsonl", tuple(MILD), ("da", "spans"), redundancy=2, seed=7)
    write_campaign(plan, folder)
    database = open_database(folder / "campaign.db")
    open_campaign(plan, folder, Store(database))
    rng = np.random.default_rng(1)
    answer_all(
        Store(database),
        lambda task, name, slots, item: answer(task.kind, slots[str(item.slot)], MILD[name], rng),
    )
    database.close()
    return folder


def answer(kind: str, system: str, mild: float, rng: np.random.Generator) -> dict[str, object]:
    score = float(np.clip(round(QUALITY[system] + mild + rng.normal(0, 5)), 0, 100))
    if kind == "da":
        return {"score": score}
    wrong = {"start": 0, "end": 3, "severity": "major", "category": "accuracy", "missing": False}
    omission = {**wrong, "end": 0, "category": None, "missing": True}
    return {"score": score, "errors": [wrong, omission] if system == "tangled" else []}


@pytest.fixture
def store(campaign: Path) -> Iterator[Store]:
    database = open_database(campaign / "campaign.db", new=False)
    yield Store(database)
    database.close()


def test_the_texts_come_out_as_they_went_in(store: Store) -> None:
    found = campaign_collection(store)
    assert found.testset.documents == COLLECTION.testset.documents
    assert found.outputs == COLLECTION.outputs


def test_results_are_what_compare_says_of_peoples_scores(store: Store, tmp_path: Path) -> None:
    collection = campaign_collection(store)
    found = campaign_results(judgements_of(store, collection, "da"), collection, correction="none")
    assert [each.system for each in found.people.standings] == list(QUALITY)
    assert [each.cluster for each in found.people.standings] == [1, 2, 3]
    write_scores(found.table, tmp_path / "people.jsonl")
    (again,) = isogloss.compare(isogloss.read_scores(tmp_path / "people.jsonl"))
    assert [(p.difference, p.p) for p in again.pairs] == [
        (p.difference, p.p) for p in found.people.pairs
    ]


def test_mild_annotators_are_found_and_taken_out() -> None:
    """Two share every translation, and one judges mostly good ones."""
    rng = np.random.default_rng(2)
    items = []
    for document in range(60):
        people = [("ann", "bob"), ("bob", "cyd"), ("ann", "cyd")][document % 3]
        worth = rng.normal(50, 10)
        for name in people:
            score = worth + {"ann": 8, "bob": 0, "cyd": -8}[name] + rng.normal(0, 3)
            items.append(Judgement("s", f"d{document}", 0, name, float(score)))
    given = Judgements("da", tuple(items))
    for correction, worst in (("none", 17.0), ("mixed", 1.5), ("z", 4.0)):
        corrected = corrected_annotators(given, correction)  # type: ignore[arg-type]
        assert spread(corrected, "ann", "cyd") < worst
    assert spread(given, "ann", "cyd") > 12
    with pytest.raises(InputError, match="there are: none, z, mixed"):
        corrected_annotators(given, "guess")  # type: ignore[arg-type]


def spread(judgements: Judgements, one: str, other: str) -> float:
    """By how much one scores above another on what both judged."""
    said: dict[str | None, dict[str | None, float]] = {}
    for item in judgements.items:
        said.setdefault(item.document, {})[item.annotator] = float(item.score or 0)
    both = [each[one] - each[other] for each in said.values() if {one, other} <= set(each)]
    return float(np.mean(both))


def test_weights_count_documents_for_those_they_stand_for(store: Store) -> None:
    collection = campaign_collection(store)
    judgements = judgements_of(store, collection, "da")
    ids = [document.id for document in collection.testset.documents]
    weights = {id: float(n + 1) for n, id in enumerate(ids)}
    found = campaign_results(judgements, collection, correction="none", weights=weights)
    plain = campaign_results(judgements, collection, correction="none")
    row = plain.table["da", "steady"]
    sums = np.array([d.measurement.statistics for d in row.documents])
    sizes = np.array(list(weights.values()))
    expected = (sizes @ sums[:, 0]) / (sizes @ sums[:, 1])
    assert found.table["da", "steady"].score == pytest.approx(expected)
    assert found.weighted
    assert not plain.weighted


def test_a_metric_that_scored_more_documents_may_help(store: Store) -> None:
    collection = campaign_collection(store)
    judgements = judgements_of(store, collection, "da")
    few = {document.id for document in collection.testset.documents[:6]}
    judged = Judgements("da", tuple(i for i in judgements.items if i.document in few))
    table = isogloss.evaluate(collection, "chrf")
    found = campaign_results(judged, collection, [table])
    (help,) = found.help
    assert (help.metric, help.judged, help.documents) == ("chrf", 6, 8)
    assert found.metrics[0].standings[0].total < table.rows[0].total
    assert not campaign_results(judgements, collection, [table]).help


@pytest.mark.parametrize("kind", ["da", "esa"])
@pytest.mark.parametrize("name", ["answers", "scores", "esa"])
def test_spreadsheets_are_read_as_what_they_were_made_of(
    store: Store, tmp_path: Path, name: str, kind: str
) -> None:
    if (name, kind) == ("esa", "da"):
        return
    collection = campaign_collection(store)
    whole = {"answers": "answers.jsonl", "scores": "scores.tsv", "esa": "esa.jsonl"}[name]
    read = []
    for each in (whole, f"{name}.csv"):
        path = tmp_path / each
        path.write_text("".join(f"{line}\n" for line in exported(store, each)), "utf-8")
        read.append(read_judgements(path, collection, kind))
    assert read[0].items == read[1].items
    assert set(read[0].annotators) == set(MILD)


def test_a_spreadsheet_runs_nothing(store: Store) -> None:
    text = "\n".join(exported(store, "scores.csv"))
    cells = {row[0] for row in csv.reader(io.StringIO(text))}
    assert cells == {"annotator", "'=ann", "bob", "''cyd"}


def test_mt_metrics_eval_holds_the_means(campaign: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mtme"
    run("annotate", "export", campaign, "mtme", "--to", folder, "--kind", "da")
    collection = isogloss.read(folder)
    assert [output.name for output in collection.outputs] == sorted(QUALITY)
    back = read_judgements(folder, collection, "da").segment_means()
    given = campaign_judgements(campaign, COLLECTION, "da").segment_means()
    assert back == pytest.approx(given)


def test_mqm_ratings_hold_the_marks(campaign: Path, tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    run("annotate", "export", campaign, "mqm.tsv", "--to", path)
    back = {key(item): item.errors for item in read_judgements(path, COLLECTION).items}
    given = campaign_judgements(campaign, COLLECTION, "esa")
    assert back == {key(item): item.errors for item in given.items}
    assert sum(map(len, back.values())) > 0


def key(item: Judgement) -> tuple[object, ...]:
    return item.system, item.document, item.segment, item.annotator


def test_the_program_ranks_exports_and_plans(campaign: Path, tmp_path: Path) -> None:
    shown = run("annotate", "results", campaign, "--kind", "esa")
    assert "steady comes first" in shown
    assert "accuracy major" in shown
    told = json.loads(run("annotate", "results", campaign, "--kind", "da", "-o", "json"))
    assert told["correction"] == "mixed"
    assert [each["system"] for each in told["standings"]] == list(QUALITY)
    plan = run("plan", "-t", campaign / "testset.jsonl", "--human", f"{campaign}:da", "-d", "3")
    assert "3 annotators" in plan
    judged = run(
        "metaeval", campaign / "testset.jsonl", "--human", f"{campaign / 'campaign.db'}:da",
        "-m", "chrf", "-o", "tsv",
    )  # fmt: skip
    assert judged.startswith("metric\t")
    result = CliRunner().invoke(app, ["annotate", "results", str(campaign)])
    assert "which kind of judgements (--kind)? there are: da, esa" in str(result.exception)


def test_chosen_documents_are_judged_and_weighted(tmp_path: Path) -> None:
    write_collection(COLLECTION, tmp_path / "all.jsonl", "jsonl")
    folder = tmp_path / "few"
    run(
        "annotate", "init", tmp_path / "all.jsonl", "--into", folder, "-a", "=ann,bob",
        "--phases", "da", "--seed", "3", "--select", "4",
    )  # fmt: skip
    rows = [line.split("\t") for line in (folder / "selection.tsv").read_text().splitlines()[1:]]
    assert [row[0] for row in rows] == [d.id for d in COLLECTION.testset.documents]
    chosen = [row[0] for row in rows if row[1] == "yes"]
    asked = isogloss.read(folder / "testset.jsonl")
    assert [document.id for document in asked.testset.documents] == chosen
    assert len(chosen) == 4
    assert sum(float(row[2]) for row in rows) == pytest.approx(4)
