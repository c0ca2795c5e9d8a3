"""The ways in: the frame of all pages, cookies for those who come, and where the campaign is.

The pages' program and style are built from web/ and lie beside this room. What is not among them is
not served, whatever its path.
"""

from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files

from fastapi import Request, Response
from fastapi.responses import HTMLResponse

from isogloss.annotate.storage.schema import Actor, hashed
from isogloss.annotate.storage.store import Store
from isogloss.annotate.web.guards import is_of_pages

TYPES: Mapping[str, str] = {
    "annotate.js": "text/javascript; charset=utf-8",
    "annotate.css": "text/css; charset=utf-8",
    "worker.js": "text/javascript; charset=utf-8",
    "LICENSES.txt": "text/plain; charset=utf-8",
}
# The policy forbids scripts and styles inside a page, so these stand in files of their own.
_FRAME = """<!doctype html>
<html lang="en" data-base="{base}"{start}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>isogloss</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{base}/app/annotate.css">
<script defer src="{base}/app/annotate.js"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript, which the campaign's own server sends.</noscript>
</body>
</html>
"""
# A page of our own does the redirect: a browser that came from another site (a mail, say) would
# not send a strict cookie along with a redirect by status.
_ENTERED = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={base}/"><link rel="icon" href="data:,">
<title>isogloss</title></head>
<body><p><a href="{base}/">Go on to the campaign</a></p></body></html>"""
_TROUBLE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{what} · isogloss</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{base}/app/annotate.css">
</head>
<body>
<main class="trouble">
<h1>{what}</h1>
<p>{remedy}</p>
</main>
</body>
</html>
"""
_HALF_A_YEAR = 180 * 24 * 3600


def base_of(request: Request) -> str:
    """Where the campaign is on its server: at its root (nothing), or beside others."""
    return escape(request.scope.get("root_path", ""))


def address_here(request: Request) -> str:
    """Where people find the campaign."""
    here = request.app.state.origin or f"{request.url.scheme}://{request.url.netloc}"
    return f"{here}{request.scope.get('root_path', '')}"


def frame(request: Request, *, start: bool = False) -> HTMLResponse:
    """The page for everybody; it asks who has come, or (`start`) which campaigns they have."""
    page = _FRAME.format(base=base_of(request), start=" data-start" if start else "")
    return HTMLResponse(page, headers={"Cache-Control": "no-cache"})


def entered(request: Request, token: str) -> HTMLResponse:
    """The page of a secret link: the browser remembers who came, and goes on."""
    page = _ENTERED.format(base=base_of(request))
    response = HTMLResponse(page, headers={"Cache-Control": "no-store"})
    admitted(request, response, token)
    return response


def reads_pages(request: Request) -> bool:
    """Whether a person waits for the answer at a browser, not a program or a page of ours."""
    wanted = "text/html" in request.headers.get("accept", "")
    return wanted and not is_of_pages(request)


def trouble_page(request: Request, status: int, what: str, remedy: str) -> HTMLResponse:
    """What is wrong, and what helps, for somebody who came by a link."""
    told = [escape(f"{text[:1].upper()}{text[1:]}.") if text else "" for text in (what, remedy)]
    page = _TROUBLE.format(base=base_of(request), what=told[0], remedy=told[1])
    return HTMLResponse(page, status, {"Cache-Control": "no-store"})


def admitted(request: Request, response: Response, token: str) -> None:
    """Let the browser remember who came."""
    response.set_cookie(
        request.app.state.cookie,
        token,
        max_age=_HALF_A_YEAR,
        httponly=True,
        samesite="strict",
        secure=(request.app.state.origin or str(request.url)).startswith("https:"),
    )


def known_here(request: Request, store: Store) -> Actor | None:
    """Whoever this browser is known as, if their link still works."""
    token = request.cookies.get(request.app.state.cookie, "")
    actor = store.actor_with(token) if token else None
    return actor if actor is not None and actor.state == "active" else None


@cache
def asset(name: str) -> tuple[str, str]:
    """A file of the pages, and its tag."""
    content = files("isogloss.annotate").joinpath("app", name).read_text(encoding="utf-8")
    return content, f'"{hashed(content)[:32]}"'
