"""Early ends: what is asked first, who has won, and what page, mail, API and record say of it."""

import pytest

from engine.contract import GameType, Json
from engine.errors import RecordError
from engine.registry import GAME_TYPES
from engine.verify import verify
from service.games.audit import audit_game
from tests.support.browser import Browser, Page
from tests.support.post import mail_arrives
from tests.support.site import Caller, Site

EVERY_GAME = pytest.mark.parametrize("game", GAME_TYPES, ids=lambda game: str(game.meta.key))


def browser_of(site: Site, person: Caller) -> Browser:
    browser = Browser(site)
    assert person.token is not None
    browser.client.set_cookie(site.settings.session_cookie, person.token)
    return browser


def page_of(site: Site, person: Caller, game_id: str) -> Page:
    return browser_of(site, person).open(f"/games/{game_id}")


def events(person: Caller, kind: str) -> list[Json]:
    told = person.get("/v1/events?limit=200").json
    assert told is not None
    return [event["data"] for event in told["items"] if event["type"] == kind]


def finished_letter(site: Site, person: Caller) -> str:
    mail_arrives(site)
    letters = site.letters(f"{person.name.lower()}@example.org")
    (letter,) = [one for one in letters if one.kind == "finished"]
    return str(letter.text)


def wins(site: Site, person: Caller) -> Json:
    profile = site.stranger.get(f"/v1/people/{person.id()}").json
    assert profile is not None
    return dict(profile["finished"])


def holds(site: Site, game_id: str) -> Json:
    """The outcome that `laguna verify` and the audit agree with."""
    record = site.stranger.get(f"/v1/games/{game_id}/record").text.splitlines()
    outcome = verify(record).outcome
    assert outcome is not None
    with site.app.app_context():
        assert audit_game(game_id, site.clock()).differences == ()
    return {"winners": list(outcome.winners), "reason": outcome.reason}


@EVERY_GAME
def test_ending_a_game_against_bots_is_asked_first_and_nobody_wins(
    site: Site, anna: Caller, game: GameType
) -> None:
    game_id = site.game_of(anna, bots=1, game=game.meta.key)
    site.let_bots_play()
    browser = browser_of(site, anna)
    address = f"/games/{game_id}"
    page = browser.open(address)
    assert f"{address}/end-offer" in page.links()
    assert [form for form in page.forms if form.action.endswith("/end-offer")] == []
    assert "Offer to end" not in page.text
    assert "Resign" not in page.text
    question = browser.open(f"{address}/end-offer")
    assert "nobody wins" in question.text
    assert anna.sees(game_id)["status"] == "running"
    page = browser.send(question, f"{address}/end-offer", offer="end")
    shown = anna.sees(game_id)
    assert (shown["status"], shown["outcome"]["reason"]) == ("finished", "abandoned")
    assert shown["outcome"]["winners"] == []
    assert "The game was abandoned" in page.text
    for misleading in (" won ", "Your turn", "your turn", "offers to end", "your choice"):
        assert misleading not in page.text, misleading
    assert (shown["position"]["pending"], shown["decision"]) == ([], None)
    assert wins(site, anna) == {"games": 1, "wins": 0}
    assert holds(site, game_id) == {"winners": [], "reason": "abandoned"}
    assert events(anna, "end.offered") == []
    text = finished_letter(site, anna)
    assert "The game was abandoned" in text
    assert "won" not in text.replace("nobody won", "")
    assert "abandoned" in browser.open("/").text
    assert "nobody won" in browser.open(f"{address}/replay").text
    for form in ("board.svg", "board.txt"):
        assert "abandoned" in anna.get(f"/v1/games/{game_id}/{form}").text


@EVERY_GAME
def test_resigning_ends_a_game_of_two_people_as_a_win(
    site: Site, anna: Caller, ben: Caller, game: GameType
) -> None:
    game_id = site.game_of(anna, ben, bots=1, game=game.meta.key)
    site.let_bots_play()
    assert ben.post(f"/v1/games/{game_id}/resign").status_code == 204
    shown = anna.sees(game_id)
    assert (shown["status"], shown["outcome"]["reason"]) == ("finished", "resigned")
    assert shown["outcome"]["winners"] == [0]
    assert holds(site, game_id) == {"winners": [0], "reason": "resigned"}
    assert (wins(site, anna)["wins"], wins(site, ben)["wins"]) == (1, 0)
    for person in (anna, ben):
        assert events(person, "seat.resigned") == [{"seat": 1}]
        assert [one["outcome"] for one in events(person, "game.finished")] == [shown["outcome"]]
    won, lost = page_of(site, anna, game_id), page_of(site, ben, game_id)
    assert "You won Ben resigned." in won.text
    assert "Play on against a bot" in won.text
    assert "Anna won" in lost.text
    assert "You resigned." in lost.text
    for misleading in ("Waiting for", "Play on against a bot", "a bot plays", "your turn"):
        assert misleading not in lost.text, misleading
    assert 'id="plan"' not in lost.html
    text = finished_letter(site, anna)
    assert "You won" in text
    assert "Ben resigned." in text


