"""Where a run takes its shards from: when it asks, or by a thread that waits for them.

A stream that others write has no next row yet; what is done must not be held up by that.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

Item = TypeVar("Item")
Ask = Callable[[], Future[Item | None]]
"""Asks for the next item; `None` comes after the last."""


def at_once(items: Iterator[Item]) -> Ask[Item]:
    """Takes an item while whoever asks waits: for streams that share anything with their reader."""

    def ask() -> Future[Item | None]:
        asked: Future[Item | None] = Future()
        asked.set_result(next(items, None))
        return asked

    return ask


def aside(items: Iterator[Item]) -> Ask[Item]:
    """Takes items in a thread of its own, one for each question."""
    questions: SimpleQueue[Future[Item | None]] = SimpleQueue()

    def serve() -> None:
        while True:
            asked = questions.get()
            try:
                asked.set_result(found := next(items, None))
            except Exception as error:  # raised where it is waited for
                asked.set_exception(error)
                return
            if found is None:
                return

    # Nobody can interrupt a thread that waits for input: the program may end without it.
    Thread(target=serve, daemon=True).start()

    def ask() -> Future[Item | None]:
        asked: Future[Item | None] = Future()
        questions.put(asked)
        return asked

    return ask
