"""In one run nothing is aligned, split into words or asked of a model a second time."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

import isogloss
from isogloss.alignment import aligner
from isogloss.alignment.attention import AttentionAligner
from isogloss.documents import Collection
from isogloss.language.words import UnicodeWords
from isogloss.model import SentenceEncoder
from isogloss.model.engine import Engine
from isogloss.report import report_data
from isogloss.runtime import Runtime

METRICS = (
    "ltcr,markables,cohesion,prism,mqm,meteor,bleu,chrf,"
    "coverage,discourse,prism-src,ltcr(symmetrise=union)"
)
Calls = Counter[tuple[object, ...]]


@pytest.fixture
def two_systems() -> Collection:
    """Two systems' translations of one document, in words that no other test has."""
    sample = isogloss.load_sample("cs-en").with_systems(["steady", "tangled"])
    first = sample.testset.documents[0]
    document = replace(
        first,
        source=_marked(first.source),
        references={name: _marked(lines) for name, lines in first.references.items()},
    )
    outputs = tuple(
        replace(output, documents={first.id: _marked(output.documents[first.id])})
        for output in sample.outputs
    )
    return replace(sample, testset=replace(sample.testset, documents=(document,)), outputs=outputs)


def _marked(lines: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(f"{line} ({number} nowhere else)" for number, line in enumerate(lines))


def counted(
    monkeypatch: pytest.MonkeyPatch, of: type, method: str, keys: Callable[..., Iterator[Any]]
) -> Calls:
    """How often a method was really asked for each of the things that it was asked for."""
    calls: Calls = Counter()
    original = getattr(of, method)

    def counting(self: Any, asked: Any, *rest: Any, **options: Any) -> Any:
        asked = asked if isinstance(asked, str) else list(asked)
        calls.update(keys(self, asked))
        return original(self, asked, *rest, **options)

    monkeypatch.setattr(of, method, counting)
    return calls


def test_no_metric_and_no_report_asks_for_what_another_has_asked_for(
    two_systems: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = counted(
        monkeypatch, UnicodeWords, "tokenise", lambda self, text: iter([(self.language, text)])
    )
    links = counted(
        monkeypatch,
        AttentionAligner,
        "matrices",
        lambda _, pairs: ((tuple(a), tuple(b)) for a, b in pairs),
    )
    scores = counted(
        monkeypatch,
        Engine,
        "score",
        lambda self, asked: ((self.id, request.source, request.target) for request in asked),
    )
    encoded = counted(
        monkeypatch, SentenceEncoder, "states", lambda _, texts: (tuple(text) for text in texts)
    )
    table = isogloss.evaluate(two_systems, METRICS, runtime=Runtime())
    assert not any(metric.not_scored for metric in table.metrics)
    linking = aligner("auto", source_language="cs", target_language="en")
    report_data(two_systems, table, isogloss.compare(table), aligner=linking)
    segments = len(two_systems.testset.documents[0])
    assert set(words.values()) == {1}
    assert set(links.values()) == {1}
    assert len(links) == 3 * segments  # two systems, and the reference, which markables reads
    assert set(scores.values()) == {1}
    # The source once in each direction: all systems and the reference share its states.
    assert max(encoded.values()) <= 2
