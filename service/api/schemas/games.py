"""Schemas of game types, tables and games."""

from marshmallow import fields, validate

from engine.registry import GAME_TYPES
from service.api.schemas.common import (
    BIGGEST_NUMBER,
    PageQuery,
    ResponseSchema,
    WordsQuery,
    flag,
    free_object,
    list_of,
    moment,
    number,
    page_of,
    several,
    words,
)
from service.core.fields import Amount, Whole
from service.core.time_control import MOST_ABSENCE_DAYS, MOST_MISSES
from service.db.models import Status, Visibility
from service.games.inputs import HOURS, KINDS, MOST_SEATS, Move


class ClockSchema(ResponseSchema):
    """Time control of decisions: `none` (two months each), `flat` with `hours` for each, or `bank`
    with `start_hours`, to which each decision adds `increment_hours`, up to `cap_hours`. A deadline
    inside a player's quiet hours moves to the end of them. A clock stops during absences that the
    player announced before the decision opened, for `absence_days` in all."""

    class Meta:
        optional = ("hours", "start_hours", "increment_hours", "cap_hours")

    kind = fields.String(validate=validate.OneOf(KINDS))
    hours = Amount(*HOURS)
    start_hours = Amount(*HOURS)
    increment_hours = Amount(0, HOURS[1])
    cap_hours = Amount(*HOURS)
    absence_days = Whole(0, MOST_ABSENCE_DAYS)


class PresetSchema(ResponseSchema):
    """A named time control."""

    preset = words("For `clock.preset` of a new game")
    title = fields.String()
    clock = fields.Nested(ClockSchema)


class OptionSchema(ResponseSchema):
    """An option of a game type, chosen when a table is opened."""

    key = fields.String()
    title = fields.String()
    choices = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={"description": "Each choice with its meaning"},
    )
    default = fields.String()
    note = words("Note for players; may be empty")


class TopicSchema(ResponseSchema):
    """A rule of a game type in a few sentences."""

    topic = words("`data-topic` of the element of the board that it explains")
    title = fields.String()
    text = fields.String()


class CatalogueEntrySchema(ResponseSchema):
    """A game type of this service."""

    game = words("Key of the game type, for `POST /v1/games`")
    title = fields.String()
    rules = number("Version of the rules")
    seats = fields.List(fields.Integer())
    options = fields.List(fields.Nested(OptionSchema))
    summary = fields.String()
    guide = several(TopicSchema, "The rules in short, in the requested language")


class CatalogueSchema(ResponseSchema):
    """Game types, and the defaults of a new table."""

    games = fields.List(fields.Nested(CatalogueEntrySchema))
    clock = fields.Nested(ClockSchema, metadata={"description": "Default time control"})
    presets = several(PresetSchema, "Named time controls")


class SeatSchema(ResponseSchema):
    """A seat of a game."""

    seat = fields.Integer()
    name = words("Empty while the seat is free")
    kind = words(
        "`bot` is the service's own, `bot_account` belongs to a person",
        validate=validate.OneOf(["free", "person", "bot_account", "bot"]),
    )
    person = words("Id of the player", allow_none=True)
    played_by_bot = fields.Boolean()
    resigned = fields.Boolean()
    away_since = moment(
        "Start of a takeover: a bot plays the seat until its player returns", allow_none=True
    )
    unreachable = flag("Mails to the player bounced and are suspended")
    wants_to_end = fields.Boolean()
    wants_pause = fields.Boolean()


class PointsSchema(ResponseSchema):
    """Points of a seat with their cause."""

    class Meta:
        optional = ("area",)

    seat = fields.Integer()
    points = fields.Integer()
    cause = fields.String(data_key="for")
    words = words("The cause in words")
    area = fields.String()


class StopSchema(ResponseSchema):
    """One step of selecting a move on the board."""

    spot = words("`data-spot` of one or more elements of the board, if it is drawn there")
    words = words("Label of a button that replaces it")


class ForcedMoveSchema(ResponseSchema):
    """A forced move after another one: the only legal move then."""

    move = Move("As in the log")
    text = words("As one line of notation")
    label = words("As a sentence")
    points = fields.List(fields.Nested(PointsSchema))


class OfferedMoveSchema(ResponseSchema):
    """A legal move in all its forms, with its score."""

    class Meta:
        optional = ("best",)

    move = Move("Send it back unchanged")
    text = words("As one line of notation")
    label = words("As a sentence")
    path = several(
        StopSchema,
        "Steps of selecting it on the board. No path of a decision is a prefix "
        "of another: common prefixes form a tree of the moves",
    )
    points = fields.List(fields.Nested(PointsSchema))
    again = flag("You would decide once more afterwards")
    best = Move("The next move that the points assume")
    forced = several(
        ForcedMoveSchema,
        "Forced moves that would follow, as far as they are certain; also part of `label`",
    )


