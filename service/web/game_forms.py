"""Forms of the game page: each calls one use case and shows the game again."""

from collections.abc import Callable

from werkzeug.wrappers import Response as AnyResponse

from service.access.games import (
    GameAccess,
    KnownAccess,
    SeatAccess,
    access_game,
    access_hosted,
    access_known_game,
    access_seat,
)
from service.access.scopes import GAMES_PLAY, GAMES_READ, TABLES_SEEK
from service.core.clock import now
from service.db.models import Status
from service.db.session import transact
from service.games.agreements import end_pause, offer_to_end, resign, vote_for_pause, withdraw_offer
from service.games.chat import say
from service.games.early_end import how_it_would_end, play_on
from service.games.inputs import AnswerSchema, NewInvitationSchema, NewMessageSchema, NoteSchema
from service.games.invitations import invite, sit_down, withdraw
from service.games.loaded_game import load_game
from service.games.moves import answer, write_note
from service.games.rematches import rematch
from service.games.tables import cancel, leave, start
from service.games.takeover import come_back
from service.mail.outgoing.unsubscribe import set_quiet
from service.web import forms
from service.web.game import game_page, points_words
from service.web.home import game_title
from service.web.invitation_link import keep_link
from service.web.rendering import attempt, pages, show, signed_in, to
from service.web.sessions import page_key


def _do(game_id: str, work: Callable[[], object], anchor: str | None = None) -> AnyResponse:
    """Run a use case in one transaction, then show the game."""
    signed_in(f"/games/{game_id}")

    def done() -> AnyResponse:
        transact(work)
        return to("web.game", game_id=game_id, _anchor=anchor)

    return attempt(done, lambda refusal: game_page(game_id, refusal))


def _own_seat(game_id: str) -> SeatAccess:
    return access_seat(page_key(), GAMES_PLAY, game_id)


def _hosted(game_id: str) -> KnownAccess:
    return access_hosted(page_key(), TABLES_SEEK, game_id)


@pages.post("/games/<game_id>/moves")
def play_move(game_id: str) -> AnyResponse:
    """Play a move. A form of a closed decision changes nothing."""

    def play() -> None:
        said = {"decision": forms.field("decision"), "text": forms.field("move")}
        body = forms.read(AnswerSchema, said)
        answer(_own_seat(game_id), body["decision"], [body["text"]], now())

    return _do(game_id, play)


@pages.post("/games/<game_id>/join")
def join_table(game_id: str) -> AnyResponse:
    def join() -> None:
        sit_down(access_known_game(page_key(), TABLES_SEEK, game_id), None, now())

    return _do(game_id, join)


@pages.post("/games/<game_id>/leave")
def leave_table(game_id: str) -> AnyResponse:
    signed_in(f"/games/{game_id}")

    def left() -> AnyResponse:
        transact(lambda: leave(access_seat(page_key(), TABLES_SEEK, game_id), now()))
        return to("web.home")

    return attempt(left, lambda refusal: game_page(game_id, refusal))


@pages.post("/games/<game_id>/start")
def start_table(game_id: str) -> AnyResponse:
    return _do(game_id, lambda: start(_hosted(game_id), True, now()))


@pages.post("/games/<game_id>/cancel")
def cancel_table(game_id: str) -> AnyResponse:
    return _do(game_id, lambda: cancel(_hosted(game_id), now()))


@pages.post("/games/<game_id>/invitations")
def invite_to_table(game_id: str) -> AnyResponse:
    """Invite by mail, or create a link that this browser shows for a while."""
    signed_in(f"/games/{game_id}")

    def invited() -> AnyResponse:
        body = forms.read(NewInvitationSchema, {"email": forms.field("email") or None})
        link = transact(lambda: _link(game_id, body["email"]))
        response = to("web.game", game_id=game_id)
        if body["email"] is None:
            keep_link(response, link)
        return response

    return attempt(invited, lambda refusal: game_page(game_id, refusal))


def _link(game_id: str, email: str | None) -> str:
    access = _hosted(game_id)
    return invite(access.caller, access.game, email, now()).link


@pages.post("/games/<game_id>/invitations/<invitation_id>/withdraw")
def withdraw_invitation(game_id: str, invitation_id: str) -> AnyResponse:
    def take_back() -> None:
        _hosted(game_id)
        withdraw(game_id, invitation_id, now())

    return _do(game_id, take_back)


