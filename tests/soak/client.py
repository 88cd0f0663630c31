"""An honest client of the API: retries as the documentation says, and reports what is not right."""

import threading
import time
from typing import Any

import httpx

from tests.soak.findings import Findings

ANSWER_SECONDS = 30.0  # for one request
PATIENCE = 180.0  # for a request with all its retries
FIRST_SERVER_ERROR = 500


class Client:
    """One person's requests, one at a time."""

    def __init__(self, url: str, token: str, findings: Findings, stop: threading.Event) -> None:
        self.findings, self.stop = findings, stop
        self.http = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(ANSWER_SECONDS),
        )

    def close(self) -> None:
        self.http.close()

    def call(
        self, method: str, path: str, body: Any = None, key: str | None = None
    ) -> httpx.Response | None:
        """The final answer; None if there was none in time or the run is over."""
        headers = {} if key is None else {"Idempotency-Key": key}
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self._try(method, path, body, headers)
            if answer is not None and not self._must_retry(method, path, answer):
                return answer
            wait = 0.5 if answer is None else float(answer.headers.get("Retry-After", 1))
            if self.stop.wait(min(wait, 10.0)) and key is None:
                return None  # what may have been done is asked for until it is known
        self.findings.violation(f"{method} {path}: no final answer within {PATIENCE:.0f} s")
        return None

    def _try(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> httpx.Response | None:
        began = time.monotonic()
        try:
            answer = self.http.request(method, path, json=body, headers=headers)
        except httpx.TransportError as error:
            took = time.monotonic() - began
            self.findings.lost_connection(f"{method} {path}: {error!r} after {took:.1f} s")
            return None
        self.findings.count(f"answers {answer.status_code}")
        return answer

    def _must_retry(self, method: str, path: str, answer: httpx.Response) -> bool:
        if answer.status_code in (httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.TOO_MANY_REQUESTS):
            if "Retry-After" not in answer.headers:
                self.findings.violation(f"{method} {path}: {answer.status_code}, no Retry-After")
            return True
        if answer.status_code >= FIRST_SERVER_ERROR:
            self.findings.violation(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return False
