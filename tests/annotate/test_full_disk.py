"""A full disk: nothing is called saved that is not, the annotator sees it, and it goes on."""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from annotate.browsing import Computer, all_saved, at_task, press
from annotate.served_campaigns import served
from campaign_trials.disks import MEGABYTE, Disk
from campaign_trials.postgresql import PostgreSQL
from campaign_trials.trials import full
from isogloss.annotate import Store
from isogloss.annotate.storage.database import NotKeptError, open_database
from isogloss.annotate.storage.schema import Saved, Submission
from isogloss.annotate.storage.verification import faults

SMALL, LARGE = 100, 400_000


def limited(path: Path, pages: int) -> Store:
    """A campaign in a file that may have so many pages."""
    database = open_database(path)

    def limit(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(database.engine, "connect", limit)
    database.engine.dispose()
    return Store(database)


def save_together(store: Store, sizes: Sequence[int]) -> list[bool]:
    """Answers of so many characters, all of them in one commit; which were called saved."""
    store.admit("ann", "annotator")
    (ann,) = store.actors()
    rng = random.Random(1)

    def saved(number: int) -> bool:
        value = {"note": rng.randbytes(sizes[number] // 2).hex()}
        given = Submission(f"answer-{number}", "task", f"line:{number}/A", 0, value, 1)
        try:
            return store.save(ann.id, [given]) == [Saved(given.key, 1)]
        except (SQLAlchemyError, NotKeptError):
            return False

    occupied = threading.Thread(target=store.database.write, args=(lambda _: time.sleep(1),))
    occupied.start()  # meanwhile the others wait, and come together
    with ThreadPoolExecutor(len(sizes)) as people:
        found = list(people.map(saved, range(len(sizes))))
    occupied.join()
    return found


@pytest.fixture(params=["small disk", "limited file"])
def tight(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A campaign that has room for some 3 MB."""
    if request.param == "limited file":
        store = limited(tmp_path / "campaign.db", 800)
    else:
        disk: Disk = request.getfixturevalue("disk")
        disk.load(42 * MEGABYTE)
        store = Store(open_database(disk.folder / "campaign.db"))
    yield store
    store.database.close()


def test_what_is_called_saved_is_there_and_nothing_else(tight: Store) -> None:
    sizes = [SMALL, LARGE, SMALL, *[LARGE] * 12, *[SMALL] * 5]
    saved = save_together(tight, sizes)
    kept = {each.key for each in tight.events()}
    assert kept == {f"answer-{number}" for number, done in enumerate(saved) if done}
    assert not all(saved), "there was room for everything: nothing is shown"
    assert all(done for done, size in zip(saved, sizes, strict=True) if size == SMALL)
    assert faults(tight) == []


def test_sqlite_on_a_full_disk(disk: Disk) -> None:
    outcome = full(str(disk.folder / "campaign.db"), disk, random.Random(2))
    assert outcome.saved > 24
    assert outcome.wrong == []


def test_postgresql_on_a_full_disk(
    disk: Disk, postgresql_server: PostgreSQL, empty_postgresql: str
) -> None:
    with postgresql_server.keeping_tables_in(disk.folder):
        outcome = full(empty_postgresql, disk, random.Random(2))
    assert outcome.saved > 24
    assert outcome.wrong == []


def test_the_annotator_sees_it_and_the_answer_waits(computer: Computer, disk: Disk) -> None:
    with served(disk.folder, ["phase1"]) as campaign:
        page = at_task(computer(), campaign, "phase1")
        press(page, "1")
        all_saved(page)
        disk.fill()
        press(page, "2", "3")
        shown = page.get_by_role("status").first
        expect(shown).to_contain_text("Not saved: the campaign's disk is full · 2 waiting")
        expect(shown).to_contain_text("kept in this browser")
        assert len(campaign.events()) == 1
        page.reload()  # the pages can still be read
        page.wait_for_selector(".workbench")
        expect(page.get_by_role("status").first).to_contain_text("Not saved")
        disk.unload()
        page.get_by_role("button", name="Try now").click()
        all_saved(page)
        values = campaign.values("phase1")
        assert (values["line:0/A"]["adequacy"], values["line:0/A"]["fluency"]) == (0.1, 0.2)
        assert values["line:0/B"]["adequacy"] == 0.3
        assert faults(campaign.store) == []
