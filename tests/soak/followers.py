"""Followers of event streams: every number exactly once and in order, whatever breaks off."""

import threading

import httpx

from tests.soak.client import check_refusal, retry_after
from tests.soak.connections import Trace
from tests.soak.findings import Findings

RECONNECT_SECONDS = 1.0  # 60 requests a minute at most
SILENCE_SECONDS = 40.0  # a stream says something at least every 15 seconds


class Follower(threading.Thread):
    """The stream of one person, reconnected with Last-Event-ID."""

    def __init__(self, url: str, token: str, findings: Findings, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.url, self.token, self.findings, self.stop = url, token, findings, stop
        self.last = 0
        self.trace = Trace()

    def run(self) -> None:
        while not self.stop.is_set():
            pause = RECONNECT_SECONDS
            try:
                pause = max(pause, self._follow())
            except httpx.TransportError as error:
                timeout = isinstance(error, httpx.TimeoutException)
                self.findings.lost(self.trace.loss("stream", error, timeout))
            self.stop.wait(pause)

    def _follow(self) -> float:
        """Follow one stream to its end; the seconds of its Retry-After."""
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "text/event-stream",
            "Last-Event-ID": str(self.last),
        }
        timeout = httpx.Timeout(SILENCE_SECONDS)
        with (
            httpx.Client(timeout=timeout) as http,
            http.stream(
                "GET",
                f"{self.url}/v1/events",
                headers=headers,
                extensions=dict(self.trace.begin()),
            ) as lines,
        ):
            self.findings.count(f"streams {lines.status_code}")
            check_refusal(self.findings, "stream", lines)
            if lines.status_code in (
                httpx.codes.SERVICE_UNAVAILABLE,
                httpx.codes.TOO_MANY_REQUESTS,
            ):
                return retry_after(lines)
            if lines.status_code != httpx.codes.OK:
                self.findings.violation(f"stream refused: {lines.status_code}")
                return 0.0
            for line in lines.iter_lines():
                if line.startswith("id: "):
                    self._take(int(line.removeprefix("id: ")))
                if self.stop.is_set():
                    break
        return 0.0

    def _take(self, number: int) -> None:
        if number != self.last + 1:
            self.findings.violation(f"stream: event {number} after event {self.last}")
        self.last = number
        self.findings.count("events streamed")
