"""What stands between the campaign and everybody else: headers, origins, limits on guessing."""

import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from fastapi import Request, Response
from fastapi.responses import JSONResponse

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
MAX_BODY = 4 * 1024 * 1024
_SAFE = ("GET", "HEAD")

Next = Callable[[Request], Awaitable[Response]]


def printable(text: str) -> str:
    """The text as it can be sent: what was sent to us need not be proper Unicode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def refusal(status: int, what: str, remedy: str = "") -> JSONResponse:
    """An error as every page understands it."""
    return JSONResponse({"error": printable(what), "remedy": remedy}, status)


async def guarded(request: Request, proceed: Next) -> Response:
    """Refuse what no page of ours sends; put the headers on what goes out."""
    response = _refused(request) or await proceed(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.url.path.startswith("/api/"):
        response.headers["Cache-Control"] = "no-store"
    return response


def _refused(request: Request) -> Response | None:
    if request.method in _SAFE:
        return None
    if not _same_origin(request):
        return refusal(403, "this came from another site")
    if not request.headers.get("content-type", "").startswith("application/json"):
        return refusal(415, "only JSON is taken here")
    length = request.headers.get("content-length", "")
    if not length.isdecimal():
        return refusal(411, "the length of the request must be known")
    if int(length) > MAX_BODY:
        return refusal(413, "this is too large", f"send at most {MAX_BODY:,} bytes at a time")
    return None


def _same_origin(request: Request) -> bool:
    """A page of this very site, as its browser tells; without a word from it, no."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site != "same-origin":
        return False
    return request.headers.get("origin") == f"{request.url.scheme}://{request.url.netloc}"


class Limit:
    """So many tries at once and so many a second afterwards, for each of many callers."""

    def __init__(self, burst: int, per_second: float, callers: int = 10_000) -> None:
        self.burst, self.per_second, self.callers = burst, per_second, callers
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def allows(self, caller: str) -> bool:
        """Whether the caller may go on; a try that is allowed is counted."""
        now = time.monotonic()
        with self._lock:
            left, since = self._left.pop(caller, (float(self.burst), now))
            left = min(self.burst, left + (now - since) * self.per_second)
            allowed = left >= 1
            self._left[caller] = (left - 1 if allowed else left, now)
            while len(self._left) > self.callers:  # the longest idle one is forgotten
                self._left.popitem(last=False)
        return allowed
