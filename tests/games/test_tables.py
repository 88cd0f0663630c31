"""Tables: opening, finding, joining, leaving, inviting, starting, and playing again."""

import re
from typing import Any

import pytest
from werkzeug.test import TestResponse

from engine.options import all_options
from engine.registry import GAME_TYPES
from service.core.config import Limits
from tests.support.limited import LimitedSites
from tests.support.post import work
from tests.support.rewinding import all_rows
from tests.support.site import FIRST_GAME, Caller, Site

FLAT = {"kind": "flat", "hours": 24, "absence_days": 0}
BANK = {
    "kind": "bank",
    "start_hours": 72,
    "increment_hours": 12,
    "cap_hours": 120,
    "absence_days": 14,
}
SETUPS = [
    pytest.param(game.meta.key, seats, options, id=f"{game.meta.key}-{seats}-{number}")
    for game in GAME_TYPES
    for seats in game.meta.seats
    for number, options in enumerate(all_options(game))
]


def refused(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """The problem, which must have this status and code."""
    assert answer.json is not None
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.json
    return dict(answer.json)


def items(answer: TestResponse) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.json
    assert answer.json is not None
    return list(answer.json["items"])


@pytest.mark.parametrize(("game", "seats", "options"), SETUPS)
def test_every_game_opens_with_every_option_and_number_of_seats(
    site: Site, game: str, seats: int, options: dict[str, str]
) -> None:
    alice = site.person("Alice")
    table = alice.opens(
        game=game, seats=seats, options=options, bots=seats - 1, clock=BANK, title="Ca' d'Oro 🦁"
    )
    assert (table["status"], table["title"], table["clock"]) == ("running", "Ca' d'Oro 🦁", BANK)
    assert table["options"].items() >= options.items()
    assert [seat["kind"] for seat in table["seats"]] == ["person"] + ["bot"] * (seats - 1)
    assert table["decision"] is not None or table["waiting"]["seats"]


@pytest.mark.parametrize("clock", [FLAT, BANK, {"kind": "none", "absence_days": 60}, None])
def test_a_table_has_the_clock_it_was_given_or_the_usual_one(
    site: Site, clock: dict[str, Any] | None
) -> None:
    table = site.person("Alice").opens(clock=clock)
    catalogue = site.stranger.get("/v1/catalogue").json
    assert catalogue is not None
    assert table["clock"] == (clock or catalogue["clock"])


def test_a_clock_can_be_named_and_is_kept_with_all_its_values(site: Site) -> None:
    alice = site.person("Alice")
    catalogue = site.stranger.get("/v1/catalogue").json
    assert catalogue is not None
    assert [preset["preset"] for preset in catalogue["presets"]] == [
        "few_moves_a_day",
        "move_a_day",
        "relaxed",
    ]
    for preset in catalogue["presets"]:
        table = alice.opens(clock={"preset": preset["preset"]}, title=preset["preset"])
        assert table["clock"] == preset["clock"]
        own = alice.opens(clock={"preset": preset["preset"], "absence_days": 0})
        assert own["clock"] == preset["clock"] | {"absence_days": 0}
    found = items(site.stranger.get("/v1/tables?clock=bank"))
    assert len(found) == 6, "all of them are clocks with a bank"


def test_a_clock_without_a_budget_has_the_usual_one(site: Site) -> None:
    table = site.person("Alice").opens(clock={"kind": "flat", "hours": 3})
    assert table["clock"] == {"kind": "flat", "hours": 3, "absence_days": 14}


@pytest.mark.parametrize(
    ("wanted", "code", "pointer"),
    [
        ({"game": "go"}, "bad_setup", "/game"),
        ({"options": {"colour": "red"}}, "bad_setup", "/options"),
        ({"options": {GAME_TYPES[0].meta.options[0].key: "odd"}}, "bad_setup", "/options"),
        ({"bots": 2}, "bad_setup", "/bots"),
        ({"bots": -1}, "invalid_request", "/bots"),
        ({"seats": 1}, "invalid_request", "/seats"),
        ({"seats": 99}, "invalid_request", "/seats"),
        ({"seats": "2"}, "invalid_request", "/seats"),
        ({"seats": 2.5}, "invalid_request", "/seats"),
        ({"title": "x" * 81}, "invalid_request", "/title"),
        ({"visibility": "secret"}, "invalid_request", "/visibility"),
        ({"clock": {"kind": "sand"}}, "invalid_request", "/clock/kind"),
        ({"clock": {"kind": "flat"}}, "invalid_request", "/clock/hours"),
        ({"clock": {"kind": "none", "hours": 2}}, "invalid_request", "/clock/hours"),
        ({"clock": {"kind": "flat", "hours": 0}}, "invalid_request", "/clock/hours"),
        ({"clock": {}}, "invalid_request", "/clock/kind"),
        ({"clock": {"preset": "slow"}}, "invalid_request", "/clock/preset"),
        ({"clock": FLAT | {"preset": "relaxed"}}, "invalid_request", "/clock/kind"),
        ({"clock": {"preset": "relaxed", "hours": 2}}, "invalid_request", "/clock/hours"),
        ({"clock": FLAT | {"absence_days": 61}}, "invalid_request", "/clock/absence_days"),
        ({"clock": FLAT | {"absence_days": -1}}, "invalid_request", "/clock/absence_days"),
        ({"clock": BANK | {"cap_hours": 1}}, "invalid_request", "/clock/cap_hours"),
        ({"invite": ["nobody"]}, "invalid_request", "/invite/0"),
        ({"colour": "red"}, "invalid_request", "/colour"),
    ],
)
def test_an_invalid_table_is_refused_with_pointers(
    site: Site, wanted: dict[str, Any], code: str, pointer: str
) -> None:
    alice = site.person("Alice")
    before = all_rows(site)
    answer = alice.post("/v1/games", {"game": FIRST_GAME, "seats": 2} | wanted)
    problem = refused(answer, 422, code)
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert problem["errors"][0]["detail"]
    assert all_rows(site) == before


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"two", "three", "bank"}),
        (f"?game={FIRST_GAME}", {"two", "three", "bank"}),
        ("?seats=3", {"three"}),
        ("?clock=flat", {"two", "three"}),
        ("?clock=bank", {"bank"}),
        ("?clock=none", set()),
        ("?seats=2&clock=flat", {"two"}),
    ],
)
def test_open_tables_are_found_by_game_seats_and_clock(
    any_site: Site, query: str, expected: set[str]
) -> None:
    alice = any_site.person("Alice")
    alice.opens(title="two", clock=FLAT)
    alice.opens(title="three", seats=3, clock=FLAT)
    alice.opens(title="bank", clock=BANK)
    alice.opens(title="hidden", visibility="invitation")
    alice.opens(title="running", bots=1)
    cancelled = alice.opens(title="cancelled")["id"]
    alice.post(f"/v1/games/{cancelled}/cancel")
    found = items(any_site.stranger.get(f"/v1/tables{query}"))
    assert {table["title"] for table in found} == expected


