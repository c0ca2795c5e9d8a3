"""A language model as a judge, against a server on this machine that speaks the protocol."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import isogloss
from isogloss.cli.main import app
from isogloss.errors import InputError, MetricOptionError, NotApplicableError
from isogloss.metrics import LanguageModelJudge, load_metric
from isogloss.metrics.outside import chat
from isogloss.metrics.outside.prompts import JudgeQuestion, prompt_digest
from isogloss.metrics.outside.rows import rows_of
from isogloss.model import ScoreCache
from isogloss.runtime import Runtime
from isogloss.sample import sample_path
from isogloss.signature import MetricName
from isogloss.spans import output_side
from metrics.outside.chat_server import Reply, Server, said, serving
from program import run_program

KEY = "sk-a-secret"


def shown_segments(body: dict[str, Any]) -> dict[int, str]:
    """The translations that are to be judged, by their numbers."""
    text = body["messages"][1]["content"].rpartition("What is to be judged:")[2]
    found = re.findall(r"^\[(\d+)\]\n(?:(?!\[).+\n)*?translation: (.+)$", text, re.M)
    return {int(number): json.loads(quoted) for number, quoted in found}


def by_length(body: dict[str, Any]) -> str:
    """Scores that a test can compute: the length of the translation, up to 100."""
    segments = [
        {"segment": number, "score": min(len(text), 100)}
        for number, text in shown_segments(body).items()
    ]
    return json.dumps({"segments": segments})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("ISOGLOSS_LLM_KEY", KEY)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody listens there
    with serving(lambda _, body: said(by_length(body))) as server:
        monkeypatch.setenv("ISOGLOSS_LLM_ENDPOINT", server.url)
        yield server


@pytest.fixture(scope="module")
def collection() -> isogloss.Collection:
    sample = isogloss.load_sample("cs-en").with_systems(["steady"])
    return sample.with_documents([d.id for d in sample.testset.documents[:3]])


def judge(**options: Any) -> LanguageModelJudge:
    metric = load_metric(MetricName("llm", {"model": "made-up", **options}))
    assert isinstance(metric, LanguageModelJudge)
    return metric


def scores(table: isogloss.ScoreTable) -> list[float | None]:
    return [s for row in table.rows for d in row.documents for s in d.segment_scores]


def texts(collection: isogloss.Collection) -> list[str]:
    (output,) = collection.outputs
    return [t or "" for d in collection.testset.documents for t in output.documents[d.id]]


def evaluated(
    collection: isogloss.Collection, metric: LanguageModelJudge, **runtime: Any
) -> isogloss.ScoreTable:
    return isogloss.evaluate(collection, [metric], runtime=Runtime(network=True, **runtime))


def test_nothing_is_sent_without_consent(server: Server, collection: isogloss.Collection) -> None:
    for runtime in (None, Runtime()):
        with pytest.raises(NotApplicableError, match=r"send your texts to 127.*3 requests, about"):
            isogloss.evaluate(collection, [judge(prompt="da")], runtime=runtime)
    assert server.asked == []


def test_every_command_asks_for_consent_and_tells_what_it_sends(
    server: Server, tmp_path: Path
) -> None:
    testset = sample_path("cs-en")
    metric = ("-m", "llm(model=made-up,prompt=da)")
    commands: list[tuple[object, ...]] = [
        ("stability", testset, *metric),
        ("explain", "steady", "tangled", "--testset", testset, *metric, "--cache", tmp_path / "e"),
    ]
    for command in commands:
        environment = {"ISOGLOSS_CACHE": str(tmp_path / "cache")}
        refused = run_program(*command, **environment)
        assert refused.returncode == 2, refused.stderr
        assert "would send your texts to 127.0.0.1" in refused.stderr
        assert "(--allow-network)" in refused.stderr
        before = len(server.asked)
        done = run_program(*command, "--allow-network", **environment)
        assert done.returncode == 0, done.stderr
        assert "sends your texts to 127.0.0.1" in done.stderr
        assert f"{len(server.asked) - before} requests, about" in done.stderr
    assert len(server.asked) > 30


def test_commands_that_score_have_the_flag_of_consent() -> None:
    group = typer.main.get_command(app)
    context = group.make_context("isogloss", ["list", "metrics"], resilient_parsing=True)
    told = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        told[name] = {option for parameter in command.params for option in parameter.opts}
    scoring = {name for name, options in told.items() if "--metrics" in options}
    assert len(scoring) > 8
    without = {name for name in scoring if "--allow-network" not in told[name]}
    assert without == {"compare", "score-corpus"}  # saved scores; rows without documents


def test_documents_are_judged_segment_by_segment(
    server: Server, collection: isogloss.Collection
) -> None:
    table = evaluated(collection, judge(prompt="da", segments=4))
    assert scores(table) == [min(len(text), 100) for text in texts(collection)]
    assert {each["path"] for each in server.asked} == {"/v1/chat/completions"}
    assert all(len(shown_segments(each)) <= 4 for each in server.asked)
    assert len(server.asked) == sum(-(-len(d) // 4) for d in collection.testset.documents)
    later = [e for e in server.asked if "What comes before them" in e["messages"][1]["content"]]
    assert later
    assert "in Czech, translated into English" in later[0]["messages"][1]["content"]
    signature = table.metrics[0].signature
    assert signature == (
        "llm(model=made-up,prompt=da,segments=4)|langs:cs-en|model:made-up|prompt:"
        + prompt_digest("da")
    )
    assert str(server.server_port) not in signature


def test_the_key_goes_into_one_header_and_nowhere_else(
    server: Server, collection: isogloss.Collection, tmp_path: Path
) -> None:
    table = evaluated(collection, judge(prompt="da"), cache=tmp_path)
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    isogloss.write_scores(table, tmp_path / "scores.jsonl")
    assert not any(KEY.encode() in file.read_bytes() for file in tmp_path.iterdir())
    server.behaviour = lambda *_: (
        401,
        {},
        json.dumps({"error": {"message": f"bad {KEY}"}}).encode(),
    )
    with pytest.raises(InputError, match=r"127\.0\.0\.1 answers 401: bad \*\*\*$"):
        evaluated(collection, judge(prompt="esa"))
    with pytest.raises(InputError, match="without encryption, and a key is set"):
        chat.Endpoint("http://example.org/v1")


def test_no_redirection_is_followed(server: Server, collection: isogloss.Collection) -> None:
    elsewhere = {"Location": f"{server.url}/elsewhere"}
    server.behaviour = lambda *_: (302, elsewhere, b"")
    with pytest.raises(InputError, match="answers 302"):
        evaluated(collection, judge(prompt="da", concurrency=1))
    assert {each["path"] for each in server.asked} == {"/v1/chat/completions"}


def test_answers_are_kept(server: Server, collection: isogloss.Collection, tmp_path: Path) -> None:
    first = evaluated(collection, judge(prompt="da"), cache=tmp_path)
    assert len(server.asked) == 3
    again = isogloss.evaluate(collection, [judge(prompt="da")], runtime=Runtime(cache=tmp_path))
    assert scores(again) == scores(first)  # and no consent is needed for what is known
    translations = list(collection.translations(collection.outputs[0]))
    kept = replace(judge(prompt="da"), runtime=Runtime(cache=tmp_path)).estimate(translations)
    assert (kept.requests, kept.kept, kept.input_tokens) == (0, 3, 0)
    evaluated(collection, judge(prompt="esa"), cache=tmp_path)
    evaluated(collection, judge(prompt="da", model="another"), cache=tmp_path)
    assert len(server.asked) == 9
    kept_of = {usage.name: usage.entries for usage in ScoreCache(tmp_path).usage()}
    assert kept_of == {"llm made-up": 3, "llm another": 3}


ERRORS = {
    "segments": [
        {"segment": 1, "errors": [
            {"side": "output", "text": "rent", "category": "accuracy", "severity": "major"},
            {"side": "source", "text": "a", "category": "accuracy", "severity": "minor"},
            {"side": "output", "text": "not there", "category": "x" * 99, "severity": "minor"}]},
        {"segment": 2, "errors": []},
        {"segment": 3, "errors": [{"text": "The", "severity": "awful"}]},
        {"segment": 4, "errors": [{"text": "The", "severity": "critical"}] * 2},
    ]
}  # fmt: skip


def test_errors_become_points_and_evidence(server: Server) -> None:
    collection = isogloss.from_texts(
        ["a b", "c", "d", "e", "f"], [],
        {"s": ["The rent rose.", "Yes.", "The end.", "The cat.", "No."]},
        documents=["one"] * 5, source_language="cs", target_language="en",
    )  # fmt: skip
    server.behaviour = lambda *_: said(f"```json\n{json.dumps(ERRORS)}\n```")
    table = evaluated(collection, judge())
    (row,) = table.rows
    assert row.documents[0].segment_scores == (7.0, 0.0, None, 25.0, None)
    assert (row.scored, row.total, row.score) == (3, 5, pytest.approx(32 / 3))
    assert not table.metrics[0].higher_is_better
    found = [(e.reason, e.spans[0].side, e.spans[0].start, e.spans[0].end, e.value)
             for e in row.documents[0].measurement.evidence]  # fmt: skip
    assert found[:2] == [
        ("accuracy, major", output_side("s"), 4, 8, 5.0),
        ("accuracy, minor", "source", 0, 1, 1.0),
    ]
    told = " ".join(table.provenance.notices)
    assert "an error is quoted that is not in the text in 1 segment" in told
    assert "malformed answer (an error without a severity) in 1 segment" in told
    assert "malformed answer (says nothing of a segment) in 1 segment" in told


@pytest.mark.parametrize(
    "text",
    [
        "I would give it 90.",
        '{"segments": {"1": 90}}',
        '{"segments": [90]}',
        "[]",
        '{"segments": [{"segment": 1, "score": "90"}]}',
        '{"segments": [{"segment": 1, "score": true}]}',
        '{"segments": [{"segment": 1, "score": 101}]}',
        '{"segments": [{"segment": 1, "score": NaN}]}',
        '{"segments": [{"segment": "1", "score": 90}]}',
        '{"segments": [{"segment": 1, "score": 90}, {"segment": 1, "score": 10}]}',
        "[" * 100_000,
    ],
)
def test_a_malformed_answer_is_no_score(text: str) -> None:
    collection = isogloss.from_texts(["a"], [], {"s": ["b"]})
    (translation,) = collection.translations(collection.outputs[0])
    (row,) = rows_of(translation, by_reference=False)
    (answer,) = JudgeQuestion((row,)).answers(text, "da")
    assert answer.score is None
    assert answer.remark is not None
    assert answer.remark.startswith("malformed answer")


def test_what_was_cut_off_is_no_score_and_is_asked_again(
    server: Server, collection: isogloss.Collection, tmp_path: Path
) -> None:
    server.behaviour = lambda _, body: said(by_length(body), "length")
    table = evaluated(collection, judge(prompt="da"), cache=tmp_path)
    assert set(scores(table)) == {None}
    server.behaviour = lambda *_: (200, {}, b"<html>")
    assert set(scores(evaluated(collection, judge(prompt="da"), cache=tmp_path))) == {None}
    server.behaviour = lambda _, body: said(by_length(body))
    assert None not in scores(evaluated(collection, judge(prompt="da"), cache=tmp_path))


def test_a_busy_server_is_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    endpoint = chat.Endpoint(server.url, seconds=0.3, sleep=waits.append)

    def behaviour(number: int, body: dict[str, Any]) -> Reply:
        if number == 0:
            return 429, {"Retry-After": "7"}, b"slow down"
        if number == 1:
            return 503, {}, b""
        if number == 2:
            time.sleep(0.5)  # longer than is waited for
        return said("at last")

    server.behaviour = behaviour
    assert endpoint.complete({"model": "m", "messages": []}).text == "at last"
    assert waits[0] == 7.0
    assert 1.5 < waits[1] < 2.5
    assert 3.0 < waits[2] < 5.0
    assert len(server.asked) == 4
    server.behaviour = lambda *_: (500, {}, b"broken")
    with pytest.raises(InputError, match="answers 500: broken; answers so far are kept"):
        endpoint.complete({})
    assert len(server.asked) == 10
    server.behaviour = lambda *_: (429, {"Retry-After": "86400"}, b"tomorrow")
    with pytest.raises(InputError, match="answers 429: tomorrow"):
        endpoint.complete({})


def test_nobody_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = chat.Endpoint("http://127.0.0.1:9/v1", sleep=lambda _: None)
    with pytest.raises(InputError, match=r"127\.0\.0\.1 does not answer"):
        endpoint.complete({})


def test_no_more_questions_at_once_than_asked_for(
    server: Server, collection: isogloss.Collection
) -> None:
    def slowly(_: int, body: dict[str, Any]) -> Reply:
        time.sleep(0.05)
        return said(by_length(body))

    server.behaviour = slowly
    evaluated(collection, judge(prompt="da", segments=1, concurrency=3))
    assert 1 < server.busiest <= 3


def test_the_spread_of_draws_enters_the_interval(server: Server) -> None:
    """A judge that is unsure has a wider interval, and more draws make it narrower."""
    source = [f"s{i}" for i in range(12)]
    collection = isogloss.from_texts(source, [], {"s": [f"t{i}" for i in range(12)]})
    rng = np.random.default_rng(5)

    def unsure(_: int, body: dict[str, Any]) -> Reply:
        with server.lock:
            values = {n: 50 + float(rng.normal(0, 12)) for n in shown_segments(body)}
        return said(
            json.dumps({"segments": [{"segment": n, "score": v} for n, v in values.items()]})
        )

    server.behaviour = unsure
    widths = {}
    for draws in (1, 9):
        metric = judge(prompt="da", draws=draws, temperature=0.7, concurrency=1)
        (comparison,) = isogloss.compare(evaluated(collection, metric))
        low, high = comparison.standings[0].interval  # type: ignore[misc]
        widths[draws] = high - low
    assert widths[1] > 8
    assert 0 < widths[9] < 0.6 * widths[1]
    with pytest.raises(MetricOptionError, match="several draws need a temperature above 0"):
        judge(draws=3)
