"""Bridge from the ASGI server to the Flask app.

The event loop does all socket work. A thread of a bounded pool runs the app only once the whole
request has arrived, and returns the whole response: no client can hold a thread. Requests that
wait for events (`service.notify.waiting`) wait in the event loop.
"""

import asyncio
import contextlib
import io
import sys
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

import structlog
from flask import Flask
from werkzeug.test import run_wsgi_app

from service.api.mail_hook import PATH as MAIL_PATH
from service.api.mail_hook import largest_body
from service.core.config import Settings
from service.core.errors import PROBLEM_JSON, Problem
from service.core.worker_signal import add_listener
from service.db.session import error_fields, is_transient
from service.notify.waiting import (
    HANDOVER,
    PLACES,
    Handover,
    Waiting,
    newest,
    poll_response,
    stream_chunk,
)
from service.ops.connections import (
    CONNECTION,
    GUARD,
    HEAD_TOO_LARGE,
    LARGEST_HEAD,
    LINE_TOO_LONG,
    LONGEST_LINE,
    MOST_HEADERS,
    Connection,
    Deadlines,
    Guard,
    problem_bytes,
)
from service.ops.watcher import Waiter, Watcher

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

T = TypeVar("T")

log = structlog.get_logger()

BODILESS = (204, 304)
WITH_BODY = ("POST", "PUT", "PATCH", "DELETE")
HEALTH_THREADS = 2  # for /healthz and /readyz, which answer while all other threads are busy
HEALTH_PATHS = (b"/healthz", b"/readyz")
EVENT_THREADS = 2  # that read events for streams, so that many streams delay no request
QUEUE_PER_THREAD = 20  # requests that may wait for a thread; more are refused
LARGE_BODY = 64 * 1024  # bytes
LARGE_BODIES = 32  # that may arrive at once: a limit on memory
COMMENT_SECONDS = 15  # without an event, after which a stream sends a comment
COMMENT = b": still here\n\n"

SLOW_BODY = Problem("request_timeout", "The request took too long to arrive.")
STOPPING = Problem(
    "unavailable", "The server is restarting. Please retry.", headers={"Retry-After": "2"}
)
BUSY = Problem(
    "unavailable", "Too many concurrent requests. Please retry.", headers={"Retry-After": "2"}
)


class Body(NamedTuple):
    data: bytes
    length: int  # also of the part that was dropped
    complete: bool


