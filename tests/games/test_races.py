"""Two clients at once: exactly one wins, the other is told precisely, nothing is done twice."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import pytest
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from service.db.models import Decision, Event, Move, Person
from service.db.session import db
from tests.support.site import Caller, Site
from tests.support.together import at_once

RACES = 100


def elsewhere(site: Site, caller: Caller) -> Caller:
    """The same person with another program: a client of their own for a thread."""
    return Caller(site.app.test_client(), caller.token, caller.name)


def codes(answers: Sequence[TestResponse]) -> Counter[str]:
    """How often each code of a problem came; `ok` for what was done."""
    return Counter(
        "ok" if answer.status_code < 300 else str((answer.json or {}).get("code"))
        for answer in answers
    )


def numbers_are_whole(site: Site) -> None:
    """Moves and events are numbered without gaps, and every decision was closed at most once."""
    with site.app.app_context():
        for model, owner, number in (
            (Move, Move.game_id, Move.n),
            (Event, Event.person_id, Event.number),
        ):
            for _, count, most in db.session.execute(
                select(owner, func.count(), func.max(number)).select_from(model).group_by(owner)
            ):
                assert count == most, model.__tablename__
        told = dict(
            db.session.execute(
                select(Event.person_id, func.max(Event.number)).group_by(Event.person_id)
            ).all()
        )
        for person, last in db.session.execute(select(Person.id, Person.last_event)):
            assert told.get(person, 0) == last
        open_by_seat = db.session.execute(
            select(Decision.game_id, Decision.seat, func.count())
            .where(Decision.closed_at.is_(None))
            .group_by(Decision.game_id, Decision.seat)
        ).all()
        assert all(count == 1 for _, _, count in open_by_seat)


@pytest.mark.parametrize("rounds", [RACES])
def test_two_clients_race_for_the_same_decision(any_site: Site, rounds: int) -> None:
    """A turn in the open: one of two different answers is played, the other finds it closed."""
    alice, bob = any_site.people("Alice", "Bob")
    phone, laptop = elsewhere(any_site, alice), elsewhere(any_site, alice)
    raced = 0
    while raced < rounds:
        game_id = any_site.game_of(alice, bob, options={"variant": "tactical"})
        while raced < rounds:
            game = alice.sees(game_id)
            if game["status"] != "running":
                break
            decision = game["decision"]
            if decision is None:
                bob.plays(game_id)
                continue
            path, moves = f"/v1/games/{game_id}/moves", decision["moves"]
            first = {"decision": decision["id"], "move": moves[0]["move"]}
            second = {"decision": decision["id"], "move": moves[-1]["move"]}
            answers = at_once(
                [partial(phone.post, path, first), partial(laptop.post, path, second)]
            )
            found = codes(answers)
            assert found["ok"] == 1, found
            assert found["decision_closed"] + found["game_over"] == 1, found
            raced += 1
    numbers_are_whole(any_site)


@pytest.mark.parametrize("rounds", [RACES])
def test_two_clients_race_with_the_same_secret_pick(any_site: Site, rounds: int) -> None:
    """Both picks of one seat are accepted in some order: the second changes the first, in place.
    The pick of the last seat ends it at any moment, and then a change comes too late."""
    alice, bob = any_site.people("Alice", "Bob")
    phone, laptop = elsewhere(any_site, alice), elsewhere(any_site, alice)
    other = elsewhere(any_site, bob)
    raced = 0
    while raced < rounds:
        game_id = any_site.game_of(alice, bob)
        while raced < rounds:
            game = alice.sees(game_id)
            if game["status"] != "running":
                break
            mine, theirs = game["decision"], bob.sees(game_id)["decision"]
            if mine is None or theirs is None or game["waiting"]["count"] < 2:
                (alice if mine is not None else bob).plays(game_id)
                continue
            if min(len(mine["moves"]), len(theirs["moves"])) < 2:
                # Somebody holds equal cards, of which one is kept with the pick of the other.
                (alice if len(mine["moves"]) > 1 else bob).plays(game_id)
                continue
            path = f"/v1/games/{game_id}/moves"
            before = game["moves"]
            answers = at_once(
                [
                    partial(who.post, path, {"decision": asked["id"], "move": choice["move"]})
                    for who, asked, choice in (
                        (phone, mine, mine["moves"][0]),
                        (laptop, mine, mine["moves"][-1]),
                        (other, theirs, theirs["moves"][0]),
                    )
                ]
            )
            found = codes(answers)
            assert found["ok"] in (2, 3), found
            assert found["ok"] + found["decision_closed"] == 3, found
            lines = alice.get(f"/v1/games/{game_id}/log?after={before}&limit=200").json
            assert lines is not None
            answered = [line["decision"] for line in lines["items"]]
            assert answered.count(mine["id"]) == 1
            assert answered.count(theirs["id"]) == 1
            raced += 1
    numbers_are_whole(any_site)


@pytest.mark.parametrize("rounds", [RACES])
def test_two_people_race_for_the_last_seat(any_site: Site, rounds: int) -> None:
    alice, bob, carla = any_site.people("Alice", "Bob", "Carla")
    callers = [elsewhere(any_site, bob), elsewhere(any_site, carla)]
    for _ in range(rounds):
        game_id = alice.opens(seats=2)["id"]
        answers = at_once(
            [partial(caller.post, f"/v1/games/{game_id}/join", {}) for caller in callers]
        )
        found = codes(answers)
        assert found["ok"] == 1, found
        assert found["not_open"] + found["table_full"] == 1, found
        game = alice.sees(game_id)
        assert game["status"] == "running"
        winner = bob if answers[0].status_code == 200 else carla
        assert [seat["name"] for seat in game["seats"]] == ["Alice", winner.name]
        assert alice.put(f"/v1/games/{game_id}/end-offer").status_code == 200
        assert winner.put(f"/v1/games/{game_id}/end-offer").json == {"finished": True}
    numbers_are_whole(any_site)


@pytest.mark.parametrize("rounds", [RACES])
def test_the_same_request_with_one_key_is_done_once(any_site: Site, rounds: int) -> None:
    """A client that did not hear the answer asks again while the first is still on its way."""
    (alice,) = any_site.people("Alice")
    copies = [elsewhere(any_site, alice) for _ in range(3)]
    made = set()
    game_id = alice.opens(seats=2)["id"]
    for number in range(rounds):
        any_site.clock.advance(minutes=2)
        headers = {"Idempotency-Key": f"message-{number}"}
        path, said = f"/v1/games/{game_id}/messages", {"text": f"number {number}"}
        answers = at_once([partial(copy.post, path, said, headers=headers) for copy in copies])
        found = codes(answers)
        assert found["ok"] + found["request_in_progress"] == len(copies), found
        bodies = {answer.data for answer in answers if answer.status_code == 201}
        assert len(bodies) == 1
        made |= bodies
    assert len(made) == rounds


def test_a_second_request_of_the_same_person_sees_what_the_first_did(any_site: Site) -> None:
    """Leaving twice at once gives back one seat, not that of whoever came meanwhile; joining
    twice takes one; and who has resigned cannot play any more."""
    alice, bob, carla = any_site.people("Alice", "Bob", "Carla")
    both = [elsewhere(any_site, bob), elsewhere(any_site, bob)]
    carla_too = elsewhere(any_site, carla)
    for _ in range(20):
        game_id = alice.opens(seats=4)["id"]
        joined = codes(
            at_once([partial(one.post, f"/v1/games/{game_id}/join", {}) for one in both])
        )
        assert joined == {"ok": 1, "already_seated": 1}
        answers = at_once(
            [
                *[partial(one.post, f"/v1/games/{game_id}/leave") for one in both],
                partial(carla_too.post, f"/v1/games/{game_id}/join", {}),
            ]
        )
        assert codes(answers[:2]) == {"ok": 1, "not_seated": 1}
        names = [seat["name"] for seat in alice.sees(game_id)["seats"]]
        assert sorted(names) == ["", "", "Alice", "Carla"]
        assert alice.post(f"/v1/games/{game_id}/cancel").status_code == 200
    for _ in range(20):
        game_id = any_site.game_of(alice, bob)
        decision = bob.sees(game_id)["decision"]
        body = {"decision": decision["id"], "move": decision["moves"][0]["move"]}
        resigned, played = at_once(
            [
                partial(both[0].post, f"/v1/games/{game_id}/resign"),
                partial(both[1].post, f"/v1/games/{game_id}/moves", body),
            ]
        )
        assert resigned.status_code == 204
        assert codes([played]) in ({"ok": 1}, {"resigned": 1})
        assert bob.plays_nothing(game_id)
        alice.put(f"/v1/games/{game_id}/end-offer")
    numbers_are_whole(any_site)


def test_a_new_name_and_moves_do_not_wait_for_each_other_in_a_circle(any_site: Site) -> None:
    alice, bob = any_site.people("Alice", "Bob")
    game_id = any_site.game_of(alice, bob)
    renaming, talking = elsewhere(any_site, alice), elsewhere(any_site, bob)
    for number in range(30):
        any_site.clock.advance(minutes=2)
        answers = at_once(
            [
                partial(
                    renaming.patch, "/v1/me", {"name": f"Alice {number}"}, headers={"If-Match": "*"}
                ),
                partial(talking.post, f"/v1/games/{game_id}/messages", {"text": f"{number}"}),
            ]
        )
        assert codes(answers) == {"ok": 2}
    assert alice.sees(game_id)["seats"][0]["name"] == "Alice 29"
