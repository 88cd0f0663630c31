"""An honest client of the API: retries as the documentation says, and reports what is not right."""

import threading
import time
from typing import Any

import httpx

from tests.soak.connections import Trace
from tests.soak.findings import Findings

ANSWER_SECONDS = 30.0  # for one request
PATIENCE = 180.0  # for a request with all its retries
FIRST_SERVER_ERROR = 500
LONGEST_WAIT = 10.0
REQUEST_SECONDS = 0.125  # between requests: 480 a minute of 600, the rest is for the stream


def check_refusal(findings: Findings, what: str, answer: httpx.Response) -> None:
    """An honest client is below every limit; a refusal for a while says for how long."""
    status = answer.status_code
    if status == httpx.codes.TOO_MANY_REQUESTS:
        findings.violation(f"{what}: 429 {answer.read().decode()[:300]}")
    if status == httpx.codes.SERVICE_UNAVAILABLE and "Retry-After" not in answer.headers:
        findings.violation(f"{what}: 503 without Retry-After")


def retry_after(answer: httpx.Response) -> float:
    return min(float(answer.headers.get("Retry-After", 1)), LONGEST_WAIT)


class Client:
    """One person's requests, one at a time."""

    def __init__(self, url: str, token: str, findings: Findings, stop: threading.Event) -> None:
        self.findings, self.stop = findings, stop
        self.trace = Trace()
        self.next_request = 0.0
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
            wait = 0.5 if answer is None else retry_after(answer)
            if self.stop.wait(wait) and key is None:
                return None  # what may have been done is asked for until it is known
        self.findings.violation(f"{method} {path}: no final answer within {PATIENCE:.0f} s")
        return None

    def _try(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> httpx.Response | None:
        self._pace()
        extensions = dict(self.trace.begin())
        try:
            answer = self.http.request(
                method, path, json=body, headers=headers, extensions=extensions
            )
        except httpx.TransportError as error:
            timeout = isinstance(error, httpx.TimeoutException)
            self.findings.lost(self.trace.loss(f"{method} {path}", error, timeout))
            return None
        self.findings.count(f"answers {answer.status_code}")
        return answer

    def _pace(self) -> None:
        pause = self.next_request - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        self.next_request = time.monotonic() + REQUEST_SECONDS

    def _must_retry(self, method: str, path: str, answer: httpx.Response) -> bool:
        check_refusal(self.findings, f"{method} {path}", answer)
        if answer.status_code in (httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.TOO_MANY_REQUESTS):
            return True
        if answer.status_code >= FIRST_SERVER_ERROR:
            self.findings.violation(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return False
