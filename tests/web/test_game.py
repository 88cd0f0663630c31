"""What the page of a game brings along for its script, and how its drawing looks by night."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import service
from engine.svg import INK
from tests.support.browser import Browser, Page
from tests.support.site import FIRST_GAME, Caller, Site

ROOT = Path(service.__file__).parents[1]
STYLE = ROOT / "service" / "web" / "static" / "drawing.css"
COLOUR = re.compile(r"#[0-9a-f]{6}")
# How a rule for the drawing by night names what it changes, and what it makes of it.
NIGHT = re.compile(r'\[(?:fill|stroke)="(#[0-9a-f]{6})"\]')
PAPER = re.compile(r'&\[fill="(#[0-9a-f]{6})"\] \{ fill: (#[0-9a-f]{6}); \}')
WRITTEN = re.compile(r"svg text(?:\[\S+\]|:not\(\[fill\]\)) \{ fill: (#[0-9a-f]{6}); \}")
AA = 4.5


@pytest.fixture
def table(site: Site, anna: Caller, ben: Caller) -> str:
    return site.game_of(anna, ben, title="Evening round")


def looks(site: Site, path: str, who: Caller | None = None) -> Page:
    browser = Browser(site)
    if who is not None:
        browser.client.set_cookie(site.settings.session_cookie, str(who.token))
    return browser.open(path)


def facts(page: Page) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="facts">(.*?)</script>', page.html)
    return json.loads(found)


def test_the_page_embeds_the_responses_of_the_api(
    site: Site, anna: Caller, ben: Caller, table: str
) -> None:
    anna.plays(table)
    ben.post(f"/v1/games/{table}/messages", {"text": "Buona sera"})
    anna.put(f"/v1/games/{table}/note", {"text": "Ben likes ships"})
    brought = facts(looks(site, f"/games/{table}", anna))
    assert brought["game"] == anna.sees(table)
    assert brought["log"] == anna.get(f"/v1/games/{table}/log").json["items"]  # type: ignore[index]
    said = anna.get(f"/v1/games/{table}/messages").json
    assert brought["messages"] == said["items"]  # type: ignore[index]
    assert brought["note"] == "Ben likes ships"


def test_spectators_get_neither_chat_nor_note(site: Site, anna: Caller, table: str) -> None:
    anna.post(f"/v1/games/{table}/messages", {"text": "psst"})
    brought = facts(looks(site, f"/games/{table}"))
    assert brought["game"] == site.stranger.sees(table)
    assert brought["game"]["decision"] is None
    assert brought["messages"] is None
    assert brought["note"] == ""


def test_text_of_people_cannot_end_the_script_element(site: Site, anna: Caller, table: str) -> None:
    evil = "</script><script>alert(1)</script><!--"
    anna.post(f"/v1/games/{table}/messages", {"text": evil})
    anna.put(f"/v1/games/{table}/note", {"text": evil})
    page = looks(site, f"/games/{table}", anna)
    brought = facts(page)
    assert brought["note"] == evil
    assert brought["messages"][0]["text"] == evil
    assert "<script>" not in page.html


def test_page_and_board_are_in_the_viewers_language(site: Site, anna: Caller, table: str) -> None:
    english = looks(site, f"/games/{table}", anna)
    etag = anna.get("/v1/me").headers["ETag"]
    anna.patch("/v1/me", {"language": "de"}, headers={"If-Match": etag})
    german = looks(site, f"/games/{table}", anna)
    shown = anna.get(f"/v1/games/{table}", query_string={"language": "de"}).json
    assert facts(german)["game"] == shown
    board = anna.get(f"/v1/games/{table}/board.svg", query_string={"language": "de"}).text
    assert board in german.html
    assert board not in english.html
    assert "Seit deinem letzten Zug" in german.text


def test_the_refresh_header_is_for_pages_without_script(site: Site, anna: Caller) -> None:
    alone = anna.opens(bots=1)["id"]
    while site.stranger.sees(alone)["waiting"]["seats"] != [1]:
        anna.plays(alone)
    page = looks(site, f"/games/{alone}", anna)
    # By name: what a refused form shows has the form's address, which cannot be looked at.
    again = f'<noscript><meta http-equiv="refresh" content="4; url=/games/{alone}">'
    assert again in page.html
    assert page.html.count('http-equiv="refresh"') == 1


def test_pages_with_a_board_have_the_style_sheet_of_drawings(
    site: Site, anna: Caller, table: str
) -> None:
    """Both depend on the style sheet of drawings and on the element that it styles."""
    for path in (f"/games/{table}", f"/games/{table}/replay", f"/rules/{FIRST_GAME}"):
        page = looks(site, path, anna)
        assert f"/{STYLE.name}" in page.html, path
        assert re.search(r'<div class="view"[^>]*><svg', page.html), path


def palette() -> set[str]:
    """Every colour that a drawing may use."""
    sources = [*ROOT.glob("engine/svg.py"), *ROOT.glob("engine/*/svg_*.py")]
    return {colour for path in sources for colour in COLOUR.findall(path.read_text())}


def test_dark_mode_colours_occur_in_the_drawings() -> None:
    named = set(NIGHT.findall(STYLE.read_text()))
    assert len(named) > 20
    assert named <= palette()


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_text_has_contrast_in_the_dark_colour_scheme() -> None:
    style = STYLE.read_text()
    inks = WRITTEN.findall(style)
    papers = {light: dark for light, dark in PAPER.findall(style) if light != INK}
    assert len(inks) > 1
    assert len(papers) > 20
    for ink in inks:
        assert [light for light, dark in papers.items() if contrast(ink, dark) < AA] == []
