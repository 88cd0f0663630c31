"""Forms of the game page: each calls one use case and shows the game again."""

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
from service.games.agreements import end_pause, offer_to_end, resign, vote_for_pause, withdraw_offer
from service.games.chat import say
from service.games.early_end import how_it_would_end, play_on
from service.games.inputs import (
    AnswerSchema,
    NewInvitationSchema,
    NewMessageSchema,
    NoteSchema,
    UndoSchema,
)
from service.games.invitations import invite, sit_down, withdraw
from service.games.loaded_game import load_game
from service.games.moves import answer, write_note
from service.games.rematches import rematch
from service.games.tables import cancel, leave, start
from service.games.takeover import come_back
from service.games.undo import undo_step
from service.mail.outgoing.unsubscribe import set_muted
from service.web import forms
from service.web.game import game_page, points_words
from service.web.home import game_title
from service.web.invitations import keep_link
from service.web.rendering import FormPage, pages, show, signed_in, to
from service.web.sessions import page_key

GAME = FormPage("/games/{game_id}", lambda refusal, game_id, **_: game_page(game_id, refusal))


def _own_seat(game_id: str) -> SeatAccess:
    return access_seat(page_key(), GAMES_PLAY, game_id)


def _hosted(game_id: str) -> KnownAccess:
    return access_hosted(page_key(), TABLES_SEEK, game_id)


@GAME.form("/games/<game_id>/moves")
def play_move(game_id: str) -> None:
    """Play a move. A form of a closed decision changes nothing."""
    given = {"decision": forms.field("decision"), "text": forms.field("move")}
    body = forms.read(AnswerSchema, given)
    answer(_own_seat(game_id), body["decision"], [body["text"]], now())


@GAME.form("/games/<game_id>/undo")
def undo_move(game_id: str) -> None:
    """Take back the last step of a turn. The same form sent twice takes back one."""
    body = forms.read(UndoSchema, {"decision": forms.field("decision")})
    undo_step(_own_seat(game_id), now(), body["decision"])


@GAME.form("/games/<game_id>/join")
def join_table(game_id: str) -> None:
    sit_down(access_known_game(page_key(), TABLES_SEEK, game_id), None, now())


@GAME.form("/games/<game_id>/leave")
def leave_table(game_id: str) -> AnyResponse:
    leave(access_seat(page_key(), TABLES_SEEK, game_id), now())
    return to("web.home")


@GAME.form("/games/<game_id>/start")
def start_table(game_id: str) -> None:
    start(_hosted(game_id), True, now())


@GAME.form("/games/<game_id>/cancel")
def cancel_table(game_id: str) -> None:
    cancel(_hosted(game_id), now())


@GAME.form("/games/<game_id>/invitations")
def invite_to_table(game_id: str) -> AnyResponse:
    """Invite by mail, or create a link that this browser shows for a while."""
    email = forms.read(NewInvitationSchema, {"email": forms.field("email") or None})["email"]
    access = _hosted(game_id)
    invitation = invite(access.caller, access.game, email, now())
    response = to("web.game", game_id=game_id)
    if email is None:
        keep_link(response, invitation.link)
    return response


@GAME.form("/games/<game_id>/invitations/<invitation_id>/withdraw")
def withdraw_invitation(game_id: str, invitation_id: str) -> None:
    _hosted(game_id)
    withdraw(game_id, invitation_id, now())


@GAME.form("/games/<game_id>/messages", anchor="#talk")
def post_message(game_id: str) -> None:
    text = forms.read(NewMessageSchema, {"text": forms.text("text")})["text"]
    say(_own_seat(game_id), text, now())


@GAME.form("/games/<game_id>/note", anchor="#note")
def keep_note(game_id: str) -> None:
    text = forms.read(NoteSchema, {"text": forms.text("text")})["text"]
    write_note(_own_seat(game_id), text)


@GAME.form("/games/<game_id>/mails", anchor="#mails")
def choose_game_mails(game_id: str) -> None:
    """Turn mails about this game off or on."""
    person_id = _own_seat(game_id).caller.person_id
    set_muted(person_id, game_id, forms.field("mails") == "off")


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


@GAME.form("/games/<game_id>/resign")
def resign_game(game_id: str) -> None:
    resign(_own_seat(game_id), now())


@GAME.form("/games/<game_id>/play-on")
def play_on_game(game_id: str) -> None:
    play_on(_own_seat(game_id), now())


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


@GAME.form("/games/<game_id>/end-offer")
def offer_end(game_id: str) -> None:
    """Offer to end the game, or withdraw the offer."""
    change = withdraw_offer if forms.field("offer") == "withdraw" else offer_to_end
    change(_own_seat(game_id), now())


@GAME.form("/games/<game_id>/return")
def take_seat_back(game_id: str) -> None:
    come_back(_own_seat(game_id), now())


@GAME.form("/games/<game_id>/pause", anchor="#pause")
def vote_on_pause(game_id: str) -> None:
    """Vote for a pause, withdraw the vote, or end the pause."""
    change = end_pause if forms.field("pause") == "end" else vote_for_pause
    change(_own_seat(game_id), now())


@GAME.form("/games/<game_id>/rematch")
def play_again(game_id: str) -> AnyResponse:
    access = access_seat(page_key(), TABLES_SEEK, game_id)
    return to("web.game", game_id=rematch(access, now()))
