"""What no page of ours sends, on a real connection: too much, too slow, twice, and from nobody."""

import http.client
import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate.campaigning import sent
from annotate.served_campaigns import Served, served
from isogloss.annotate.enrolment import EnrolmentPlan, begin_enrolment
from isogloss.annotate.web import guards
from isogloss.annotate.web.listener import TimedProtocol


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(TimedProtocol, "patience", 0.5)
    monkeypatch.setattr(guards, "BODY_PATIENCE", 0.5)
    monkeypatch.setattr(guards, "WHOLE_BODY_PATIENCE", 1.5)
    with served(tmp_path, ["phase1"]) as campaign:
        yield campaign


def port(campaign: Served) -> int:
    return int(campaign.address.rsplit(":", 1)[1])


def cookie(campaign: Served, who: str = "ann") -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port(campaign))
    connection.request("GET", f"/a/{campaign.tokens[who]}")
    found = connection.getresponse().headers["set-cookie"].split(";")[0]
    connection.close()
    return str(found)


def head(campaign: Served, *lines: str, method: str = "POST") -> bytes:
    """The head of a request that a page could send, with more lines."""
    here = f"127.0.0.1:{port(campaign)}"
    usual = (f"Host: {here}", f"Origin: http://{here}", "Content-Type: application/json")
    said = "\r\n".join([f"{method} /api/answers HTTP/1.1", *usual, *lines])
    return f"{said}\r\n\r\n".encode()


def answer(campaign: Served, said: bytes) -> bytes:
    """All that the server says until it hangs up."""
    with socket.create_connection(("127.0.0.1", port(campaign)), timeout=20) as connection:
        connection.sendall(said)
        return rest(connection)


def rest(connection: socket.socket) -> bytes:
    found = b""
    while part := connection.recv(65536):
        found += part
    return found


def status(said: bytes) -> int:
    return int(said.split(b" ")[1])


def test_two_lengths_are_refused_before_anything_is_read(campaign: Served) -> None:
    """Content-Length together with chunks: the first was checked, the second was read."""
    lengths = ("Content-Length: 10", "Transfer-Encoding: chunked")
    who = f"Cookie: {cookie(campaign)}"
    for lines in (lengths, (*lengths, who)):
        assert status(answer(campaign, head(campaign, *lines))) == 400
    assert status(answer(campaign, head(campaign, "Transfer-Encoding: chunked", who))) == 411


def test_a_flood_is_not_taken(campaign: Served) -> None:
    """64 MB of chunks after both lengths: the server hangs up long before, and keeps nothing."""
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    said = head(campaign, "Content-Length: 10", "Transfer-Encoding: chunked")
    before = memory()
    sent_chunks = 0
    with socket.create_connection(("127.0.0.1", port(campaign)), timeout=20) as connection:
        connection.sendall(said)
        try:
            for _ in range(64):
                connection.sendall(chunk)
                sent_chunks += 1
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent_chunks < 32
    assert memory() - before < 40e6


