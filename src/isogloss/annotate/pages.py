"""The campaign's page: an empty frame, and the program and the style that fill it.

They are built from web/ and lie beside this module. What is not among them is not served, whatever
its path.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, Response

from isogloss.annotate.secrets_kept import hashed

_TYPES: Mapping[str, str] = {
    "annotate.js": "text/javascript; charset=utf-8",
    "annotate.css": "text/css; charset=utf-8",
    "LICENSES.txt": "text/plain; charset=utf-8",
}
# The policy forbids scripts and styles inside a page, so these stand in files of their own.
_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>isogloss</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/app/annotate.css">
<script defer src="/app/annotate.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript, which the campaign's own server sends.</noscript>
</body>
</html>
"""

pages = APIRouter()


@pages.get("/")
def get_frame() -> HTMLResponse:
    """The page for everybody; it asks who has come."""
    return HTMLResponse(_FRAME, headers={"Cache-Control": "no-cache"})


@pages.get("/app/{name}")
def get_part(request: Request, name: str) -> Response:
    """A part of the program; a browser that has it already is told so."""
    if name not in _TYPES:
        raise HTTPException(404, "there is no such page")
    content, tag = _part(name)
    headers = {"Cache-Control": "no-cache", "ETag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=_TYPES[name], headers=headers)


@cache
def _part(name: str) -> tuple[str, str]:
    content = files("isogloss.annotate").joinpath("app", name).read_text(encoding="utf-8")
    return content, f'"{hashed(content)[:32]}"'