@pytest.mark.parametrize("query", ["?seats=1", "?clock=sand", "?limit=0", "?limit=101", "?x=1"])
def test_a_filter_that_makes_no_sense_is_named(site: Site, query: str) -> None:
    problem = refused(site.stranger.get(f"/v1/tables{query}"), 422, "invalid_request")
    assert problem["errors"][0]["pointer"] == query.partition("=")[0]


@pytest.mark.parametrize("cursor", ["x", "!!", "W10", "WyJ4IiwieSJd", "a" * 200])
def test_an_invalid_cursor_is_refused(site: Site, cursor: str) -> None:
    refused(site.stranger.get(f"/v1/tables?cursor={cursor}"), 422, "invalid_request")


@pytest.mark.parametrize("at_once", [True, False])
def test_pages_show_every_table_once_while_new_ones_appear(
    limited: LimitedSites, at_once: bool
) -> None:
    site = limited(Limits(open_tables=100, anonymous_requests="1000 per minute"))
    alice = site.person("Alice")

    def opened() -> str:
        site.clock.advance(seconds=0 if at_once else 1)
        return str(alice.opens()["id"])

    wanted = {opened() for _ in range(30)}
    seen: list[str] = []
    path: str | None = "/v1/tables?limit=7"
    while path is not None:
        answer = site.stranger.get(path)
        seen += [table["id"] for table in items(answer)]
        assert len(items(answer)) <= 7
        link = re.fullmatch(r'<(.+)>; rel="next"', answer.headers.get("Link", ""))
        path = None if link is None else link[1]
        assert (path is None) == ((answer.json or {})["next_cursor"] is None)
        opened()
    assert len(seen) == len(set(seen))
    assert wanted <= set(seen)


