"""Campaigns of every kind with annotators whose skill is known: is the right ranking found?

    python benchmarks/pools.py browser [KIND ...] [--into shots]   at real browsers, with pictures
    python benchmarks/pools.py repeated [KIND ...] [--trials 200]  many, without a browser

Three systems of known quality, annotators of known mildness. browser: `init`, everybody types
their answers in Chromium, the page of results is opened at 1440 and 390 pixels. repeated: the same
answers are saved at once, in so many campaigns of eight documents; prints how often the systems
come in their true order, how often the best comes first alone, and how often the interval of a
difference of two systems holds the true one, of which 95 % is promised.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import combinations
from pathlib import Path

import numpy as np

sys.path[0] = str(Path(__file__).parents[1] / "tests")  # where its parts are

from annotate.browsing import entered  # noqa: E402
from annotate.campaigning import answer_all  # noqa: E402
from campaign_trials.at_browsers import gone_through, made  # noqa: E402
from campaign_trials.pool import (  # noqa: E402
    KINDS,
    MILD,
    OF_CHANCE,
    OF_DOCUMENTS,
    OF_SEGMENTS,
    QUALITY,
    SAID,
    SCORE,
    Pool,
    preferred,
)
from chromium import running_browser  # noqa: E402
from isogloss.annotate import (  # noqa: E402
    Campaign,
    Results,
    Store,
    campaign_collection,
    campaign_results,
    choices_of,
    judgements_of,
)
from isogloss.annotate.launch import new_task_id, opened, task_slots  # noqa: E402
from isogloss.annotate.storage.database import open_database  # noqa: E402
from isogloss.annotate.storage.schema import Task  # noqa: E402
from isogloss.comparison import ComparisonSettings  # noqa: E402

WIDTHS = (1440, 390)
DRAWS = 200_000
MEMORY = Path("/dev/shm")  # noqa: S108  (nobody's answers: they need not outlive a crash)
SETTINGS = ComparisonSettings(resamples=2000)
PEOPLE = tuple(MILD)


# --- without a browser ---------------------------------------------------------------------------


@contextmanager
def answered(pool: Pool, kind: str, folder: Path) -> Iterator[Store]:
    """A campaign in which everybody has answered everything."""
    path = folder / f"{kind}-{pool.seed}.db"
    with closing(open_database(path)) as database:
        store = Store(database)
        plan = Campaign(kind, "t", PEOPLE, KINDS[kind].phases, redundancy=len(PEOPLE), seed=1)
        opened(plan, pool.texts(), "", store)
        if "phase2" in KINDS[kind].phases:
            give_out(store)
        answer_all(store, pool.say)
        yield store
    path.unlink()


def give_out(store: Store) -> None:
    """The word that comes in every segment, as the organiser would give it out."""
    tasks = []
    for actor in store.actors():
        for document in store.documents() if actor.role == "annotator" else ():
            text = store.text(document)
            places = [{"segment": n, "start": 4, "end": 10} for n in range(len(text["source"]))]
            slots = task_slots(store, actor, text)
            content = {
                "items": [f"occ:{n}/{slot}" for n in range(len(places)) for slot in slots],
                "markable": {"head": "tenant", "occurrences": places},
                "aligned": {},
            }
            tasks.append(Task(new_task_id(), actor.id, "phase2", document, 50, content))
    store.add_tasks(tasks)


def results_of(store: Store, kind: str) -> Results:
    """What the campaign comes to."""
    collection = campaign_collection(store)
    if kind == "preference":
        return campaign_results(choices_of(store, collection), collection, settings=SETTINGS)
    said = judgements_of(store, collection, KINDS[kind].judgements)
    return campaign_results(said, collection, settings=SETTINGS)


def true_scores(kind: str) -> dict[str, float]:
    """The scores that endless documents would have, by drawing many."""
    rng = np.random.default_rng(0)

    def seen(system: str, deviation: float) -> list[float]:
        mild = rng.choice(list(MILD.values()), DRAWS)
        return list(QUALITY[system] + mild + rng.normal(0, deviation, DRAWS))

    if kind == "preference":
        return true_shares(rng)
    phase = KINDS[kind].phases[-1]
    of_segments = 0.0 if kind == "document" else OF_SEGMENTS
    deviation = float(np.sqrt(OF_DOCUMENTS**2 + of_segments**2 + OF_CHANCE**2))
    score = SCORE.get(phase, lambda value: float(value["score"]))
    return {
        name: float(np.mean([score(SAID[phase](each)) for each in seen(name, deviation)]))
        for name in QUALITY
    }


def true_shares(rng: np.random.Generator) -> dict[str, float]:
    """Of comparisons won, ties half."""
    won: dict[str, list[float]] = {name: [] for name in QUALITY}
    deviation = float(np.sqrt(2 * (OF_DOCUMENTS**2 + OF_CHANCE**2)))
    worth = {"same": 0.5, "one": 1.0, "other": 0.0}
    for one, other in combinations(QUALITY, 2):
        ahead = QUALITY[one] - QUALITY[other] + rng.normal(0, deviation, DRAWS)
        share = float(np.mean([worth[preferred(a, "one", "other")["better"]] for a in ahead]))
        won[one].append(share)
        won[other].append(1 - share)
    return {name: float(np.mean(shares)) for name, shares in won.items()}


def repeated(kind: str, trials: int) -> None:
    """Print a row of the table."""
    truth, order, first, held, asked = true_scores(kind), 0, 0, 0, 0
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        for seed in range(trials):
            with answered(Pool(seed, documents=8, segments=4), kind, Path(folder)) as store:
                found = results_of(store, kind).people
            standings = [each.system for each in found.standings]
            order += standings == list(QUALITY)
            first += [each.system for each in found.standings if each.cluster == 1] == ["best"]
            for pair in found.pairs:
                if pair.interval is not None:
                    low, high = pair.interval
                    asked += 1
                    held += low <= truth[pair.first] - truth[pair.second] <= high
    print(
        f"| {kind} | {trials} | {order / trials:.3f} | {first / trials:.3f} | "
        f"{held / asked:.3f} | {asked / (3 * trials):.3f} |",
        flush=True,
    )


# --- at browsers ---------------------------------------------------------------------------------


def at_browsers(kinds: list[str], into: Path) -> None:
    """Go through each kind; pictures of what the organiser sees in the end."""
    into.mkdir(parents=True, exist_ok=True)
    pool = Pool(seed=1, documents=4, segments=3)
    with running_browser() as browser:
        for kind in kinds:
            with tempfile.TemporaryDirectory() as folder, made(pool, kind, Path(folder)) as served:
                context = browser.new_context(viewport={"width": 1440, "height": 900})
                count = gone_through(pool, kind, served, context)
                pages = {"overview": "/#/overview", "disagreements": "/#/disagreements"}
                if judged := KINDS[kind].judgements:
                    pages["results"] = f"/results?kind={judged}"
                    pages["people"] = f"/results?kind={judged}#/people"
                office = entered(context, served, "organiser")
                for name, address in pages.items():
                    for width in WIDTHS:
                        office.set_viewport_size({"width": width, "height": 900})
                        office.goto("about:blank")
                        office.goto(served.address + address)
                        office.wait_for_load_state("networkidle")
                        office.screenshot(path=into / f"{kind}-{name}-{width}.png")
                context.close()
            print(f"{kind}: {count} answers typed and found as they were meant", flush=True)


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["browser", "repeated"])
    parser.add_argument("kinds", nargs="*", help=", ".join(KINDS))
    parser.add_argument("--into", type=Path, default=Path("shots"))
    parser.add_argument("--trials", type=int, default=200)
    arguments = parser.parse_args()
    kinds = arguments.kinds or list(KINDS)
    if arguments.what == "browser":
        at_browsers(kinds, arguments.into)
        return
    print("| kind | campaigns | true order | best alone first | interval holds | has interval |")
    print("|---|---|---|---|---|---|")
    for kind in kinds:
        if KINDS[kind].judgements:
            repeated(kind, arguments.trials)


if __name__ == "__main__":
    main()
