"""One model call over HTTP that ends in a JSON object or in a BackendError, whatever the endpoint does.

What is retried is the call, never the rollout. Time spent waiting for a place or for a parked endpoint does not count
as trying. Deadlines are separate: connect, first byte, silence inside the body, and the whole attempt. Errors are
rebuilt from status, code and a redacted head of the body, so that no exception of the HTTP library, and no header,
leaves this module.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zlib import crc32

import orjson

from .._rng import Rng
from .._text import printable
from ..errors import BackendError, ConfigError, KeyRefused, Problem
from ..ports import Address, Reply
from .backend import Link
from .limiter import Limiter
from .sse import assembled

if TYPE_CHECKING:
    import aiohttp

_RETRYABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_ERROR_BODY_BYTES = 65536
_ERROR_TEXT_CHARS = 600
_CONTEXT = re.compile(
    r"context[_ ](?:length|window|size)|maximum (?:context|prompt|model) length|too many (?:input )?tokens|prompt is too long"
    r"|exceeds? the (?:model'?s )?(?:maximum|context|available)|input is too long|max_seq_len|reduce the length of the (?:messages|prompt)",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance|payment required", re.IGNORECASE)
_DETERMINISTIC_500 = re.compile(
    r"parse tool call arguments|does not match the expected|jinja|chat template|TemplateError|json_schema", re.IGNORECASE
)
_FILTER = re.compile(r"content_filter|content management policy|ResponsibleAIPolicy|data_inspection_failed", re.IGNORECASE)


def address_of(url: str) -> str:
    """A base URL as it is called: no slash at its end, `/v1` when it has no path, no user or password in it."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(Problem("base_url", f"{printable(url)!r} is not an http(s) address"))
    if parts.username or parts.password:
        raise ConfigError(Problem("base_url", "holds a user name or password", "name a variable in api_key_env instead"))
    path = parts.path.rstrip("/")
    for tail in ("/chat/completions", "/responses", "/messages"):
        path = path.removesuffix(tail)
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