def test_the_record_of_an_agreed_end_can_be_verified(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = site.game_of(anna, ben)
    anna.plays(game_id)
    for player in (anna, ben):
        player.put(f"/v1/games/{game_id}/end-offer")
    assert holds(site, game_id)["reason"] == "agreed"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"winners":[0]', '"winners":[]'),
        ('"winners":[0]', '"winners":[7]'),
        ('"winners":[0]', '"winners":[0,1]'),
        ('"reason":"resigned"', '"reason":"deck"'),
        ('"reason":"resigned"', '"reason":"abandoned"'),
    ],
)
def test_an_early_end_that_was_changed_is_found(
    site: Site, anna: Caller, ben: Caller, old: str, new: str
) -> None:
    game_id = site.game_of(anna, ben)
    ben.post(f"/v1/games/{game_id}/resign")
    *lines, last = site.stranger.get(f"/v1/games/{game_id}/record").text.splitlines()
    assert old in last
    with pytest.raises(RecordError):
        verify([*lines, last.replace(old, new)])


def test_with_more_people_a_bot_takes_the_seat_and_the_page_says_so(
    site: Site, anna: Caller, ben: Caller
) -> None:
    carla = site.person("Carla")
    game_id = site.game_of(anna, ben, carla)
    assert carla.post(f"/v1/games/{game_id}/resign").status_code == 204
    shown = anna.sees(game_id)
    assert (shown["status"], shown["seats"][2]["played_by_bot"]) == ("running", True)
    page = page_of(site, carla, game_id)
    assert "You have resigned A bot plays your seat to the end." in page.text
    assert 'id="plan"' not in page.html
    assert 'id="decision"' not in page.html
    assert not [form for form in page.forms if form.action.endswith(("/pause", "/end-offer"))]
    assert ben.post(f"/v1/games/{game_id}/resign").status_code == 204
    assert anna.sees(game_id)["outcome"]["winners"] == [0]
    assert "Ben, Carla resigned." in page_of(site, anna, game_id).text


def test_the_winner_may_play_on_and_keeps_the_win_when_ending_early(
    any_site: Site,
) -> None:
    site = any_site
    anna, ben = site.people("Anna", "Ben")
    game_id = site.game_of(anna, ben)
    ben.post(f"/v1/games/{game_id}/resign")
    path = f"/v1/games/{game_id}/play-on"
    refused = ben.post(path)
    assert refused.json is not None
    assert (refused.status_code, refused.json["code"]) == (409, "cannot_play_on")
    browser = browser_of(site, anna)
    page = browser.send(browser.open(f"/games/{game_id}"), f"/games/{game_id}/play-on")
    assert page.status == 200
    shown = anna.sees(game_id)
    assert (shown["status"], shown["outcome"], shown["seed"]) == ("running", None, None)
    assert events(ben, "game.played_on") == [{"seat": 0}]
    site.let_bots_play()
    assert anna.plays(game_id).status_code == 200
    with site.app.app_context():
        assert audit_game(game_id, site.clock()).differences == ()
    mail_arrives(site)  # the letter about the end is no longer true
    assert "You have won, since Ben resigned." in browser.open(f"/games/{game_id}/end-offer").text
    anna.put(f"/v1/games/{game_id}/end-offer")
    assert anna.sees(game_id)["outcome"]["winners"] == [0]
    assert holds(site, game_id) == {"winners": [0], "reason": "resigned"}
    again = anna.post(path)
    assert again.json is not None
    assert again.json["code"] == "cannot_play_on"


