"""axe finds nothing serious on any page, in light and in dark, large and small."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, ViewportSize

from tests.browser.conftest import PHONE, Visit
from tests.browser.gallery import Gallery
from tests.browser.running_site import RunningSite

GRAVE = ("serious", "critical")
# A mail is shown in a frame without scripts, inside which axe cannot be run.
EVERY_RULE = {"resultTypes": ["violations"], "preload": False, "iframes": False}
# What depends on colours and on room; everything else is the same in every browser.
RULES_OF_LOOKS = EVERY_RULE | {
    "runOnly": [
        "color-contrast",
        "link-in-text-block",
        "scrollable-region-focusable",
        "target-size",
    ]
}
# Not for people's eyes, or only a step on the way to another page.
NO_PAGES = {
    "/calendar/<signed>.ics",
    "/favicon.ico",
    "/favicon.svg",
    "/games/<game_id>/board.svg",
    "/games/<game_id>/record.jsonl",
    "/healthz",
    "/language/<language>",
    "/mailbox/<letter_id>/mail.html",
    "/manifest.webmanifest",
    "/openapi.json",
    "/openapi.yaml",
    "/readyz",
    "/robots.txt",
    "/rules/<key>/board.svg",
    "/rules/<key>/inks.css",
    "/static/<version>/<name>",
    "/sw.js",
}
API = "/v1"
DESKTOP: ViewportSize = {"width": 1280, "height": 720}
# They have been looked at, and are dear.
WITHOUT_DRAWINGS = "document.querySelectorAll('svg').forEach((drawing) => drawing.remove())"
# The reference repeats two shapes hundreds of times, at which axe looks for minutes.
KEEP_A_FEW = """
for (const shape of ["article.op", "article.shape"]) {
  [...document.querySelectorAll(shape)].slice(8).forEach((article) => article.remove());
}
"""


@pytest.fixture(scope="module")
def gallery(running_site: RunningSite) -> Gallery:
    return Gallery(running_site)


def violations(page: Page, options: Any) -> Iterator[str]:
    for found in Axe().run(page, options=options).response["violations"]:
        if found["impact"] in GRAVE:
            for node in found["nodes"]:
                why = node["failureSummary"].splitlines()[1:]
                yield f"{found['id']}: {node['html'][:160]} {' '.join(why)}"


def test_no_page_has_serious_accessibility_violations(visit: Visit, gallery: Gallery) -> None:
    stranger, anna = visit("Stranger"), visit("Anna")
    anna.is_known_as(gallery.anna)
    stranger.watch.forgive("status of 404")
    found = []
    for exhibit in gallery.exhibits:
        page = (anna if exhibit.by_anna else stranger).opens(exhibit.path)
        page.evaluate(KEEP_A_FEW)
        found += [f"{exhibit.name}: {what}" for what in violations(page, EVERY_RULE)]
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size(PHONE["viewport"])
        page.evaluate(WITHOUT_DRAWINGS)
        found += [f"{exhibit.name}, dark: {what}" for what in violations(page, RULES_OF_LOOKS)]
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(DESKTOP)
    assert not found, "\n".join(found)


def test_every_page_is_checked(gallery: Gallery) -> None:
    routes = gallery.running_site.inside.app.url_map.bind("")
    seen = {
        routes.match(exhibit.path.partition("?")[0], return_rule=True)[0].rule
        for exhibit in gallery.exhibits
    }
    every = {
        rule.rule
        for rule in gallery.running_site.inside.app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and not rule.rule.startswith(API)
    }
    assert every - NO_PAGES == seen
