"""Game page: the board, the open decision with its moves, and everything around it."""

from collections.abc import Sequence

import orjson
from flask import Response, request
from markupsafe import Markup

from engine.contract import GameType, Json
from engine.early_end import ABANDONED, AGREED, RESIGNED
from engine.options import option_words as words_of_options
from engine.registry import game_type_by_key
from service.access.games import GameAccess, access_game
from service.access.scopes import GAMES_READ
from service.core.clock import now
from service.core.errors import Problem
from service.core.etags import conditional_response
from service.core.time_control import MOST_MISSES, PAUSE_FOR
from service.db.models import Status
from service.games import boards, views
from service.games.chat import latest_messages
from service.games.choices import best_first
from service.games.early_end import may_play_on
from service.games.etags import game_etag, view_parts
from service.games.invitations import invitations_of
from service.games.loaded_game import LoadedGame, load_game
from service.games.rematches import rematch_of
from service.web.home import game_title
from service.web.invitations import kept_link
from service.web.locale import page_language, say, say_many
from service.web.rendering import pages, show
from service.web.sessions import page_key

LINES_SHOWN = 20
MESSAGES_SHOWN = 50
WHOLE_LOG = "all"


@pages.get("/games/<game_id>")
def game(game_id: str) -> Response:
    return game_page(game_id)


def game_page(game_id: str, refusal: Problem | None = None) -> Response:
    """The game, with the refusal of a form if there was one."""
    access = access_game(page_key(), GAMES_READ, game_id)
    loaded = load_game(access.game)
    shown = views.game_json(access, language=page_language())
    log, undone = _log(access) if _shown(loaded) else ([], [])
    own = _own(loaded, access)
    seats = players(loaded, shown)
    return show(
        "game",
        game=shown,
        title=game_title(shown),
        meta=loaded.game.meta,
        options=option_words(shown),
        players=seats,
        result=_result(shown, seats) if shown["outcome"] else None,
        may_play_on=may_play_on(loaded, access.seat),
        alone=len(loaded.contenders) == 1,
        choices=_choices(loaded.game, shown),
        watching=bots_are_choosing(shown),
        board=boards.board_text(access, page_language()) if _shown(loaded) else None,
        # Drawn by the game type, which escapes text of people.
        drawing=Markup(boards.board_svg(access, page_language())) if _shown(loaded) else None,  # noqa: S704
        undoable=_undoable(shown),
        facts=_facts(access, shown, log, undone, own),
        news=_news(loaded, access),
        log_lines=_newest_first(log, undone),
        log_length=len(log),
        whole_log=request.args.get("log") == WHOLE_LOG,
        rematch=rematch_of(access),
        wanting=_wanting(loaded, access),
        most_misses=MOST_MISSES,
        pause_days=PAUSE_FOR.days,
        refusal=refusal,
        new_link=kept_link(game_id) if own["hosting"] else None,
        **own,
    )


def _shown(loaded: LoadedGame) -> bool:
    """Whether the game has a valid position to show."""
    return loaded.begun and not loaded.frozen


def players(loaded: LoadedGame, shown: Json) -> list[Json]:
    """The seats with their points and open decisions."""
    scores: Sequence[int] = ()
    if _shown(loaded):
        ended = shown["outcome"]
        scores = ended["scores"] if ended else loaded.game.scores(loaded.state)
    waiting = shown["waiting"]["seats"] if shown["waiting"] else ()
    winners = shown["outcome"]["winners"] if shown["outcome"] else ()
    return [
        seat
        | {
            "score": scores[seat["seat"]] if scores else None,
            "you": seat["seat"] == shown["your_seat"],
            "chooses": seat["seat"] in waiting,
            "won": seat["seat"] in winners,
        }
        for seat in shown["seats"]
    ]


def points_words(scores: Sequence[int]) -> str:
    """The points as `8 : 5`, highest first."""
    return " : ".join(str(score) for score in sorted(scores, reverse=True))


def _result(shown: Json, seats: Sequence[Json]) -> Json:
    """Heading and sentence about the end of the game, for the viewer."""
    reason, points = shown["outcome"]["reason"], points_words(shown["outcome"]["scores"])
    winners = [seat["name"] for seat in seats if seat["won"] and not seat["you"]]
    facts = {"names": ", ".join(winners), "points": points}
    if not any(seat["won"] for seat in seats):
        title = say("The game was abandoned")
    elif not any(seat["won"] and seat["you"] for seat in seats):
        title = say_many(
            "%(names)s won %(points)s", "%(names)s won together, %(points)s", len(winners)
        )
    elif winners:
        title = say("You won together with %(names)s, %(points)s")
    else:
        title = say("You won") if reason == RESIGNED else say("You won %(points)s")
    return {"title": title % facts, "why": _why(shown, seats)}