@dataclass
class Response:
    """A complete response of the app."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def headers_without_length(self) -> list[tuple[str, str]]:
        return [(name, value) for name, value in self.headers if name != "Content-Length"]


class ClientGone(Exception):
    """The client disconnected before its request was complete."""


class Exchange(NamedTuple):
    """One request and its response on a connection."""

    connection: Connection
    receive: Receive
    send: Send

    async def start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await self.send({"type": "http.response.start", "status": status, "headers": raw})

    async def write(self, part: bytes, more: bool = True) -> None:
        self.connection.expect_write(len(part))
        await self.send({"type": "http.response.body", "body": part, "more_body": more})

    async def respond(self, response: Response, close: bool = False) -> None:
        headers = response.headers_without_length
        if response.status not in BODILESS:
            headers.append(("Content-Length", str(len(response.body))))
        if close:
            headers.append(("Connection", "close"))
        await self.start(response.status, headers)
        await self.write(response.body, more=False)


class Bridge:
    """An ASGI application around a WSGI application."""

    def __init__(
        self,
        app: Flask,
        settings: Settings,
        wsgi: Wsgi | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self.app, self.wsgi = app, wsgi or app
        self.deadlines = deadlines or Deadlines()
        self.max_body, self.max_mail = settings.max_body, settings.max_body
        if settings.mail_hook_secret is not None:
            self.max_mail = largest_body(settings)
        self.threads = ThreadPoolExecutor(settings.web_threads, "request")
        self.most_queued = settings.web_threads * (1 + QUEUE_PER_THREAD)
        self.queued = 0
        self.health_threads = ThreadPoolExecutor(HEALTH_THREADS, "health")
        self.watch_thread = ThreadPoolExecutor(1, "watch")
        self.event_threads = ThreadPoolExecutor(EVENT_THREADS, "events")
        per_address = 0 if settings.trusted_proxies else settings.web_connections_per_address
        self.guard = Guard(self.deadlines, settings.web_connections, per_address)
        self.watcher = Watcher(self._newest)
        self.guard.when_stopping(self.watcher.stop)
        self.when_stopped: Callable[[], None] = lambda: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, Exchange(scope["state"][CONNECTION], receive, send))

    async def _lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        loop = asyncio.get_running_loop()
        self.large_bodies = asyncio.Semaphore(LARGE_BODIES)
        scope["state"][GUARD] = self.guard
        background = [loop.create_task(one.run()) for one in (self.guard, self.watcher)]

        def check(_: Collection[str]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self.watcher.check_soon)

        add_listener(self.app, check)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in background:
            task.cancel()
        for pool in (self.threads, self.health_threads, self.watch_thread, self.event_threads):
            pool.shutdown(wait=False, cancel_futures=True)
        self.when_stopped()
        await send({"type": "lifespan.shutdown.complete"})

    async def _newest(self, credential_ids: list[str]) -> dict[str, int]:
        return await self._in_thread(self.watch_thread, newest, credential_ids)

    async def _in_thread(
        self, pool: ThreadPoolExecutor, function: Callable[[Any], T], argument: Any
    ) -> T:
        """Run a function of the service in the app's context."""

        def call() -> T:
            with self.app.app_context():
                return function(argument)

        return await asyncio.get_running_loop().run_in_executor(pool, call)

    async def _read_events(self, read: Callable[[Waiting], T], waiting: Waiting, nothing: T) -> T:
        """Events for a waiting request; `nothing` while the database does not answer: the watcher
        wakes the request again once it does."""
        try:
            return await self._in_thread(self.event_threads, read, waiting)
        except Exception as error:
            if not is_transient(error):
                raise
            log.warning("events_not_read", **error_fields(error))
            return nothing

    async def _http(self, scope: Scope, exchange: Exchange) -> None:
        handover = Handover()
        try:
            try:
                response, close = await self._response(scope, exchange.receive, handover)
            except asyncio.CancelledError:  # the server stops, and its grace period is over
                await exchange.respond(_problem(STOPPING), close=True)
                return
            if handover.waiting is None:
                await exchange.respond(response, close)
            else:
                await self._wait(exchange, response, handover.waiting)
        except ClientGone:
            pass
        finally:
            exchange.connection.busy = False
            if handover.place_of is not None:
                PLACES.leave(handover.place_of)

    async def _response(
        self, scope: Scope, receive: Receive, handover: Handover
    ) -> tuple[Response, bool]:
        """The response of the app, and whether the connection must be closed after it."""
        refusal = _refusal_of_head(scope)
        if refusal is not None:
            return _problem(refusal), True
        try:
            async with asyncio.timeout(self.deadlines.body):
                body = await self._body(scope, receive)
        except TimeoutError:
            return _problem(SLOW_BODY), True
        if scope["raw_path"] in HEALTH_PATHS:
            pool = self.health_threads
        elif self.queued < self.most_queued:
            pool = self.threads
        else:
            log.warning("request_queue_full", queued=self.queued)
            return _problem(BUSY), not body.complete
        environ = wsgi_environ(scope, body)
        environ[HANDOVER] = handover
        self.queued += 1
        try:
            loop = asyncio.get_running_loop()
            response = await loop.run_in_executor(pool, run_wsgi, self.wsgi, environ)
        finally:
            self.queued -= 1
        return response, not body.complete

    async def _body(self, scope: Scope, receive: Receive) -> Body:
        """The body up to the size limit; the rest is read and dropped, up to four times the limit,
        so that the client reads the refusal."""
        most = self.max_mail if scope["path"] == MAIL_PATH else self.max_body
        async with contextlib.AsyncExitStack() as held:
            large = False
            parts: list[bytes] = []
            size, more = 0, True
            while more and size <= 4 * most:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                part = message.get("body", b"")
                more = message.get("more_body", False)
                size += len(part)
                if size <= most:
                    parts.append(part)
                else:
                    parts.clear()
                if more and size > LARGE_BODY and not large:
                    large = True
                    await held.enter_async_context(self.large_bodies)
        return Body(b"".join(parts), size, not more)

    async def _wait(self, exchange: Exchange, response: Response, waiting: Waiting) -> None:
        """Hold a long poll or a stream until an event, its time limit or the end of its client."""
        waiter = Waiter(waiting)
        gone = asyncio.ensure_future(exchange.receive())  # done when the client disconnects
        gone.add_done_callback(lambda _: waiter.end())
        self.watcher.add(waiter)
        try:
            hold = self._stream if waiting.stream else self._poll
            await hold(exchange, response, waiter)
        finally:
            self.watcher.remove(waiter)
            gone.cancel()

    async def _poll(self, exchange: Exchange, response: Response, waiter: Waiter) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + waiter.waiting.seconds
        while not waiter.ended and await waiter.wait(until - loop.time()):
            body = await self._read_events(poll_response, waiter.waiting, None)
            if body is not None:
                response.body = body
                break
        await exchange.respond(response)

    async def _stream(self, exchange: Exchange, response: Response, waiter: Waiter) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + waiter.waiting.seconds
        await exchange.start(response.status, response.headers_without_length)
        await exchange.write(response.body)
        while not waiter.ended and loop.time() < until:
            if not await waiter.wait(min(COMMENT_SECONDS, until - loop.time())):
                if loop.time() < until:
                    await exchange.write(COMMENT)
                continue
            more = not waiter.ended
            while more:
                chunk, more = await self._read_events(stream_chunk, waiter.waiting, (b"", False))
                if chunk:
                    await exchange.write(chunk)
        await exchange.write(b"", more=False)


