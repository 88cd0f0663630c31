"""The rules in short: for programs in the catalogue, for people as a page."""

import re
from html import unescape

import pytest

from engine.contract import GameType
from engine.languages import LANGUAGES
from engine.registry import GAME_TYPES
from tests.support.browser import Browser
from tests.support.site import Site

each_game = pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: game.meta.key)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_catalogue_has_the_guide_of_each_game(site: Site, language: str) -> None:
    catalogue = site.stranger.get(f"/v1/catalogue?language={language}").json
    assert catalogue is not None
    for game, entry in zip(GAME_TYPES, catalogue["games"], strict=True):
        guide = [(topic["topic"], topic["title"], topic["text"]) for topic in entry["guide"]]
        assert guide == list(game.guide(language))


def test_the_catalogue_is_english_unless_it_is_asked_for_another_language(site: Site) -> None:
    plain, english = (
        site.stranger.get(f"/v1/catalogue{query}").json for query in ("", "?language=en")
    )
    assert plain == english
    assert site.stranger.get("/v1/catalogue?language=fr").status_code == 422


@each_game
def test_paths_of_offered_moves_name_spots_of_the_drawing(site: Site, game: GameType) -> None:
    people = site.people("Alice", "Bob")
    game_id = site.game_of(*people, game=game.meta.key)
    asked = next(person for person in people if person.sees(game_id)["decision"])
    picture = asked.get(f"/v1/games/{game_id}/board.svg").text
    drawn = set(re.findall('data-spot="([^"]*)"', picture))
    moves = asked.sees(game_id)["decision"]["moves"]
    assert moves
    for move in moves:
        spots = {stop["spot"] for stop in move["path"]}
        assert {spot for spot in spots if spot.partition(":")[0] not in game.meta.buttons} <= drawn


@each_game
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_page_has_the_guide_and_the_board(
    site: Site, game: GameType, language: str
) -> None:
    browser = Browser(site)
    browser.client.get(f"/language/{language}")
    page = browser.open(f"/rules/{game.meta.key}")
    assert page.status == 200
    titles = [topic.title for topic in game.guide(language)]
    assert list(map(unescape, re.findall("<h3 id=.*?>(.*?)</h3>", page.html))) == titles
    for topic in game.guide(language):
        assert topic.text in page.text
    ids = [found["id"] for _, found in page.elements if "id" in found]
    assert len(ids) == len(set(ids))
    assert "<svg" in page.html


@each_game
def test_the_home_page_lists_the_game_types(site: Site, game: GameType) -> None:
    page = Browser(site).open("/")
    assert game.meta.summary in page.text
    assert f'href="/rules/{game.meta.key}"' in page.html
    picture = f"/rules/{game.meta.key}/board.svg"
    assert f'<img src="{picture}"' in page.html
    answer = site.client.get(picture)
    assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
    assert answer.text.startswith("<svg")


@pytest.mark.parametrize(
    "path", ["/rules/chess", "/rules/chess/board.svg", "/rules/chess/inks.css"]
)
def test_the_rules_of_an_unknown_game_type_are_not_found(site: Site, path: str) -> None:
    page = Browser(site).open(path)
    assert page.status == 404
    assert "There is no such game here." in page.text