def _why(shown: Json, seats: Sequence[Json]) -> str:
    """The reason why the game is over."""
    reason, moves = shown["outcome"]["reason"], shown["moves"]
    if reason == AGREED:
        return say("All agreed to end it here.")
    if reason == ABANDONED:
        return say("It was ended before it was decided; nobody won.")
    if reason != RESIGNED:
        return say_many("After %(n)d move.", "After %(n)d moves.", moves) % {"n": moves}
    if any(seat["resigned"] and seat["you"] for seat in seats):
        return say("You resigned.")
    names = ", ".join(seat["name"] for seat in seats if seat["resigned"])
    return say("%(names)s resigned.") % {"names": names}


def _wanting(loaded: LoadedGame, access: GameAccess) -> Json:
    """Names of players who wait for the viewer's consent to a pause or to the end."""
    own = None if access.seat is None else loaded.seats[access.seat]
    if own is None or own.bot or not loaded.running or loaded.frozen:
        return {"pause": [], "end": []}
    pause = [] if own.wants_pause else [seat.name for seat in loaded.playing if seat.wants_pause]
    end = [] if own.wants_to_end else [seat.name for seat in loaded.playing if seat.wants_to_end]
    return {"pause": pause, "end": end}


def bots_are_choosing(shown: Json) -> bool:
    """Whether only bots have open decisions."""
    asked = shown["decision"] is not None and not shown["decision"]["revising"]
    if asked or not shown["waiting"]:
        return False
    return all(shown["seats"][seat]["played_by_bot"] for seat in shown["waiting"]["seats"])


def option_words(shown: Json) -> list[str]:
    """The options of the game in words."""
    game = game_type_by_key(shown["game"], shown["rules"])
    return words_of_options(game, shown["options"], page_language())


def _choices(game: GameType, shown: Json) -> list[Json]:
    if shown["decision"] is None:
        return []
    return best_first(game, shown["position"] | {"decision": shown["decision"]})


def _news(loaded: LoadedGame, access: GameAccess) -> list[str]:
    """Sentences about the moves since the viewer's last turn."""
    if not _shown(loaded):
        return []
    return [
        loaded.game.sentence(event, loaded.names, page_language())
        for event in boards.recent_events(loaded, access.seat)
    ]


def _undoable(shown: Json) -> Json | None:
    """The step that the viewer may take back now."""
    found: Json | None = shown["undoable"]
    return found if found is not None and found["until"] > now() else None


def _newest_first(log: Sequence[Json], undone: Sequence[Json]) -> list[Json]:
    """The lines of the log, each with the moves that were taken back under its number before it."""
    return sorted([*undone, *log], key=lambda line: (line["n"], "undone_at" not in line))[::-1]


def _log(access: GameAccess) -> tuple[list[Json], list[Json]]:
    """The last moves, or all of them, and those that were taken back."""
    count = access.game.moves
    after = 0 if request.args.get("log") == WHOLE_LOG else max(0, count - LINES_SHOWN)
    lines, _ = views.log_json(access, after, max(1, count), page_language())
    return lines, views.undone_json(access, after, None, page_language())


def _facts(
    access: GameAccess, shown: Json, log: list[Json], undone: list[Json], own: Json
) -> Markup:
    """Initial data of the page's script: responses of the API that it need not request."""
    etag = game_etag(access, *view_parts(page_language()))
    facts = {
        "etag": etag,
        "game": shown,
        "log": log,
        "undone": undone,
        "messages": own["chat"],
        "note": own["note"],
    }
    written = orjson.dumps(facts).decode().replace("<", "\\u003c")
    return Markup(written)  # noqa: S704 - with `<` escaped, no text can close the element


def _own(loaded: LoadedGame, access: GameAccess) -> Json:
    """Data for the seats only: chat, the own note, the host's invitations."""
    if access.seat is None:
        return {"chat": None, "note": "", "quiet": False, "hosting": False, "invitations": []}
    assert access.caller is not None
    hosting = access.game.host_id == access.caller.person_id
    open_table = access.game.status == Status.open
    return {
        "chat": latest_messages(access, MESSAGES_SHOWN),
        "note": loaded.seats[access.seat].note,
        "quiet": loaded.seats[access.seat].quiet,
        "hosting": hosting,
        "invitations": invitations_of(access.game.id) if hosting and open_table else [],
    }


@pages.get("/games/<game_id>/board.svg")
def board_svg(game_id: str) -> Response:
    access = access_game(page_key(), GAMES_READ, game_id)
    language = page_language()
    return conditional_response(
        game_etag(access, "svg", language),
        lambda: boards.board_svg(access, language),
        "image/svg+xml; charset=utf-8",
    )


@pages.get("/games/<game_id>/record.jsonl")
def record(game_id: str) -> Response:
    access = access_game(page_key(), GAMES_READ, game_id)
    response = conditional_response(
        game_etag(access, "record"),
        lambda: "".join(f"{line}\n" for line in views.record(access)),
        "application/jsonl",
    )
    response.headers["Content-Disposition"] = f'attachment; filename="laguna-{game_id}.jsonl"'
    return response