@pages.post("/games/<game_id>/messages")
def say_something(game_id: str) -> AnyResponse:
    def speak() -> None:
        body = forms.read(NewMessageSchema, {"text": forms.text("text")})
        say(_own_seat(game_id), body["text"], now())

    return _do(game_id, speak, anchor="talk")


@pages.post("/games/<game_id>/note")
def keep_note(game_id: str) -> AnyResponse:
    def keep() -> None:
        body = forms.read(NoteSchema, {"text": forms.text("text")})
        write_note(_own_seat(game_id), body["text"])

    return _do(game_id, keep, anchor="note")


@pages.post("/games/<game_id>/mails")
def choose_game_mails(game_id: str) -> AnyResponse:
    """Turn mails about this game off or on."""

    def choose() -> None:
        access = _own_seat(game_id)
        set_quiet(access.caller.person_id, game_id, forms.field("mails") == "off")

    return _do(game_id, choose, anchor="mails")


@pages.get("/games/<game_id>/resign")
def ask_to_resign(game_id: str) -> AnyResponse:
    """Confirmation page: resignation is final."""
    access = _playing(game_id)
    if access is None:
        return to("web.game", game_id=game_id)
    loaded = load_game(access.game)
    others = [loaded.seats[seat].name for seat in loaded.contenders if seat != access.seat]
    if not others:
        return to("web.ask_to_end", game_id=game_id)
    return show("resign", game_id=game_id, title=_title(access), others=others)


def _playing(game_id: str) -> GameAccess | None:
    """The caller's running game; None if it has ended."""
    signed_in()
    access = access_game(page_key(), GAMES_READ, game_id)
    over = access.game.status != Status.running or access.game.frozen_at is not None
    return None if access.seat is None or access.resigned or over else access


def _title(access: GameAccess) -> str:
    row = access.game
    return game_title({"title": row.title, "game": row.game, "rules": row.rules})


@pages.post("/games/<game_id>/resign")
def resign_game(game_id: str) -> AnyResponse:
    return _do(game_id, lambda: resign(_own_seat(game_id), now()))


@pages.post("/games/<game_id>/play-on")
def play_on_game(game_id: str) -> AnyResponse:
    return _do(game_id, lambda: play_on(_own_seat(game_id), now()))


@pages.get("/games/<game_id>/end-offer")
def ask_to_end(game_id: str) -> AnyResponse:
    """Confirmation page for ending the game or offering its end."""
    access = _playing(game_id)
    loaded = None if access is None else load_game(access.game)
    if access is None or loaded is None or loaded.seats[access.seat or 0].wants_to_end:
        return to("web.game", game_id=game_id)
    others = [seat for seat in loaded.playing if seat.number != access.seat]
    return show(
        "end_offer",
        game_id=game_id,
        title=_title(access),
        reason=how_it_would_end(loaded)[0],
        at_once=all(seat.wants_to_end for seat in others),
        gone=[seat.name for seat in loaded.seats if seat.resigned_at is not None],
        points=points_words(loaded.game.scores(loaded.state)),
    )


@pages.post("/games/<game_id>/end-offer")
def offer_end(game_id: str) -> AnyResponse:
    """Offer to end the game, or withdraw the offer."""

    def offer() -> None:
        if forms.field("offer") == "withdraw":
            withdraw_offer(_own_seat(game_id), now())
        else:
            offer_to_end(_own_seat(game_id), now())

    return _do(game_id, offer)


@pages.post("/games/<game_id>/return")
def take_seat_back(game_id: str) -> AnyResponse:
    return _do(game_id, lambda: come_back(_own_seat(game_id), now()))


@pages.post("/games/<game_id>/pause")
def vote_on_pause(game_id: str) -> AnyResponse:
    """Vote for a pause, withdraw the vote, or end the pause."""

    def vote() -> None:
        if forms.field("pause") == "end":
            end_pause(_own_seat(game_id), now())
        else:
            vote_for_pause(_own_seat(game_id), now())

    return _do(game_id, vote, anchor="pause")


@pages.post("/games/<game_id>/rematch")
def play_again(game_id: str) -> AnyResponse:
    signed_in(f"/games/{game_id}")

    def again() -> AnyResponse:
        access = access_seat(page_key(), TABLES_SEEK, game_id)
        return to("web.game", game_id=rematch(access, now()))

    return attempt(lambda: transact(again), lambda refusal: game_page(game_id, refusal))
