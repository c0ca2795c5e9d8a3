"""What is scored on other machines has the digits of what is scored here."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

import isogloss
from isogloss.errors import InputError
from isogloss.model import EngineId, ModelSpec, Pair, Paraphraser, Request, find_model
from isogloss.model.registry import name_of


@dataclass
class OtherMachine:
    """A scorer that has a model of its own, and remembers what it was sent."""

    model: Paraphraser
    sent: list[int] = field(default_factory=list)

    @property
    def engine_id(self) -> EngineId:
        return self.model.engine_id

    @property
    def token_budget(self) -> int:
        return self.model.token_budget

    def scored(self, windows: Iterable[Sequence[Request]]) -> Iterator[list[list[float]]]:
        for window in windows:
            self.sent.append(len(window))
            yield self.model.score_requests(window)


def pairs() -> list[Pair]:
    collection = isogloss.load_sample("cs-en")
    texts = [t for o in collection.outputs for t in collection.translations(o)]
    made = [
        Pair(source, output or "", "en", "cs")
        for t in texts
        for source, output in zip(t.document.source, t.output, strict=True)
    ]
    return [*made[:30], *made[:3], Pair("", "nothing", "en", "cs")]


def test_windows_that_are_sent_away_have_the_same_digits() -> None:
    folder = find_model("default")
    here = list(Paraphraser.load(folder).score(pairs(), window=12))
    sender = Paraphraser.load(folder)
    machine = sender.distant = OtherMachine(Paraphraser.load(folder))
    assert list(sender.score(pairs(), window=12)) == here
    assert machine.sent == [12, 12, 6]  # what was asked before is not sent again
    assert list(sender.score(pairs()[:5])) == here[:5]
    assert sum(machine.sent) == 30


def test_a_model_is_known_by_its_name_and_digest() -> None:
    folder = find_model("default")
    spec = ModelSpec(name_of(folder), Paraphraser.load(folder).card.digest)
    assert spec.name == "default"
    assert spec.opened("cpu").card.digest == spec.digest
    with pytest.raises(InputError, match="install the same model on all machines"):
        replace(spec, digest="0").opened("cpu")
