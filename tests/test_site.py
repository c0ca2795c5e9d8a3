"""The website: what becomes of links, and that one which leads nowhere stops the build."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_site.py"))


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("[a](docs/tasks.md#one)", "[a](tasks.md#one)"),
        ("[a](docs/notebook.ipynb)", "[a](notebook.md)"),
        ("[a](notebook.ipynb)", "[a](notebook.md)"),
        ("![a](docs/flow.svg)", "![a](flow.svg)"),
        ("[a](CONTRIBUTING.md)", "[a](contributing.md)"),
        ("[a](../CHANGELOG.md)", "[a](changelog.md)"),
        ("[a](../examples/gate/b.yml)", "[a](examples/gate/b.yml)"),
        ("[a](../tests/test_site.py) and [licence](LICENSE)", "a and licence"),
        (
            "[a](https://example.org/docs/b.md) [b](#c)",
            "[a](https://example.org/docs/b.md) [b](#c)",
        ),
    ],
)
def test_links_lead_to_pages_of_the_site(site: dict[str, Any], written: str, becomes: str) -> None:
    assert site["as_page"](written) == becomes


def test_every_page_is_in_a_group_of_the_navigation(site: dict[str, Any]) -> None:
    groups = list(site["groups"]((ROOT / "README.md").read_text("utf-8")))
    titles = [title for group in groups for title in group]
    assert titles[:3] == ["Begin", "Tutorials", "Score"]
    pages = [page for group in groups for pages in group.values() for page in pages]
    listed = {path for page in pages for path in page.values()}
    there = {path.stem for end in ("md", "ipynb") for path in (ROOT / "docs").glob(f"*.{end}")}
    assert {Path(path).stem for path in listed} == there
    assert all(path.endswith(".md") for path in listed)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[other](other.md#there)", None),
        ("[other](nowhere.md)", "'nowhere.md', but the target is not found"),
        ("[other](other.md#nowhere)", "does not contain an anchor '#nowhere'"),
        ("![picture](nowhere.png)", "'nowhere.png', but the target is not found"),
    ],
)
def test_a_link_that_leads_nowhere_stops_the_build(
    site: dict[str, Any], tmp_path: Path, text: str, complaint: str | None
) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text(f"# First\n\n{text}\n")
    (pages / "other.md").write_text("# Other\n\n## There\n")
    (pages / "site.css").write_text("")
    said = site["built"](pages, [{"First": "index.md"}, {"Other": "other.md"}], tmp_path / "site")
    if complaint is None:
        assert said is None
        assert re.search(r'href="other.html#there"', (tmp_path / "site/index.html").read_text())
    else:
        assert complaint in said
