"""What is drawn by lot follows from the campaign's seed, and from nothing else."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from annotate.campaigning import Campaigning
from isogloss.annotate import Campaign, Store, create_app
from isogloss.annotate.campaign import Checks
from isogloss.annotate.items import DocumentText
from isogloss.annotate.launch import COOKIE, SECRET, cookie_name, opened, task_slots
from isogloss.annotate.storage import schema
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import OPENED, hashed

SYSTEMS = tuple(f"system-{n}" for n in range(7))
TEXTS = [
    DocumentText(
        f"d{n}",
        [f"line {n}.{line}" for line in range(4)],
        {name: [f"{name} says {n} {line} and more" for line in range(4)] for name in SYSTEMS},
    )
    for n in range(8)
]
PLAN = Campaign(
    "lots", "t", ("ann", "bob", "cyd"), ("da",), redundancy=2, checks=Checks(0.2, 0.2), seed=7
)

Opening = Callable[[Campaign], Store]


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[Opening]:
    """Opens campaigns in databases of their own."""
    with ExitStack() as stack:

        def open_one(plan: Campaign) -> Store:
            number = len(list(tmp_path.glob("*.db")))
            database = stack.enter_context(closing(open_database(tmp_path / f"{number}.db")))
            store = Store(database)
            opened(plan, TEXTS, "", store)
            return store

        yield open_one


def lots(store: Store) -> list[Any]:
    """Everything that was drawn: who judges what, in which order, under which letters, checks."""
    people = {actor.id: actor for actor in store.actors()}
    return [
        (
            people[task.actor].name,
            task.document,
            task.position,
            task_slots(store, people[task.actor], store.text(task.document)),
            task.content,
        )
        for task in store.tasks_of()
    ]


def test_the_same_seed_draws_the_same_lots(opening: Opening) -> None:
    one, other = opening(PLAN), opening(PLAN)
    assert lots(one) == lots(other)
    assert any(content["checks"] for *_, content in lots(one))
    ids = [{task.id for task in store.tasks_of()} for store in (one, other)]
    assert not ids[0] & ids[1], "what lets people in and what names their work is never drawn by it"
    assert cookie_name(one) != cookie_name(other), "both may be served by one machine"


def test_another_seed_draws_other_lots(opening: Opening) -> None:
    one, other = lots(opening(PLAN)), lots(opening(replace(PLAN, seed=8)))
    assert {each[:2] for each in one} != {each[:2] for each in other}, "shares"
    orders = [[(who, document) for who, document, *_ in found] for found in (one, other)]
    assert orders[0] != orders[1], "order"
    letters = [{each[:2]: each[3] for each in found} for found in (one, other)]
    shared = letters[0].keys() & letters[1].keys()
    assert any(letters[0][place] != letters[1][place] for place in shared), "letters"
    checks = [{each[:2]: each[4]["checks"] for each in found} for found in (one, other)]
    assert any(checks[0][place] != checks[1][place] for place in shared), "checks"


def test_a_campaign_without_a_seed_draws_one_and_keeps_it(opening: Opening) -> None:
    plan = replace(PLAN, seed=None)
    one, other = opening(plan), opening(plan)
    drawn = [store.fact(OPENED)["seed"] for store in (one, other)]
    assert drawn[0] != drawn[1]
    assert lots(one) != lots(other)
    assert lots(opening(replace(PLAN, seed=drawn[0]))) == lots(one)


def test_a_campaign_of_an_older_isogloss_goes_on_as_it_was(opening: Opening) -> None:
    """Its secret was random and had nothing to do with its seed; its cookie went by the secret."""
    store = opening(PLAN)
    before, secret = lots(store), store.fact(SECRET)
    store.database.write(
        lambda c: c.execute(delete(schema.facts).where(schema.facts.c.name == COOKIE))
    )
    told = {**store.fact(OPENED), "seed": 12345}
    store.database.write(
        lambda c: c.execute(
            schema.facts.update().where(schema.facts.c.name == OPENED).values(value=told)
        )
    )
    assert lots(store) == before
    assert create_app(store).state.cookie == f"isogloss_{hashed(secret)[:8]}"


def test_the_pages_tell_nothing_of_the_seed(opening: Opening) -> None:
    store = opening(replace(PLAN, seed=4815162342))
    told = Campaigning(store, {name: store.renew([name])[name] for name in ("ann", "organiser")})
    for who in ("ann", "organiser"):
        browser = told.browser(who)
        seen = browser.get("/api/me").text + str(browser.cookies)
        seen += "".join(browser.get(f"/api/tasks/{t.id}").text for t in store.tasks_of())
        assert "4815162342" not in seen
        assert store.fact(SECRET)[:8] not in seen
        assert hashed(store.fact(SECRET))[:8] not in seen