def memory() -> int:
    """Bytes of this process, in which the server runs."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_nothing_is_read_of_what_strangers_send(campaign: Served) -> None:
    for who in ("X: y", "Cookie: isogloss_00000000=forged"):
        said = answer(campaign, head(campaign, "Content-Length: 4000000", who))
        assert status(said) == 401, "told before a byte of the body came"
        assert b"open the link" in said


@pytest.mark.parametrize("length", ["4194305", "99999999999999999999", "9" * 5000])
def test_too_long_is_refused_at_once(campaign: Served, length: str) -> None:
    said = answer(
        campaign, head(campaign, f"Content-Length: {length}", f"Cookie: {cookie(campaign)}")
    )
    assert status(said) in (400, 413)


def test_reading_sends_nothing(campaign: Served) -> None:
    assert status(answer(campaign, head(campaign, "Content-Length: 5", method="GET"))) == 400


def test_half_open_connections_end(campaign: Served) -> None:
    """Nothing, half a head, a head that drips, a body that stops or drips, a reply nobody reads."""
    whole = head(campaign, "Content-Length: 100", f"Cookie: {cookie(campaign)}")
    for begun in (b"", b"GET / HTT", whole[:-30], whole, whole + b'{"answers"'):
        started = time.monotonic()
        said = answer(campaign, begun)
        assert time.monotonic() - started < 15
        assert (status(said) == 408) if begun.startswith(whole) else said == b""
    for begun in (b"", whole):
        with socket.create_connection(("127.0.0.1", port(campaign)), timeout=20) as connection:
            connection.sendall(begun)
            with pytest.raises((BrokenPipeError, ConnectionResetError)):
                drip(connection)


def drip(connection: socket.socket) -> None:
    for _ in range(200):
        connection.sendall(b" ")
        time.sleep(0.1)


def test_a_kept_connection_may_rest(campaign: Served) -> None:
    """Annotators think: time runs while a request comes in, not between two of them."""
    connection = http.client.HTTPConnection("127.0.0.1", port(campaign))
    for _ in range(3):
        connection.request("GET", "/api/me", headers={"Cookie": cookie(campaign)})
        response = connection.getresponse()
        assert (response.status, bool(response.read())) == (200, True)
        opened = connection.sock
        time.sleep(0.8)
    assert connection.sock is opened
    connection.close()


# --- answers that no page sends ------------------------------------------------------------------


def post(
    campaign: Served, body: object, path: str = "/api/answers", who: str | None = "ann"
) -> tuple[int, dict[str, object]]:
    connection = http.client.HTTPConnection("127.0.0.1", port(campaign))
    here = f"http://127.0.0.1:{port(campaign)}"
    headers = {"Origin": here, "Content-Type": "application/json"}
    if who is not None:
        headers["Cookie"] = cookie(campaign, who)
    connection.request("POST", path, json.dumps(body), headers)
    response = connection.getresponse()
    found = response.status, json.loads(response.read())
    connection.close()
    return found


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("at", 10**30),
        ("at", 2**63),
        ("at", -1),
        ("at", 1e300),
        ("at", float("nan")),
        ("revision", 2**31),
        ("revision", 10**30),
        ("task", "\0"),
        ("task", "\ud800"),
        ("item", "\0"),
        ("value", {"\ud800": 1}),
        ("value", {"note": "\ud800"}),
        ("value", {"adequacy": float("inf")}),
        ("value", {"adequacy": 10**400}),
    ],
)
def test_no_value_gives_a_500(campaign: Served, field: str, value: object) -> None:
    body = sent(campaign.task("phase1").id, "line:0/A", adequacy=0.5)
    body["answers"][0][field] = value
    code, _ = post(campaign, body)
    assert code in (400, 404, 422)
    assert campaign.events() == []


def test_a_key_of_another_answer_saves_nothing_and_says_so(campaign: Served) -> None:
    task = campaign.task("phase1").id
    first = sent(task, "line:0/A", adequacy=0.5)
    assert post(campaign, first)[0] == 200
    assert post(campaign, first)[0] == 200, "the same answer may come as often as it likes"
    for other in (
        sent(task, "line:0/B", adequacy=0.5),
        sent(task, "line:0/A", adequacy=0.6),
        sent(task, "line:0/A", 1, adequacy=0.5),
    ):
        code, told = post(campaign, other)
        assert code == 422
        assert "key" in str(told["receipts"])
    assert len(campaign.events()) == 1


def test_two_answers_with_one_key_in_one_request(campaign: Served) -> None:
    task = campaign.task("phase1").id
    one, other = (sent(task, f"line:0/{slot}", adequacy=0.5)["answers"][0] for slot in "AB")
    code, told = post(campaign, {"answers": [one, other, one]})
    assert code == 422
    receipts = told["receipts"]
    assert isinstance(receipts, list)
    assert [receipt["revision"] for receipt in receipts] == [1, None, 1]
    assert "key" in receipts[1]["refused"]
    assert [event.item for event in campaign.events()] == ["line:0/A"]


ODD = ("", "\0", "\ud800", "\u202eevil", " x", "x" * 201, -1, 10**30, None, [], {})


def test_nothing_odd_changes_who_takes_part(campaign: Served) -> None:
    """Names, numbers and addresses that no page of the organiser sends."""
    before = [(actor.name, actor.state) for actor in campaign.store.actors()]
    bodies: list[tuple[str, dict[str, object]]] = []
    for odd in ODD:
        bodies += [(f"/api/people{path}", {"name": odd}) for path in ("", "/link", "/withdraw")]
        bodies += [("/api/people/reassign", {"name": "ann", "to": [odd]})]
        bodies += [("/api/people/extend", {"redundancy": odd})]
        bodies += [("/api/people", {"name": "new", "role": odd})]
        bodies += [("/api/enrolment", {"places": odd})]
        for field in ("url", "parameter", "code"):
            if odd is not None:  # which is nothing
                bodies += [("/api/enrolment", {"places": 1, field: odd})]
    for path, body in bodies:
        code, told = post(campaign, body, path, "organiser")
        assert (code, "error" in told) == (422, True), (path, body)
    assert [(actor.name, actor.state) for actor in campaign.store.actors()] == before


@pytest.mark.parametrize("odd", ["\0", "\ud800", "\u00e9", "x" * 100])
def test_no_odd_newcomer_gets_in(campaign: Served, odd: str) -> None:
    begin_enrolment(campaign.store, EnrolmentPlan(3, parameter="ID"))
    before = len(campaign.store.actors())
    for body in ({"token": odd, "platform": "w1"}, {"token": "x", "platform": odd}):
        assert post(campaign, body, "/api/enrol", None)[0] in (409, 422)
    code, _ = post(campaign, {"token": "x", "padding": "y" * 5000}, "/api/enrol", None)
    assert code == 413
    assert len(campaign.store.actors()) == before
