"""What no page may do, whatever a test is about: complain, or ask anybody but us."""

import re
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request

# The browser tells the script, which tells the console, which tells us.
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
});
"""
GRAVE = ("error", "warning")
LEFT = "net::ERR_ABORTED"  # a request of a page that was left


class Watch:
    """Listens to all pages of a browser."""

    def __init__(self, context: BrowserContext, home: str) -> None:
        self._home = urlsplit(home).netloc
        self._found: list[str] = []
        self._forgiven: list[str] = []
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", self._console)
        context.on("weberror", lambda error: self._found.append(f"uncaught: {error.error}"))
        context.on("request", self._request)
        context.on("requestfailed", self._failed)

    def forgive(self, pattern: str) -> None:
        """What a test causes on purpose."""
        self._forgiven.append(pattern)

    def complaints(self) -> list[str]:
        return [
            found
            for found in self._found
            if not any(re.search(pattern, found) for pattern in self._forgiven)
        ]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in GRAVE:
            where = message.location.get("url", "")
            self._found.append(f"console: {message.type}: {message.text} ({where})")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self._home:
            self._found.append(f"asked somebody else: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != LEFT:
            self._found.append(f"failed: {request.method} {request.url}: {request.failure}")