def test_the_last_seat_starts_the_game(any_site: Site) -> None:
    alice, bob, carol = any_site.people("Alice", "Bob", "Carol")
    table = alice.opens(seats=3)
    assert (table["status"], table["free_seats"], table["commitment"]) == ("open", 2, None)
    assert bob.joins(table["id"])["status"] == "open"
    started = carol.joins(table["id"])
    assert (started["status"], started["your_seat"]) == ("running", 2)
    assert started["commitment"] is not None
    assert [seat["name"] for seat in started["seats"]] == ["Alice", "Bob", "Carol"]
    for player in (alice, bob, carol):
        types = [event["type"] for event in items(player.get("/v1/events"))]
        assert "game.started" in types


def test_a_seat_is_joined_once_and_only_if_free(site: Site) -> None:
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    table = alice.opens()["id"]
    refused(alice.post(f"/v1/games/{table}/join", {}), 409, "already_seated")
    bob.joins(table)
    refused(carol.post(f"/v1/games/{table}/join", {}), 409, "not_open")


def test_leaving_a_table_deletes_the_note_and_the_mail_setting_of_the_seat(
    site: Site,
) -> None:
    alice, bob, carol, dora = site.people("Alice", "Bob", "Carol", "Dora")
    table = alice.opens(seats=3)["id"]
    path = f"/v1/games/{table}"
    for leaver, ways_out in ((bob, f"{path}/leave"), (carol, None)):
        leaver.joins(table)
        assert leaver.put(f"{path}/note", {"text": "Beware of Alice"}).status_code == 200
        assert leaver.put(f"{path}/mails", {"wanted": False}).status_code == 200
        gone = leaver.post(ways_out) if ways_out else leaver.delete("/v1/me")
        assert gone.status_code == 204
        assert dora.joins(table)["your_seat"] == 1, "where the other one sat"
        assert dora.get(f"{path}/note").json == {"text": ""}
        assert dora.get(f"{path}/mails").json == {"wanted": True}
        assert dora.post(f"{path}/leave").status_code == 204


def test_a_host_who_leaves_hands_the_table_on_and_the_last_one_closes_it(site: Site) -> None:
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    table = alice.opens(seats=4)["id"]
    bob.joins(table)
    carol.joins(table)
    assert alice.post(f"/v1/games/{table}/leave").status_code == 204
    shown = site.stranger.sees(table)
    assert (shown["host"], shown["free_seats"]) == (bob.id(), 2)
    assert [event["type"] for event in items(bob.get("/v1/events"))][-1] == "table.left"
    refused(alice.post(f"/v1/games/{table}/cancel"), 403, "not_host")
    refused(alice.post(f"/v1/games/{table}/leave"), 403, "not_seated")
    assert alice.joins(table)["your_seat"] == 0, "the first free seat"
    for player in (bob, carol, alice):
        assert player.post(f"/v1/games/{table}/leave").status_code == 204
    assert site.stranger.sees(table)["status"] == "cancelled"


def test_chat_messages_keep_their_author_when_the_seat_changes(site: Site) -> None:
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    table = alice.opens(seats=3)["id"]
    bob.joins(table)
    bob.post(f"/v1/games/{table}/messages", {"text": "I must go"})
    bob.post(f"/v1/games/{table}/leave")
    carol.joins(table)
    said = items(carol.get(f"/v1/games/{table}/messages"))
    assert [(item["name"], item["text"]) for item in said] == [("Bob", "I must go")]


