"""An endpoint that speaks OpenAI's protocol of chat completions, asked politely.

Answers of "too many requests" or "not now" are waited for as long as the server says, or longer and
longer. The key comes from the environment, goes into one header, and nowhere else.
"""

import json
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

from isogloss.errors import InputError

KEYS = ("ISOGLOSS_LLM_KEY", "OPENAI_API_KEY")
_TRIES = 6
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LARGEST = 4_000_000  # bytes of an answer


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, and whether it came to its end."""

    text: str
    complete: bool = True


class _NoRedirects(HTTPRedirectHandler):
    """A key must not follow a redirection to another server."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers; `seconds` is how long an answer may take."""

    url: str
    seconds: float = 120.0
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"llm: {self.url!r} is no address; write it like https://host/v1")
        if parts.username or parts.password or parts.query:
            raise InputError(
                "llm: an endpoint's address holds no key; put it into the environment "
                f"({' or '.join(KEYS)})"
            )
        if parts.scheme == "http" and not self.is_local and _key():
            raise InputError(f"llm: {self.host} is asked without encryption, and a key is set")

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether it is this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def complete(self, body: Mapping[str, Any]) -> Completion:
        """The answer to a request; waits and asks again where the server is busy."""
        for attempt in range(1, _TRIES + 1):
            try:
                return _completion(self._post(body))
            except HTTPError as error:
                wait = self._wait_after(error, attempt)
            except (URLError, TimeoutError, HTTPException, ConnectionError) as error:
                wait = _growing(attempt)
                reason = getattr(error, "reason", None) or error
                if attempt == _TRIES:
                    raise InputError(f"llm: {self.host} does not answer ({reason})") from None
            self.sleep(wait)
        raise AssertionError  # the last attempt returns or raises

    def _post(self, body: Mapping[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key := _key():
            headers["Authorization"] = f"Bearer {key}"
        address = f"{self.url.rstrip('/')}/chat/completions"
        data = json.dumps(body).encode("ascii")
        request = Request(address, data, headers, method="POST")  # noqa: S310 - http or https
        with self._opener().open(request, timeout=self.seconds) as reply:
            return bytes(reply.read(_LARGEST))

    def _opener(self) -> OpenerDirector:
        # What is on this machine is not behind the proxy that the environment names.
        direct = [ProxyHandler({})] if self.is_local else []
        return build_opener(_NoRedirects(), *direct)

    def _wait_after(self, error: HTTPError, attempt: int) -> float:
        """How long to wait after an answer that is none; an error where waiting does not help."""
        with error:
            told = _said(error.read(_LARGEST))
        asked = _retry_after(error.headers.get("Retry-After"))
        if error.code not in _BUSY or attempt == _TRIES or (asked or 0) > 10 * _LONGEST_WAIT:
            again = "; answers so far are kept, run again later" if error.code in _BUSY else ""
            raise InputError(f"llm: {self.host} answers {error.code}: {told}{again}") from None
        return _growing(attempt) if asked is None else asked


def _key() -> str | None:
    return next((value for name in KEYS if (value := os.environ.get(name))), None)


def _growing(attempt: int) -> float:
    """1, 2, 4 ... seconds, a little apart from what other clients wait."""
    wait = min(_FIRST_WAIT * 2 ** (attempt - 1), _LONGEST_WAIT)
    return float(wait * random.uniform(0.8, 1.2))  # noqa: S311 - no secret


def _retry_after(header: str | None) -> float | None:
    """Seconds, given as such or as a date."""
    if header is None:
        return None
    try:
        return max(float(header), 0.0)
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def _said(body: bytes) -> str:
    """What a server says is wrong, without the key that some of them repeat."""
    text = " ".join(body.decode("utf-8", "replace").split())
    try:
        told = json.loads(text)["error"]["message"]
        text = told if isinstance(told, str) else text
    except (ValueError, KeyError, TypeError):
        pass
    key = _key()
    shown = text.replace(key, "***") if key else text
    return shown[:200] or "nothing"


def _completion(body: bytes) -> Completion:
    """The text of an answer; of one that is not as the protocol says, nothing, and incomplete."""
    try:
        choice = json.loads(body)["choices"][0]
        text = choice["message"]["content"]
        complete = choice.get("finish_reason") in ("stop", None)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return Completion("", complete=False)
    return Completion(text, complete) if isinstance(text, str) else Completion("", complete=False)


def request_body(
    model: str, messages: Sequence[Mapping[str, str]], temperature: float
) -> dict[str, Any]:
    """What is sent: nothing but what every such endpoint knows."""
    return {"model": model, "messages": list(messages), "temperature": temperature}
