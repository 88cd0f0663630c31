"""Games, from the catalogue over the open table to the position."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from engine.registry import GAMES
from service.api.schemas.common import BIGGEST_NUMBER, PageQuery, WordsQuery, moment, page_of, words
from service.core.fields import Amount, Whole
from service.core.time_control import MOST_ABSENCE_DAYS, MOST_MISSES
from service.db.models import Status, Visibility
from service.games.inputs import HOURS, KINDS, MOST_SEATS, Move


def free_object(description: str, **kwargs: Any) -> fields.Dict:
    """An object whose members are the game's own."""
    return fields.Dict(metadata={"description": description}, **kwargs)


class ClockSchema(ma.Schema):
    """How long a decision may take: `none`, which is two months; `flat` with `hours` for each;
    `bank` with a store of `start_hours`, to which each decision adds `increment_hours`, up to
    `cap_hours`. What ends in somebody's sleep moves to their morning. For absences that somebody
    announced before they were asked, their clock stands still, for `absence_days` in all."""

    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    hours = Amount(*HOURS)
    start_hours = Amount(*HOURS)
    increment_hours = Amount(0, HOURS[1])
    cap_hours = Amount(*HOURS)
    absence_days = Whole(0, MOST_ABSENCE_DAYS, required=True)


class PresetSchema(ma.Schema):
    """A clock with a name."""

    preset = words("Say it as `clock.preset` of a new game", required=True)
    title = fields.String(required=True)
    clock = fields.Nested(ClockSchema, required=True)


class OptionSchema(ma.Schema):
    """A choice made when a game is created."""

    key = fields.String(required=True)
    title = fields.String(required=True)
    choices = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "Each choice with what it means"},
    )
    default = fields.String(required=True)
    note = words("What players should know about it; may be empty", required=True)


class TopicSchema(ma.Schema):
    """A rule of a game in a few sentences."""

    topic = words("`data-topic` of what it is about in the game's picture", required=True)
    title = fields.String(required=True)
    text = fields.String(required=True)


class CatalogueEntrySchema(ma.Schema):
    """A game that can be played here."""

    game = words("Its key, for `POST /v1/games`", required=True)
    title = fields.String(required=True)
    rules = fields.Integer(required=True, metadata={"description": "Version of the rules"})
    seats = fields.List(fields.Integer(), required=True)
    options = fields.List(fields.Nested(OptionSchema), required=True)
    summary = fields.String(required=True)
    guide = fields.List(
        fields.Nested(TopicSchema),
        required=True,
        metadata={"description": "The rules in short, in the language of the query"},
    )


class CatalogueSchema(ma.Schema):
    """The games, and what a new table begins with unless you say otherwise."""

    games = fields.List(fields.Nested(CatalogueEntrySchema), required=True)
    clock = fields.Nested(
        ClockSchema,
        required=True,
        metadata={"description": "The clock of a table that names none"},
    )
    presets = fields.List(
        fields.Nested(PresetSchema),
        required=True,
        metadata={"description": "Clocks that have a name"},
    )


class SeatSchema(ma.Schema):
    """A place at the table."""

    seat = fields.Integer(required=True)
    name = words("Empty while the seat is free", required=True)
    kind = fields.String(
        required=True,
        validate=validate.OneOf(["free", "person", "bot_account", "bot"]),
        metadata={"description": "`bot` is ours, `bot_account` a program somebody answers for"},
    )
    person = fields.String(required=True, allow_none=True, metadata={"description": "Their id"})
    played_by_bot = fields.Boolean(required=True)
    resigned = fields.Boolean(required=True)
    away_since = moment(
        "Since then a bot keeps the seat, until its owner comes back",
        required=True,
        allow_none=True,
    )
    unreachable = fields.Boolean(
        required=True,
        metadata={"description": "Mails to them came back, and none are sent at the moment"},
    )
    wants_to_end = fields.Boolean(required=True)
    wants_pause = fields.Boolean(required=True)


class PointsSchema(ma.Schema):
    """Points for a seat, and for what."""

    seat = fields.Integer(required=True)
    points = fields.Integer(required=True)
    cause = fields.String(required=True, data_key="for")
    words = words("What they are for, for people", required=True)
    area = fields.String()


class StopSchema(ma.Schema):
    """Something that a person touches on the way to a move."""

    spot = words(
        "`data-spot` of one or more things in the game's picture, if it is drawn there at all",
        required=True,
    )
    words = words("For a button, if it is not or cannot be touched", required=True)


class ForcedMoveSchema(ma.Schema):
    """A move that makes itself after another one, since nothing else is possible then."""

    move = Move("As the log will show it", required=True)
    text = words("The same as one line of notation", required=True)
    label = words("The same for a person", required=True)
    points = fields.List(fields.Nested(PointsSchema), required=True)


