"""Results as a page: what it holds of each kind, from the command line and as a tab of a report."""

import json
import re
from base64 import b64decode
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile
from zlib import MAX_WBITS, decompress

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from annotate.campaigning import ORIGIN, answer_all
from campaign_trials.pool import KINDS, QUALITY, Pool, written
from isogloss.annotate import (
    Campaign,
    PageOfResults,
    Store,
    campaign_collection,
    campaign_results,
    choices_of,
    create_app,
    judgements_of,
    open_campaign,
    write_campaign,
    write_exchange,
)
from isogloss.annotate.campaign import Phase
from isogloss.annotate.launch import opened
from isogloss.annotate.people import add_person
from isogloss.annotate.results.exchange import download
from isogloss.annotate.results.export import export_names, exported
from isogloss.annotate.storage.database import open_database
from isogloss.cli.campaign_page import served_page
from isogloss.cli.main import app
from isogloss.formats import read_choices, read_judgements

POOL = Pool(seed=2, documents=6, segments=2)
PHASES: dict[str, Phase] = {
    name: kind.phases[0] for name, kind in KINDS.items() if len(kind.phases) == 1
}
RANKING = [name for name in PHASES if KINDS[name].judgements]


def isogloss(*words: object) -> str:
    result = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A campaign of each kind that ranks, all answered."""
    found = {}
    for name in RANKING:
        folder = tmp_path_factory.mktemp(name)
        written(POOL, folder)
        plan = Campaign(
            "pool", "testset.jsonl", ("ann", "bob", "cyd"), (PHASES[name],), redundancy=3, seed=1
        )
        write_campaign(plan, folder)
        with closing(open_database(folder / "campaign.db")) as database:
            open_campaign(plan, folder, Store(database))
            answer_all(Store(database), POOL.say)
        found[name] = folder
    return found


def overview(page: str) -> dict[str, Any]:
    """What the page says first."""
    packed = re.search('id="overview">([^<]*)<', page)
    assert packed is not None
    found: dict[str, Any] = json.loads(decompress(b64decode(packed[1]), -MAX_WBITS))
    return found


def test_repeated_words_rank_nobody(tmp_path: Path) -> None:
    plan = Campaign("words", "t", ("ann", "bob"), ("consistency",), redundancy=2, chains="c")
    write_campaign(plan, tmp_path)
    with closing(open_database(tmp_path / "campaign.db")) as database:
        opened(plan, POOL.texts(), "", Store(database), POOL.chains())
        answer_all(Store(database), POOL.say)
    shown = " ".join(isogloss("annotate", "results", tmp_path).split())
    assert "tenant → Mieter" in shown
    told = json.loads(isogloss("annotate", "results", tmp_path, "-o", "json"))
    assert [each["annotator"] for each in told["conduct"]] == ["ann", "bob"]
    agreed = told["conduct"][0]["agreement"]["value"]
    assert agreed == pytest.approx(1 - len(told["disagreements"]) / POOL.documents)


@pytest.mark.parametrize("kind", RANKING)
def test_a_page_of_every_kind(folders: dict[str, Path], tmp_path: Path, kind: str) -> None:
    page = tmp_path / "results.html"
    told = json.loads(
        isogloss("annotate", "results", folders[kind], "--report", page, "-o", "json")
    )
    found = overview(page.read_text("utf-8"))
    names = [system["name"] for system in found["systems"]]
    (people,) = found["metrics"]
    assert people["people"]
    ranked = [(names[place["system"]], place["score"]) for place in people["places"]]
    assert ranked == [(each["system"], each["score"]) for each in told["standings"]]
    assert [name for name, _ in ranked] == list(QUALITY)
    assert found["verdict"]["headline"] == told["conclusion"]["headline"]
    part = found["campaign"]
    assert (part["kind"], part["annotators"]) == (KINDS[kind].judgements, 3)
    assert [each["name"] for each in part["domains"]] == ["news", "legal"]
    corrected = 0 if kind == "preference" else 3
    assert len(part["rankings"]) == corrected
    assert [each["annotator"] for each in part["conduct"]] == ["ann", "bob", "cyd"]
    apart = [each["apart"] for each in part["disputes"]]
    assert apart == sorted(apart, reverse=True)
    assert len(apart) == part["disputed"] > 0
    marked = [error for each in part["disputes"] for v in each["voices"] for error in v["errors"]]
    assert bool(marked) == (kind in ("spans", "contrastive"))
    if kind == "preference":
        assert [mark["what"] for mark in part["marks"]] == ["meaning"]


def test_metrics_stand_beside_people(folders: dict[str, Path], tmp_path: Path) -> None:
    folder, scores = folders["spans"], tmp_path / "scores.jsonl"
    testset = folder / "testset.jsonl"
    isogloss("evaluate", testset, "-m", "markables", "--save", scores)
    page, tab = tmp_path / "results.html", tmp_path / "report.html"
    isogloss("annotate", "results", folder, "--scores", scores, "--report", page)
    names = [metric["name"] for metric in overview(page.read_text("utf-8"))["metrics"]]
    assert names == ["esa", "markables"]
    isogloss("report", scores, "-t", testset, "--human", folder, "--out", tab)
    found = overview(tab.read_text("utf-8"))
    assert found["campaign"]["kind"] == "esa"
    assert [metric["people"] for metric in found["metrics"]] == [True, False]


def test_only_the_organiser_sees_results(folders: dict[str, Path]) -> None:
    folder = folders["da"]
    with closing(open_database(folder / "campaign.db", new=False)) as database:
        store = Store(database)
        asked: list[str | None] = []

        def makes(_: Store, kind: str | None, *, texts: bool) -> PageOfResults:
            asked.append(kind if texts else "no texts")
            return PageOfResults("<p>results", "default-src 'none'")

        client = TestClient(create_app(store, results=makes), headers={"Origin": ORIGIN})
        assert client.get("/results").status_code == 401
        assert asked == []
        none = TestClient(create_app(store), headers={"Origin": ORIGIN})
        assert none.get("/results").status_code == 401


def unpacked(page: str) -> str:
    """All that is in a page, in the open."""
    parts = re.findall(r">([A-Za-z0-9+/=]{16,})<", page)
    return " ".join(decompress(b64decode(part), -MAX_WBITS).decode("utf-8") for part in parts)


@pytest.mark.parametrize("kind", ["spans", "preference", "lines"])
def test_observers_see_the_ranking_and_no_texts(folders: dict[str, Path], kind: str) -> None:
    words = ("in time", "zahlt", "Mieter", "tenant")
    with closing(open_database(folders[kind] / "campaign.db", new=False)) as database:
        store = Store(database)
        server = create_app(store, results=partial(served_page, folders[kind]))
        pages = {}
        for role in ("curator", "observer"):
            token = add_person(store, f"{role}-{kind}", role).token  # type: ignore[arg-type]
            client = TestClient(server, headers={"Origin": ORIGIN})
            client.get(f"/a/{token}")
            pages[role] = client.get("/results").text
    curator, observer = (overview(pages[role]) for role in ("curator", "observer"))
    assert all(word in unpacked(pages["curator"]) for word in words)
    assert not any(word in unpacked(pages["observer"]) for word in words)
    assert observer["verdict"] == curator["verdict"]
    assert observer["metrics"] == curator["metrics"]
    assert observer["campaign"]["conduct"] == curator["campaign"]["conduct"]


@pytest.mark.parametrize("kind", RANKING)
def test_what_goes_out_comes_back(folders: dict[str, Path], tmp_path: Path, kind: str) -> None:
    judged = KINDS[kind].judgements
    with closing(open_database(folders[kind] / "campaign.db", new=False)) as database:
        store = Store(database)
        collection = campaign_collection(store)
        if kind == "preference":
            whole = choices_of(store, collection)
            for name in ("preferences.tsv", "preferences.csv"):
                assert read_choices(_out(store, name, tmp_path), collection) == whole
            return
        said = judgements_of(store, collection, judged)
        ranked = campaign_results(said, collection).table
        forms = [n for n in export_names(store) if n.startswith(("answers", "scores", "esa"))]
        assert len(forms) >= 4
        for name in forms:
            again = read_judgements(_out(store, name, tmp_path), collection, judged)
            assert again.document_means() == said.document_means(), name
            assert again.segment_means() == said.segment_means(), name
            table = campaign_results(again, collection).table
            assert [row.score for row in table.rows] == [row.score for row in ranked.rows], name
        write_exchange(store, "mtme", tmp_path / "mtme", judged)
        with ZipFile(BytesIO(download(store, "mtme.zip"))) as archive:
            archive.extractall(tmp_path / "fetched")
        for folder in (tmp_path / "mtme", tmp_path / "fetched" / str(judged)):
            back = read_judgements(folder, collection, judged)
            assert back.segment_means() == pytest.approx(said.segment_means())
            assert back.document_means() == pytest.approx(said.document_means())
        if kind in ("spans", "contrastive"):
            write_exchange(store, "mqm.tsv", tmp_path / "mqm.tsv", judged)
            assert download(store, "mqm.tsv") == (tmp_path / "mqm.tsv").read_bytes()
            marks = read_judgements(tmp_path / "mqm.tsv", collection, "mqm")
            assert _places(marks.items) == _places(said.items)


def _places(items: Any) -> set[Any]:
    return {(i.system, i.annotator, error.span) for i in items for error in i.errors}


def _out(store: Store, name: str, folder: Path) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in exported(store, name)), "utf-8")
    return path
