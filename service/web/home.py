"""Home page: open decisions, the viewer's games, and open tables."""

from collections.abc import Mapping

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from engine.contract import Json
from engine.registry import GAME_TYPES, game_type_by_key
from service.access.accounts import access_player
from service.access.credentials import Caller, access_caller
from service.access.games import access_game
from service.access.scopes import GAMES_READ, TABLES_SEEK
from service.core.clock import now
from service.core.current_settings import settings
from service.core.errors import Problem
from service.core.formatting import clock_words
from service.core.time_control import ABSENCE_DAYS, MOST_ABSENCE_DAYS, PRESET_TITLES, PRESETS
from service.db.models import Status
from service.db.session import transact
from service.games.inputs import NewGameSchema, table_spec
from service.games.invitations import invitations_for
from service.games.loaded_game import load_game
from service.games.queries import decisions_of, games_of, open_tables
from service.games.rematches import rematches_for
from service.games.table_creation import create_table
from service.games.views import summary_json
from service.web import forms
from service.web.locale import page_language, say
from service.web.rendering import attempt, pages, show, signed_in, to
from service.web.sessions import page_key, visitor

MOST_SHOWN = 50
MOST_FINISHED = 10
CLOCKS: Mapping[str, Json] = {
    "two-days": {"kind": "flat", "hours": 48},
    "day": {"kind": "flat", "hours": 24},
    "week": {"kind": "flat", "hours": 168},
    **{name: {"preset": name} for name in PRESETS},
    "none": {"kind": "none"},
}
ABSENCES = (0, 7, ABSENCE_DAYS, 30, MOST_ABSENCE_DAYS)  # days to choose from


@pages.get("/")
def home() -> Response:
    return _home()


def _home(refusal: Problem | None = None, filled: Mapping[str, str] | None = None) -> Response:
    caller = visitor()
    tables, _ = open_tables(caller, {}, None, MOST_SHOWN)
    common: Json = {
        "tables": [table for table in tables if table["your_seat"] is None],
        "refusal": refusal,
        "titles": {game.meta.key: game.meta.title for game in GAME_TYPES},
        "catalogue": [game.about(page_language()) for game in GAME_TYPES],
    }
    if caller is None:
        return show("welcome", **common)
    return show(
        "home",
        turns=decisions_of(caller, None, MOST_SHOWN)[0],
        invitations=_invitations(caller),
        clocks={name: _clock_words(clock) for name, clock in CLOCKS.items()},
        absences=ABSENCES,
        usual_absence=ABSENCE_DAYS,
        mails_kept_here=settings().smtp_url is None,
        filled=filled or {},
        **_own_games(caller),
        **common,
    )


def _clock_words(clock: Json) -> str:
    """A time control in words, with its name if it is a preset."""
    if "preset" not in clock:
        return clock_words(clock, page_language())
    name = clock["preset"]
    return f"{say(PRESET_TITLES[name])}: {clock_words(PRESETS[name], page_language())}"


def _own_games(caller: Caller) -> Json:
    found, _ = games_of(caller.person_id, caller, None, MOST_SHOWN)
    by_status = {
        status: [game for game in found if game["status"] == status]
        for status in (Status.open, Status.running, Status.finished)
    }
    return {
        "waiting": by_status[Status.open],
        "running": by_status[Status.running],
        "finished": by_status[Status.finished][:MOST_FINISHED],
    }


def _invitations(caller: Caller) -> list[Json]:
    """Tables to which the caller is invited, by address or as a rematch, with the inviter."""
    invited = [(one.game_id, one.invited_by) for one in invitations_for(caller, now())]
    found = []
    for game_id, host in dict([*rematches_for(caller), *invited]).items():
        access = access_game(page_key(), GAMES_READ, game_id)
        if access.seat is None:
            seats = load_game(access.game).seats
            found.append(summary_json(access.game, seats, None) | {"by": _name(host)})
    return found


def _name(person_id: str) -> str:
    try:
        return access_player(person_id).name
    except Problem:
        return say("Somebody")


@pages.post("/games")
def open_a_table() -> AnyResponse:
    signed_in("/")

    def open_it() -> AnyResponse:
        body = forms.read(NewGameSchema, _wanted())

        def create() -> str:
            host = access_caller(page_key(), TABLES_SEEK)
            return create_table(host, table_spec(body), body["invite"], now()).game_id

        return to("web.game", game_id=transact(create))

    return attempt(open_it, lambda refusal: _home(refusal, request.form.to_dict()))


def _wanted() -> Json:
    """The form as a body of `POST /v1/games`. `alone` fills all other seats with bots."""
    seats = forms.number("seats")
    bots = forms.number("bots")
    if "alone" in request.form and isinstance(seats, int):
        bots = seats - 1
    return {
        "game": forms.field("game"),
        "seats": seats,
        "bots": bots,
        "options": {
            name.removeprefix("option."): value
            for name, value in request.form.items()
            if name.startswith("option.")
        },
        "clock": _clock(),
        "title": forms.field("title"),
        "visibility": forms.field("visibility") or "public",
        "invite": forms.field("invite").replace(",", " ").replace(";", " ").split(),
    }


def _clock() -> Json:
    name = forms.field("clock") or "two-days"
    clock = CLOCKS.get(name, {"preset": name})  # the schema refuses unknown names
    days = forms.number("absence_days") if "absence_days" in request.form else ABSENCE_DAYS
    return clock | {"absence_days": days}


def game_title(game: Json) -> str:
    """Title of a table."""
    return str(game["title"] or game_type_by_key(game["game"], game["rules"]).meta.title)
