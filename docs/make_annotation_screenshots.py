"""Take the screenshots annotate-*.png of docs/screenshots from a campaign on the bundled sample.

    python docs/make_annotation_screenshots.py

Two made-up annotators have done a part of the work already; their answers are drawn at random with
a fixed seed. Fonts are those of the machine; with Inter and Noto Serif the pictures look as they do
here.
"""

import random
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from isogloss.annotate import AccessLinks, Campaign, Store, create_app, propose_markables
from isogloss.annotate.answers import checked_value
from isogloss.annotate.items import ItemName, texts_of
from isogloss.annotate.launch import opened, task_slots
from isogloss.annotate.results.curation import add_candidates, release
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Submission, Task
from isogloss.annotate.wire import PlaceView
from isogloss.annotate.wire_organiser import CuratedMarkable, CurationState
from isogloss.documents import Collection
from isogloss.metrics.consistency import Chain, ChainItem
from isogloss.sample import load_sample

FOLDER = Path(__file__).parent / "screenshots"
LEASE = "lease-flat"
QUALITY = {"steady": 0.9, "shifting": 0.7, "tangled": 0.45}
GUIDELINES = """\
# What to look at

Read the **whole document** first, then rate each line as a part of it.

# Adequacy

- **1** everything the source says is there
- **0.5** about half of it
- **0** nothing

# Fluency

- **1** as a good writer would put it
- **0** cannot be read

# Markables

Report the expressions that carry the document: parties, sums, dates. If two of them are mixed up, \
tick *conflicting markable*.
"""
TERMS: tuple[tuple[str, str, CurationState], ...] = (
    ("nájemce", r"\bnájemc\w*", "accepted"),
    ("pronajímatel", r"\bpronajímatel\w*", "accepted"),
    ("nájemné", r"\bnájemn(?:é|ého)\b", "proposed"),
    ("smlouva", r"\bsmlouv\w*", "proposed"),
    ("byt", r"\bbyt(?:ě)?\b", "rejected"),
)
REPEATED = (
    ("nájemce", r"\bnájemc\w*", "tenant"),
    ("byt", r"\bbyt\w*", "flat"),
)


@dataclass(frozen=True)
class Shot:
    """One picture: who looks, at which kind of task or page, after which keys."""

    name: str
    who: str
    where: str
    keys: Sequence[str] = ()
    dark: bool = False
    height: int = 720


SHOTS = (
    Shot("home", "Marta", "home"),
    Shot(
        "lines", "Marta", "phase1", ["j", "7", "9", "ArrowDown", "c", "o", "ArrowRight", "m", "g"]
    ),
    Shot("occurrence", "Marta", "phase2", ["j", "ArrowDown"]),
    Shot("occurrence-dark", "Jan", "phase2", ["j", "j", "n", "3", "e"], dark=True),
    Shot("errors", "Marta", "spans", ["o", "ArrowRight", "Shift+ArrowRight", "w", "6", "2"]),
    Shot(
        "contrastive",
        "Marta",
        "contrastive",
        [*"76", "Enter", "o", "ArrowRight", "w", *"48", "Enter", *"90", "ArrowUp", "c"],
    ),
    Shot("words", "Marta", "consistency", ["2", "3"]),
    Shot("keys", "Marta", "phase2", ["?"]),
    Shot("organiser", "organiser", "overview", height=1180),
    Shot("curation", "organiser", "curation", ["j"]),
    Shot("disagreements", "organiser", "disagreements", ["1", "e"]),
)


def opened_campaign(store: Store) -> AccessLinks:
    """A campaign in which a part of the work is done."""
    plan = Campaign(
        "Leases, audits and leaflets",
        "",
        ("Marta", "Jan"),
        ("phase1", "phase2", "spans", "contrastive", "consistency"),
        redundancy=2,
        propose=9,
        chains="chains",
    )
    sample = load_sample("cs-en")
    links = opened(plan, texts_of(sample, plan), GUIDELINES, store, chains(sample))
    rng = random.Random(20)  # noqa: S311  (pictures, no secrets)
    answer(store, "phase1", 0.7, lambda system: line(system, rng))
    curate(store)
    propose_markables(store, organiser(store))
    release(store)
    answer(store, "phase2", 0.5, lambda system: occurrence(system, rng))
    return links