class OfferedMoveSchema(ma.Schema):
    """A legal move in all its forms, with what it would score now."""

    move = Move("Send it back as it is", required=True)
    text = words("The same as one line of notation", required=True)
    label = words("The same for a person", required=True)
    path = fields.List(
        fields.Nested(StopSchema),
        required=True,
        metadata={
            "description": "What a person touches for it, one after another. No path of a decision "
            "is the beginning of another: equal beginnings make a tree of the moves"
        },
    )
    points = fields.List(fields.Nested(PointsSchema), required=True)
    again = fields.Boolean(
        required=True, metadata={"description": "You would choose once more afterwards"}
    )
    best = Move("The move that the points assume to follow")
    forced = fields.List(
        fields.Nested(ForcedMoveSchema),
        required=True,
        metadata={
            "description": "What you would have to do next without being asked, as far as that is "
            "certain; `label` says it too"
        },
    )


class DecisionSchema(ma.Schema):
    """What your seat is asked now."""

    id = words("Say it with your answer", required=True)
    revising = fields.Boolean(
        required=True, metadata={"description": "You have answered and may still change it"}
    )
    question = fields.String(required=True)
    chosen = words(
        "Your answer for people, while you may still change it", required=True, allow_none=True
    )
    opened_at = moment("Since when", required=True, allow_none=True)
    due_at = moment(
        "Until when; null: the clock stands still, or a bot keeps your seat and answers if you do "
        "not come back first",
        required=True,
        allow_none=True,
    )
    moves = fields.List(fields.Nested(OfferedMoveSchema), required=True)


class WaitingSchema(ma.Schema):
    """Whom the game waits for."""

    seats = fields.List(fields.Integer(), required=True)
    count = fields.Integer(required=True)
    since = moment("The last move", required=True)
    until = moment(
        "Unless an absence was announced it goes on by then; null: all clocks stand still",
        required=True,
        allow_none=True,
    )


class OutcomeSchema(ma.Schema):
    """How it ended."""

    scores = fields.List(fields.Integer(), required=True)
    winners = fields.List(
        fields.Integer(), required=True, metadata={"description": "Empty: nobody won"}
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
        "The game's own word; `agreed`: all who still played ended it; `resigned`: all other "
        "people resigned; `abandoned`: ended without other people, and nobody won",
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
    moves = fields.Integer(required=True, metadata={"description": "How many were played"})
    version = fields.Integer(
        required=True, metadata={"description": "Grows with every change you can all see"}
    )
    rematch_of = fields.String(required=True, allow_none=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    created_at = moment("When the table opened", required=True)
    started_at = moment("When it began", required=True, allow_none=True)
    ended_at = moment("When it ended", required=True, allow_none=True)
    moved_at = moment("The last move", required=True, allow_none=True)
    paused_until = moment(
        "All clocks stand still, at most until then", required=True, allow_none=True
    )
    frozen = fields.Boolean(
        required=True,
        metadata={
            "description": "Nothing can be played until we have looked at it; neither the position "
            "nor the log is shown"
        },
    )


class GameSchema(GameSummarySchema):
    """A game as you may see it: all a client needs to show it and to play."""

    your_misses = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "How often in a row your time was up; "
            f"after {MOST_MISSES} times a bot keeps your seat"
        },
    )
    commitment = words("SHA-256 of the seed, public from the start", required=True, allow_none=True)
    seed = words("Told when the game is over", required=True, allow_none=True)
    at = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The position after this move"}
    )
    position = free_object(
        "The game's own view, by the rules of your seat", required=True, allow_none=True
    )
    waiting = fields.Nested(WaitingSchema, required=True, allow_none=True)
    decision = fields.Nested(DecisionSchema, required=True, allow_none=True)


class GameQuery(WordsQuery):
    """Which position."""

    at = fields.Integer(
        validate=validate.Range(0, BIGGEST_NUMBER),
        metadata={"description": "After this move instead of now; 0: before the first"},
    )


class RegisteredGame(validate.OneOf):
    """A key of the registry, as it is at the time of the request."""

    def __init__(self) -> None:
        super().__init__([game.meta.key for game in GAMES])

    def __call__(self, value: Any) -> Any:
        return validate.OneOf([game.meta.key for game in GAMES])(value)


class GamesQuery(PageQuery):
    """Which of your games."""

    status = fields.Enum(Status, by_value=True)


class TablesQuery(PageQuery):
    """Which open tables."""

    game = fields.String(validate=RegisteredGame())
    seats = fields.Integer(validate=validate.Range(2, MOST_SEATS))
    clock = fields.String(validate=validate.OneOf(KINDS))


class InvitationSchema(ma.Schema):
    """The right to a seat."""

    id = fields.String(required=True)
    game = words("The id of the game", required=True)
    email = fields.String(required=True, allow_none=True)
    link = words("Only when a link was made, and only then", allow_none=True)
    used = fields.Boolean(required=True)
    created_at = moment("When it was made", required=True)
    expires_at = moment("When it ends", required=True)


class InvitationsSchema(ma.Schema):
    """Invitations."""

    items = fields.List(fields.Nested(InvitationSchema), required=True)


GamePageSchema = page_of(GameSummarySchema, "Game")
