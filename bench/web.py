"""What the page of a game costs a browser that was never here, in Chromium, for each game.

- `bytes`: as they come over the wire, by kind. `without_picture` is all of it but the board, which
  stands in the page: how much longer the page is with it, compressed as the server does.
- `requests`: how many, the stream and what is asked again after the start included.
- `drawn_ms`: from the request to the frame that shows the board, against `empty_ms`: a page with
  an empty SVG and nothing else, of the same server in the same run; `playable_ms` is when the first
  choice can be made. Both pages take turns, each in a browser without a cache; medians.

`wanted` is what we promise.
"""

import json
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import median

# Run as a script, this file would be found under the name of the package it measures.
ROOT = Path(__file__).parents[1]
sys.path[:] = [str(ROOT)] + [p for p in sys.path if Path(p).resolve() != Path(__file__).parent]

import brotli  # type: ignore[import-untyped] # noqa: E402
from flask import Flask  # noqa: E402
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright  # noqa: E402
from sqlalchemy import create_engine  # noqa: E402

from engine.contract import GameType, Json  # noqa: E402
from engine.registry import GAME_TYPES  # noqa: E402
from service.core.telemetry import configure_logging  # noqa: E402
from service.db.migrations import upgrade  # noqa: E402
from service.db.sqlite import prepare_engine  # noqa: E402
from tests.browser.running_site import RunningSite, SiteServer  # noqa: E402
from tests.browser.running_site import served as served_in_tests  # noqa: E402
from tests.servers.programs import chromium_program  # noqa: E402

ROUNDS = int(os.environ.get("BENCH_ROUNDS", "9"))
AFTERWARDS = 3_000  # milliseconds in which a page asks for more
MOVES = 12  # of each player, before anybody looks
WANTED = {"bytes_without_picture": 150_000}
EMPTY = "/bench/empty"
EMPTY_PAGE = """<!doctype html>
<html lang="en"><title>Empty</title>
<figure id="board"><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 760"></svg></figure>
</html>"""
# The frame after the one in which the whole board is there: something comes behind it.
NOTE_FRAME = """
const watch = new MutationObserver(() => {
  const drawing = document.querySelector("#board svg");
  if (drawing?.nextSibling || drawing?.parentElement.nextSibling) {
    watch.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("drawn")));
  }
});
watch.observe(document, { childList: true, subtree: true });
"""
DRAWN = "performance.getEntriesByName('drawn')[0]?.startTime"
PICTURE = re.compile(rb"<svg.*</svg>", re.DOTALL)
QUALITY = 4  # of the server's compression, see COMPRESS_BR_LEVEL


def served(home: str) -> Flask:
    """The service, and the empty page beside it."""
    app = served_in_tests(home)
    app.add_url_rule(EMPTY, "bench_empty", lambda: EMPTY_PAGE)
    return app


class BenchServer(SiteServer):
    application = "bench.web:served"


def template(folder: Path) -> Path:
    path = folder / "template.db"
    engine = create_engine(f"sqlite:///{path}")
    prepare_engine(engine)
    with engine.begin() as connection:
        upgrade(connection)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


class Reader:
    """Somebody at a game, who always opens a new browser."""

    def __init__(self, running_site: RunningSite, browser: Browser, game: GameType) -> None:
        self.running_site, self.browser = running_site, browser
        players = [running_site.person("Anna"), running_site.person("Ben")]
        self.secret = str(players[0].token)
        game_id = running_site.inside.game_of(*players, game=game.meta.key)
        for _ in range(MOVES):
            for player in players:
                if not player.plays_nothing(game_id):
                    player.plays(game_id)
        while _is_idle(players[0].sees(game_id)):
            players[1].plays(game_id)
        self.path = f"/games/{game_id}"

    def context(self) -> BrowserContext:
        cookie = self.running_site.inside.settings.session_cookie
        context = self.browser.new_context(base_url=self.running_site.url)
        context.add_cookies([{"name": cookie, "value": self.secret, "url": self.running_site.url}])
        context.add_init_script(NOTE_FRAME)
        return context

    def loaded(self) -> Json:
        """What the first load transfers."""
        context = self.context()
        requests: list[Request] = []
        context.on("requestfinished", lambda request: requests.append(request))
        page = context.new_page()
        response = page.goto(self.path, wait_until="load")
        assert response is not None
        page.wait_for_timeout(AFTERWARDS)
        sizes: Counter[str] = Counter()
        for request in requests:
            found = request.sizes()
            sizes[_kind(request)] += found["responseBodySize"] + found["responseHeadersSize"]
        html = response.body()
        again = sizes.pop("picture", 0)
        picture = _compressed(html) - _compressed(PICTURE.sub(b"", html))
        context.close()
        return {
            "requests": len(requests),
            "bytes": {
                **dict(sorted(sizes.items())),
                "picture_in_page": picture,
                "picture_asked_for_again": again,
                "total": sizes.total() + again,
                "without_picture": sizes.total() - picture,
            },
        }

    def times(self) -> tuple[float, float, float]:
        """Of our page until it is drawn and until it is playable, and of the empty one."""
        context = self.context()
        page = context.new_page()
        page.goto(self.path)
        page.locator("#decision .step").locator(".option, .play").first.wait_for()
        playable = float(page.evaluate("performance.now()"))
        drawn = _drawn(page)
        context.close()
        context = self.context()
        page = context.new_page()
        page.goto(EMPTY)
        empty = _drawn(page)
        context.close()
        return drawn, playable, empty


def _is_idle(seen: Json) -> bool:
    return seen["decision"] is None or bool(seen["decision"]["revising"])


def _drawn(page: Page) -> float:
    return float(page.wait_for_function(DRAWN).json_value())


def _kind(request: Request) -> str:
    if "/v1/" in request.url:
        return "picture" if "/board.svg" in request.url else "api"
    return {"document": "html", "script": "js", "stylesheet": "css", "image": "images"}.get(
        request.resource_type, "other"
    )


def _compressed(body: bytes) -> int:
    return len(brotli.compress(body, quality=QUALITY))


def measured(reader: Reader) -> Json:
    found = reader.loaded()
    rounds = [reader.times() for _ in range(ROUNDS)]
    drawn, playable, empty = (median(column) for column in zip(*rounds))
    return found | {
        "drawn_ms": round(drawn, 1),
        "playable_ms": round(playable, 1),
        "empty_ms": round(empty, 1),
        "drawn_to_empty": round(median(ours / other for ours, _, other in rounds), 2),
    }


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        BenchServer(template(Path(folder))) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium_program())
        running_site = RunningSite(server)
        configure_logging(running_site.inside.settings)
        games = {
            game.meta.key: measured(Reader(running_site, browser, game)) for game in GAME_TYPES
        }
        browser.close()
    print(json.dumps({"wanted": WANTED, "first_load": games}, indent=2))


if __name__ == "__main__":
    main()