def retry_after_s(headers: Mapping[str, str], now_epoch_s: float) -> float | None:
    """The waiting time a server named, in seconds; None when it named none or something that is not a time.

    Read from `retry-after-ms`, else `Retry-After` as seconds or as an HTTP date.
    """
    for name, scale in (("retry-after-ms", 1e-3), ("Retry-After", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * scale
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - now_epoch_s
            except (ValueError, TypeError, OverflowError):
                continue
            seconds = max(seconds, 0.0)
        if isfinite(seconds) and seconds >= 0:
            return seconds
    return None


class Transport:
    """POSTs JSON to one role's endpoints (several serve as one) and survives them."""

    def __init__(self, urls: Sequence[str], headers: Mapping[str, str], link: Link, bearer: bool = True) -> None:
        """`urls` are complete. `bearer` False sends the key as `x-api-key`, and then never follows a redirect with it."""
        self._urls = list(urls)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        self._link = link
        self._bearer = bearer
        self._limiters = [self._limiter() for _ in self._urls]
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reached = False
        """Whether any endpoint ever answered anything; an address that never did is given up on soon."""

    def _limiter(self) -> Limiter:
        knobs = self._link.knobs
        return Limiter(knobs.endpoint_concurrency, knobs.limiter_backoff, knobs.limiter_tolerance, self._link.clock)

    def _open(self) -> aiohttp.ClientSession:
        """The session of the running loop; a transport outlives loops (one per blocking call of the library door)."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            import aiohttp

            refused = [limiter.refused for limiter in self._limiters]
            self._limiters = [self._limiter() for _ in self._urls]
            for limiter, error in zip(self._limiters, refused):
                limiter.refused = error
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._link.knobs.connect_timeout_s),
                skip_auto_headers=("User-Agent",),
            )
            self._loop = loop
        return self._session

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    async def post(self, payload: bytes, address: Address, read: Callable[[dict[str, Any]], Reply]) -> Reply:
        """What `read` makes of the endpoint's answer; a body it refuses counts as a failed attempt.

        BackendError when the call fails for good, KeyRefused when the endpoint refuses the key or its quota is used up.
        """
        knobs, clock = self._link.knobs, self._link.clock
        first = Rng(0).seed_of("endpoint", address.task_id, address.repeat) if len(self._urls) > 1 else 0
        mark = sha256(f"{address.parts()} {crc32(payload)} {len(payload)}".encode()).hexdigest()[:32]
        spent_s, attempt, unusable = 0.0, 0, 0
        while True:
            self._open()
            limiter = self._limiters[(first + attempt) % len(self._urls)]
            url = self._urls[(first + attempt) % len(self._urls)]
            attempt += 1
            entered = await limiter.enter()
            try:
                reply = read(await self._attempt(url, payload, mark))
                limiter.succeeded()
                return replace(reply, attempts=attempt, latency_s=clock.monotonic() - entered)
            except KeyRefused as error:
                limiter.refuse(error)
                raise
            except _Failed as caught:
                error, wait_s = caught.error, caught.wait_s
                if error.kind == "rate_limited":
                    limiter.throttled(entered, wait_s)
            except BackendError as caught:
                error, wait_s = caught, None
            finally:
                limiter.leave()
            spent_s += clock.monotonic() - entered
            unusable += error.kind == "bad_response"
            lost = error.kind == "unreachable" and not self._reached
            patience_s = min(knobs.retry_for_s, knobs.unreachable_s) if lost else knobs.retry_for_s
            exhausted = attempt >= knobs.retry_attempts or spent_s >= patience_s or unusable >= knobs.bad_response_attempts
            if not error.retryable or exhausted:
                raise _final(error, attempt)
            if wait_s is not None and wait_s > knobs.park_max_s:
                what = f"the endpoint asks to wait {wait_s:.0f} s, longer than park_max_s={knobs.park_max_s:g}; resume later"
                raise BackendError(what, kind="rate_limited", status=error.status)
            ceiling = min(knobs.retry_cap_s, knobs.retry_base_s * 2.0 ** min(attempt - 1, 30))
            pause_s = Rng(0).at("retry", *address.parts(), attempt).uniform(0.0, ceiling)
            if wait_s is None:
                spent_s += pause_s
            else:
                pause_s = wait_s + min(pause_s, max(knobs.retry_base_s, 0.1 * wait_s))
            await clock.sleep(pause_s)

    async def get(self, url: str, wait_s: float) -> tuple[int, dict[str, Any]]:
        """Status and JSON body of a GET on a server that may still be starting; it may take `wait_s` to answer or to load.

        A 503 is asked again until then. An address that nobody answers at is given `unreachable_s`, not more.
        """
        import aiohttp

        knobs, clock = self._link.knobs, self._link.clock
        began_s = clock.monotonic()
        while True:
            said = ""
            try:
                async with (
                    asyncio.timeout(wait_s),
                    self._open().get(url, headers=self._signed(""), allow_redirects=self._bearer) as response,
                ):
                    data = await response.content.read(_ERROR_BODY_BYTES)
                    if response.status in (401, 403):
                        raise self._refusal(response.status, response.headers, data)
                    if response.status != 503:
                        return response.status, _object(data)
                    said, limit_s = f"HTTP 503: {self._clean(_message(data))[:200]}", wait_s
            except TimeoutError:
                raise BackendError(f"no answer within {wait_s:g} s", kind="timeout") from None
            except (aiohttp.ClientError, OSError) as error:
                said, limit_s = self._clean(f"{type(error).__name__}: {error}".partition(" ssl:")[0]), knobs.unreachable_s
            if clock.monotonic() - began_s >= limit_s:
                raise BackendError(f"{urlsplit(url).netloc} cannot be used: {said}", kind="unreachable") from None
            await clock.sleep(knobs.retry_base_s)

    async def _attempt(self, url: str, payload: bytes, mark: str) -> dict[str, Any]:
        """One POST. _Failed with what went wrong and whether trying again can help."""
        import aiohttp

        session = self._open()
        timeout_s = self._link.timeout_s
        try:
            async with asyncio.timeout(timeout_s) as deadline:
                async with session.post(url, data=payload, headers=self._signed(mark), allow_redirects=self._bearer) as response:
                    self._reached = True
                    data = await self._read(response, deadline)
                    if response.status == 200:
                        return self._parsed(data, response)
                    raise self._refusal(response.status, response.headers, data)
        except TimeoutError:
            raise _Failed(BackendError(f"no answer within {timeout_s:g} s", kind="timeout", retryable=True)) from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            said = self._clean(type(error).__name__ + ": " + str(error).partition(" ssl:")[0])
            raise _Failed(BackendError(f"cannot connect: {said}", kind="unreachable", retryable=True)) from None
        except (aiohttp.ClientError, OSError) as error:
            said = type(error).__name__
            raise _Failed(BackendError(f"the connection broke: {said}", kind="unreachable", retryable=True)) from None

    def _signed(self, mark: str) -> dict[str, str]:
        headers = {**self._headers, "Idempotency-Key": mark}
        if self._link.key is not None:
            if self._bearer:
                headers["Authorization"] = f"Bearer {self._link.key.reveal()}"
            else:
                headers["x-api-key"] = self._link.key.reveal()
        return headers

    async def _read(self, response: aiohttp.ClientResponse, deadline: asyncio.Timeout) -> bytes:
        """The body, cut off past the cap (an error's body at 64 KB). The deadline shrinks to the idle limit per chunk."""
        cap = int(self._link.knobs.response_cap_mb * 1e6) if response.status == 200 else _ERROR_BODY_BYTES
        content = response.content
        if content.is_eof() and content.total_bytes <= cap:
            return content.read_nowait()
        idle_s = self._link.knobs.idle_timeout_s
        loop, last = asyncio.get_running_loop(), deadline.when()
        chunks: list[bytes] = []
        size = 0
        while True:
            if not response.content.is_eof():
                deadline.reschedule(min(last or float("inf"), loop.time() + idle_s))
            chunk = await response.content.readany()
            if not chunk:
                return b"".join(chunks)
            chunks.append(chunk)
            size += len(chunk)
            if size > cap:
                response.close()
                if response.status == 200:
                    raise _Failed(
                        BackendError(f"the answer is larger than response_cap_mb ({cap} bytes)", kind="bad_response", status=200)
                    )
                return b"".join(chunks)

    def _parsed(self, data: bytes, response: aiohttp.ClientResponse) -> dict[str, Any]:
        if response.content_type == "text/event-stream":
            body = assembled(data)
        else:
            body = self._loaded(data)
        error = body.get("error")
        if error and "choices" not in body and "content" not in body and "output" not in body:
            code = error.get("code") if isinstance(error, dict) else None
            status = code if isinstance(code, int) and 400 <= code < 600 else 500
            raise self._refusal(status, response.headers, orjson.dumps(body))
        return body

    def _loaded(self, data: bytes) -> dict[str, Any]:
        try:
            body = orjson.loads(data)
        except ValueError:
            what = "empty" if not data.strip() else "not JSON"
            raise _Failed(
                BackendError(
                    f"the answer is {what}: {self._clean(_text(data))[:200]}", kind="bad_response", status=200, retryable=True
                )
            ) from None
        if not isinstance(body, dict):
            raise _Failed(BackendError("the answer is not a JSON object", kind="bad_response", status=200, retryable=True))
        return body

    def _refusal(self, status: int, headers: Mapping[str, str], data: bytes) -> _Failed:
        """What a status and a body that is no answer mean."""
        text = self._clean(_message(data))
        said = f"HTTP {status}: {text[:_ERROR_TEXT_CHARS]}"
        if status in (402,) or (status in (403, 429) and _QUOTA.search(text)):
            raise KeyRefused(f"the quota is used up ({said})", kind="quota", status=status)
        if status in (401, 403):
            raise KeyRefused(f"the endpoint refuses the key ({said})", status=status)
        if status in (400, 413, 422, 500) and _CONTEXT.search(text):
            return _Failed(BackendError(said, kind="context_length", status=status))
        if status in (400, 403, 422) and _FILTER.search(text):
            return _Failed(BackendError(said, kind="content_filter", status=status))
        if status == 500 and _DETERMINISTIC_500.search(text):
            return _Failed(BackendError(said, kind="error", status=status))
        wait_s = retry_after_s(headers, self._link.clock.now().timestamp())
        kind = "rate_limited" if status == 429 else "error"
        retryable = status in _RETRYABLE or status >= 500
        return _Failed(BackendError(said, kind=kind, status=status, retryable=retryable), wait_s if retryable else None)

    def _clean(self, text: str) -> str:
        key = self._link.key
        return printable(key.redacted(text) if key is not None else text)


def _final(error: BackendError, attempts: int) -> BackendError:
    if attempts == 1:
        return error
    return BackendError(f"{error} (after {attempts} attempts)", kind=error.kind, status=error.status, retryable=error.retryable)


class _Failed(Exception):
    """One attempt failed; `wait_s` is the time the server named."""

    def __init__(self, error: BackendError, wait_s: float | None = None) -> None:
        super().__init__(str(error))
        self.error = error
        self.wait_s = wait_s


def _object(data: bytes) -> dict[str, Any]:
    try:
        body = orjson.loads(data)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(data: bytes) -> str:
    return data[:4096].decode("utf-8", "replace")


def _message(data: bytes) -> str:
    """The sentence in an error's body: OpenAI's, Anthropic's or FastAPI's shape, else its text."""
    try:
        body = orjson.loads(data)
    except ValueError:
        return _text(data).strip()
    if isinstance(body, dict):
        error = body.get("error", body.get("detail", body.get("message", body)))
        if isinstance(error, dict):
            parts = [error.get(name) for name in ("message", "type", "code")]
            return " ".join(str(part) for part in parts if part) or str(error)[:2000]
        return str(error)[:2000]
    return str(body)[:2000]