def _refusal_of_head(scope: Scope) -> Problem | None:
    headers = scope["headers"]
    if len(scope["raw_path"]) + len(scope["query_string"]) > LONGEST_LINE:
        return LINE_TOO_LONG
    size = sum(len(name) + len(value) for name, value in headers)
    return HEAD_TOO_LARGE if size > LARGEST_HEAD or len(headers) > MOST_HEADERS else None


def _problem(refusal: Problem) -> Response:
    log.info("request_refused", code=refusal.code)
    headers = [("Content-Type", PROBLEM_JSON), *refusal.headers.items()]
    return Response(refusal.status, headers, problem_bytes(refusal))


def wsgi_environ(scope: Scope, body: Body) -> dict[str, Any]:
    """The request in the form of PEP 3333."""
    server, client = scope["server"] or ("", 0), scope["client"] or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body.data),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for raw_name, raw_value in scope["headers"]:
        if b"_" in raw_name or raw_name in (b"content-length", b"transfer-encoding"):
            continue  # X_Forwarded_For must not pass for X-Forwarded-For
        name = raw_name.decode("latin-1").upper().replace("-", "_")
        key = name if name == "CONTENT_TYPE" else f"HTTP_{name}"
        value = raw_value.decode("latin-1")
        if key in environ:
            value = f"{environ[key]}{'; ' if name == 'COOKIE' else ','}{value}"
        environ[key] = value
    if body.length or scope["method"] in WITH_BODY:
        environ["CONTENT_LENGTH"] = str(body.length)
    return environ


def run_wsgi(wsgi: Wsgi, environ: dict[str, Any]) -> Response:
    """Run a WSGI application to its end."""
    parts, status, headers = run_wsgi_app(wsgi, environ, buffered=True)
    return Response(int(status[:3]), list(headers), b"".join(parts))
