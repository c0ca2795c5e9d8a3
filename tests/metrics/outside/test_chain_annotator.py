"""A language model that judges chains as people do, against a server on this machine."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from isogloss.cli.main import app
from isogloss.errors import InputError, NotApplicableError
from isogloss.metrics import ChainAnnotator
from isogloss.metrics.consistency import Chain, ChainItem, read_answers, write_chains
from isogloss.metrics.outside.chain_annotator import PROMPT_DIGEST
from isogloss.runtime import Runtime
from metrics.outside.chat_server import Reply, Server, said, serving

SENTENCES = (
    ("他在河上漂浮。", "He floats on the river."),
    ("漂浮的木头。", "A piece of wood that floats."),
    ("云漂浮着。", "A cloud floats."),
)


def chain(number: int, sentences: tuple[tuple[str, str], ...] = SENTENCES) -> Chain:
    items = tuple(
        ChainItem(
            segment, 1, s.index("漂浮"), s.index("漂浮") + 2,
            ((t.index("floats"), t.index("floats") + 6),), s, f"{t} ({number})",
        )
        for segment, (s, t) in enumerate(sentences)
    )  # fmt: skip
    return Chain(f"d:{number}", "d", "漂浮", "floats", items)


CHAINS = tuple(chain(number, SENTENCES[: 2 + number % 2]) for number in range(6))


def asked_places(body: dict[str, Any]) -> list[int]:
    """The numbers of the places that a question shows."""
    return [int(n) for n in re.findall(r"^(\d+)\. ", body["messages"][1]["content"], re.M)]


def the_last(_: int, body: dict[str, Any]) -> Reply:
    """Says that the last place may differ."""
    return said(json.dumps({"flexible": asked_places(body)[-1:]}))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.delenv("ISOGLOSS_ALLOW_NETWORK", raising=False)
    with serving(the_last) as server:
        yield server


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["chains", *map(str, arguments)])


def test_it_sees_what_people_see_and_answers_in_their_form(server: Server, tmp_path: Path) -> None:
    path, answers, cache = (tmp_path / name for name in ("chains.jsonl", "model.jsonl", "cache"))
    write_chains(path, CHAINS)
    asking = (
        *("annotate", path, answers, "--by-model", "made-up", "--endpoint", server.url),
        *("--cache", cache, "--pair", "zh-en"),
    )
    refused = run(*asking)
    assert isinstance(refused.exception, NotApplicableError)
    assert re.search(r"would go to 127.0.0.1 \(6 requests, about \d", str(refused.exception))
    foretold = run(*asking, "--dry-run", "--price", "1000,0").stdout
    assert re.search(r"made-up +127\.0\.0\.1 +6 +0 +([\d,]+) +72 +", foretold)
    assert server.asked == []

    done = run(*asking, "--allow-network")
    assert "6 of 6 chains judged, 6 of them now" in done.stderr
    asked = [each["messages"][1]["content"] for each in server.asked]
    (question,) = (each for each in asked if "(0)" in each)
    assert "in Chinese" in question
    assert "1. 他在河上[漂浮]。\n    He [floats] on the river. (0)\n2. [漂浮]的木头。" in question
    given = read_answers(answers)
    assert given == {c.id: frozenset({len(c.items) - 1}) for c in CHAINS}
    line = json.loads(answers.read_text(encoding="utf-8").splitlines()[0])
    assert line["annotator"] == "made-up"
    agreed = run("agree", path, answers, answers, "-o", "json").stdout
    assert {r["F1"] for r in json.loads(agreed)["results"]} == {1.0}

    answers.unlink()  # what was paid for is known, and needs no consent
    assert "6 of them now" in run(*asking).stderr
    assert len(server.asked) == 6
    assert read_answers(answers) == given


@pytest.mark.parametrize(
    "text",
    ["None.", "[]", '{"flexible": "1"}', '{"flexible": [0]}', '{"flexible": [3]}',
     '{"flexible": [true]}', '{"flexible": [1.0]}'],
)  # fmt: skip
def test_a_malformed_answer_is_no_judgement(server: Server, tmp_path: Path, text: str) -> None:
    server.behaviour = lambda *_: said(text)
    path, answers = tmp_path / "chains.jsonl", tmp_path / "model.jsonl"
    write_chains(path, [chain(0, SENTENCES[:2])])
    asking = ("annotate", path, answers, "--by-model", "m", "--endpoint", server.url, "--no-cache")
    done = run(*asking, "--allow-network")
    assert "1 answer of m not as asked for" in done.stderr
    assert "0 of 1 chains judged, 0 of them now" in done.stderr
    server.behaviour = lambda *_: said('```json\n{"flexible": []}\n```')
    assert "1 of 1 chains judged, 1 of them now" in run(*asking, "--allow-network").stderr
    assert read_answers(answers) == {"d:0": frozenset()}


def test_what_cannot_be_asked(server: Server) -> None:
    bare = Chain("d:1", "d", "a", "b", (ChainItem(0, 0, 0, 1), ChainItem(1, 0, 0, 1)))
    annotator = ChainAnnotator("m", endpoint=server.url, runtime=Runtime(network=True))
    with pytest.raises(InputError, match=r"'d:1' holds no sentences.*chains import' write them"):
        list(annotator.answers([bare]))
    assert server.asked == []
    assert len(PROMPT_DIGEST) == 8
