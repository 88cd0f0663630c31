"""Turn mails on a phone: how long they are, and that nothing is wider than the screen."""

from typing import Any

import pytest
from playwright.sync_api import Browser, ViewportSize

from engine.languages import LANGUAGES
from engine.registry import GAME_TYPES
from service.mail.outgoing.board_png import Picture
from service.mail.outgoing.compose.choices import shown_choices
from service.mail.outgoing.templates import render

PHONE: ViewportSize = {"width": 390, "height": 800}
SMALLEST_TARGET = 40
ISLANDS = ("SD", "SP", "SM", "ST", "SC")


def turn_mail(language: str, count: int) -> str:
    """A turn mail with so many choices, as in the game with the longest labels."""
    moves = [
        {
            "label": f"Baue einen Palast mit {1 + n % 3} Wappen auf {island}-a{n}: 3 Punkte",
            "text": "",
        }
        for island in ISLANDS
        for n in range(16)
    ]
    moves.sort(key=lambda move: move["label"][22])
    shown = shown_choices(GAME_TYPES[0], moves[:count], [])
    for choice in [*shown["first"], *shown["rest"]]:
        choice["notation"] = None
    facts: dict[str, Any] = {
        "subject": "Murano",
        "began": False,
        "question": "Du darfst noch bis zu 2 Plättchen bauen oder aufhören.",
        "ends": "Bis Fr., 6. März, 17:14 MEZ (noch 4 Tage 3 h).",
        **shown,
        "replies": True,
        "reply": f"mailto:turn+{'a' * 36}@in.games.example?subject=Re%3A%20Murano&body=",
        "web": f"https://laguna.example/answer/{'a' * 36}/",
        "mailbox": None,
        "news": ["Ben sails a ship from A1 to A5 and buys a red shop for 2 gold."] * 6,
        "earlier": 3,
        "picture": Picture(b"", "0" * 64, 1000, 800),
        "alt": "The board",
        "scores": [{"you": n == 0, "name": "Benedikt", "points": 100} for n in range(4)],
        "own": "",
        "link": "https://laguna.example/games/aaaaaaaaaaaaaaaa",
        "board": "x" * 80,
        "account": "https://laguna.example/account#mails",
        "off": f"https://laguna.example/mail/off/{'a' * 36}",
        "about_game": True,
    }
    return render("turn", facts, language).html


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [5, 20, 80])
def test_a_turn_mail_is_short_and_fits_a_phone(
    chromium: Browser, language: str, count: int
) -> None:
    page = chromium.new_page(viewport=PHONE)
    page.set_content(turn_mail(language, count))
    page.add_style_tag(content="img{aspect-ratio:1000/800}")
    assert page.evaluate("document.documentElement.scrollHeight") < 2500
    rows = page.locator(".c a")
    first = rows.first.bounding_box()
    assert first is not None
    assert first["y"] < 300
    assert first["height"] >= SMALLEST_TARGET
    for without_style in (False, True):
        if without_style:
            page.evaluate("document.querySelectorAll('style').forEach(one => one.remove())")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert rows.first.bounding_box()["height"] >= SMALLEST_TARGET  # type: ignore[index]
    page.close()
