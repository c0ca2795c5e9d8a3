"""The report as one HTML file: the page's program and style, and the data, all inside.

Nothing is fetched: the policy in the head forbids it, and admits only the script and style that
the file was written with. Data are raw deflate streams in base64, in elements that no browser
runs; no text of a test set is ever part of the markup but for the title, which is escaped.
"""

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from isogloss.formats import write_text
from isogloss.report.assembly import ReportData
from isogloss.report.several import index_of

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="isogloss {version}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="app"><noscript>This report needs JavaScript; it runs inside the file, nothing is fetched.
</noscript></div>
<script type="text/plain" id="licences">{licences}</script>
{data}
<script>{script}</script>
</body>
</html>
"""


def write_report(data: ReportData | Sequence[ReportData], path: str | Path) -> None:
    """Write the report; whatever its size, it opens from disk without a server or a network.

    Of several test sets, an overview over all of them comes first.
    """
    write_text(Path(path), page(data))


def page(data: ReportData | Sequence[ReportData]) -> str:
    """The whole file as text."""
    script, style = _program("report.js"), _program("report.css")
    reports = [data] if isinstance(data, ReportData) else list(data)
    facts = reports[0].overview.facts
    sets = " · ".join(dict.fromkeys(each.overview.facts.testset for each in reports))
    return _PAGE.format(
        policy=page_policy(),
        version=html.escape(facts.isogloss),
        title=html.escape(f"{sets} · isogloss report"),
        style=style,
        licences=html.escape(_program("LICENSES.txt")),
        data="\n".join(_data_elements(reports)),
        script=script,
    )


def page_policy() -> str:
    """The content security policy that every page has: what a server may send along with it."""
    script, style = _program("report.js"), _program("report.css")
    return (
        f"default-src 'none'; script-src {_allowed(script)}; style-src {_allowed(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _program(name: str) -> str:
    return (files(__package__) / "app" / name).read_text(encoding="utf-8")


def _allowed(content: str) -> str:
    """The content's hash as a content security policy names it."""
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _data_elements(reports: Sequence[ReportData]) -> Iterator[str]:
    if len(reports) == 1:
        yield from _parts(reports[0], "")
        return
    yield _element("index", asdict(index_of(reports)))
    for number, report in enumerate(reports):
        yield from _parts(report, f"{number}.")


def _parts(data: ReportData, prefix: str) -> Iterator[str]:
    yield _element(f"{prefix}overview", asdict(data.overview))
    for scores in data.segments:
        yield _element(f"{prefix}segments-{scores.metric}", asdict(scores))
    for number, part in enumerate(data.documents):
        yield _element(f"{prefix}document-{number}", asdict(part))
    for number, explanation in enumerate(data.explanations):
        yield _element(f"{prefix}explanation-{number}", asdict(explanation))


def _element(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    squeezed = deflated(text.encode("utf-8", "replace"))
    return f'<script type="text/plain" id="{name}">{base64.b64encode(squeezed).decode()}</script>'


def deflated(data: bytes) -> bytes:
    """A raw deflate stream, which every browser can undo by itself."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()
