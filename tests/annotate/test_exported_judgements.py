"""What people said in a campaign is what is read from its exports, whatever they were asked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import isogloss
from annotate.campaigning import ORIGIN, sent
from isogloss.annotate import Campaign, Store, create_app, exported, open_campaign
from isogloss.annotate.campaign import Checks
from isogloss.annotate.storage.database import open_database
from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError
from isogloss.formats import read_judgements, recognise, write_collection
from isogloss.judgements import ErrorMark, Judgement
from isogloss.metrics.consistency import Chain, ChainItem, read_answers, write_chains
from isogloss.spans import SOURCE, Span, output_side, reference_side

SOURCES = {"lease": ("Nájemce platí. 😀", "Nájemce platí. 😀", "Pak odejde."), "law": ("Zákon,",)}
OUTPUTS = {
    "alpha": {"lease": ("Tenant 👩‍👩‍👧 pays.", "He pays.", "Then he goes."), "law": ("A law,",)},
    "beta/2": {"lease": ("ĺessee pays.", "المستأجر يدفع", "Off he goes."), "law": (None,)},
}
REFERENCE = {"lease": ("The tenant pays.", "The tenant does.", "Then she leaves."), "law": ("Law",)}
COLLECTION = Collection(
    TestSet(
        "leases",
        "cs",
        "en",
        tuple(Document(id, lines, {"refA": REFERENCE[id]}) for id, lines in SOURCES.items()),
    ),
    tuple(SystemOutput(name, documents) for name, documents in OUTPUTS.items()),
)
CHAINS = (
    Chain("l:1", "lease", "nájemce", "tenant", (ChainItem(0, 0, 0, 7), ChainItem(1, 1, 0, 7))),
    Chain("l:2", "lease", "platí", "pays", (ChainItem(0, 0, 8, 13), ChainItem(1, 1, 8, 13))),
)
TEXTS = {**OUTPUTS, "refA": REFERENCE}
Place = tuple[str, str, int]


@dataclass
class Running:
    """A campaign on the collection, with people at its server."""

    store: Store
    tokens: dict[str, str]
    folder: Path
    keys: int = 0
    browsers: dict[str, TestClient] = field(default_factory=dict)

    def browser(self, name: str) -> TestClient:
        if name not in self.browsers:
            client = TestClient(create_app(self.store), headers={"Origin": ORIGIN})
            assert client.get(f"/a/{self.tokens[name]}").status_code == 200
            self.browsers[name] = client
        return self.browsers[name]

    def post(self, name: str, path: str, task: str, item: str, revision: int = 0, **v: Any) -> None:
        self.keys += 1
        body = sent(task, item, revision, f"key-{self.keys:06}", **v)
        answer = self.browser(name).post(f"/api/{path}", json=body)
        assert answer.status_code == 200, answer.text

    def tasks(self, name: str, kind: str) -> Iterator[dict[str, Any]]:
        browser = self.browser(name)
        for task in browser.get("/api/me").json()["tasks"]:
            if task["kind"] == kind:
                yield browser.get(f"/api/tasks/{task['id']}").json()

    def say(self, name: str, kind: str, place: Place, **value: Any) -> None:
        """Somebody answers on a line or segment; the letter is found by what the page shows."""
        system, document, number = place
        task = next(t for t in self.tasks(name, kind) if t["document"] == document)
        texts = list(TEXTS[system][document])
        slot = next(slot for slot, lines in task["outputs"].items() if lines == texts)
        what = {"phase1": "line", "phase2": "occ"}.get(kind, "seg")
        self.post(name, "answers", task["id"], f"{what}:{number}/{slot}", **value)

    def decide(self, system: str | None, number: int, **value: Any) -> None:
        """The organiser decides where annotators disagree."""
        places = self.browser("organiser").get("/api/disagreements").json()
        (place,) = [
            each
            for each in places
            if each["system"] == system and each["item"].split(":")[1].startswith(f"{number}/")
        ]
        self.post("organiser", "adjudications", place["task"], place["item"], **value)

    def export(self, name: str) -> Path:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in exported(self.store, name)), "utf-8")
        return path

    def read(self, name: str, kind: str | None = None) -> set[Judgement]:
        judgements = read_judgements(self.export(name), COLLECTION, kind)
        assert kind in (None, judgements.kind)
        assert len(set(judgements.items)) == len(judgements.items)
        return set(judgements.items)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Any]:
    databases = []

    def start(*phases: str, **plan: Any) -> Running:
        write_collection(COLLECTION, tmp_path / "testset.jsonl", "jsonl")
        write_chains(tmp_path / "chains.jsonl", CHAINS)
        campaign = Campaign(
            "leases",
            "testset.jsonl",
            ("ann", "Žofie/2"),
            phases,  # type: ignore[arg-type]
            references_as_systems=("refA",),
            redundancy=2,
            chains="chains.jsonl",
            **plan,
        )
        database = open_database(tmp_path / "campaign.db")
        databases.append(database)
        links = open_campaign(campaign, tmp_path, Store(database))
        tokens = {"organiser": links.organiser, **links.annotators}
        return Running(Store(database), tokens, tmp_path)

    yield start
    for database in databases:
        database.close()


def judgement(
    place: Place, who: str, score: float | None = None, errors: tuple[ErrorMark, ...] = ()
) -> Judgement:
    return Judgement(*place, who, score, errors, human=place[0] == "refA")


ALPHA, BETA, REF = ("alpha", "lease", 0), ("beta/2", "lease", 1), ("refA", "law", 0)


def test_scores_are_read_as_they_were_given(start: Any) -> None:
    campaign = start("da", checks=Checks(0.5, 0.5))
    said = {("ann", ALPHA): 80.5, ("ann", BETA): 1 / 3, ("ann", REF): 0, ("Žofie/2", ALPHA): 40}
    for (who, place), score in said.items():
        campaign.say(who, "da", place, score=score)
    for task in campaign.tasks("ann", "da"):
        for check in task["shown"]:
            campaign.post("ann", "answers", task["id"], check["item"], score=99)
    expected = {judgement(place, who, score) for (who, place), score in said.items()}
    assert "~" in campaign.export("events.jsonl").read_text(), "there are checks, and not read"
    for name in ("answers.jsonl", "scores.tsv"):
        assert campaign.read(name) == campaign.read(name, "da") == expected
    campaign.decide("alpha", 0, score=66)
    decided = {judgement(ALPHA, "organiser", 66)}
    kept = {each for each in expected if (each.system, each.document, each.segment) != ALPHA}
    for name in ("answers.jsonl", "scores.tsv"):
        assert campaign.read(name) == kept | decided
    assert campaign.read("decisions.jsonl") == decided


def test_a_score_that_was_taken_back_is_not_read(start: Any) -> None:
    campaign = start("da")
    campaign.say("ann", "da", ALPHA, score=80)
    campaign.say("ann", "da", BETA, score=70)
    campaign.say("ann", "da", BETA, revision=1, score=None)
    for name in ("answers.jsonl", "scores.tsv"):
        assert campaign.read(name) == {judgement(ALPHA, "ann", 80)}


@pytest.mark.parametrize(("phase", "kind"), [("spans", "esa"), ("contrastive", "cesa")])
def test_errors_keep_their_places(start: Any, phase: str, kind: str) -> None:
    campaign = start(phase, checks=Checks(0.5, 0.5))
    family = {"start": 7, "end": 12, "severity": "major", "category": "style", "missing": False}
    gone = {"start": 19, "end": 19, "severity": "critical", "category": None, "missing": True}
    arabic = {"start": 0, "end": 8, "severity": "minor", "category": None, "missing": False}
    law = {"start": 0, "end": 3, "severity": "minor", "category": "grammar", "missing": False}
    campaign.say("ann", phase, ALPHA, errors=[family, gone], score=30)
    campaign.say("Žofie/2", phase, ALPHA, errors=[], score=90)
    campaign.say("ann", phase, BETA, errors=[arabic])  # not scored yet
    campaign.say("Žofie/2", phase, REF, errors=[law], score=55.5)
    for task in campaign.tasks("ann", phase):
        for check in task["shown"]:
            campaign.post("ann", "answers", task["id"], check["item"], errors=[law], score=1)
    at = Span("lease", output_side("alpha"), 0, 7, 12)
    marks = (ErrorMark("style", "major", at), ErrorMark("omission", "critical"))
    assert TEXTS["alpha"]["lease"][0][7:12] == "👩‍👩‍👧"  # type: ignore[index]
    rtl = ErrorMark("", "minor", Span("lease", output_side("beta/2"), 1, 0, 8))
    human = ErrorMark("grammar", "minor", Span("law", reference_side("refA"), 0, 0, 3))
    one, other = judgement(ALPHA, "ann", 30, marks), judgement(ALPHA, "Žofie/2", 90)
    rest = {judgement(BETA, "ann", None, (rtl,)), judgement(REF, "Žofie/2", 55.5, (human,))}
    for name in ("answers.jsonl", "esa.jsonl", "esa.csv"):
        assert campaign.read(name) == campaign.read(name, kind) == {one, other, *rest}
    campaign.decide("alpha", 0, errors=[family], score=45)
    decided = judgement(ALPHA, "organiser", 45, marks[:1])
    for name in ("answers.jsonl", "esa.jsonl"):
        assert campaign.read(name) == {decided, *rest}
    assert campaign.read("decisions.jsonl") == {decided}
    scored = {each for each in (decided, *rest) if each.score is not None}
    assert campaign.read("scores.tsv") == {replace(each, errors=()) for each in scored}


def test_errors_in_another_output_lose_their_places_and_no_more(start: Any) -> None:
    campaign = start("spans")
    law = {"start": 0, "end": 1, "severity": "minor"}
    campaign.say("ann", "spans", ALPHA, errors=[law], score=30)
    changed = {**OUTPUTS["alpha"], "lease": ("Tenants pay.", *OUTPUTS["alpha"]["lease"][1:])}
    for known in (
        COLLECTION.testset,
        Collection(COLLECTION.testset, (SystemOutput("alpha", changed),)),
    ):
        (read,) = read_judgements(campaign.export("esa.jsonl"), known).items
        assert read == judgement(ALPHA, "ann", 30, (ErrorMark("", "minor"),))


def test_ratings_of_lines_are_read(start: Any) -> None:
    campaign = start("phase1")
    words = [
        {"side": "source", "start": 0, "end": 7, "text": "Nájemce"},
        {"side": "output", "start": 0, "end": 6, "text": "Tenant"},
    ]
    rated = {"adequacy": 0.7, "fluency": 0.9, "conflicting": True, "reported": words, "note": "x"}
    campaign.say("ann", "phase1", ALPHA, **rated)
    campaign.say("Žofie/2", "phase1", ALPHA, adequacy=0.1, fluency=0.2)
    campaign.say("ann", "phase1", BETA, adequacy=0.4)
    campaign.say("ann", "phase1", REF, fluency=1)
    campaign.say("ann", "phase1", REF, revision=1)  # taken back
    campaign.say("Žofie/2", "phase1", REF, adequacy=0, fluency=0)
    side = Span("lease", SOURCE, 0, 0, 7), Span("lease", output_side("alpha"), 0, 0, 6)
    errors = (
        ErrorMark("conflict", "unrated"),
        ErrorMark("reported", "unrated", side[0], "Nájemce"),
        ErrorMark("reported", "unrated", side[1], "Tenant"),
        ErrorMark("reported", "unrated", None, "x"),
    )
    noted = (errors[0], ErrorMark("reported", "unrated", None, "Nájemce, Tenant, x"))
    kinds = {
        "fluency-adequacy": (0.9 * 0.7, 0.2 * 0.1, None),
        "adequacy": (0.7, 0.1, 0.4),
        "fluency": (0.9, 0.2, None),
    }
    for kind, (ann, other, beta) in kinds.items():
        for name, marks in (("answers.jsonl", errors), ("study.jsonl", noted), ("scores.tsv", ())):
            assert campaign.read(name, kind) == {
                judgement(ALPHA, "ann", ann, marks),
                judgement(ALPHA, "Žofie/2", other),
                judgement(BETA, "ann", beta),
                judgement(REF, "Žofie/2", 0),
            }
    assert campaign.read("answers.jsonl") == campaign.read("answers.jsonl", "fluency-adequacy")
    campaign.decide("alpha", 0, adequacy=0.5, fluency=0.5)
    expected = {judgement(ALPHA, "organiser", 0.25), judgement(BETA, "ann", None)}
    expected |= {judgement(REF, "Žofie/2", 0)}
    for name in ("answers.jsonl", "scores.tsv"):
        assert campaign.read(name) == expected
    assert judgement(ALPHA, "Žofie/2", 0.2 * 0.1) in campaign.read("study.jsonl"), "as they said it"


def released(campaign: Running) -> None:
    """Two markables, of which the first two lines have both."""
    organiser = campaign.browser("organiser")
    for number, (head, start) in enumerate((("nájemce", 0), ("platí", 8))):
        places = [{"segment": n, "start": start, "end": start + len(head)} for n in (0, 1)]
        value = {"head": head, "occurrences": places, "state": "accepted", "origin": ""}
        campaign.post("organiser", "curation", "curation:lease", f"candidate:{number}", **value)
    assert organiser.post("/api/curation/release", json={}).json() == {"tasks": 4}


def mark(campaign: Running, who: str, head: str, place: Place, **value: Any) -> None:
    system, _, occurrence = place
    task = next(t for t in campaign.tasks(who, "phase2") if t["markable"]["head"] == head)
    texts = list(TEXTS[system]["lease"])
    slot = next(slot for slot, lines in task["outputs"].items() if lines == texts)
    campaign.post(who, "answers", task["id"], f"occ:{occurrence}/{slot}", **value)


def test_marks_on_markables_are_read(start: Any) -> None:
    campaign = start("phase2")
    released(campaign)
    mark(campaign, "ann", "nájemce", ALPHA, phenomena={"sense": 0.5, "style": 0.25})
    mark(campaign, "ann", "platí", ALPHA, phenomena={"conflict": 1})
    mark(campaign, "Žofie/2", "nájemce", ALPHA, no_error=True)
    mark(campaign, "Žofie/2", "platí", ALPHA, no_error=True)
    mark(campaign, "ann", "platí", BETA, phenomena={"grammar": None})
    mark(campaign, "ann", "nájemce", BETA, target=[{"start": 0, "end": 3}])  # nothing is judged
    tenant, pays = (Span("lease", SOURCE, 0, *place) for place in ((0, 7), (8, 13)))
    first = (
        ErrorMark("sense", "0.5", tenant, "nájemce"),
        ErrorMark("style", "0.25", tenant, "nájemce"),
    )
    second = ErrorMark("conflict", "1", pays, "platí")
    unrated = ErrorMark("grammar", "unrated", Span("lease", SOURCE, 1, 8, 13), "platí")
    expected = {
        judgement(ALPHA, "ann", -1.75, (*first, second)),
        judgement(ALPHA, "Žofie/2", 0),
        judgement(BETA, "ann", None, (unrated,)),
    }
    for name in ("answers.jsonl", "study.jsonl"):
        assert campaign.read(name) == campaign.read(name, "markable-errors") == expected
    sure = {"phenomena": {"sense": 0.1}}
    places = campaign.browser("organiser").get("/api/disagreements").json()
    (place,) = [p for p in places if p["markable"] == "nájemce" and p["system"] == "alpha"]
    campaign.post("organiser", "adjudications", place["task"], place["item"], **sure)
    decided = ErrorMark("sense", "0.1", tenant, "nájemce")
    assert campaign.read("answers.jsonl") == {
        judgement(ALPHA, "ann", -1.1, (decided, second)),
        judgement(ALPHA, "Žofie/2", -0.1, (decided,)),
        judgement(BETA, "ann", None, (unrated,)),
    }
    assert campaign.read("decisions.jsonl") == {judgement(ALPHA, "organiser", -0.1, (decided,))}
    assert campaign.read("study.jsonl") == expected, "as they said it"


def test_answers_about_repeated_words_are_read_by_chains_and_judge_no_translation(
    start: Any,
) -> None:
    campaign = start("consistency")
    said = {
        "ann": [{"same": True}, {"same": False, "flexible": [1]}],
        "Žofie/2": [{"same": True}, {"same": False}],
    }
    for who, values in said.items():
        (task,) = campaign.tasks(who, "consistency")
        for number, value in enumerate(values):
            campaign.post(who, "answers", task["id"], f"chain:{number}", **value)
    (campaign.folder / "consistency-Žofie").mkdir()
    read = {who: read_answers(campaign.export(f"consistency-{who}.jsonl")) for who in said}
    assert read["ann"] == {"l:1": frozenset(), "l:2": frozenset({1})}
    assert read["Žofie/2"] == {"l:1": frozenset(), "l:2": frozenset({0, 1})}
    assert read_answers(campaign.export("consistency.jsonl")) == {"l:1": frozenset()}
    campaign.decide(None, 1, same=False, flexible=[0])
    decided = {"l:1": frozenset(), "l:2": frozenset({0})}
    assert read_answers(campaign.export("consistency.jsonl")) == decided
    for name in ("consistency.jsonl", "answers.jsonl", "decisions.jsonl", "events.jsonl"):
        assert recognise(campaign.export(name)).name == "campaign"
        with pytest.raises(FormatError, match="export what was judged"):
            campaign.read(name)


def test_of_several_kinds_one_is_named(start: Any) -> None:
    campaign = start("da", "spans", "phase1")
    campaign.say("ann", "da", ALPHA, score=80)
    campaign.say("ann", "spans", ALPHA, score=30)
    campaign.say("ann", "phase1", ALPHA, adequacy=0.5, fluency=0.5)
    for name in ("answers.jsonl", "scores.tsv"):
        assert campaign.read(name, "da") == {judgement(ALPHA, "ann", 80)}
        assert campaign.read(name, "esa") == {judgement(ALPHA, "ann", 30)}
        assert campaign.read(name, "adequacy") == {judgement(ALPHA, "ann", 0.5)}
        with pytest.raises(FormatError, match=r"which kind .* there are: .*da, esa"):
            campaign.read(name)
        with pytest.raises(FormatError, match="'mqm'; there are: da, esa, fluency-adequacy, flu"):
            campaign.read(name, "mqm")
    read = isogloss.read_judgements(campaign.export("answers.jsonl"), COLLECTION, kind="da")
    assert read.segment_means() == {ALPHA: 80}


def test_an_export_of_nothing_says_so(start: Any) -> None:
    campaign = start("da")
    with pytest.raises(FormatError, match="nobody has judged a translation here"):
        campaign.read("scores.tsv")
    with pytest.raises(FormatError):
        campaign.read("answers.jsonl")


def test_another_test_set_is_refused(start: Any) -> None:
    campaign = start("spans")
    campaign.say("ann", "spans", ALPHA, score=30)
    other = TestSet("other", "cs", "en", (Document("lease", ("Něco jiného.",)),))
    apart = TestSet("apart", "cs", "en", (Document("novel", SOURCES["lease"]),))
    for name in ("answers.jsonl", "esa.jsonl"):
        with pytest.raises(FormatError, match=rf"{name}:1: no segment of document 'lease'"):
            read_judgements(campaign.export(name), other)
    for name in ("answers.jsonl", "esa.jsonl", "scores.tsv"):
        with pytest.raises(FormatError, match="document 'lease' is not in test set 'apart'"):
            read_judgements(campaign.export(name), apart)


def test_exports_of_two_campaigns_in_one_file_are_refused(start: Any) -> None:
    campaign = start("da")
    campaign.say("ann", "da", ALPHA, score=30)
    path = campaign.export("answers.jsonl")
    path.write_text(path.read_text("utf-8") * 2, "utf-8")
    with pytest.raises(FormatError, match=r"answers\.jsonl:2: 'ann' has judged this already"):
        read_judgements(path, COLLECTION)


def test_an_array_of_the_same_records_is_read(start: Any) -> None:
    campaign = start("da")
    campaign.say("ann", "da", ALPHA, score=30)
    path = campaign.export("answers.jsonl")
    path.write_text(json.dumps([json.loads(path.read_text("utf-8"))]), "utf-8")
    assert read_judgements(path, COLLECTION).items == (judgement(ALPHA, "ann", 30),)