class DecisionSchema(ResponseSchema):
    """The open decision of your seat."""

    id = words("Send it with your move")
    revising = flag("You have chosen and may still change it")
    question = fields.String()
    chosen = words("Your choice as a sentence, while you may still change it", allow_none=True)
    opened_at = moment("Start", allow_none=True)
    due_at = moment(
        "Deadline; null: the clock is stopped, or a takeover bot decides unless you return",
        allow_none=True,
    )
    moves = fields.List(fields.Nested(OfferedMoveSchema))


class UndoableSchema(ResponseSchema):
    """Your last answer, which you may take back."""

    decision = words("Send it to take the answer back; it will be open again")
    texts = fields.List(
        fields.String(), metadata={"description": "The moves, with automatic ones that followed"}
    )
    until = moment("Until then: the deadline of that decision")


class WaitingSchema(ResponseSchema):
    """Seats with an open decision."""

    seats = fields.List(fields.Integer())
    count = fields.Integer()
    since = moment("The last move")
    until = moment("Latest deadline, absences aside; null: all clocks are stopped", allow_none=True)


class OutcomeSchema(ResponseSchema):
    """Result of a game."""

    scores = fields.List(fields.Integer())
    winners = fields.List(fields.Integer(), metadata={"description": "Empty: no winner"})
    ranking = fields.List(
        fields.Integer(),
        metadata={
            "description": "The place of each seat, with the game's own tie-break; equal players "
            "share a place (1, 2, 2, 4)"
        },
    )
    reason = words(
        "Reason of the game type; `agreed`: all remaining players ended it; `resigned`: all other "
        "people resigned; `abandoned`: ended without other people, no winner"
    )


class GameSummarySchema(ResponseSchema):
    """A game without its position."""

    id = fields.String()
    game = fields.String()
    rules = fields.Integer()
    title = fields.String()
    status = fields.String(validate=validate.OneOf([*Status]))
    visibility = fields.String(validate=validate.OneOf([*Visibility]))
    seats = fields.List(fields.Nested(SeatSchema))
    free_seats = fields.Integer()
    options = fields.Dict(keys=fields.String(), values=fields.String())
    clock = fields.Nested(ClockSchema)
    host = words("The person who may start or cancel it")
    your_seat = fields.Integer(allow_none=True)
    moves = number("Number of moves played")
    version = number("Grows with every change that is visible to everybody")
    rematch_of = fields.String(allow_none=True)
    outcome = fields.Nested(OutcomeSchema, allow_none=True)
    created_at = moment("When the table was opened")
    started_at = moment("When it began", allow_none=True)
    ended_at = moment("When it ended", allow_none=True)
    moved_at = moment("The last move", allow_none=True)
    paused_until = moment("All clocks are stopped, at most until then", allow_none=True)
    frozen = flag(
        "No move is possible until an operator has checked the game; neither "
        "position nor log is available"
    )


class GameSchema(GameSummarySchema):
    """A game as its viewer may see it: all that a client needs to show and play it."""

    your_misses = number(
        f"Consecutive time-outs of your seat; after {MOST_MISSES} of them a bot takes over",
        allow_none=True,
    )
    commitment = words("SHA-256 of the seed, public from the start", allow_none=True)
    seed = words("Published when the game is over", allow_none=True)
    at = number("The position after this move", allow_none=True)
    position = free_object(
        "Position in the format of the game type, as your seat may see it", allow_none=True
    )
    waiting = fields.Nested(WaitingSchema, allow_none=True)
    decision = fields.Nested(DecisionSchema, allow_none=True)
    undoable = fields.Nested(
        UndoableSchema,
        allow_none=True,
        metadata={"description": "Your last answer, if you may take it back; null: it is final"},
    )


class GameQuery(WordsQuery):
    """Position to return."""

    at = number(
        "Position after this move instead of the current one; 0: before the first",
        validate=validate.Range(0, BIGGEST_NUMBER),
    )


class RegisteredGame(validate.OneOf):
    """A key of the registry, as it is at the time of the request."""

    def __init__(self) -> None:
        super().__init__([game.meta.key for game in GAME_TYPES])

    def __call__(self, value: object) -> object:
        return validate.OneOf([game.meta.key for game in GAME_TYPES])(value)


class GamesQuery(PageQuery):
    """Filter of your games."""

    status = fields.Enum(Status, by_value=True)


class TablesQuery(PageQuery):
    """Filter of open tables."""

    game = fields.String(validate=RegisteredGame())
    seats = fields.Integer(validate=validate.Range(2, MOST_SEATS))
    clock = fields.String(validate=validate.OneOf(KINDS))


class InvitationSchema(ResponseSchema):
    """An invitation to a table."""

    class Meta:
        optional = ("link",)

    id = fields.String()
    game = words("The id of the game", attribute="game_id")
    email = fields.String(allow_none=True)
    link = words("Only in the response that created a link", allow_none=True)
    used = fields.Boolean()
    created_at = moment("When it was created")
    expires_at = moment("Expiry")


InvitationsSchema = list_of(InvitationSchema, "Invitations", "Invitations.")
GamePageSchema = page_of(GameSummarySchema, "Game")
