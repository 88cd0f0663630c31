"""Schemas of game types, tables and games."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.registry import GAME_TYPES
from service.api.schemas.common import BIGGEST_NUMBER, PageQuery, WordsQuery, moment, page_of, words
from service.core.fields import Amount, Whole
from service.core.time_control import MOST_ABSENCE_DAYS, MOST_MISSES
from service.db.models import Status, Visibility
from service.games.inputs import HOURS, KINDS, MOST_SEATS, Move


def free_object(description: str, **kwargs: Any) -> fields.Dict:
    """An object whose members the game type defines."""
    return fields.Dict(metadata={"description": description}, **kwargs)


class ClockSchema(ma.Schema):
    """Time control of decisions: `none` (two months each), `flat` with `hours` for each, or `bank`
    with `start_hours`, to which each decision adds `increment_hours`, up to `cap_hours`. A deadline
    inside a player's quiet hours moves to the end of them. A clock stops during absences that the
    player announced before the decision opened, for `absence_days` in all."""

    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    hours = Amount(*HOURS)
    start_hours = Amount(*HOURS)
    increment_hours = Amount(0, HOURS[1])
    cap_hours = Amount(*HOURS)
    absence_days = Whole(0, MOST_ABSENCE_DAYS, required=True)


class PresetSchema(ma.Schema):
    """A named time control."""

    preset = words("For `clock.preset` of a new game", required=True)
    title = fields.String(required=True)
    clock = fields.Nested(ClockSchema, required=True)


class OptionSchema(ma.Schema):
    """An option of a game type, chosen when a table is opened."""

    key = fields.String(required=True)
    title = fields.String(required=True)
    choices = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "Each choice with its meaning"},
    )
    default = fields.String(required=True)
    note = words("Note for players; may be empty", required=True)


class TopicSchema(ma.Schema):
    """A rule of a game type in a few sentences."""

    topic = words("`data-topic` of the element of the board that it explains", required=True)
    title = fields.String(required=True)
    text = fields.String(required=True)


class CatalogueEntrySchema(ma.Schema):
    """A game type of this service."""

    game = words("Key of the game type, for `POST /v1/games`", required=True)
    title = fields.String(required=True)
    rules = fields.Integer(required=True, metadata={"description": "Version of the rules"})
    seats = fields.List(fields.Integer(), required=True)
    options = fields.List(fields.Nested(OptionSchema), required=True)
    summary = fields.String(required=True)
    guide = fields.List(
        fields.Nested(TopicSchema),
        required=True,
        metadata={"description": "The rules in short, in the requested language"},
    )


class CatalogueSchema(ma.Schema):
    """Game types, and the defaults of a new table."""

    games = fields.List(fields.Nested(CatalogueEntrySchema), required=True)
    clock = fields.Nested(
        ClockSchema,
        required=True,
        metadata={"description": "Default time control"},
    )
    presets = fields.List(
        fields.Nested(PresetSchema),
        required=True,
        metadata={"description": "Named time controls"},
    )


class SeatSchema(ma.Schema):
    """A seat of a game."""

    seat = fields.Integer(required=True)
    name = words("Empty while the seat is free", required=True)
    kind = fields.String(
        required=True,
        validate=validate.OneOf(["free", "person", "bot_account", "bot"]),
        metadata={"description": "`bot` is the service's own, `bot_account` belongs to a person"},
    )
    person = fields.String(
        required=True, allow_none=True, metadata={"description": "Id of the player"}
    )
    played_by_bot = fields.Boolean(required=True)
    resigned = fields.Boolean(required=True)
    away_since = moment(
        "Start of a takeover: a bot plays the seat until its player returns",
        required=True,
        allow_none=True,
    )
    unreachable = fields.Boolean(
        required=True,
        metadata={"description": "Mails to the player bounced and are suspended"},
    )
    wants_to_end = fields.Boolean(required=True)
    wants_pause = fields.Boolean(required=True)


class PointsSchema(ma.Schema):
    """Points of a seat with their cause."""

    seat = fields.Integer(required=True)
    points = fields.Integer(required=True)
    cause = fields.String(required=True, data_key="for")
    words = words("The cause in words", required=True)
    area = fields.String()


class StopSchema(ma.Schema):
    """One step of selecting a move on the board."""

    spot = words(
        "`data-spot` of one or more elements of the board, if it is drawn there",
        required=True,
    )
    words = words("Label of a button that replaces it", required=True)


class ForcedMoveSchema(ma.Schema):
    """A forced move after another one: the only legal move then."""

    move = Move("As in the log", required=True)
    text = words("As one line of notation", required=True)
    label = words("As a sentence", required=True)
    points = fields.List(fields.Nested(PointsSchema), required=True)


class OfferedMoveSchema(ma.Schema):
    """A legal move in all its forms, with its score."""

    move = Move("Send it back unchanged", required=True)
    text = words("As one line of notation", required=True)
    label = words("As a sentence", required=True)
    path = fields.List(
        fields.Nested(StopSchema),
        required=True,
        metadata={
            "description": "Steps of selecting it on the board. No path of a decision is a prefix "
            "of another: common prefixes form a tree of the moves"
        },
    )
    points = fields.List(fields.Nested(PointsSchema), required=True)
    again = fields.Boolean(
        required=True, metadata={"description": "You would decide once more afterwards"}
    )
    best = Move("The next move that the points assume")
    forced = fields.List(
        fields.Nested(ForcedMoveSchema),
        required=True,
        metadata={
            "description": "Forced moves that would follow, as far as they are certain; also part "
            "of `label`"
        },
    )


class DecisionSchema(ma.Schema):
    """The open decision of your seat."""

    id = words("Send it with your move", required=True)
    revising = fields.Boolean(
        required=True, metadata={"description": "You have chosen and may still change it"}
    )
    question = fields.String(required=True)
    chosen = words(
        "Your choice as a sentence, while you may still change it", required=True, allow_none=True
    )
    opened_at = moment("Start", required=True, allow_none=True)
    due_at = moment(
        "Deadline; null: the clock is stopped, or a takeover bot decides unless you return",
        required=True,
        allow_none=True,
    )
    moves = fields.List(fields.Nested(OfferedMoveSchema), required=True)


class WaitingSchema(ma.Schema):
    """Seats with an open decision."""

    seats = fields.List(fields.Integer(), required=True)
    count = fields.Integer(required=True)
    since = moment("The last move", required=True)
    until = moment(
        "Latest deadline, absences aside; null: all clocks are stopped",
        required=True,
        allow_none=True,
    )


class OutcomeSchema(ma.Schema):
    """Result of a game."""

    scores = fields.List(fields.Integer(), required=True)
    winners = fields.List(
        fields.Integer(), required=True, metadata={"description": "Empty: no winner"}
    )
    ranking = fields.List(
        fields.Integer(),
        required=True,
        metadata={
            "description": "The place of each seat, with the game's own tie-break; equal players "
            "share a place (1, 2, 2, 4)"
        },
    )
    reason = words(
        "Reason of the game type; `agreed`: all remaining players ended it; `resigned`: all other "
        "people resigned; `abandoned`: ended without other people, no winner",
        required=True,
    )


class GameSummarySchema(ma.Schema):
    """A game without its position."""

    id = fields.String(required=True)
    game = fields.String(required=True)
    rules = fields.Integer(required=True)
    title = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf([*Status]))
    visibility = fields.String(required=True, validate=validate.OneOf([*Visibility]))
    seats = fields.List(fields.Nested(SeatSchema), required=True)
    free_seats = fields.Integer(required=True)
    options = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    clock = fields.Nested(ClockSchema, required=True)
    host = words("The person who may start or cancel it", required=True)
    your_seat = fields.Integer(required=True, allow_none=True)
    moves = fields.Integer(required=True, metadata={"description": "Number of moves played"})
    version = fields.Integer(
        required=True,
        metadata={"description": "Grows with every change that is visible to everybody"},
    )
    rematch_of = fields.String(required=True, allow_none=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    created_at = moment("When the table was opened", required=True)
    started_at = moment("When it began", required=True, allow_none=True)
    ended_at = moment("When it ended", required=True, allow_none=True)
    moved_at = moment("The last move", required=True, allow_none=True)
    paused_until = moment(
        "All clocks are stopped, at most until then", required=True, allow_none=True
    )
    frozen = fields.Boolean(
        required=True,
        metadata={
            "description": "No move is possible until an operator has checked the game; neither "
            "position nor log is available"
        },
    )


class GameSchema(GameSummarySchema):
    """A game as its viewer may see it: all that a client needs to show and play it."""

    your_misses = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Consecutive time-outs of your seat; "
            f"after {MOST_MISSES} of them a bot takes over"
        },
    )
    commitment = words("SHA-256 of the seed, public from the start", required=True, allow_none=True)
    seed = words("Published when the game is over", required=True, allow_none=True)
    at = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The position after this move"}
    )
    position = free_object(
        "Position in the format of the game type, as your seat may see it",
        required=True,
        allow_none=True,
    )
    waiting = fields.Nested(WaitingSchema, required=True, allow_none=True)
    decision = fields.Nested(DecisionSchema, required=True, allow_none=True)


class GameQuery(WordsQuery):
    """Position to return."""

    at = fields.Integer(
        validate=validate.Range(0, BIGGEST_NUMBER),
        metadata={
            "description": "Position after this move instead of the current one; 0: before the "
            "first"
        },
    )


class RegisteredGame(validate.OneOf):
    """A key of the registry, as it is at the time of the request."""

    def __init__(self) -> None:
        super().__init__([game.meta.key for game in GAME_TYPES])

    def __call__(self, value: Any) -> Any:
        return validate.OneOf([game.meta.key for game in GAME_TYPES])(value)


class GamesQuery(PageQuery):
    """Filter of your games."""

    status = fields.Enum(Status, by_value=True)


class TablesQuery(PageQuery):
    """Filter of open tables."""

    game = fields.String(validate=RegisteredGame())
    seats = fields.Integer(validate=validate.Range(2, MOST_SEATS))
    clock = fields.String(validate=validate.OneOf(KINDS))


class InvitationSchema(ma.Schema):
    """An invitation to a table."""

    id = fields.String(required=True)
    game = words("The id of the game", required=True)
    email = fields.String(required=True, allow_none=True)
    link = words("Only in the response that created a link", allow_none=True)
    used = fields.Boolean(required=True)
    created_at = moment("When it was created", required=True)
    expires_at = moment("Expiry", required=True)


class InvitationsSchema(ma.Schema):
    """Invitations."""

    items = fields.List(fields.Nested(InvitationSchema), required=True)


GamePageSchema = page_of(GameSummarySchema, "Game")