def test_a_cancelled_table_takes_nobody_and_stays_cancelled(site: Site) -> None:
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    table = alice.opens(seats=3)["id"]
    bob.joins(table)
    cancelled = alice.post(f"/v1/games/{table}/cancel")
    assert cancelled.json is not None
    assert cancelled.json["status"] == "cancelled"
    assert [event["type"] for event in items(bob.get("/v1/events"))][-1] == "table.cancelled"
    refused(carol.post(f"/v1/games/{table}/join", {}), 409, "not_open")
    refused(alice.post(f"/v1/games/{table}/start", {"bots": True}), 409, "not_open")
    refused(alice.post(f"/v1/games/{table}/cancel"), 409, "not_open")
    refused(bob.post(f"/v1/games/{table}/leave"), 409, "not_open")


def test_a_table_starts_with_bots_on_the_free_seats_if_the_host_wants(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    table = alice.opens(seats=4)["id"]
    bob.joins(table)
    problem = refused(alice.post(f"/v1/games/{table}/start", {}), 409, "seats_free")
    assert problem["detail"].startswith("2 seats")
    refused(bob.post(f"/v1/games/{table}/start", {"bots": True}), 403, "not_host")
    started = alice.post(f"/v1/games/{table}/start", {"bots": True})
    assert started.json is not None
    kinds = [seat["kind"] for seat in started.json["seats"]]
    assert (started.json["status"], kinds) == ("running", ["person", "person", "bot", "bot"])
    refused(alice.post(f"/v1/games/{table}/start", {"bots": True}), 409, "not_open")


# Invitations


def invited_by_mail(host: Caller, table: str, email: str) -> str:
    """Invite an address; the id of the invitation."""
    made = host.post(f"/v1/games/{table}/invitations", {"email": email})
    assert made.status_code == 201, made.json
    assert made.json is not None
    assert "link" not in made.json, "only the mail tells it"
    return str(made.json["id"])


def secret_in(text: str) -> str:
    link = re.search(r"/invitations/(\S+)", text)
    assert link is not None
    return link[1]


def joins_with(caller: Caller, table: str, secret: str | None) -> TestResponse:
    return caller.post(f"/v1/games/{table}/join", {"invitation": secret})


def test_an_invitation_by_mail_is_a_letter_with_a_link_that_works_once(any_site: Site) -> None:
    alice, carol = any_site.people("Alice", "Carol")
    table = alice.opens(seats=3, visibility="invitation", title="Among friends")["id"]
    invited_by_mail(alice, table, "Bob@Example.org")
    work(any_site)
    (letter,) = any_site.letters("bob@example.org")
    assert str(letter.subject).startswith("Alice invites you")
    assert "Among friends" in str(letter.text)
    secret = secret_in(str(letter.text))
    bob = any_site.person("Bob")
    assert [item["game"] for item in items(bob.get("/v1/invitations"))] == [table]
    assert bob.sees(table)["status"] == "open"
    assert joins_with(bob, table, secret).status_code == 200
    assert items(bob.get("/v1/invitations")) == []
    refused(joins_with(carol, table, secret), 422, "invitation_invalid")
    assert [item["used"] for item in items(alice.get(f"/v1/games/{table}/invitations"))] == [True]


def test_an_invited_address_needs_no_link(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    table = alice.opens(visibility="invitation", invite=["bob@example.org", "BOB@example.org"])
    assert len(site.letters("bob@example.org")) == 1
    assert [event["type"] for event in items(bob.get("/v1/events"))] == ["table.invited"]
    assert bob.joins(table["id"])["status"] == "running"


def test_a_link_to_pass_on_opens_a_private_table_to_one_person(site: Site) -> None:
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    table = alice.opens(seats=3, visibility="invitation")["id"]
    made = alice.post(f"/v1/games/{table}/invitations", {}).json
    assert made is not None
    assert made["email"] is None
    secret = secret_in(made["link"])
    assert secret not in alice.get(f"/v1/games/{table}/invitations").text
    refused(joins_with(bob, table, None), 404, "not_found")
    assert joins_with(bob, table, secret).status_code == 200
    refused(joins_with(carol, table, secret), 422, "invitation_invalid")


@pytest.mark.parametrize("spoiled", ["wrong", "withdrawn", "expired", "another table's"])
@pytest.mark.parametrize("visibility", ["public", "invitation"])
def test_an_invitation_that_is_not_good_lets_nobody_in(
    site: Site, visibility: str, spoiled: str
) -> None:
    alice, bob = site.people("Alice", "Bob")
    table = alice.opens(seats=3, visibility=visibility)["id"]
    other = alice.opens(seats=3, visibility="invitation")["id"]
    for_table = other if spoiled == "another table's" else table
    made = alice.post(f"/v1/games/{for_table}/invitations", {}).json
    assert made is not None
    secret = secret_in(made["link"])
    if spoiled == "wrong":
        secret = "inv_" + "a" * 52
    if spoiled == "withdrawn":
        gone = alice.delete(f"/v1/games/{table}/invitations/{made['id']}")
        assert gone.status_code == 204
    if spoiled == "expired":
        site.clock.advance(days=30)
    before = all_rows(site)
    if visibility == "public":
        refused(joins_with(bob, table, secret), 422, "invitation_invalid")
    else:
        refused(joins_with(bob, table, secret), 404, "not_found")
    assert all_rows(site) == before


def test_a_withdrawn_invitation_hides_the_table_again(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    table = alice.opens(visibility="invitation")["id"]
    invitation = invited_by_mail(alice, table, "bob@example.org")
    assert bob.get(f"/v1/games/{table}").status_code == 200
    alice.delete(f"/v1/games/{table}/invitations/{invitation}")
    refused(bob.get(f"/v1/games/{table}"), 404, "not_found")
    assert items(bob.get("/v1/invitations")) == []
    assert items(alice.get(f"/v1/games/{table}/invitations")) == []


def test_an_address_is_invited_once_and_only_to_an_open_table(site: Site) -> None:
    alice, _ = site.people("Alice", "Bob")
    table = alice.opens(seats=3)["id"]
    path = f"/v1/games/{table}/invitations"
    invited_by_mail(alice, table, "x@example.org")
    refused(alice.post(path, {"email": "X@example.org"}), 409, "already_invited")
    refused(alice.post(path, {"email": "nobody"}), 422, "invalid_request")
    alice.post(f"/v1/games/{table}/start", {"bots": True})
    refused(alice.post(path, {"email": "y@example.org"}), 409, "not_open")
    assert len(site.letters()) == 1


# Playing again


def over(site: Site, *players: Caller, **kwargs: Any) -> str:
    """A game of these players that has ended."""
    game_id = site.game_of(*players, **kwargs)
    for player in players:
        player.put(f"/v1/games/{game_id}/end-offer")
    assert site.stranger.sees(game_id)["status"] == "finished"
    return game_id


def again(player: Caller, game_id: str) -> dict[str, Any]:
    offered = player.post(f"/v1/games/{game_id}/rematch")
    assert offered.status_code == 200, offered.json
    assert offered.json is not None
    return dict(offered.json)


def test_a_rematch_begins_when_the_others_accept_and_nobody_waits_online(any_site: Site) -> None:
    alice, bob, carol = any_site.people("Alice", "Bob", "Carol")
    game_id = over(any_site, alice, bob, bots=1, clock=BANK, title="Rialto")
    table = again(alice, game_id)
    assert (table["status"], table["rematch_of"]) == ("open", game_id)
    assert (table["title"], table["clock"], table["visibility"]) == ("Rialto", BANK, "invitation")
    assert again(alice, game_id)["id"] == table["id"], "asked twice is the same table"
    told = items(bob.get("/v1/events"))[-1]
    assert (told["type"], told["game"]) == ("table.rematch", table["id"])
    assert bob.sees(table["id"])["status"] == "open"
    refused(carol.get(f"/v1/games/{table['id']}"), 404, "not_found")
    started = again(bob, game_id)
    assert (started["id"], started["status"]) == (table["id"], "running")
    assert [seat["kind"] for seat in started["seats"]] == ["person", "person", "bot"]
    assert again(alice, game_id)["id"] == table["id"]


def test_only_who_played_a_finished_game_asks_for_a_rematch(site: Site) -> None:
    alice, bob, carol = site.people("Alice", "Bob", "Carol")
    running = site.game_of(alice, bob)
    refused(alice.post(f"/v1/games/{running}/rematch"), 409, "not_finished")
    game_id = over(site, alice, bob)
    refused(carol.post(f"/v1/games/{game_id}/rematch"), 403, "not_seated")


def test_a_rematch_that_came_to_nothing_can_be_offered_again(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = over(site, alice, bob)
    first = again(alice, game_id)["id"]
    alice.post(f"/v1/games/{first}/leave")
    second = again(bob, game_id)
    assert second["id"] != first
    assert second["status"] == "open"
    assert again(alice, game_id)["status"] == "running"


def test_a_bot_takes_the_seat_of_who_left_for_good_in_a_rematch(site: Site) -> None:
    alice, bob = site.people("Alice", "Bob")
    game_id = over(site, alice, bob)
    bob.delete("/v1/me")
    table = again(alice, game_id)
    assert table["status"] == "running"
    assert [seat["kind"] for seat in table["seats"]] == ["person", "bot"]


# Limits


def test_open_tables_are_limited(limited: LimitedSites) -> None:
    alice = limited(Limits(open_tables=2)).person("Alice")
    first = alice.opens()["id"]
    alice.opens()
    refused(open_one(alice), 409, "too_many_tables")
    alice.post(f"/v1/games/{first}/cancel")
    assert open_one(alice).status_code == 201


def test_running_games_are_limited(limited: LimitedSites) -> None:
    site = limited(Limits(running_games=2))
    alice, bob = site.people("Alice", "Bob")
    games = [alice.opens(bots=1)["id"] for _ in range(2)]
    table = bob.opens()["id"]
    refused(open_one(alice), 409, "too_many_games")
    refused(alice.post(f"/v1/games/{table}/join", {}), 409, "too_many_games")
    alice.put(f"/v1/games/{games[0]}/end-offer")
    assert alice.joins(table)["status"] == "running"


@pytest.mark.parametrize(
    "limits", [Limits(invitations_per_game=2), Limits(invitations_per_day=2)], ids=["game", "day"]
)
def test_invitations_are_limited(limited: LimitedSites, limits: Limits) -> None:
    site = limited(limits)
    alice = site.person("Alice")
    table = alice.opens(seats=4)["id"]
    path = f"/v1/games/{table}/invitations"
    for number in range(2):
        invited_by_mail(alice, table, f"{number}@example.org")
    refused(alice.post(path, {"email": "2@example.org"}), 409, "too_many_invitations")
    assert site.letters("2@example.org") == []
    wanted = {"game": FIRST_GAME, "seats": 4, "invite": [f"{n}@example.net" for n in range(3)]}
    before = all_rows(site)
    refused(alice.post("/v1/games", wanted), 409, "too_many_invitations")
    assert all_rows(site) == before, "not even the table"


def test_chat_messages_are_limited(limited: LimitedSites) -> None:
    site = limited(Limits(messages_per_game_and_hour=2))
    alice, bob = site.people("Alice", "Bob")
    path = f"/v1/games/{site.game_of(alice, bob)}/messages"
    for _ in range(2):
        said = alice.post(path, {"text": "Ciao"})
        assert said.status_code == 201
        assert "Retry-After" not in said.headers
    answer = alice.post(path, {"text": "Ciao"})
    refused(answer, 429, "too_many_messages")
    assert int(answer.headers["Retry-After"]) > 0
    assert bob.post(path, {"text": "Basta"}).status_code == 201
    site.clock.advance(hours=1, seconds=1)
    assert alice.post(path, {"text": "Scusa"}).status_code == 201


def open_one(player: Caller) -> TestResponse:
    return player.post("/v1/games", {"game": FIRST_GAME, "seats": 2})
