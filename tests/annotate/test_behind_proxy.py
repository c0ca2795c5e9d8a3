"""Behind a proxy with TLS, as people deploy it: a real nginx with the configuration of the docs."""

import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from annotate.browsing import all_saved, press
from annotate.campaigning import sent
from annotate.served_campaigns import LEASE, Served, listening_app, running
from isogloss.annotate import (
    AccessLinks,
    Campaign,
    EnrolmentPlan,
    Store,
    begin_enrolment,
    create_site,
    participants,
    public_origin,
    trusted_addresses,
    withdraw,
)
from isogloss.annotate.launch import opened
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.verification import faults
from isogloss.errors import InputError

DOCS = Path(__file__).parents[2] / "docs" / "annotation.md"
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
_AROUND = """
user root;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
access_log off;
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
{server}
}}
"""


def configuration(folder: Path, port: int, address: str) -> str:
    """The block of the docs, with names, files and ports that are here."""
    found = re.search(r"```nginx\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    block = found[1].replace("listen 443 ", f"listen 127.0.0.1:{port} ")
    block = block.replace("server_name campaign.example.org", "server_name localhost")
    block = re.sub(r"/etc/letsencrypt/live/[^/]*", str(folder), block)
    return _AROUND.format(folder=folder, server=block.replace("http://127.0.0.1:8237", address))


def make_certificate(folder: Path) -> None:
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    names = ["-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)


@contextmanager
def nginx(folder: Path, port: int, address: str) -> Iterator[None]:
    """An nginx that passes on what comes to the port."""
    assert Path(NGINX).exists(), "nginx is not installed; 'make test' installs it"
    make_certificate(folder)
    file = folder / "nginx.conf"
    file.write_text(configuration(folder, port, address))
    command = [NGINX, "-p", str(folder), "-c", str(file), "-e", str(folder / "error.log")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as trying:
                if trying.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Proxied:
    """A campaign behind nginx: what is served, and where people find it."""

    def __init__(self, campaign: Served, port: int, folder: Path) -> None:
        self.campaign = campaign
        self.origin = f"https://localhost:{port}"
        self.port = port
        self.trust = ssl.create_default_context(cafile=folder / "fullchain.pem")

    def ask(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPSConnection("localhost", self.port, context=self.trust)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        said = None if body is None else json.dumps(body)
        connection.request(method, path, said, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        found = response.status, response.headers, response.read()
        connection.close()
        return found


def a_campaign(folder: Path) -> tuple[Store, AccessLinks]:
    store = Store(open_database(folder / "campaign.db"))
    plan = Campaign("leases", "t", ("ann",), ("phase1",))
    return store, opened(plan, [LEASE], "Be kind.", store)


@pytest.fixture(params=["public URL", "trusted proxy"])
def proxied(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Proxied]:
    """Either setting is enough."""
    port = free_port()
    store, links = a_campaign(tmp_path)
    named = request.param == "public URL"
    origin = f"https://localhost:{port}" if named else None
    trusted = [] if named else ["127.0.0.1"]
    with (
        running(store, links, origin, trusted) as campaign,
        nginx(tmp_path, port, campaign.address),
    ):
        yield Proxied(campaign, port, tmp_path)
    store.database.close()


def test_annotators_save_through_tls(proxied: Proxied, browser: Browser) -> None:
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(f"{proxied.origin}/a/{proxied.campaign.tokens['ann']}")
    page.wait_for_selector("html[data-ready]")
    page.goto(f"{proxied.origin}/#/task/{proxied.campaign.task('phase1').id}")
    page.wait_for_selector(".workbench")
    press(page, "8", "5")
    all_saved(page)
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuetext", "0.8")
    (cookie,) = context.cookies()
    assert cookie["secure"]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    context.close()
    assert proxied.campaign.values("phase1")["line:0/A"]["adequacy"] == 0.8
    assert faults(proxied.campaign.store) == []


def test_other_sites_are_refused_through_tls(proxied: Proxied) -> None:
    token = proxied.campaign.tokens["ann"]
    cookie = proxied.ask("GET", f"/a/{token}")[1]["set-cookie"].split(";")[0]
    body = sent(proxied.campaign.task("phase1").id, "line:0/A", adequacy=0.5)
    for origin in ("https://evil.example", proxied.origin.replace("https", "http"), "null", ""):
        assert proxied.ask("POST", "/api/answers", body, Cookie=cookie, Origin=origin)[0] == 403
    mine = {"Cookie": cookie, "Origin": proxied.origin}
    large = {**body, "answers": [*body["answers"], {"padding": "x" * 2_000_000}]}
    assert proxied.ask("POST", "/api/answers", large, **mine)[0] == 422, "4 MB come through nginx"
    assert proxied.ask("POST", "/api/answers", body, **mine)[0] == 200
    assert len(proxied.campaign.events()) == 1


def test_several_campaigns_behind_one_proxy(tmp_path: Path, browser: Browser) -> None:
    """The same block of the docs: their paths are theirs, links and cookies work through TLS."""
    stores: dict[str, Store] = {}
    links: dict[str, AccessLinks] = {}
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        stores[name], links[name] = a_campaign(tmp_path / name)
    token = begin_enrolment(stores["other"], EnrolmentPlan(2, parameter="PID"))
    withdraw(stores["other"], "ann", keep=True)
    port = free_port()
    origin = f"https://localhost:{port}"
    site = create_site(stores, origin)
    with listening_app(site, ["127.0.0.1"]) as address, nginx(tmp_path, port, address):
        page = browser.new_context(ignore_https_errors=True).new_page()
        page.goto(f"{origin}/c/one/a/{links['one'].annotators['ann']}")
        page.get_by_role("link", name="Begin", exact=True).click()
        page.wait_for_selector(".workbench")
        press(page, "8", "5")
        all_saved(page)
        page.goto(f"{origin}/e/{token}?PID=w1")
        page.get_by_role("button", name="Take part").click()
        page.get_by_role("link", name="Begin", exact=True).wait_for()
        assert page.url == f"{origin}/c/other/"
        assert all(cookie["secure"] for cookie in page.context.cookies())
        page.goto(f"{origin}/")
        expect(page.get_by_role("link", name="you annotate")).to_have_count(2)
        page.context.close()
    assert {event.item for event in stores["one"].events()} == {"line:0/A"}
    assert [each.platform for each in participants(stores["other"])] == ["w1"]
    for store in stores.values():
        assert faults(store) == []
        store.database.close()


def test_guesses_are_counted_for_each_caller_a_trusted_proxy_names(tmp_path: Path) -> None:
    store, links = a_campaign(tmp_path)

    def codes(campaign: Served) -> list[int]:
        """Of guesses by one, then of one by another, as somebody says who asks from here."""
        found = []
        for caller in [*["192.0.2.1"] * 25, "192.0.2.2"]:
            port = int(campaign.address.rsplit(":", 1)[1])
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("GET", "/a/guess", headers={"X-Forwarded-For": caller})
            found.append(connection.getresponse().status)
            connection.close()
        return found[-2:]

    with running(store, links, None, ["127.0.0.1"]) as campaign:
        assert codes(campaign) == [429, 404]
    with running(store, links, None, ["192.0.2.9"]) as campaign:
        assert codes(campaign) == [429, 429], "nobody may say that they are somebody else"
    store.database.close()


def test_no_stranger_makes_the_server_believe_in_tls(tmp_path: Path) -> None:
    store, links = a_campaign(tmp_path)
    with running(store, links) as campaign:
        port = int(campaign.address.rsplit(":", 1)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        link = campaign.link("ann").removeprefix(campaign.address)
        connection.request("GET", link, headers={"X-Forwarded-Proto": "https"})
        assert "secure" not in connection.getresponse().headers["set-cookie"].lower()
        connection.close()
    store.database.close()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://campaign.example.org", "https://campaign.example.org"),
        ("https://Campaign.example.org:443/", "https://campaign.example.org"),
        ("http://lab:8080", "http://lab:8080"),
        ("https://[2001:db8::1]:444", "https://[2001:db8::1]:444"),
    ],
)
def test_public_addresses(url: str, origin: str) -> None:
    assert public_origin(url) == origin


@pytest.mark.parametrize(
    "url", ["campaign.example.org", "ftp://x", "https://x/path", "https://", "https://x:port"]
)
def test_what_is_no_public_address(url: str) -> None:
    with pytest.raises(InputError, match=r"address|host name"):
        public_origin(url)


def test_only_addresses_are_trusted() -> None:
    assert trusted_addresses(["127.0.0.1", "10.0.0.0/8"]) == ["127.0.0.1", "10.0.0.0/8"]
    for wrong in ("*", "proxy.example.org", ""):
        with pytest.raises(InputError, match="IP address"):
            trusted_addresses([wrong])