def answer(store: Store, kind: str, share: float, value: Any) -> None:
    """Everybody answers the first part of their work of a kind."""
    people = {actor.id: actor for actor in store.actors()}
    for actor in people.values():
        tasks = [task for task in store.tasks_of(actor.id) if task.kind == kind]
        at = 1_700_000_000_000
        for task in tasks[: round(len(tasks) * share)]:
            slots = task_slots(store, actor, store.text(task.document))
            for item in task.content["items"]:
                at += 9000 + 400 * (actor.id % 5)
                said = checked_value(kind, value(slots[ItemName.parse(item).slot or ""]))  # type: ignore[arg-type]
                key = f"{task.id}-{item}".replace(":", "-").replace("/", "-")
                store.save(actor.id, [Submission(key, task.id, item, 0, said, at)])


def line(system: str, rng: random.Random) -> dict[str, Any]:
    """A rating that fits the system more or less."""
    around = QUALITY[system]
    rated = [round(min(1, max(0, rng.gauss(around, 0.12))), 1) for _ in range(2)]
    return {
        "adequacy": rated[0],
        "fluency": rated[1],
        "conflicting": rng.random() > around + 0.1,
    }


def occurrence(system: str, rng: random.Random) -> dict[str, Any]:
    """Marks that fit the system more or less."""
    likely = {
        "steady": ["style"],
        "shifting": ["inconsistency", "terminology", "style"],
        "tangled": ["conflict", "role", "sense", "terminology"],
    }
    marked = [name for name in likely[system] if rng.random() > QUALITY[system]]
    severities = {name: rng.choice((0.25, 0.5, 0.75, 1)) for name in marked}
    return {"no_error": not marked, "phenomena": severities}


def organiser(store: Store) -> int:
    """Who decides."""
    return next(actor.id for actor in store.actors() if actor.role == "organiser")


def chains(sample: Collection) -> list[Chain]:
    """Repeated words of one document, where the reference has one word for them."""
    document = sample.testset.document(LEASE)
    reference = next(iter(document.references.values()))
    found = []
    for number, (word, pattern, target) in enumerate(REPEATED, 1):
        items = []
        for place in places(pattern, document.source):
            sentence = reference[place.segment] or ""
            match = re.search(target, sentence, re.IGNORECASE)
            if match:
                there = (place.segment, 0, place.start, place.end)
                text = document.source[place.segment]
                items.append(ChainItem(*there, (match.span(),), text, sentence))
        found.append(Chain(f"{LEASE}:{number}", LEASE, word, target, tuple(items)))
    return found


def curate(store: Store) -> None:
    """Candidates of one document, some of them accepted."""
    source = store.text(LEASE)["source"]
    found = [
        CuratedMarkable(
            head=head,
            occurrences=places(pattern, source),
            state=state,
            origin="reported by 2 annotators",
        )
        for head, pattern, state in TERMS
    ]
    add_candidates(store, organiser(store), LEASE, found)


def places(pattern: str, source: Sequence[str]) -> list[PlaceView]:
    """Where a pattern is found."""
    return [
        PlaceView(segment=segment, start=match.start(), end=match.end())
        for segment, text in enumerate(source)
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


@contextmanager
def served(store: Store) -> Iterator[str]:
    """The campaign's server on a free port."""
    settings = uvicorn.Config(create_app(store), port=0, log_level="error", ws="none")
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def address(store: Store, shot: Shot) -> str:
    """Where the shot is taken: a page of its own, or the task on the lease."""
    actor = next(actor for actor in store.actors() if actor.name == shot.who)
    tasks = [t for t in store.tasks_of(actor.id) if t.kind == shot.where and t.document == LEASE]
    return f"#/task/{_first(tasks).id}" if tasks else f"#/{shot.where}"


def _first(tasks: Sequence[Task]) -> Task:
    return min(tasks, key=lambda task: str(task.content.get("markable", {}).get("head")))


def take(page: Page, shot: Shot, link: str, where: str) -> None:
    """Enter by the link, go where the shot is taken, press its keys, save the picture."""
    page.set_viewport_size({"width": 1280, "height": shot.height})
    page.emulate_media(color_scheme="dark" if shot.dark else "light")
    page.goto(link)
    page.wait_for_selector("html[data-ready]")
    page.goto(f"{page.url}{where}")
    page.wait_for_timeout(1500)
    for key in shot.keys:
        page.keyboard.press(key)
        page.wait_for_timeout(60)
    page.wait_for_timeout(900)
    path = FOLDER / f"annotate-{shot.name}.png"
    page.screenshot(path=path)
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database = open_database(Path(folder) / "campaign.db")
        store = Store(database)
        links = opened_campaign(store)
        tokens = {"organiser": links.organiser, **links.annotators}
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        with served(store) as server:
            for shot in SHOTS:
                page = browser.new_context().new_page()
                take(page, shot, f"{server}/a/{tokens[shot.who]}", address(store, shot))
                page.context.close()
        browser.close()
        database.close()


if __name__ == "__main__":
    main()
