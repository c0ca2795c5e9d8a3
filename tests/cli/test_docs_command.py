"""``isogloss docs``: the website from a server of this machine's own."""

import json
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

import pytest

from isogloss.cli import docs
from isogloss.cli.main import app
from isogloss.errors import InputError


def test_a_folder_is_served_to_this_machine(tmp_path: Path) -> None:
    (tmp_path / "search").mkdir()
    (tmp_path / "index.html").write_text("<h1>Überblick</h1>")
    (tmp_path / "search" / "index.json").write_text(json.dumps({"found": 1}))
    with docs.served(tmp_path) as server:
        assert server.server_address[0] == "127.0.0.1"
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert "Überblick" in urlopen(f"{address}/index.html").read().decode()  # noqa: S310
        assert json.load(urlopen(f"{address}/search/index.json")) == {"found": 1}  # noqa: S310
        server.shutdown()
        thread.join()


def test_what_is_not_there_is_said() -> None:
    """The site is built for releases only."""
    built = bool(docs.page_names())
    what = "no page 'metrix'; did you mean 'metrics'" if built else "'make docs-site' builds it"
    with pytest.raises(InputError, match=what):
        app(["docs", "metrix", "--where"], standalone_mode=False)
    with pytest.raises(InputError):
        app(["docs", "../../errors", "--where"], standalone_mode=False)