def test_a_game_played_on_to_its_end_is_decided_by_the_rules(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = site.game_of(anna, ben)
    ben.delete("/v1/me")
    assert anna.post(f"/v1/games/{game_id}/play-on").status_code == 204
    ended = site.play_to_the_end(game_id, anna)
    assert ended["outcome"]["reason"] not in ("resigned", "abandoned", "agreed")
    assert holds(site, game_id)["winners"] == ended["outcome"]["winners"]


def test_an_absent_winner_has_the_seat_back_when_playing_on(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = site.game_of(anna, ben)
    site.leave_to_bots(game_id)
    ben.post(f"/v1/games/{game_id}/resign")
    assert anna.sees(game_id)["outcome"]["winners"] == [0]
    assert anna.post(f"/v1/games/{game_id}/play-on").status_code == 204
    seat = anna.sees(game_id)["seats"][0]
    assert (seat["away_since"], seat["played_by_bot"]) == (None, False)
    assert anna.plays(game_id).status_code == 200


def test_the_viewer_reads_who_won_with_the_points(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = site.game_of(anna, ben)
    ended = site.play_to_the_end(game_id, anna, ben)["outcome"]
    points = " : ".join(str(score) for score in sorted(ended["scores"], reverse=True))
    for seat, (player, other) in enumerate([(anna, ben), (ben, anna)]):
        words = f"You won {points}" if seat in ended["winners"] else f"{other.name} won {points}"
        if len(ended["winners"]) == 1:
            assert words in page_of(site, player, game_id).text


def test_a_vote_ends_with_the_game(site: Site, anna: Caller, ben: Caller) -> None:
    """However it ended: by the rules, too."""
    game_id = site.game_of(anna, ben)
    anna.put(f"/v1/games/{game_id}/end-offer")
    anna.post(f"/v1/games/{game_id}/pause")
    seats = site.play_to_the_end(game_id, anna, ben)["seats"]
    assert [(seat["wants_to_end"], seat["wants_pause"]) for seat in seats] == [(False, False)] * 2
    assert "offers to end" not in page_of(site, anna, game_id).text


def test_a_wish_for_a_pause_is_a_banner_with_a_button(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = site.game_of(anna, ben)
    ben.post(f"/v1/games/{game_id}/pause")
    browser = browser_of(site, anna)
    page = browser.open(f"/games/{game_id}")
    assert "Ben would like a pause. Agree" in page.text
    page = browser.send(page, f"/games/{game_id}/pause", pause="vote")
    assert "The game is paused." in page.text
    assert "Ben would like a pause." not in page.text


def test_a_choice_that_may_be_changed_is_named(site: Site, anna: Caller, ben: Caller) -> None:
    game_id = site.game_of(anna, ben)
    offered = anna.sees(game_id)["decision"]
    assert offered["chosen"] is None
    assert anna.plays(game_id, 2).status_code == 200
    chosen = anna.sees(game_id)["decision"]
    assert (chosen["revising"], chosen["chosen"]) == (True, offered["moves"][2]["label"])
    page = page_of(site, anna, game_id)
    assert f"Your choice is made {offered['moves'][2]['label']}" in page.text
    assert "waiting for 1 player" in page.text


def test_a_rematch_is_on_the_first_page_and_joined_only_by_who_takes_the_seat(
    site: Site, anna: Caller, ben: Caller
) -> None:
    game_id = site.game_of(anna, ben, title="Ours")
    for player in (anna, ben):
        player.put(f"/v1/games/{game_id}/end-offer")
    asked = anna.post(f"/v1/games/{game_id}/rematch").json
    assert asked is not None
    browser = browser_of(site, ben)
    assert "Ours Anna invites you." in browser.open("/").text
    page = browser.open(f"/games/{game_id}")
    assert f"/games/{asked['id']}" in page.links()
    assert not [form for form in page.forms if form.action.endswith("/rematch")]
    page = browser.open(f"/games/{asked['id']}")
    assert "It is a rematch." in page.text
    assert anna.sees(asked["id"])["status"] == "open"
    assert "were asked to join" in page_of(site, anna, asked["id"]).text
    browser.send(page, f"/games/{asked['id']}/join")
    assert anna.sees(asked["id"])["status"] == "running"


# Pages that are opened again


def test_an_unknown_address_keeps_the_header_of_who_signed_in(site: Site, anna: Caller) -> None:
    for path in ("/nothing/here", "/games/nothing"):
        page = browser_of(site, anna).open(path)
        assert page.status == 404
        assert "Sign out" in page.text
        assert "Sign in" not in page.text
        assert "Sign in" in Browser(site).open(path).text


def test_a_new_link_is_shown_again_when_the_page_is(site: Site, anna: Caller) -> None:
    table = anna.opens(visibility="invitation")["id"]
    browser, address = browser_of(site, anna), f"/games/{table}"
    page = browser.open(address)
    values = {"csrf": page.form(f"{address}/cancel").values["csrf"]}
    made = browser.client.post(f"{address}/invitations", data=values)
    assert (made.status_code, made.headers["Location"]) == (303, address)
    for path in (address, f"{address}/invitations"):
        page = browser.open(path)
        assert page.status == 200
        assert page.text.count("/invitations/inv_") == 1
        assert "one person can use it" in page.text
    link = next(word for word in page.text.split() if "/invitations/inv_" in word)
    secret = link.rpartition("/")[2]
    ben = site.person("Ben")
    assert ben.post(f"/v1/games/{table}/join", {"invitation": secret}).status_code == 200
    assert "/invitations/inv_" not in browser.open(address).text


def test_the_address_of_a_form_leads_to_its_page(site: Site, anna: Caller) -> None:
    browser, game_id = browser_of(site, anna), site.game_of(anna, bots=1)
    ids = {"game_id": game_id}
    rules = [
        rule
        for rule in site.app.url_map.iter_rules()
        if rule.endpoint.startswith("web.") and "POST" in (rule.methods or ())
    ]
    assert len(rules) > 20
    for rule in rules:
        values = {name: ids.get(name, "a" * 16) for name in rule.arguments}
        path = rule.build(values)
        assert path is not None
        answer = browser.client.get(path[1])
        assert answer.status_code != 405, rule
    assert browser.open(f"/games/{game_id}/moves").response.request.path == f"/games/{game_id}"
    assert browser.open("/account/absences").response.request.path == "/account"
    assert browser.open("/games").response.request.path == "/"
    assert browser.client.delete("/games").status_code == 405
