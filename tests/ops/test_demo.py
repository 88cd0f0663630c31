"""The demo: what a newcomer finds, and finds again."""

from service.core.time_control import PATIENCE
from service.db.session import transact
from service.ops.demo import NAME, NEWCOMER, Demo, prepare_demo
from tests.support.site import Caller, Site


def prepared(site: Site) -> Demo:
    with site.app.app_context():
        return transact(lambda: prepare_demo(site.clock()))


def test_the_demo_has_two_bots(site: Site) -> None:
    demo = prepared(site)
    newcomer = Caller(site.client, demo.token)
    game = newcomer.sees(demo.game_id)
    assert game["status"] == "running"
    assert game["seats"][0]["name"] == NAME
    assert len(game["seats"]) == 3
    assert game["decision"]["moves"]
    site.let_bots_play()
    assert newcomer.plays(demo.game_id).status_code == 200


def test_the_link_signs_the_newcomer_in_and_no_mail_is_written(site: Site) -> None:
    demo = prepared(site)
    secret = demo.link.rpartition("/")[2]
    signed_in = site.stranger.post("/v1/sessions", {"link": secret})
    assert signed_in.status_code == 201
    assert signed_in.json is not None
    assert signed_in.json["account"]["email"] == NEWCOMER
    assert site.letters() == []


def test_preparing_the_demo_again_adds_only_a_sign_in_link(site: Site) -> None:
    first, second = prepared(site), prepared(site)
    assert first.game_id == second.game_id
    assert first.link != second.link
    newcomer = Caller(site.client, second.token)
    tokens = newcomer.get("/v1/tokens").json
    assert tokens is not None
    assert len(tokens["items"]) == 1
    assert Caller(site.client, first.token).get("/v1/me").status_code == 401


def test_a_new_game_waits_when_the_last_one_is_over(site: Site) -> None:
    first = prepared(site)
    newcomer = Caller(site.client, first.token)
    ended = newcomer.post(f"/v1/games/{first.game_id}/resign", {})
    assert ended.status_code == 204
    second = prepared(site)
    assert second.game_id != first.game_id
    assert Caller(site.client, second.token).sees(second.game_id)["status"] == "running"


def test_the_demo_game_has_the_longest_deadline(site: Site) -> None:
    demo = prepared(site)
    decision = Caller(site.client, demo.token).sees(demo.game_id)["decision"]
    assert decision["due_at"] == (site.clock() + PATIENCE).isoformat()
