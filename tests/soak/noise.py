"""Hostile requests that end by themselves: invented tokens, oversized bodies, wrong codes."""

import json
import threading
import uuid

import httpx

from tests.soak.findings import Findings

ADDRESS = "127.0.0.3"  # what one address may do is not at the expense of honest clients
BIG = json.dumps({str(number): 0 for number in range(80_000)}).encode()


class Noise(threading.Thread):
    """Sends them one after the other; the answers must be refusals, never 5xx but 503."""

    def __init__(self, url: str, findings: Findings, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.url, self.findings, self.stop = url, findings, stop

    def run(self) -> None:
        while not self.stop.wait(0.1):
            for method, path, body, headers in self._requests():
                try:
                    answer = self._send(method, path, body, headers)
                except httpx.TransportError:
                    self.findings.count("hostile requests cut off")
                    continue
                self.findings.count(f"hostile answers {answer.status_code}")
                if answer.status_code < 400 or (answer.status_code >= 500 and
                                                answer.status_code != 503):  # fmt: skip
                    self.findings.violation(f"hostile {method} {path}: {answer.status_code}")

    def _send(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> httpx.Response:
        transport = httpx.HTTPTransport(local_address=ADDRESS)
        with httpx.Client(transport=transport, timeout=30) as http:
            return http.request(method, self.url + path, content=body, headers=headers)

    def _requests(self) -> list[tuple[str, str, bytes | None, dict[str, str]]]:
        kind = {"Content-Type": "application/json"}
        invented = {"Authorization": f"Bearer lag_{uuid.uuid4().hex}"}
        code = json.dumps({"email": "player0@example.org", "code": "00000001"}).encode()
        return [
            ("GET", "/v1/games", None, invented),
            ("POST", "/v1/sign-ins", BIG, kind),
            ("POST", "/v1/sessions", code, kind),
        ]
