"""Followers of event streams: every number exactly once and in order, whatever breaks off."""

import threading

import httpx

from tests.soak.findings import Findings

RECONNECT_SECONDS = 1.0
SILENCE_SECONDS = 40.0  # a stream says something at least every 15 seconds


class Follower(threading.Thread):
    """The stream of one person, reconnected with Last-Event-ID."""

    def __init__(self, url: str, token: str, findings: Findings, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.url, self.token, self.findings, self.stop = url, token, findings, stop
        self.last = 0

    def run(self) -> None:
        while not self.stop.is_set():
            try:
                self._follow()
            except httpx.TransportError as error:
                if not self.stop.is_set():
                    self.findings.lost_connection(f"stream: {error!r}")
            self.stop.wait(RECONNECT_SECONDS)

    def _follow(self) -> None:
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "text/event-stream",
            "Last-Event-ID": str(self.last),
        }
        timeout = httpx.Timeout(SILENCE_SECONDS)
        with httpx.stream(
            "GET", f"{self.url}/v1/events", headers=headers, timeout=timeout
        ) as lines:
            self.findings.count(f"streams {lines.status_code}")
            if lines.status_code != httpx.codes.OK:
                if lines.status_code not in (
                    httpx.codes.SERVICE_UNAVAILABLE,
                    httpx.codes.TOO_MANY_REQUESTS,
                ):
                    self.findings.violation(f"stream refused: {lines.status_code}")
                return
            for line in lines.iter_lines():
                if line.startswith("id: "):
                    self._take(int(line.removeprefix("id: ")))
                if self.stop.is_set():
                    return

    def _take(self, number: int) -> None:
        if number != self.last + 1:
            self.findings.violation(f"stream: event {number} after event {self.last}")
        self.last = number
        self.findings.count("events streamed")
